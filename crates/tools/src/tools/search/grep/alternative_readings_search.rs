//! One further pass over the files of a search, in which the pattern is read in other ways.
//!
//! The note names the first reading that matches. A pass that ran out of time does not know which
//! is first, and claims nothing.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::SearchTarget;
use crate::contract::call_terms::threads;
use iki_search::ere::{AlternativeReading, alternative_readings};
use iki_search::paths::EntryKind;
use iki_search::scan::{self, FileScanner, LineMatcher, LinkPolicy, ScanFlow};
use iki_search::walk::{PathVisitor, WalkEntry};

/// The timeout of a pass.
const PASS_TIMEOUT: Duration = Duration::from_millis(200);

/// A pass over the files of one search.
#[derive(Debug)]
pub struct AlternativeReadingsSearch {
    readings: Vec<AlternativeReading>,
    /// The number of the first reading that has matched so far.
    first: AtomicUsize,
    was_cut: AtomicBool,
    /// True if the pattern itself has found lines.
    has_found: bool,
    until: Instant,
}

impl AlternativeReadingsSearch {
    /// Prepares to read `pattern` in other ways. If it has found lines, they are too many, and only
    /// readings that may find fewer are tried.
    pub fn of(pattern: &str, has_found: bool, until: Option<Instant>) -> Self {
        let longest = Instant::now() + PASS_TIMEOUT;
        let mut readings = alternative_readings(pattern);
        readings.retain(|reading| !has_found || reading.narrows);
        Self {
            first: AtomicUsize::new(readings.len()),
            readings,
            was_cut: AtomicBool::new(false),
            has_found,
            until: until.map_or(longest, |until| until.min(longest)),
        }
    }

    /// Searches the files, and says how to write the pattern if another reading matches.
    pub(super) fn note(&self, path: &str, target: &SearchTarget) -> Option<String> {
        if self.readings.is_empty() {
            return None;
        }
        let walk = target.walk(path, Some(self.until)).ok()??;
        let visitor = || AlternativeReadingsVisitor {
            pass: self,
            links: target.links(),
            scanner: FileScanner::new(),
        };
        let go_on = |(): &mut ()| {
            if self.is_over() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        let (walked, _) = walk.visit(threads, visitor, go_on);
        let first = self.first.load(Ordering::Relaxed);
        let was_cut = walked.left_out.is_some() || self.was_cut.load(Ordering::Relaxed);
        if was_cut && first > 0 {
            return None;
        }
        self.readings
            .get(first)
            .map(|reading| self.sentence(reading))
    }

    fn sentence(&self, reading: &AlternativeReading) -> String {
        let group = if self.has_found {
            "`()` is an empty group, which matches anywhere. "
        } else {
            ""
        };
        let AlternativeReading { way, pattern, .. } = reading;
        let json = Value::from(&**pattern).to_string();
        let in_json = if json.len() > pattern.len() + 2 {
            format!(r#", in JSON "pattern":{json}"#)
        } else {
            String::new()
        };
        format!("{group}{way}, the pattern matches: send `{pattern}`{in_json}.")
    }

    /// True if the rest of the files cannot change the result.
    fn is_over(&self) -> bool {
        let is_late = Instant::now() >= self.until;
        self.was_cut.fetch_or(is_late, Ordering::Relaxed);
        is_late || self.first.load(Ordering::Relaxed) == 0
    }
}

/// One thread of the pass.
struct AlternativeReadingsVisitor<'p> {
    pass: &'p AlternativeReadingsSearch,
    links: LinkPolicy,
    scanner: FileScanner,
}

/// The readings, tried on window after window of a file.
impl LineMatcher for &AlternativeReadingsSearch {
    fn find(&self, window: &[u8], _from: usize) -> Option<usize> {
        let first = self.first.load(Ordering::Relaxed);
        let first = self.readings.iter().take(first).position(|reading| {
            let matches = reading.matches(window);
            self.was_cut.fetch_or(matches.is_none(), Ordering::Relaxed);
            matches == Some(true)
        });
        if let Some(first) = first {
            self.first.fetch_min(first, Ordering::Relaxed);
        }
        None
    }

    fn has_time(&self) -> bool {
        !self.is_over()
    }

    fn goes_on(&self, _window: &[u8]) -> bool {
        self.has_time()
    }
}

impl PathVisitor for AlternativeReadingsVisitor<'_> {
    type Output = ();
    type Rest = Infallible;
    const COST: usize = 8;

    fn visit(&mut self, found: &mut WalkEntry<'_>, (): &mut ()) -> Option<Infallible> {
        if !matches!(found.kind(), EntryKind::Regular | EntryKind::Unknown) || self.pass.is_over() {
            return None;
        }
        let opened = scan::regular(found.open(scan::flags(self.links)), self.links);
        if let Ok((file, size)) = opened {
            let mut scan = self.scanner.begin(file, size);
            // A file that cannot be read to its end has been counted by the search itself.
            let _ = scan.go_on(&self.pass, &mut |_: u64, _: &[u8]| ScanFlow::GoOn);
            self.scanner.take_back(scan);
        }
        None
    }

    fn is_enough(&self, (): &()) -> bool {
        self.pass.is_over()
    }

    fn size((): &()) -> usize {
        0
    }
}
