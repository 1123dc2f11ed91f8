//! Telling this program from others: it says so itself, where nobody else may have put it there.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::{Refusal, shown};
use crate::commands::trust;
use crate::console::exit::PROGRAM;
use crate::shell::run_program;

/// How long a program of our name may take to say its version.
const TIMEOUT: Duration = Duration::from_secs(5);

/// How much it may say, in bytes.
const LONGEST_VERSION: usize = 4096;

/// Refuses where the file at `path` is not this program, or must not be started to find out; `kept`
/// says what was left undone.
pub fn require_program(path: &Path, kept: &str) -> Result<(), Refusal> {
    let what = match trust::objection(path) {
        Some(why) => format!(
            "was not started to see whether it is this program: {why}. Where it is yours, see that \
             nobody else may change it; else move it away"
        ),
        None if is_program(path) => return Ok(()),
        None => String::from("is not this program; move it away first"),
    };
    Err(Refusal(format!("{} {what}. {kept}", shown(path))))
}

/// True where the file at `path` is this program, in whatever version.
pub fn is_program(path: &Path) -> bool {
    let Ok(status) = path.symlink_metadata() else {
        return false;
    };
    let may_run = status.is_file() && status.permissions().mode() & 0o111 != 0;
    if !may_run || trust::objection(path).is_some() {
        return false;
    }
    let mut command = Command::new(path);
    command.arg("--version");
    run_program(&command, TIMEOUT, LONGEST_VERSION).is_ok_and(|ended| {
        ended.code == 0 && ended.output.starts_with(format!("{PROGRAM} ").as_bytes())
    })
}
