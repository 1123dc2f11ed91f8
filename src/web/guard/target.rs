//! The target of one request, in the one spelling that is judged and sent.
//!
//! A URL's host may be read differently by whoever receives it: a proxy drops the dots after
//! `169.254.169.254..` and requests what is left. So a host is parsed again until nothing changes,
//! that form is judged, and everything that is sent is made from it.

use std::fmt;

use url::{Host, Url};

use super::names;

/// How often a host is parsed again; for a sensible host the second time changes nothing.
const READINGS: usize = 8;

/// Scheme, host and port of one request that the guard has allowed: [`Guard::admit`] alone makes
/// one. The request line, `Host`, CONNECT, the name for SOCKS and the name in TLS are made from it
/// and from nothing else.
///
/// [`Guard::admit`]: super::Guard::admit
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HopTarget {
    host: Host<String>,
    port: u16,
    tls: bool,
}

impl HopTarget {
    /// For the guard alone, which judges the host before it hands the target out.
    pub(super) fn of(url: &Url) -> Result<Self, BadHost> {
        let tls = url.scheme() == "https";
        Ok(Self {
            host: host_of(url)?,
            port: url
                .port_or_known_default()
                .unwrap_or(if tls { 443 } else { 80 }),
            tls,
        })
    }

    /// The host.
    #[must_use]
    pub fn host(&self) -> &Host<String> {
        &self.host
    }

    /// The port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// True if TLS is spoken with it.
    #[must_use]
    pub fn is_tls(&self) -> bool {
        self.tls
    }

    /// `http://host`, with the port where it is not the scheme's own.
    #[must_use]
    pub fn origin(&self) -> String {
        let (scheme, own) = if self.tls {
            ("https", 443)
        } else {
            ("http", 80)
        };
        if self.port == own {
            format!("{scheme}://{}", self.host)
        } else {
            format!("{scheme}://{self}")
        }
    }
}

/// `host:port`, an IPv6 address in brackets.
impl fmt::Display for HopTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// Why a URL has no host that could be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadHost {
    /// The URL has no host.
    None,
    /// Two dots in a row, or one in front: no name has an empty part, and readers differ on where
    /// such a name ends.
    EmptyPart,
    /// Without the dots at its end the host is neither a name nor an address, though some reader
    /// might take it for one.
    Unreadable,
}

impl std::error::Error for BadHost {}

impl fmt::Display for BadHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "no host",
            Self::EmptyPart => "the host has two dots in a row, or one in front",
            Self::Unreadable => "the host is neither a name nor an address",
        })
    }
}

/// The host of a URL as the guard knows it: an address however it is written, or a name in lower
/// case without final dots.
///
/// # Errors
/// If the URL has no host that could be judged.
pub fn host_of(url: &Url) -> Result<Host<String>, BadHost> {
    let mut name = match url.host() {
        None => return Err(BadHost::None),
        Some(Host::Ipv4(ip)) => return Ok(Host::Ipv4(ip)),
        Some(Host::Ipv6(ip)) => return Ok(Host::Ipv6(ip)),
        Some(Host::Domain(name)) => name.to_owned(),
    };
    for _ in 0..READINGS {
        let bare = name.trim_end_matches('.');
        if bare.is_empty() {
            return Err(BadHost::None);
        }
        match Host::parse(bare).map_err(|_| BadHost::Unreadable)? {
            Host::Domain(read) if read == bare => {
                return if read.split('.').any(str::is_empty) {
                    Err(BadHost::EmptyPart)
                } else if names::is_almost_an_address(&read) {
                    Err(BadHost::Unreadable)
                } else {
                    Ok(Host::Domain(read))
                };
            }
            Host::Domain(read) => name = read,
            address => return Ok(address),
        }
    }
    Err(BadHost::Unreadable)
}

/// Writes the host into the URL as it is judged and sent, so that messages show that form as well.
///
/// # Errors
/// If the URL has no host to be judged, or cannot hold it in that form.
pub fn settle(url: &mut Url) -> Result<(), BadHost> {
    let host = host_of(url)?.to_string();
    if url.host_str() != Some(&host) {
        url.set_host(Some(&host)).map_err(|_| BadHost::Unreadable)?;
    }
    Ok(())
}
