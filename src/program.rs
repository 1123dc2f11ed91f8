//! The program's own name, and how a run of it ends.
//!
//! Exit codes follow the decisions on the host's calls (2).

use std::process::ExitCode;

/// The program's own name.
pub const PROGRAM: &str = "ikigai-tools";

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramExit {
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

impl ProgramExit {
    /// The exit code where the command line could not be understood.
    pub const USAGE: u8 = 2;
}

impl From<ProgramExit> for ExitCode {
    fn from(exit: ProgramExit) -> Self {
        match exit {
            ProgramExit::Success => Self::SUCCESS,
            ProgramExit::Failure => Self::FAILURE,
            ProgramExit::Usage => Self::from(ProgramExit::USAGE),
            ProgramExit::Code(code) => Self::from(code),
        }
    }
}
