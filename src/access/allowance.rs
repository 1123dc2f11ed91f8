//! How many calls a holder may make: a second (GCRA, by `governor`), and at once.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many times as many requests as calls may be made: they cost little, and a client makes
/// several before its first call.
const OTHERS: u32 = 10;

/// How long to wait where nobody knows how long it takes, in seconds.
const A_WHILE: u64 = 1;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitKind {
    /// A tool's call.
    Call,
    /// Any other request.
    Other,
}

/// What one holder may do.
#[derive(Debug)]
pub struct RequestAllowance {
    calls: LimitLane,
    others: LimitLane,
}

/// Requests of one kind.
#[derive(Debug)]
struct LimitLane {
    clock: DefaultClock,
    rate: DefaultDirectRateLimiter,
    free: Arc<Semaphore>,
    a_second: NonZeroU32,
    at_once: NonZeroU32,
}

/// One request under way, until this is dropped.
#[derive(Debug)]
pub struct LimitPermit {
    _free: OwnedSemaphorePermit,
}

/// There were too many requests.
#[derive(Debug, PartialEq, Eq)]
pub struct LimitExceeded {
    /// After how many seconds to try again: one at least.
    pub seconds: u64,
    /// How many there may be, to be put behind a verb.
    pub bound: String,
}

impl RequestAllowance {
    /// So many calls a second and at once, and ten times as many other requests.
    #[must_use]
    pub fn new(a_second: NonZeroU32, at_once: NonZeroU32) -> Self {
        let more = |number: NonZeroU32| {
            number.saturating_mul(NonZeroU32::new(OTHERS).unwrap_or(NonZeroU32::MIN))
        };
        Self {
            calls: LimitLane::new(a_second, at_once),
            others: LimitLane::new(more(a_second), more(at_once)),
        }
    }

    /// Permits one request, if there is room for it.
    ///
    /// # Errors
    /// When to try again.
    pub fn permit(&self, kind: LimitKind) -> Result<LimitPermit, LimitExceeded> {
        match kind {
            LimitKind::Call => self.calls.permit(),
            LimitKind::Other => self.others.permit(),
        }
    }
}

impl LimitLane {
    fn new(a_second: NonZeroU32, at_once: NonZeroU32) -> Self {
        let permits = usize::try_from(at_once.get()).unwrap_or(usize::MAX);
        Self {
            clock: DefaultClock::default(),
            rate: RateLimiter::direct(Quota::per_second(a_second)),
            free: Arc::new(Semaphore::new(permits.min(Semaphore::MAX_PERMITS))),
            a_second,
            at_once,
        }
    }

    fn permit(&self) -> Result<LimitPermit, LimitExceeded> {
        // What finds no room counts for nothing.
        let free = Arc::clone(&self.free).try_acquire_owned();
        let free = free.map_err(|_| LimitExceeded {
            seconds: A_WHILE,
            bound: format!("{} at once", self.at_once),
        })?;
        self.rate.check().map_err(|not_until| LimitExceeded {
            seconds: whole_seconds(not_until.wait_time_from(self.clock.now())),
            bound: format!("{} a second", self.a_second),
        })?;
        Ok(LimitPermit { _free: free })
    }
}

/// As many seconds as `time` has, none of them broken.
fn whole_seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0).max(u64::from(time.is_zero()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(number: u32) -> NonZeroU32 {
        NonZeroU32::new(number).unwrap()
    }

    #[test]
    fn there_are_so_many_calls_at_once_and_further_ones_when_one_is_done() {
        let allowance = RequestAllowance::new(number(1000), number(2));
        let first = allowance.permit(LimitKind::Call).unwrap();
        let _second = allowance.permit(LimitKind::Call).unwrap();
        let third = allowance.permit(LimitKind::Call).unwrap_err();
        assert_eq!((third.seconds, third.bound.as_str()), (1, "2 at once"));
        // Others have room of their own.
        let others: Vec<LimitPermit> = (0..20)
            .map(|_| allowance.permit(LimitKind::Other).unwrap())
            .collect();
        assert!(allowance.permit(LimitKind::Other).is_err());
        drop((first, others));
        assert!(allowance.permit(LimitKind::Call).is_ok());
    }

    #[test]
    fn there_are_so_many_calls_a_second_and_then_it_is_said_when_to_come_again() {
        let allowance = RequestAllowance::new(number(3), number(100));
        for _ in 0..3 {
            allowance.permit(LimitKind::Call).unwrap();
        }
        let refused = allowance.permit(LimitKind::Call).unwrap_err();
        assert_eq!((refused.seconds, refused.bound.as_str()), (1, "3 a second"));
        for _ in 0..30 {
            allowance.permit(LimitKind::Other).unwrap();
        }
        assert!(allowance.permit(LimitKind::Other).is_err());
    }

    #[test]
    fn seconds_are_whole_and_one_at_least() {
        for (millis, seconds) in [(0, 1), (1, 1), (1000, 1), (1001, 2), (2500, 3)] {
            assert_eq!(whole_seconds(Duration::from_millis(millis)), seconds);
        }
    }
}
