//! The errors of a fetch.

use std::fmt;

use super::Response;
use crate::web::allowed::NotAllowed;

/// The errors of a fetch.
#[derive(Debug)]
pub enum FetchError {
    /// The URL can't be fetched by anybody: another scheme, no host, not a URL.
    InvalidUrl(String),
    /// Name, connection, TLS, timeout, redirects, body or guard.
    Network(Box<NetworkError>),
    /// The server answered with a status of 400 or more. Its body is at most
    /// [`MAX_ERROR_BODY`](super::MAX_ERROR_BODY) bytes.
    Status(Box<Response>),
}

impl FetchError {
    /// A [`FetchError::Network`] of which there is no more to say than this.
    pub(super) fn network(text: impl Into<String>) -> Self {
        NetworkError::new(text).into()
    }
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidUrl(why) => f.write_str(why),
            Self::Network(error) => error.fmt(f),
            Self::Status(reply) => f.write_str(&reply.status_text()),
        }
    }
}

impl std::error::Error for FetchError {}

/// Why no answer came, or not all of one.
#[derive(Debug)]
pub struct NetworkError {
    /// What went wrong, and with which host.
    pub text: String,
    /// What can be done beyond what the text says; empty where there is nothing.
    pub advice: String,
    /// True if it took too long: what is fetched without haste may come yet.
    pub timed_out: bool,
    /// True if it is this machine's own fault: no network, no name server, no proxy where the
    /// environment names one. Another host would fail the same way.
    pub own: bool,
    /// True if the guard refused the address.
    pub refused: bool,
    /// Where `ALLOWED_DOMAINS` forbids it.
    pub not_allowed: Option<NotAllowed>,
    /// What had come of a body that broke off.
    pub received: Option<Received>,
}

/// The beginning of a body, decoded.
#[derive(Debug, PartialEq, Eq)]
pub struct Received {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The value of `Content-Type`.
    pub content_type: Option<String>,
}

impl NetworkError {
    /// An error of which there is no more to say than this.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            advice: String::new(),
            timed_out: false,
            own: false,
            refused: false,
            not_allowed: None,
            received: None,
        }
    }

    pub(super) fn of_this_machine(mut self) -> Self {
        self.own = true;
        self
    }

    pub(super) fn advising(mut self, advice: impl Into<String>) -> Self {
        self.advice = advice.into();
        self
    }
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for NetworkError {}

impl From<NetworkError> for FetchError {
    fn from(error: NetworkError) -> Self {
        Self::Network(Box::new(error))
    }
}
