//! The names of a server, as the headers `Host` and `Origin` have them.
//!
//! A page that a browser has loaded from anywhere can send requests to this machine, even under a
//! domain of its own that it makes point here ("DNS rebinding", of which the protocol's transports
//! warn). So requests are accepted only if both headers have names of the server's.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use hyper::http::uri::Authority;

/// The ports of `http` and `https`.
const PLAIN: u16 = 80;
const SECURE: u16 = 443;

/// The schemes by which the server can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerSchemes {
    /// By `http`.
    Plain,
    /// By `https`.
    Secure,
    /// By either: there may be a proxy in front of it that speaks TLS.
    Either,
}

/// A host in a header.
#[derive(Clone, Debug, PartialEq, Eq)]
enum HeaderHost {
    Address(IpAddr),
    Name(String),
}

/// The names of a server.
#[derive(Clone, Debug)]
pub struct ServerNames {
    /// The hosts, each with its port; without a port, the default ports and the server's own match.
    hosts: Vec<(HeaderHost, Option<u16>)>,
    port: u16,
    schemes: ServerSchemes,
}

impl ServerSchemes {
    fn default_ports(self) -> &'static [u16] {
        match self {
            Self::Plain => &[PLAIN],
            Self::Secure => &[SECURE],
            Self::Either => &[PLAIN, SECURE],
        }
    }
}

impl ServerNames {
    /// The names of a server that listens on `address`: those of this machine, and the `allowed`
    /// ones, each a host or `host:port`.
    #[must_use]
    pub fn new(address: SocketAddr, schemes: ServerSchemes, allowed: &[String]) -> Self {
        let port = address.port();
        let mut hosts = vec![
            HeaderHost::Name("localhost".to_owned()),
            HeaderHost::Address(Ipv4Addr::LOCALHOST.into()),
            HeaderHost::Address(Ipv6Addr::LOCALHOST.into()),
        ];
        if !address.ip().is_unspecified() {
            hosts.push(HeaderHost::Address(address.ip()));
        }
        let own_hosts = hosts.into_iter().map(|host| (host, Some(port)));
        let allowed = allowed.iter().filter_map(|name| parse_authority(name));
        Self {
            hosts: own_hosts.chain(allowed).collect(),
            port,
            schemes,
        }
    }

    /// True if a request to this `Host` is meant for this server; `None` if that is not a host.
    #[must_use]
    pub fn match_host(&self, host: &str) -> Option<bool> {
        let (host, port) = parse_authority(host)?;
        Some(self.contain(&host, port, self.schemes.default_ports()))
    }

    /// True if a page of this `Origin` belongs to this server.
    #[must_use]
    pub fn match_origin(&self, origin: &str) -> bool {
        let Some((scheme, authority)) = origin.split_once("://") else {
            return false;
        };
        let port = match (scheme.to_ascii_lowercase().as_str(), self.schemes) {
            ("http", ServerSchemes::Plain | ServerSchemes::Either) => PLAIN,
            ("https", ServerSchemes::Secure | ServerSchemes::Either) => SECURE,
            _ => return false,
        };
        parse_authority(authority).is_some_and(|(host, named)| self.contain(&host, named, &[port]))
    }

    fn contain(&self, host: &HeaderHost, port: Option<u16>, defaults: &[u16]) -> bool {
        let is_default = |port: u16| defaults.contains(&port);
        self.hosts.iter().any(|(own_host, own_port)| {
            own_host == host
                && match (own_port, port) {
                    (Some(expected_port), Some(port)) => *expected_port == port,
                    (Some(expected_port), None) => is_default(*expected_port),
                    (None, Some(port)) => is_default(port) || port == self.port,
                    (None, None) => true,
                }
        })
    }
}

/// Parses a host with an optional port; `None` for anything else.
fn parse_authority(text: &str) -> Option<(HeaderHost, Option<u16>)> {
    let authority: Authority = text.parse().ok()?;
    let host = authority.host();
    let behind = text.get(host.len()..)?;
    let port = match behind.strip_prefix(':') {
        None if behind.is_empty() => None,
        // Only digits: `parse` would take a plus sign.
        Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => Some(port.parse().ok()?),
        _ => return None,
    };
    if host.is_empty() || !text.starts_with(host) {
        return None;
    }
    let bare = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    let address = match bare {
        Some(bare) => Some(IpAddr::V6(bare.parse().ok()?)),
        None => host.parse::<Ipv4Addr>().ok().map(IpAddr::V4),
    };
    let host = address.map_or_else(
        || HeaderHost::Name(host.to_ascii_lowercase()),
        HeaderHost::Address,
    );
    Some((host, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(address: &str, schemes: ServerSchemes, allowed: &[&str]) -> ServerNames {
        let allowed: Vec<String> = allowed.iter().map(|name| (*name).to_owned()).collect();
        ServerNames::new(address.parse().unwrap(), schemes, &allowed)
    }

    #[test]
    fn a_server_on_this_machine_has_this_machine_s_names_with_its_port() {
        let names = names("127.0.0.1:8383", ServerSchemes::Plain, &[]);
        for host in [
            "localhost:8383",
            "LocalHost:8383",
            "127.0.0.1:8383",
            "[::1]:8383",
            "[0:0:0:0:0:0:0:1]:8383",
        ] {
            assert_eq!(names.match_host(host), Some(true), "{host}");
            assert!(names.match_origin(&format!("http://{host}")), "{host}");
            assert!(!names.match_origin(&format!("https://{host}")), "{host}");
        }
        for host in [
            "localhost",
            "localhost:80",
            "127.0.0.1:8384",
            "127.0.0.2:8383",
            "evil.example:8383",
            "localhost.evil.example:8383",
            "localhost.:8383",
            "0.0.0.0:8383",
            "[::]:8383",
            "[::ffff:127.0.0.1]:8383",
        ] {
            assert_eq!(names.match_host(host), Some(false), "{host}");
            assert!(!names.match_origin(&format!("http://{host}")), "{host}");
        }
        for host in [
            "",
            " ",
            ":8383",
            "localhost:",
            "localhost:+8383",
            "localhost:99999",
            "me@localhost:8383",
            "localhost:8383/",
            "localhost:8383,localhost:8383",
            "[::1:8383",
            "http://localhost:8383",
            "ho st:8383",
        ] {
            assert_ne!(names.match_host(host), Some(true), "{host}");
            assert!(!names.match_origin(&format!("http://{host}")), "{host}");
        }
        for origin in [
            "null",
            "",
            "http:",
            "file://",
            "ftp://localhost:8383",
            "localhost:8383",
        ] {
            assert!(!names.match_origin(origin), "{origin}");
        }
    }

    #[test]
    fn a_name_that_is_allowed_has_its_port_or_those_that_are_left_out() {
        let names = names(
            "0.0.0.0:8383",
            ServerSchemes::Either,
            &["Tools.example.org", "other.example:8443"],
        );
        for (host, called) in [
            ("tools.example.org", true),
            ("tools.example.org:443", true),
            ("tools.example.org:8383", true),
            ("tools.example.org:8443", false),
            ("other.example:8443", true),
            ("other.example", false),
            ("localhost:8383", true),
            ("192.0.2.1:8383", false),
        ] {
            assert_eq!(names.match_host(host), Some(called), "{host}");
        }
        for (origin, expected) in [
            ("https://tools.example.org", true),
            ("http://tools.example.org", true),
            ("https://tools.example.org:80", false),
            ("https://other.example:8443", true),
            ("https://other.example", false),
        ] {
            assert_eq!(names.match_origin(origin), expected, "{origin}");
        }
    }

    #[test]
    fn where_tls_is_spoken_the_default_port_is_its_own() {
        let names = names("192.0.2.7:443", ServerSchemes::Secure, &[]);
        assert_eq!(names.match_host("192.0.2.7"), Some(true));
        assert!(names.match_origin("https://192.0.2.7"));
        assert!(!names.match_origin("http://192.0.2.7:443"));
    }
}
