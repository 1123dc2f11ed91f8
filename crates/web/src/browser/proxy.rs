//! The proxy for all requests of the browser, for one page.
//!
//! It listens on the loopback for as long as the call takes, and serves processes of this user
//! alone. Each connection is judged like one of our own: the host has to be allowed, the guard
//! admits it and its addresses, names are resolved here, once a page, and only an address that was
//! checked is dialled (`HttpClient::open`). So a page's scripts reach only addresses that a fetch
//! of the page would: never link-local ones or a cloud's metadata; loopback and private ones only
//! under the host that the caller named. The browser's own calls to its maker are refused. If a
//! name has public and private addresses, the private ones are left out.
//!
//! Its limits: [`MAX_CONNECTIONS`] connections at a time, [`MAX_CONNECTIONS_IN_ALL`] in all,
//! [`MAX_BYTES_IN_ALL`] of traffic, [`IDLE_TIMEOUT`] without a byte, and a moment at which
//! everything is cut off, so that a page that waits for ever is printed all the same.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pipe::{PipeFlags, pipe_with};
use url::{Host, Url};

use crate::client::{FetchError, HttpClient, NetworkError};
use crate::guard::class::{AddressScope, classify};
use crate::guard::{self, Guard};
use crate::resolve::NameResolver;
use iki_base::mutex::lock;

mod exchange;
mod own_calls;
mod peer;
mod relay;

/// Maximum number of connections at a time. The browser opens 32 to a proxy.
pub const MAX_CONNECTIONS: usize = 64;
/// Maximum number of connections in all.
const MAX_CONNECTIONS_IN_ALL: usize = 1000;
/// Maximum number of bytes in all, both ways.
const MAX_BYTES_IN_ALL: u64 = 64 * 1024 * 1024;
/// Maximum silence of a connection.
pub const IDLE_TIMEOUT: Duration = Duration::from_secs(4);

/// The domain of the address that redirects the browser to its page. `invalid` has no owner (RFC
/// 2606).
const START_HOST: &str = "ikigai.invalid";

/// A request to the proxy, for tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProxyRequest {
    /// `host:port`.
    pub target: String,
    /// The reason if the target was refused or not reached.
    pub refused: Option<String>,
}

/// A proxy for one page. It ends when it is dropped.
pub struct BrowserProxy {
    shared: Arc<ProxyState>,
    address: SocketAddr,
    /// Closing this end of the pipe stops every thread of the proxy.
    running: Option<OwnedFd>,
    accepting: Option<JoinHandle<()>>,
}

/// The state that the threads of a proxy share.
struct ProxyState {
    client: HttpClient,
    guard: Guard,
    page: Url,
    /// The name that redirects to the page, which is random and so known only to this browser.
    start: String,
    cut: Instant,
    stopped: OwnedFd,
    at_once: AtomicUsize,
    bytes: AtomicU64,
    log: Mutex<ProxyLog>,
}

#[derive(Default)]
struct ProxyLog {
    requests: Vec<ProxyRequest>,
    /// The first error of reaching the page's own host.
    failed: Option<NetworkError>,
    /// The page's own host was reached.
    was_reached: bool,
}

impl BrowserProxy {
    /// Starts a proxy for the page at `page`, whose connections `guard` judges, and which cuts off
    /// everything at `cut`.
    pub fn start(
        page: &Url,
        guard: Guard,
        resolver: Arc<dyn NameResolver>,
        cut: Instant,
    ) -> io::Result<Self> {
        use std::hash::{BuildHasher, Hasher, RandomState};
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let (stopped, running) = pipe_with(PipeFlags::CLOEXEC)?;
        let token = RandomState::new().build_hasher().finish();
        let client = HttpClient::with_resolver(Arc::new(PinningResolver {
            resolver,
            known: Mutex::default(),
        }));
        let shared = Arc::new(ProxyState {
            client: client.within(cut.saturating_duration_since(Instant::now())),
            guard,
            page: page.clone(),
            start: format!("{token:016x}.{START_HOST}"),
            cut,
            stopped,
            at_once: AtomicUsize::new(0),
            bytes: AtomicU64::new(0),
            log: Mutex::default(),
        });
        let its_own = Arc::clone(&shared);
        let accepting = thread::Builder::new()
            .name("proxy".to_owned())
            .spawn(move || its_own.accept(&listener, address))?;
        Ok(Self {
            shared,
            address,
            running: Some(running),
            accepting: Some(accepting),
        })
    }

    /// Returns the address on which it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the address that leads to the page, for the browser.
    #[must_use]
    pub fn start_url(&self) -> String {
        format!("http://{}/", self.shared.start)
    }

    /// Stops it. Returns its requests, and the error if the page's host was never reached.
    #[must_use]
    pub fn finish(mut self) -> (Vec<ProxyRequest>, Option<NetworkError>) {
        self.stop();
        let mut log = lock(&self.shared.log);
        let failed = log.failed.take().filter(|_| !log.was_reached);
        (std::mem::take(&mut log.requests), failed)
    }

    fn stop(&mut self) {
        drop(self.running.take());
        if let Some(accepting) = self.accepting.take() {
            // It returns nothing, and a panic in it does not matter to the call.
            let _ = accepting.join();
        }
    }
}

impl Drop for BrowserProxy {
    fn drop(&mut self) {
        self.stop();
    }
}

impl ProxyState {
    /// Accepts connections until the proxy is stopped or everything is cut off.
    fn accept(self: &Arc<Self>, listener: &TcpListener, local_address: SocketAddr) {
        let mut taken = 0;
        while taken < MAX_CONNECTIONS_IN_ALL && self.may_go_on() {
            let left = self.cut.saturating_duration_since(Instant::now());
            if !self.wait_for(listener, PollFlags::IN, left) {
                return;
            }
            let Ok((stream, peer)) = listener.accept() else {
                continue;
            };
            taken += 1;
            if self.at_once.load(Ordering::Relaxed) >= MAX_CONNECTIONS
                || !peer::is_of_this_user(peer, local_address)
            {
                continue;
            }
            self.at_once.fetch_add(1, Ordering::Relaxed);
            let its_own = Arc::clone(self);
            let served = thread::Builder::new()
                .name("proxied".to_owned())
                .spawn(move || {
                    let _one = ServedConnection(&its_own.at_once);
                    // An error on a connection ends it, and the browser sees that.
                    let _ = exchange::serve(&its_own, &stream);
                });
            if served.is_err() {
                self.at_once.fetch_sub(1, Ordering::Relaxed);
            }
        }
    }

    /// Waits until `what` is possible on a socket; false if the time is over or the proxy ends.
    fn wait_for(&self, socket: &impl std::os::fd::AsFd, what: PollFlags, limit: Duration) -> bool {
        let Ok(limit) = Timespec::try_from(limit) else {
            return false;
        };
        let mut wanted = [
            PollFd::new(socket, what),
            PollFd::new(&self.stopped, PollFlags::IN),
        ];
        match poll(&mut wanted, Some(&limit)) {
            Ok(0) => false,
            Ok(_) => wanted[1].revents().is_empty(),
            Err(error) => error == rustix::io::Errno::INTR,
        }
    }

    fn may_go_on(&self) -> bool {
        Instant::now() < self.cut && self.bytes.load(Ordering::Relaxed) < MAX_BYTES_IN_ALL
    }

    /// Maximum silence of a connection from now on.
    fn idle_timeout(&self) -> Duration {
        IDLE_TIMEOUT.min(self.cut.saturating_duration_since(Instant::now()))
    }

    /// Connects to the host of `url` if the rules allow it, and logs the outcome.
    fn connect(&self, url: &Url) -> Option<crate::client::OpenedConnection> {
        let (host, page) = (guard::host_of(url), guard::host_of(&self.page));
        let of_page = host.is_ok() && host == page;
        let opened = match &host {
            Ok(Host::Domain(name)) if !of_page && own_calls::is_own_call(name) => {
                Err(FetchError::Network(Box::new(NetworkError::new(
                    "Refused: a call of the browser's own",
                ))))
            }
            _ => self.client.open(&self.guard, url),
        };
        let mut log = lock(&self.log);
        let port = url.port_or_known_default().unwrap_or(0);
        log.requests.push(ProxyRequest {
            target: format!("{}:{port}", url.host_str().unwrap_or_default()),
            refused: opened.as_ref().err().map(ToString::to_string),
        });
        match opened {
            Ok(opened) => {
                log.was_reached |= of_page;
                Some(opened)
            }
            Err(error) => {
                if of_page && log.failed.is_none() {
                    log.failed = Some(match error {
                        FetchError::Network(error) => *error,
                        other => NetworkError::new(other.to_string()),
                    });
                }
                None
            }
        }
    }
}

/// Counts a connection as served until this is dropped.
struct ServedConnection<'a>(&'a AtomicUsize);

impl Drop for ServedConnection<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A resolver that gives a name the same addresses as long as the page is rendered, so that
/// changing them meanwhile gains an attacker nothing.
struct PinningResolver {
    resolver: Arc<dyn NameResolver>,
    known: Mutex<HashMap<String, Vec<SocketAddr>>>,
}

impl NameResolver for PinningResolver {
    fn resolve(&self, name: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        let known = lock(&self.known).get(name).cloned();
        let addresses = if let Some(known) = known {
            known
        } else {
            let mut addresses = self.resolver.resolve(name, port)?;
            let scope = |address: &SocketAddr| classify(address.ip()).scope;
            let is_private = |address: &SocketAddr| scope(address) == AddressScope::Private;
            if !addresses.iter().all(is_private) {
                addresses.retain(|address| !is_private(address));
            }
            // Of two threads that resolve a name at the same time, the first one's answer holds.
            lock(&self.known)
                .entry(name.to_owned())
                .or_insert(addresses)
                .clone()
        };
        let with_port = |address: &SocketAddr| SocketAddr::new(address.ip(), port);
        Ok(addresses.iter().map(with_port).collect())
    }
}

#[cfg(test)]
#[path = "proxy/proxy_tests.rs"]
mod tests;
