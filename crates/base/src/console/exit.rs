//! The program's name and exit codes.
//!
//! Rules: agreed behaviour, see REFERENCE.md ("For hosts").

use std::process::ExitCode;

/// The program's name.
pub const PROGRAM: &str = "ikigai-tools";

/// The end of a run, from which its exit code follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramExit {
    /// The request was carried out, or answered.
    Success,
    /// A bad request, or a web tool's failure.
    Failure,
    /// The command line could not be understood.
    Usage,
    /// A call with flags exits with this code: the one in the tool's row, or that of the command
    /// that it ran.
    Code(u8),
}

impl ProgramExit {
    /// The exit code of [`ProgramExit::Usage`].
    pub(crate) const USAGE: u8 = 2;
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
