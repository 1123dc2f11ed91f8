//! One further pass over the files of a search, in which the pattern is read in other ways.
//!
//! A search that has read much and found nothing tries them itself, while what it has read is in
//! memory, and leaves to the pass only the files before that.
//!
//! The note names the first reading that matches. Where the time of the pass was too short for all
//! files, it says in how many of them that is.

use std::cell::Cell;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;

use super::SearchTarget;
use super::converted_text::ConvertedText;
use crate::contract::call_terms::threads;
use crate::tools::search::name_search::NameSearch;
use iki_base::wording::count_noun;
use iki_search::ere::oddities::PatternOddity;
use iki_search::ere::{AlternativeReading, AlternativeReadings, RegexMatcher};
use iki_search::paths::EntryKind;
use iki_search::scan::{self, FileScanner, LineMatcher, LineSink, LinkPolicy, ScanError, ScanFlow};
use iki_search::walk::{PathVisitor, WalkEntry};

/// The time of a pass: as long as the search itself took, within these bounds. The first is that of
/// the processor, since a busy machine may take all of it away.
const MIN_PASS_TIME: Duration = Duration::from_millis(20);
const MAX_PASS_TIME: Duration = Duration::from_millis(200);

/// A pass over the files of one search.
#[derive(Debug)]
pub struct AlternativeReadingsSearch {
    readings: AlternativeReadings,
    /// The number of the first reading that has matched so far.
    first: AtomicUsize,
    /// The oddity of a pattern that has found lines itself.
    oddity: Option<PatternOddity>,
    /// The number of files at the beginning that it reads: all, unless the search has tried the
    /// readings on the others.
    files: u64,
    /// True if the search could not try them on all that it read.
    was_given_up: AtomicBool,
    began: Instant,
    /// The processor's time when it began.
    processor_began: Duration,
    /// The time from which on it ends if it had the processor for long enough, and the time after
    /// which it ends in any case.
    limits: (Duration, Duration),
}

/// The files that were read, one after the other.
#[derive(Debug, Default)]
struct ReadFiles {
    files: u64,
    bytes: u64,
    /// The number of the first reading that matches a line of them.
    first: Option<usize>,
    /// True if a file after them was not read for lack of time, or the last of them not to its end.
    was_cut: bool,
}

impl ReadFiles {
    /// Adds those that follow.
    fn append(&mut self, next: &Self) {
        self.files += next.files;
        self.bytes += next.bytes;
        self.first = self.first.into_iter().chain(next.first).min();
        self.was_cut |= next.was_cut;
    }
}

impl AlternativeReadingsSearch {
    /// Prepares to read `pattern` in other ways, if there are any, after a search that took so
    /// long; `None` is for a pattern with which nothing could be searched. If an odd pattern has
    /// found lines, they are too many, and only readings that may find fewer are tried.
    pub fn prepare(
        pattern: &str,
        oddity: Option<PatternOddity>,
        took: Option<Duration>,
        until: Option<Instant>,
    ) -> Option<Self> {
        let readings = AlternativeReadings::for_pattern(pattern, oddity.is_some())?;
        let pass = Self {
            first: AtomicUsize::new(readings.all().len()),
            readings,
            oddity,
            files: u64::MAX,
            was_given_up: AtomicBool::new(false),
            began: Instant::now(),
            processor_began: Duration::ZERO,
            limits: (MAX_PASS_TIME, MAX_PASS_TIME),
        };
        Some(pass.timed(took, until))
    }

    /// The pass over the first `files` after a search that has tried the readings on all others;
    /// `None` if it has not.
    pub fn into_remaining_pass(
        self,
        files: u64,
        took: Duration,
        until: Option<Instant>,
    ) -> Option<Self> {
        let was_given_up = self.was_given_up.load(Ordering::Relaxed);
        (!was_given_up).then(|| Self { files, ..self }.timed(Some(took), until))
    }

    /// Begins now.
    fn timed(self, took: Option<Duration>, until: Option<Instant>) -> Self {
        let began = Instant::now();
        let left = until.map(|until| until.saturating_duration_since(began));
        let duration = left.map_or(MAX_PASS_TIME, |left| left.min(MAX_PASS_TIME));
        let limit = took.unwrap_or(MAX_PASS_TIME).max(MIN_PASS_TIME);
        Self {
            began,
            processor_began: processor_time(),
            limits: (limit.min(duration), duration),
            ..self
        }
    }

    /// The readings, to be tried by one thread.
    pub fn matcher(&self) -> ReadingsMatcher<'_> {
        ReadingsMatcher {
            pass: self,
            any: self.readings.matcher().within(self.limits.1),
            first: Cell::new(None),
            began: Instant::now(),
            spent: Cell::new(Duration::ZERO),
        }
    }

    /// The times after which it ends.
    #[cfg(test)]
    pub fn limits(&self) -> (Duration, Duration) {
        self.limits
    }

    /// Searches the files, and says how to write the pattern if another reading matches.
    /// `made` is searched in place of the only file.
    pub(super) fn note(
        &self,
        names: &NameSearch,
        target: &SearchTarget,
        made: Option<&ConvertedText>,
    ) -> Option<String> {
        if let SearchTarget::StandardInput = target {
            let first = self.first.load(Ordering::Relaxed);
            let reading = self.readings.all().get(first)?;
            return Some(self.sentence(reading, &ReadFiles::default()));
        }
        let walk = target
            .walk(names, Some(self.began + self.limits.1))
            .ok()??;
        let visitor = || ReadingsVisitor {
            matcher: self.matcher(),
            left: self.files,
            links: target.links(),
            made,
            scanner: FileScanner::new(),
        };
        let mut read = ReadFiles::default();
        let go_on = |next: &mut ReadFiles| {
            read.append(&std::mem::take(next));
            let is_read = read.was_cut || read.files >= self.files;
            if is_read || self.first.load(Ordering::Relaxed) == 0 {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        // The first files are those of one thread.
        let is_part = self.files < u64::MAX;
        let threads = || if is_part { 1 } else { threads() };
        let (walked, _) = walk.visit(threads, visitor, go_on);
        read.was_cut |= walked.left_out.is_some();
        // No other reading comes before the first one, wherever that matches.
        let first = self.first.load(Ordering::Relaxed);
        if first == 0 || !read.was_cut {
            read.first = Some(first);
            read.was_cut = false;
        }
        let reading = self.readings.all().get(read.first?)?;
        Some(self.sentence(reading, &read))
    }

    fn sentence(&self, reading: &AlternativeReading, read: &ReadFiles) -> String {
        let odd = self
            .oddity
            .map_or(String::new(), |oddity| format!("{} ", oddity.sentence()));
        let part = match read {
            ReadFiles { was_cut: false, .. } => String::new(),
            ReadFiles { files: 1, .. } => {
                format!(" in the first {}", count_noun(read.bytes, "byte"))
            }
            ReadFiles { files, .. } => format!(" in the first {}", count_noun(*files, "file")),
        };
        let AlternativeReading { way, pattern, .. } = reading;
        let send = if reading.ignores_case {
            "send \"ignore_case\":true".to_owned()
        } else {
            send(pattern)
        };
        format!("{odd}{way}, the pattern matches{part}: {send}.")
    }

    /// True if the rest of the files is not to be read, or cannot change the result.
    fn is_over(&self) -> bool {
        let (limit, max_duration) = self.limits;
        let elapsed = self.began.elapsed();
        let has_had_its_time =
            || processor_time().saturating_sub(self.processor_began) >= MIN_PASS_TIME;
        self.first.load(Ordering::Relaxed) == 0
            || elapsed >= max_duration
            || (elapsed >= limit && has_had_its_time())
    }
}

/// The request to send for this pattern: "send `a\\|b`, in JSON …".
pub fn send(pattern: &str) -> String {
    let json = Value::from(pattern).to_string();
    let is_escaped = json.len() > pattern.len() + 2;
    let in_json = is_escaped.then(|| format!(r#", in JSON "pattern":{json}"#));
    format!("send `{pattern}`{}", in_json.unwrap_or_default())
}

/// Returns the processor's time that this process has taken.
fn processor_time() -> Duration {
    clock_gettime(ClockId::ProcessCPUTime)
        .try_into()
        .unwrap_or_default()
}

/// The readings, tried on window after window.
pub struct ReadingsMatcher<'p> {
    pass: &'p AlternativeReadingsSearch,
    /// Finds the lines that one of the readings may match.
    any: RegexMatcher,
    /// The number of the first reading that matches in this file.
    first: Cell<Option<usize>>,
    began: Instant,
    /// The time that was taken from a search.
    spent: Cell<Duration>,
}

impl ReadingsMatcher<'_> {
    /// Tries the readings on lines that a search has just read in vain, unless they would take
    /// longer than the search.
    pub fn try_beside_search(&self, lines: &[u8]) {
        let began = Instant::now();
        let limit = (began - self.began) / 2;
        let was_given_up = &self.pass.was_given_up;
        if self.spent.get() > limit.clamp(MIN_PASS_TIME, MAX_PASS_TIME)
            || self.any.stopped_at().is_some()
        {
            was_given_up.store(true, Ordering::Relaxed);
        }
        if !was_given_up.load(Ordering::Relaxed) && self.pass.first.load(Ordering::Relaxed) > 0 {
            self.find_line(lines, 0);
            self.spent.set(self.spent.get() + began.elapsed());
        }
    }
}

impl LineMatcher for ReadingsMatcher<'_> {
    fn find_line(&self, window: &[u8], _from: usize) -> Option<usize> {
        let AlternativeReadingsSearch {
            readings, first, ..
        } = self.pass;
        let end = first.load(Ordering::Relaxed);
        if let Some(reading_index) = readings.first_in(&self.any, window, end) {
            first.fetch_min(reading_index, Ordering::Relaxed);
            self.first.set(Some(reading_index));
        }
        None
    }

    fn has_time(&self) -> bool {
        !self.pass.is_over()
    }

    fn has_time_for(&self, _window: &[u8]) -> bool {
        self.has_time()
    }
}

impl LineSink for ReadFiles {
    fn line(&mut self, _number: u64, _line: &[u8]) -> ScanFlow {
        ScanFlow::Continue
    }

    fn count_bytes(&mut self, bytes: usize) -> ScanFlow {
        self.bytes += bytes as u64;
        ScanFlow::Continue
    }
}

/// One thread of the pass.
struct ReadingsVisitor<'p> {
    matcher: ReadingsMatcher<'p>,
    /// The number of files that are still to be read.
    left: u64,
    links: LinkPolicy,
    made: Option<&'p ConvertedText>,
    scanner: FileScanner,
}

impl PathVisitor for ReadingsVisitor<'_> {
    type Output = ReadFiles;
    type Rest = Infallible;
    const COST: usize = 8;

    fn visit(&mut self, entry: &mut WalkEntry<'_>, read: &mut ReadFiles) -> Option<Infallible> {
        let is_file = matches!(entry.kind(), EntryKind::Regular | EntryKind::Unknown);
        if self.left == 0 || !is_file {
            return None;
        }
        if self.matcher.pass.is_over() {
            read.was_cut = true;
            return None;
        }
        let opened = match self.made {
            Some(made) => made.open(),
            None => scan::check_regular(entry.open(scan::open_flags(self.links)), self.links),
        };
        if let Ok((file, size)) = opened {
            self.left -= 1;
            let mut scan = self.scanner.start(file, size);
            // A file that cannot be read to its end has been counted by the search itself.
            let result = scan.run(&self.matcher, read);
            self.scanner.recycle(scan);
            let first = self.matcher.first.take();
            read.append(&ReadFiles {
                files: 1,
                bytes: 0,
                first,
                was_cut: matches!(result, Err(ScanError::OutOfTime(_))),
            });
        }
        None
    }

    fn is_enough(&self, read: &ReadFiles) -> bool {
        read.was_cut || self.left == 0
    }

    fn size(_: &ReadFiles) -> usize {
        0
    }

    fn has_done_much(&self) -> bool {
        // The search has shown how much there is.
        true
    }
}
