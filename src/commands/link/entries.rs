//! The links and files of an installation: laying each in one step, and taking it away, unless it
//! is another's, and telling whose it is.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::places::{COMPLETIONS, FROM_BIN, FROM_TOOLS, InstallPlaces, MANUAL};
use super::{LinkOptions, failure, warn};
use crate::commands::program::same_file;
use crate::commands::{MADE_BY, completions, man, program, trust};
use iki_base::console::exit::PROGRAM;
use iki_base::console::sanitize::display_path;
use iki_base::small_file::{LastLink, SmallFile};
use iki_tools::contract::tool::{Tool, ToolSet};
use iki_tools::registry::TOOLS;

/// A name of ours, and the content that belongs there; `None` for nothing.
pub struct InstallEntry {
    /// The name.
    pub path: PathBuf,
    content: Option<InstalledContent>,
}

/// The content of an entry.
pub enum InstalledContent {
    /// A link to this target.
    Link(PathBuf),
    /// A page or completions of these bytes.
    File(Vec<u8>),
    /// A copy of this program.
    Copy(PathBuf),
}

/// The links' names, in the registry's order.
pub fn names(options: &LinkOptions) -> impl Iterator<Item = String> {
    let suffix = options.suffix;
    let tools = TOOLS.linked(options.research);
    tools.map(move |tool| {
        let suffixed = || format!("{}-tool", tool.command());
        suffix.then(suffixed).unwrap_or(tool.link.to_owned())
    })
}

/// The names of `tools` in either spelling.
fn spellings(tools: impl Iterator<Item = &'static Tool>) -> impl Iterator<Item = String> {
    let names = tools.map(Tool::command);
    names.flat_map(|name| [name.to_owned(), format!("{name}-tool")])
}

/// True if a link of ours for a tool of research is there.
pub fn has_research(places: &InstallPlaces) -> bool {
    let tools = TOOLS.iter().filter(|tool| tool.set == ToolSet::Research);
    spellings(tools).any(|name| is_link(places, &places.tools.join(name)))
}

/// All entries but the program itself: links, those that are not wanted in this spelling, pages
/// and completions.
pub fn all_entries(places: &InstallPlaces) -> Result<Vec<InstallEntry>, String> {
    let entry = |path, content| InstallEntry { path, content };
    let [target, from_bin] = places.targets();
    let links = names(&places.options).map(|name| places.tools.join(name));
    let links: Vec<PathBuf> = links.collect();
    let others = spellings(TOOLS.iter()).map(|name| places.tools.join(name));
    let others = others.filter(|path| !links.contains(path));
    let others = others.map(|path| entry(path, None));
    let link = |path: &PathBuf| entry(path.clone(), Some(InstalledContent::Link(target.clone())));
    let mut entries: Vec<InstallEntry> = links.iter().map(link).collect();
    // The program itself may be there, as a package has installed it.
    let bin = places.in_prefix("bin").map(|bin| bin.join(PROGRAM));
    if let Some(bin) = bin.filter(|bin| bin.is_symlink() || !same_file(bin, &places.program)) {
        entries.push(entry(bin, Some(InstalledContent::Link(from_bin))));
    }
    entries.extend(others);
    let Some(share) = places.in_prefix("share") else {
        return Ok(entries);
    };
    let mut lay = |name: &Path, page: Vec<u8>| {
        let content = InstalledContent::File(page);
        entries.push(entry(share.join(name), Some(content)));
    };
    let manual = man::pages(TOOLS);
    for (name, page) in manual.map_err(|error| format!("no manual page can be made: {error}"))? {
        lay(&Path::new(MANUAL).join(name), page);
    }
    for (shell, name) in COMPLETIONS {
        lay(
            Path::new(name),
            completions::script(TOOLS, shell).into_bytes(),
        );
    }
    Ok(entries)
}

impl InstallEntry {
    /// Creates what belongs there, and removes a link that does not.
    pub fn install(&self, places: &InstallPlaces) -> Result<(), String> {
        let is_ours = self.is_ours(places);
        match &self.content {
            None if is_ours => return remove_file(places, &self.path),
            None => {}
            Some(content) if is_ours || !is_there(&self.path) => {
                return content.lay(places, &self.path);
            }
            Some(_) => self.keep(places),
        }
        Ok(())
    }

    /// Removes what is ours.
    pub fn remove(&self, places: &InstallPlaces) -> Result<(), String> {
        if self.is_ours(places) {
            return remove_file(places, &self.path);
        }
        if is_there(&self.path) {
            self.keep(places);
        }
        Ok(())
    }

    fn is_page(&self) -> bool {
        matches!(self.content, Some(InstalledContent::File(..)))
    }

    fn is_ours(&self, places: &InstallPlaces) -> bool {
        if self.is_page() {
            return is_page(&self.path);
        }
        is_link(places, &self.path)
    }

    fn keep(&self, places: &InstallPlaces) {
        let count = places.kept_links.get() + usize::from(!self.is_page());
        places.kept_links.set(count);
        let path_text = display_path(&self.path);
        warn(&format!(
            "kept {path_text}, which was not made by this program"
        ));
    }
}

/// The beginning of the name under which a file gets its content, before it takes its own. Hosts
/// look at no file whose name begins with a dot.
const DRAFT: &str = ".ikigai-tools.new.";

impl InstalledContent {
    /// Brings it to `path`, unless it is there.
    pub fn lay(&self, places: &InstallPlaces, path: &Path) -> Result<(), String> {
        let (verb, is_there) = match self {
            Self::Link(target) => (
                "link",
                fs::read_link(path).is_ok_and(|there| there == *target),
            ),
            Self::File(bytes) => (
                "lay",
                read(path, bytes.len() as u64).as_ref() == Some(bytes),
            ),
            Self::Copy(program) => ("lay", !path.is_symlink() && program::is_copy(program, path)),
        };
        if is_there || !places.change(verb, path) {
            return Ok(());
        }
        self.write(path)
            .map_err(|error| failure(path, "cannot be made", &error))
    }

    /// Gives `path` the content in one step: a reader meanwhile gets the old or the new.
    fn write(&self, path: &Path) -> io::Result<()> {
        let mut name = OsString::from(DRAFT);
        name.push(path.file_name().unwrap_or_default());
        let draft = path.with_file_name(name);
        let made = match self {
            Self::Link(target) if !is_there(path) => return symlink(target, path),
            Self::Link(target) => symlink(target, &draft),
            Self::File(bytes) => write_draft(&draft, 0o644, |file| file.write_all(bytes)),
            Self::Copy(program) => write_draft(&draft, 0o755, |file| {
                io::copy(&mut File::open(program)?, file).map(drop)
            }),
        };
        let done = made.and_then(|()| fs::rename(&draft, path));
        done.inspect_err(|_| {
            let _ = fs::remove_file(&draft);
        })
    }
}

/// Makes the file `draft`, which has its content from `put_content` before others may read it.
fn write_draft(
    draft: &Path,
    mode: u32,
    put_content: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let options = options.write(true).create_new(true).mode(0o600);
    let mut file = options.open(draft)?;
    put_content(&mut file)?;
    file.set_permissions(Permissions::from_mode(mode))
}

/// Removes the drafts that a run that was killed has left.
pub fn remove_drafts(places: &InstallPlaces) {
    let directories = places.directories().into_iter();
    let entries = directories.filter_map(|one| fs::read_dir(one).ok());
    for entry in entries.flatten().flatten() {
        if entry.file_name().as_bytes().starts_with(DRAFT.as_bytes()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Removes the file, after saying so.
pub fn remove_file(places: &InstallPlaces, path: &Path) -> Result<(), String> {
    if !places.change("remove", path) {
        return Ok(());
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(failure(path, "cannot be removed", &error))
        }
        _ => Ok(()),
    }
}

/// Maximum length of a page, completions or a record of ours, in bytes: ten times the longest.
pub const MAX_PAGE_BYTES: u64 = 1024 * 1024;

/// True if anything is at `path`, even a link that leads nowhere.
pub fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// The content of the regular file at `path`; `None` if it is longer than `max_bytes`.
pub fn read(path: &Path, max_bytes: u64) -> Option<Vec<u8>> {
    let file = SmallFile::read(path, LastLink::Refuse, max_bytes);
    file.ok().map(|file| file.bytes)
}

/// True if `path` is a link of ours: to the program beside it or in `PREFIX/bin`, from there to the
/// program, or to the one that runs. A link with a tool's name that leads to another copy of this
/// program, or to one that is gone, is ours as well.
pub fn is_link(places: &InstallPlaces, path: &Path) -> bool {
    let Ok(target) = fs::read_link(path) else {
        return false;
    };
    let in_tools = path.starts_with(&places.tools);
    let name = target.to_str().unwrap_or_default();
    let is_near =
        (in_tools && [PROGRAM, FROM_TOOLS].contains(&name)) || (!in_tools && name == FROM_BIN);
    if is_near || places.is_name_of_program(&target) {
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
    is_file && program::is_this_program(path, true)
}

/// Refuses if the file at `path` is not this program, or must not be started to find out;
/// `consequence` says what was left undone.
pub fn require_program(path: &Path, consequence: &str) -> Result<(), String> {
    let what = match trust::objection(path) {
        Some(why) => format!(
            "was not started to see whether it is this program: {why}. Where it is yours, see \
             that nobody else may change it; else move it away"
        ),
        None if is_program(path) => return Ok(()),
        None => String::from("is not this program; move it away first"),
    };
    Err(format!("{} {what}. {consequence}", display_path(path)))
}

/// True if the file at `path` is a manual page or completions that this program made, in any
/// version.
pub fn is_page(path: &Path) -> bool {
    read(path, MAX_PAGE_BYTES)
        .is_some_and(|text| memchr::memmem::find(&text, MADE_BY.as_bytes()).is_some())
}
