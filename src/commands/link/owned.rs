//! Telling this program's own files and links from those of others.

use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::places::InstallPlaces;
use super::{LinkError, display_path};
use crate::commands::doctor::probe::{ProgramIdentity, identify};
use crate::commands::{MADE_BY, trust};
use crate::console::exit::PROGRAM;
use crate::contract::tool::Tool;
use crate::registry::TOOLS;

/// The longest page, completions or record that may be ours, in bytes: ten times the longest.
pub const LONGEST_PAGE: u64 = 1024 * 1024;

/// Every name that a link of ours may bear.
pub fn spellings() -> impl Iterator<Item = String> {
    TOOLS
        .iter()
        .map(Tool::command)
        .flat_map(|name| [name.to_owned(), format!("{name}-tool")])
}

/// True if anything is at `path`, even a link that leads nowhere.
pub fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// The file at `path`, opened for reading; `None` unless it is a regular file. Opening never waits
/// for one that only pretends to be a file, such as a named pipe.
pub fn open(path: &Path) -> Option<File> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(path)
        .ok()?;
    file.metadata().ok()?.is_file().then_some(file)
}

/// The content of the regular file at `path`; `None` if it is longer than `most` bytes.
pub fn read(path: &Path, most: u64) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    let mut file = open(path)?.take(most.saturating_add(1));
    file.read_to_end(&mut content).ok()?;
    (content.len() as u64 <= most).then_some(content)
}

/// True if the regular file at `path` holds just this.
pub fn holds(path: &Path, content: &[u8]) -> bool {
    read(path, content.len() as u64).is_some_and(|there| there == content)
}

/// True if `path` is a link of ours: to the program beside it or in `PREFIX/bin`, from there to the
/// program, or to the one that runs. A link with a tool's name that leads to another copy of this
/// program, or to one that is gone, is ours as well.
pub fn is_link(places: &InstallPlaces, path: &Path) -> bool {
    let Ok(target) = fs::read_link(path) else {
        return false;
    };
    let in_tools = path.parent() == Some(&places.tools);
    let in_bin = path.parent().map(Path::to_owned) == places.bin();
    let beside = [PathBuf::from(PROGRAM), Path::new("../../bin").join(PROGRAM)];
    if (in_tools && beside.contains(&target))
        || (in_bin && target == Path::new("../libexec/ikigai").join(PROGRAM))
        || places.is_name_of_program(&target)
    {
        return true;
    }
    let is_another_copy = || match target.canonicalize() {
        Ok(real) => in_tools && is_program(&real),
        Err(_) => true,
    };
    target.is_absolute() && target.ends_with(PROGRAM) && (in_tools || in_bin) && is_another_copy()
}

/// True if the file at `path` is this program, in any version. It is started to find out, unless
/// another user may have put it there.
pub fn is_program(path: &Path) -> bool {
    let is_file = path.symlink_metadata().is_ok_and(|status| status.is_file());
    is_file && !matches!(identify(path, true), ProgramIdentity::Foreign)
}

/// Refuses if the file at `path` is not this program, or must not be started to find out; `kept`
/// says what was left undone.
pub fn require_program(path: &Path, kept: &str) -> Result<(), LinkError> {
    let what = match trust::objection(path) {
        Some(why) => format!(
            "was not started to see whether it is this program: {why}. Where it is yours, see that \
             nobody else may change it; else move it away"
        ),
        None if is_program(path) => return Ok(()),
        None => String::from("is not this program; move it away first"),
    };
    Err(LinkError(format!("{} {what}. {kept}", display_path(path))))
}

/// True if the file at `path` is a manual page or completions that this program made, in any
/// version.
pub fn is_page(path: &Path) -> bool {
    read(path, LONGEST_PAGE)
        .is_some_and(|text| memchr::memmem::find(&text, MADE_BY.as_bytes()).is_some())
}
