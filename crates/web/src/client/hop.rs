//! One exchange with a server, directly or by a proxy: its route, its connection, its request and
//! the head of its answer.

use std::sync::Arc;

use ureq::http::header;
use ureq::unversioned::transport::Connector;
use url::{Host, Url};

use super::dial::{Dialer, HopRoute, NoResolver, ResponseTransport};
use super::proxy::{EnvironmentProxy, ProxyKind, ProxySettings};
use super::request::RequestExtras;
use super::response::{HopResponse, tidy_reason};
use super::tls::{self, TlsLink, TlsSession};
use super::tunnel::{self, ProxyTunnel, SocksTarget};
use super::{
    CONNECT_TIMEOUT, FetchError, HttpClient, NetworkError, ServerWait, USER_AGENT, fault, urls,
};
use crate::guard::{self, CheckedAddr, Guard, HopTarget};
use crate::resolve;

impl HttpClient {
    /// Runs one exchange: checks, connects, sends the request, and reads the head of the answer.
    pub(super) fn hop(
        &self,
        guard: &Guard,
        url: &Url,
        extra: &RequestExtras<'_>,
    ) -> Result<HopResponse, FetchError> {
        if self.is_offline {
            let error = NetworkError::new("Nothing is sent by an offline client".to_owned());
            return Err(error.into());
        }
        let _wait = ServerWait::begin(url.host_str().unwrap_or_default());
        let proxies = self.proxies.get_or_init(ProxySettings::from_env);
        let proxy = proxies.for_url(url).map_err(FetchError::network)?;
        let target = guard
            .check_url(url)
            .map_err(|refusal| fault::describe_refusal(&refusal))?;
        let (addrs, route) = self.route(guard, &target, proxy.as_ref())?;
        let left = self.time_left();
        if left.is_zero() {
            return Err(fault::describe_timeout(&target, self.total).into());
        }

        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .timeout_global(Some(left))
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .max_idle_connections(0)
            .user_agent(USER_AGENT)
            .accept(extra.accept)
            .accept_encoding("gzip, deflate, br");
        let tls = if target.is_tls() {
            Some(self.tls(&target)?)
        } else {
            None
        };
        let exchange = Arc::clone(&route.exchange);
        let finish = ResponseTransport {
            absolute: route.uses_absolute_form.then(|| target.clone()),
            exchange: Arc::clone(&exchange),
        };
        let plain_proxy_login = proxy
            .filter(|_| route.uses_absolute_form)
            .and_then(|p| p.login)
            .map(|(user, password)| tunnel::basic(&user, &password));
        let chain = Dialer(route).chain(TlsLink(tls)).chain(finish);
        let agent = ureq::Agent::with_parts(config.build(), chain, NoResolver);

        let uri = urls::to_uri(&target, url)?;
        let proxy_login = plain_proxy_login.as_deref();
        let answered = match extra.body {
            None => extra.add_to(agent.get(uri), proxy_login).call(),
            Some((kind, body)) => {
                let request = extra.add_to(agent.post(uri), proxy_login);
                request.header(header::CONTENT_TYPE, kind).send(body)
            }
        };
        let response = answered.map_err(|error| {
            let described = fault::describe(&error, &target, self.total);
            match exchange.non_http_bytes() {
                first_bytes if first_bytes.is_empty() => described,
                first_bytes => fault::describe_non_http(described, &first_bytes, &target),
            }
        })?;
        let (head, body) = response.into_parts();
        let redirects = matches!(head.status.as_u16(), 301 | 302 | 303 | 307 | 308);
        let location = head.headers.get(header::LOCATION).filter(|_| redirects);
        let location = location.map(|value| urls::of_header(value.as_bytes()));
        let told = exchange.reason();
        let reason = told
            .map(|text| tidy_reason(&text))
            .filter(|text| !text.is_empty());
        let reason = reason.unwrap_or_else(|| {
            head.status
                .canonical_reason()
                .unwrap_or_default()
                .to_owned()
        });
        Ok(HopResponse {
            target,
            addrs,
            location,
            status: head.status.as_u16(),
            reason,
            headers: head.headers,
            body,
            exchange,
        })
    }

    /// Creates the TLS session for the target; the certificates are loaded once.
    fn tls(&self, target: &HopTarget) -> Result<TlsSession, FetchError> {
        let config = self.tls.get_or_init(tls::config).clone();
        TlsSession::with(target, config.map_err(FetchError::network)?).map_err(FetchError::network)
    }

    /// Returns the route of a hop: to the target, or to the proxy with the tunnel to request of it.
    pub(super) fn route(
        &self,
        guard: &Guard,
        target: &HopTarget,
        proxy: Option<&EnvironmentProxy>,
    ) -> Result<(Vec<CheckedAddr>, HopRoute), FetchError> {
        let refused = |refusal: guard::GuardError| fault::describe_refusal(&refusal);
        let mut route = HopRoute {
            addrs: Vec::new(),
            target: target.clone(),
            proxy: None,
            tunnel: None,
            uses_absolute_form: false,
            exchange: Arc::default(),
        };
        let mut addrs = Vec::new();
        if proxy.is_none_or(|proxy| proxy.kind == ProxyKind::Socks5) {
            let addresses = self.lookup(target.host(), target.port())?;
            addrs = guard.check(target, &addresses).map_err(refused)?;
        }
        let Some(proxy) = proxy else {
            route.addrs.clone_from(&addrs);
            return Ok((addrs, route));
        };
        let addresses = resolve::lookup(&self.resolver, &proxy.host, proxy.port, self.deadline)
            .map_err(|error| {
                fault::describe_proxy_lookup_failure(&error, &proxy.host, self.total)
            })?;
        route.addrs = guard::check_proxy(&proxy.host, &addresses).map_err(refused)?;
        route.proxy = Some(format!("{}:{}", proxy.host, proxy.port));
        route.tunnel = match (proxy.kind, addrs.first()) {
            (ProxyKind::Http, _) if !target.is_tls() => {
                route.uses_absolute_form = true;
                None
            }
            (ProxyKind::Http, _) => Some(ProxyTunnel::Connect {
                target: target.clone(),
                authorization: proxy
                    .login
                    .as_ref()
                    .map(|(user, pw)| tunnel::basic(user, pw)),
            }),
            (ProxyKind::Socks5 | ProxyKind::Socks5h, addr) => Some(ProxyTunnel::Socks5 {
                to: addr.map_or_else(
                    || SocksTarget::Named(target.clone()),
                    |addr| SocksTarget::Checked(*addr),
                ),
                login: proxy.login.clone(),
            }),
        };
        Ok((addrs, route))
    }

    pub(super) fn lookup(
        &self,
        host: &Host<String>,
        port: u16,
    ) -> Result<Vec<std::net::SocketAddr>, FetchError> {
        resolve::lookup(&self.resolver, host, port, self.deadline)
            .map_err(|error| fault::describe_lookup_failure(&error, host, self.total).into())
    }
}
