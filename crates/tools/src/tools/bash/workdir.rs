//! The directory that a request names for its command to start in.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::io::Errno;

use crate::contract::failure::{ErrorCode, Failure};
use iki_process::shell;

/// Opens the directory in which a command is to start.
pub fn open(path: &str) -> Result<OwnedFd, Failure> {
    let failed = |errno| {
        let (code, message) = match errno {
            Errno::NOENT => (
                ErrorCode::FileNotFound,
                format!("Directory not found: {path}"),
            ),
            Errno::NOTDIR => (ErrorCode::InvalidArg, format!("Not a directory: {path}")),
            Errno::ACCESS | Errno::PERM => (
                ErrorCode::PermissionDenied,
                format!("Permission denied: {path}"),
            ),
            errno => {
                let reason = io::Error::from(errno);
                (
                    ErrorCode::OpenFailed,
                    format!("Cannot open {path}: {reason}"),
                )
            }
        };
        Failure::new(code, message).with_note(advise_on_workdir(path))
    };
    if path.contains('\0') {
        return Err(failed(Errno::NOENT));
    }
    shell::open_directory(Path::new(path)).map_err(failed)
}

/// Says what to send instead of a `workdir` that cannot be entered.
fn advise_on_workdir(path: &str) -> String {
    let here = std::env::current_dir().ok();
    let here = here.map_or_else(String::new, |here| format!(" ({})", here.display()));
    let home = dirs::home_dir().filter(|_| path == "~" || path.starts_with("~/"));
    let instead = match home {
        Some(home) => format!(
            " `~` is not expanded in `workdir`: write {}.",
            home.join(path.trim_start_matches(['~', '/'])).display()
        ),
        None if Path::new(path).is_relative() => {
            format!(" A relative `workdir` starts at the working directory{here}.")
        }
        None => format!(" Without `workdir` the command starts in the working directory{here}."),
    };
    format!("The command was not run.{instead}")
}
