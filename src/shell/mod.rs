//! Workshop: running a shell command or a program, and leaving nothing of it behind if the caller
//! dies.
//!
//! Rules: specification of the bash tool, and the decisions on it. What POSIX leaves open is taken
//! from `sh(1p)`.

mod advice;
mod background;
mod background_output;
mod collected_output;
mod command;
mod command_shell;
mod kept_output;
pub mod output_claims;
mod output_pipe;
mod program;
mod progress;
mod shortened_lines;
mod still_running;
mod terminal_text;
mod unattended;

pub use advice::advise_on_failure;
pub use background::BackgroundCommand;
pub use background_output::BackgroundOutput;
pub use collected_output::CollectedOutput;
pub use command::{
    CommandOutcome, CommandSettings, NOT_RUN, TimeLimit, open_directory, run_command,
    start_in_background,
};
pub use command_shell::{CommandShell, find_on_path};
pub use kept_output::{SavedPlace, directory_of_outputs, keep_outputs_of};
pub use program::{ProgramError, ProgramOutput, find_helper, read_output, run_program};
pub use shortened_lines::ShortenedLine;
pub use still_running::StillRunning;
pub use terminal_text::TerminalText;
