//! Names to addresses, within a deadline.
//!
//! The system's look-up has no timeout, so it runs on a thread of its own, which is abandoned
//! when the deadline passes.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Instant;

use url::Host;

use super::guard::names;

/// A resolver of names.
pub trait NameResolver: Send + Sync + 'static {
    /// Returns all addresses of `name`, best first. May block; the caller enforces the deadline.
    fn resolve(&self, name: &str, port: u16) -> io::Result<Vec<SocketAddr>>;
}

/// The system's resolver.
#[derive(Debug, Default)]
pub struct SystemResolver;

impl NameResolver for SystemResolver {
    fn resolve(&self, name: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        Ok((name, port).to_socket_addrs()?.collect())
    }
}

/// Reason why no addresses were found.
#[derive(Debug, thiserror::Error)]
pub enum LookupError {
    /// The deadline passed first.
    #[error("the name server did not answer in time")]
    TimedOut,
    /// The resolver failed, or found nothing.
    #[error(transparent)]
    Failed(io::Error),
}

/// Resolves a host by `deadline` at the latest. Literals and `localhost` need no look-up.
pub fn lookup(
    resolver: &Arc<dyn NameResolver>,
    host: &Host<String>,
    port: u16,
    deadline: Instant,
) -> Result<Vec<SocketAddr>, LookupError> {
    let name = match host {
        Host::Ipv4(ip) => return Ok(vec![SocketAddr::new(IpAddr::V4(*ip), port)]),
        Host::Ipv6(ip) => return Ok(vec![SocketAddr::new(IpAddr::V6(*ip), port)]),
        Host::Domain(name) if names::is_loopback(name) => {
            // RFC 6761, section 6.3: these names are never sent to a name server.
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
        // The receiver is dropped once the deadline has passed; the answer is then not needed.
        .spawn(move || drop(sender.send(resolver.resolve(&name, port))))
        .map_err(LookupError::Failed)?;
    let left = deadline.saturating_duration_since(Instant::now());
    match receiver.recv_timeout(left) {
        Ok(Ok(addresses)) if addresses.is_empty() => Err(LookupError::Failed(io::Error::new(
            io::ErrorKind::NotFound,
            "no address",
        ))),
        Ok(Ok(addresses)) => Ok(addresses),
        Ok(Err(error)) => Err(LookupError::Failed(error)),
        Err(RecvTimeoutError::Timeout) => Err(LookupError::TimedOut),
        Err(RecvTimeoutError::Disconnected) => Err(LookupError::Failed(io::Error::other(
            "the look-up ended without an answer",
        ))),
    }
}
