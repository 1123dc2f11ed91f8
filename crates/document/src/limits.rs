//! Deadlines of conversions.

use std::time::Instant;

/// Number of steps between two looks at the clock.
pub(crate) const STEPS_PER_CHECK: u32 = 1024;

/// True once the deadline has passed.
pub(crate) fn is_past(end: Option<Instant>) -> bool {
    end.is_some_and(|end| Instant::now() >= end)
}

/// The deadline of a loop of many short steps.
#[derive(Clone, Copy, Default)]
pub(crate) struct StepClock {
    end: Option<Instant>,
    steps: u32,
}

impl StepClock {
    pub(crate) fn new(end: Option<Instant>) -> Self {
        Self { end, steps: 0 }
    }

    /// Counts a step; true if the clock is looked at and the deadline has passed.
    pub(crate) fn is_past(&mut self) -> bool {
        self.steps = self.steps.wrapping_add(1);
        self.steps.is_multiple_of(STEPS_PER_CHECK) && is_past(self.end)
    }
}
