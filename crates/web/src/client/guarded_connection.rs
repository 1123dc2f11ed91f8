//! A guarded connection for a client outside this program: the browser, which connects through it.

use std::net::TcpStream;
use std::time::Instant;

use url::Url;

use super::dial::Dialer;
use super::proxy::ProxySettings;
use super::{CONNECT_TIMEOUT, FetchError, HttpClient, fault, tunnel};
use crate::guard::{Guard, HopTarget};

/// An open connection: to the target, or to the environment's proxy, with a tunnel already
/// requested.
pub struct OpenedConnection {
    /// The connection.
    pub stream: TcpStream,
    /// Target that the guard has allowed.
    pub target: HopTarget,
    /// Set if the connection leads to a plain proxy, which needs whole URLs: the value of
    /// `Proxy-Authorization`, if it wants one.
    #[expect(clippy::option_option, reason = "a proxy, and what it wants")]
    pub proxy: Option<Option<String>>,
}

impl HttpClient {
    /// Connects to the host and port of `url`, under the same rules as [`get`](Self::get): allowed,
    /// judged by the guard, resolved once, and dialled at the checked addresses.
    ///
    /// The caller handles all traffic on the connection, TLS included. For an `https` URL behind a
    /// proxy the connection is a tunnel, whatever protocol runs inside.
    pub fn open(&self, guard: &Guard, url: &Url) -> Result<OpenedConnection, FetchError> {
        self.allow(url)?;
        let proxies = self.proxies.get_or_init(ProxySettings::from_env);
        let proxy = proxies.for_url(url).map_err(FetchError::network)?;
        let target = guard
            .check_url(url)
            .map_err(|refusal| fault::describe_refusal(&refusal))?;
        let (_, route) = self.route(guard, &target, proxy.as_ref())?;
        let left = self.time_left().min(CONNECT_TIMEOUT);
        if left.is_zero() {
            return Err(fault::describe_timeout(&target, self.total).into());
        }
        let login = proxy.and_then(|proxy| proxy.login);
        let login = login.map(|(user, password)| tunnel::basic(&user, &password));
        let proxy = route.uses_absolute_form.then_some(login);
        let opened = Dialer(route).open(Instant::now() + left);
        let stream = opened
            .map_err(|failed| fault::describe(&ureq::Error::from(failed), &target, self.total))?;
        Ok(OpenedConnection {
            stream,
            target,
            proxy,
        })
    }
}
