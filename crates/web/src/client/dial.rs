//! The connector for the HTTP library: it connects to checked addresses and to no others.
//!
//! The library would resolve names and dial by itself. Its resolver is replaced by one that finds
//! nothing, and its connector by one that is given the guard's addresses for this one hop.

use std::io;
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, LazyBuffers, NextTimeout, Transport, time,
};

use super::fault::ConnectionFault;
use super::reply_head::{self, ResponseHead};
use super::socket::TcpTransport;
use super::tunnel::{self, ProxyTunnel};
use crate::guard::{CheckedAddr, HopTarget};
use iki_base::mutex::lock;

/// Route of one hop: the addresses to connect to, and the request to a proxy there.
pub struct HopRoute {
    /// Addresses to try, in order.
    pub addrs: Vec<CheckedAddr>,
    /// Target of the request.
    pub target: HopTarget,
    /// Proxy as `host:port`, if there is one.
    pub proxy: Option<String>,
    /// Tunnel to request of the proxy first.
    pub tunnel: Option<ProxyTunnel>,
    /// True if the request line must hold the whole URL, for a plain proxy.
    pub uses_absolute_form: bool,
    /// State shared by the connection and the client.
    pub exchange: Arc<ExchangeState>,
}

/// Maximum length of a head of an answer, in bytes, including the heads of interim answers; the
/// HTTP library's own limit.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// Bytes kept of an answer that is not HTTP.
const NON_HTTP_BYTES_KEPT: usize = 256;

/// State shared by the connection and the client while an answer comes in.
#[derive(Debug, Default)]
pub struct ExchangeState {
    reason: Mutex<Option<String>>,
    non_http_bytes: Mutex<Vec<u8>>,
    until: Mutex<Option<Instant>>,
}

impl ExchangeState {
    /// Returns the reason phrase of the answer's status line.
    pub fn reason(&self) -> Option<String> {
        lock(&self.reason).take()
    }

    /// Returns the first bytes of an answer that is not HTTP; empty if it is.
    pub fn non_http_bytes(&self) -> Vec<u8> {
        std::mem::take(&mut *lock(&self.non_http_bytes))
    }

    fn note(&self, seen: &ResponseHead, input: &[u8]) {
        match seen {
            ResponseHead::Partial => {}
            ResponseHead::NotHttp1 => {
                let mut non_http_bytes = lock(&self.non_http_bytes);
                non_http_bytes.extend_from_slice(&input[..input.len().min(NON_HTTP_BYTES_KEPT)]);
            }
            ResponseHead::Whole { reason, .. } => {
                let mut told = lock(&self.reason);
                *told = Some(reason.clone());
            }
        }
    }

    /// Sets a deadline for the rest of the answer; an earlier one stays.
    pub fn finish_by(&self, until: Instant) {
        *lock(&self.until) = Some(until);
    }

    fn shorten(&self, mut timeout: NextTimeout) -> NextTimeout {
        if let Some(until) = *lock(&self.until) {
            let left = until.saturating_duration_since(Instant::now());
            timeout.after = time::Duration::Exact(left.min(*timeout.after));
        }
        timeout
    }
}

/// A resolver that finds nothing, so that the library cannot resolve names.
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

/// Connects along one route.
pub struct Dialer(pub HopRoute);

impl std::fmt::Debug for Dialer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dialer")
            .field("target", &self.0.target)
            .finish_non_exhaustive()
    }
}

impl Connector<()> for Dialer {
    type Out = TcpTransport;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        _: Option<()>,
    ) -> Result<Option<TcpTransport>, ureq::Error> {
        let stream = self.open(Instant::now() + *details.timeout.after)?;
        stream.set_nodelay(true)?;
        let buffers = LazyBuffers::new(
            details.config.input_buffer_size(),
            details.config.output_buffer_size(),
        );
        Ok(Some(TcpTransport::new(stream, buffers)?))
    }
}

impl Dialer {
    /// Opens a connection along the route, through its tunnel if it has one, by `deadline`.
    pub fn open(&self, deadline: Instant) -> Result<TcpStream, ConnectionFault> {
        let stream = self.dial(deadline)?;
        if let Some(tunnel) = &self.0.tunnel {
            tunnel::open(&stream, tunnel, deadline).map_err(|error| self.proxy_fault(error))?;
        }
        Ok(stream)
    }

    /// Tries the addresses in turn. Each but the last gets half of the time that is left, so that
    /// an unresponsive one does not use it up.
    fn dial(&self, deadline: Instant) -> Result<TcpStream, ConnectionFault> {
        let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for (index, addr) in self.0.addrs.iter().enumerate() {
            let left = deadline.saturating_duration_since(Instant::now());
            let share = if index + 1 == self.0.addrs.len() {
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
            Some(proxy) => ConnectionFault::ProxyConnect(proxy.clone(), last),
            None => ConnectionFault::Connect(self.0.target.to_string(), last),
        })
    }

    fn proxy_fault(&self, error: io::Error) -> ConnectionFault {
        let proxy = self.0.proxy.clone().unwrap_or_default();
        if error.kind() == io::ErrorKind::Other {
            ConnectionFault::Proxy(proxy, error.to_string())
        } else {
            ConnectionFault::ProxyConnect(proxy, error)
        }
    }
}

/// Last link of the chain, around plain and TLS connections alike.
#[derive(Debug)]
pub struct ResponseTransport {
    /// Target, if the request line must hold the whole URL.
    pub absolute: Option<HopTarget>,
    /// See [`HopRoute::exchange`].
    pub exchange: Arc<ExchangeState>,
}

impl<In: Transport> Connector<In> for ResponseTransport {
    type Out = HttpWire<In>;

    fn connect(
        &self,
        _: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<HttpWire<In>>, ureq::Error> {
        Ok(chained.map(|inner| HttpWire {
            inner,
            absolute: self.absolute.as_ref().map(HopTarget::origin),
            exchange: Arc::clone(&self.exchange),
            has_head: false,
        }))
    }
}

/// A connection that distinguishes an aborted end from a clean one, rewrites the head of an answer
/// into a form that the library accepts, and can speak to a plain proxy. The library does not
/// distinguish the two ends if the server gave no length.
#[derive(Debug)]
pub struct HttpWire<T> {
    inner: T,
    absolute: Option<String>,
    exchange: Arc<ExchangeState>,
    /// True if the head of the answer has been read.
    has_head: bool,
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
        let path = sent
            .iter()
            .position(|b| *b == b' ')
            .map_or(0, |offset| offset + 1);
        let mut whole = Vec::with_capacity(sent.len() + prefix.len());
        whole.extend_from_slice(&sent[..path]);
        whole.extend_from_slice(prefix.as_bytes());
        whole.extend_from_slice(&sent[path..]);
        let mut remainder = &whole[..];
        while !remainder.is_empty() {
            let output = self.inner.buffers().output();
            let n = output.len().min(remainder.len());
            output[..n].copy_from_slice(&remainder[..n]);
            self.inner.transmit_output(n, timeout)?;
            remainder = &remainder[n..];
        }
        Ok(())
    }

    /// Waits for the whole head of the answer, and rewrites it into a form that the library
    /// accepts. Input that is not a head, or an endless one, is left for the library to reject.
    /// Returns false at the end of the connection.
    fn await_head(&mut self, timeout: NextTimeout) -> Result<bool, ureq::Error> {
        let deadline = Instant::now().checked_add(*timeout.after);
        loop {
            let mut timeout = timeout;
            if let Some(deadline) = deadline {
                let left = deadline.saturating_duration_since(Instant::now());
                timeout.after = time::Duration::Exact(left);
            }
            let more = self.await_more(timeout)?;
            let buffers = self.inner.buffers();
            let input = buffers.input();
            let seen = reply_head::read(input);
            self.exchange.note(&seen, input);
            match seen {
                ResponseHead::Partial if more && input.len() <= MAX_HEAD_BYTES => continue,
                ResponseHead::Partial | ResponseHead::NotHttp1 => {}
                ResponseHead::Whole { length, bytes, .. } => {
                    let tunnel_bytes = input[length..].to_vec();
                    let all = input.len();
                    buffers.input_consume(all);
                    let made = [bytes, tunnel_bytes].concat();
                    // There is room because no more is put back than was taken out.
                    let room = buffers.input_append_buf();
                    let fits = made.len().min(room.len());
                    room[..fits].copy_from_slice(&made[..fits]);
                    buffers.input_appended(fits);
                }
            }
            self.has_head = true;
            return Ok(more);
        }
    }

    /// Waits for more of the answer; an aborted connection is an error, a closed one is not.
    fn await_more(&mut self, timeout: NextTimeout) -> Result<bool, ureq::Error> {
        self.inner
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
                    ConnectionFault::Broken(e).into()
                }
                other => other,
            })
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
        let timeout = self.exchange.shorten(timeout);
        if self.has_head {
            self.await_more(timeout)
        } else {
            self.await_head(timeout)
        }
    }

    fn is_open(&mut self) -> bool {
        self.inner.is_open()
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}
