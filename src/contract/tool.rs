//! The contract that every tool keeps: what it is called, what it takes, and how it is called.
//!
//! Envelopes and exit codes follow the decisions on the host's calls, 1 to 3.

use crate::contract::failure::Failure;
use crate::contract::reply::Reply;
use crate::contract::request::Request;

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
    /// A call that shows that the installed tool works; none where that takes a network.
    pub sample: Option<Sample>,
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

/// A call that needs nothing but a directory of its own.
pub struct Sample {
    /// A file that is there, its name and its content.
    pub file: Option<(&'static str, &'static str)>,
    /// The request.
    pub request: &'static str,
    /// A part of the answer.
    pub answer: &'static str,
}

/// The two families of the specification; they differ in their envelopes and exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// bash, file-*, glob, grep: a failed operation is an answer, and exits 0.
    Local,
    /// web-*: `success` comes first, and a failed operation exits 1.
    Web,
}
