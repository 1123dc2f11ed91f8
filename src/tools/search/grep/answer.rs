//! The answer of a search, put together in order from what its threads have found.

use std::io::{self, Write};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rustix::io::Errno;

use super::chunk::{LineRecord, ResultChunk, SearchedPiece};
use super::search::{SharedSearch, binary_matches, name, outcome};
use crate::contract::reply::{Object, Text};

/// How many links are looked at where nothing was found.
const MOST_LINKS: usize = 10_000;
/// After how long the reader is sent what there is.
const SEND: Duration = Duration::from_millis(20);
/// How much text of a large file is put together at once, in bytes.
const ENOUGH: usize = 32 << 10;

/// An answer that is being written.
pub struct Answer<'a, 'o> {
    shared: &'a SharedSearch,
    output: Text<'o>,
    /// True if a line has been written.
    begun: bool,
    /// Since when something waits to be sent.
    waits: Option<Instant>,
    /// The large file of which pieces come.
    large: LargeFile,
    done: SearchOutcome,
}

/// A large file of which not all pieces have come.
#[derive(Default)]
struct LargeFile {
    /// How many lines the pieces before have.
    lines: u64,
    /// How many of those that match were counted and not shown.
    counted: u64,
    /// Nothing more of it is of use.
    failed: bool,
}

/// What a search has come to.
#[derive(Debug, Default)]
pub struct SearchOutcome {
    /// How many lines match.
    pub count: u64,
    /// True if there is a limit to how many are shown.
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
    pub ended: Option<EarlyEnd>,
    /// How many directories were among the names.
    pub directories: u64,
    /// The symbolic links that were, the first of them.
    pub links: Vec<Vec<u8>>,
}

/// Where a search ended before its time.
#[derive(Debug)]
pub struct EarlyEnd {
    /// The file.
    pub file: String,
    /// The first line that was not searched.
    pub line: u64,
    /// The time of the call was over, whatever the pattern costs.
    pub by_the_clock: bool,
}

impl<'a, 'o> Answer<'a, 'o> {
    /// An answer whose lines are the field `output` of `object`.
    pub fn new(shared: &'a SharedSearch, object: &'o mut Object<'_>) -> io::Result<Self> {
        Ok(Self {
            shared,
            output: object.text("output")?,
            begun: false,
            waits: None,
            large: LargeFile::default(),
            done: SearchOutcome {
                bounded: shared.room.is_some(),
                ..SearchOutcome::default()
            },
        })
    }

    /// Ends the answer's text.
    pub fn finish(self) -> io::Result<SearchOutcome> {
        self.output.close()?;
        Ok(self.done)
    }

    /// Adds what was found next; nothing of it is left. Whether the search goes on comes back.
    pub fn add(&mut self, chunk: &mut ResultChunk) -> io::Result<bool> {
        match chunk.piece.take() {
            Some(piece) => self.add_piece(&piece, chunk)?,
            None => self.add_lines(chunk)?,
        }
        chunk.text.clear();
        chunk.records.clear();
        chunk.bytes = 0;
        let done = &mut self.done;
        done.count += std::mem::take(&mut chunk.count);
        done.files += std::mem::take(&mut chunk.files);
        done.unreadable += std::mem::take(&mut chunk.unreadable);
        let unreadable = chunk.first_unreadable.take();
        done.first_unreadable = done.first_unreadable.take().or(unreadable);
        done.not_to_the_end.append(&mut chunk.not_to_the_end);
        done.directories += std::mem::take(&mut chunk.directories);
        let room = MOST_LINKS.saturating_sub(done.links.len());
        done.links.extend(chunk.links.drain(..).take(room));
        let undecided = chunk.undecided.take();
        let undecided = undecided.map(|(file, line)| format!("{file}:{line}"));
        done.undecided = done.undecided.take().or(undecided);
        if let Some((file, line)) = chunk.ended.take() {
            let over = |until| Instant::now() >= until;
            done.ended = Some(EarlyEnd {
                file,
                line,
                by_the_clock: self.shared.until.is_some_and(over),
            });
        }
        self.send()?;
        Ok(self.done.ended.is_none())
    }

    /// Sends what has been written, unless that was done a moment ago.
    fn send(&mut self) -> io::Result<()> {
        if self.begun && self.shared.room.is_none() {
            let waits = *self.waits.get_or_insert_with(Instant::now);
            if waits.elapsed() >= SEND {
                self.output.send()?;
                self.waits = Some(Instant::now());
            }
        }
        Ok(())
    }

    /// Lines as they are to be written.
    fn add_lines(&mut self, chunk: &ResultChunk) -> io::Result<()> {
        if self.shared.room.is_none() {
            return self.write(&chunk.text);
        }
        let mut start = 0;
        for record in &chunk.records {
            self.record(&chunk.text[start..record.end], *record)?;
            start = record.end;
        }
        Ok(())
    }

    /// Lines of a large file, whose numbers are known now.
    fn add_piece(&mut self, piece: &SearchedPiece, chunk: &mut ResultChunk) -> io::Result<()> {
        if piece.first {
            self.large = LargeFile::default();
        }
        let known = &piece.file.known;
        if self.large.failed {
            *chunk = ResultChunk::default();
            return Ok(());
        }
        let before = [b"\n", &*known.path, b":"].concat();
        let (mut text, mut start) = (Vec::with_capacity(ENOUGH), 0);
        for record in &chunk.records {
            let line = &chunk.text[start..record.end];
            start = record.end;
            let at = text.len();
            text.extend_from_slice(&before);
            let number = self.large.lines + record.number;
            text.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
            text.extend_from_slice(b": ");
            let whole = record.whole + text.len() - at;
            text.extend_from_slice(line);
            if self.shared.room.is_some() {
                self.record(&text, LineRecord { whole, ..*record })?;
                text.clear();
            } else if text.len() >= ENOUGH {
                self.write(&text)?;
                text.clear();
            }
        }
        self.write(&text)?;
        let number = |line: u64| self.large.lines + line;
        let undecided = piece
            .undecided
            .map(|line| (name(&known.path), number(line)));
        chunk.undecided = undecided;
        let failed = piece.failed.map(|failed| failed.shifted(self.large.lines));
        self.large.lines += piece.line_feeds;
        if known.binary {
            self.large.counted += chunk.count;
        }
        if piece.last || failed.is_some() {
            self.large.failed = true;
            outcome(chunk, &known.path, failed);
            if self.large.counted > 0 {
                let text = binary_matches(&known.path, self.large.counted);
                let record = LineRecord {
                    end: 0,
                    whole: text.len(),
                    number: 0,
                    lines: self.large.counted,
                };
                if self.shared.room.is_some() {
                    self.record(&text, record)?;
                } else {
                    self.write(&text)?;
                }
            }
        }
        Ok(())
    }

    /// Writes lines, each with a line feed before it.
    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        let text = text.get(usize::from(!self.begun)..).unwrap_or_default();
        if text.is_empty() {
            return Ok(());
        }
        self.begun = true;
        self.output.write_all(text)
    }

    /// Writes one line, if it has room.
    fn record(&mut self, text: &[u8], record: LineRecord) -> io::Result<()> {
        if self.output.is_full() {
            return Ok(());
        }
        let skipped = usize::from(!self.begun);
        self.begun = true;
        let whole = self
            .output
            .record(text.get(skipped..).unwrap_or_default())?;
        if whole {
            self.done.shown += record.lines;
        } else if self.done.shown == 0 {
            self.done.first = Some(record.whole - skipped);
        }
        if self.output.is_full() {
            self.shared.full.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}
