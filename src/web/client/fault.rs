//! What went wrong on the way, in words that say what to do next. Names hosts, never whole URLs.

use std::fmt;
use std::io;
use std::time::Duration;

use rustls::CertificateError;

use super::body::BodyError;
use super::tls::{detail, is_authority};

/// A failure of the connection, carried through the HTTP library as its `Other` error.
#[derive(Debug)]
pub enum Fault {
    /// No connection to the target, `host:port`.
    Connect(String, io::Error),
    /// No connection to the proxy, `host:port`.
    ProxyConnect(String, io::Error),
    /// The proxy said no.
    Proxy(String, String),
    /// The connection broke.
    Broken(io::Error),
}

impl std::error::Error for Fault {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Connect(_, error) | Self::ProxyConnect(_, error) | Self::Broken(error) => {
                Some(error)
            }
            Self::Proxy(..) => None,
        }
    }
}

impl From<Fault> for ureq::Error {
    fn from(fault: Fault) -> Self {
        Self::Other(Box::new(fault))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect(target, error) => connect_text(f, target, error),
            Self::ProxyConnect(proxy, error) => {
                f.write_str("Through the proxy of the environment: ")?;
                connect_text(f, proxy, error)
            }
            Self::Proxy(proxy, why) => {
                write!(f, "The proxy {proxy} did not connect: {why}")
            }
            Self::Broken(_) => f.write_str("Connection broken by the server before its end"),
        }
    }
}

fn connect_text(f: &mut fmt::Formatter<'_>, target: &str, error: &io::Error) -> fmt::Result {
    match error.kind() {
        io::ErrorKind::TimedOut => write!(f, "Connection timeout: {target} does not answer"),
        io::ErrorKind::ConnectionRefused => {
            write!(f, "Connection refused: nothing listens on {target}")
        }
        io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => {
            write!(f, "No route to {target}: is this machine online?")
        }
        _ => write!(f, "Connection to {target} failed: {error}"),
    }
}

/// The text of a failed exchange with `host`, for which `total` was allowed in all.
pub fn describe(error: &ureq::Error, host: &str, total: Duration) -> String {
    match error {
        ureq::Error::Other(inner) => match inner.downcast_ref::<Fault>() {
            Some(Fault::Broken(e)) => broken(host, e),
            Some(fault) => fault.to_string(),
            None => format!("Exchange with {host} failed: {inner}"),
        },
        ureq::Error::Timeout(ureq::Timeout::Connect) => {
            format!("Connection timeout: {host} did not complete the connection in time")
        }
        ureq::Error::Timeout(_) => timeout(host, total),
        ureq::Error::Io(error) => io_text(error, host, total),
        ureq::Error::Protocol(error) => format!("{host} did not answer in HTTP: {error}"),
        ureq::Error::LargeResponseHeader(..) => {
            format!("{host} answered with more headers than anybody needs")
        }
        // These would show the whole URL.
        ureq::Error::BadUri(_) | ureq::Error::RequireHttpsOnly(_) => {
            format!("Exchange with {host} failed: the URL can't be requested")
        }
        other => format!("Exchange with {host} failed: {other}"),
    }
}

/// The text of a body that could not be had.
pub fn describe_body(error: &BodyError, host: &str, total: Duration) -> String {
    match error {
        BodyError::Transport(e) => match e.get_ref().and_then(|e| e.downcast_ref()) {
            Some(inner) => describe(inner, host, total),
            None => io_text(e, host, total),
        },
        BodyError::Coding(name) => {
            format!("Broken body: what {host} sent as {name} does not decode, or is cut off")
        }
        BodyError::UnknownCoding(name) => {
            format!("Unreadable body: {host} encoded it as {name}, which was not asked for")
        }
        BodyError::TooMuch => format!("Unreadable body: {host} sends without end"),
    }
}

/// The text for a call whose time is up.
pub fn timeout(host: &str, total: Duration) -> String {
    format!(
        "Timeout: {host} did not answer in full within {} seconds",
        total.as_secs()
    )
}

fn broken(host: &str, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionReset => {
            format!("Connection reset by {host} before the answer was complete; try again")
        }
        _ => format!("Connection closed by {host} before the answer was complete; try again"),
    }
}

fn io_text(error: &io::Error, host: &str, total: Duration) -> String {
    if let Some(inner) = error.get_ref() {
        if let Some(tls_error) = inner.downcast_ref::<rustls::Error>() {
            return tls(tls_error, host);
        }
        if let Some(inner) = inner.downcast_ref::<ureq::Error>() {
            return describe(inner, host, total);
        }
    }
    match error.kind() {
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => timeout(host, total),
        io::ErrorKind::UnexpectedEof
        | io::ErrorKind::ConnectionReset
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::ConnectionAborted => broken(host, error),
        _ => format!("Exchange with {host} failed: {error}"),
    }
}

fn tls(error: &rustls::Error, host: &str) -> String {
    let rustls::Error::InvalidCertificate(why) = error else {
        return format!("TLS with {host} failed: {error}");
    };
    let reason = match why {
        CertificateError::UnknownIssuer => {
            "no authority that this system trusts signed it. If it is your own authority, name \
             its certificate in SSL_CERT_FILE"
                .to_owned()
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "it has expired".to_owned()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "it is not valid yet; is this machine's clock right?".to_owned()
        }
        CertificateError::NotValidForNameContext { presented, .. } if presented.is_empty() => {
            "it names no host. Its common name is not looked at; it needs a subjectAltName \
             (openssl req -x509 -addext subjectAltName=DNS:name, or IP:address)"
                .to_owned()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "it is for another host".to_owned()
        }
        CertificateError::BadSignature => "its signature is wrong".to_owned(),
        CertificateError::Revoked => "it has been revoked".to_owned(),
        other if is_authority(other) => {
            "it is an authority's (CA:TRUE) and not a server's, and no trusted one itself. If it \
             is your own server's, name the file with this certificate in SSL_CERT_FILE"
                .to_owned()
        }
        other => match detail(other) {
            Some(webpki::Error::UnsupportedCertVersion) => {
                "it is of version 1, which names no hosts; make one of version 3".to_owned()
            }
            Some(error) => format!("it is malformed ({error})"),
            None => other.to_string(),
        },
    };
    format!("The certificate of {host} is not valid: {reason}")
}
