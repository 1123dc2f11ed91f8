//! A turn that one server has at a time: a key that expires by itself, and is renewed while its
//! holder lives.

use std::sync::Arc;
use std::time::Duration;

use ::redis::pipe;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::{ANSWERS_WITHIN, RedisCache};

/// Prefix of a turn's key.
pub(super) const FLIGHT_KEY_PREFIX: &str = "ikigai-tools:1:turn:";

/// Time that a turn lasts when its server has died.
pub(super) const LEASE_TIME: Duration = Duration::from_secs(5);

/// Time between two renewals of a turn.
const RENEWAL: Duration = Duration::from_millis(1500);

/// Ends a turn that is still the caller's.
const RELEASE: &str =
    "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) end return 0";

/// Prolongs a turn that is still the caller's.
const PROLONG: &str = "if redis.call('get',KEYS[1])==ARGV[1] then return \
                       redis.call('pexpire',KEYS[1],ARGV[2]) end return 0";

/// The turn to find something out that no other server has, until it is dropped.
pub(in crate::cache) struct SharedTurn {
    pub(super) redis: Arc<RedisCache>,
    pub(super) key: String,
    pub(super) holder: [u8; 16],
    pub(super) renewal: Option<JoinHandle<()>>,
}

impl SharedTurn {
    /// Renews the turn for as long as it is held.
    pub(super) fn keep(mut self) -> Self {
        let (redis, key, holder) = (Arc::clone(&self.redis), self.key.clone(), self.holder);
        self.renewal = Some(tokio::spawn(async move {
            loop {
                sleep(RENEWAL).await;
                let mut prolong = pipe();
                prolong.cmd("EVAL").arg(PROLONG).arg(1).arg(&key);
                prolong.arg(&holder[..]).arg(milliseconds(LEASE_TIME));
                let _ = redis.all(&mut prolong, ANSWERS_WITHIN).await;
            }
        }));
        self
    }
}

impl Drop for SharedTurn {
    fn drop(&mut self) {
        let Some(renewal) = self.renewal.take() else {
            return;
        };
        renewal.abort();
        let (redis, key, holder) = (
            Arc::clone(&self.redis),
            std::mem::take(&mut self.key),
            self.holder,
        );
        // Without a runtime it ends by itself.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                let mut release = pipe();
                release.cmd("EVAL").arg(RELEASE).arg(1).arg(&key);
                release.arg(&holder[..]);
                let _ = redis.all(&mut release, ANSWERS_WITHIN).await;
            });
        }
    }
}

/// A time in milliseconds, the unit of Redis.
pub(super) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
