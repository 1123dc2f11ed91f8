//! Proxies from the environment, with the rules of curl(1), section ENVIRONMENT.

use std::net::IpAddr;

use percent_encoding::percent_decode_str;
use url::{Host, Url};

use crate::guard::host_of;
use crate::guard::names::is_within;

/// Protocol of a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyKind {
    /// Forwards plain requests, and tunnels with CONNECT.
    Http,
    /// SOCKS 5; the name is resolved locally.
    Socks5,
    /// SOCKS 5; the name is resolved by the proxy.
    Socks5h,
}

/// A proxy. It has no `Debug` because it may hold a password.
#[derive(Clone)]
pub struct EnvironmentProxy {
    /// Its protocol.
    pub kind: ProxyKind,
    /// Its host.
    pub host: Host<String>,
    /// Its port.
    pub port: u16,
    /// User and password, percent-decoded.
    pub login: Option<(Vec<u8>, Vec<u8>)>,
}

impl EnvironmentProxy {
    /// Parses `[scheme://][user[:password]@]host[:port]`; no scheme means `http`.
    ///
    /// The error does not repeat the value, which may hold a password.
    fn parse(value: &str) -> Result<Self, String> {
        let full = if value.contains("://") {
            value.to_owned()
        } else {
            format!("http://{value}")
        };
        let (scheme, remainder) = full.split_once("://").unwrap_or(("http", &full));
        let (kind, default_port) = match scheme.to_ascii_lowercase().as_str() {
            "http" => (ProxyKind::Http, 80),
            "socks5" => (ProxyKind::Socks5, 1080),
            "socks5h" | "socks" => (ProxyKind::Socks5h, 1080),
            _ => return Err("only http, socks5 and socks5h proxies are supported".to_owned()),
        };
        // The parser normalises hosts of its known schemes only, and hides their default ports.
        // For SOCKS that must not be 80 because an explicit port has to stay visible.
        let stand_in = if kind == ProxyKind::Http {
            "http"
        } else {
            "ftp"
        };
        let url = Url::parse(&format!("{stand_in}://{remainder}")).map_err(|e| e.to_string())?;
        let host = host_of(&url).map_err(|why| why.to_string())?;
        let decode = |part: &str| percent_decode_str(part).collect::<Vec<u8>>();
        let login = (!url.username().is_empty() || url.password().is_some()).then(|| {
            (
                decode(url.username()),
                decode(url.password().unwrap_or_default()),
            )
        });
        Ok(Self {
            kind,
            host,
            port: url.port().unwrap_or(default_port),
            login,
        })
    }
}

/// Proxy settings of an environment.
#[derive(Clone, Default)]
pub struct ProxySettings {
    http: Option<(String, String)>,
    https: Option<(String, String)>,
    exempt: Vec<String>,
}

impl ProxySettings {
    /// Reads the process's environment.
    #[must_use]
    pub fn from_env() -> Self {
        Self::from_vars(|name| std::env::var(name).ok())
    }

    /// Reads `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` through `var`, in lower case
    /// first and then in upper case. An empty variable is unset.
    ///
    /// `HTTP_PROXY` is ignored if `REQUEST_METHOD` is set: in a CGI program its value would be the
    /// request's `Proxy:` header.
    #[must_use]
    pub fn from_vars(var: impl Fn(&str) -> Option<String>) -> Self {
        let get = |name: &str| {
            let value = var(name)?.trim().to_owned();
            (!value.is_empty()).then(|| (name.to_owned(), value))
        };
        let any = |names: &[&str]| names.iter().find_map(|name| get(name));
        let all = any(&["all_proxy", "ALL_PROXY"]);
        let upper_http = if get("REQUEST_METHOD").is_some() {
            None
        } else {
            get("HTTP_PROXY")
        };
        let exempt = any(&["no_proxy", "NO_PROXY"])
            .map(|(_, list)| list)
            .unwrap_or_default();
        Self {
            http: get("http_proxy").or(upper_http).or_else(|| all.clone()),
            https: any(&["https_proxy", "HTTPS_PROXY"]).or(all),
            exempt: exempt
                .split([',', ' ', '\t'])
                .filter(|entry| !entry.is_empty())
                .map(str::to_ascii_lowercase)
                .collect(),
        }
    }

    /// Returns the variable that names the proxy for a URL of this scheme, if one does.
    #[must_use]
    pub fn variable(&self, url: &Url) -> Option<&str> {
        self.setting(url).map(|(name, _)| name.as_str())
    }

    fn setting(&self, url: &Url) -> Option<&(String, String)> {
        let is_https = url.scheme() == "https";
        if is_https { &self.https } else { &self.http }.as_ref()
    }

    /// Returns the proxy for a URL. The error names the variable that cannot be used, and the
    /// reason.
    pub fn for_url(&self, url: &Url) -> Result<Option<EnvironmentProxy>, String> {
        let Some((name, value)) = self.setting(url) else {
            return Ok(None);
        };
        let port = url.port_or_known_default().unwrap_or(0);
        match host_of(url) {
            Ok(host) if !self.exempt.iter().any(|entry| exempts(entry, &host, port)) => {
                let proxy = EnvironmentProxy::parse(value);
                proxy
                    .map(Some)
                    .map_err(|why| format!("the proxy in {name} can't be used: {why}"))
            }
            _ => Ok(None),
        }
    }
}

/// True if one entry of `NO_PROXY`, in lower case, covers a host: `*`, a domain with its
/// subdomains, an address, or a block of addresses; a port restricts it further.
fn exempts(entry: &str, host: &Host<String>, port: u16) -> bool {
    if entry == "*" {
        return true;
    }
    let (entry, wanted) = split_port(entry);
    if wanted.is_some_and(|wanted| wanted != port) {
        return false;
    }
    let ip = match host {
        Host::Domain(name) => {
            let zone = entry.trim_start_matches('*').trim_matches('.');
            return !zone.is_empty() && is_within(name, zone);
        }
        Host::Ipv4(ip) => IpAddr::V4(*ip),
        Host::Ipv6(ip) => IpAddr::V6(*ip),
    };
    match entry.split_once('/') {
        None => entry.parse() == Ok(ip),
        Some((net, bits)) => match (net.parse::<IpAddr>(), bits.parse::<u32>()) {
            (Ok(net), Ok(bits)) => in_block(net, bits, ip),
            _ => false,
        },
    }
}

fn split_port(entry: &str) -> (&str, Option<u16>) {
    if let Some(remainder) = entry.strip_prefix('[') {
        let (ip, tail) = remainder.split_once(']').unwrap_or((remainder, ""));
        return (ip, tail.strip_prefix(':').and_then(|p| p.parse().ok()));
    }
    match entry.split_once(':') {
        // Several colons are an IPv6 address without brackets.
        Some((host, p)) if !p.contains(':') => (host, p.parse().ok()),
        _ => (entry, None),
    }
}

fn in_block(net: IpAddr, bits: u32, ip: IpAddr) -> bool {
    match (net, ip) {
        (IpAddr::V4(net), IpAddr::V4(ip)) if bits <= 32 => {
            let differ = u64::from(u32::from(net) ^ u32::from(ip));
            differ >> (32 - bits) == 0
        }
        (IpAddr::V6(net), IpAddr::V6(ip)) if bits <= 128 => {
            let differ = u128::from(net) ^ u128::from(ip);
            bits == 0 || differ >> (128 - bits) == 0
        }
        _ => false,
    }
}

#[cfg(test)]
#[path = "proxy_tests.rs"]
mod tests;
