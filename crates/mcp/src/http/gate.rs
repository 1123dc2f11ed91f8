//! Admission of requests: the checks of a request's head, before anything of its body is read, and
//! then those of its body.
//!
//! Rules: "Streamable HTTP" under "Transports" and "Access Token Usage" under "Authorization" in
//! the protocol's specification; RFC 6750 for tokens.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN,
};
use hyper::http::Request;
use hyper::{Method, StatusCode, Version};
use tokio_rustls::TlsAcceptor;

use crate::access::{
    FairSlots, HeldSlot, RequestAllowance, RequestKind, RequestPermit, ServerNames, ServerSchemes,
    TokenOwner, TokenTable,
};
use crate::http::connections::RequestGuard;
use crate::http::message::{self, MAX_CONCURRENT_LARGE_BODIES};
use crate::http::refusal::HttpRefusal;
use crate::http::tls;
use crate::incoming_message::IncomingMessage;
use crate::log;
use crate::options::HttpOptions;
use crate::server::ServerSetup;
use iki_base::mutex::lock;
use iki_process::sandbox::confinement::Sensitivity;

/// Name of the caller of a server without tokens.
const LOCAL: &str = "local";

/// Challenge for a request without a token, and for one with a wrong token.
const NO_TOKEN: &str = "Bearer";
const BAD_TOKEN: &str = "Bearer error=\"invalid_token\"";

/// Time after which a client that found no room may try again: others leave at any time.
const DEFAULT_RETRY_AFTER: Duration = Duration::from_secs(1);

/// The types of content that a client has to accept: the call decides which one it gets.
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const ANYTHING: &str = "*/*";

/// The checks that a request passes before it is let in.
pub struct RequestGate {
    names: ServerNames,
    files: KeyFiles,
    keys: Mutex<Arc<ServerKeys>>,
    calls_per_second: NonZeroU32,
    calls_at_once: NonZeroU32,
    allowances: Mutex<HashMap<TokenOwner, Arc<RequestAllowance>>>,
    /// The requests that may be under way, from their heads to the end of their answers.
    requests: Arc<FairSlots>,
    /// The large bodies that may be on their way.
    large_bodies: Arc<FairSlots>,
}

/// Paths of the files with tokens, certificate and key.
struct KeyFiles {
    tokens: Option<PathBuf>,
    certificate: Option<(PathBuf, PathBuf)>,
}

/// Content of those files.
pub struct ServerKeys {
    tokens: Option<TokenTable>,
    tls: Option<TlsAcceptor>,
}

/// A request that is let in, with its body and its holder.
pub struct AdmittedRequest {
    /// The request with its message's envelope as its body. Its extensions have the holder, and
    /// the arguments of a call.
    pub request: Request<Full<Bytes>>,
    /// The message in its body, if it has one.
    pub message: Option<IncomingMessage>,
    /// The room that it takes, until this is dropped.
    pub room: MessagePermit,
}

/// A place among the requests under way, and the permit for its call.
pub struct MessagePermit {
    _place: HeldSlot,
    _permit: RequestPermit,
}

impl RequestGate {
    /// Reads the keys of a server from its files.
    ///
    /// # Errors
    /// A sentence about the file and its fault.
    pub fn read_keys(http: &HttpOptions, setup: &ServerSetup) -> Result<ServerKeys, String> {
        KeyFiles::from_options(http).read(setup)
    }

    /// The gate of a server that listens on `address` and has so many connections at a time.
    pub fn new(
        http: &HttpOptions,
        address: SocketAddr,
        keys: ServerKeys,
        connections: usize,
    ) -> Self {
        let schemes = match (http.behind_proxy, keys.tls.is_some()) {
            (true, _) => ServerSchemes::Either,
            (false, true) => ServerSchemes::Secure,
            (false, false) => ServerSchemes::Plain,
        };
        Self {
            names: ServerNames::new(address, schemes, &http.allowed_hosts),
            files: KeyFiles::from_options(http),
            keys: Mutex::new(Arc::new(keys)),
            calls_per_second: http.calls_per_second,
            calls_at_once: http.calls_at_once,
            allowances: Mutex::default(),
            requests: FairSlots::new(connections, http.tokens.is_some()),
            large_bodies: FairSlots::new(MAX_CONCURRENT_LARGE_BODIES, http.tokens.is_some()),
        }
    }

    /// The acceptor for TLS, if the server speaks it.
    pub fn tls(&self) -> Option<TlsAcceptor> {
        self.keys_now().tls.clone()
    }

    /// Reads the files again. If one of them is bad, everything stays as it was.
    pub fn reload_keys(&self, setup: &ServerSetup) {
        match self.files.read(setup) {
            Ok(keys) => {
                lock(&self.allowances).retain(|holder, _| {
                    let tokens = keys.tokens.as_ref();
                    tokens.is_none_or(|tokens| tokens.has_name(holder.name()))
                });
                *lock(&self.keys) = Arc::new(keys);
                log("tokens, certificate and key are read again");
            }
            Err(reason) => log(&format!("nothing is changed: {reason}")),
        }
    }

    fn keys_now(&self) -> Arc<ServerKeys> {
        Arc::clone(&lock(&self.keys))
    }

    /// Checks that a request is meant for this server, and does not come from a foreign web page.
    pub fn check_names<B>(&self, request: &Request<B>) -> Result<(), HttpRefusal> {
        if request.version() != Version::HTTP_11 {
            let message = "this server speaks HTTP/1.1 alone";
            return Err(HttpRefusal::new(
                StatusCode::HTTP_VERSION_NOT_SUPPORTED,
                message,
            ));
        }
        let bad = |message| HttpRefusal::new(StatusCode::BAD_REQUEST, message);
        let host = match read_header(request.headers(), &HOST) {
            SingleHeader::Is(host) => host,
            SingleHeader::None => return Err(bad("the header Host is missing")),
            SingleHeader::Bad => return Err(bad("the header Host has to be there once, as text")),
        };
        // A client that names the server in the request's target as well has to name the same one.
        let target = request.uri().authority();
        if target.is_some_and(|target| !target.as_str().eq_ignore_ascii_case(host)) {
            return Err(bad(
                "the request's target names another host than the header Host",
            ));
        }
        match self.names.match_host(host) {
            Some(true) => {}
            Some(false) => {
                return Err(HttpRefusal::new(
                    StatusCode::FORBIDDEN,
                    "this server does not answer to the name in the header Host: use the address \
                     that it listens on, or have it started with --allowed-host",
                ));
            }
            None => return Err(bad("the header Host is no host's name")),
        }
        match read_header(request.headers(), &ORIGIN) {
            SingleHeader::None => Ok(()),
            SingleHeader::Is(origin) if self.names.match_origin(origin) => Ok(()),
            SingleHeader::Is(_) | SingleHeader::Bad => Err(HttpRefusal::new(
                StatusCode::FORBIDDEN,
                "this server takes no requests from pages of other origins (the header Origin)",
            )),
        }
    }

    /// Identifies the holder of the request's token.
    pub fn authenticate(&self, headers: &HeaderMap) -> Result<TokenOwner, HttpRefusal> {
        let keys = self.keys_now();
        let Some(tokens) = &keys.tokens else {
            return Ok(TokenOwner::new(LOCAL));
        };
        let wrong = || {
            HttpRefusal::unauthenticated(
                BAD_TOKEN,
                "the token in the header Authorization is not one of this server's: ask whoever \
                 runs it",
            )
        };
        let given = match read_header(headers, &AUTHORIZATION) {
            SingleHeader::Is(given) => given,
            SingleHeader::Bad => return Err(wrong()),
            SingleHeader::None => return Err(missing_token()),
        };
        let (scheme, token) = given.split_once(' ').unwrap_or((given, ""));
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(missing_token());
        }
        let token = token.trim_matches(' ');
        tokens.holder(token.as_bytes()).cloned().ok_or_else(wrong)
    }

    /// Lets in a request to the protocol's own path, which takes the `methods`. Its place is taken
    /// before any of its body is read: a body that does not come costs only its sender.
    pub async fn admit(
        &self,
        request: Request<Incoming>,
        methods: &'static [Method],
        named: &'static str,
        work: &RequestGuard,
    ) -> Result<AdmittedRequest, HttpRefusal> {
        let (mut parts, body) = request.into_parts();
        if !methods.contains(&parts.method) {
            return Err(HttpRefusal::wrong_method(named).unread());
        }
        let holder = self
            .authenticate(&parts.headers)
            .map_err(HttpRefusal::unread)?;
        work.mark_admitted();
        let place = self.requests.take(&holder);
        let place = place.ok_or_else(|| too_many_at_once("requests"))?;
        let (message, bytes) = if parts.method == Method::POST {
            check_kinds(&parts.headers).map_err(HttpRefusal::unread)?;
            // The protocol's service accepts only this header.
            let both = HeaderValue::from_static("application/json, text/event-stream");
            parts.headers.insert(ACCEPT, both);
            let large = || {
                let place = self.large_bodies.take(&holder);
                place.ok_or_else(|| too_many_at_once("large bodies"))
            };
            let reading = work.reading();
            let (bytes, _large) = message::read(body, &large).await?;
            drop(reading);
            let mut message = message::parse(bytes).await?;
            if let Some(arguments) = message.arguments.take() {
                parts.extensions.insert(arguments);
            }
            let envelope = std::mem::take(&mut message.envelope);
            (Some(message), envelope)
        } else {
            (None, Bytes::new())
        };
        let permit = self.permit(&holder, message.as_ref())?;
        parts.extensions.insert(holder);
        Ok(AdmittedRequest {
            message,
            room: MessagePermit {
                _place: place,
                _permit: permit,
            },
            request: Request::from_parts(parts, Full::new(bytes)),
        })
    }

    fn permit(
        &self,
        holder: &TokenOwner,
        message: Option<&IncomingMessage>,
    ) -> Result<RequestPermit, HttpRefusal> {
        let (kind, what) = match message {
            Some(message) if message.is_call() => (RequestKind::Call, "calls"),
            _ => (RequestKind::Other, "requests"),
        };
        let allowance = {
            let mut allowances = lock(&self.allowances);
            let of_holder = allowances.entry(holder.clone()).or_insert_with(|| {
                Arc::new(RequestAllowance::new(
                    self.calls_per_second,
                    self.calls_at_once,
                ))
            });
            Arc::clone(of_holder)
        };
        allowance.permit(kind).map_err(|too_many| {
            let seconds = too_many.seconds;
            let refusal = HttpRefusal::retry_later(
                StatusCode::TOO_MANY_REQUESTS,
                format!(
                    "too many {what}: a token may make {}; try again in {seconds} second{}",
                    too_many.bound,
                    if seconds == 1 { "" } else { "s" }
                ),
                Duration::from_secs(seconds),
            );
            refusal.with_id(
                message
                    .map(|message| message.id.clone())
                    .unwrap_or_default(),
            )
        })
    }
}

impl KeyFiles {
    fn from_options(http: &HttpOptions) -> Self {
        Self {
            tokens: http.tokens.clone(),
            certificate: http.certificate.clone(),
        }
    }

    fn read(&self, setup: &ServerSetup) -> Result<ServerKeys, String> {
        let certificate = self.certificate.as_ref();
        let files = [
            (
                self.tokens.as_ref(),
                "the file of tokens",
                Sensitivity::Internal,
            ),
            (
                certificate.map(|both| &both.0),
                "the certificate file",
                Sensitivity::Public,
            ),
            (
                certificate.map(|both| &both.1),
                "the key file",
                Sensitivity::Secret,
            ),
        ];
        for (path, what, sensitivity) in files {
            let exposed = path.and_then(|path| Some((path, setup.exposes(path, sensitivity)?)));
            if let Some((path, reason)) = exposed {
                return Err(format!("{what} {} {reason}", path.display()));
            }
        }
        let tokens = self.tokens.as_ref().map(|path| {
            let tokens = TokenTable::read(path)
                .map_err(|fault| format!("the file of tokens {} {fault}", path.display()))?;
            if tokens.is_empty() {
                log(&format!(
                    "the file of tokens {} is empty, and nobody gets in: `ikigai-tools token NAME \
                     --file FILE` adds one, and SIGHUP has it read",
                    path.display()
                ));
            }
            Ok::<_, String>(tokens)
        });
        let tls = self.certificate.as_ref();
        let tls = tls.map(|(certificate, key)| tls::acceptor(certificate, key));
        Ok(ServerKeys {
            tokens: tokens.transpose()?,
            tls: tls.transpose()?,
        })
    }
}

/// A header that may be there once.
enum SingleHeader<'a> {
    None,
    Is(&'a str),
    /// It is there twice, or is not text.
    Bad,
}

fn read_header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> SingleHeader<'a> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => SingleHeader::None,
        (Some(value), None) => value.to_str().map_or(SingleHeader::Bad, SingleHeader::Is),
        _ => SingleHeader::Bad,
    }
}

/// The answer to a holder who has as many of these at once as are left for all the others.
fn too_many_at_once(what: &str) -> HttpRefusal {
    HttpRefusal::retry_later(
        StatusCode::TOO_MANY_REQUESTS,
        format!(
            "too many {what} at once: a token may have as many on their way as are left for the \
             others; try again in {} second",
            DEFAULT_RETRY_AFTER.as_secs()
        ),
        DEFAULT_RETRY_AFTER,
    )
    .unread()
}

fn missing_token() -> HttpRefusal {
    HttpRefusal::unauthenticated(
        NO_TOKEN,
        "this server wants a token: send the header `Authorization: Bearer TOKEN`, with the token \
         that whoever runs it has made for you",
    )
}

/// Checks that a client sends a type that is read here, and accepts those that are sent.
fn check_kinds(headers: &HeaderMap) -> Result<(), HttpRefusal> {
    let is = |kind: &str, wanted| {
        let kind = kind.split(';').next().unwrap_or_default();
        kind.trim().eq_ignore_ascii_case(wanted)
    };
    let sends_json =
        matches!(read_header(headers, &CONTENT_TYPE), SingleHeader::Is(kind) if is(kind, JSON));
    if !sends_json {
        return Err(HttpRefusal::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "the body has to be JSON, with the header `Content-Type: application/json`",
        ));
    }
    let accepts = |wanted| {
        let values = headers.get_all(ACCEPT).iter();
        let mut values = values.filter_map(|value| value.to_str().ok());
        values.any(|value| value.split(',').any(|kind| is(kind, wanted)))
    };
    if (accepts(JSON) && accepts(EVENTS)) || accepts(ANYTHING) {
        return Ok(());
    }
    Err(HttpRefusal::new(
        StatusCode::NOT_ACCEPTABLE,
        "the client has to take both kinds of answers: send the header `Accept: application/json, \
         text/event-stream`",
    ))
}
