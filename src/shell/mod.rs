//! Workshop: running a shell command or a program, and leaving nothing of it behind if the caller
//! dies.
//!
//! Rules: specification of the bash tool, and the decisions on it. What POSIX leaves open is taken
//! from `sh(1p)`.

mod advice;
mod command;
mod ends;
mod kept_output;
mod named;
mod program;
mod progress;
pub mod refused;
mod still_running;

pub use advice::advice;
pub use command::{CommandOutcome, CommandSettings, TimeLimit, directory, run};
pub use ends::{CollectedOutput, OutputCollector};
pub use kept_output::{SavedPlace, directory_of_outputs, keep_outputs_of};
pub use named::CommandShell;
pub use program::{ProgramError, run_program};
pub use still_running::StillRunning;
