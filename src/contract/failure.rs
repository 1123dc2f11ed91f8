//! The other way a call can end: a code of the specification's, and a message for whoever reads it.
//!
//! The codes are the specification's own ("Tool-specific codes" of the local tools, "Error codes"
//! of the web tools). Three are not, since the specification has none for what a tool cannot say of
//! itself: [`Code::ToolFailed`], [`Code::Timeout`] and [`Code::AnswerTooLarge`].

use std::fmt;

/// Every error code that a caller can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The request cannot be understood, or asks for what makes no sense.
    InvalidArg,
    /// The file does not exist.
    FileNotFound,
    /// The operating system refuses access.
    PermissionDenied,
    /// The file cannot be opened, for any other reason.
    OpenFailed,
    /// Not a file in which a position can be chosen: a FIFO, a terminal.
    SeekFailed,
    /// Not a file that has a size: a device.
    SizeFailed,
    /// Reading failed midway.
    ReadFailed,
    /// Writing failed midway; the file is as it was, unless the message says otherwise.
    WriteFailed,
    /// The file system is full; the file is as it was.
    NoSpace,
    /// The text to be replaced is not in the file.
    NotFound,
    /// The text to be replaced stands in the file more than once.
    NotUnique,
    /// The glob pattern or regular expression is not one.
    InvalidPattern,
    /// A directory could not be listed.
    ReadError,
    /// Memory ran out.
    OutOfMemory,
    /// The URL is not one that can be fetched.
    InvalidUrl,
    /// No answer: DNS, connection, TLS, time, a broken body, a refused address.
    NetworkError,
    /// The server answered with a status of 400 or more.
    HttpError,
    /// The answer is nothing that can be shown as text.
    ParseError,
    /// No credentials are configured.
    AuthMissing,
    /// The provider rejects the credentials.
    AuthInvalid,
    /// The quota is used up.
    RateLimit,
    /// The provider answered with another failure.
    ApiError,
    /// The tool itself is at fault: it panicked, could not be started, or ended without an answer.
    /// Not the specification's.
    ToolFailed,
    /// A server ended the call, which took longer than it allows. Not the specification's.
    Timeout,
    /// The answer does not fit into a message of the protocol. Not the specification's.
    AnswerTooLarge,
}

impl Code {
    /// The code as the host reads it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidArg => "INVALID_ARG",
            Self::FileNotFound => "FILE_NOT_FOUND",
            Self::PermissionDenied => "PERMISSION_DENIED",
            Self::OpenFailed => "OPEN_FAILED",
            Self::SeekFailed => "SEEK_FAILED",
            Self::SizeFailed => "SIZE_FAILED",
            Self::ReadFailed => "READ_FAILED",
            Self::WriteFailed => "WRITE_FAILED",
            Self::NoSpace => "NO_SPACE",
            Self::NotFound => "NOT_FOUND",
            Self::NotUnique => "NOT_UNIQUE",
            Self::InvalidPattern => "INVALID_PATTERN",
            Self::ReadError => "READ_ERROR",
            Self::OutOfMemory => "OUT_OF_MEMORY",
            Self::InvalidUrl => "INVALID_URL",
            Self::NetworkError => "NETWORK_ERROR",
            Self::HttpError => "HTTP_ERROR",
            Self::ParseError => "PARSE_ERROR",
            Self::AuthMissing => "AUTH_MISSING",
            Self::AuthInvalid => "AUTH_INVALID",
            Self::RateLimit => "RATE_LIMIT",
            Self::ApiError => "API_ERROR",
            Self::ToolFailed => "TOOL_FAILED",
            Self::Timeout => "TIMEOUT",
            Self::AnswerTooLarge => "ANSWER_TOO_LARGE",
        }
    }
}

/// Why a call did not do what it was asked to.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The specification's code.
    pub code: Code,
    /// What the model reads: the specification's sentence.
    pub message: String,
    /// What the model is to know or to do beyond that sentence; empty where it says all.
    pub note: String,
    /// Whether the request itself was at fault: such a call exits 1 and says so on stderr too.
    pub bad_request: bool,
    /// A line of JSON for the host on stderr, which is for its user and not for the model.
    pub event: Option<String>,
}

impl Failure {
    /// An operation that was understood and failed.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            note: String::new(),
            bad_request: false,
            event: None,
        }
    }

    /// The same failure with `note`, a sentence or two on what to do next.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// A request that could not be understood.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self {
            code: Code::InvalidArg,
            message: message.into(),
            note: String::new(),
            bad_request: true,
            event: None,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// A failure is the last of its chain: whatever caused it is in the message, in words for a model.
impl std::error::Error for Failure {}
