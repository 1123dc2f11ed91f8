//! The entries that several servers share, in Redis: each a key that expires by itself, its value
//! sealed as in a file.
//!
//! One connection serves all calls, and none of them ever waits for one: a task keeps it, and makes
//! a new one a second after it was lost. A call that asks meanwhile is told so at once. Nothing
//! here compares two machines' clocks: an entry says for how long it is good, Redis says for how
//! long it will still be there, and the difference is its age.

mod address;
mod connecting;
mod memory;
mod persistent_store;
mod reasons;
mod replies;
#[cfg(test)]
mod tests;
mod turn;

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use ::redis::aio::MultiplexedConnection;
use ::redis::{Pipeline, RedisError, RedisResult, Value, pipe};
use ring::rand::{self, SystemRandom};
use rustls::ClientConfig;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::TlsConnector;

use self::reasons::{CLOSED, breaks_connection, error_reason};
use self::replies::ExpectedReplies;
use self::turn::{FLIGHT_KEY_PREFIX, LEASE_TIME, SharedTurn, milliseconds};
use super::CacheEntry;
use super::keys::EntryKeys;

use iki_base::mutex::lock;

pub use self::address::RedisAddress;
pub use self::memory::RedisMemory;

/// The variable with its address, which may hold a password.
pub const REDIS_VARIABLE: &str = "IKIGAI_REDIS_URL";

/// Prefix of all keys; an entry's name follows.
const PREFIX: &str = "ikigai-tools:1:";

/// Maximum time of one look-up or change, apart from its bytes.
const ANSWERS_WITHIN: Duration = Duration::from_millis(50);

/// Minimum number of bytes of a value that are carried in a millisecond.
const MIN_BYTES_PER_MILLISECOND: usize = 10_000;

/// Time without requests after a failure, and the time that connecting may take.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Time that a server that starts waits for the first connection.
const FIRST_CONNECTION_TIMEOUT: Duration = Duration::from_millis(250);

/// Bytes before an entry's own: the number of milliseconds for which it is good.
const HEAD: usize = size_of::<u64>();

/// Maximum length of a value that is read, in bytes: no entry has as much.
const MAX_VALUE_BYTES: usize = 17 * 1024 * 1024;

/// State of the shared cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharingState {
    /// True if Redis answers.
    pub is_up: bool,
    /// Time of the last change between both.
    pub since: SystemTime,
    /// The reason why it does not answer; without its address.
    pub why: Option<String>,
    /// The reason why it takes no entries although it answers.
    pub refuses: Option<String>,
}

/// Redis was not asked, or has not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RedisUnavailable;

/// Takes a line for the log when something changes.
pub type LogSink = Box<dyn Fn(&str) + Send + Sync>;

/// Entries in Redis.
pub struct RedisCache {
    address: RedisAddress,
    tls: Option<TlsConnector>,
    keys: EntryKeys,
    log: LogSink,
    link: Mutex<RedisLink>,
    /// Notified when the connection is of no use any more.
    broken: Notify,
}

/// The connection, if there is one.
struct RedisLink {
    connection: Option<(MultiplexedConnection, ExpectedReplies)>,
    /// Number of connections so far.
    number: u64,
    sharing: SharingState,
}

impl RedisCache {
    /// Entries at `address` under `secret`, which is 64 hexadecimal digits; `None` if it is not, or
    /// the address wants TLS and `tls` is not there. The connection is kept up by a task of the
    /// runtime; this waits for the first one, but not for long.
    pub async fn open(
        address: RedisAddress,
        secret: &str,
        tls: Option<Arc<ClientConfig>>,
        log: LogSink,
    ) -> Option<Arc<Self>> {
        let keys = EntryKeys::from_digits(secret)?;
        let tls = if address.tls {
            Some(TlsConnector::from(tls?))
        } else {
            None
        };
        let link = RedisLink {
            connection: None,
            number: 0,
            sharing: SharingState {
                is_up: false,
                since: SystemTime::now(),
                why: Some(String::from("no connection has been made yet")),
                refuses: None,
            },
        };
        let redis = Arc::new(Self {
            address,
            tls,
            keys,
            log,
            link: Mutex::new(link),
            broken: Notify::new(),
        });
        let (tried, mut first) = watch::channel(false);
        tokio::spawn(keep_up(Arc::clone(&redis), tried));
        let _ = timeout(FIRST_CONNECTION_TIMEOUT, first.wait_for(|tried| *tried)).await;
        Some(redis)
    }

    /// The present state.
    pub fn sharing(&self) -> SharingState {
        lock(&self.link).sharing.clone()
    }

    /// The answer to the question of that name, if there is one that is younger than `longest`.
    pub(super) async fn get(
        &self,
        name: &RedisKey,
        longest: Duration,
    ) -> Result<Option<CacheEntry>, RedisUnavailable> {
        let value = self.sealed(name, ANSWERS_WITHIN).await?;
        Ok(value.and_then(|(left, sealed)| self.opened(name, &sealed, left, longest)))
    }

    /// The entry of that name as it is sealed, and the time that it has left.
    async fn sealed(
        &self,
        name: &RedisKey,
        within: Duration,
    ) -> Result<Option<(Duration, Vec<u8>)>, RedisUnavailable> {
        // In this order, because an entry that is replaced in between then looks too old, and not
        // too young.
        let mut both = pipe();
        both.cmd("PTTL").arg(&name.0);
        both.cmd("GETRANGE")
            .arg(&name.0)
            .arg(0)
            .arg(MAX_VALUE_BYTES - 1);
        let mut value = self.all(&mut both, within).await?;
        let (Some(Ok(Value::BulkString(sealed))), Some(Ok(Value::Int(left)))) =
            (value.pop(), value.pop())
        else {
            return Ok(None);
        };
        // An entry that does not expire is not ours.
        let left = u64::try_from(left).ok().map(Duration::from_millis);
        Ok(left.map(|left| (left, sealed)))
    }

    /// `bytes` sealed as the entry of that name, with the time for which it is good.
    fn sealed_for(&self, name: &RedisKey, bytes: &[u8], good_for: u64) -> Option<Vec<u8>> {
        let mut text = Vec::with_capacity(HEAD + bytes.len());
        text.extend_from_slice(&good_for.to_le_bytes());
        text.extend_from_slice(bytes);
        self.keys.sealing.close(&name.0, &text)
    }

    fn opened(
        &self,
        name: &RedisKey,
        sealed: &[u8],
        left: Duration,
        longest: Duration,
    ) -> Option<CacheEntry> {
        let mut bytes = self.keys.sealing.open(&name.0, sealed)?;
        let (head, _) = bytes.split_first_chunk::<HEAD>()?;
        let good_for = Duration::from_millis(u64::from_le_bytes(*head));
        let age = good_for.checked_sub(left)?;
        bytes.drain(..HEAD);
        (age < longest).then_some(CacheEntry { bytes, age })
    }

    /// Keeps the answer to the question of that name.
    pub(super) async fn put(&self, name: &RedisKey, bytes: &[u8], good_for: Duration) {
        let Ok(milliseconds) = u64::try_from(good_for.as_millis()) else {
            return;
        };
        if milliseconds == 0 {
            return self.forget(name).await;
        }
        let Some(sealed) = self.sealed_for(name, bytes, milliseconds) else {
            return;
        };
        let mut set = pipe();
        set.cmd("SET").arg(&name.0).arg(&sealed);
        set.arg("PX").arg(milliseconds);
        if let Ok(done) = self.all(&mut set, within(sealed.len())).await {
            self.record_write(done.first().and_then(|done| done.as_ref().err()));
        }
    }

    /// Forgets the answer to the question of that name.
    pub(super) async fn forget(&self, name: &RedisKey) {
        let mut delete = pipe();
        delete.cmd("DEL").arg(&name.0);
        let _ = self.all(&mut delete, ANSWERS_WITHIN).await;
    }

    /// The turn to find out the answer to the question of that name; `None` if another server has
    /// it.
    pub(super) async fn turn(
        self: &Arc<Self>,
        name: &RedisKey,
    ) -> Result<Option<SharedTurn>, RedisUnavailable> {
        let number: [u8; 16] = rand::generate(&SystemRandom::new())
            .map_err(|_| RedisUnavailable)?
            .expose();
        let turn = SharedTurn {
            redis: Arc::clone(self),
            key: name.0.replacen(PREFIX, FLIGHT_KEY_PREFIX, 1),
            holder: number,
            renewal: None,
        };
        let mut take = pipe();
        take.cmd("SET").arg(&turn.key).arg(&turn.holder[..]);
        take.arg("NX").arg("PX").arg(milliseconds(LEASE_TIME));
        let taken = self.all(&mut take, ANSWERS_WITHIN).await;
        match taken?.pop() {
            Some(Ok(Value::Okay)) => Ok(Some(turn.keep())),
            Some(Ok(_)) => Ok(None),
            other => {
                self.record_write(other.as_ref().and_then(|done| done.as_ref().err()));
                Err(RedisUnavailable)
            }
        }
    }

    /// The key of this question's entry.
    pub(super) fn name(&self, question: &super::CacheQuestion) -> RedisKey {
        RedisKey(format!("{PREFIX}{}", question.name(&self.keys.naming)))
    }

    /// Sends all of it at once; each reply may be an error of its own.
    async fn all(
        &self,
        commands: &mut Pipeline,
        within: Duration,
    ) -> Result<Vec<RedisResult<Value>>, RedisUnavailable> {
        commands.ignore_errors();
        let ((mut connection, expected), number) = {
            let link = lock(&self.link);
            (
                link.connection.clone().ok_or(RedisUnavailable)?,
                link.number,
            )
        };
        expected.add(commands.len());
        let answered: RedisResult<Vec<RedisResult<Value>>> =
            if let Ok(done) = timeout(within, commands.query_async(&mut connection)).await {
                done
            } else {
                self.mark_broken(number, "it did not answer in time");
                return Err(RedisUnavailable);
            };
        let useless = match &answered {
            Err(error) => Some(error),
            Ok(each) => each
                .iter()
                .filter_map(|one| one.as_ref().err())
                .find(|error| breaks_connection(error)),
        };
        if let Some(error) = useless {
            self.mark_broken(number, &error_reason(error));
            return Err(RedisUnavailable);
        }
        answered.map_err(|_| RedisUnavailable)
    }

    /// Gives up the connection of that number.
    fn mark_broken(&self, number: u64, why: &str) {
        let mut link = lock(&self.link);
        if link.number == number && link.connection.take().is_some() {
            drop(link);
            self.mark_down(why);
            self.broken.notify_one();
        }
    }

    /// Records that Redis does not answer, for this reason.
    fn mark_down(&self, why: &str) {
        let mut link = lock(&self.link);
        link.connection = None;
        let sharing = &mut link.sharing;
        let is_news = sharing.is_up || sharing.why.as_deref() != Some(why);
        if sharing.is_up {
            sharing.since = SystemTime::now();
        }
        sharing.is_up = false;
        sharing.refuses = None;
        sharing.why = Some(why.to_owned());
        drop(link);
        if is_news {
            (self.log)(&format!(
                "Redis is not to be had ({why}): this server goes on with its own cache, and \
                 tries again every second"
            ));
        }
    }

    /// Records that Redis answers on this connection.
    fn mark_up(&self, connection: MultiplexedConnection, expected: ExpectedReplies) {
        let mut link = lock(&self.link);
        link.connection = Some((connection, expected));
        link.number += 1;
        link.sharing = SharingState {
            is_up: true,
            since: SystemTime::now(),
            why: None,
            refuses: None,
        };
        drop(link);
        (self.log)("Redis answers: the cache is shared");
    }

    /// Records that an entry was taken, or refused with this error.
    fn record_write(&self, error: Option<&RedisError>) {
        let why = error.map(error_reason);
        let mut link = lock(&self.link);
        if link.sharing.refuses == why {
            return;
        }
        link.sharing.refuses.clone_from(&why);
        drop(link);
        (self.log)(&match why {
            Some(why) => format!("Redis takes no entries ({why})"),
            None => String::from("Redis takes entries again"),
        });
    }
}

/// Keeps a connection up, for as long as the runtime is there.
async fn keep_up(redis: Arc<RedisCache>, tried: watch::Sender<bool>) {
    loop {
        let made = timeout(RETRY_DELAY, redis.address.connect(redis.tls.as_ref())).await;
        match made.unwrap_or_else(|_| Err("it did not answer within a second".to_owned())) {
            Ok((connection, expected, driver)) => {
                redis.mark_up(connection, expected);
                tried.send_replace(true);
                let number = lock(&redis.link).number;
                let begun = Instant::now();
                let ended = tokio::select! {
                    () = driver => {
                        redis.mark_broken(number, CLOSED);
                        true
                    }
                    () = redis.broken.notified() => false,
                };
                // The call that found the connection lost may have left a permit.
                let _ = timeout(Duration::ZERO, redis.broken.notified()).await;
                // The server closed a connection that was not used for long: no pause is needed.
                if ended && begun.elapsed() > RETRY_DELAY {
                    continue;
                }
            }
            Err(why) => {
                redis.mark_down(&why);
                tried.send_replace(true);
            }
        }
        sleep(RETRY_DELAY).await;
    }
}

/// Maximum time of a change with so many bytes.
fn within(bytes: usize) -> Duration {
    ANSWERS_WITHIN
        + Duration::from_millis(u64::try_from(bytes / MIN_BYTES_PER_MILLISECOND).unwrap_or(0))
}

/// The key of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RedisKey(String);
