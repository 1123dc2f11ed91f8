//! Persistent entries in Redis: each waits for the connection, because nothing else has it, and is
//! changed by a script that compares its version.

use std::time::Duration;

use ::redis::{Value, pipe};
use tokio::time::{Instant, sleep};

use super::turn::milliseconds;
use super::{ANSWERS_WITHIN, RedisCache, RedisKey, RedisUnavailable};
use crate::cache::persistent_store::EntryVersion;
use crate::cache::{PersistentChange, PersistentEntry, PersistentFault};
use iki_base::mutex::lock;

/// Maximum time of a look-up or change, apart from its bytes.
const LASTS_WITHIN: Duration = Duration::from_secs(2);

/// Replaces an entry that begins so, or is not there if that is empty; removes it if the new one
/// is empty.
const CHANGE: &str = "if redis.call('getrange',KEYS[1],0,#ARGV[1]>0 and #ARGV[1]-1 or 0)~=ARGV[1] \
                      then return 0 end if ARGV[2]=='' then redis.call('del',KEYS[1]) else \
                      redis.call('set',KEYS[1],ARGV[2],'PX',ARGV[3]) end return 1";

impl RedisCache {
    /// The persistent entry of that name, if there is one that was changed less than `longest` ago.
    pub(in crate::cache) async fn recall(
        &self,
        name: &RedisKey,
        longest: Duration,
    ) -> Result<Option<PersistentEntry>, PersistentFault> {
        self.wait_until_up().await;
        let mut stored = self.sealed(name, LASTS_WITHIN).await;
        if stored.is_err() {
            self.wait_until_up().await;
            stored = self.sealed(name, LASTS_WITHIN).await;
        }
        let stored = stored.map_err(|RedisUnavailable| PersistentFault::Unreachable)?;
        let Some((left, sealed)) = stored else {
            return Ok(None);
        };
        let opened = self.opened(name, &sealed, left, longest);
        Ok(opened
            .zip(EntryVersion::from_sealed(&sealed))
            .map(|(entry, version)| PersistentEntry {
                bytes: entry.bytes,
                version,
            }))
    }

    /// Changes a persistent entry; false if it is of another version.
    pub(in crate::cache) async fn change(
        &self,
        name: &RedisKey,
        change: &PersistentChange,
    ) -> Result<bool, PersistentFault> {
        let good_for = milliseconds(change.good_for);
        let sealed = self.sealed_for(name, &change.after, good_for);
        let sealed = sealed.ok_or(PersistentFault::Refused)?;
        let sealed = if change.after.is_empty() {
            &[][..]
        } else {
            &sealed
        };
        let before = change.before.as_ref().map_or(&[][..], |before| &before.0);
        let mut changed = pipe();
        changed.cmd("EVAL").arg(CHANGE).arg(1).arg(&name.0);
        changed.arg(before).arg(sealed).arg(good_for.max(1));
        self.wait_until_up().await;
        let done = self.all(&mut changed, LASTS_WITHIN).await;
        match done.map(|mut done| done.pop()) {
            Ok(Some(Ok(Value::Int(done)))) => {
                self.record_write(None);
                Ok(done == 1)
            }
            Ok(Some(Err(error))) => {
                self.record_write(Some(&error));
                let full = error.code() == Some("OOM");
                Err(if full {
                    PersistentFault::NoSpace
                } else {
                    PersistentFault::Refused
                })
            }
            _ => Err(PersistentFault::Unreachable),
        }
    }

    /// Waits for the connection, but not for long: others may have broken it for being slow.
    async fn wait_until_up(&self) {
        let start = Instant::now();
        while lock(&self.link).connection.is_none() && start.elapsed() < LASTS_WITHIN {
            sleep(ANSWERS_WITHIN).await;
        }
    }
}
