//! The contract that every tool keeps: what it is called, what it takes, and the two ways a call can end.
//!
//! The error codes are the specification's own ("Tool-specific codes" of the local tools, "Error codes" of the web
//! tools); envelopes and exit codes follow the decisions on the host's calls, 1 to 3.

use crate::reply::Reply;
use crate::request::Request;

/// One row of the registry: everything that a door needs to offer a tool.
pub struct Tool {
    /// The name in the schema, in `snake_case`: `file_read`.
    pub name: &'static str,
    /// The name of the installed link, in `kebab-case`: `file-read`, `web-fetch-tool`.
    pub link: &'static str,
    /// Whose rules envelope and exit code follow.
    pub family: Family,
    /// The JSON schema, as `--schema` prints it.
    pub schema: &'static str,
    /// What a person sees where there is room for a line: `Read a file`.
    pub title: &'static str,
    /// What a call does to the world, for hosts that ask their user first.
    pub hints: Hints,
    /// What of the machine a request can name, for doors that confine it.
    pub reach: Reach,
    /// What `--help` says beyond the schema.
    pub manual: Manual,
    /// Carries out one call.
    pub run: for<'a> fn(&'a Request<'a>) -> Result<Reply<'a>, Failure>,
}

impl Tool {
    /// The name that people type: the link's, without the `-tool` that some hosts want.
    #[must_use]
    pub fn command(&self) -> &'static str {
        self.link.strip_suffix("-tool").unwrap_or(self.link)
    }
}

/// What a call does to the world, in the words of the Model Context Protocol's tool annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the protocol has these four, and each is a question of its own"
)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: bool,
    /// What it changes may be lost.
    pub destructive: bool,
    /// The same call made again changes nothing more.
    pub idempotent: bool,
    /// It reaches beyond this machine's files.
    pub open_world: bool,
}

impl Hints {
    /// A tool that looks at this machine's files.
    pub const LOOKS: Self = Self {
        read_only: true,
        destructive: false,
        idempotent: true,
        open_world: false,
    };
    /// A tool that asks the world.
    pub const ASKS: Self = Self {
        open_world: true,
        ..Self::LOOKS
    };
}

/// What of the machine a request can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Everything that the user can: no door can confine it.
    Machine,
    /// The file that this field names.
    File(&'static str),
    /// What the wildcards in the field `pattern` name, from the directory that the field `directory` names.
    Paths {
        /// The field that names a directory, or a file.
        directory: &'static str,
        /// The field that holds a wildcard pattern.
        pattern: &'static str,
    },
    /// The network, and no file.
    Network,
}

/// What a person wants to know of a tool and its schema does not say.
pub struct Manual {
    /// What the tool does and what to expect of it, in a few lines.
    pub text: &'static str,
    /// A request that works anywhere.
    pub example: &'static str,
}

/// The two families of the specification; they differ in their envelopes and exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// bash, file-*, glob, grep: a failed operation is an answer, and exits 0.
    Local,
    /// web-*: `success` comes first, and a failed operation exits 1.
    Web,
}

/// The specification's error codes.
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
    /// Not a file in which one can seek: a FIFO, a terminal.
    SeekFailed,
    /// Not a file that has a size: a device.
    SizeFailed,
    /// Reading failed midway.
    ReadFailed,
    /// Writing failed midway; the file is as it was.
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
    /// The URL is none that can be fetched.
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
        }
    }
}

/// Why a call did not do what it was asked to.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The specification's code.
    pub code: Code,
    /// What the model reads.
    pub message: String,
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
            bad_request: false,
            event: None,
        }
    }

    /// A request that could not be understood.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self {
            code: Code::InvalidArg,
            message: message.into(),
            bad_request: true,
            event: None,
        }
    }
}
