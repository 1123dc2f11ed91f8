//! Names to addresses, within a deadline.
//!
//! The system's look-up blocks for as long as it likes, so it runs on a thread of its own, which
//! is left behind when time is up.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Instant;

use url::Host;

use super::guard::names;

/// Something that knows the addresses of names.
pub trait Resolve: Send + Sync + 'static {
    /// All addresses of `name`, best first. May block; the caller keeps the time.
    fn resolve(&self, name: &str, port: u16) -> io::Result<Vec<SocketAddr>>;
}

/// The system's resolver.
#[derive(Debug, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, name: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        Ok((name, port).to_socket_addrs()?.collect())
    }
}

/// Why a name has no addresses.
#[derive(Debug)]
pub enum LookupError {
    /// The deadline passed first.
    TimedOut,
    /// The resolver said no, or had nothing.
    Failed(io::Error),
}

impl fmt::Display for LookupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimedOut => f.write_str("the name was not resolved in time"),
            Self::Failed(_) => f.write_str("the name could not be resolved"),
        }
    }
}

impl std::error::Error for LookupError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::TimedOut => None,
            Self::Failed(error) => Some(error),
        }
    }
}

/// The addresses of a host, by `deadline` at the latest. Literals and `localhost` ask nobody.
pub fn lookup(
    resolver: &Arc<dyn Resolve>,
    host: &Host<String>,
    port: u16,
    deadline: Instant,
) -> Result<Vec<SocketAddr>, LookupError> {
    let name = match host {
        Host::Ipv4(ip) => return Ok(vec![SocketAddr::new(IpAddr::V4(*ip), port)]),
        Host::Ipv6(ip) => return Ok(vec![SocketAddr::new(IpAddr::V6(*ip), port)]),
        Host::Domain(name) if names::is_loopback(name) => {
            // RFC 6761, section 6.3: these names are never asked of a name server.
            return Ok(vec![
                SocketAddr::new(IpAddr::V6(Ipv6Addr::LOCALHOST), port),
                SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port),
            ]);
        }
        Host::Domain(name) => name.clone(),
    };
    let (sender, receiver) = mpsc::channel();
    let resolver = Arc::clone(resolver);
    std::thread::Builder::new()
        .name("lookup".to_owned())
        // The receiver is gone once the deadline has passed; then nobody wants the answer.
        .spawn(move || drop(sender.send(resolver.resolve(&name, port))))
        .map_err(LookupError::Failed)?;
    let left = deadline.saturating_duration_since(Instant::now());
    match receiver.recv_timeout(left) {
        Ok(Ok(found)) if found.is_empty() => Err(LookupError::Failed(io::Error::new(
            io::ErrorKind::NotFound,
            "no address",
        ))),
        Ok(Ok(found)) => Ok(found),
        Ok(Err(error)) => Err(LookupError::Failed(error)),
        Err(RecvTimeoutError::Timeout) => Err(LookupError::TimedOut),
        Err(RecvTimeoutError::Disconnected) => Err(LookupError::Failed(io::Error::other(
            "the look-up ended without an answer",
        ))),
    }
}
