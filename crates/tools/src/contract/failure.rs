//! Failed calls: a code of the specification's, and a message for the reader.
//!
//! The codes are the specification's own ("Tool-specific codes" of the local tools, "Error codes"
//! of the web tools), and the kinds of failure of the tools of research ([`ErrorCode::kind`]).
//! Three are our own, because the specification has none for failures that a tool cannot report
//! itself: [`ErrorCode::ToolFailed`], [`ErrorCode::Timeout`] and [`ErrorCode::AnswerTooLarge`].

use serde::{Deserialize, Serialize};

/// Makes the type of all codes from one list of them and their names.
macro_rules! codes {
    ($($(#[$words:meta])* $code:ident = $name:literal,)*) => {
        /// Every error code that a caller can read.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ErrorCode {
            $($(#[$words])* $code,)*
        }

        impl ErrorCode {
            /// The code as hosts read it.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$code => $name,)*
                }
            }

            /// The code called `name`.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$code),)*
                    _ => None,
                }
            }
        }
    };
}

codes! {
    /// The request cannot be understood, or does not make sense.
    InvalidArg = "INVALID_ARG",
    /// The file does not exist.
    FileNotFound = "FILE_NOT_FOUND",
    /// The operating system refuses access.
    PermissionDenied = "PERMISSION_DENIED",
    /// The file cannot be opened, for any other reason.
    OpenFailed = "OPEN_FAILED",
    /// The file cannot be seeked in: a FIFO, a terminal.
    SeekFailed = "SEEK_FAILED",
    /// The file has no size: a device.
    SizeFailed = "SIZE_FAILED",
    /// Reading failed midway.
    ReadFailed = "READ_FAILED",
    /// Writing failed midway; the file is as it was, unless the message says otherwise.
    WriteFailed = "WRITE_FAILED",
    /// The file system is full; the file is as it was.
    NoSpace = "NO_SPACE",
    /// The text to be replaced is not in the file.
    NotFound = "NOT_FOUND",
    /// The text to be replaced occurs in the file more than once.
    NotUnique = "NOT_UNIQUE",
    /// The glob pattern or regular expression is invalid.
    InvalidPattern = "INVALID_PATTERN",
    /// A directory could not be listed.
    ReadError = "READ_ERROR",
    /// Memory ran out.
    OutOfMemory = "OUT_OF_MEMORY",
    /// The URL cannot be fetched.
    InvalidUrl = "INVALID_URL",
    /// No answer: DNS, connection, TLS, time, a broken body, a refused address.
    NetworkError = "NETWORK_ERROR",
    /// The server answered with a status of 400 or more.
    HttpError = "HTTP_ERROR",
    /// The answer cannot be shown as text.
    ParseError = "PARSE_ERROR",
    /// No credentials are configured.
    AuthMissing = "AUTH_MISSING",
    /// The provider rejects the credentials.
    AuthInvalid = "AUTH_INVALID",
    /// The quota is used up.
    RateLimit = "RATE_LIMIT",
    /// The provider answered with another failure.
    ApiError = "API_ERROR",
    /// The server does not let programs read the page: a refusal, or a check for robots.
    Blocked = "BLOCKED",
    /// The page wants its reader to log in.
    AuthRequired = "AUTH_REQUIRED",
    /// There is an answer without readable content.
    ContentEmpty = "CONTENT_EMPTY",
    /// The page needs a browser, and there is none or it does not run.
    BrowserUnavailable = "BROWSER_UNAVAILABLE",
    /// The server failed, and may do better later.
    UpstreamUnavailable = "UPSTREAM_UNAVAILABLE",
    /// The configuration does not make sense.
    Config = "CONFIG",
    /// The tool itself is at fault: it panicked, could not be started, or ended without an answer.
    /// Not the specification's.
    ToolFailed = "TOOL_FAILED",
    /// A server ended the call because it took longer than allowed. Not the specification's.
    Timeout = "TIMEOUT",
    /// The answer does not fit into a message of the protocol. Not the specification's.
    AnswerTooLarge = "ANSWER_TOO_LARGE",
}

impl ErrorCode {
    /// The kind of failure, as the tools of research name it.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            Self::InvalidArg | Self::InvalidUrl | Self::InvalidPattern | Self::NotUnique => {
                "validation"
            }
            Self::NetworkError | Self::Timeout => "network",
            Self::Blocked | Self::PermissionDenied => "blocked",
            Self::NotFound | Self::FileNotFound => "not_found",
            Self::AuthRequired | Self::AuthInvalid => "auth_required",
            Self::RateLimit => "rate_limited",
            Self::ContentEmpty | Self::ParseError => "content_empty",
            Self::BrowserUnavailable => "browser_unavailable",
            Self::UpstreamUnavailable | Self::HttpError | Self::ApiError => "upstream_unavailable",
            Self::Config | Self::AuthMissing => "config",
            Self::OpenFailed
            | Self::SeekFailed
            | Self::SizeFailed
            | Self::ReadFailed
            | Self::WriteFailed
            | Self::NoSpace
            | Self::ReadError
            | Self::OutOfMemory
            | Self::ToolFailed
            | Self::AnswerTooLarge => "internal",
        }
    }
}

/// Advice to programs on how to proceed after a failure. Each field that has a value is a field of
/// the answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureAdvice {
    /// True if the same call may succeed later.
    pub retryable: bool,
    /// Seconds to wait before that.
    pub retry_after: Option<u64>,
    /// The next action, as an identifier for programs: `retry_after_delay`, `check_api_key`. The
    /// message says it in words.
    pub suggested_action: Option<String>,
    /// The provider that failed, of several that could have been asked.
    pub provider: Option<String>,
    /// Other providers that may succeed, the likeliest first.
    pub alternatives: Vec<String>,
    /// Details beyond the message: a status, the server's own words.
    pub detail: Option<String>,
}

/// A failed call.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The specification's code.
    pub code: ErrorCode,
    /// The specification's sentence, which models read.
    pub message: String,
    /// Further advice to the model; empty if the message is enough.
    pub note: String,
    /// True if the note quotes a file ([`Notes::quote`](crate::contract::notes::Notes::quote)).
    pub quotes_file: bool,
    /// True if the request itself was at fault: the call exits 1 and reports it on stderr too.
    pub is_bad_request: bool,
    /// A line of JSON for the host on stderr, meant for its user and not for the model.
    pub event: Option<String>,
    /// Advice to programs, if the tool gives any.
    pub advice: Option<Box<FailureAdvice>>,
}

impl Failure {
    /// An operation that was understood and failed.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            note: String::new(),
            quotes_file: false,
            is_bad_request: false,
            event: None,
            advice: None,
        }
    }

    /// This failure with `note`, a sentence or two on what to do next.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// This failure with `note` after its own.
    #[must_use]
    pub(crate) fn and_note(mut self, note: &str) -> Self {
        if !self.note.is_empty() {
            // A quotation ends on a line of its own.
            self.note.push(if self.quotes_file { '\n' } else { ' ' });
        }
        self.note.push_str(note);
        self
    }

    /// This failure with these notes after its own.
    #[must_use]
    pub(crate) fn and_notes(self, notes: impl IntoIterator<Item = String>) -> Self {
        let add = |failure: Self, note: String| failure.and_note(&note);
        notes.into_iter().fold(self, add)
    }

    /// This failure with a note that quotes a file.
    #[must_use]
    pub(crate) fn with_quotation(self, note: impl Into<String>) -> Self {
        Self {
            quotes_file: true,
            ..self.with_note(note)
        }
    }

    /// This failure with advice to programs.
    #[must_use]
    pub(crate) fn with_advice(mut self, advice: FailureAdvice) -> Self {
        self.advice = Some(Box::new(advice));
        self
    }

    /// A request that could not be understood.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self {
            is_bad_request: true,
            ..Self::new(ErrorCode::InvalidArg, message)
        }
    }
}
