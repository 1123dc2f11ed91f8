//! The server over HTTP ("Streamable HTTP" under "Transports" in the protocol's specification): one
//! address, one thread, many clients.
//!
//! The protocol itself is the SDK's service. The code in front of it here decides which requests
//! get in, and how much of the machine they may take.
//!
//! | module | what it is |
//! |---|---|
//! | `answer` | the body of an answer, and what lasts until it has been sent |
//! | `connections` | the limits of their number and silence, and the order of closing |
//! | `listener` | the listener: connections come in here, and signals |
//! | `gate` | the checks of a request before it is let in |
//! | `message` | a request's body, as far as the gate has to know it |
//! | `events` | the messages of streams, kept for clients that resume one |
//! | `refusal` | the answer to a request that is not let in |
//! | `service` | the protocol's own service, without sessions or with them |
//! | `sessions` | their owners, their number and their time |
//! | `tls` | TLS beneath it |

mod answer;
mod connections;
mod events;
mod gate;
mod listener;
mod message;
mod refusal;
mod service;
mod sessions;
mod tls;
mod watched_stream;

use std::sync::Arc;

use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::header::CONTENT_TYPE;
use hyper::http::{HeaderValue, Request, Response};
use hyper::{Method, StatusCode};
use rmcp::transport::StreamableHttpServerConfig;
use serde_json::Value;

use crate::http::answer::{ResponseBody, guarded_body};
use crate::http::connections::RequestGuard;
use crate::http::gate::{AdmittedRequest, MessagePermit, RequestGate};
use crate::http::refusal::HttpRefusal;
use crate::http::service::ProtocolService;
use crate::http::sessions::SessionLimits;
use crate::log;
use crate::operator_reports::{self, OperatorReports};
use crate::options::HttpOptions;
use crate::server::ServerSetup;
use crate::server_signals::ServerSignals;

/// Path of the protocol's endpoint.
const PATH: &str = "/mcp";

/// Path at which the server says how it is.
const HEALTH: &str = "/health";

/// Path of its metrics.
const METRICS: &str = "/metrics";

/// Content type of most answers.
const JSON: &str = "application/json";

/// Maximum length of a refusal of the SDK that is passed on, in bytes.
const MAX_REASON_BYTES: usize = 1000;

/// Everything that answers requests.
struct HttpSite {
    gate: RequestGate,
    service: ProtocolService,
    setup: Arc<ServerSetup>,
    reports: Arc<OperatorReports>,
}

/// Serves until a signal ends it. An error is a sentence for the log.
pub async fn serve(
    http: HttpOptions,
    setup: Arc<ServerSetup>,
    reports: Arc<OperatorReports>,
) -> Result<(), String> {
    let keys = RequestGate::read_keys(&http, &setup)?;
    let signals = ServerSignals::listen()?;
    let listener = listener::listen(http.address)
        .map_err(|error| format!("cannot listen on {}: {error}", http.address))?;
    let address = listener.local_addr().unwrap_or(http.address);
    let limit = listener::most_connections();
    let gate = RequestGate::new(&http, address, keys, limit);
    let scheme = if gate.tls().is_some() {
        "https"
    } else {
        "http"
    };
    // The gate has checked the names, for all paths.
    let config = StreamableHttpServerConfig::default().disable_allowed_hosts();
    let sessions = http
        .offers_sessions
        .then(|| SessionLimits::for_server(http.tokens.is_some()));
    let service = ProtocolService::new(Arc::clone(&setup), sessions, config);
    log(&format!("listening on {scheme}://{address}{PATH}"));
    let site = Arc::new(HttpSite {
        gate,
        service,
        setup,
        reports,
    });
    listener::accept_connections(listener, site, signals, limit).await;
    Ok(())
}

impl HttpSite {
    /// Answers any request: the one place that all requests pass.
    async fn answer(
        &self,
        request: Request<Incoming>,
        work: RequestGuard,
    ) -> Response<ResponseBody> {
        if let Some(response) = self.answer_operator(&request, &work) {
            self.count(&response);
            return response.map(|body| guarded_body(body, work));
        }
        let is_whole = request.body().is_end_stream();
        let (response, room) = match self.admit(request, &work).await {
            Ok(admitted) => self.answer_admitted(admitted).await,
            Err(refusal) if is_whole => (refusal.read().into_response(), None),
            Err(refusal) => (refusal.into_response(), None),
        };
        self.count(&response);
        response.map(|body| guarded_body(body, (room, work)))
    }

    /// Counts a refusal.
    fn count<B>(&self, response: &Response<B>) {
        let status = response.status();
        if status.is_client_error() || status.is_server_error() {
            self.reports.record_refusal(status.as_u16());
        }
    }

    /// Answers the operator, who wants to know how the server is: that it is there without a token,
    /// the rest only with one.
    fn answer_operator(
        &self,
        request: &Request<Incoming>,
        work: &RequestGuard,
    ) -> Option<Response<ResponseBody>> {
        let path = request.uri().path();
        if !matches!(path, HEALTH | METRICS) {
            return None;
        }
        let refused = |refusal: HttpRefusal| Some(refusal.unread().into_response());
        if let Err(refusal) = self.gate.check_names(request) {
            return refused(refusal);
        }
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return refused(HttpRefusal::wrong_method("GET, HEAD"));
        }
        let holder = self.gate.authenticate(request.headers());
        let sharing = self.setup.sharing();
        let (kind, text) = match (path, holder) {
            (HEALTH, Err(_)) => (JSON, operator_reports::ALIVE.into()),
            (HEALTH, Ok(_)) => {
                let health = self.reports.health(sharing.as_ref());
                (JSON, health.to_string().into())
            }
            (_, Err(refusal)) => return refused(refusal),
            (_, Ok(_)) => {
                let connections = work.connections();
                let metrics = self.reports.metrics(connections, sharing.as_ref());
                (operator_reports::TEXT_FORM, metrics.into())
            }
        };
        let mut response = Response::new(answer::whole_body(text));
        let kind = HeaderValue::from_static(kind);
        response.headers_mut().insert(CONTENT_TYPE, kind);
        Some(response)
    }

    async fn admit(
        &self,
        request: Request<Incoming>,
        work: &RequestGuard,
    ) -> Result<AdmittedRequest, HttpRefusal> {
        self.gate
            .check_names(&request)
            .map_err(HttpRefusal::unread)?;
        match request.uri().path() {
            PATH => {
                let (methods, named) = self.service.methods();
                self.gate.admit(request, methods, named, work).await
            }
            _ => Err(HttpRefusal::new(
                StatusCode::NOT_FOUND,
                format!("there is nothing here: the protocol is spoken at {PATH}"),
            )
            .unread()),
        }
    }

    /// Answers a request of the protocol that has passed all checks.
    async fn answer_admitted(
        &self,
        admitted: AdmittedRequest,
    ) -> (Response<ResponseBody>, Option<MessagePermit>) {
        let id = admitted.message.map(|message| message.id);
        let id = id.unwrap_or_default();
        let response = match self.service.handle(admitted.request).await {
            Ok(response) => in_json(response, id).await,
            Err(refusal) => refusal.with_id(id).into_response(),
        };
        (response, Some(admitted.room))
    }
}

/// Turns a refusal of the SDK's in plain text, which no client expects, into an error of JSON-RPC.
async fn in_json(response: Response<ResponseBody>, id: Value) -> Response<ResponseBody> {
    let status = response.status();
    let kind = response.headers().get(CONTENT_TYPE);
    if status.is_success() || kind.is_some_and(|kind| kind == "application/json") {
        return response;
    }
    // The content type was checked before: with this status the SDK refuses a message that it
    // cannot read.
    if status == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        let message = "the message is not as the protocol has it: see the method's own parameters";
        return HttpRefusal::new(StatusCode::BAD_REQUEST, message)
            .with_id(id)
            .into_response();
    }
    let (parts, body) = response.into_parts();
    let text = body
        .collect()
        .await
        .map(http_body_util::Collected::to_bytes);
    let text = text.unwrap_or_default();
    let text = String::from_utf8_lossy(text.get(..MAX_REASON_BYTES).unwrap_or(&text));
    let mut response = HttpRefusal::new(status, text.into_owned())
        .with_id(id)
        .into_response();
    if let Some(allow) = parts.headers.get(hyper::header::ALLOW) {
        let headers = response.headers_mut();
        headers.insert(hyper::header::ALLOW, allow.clone());
    }
    response
}
