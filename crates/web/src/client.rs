//! The one HTTP client of the web tools: GET, and POST for requests to providers, guarded on every
//! hop, bounded in time and size.
//!
//! Redirects are followed here and not by the library, so that each hop is resolved once, checked
//! by the [guard], and connected to the checked addresses; all that is sent, even to
//! a proxy, is derived from the checked host. A redirect may lead from http to https and back, but
//! to no other scheme. The caller's headers and login are sent only to the origin that the caller
//! named. Messages name hosts, never paths or queries, which may hold keys.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rustls::ClientConfig;
use url::Url;

use super::allowed_hosts::AllowedHosts;
use super::guard::class::AddressScope;
use super::guard::{self, Guard};
use super::resolve::{NameResolver, SystemResolver};
pub use body::BodyLimit;
pub use error::{FetchError, NetworkError, ReceivedPart};
pub(crate) use guarded_connection::OpenedConnection;
pub use gzip_file::{UnpackedFile, unpack_gzip};
use iki_base::progress_counters::ServerWait;
pub use request::{AddressOrigin, FetchRequest, PostRequest};
pub use response::HttpResponse;
pub use urls::{parse_url, without_login};

use cookies::CookieJar;
use proxy::ProxySettings;
use request::RequestExtras;

mod body;
mod cookies;
mod dial;
mod error;
mod fault;
mod guarded_connection;
mod gzip_file;
mod hop;
pub mod proxy;
#[cfg(not(fuzzing))]
mod reply_head;
#[cfg(fuzzing)]
pub mod reply_head;
mod request;
mod response;
mod socket;
mod tls;
mod tunnel;
mod urls;

pub use tls::{config as tls_config, trusted as trusted_certificates};

/// Timeout of a whole call, retries and redirects included. A call may take 25 seconds; the one
/// left over is for processing the answer.
pub const TOTAL_TIMEOUT: Duration = Duration::from_secs(24);
/// Timeout of one connection, from the first address to the end of the TLS handshake.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout of the body of an error, which matters less than the status.
pub(crate) const ERROR_BODY_TIMEOUT: Duration = Duration::from_secs(3);
/// Maximum number of redirects.
pub(crate) const MAX_REDIRECTS: usize = 20;
/// Maximum size of a body, in bytes after decoding; the rest is dropped.
pub const MAX_BODY: usize = 10 * 1024 * 1024;
/// Maximum size of the body of an error, in bytes after decoding.
pub(crate) const MAX_ERROR_BODY: usize = 64 * 1024;

/// `Accept` for pages to be read: preferably Markdown, then other text, then anything.
pub const ACCEPT_PAGES: &str = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, \
                                text/plain;q=0.9, application/json;q=0.8, */*;q=0.5";
/// Value of `User-Agent`.
pub const USER_AGENT: &str = concat!("ikigai-tools/", env!("CARGO_PKG_VERSION"));

/// HTTP client of one call. Its timeout starts when it is created; it reads the environment, and
/// loads certificates, only when they are needed.
#[derive(Clone)]
pub struct HttpClient {
    total: Duration,
    deadline: Instant,
    limit: BodyLimit,
    resolver: Arc<dyn NameResolver>,
    proxies: OnceLock<ProxySettings>,
    /// Shared by all copies, so that certificates are loaded once.
    tls: Arc<OnceLock<Result<Arc<ClientConfig>, String>>>,
    allowed: OnceLock<AllowedHosts>,
    origin: AddressOrigin,
    is_offline: bool,
}

impl Default for HttpClient {
    fn default() -> Self {
        Self::new()
    }
}

impl HttpClient {
    /// Creates a client with the system's resolver and the environment's proxies.
    #[must_use]
    pub fn new() -> Self {
        Self::with_resolver(Arc::new(SystemResolver))
    }

    /// Creates a client that resolves names with `resolver`.
    #[must_use]
    pub fn with_resolver(resolver: Arc<dyn NameResolver>) -> Self {
        Self {
            total: TOTAL_TIMEOUT,
            deadline: Instant::now() + TOTAL_TIMEOUT,
            limit: BodyLimit::new(MAX_BODY),
            resolver,
            proxies: OnceLock::new(),
            tls: Arc::default(),
            allowed: OnceLock::new(),
            origin: AddressOrigin::Caller,
            is_offline: false,
        }
    }

    /// Creates a client that sends nothing: its callers find cached answers only.
    #[must_use]
    pub fn offline() -> Self {
        Self {
            is_offline: true,
            ..Self::new()
        }
    }

    /// True if the client sends nothing.
    #[must_use]
    pub fn is_offline(&self) -> bool {
        self.is_offline
    }

    /// Fetches addresses of this origin, instead of those that the caller names.
    #[must_use]
    pub fn for_addresses_of(self, origin: AddressOrigin) -> Self {
        Self { origin, ..self }
    }

    /// Uses these proxies instead of the environment's.
    #[must_use]
    pub fn proxies(self, proxies: ProxySettings) -> Self {
        Self {
            proxies: OnceLock::from(proxies),
            ..self
        }
    }

    /// Sets the timeout to `total` from now, instead of [`TOTAL_TIMEOUT`].
    #[must_use]
    pub fn within(self, total: Duration) -> Self {
        Self {
            total,
            deadline: Instant::now() + total,
            ..self
        }
    }

    /// Sets the maximum size of a body, instead of [`MAX_BODY`].
    #[must_use]
    pub fn with_body_limit(self, limit: BodyLimit) -> Self {
        Self { limit, ..self }
    }

    /// Returns a copy that ends in `limit` from now, or with this one, whichever is earlier.
    #[must_use]
    pub fn for_at_most(&self, limit: Duration) -> Self {
        let total = limit.min(self.time_left());
        self.clone().within(total)
    }

    /// Returns a copy for a service that the program itself asks, at an address that the caller did
    /// not choose: `ALLOWED_DOMAINS`, which is about pages, does not restrict its [`get`], and the
    /// address may be private even if pages must not be.
    ///
    /// [`get`]: Self::get
    #[must_use]
    pub fn for_services(&self) -> Self {
        Self {
            limit: BodyLimit::new(MAX_BODY),
            allowed: OnceLock::from(AllowedHosts::default()),
            origin: AddressOrigin::Service,
            ..self.clone()
        }
    }

    /// Returns the time left for this call.
    #[must_use]
    pub fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Fetches a page, following redirects, each of them to a host that `ALLOWED_DOMAINS` allows;
    /// to ask a service, use a client made [for it](Self::for_services). A status below 400 is a
    /// response, 204 and 304 among them.
    pub fn get(&self, request: &FetchRequest<'_>) -> Result<HttpResponse, FetchError> {
        let first = urls::accept(request.url.clone())?;
        let guard = self.guard_of(&first);
        self.get_from(request, &first, guard.ok_or_else(no_host)?)
    }

    /// True if the guard does not refuse the URL by itself.
    #[must_use]
    pub fn may_fetch(&self, url: &Url) -> bool {
        let guard = self.guard_of(url);
        guard.is_some_and(|guard| guard.check_url(url).is_ok())
    }

    fn guard_of(&self, first: &Url) -> Option<Guard> {
        match &self.origin {
            AddressOrigin::Caller => Guard::new(first),
            AddressOrigin::Page(page) => Guard::led_by(page, first),
            AddressOrigin::Provider(service) => Guard::found_by(service, first),
            AddressOrigin::Unknown => Guard::of_public(first),
            AddressOrigin::Service => Guard::of_service(first),
        }
    }

    /// Fetches the page to which another one leads, which was reached under this guard, as if that
    /// were a redirect.
    pub fn get_next(
        &self,
        request: &FetchRequest<'_>,
        mut guard: Guard,
    ) -> Result<HttpResponse, FetchError> {
        let first = without_login(&urls::accept(request.url.clone())?);
        let host = guard::host_of(&first).map_err(|_| no_host())?;
        guard.lead_to(&host);
        self.get_from(request, &first, guard)
    }

    fn get_from(
        &self,
        request: &FetchRequest<'_>,
        first: &Url,
        mut guard: Guard,
    ) -> Result<HttpResponse, FetchError> {
        let origin = first.origin();
        let login = urls::login_of(first);
        let mut url = without_login(first);
        let mut jar = CookieJar::default();
        for _ in 0..=MAX_REDIRECTS {
            let is_same_origin = url.origin() == origin;
            self.allow(&url)?;
            let host = guard::host_of(&url).map_err(|_| no_host())?;
            let extra = RequestExtras {
                accept: request.accept,
                headers: if is_same_origin { request.headers } else { &[] },
                authorization: login.as_deref().filter(|_| is_same_origin),
                cookie: jar.header(&host, &url),
                body: None,
            };
            let hop = self.hop(&guard, &url, &extra)?;
            let Some(location) = hop.location else {
                guard.arrive(&hop.target, &hop.addrs);
                return hop.finish(url, guard, (self.total, self.limit));
            };
            jar.store(&hop.headers, &host, &url);
            let next = urls::follow(&url, &location)?;
            let next_host = guard::host_of(&next).map_err(|_| no_host())?;
            guard.follow(&hop.target, &hop.addrs, &next_host);
            url = without_login(&next);
        }
        let error = NetworkError::new(format!(
            "Too many redirects: more than {MAX_REDIRECTS}, the last one to {}",
            url.host_str().unwrap_or_default()
        ));
        let advice = "Fetching it again will end the same way: the site redirects clients without \
                      the login or script that it requires.";
        Err(error.advising(advice).into())
    }

    fn allow(&self, url: &Url) -> Result<(), FetchError> {
        let allowed = self.allowed.get_or_init(AllowedHosts::from_env);
        allowed
            .check(url)
            .map_err(|why| fault::describe_disallowed_host(why).into())
    }

    /// Sends a body to a service. A redirect is an error and not followed, because the body was
    /// meant for the named service only.
    pub fn post(&self, request: &PostRequest<'_>) -> Result<HttpResponse, FetchError> {
        let url = urls::accept(request.to.url.clone())?;
        let guard = Guard::of_service(&url).ok_or_else(no_host)?;
        let login = urls::login_of(&url);
        let url = without_login(&url);
        let extra = RequestExtras {
            accept: request.to.accept,
            headers: request.to.headers,
            authorization: login.as_deref(),
            cookie: None,
            body: Some((request.content_type, request.body)),
        };
        let hop = self.hop(&guard, &url, &extra)?;
        if let Some(location) = &hop.location {
            let there = url.join(location).ok();
            let there = there.as_ref().and_then(Url::host_str).unwrap_or("nowhere");
            let error = NetworkError::new(format!(
                "{} redirects what is sent to it to {there}, where it is not sent",
                url.host_str().unwrap_or_default()
            ));
            let advice = "Name the address that answers by itself.";
            return Err(error.advising(advice).into());
        }
        hop.finish(url, guard, (self.total, self.limit))
    }

    /// True if the host of `url` has an address that is not public. A host that only a proxy looks
    /// up has none that is known here.
    #[must_use]
    pub(crate) fn leads_to_private(&self, url: &Url) -> bool {
        let proxies = self.proxies.get_or_init(ProxySettings::from_env);
        if !matches!(proxies.for_url(url), Ok(None)) {
            return false;
        }
        let Ok(host) = guard::host_of(url) else {
            return true;
        };
        let addresses = self.lookup(&host, url.port_or_known_default().unwrap_or_default());
        let addresses = addresses.unwrap_or_default();
        let class = |ip| guard::class::classify(ip).scope;
        addresses.iter().any(|addr| {
            matches!(
                class(addr.ip()),
                AddressScope::Private | AddressScope::Never
            )
        })
    }
}

fn no_host() -> FetchError {
    FetchError::InvalidUrl("no host".to_owned())
}
