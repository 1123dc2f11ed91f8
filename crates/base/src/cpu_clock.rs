//! Processor time of the running thread, by which tests bound what a hostile input costs: other
//! work on the machine does not add to it.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// A moment on the clock of this thread's processor time.
pub struct CpuInstant(Duration);

impl CpuInstant {
    /// The present moment.
    #[must_use]
    pub fn now() -> Self {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        // No thread has used less than nothing.
        Self(Duration::try_from(now).unwrap_or_default())
    }

    /// Returns the processor time that this thread has used since.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        Self::now().0.saturating_sub(self.0)
    }
}
