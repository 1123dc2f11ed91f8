//! The program's name and exit codes.
//!
//! Rules: agreed behaviour, see REFERENCE.md ("For hosts").

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

    /// Ends the process. The kernel does at once what the standard library would undo step by step
    /// at the end of `main`, and nothing waits in its buffers (`streams`).
    pub fn end_process(self) -> ! {
        let code = match self {
            Self::Success => 0,
            Self::Failure => 1,
            Self::Usage => Self::USAGE,
            Self::Code(code) => code,
        };
        // SAFETY: ends the process, in which no other thread has anything left to do.
        unsafe { libc::exit(code.into()) }
    }
}
