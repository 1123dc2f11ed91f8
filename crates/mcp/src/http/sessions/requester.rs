//! The requester, while a request is answered: the protocol's own service does not pass a request's
//! token to a session manager, and answers any refusal with a failure of the server's.

use std::cell::Cell;

use tokio::sync::watch;

use crate::access::TokenOwner;

tokio::task_local! {
    static REQUESTER: SessionRequester;
}

/// The sender of the request that is answered.
#[derive(Debug)]
pub struct SessionRequester {
    /// `None` without tokens.
    holder: Option<TokenOwner>,
    /// For the session that this request begins, if it begins one.
    pub(super) gone: watch::Sender<bool>,
    told: Cell<Option<RequestRefusal>>,
}

/// A refusal that replaces the one of the protocol's own service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestRefusal {
    /// No session has room for the one that the request would begin.
    NoRoom,
    /// A request of its session with the same id has no answer yet.
    SameId,
}

impl SessionRequester {
    /// The requester with this token's owner, if it has one.
    #[must_use]
    pub fn new(holder: Option<TokenOwner>) -> Self {
        Self {
            holder,
            gone: watch::channel(false).0,
            told: Cell::new(None),
        }
    }

    /// Answers a request of this requester's.
    pub async fn answered<T>(self, answer: impl Future<Output = T>) -> T {
        REQUESTER.scope(self, answer).await
    }

    /// Records a refusal for the present requester, if there is one.
    pub(super) fn record_refusal(told: RequestRefusal) {
        let _ = REQUESTER.try_with(|requester| requester.told.set(Some(told)));
    }

    /// The refusal that the present requester was told.
    #[must_use]
    pub fn refusal() -> Option<RequestRefusal> {
        REQUESTER
            .try_with(|requester| requester.told.get())
            .ok()
            .flatten()
    }

    /// A channel that becomes true when the session ends that the present request begins.
    #[must_use]
    pub fn end_signal() -> watch::Receiver<bool> {
        let going = REQUESTER.try_with(|requester| requester.gone.subscribe());
        going.unwrap_or_else(|_| watch::channel(false).1)
    }

    /// The owner of the session that the present request begins, and the channel that tells its
    /// end.
    pub(super) fn new_session_owner() -> Option<(Option<TokenOwner>, watch::Sender<bool>)> {
        let begins =
            REQUESTER.try_with(|requester| (requester.holder.clone(), requester.gone.clone()));
        begins.ok()
    }

    /// True if the present requester is this holder.
    pub(super) fn is_holder(holder: Option<&TokenOwner>) -> bool {
        let is = REQUESTER.try_with(|requester| requester.holder.as_ref() == holder);
        is.unwrap_or(false)
    }

    /// True within a request.
    pub(super) fn is_there() -> bool {
        REQUESTER.try_with(|_| ()).is_ok()
    }
}
