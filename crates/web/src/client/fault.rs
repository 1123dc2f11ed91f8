//! Messages for failures of an exchange, with advice on what to do next. They name hosts, never
//! whole URLs.

use std::fmt;
use std::io;
use std::time::Duration;

use rustls::{CertificateError, InvalidMessage};
use url::Host;

use super::body::BodyError;
use super::error::NetworkError;
use super::tls::{detail, is_authority};
use crate::allowed_hosts::NotAllowed;
use crate::guard::class::AddressScope;
use crate::guard::{self, GuardError, HopTarget};
use crate::quote;
use crate::resolve::LookupError;
use iki_base::wording::format_seconds;

/// A failure of the connection, carried through the HTTP library as its `Other` error.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionFault {
    /// No connection to the target, `host:port`.
    #[error("{}", connect_text(.0, .1))]
    Connect(String, io::Error),
    /// No connection to the proxy, `host:port`.
    #[error("Through the proxy of the environment: {}", connect_text(.0, .1))]
    ProxyConnect(String, io::Error),
    /// The proxy, `host:port`, refused, with its reason.
    #[error("The proxy {0} did not connect: {1}")]
    Proxy(String, String),
    /// The connection broke.
    #[error("Connection broken by the server before its end")]
    Broken(io::Error),
}

impl From<ConnectionFault> for ureq::Error {
    fn from(fault: ConnectionFault) -> Self {
        Self::Other(Box::new(fault))
    }
}

fn connect_text(target: &str, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::TimedOut => format!("Connection timeout: {target} does not answer"),
        io::ErrorKind::ConnectionRefused => {
            format!("Connection refused: nothing listens on {target}")
        }
        io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => {
            format!("No route to {target}: is this machine online?")
        }
        _ => format!("Connection to {target} failed: {error}"),
    }
}

/// Describes a failed exchange with `target` whose whole call was allowed `total`.
pub fn describe(error: &ureq::Error, target: &HopTarget, total: Duration) -> NetworkError {
    let host = target.host();
    let failed =
        |text: &dyn fmt::Display| NetworkError::new(format!("Exchange with {host} failed: {text}"));
    match error {
        ureq::Error::Other(inner) => match inner.downcast_ref::<ConnectionFault>() {
            Some(ConnectionFault::Broken(e)) => broken(target, e),
            Some(fault) => {
                let mut error =
                    NetworkError::new(fault.to_string()).advising(advice(fault, target));
                error.is_local = is_of_this_machine(fault);
                error.is_absent = matches!(fault, ConnectionFault::Connect(_, error)
                    if error.kind() == io::ErrorKind::ConnectionRefused);
                error
            }
            None => failed(inner),
        },
        ureq::Error::Timeout(ureq::Timeout::Connect) => NetworkError::new(format!(
            "Connection timeout: {host} did not complete the connection in time"
        )),
        ureq::Error::Timeout(_) => describe_timeout(target, total),
        ureq::Error::Io(error) => of_io(error, target, total),
        ureq::Error::Protocol(error) => {
            NetworkError::new(format!("{host} did not answer in HTTP: {error}"))
        }
        ureq::Error::LargeResponseHeader(..) => {
            NetworkError::new(format!("{host} sent more than 64 KiB of headers"))
        }
        // The library's own messages would show the whole URL.
        ureq::Error::BadUri(_) | ureq::Error::RequireHttpsOnly(_) => {
            failed(&"the URL can't be requested")
        }
        other => failed(other),
    }
}

/// Describes a body that could not be read.
pub fn describe_body(error: &BodyError, target: &HopTarget, total: Duration) -> NetworkError {
    let host = target.host();
    match error {
        BodyError::Transport(e) => match e.get_ref().and_then(|e| e.downcast_ref()) {
            Some(inner) => describe(inner, target, total),
            None => of_io(e, target, total),
        },
        BodyError::Coding(name) => NetworkError::new(format!(
            "Broken body: what {host} sent as {name} does not decode, or is cut off"
        )),
        BodyError::UnknownCoding(name) => NetworkError::new(format!(
            "Unreadable body: {host} encoded it as {name}, which was not requested"
        )),
        BodyError::TooMuch => {
            NetworkError::new(format!("Unreadable body: {host} sends an endless body"))
        }
    }
}

/// Describes a call that timed out.
pub fn describe_timeout(target: &HopTarget, total: Duration) -> NetworkError {
    let mut error = NetworkError::new(format!(
        "Timeout: {} did not answer in full within {}",
        target.host(),
        format_seconds(total)
    ));
    error.is_timeout = true;
    error
}

/// Describes a name without an address.
pub fn describe_lookup_failure(
    error: &LookupError,
    host: &Host<String>,
    total: Duration,
) -> NetworkError {
    let why = match error {
        LookupError::Failed(why) => why.to_string(),
        LookupError::TimedOut => {
            return NetworkError::new(format!(
                "Timeout: the name server did not answer for {host} within {}",
                format_seconds(total)
            ))
            .advising(OFFLINE)
            .of_this_machine();
        }
    };
    // EAI_AGAIN, as glibc and musl word it; `io::ErrorKind` has no value for it.
    let no_server = ["Temporary failure", "Try again"];
    let offline = no_server.iter().any(|words| why.contains(words));
    let advice = if offline {
        OFFLINE
    } else {
        "No name server knows this host: check the spelling, or search the web for the page. If \
         hosts that certainly exist are not found either, this machine has no network."
    };
    let mut error = NetworkError::new(format!(
        "Could not resolve host {host}: {why}. Is it spelled right?"
    ));
    error.is_local = offline;
    error.is_absent = !offline;
    error.advising(advice)
}

/// Describes a proxy whose own host was not found.
pub fn describe_proxy_lookup_failure(
    error: &LookupError,
    host: &Host<String>,
    total: Duration,
) -> NetworkError {
    let mut failed = describe_lookup_failure(error, host, total);
    failed.text = format!("Through the proxy of the environment: {}", failed.text);
    failed.advising(NO_PROXY).of_this_machine()
}

const NO_PROXY: &str = "The proxy that the environment names (http_proxy, https_proxy, all_proxy) \
                        cannot be reached, and without it no page can be fetched.";

const OFFLINE: &str = "No name server answers: most likely this machine has no network, and no \
                       other page can be fetched either.";

/// Describes an address that the guard refused.
pub fn describe_refusal(refusal: &GuardError) -> NetworkError {
    let mut error = NetworkError::new(refusal.to_string());
    error.is_refused = true;
    match refusal {
        GuardError::Address { class, .. } if class.scope == AddressScope::Never => error.advising(
            "This is not a failure of the network: such an address is never fetched, however it \
             is spelled or redirected to.",
        ),
        _ => error,
    }
}

/// Describes a host that `ALLOWED_DOMAINS` does not allow.
pub fn describe_disallowed_host(why: NotAllowed) -> NetworkError {
    let mut error = NetworkError::new(why.to_string()).advising(why.advice());
    error.not_allowed = Some(why);
    error
}

/// Describes an answer that is not HTTP.
pub fn describe_non_http(
    error: NetworkError,
    first_bytes: &[u8],
    target: &HopTarget,
) -> NetworkError {
    // A TLS record: an alert, or part of a handshake (RFC 8446, section 5.1).
    if matches!(first_bytes, [0x15 | 0x16, 3, ..]) && !target.is_tls() {
        return error.advising(format!(
            "The server at {target} speaks TLS: send the same URL with https:// in place of \
             http://."
        ));
    }
    let text = String::from_utf8_lossy(first_bytes);
    match quote::quoted(text.lines().next().unwrap_or_default()) {
        Some(quoted) if !quoted.contains('\u{fffd}') => {
            error.advising(format!("The answer begins with {quoted}."))
        }
        _ => error,
    }
}

/// Returns advice on a failed connection.
fn advice(fault: &ConnectionFault, target: &HopTarget) -> String {
    match fault {
        ConnectionFault::Connect(_, error)
            if error.kind() == io::ErrorKind::ConnectionRefused && is_own(target) =>
        {
            format!(
                "Is the server running, and does it listen on port {}? One that has just been \
                 started may need a moment.",
                target.port()
            )
        }
        ConnectionFault::ProxyConnect(..) => NO_PROXY.to_owned(),
        _ => String::new(),
    }
}

/// True if another target would fail the same way.
fn is_of_this_machine(fault: &ConnectionFault) -> bool {
    match fault {
        ConnectionFault::Connect(_, error) => error.kind() == io::ErrorKind::NetworkUnreachable,
        ConnectionFault::ProxyConnect(..) => true,
        ConnectionFault::Proxy(..) | ConnectionFault::Broken(_) => false,
    }
}

/// True if the host's spelling places the target on this machine or in its network.
fn is_own(target: &HopTarget) -> bool {
    guard::class_of(target.host()).is_some_and(|class| class.scope == AddressScope::Private)
}

fn broken(target: &HopTarget, error: &io::Error) -> NetworkError {
    let host = target.host();
    NetworkError::new(match error.kind() {
        io::ErrorKind::ConnectionReset => {
            format!("Connection reset by {host} before the answer was complete; try again")
        }
        _ => format!("Connection closed by {host} before the answer was complete; try again"),
    })
}

fn of_io(error: &io::Error, target: &HopTarget, total: Duration) -> NetworkError {
    if let Some(inner) = error.get_ref() {
        if let Some(tls_error) = inner.downcast_ref::<rustls::Error>() {
            return tls(tls_error, target);
        }
        if let Some(inner) = inner.downcast_ref::<ureq::Error>() {
            return describe(inner, target, total);
        }
    }
    match error.kind() {
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => describe_timeout(target, total),
        io::ErrorKind::UnexpectedEof
        | io::ErrorKind::ConnectionReset
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::ConnectionAborted => broken(target, error),
        _ => NetworkError::new(format!("Exchange with {} failed: {error}", target.host())),
    }
}

fn tls(error: &rustls::Error, target: &HopTarget) -> NetworkError {
    let host = target.host();
    let rustls::Error::InvalidCertificate(why) = error else {
        let failed = NetworkError::new(format!("TLS with {host} failed: {error}"));
        return match error {
            rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType) => {
                failed.advising(format!(
                    "The server at {target} does not speak TLS: send the same URL with http:// in \
                     place of https://."
                ))
            }
            _ => failed,
        };
    };
    let reason = reason(why);
    let failed = NetworkError::new(format!("The certificate of {host} is not valid: {reason}"));
    if is_own(target) {
        return NetworkError {
            is_private_certificate: true,
            ..failed
        };
    }
    failed.advising("Trying again will not help: look for the same page elsewhere.")
}

/// Returns the reason why a certificate is not valid, as a clause.
fn reason(why: &CertificateError) -> String {
    use CertificateError::{
        Expired, ExpiredContext, NotValidForName, NotValidForNameContext, NotValidYet,
        NotValidYetContext, UnknownIssuer,
    };
    let reason = match why {
        UnknownIssuer => {
            "no authority that this system trusts signed it. If it is your own authority, name its \
             certificate in SSL_CERT_FILE"
        }
        Expired | ExpiredContext { .. } => "it has expired",
        NotValidYet | NotValidYetContext { .. } => {
            "it is not valid yet; is this machine's clock right?"
        }
        NotValidForNameContext { presented, .. } if presented.is_empty() => {
            "it names no host: it needs a subjectAltName"
        }
        NotValidForName | NotValidForNameContext { .. } => "it is for another host",
        other if is_authority(other) => {
            "it is an authority's (CA:TRUE) and not a server's, and no trusted one itself. If it \
             is your own server's, name the file with this certificate in SSL_CERT_FILE"
        }
        other => return detail(other).map_or_else(|| other.to_string(), ToString::to_string),
    };
    reason.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_whose_host_is_not_found_is_named_as_one() {
        let host = Host::Domain("proxy.example".to_owned());
        let why = LookupError::Failed(io::Error::other("Name or service not known"));
        let error = describe_proxy_lookup_failure(&why, &host, Duration::from_secs(24));
        assert_eq!(
            error.text,
            "Through the proxy of the environment: Could not resolve host proxy.example: Name or \
             service not known. Is it spelled right?"
        );
        assert!(error.is_local);
        assert!(error.advice.contains("http_proxy"), "{}", error.advice);
    }
}
