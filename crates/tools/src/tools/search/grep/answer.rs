//! The answer of a search, put together in order from what its threads have found.

use std::io::{self, Write};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rustix::io::Errno;

use super::chunk::{LineRecord, ResultChunk, SearchedPiece};
use super::line_form::LineBeginning;
use super::options::{GrepOptions, GrepOutput};
use super::search::{binary_matches, note_outcome, path_text};
use super::shared_search::SharedSearch;
use crate::contract::reply::{AnswerObject, Text};
use iki_search::left_out::LeftOutNames;
use iki_search::paths::WalkOutcome;
use iki_search::walk::GlobError;

/// The time between two sendings to the reader.
const SEND_INTERVAL: Duration = Duration::from_millis(20);
/// The bytes of a large file's text that are put together at once.
const TEXT_CHUNK_BYTES: usize = 32 << 10;

/// An answer that is being written.
pub struct GrepAnswer<'a, 'o> {
    shared: &'a SharedSearch,
    output: Text<'o>,
    /// The line that was written last.
    last: LastLine,
    /// True if the answer is shown as it comes.
    is_shown: bool,
    /// The time since which something waits to be sent.
    waits: Option<Instant>,
    /// The large file of which pieces come.
    large: LargeFile,
    /// Lines held, each with its short form, until it is known if all fit.
    held: Vec<(Vec<u8>, Option<Vec<u8>>, LineRecord)>,
    /// The room that the held lines take.
    held_cost: usize,
    /// True if long lines are shown in their short forms.
    shortens_lines: bool,
    /// The number of results that were shown or held.
    results: u64,
    /// The number of lines that may still follow the last result.
    behind: usize,
    done: SearchOutcome,
}

/// The line of an answer that was written last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LastLine {
    /// No line was written.
    None,
    /// Its line feed comes with the next line.
    Open,
    /// Its line feed was written with it, because the next line may be long in coming.
    Ended,
}

/// A large file of which not all pieces have come.
#[derive(Default)]
struct LargeFile {
    /// The number of lines in the pieces before.
    lines: u64,
    /// The beginning of its lines.
    begun: LineBeginning,
    /// The number of matching lines that were counted and not shown.
    counted: u64,
    /// True if the rest of it is not needed.
    failed: bool,
}

/// The result of a search.
#[derive(Debug, Default)]
pub struct SearchOutcome {
    /// The number of lines that match.
    pub count: u64,
    /// The number of results: these lines, or the files that have them.
    pub results: u64,
    /// True if there is a limit to the results that are shown.
    pub is_limited: bool,
    /// The number of those that are shown whole then.
    pub shown_count: u64,
    /// The length of the answer's first line in bytes, if it is not shown whole.
    pub first: Option<usize>,
    /// The number of files that were searched, to the end or not.
    pub files: u64,
    /// The number of files that could not be read.
    pub unreadable: u64,
    /// The first of them, and the reason.
    pub first_unreadable: Option<(String, Errno)>,
    /// Files with a line that is too long.
    pub not_to_the_end: Vec<String>,
    /// The first line that could not be decided.
    pub undecided: Option<(String, u64)>,
    /// The first line that was not searched for lack of time.
    pub ended: Option<(String, u64)>,
    /// True if it ended because the call's time was over, whatever the pattern costs.
    pub is_out_of_time: bool,
    /// The number of directories among the names.
    pub directories: u64,
    /// Files and links that were not searched, or not as what they are.
    pub passed_over: LeftOutNames,
}

impl SearchOutcome {
    /// True if all was opened, listed and read that the search was to look at.
    pub fn is_whole(&self, walked: &Result<WalkOutcome, GlobError>) -> bool {
        let is_searched = self.unreadable == 0
            && self.not_to_the_end.is_empty()
            && self.undecided.is_none()
            && self.ended.is_none();
        let is_listed =
            |walked: &WalkOutcome| walked.unlisted.first.is_none() && walked.left_out.is_none();
        is_searched && walked.as_ref().is_ok_and(is_listed)
    }
}

impl SearchOutcome {
    /// Adds what was found next.
    fn add(&mut self, mut next: Self) {
        self.count += next.count;
        self.files += next.files;
        self.unreadable += next.unreadable;
        self.first_unreadable = self.first_unreadable.take().or(next.first_unreadable);
        self.not_to_the_end.extend(next.not_to_the_end);
        self.undecided = self.undecided.take().or(next.undecided);
        self.ended = self.ended.take().or(next.ended);
        self.directories += next.directories;
        self.passed_over.append(&mut next.passed_over);
    }
}

impl<'a, 'o> GrepAnswer<'a, 'o> {
    /// Begins an answer whose lines are the field `output` of `object`.
    pub fn new(shared: &'a SharedSearch, object: &'o mut AnswerObject<'_>) -> io::Result<Self> {
        let is_shown = object.is_shown();
        Ok(Self {
            shared,
            output: object.text("output")?,
            last: LastLine::None,
            is_shown,
            waits: None,
            large: LargeFile::default(),
            held: Vec::new(),
            held_cost: 0,
            shortens_lines: false,
            results: 0,
            behind: 0,
            done: SearchOutcome {
                is_limited: shared.is_limited(),
                ..SearchOutcome::default()
            },
        })
    }

    /// Ends the answer's text.
    pub fn finish(mut self) -> io::Result<SearchOutcome> {
        self.show_held()?;
        self.output.close()?;
        if self.shared.options.output != GrepOutput::Counts {
            self.done.results = self.done.count;
        }
        Ok(self.done)
    }

    /// Adds the next findings and empties them. True if the search goes on.
    pub fn add(&mut self, chunk: &mut ResultChunk) -> io::Result<bool> {
        match chunk.piece.take() {
            Some(piece) => self.add_piece(&piece, chunk)?,
            None => self.add_lines(chunk)?,
        }
        chunk.text.clear();
        chunk.excerpts.clear();
        chunk.shortest = 0;
        chunk.records.clear();
        chunk.bytes = 0;
        self.done.add(std::mem::take(&mut chunk.done));
        let over = |until| Instant::now() >= until;
        self.done.is_out_of_time = self.done.ended.is_some() && self.shared.until.is_some_and(over);
        self.send()?;
        Ok(self.done.ended.is_none())
    }

    /// Sends the text so far, unless that was done a moment ago.
    fn send(&mut self) -> io::Result<()> {
        if self.last != LastLine::None && self.shared.room.is_none() {
            let waits = *self.waits.get_or_insert_with(Instant::now);
            if waits.elapsed() >= SEND_INTERVAL {
                self.output.send()?;
                self.waits = Some(Instant::now());
            }
        }
        Ok(())
    }

    /// The number of lines that were found so far.
    pub fn matching_lines(&self) -> u64 {
        self.done.count
    }

    /// Shows everything so far, because the next may be long in coming.
    pub fn show_now(&mut self) -> io::Result<()> {
        if self.is_shown && self.last == LastLine::Open {
            self.output.write_all(b"\n")?;
            self.last = LastLine::Ended;
        }
        self.output.send()
    }

    /// Adds lines as they are to be written.
    fn add_lines(&mut self, chunk: &ResultChunk) -> io::Result<()> {
        if !self.shared.is_limited() {
            return self.write(&chunk.text);
        }
        let (mut start, mut excerpts) = (0, &*chunk.excerpts);
        for record in &chunk.records {
            let excerpt = take_excerpt(&mut excerpts, *record, chunk.excerpts.len());
            self.record(&chunk.text[start..record.end], *record, excerpt)?;
            start = record.end;
        }
        Ok(())
    }

    /// Adds lines of a large file, whose numbers are known now.
    fn add_piece(&mut self, piece: &SearchedPiece, chunk: &mut ResultChunk) -> io::Result<()> {
        if piece.is_first {
            self.large = LargeFile::default();
        }
        let known = &piece.file.known;
        if self.large.failed {
            *chunk = ResultChunk::default();
            return Ok(());
        }
        let GrepOptions { form, style, .. } = self.shared.options;
        let painted = style.is_coloured;
        let (mut text, mut start) = (Vec::with_capacity(TEXT_CHUNK_BYTES), 0);
        let mut excerpts = &*chunk.excerpts;
        for record in &chunk.records {
            let line = &chunk.text[start..record.end];
            start = record.end;
            let text_start = text.len();
            let number = self.large.lines + record.number;
            self.large
                .begun
                .begin_line((form, painted), &mut text, &known.path, (number, true));
            let whole = record.whole + text.len() - text_start;
            let excerpt = take_excerpt(&mut excerpts, *record, chunk.excerpts.len());
            let excerpt = excerpt.map(|excerpt| [&text[text_start..], excerpt].concat());
            text.extend_from_slice(line);
            if self.shared.is_limited() {
                self.record(&text, LineRecord { whole, ..*record }, excerpt.as_deref())?;
                text.clear();
            } else if text.len() >= TEXT_CHUNK_BYTES {
                self.write(&text)?;
                text.clear();
            }
        }
        self.write(&text)?;
        let undecided = piece.undecided;
        chunk.done.undecided =
            undecided.map(|line| (path_text(&known.path), self.large.lines + line));
        let failed = piece.failed.map(|failed| failed.shifted(self.large.lines));
        self.large.lines += piece.line_feeds;
        if self.shared.counts_binary() && known.beginning.is_binary {
            self.large.counted += chunk.done.count;
        }
        if piece.is_last || failed.is_some() {
            self.large.failed = true;
            note_outcome(chunk, &known.path, failed);
            if self.large.counted > 0 {
                let text = binary_matches(&known.path, self.large.counted, form);
                let record = LineRecord {
                    whole: text.len(),
                    lines: self.large.counted,
                    ..LineRecord::default()
                };
                if self.shared.is_limited() {
                    self.record(&text, record, None)?;
                } else {
                    self.write(&text)?;
                }
            }
        }
        Ok(())
    }

    /// Writes lines, each with a line feed before it.
    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        let text = text.get(self.lead()..).unwrap_or_default();
        if text.is_empty() {
            return Ok(());
        }
        self.last = LastLine::Open;
        self.output.write_all(text)
    }

    /// The length of the line feeds that are left out before the first line.
    fn lead(&self) -> usize {
        match self.shared.options {
            _ if self.last == LastLine::Ended => 1,
            _ if self.last == LastLine::Open => 0,
            GrepOptions {
                output: GrepOutput::Lines,
                form,
                ..
            } => form.before_file().len(),
            _ => 1,
        }
    }

    /// Takes one line with its short form, if it has one. From the first long line on, lines are
    /// held until it is known if all fit; if they do not, the short forms are shown.
    fn record(
        &mut self,
        text: &[u8],
        record: LineRecord,
        excerpt: Option<&[u8]>,
    ) -> io::Result<()> {
        self.done.results += u64::from(record.lines > 0);
        if self.output.is_full() || self.is_beyond_limit(record) {
            self.shared.full.store(true, Ordering::Relaxed);
            return Ok(());
        }
        if self.shortens_lines || (excerpt.is_none() && self.held.is_empty()) {
            return self.show(excerpt.unwrap_or(text), record);
        }
        self.held_cost += self.output.cost(text);
        self.held
            .push((text.to_vec(), excerpt.map(<[u8]>::to_vec), record));
        if self.output.room().is_some_and(|room| self.held_cost > room) {
            self.shortens_lines = true;
            self.show_held()?;
        }
        Ok(())
    }

    /// Shows the lines that were held.
    fn show_held(&mut self) -> io::Result<()> {
        for (text, excerpt, record) in std::mem::take(&mut self.held) {
            let excerpt = excerpt.filter(|_| self.shortens_lines);
            self.show(excerpt.as_ref().unwrap_or(&text), record)?;
        }
        Ok(())
    }

    /// True if the limit to results has been reached, and this line does not belong to the last.
    fn is_beyond_limit(&mut self, record: LineRecord) -> bool {
        let GrepOptions { limit, context, .. } = self.shared.options;
        if limit.is_none_or(|limit| self.results < limit) {
            if record.lines > 0 {
                self.results += 1;
                self.behind = context.after;
            }
            return false;
        }
        let belongs = record.lines == 0 && record.is_joined && self.behind > 0;
        self.behind = if belongs { self.behind - 1 } else { 0 };
        !belongs
    }

    /// Writes one line, if it fits.
    fn show(&mut self, text: &[u8], record: LineRecord) -> io::Result<()> {
        let skipped = self.lead();
        self.last = LastLine::Open;
        let whole = self
            .output
            .record(text.get(skipped..).unwrap_or_default())?;
        if whole {
            self.done.shown_count += match self.shared.options.output {
                GrepOutput::Counts => u64::from(record.lines > 0),
                GrepOutput::Lines | GrepOutput::Files => record.lines,
            };
        } else if self.done.shown_count == 0 {
            self.done.first = Some(record.whole - skipped);
        }
        if self.output.is_full() {
            self.shared.full.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// Takes the short form of a record from the beginning of `excerpts`, if it has one; `all` is the
/// length of all of them.
fn take_excerpt<'e>(excerpts: &mut &'e [u8], record: LineRecord, all: usize) -> Option<&'e [u8]> {
    let taken = all - excerpts.len();
    let length = record
        .excerpt
        .checked_sub(taken)
        .filter(|length| *length > 0)?;
    let (excerpt, remainder) = excerpts.split_at_checked(length)?;
    *excerpts = remainder;
    Some(excerpt)
}
