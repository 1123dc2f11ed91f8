//! Failed calls: a code of the specification's, and a message for the reader.
//!
//! The codes are the specification's own ("Tool-specific codes" of the local tools, "Error codes"
//! of the web tools), and the kinds of failure of the tools of research ([`Code::kind`]). Three are
//! our own, because the specification has none for failures that a tool cannot report itself:
//! [`Code::ToolFailed`], [`Code::Timeout`] and [`Code::AnswerTooLarge`].

/// Every error code that a caller can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The request cannot be understood, or does not make sense.
    InvalidArg,
    /// The file does not exist.
    FileNotFound,
    /// The operating system refuses access.
    PermissionDenied,
    /// The file cannot be opened, for any other reason.
    OpenFailed,
    /// The file cannot be seeked in: a FIFO, a terminal.
    SeekFailed,
    /// The file has no size: a device.
    SizeFailed,
    /// Reading failed midway.
    ReadFailed,
    /// Writing failed midway; the file is as it was, unless the message says otherwise.
    WriteFailed,
    /// The file system is full; the file is as it was.
    NoSpace,
    /// The text to be replaced is not in the file.
    NotFound,
    /// The text to be replaced occurs in the file more than once.
    NotUnique,
    /// The glob pattern or regular expression is invalid.
    InvalidPattern,
    /// A directory could not be listed.
    ReadError,
    /// Memory ran out.
    OutOfMemory,
    /// The URL cannot be fetched.
    InvalidUrl,
    /// No answer: DNS, connection, TLS, time, a broken body, a refused address.
    NetworkError,
    /// The server answered with a status of 400 or more.
    HttpError,
    /// The answer cannot be shown as text.
    ParseError,
    /// No credentials are configured.
    AuthMissing,
    /// The provider rejects the credentials.
    AuthInvalid,
    /// The quota is used up.
    RateLimit,
    /// The provider answered with another failure.
    ApiError,
    /// The server does not let programs read the page: a refusal, or a check for robots.
    Blocked,
    /// The page wants its reader to log in.
    AuthRequired,
    /// There is an answer without readable content.
    ContentEmpty,
    /// The page needs a browser, and there is none or it does not run.
    BrowserUnavailable,
    /// The server failed, and may do better later.
    UpstreamUnavailable,
    /// The configuration does not make sense.
    Config,
    /// The tool itself is at fault: it panicked, could not be started, or ended without an answer.
    /// Not the specification's.
    ToolFailed,
    /// A server ended the call because it took longer than allowed. Not the specification's.
    Timeout,
    /// The answer does not fit into a message of the protocol. Not the specification's.
    AnswerTooLarge,
}

impl Code {
    /// The code as hosts read it.
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
            Self::Blocked => "BLOCKED",
            Self::AuthRequired => "AUTH_REQUIRED",
            Self::ContentEmpty => "CONTENT_EMPTY",
            Self::BrowserUnavailable => "BROWSER_UNAVAILABLE",
            Self::UpstreamUnavailable => "UPSTREAM_UNAVAILABLE",
            Self::Config => "CONFIG",
            Self::ToolFailed => "TOOL_FAILED",
            Self::Timeout => "TIMEOUT",
            Self::AnswerTooLarge => "ANSWER_TOO_LARGE",
        }
    }

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

    /// The code called `name`.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.as_str() == name)
    }

    /// All codes.
    const ALL: [Self; 31] = [
        Self::InvalidArg,
        Self::FileNotFound,
        Self::PermissionDenied,
        Self::OpenFailed,
        Self::SeekFailed,
        Self::SizeFailed,
        Self::ReadFailed,
        Self::WriteFailed,
        Self::NoSpace,
        Self::NotFound,
        Self::NotUnique,
        Self::InvalidPattern,
        Self::ReadError,
        Self::OutOfMemory,
        Self::InvalidUrl,
        Self::NetworkError,
        Self::HttpError,
        Self::ParseError,
        Self::AuthMissing,
        Self::AuthInvalid,
        Self::RateLimit,
        Self::ApiError,
        Self::Blocked,
        Self::AuthRequired,
        Self::ContentEmpty,
        Self::BrowserUnavailable,
        Self::UpstreamUnavailable,
        Self::Config,
        Self::ToolFailed,
        Self::Timeout,
        Self::AnswerTooLarge,
    ];
}

/// Advice to programs on how to proceed after a failure. Each field that has a value is a field of
/// the answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    pub code: Code,
    /// The specification's sentence, which models read.
    pub message: String,
    /// Further advice to the model; empty if the message is enough.
    pub note: String,
    /// The note quotes a file ([`Notes::quote`](crate::contract::notes::Notes::quote)).
    pub quotes: bool,
    /// The request itself was at fault: such a call exits 1 and reports it on stderr too.
    pub bad_request: bool,
    /// A line of JSON for the host on stderr, meant for its user and not for the model.
    pub event: Option<String>,
    /// Advice to programs, if the tool gives any.
    pub advice: Option<Box<FailureAdvice>>,
}

impl Failure {
    /// An operation that was understood and failed.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            note: String::new(),
            quotes: false,
            bad_request: false,
            event: None,
            advice: None,
        }
    }

    /// The same failure with `note`, a sentence or two on what to do next.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// The same failure with `note` after the note that it has.
    #[must_use]
    pub fn and_note(mut self, note: &str) -> Self {
        if !self.note.is_empty() {
            // A quotation ends on a line of its own.
            self.note.push(if self.quotes { '\n' } else { ' ' });
        }
        self.note.push_str(note);
        self
    }

    /// The same failure with a note that quotes a file.
    #[must_use]
    pub fn with_quotation(self, note: impl Into<String>) -> Self {
        Self {
            quotes: true,
            ..self.with_note(note)
        }
    }

    /// The same failure with advice to programs.
    #[must_use]
    pub fn with_advice(mut self, advice: FailureAdvice) -> Self {
        self.advice = Some(Box::new(advice));
        self
    }

    /// A request that could not be understood.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self {
            bad_request: true,
            ..Self::new(Code::InvalidArg, message)
        }
    }
}
