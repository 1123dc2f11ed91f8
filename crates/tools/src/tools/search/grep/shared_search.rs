//! The settings and state that the threads of one search share, and the matcher of each.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::alternative_readings_search::{AlternativeReadingsSearch, ReadingsMatcher};
use super::converted_text::ConvertedText;
use super::first_bytes::FileBeginning;
use super::line_form::{MATCH_COLOUR, paint, spell_escapes};
use super::options::{GrepOptions, GrepOutput};
use crate::contract::call_terms::{Audience, threads};
use crate::contract::search_style::BinaryFiles;
use iki_search::ere::{MatchExtents, RegexMatcher, before_carriage_return, reaches_beyond_ascii};
use iki_search::scan::{ContextLines, LineMatcher, LinkPolicy};

/// Maximum number of lines in a window that are asked for their CRLF.
const MAX_CRLF_LINES: usize = 100;

/// The settings and state that the threads of one search share.
#[derive(Debug)]
pub struct SharedSearch {
    /// The time at which the call ends.
    pub until: Option<Instant>,
    /// Maximum number of bytes of text that are shown, if there is a limit.
    pub room: Option<usize>,
    reader: Audience,
    /// True if files in other encodings are decoded: only then does the pattern find their text.
    pub decodes_other_encodings: bool,
    /// The text that is searched in place of the only file's bytes.
    pub made: Option<ConvertedText>,
    /// The pattern for lines that end in CRLF, if it asks for the ends of lines.
    pub crlf: Option<RegexMatcher>,
    /// True if such a line was seen that the pattern itself does not match.
    misses_crlf: AtomicBool,
    /// The extents of matches, for colouring them.
    extents: Option<Arc<MatchExtents>>,
    /// The treatment of files that are symbolic links.
    pub links: LinkPolicy,
    pub options: GrepOptions,
    /// True if nothing more is shown: further lines are only counted.
    pub full: AtomicBool,
    pattern: String,
    /// True once a line was found.
    pub has_found: AtomicBool,
    /// The pattern's other readings, once they are tried along with it.
    readings: OnceLock<Option<AlternativeReadingsSearch>>,
    /// The number of files, the first ones, that were opened before that.
    pub untried_files: AtomicU64,
    /// Maximum number of threads, once it was determined.
    pub threads: OnceLock<usize>,
}

impl SharedSearch {
    pub fn new(
        pattern: &str,
        until: Option<Instant>,
        room: Option<usize>,
        reader: Audience,
        links: LinkPolicy,
        options: GrepOptions,
        extents: Option<Arc<MatchExtents>>,
    ) -> Self {
        Self {
            until,
            room,
            reader,
            decodes_other_encodings: reader != Audience::Host && reaches_beyond_ascii(pattern),
            made: None,
            crlf: None,
            misses_crlf: AtomicBool::new(false),
            extents,
            links,
            options,
            full: AtomicBool::new(false),
            pattern: pattern.to_owned(),
            has_found: AtomicBool::new(false),
            readings: OnceLock::new(),
            untried_files: AtomicU64::new(0),
            threads: OnceLock::new(),
        }
    }

    /// True if matches in binary files are counted and not shown.
    pub fn counts_binary(&self) -> bool {
        match self.reader {
            Audience::Host | Audience::Program => false,
            Audience::Model => true,
            Audience::Person => self.options.style.binary != BinaryFiles::Shown,
        }
    }

    /// True if it is told what a search of bytes does not find.
    pub fn is_told(&self) -> bool {
        self.reader != Audience::Host
    }

    /// True if unseen characters are spelled in names.
    pub fn spells(&self) -> bool {
        self.reader != Audience::Person
    }

    /// Also looks for lines that `written`, the pattern as it is compiled, would match without
    /// their CRLF.
    pub fn look_for_crlf(&mut self, written: &str) {
        let crlf = before_carriage_return(written, r"\r");
        self.crlf = crlf.and_then(|crlf| RegexMatcher::compile(&crlf).ok());
    }

    /// True if lines are written one by one, because not all of them may be shown.
    pub fn is_limited(&self) -> bool {
        self.room.is_some() || self.options.limit.is_some()
    }

    /// True if a file's text is the lines found in it and no others, so that it may be searched in
    /// pieces.
    pub fn takes_pieces(&self) -> bool {
        let GrepOptions {
            output, context, ..
        } = self.options;
        output == GrepOutput::Lines
            && context == ContextLines::default()
            && self.options.style.max_per_file.is_none()
    }

    /// Writes `line` with its matches coloured, if it `is_match`.
    pub fn paint_matches(&self, text: &mut Vec<u8>, line: &[u8], is_match: bool) {
        let extents = self.extents.as_ref().filter(|_| is_match);
        let mut painted_to = 0;
        for span in extents.map_or_else(Vec::new, |extents| extents.find_all(line)) {
            spell_escapes(text, &line[painted_to..span.start]);
            paint(text, &line[span.clone()], MATCH_COLOUR, true);
            painted_to = span.end;
        }
        spell_escapes(text, &line[painted_to..]);
    }

    /// Returns the pattern's other readings for a thread, as long as nothing was found.
    pub fn readings(&self) -> Option<ReadingsMatcher<'_>> {
        if self.has_found.load(Ordering::Relaxed) {
            return None;
        }
        let readings = || AlternativeReadingsSearch::prepare(&self.pattern, None, None, self.until);
        let readings = self.readings.get_or_init(readings).as_ref();
        readings.map(AlternativeReadingsSearch::matcher)
    }

    /// The pass over the files at the beginning, if the readings were tried on all others.
    pub fn rest_of_readings(self, took: Duration) -> Option<AlternativeReadingsSearch> {
        let readings = self.readings.into_inner().flatten()?;
        let untried = self.untried_files.into_inner();
        let remaining_pass = readings.into_remaining_pass(untried, took, self.until);
        remaining_pass.filter(|_| !self.has_found.into_inner())
    }

    /// True if a line that ends in CRLF was seen that the pattern does not match for that alone.
    pub fn misses_crlf(&self) -> bool {
        self.misses_crlf.load(Ordering::Relaxed)
    }

    /// Returns the most threads that there may be.
    pub fn threads(&self) -> usize {
        *self.threads.get_or_init(threads)
    }
}

/// A matcher that ends a search with the time of the call, and looks at the beginning of a file.
pub struct DeadlineMatcher<'s> {
    pub matcher: RegexMatcher,
    shared: &'s SharedSearch,
    /// The pattern's other readings, once this thread tries them.
    pub readings: Option<ReadingsMatcher<'s>>,
    /// The pattern for lines that end in CRLF.
    crlf: Option<RegexMatcher>,
    /// The facts that the file's beginning shows, once it has been seen.
    pub beginning: Cell<Option<FileBeginning>>,
}

impl<'s> DeadlineMatcher<'s> {
    /// A matcher for one thread.
    pub fn new(shared: &'s SharedSearch, matcher: &RegexMatcher) -> Self {
        Self {
            matcher: matcher.another(),
            shared,
            readings: None,
            crlf: shared.crlf.as_ref().map(RegexMatcher::another),
            beginning: Cell::new(None),
        }
    }

    /// True if lines of the file are counted and not shown.
    pub fn is_counted(&self) -> bool {
        let is_binary = |beginning: FileBeginning| beginning.is_binary;
        self.shared.counts_binary() && self.beginning.get().is_some_and(is_binary)
    }

    /// Notes if the window has a line that ends in CRLF, which only for that does not match.
    fn look_for_crlf(&self, window: &[u8]) {
        let Some(crlf) = &self.crlf else {
            return;
        };
        if self.shared.misses_crlf()
            || memchr::memchr(b'\r', window).is_none()
            || crlf.matches_quickly(window) != Some(true)
        {
            return;
        }
        let mut from = 0;
        for _ in 0..MAX_CRLF_LINES {
            let Some(offset) = crlf.find_line(window, from) else {
                return;
            };
            let start =
                memchr::memrchr(b'\n', &window[from..offset]).map_or(from, |lf| from + lf + 1);
            let end =
                memchr::memchr(b'\n', &window[offset..]).map_or(window.len(), |lf| offset + lf);
            if self.matcher.matches_quickly(&window[start..end]) == Some(false) {
                self.shared.misses_crlf.store(true, Ordering::Relaxed);
                return;
            }
            from = end + 1;
        }
    }
}

impl LineMatcher for DeadlineMatcher<'_> {
    fn find_line(&self, window: &[u8], from: usize) -> Option<usize> {
        let match_offset = self.matcher.find_line(window, from);
        let has_found = &self.shared.has_found;
        if !has_found.load(Ordering::Relaxed) {
            if match_offset.is_some() {
                has_found.store(true, Ordering::Relaxed);
            } else if let Some(readings) = &self.readings {
                readings.try_beside_search(&window[from..]);
            }
        }
        match_offset
    }

    fn has_time_for(&self, window: &[u8]) -> bool {
        if self.beginning.get().is_none() {
            self.beginning.set(Some(FileBeginning::inspect(window)));
        }
        self.look_for_crlf(window);
        self.has_time() && self.matcher.has_time_for(window)
    }

    fn has_time(&self) -> bool {
        self.shared.until.is_none_or(|until| Instant::now() < until)
    }

    fn stopped_at(&self) -> Option<usize> {
        self.matcher.stopped_at()
    }

    fn take_undecided(&self) -> Vec<usize> {
        self.matcher.take_undecided()
    }
}
