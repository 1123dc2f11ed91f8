//! The sessions of clients: their owners, their number, and the work that ends with them.
//!
//! The protocol's side of a session is the SDK's (`LocalSessionManager`). This one decides around
//! it which requests may have one: a session belongs to its token, and for all others it does not
//! exist. Sessions that are idle for a minute end, and the longest idle one makes room for a new
//! one. The answers of calls go through [`EventStreams`], from which a client whose connection
//! broke reads on.

use std::collections::HashMap;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification,
    ProtocolVersion, RequestId, ServerJsonRpcMessage, ServerResult,
};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, SessionTransport,
};
use rmcp::transport::streamable_http_server::session::{
    ServerSseMessage, SessionId, SessionManager,
};

use super::events::{EventFeed, EventStreams, EventWriter, KEPT};
use crate::access::TokenOwner;
use iki_base::mutex::lock;
pub use requester::{RequestRefusal, SessionRequester};
use session::{ActivityGuard, ClientSession, SessionActivity, UnansweredRequest};

mod requester;
mod session;

/// Limits of the number of sessions and of their idle time.
#[derive(Clone, Copy, Debug)]
pub struct SessionLimits {
    /// Of one token.
    pub of_holder: usize,
    /// In all.
    pub in_all: usize,
    /// Time that a session is kept in which nothing is under way.
    pub idle: Duration,
}

impl SessionLimits {
    /// The limits of a server that has tokens, or has none: then all requesters are one, and the
    /// only limit is that of all sessions.
    #[must_use]
    pub fn for_server(tokens: bool) -> Self {
        if tokens {
            return LIMITS;
        }
        Self {
            of_holder: LIMITS.in_all,
            ..LIMITS
        }
    }
}

/// The limits of a server.
pub const LIMITS: SessionLimits = SessionLimits {
    of_holder: 256,
    in_all: 500,
    idle: Duration::from_secs(60),
};

/// Interval at which idle sessions are looked for.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Capacity of a session's message channel.
const CHANNEL_CAPACITY: usize = 4;

/// All sessions of a server.
#[derive(Clone, Debug)]
pub struct ClientSessions(Arc<SessionTable>);

#[derive(Debug)]
struct SessionTable {
    limits: SessionLimits,
    sdk: LocalSessionManager,
    open: Mutex<HashMap<SessionId, Arc<ClientSession>>>,
    events: Arc<EventStreams>,
    /// True while a task looks for idle sessions.
    looking: AtomicBool,
}

impl ClientSessions {
    /// An empty table.
    #[must_use]
    pub fn new(limits: SessionLimits) -> Self {
        let mut sdk = LocalSessionManager::default();
        sdk.session_config.channel_capacity = CHANNEL_CAPACITY;
        // This table decides about idle sessions, and about the beginning of streams.
        sdk.session_config.keep_alive = None;
        sdk.session_config.sse_retry = None;
        sdk.session_config.completed_cache_ttl = Duration::ZERO;
        Self(Arc::new(SessionTable {
            limits,
            sdk,
            open: Mutex::default(),
            events: EventStreams::new(KEPT),
            looking: AtomicBool::new(false),
        }))
    }

    /// True if the session exists and is `holder`'s.
    #[must_use]
    pub fn has(&self, holder: Option<&TokenOwner>, id: &str) -> bool {
        let open = lock(&self.0.open);
        open.get(id)
            .is_some_and(|session| session.holder.as_ref() == holder)
    }

    /// The session, if it is the present requester's.
    fn of_requester(&self, id: &SessionId) -> Option<Arc<ClientSession>> {
        let open = lock(&self.0.open);
        let session = open.get(id)?;
        SessionRequester::is_holder(session.holder.as_ref()).then(|| Arc::clone(session))
    }

    fn find_session(&self, id: &SessionId) -> Result<Arc<ClientSession>, SessionRefusal> {
        self.of_requester(id).ok_or(SessionRefusal::Unknown)
    }
}

impl SessionTable {
    /// Ends a session and its calls.
    async fn end(&self, id: &SessionId) {
        let session = lock(&self.open).remove(id);
        if let Some(session) = session {
            session.gone.send_replace(true);
        }
        self.events.forget(id);
        // It fails only if the session has ended already.
        let _ = self.sdk.close_session(id).await;
    }

    /// The session to end first, among those whose holders fit: the one that was idle for longest,
    /// else the least recently used one without a call under way.
    fn eviction_candidate(&self, of: impl Fn(Option<&TokenOwner>) -> bool) -> Option<SessionId> {
        let open = lock(&self.open);
        let sessions = open.iter();
        let sessions = sessions.filter(|(_, session)| of(session.holder.as_ref()));
        let used = sessions.map(|(id, session)| (session.used(), id));
        let may_go = used.filter(|(used, _)| used.calls == 0);
        let first = may_go.min_by_key(|(used, _)| (used.now > 0, used.last));
        first.map(|(_, id)| Arc::clone(id))
    }

    /// Makes room for one more session of `holder`.
    async fn make_room(&self, holder: Option<&TokenOwner>) -> Result<(), SessionRefusal> {
        loop {
            let (own_count, all) = {
                let open = lock(&self.open);
                let sessions = open.values();
                let own_sessions = sessions.filter(|session| session.holder.as_ref() == holder);
                (own_sessions.count(), open.len())
            };
            let own_is_full = own_count >= self.limits.of_holder;
            if !own_is_full && all < self.limits.in_all {
                return Ok(());
            }
            let first = self.eviction_candidate(|of| !own_is_full || of == holder);
            self.end(&first.ok_or(SessionRefusal::Full)?).await;
        }
    }

    /// Ends sessions as they become idle, for as long as there are any.
    async fn end_idle_sessions(self: Arc<Self>) {
        loop {
            tokio::time::sleep(CHECK_INTERVAL.min(self.limits.idle)).await;
            let idle: Vec<SessionId> = {
                let open = lock(&self.open);
                if open.is_empty() {
                    self.looking.store(false, Ordering::Relaxed);
                    return;
                }
                let idle = open.iter().filter(|(_, session)| {
                    let used = session.used();
                    used.now == 0 && used.last.elapsed() >= self.limits.idle
                });
                idle.map(|(id, _)| Arc::clone(id)).collect()
            };
            for id in idle {
                self.end(&id).await;
            }
        }
    }

    /// Passes on the messages for a call, until it has its answer or its client has left for good.
    async fn forward_messages(
        self: Arc<Self>,
        session: SessionId,
        mut request: Option<UnansweredRequest>,
        from: impl Stream<Item = ServerSseMessage>,
        mut to: EventWriter,
    ) {
        let id = request.as_ref().map(|request| request.id.clone());
        let mut from = pin!(from);
        let mut cancelled = false;
        loop {
            let next = std::future::poll_fn(|context| from.as_mut().poll_next(context));
            tokio::select! {
                event = next => match event {
                    None => return,
                    Some(event) => {
                        if let Some(message) = event.message {
                            if is_answer(&message) {
                                drop(request.take());
                            }
                            to.write(&message);
                        }
                    }
                },
                () = to.wait_until_abandoned(), if !cancelled => {
                    cancelled = true;
                    let message = cancellation(id.clone());
                    // It fails only if the session has ended, and with it the call.
                    let _ = self.sdk.accept_message(&session, message).await;
                }
            }
        }
    }
}

/// True if this message is the last one for its request.
fn is_answer(message: &ServerJsonRpcMessage) -> bool {
    matches!(
        message,
        ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_)
    )
}

/// The message by which a client ends its call.
fn cancellation(request: Option<RequestId>) -> ClientJsonRpcMessage {
    let reason = Some("the client hung up".to_owned());
    let params = CancelledNotificationParam::new(request, reason);
    let notification = CancelledNotification::new(params);
    ClientJsonRpcMessage::notification(ClientNotification::CancelledNotification(notification))
}

/// A stream to a client, under way in its session until it is dropped.
struct SessionStream<S> {
    stream: S,
    _under: ActivityGuard,
}

impl<S: Stream + Unpin> Stream for SessionStream<S> {
    type Item = S::Item;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<S::Item>> {
        Pin::new(&mut self.stream).poll_next(context)
    }
}

/// The reason why something of a session is not done.
#[derive(Debug, thiserror::Error)]
pub enum SessionRefusal {
    /// The requester has no such session.
    #[error("there is no such session")]
    Unknown,
    /// The session has no such event.
    #[error("there is no such event to resume from")]
    NoSuchEvent,
    /// Each session that could make room has a call under way.
    #[error("every session has a call under way; try again later")]
    Full,
    /// A request with this id has no answer yet.
    #[error("a request with this id has no answer yet")]
    SameId,
    /// An error of the protocol's side.
    #[error(transparent)]
    Sdk(#[from] LocalSessionManagerError),
}

impl SessionManager for ClientSessions {
    type Error = SessionRefusal;
    type Transport = SessionTransport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), SessionRefusal> {
        let (holder, gone) =
            SessionRequester::new_session_owner().ok_or(SessionRefusal::Unknown)?;
        let shared = &self.0;
        let room = shared.make_room(holder.as_ref()).await;
        if matches!(room, Err(SessionRefusal::Full)) {
            SessionRequester::record_refusal(RequestRefusal::NoRoom);
        }
        room?;
        let (id, transport) = shared.sdk.create_session().await?;
        let session = ClientSession::new(holder, gone);
        lock(&shared.open).insert(Arc::clone(&id), Arc::new(session));
        if !shared.looking.swap(true, Ordering::Relaxed) {
            tokio::spawn(Arc::clone(shared).end_idle_sessions());
        }
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionRefusal> {
        let session = self.find_session(id)?;
        let _call = session.begin_activity(SessionActivity::Call);
        let answer = self.0.sdk.initialize_session(id, message).await?;
        if let ServerJsonRpcMessage::Response(response) = &answer
            && let ServerResult::InitializeResult(result) = &response.result
        {
            let knows = result.protocol_version >= ProtocolVersion::V_2025_11_25;
            session.primed.store(knows, Ordering::Relaxed);
        }
        Ok(answer)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionRefusal> {
        Ok(self.of_requester(id).is_some())
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionRefusal> {
        // A session that has ended by itself is reported outside any request.
        if !SessionRequester::is_there() || self.of_requester(id).is_some() {
            self.0.end(id).await;
        }
        Ok(())
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionRefusal> {
        let session = self.find_session(id)?;
        let request = match &message {
            ClientJsonRpcMessage::Request(request) => {
                let new = session.begin_request(&request.id);
                if new.is_none() {
                    SessionRequester::record_refusal(RequestRefusal::SameId);
                }
                Some(new.ok_or(SessionRefusal::SameId)?)
            }
            _ => None,
        };
        let (call, stream) = (
            session.begin_activity(SessionActivity::Call),
            session.begin_activity(SessionActivity::Stream),
        );
        let from = self.0.sdk.create_stream(id, message).await?;
        let primed = session.primed.load(Ordering::Relaxed);
        let (to, feed) = self.0.events.open(id, primed);
        let (shared, id) = (Arc::clone(&self.0), Arc::clone(id));
        tokio::spawn(async move {
            shared.forward_messages(id, request, from, to).await;
            drop(call);
        });
        Ok(into_sse_stream(feed, stream))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), SessionRefusal> {
        let session = self.find_session(id)?;
        let _under = session.begin_activity(SessionActivity::Stream);
        Ok(self.0.sdk.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionRefusal> {
        let under = self
            .find_session(id)?
            .begin_activity(SessionActivity::Stream);
        let stream = self.0.sdk.create_standalone_stream(id).await?;
        Ok(SessionStream {
            stream: Box::pin(stream),
            _under: under,
        })
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionRefusal> {
        let session = self.find_session(id)?;
        let feed = self.0.events.resume(id, &last_event_id);
        let feed = feed.ok_or(SessionRefusal::NoSuchEvent)?;
        Ok(into_sse_stream(
            feed,
            session.begin_activity(SessionActivity::Stream),
        ))
    }
}

fn into_sse_stream(stream: EventFeed, under: ActivityGuard) -> SessionStream<EventFeed> {
    SessionStream {
        stream,
        _under: under,
    }
}

#[cfg(test)]
mod tests;
