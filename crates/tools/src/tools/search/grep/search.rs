//! The search itself, as each thread does it: files in, lines out.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustix::io::Errno;

use super::chunk::{LargeFileFacts, LineRecord, ResultChunk, SearchedPiece};
use super::converted_text::ConvertedText;
use super::first_bytes::FileBeginning;
use super::line_form::{LineBeginning, LineForm, painted_path};
use super::line_receiver::LineReceiver;
use super::options::GrepOutput;
use super::shared_search::{DeadlineMatcher, SharedSearch};
use crate::contract::search_style::LineHead;
use iki_base::progress_counters;
use iki_base::unseen;
use iki_base::wording::count_noun;
use iki_search::ere::RegexMatcher;
use iki_search::left_out::LeftOutReason;
use iki_search::ordered_pool::OrderedJob;
use iki_search::paths::EntryKind;
use iki_search::scan::{
    self, ByteSource, FilePieces, FileScan, FileScanner, LARGE_FILE_BYTES, ScanError, ScanFlow,
};
use iki_search::walk::{PathVisitor, WalkEntry};

/// Number of bytes of lines that are handed on at once.
pub const CHUNK_TEXT_BYTES: usize = 256 << 10;
/// Number of bytes of files whose findings are handed on at once.
pub const CHUNK_FILE_BYTES: usize = 1 << 20;
/// Number of bytes of files to search before a second thread pays, and other readings of a pattern
/// that was not found.
const BYTES_PER_EXTRA_THREAD: usize = 4 << 20;

/// A file that is being searched.
#[derive(Default)]
pub struct CurrentFile {
    pub path: Vec<u8>,
    /// The number of matching lines so far.
    pub matching_lines: u64,
    /// The number of matching lines that are only counted, as those of a binary file are.
    pub counted: u64,
    /// The beginning of its lines.
    pub beginning: LineBeginning,
}

/// A file that was not searched to its end yet.
pub enum PendingScan {
    /// Its search goes on from where it stands; none, once it was taken.
    Paused(Option<Box<PausedScan>>),
    /// It is searched piece by piece.
    Pieces(FilePieces<LargeFileFacts>),
}

/// A file whose search has paused.
pub struct PausedScan {
    scan: FileScan<OwnedFd>,
    current: CurrentFile,
    beginning: Option<FileBeginning>,
}

impl OrderedJob for PendingScan {
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
    matcher: DeadlineMatcher<'s>,
    scanner: FileScanner,
    /// The path of the file that is being searched, and what else is used for each again.
    current: CurrentFile,
    /// The number of bytes that were searched.
    bytes: usize,
}

impl<'s> FileSearcher<'s> {
    pub fn new(shared: &'s SharedSearch, matcher: &RegexMatcher) -> Self {
        Self {
            shared,
            matcher: DeadlineMatcher::new(shared, matcher),
            scanner: FileScanner::new(),
            current: CurrentFile::default(),
            // Only the first thread begins before their number is known.
            bytes: match shared.threads.get() {
                Some(_) => BYTES_PER_EXTRA_THREAD,
                None => 0,
            },
        }
    }

    /// Searches one more file. One that cannot be read is passed over and counted.
    fn search_file(
        &mut self,
        entry: &mut WalkEntry<'_>,
        chunk: &mut ResultChunk,
    ) -> Option<PendingScan> {
        let mut path = std::mem::take(&mut self.current.path);
        path.clear();
        self.current = CurrentFile {
            path,
            ..CurrentFile::default()
        };
        for part in entry.parts() {
            self.current.path.extend_from_slice(part);
        }
        if self.shared.spells() && !self.current.path.is_ascii() {
            self.current.path = unseen::spelled_name(&self.current.path).into_owned();
        }
        progress_counters::add(&progress_counters::FILES, 1);
        let links = self.shared.links;
        let opened = match &self.shared.made {
            Some(made) => made.open(),
            None => scan::check_regular(entry.open(scan::open_flags(links)), links),
        };
        let opened = opened.and_then(|(file, size)| self.decode(file, size, chunk));
        let (mut file, size) = match opened {
            Ok(file) => file,
            Err(error) => {
                note_outcome(chunk, &self.current.path, Some(error));
                return None;
            }
        };
        let is_tried = self.has_done_much();
        if !is_tried {
            self.shared.untried_files.fetch_add(1, Ordering::Relaxed);
        } else if self.matcher.readings.is_none() {
            self.matcher.readings = self.shared.readings();
        }
        if size >= LARGE_FILE_BYTES && self.shared.takes_pieces() && self.shared.threads() > 1 {
            let known = |head: &[u8]| LargeFileFacts {
                path: self.current.path.clone(),
                beginning: self.beginning_of(head),
                is_tried,
            };
            match FilePieces::split_file(file, size, known) {
                Ok(pieces) => return Some(PendingScan::Pieces(pieces)),
                Err(whole) => file = whole,
            }
        }
        let unseen = (!self.shared.is_told()).then(FileBeginning::default);
        self.matcher.beginning.set(unseen);
        let scan = self.scanner.start(file, size);
        self.go_on(scan.with_context(self.shared.options.context), chunk)
    }

    /// Searches a stream to its end, which is called `name`; `take` is given the findings whenever
    /// they are all there are so far, and says if the search goes on.
    pub fn search_stream<S: ByteSource>(
        &mut self,
        name: &str,
        source: S,
        mut take: impl FnMut(&mut ResultChunk) -> io::Result<bool>,
    ) -> io::Result<()> {
        self.current.path = name.into();
        // It cannot be read again.
        self.matcher.readings = self.shared.readings();
        let unseen = (!self.shared.is_told()).then(FileBeginning::default);
        self.matcher.beginning.set(unseen);
        let scan = self.scanner.start(source, 0);
        let mut scan = scan.with_context(self.shared.options.context);
        let mut chunk = ResultChunk::default();
        loop {
            let paused = self.scan_on(&mut scan, &mut chunk);
            let beginning = self.matcher.beginning.get().unwrap_or_default();
            if !paused && beginning.is_document() {
                let passed_over = &mut chunk.done.passed_over;
                passed_over.add(LeftOutReason::Document, name.into(), false);
            }
            if !take(&mut chunk)? || !paused {
                return Ok(());
            }
        }
    }

    /// The file, or its text in UTF-8 where the pattern would not find it else.
    fn decode(
        &self,
        file: OwnedFd,
        size: usize,
        chunk: &mut ResultChunk,
    ) -> Result<(OwnedFd, usize), ScanError> {
        if !self.shared.decodes_other_encodings {
            return Ok((file, size));
        }
        match ConvertedText::of_other_encoding(&file, size) {
            Ok(Some(made)) => made.open(),
            Ok(None) => Ok((file, size)),
            Err(()) => {
                let path = self.current.path.clone();
                let passed_over = &mut chunk.done.passed_over;
                passed_over.add(LeftOutReason::UnknownEncoding, path, false);
                Ok((file, size))
            }
        }
    }

    fn beginning_of(&self, head: &[u8]) -> FileBeginning {
        if self.shared.is_told() {
            FileBeginning::inspect(head)
        } else {
            FileBeginning::default()
        }
    }

    /// Goes on with the current file.
    fn go_on(
        &mut self,
        mut scan: FileScan<OwnedFd>,
        chunk: &mut ResultChunk,
    ) -> Option<PendingScan> {
        if self.scan_on(&mut scan, chunk) {
            return Some(PendingScan::Paused(Some(Box::new(PausedScan {
                scan,
                current: std::mem::take(&mut self.current),
                beginning: self.matcher.beginning.get(),
            }))));
        }
        self.scanner.recycle(scan);
        None
    }

    /// Goes on with this scan of the current file: true if it has paused before the end.
    fn scan_on<S: ByteSource>(&mut self, scan: &mut FileScan<S>, chunk: &mut ResultChunk) -> bool {
        let before = chunk.bytes;
        let mut lines = LineReceiver {
            shared: self.shared,
            chunk,
            matcher: &self.matcher,
            current: &mut self.current,
            has_file_numbers: true,
        };
        let result = scan.run(&self.matcher, &mut lines);
        self.bytes += chunk.bytes - before;
        if result == Ok(ScanFlow::Pause) {
            return true;
        }
        let CurrentFile { path, counted, .. } = &self.current;
        note_beginning(chunk, self.matcher.beginning.get(), path, *counted > 0);
        if *counted > 0 {
            let start = chunk.text.len();
            let painted = self.shared.options.style.is_coloured;
            let lines = match self.shared.options.output {
                GrepOutput::Lines => {
                    chunk
                        .text
                        .extend(binary_matches(path, *counted, self.shared.options.form));
                    *counted
                }
                GrepOutput::Files => {
                    chunk.text.push(b'\n');
                    chunk.text.extend(painted_path(path, painted));
                    1
                }
                GrepOutput::Counts => {
                    chunk.text.push(b'\n');
                    if self.shared.options.style.head != LineHead::Number {
                        chunk.text.extend(painted_path(path, painted));
                        chunk.text.push(b':');
                    }
                    chunk
                        .text
                        .extend_from_slice(itoa::Buffer::new().format(*counted).as_bytes());
                    *counted
                }
            };
            chunk.records.push(LineRecord {
                end: chunk.text.len(),
                whole: chunk.text.len() - start,
                lines,
                ..LineRecord::default()
            });
        }
        if let Some(line) = scan.undecided() {
            chunk
                .done
                .undecided
                .get_or_insert_with(|| (path_text(path), line));
        }
        note_outcome(chunk, path, result.err());
        false
    }

    /// Searches a piece of a large file.
    fn search_piece(&mut self, piece: &FilePieces<LargeFileFacts>, chunk: &mut ResultChunk) {
        let known = &piece.file.known;
        self.matcher.beginning.set(Some(known.beginning));
        if piece.is_last() {
            note_beginning(chunk, Some(known.beginning), &known.path, false);
        }
        if piece.file.known.is_tried && self.matcher.readings.is_none() {
            self.matcher.readings = self.shared.readings();
        }
        let before = chunk.bytes;
        let (mut line_feeds, mut undecided) = (0, None);
        let failed = match piece.source() {
            Err(error) => Some(ScanError::Unreadable(error)),
            Ok(source) => {
                let mut scan = self.scanner.start(source, 0);
                if !piece.is_first() {
                    scan = scan.without_mark();
                }
                let mut lines = LineReceiver {
                    shared: self.shared,
                    chunk,
                    matcher: &self.matcher,
                    current: &mut self.current,
                    has_file_numbers: false,
                };
                let result = scan.run(&self.matcher, &mut lines);
                (line_feeds, undecided) = (scan.line_feeds(), scan.undecided());
                self.scanner.recycle(scan);
                result.err()
            }
        };
        if failed.is_some() {
            piece.give_up_rest();
        }
        self.bytes += chunk.bytes - before;
        chunk.piece = Some(SearchedPiece {
            file: Arc::clone(&piece.file),
            is_first: piece.is_first(),
            is_last: piece.is_last(),
            line_feeds,
            undecided,
            failed,
        });
    }
}

/// The line that stands for a binary file's matches, with the line feed before it.
pub fn binary_matches(path: &[u8], count: u64, form: LineForm) -> Vec<u8> {
    let before = form.before_file();
    let lines = count_noun(count, "line");
    format!("{before}binary file {} matches, {lines}", path_text(path)).into_bytes()
}

/// Returns a path as text.
pub fn path_text(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

/// Notes a file whose text the search may not have found, for what its beginning shows.
fn note_beginning(
    chunk: &mut ResultChunk,
    beginning: Option<FileBeginning>,
    path: &[u8],
    has_matched: bool,
) {
    let reason = beginning.and_then(|beginning| beginning.to_be_told(path, has_matched));
    if let Some(reason) = reason {
        chunk.done.passed_over.add(reason, path.to_vec(), false);
    }
}

/// Notes how the search of a file has ended.
pub fn note_outcome(chunk: &mut ResultChunk, path: &[u8], failed: Option<ScanError>) {
    match failed {
        Some(ScanError::OutOfTime(line)) => chunk.done.ended = Some((path_text(path), line)),
        Some(ScanError::LineTooLong) => {
            chunk.done.files += 1;
            chunk.done.not_to_the_end.push(path_text(path));
        }
        // It has been removed meanwhile.
        Some(ScanError::NotRegular | ScanError::Unreadable(Errno::NOENT)) => {}
        Some(ScanError::Unreadable(error)) => {
            chunk.done.unreadable += 1;
            chunk
                .done
                .first_unreadable
                .get_or_insert_with(|| (path_text(path), error));
        }
        None => chunk.done.files += 1,
    }
}

impl PathVisitor for FileSearcher<'_> {
    type Output = ResultChunk;
    type Rest = PendingScan;
    const COST: usize = 8;

    fn visit(&mut self, entry: &mut WalkEntry<'_>, chunk: &mut ResultChunk) -> Option<PendingScan> {
        match entry.kind() {
            EntryKind::Regular | EntryKind::Unknown => return self.search_file(entry, chunk),
            EntryKind::Directory => chunk.done.directories += 1,
            EntryKind::Symlink => {
                let path = entry.parts().concat();
                chunk
                    .done
                    .passed_over
                    .add(LeftOutReason::FoundLink, path, false);
            }
            EntryKind::Other => {}
        }
        None
    }

    fn resume(&mut self, scan: PendingScan, chunk: &mut ResultChunk) -> Option<PendingScan> {
        match scan {
            PendingScan::Paused(paused) => {
                let paused = *paused?;
                self.current = paused.current;
                self.matcher.beginning.set(paused.beginning);
                self.go_on(paused.scan, chunk)
            }
            PendingScan::Pieces(pieces) => {
                self.search_piece(&pieces, chunk);
                None
            }
        }
    }

    fn is_enough(&self, chunk: &ResultChunk) -> bool {
        chunk.text.len() >= CHUNK_TEXT_BYTES
            || chunk.bytes >= CHUNK_FILE_BYTES
            || chunk.done.ended.is_some()
            || chunk.piece.is_some()
    }

    fn size(chunk: &ResultChunk) -> usize {
        let text = chunk.text.len() + chunk.excerpts.len();
        text + size_of::<LineRecord>() * chunk.records.len()
    }

    fn has_done_much(&self) -> bool {
        self.bytes >= BYTES_PER_EXTRA_THREAD
    }
}
