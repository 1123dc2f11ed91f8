//! What is this program's own among what lies in a place, and what is somebody else's.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::places::Places;
use crate::commands::MADE_BY;
use crate::program::PROGRAM;
use crate::shell::run_program;

/// How long a program of our name may take to say its version.
const TIMEOUT: Duration = Duration::from_secs(5);

/// How much it may say, in bytes.
const LONGEST_VERSION: usize = 4096;

/// Whether anything is at `path`, be it a link that leads nowhere.
pub fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Whether `path` is a link of ours: to the program beside it, to the one that runs, or from `PREFIX/bin`.
pub fn is_link(places: &Places, path: &Path) -> bool {
    let Ok(target) = fs::read_link(path) else {
        return false;
    };
    let installed = places.installed();
    let in_tools = path.parent() == Some(&places.tools);
    let in_bin = path.parent().map(Path::to_owned) == places.bin();
    (in_tools && target == Path::new(PROGRAM))
        || (in_bin && target == Path::new("../libexec/ikigai").join(PROGRAM))
        || target == installed
        || target == places.final_name(&installed)
        || target == places.program
        || is_former_target(&target)
}

/// Links that packages laid before the program laid its own.
fn is_former_target(target: &Path) -> bool {
    target == PathBuf::from("../../bin").join(PROGRAM)
}

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

/// Whether the file at `path` is a manual page or completions that this program made, in whatever version.
pub fn is_page(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|status| status.is_file())
        && fs::read(path)
            .is_ok_and(|text| memchr::memmem::find(&text, MADE_BY.as_bytes()).is_some())
}
