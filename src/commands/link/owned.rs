//! What is this program's own among what is in a place, and what is somebody else's.

use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::places::Places;
use crate::commands::MADE_BY;
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

/// Whether anything is at `path`, even a link that leads nowhere.
pub fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// The file at `path`, opened for reading; none unless it is a regular file. What only pretends to
/// be one, such as a named pipe, keeps nobody waiting.
pub fn open(path: &Path) -> Option<File> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(path)
        .ok()?;
    file.metadata().ok()?.is_file().then_some(file)
}

/// The content of the regular file at `path`; none if it is longer than `most` bytes.
pub fn read(path: &Path, most: u64) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    let mut file = open(path)?.take(most.saturating_add(1));
    file.read_to_end(&mut content).ok()?;
    (content.len() as u64 <= most).then_some(content)
}

/// Whether the regular file at `path` holds just this.
pub fn holds(path: &Path, content: &[u8]) -> bool {
    read(path, content.len() as u64).is_some_and(|there| there == content)
}

/// Whether `path` is a link of ours: to the program beside it or in `PREFIX/bin`, from there to the
/// program, or to the one that runs. A tool's link that another copy of this program created, or
/// one that is gone, is ours as well.
pub fn is_link(places: &Places, path: &Path) -> bool {
    let Ok(target) = fs::read_link(path) else {
        return false;
    };
    let in_tools = path.parent() == Some(&places.tools);
    let in_bin = path.parent().map(Path::to_owned) == places.bin();
    if (in_tools
        && (target == Path::new(PROGRAM) || target == Path::new("../../bin").join(PROGRAM)))
        || (in_bin && target == Path::new("../libexec/ikigai").join(PROGRAM))
        || places.is_program_s_name(&target)
    {
        return true;
    }
    let is_named_like_ours = target.is_absolute() && target.ends_with(PROGRAM);
    let is_tool = || {
        let name = path.file_name().and_then(|name| name.to_str());
        in_tools && name.is_some_and(|name| spellings().any(|one| one == name))
    };
    is_named_like_ours
        && ((is_tool() && places.leads_to_program(&target))
            || (in_bin && fs::metadata(&target).is_err()))
}

/// Whether the file at `path` is a manual page or completions that this program made, in whatever
/// version.
pub fn is_page(path: &Path) -> bool {
    read(path, LONGEST_PAGE)
        .is_some_and(|text| memchr::memmem::find(&text, MADE_BY.as_bytes()).is_some())
}
