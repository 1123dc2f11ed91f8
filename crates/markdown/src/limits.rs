//! The limits of conversions, and their deadlines.

use std::time::Instant;

/// Maximum length of a file that callers read for a conversion, in bytes; readers take whatever
/// they are given.
pub const MAX_FILE: usize = 50 << 20;

/// Limits of a file's conversion.
#[derive(Clone, Copy, Debug)]
pub struct FileLimits {
    /// Deadline; parts that were not read by then are left out.
    pub end: Option<Instant>,
    /// Maximum size of one part of a file once it is decompressed, in bytes; 64 MiB by default.
    pub part: usize,
}

impl Default for FileLimits {
    fn default() -> Self {
        Self {
            end: None,
            part: 64 << 20,
        }
    }
}

/// The deadline for reading: three quarters of the time until `end`, so that writing has the rest.
#[must_use]
pub fn reading_end(end: Option<Instant>) -> Option<Instant> {
    let now = Instant::now();
    end.map(|end| now + end.saturating_duration_since(now) * 3 / 4)
}

/// Number of steps between two looks at the clock.
pub const STEPS_PER_CHECK: u32 = 1024;

/// True once the deadline has passed.
#[must_use]
pub fn is_past(end: Option<Instant>) -> bool {
    end.is_some_and(|end| Instant::now() >= end)
}

/// The deadline of a loop of many short steps.
#[derive(Clone, Copy, Default)]
pub struct StepClock {
    end: Option<Instant>,
    steps: u32,
}

impl StepClock {
    /// A clock that has not been looked at, for a loop that is to end by `end`.
    #[must_use]
    pub fn new(end: Option<Instant>) -> Self {
        Self { end, steps: 0 }
    }

    /// Counts a step; true if the clock is looked at and the deadline has passed.
    pub fn is_past(&mut self) -> bool {
        self.steps = self.steps.wrapping_add(1);
        self.steps.is_multiple_of(STEPS_PER_CHECK) && is_past(self.end)
    }
}
