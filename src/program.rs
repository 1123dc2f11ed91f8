//! The program's own name, and how a run of it ends.
//!
//! Exit codes follow the decisions on the host's calls (2).

use std::process::ExitCode;

/// The program's own name.
pub const PROGRAM: &str = "ikigai-tools";

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// What was asked for was done, or answered.
    Success,
    /// A bad request, or a web tool's failure.
    Failure,
    /// The command line could not be understood.
    Usage,
    /// A call made of flags ends with this exit code: as the tool's row says, or as the command did
    /// that it ran.
    Code(u8),
}

impl Exit {
    /// The exit code where the command line could not be understood.
    pub const USAGE: u8 = 2;
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Success => Self::SUCCESS,
            Exit::Failure => Self::FAILURE,
            Exit::Usage => Self::from(Exit::USAGE),
            Exit::Code(code) => Self::from(code),
        }
    }
}
