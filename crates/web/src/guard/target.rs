//! The target of one request, in the one spelling that is judged and sent.
//!
//! Receivers may read a URL's host differently: a proxy drops the dots after `169.254.169.254..`
//! and requests the rest. So a host is parsed again until nothing changes, that form is judged, and
//! everything that is sent is derived from it.

use std::fmt;

use url::{Host, Url};

use super::names;

/// Maximum number of times a host is parsed; the second time changes nothing in a sensible host.
const MAX_READINGS: usize = 8;

/// Scheme, host and port of one request that the guard has allowed: only [`Guard::check_url`]
/// creates one. The request line, `Host`, CONNECT, the name for SOCKS and the name in TLS are
/// derived from it and from nothing else.
///
/// [`Guard::check_url`]: super::Guard::check_url
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HopTarget {
    host: Host<String>,
    port: u16,
    is_tls: bool,
}

impl HopTarget {
    /// For the guard only, which judges the host before it returns the target.
    pub(super) fn from_url(url: &Url) -> Result<Self, BadHost> {
        let is_tls = url.scheme() == "https";
        Ok(Self {
            host: host_of(url)?,
            port: url
                .port_or_known_default()
                .unwrap_or(if is_tls { 443 } else { 80 }),
            is_tls,
        })
    }

    /// Returns the host.
    #[must_use]
    pub fn host(&self) -> &Host<String> {
        &self.host
    }

    /// Returns the port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// True if the connection uses TLS.
    pub(crate) fn is_tls(&self) -> bool {
        self.is_tls
    }

    /// Returns `http://host`, with the port if it is not the scheme's default.
    #[must_use]
    pub fn origin(&self) -> String {
        let (scheme, default_port) = if self.is_tls {
            ("https", 443)
        } else {
            ("http", 80)
        };
        if self.port == default_port {
            format!("{scheme}://{}", self.host)
        } else {
            format!("{scheme}://{self}")
        }
    }
}

/// Formats `host:port`, an IPv6 address in brackets.
impl fmt::Display for HopTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// Reason why a URL has no host that could be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadHost {
    /// The URL has no host.
    #[error("no host")]
    None,
    /// Two dots in a row, or one in front: no name has an empty part, and readers differ on where
    /// such a name ends.
    #[error("the host has two dots in a row, or one in front")]
    EmptyPart,
    /// Without the dots at its end the host is neither a name nor an address, though some reader
    /// might take it for one.
    #[error("the host is neither a name nor an address")]
    Unreadable,
}

/// Returns the host of a URL in the guard's form: an address however it is written, or a name in
/// lower case without final dots.
///
/// # Errors
///
/// Fails if the URL has no host that could be judged.
pub fn host_of(url: &Url) -> Result<Host<String>, BadHost> {
    let mut name = match url.host() {
        None => return Err(BadHost::None),
        Some(Host::Ipv4(ip)) => return Ok(Host::Ipv4(ip)),
        Some(Host::Ipv6(ip)) => return Ok(Host::Ipv6(ip)),
        Some(Host::Domain(name)) => name.to_owned(),
    };
    for _ in 0..MAX_READINGS {
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

/// Rewrites the URL's host in the form that is judged and sent, so that messages show that form as
/// well.
///
/// # Errors
///
/// Fails if the URL has no host to be judged, or cannot hold it in that form.
pub fn normalize_host(url: &mut Url) -> Result<(), BadHost> {
    let host = host_of(url)?.to_string();
    if url.host_str() != Some(&host) {
        url.set_host(Some(&host)).map_err(|_| BadHost::Unreadable)?;
    }
    Ok(())
}
