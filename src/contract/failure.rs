//! The other way a call can end: a code of the specification's, and a message for whoever reads it.
//!
//! The codes are the specification's own ("Tool-specific codes" of the local tools, "Error codes"
//! of the web tools), and the kinds of failure of the tools of research ([`Code::kind`]). Three are
//! not, since the specification has none for what a tool cannot say of itself:
//! [`Code::ToolFailed`], [`Code::Timeout`] and [`Code::AnswerTooLarge`].

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
    /// The server does not let programs read the page: a refusal, or a check for robots.
    Blocked,
    /// The page wants its reader to log in.
    AuthRequired,
    /// There is an answer, and nothing in it that can be read.
    ContentEmpty,
    /// The page needs a browser that is not there, or does not run.
    BrowserUnavailable,
    /// The server failed, and may do better later.
    UpstreamUnavailable,
    /// What the user has set does not make sense.
    Config,
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

    /// The kind of failure that the code stands for, as the tools of research name it.
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

    /// The code that reads so.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.as_str() == name)
    }

    /// Every one of them.
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

/// What whoever asked may do about a failure, for programs that go on by themselves. It stands in
/// the answer in fields of its own; what a field has no value for is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailureAdvice {
    /// Whether the same call may do better later.
    pub retryable: bool,
    /// In how many seconds.
    pub retry_after: Option<u64>,
    /// What to do now, in a word that programs know: `retry_after_delay`, `check_api_key`. What to
    /// do in words is part of the message.
    pub suggested_action: Option<String>,
    /// Who failed, of several that could have been asked.
    pub provider: Option<String>,
    /// Others that may do better, the likeliest first.
    pub alternatives: Vec<String>,
    /// What was said beyond the message: a status, words of the server's.
    pub detail: Option<String>,
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
    /// The note quotes a file ([`Notes::quote`](crate::contract::notes::Notes::quote)).
    pub quotes: bool,
    /// Whether the request itself was at fault: such a call exits 1 and says so on stderr too.
    pub bad_request: bool,
    /// A line of JSON for the host on stderr, which is for its user and not for the model.
    pub event: Option<String>,
    /// What may be done about it, where the tool says so in fields of the answer.
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

    /// The same failure with a note that quotes a file.
    #[must_use]
    pub fn with_quotation(self, note: impl Into<String>) -> Self {
        Self {
            quotes: true,
            ..self.with_note(note)
        }
    }

    /// The same failure with what may be done about it.
    #[must_use]
    pub fn with_advice(mut self, advice: FailureAdvice) -> Self {
        self.advice = Some(Box::new(advice));
        self
    }

    /// A request that could not be understood.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self {
            code: Code::InvalidArg,
            message: message.into(),
            note: String::new(),
            quotes: false,
            bad_request: true,
            event: None,
            advice: None,
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
