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

/// The reason in an error: what Redis calls it, or words of our own. Neither holds the address.
pub fn error_reason(error: &RedisError) -> String {
    let is_name = |code: &str| code.bytes().all(|byte| byte.is_ascii_uppercase());
    let reason = match (error.code(), error.kind()) {
        (Some("NOAUTH" | "WRONGPASS"), _) | (_, ErrorKind::AuthenticationFailed) => {
            "it does not take this user or password"
        }
        (Some(code), _) if is_name(code) => return format!("it answers {code}"),
        (_, ErrorKind::Io) if error.is_timeout() => "it did not answer in time",
        (_, ErrorKind::Io) => CLOSED,
        (_, ErrorKind::Parse) => "what answers is not Redis",
        _ => "it refused a request",
    };
    reason.to_owned()
}

/// The reason why there was no connection.
pub fn connect_reason(error: &io::Error) -> String {
    error.kind().to_string()
}

/// The reason why there was no TLS.
pub fn tls_reason(error: &io::Error) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    let reason = match inner {
        Some(rustls::Error::InvalidCertificate(_)) => {
            "its certificate is not trusted, or is another host's"
        }
        _ => "it does not speak TLS",
    };
    reason.to_owned()
}
