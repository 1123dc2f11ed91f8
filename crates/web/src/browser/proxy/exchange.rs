//! Serving one connection of the browser's: a tunnel (RFC 9110, section 9.3.6), or one request for
//! a whole address and its answer (RFC 9112, section 3.2.2), after which it is closed.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rustix::event::PollFlags;
use url::Url;

use super::{ProxyState, relay};
use crate::client::OpenedConnection;

/// Maximum length of a head of a request or an answer, in bytes.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// Maximum number of headers of either.
const MAX_HEADERS: usize = 128;
/// Maximum number of interim answers that are skipped.
const MAX_INTERIM_ANSWERS: usize = 16;

/// The headers that concern one connection only (RFC 9110, section 7.6.1), or this proxy.
const HOP_BY_HOP_HEADERS: [&str; 8] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "upgrade",
];

const REFUSED: &[u8] = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
const NOT_UNDERSTOOD: &[u8] =
    b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
const CONNECTED: &[u8] = b"HTTP/1.1 200 Connection established\r\n\r\n";

/// Serves one connection to its end.
pub fn serve(shared: &ProxyState, browser: &TcpStream) -> io::Result<()> {
    browser.set_nodelay(true)?;
    let mut head = Vec::new();
    let length = read_head(shared, browser, &mut head)?;
    let body_start = head.split_off(length);
    let Some(request) = ForwardedRequest::read(&head) else {
        return send_all(shared, browser, NOT_UNDERSTOOD);
    };
    if request.url.host_str() == Some(&shared.start) {
        let redirect = format!(
            "HTTP/1.1 302 Found\r\nLocation: {}\r\nReferrer-Policy: no-referrer\r\nCache-Control: \
             no-store\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            shared.page
        );
        return send_all(shared, browser, redirect.as_bytes());
    }
    let Some(opened) = shared.connect(&request.url) else {
        // Scripts and the browser would take an answer of ours for the target's.
        return if request.is_tunnel {
            send_all(shared, browser, REFUSED)
        } else {
            Ok(())
        };
    };
    opened.stream.set_nodelay(true)?;
    if request.is_tunnel {
        send_all(shared, browser, CONNECTED)?;
        send_all(shared, &opened.stream, &body_start)?;
        return relay::run(shared, browser, &opened.stream, u64::MAX);
    }
    forward(shared, browser, &request, &opened, &body_start)
}

/// Passes a request on, and its answer back.
fn forward(
    shared: &ProxyState,
    browser: &TcpStream,
    request: &ForwardedRequest,
    opened: &OpenedConnection,
    body_start: &[u8],
) -> io::Result<()> {
    let Some(length) = request.length else {
        return send_all(shared, browser, NOT_UNDERSTOOD);
    };
    send_all(shared, &opened.stream, &request.forwarded_head(opened))?;
    // A second request after the first one is not passed on, because it has not been judged.
    let begun = body_start
        .len()
        .min(usize::try_from(length).unwrap_or(usize::MAX));
    send_all(shared, &opened.stream, &body_start[..begun])?;
    let left = length - begun as u64;
    if left > 0 {
        // The rest of the request is passed on before the answer.
        copy_body(shared, browser, &opened.stream, left)?;
    }
    let (answer, body) = read_answer_head(shared, &opened.stream)?;
    send_all(shared, browser, &answer)?;
    send_all(shared, browser, &body)?;
    relay::run(shared, browser, &opened.stream, 0)
}

/// A request, as far as it matters for the proxy.
struct ForwardedRequest {
    method: String,
    /// The target; for a tunnel, `https://host:port/`.
    url: Url,
    is_tunnel: bool,
    headers: Vec<(String, Vec<u8>)>,
    /// Length of its body in bytes; `None` if it does not tell.
    length: Option<u64>,
}

impl ForwardedRequest {
    fn read(head: &[u8]) -> Option<Self> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        parsed.parse(head).ok()?;
        let (method, path) = (parsed.method?, parsed.path?);
        let is_tunnel = method == "CONNECT";
        let url = if is_tunnel {
            Url::parse(&format!("https://{path}/")).ok()?
        } else {
            Url::parse(path).ok().filter(|url| url.scheme() == "http")?
        };
        let mut length = Some(0);
        let mut received = Vec::new();
        for header in parsed.headers.iter() {
            let name = header.name.to_ascii_lowercase();
            match name.as_str() {
                "transfer-encoding" => length = None,
                "content-length" => {
                    let told = std::str::from_utf8(header.value).ok();
                    length = told.and_then(|told| told.trim().parse().ok());
                }
                // Written from the target, so that it is the host that was judged.
                "host" => continue,
                _ if HOP_BY_HOP_HEADERS.contains(&name.as_str()) => continue,
                _ => {}
            }
            received.push((header.name.to_owned(), header.value.to_owned()));
        }
        Some(Self {
            method: method.to_owned(),
            url,
            is_tunnel,
            headers: received,
            length,
        })
    }

    /// Returns the head that is sent to the target.
    fn forwarded_head(&self, opened: &OpenedConnection) -> Vec<u8> {
        let path = &self.url[url::Position::BeforePath..url::Position::AfterQuery];
        let origin = opened.target.origin();
        let host = origin.trim_start_matches("http://");
        let prefix = opened.proxy.as_ref().map_or("", |_| origin.as_str());
        let mut head = format!(
            "{} {prefix}{path} HTTP/1.1\r\nHost: {host}\r\n",
            self.method
        );
        if let Some(Some(login)) = &opened.proxy {
            head.extend(["Proxy-Authorization: ", login, "\r\n"]);
        }
        let mut head = head.into_bytes();
        write_headers(
            &mut head,
            self.headers.iter().map(|(n, v)| (n.as_str(), &v[..])),
        );
        head
    }
}

/// Writes these headers, and one that the connection closes after the message.
fn write_headers<'a>(head: &mut Vec<u8>, headers: impl Iterator<Item = (&'a str, &'a [u8])>) {
    for (name, value) in headers {
        head.extend_from_slice(name.as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value);
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"Connection: close\r\n\r\n");
}

/// Reads the head of the answer. Returns it as it is passed on, and the beginning of the body.
fn read_answer_head(shared: &ProxyState, server: &TcpStream) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut bytes = Vec::new();
    for _ in 0..MAX_INTERIM_ANSWERS {
        let length = read_head(shared, server, &mut bytes)?;
        let body_start = bytes.split_off(length);
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut parsed = httparse::Response::new(&mut headers);
        parsed.parse(&bytes).map_err(io::Error::other)?;
        match parsed.code {
            Some(101) | None => return Err(io::ErrorKind::InvalidData.into()),
            Some(100..=199) => bytes = body_start,
            Some(code) => {
                let reason = parsed.reason.unwrap_or_default();
                let mut head = format!("HTTP/1.1 {code} {reason}\r\n").into_bytes();
                let forwarded_headers = parsed.headers.iter().filter(|header| {
                    let name = header.name.to_ascii_lowercase();
                    !HOP_BY_HOP_HEADERS.contains(&name.as_str())
                });
                write_headers(
                    &mut head,
                    forwarded_headers.map(|header| (header.name, header.value)),
                );
                return Ok((head, body_start));
            }
        }
    }
    Err(io::ErrorKind::InvalidData.into())
}

/// Reads until `bytes` begins with a whole head; returns its length.
fn read_head(shared: &ProxyState, mut from: &TcpStream, bytes: &mut Vec<u8>) -> io::Result<usize> {
    let deadline = Instant::now() + shared.idle_timeout();
    loop {
        if let Some(end) = memchr::memmem::find(bytes, b"\r\n\r\n") {
            return Ok(end + 4);
        }
        if bytes.len() > MAX_HEAD_BYTES {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || !shared.wait_for(&from, PollFlags::IN, left) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let mut piece = [0; 8 * 1024];
        let count = from.read(&mut piece)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(&piece[..count]);
        shared.bytes.fetch_add(count as u64, Ordering::Relaxed);
    }
}

/// Sends all of `bytes`.
fn send_all(shared: &ProxyState, mut to: &TcpStream, bytes: &[u8]) -> io::Result<()> {
    // A timeout of zero would mean none.
    to.set_write_timeout(Some(shared.idle_timeout().max(Duration::from_millis(1))))?;
    to.write_all(bytes)
}

/// Passes on the remaining `length` bytes of a request.
fn copy_body(
    shared: &ProxyState,
    mut from: &TcpStream,
    to: &TcpStream,
    length: u64,
) -> io::Result<()> {
    let mut left = length;
    let mut piece = [0; 8 * 1024];
    while left > 0 && shared.may_go_on() {
        if !shared.wait_for(&from, PollFlags::IN, shared.idle_timeout()) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let room = usize::try_from(left)
            .unwrap_or(piece.len())
            .min(piece.len());
        let count = from.read(&mut piece[..room])?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        send_all(shared, to, &piece[..count])?;
        shared.bytes.fetch_add(count as u64, Ordering::Relaxed);
        left -= count as u64;
    }
    Ok(())
}
