//! A circuit breaker for each provider: one that keeps failing is skipped for a while. The breaker
//! opens after three failures in a row, or after one rate limit, for 30 seconds and up to a fifth
//! more, so that processes do not all come back at once; then a single probe decides.
//!
//! The records are kept in the cache of answers, so that they are shared between processes. A
//! record's age is that of its entry.

use std::time::Duration;

use ring::rand::{SecureRandom, SystemRandom};

use super::Provider;
use super::failure::ProviderFailureKind;
use crate::cache::{CacheQuestion, CacheStore, SingleFlightGuard, get_or_wait};

/// Consecutive failures that open a breaker.
const MAX_FAILURES: u8 = 3;

/// Minimum time for which a breaker is open.
const MIN_OPEN_TIME: Duration = Duration::from_secs(30);

/// Time after which a failure is forgotten.
const RECORD_TIME_TO_LIVE: Duration = Duration::from_secs(10 * 60);

/// Time given to a probe before another one is allowed.
const PROBE_TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum wait for another process that is counting a failure.
const LOCK_TIMEOUT: Duration = Duration::from_millis(250);

/// Circuit breakers of all providers.
#[derive(Clone, Copy)]
pub struct ProviderBreakers<'a> {
    store: Option<&'a dyn CacheStore>,
}

/// Stored state of one provider's breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BreakerRecord {
    /// Number of consecutive failures.
    failures: u8,
    /// Milliseconds from the record's time for which the breaker is open; zero if it is closed.
    open: u32,
    /// True if a probe is under way.
    is_probed: bool,
}

impl BreakerRecord {
    fn bytes(self) -> [u8; 6] {
        let [a, b, c, d] = self.open.to_le_bytes();
        [self.failures, u8::from(self.is_probed), a, b, c, d]
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let [failures, tried, a, b, c, d] = bytes.try_into().ok()?;
        Some(Self {
            failures,
            is_probed: tried == 1,
            open: u32::from_le_bytes([a, b, c, d]),
        })
    }
}

/// State of a breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakerState {
    /// The provider may be asked.
    Closed,
    /// One probe may be made, and decides.
    HalfOpen,
    /// The provider must not be asked for this long.
    Open(Duration),
}

impl<'a> ProviderBreakers<'a> {
    /// Creates the breakers stored in `store`; without a store all are closed.
    #[must_use]
    pub fn new(store: Option<&'a dyn CacheStore>) -> Self {
        Self { store }
    }

    /// Returns the state of a provider's breaker.
    #[must_use]
    pub fn state(&self, provider: &Provider) -> BreakerState {
        match self.record(provider) {
            Some((record, age)) => state(record, age),
            None => BreakerState::Closed,
        }
    }

    /// Decides whether the provider may be asked now, if others could be asked instead. In the
    /// half-open state only one caller may probe, until its result is known.
    #[must_use]
    pub fn pass(&self, provider: &Provider) -> BreakerState {
        let Some((record, age)) = self.record(provider) else {
            return BreakerState::Closed;
        };
        let now = state(record, age);
        let Some(store) = self.store.filter(|_| now == BreakerState::HalfOpen) else {
            return now;
        };
        // Of many callers that find it half open at once, one probes.
        let Some(_turn) = store.turn(&question(provider)) else {
            return BreakerState::Open(PROBE_TIMEOUT);
        };
        let Some((record, age)) = self.record(provider) else {
            return BreakerState::Closed;
        };
        let now = state(record, age);
        if now == BreakerState::HalfOpen {
            let tried = BreakerRecord {
                is_probed: true,
                ..record
            };
            self.keep(provider, tried);
        }
        now
    }

    /// Records a successful answer.
    pub(crate) fn succeeded(&self, provider: &Provider) {
        if self.record(provider).is_some()
            && let Some(store) = self.store
        {
            store.forget(&question(provider));
        }
    }

    /// Records a failure. Failures that do not concern the provider are not counted.
    pub fn failed(&self, provider: &Provider, kind: ProviderFailureKind) {
        if !kind.is_of_the_provider() {
            return;
        }
        let _turn = self.counting(provider);
        let before = self.record(provider).map(|(record, _)| record);
        let failures = before.map_or(0, |record| record.failures);
        let failures = failures.saturating_add(1);
        let limited = matches!(kind, ProviderFailureKind::RateLimited { .. });
        // A probe of an open breaker has failed.
        let again = before.is_some_and(|record| record.open > 0);
        let opens = limited || again || failures >= MAX_FAILURES;
        self.keep(
            provider,
            BreakerRecord {
                failures,
                open: if opens { open_for() } else { 0 },
                is_probed: false,
            },
        );
    }

    /// Waits for the lock on a provider's record, so that no concurrent failure is lost.
    fn counting(&self, provider: &Provider) -> Option<SingleFlightGuard> {
        let failures = get_or_wait(
            self.store?,
            &question(provider),
            LOCK_TIMEOUT,
            || None::<()>,
        );
        failures.err()
    }

    fn record(&self, provider: &Provider) -> Option<(BreakerRecord, Duration)> {
        let entry = self.store?.get(&question(provider), RECORD_TIME_TO_LIVE)?;
        Some((BreakerRecord::read(&entry.bytes)?, entry.age))
    }

    fn keep(&self, provider: &Provider, record: BreakerRecord) {
        if let Some(store) = self.store {
            store.put(&question(provider), &record.bytes(), RECORD_TIME_TO_LIVE);
        }
    }
}

fn state(record: BreakerRecord, age: Duration) -> BreakerState {
    if record.open == 0 {
        return BreakerState::Closed;
    }
    let open = if record.is_probed {
        PROBE_TIMEOUT
    } else {
        Duration::from_millis(u64::from(record.open))
    };
    match open.checked_sub(age) {
        None | Some(Duration::ZERO) => BreakerState::HalfOpen,
        Some(left) => BreakerState::Open(left),
    }
}

fn question(provider: &Provider) -> CacheQuestion {
    CacheQuestion::new("breaker", 1)
        .with("provider", Some(provider.name))
        .that_changes()
}

/// Returns the time for which a breaker opens, in milliseconds, with random jitter.
fn open_for() -> u32 {
    let mut bytes = [0; 4];
    // Without randomness it is the shortest time.
    let _ = SystemRandom::new().fill(&mut bytes);
    let least = u32::try_from(MIN_OPEN_TIME.as_millis()).unwrap_or(u32::MAX);
    least + u32::from_le_bytes(bytes) % (least / 5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_store::MemoryStore;
    use crate::search::brave::PROVIDER as BRAVE;
    use crate::search::exa::PROVIDER as EXA;

    const LIMITED: ProviderFailureKind = ProviderFailureKind::RateLimited {
        seconds: 5,
        is_quota: false,
    };

    fn is_open(state: BreakerState) -> bool {
        matches!(state, BreakerState::Open(left) if left <= MIN_OPEN_TIME + MIN_OPEN_TIME / 5)
    }

    #[test]
    fn three_failures_in_a_row_open_it_and_a_success_between_them_does_not() {
        let store = MemoryStore::default();
        let breakers = ProviderBreakers::new(Some(&store));
        for _ in 0..2 {
            breakers.failed(&BRAVE, ProviderFailureKind::Upstream);
            breakers.failed(&BRAVE, ProviderFailureKind::Network { is_local: false });
            assert_eq!(breakers.pass(&BRAVE), BreakerState::Closed);
            breakers.succeeded(&BRAVE);
        }
        for _ in 0..3 {
            breakers.failed(&BRAVE, ProviderFailureKind::NotUnderstood);
        }
        assert!(is_open(breakers.pass(&BRAVE)));
        assert_eq!(breakers.pass(&EXA), BreakerState::Closed);
    }

    #[test]
    fn one_refusal_for_too_many_requests_opens_it() {
        let store = MemoryStore::default();
        let breakers = ProviderBreakers::new(Some(&store));
        breakers.failed(&BRAVE, LIMITED);
        assert!(is_open(breakers.state(&BRAVE)));
        store.grow_older(Duration::from_secs(29));
        assert!(is_open(breakers.pass(&BRAVE)));
        store.grow_older(Duration::from_secs(7));
        assert_eq!(breakers.state(&BRAVE), BreakerState::HalfOpen);
    }

    #[test]
    fn half_open_one_try_decides() {
        let store = MemoryStore::default();
        let breakers = ProviderBreakers::new(Some(&store));
        let expire = || store.grow_older(Duration::from_secs(36));
        breakers.failed(&BRAVE, LIMITED);
        expire();
        assert_eq!(breakers.pass(&BRAVE), BreakerState::HalfOpen);
        assert!(is_open(breakers.pass(&BRAVE)), "somebody tries it");
        breakers.failed(&BRAVE, ProviderFailureKind::Upstream);
        assert!(is_open(breakers.pass(&BRAVE)));
        expire();
        assert_eq!(breakers.pass(&BRAVE), BreakerState::HalfOpen);
        breakers.succeeded(&BRAVE);
        assert_eq!(breakers.pass(&BRAVE), BreakerState::Closed);
        // The process that made the probe has died.
        breakers.failed(&BRAVE, LIMITED);
        expire();
        assert_eq!(breakers.pass(&BRAVE), BreakerState::HalfOpen);
        expire();
        assert_eq!(breakers.pass(&BRAVE), BreakerState::HalfOpen);
    }

    #[test]
    fn what_says_nothing_of_the_provider_does_not_count() {
        let store = MemoryStore::default();
        let breakers = ProviderBreakers::new(Some(&store));
        for kind in [
            ProviderFailureKind::AuthMissing,
            ProviderFailureKind::Config,
            ProviderFailureKind::TooLong,
            ProviderFailureKind::Rejected,
            ProviderFailureKind::Network { is_local: true },
        ] {
            for _ in 0..5 {
                breakers.failed(&BRAVE, kind);
            }
            assert_eq!(breakers.state(&BRAVE), BreakerState::Closed, "{kind:?}");
        }
        store.put(&question(&BRAVE), b"nonsense", RECORD_TIME_TO_LIVE);
        assert_eq!(breakers.pass(&BRAVE), BreakerState::Closed);
        let nowhere = ProviderBreakers::new(None);
        nowhere.failed(&BRAVE, LIMITED);
        assert_eq!(nowhere.pass(&BRAVE), BreakerState::Closed);
    }

    #[test]
    fn it_is_open_for_thirty_seconds_and_up_to_a_fifth_more() {
        let times: std::collections::HashSet<u32> = (0..100).map(|_| open_for()).collect();
        assert!(times.len() > 50);
        assert!(times.iter().all(|time| (30_000..36_000).contains(time)));
    }
}
