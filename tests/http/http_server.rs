//! The one builder of a server over HTTP, and a client that sends it whatever a test wants to send:
//! `ikigai-tools mcp --http`, with directories of its own.

#![allow(
    dead_code,
    unused_imports,
    reason = "each test file uses its own part of the builder"
)]

use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::{Value, json};

use crate::common::BINARY;

mod client;

pub use client::{Client, Reply};

/// How long an answer is waited for before a test has failed.
const PATIENCE: Duration = Duration::from_secs(40);

/// What a client of the protocol sends with each message.
pub const HEADERS: [(&str, &str); 2] = [
    ("Content-Type", "application/json"),
    ("Accept", "application/json, text/event-stream"),
];

/// A server that is to be started.
pub struct Builder {
    room: tempfile::TempDir,
    command: Command,
    address: String,
    authority: Option<String>,
}

/// A server over HTTP that runs until this is dropped.
pub struct HttpServer {
    room: tempfile::TempDir,
    process: Child,
    address: SocketAddr,
    log: Arc<Mutex<String>>,
    tls: Option<Arc<ClientConfig>>,
}

/// Begins a server with these flags.
pub fn http(flags: &[&str]) -> Builder {
    http_by(Path::new(BINARY), flags)
}

/// Begins a server with these flags by a copy of the program.
pub fn http_by(program: &Path, flags: &[&str]) -> Builder {
    let room = crate::common::public_directory();
    let mut command = Command::new(program);
    command.arg("mcp").args(flags).current_dir(room.path());
    for (name, directory) in [
        ("HOME", "home"),
        ("XDG_CONFIG_HOME", "config"),
        ("XDG_CACHE_HOME", "cache"),
        ("XDG_STATE_HOME", "state"),
        ("XDG_DATA_HOME", "data"),
        ("XDG_RUNTIME_DIR", "runtime"),
    ] {
        let directory = room.path().join(directory);
        fs::create_dir(&directory).unwrap();
        command.env(name, directory);
    }
    for name in [
        "IKIGAI_CONFIG_DIR",
        "IKIGAI_REDIS_URL",
        "CACHE_ENCRYPTION_KEY",
        "SEARXNG_URL",
        "IKIGAI_MAX_ANSWER",
        "IKIGAI_MAX_SECONDS",
        "ALLOWED_DOMAINS",
        "NO_PROXY",
        "http_proxy",
        "https_proxy",
        "all_proxy",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
    ] {
        command.env_remove(name);
    }
    // No page is shown to a browser, unless a test says so.
    command.env("IKIGAI_BROWSER", "");
    Builder {
        room,
        command,
        address: "127.0.0.1:0".to_owned(),
        authority: None,
    }
}

/// A server with these flags.
pub fn serve(flags: &[&str]) -> HttpServer {
    http(flags).start()
}

impl Builder {
    /// With this flag.
    pub fn arg(mut self, flag: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.arg(flag);
        self
    }

    /// With these flags.
    pub fn args(mut self, flags: &[&str]) -> Self {
        self.command.args(flags);
        self
    }

    /// With this variable.
    pub fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Without this variable.
    pub fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// With these variables, such as those of a home that several servers have.
    pub fn envs(mut self, variables: &[(String, String)]) -> Self {
        self.command
            .envs(variables.iter().map(|(name, value)| (name, value)));
        self
    }

    /// On this address.
    pub fn on(mut self, address: &str) -> Self {
        address.clone_into(&mut self.address);
        self
    }

    /// The directory that goes away with the server.
    pub fn room(&self) -> &Path {
        self.room.path()
    }

    /// A file in that directory, which its owner alone may read.
    pub fn file(&self, name: &str, content: &str) -> PathBuf {
        private_file(self.room.path(), name, content)
    }

    /// With a file of tokens: one for each of these names, `token-of-NAME`.
    pub fn tokens(self, names: &[&str]) -> Self {
        let file = self.file("tokens", &token_lines(names));
        self.arg("--tokens").arg(file)
    }

    /// With a certificate of an authority of the test's own.
    pub fn tls(mut self, certificate: &str, key: &str, authority: &str) -> Self {
        let certificate = self.file("certificate.pem", certificate);
        let key = self.file("key.pem", key);
        self.authority = Some(authority.to_owned());
        self.arg("--cert").arg(certificate).arg("--key").arg(key)
    }

    /// Starts it with these limits of the shell's `ulimit`, such as `-n 100`.
    pub fn limited(mut self, limits: &str) -> Self {
        let mut shell = Command::new("/bin/sh");
        shell
            .arg("-c")
            .arg(format!("ulimit {limits} && exec \"$0\" \"$@\""))
            .arg(self.command.get_program())
            .args(self.command.get_args())
            .current_dir(self.room.path());
        for (name, value) in self.command.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        self.command = shell;
        self
    }

    /// Starts it, and waits until it listens.
    pub fn start(self) -> HttpServer {
        self.try_start()
            .unwrap_or_else(|log| panic!("it does not start: {log}"))
    }

    /// Starts it; where it ends instead, what it said comes back.
    pub fn try_start(mut self) -> Result<HttpServer, String> {
        self.command.args(["--http", &self.address]);
        let mut process = self
            .command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = Arc::new(Mutex::new(String::new()));
        let stderr = BufReader::new(process.stderr.take().unwrap());
        let written = Arc::clone(&log);
        let reader = std::thread::spawn(move || {
            for line in stderr.split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line).into_owned();
                written.lock().unwrap().push_str(&(line + "\n"));
            }
        });
        let deadline = Instant::now() + PATIENCE;
        let address = loop {
            let said = log.lock().unwrap().clone();
            if let Some(address) = listening(&said) {
                break address;
            }
            if process.try_wait().unwrap().is_some() {
                reader.join().unwrap();
                return Err(log.lock().unwrap().clone());
            }
            assert!(Instant::now() < deadline, "it does not listen: {said}");
            std::thread::sleep(Duration::from_millis(2));
        };
        let tls = self.authority.as_deref().map(trusting);
        Ok(HttpServer {
            room: self.room,
            process,
            address,
            log,
            tls,
        })
    }
}

/// The address in the line that says so.
fn listening(log: &str) -> Option<SocketAddr> {
    let (_, behind) = log.split_once("listening on http")?;
    let (address, _) = behind.split_once("://")?.1.split_once("/mcp")?;
    Some(address.parse().unwrap())
}

/// The token of whoever is called `name`, in files that [`Builder::tokens`] makes.
pub fn token_of(name: &str) -> String {
    format!("token-of-{name}")
}

/// The lines of a file of tokens.
pub fn token_lines(names: &[&str]) -> String {
    names.iter().fold(String::new(), |lines, name| {
        lines + &token_line(name, &token_of(name))
    })
}

/// The line of a token.
pub fn token_line(name: &str, token: &str) -> String {
    let hash = ring::digest::digest(&ring::digest::SHA256, token.as_bytes());
    let digits = hash.as_ref().iter().map(|byte| format!("{byte:02x}"));
    format!("{name} {}\n", digits.collect::<Vec<_>>().concat())
}

/// A file that its owner alone may read.
pub fn private_file(directory: &Path, name: &str, content: &str) -> PathBuf {
    let path = directory.join(name);
    fs::write(&path, content).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    path
}

/// A client's side of TLS that trusts this authority.
fn trusting(authority: &str) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_slice(authority.as_bytes()).unwrap())
        .unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    Arc::new(config)
}

impl HttpServer {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What a client writes into `Host`.
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// The id of its process.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// The directory that goes away with it.
    pub fn room(&self) -> &Path {
        self.room.path()
    }

    /// What it has written to its log so far.
    pub fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Whether its log comes to have this, within ten seconds.
    pub fn logs(&self, what: &str) -> bool {
        crate::common::eventually(|| self.log().contains(what))
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: i32) {
        // SAFETY: a number and a number; the process is this one's child, and not waited for yet.
        unsafe { libc::kill(self.process.id().cast_signed(), signal) };
    }

    /// Waits for its end; `None` if it still runs after so long.
    pub fn ended_within(&mut self, longest: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + longest;
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                return Some(status);
            }
            if Instant::now() > deadline {
                return None;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Its resident set, in KiB: that of now, or the largest so far (`VmRSS`, `VmHWM`).
    pub fn memory(&self, row: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let line = status.lines().find(|line| line.starts_with(row)).unwrap();
        let number = line.split_ascii_whitespace().nth(1).unwrap();
        number.parse().unwrap()
    }

    /// A new connection to it, TLS and all.
    pub fn connect(&self) -> Connection {
        self.try_connect().unwrap()
    }

    /// The same, if it comes about.
    pub fn try_connect(&self) -> io::Result<Connection> {
        Connection::open(self.address, self.tls.as_ref())
    }

    /// Sends one message on a connection of its own, with what a client sends and these headers.
    pub fn post(&self, headers: &[(&str, &str)], message: &Value) -> Answer {
        self.connect().post(headers, message)
    }

    /// One request on a connection of its own; [`HEADERS`] are not added.
    pub fn request(&self, line: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        self.connect().request(line, headers, body)
    }

    /// Calls a tool without a token.
    pub fn call(&self, tool: &str, arguments: &Value) -> Answer {
        self.post(&[], &call(tool, arguments))
    }

    /// Calls a tool with the token of `name`.
    pub fn call_as(&self, name: &str, tool: &str, arguments: &Value) -> Answer {
        let bearer = format!("Bearer {}", token_of(name));
        self.post(&[("Authorization", &bearer)], &call(tool, arguments))
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        if self.process.try_wait().unwrap().is_some() {
            return;
        }
        // It ends its calls' processes; twice, so that it waits for none.
        self.signal(libc::SIGTERM);
        self.signal(libc::SIGINT);
        if self.ended_within(Duration::from_secs(5)).is_none() {
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }
}

/// The message that calls a tool, with the id 1.
pub fn call(tool: &str, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": tool, "arguments": arguments,
    }})
}

/// The message that asks for nothing but an answer, with the id 1.
pub fn ping() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})
}

/// What a connection reads from and writes to.
pub trait Stream: Read + Write + Send {
    /// The socket beneath.
    fn socket(&self) -> &TcpStream;
}

impl Stream for TcpStream {
    fn socket(&self) -> &TcpStream {
        self
    }
}

impl Stream for StreamOwned<ClientConnection, TcpStream> {
    fn socket(&self) -> &TcpStream {
        &self.sock
    }
}

/// A connection to a server, on which requests follow each other.
pub struct Connection {
    stream: BufReader<Box<dyn Stream>>,
    host: String,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    /// The names are lower-case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    /// The header of this name, which is lower-case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut all = self.headers.iter();
        all.find(|(one, _)| one == name)
            .map(|(_, value)| value.as_str())
    }

    /// Its body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {} {}", self.status, self.text()))
    }

    /// Its body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Its status, its headers, and its body as JSON.
    pub fn parts(&self) -> (u16, &[(String, String)], Value) {
        (self.status, &self.headers, self.json())
    }

    /// The code of the JSON-RPC error that it is, whose message is a sentence.
    #[track_caller]
    pub fn error_code(&self) -> i64 {
        let object = self.json();
        let message = object["error"]["message"].as_str().unwrap_or_default();
        assert!(message.len() > 10, "{object}");
        assert_eq!(object["jsonrpc"], "2.0", "{object}");
        assert_eq!(self.header("content-type"), Some("application/json"));
        object["error"]["code"].as_i64().unwrap()
    }
}

impl Connection {
    /// A new one to this address, TLS and all.
    #[expect(clippy::disallowed_methods, reason = "a server of the test's own")]
    fn open(address: SocketAddr, tls: Option<&Arc<ClientConfig>>) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        let stream: Box<dyn Stream> = match tls {
            None => Box::new(stream),
            Some(config) => {
                let name = ServerName::IpAddress(address.ip().into());
                let client =
                    ClientConnection::new(Arc::clone(config), name).map_err(io::Error::other)?;
                let mut stream = StreamOwned::new(client, stream);
                stream.conn.complete_io(&mut stream.sock)?;
                Box::new(stream)
            }
        };
        Ok(Self {
            stream: BufReader::new(stream),
            host: address.to_string(),
        })
    }

    /// Writes these bytes.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes)?;
        self.stream.get_mut().flush()
    }

    /// The socket beneath.
    pub fn socket(&self) -> &TcpStream {
        self.stream.get_ref().socket()
    }

    /// How long an answer is waited for from now on.
    pub fn patience(&self, longest: Duration) {
        self.socket().set_read_timeout(Some(longest)).unwrap();
    }

    /// Writes a request without waiting for its answer. `line` is a method and a target. `Host` is
    /// added unless `headers` have one, and the body's length where there is a body.
    pub fn send(&mut self, line: &str, headers: &[(&str, &str)], body: &[u8]) -> io::Result<()> {
        let has = |name: &str| {
            headers
                .iter()
                .any(|(one, _)| one.eq_ignore_ascii_case(name))
        };
        let mut head = format!("{line} HTTP/1.1\r\n");
        if !has("Host") {
            let _ = write!(head, "Host: {}\r\n", self.host);
        }
        for (name, value) in headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        if !body.is_empty() && !has("Content-Length") && !has("Transfer-Encoding") {
            let _ = write!(head, "Content-Length: {}\r\n", body.len());
        }
        let mut bytes = (head + "\r\n").into_bytes();
        bytes.extend_from_slice(body);
        self.write(&bytes)
    }

    /// Sends one request and reads its answer.
    pub fn request(&mut self, line: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        // A server that refuses a request need not read all of it.
        let _ = self.send(line, headers, body);
        self.answer().unwrap()
    }

    /// Sends a message without waiting for its answer; [`HEADERS`] are added.
    pub fn send_message(&mut self, headers: &[(&str, &str)], message: &Value) {
        let headers = [&HEADERS[..], headers].concat();
        let body = message.to_string();
        self.send("POST /mcp", &headers, body.as_bytes()).unwrap();
    }

    /// Sends a message and reads its answer.
    pub fn post(&mut self, headers: &[(&str, &str)], message: &Value) -> Answer {
        self.send_message(headers, message);
        self.answer().unwrap()
    }

    /// Reads the head of an answer: its body is still to come.
    pub fn head(&mut self) -> io::Result<Answer> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.stream.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            // `100 Continue` comes before the answer.
            if !line.starts_with("HTTP/1.1 100") {
                break;
            }
            self.stream.read_line(&mut String::new())?;
        }
        let status = line.split(' ').nth(1).and_then(|word| word.parse().ok());
        let status = status.ok_or_else(|| io::Error::other(format!("no status: {line}")))?;
        let mut headers = Vec::new();
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else {
                break;
            };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        Ok(Answer {
            status,
            headers,
            body: Vec::new(),
        })
    }

    /// Reads an answer.
    pub fn answer(&mut self) -> io::Result<Answer> {
        let mut answer = self.head()?;
        self.body(&mut answer)?;
        Ok(answer)
    }

    /// Reads the body of an answer whose head has been read.
    fn body(&mut self, answer: &mut Answer) -> io::Result<()> {
        if answer.header("transfer-encoding") == Some("chunked") {
            while let Some(chunk) = self.chunk()? {
                answer.body.extend(chunk);
            }
        } else if let Some(length) = answer.header("content-length") {
            answer.body.resize(length.parse().unwrap(), 0);
            self.stream.read_exact(&mut answer.body)?;
        }
        Ok(())
    }

    /// The next chunk of a body that has no length.
    fn chunk(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let length = usize::from_str_radix(line.trim(), 16)
            .map_err(|_| io::Error::new(io::ErrorKind::UnexpectedEof, "the stream broke off"))?;
        let mut chunk = vec![0; length + 2];
        self.stream.read_exact(&mut chunk)?;
        chunk.truncate(length);
        Ok((length > 0).then_some(chunk))
    }

    /// The next event of a stream whose head has been read; `None` at its end. Comments, which keep
    /// connections open, are passed over.
    pub fn event(&mut self, stream: &mut Events) -> io::Result<Option<Event>> {
        loop {
            if let Some(at) = stream.text.find("\n\n") {
                let event: String = stream.text.drain(..at + 2).collect();
                if let Some(event) = Event::read(&event) {
                    return Ok(Some(event));
                }
                continue;
            }
            match self.chunk()? {
                None => return Ok(None),
                Some(chunk) => stream.text += &String::from_utf8(chunk).unwrap(),
            }
        }
    }

    /// Whether the server closes it within this time, without a further word.
    pub fn is_closed_within(&mut self, longest: Duration) -> bool {
        let deadline = Instant::now() + longest;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            self.patience(left.max(Duration::from_millis(1)));
            match self.stream.read(&mut [0]) {
                Ok(read) => return read == 0,
                // Whoever stops all processes and has them go on ends a read that has a timeout.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    return !matches!(
                        error.kind(),
                        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
                    );
                }
            }
        }
    }
}

/// A stream of events, as far as it has been read.
#[derive(Default)]
pub struct Events {
    text: String,
}

/// An event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    pub id: Option<String>,
    pub retry: Option<u64>,
    pub data: String,
}

impl Event {
    fn read(text: &str) -> Option<Self> {
        let mut event = Self::default();
        let mut data: Vec<&str> = Vec::new();
        let mut is_one = false;
        for line in text.lines() {
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "data" => data.push(value),
                "id" => event.id = Some(value.to_owned()),
                "retry" => event.retry = value.parse().ok(),
                _ => continue,
            }
            is_one = true;
        }
        event.data = data.join("\n");
        is_one.then_some(event)
    }

    /// Its message.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}
