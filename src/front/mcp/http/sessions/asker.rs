//! Who asks, while a request is answered: the protocol's own service tells a session manager
//! nothing of the request's token, and answers whatever it is refused with a failure of the
//! server's.

use std::cell::Cell;

use tokio::sync::watch;

use crate::access::TokenOwner;

tokio::task_local! {
    static ASKER: Asker;
}

/// Who asks.
#[derive(Debug)]
pub struct Asker {
    /// None, where nothing tells.
    holder: Option<TokenOwner>,
    /// For the session that this request begins, if it begins one.
    pub(super) gone: watch::Sender<bool>,
    told: Cell<Option<Told>>,
}

/// What an asker is told in place of what the protocol's own service would say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// There is no room for the session that the request was to begin.
    NoRoom,
    /// A request of its session with the same id has no answer yet.
    SameId,
}

impl Asker {
    /// The holder of a token, as far as anything is known of one.
    #[must_use]
    pub fn new(holder: Option<TokenOwner>) -> Self {
        Self {
            holder,
            gone: watch::channel(false).0,
            told: Cell::new(None),
        }
    }

    /// Answers a request of this asker's.
    pub async fn answered<T>(self, answer: impl Future<Output = T>) -> T {
        ASKER.scope(self, answer).await
    }

    /// Tells the present asker, if there is one.
    pub(super) fn tell(told: Told) {
        let _ = ASKER.try_with(|asker| asker.told.set(Some(told)));
    }

    /// What the present asker was told.
    #[must_use]
    pub fn told() -> Option<Told> {
        ASKER.try_with(|asker| asker.told.get()).ok().flatten()
    }

    /// What becomes true when the session ends that the present request begins.
    #[must_use]
    pub fn going() -> watch::Receiver<bool> {
        let going = ASKER.try_with(|asker| asker.gone.subscribe());
        going.unwrap_or_else(|_| watch::channel(false).1)
    }

    /// Whose session the present request begins, and what tells that it has ended.
    pub(super) fn begins() -> Option<(Option<TokenOwner>, watch::Sender<bool>)> {
        let begins = ASKER.try_with(|asker| (asker.holder.clone(), asker.gone.clone()));
        begins.ok()
    }

    /// Whether the present asker is this holder.
    pub(super) fn is(holder: Option<&TokenOwner>) -> bool {
        let is = ASKER.try_with(|asker| asker.holder.as_ref() == holder);
        is.unwrap_or(false)
    }

    /// Whether anybody asks.
    pub(super) fn is_there() -> bool {
        ASKER.try_with(|_| ()).is_ok()
    }
}
