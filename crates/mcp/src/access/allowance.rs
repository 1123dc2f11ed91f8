//! Limits on the requests of a token's owner: per second (GCRA, by `governor`), and at once.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Number of other requests allowed for each call: they cost little, and a client makes several
/// before its first call.
const OTHER_REQUESTS_PER_CALL: u32 = 10;

/// Time to wait if it is not known when there is room, in seconds.
const DEFAULT_RETRY_AFTER: u64 = 1;

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// A tool's call.
    Call,
    /// Any other request.
    Other,
}

/// The limits on one owner's requests.
#[derive(Debug)]
pub struct RequestAllowance {
    calls: KindLimits,
    others: KindLimits,
}

/// The limits on requests of one kind.
#[derive(Debug)]
struct KindLimits {
    clock: DefaultClock,
    rate: DefaultDirectRateLimiter,
    free: Arc<Semaphore>,
    a_second: NonZeroU32,
    at_once: NonZeroU32,
}

/// Permission for one request, which counts until this is dropped.
pub type RequestPermit = OwnedSemaphorePermit;

/// There were too many requests.
#[derive(Debug, PartialEq, Eq)]
pub struct LimitExceeded {
    /// Seconds to wait before trying again: one at least.
    pub seconds: u64,
    /// The limit, in words to follow a verb.
    pub bound: String,
}

impl RequestAllowance {
    /// Allows so many calls a second and at once, and ten times as many other requests.
    #[must_use]
    pub fn new(a_second: NonZeroU32, at_once: NonZeroU32) -> Self {
        let more = |number: NonZeroU32| {
            number
                .saturating_mul(NonZeroU32::new(OTHER_REQUESTS_PER_CALL).unwrap_or(NonZeroU32::MIN))
        };
        Self {
            calls: KindLimits::new(a_second, at_once),
            others: KindLimits::new(more(a_second), more(at_once)),
        }
    }

    /// Permits one request, if there is room for it.
    ///
    /// # Errors
    /// The limit that was exceeded, and the time to wait.
    pub fn permit(&self, kind: RequestKind) -> Result<RequestPermit, LimitExceeded> {
        match kind {
            RequestKind::Call => self.calls.permit(),
            RequestKind::Other => self.others.permit(),
        }
    }
}

impl KindLimits {
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

    fn permit(&self) -> Result<RequestPermit, LimitExceeded> {
        // First, so that a request that finds no room does not count against the rate.
        let free = Arc::clone(&self.free).try_acquire_owned();
        let free = free.map_err(|_| LimitExceeded {
            seconds: DEFAULT_RETRY_AFTER,
            bound: format!("{} at once", self.at_once),
        })?;
        self.rate.check().map_err(|not_until| LimitExceeded {
            seconds: seconds_rounded_up(not_until.wait_time_from(self.clock.now())),
            bound: format!("{} a second", self.a_second),
        })?;
        Ok(free)
    }
}

/// `time` in seconds, rounded up; one at least.
fn seconds_rounded_up(time: Duration) -> u64 {
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
        let first = allowance.permit(RequestKind::Call).unwrap();
        let _second = allowance.permit(RequestKind::Call).unwrap();
        let third = allowance.permit(RequestKind::Call).unwrap_err();
        assert_eq!((third.seconds, third.bound.as_str()), (1, "2 at once"));
        // Others have room of their own.
        let others: Vec<RequestPermit> = (0..20)
            .map(|_| allowance.permit(RequestKind::Other).unwrap())
            .collect();
        assert!(allowance.permit(RequestKind::Other).is_err());
        drop((first, others));
        assert!(allowance.permit(RequestKind::Call).is_ok());
    }

    #[test]
    fn there_are_so_many_calls_a_second_and_then_it_is_said_when_to_come_again() {
        let allowance = RequestAllowance::new(number(3), number(100));
        for _ in 0..3 {
            drop(allowance.permit(RequestKind::Call).unwrap());
        }
        let refused = allowance.permit(RequestKind::Call).unwrap_err();
        assert_eq!((refused.seconds, refused.bound.as_str()), (1, "3 a second"));
        for _ in 0..30 {
            drop(allowance.permit(RequestKind::Other).unwrap());
        }
        assert!(allowance.permit(RequestKind::Other).is_err());
    }

    #[test]
    fn seconds_are_whole_and_one_at_least() {
        for (millis, seconds) in [(0, 1), (1, 1), (1000, 1), (1001, 2), (2500, 3)] {
            assert_eq!(seconds_rounded_up(Duration::from_millis(millis)), seconds);
        }
    }
}
