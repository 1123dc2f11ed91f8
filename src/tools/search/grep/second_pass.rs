//! One further pass over the files of a search, in which the pattern is read in other ways.
//!
//! The first reading that matches is named. A pass that was cut knows of no first one, and claims
//! nothing.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::SearchTarget;
use crate::contract::call_terms::threads;
use crate::search::ere::{AlternativeReading, alternative_readings};
use crate::search::paths::EntryKind;
use crate::search::scan::{self, FileScanner, LineMatcher, LinkPolicy, ScanFlow};
use crate::search::walk::{PathVisitor, WalkEntry};

/// The longest time of a pass.
const LONGEST_PASS: Duration = Duration::from_millis(200);

/// A pass over the files of one search.
#[derive(Debug)]
pub struct SecondPass {
    readings: Vec<AlternativeReading>,
    /// The number of the first reading that has matched so far.
    first: AtomicUsize,
    was_cut: AtomicBool,
    /// True if the pattern itself has found lines.
    has_found: bool,
    until: Instant,
}

impl SecondPass {
    /// Prepares to read `pattern` in other ways. Where it has found lines, they are too many: only
    /// ways in which it would find fewer are of use.
    pub fn of(pattern: &str, has_found: bool, until: Option<Instant>) -> Self {
        let longest = Instant::now() + LONGEST_PASS;
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

    /// Goes over the files, and says how to write the pattern if it matches in another way.
    pub fn note(&self, path: &str, target: &SearchTarget) -> Option<String> {
        if self.readings.is_empty() {
            return None;
        }
        let walk = target.walk(path, Some(self.until)).ok()??;
        let visitor = || ReadingVisitor {
            pass: self,
            readings: self
                .readings
                .iter()
                .map(AlternativeReading::another)
                .collect(),
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
        format!("{group}{way} the pattern does match: send `{pattern}`{in_json}.")
    }

    /// True if nothing more is to be learned.
    fn is_over(&self) -> bool {
        let is_late = Instant::now() >= self.until;
        self.was_cut.fetch_or(is_late, Ordering::Relaxed);
        is_late || self.first.load(Ordering::Relaxed) == 0
    }
}

/// One thread of the pass.
struct ReadingVisitor<'p> {
    pass: &'p SecondPass,
    readings: Vec<AlternativeReading>,
    links: LinkPolicy,
    scanner: FileScanner,
}

/// The readings, tried on window after window of a file.
struct ReadingMatcher<'p>(&'p SecondPass, &'p [AlternativeReading]);

impl LineMatcher for ReadingMatcher<'_> {
    fn find(&self, window: &[u8], _from: usize) -> Option<usize> {
        let Self(pass, readings) = self;
        let first = pass.first.load(Ordering::Relaxed);
        let first = readings.iter().take(first).position(|reading| {
            let matches = reading.matches(window);
            pass.was_cut.fetch_or(matches.is_none(), Ordering::Relaxed);
            matches == Some(true)
        });
        if let Some(first) = first {
            pass.first.fetch_min(first, Ordering::Relaxed);
        }
        None
    }

    fn has_time(&self) -> bool {
        !self.0.is_over()
    }

    fn goes_on(&self, _window: &[u8]) -> bool {
        self.has_time()
    }
}

impl PathVisitor for ReadingVisitor<'_> {
    type Output = ();
    type Rest = Infallible;
    const COST: usize = 8;

    fn visit(&mut self, found: &mut WalkEntry<'_>, (): &mut ()) -> Option<Infallible> {
        if !matches!(found.kind(), EntryKind::Regular | EntryKind::Unknown) || self.pass.is_over() {
            return None;
        }
        let opened = scan::regular(found.open(scan::flags(self.links)), self.links);
        if let Ok((file, size)) = opened {
            let matcher = ReadingMatcher(self.pass, &self.readings);
            let mut scan = self.scanner.begin(file, size);
            // A file that cannot be read to its end has been counted by the search itself.
            let _ = scan.go_on(&matcher, &mut |_: u64, _: &[u8]| ScanFlow::GoOn);
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
