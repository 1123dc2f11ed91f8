//! Environment variables for commands that run without a person: editors fail at once and say what
//! to send instead, pagers pass their text on, and git asks for nothing.
//!
//! Rules: the decisions on bash. An assignment within the command wins.

use std::ffi::OsStr;
use std::io;

use crate::sandbox::launch::ProgramLaunch;

/// A command in place of an editor: it says what to use instead, and fails.
const NO_EDITOR: &str = "sh -c 'echo \"No editor here: use -m TEXT, --no-edit or GIT_EDITOR=true.\" >&2; exit 1' editor";

const VARIABLES: [(&str, &str); 8] = [
    ("GIT_EDITOR", NO_EDITOR),
    ("GIT_SEQUENCE_EDITOR", NO_EDITOR),
    ("EDITOR", NO_EDITOR),
    ("VISUAL", NO_EDITOR),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("TERM", "dumb"),
];

/// True for a variable whose inherited value is replaced.
pub fn replaces_variable(name: &OsStr) -> bool {
    VARIABLES.iter().any(|(variable, _)| name == *variable)
}

/// Adds the variables to the environment of a command.
pub fn add_variables(launch: ProgramLaunch) -> io::Result<ProgramLaunch> {
    let mut variables = VARIABLES.iter();
    variables.try_fold(launch, |launch, (name, value)| launch.with(name, value))
}
