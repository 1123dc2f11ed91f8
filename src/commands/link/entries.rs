//! The links and files of an installation: laying each in one step, and taking it away, unless it
//! is another's.

use std::ffi::OsString;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::places::{COMPLETIONS, InstallPlaces, MANUAL};
use super::{LinkOptions, LinkReport, failure, owned, warn};
use crate::commands::program::same_file;
use crate::commands::{completions, man};
use crate::console::exit::PROGRAM;
use crate::console::sanitize::display_path;
use crate::contract::tool::Tool;
use crate::registry::TOOLS;

/// A name of ours, and what is to be there; `None` where nothing is.
pub struct InstallEntry {
    /// The name.
    pub path: PathBuf,
    content: Option<InstalledContent>,
}

/// The content of an entry.
pub enum InstalledContent {
    /// A link to this target.
    Link(PathBuf),
    /// A file of these bytes and this mode.
    File(Vec<u8>, u32),
}

/// The links' names, in the registry's order.
pub fn names(options: &LinkOptions) -> impl Iterator<Item = String> {
    let suffix = options.suffix;
    let tools = TOOLS.linked(options.research);
    tools.map(move |tool| match suffix {
        true => format!("{}-tool", tool.command()),
        false => tool.link.to_owned(),
    })
}

/// The names of all tools in either spelling, in the links' directory.
pub fn all_links(places: &InstallPlaces) -> impl Iterator<Item = PathBuf> {
    let names = TOOLS.iter().map(Tool::command);
    let names = names.flat_map(|name| [name.to_owned(), format!("{name}-tool")]);
    names.map(|name| places.tools.join(name))
}

/// All entries but the program itself: links, those that are not wanted in this spelling, pages
/// and completions.
pub fn all_entries(
    places: &InstallPlaces,
    options: &LinkOptions,
) -> Result<Vec<InstallEntry>, String> {
    let entry = |path, content| InstallEntry { path, content };
    let [target, from_bin] = places.targets(options.copy);
    let links = names(options).map(|name| places.tools.join(name));
    let links: Vec<PathBuf> = links.collect();
    let others = all_links(places).filter(|path| !links.contains(path));
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
    let manual =
        man::pages(TOOLS).map_err(|error| format!("the manual pages cannot be made: {error}"))?;
    let manual = manual
        .into_iter()
        .map(|(name, page)| (Path::new(MANUAL).join(name), page));
    let scripts = COMPLETIONS.iter().map(|(shell, name)| {
        (
            PathBuf::from(name),
            completions::script(TOOLS, *shell).into_bytes(),
        )
    });
    let pages = manual.chain(scripts);
    entries
        .extend(pages.map(|(name, page)| {
            entry(share.join(name), Some(InstalledContent::File(page, 0o644)))
        }));
    Ok(entries)
}

impl InstallEntry {
    /// Lays what is to be there, and takes away a link that is not.
    pub fn install(&self, places: &InstallPlaces, report: &mut LinkReport) -> Result<(), String> {
        let is_ours = self.is_ours(places);
        match &self.content {
            None if is_ours => remove_file(&self.path, report),
            Some(content) if is_ours || !owned::is_there(&self.path) => {
                content.lay(&self.path, report)
            }
            None => Ok(()),
            Some(_) => self.keep(report),
        }
    }

    /// Takes away what is ours.
    pub fn remove(&self, places: &InstallPlaces, report: &mut LinkReport) -> Result<(), String> {
        if self.is_ours(places) {
            remove_file(&self.path, report)
        } else if owned::is_there(&self.path) {
            self.keep(report)
        } else {
            Ok(())
        }
    }

    fn is_page(&self) -> bool {
        matches!(self.content, Some(InstalledContent::File(..)))
    }

    fn is_ours(&self, places: &InstallPlaces) -> bool {
        if self.is_page() {
            owned::is_page(&self.path)
        } else {
            owned::is_link(places, &self.path)
        }
    }

    fn keep(&self, report: &mut LinkReport) -> Result<(), String> {
        report.kept_links += usize::from(!self.is_page());
        let shown = display_path(&self.path);
        warn(&format!("kept {shown}, which was not made by this program"));
        Ok(())
    }
}

/// The beginning of the name under which a file gets its content, before it takes its own. Hosts
/// look at no file whose name begins with a dot.
const DRAFT: &str = ".ikigai-tools.new.";

impl InstalledContent {
    /// Brings it to `path`, unless it is there.
    pub fn lay(&self, path: &Path, report: &LinkReport) -> Result<(), String> {
        let (verb, is_there) = match self {
            Self::Link(target) => ("link", fs::read_link(path).ok().as_ref() == Some(target)),
            Self::File(bytes, _) => {
                let there = owned::read(path, bytes.len() as u64);
                ("lay", there.as_ref() == Some(bytes))
            }
        };
        if is_there || !report.change(verb, path) {
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
            Self::Link(target) if !owned::is_there(path) => return symlink(target, path),
            Self::Link(target) => symlink(target, &draft),
            Self::File(bytes, mode) => {
                let mut options = OpenOptions::new();
                let file = options.write(true).create_new(true).mode(0o600);
                file.open(&draft).and_then(|mut file| {
                    file.write_all(bytes)?;
                    file.set_permissions(Permissions::from_mode(*mode))
                })
            }
        };
        let done = made.and_then(|()| fs::rename(&draft, path));
        done.inspect_err(|_| {
            let _ = fs::remove_file(&draft);
        })
    }
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
pub fn remove_file(path: &Path, report: &LinkReport) -> Result<(), String> {
    if !report.change("remove", path) {
        return Ok(());
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(failure(path, "cannot be removed", &error))
        }
        _ => Ok(()),
    }
}
