//! Workshop: running a shell command or a program, and leaving nothing of it behind if the caller
//! dies.
//!
//! Rules: specification of the bash tool, and the decisions on it. What POSIX leaves open is taken
//! from `sh(1p)`.

mod background;
mod background_output;
mod bash_syntax_advice;
mod collected_output;
mod command;
mod command_shell;
mod kept_output;
mod noninteractive_variables;
mod output_pipe;
mod program;
mod progress;
pub mod refusal_messages;
mod shortened_lines;
mod still_running;
mod terminal_text;
mod unanswered_editors;

pub use background::BackgroundCommand;
pub use background_output::BackgroundOutput;
pub use bash_syntax_advice::advise_on_failure;
pub use collected_output::CollectedOutput;
pub use command::{
    CommandOutcome, CommandSettings, NOT_RUN, TimeLimit, open_directory, run_command,
    start_in_background,
};
pub use command_shell::{CommandShell, find_on_path};
pub use kept_output::{SavedOutput, directory_of_outputs, keep_outputs_of};
pub use program::{ProgramError, ProgramOutput, find_helper, read_output, run_program};
pub use shortened_lines::{ShortenedLine, ShortenedLines};
pub use still_running::StillRunning;
pub use terminal_text::TerminalText;
