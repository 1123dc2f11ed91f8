//! Environment variables for commands that run without a person: editors fail at once and say what
//! to send instead, pagers pass their text on, and git asks for nothing.
//!
//! Rules: the decisions on bash. An assignment within the command wins, also one that git would
//! rank below these: of another editor's variable, or by `git -c`. So an editor's value is no plain
//! refusal: it runs what the command assigned, in git's order, and refuses where that is nothing.

use std::ffi::OsStr;
use std::io;

use crate::sandbox::launch::ProgramLaunch;

/// The editors' common part, which has a variable of its own because git quotes an editor that
/// fails. The editor that is found is run with the refusal in that place: it may ask for the
/// editor again.
const CHOICE_OF_EDITOR: &str = concat!(
    "case $0 in sequence) use='GIT_SEQUENCE_EDITOR=COMMAND for the list, or GIT_EDITOR=true';; ",
    "*) use='-m TEXT, --no-edit, GIT_EDITOR=true or EDITOR=COMMAND';; esac; ",
    r#"refusal="echo 'No editor here: use $use.' >&2; exit 1"; "#,
    r#"for name in "$0.editor" GIT_EDITOR core.editor VISUAL EDITOR; do case $name in "#,
    r#"*.*) editor=$(git config --show-scope --get "$name" 2>/dev/null); "#,
    r#"case $editor in command*) editor=${editor#command?};; *) editor=;; esac;; "#,
    r#"*) eval "editor=\$$name";; esac; case $editor in ''|*IKIGAI_EDITOR*);; "#,
    r#"*) IKIGAI_EDITOR=$refusal; eval "$editor \"\$@\""; exit;; esac; done; eval "$refusal""#,
);

/// An editor, by the name that it has in git's settings.
macro_rules! editor {
    ($name:literal) => {
        concat!("sh -c 'eval \"${IKIGAI_EDITOR:?}\"' ", $name)
    };
}

const VARIABLES: [(&str, &str); 9] = [
    ("IKIGAI_EDITOR", CHOICE_OF_EDITOR),
    ("GIT_EDITOR", editor!("core")),
    ("GIT_SEQUENCE_EDITOR", editor!("sequence")),
    ("EDITOR", editor!("core")),
    ("VISUAL", editor!("core")),
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
