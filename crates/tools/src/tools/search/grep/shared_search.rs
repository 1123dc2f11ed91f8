//! The settings and state that the threads of one search share.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::alternative_readings_search::{AlternativeReadingsSearch, ReadingsMatcher};
use super::line_form::{MATCH_COLOUR, paint, spell_escapes};
use super::options::{GrepOptions, GrepOutput};
use crate::contract::call_terms::{Audience, threads};
use crate::contract::search_style::BinaryFiles;
use iki_search::ere::MatchExtents;
use iki_search::scan::{ContextLines, LinkPolicy};

/// The settings and state that the threads of one search share.
#[derive(Debug)]
pub struct SharedSearch {
    /// The time at which the call ends.
    pub until: Option<Instant>,
    /// Maximum number of bytes of text that are shown, if there is a limit.
    pub room: Option<usize>,
    /// True if matches in binary files are counted and not shown.
    pub binary_counted: bool,
    /// The extents of matches, for colouring them.
    extents: Option<Arc<MatchExtents>>,
    /// The treatment of files that are symbolic links.
    pub links: LinkPolicy,
    /// True if unseen characters are spelled in names.
    pub spelled: bool,
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
        let is_named = options.style.binary != BinaryFiles::Shown;
        Self {
            until,
            room,
            binary_counted: reader == Audience::Model || (reader == Audience::Person && is_named),
            extents,
            links,
            spelled: reader != Audience::Person,
            options,
            full: AtomicBool::new(false),
            pattern: pattern.to_owned(),
            has_found: AtomicBool::new(false),
            readings: OnceLock::new(),
            untried_files: AtomicU64::new(0),
            threads: OnceLock::new(),
        }
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
        let mut shown = 0;
        for found in extents.map_or_else(Vec::new, |extents| extents.of(line)) {
            spell_escapes(text, &line[shown..found.start]);
            paint(text, &line[found.clone()], MATCH_COLOUR, true);
            shown = found.end;
        }
        spell_escapes(text, &line[shown..]);
    }

    /// Returns the pattern's other readings for a thread, as long as nothing was found.
    pub fn readings(&self) -> Option<ReadingsMatcher<'_>> {
        if self.has_found.load(Ordering::Relaxed) {
            return None;
        }
        let readings = || AlternativeReadingsSearch::of(&self.pattern, false, None, self.until);
        let readings = self.readings.get_or_init(readings).as_ref();
        readings.map(AlternativeReadingsSearch::matcher)
    }

    /// The pass over the files at the beginning, if the readings were tried on all others.
    pub fn rest_of_readings(self, took: Duration) -> Option<AlternativeReadingsSearch> {
        let readings = self.readings.into_inner().flatten()?;
        let untried = self.untried_files.into_inner();
        let rest = readings.rest(untried, took, self.until);
        rest.filter(|_| !self.has_found.into_inner())
    }

    /// Returns the most threads that there may be.
    pub fn threads(&self) -> usize {
        *self.threads.get_or_init(threads)
    }
}
