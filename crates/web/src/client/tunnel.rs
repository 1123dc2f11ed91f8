//! Tunnels through a proxy to the target: HTTP CONNECT (RFC 9110, section 9.3.6) and SOCKS 5 (RFC
//! 1928, RFC 1929).

use std::io::{self, Read, Write};
use std::net::{IpAddr, TcpStream};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use url::Host;

use crate::guard::{CheckedAddr, HopTarget};

/// Longest answer to CONNECT, in bytes.
const MAX_REPLY_BYTES: usize = 16 * 1024;

/// Tunnel to request of the proxy before the target's traffic begins.
#[derive(Clone)]
pub enum ProxyTunnel {
    /// A CONNECT request.
    Connect {
        /// Destination.
        target: HopTarget,
        /// Value of `Proxy-Authorization`.
        authorization: Option<String>,
    },
    /// A SOCKS 5 request.
    Socks5 {
        /// Destination.
        to: SocksTarget,
        /// User and password.
        login: Option<(Vec<u8>, Vec<u8>)>,
    },
}

/// Destination of a SOCKS request.
#[derive(Clone)]
pub enum SocksTarget {
    /// An address that was resolved and checked here.
    Checked(CheckedAddr),
    /// A host; the proxy resolves its name.
    Named(HopTarget),
}

/// Returns the value of an `Authorization` header for basic authentication (RFC 7617).
pub fn basic(user: &[u8], password: &[u8]) -> String {
    let mut plain = user.to_vec();
    plain.push(b':');
    plain.extend_from_slice(password);
    format!("Basic {}", BASE64_STANDARD.encode(plain))
}

/// Opens the tunnel on a connection to the proxy, by `deadline` at the latest.
///
/// The error holds the proxy's answer.
pub fn open(stream: &TcpStream, tunnel: &ProxyTunnel, deadline: Instant) -> io::Result<()> {
    let mut wire = DeadlineStream { stream, deadline };
    match tunnel {
        ProxyTunnel::Connect {
            target,
            authorization,
        } => connect(&mut wire, target, authorization.as_deref()),
        ProxyTunnel::Socks5 { to, login } => socks5(&mut wire, to, login.as_ref()),
    }
}

/// A stream whose reads and writes end by the deadline.
struct DeadlineStream<'a> {
    stream: &'a TcpStream,
    deadline: Instant,
}

impl DeadlineStream<'_> {
    fn left(&self) -> io::Result<Option<Duration>> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            Err(io::ErrorKind::TimedOut.into())
        } else {
            Ok(Some(left))
        }
    }
}

/// Converts `WouldBlock`, which Linux returns when a socket's timeout passes, to `TimedOut`.
fn timed_out(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::WouldBlock {
        io::ErrorKind::TimedOut.into()
    } else {
        error
    }
}

impl Read for DeadlineStream<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            self.stream.set_read_timeout(self.left()?)?;
            match (&mut &*self.stream).read(buf) {
                // The process was stopped and continued, or a child ended: with a timeout the
                // kernel does not restart the call by itself (`signal(7)`).
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => return done.map_err(timed_out),
            }
        }
    }
}

impl Write for DeadlineStream<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        // `write_all` restarts an interrupted write.
        (&mut &*self.stream).write(buf).map_err(timed_out)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn connect(
    wire: &mut DeadlineStream<'_>,
    target: &HopTarget,
    authorization: Option<&str>,
) -> io::Result<()> {
    let mut request = format!(
        "CONNECT {target} HTTP/1.1\r\nHost: {target}\r\nUser-Agent: {}\r\n",
        super::USER_AGENT
    );
    if let Some(value) = authorization {
        request.extend(["Proxy-Authorization: ", value, "\r\n"]);
    }
    request.push_str("\r\n");
    wire.write_all(request.as_bytes())?;

    // Read byte by byte because the bytes after the answer are the target's.
    let mut reply = Vec::with_capacity(256);
    let mut byte = [0];
    while !reply.ends_with(b"\r\n\r\n") && !reply.ends_with(b"\n\n") {
        if reply.len() == MAX_REPLY_BYTES {
            return Err(io::Error::other("its answer to CONNECT has no end"));
        }
        if wire.read(&mut byte)? == 0 {
            return Err(io::Error::other(
                "it closed the connection instead of tunnelling",
            ));
        }
        reply.push(byte[0]);
    }
    let line = reply.split(|b| *b == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let status = line
        .strip_prefix("HTTP/1.")
        .and_then(|remainder| remainder.split(' ').nth(1));
    match status {
        Some(code) if code.starts_with('2') => Ok(()),
        Some("407") => Err(io::Error::other(
            "it asks for a user and password (HTTP 407); put them into the proxy variable",
        )),
        Some(code) => Err(io::Error::other(format!(
            "it refused to tunnel (HTTP {code})"
        ))),
        None => Err(io::Error::other("it does not speak HTTP")),
    }
}

fn socks5(
    wire: &mut DeadlineStream<'_>,
    to: &SocksTarget,
    login: Option<&(Vec<u8>, Vec<u8>)>,
) -> io::Result<()> {
    wire.write_all(if login.is_some() {
        &[5, 2, 0, 2]
    } else {
        &[5, 1, 0]
    })?;
    let mut choice = [0; 2];
    wire.read_exact(&mut choice)?;
    match (choice, login) {
        ([5, 0], _) => {}
        ([5, 2], Some((user, password))) => sign_in(wire, user, password)?,
        ([5, _], _) => {
            return Err(io::Error::other("it asks for another user or password"));
        }
        _ => return Err(io::Error::other("it does not speak SOCKS 5")),
    }

    let mut request = vec![5, 1, 0];
    let mut push_ip = |ip: IpAddr| match ip {
        IpAddr::V4(ip) => {
            request.push(1);
            request.extend_from_slice(&ip.octets());
        }
        IpAddr::V6(ip) => {
            request.push(4);
            request.extend_from_slice(&ip.octets());
        }
    };
    let port = match to {
        SocksTarget::Checked(addr) => {
            push_ip(addr.socket_addr().ip());
            addr.socket_addr().port()
        }
        SocksTarget::Named(target) => {
            match target.host() {
                Host::Ipv4(ip) => push_ip((*ip).into()),
                Host::Ipv6(ip) => push_ip((*ip).into()),
                Host::Domain(name) => {
                    request.push(3);
                    push_short(&mut request, name.as_bytes(), "the host's name")?;
                }
            }
            target.port()
        }
    };
    request.extend_from_slice(&port.to_be_bytes());
    wire.write_all(&request)?;

    let mut head = [0; 4];
    wire.read_exact(&mut head)?;
    if head[0] != 5 {
        return Err(io::Error::other("it does not speak SOCKS 5"));
    }
    if head[1] != 0 {
        let why = match head[1] {
            2 => "its rules forbid it",
            3 => "the network is unreachable from it",
            4 => "the host is unreachable from it",
            5 => "the target refused the connection",
            6 => "the connection timed out behind it",
            _ => "it failed",
        };
        return Err(io::Error::other(why));
    }
    let remaining_length = match head[3] {
        1 => 4,
        4 => 16,
        3 => {
            let mut len = [0];
            wire.read_exact(&mut len)?;
            usize::from(len[0])
        }
        _ => return Err(io::Error::other("its answer is not SOCKS 5")),
    };
    let mut bound = [0; 255 + 2];
    wire.read_exact(&mut bound[..remaining_length + 2])
}

fn sign_in(wire: &mut DeadlineStream<'_>, user: &[u8], password: &[u8]) -> io::Result<()> {
    let mut request = vec![1];
    push_short(&mut request, user, "the proxy's user")?;
    push_short(&mut request, password, "the proxy's password")?;
    wire.write_all(&request)?;
    let mut reply = [0; 2];
    wire.read_exact(&mut reply)?;
    if reply[1] == 0 {
        Ok(())
    } else {
        Err(io::Error::other("it rejected user and password"))
    }
}

/// Appends a SOCKS string: one byte of length, and the text.
fn push_short(request: &mut Vec<u8>, text: &[u8], what: &str) -> io::Result<()> {
    let len = u8::try_from(text.len())
        .map_err(|_| io::Error::other(format!("{what} is too long for SOCKS 5")))?;
    request.push(len);
    request.extend_from_slice(text);
    Ok(())
}
