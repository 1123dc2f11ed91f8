//! The proxy through which the browser asks for everything, for one page.
//!
//! It listens on the loopback for as long as the call takes, and serves processes of this user
//! alone. Each connection is judged like one of our own: the host has to be allowed, the guard
//! admits it and its addresses, names are resolved here, once a page, and only an address that was
//! checked is dialled (`HttpClient::open`). So a page's scripts reach nothing that a fetch of the page
//! would not: never what is link-local or a cloud's metadata; what is loopback or private only
//! under the host that the caller named. The browser's own calls to its maker are refused. Of a
//! name that has public and private addresses, the private ones are left out.
//!
//! Its bounds: [`AT_ONCE`] connections at a time, [`MOST`] in all, [`BYTES`] of traffic, [`IDLE`]
//! without a byte, and a moment at which everything is cut off, so that a page that waits for ever
//! is printed all the same.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pipe::{PipeFlags, pipe_with};
use url::{Host, Url};

use crate::web::client::{FetchError, HttpClient, NetworkError};
use crate::web::guard::class::{AddressScope, classify};
use crate::web::guard::{self, Guard};
use crate::web::resolve::NameResolver;

mod exchange;
mod own_calls;
mod peer;
mod relay;

/// How many connections are served at a time. The browser opens 32 to a proxy.
pub const AT_ONCE: usize = 64;
/// How many connections are served in all.
pub const MOST: usize = 1000;
/// How many bytes go through in all, both ways.
pub const BYTES: u64 = 64 * 1024 * 1024;
/// How long a connection may be silent.
pub const IDLE: Duration = Duration::from_secs(4);

/// The name under which the browser finds the way to its page. `invalid` is nobody's (RFC 2606).
const START: &str = "ikigai.invalid";

/// What was asked of the proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// `host:port`.
    pub target: String,
    /// Why it was refused, or not reached; `None` where it was connected to.
    pub refused: Option<String>,
}

/// A proxy for one page. It ends when it is dropped.
pub struct Proxy {
    shared: Arc<Shared>,
    address: SocketAddr,
    /// Its end is what every thread of the proxy watches for.
    running: Option<OwnedFd>,
    accepting: Option<JoinHandle<()>>,
}

/// What the threads of a proxy share.
struct Shared {
    client: HttpClient,
    guard: Guard,
    page: Url,
    /// Nobody else knows the name of the way to the page.
    start: String,
    cut: Instant,
    stopped: OwnedFd,
    at_once: AtomicUsize,
    bytes: AtomicU64,
    log: Mutex<Log>,
}

#[derive(Default)]
struct Log {
    asked: Vec<Asked>,
    /// Why the page's own host was not reached, the first time.
    failed: Option<NetworkError>,
    /// Whether it ever was.
    reached: bool,
}

impl Proxy {
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
        let client = HttpClient::with_resolver(Arc::new(Remembering {
            resolver,
            known: Mutex::default(),
        }));
        let shared = Arc::new(Shared {
            client: client.within(cut.saturating_duration_since(Instant::now())),
            guard,
            page: page.clone(),
            start: format!("{token:016x}.{START}"),
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

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address that leads to the page, for the browser.
    #[must_use]
    pub fn start_url(&self) -> String {
        format!("http://{}/", self.shared.start)
    }

    /// Ends it. Returns what was asked of it, and why the page's host was never reached.
    #[must_use]
    pub fn finish(mut self) -> (Vec<Asked>, Option<NetworkError>) {
        self.stop();
        let mut log = self.shared.log();
        let failed = log.failed.take().filter(|_| !log.reached);
        (std::mem::take(&mut log.asked), failed)
    }

    fn stop(&mut self) {
        drop(self.running.take());
        if let Some(accepting) = self.accepting.take() {
            // It has nothing to return, and what it could panic of is its own.
            let _ = accepting.join();
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes connections in until the proxy is stopped or everything is cut off.
    fn accept(self: &Arc<Self>, listener: &TcpListener, own: SocketAddr) {
        let mut taken = 0;
        while taken < MOST && self.may_go_on() {
            let left = self.cut.saturating_duration_since(Instant::now());
            if !self.wait_for(listener, PollFlags::IN, left) {
                return;
            }
            let Ok((stream, peer)) = listener.accept() else {
                continue;
            };
            taken += 1;
            if self.at_once.load(Ordering::Relaxed) >= AT_ONCE || !peer::is_own(peer, own) {
                continue;
            }
            self.at_once.fetch_add(1, Ordering::Relaxed);
            let its_own = Arc::clone(self);
            let served = thread::Builder::new()
                .name("proxied".to_owned())
                .spawn(move || {
                    let _one = AtOnce(&its_own.at_once);
                    // Whatever goes wrong on a connection ends it, and the browser sees that.
                    let _ = exchange::serve(&its_own, &stream);
                });
            if served.is_err() {
                self.at_once.fetch_sub(1, Ordering::Relaxed);
            }
        }
    }

    /// Waits until `what` is possible on a socket; false once the time is over or the proxy ends.
    fn wait_for(&self, socket: &impl std::os::fd::AsFd, what: PollFlags, most: Duration) -> bool {
        let Ok(most) = Timespec::try_from(most) else {
            return false;
        };
        let mut wanted = [
            PollFd::new(socket, what),
            PollFd::new(&self.stopped, PollFlags::IN),
        ];
        match poll(&mut wanted, Some(&most)) {
            Ok(0) => false,
            Ok(_) => wanted[1].revents().is_empty(),
            Err(error) => error == rustix::io::Errno::INTR,
        }
    }

    fn may_go_on(&self) -> bool {
        Instant::now() < self.cut && self.bytes.load(Ordering::Relaxed) < BYTES
    }

    /// How long one connection may be silent from now on.
    fn patience(&self) -> Duration {
        IDLE.min(self.cut.saturating_duration_since(Instant::now()))
    }

    /// Connects to the host of `url`, if the rules allow it, and keeps what came of it.
    fn open(&self, url: &Url) -> Option<crate::web::client::OpenedConnection> {
        let (host, page) = (guard::host_of(url), guard::host_of(&self.page));
        let of_page = host.is_ok() && host == page;
        let opened = match &host {
            Ok(Host::Domain(name)) if !of_page && own_calls::is_own(name) => {
                Err(FetchError::Network(Box::new(NetworkError::new(
                    "Refused: a call of the browser's own",
                ))))
            }
            _ => self.client.open(&self.guard, url),
        };
        let mut log = self.log();
        let port = url.port_or_known_default().unwrap_or(0);
        log.asked.push(Asked {
            target: format!("{}:{port}", url.host_str().unwrap_or_default()),
            refused: opened.as_ref().err().map(ToString::to_string),
        });
        match opened {
            Ok(opened) => {
                log.reached |= of_page;
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

/// One of the connections that are served at a time.
struct AtOnce<'a>(&'a AtomicUsize);

impl Drop for AtOnce<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A resolver that answers the same for a name as long as the page is rendered: who changes the
/// addresses of a name meanwhile gains nothing.
struct Remembering {
    resolver: Arc<dyn NameResolver>,
    known: Mutex<HashMap<String, Vec<SocketAddr>>>,
}

impl Remembering {
    fn known(&self) -> MutexGuard<'_, HashMap<String, Vec<SocketAddr>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl NameResolver for Remembering {
    fn resolve(&self, name: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        let known = self.known().get(name).cloned();
        let found = if let Some(known) = known {
            known
        } else {
            let mut found = self.resolver.resolve(name, port)?;
            let scope = |address: &SocketAddr| classify(address.ip()).scope;
            let is_private = |address: &SocketAddr| scope(address) == AddressScope::Private;
            if !found.iter().all(is_private) {
                found.retain(|address| !is_private(address));
            }
            // Of two who asked at the same time, the first one's answer holds.
            self.known().entry(name.to_owned()).or_insert(found).clone()
        };
        let with_port = |address: &SocketAddr| SocketAddr::new(address.ip(), port);
        Ok(found.iter().map(with_port).collect())
    }
}

/// A connection of the browser's, or one that was opened for it.
type Wire<'a> = &'a TcpStream;

#[cfg(test)]
#[path = "proxy/proxy_tests.rs"]
mod tests;
