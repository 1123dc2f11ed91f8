//! Whether a file is this program: it says so itself.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::program::PROGRAM;
use crate::shell::run_program;

/// How long a program of our name may take to say its version.
const TIMEOUT: Duration = Duration::from_secs(5);

/// How much it may say, in bytes.
const LONGEST_VERSION: usize = 4096;

/// Whether the file at `path` is this program, in whatever version: it says so itself.
pub fn is_program(path: &Path) -> bool {
    let Ok(status) = path.symlink_metadata() else {
        return false;
    };
    if !status.is_file() || status.permissions().mode() & 0o111 == 0 {
        return false;
    }
    let mut command = Command::new(path);
    command.arg("--version");
    run_program(&command, TIMEOUT, LONGEST_VERSION).is_ok_and(|ended| {
        ended.code == 0 && ended.output.starts_with(format!("{PROGRAM} ").as_bytes())
    })
}
