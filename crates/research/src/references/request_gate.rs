//! Requests to one provider from several threads: no more of them, and no faster, than it allows;
//! none after it has refused one.

use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

use crate::papers::request_limits::RequestLimits;
use iki_base::mutex::lock;

/// Requests at once to a provider that does not say how many it allows.
const USUAL_AT_ONCE: usize = 3;

/// Time between two requests to a provider that does not say how much it wants.
const USUAL_INTERVAL: Duration = Duration::from_millis(100);

/// A place at the provider, for one request.
pub struct GatePass<'a>(&'a ProviderGate);

/// The gate before a provider.
pub struct ProviderGate {
    state: Mutex<GateState>,
    changed: Condvar,
}

struct GateState {
    running: usize,
    next: Instant,
    limits: RequestLimits,
    /// False until the first answer, before which one request runs alone.
    is_known: bool,
    refusal: Option<String>,
}

impl Default for ProviderGate {
    fn default() -> Self {
        Self {
            state: Mutex::new(GateState {
                running: 0,
                next: Instant::now(),
                limits: RequestLimits::default(),
                is_known: false,
                refusal: None,
            }),
            changed: Condvar::new(),
        }
    }
}

impl ProviderGate {
    /// Waits for a place until `end`; the error is why there is none.
    pub fn enter(&self, end: Instant) -> Result<GatePass<'_>, String> {
        let mut state = lock(&self.state);
        loop {
            if let Some(refusal) = &state.refusal {
                return Err(refusal.clone());
            }
            let now = Instant::now();
            let at_once = state.limits.at_once.unwrap_or(USUAL_AT_ONCE);
            let at_once = if state.is_known { at_once } else { 1 };
            if now >= end {
                return Err("no time left for it".to_owned());
            }
            let until = if state.running >= at_once {
                end
            } else {
                state.next.min(end)
            };
            if state.running < at_once && state.next <= now {
                state.running += 1;
                state.next = now + state.limits.interval.unwrap_or(USUAL_INTERVAL);
                return Ok(GatePass(self));
            }
            let wait = until.saturating_duration_since(now);
            let waited = self.changed.wait_timeout(state, wait);
            state = waited.unwrap_or_else(std::sync::PoisonError::into_inner).0;
        }
    }

    /// Lets nobody in any more.
    pub fn refuse(&self, why: &str) {
        lock(&self.state).refusal = Some(why.to_owned());
        self.changed.notify_all();
    }
}

impl GatePass<'_> {
    /// Heeds what an answer says of further requests.
    pub fn heed(&self, limits: RequestLimits) {
        let mut state = lock(&self.0.state);
        state.is_known = true;
        state.limits = limits;
        self.0.changed.notify_all();
    }
}

impl Drop for GatePass<'_> {
    fn drop(&mut self) {
        lock(&self.0.state).running -= 1;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_keep_to_what_the_provider_allows() {
        let gate = ProviderGate::default();
        let soon = || Instant::now() + Duration::from_millis(50);
        let first = gate.enter(soon()).unwrap();
        assert!(gate.enter(soon()).is_err(), "the first one is alone");
        first.heed(RequestLimits {
            interval: Some(Duration::from_millis(200)),
            at_once: Some(2),
        });
        let start = Instant::now();
        let later = || Instant::now() + Duration::from_secs(5);
        let second = gate.enter(later()).unwrap();
        assert!(gate.enter(soon()).is_err(), "two at once are all");
        drop(first);
        let third = gate.enter(later()).unwrap();
        assert!(start.elapsed() >= Duration::from_millis(150));
        gate.refuse("rate limited");
        drop((second, third));
        assert_eq!(gate.enter(later()).err().as_deref(), Some("rate limited"));
    }
}
