//! The sessions of an owner. Each is a persistent entry, whose name holds the session's; one more
//! entry has the list of them. A new session is listed when it is there, so that a listed one that
//! is not there has expired.

use std::time::{Duration, Instant, SystemTime};
use std::{env, thread};

use ring::rand::{self, SystemRandom};

use super::session::{ResearchSession, SessionFault, SessionStep};
use iki_web::cache::{
    CacheQuestion, PersistentChange, PersistentEntry, PersistentFault, PersistentStore,
};
use iki_web::date::rfc_3339;

/// The variable with the time for which a session is kept since its last use, in seconds.
pub const LIFETIME_VARIABLE: &str = "IKIGAI_SESSION_TTL";

/// That time without the variable, and the longest one.
const DEFAULT_LIFETIME_SECONDS: u64 = 4 * 60 * 60;
const MAX_LIFETIME_SECONDS: u64 = 30 * 24 * 60 * 60;

/// Maximum number of sessions of an owner.
const MAX_SESSIONS: usize = 50;

/// Maximum number of bytes of a session.
const MAX_SESSION_BYTES: usize = 4 * 1024 * 1024;

/// Maximum time in which a change is tried again, because others came first.
const RETRY_TIMEOUT: Duration = Duration::from_secs(8);

/// Version of the stored forms.
const VERSION: u32 = 1;

/// Returns the time for which a session is kept since its last use.
#[must_use]
pub fn lifetime() -> Duration {
    let set = env::var(LIFETIME_VARIABLE).ok();
    let set = set.and_then(|value| value.trim().parse().ok());
    let seconds = set
        .filter(|seconds| *seconds > 0)
        .unwrap_or(DEFAULT_LIFETIME_SECONDS);
    Duration::from_secs(seconds.min(MAX_LIFETIME_SECONDS))
}

/// A change of a session, which may refuse it.
pub type SessionChange<'a> = &'a mut dyn FnMut(&mut ResearchSession) -> Result<(), SessionFault>;

/// Makes the new content of an entry from the present one, if it exists.
type EntryMaker<'a> = &'a mut dyn FnMut(Option<&PersistentEntry>) -> Result<Vec<u8>, SessionFault>;

/// The sessions of an owner.
pub struct SessionStore<'a> {
    store: &'a dyn PersistentStore,
    good_for: Duration,
}

impl<'a> SessionStore<'a> {
    /// Returns the sessions in that store, whose owner it knows.
    #[must_use]
    pub fn new(store: &'a dyn PersistentStore) -> Self {
        Self {
            store,
            good_for: lifetime(),
        }
    }

    /// Begins a session, which gets a name; the one that was used least recently goes, if there are
    /// too many.
    ///
    /// # Errors
    /// There is none then.
    pub fn start_session(&self, session: &mut ResearchSession) -> Result<(), SessionFault> {
        session.session_id = new_name().ok_or(PersistentFault::Refused)?;
        session.last_used_at.clone_from(&session.started_at);
        let name = name_of(&session.session_id);
        let bytes = encoded(session)?;
        if !self.replace(&name, None, &bytes)? {
            return Err(PersistentFault::Refused.into());
        }
        let listed = self.list(&session.session_id);
        if listed.is_err() {
            let _ = self.remove(&session.session_id);
        }
        listed
    }

    /// Changes the session called `id`, and returns it as it is afterwards. Of several changes at
    /// the same time none is lost: `change` is made anew of what the others have made.
    ///
    /// # Errors
    /// Nothing was changed, but for a store that did not answer, which may have.
    pub fn update(
        &self,
        id: &str,
        change: SessionChange<'_>,
    ) -> Result<ResearchSession, SessionFault> {
        let name = known_name(id)?;
        let mut changed = None;
        self.change(&name, &mut |entry| {
            let mut session = decoded(entry).ok_or(SessionFault::Unknown)?;
            change(&mut session)?;
            session.last_used_at = now();
            let bytes = encoded(&session)?;
            changed = Some(session);
            Ok(bytes)
        })?;
        let session = changed.ok_or(SessionFault::Unknown)?;
        // The session itself was stored.
        let _ = self.keep_listed(&session.session_id);
        Ok(session)
    }

    /// Returns the session called `id`, which is used by that.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn open(&self, id: &str) -> Result<ResearchSession, SessionFault> {
        let name = known_name(id)?;
        let entry = self.store.recall(&name, self.good_for)?;
        let mut session = decoded(entry.as_ref()).ok_or(SessionFault::Unknown)?;
        session.last_used_at = now();
        // A full disk, or another that was faster, is no reason not to show it.
        if let Ok(bytes) = encoded(&session) {
            let _ = self.replace(&name, entry.as_ref(), &bytes);
        }
        let _ = self.keep_listed(&session.session_id);
        Ok(session)
    }

    /// Returns all sessions, the last used first: what is known of each as a whole, and its first
    /// step. Many long ones would take too much memory.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn all(&self) -> Result<Vec<ResearchSession>, SessionFault> {
        let ids = listed(self.store.recall(&list_name(), self.good_for)?.as_ref());
        let mut sessions = Vec::with_capacity(ids.len());
        for id in ids {
            let entry = self.store.recall(&name_of(&id), self.good_for)?;
            let Some(mut session) = decoded(entry.as_ref()) else {
                continue;
            };
            (session.sources, session.outcomes) = (Vec::new(), Vec::new());
            session
                .steps
                .iter_mut()
                .skip(1)
                .for_each(|step| *step = SessionStep::default());
            let is_older = |one: &ResearchSession| one.last_used_at <= session.last_used_at;
            let place = sessions.iter().position(is_older).unwrap_or(sessions.len());
            sessions.insert(place, session);
        }
        Ok(sessions)
    }

    /// Lists a session again if the list is about to expire, or has lost it.
    fn keep_listed(&self, id: &str) -> Result<(), SessionFault> {
        let ids = listed(self.store.recall(&list_name(), self.good_for / 2)?.as_ref());
        if ids.iter().any(|one| one == id) {
            return Ok(());
        }
        self.list(id)
    }

    /// Adds a session to the list, from which those go that are not there any more. If there are
    /// too many, the one that was used least recently goes altogether.
    fn list(&self, id: &str) -> Result<(), SessionFault> {
        let mut oldest = None;
        self.change(&list_name(), &mut |entry| {
            let mut ids = listed(entry);
            oldest = None;
            if ids.iter().any(|one| one == id) {
                return Ok(ids.join("\n").into_bytes());
            }
            if ids.len() >= MAX_SESSIONS {
                let there = self.all()?.into_iter();
                let mut there: Vec<String> = there.map(|session| session.session_id).collect();
                if there.len() >= MAX_SESSIONS {
                    oldest = there.pop();
                }
                ids.retain(|one| there.contains(one));
            }
            ids.push(id.to_owned());
            Ok(ids.join("\n").into_bytes())
        })?;
        oldest.map_or(Ok(()), |oldest| self.remove(&oldest))
    }

    /// Removes a session, in whatever version it is.
    fn remove(&self, id: &str) -> Result<(), SessionFault> {
        self.change(&name_of(id), &mut |_| Ok(Vec::new()))
    }

    /// Replaces an entry by what `make` makes of it, anew whenever another change came first.
    fn change(&self, name: &CacheQuestion, make: EntryMaker<'_>) -> Result<(), SessionFault> {
        let start = Instant::now();
        loop {
            let entry = self.store.recall(name, self.good_for)?;
            let after = make(entry.as_ref())?;
            if self.replace(name, entry.as_ref(), &after)? {
                return Ok(());
            }
            if start.elapsed() > RETRY_TIMEOUT {
                return Err(PersistentFault::Busy.into());
            }
            thread::yield_now();
        }
    }

    fn replace(
        &self,
        name: &CacheQuestion,
        before: Option<&PersistentEntry>,
        after: &[u8],
    ) -> Result<bool, PersistentFault> {
        let change = PersistentChange {
            before: before.map(|before| before.version),
            after: after.to_vec(),
            good_for: self.good_for,
        };
        self.store.change(name, change)
    }
}

/// Returns the present time.
#[must_use]
pub fn now() -> String {
    rfc_3339(SystemTime::now())
}

fn encoded(session: &ResearchSession) -> Result<Vec<u8>, SessionFault> {
    let bytes = serde_json::to_vec(session).map_err(|_| PersistentFault::Refused)?;
    if bytes.len() > MAX_SESSION_BYTES {
        return Err(SessionFault::Full);
    }
    Ok(bytes)
}

/// Returns the session in an entry, if there is one.
fn decoded(entry: Option<&PersistentEntry>) -> Option<ResearchSession> {
    serde_json::from_slice(&entry?.bytes).ok()
}

/// Returns the names in the list of sessions.
fn listed(entry: Option<&PersistentEntry>) -> Vec<String> {
    let text = entry.map(|entry| String::from_utf8_lossy(&entry.bytes));
    let ids = text.iter().flat_map(|text| text.lines());
    ids.map(str::to_owned).collect()
}

/// Returns a new UUID of version 4 (RFC 9562, section 5.4); `None` without a source of randomness.
fn new_name() -> Option<String> {
    let number: [u8; 16] = rand::generate(&SystemRandom::new()).ok()?.expose();
    let number = u128::from_be_bytes(number);
    let number = number & !(0xf << 76) & !(3 << 62) | 4 << 76 | 2 << 62;
    let digits = format!("{number:032x}");
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]);
    Some(parts.join("-"))
}

/// Returns the name of the entry of the session called `id`; an error if no session is called so.
fn known_name(id: &str) -> Result<CacheQuestion, SessionFault> {
    let id = id.trim().to_ascii_lowercase();
    let digit = |(index, byte): (usize, u8)| match index {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    if id.len() != 36 || !id.bytes().enumerate().all(digit) {
        return Err(SessionFault::Unknown);
    }
    Ok(name_of(&id))
}

fn name_of(id: &str) -> CacheQuestion {
    CacheQuestion::new("session", VERSION).with("id", Some(id))
}

fn list_name() -> CacheQuestion {
    CacheQuestion::new("sessions", VERSION)
}
