//! The connector for the HTTP library: it connects to checked addresses and to no others.
//!
//! The library would resolve names and dial by itself. Its resolver is replaced by one that finds
//! nothing, and its connector by one that is given the guard's addresses for this one hop.

use std::io;
use std::net::TcpStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, LazyBuffers, NextTimeout, Transport, time,
};

use super::fault::Fault;
use super::socket::Socket;
use super::tunnel::{self, Tunnel};
use crate::web::guard::{CheckedAddr, HopTarget};

/// The route of one hop: where to connect, and what to ask of a proxy there.
pub struct Route {
    /// The addresses to try, in order.
    pub addrs: Vec<CheckedAddr>,
    /// The target.
    pub target: HopTarget,
    /// The proxy as `host:port`, where there is one.
    pub proxy: Option<String>,
    /// What to ask of the proxy first.
    pub tunnel: Option<Tunnel>,
    /// Whether the request line must hold the whole URL, for a plain proxy.
    pub absolute: bool,
    /// The state that the connection and the client share.
    pub talk: Arc<Talk>,
}

/// The state that the connection and the client share while an answer comes in.
#[derive(Debug, Default)]
pub struct Talk {
    reason: Mutex<Option<String>>,
    until: Mutex<Option<Instant>>,
}

impl Talk {
    /// The reason phrase of the answer's status line.
    pub fn reason(&self) -> Option<String> {
        self.reason
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// Sets a deadline for the rest of the answer; an earlier one stays.
    pub fn finish_by(&self, until: Instant) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
    }

    fn shorten(&self, mut timeout: NextTimeout) -> NextTimeout {
        if let Some(until) = *self.until.lock().unwrap_or_else(PoisonError::into_inner) {
            let left = until.saturating_duration_since(Instant::now());
            timeout.after = time::Duration::Exact(left.min(*timeout.after));
        }
        timeout
    }
}

/// A resolver that resolves nothing, so that the library cannot.
#[derive(Debug)]
pub struct NoResolver;

impl Resolver for NoResolver {
    fn resolve(
        &self,
        _: &Uri,
        _: &Config,
        _: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        Ok(self.empty())
    }
}

/// Connects along the one route it was made with.
pub struct Dialer(pub Route);

impl std::fmt::Debug for Dialer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dialer")
            .field("target", &self.0.target)
            .finish_non_exhaustive()
    }
}

impl Connector<()> for Dialer {
    type Out = Socket;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        _: Option<()>,
    ) -> Result<Option<Socket>, ureq::Error> {
        let deadline = Instant::now() + *details.timeout.after;
        let stream = self.dial(deadline)?;
        if let Some(tunnel) = &self.0.tunnel {
            tunnel::open(&stream, tunnel, deadline).map_err(|error| self.proxy_fault(error))?;
        }
        stream.set_nodelay(true)?;
        let buffers = LazyBuffers::new(
            details.config.input_buffer_size(),
            details.config.output_buffer_size(),
        );
        Ok(Some(Socket::new(stream, buffers)?))
    }
}

impl Dialer {
    /// Tries the addresses in turn. Each but the last gets half of the time that is left, so that
    /// one that never answers does not use it up.
    fn dial(&self, deadline: Instant) -> Result<TcpStream, Fault> {
        let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for (at, addr) in self.0.addrs.iter().enumerate() {
            let left = deadline.saturating_duration_since(Instant::now());
            let share = if at + 1 == self.0.addrs.len() {
                left
            } else {
                left / 2
            };
            if share < Duration::from_millis(1) {
                last = io::ErrorKind::TimedOut.into();
                break;
            }
            match addr.connect(share) {
                Ok(stream) => return Ok(stream),
                Err(error) => last = error,
            }
        }
        Err(match &self.0.proxy {
            Some(proxy) => Fault::ProxyConnect(proxy.clone(), last),
            None => Fault::Connect(self.0.target.to_string(), last),
        })
    }

    fn proxy_fault(&self, error: io::Error) -> Fault {
        let proxy = self.0.proxy.clone().unwrap_or_default();
        if error.kind() == io::ErrorKind::Other {
            Fault::Proxy(proxy, error.to_string())
        } else {
            Fault::ProxyConnect(proxy, error)
        }
    }
}

/// The last link of the chain, around plain and TLS connections alike.
#[derive(Debug)]
pub struct Finish {
    /// The target, where the request line must hold the whole URL.
    pub absolute: Option<HopTarget>,
    /// See [`Route::talk`].
    pub talk: Arc<Talk>,
}

impl<In: Transport> Connector<In> for Finish {
    type Out = HttpWire<In>;

    fn connect(
        &self,
        _: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<HttpWire<In>>, ureq::Error> {
        Ok(chained.map(|inner| HttpWire {
            inner,
            absolute: self.absolute.as_ref().map(HopTarget::origin),
            talk: Arc::clone(&self.talk),
            headed: false,
        }))
    }
}

/// A connection that distinguishes a broken end from a clean one, and that can speak to a plain
/// proxy. The library does not distinguish the two ends where the server gave no length.
#[derive(Debug)]
pub struct HttpWire<T> {
    inner: T,
    absolute: Option<String>,
    talk: Arc<Talk>,
    /// Whether the status line has been seen.
    headed: bool,
}

impl<T: Transport> HttpWire<T> {
    /// Puts `http://host` before the path in the request line (RFC 9112, section 3.2.2).
    fn send_absolute(
        &mut self,
        prefix: &str,
        amount: usize,
        timeout: NextTimeout,
    ) -> Result<(), ureq::Error> {
        let sent = self.inner.buffers().output()[..amount].to_vec();
        let path = sent.iter().position(|b| *b == b' ').map_or(0, |at| at + 1);
        let mut whole = Vec::with_capacity(sent.len() + prefix.len());
        whole.extend_from_slice(&sent[..path]);
        whole.extend_from_slice(prefix.as_bytes());
        whole.extend_from_slice(&sent[path..]);
        let mut rest = &whole[..];
        while !rest.is_empty() {
            let output = self.inner.buffers().output();
            let n = output.len().min(rest.len());
            output[..n].copy_from_slice(&rest[..n]);
            self.inner.transmit_output(n, timeout)?;
            rest = &rest[n..];
        }
        Ok(())
    }

    /// Notes the reason phrase of the first status line that is not an interim one.
    fn note_reason(&mut self) {
        let mut input = self.inner.buffers().input();
        while let Some(end) = input.iter().position(|b| *b == b'\n') {
            let line = String::from_utf8_lossy(&input[..end]);
            let mut parts = line.trim_end().splitn(3, ' ');
            let (version, code) = (parts.next(), parts.next());
            if !version.is_some_and(|v| v.starts_with("HTTP/")) {
                break;
            }
            if code.is_some_and(|code| code.starts_with('1')) {
                let Some(head) = input.windows(4).position(|w| w == b"\r\n\r\n") else {
                    return;
                };
                input = &input[head + 4..];
                continue;
            }
            let reason = parts.next().unwrap_or_default().trim().to_owned();
            *self
                .talk
                .reason
                .lock()
                .unwrap_or_else(PoisonError::into_inner) = Some(reason);
            self.headed = true;
            return;
        }
    }
}

impl<T: Transport> Transport for HttpWire<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.inner.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), ureq::Error> {
        match self.absolute.take() {
            Some(prefix) => self.send_absolute(&prefix, amount, timeout),
            None => self.inner.transmit_output(amount, timeout),
        }
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, ureq::Error> {
        let timeout = self.talk.shorten(timeout);
        let more = self
            .inner
            .await_input(timeout)
            .map_err(|error| match error {
                ureq::Error::Io(e)
                    if matches!(
                        e.kind(),
                        io::ErrorKind::UnexpectedEof
                            | io::ErrorKind::ConnectionReset
                            | io::ErrorKind::ConnectionAborted
                    ) =>
                {
                    Fault::Broken(e).into()
                }
                other => other,
            })?;
        if !self.headed {
            self.note_reason();
        }
        Ok(more)
    }

    fn is_open(&mut self) -> bool {
        self.inner.is_open()
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}
