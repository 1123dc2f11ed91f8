//! Real servers on loopback, as well or as badly behaved as a test needs: each reply is written by
//! the test, byte by byte if need be.

// Every test file includes this module and uses its own part of it.
#![allow(dead_code)]
// These connections go to the test's own servers.
#![allow(clippy::disallowed_methods)]

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// A request as it came in.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The method.
    pub method: String,
    /// The request target: a path, or a whole URL where the server is a proxy.
    pub target: String,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, as long as `Content-Length` says.
    pub body: Vec<u8>,
}

impl Asked {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.as_str())
    }

    /// A query parameter, decoded.
    pub fn param(&self, name: &str) -> Option<String> {
        let url = url::Url::parse(&format!("http://x{}", self.target)).ok()?;
        url.query_pairs()
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.into_owned())
    }
}

/// A connection to write a reply to.
pub trait Conn: Read + Write {
    /// Ends the connection with a reset instead of a clean close.
    fn reset(&mut self);
}

impl Conn for TcpStream {
    fn reset(&mut self) {
        let linger = libc::linger {
            l_onoff: 1,
            l_linger: 0,
        };
        let size = libc::socklen_t::try_from(size_of::<libc::linger>()).unwrap();
        // SAFETY: the descriptor is open, and the pointer and size are of one live value.
        unsafe {
            libc::setsockopt(
                self.as_raw_fd(),
                libc::SOL_SOCKET,
                libc::SO_LINGER,
                (&raw const linger).cast(),
                size,
            );
        }
    }
}

impl Conn for StreamOwned<ServerConnection, TcpStream> {
    fn reset(&mut self) {
        self.sock.reset();
    }
}

type Handler = dyn Fn(&Asked, &mut dyn Conn) -> io::Result<()> + Send + Sync;

/// A server that runs until it is dropped.
pub struct Server {
    addr: SocketAddr,
    scheme: &'static str,
    asked: Arc<Mutex<Vec<Asked>>>,
    stop: Arc<AtomicBool>,
}

impl Server {
    /// Starts an HTTP server. `handler` writes the whole reply; the connection is closed after it.
    pub fn start(
        handler: impl Fn(&Asked, &mut dyn Conn) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self::run(None, "http", Arc::new(handler))
    }

    /// Starts an HTTPS server.
    pub fn start_tls(
        config: Arc<ServerConfig>,
        handler: impl Fn(&Asked, &mut dyn Conn) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self::run(Some(config), "https", Arc::new(handler))
    }

    /// A server that gives every request these bytes.
    pub fn bytes(reply: impl Into<Vec<u8>>) -> Self {
        let reply = reply.into();
        Self::start(move |_, conn| conn.write_all(&reply))
    }

    /// A server that handles connections itself, request and all.
    pub fn raw(handler: impl Fn(TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let server = Self::new(&listener, "http");
        let stop = Arc::clone(&server.stop);
        let handler = Arc::new(handler);
        accept(listener, stop, move |stream| handler(stream));
        server
    }

    fn new(listener: &TcpListener, scheme: &'static str) -> Self {
        Self {
            addr: listener.local_addr().unwrap(),
            scheme,
            asked: Arc::default(),
            stop: Arc::default(),
        }
    }

    fn run(tls: Option<Arc<ServerConfig>>, scheme: &'static str, handler: Arc<Handler>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let server = Self::new(&listener, scheme);
        let asked = Arc::clone(&server.asked);
        accept(listener, Arc::clone(&server.stop), move |stream| {
            // A client that is gone is not a failure of the server.
            let _ = match &tls {
                None => serve(stream, &asked, &*handler),
                Some(config) => ServerConnection::new(Arc::clone(config))
                    .map_err(io::Error::other)
                    .and_then(|tls| serve(StreamOwned::new(tls, stream), &asked, &*handler)),
            };
        });
        server
    }

    /// The server's port.
    pub fn port(&self) -> u16 {
        self.addr.port()
    }

    /// A URL on the server, under 127.0.0.1; `path` begins with a slash.
    pub fn url(&self, path: &str) -> String {
        self.url_as("127.0.0.1", path)
    }

    /// A URL on the server under another name.
    pub fn url_as(&self, host: &str, path: &str) -> String {
        format!("{}://{host}:{}{path}", self.scheme, self.port())
    }

    /// What was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// What was asked since it was last taken, for thousands of requests to one server.
    pub fn take_asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts.
        let _ = TcpStream::connect_timeout(&self.addr, Duration::from_secs(1));
    }
}

fn accept(
    listener: TcpListener,
    stop: Arc<AtomicBool>,
    each: impl Fn(TcpStream) + Send + Sync + 'static,
) {
    let each = Arc::new(each);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            if stop.load(Ordering::SeqCst) {
                break;
            }
            let each = Arc::clone(&each);
            thread::spawn(move || each(stream));
        }
    });
}

fn serve<S: Conn>(mut stream: S, log: &Mutex<Vec<Asked>>, handler: &Handler) -> io::Result<()> {
    let mut asked = read_head(&mut stream)?;
    if let Some(length) = asked.header("content-length").and_then(|n| n.parse().ok()) {
        asked.body.resize(length, 0);
        stream.read_exact(&mut asked.body)?;
    }
    log.lock().unwrap().push(asked.clone());
    handler(&asked, &mut stream)?;
    stream.flush()
}

/// Reads a request up to the empty line.
pub fn read_head(stream: &mut dyn Read) -> io::Result<Asked> {
    let mut reader = BufReader::with_capacity(1, stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split_whitespace();
    let mut asked = Asked {
        method: words.next().unwrap_or_default().to_owned(),
        target: words.next().unwrap_or_default().to_owned(),
        headers: Vec::new(),
        body: Vec::new(),
    };
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim_end().is_empty() {
            return Ok(asked);
        }
        if let Some((name, value)) = line.trim_end().split_once(':') {
            asked
                .headers
                .push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
}

/// A reply with a body and its length. `head` is the status line's rest and the headers, such as
/// `200 OK\r\nContent-Type: text/plain`.
pub fn reply(head: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let mut out = format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\n\r\n", body.len()).into_bytes();
    out.extend_from_slice(body);
    out
}

/// A reply that is a redirect.
pub fn redirect(location: &str) -> Vec<u8> {
    reply(&format!("302 Found\r\nLocation: {location}"), "moved")
}

/// A page in plain text.
pub fn page(body: impl AsRef<[u8]>) -> Vec<u8> {
    reply("200 OK\r\nContent-Type: text/plain", body)
}

/// A certificate authority of the test's own.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    /// A new one.
    pub fn new() -> Self {
        let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        // Two authorities with the same name would be mistaken for each other.
        let name = format!("test authority {:x?}", &key.public_key_raw()[..8]);
        params
            .distinguished_name
            .push(rcgen::DnType::CommonName, name);
        Self(CertifiedIssuer::self_signed(params, key).unwrap())
    }

    /// Its certificate, in PEM.
    pub fn pem(&self) -> String {
        self.0.pem()
    }

    /// A server's configuration with a certificate for `names`, valid in these years.
    pub fn server(&self, names: &[&str], years: (i32, i32)) -> Arc<ServerConfig> {
        let (cert, key) = self.certificate(names, years);
        serve_with(cert.der().clone(), pkcs8(&key))
    }

    /// Such a certificate and its key, in PEM.
    pub fn pems(&self, names: &[&str], years: (i32, i32)) -> (String, String) {
        let (cert, key) = self.certificate(names, years);
        (cert.pem(), key.serialize_pem())
    }

    fn certificate(&self, names: &[&str], years: (i32, i32)) -> (rcgen::Certificate, KeyPair) {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params.not_before = rcgen::date_time_ymd(years.0, 1, 1);
        params.not_after = rcgen::date_time_ymd(years.1, 1, 1);
        let key = KeyPair::generate().unwrap();
        let cert = params.signed_by(&key, &self.0).unwrap();
        (cert, key)
    }
}

fn pkcs8(key: &KeyPair) -> PrivateKeyDer<'static> {
    PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()))
}

/// The configuration of a server that shows one certificate.
pub fn serve_with(cert: CertificateDer<'static>, key: PrivateKeyDer<'static>) -> Arc<ServerConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert], key)
        .unwrap();
    Arc::new(config)
}

/// A certificate that signed itself and calls itself an authority, as `openssl req -x509` makes it.
pub struct SelfSigned {
    key: KeyPair,
    cert: rcgen::Certificate,
}

impl SelfSigned {
    /// A new one for `names`, valid in these years.
    pub fn new(names: &[&str], years: (i32, i32)) -> Self {
        Self::with(KeyPair::generate().unwrap(), names, years)
    }

    /// Another one, like this but for its serial number, and with its key.
    pub fn twin(&self, names: &[&str], years: (i32, i32)) -> Self {
        let key = KeyPair::try_from(self.key.serialize_der()).unwrap();
        Self::with(key, names, years)
    }

    fn with(key: KeyPair, names: &[&str], years: (i32, i32)) -> Self {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.not_before = rcgen::date_time_ymd(years.0, 1, 1);
        params.not_after = rcgen::date_time_ymd(years.1, 1, 1);
        let serial = SERIAL.fetch_add(1, Ordering::SeqCst);
        params.serial_number = Some(serial.into());
        let cert = params.self_signed(&key).unwrap();
        Self { key, cert }
    }

    /// It, in PEM.
    pub fn pem(&self) -> String {
        self.cert.pem()
    }

    /// The configuration of a server that shows it.
    pub fn server(&self) -> Arc<ServerConfig> {
        serve_with(self.cert.der().clone(), pkcs8(&self.key))
    }
}

static SERIAL: AtomicU64 = AtomicU64::new(1);
