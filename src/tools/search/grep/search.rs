//! The search itself, as each thread does it: files in, lines out.

use std::cell::Cell;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use rustix::io::Errno;

use super::chunk::{LargeFileFacts, LineRecord, ResultChunk, SearchedPiece};
use crate::contract::terms::{Audience, threads};
use crate::search::ere::Matcher;
use crate::search::ordered_pool::Job;
use crate::search::paths::EntryKind;
use crate::search::scan::{
    self, Flow, LARGE, LineMatcher, Links, Pieces, Receiver, Scan, ScanError, Scanner,
};
use crate::search::walk::{Visitor, WalkEntry};
use crate::tools::search::note::several;
use crate::unseen;

/// How many bytes of a file tell whether it is binary.
const BINARY_LOOK: usize = 8 << 10;
/// How many bytes of lines are handed on at once.
const ENOUGH_TEXT: usize = 256 << 10;
/// How many bytes of files are searched at once.
const ENOUGH_BYTES: usize = 1 << 20;
/// How many bytes of files were searched before there is work for more than one thread.
const MUCH: usize = 4 << 20;

/// What the threads of one search share.
#[derive(Debug)]
pub struct SharedSearch {
    /// When the call's time is over.
    pub until: Option<Instant>,
    /// How many bytes of text are shown at most, where there is a limit.
    pub room: Option<usize>,
    /// True if matches in binary files are counted and not shown.
    pub binary_counted: bool,
    /// What to do with files that are symbolic links.
    pub links: Links,
    /// Unseen characters are spelled in names.
    pub spelled: bool,
    /// Nothing more has room: what is found is only counted.
    pub full: AtomicBool,
    /// How many threads there may be, once that was asked.
    threads: OnceLock<usize>,
}

impl SharedSearch {
    pub fn new(
        until: Option<Instant>,
        room: Option<usize>,
        reader: Audience,
        links: Links,
    ) -> Self {
        Self {
            until,
            room,
            binary_counted: reader == Audience::Model,
            links,
            spelled: reader != Audience::Person,
            full: AtomicBool::new(false),
            threads: OnceLock::new(),
        }
    }

    /// How many threads there may be.
    pub fn threads(&self) -> usize {
        *self.threads.get_or_init(threads)
    }
}

/// A matcher whose search ends with the time of the call, and who looks at how a file begins.
struct DeadlineMatcher {
    matcher: Matcher,
    until: Option<Instant>,
    /// True if the file is binary, once its beginning has been seen.
    binary: Cell<Option<bool>>,
}

impl LineMatcher for DeadlineMatcher {
    fn find(&self, window: &[u8], from: usize) -> Option<usize> {
        self.matcher.find(window, from)
    }

    fn goes_on(&self, window: &[u8]) -> bool {
        if self.binary.get().is_none() {
            self.binary.set(Some(is_binary(window)));
        }
        self.has_time() && self.matcher.goes_on(window)
    }

    fn has_time(&self) -> bool {
        self.until.is_none_or(|until| Instant::now() < until)
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

/// A file that is being searched.
struct CurrentFile {
    path: Vec<u8>,
    /// How many lines of a binary file match.
    counted: u64,
    /// What stands before each number: put together once, where there are millions of lines.
    before: Vec<u8>,
}

/// A file that was not searched to its end yet.
pub enum PendingScan {
    /// It is gone on with where it stands; once it was taken, there is nothing.
    Paused(Option<Box<PausedScan>>),
    /// It is searched piece by piece.
    Pieces(Pieces<LargeFileFacts>),
}

/// A file whose search has paused.
pub struct PausedScan {
    scan: Scan<OwnedFd>,
    current: CurrentFile,
    binary: Option<bool>,
}

impl Job for PendingScan {
    fn split_off(&mut self) -> Option<Self> {
        match self {
            Self::Pieces(pieces) => pieces.split_off().map(Self::Pieces),
            Self::Paused(paused) => paused.take().map(|paused| Self::Paused(Some(paused))),
        }
    }

    fn is_over(&self) -> bool {
        match self {
            Self::Pieces(pieces) => pieces.is_over(),
            Self::Paused(paused) => paused.is_none(),
        }
    }
}

/// One thread of the search.
pub struct FileSearcher<'s> {
    shared: &'s SharedSearch,
    matcher: DeadlineMatcher,
    scanner: Scanner,
    /// The path of the file that is being searched, and what else is used for each again.
    current: CurrentFile,
    /// How many bytes were searched.
    bytes: usize,
}

impl<'s> FileSearcher<'s> {
    pub fn new(shared: &'s SharedSearch, matcher: &Matcher) -> Self {
        Self {
            shared,
            matcher: DeadlineMatcher {
                matcher: matcher.another(),
                until: shared.until,
                binary: Cell::new(None),
            },
            scanner: Scanner::new(),
            current: CurrentFile {
                path: Vec::new(),
                counted: 0,
                before: Vec::new(),
            },
            bytes: 0,
        }
    }

    /// Searches one more file. One that cannot be read is passed over and counted.
    fn file(&mut self, found: &mut WalkEntry<'_>, chunk: &mut ResultChunk) -> Option<PendingScan> {
        self.current.path.clear();
        for part in found.parts() {
            self.current.path.extend_from_slice(part);
        }
        if self.shared.spelled && !self.current.path.is_ascii() {
            self.current.path = unseen::spelled_name(&self.current.path).into_owned();
        }
        self.current.counted = 0;
        self.current.before.clear();
        let links = self.shared.links;
        let (mut file, size) = match scan::regular(found.open(scan::flags(links)), links) {
            Ok(file) => file,
            Err(error) => {
                outcome(chunk, &self.current.path, Some(error));
                return None;
            }
        };
        if size >= LARGE && self.shared.threads() > 1 {
            let known = |head: &[u8]| LargeFileFacts {
                path: self.current.path.clone(),
                binary: self.shared.binary_counted && is_binary(head),
            };
            match Pieces::of(file, size, known) {
                Ok(pieces) => return Some(PendingScan::Pieces(pieces)),
                Err(whole) => file = whole,
            }
        }
        let binary = (!self.shared.binary_counted).then_some(false);
        self.matcher.binary.set(binary);
        let scan = self.scanner.begin(file, size);
        self.go_on(scan, chunk)
    }

    /// Goes on with the current file.
    fn go_on(&mut self, mut scan: Scan<OwnedFd>, chunk: &mut ResultChunk) -> Option<PendingScan> {
        let before = chunk.bytes;
        let mut lines = LineReceiver {
            shared: self.shared,
            chunk,
            binary: &self.matcher.binary,
            current: &mut self.current,
            numbered: true,
        };
        let result = scan.go_on(&self.matcher, &mut lines);
        self.bytes += chunk.bytes - before;
        if result == Ok(Flow::Pause) {
            return Some(PendingScan::Paused(Some(Box::new(PausedScan {
                scan,
                current: CurrentFile {
                    path: self.current.path.clone(),
                    counted: self.current.counted,
                    before: std::mem::take(&mut self.current.before),
                },
                binary: self.matcher.binary.get(),
            }))));
        }
        let CurrentFile { path, counted, .. } = &self.current;
        if *counted > 0 {
            let start = chunk.text.len();
            chunk.text.extend(binary_matches(path, *counted));
            chunk.records.push(LineRecord {
                end: chunk.text.len(),
                whole: chunk.text.len() - start,
                number: 0,
                lines: *counted,
            });
        }
        if let Some(line) = scan.undecided() {
            chunk.undecided.get_or_insert_with(|| (name(path), line));
        }
        outcome(chunk, path, result.err());
        self.scanner.take_back(scan);
        None
    }

    /// Searches a piece of a large file.
    fn piece(&mut self, piece: &Pieces<LargeFileFacts>, chunk: &mut ResultChunk) {
        self.matcher.binary.set(Some(piece.file.known.binary));
        let before = chunk.bytes;
        let (mut line_feeds, mut undecided) = (0, None);
        let failed = match piece.source() {
            Err(error) => Some(ScanError::Unreadable(error)),
            Ok(source) => {
                let mut scan = self.scanner.begin(source, 0);
                if !piece.is_first() {
                    scan = scan.without_mark();
                }
                let mut lines = LineReceiver {
                    shared: self.shared,
                    chunk,
                    binary: &self.matcher.binary,
                    current: &mut self.current,
                    numbered: false,
                };
                let result = scan.go_on(&self.matcher, &mut lines);
                (line_feeds, undecided) = (scan.line_feeds(), scan.undecided());
                self.scanner.take_back(scan);
                result.err()
            }
        };
        self.bytes += chunk.bytes - before;
        chunk.piece = Some(SearchedPiece {
            file: Arc::clone(&piece.file),
            first: piece.is_first(),
            last: piece.is_last(),
            line_feeds,
            undecided,
            failed,
        });
    }
}

/// The line that stands for a binary file's matches, with the line feed before it.
pub fn binary_matches(path: &[u8], count: u64) -> Vec<u8> {
    let lines = several(count, "line", "lines");
    format!("\nbinary file {} matches, {lines}", name(path)).into_bytes()
}

/// A path in words.
pub fn name(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

/// Notes how the search of a file has ended.
pub fn outcome(chunk: &mut ResultChunk, path: &[u8], failed: Option<ScanError>) {
    match failed {
        Some(ScanError::OutOfTime(line)) => chunk.ended = Some((name(path), line)),
        Some(ScanError::LineTooLong) => {
            chunk.files += 1;
            chunk.not_to_the_end.push(name(path));
        }
        // It has been removed meanwhile.
        Some(ScanError::NotRegular | ScanError::Unreadable(Errno::NOENT)) => {}
        Some(ScanError::Unreadable(error)) => {
            chunk.unreadable += 1;
            chunk
                .first_unreadable
                .get_or_insert_with(|| (name(path), error));
        }
        None => chunk.files += 1,
    }
}

impl Visitor for FileSearcher<'_> {
    type Output = ResultChunk;
    type Rest = PendingScan;
    const COST: usize = 8;

    fn visit(&mut self, found: &mut WalkEntry<'_>, chunk: &mut ResultChunk) -> Option<PendingScan> {
        match found.kind() {
            EntryKind::Regular | EntryKind::Unknown => return self.file(found, chunk),
            EntryKind::Directory => chunk.directories += 1,
            EntryKind::Symlink => chunk.links.push(found.path()),
            EntryKind::Other => {}
        }
        None
    }

    fn resume(&mut self, rest: PendingScan, chunk: &mut ResultChunk) -> Option<PendingScan> {
        match rest {
            PendingScan::Paused(paused) => {
                let paused = *paused?;
                self.current = paused.current;
                self.matcher.binary.set(paused.binary);
                self.go_on(paused.scan, chunk)
            }
            PendingScan::Pieces(pieces) => {
                self.piece(&pieces, chunk);
                None
            }
        }
    }

    fn is_enough(&self, chunk: &ResultChunk) -> bool {
        chunk.text.len() >= ENOUGH_TEXT
            || chunk.bytes >= ENOUGH_BYTES
            || chunk.ended.is_some()
            || chunk.piece.is_some()
    }

    fn size(chunk: &ResultChunk) -> usize {
        chunk.text.len() + size_of::<LineRecord>() * chunk.records.len()
    }

    fn has_done_much(&self) -> bool {
        self.bytes >= MUCH
    }
}

/// Takes the lines of a file.
struct LineReceiver<'l> {
    shared: &'l SharedSearch,
    chunk: &'l mut ResultChunk,
    binary: &'l Cell<Option<bool>>,
    current: &'l mut CurrentFile,
    /// True if the lines' numbers are those of the file.
    numbered: bool,
}

impl Receiver for LineReceiver<'_> {
    fn line(&mut self, number: u64, line: &[u8]) -> Flow {
        let Self {
            shared,
            chunk,
            current,
            numbered,
            ..
        } = self;
        chunk.count += 1;
        if self.binary.get() == Some(true) {
            current.counted += 1;
            return Flow::GoOn;
        }
        let mut shown = line;
        if let Some(room) = shared.room {
            if chunk.text.len() > room || shared.full.load(Ordering::Relaxed) {
                return Flow::GoOn;
            }
            // Of a line that is too long no more than has room is looked at.
            shown = &line[..line.len().min(room.saturating_add(4))];
        }
        let text = &mut chunk.text;
        let start = text.len();
        if *numbered {
            if current.before.is_empty() {
                current.before = [b"\n", &*current.path, b":"].concat();
            }
            text.extend_from_slice(&current.before);
            text.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
            text.extend_from_slice(b": ");
        }
        let cut = line.len() - shown.len();
        text.extend_from_slice(shown);
        if shared.room.is_some() || !*numbered {
            chunk.records.push(LineRecord {
                end: text.len(),
                whole: text.len() - start + cut,
                number: if *numbered { 0 } else { number },
                lines: 1,
            });
        }
        if *numbered && text.len() >= ENOUGH_TEXT {
            return Flow::Pause;
        }
        Flow::GoOn
    }

    fn searched(&mut self, bytes: usize) -> Flow {
        self.chunk.bytes += bytes;
        if self.numbered && self.chunk.bytes >= ENOUGH_BYTES {
            return Flow::Pause;
        }
        Flow::GoOn
    }
}
