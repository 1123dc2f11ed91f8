//! The protocol's own service, with or without sessions: only this module knows which.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::{Body, Bytes};
use hyper::http::{Method, Request, Response, StatusCode};
use rmcp::transport::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::tower::StreamableHttpService;
use tokio::sync::watch;

use crate::access::TokenOwner;
use crate::http::answer::{self, ResponseBody};
use crate::http::refusal::HttpRefusal;
use crate::http::sessions::{
    ClientSessions, LIMITS, RequestRefusal, SessionLimits, SessionRequester,
};
use crate::server::{ServerSetup, ToolServer};

/// Time after which a client that found no room for a session may try again: calls end at any time.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// The header by which a client names its session.
const SESSION: &str = "mcp-session-id";

/// The service. One type serves both cases, because it has room for sessions.
#[derive(Clone)]
pub struct ProtocolService {
    protocol: StreamableHttpService<ToolServer, ClientSessions>,
    /// Sessions for clients of the revisions that know them, if they may have them.
    sessions: Option<ClientSessions>,
}

impl ProtocolService {
    /// The service of this server, with `sessions` within these limits or without.
    pub fn new(
        setup: Arc<ServerSetup>,
        sessions: Option<SessionLimits>,
        config: StreamableHttpServerConfig,
    ) -> Self {
        // Answers are JSON, unless a call reports progress; the sessions decide how streams begin.
        let config = config
            .with_legacy_session_mode(sessions.is_some())
            .with_json_response(true)
            .with_sse_retry(None);
        let has_sessions = sessions.is_some();
        let sessions = ClientSessions::new(sessions.unwrap_or(LIMITS));
        let (_, going) = watch::channel(false);
        let server = move || {
            let going = if has_sessions {
                SessionRequester::end_signal()
            } else {
                going.clone()
            };
            Ok(ToolServer::new(Arc::clone(&setup), going))
        };
        let manager = Arc::new(sessions.clone());
        Self {
            protocol: StreamableHttpService::new(server, manager, config),
            sessions: has_sessions.then_some(sessions),
        }
    }

    /// The methods that it takes, and their names for a client that sends another.
    pub fn methods(&self) -> (&'static [Method], &'static str) {
        match self.sessions {
            None => (&[Method::POST], "POST"),
            Some(_) => (
                &[Method::POST, Method::GET, Method::DELETE],
                "POST, GET, DELETE",
            ),
        }
    }

    /// Answers a request, whose extensions hold the [`TokenOwner`] of its token.
    ///
    /// # Errors
    /// There is no room for the session that it would begin, or another request of its session has
    /// its id.
    pub async fn handle<B>(
        &self,
        request: Request<B>,
    ) -> Result<Response<ResponseBody>, HttpRefusal>
    where
        B: Body + Send + 'static,
        B::Error: Display,
    {
        let holder = request.extensions().get::<TokenOwner>().cloned();
        let named = request.headers().get(SESSION);
        if request.method() == Method::DELETE
            && let Some(sessions) = &self.sessions
            && let Some(id) = named.and_then(|id| id.to_str().ok())
            && !sessions.has(holder.as_ref(), id)
        {
            return Ok(no_such_session());
        }
        // In a box, so that connections do not have room for it while they are silent.
        let answer = Box::pin(self.protocol.handle(request));
        if self.sessions.is_none() {
            return Ok(answer.await);
        }
        let answer = async {
            let response = answer.await;
            match SessionRequester::refusal() {
                None => Ok(response),
                Some(RequestRefusal::NoRoom) => Err(session_limit_reached()),
                Some(RequestRefusal::SameId) => Err(duplicate_request_id()),
            }
        };
        SessionRequester::new(holder).answered(answer).await
    }
}

/// The service's own answer if there is no such session.
fn no_such_session() -> Response<ResponseBody> {
    let text = Bytes::from_static(b"Not Found: Session not found");
    let mut response = Response::new(answer::whole_body(text));
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

/// The answer instead of a session if none can make room for it.
fn session_limit_reached() -> HttpRefusal {
    let seconds = RETRY_AFTER.as_secs();
    HttpRefusal::retry_later(
        StatusCode::SERVICE_UNAVAILABLE,
        format!(
            "there are as many sessions as there may be, and each has a call under way: try again \
             in {seconds} seconds, or end a session of yours"
        ),
        RETRY_AFTER,
    )
}

/// The answer to a request whose answer could not be told from another's.
fn duplicate_request_id() -> HttpRefusal {
    HttpRefusal::new(
        StatusCode::BAD_REQUEST,
        "a request of this session with the same id has no answer yet: give each request an id of \
         its own",
    )
}
