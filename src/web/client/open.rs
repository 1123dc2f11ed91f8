//! A connection for an exchange that is somebody else's: a browser's, which asks through us.

use std::net::TcpStream;
use std::time::Instant;

use url::Url;

use super::dial::Dialer;
use super::proxy::Proxies;
use super::{CONNECT, Client, FetchError, fault, tunnel};
use crate::web::guard::{Guard, HopTarget};

/// An open connection: to the target, or to the environment's proxy, which was asked for it.
pub struct OpenedConnection {
    /// The connection.
    pub stream: TcpStream,
    /// What was judged.
    pub target: HopTarget,
    /// Where a plain proxy is at the other end, which is to be sent whole URLs: the value of
    /// `Proxy-Authorization`, if it wants one.
    pub proxy: Option<Option<String>>,
}

impl Client {
    /// Connects to the host and port of `url`, under the same rules as [`get`](Self::get): allowed,
    /// judged by the guard, resolved once, and dialled at the addresses that were checked.
    ///
    /// What comes and goes on the connection, TLS included, is the caller's business. An `https`
    /// URL is connected to through a tunnel where there is a proxy, whatever is spoken in it.
    pub fn open(&self, guard: &Guard, url: &Url) -> Result<OpenedConnection, FetchError> {
        self.allow(url)?;
        let proxies = self.proxies.get_or_init(Proxies::from_env);
        let proxy = proxies.for_url(url).map_err(FetchError::network)?;
        let target = guard
            .admit(url)
            .map_err(|refusal| fault::refused(&refusal))?;
        let (_, route) = self.route(guard, &target, proxy.as_ref())?;
        let left = self.left().min(CONNECT);
        if left.is_zero() {
            return Err(fault::timeout(&target, self.total).into());
        }
        let login = proxy.and_then(|proxy| proxy.login);
        let login = login.map(|(user, password)| tunnel::basic(&user, &password));
        let proxy = route.absolute.then_some(login);
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
