//! One session: the activities under way in it, and its requests without an answer.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard};

use rmcp::model::RequestId;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::access::TokenOwner;
use iki_base::mutex::lock;

#[derive(Debug)]
pub struct ClientSession {
    pub holder: Option<TokenOwner>,
    /// True if its client knows events without content.
    pub primed: AtomicBool,
    pub gone: watch::Sender<bool>,
    used: Mutex<SessionUse>,
    /// The requests that have no answer yet.
    unanswered: Mutex<HashSet<RequestId>>,
}

/// The use of a session.
#[derive(Clone, Copy, Debug)]
pub struct SessionUse {
    /// Calls and streams under way.
    pub now: usize,
    /// Calls among them.
    pub calls: usize,
    /// The time at which an activity began or ended last.
    pub last: Instant,
}

impl ClientSession {
    /// A fresh session of `holder`.
    pub fn new(holder: Option<TokenOwner>, gone: watch::Sender<bool>) -> Self {
        Self {
            holder,
            primed: AtomicBool::new(false),
            gone,
            used: Mutex::new(SessionUse {
                now: 0,
                calls: 0,
                last: Instant::now(),
            }),
            unanswered: Mutex::default(),
        }
    }

    /// Its use now.
    pub fn used(&self) -> SessionUse {
        *lock(&self.used)
    }

    fn unanswered(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        lock(&self.unanswered)
    }

    /// Records that a request begins, until the returned value is dropped. Returns `None` if one
    /// with the same id has no answer yet, because their answers could not be told apart.
    pub fn begin_request(self: &Arc<Self>, id: &RequestId) -> Option<UnansweredRequest> {
        let is_new = self.unanswered().insert(id.clone());
        is_new.then(|| UnansweredRequest {
            session: Arc::clone(self),
            id: id.clone(),
        })
    }

    /// Records that an activity begins, until the returned guard is dropped.
    pub fn begin_activity(self: &Arc<Self>, what: SessionActivity) -> ActivityGuard {
        let under = ActivityGuard {
            session: Arc::clone(self),
            what,
        };
        under.update_count(|count| count.saturating_add(1));
        under
    }
}

/// A request that has no answer yet.
#[derive(Debug)]
pub struct UnansweredRequest {
    session: Arc<ClientSession>,
    pub id: RequestId,
}

impl Drop for UnansweredRequest {
    fn drop(&mut self) {
        self.session.unanswered().remove(&self.id);
    }
}

/// An activity that may be under way in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionActivity {
    Call,
    Stream,
}

/// An activity under way, until this is dropped.
#[derive(Debug)]
pub struct ActivityGuard {
    session: Arc<ClientSession>,
    what: SessionActivity,
}

impl ActivityGuard {
    fn update_count(&self, change: impl Fn(usize) -> usize) {
        let mut used = lock(&self.session.used);
        used.now = change(used.now);
        if self.what == SessionActivity::Call {
            used.calls = change(used.calls);
        }
        used.last = Instant::now();
    }
}

impl Drop for ActivityGuard {
    fn drop(&mut self) {
        self.update_count(|count| count.saturating_sub(1));
    }
}
