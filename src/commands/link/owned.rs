//! Telling this program's own files and links from those of others.

use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::places::{FROM_BIN, FROM_TOOLS, InstallPlaces};
use crate::commands::{MADE_BY, program, trust};
use crate::console::exit::PROGRAM;
use crate::console::sanitize::display_path;

/// The longest page, completions or record that may be ours, in bytes: ten times the longest.
pub const LONGEST_PAGE: u64 = 1024 * 1024;

/// True if anything is at `path`, even a link that leads nowhere.
pub fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// The content of the regular file at `path`; `None` if it is longer than `most` bytes. Opening
/// never waits for one that only pretends to be a file, such as a named pipe.
pub fn read(path: &Path, most: u64) -> Option<Vec<u8>> {
    let mut options = OpenOptions::new();
    options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file: File = options.read(true).open(path).ok()?;
    let is_file = file.metadata().ok()?.is_file();
    let mut content = Vec::new();
    let mut start = file.take(most.saturating_add(1));
    is_file.then(|| start.read_to_end(&mut content).ok())??;
    (content.len() as u64 <= most).then_some(content)
}

/// True if `path` is a link of ours: to the program beside it or in `PREFIX/bin`, from there to the
/// program, or to the one that runs. A link with a tool's name that leads to another copy of this
/// program, or to one that is gone, is ours as well.
pub fn is_link(places: &InstallPlaces, path: &Path) -> bool {
    let Ok(target) = fs::read_link(path) else {
        return false;
    };
    let in_tools = path.starts_with(&places.tools);
    let near: &[&str] = if in_tools {
        &[PROGRAM, FROM_TOOLS]
    } else {
        &[FROM_BIN]
    };
    if near.iter().any(|one| target == Path::new(one)) || places.is_name_of_program(&target) {
        return true;
    }
    let is_another_copy = || match target.canonicalize() {
        Ok(real) => in_tools && is_program(&real),
        Err(_) => true,
    };
    target.is_absolute() && target.ends_with(PROGRAM) && is_another_copy()
}

/// True if the file at `path` is this program, in any version. It is started to find out, unless
/// another user may have put it there.
fn is_program(path: &Path) -> bool {
    let is_file = path.symlink_metadata().is_ok_and(|status| status.is_file());
    is_file && program::version_of(path, true).is_some()
}

/// Refuses if the file at `path` is not this program, or must not be started to find out; `kept`
/// says what was left undone.
pub fn require_program(path: &Path, kept: &str) -> Result<(), String> {
    let what = match trust::objection(path) {
        Some(why) => format!(
            "was not started to see whether it is this program: {why}. Where it is yours, see that \
             nobody else may change it; else move it away"
        ),
        None if is_program(path) => return Ok(()),
        None => String::from("is not this program; move it away first"),
    };
    Err(format!("{} {what}. {kept}", display_path(path)))
}

/// True if the file at `path` is a manual page or completions that this program made, in any
/// version.
pub fn is_page(path: &Path) -> bool {
    read(path, LONGEST_PAGE)
        .is_some_and(|text| memchr::memmem::find(&text, MADE_BY.as_bytes()).is_some())
}
