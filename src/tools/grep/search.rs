//! A search under way: files in, lines out, within the limits of the call.

use std::cell::Cell;
use std::ffi::CStr;
use std::io::{self, Write};
use std::time::Instant;

use rustix::io::Errno;

use crate::contract::reply::{Object, Text};
use crate::contract::terms::Reader;
use crate::search::ere::Matcher;
use crate::search::scan::{LineMatcher, Links, ScanError, Scanner};
use crate::tools::search_notes::several;

/// How many bytes of a file tell whether it is binary.
const BINARY_LOOK: usize = 8 << 10;

/// A search of files, one after the other.
pub struct Search<'m, 'o> {
    matcher: Within<'m>,
    scanner: Scanner,
    output: Text<'o>,
    /// How many bytes of text are shown at most, where there is a limit.
    room: Option<usize>,
    /// Whether matches in binary files are counted and not shown.
    binary_counted: bool,
    record: Vec<u8>,
    done: Done,
}

/// What a search has come to.
#[derive(Debug, Default)]
pub struct Done {
    /// How many lines match.
    pub count: u64,
    /// Whether there is a limit to how many are shown.
    pub bounded: bool,
    /// How many are shown then, whole.
    pub shown: u64,
    /// How long the first line of the answer is, in bytes, where it is not shown whole.
    pub first: Option<usize>,
    /// How many files were searched, to the end or not.
    pub files: u64,
    /// How many files could not be read, and the first of them.
    pub unreadable: u64,
    /// Which was the first, and why.
    pub first_unreadable: Option<(String, Errno)>,
    /// Files with a line that is too long.
    pub not_to_the_end: Vec<String>,
    /// The first line that could not be decided.
    pub undecided: Option<String>,
    /// Where the search ended before its end.
    pub ended: Option<Ended>,
}

/// Where a search ended before its time.
#[derive(Debug)]
pub struct Ended {
    /// The file.
    pub file: String,
    /// The first line that was not searched.
    pub line: u64,
    /// How many files were searched before this one, and how many were not.
    pub before: usize,
    /// See `before`.
    pub behind: usize,
    /// The time of the call was over, whatever the pattern costs.
    pub by_the_clock: bool,
}

/// A matcher whose search ends with the time of the call, and who looks at how a file begins.
struct Within<'m> {
    matcher: &'m Matcher,
    until: Option<Instant>,
    /// Whether the file is binary, once its beginning has been seen.
    binary: Cell<Option<bool>>,
}

impl LineMatcher for Within<'_> {
    fn find(&self, window: &[u8], from: usize) -> Option<usize> {
        self.matcher.find(window, from)
    }

    fn goes_on(&self, window: &[u8]) -> bool {
        if self.binary.get().is_none() {
            self.binary.set(Some(is_binary(window)));
        }
        self.until.is_none_or(|until| Instant::now() < until) && self.matcher.goes_on(window)
    }

    fn stopped(&self) -> Option<usize> {
        self.matcher.stopped()
    }

    fn take_undecided(&self) -> Vec<usize> {
        self.matcher.take_undecided()
    }
}

fn is_binary(beginning: &[u8]) -> bool {
    let marked = beginning.starts_with(b"\xff\xfe") || beginning.starts_with(b"\xfe\xff");
    let beginning = &beginning[..beginning.len().min(BINARY_LOOK)];
    !marked && memchr::memchr(0, beginning).is_some()
}

impl<'m, 'o> Search<'m, 'o> {
    /// A search whose lines are the field `output` of `object`; it ends at `until`.
    pub fn new(
        matcher: &'m Matcher,
        object: &'o mut Object<'_>,
        until: Option<Instant>,
    ) -> io::Result<Self> {
        let room = object.room();
        let binary_counted = object.terms().reader == Reader::Model;
        Ok(Self {
            matcher: Within {
                matcher,
                until,
                binary: Cell::new(None),
            },
            scanner: Scanner::new(),
            output: object.text("output")?,
            room,
            binary_counted,
            record: Vec::new(),
            done: Done {
                bounded: room.is_some(),
                ..Done::default()
            },
        })
    }

    /// Ends the answer's text.
    pub fn finish(self) -> io::Result<Done> {
        self.output.close()?;
        Ok(self.done)
    }

    /// Searches these files until the time is over.
    pub fn files<'f>(
        &mut self,
        files: impl Iterator<Item = &'f CStr> + Clone,
        links: Links,
    ) -> io::Result<()> {
        for (nth, file) in files.clone().enumerate() {
            self.file(file, links)?;
            if let Some(ended) = &mut self.done.ended {
                ended.before = nth;
                ended.behind = files.count() - nth - 1;
                break;
            }
        }
        Ok(())
    }

    /// Searches one more file. One that cannot be read is passed over and counted.
    fn file(&mut self, path: &CStr, links: Links) -> io::Result<()> {
        let Self {
            matcher,
            scanner,
            output,
            room,
            binary_counted,
            record,
            done,
        } = self;
        matcher.binary.set((!*binary_counted).then_some(false));
        let mut counted = 0;
        // What stands before each number: put together once, where there are millions of lines.
        let mut before = Vec::new();
        let searched = scanner.scan_path(path, links, matcher, |number, line| {
            let first = usize::from(done.count == 0);
            done.count += 1;
            if matcher.binary.get() == Some(true) {
                counted += 1;
                return Ok(());
            }
            if before.is_empty() {
                before = [b"\n", path.to_bytes(), b":"].concat();
            }
            let mut digits = itoa::Buffer::new();
            let digits = digits.format(number).as_bytes();
            let Some(room) = *room else {
                output.write_all(&before[first..])?;
                output.write_all(digits)?;
                output.write_all(b": ")?;
                return output.write_all(line);
            };
            if output.is_full() {
                return Ok(());
            }
            record.clear();
            record.extend_from_slice(&before[first..]);
            record.extend_from_slice(digits);
            record.extend_from_slice(b": ");
            let length = record.len() + line.len();
            // Of a line that is too long no more than has room is looked at.
            record.extend_from_slice(&line[..line.len().min(room.saturating_add(4))]);
            let whole = output.record(record)?;
            done.shown += u64::from(whole);
            if !whole && done.shown == 0 {
                done.first = Some(length);
            }
            Ok(())
        });
        let name = || path.to_string_lossy().into_owned();
        if counted > 0 {
            record.clear();
            if done.count > counted {
                record.push(b'\n');
            }
            let count = several(counted, "line", "lines");
            write!(record, "binary file {} matches, {count}", name())?;
            if room.is_none() {
                output.write_all(record)?;
            } else if output.record(record)? {
                done.shown += counted;
            }
        }
        if let Some(line) = scanner.undecided() {
            done.undecided
                .get_or_insert_with(|| format!("{}:{line}", name()));
        }
        match searched {
            Err(ScanError::OutOfTime(line)) => {
                let over = |until| Instant::now() >= until;
                done.ended = Some(Ended {
                    file: name(),
                    line,
                    before: 0,
                    behind: 0,
                    by_the_clock: matcher.until.is_some_and(over),
                });
            }
            Err(ScanError::Sink(error)) => return Err(error),
            Err(ScanError::LineTooLong) => {
                done.files += 1;
                done.not_to_the_end.push(name());
            }
            // It has been removed meanwhile.
            Err(ScanError::NotRegular | ScanError::Unreadable(Errno::NOENT)) => {}
            Err(ScanError::Unreadable(error)) => {
                done.unreadable += 1;
                done.first_unreadable.get_or_insert_with(|| (name(), error));
            }
            Ok(_) => done.files += 1,
        }
        Ok(())
    }
}
