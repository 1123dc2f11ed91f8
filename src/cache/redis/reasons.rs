//! Reasons why Redis does not answer, in words that hold nothing of its address.

use std::io;

use ::redis::{ErrorKind, RedisError};

/// The reason for a lost connection without any other.
pub const CLOSED: &str = "the connection was closed";

/// True if an error of one request says that the others will fail as well.
pub fn breaks_connection(error: &RedisError) -> bool {
    !matches!(error.kind(), ErrorKind::Server(_) | ErrorKind::Extension)
        || matches!(
            error.code(),
            Some("LOADING" | "NOAUTH" | "MASTERDOWN" | "CLUSTERDOWN" | "MOVED" | "ASK" | "NOPROTO")
        )
}

/// The reason in an error, in words that hold nothing of the address.
pub fn error_reason(error: &RedisError) -> &'static str {
    match error.code() {
        Some("OOM") => return "its memory is full",
        Some("READONLY") => return "it is a copy that can only be read",
        Some("LOADING") => return "it is still reading its data",
        Some("MISCONF") => return "it cannot save its data",
        Some("NOREPLICAS") => return "it has too few copies",
        Some("NOAUTH") => return "it wants a password",
        Some("NOPERM") => return "this user may not do that there",
        Some("WRONGPASS") => return "it does not take this password",
        Some("MASTERDOWN" | "CLUSTERDOWN") => return "the one it copies is not there",
        Some("MOVED" | "ASK") => return "it is part of a cluster, which is not supported",
        _ => {}
    }
    match error.kind() {
        ErrorKind::AuthenticationFailed => "it does not take this user or password",
        ErrorKind::Io if error.is_timeout() => "it did not answer in time",
        ErrorKind::Io => CLOSED,
        ErrorKind::Parse => "what answers is no Redis",
        _ => "it refused a request",
    }
}

/// The reason why there was no connection.
pub fn connect_reason(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound => "nothing listens there",
        io::ErrorKind::PermissionDenied => "its socket may not be used by this user",
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => {
            "there is no way to its host"
        }
        io::ErrorKind::TimedOut => "it did not answer in time",
        _ => "it cannot be connected to",
    }
}

/// The reason why there was no TLS.
pub fn tls_reason(error: &io::Error) -> &'static str {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    match inner {
        Some(rustls::Error::InvalidCertificate(_)) => {
            "its certificate is not trusted, or is another host's"
        }
        _ => "it does not speak TLS",
    }
}
