//! Errors of the HTTP client, and the facts that its callers need to explain them.

use super::HttpResponse;
use crate::allowed_hosts::NotAllowed;

/// Error of a fetch.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The URL cannot be fetched: another scheme, no host, or not a URL.
    #[error("{0}")]
    InvalidUrl(String),
    /// Failure of the name, the connection, TLS, a timeout, redirects, the body or the guard.
    #[error(transparent)]
    Network(Box<NetworkError>),
    /// The server answered with a status of 400 or more. Its body has at most
    /// `MAX_ERROR_BODY` bytes.
    #[error("{}", .0.status_text())]
    Status(Box<HttpResponse>),
}

impl FetchError {
    /// Creates a [`FetchError::Network`] from its text only.
    pub(super) fn network(text: impl Into<String>) -> Self {
        NetworkError::new(text).into()
    }
}

/// Failure to get an answer, or all of it.
#[derive(Debug, Default, thiserror::Error)]
#[error("{text}")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a question of its own"
)]
pub struct NetworkError {
    /// Sentence on what went wrong, and with which host.
    pub text: String,
    /// Advice beyond the text; empty if there is none.
    pub advice: String,
    /// True if a timeout passed; a fetch with more time may succeed.
    pub is_timeout: bool,
    /// True if this machine is at fault: no network, no name server, or no proxy although the
    /// environment names one. Another host would fail the same way.
    pub is_local: bool,
    /// True if there is no such host, or nothing listens there.
    pub is_absent: bool,
    /// True if the certificate of a server on this machine, or in its network, is not valid.
    pub is_private_certificate: bool,
    /// True if the guard refused the address.
    pub is_refused: bool,
    /// Set if `ALLOWED_DOMAINS` forbids the host.
    pub not_allowed: Option<NotAllowed>,
    /// The part that was received of an aborted body.
    pub received: Option<ReceivedPart>,
}

/// Beginning of a body, decoded.
#[derive(Debug, PartialEq, Eq)]
pub struct ReceivedPart {
    /// Bytes received.
    pub bytes: Vec<u8>,
    /// Value of `Content-Type`.
    pub content_type: Option<String>,
}

impl NetworkError {
    /// Creates an error from its text only.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    pub(super) fn of_this_machine(mut self) -> Self {
        self.is_local = true;
        self
    }

    pub(super) fn advising(mut self, advice: impl Into<String>) -> Self {
        self.advice = advice.into();
        self
    }
}

impl From<NetworkError> for FetchError {
    fn from(error: NetworkError) -> Self {
        Self::Network(Box::new(error))
    }
}
