//! How long a search may go on.

use std::time::{Duration, Instant};

/// A time that runs out.
pub struct Clock(Option<Instant>);

impl Clock {
    /// Runs out after `duration`.
    pub fn of(duration: Duration) -> Self {
        Self(Instant::now().checked_add(duration))
    }

    /// Never runs out.
    pub const fn endless() -> Self {
        Self(None)
    }

    /// Whether the time is over.
    pub fn is_out(&self) -> bool {
        self.0.is_some_and(|end| Instant::now() >= end)
    }
}
