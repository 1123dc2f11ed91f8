//! A survey of all that lies below a directory: how many names match, and where.
//!
//! Ordinary directories are read first, then hidden ones, then those that hold what was built or
//! fetched; until all is seen or the time is over. No link is followed.

use std::collections::VecDeque;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::NameCount;
use super::names::NameMatcher;
use crate::sandbox::confinement;

/// Directories whose content is built, fetched or kept by a program.
const BUILT: [&str; 22] = [
    ".cache",
    ".git",
    ".gradle",
    ".hg",
    ".jj",
    ".mypy_cache",
    ".next",
    ".nuxt",
    ".pytest_cache",
    ".ruff_cache",
    ".svn",
    ".terraform",
    ".tox",
    ".venv",
    "__pycache__",
    "bower_components",
    "build",
    "dist",
    "node_modules",
    "target",
    "vendor",
    "venv",
];

/// The longest time for looking into what was built: it may be very much.
const FOR_BUILT: Duration = Duration::from_millis(15);

/// The most names and directories that are kept as examples.
pub(super) const MOST_EXAMPLES: usize = 3;

/// The order in which directories are read.
const CLASSES: [DirectoryClass; 3] = [
    DirectoryClass::Ordinary,
    DirectoryClass::Hidden,
    DirectoryClass::Built,
];

/// A kind of directories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DirectoryClass {
    Ordinary,
    Hidden,
    Built,
}

/// An ordinary directory.
#[derive(Debug, Default)]
pub(super) struct SurveyedDirectory {
    pub parent: usize,
    /// From the directory that was surveyed on, escaped as a pattern; none for names that no
    /// request can hold.
    pub path: Option<String>,
    /// The number of names in it that match.
    pub own: u64,
    /// The same in it and below.
    pub all: u64,
    /// Below it is something that no search should be sent into.
    pub above_built: bool,
}

/// A hidden directory, or one that holds what was built, with all that lies below.
#[derive(Debug)]
pub(super) struct SurveyedRegion {
    /// The ordinary directory that it is in.
    parent: usize,
    /// As for ordinary directories.
    pub path: Option<String>,
    /// The number of names in it that match.
    pub count: u64,
}

/// A directory that is still to be read.
struct PendingDirectory {
    place: PathBuf,
    path: Option<String>,
    /// The number of the directory, or of the region that it lies in.
    at: usize,
}

/// Names found below a directory.
#[derive(Debug)]
pub(super) struct Survey<'a> {
    pub sought: &'a NameMatcher,
    pub directories: Vec<SurveyedDirectory>,
    pub hidden: Vec<SurveyedRegion>,
    built: Vec<SurveyedRegion>,
    /// Hidden names in ordinary directories, and those directly in the first.
    pub hidden_names: u64,
    pub hidden_here: u64,
    /// Names that match but for upper and lower case.
    other_case: Vec<String>,
    /// Extensions of the names that match, each with its number.
    extensions: Vec<(Vec<u8>, u64)>,
    /// The number of classes of which all directories were read.
    whole: usize,
}

impl<'a> Survey<'a> {
    /// Looks at all that lies below `base`, until then.
    pub fn of(base: &Path, sought: &'a NameMatcher, until: Instant) -> Self {
        let mut survey = Self {
            sought,
            directories: vec![SurveyedDirectory {
                path: Some(String::new()),
                ..SurveyedDirectory::default()
            }],
            hidden: Vec::new(),
            built: Vec::new(),
            hidden_names: 0,
            hidden_here: 0,
            other_case: Vec::new(),
            extensions: Vec::new(),
            whole: 0,
        };
        let is_whole = survey.read(base, until);
        survey.built.retain(|region| !is_whole || region.count > 0);
        // A region that was not looked into may hold something.
        for region in &survey.built {
            survey.directories[region.parent].above_built = true;
        }
        for at in (0..survey.directories.len()).rev() {
            survey.directories[at].all += survey.directories[at].own;
            let (parent, all) = (survey.directories[at].parent, survey.directories[at].all);
            let above_built = survey.directories[at].above_built;
            if at > 0 {
                survey.directories[parent].all += all;
                survey.directories[parent].above_built |= above_built;
            }
        }
        survey
    }

    /// Reads directory after directory; false where time was over.
    fn read(&mut self, base: &Path, until: Instant) -> bool {
        let mut pending: [VecDeque<PendingDirectory>; 3] = Default::default();
        pending[0].push_back(PendingDirectory {
            place: base.to_owned(),
            path: Some(String::new()),
            at: 0,
        });
        for class in CLASSES {
            let until = match class {
                DirectoryClass::Built => until.min(Instant::now() + FOR_BUILT),
                _ => until,
            };
            while let Some(directory) = pending[class as usize].pop_front() {
                let is_read = each(&directory.place, until, |entry| {
                    if entry.is_file || !self.sought.files_only {
                        self.count(class, directory.at, entry.name);
                    }
                    if let Some((class, inner)) = self.enter(class, &directory, entry) {
                        pending[class as usize].push_back(inner);
                    }
                });
                if !is_read {
                    return false;
                }
            }
            self.whole += 1;
        }
        true
    }

    /// Notes a directory that is to be read later on, and its class.
    fn enter(
        &mut self,
        class: DirectoryClass,
        directory: &PendingDirectory,
        entry: &ListedEntry<'_>,
    ) -> Option<(DirectoryClass, PendingDirectory)> {
        let is_hidden = entry.name.starts_with(b".");
        let is_ordinary = class == DirectoryClass::Ordinary;
        let inner = match class {
            DirectoryClass::Hidden if is_built(entry.name) => return None,
            _ if !entry.is_directory => return None,
            DirectoryClass::Ordinary if is_built(entry.name) => DirectoryClass::Built,
            DirectoryClass::Ordinary if is_hidden => DirectoryClass::Hidden,
            class => class,
        };
        let path = joined(directory.path.as_deref(), entry.name);
        let region = SurveyedRegion {
            parent: if is_ordinary { directory.at } else { 0 },
            path: path.clone(),
            count: 0,
        };
        let at = match inner {
            DirectoryClass::Ordinary => {
                self.directories.push(SurveyedDirectory {
                    parent: directory.at,
                    path: path.clone(),
                    ..SurveyedDirectory::default()
                });
                self.directories.len() - 1
            }
            DirectoryClass::Hidden if is_hidden => {
                self.hidden.push(region);
                self.hidden.len() - 1
            }
            DirectoryClass::Built if is_ordinary => {
                self.built.push(region);
                self.built.len() - 1
            }
            _ => directory.at,
        };
        let place = directory.place.join(entry.os_name());
        Some((inner, PendingDirectory { place, path, at }))
    }

    /// Counts a name in the directory or region `at`.
    fn count(&mut self, class: DirectoryClass, at: usize, name: &[u8]) {
        let is_sought = self.sought.names.matches(name);
        match class {
            DirectoryClass::Hidden => self.hidden[at].count += u64::from(is_sought),
            DirectoryClass::Built => self.built[at].count += u64::from(is_sought),
            DirectoryClass::Ordinary if is_sought => {
                self.directories[at].own += 1;
                if let Some(extension) = extension(name) {
                    let mut known = self.extensions.iter_mut();
                    match known.find(|(known, _)| known == extension) {
                        Some((_, count)) => *count += 1,
                        None => self.extensions.push((extension.to_owned(), 1)),
                    }
                }
            }
            DirectoryClass::Ordinary => self.count_relative(at, name),
        }
    }

    /// Counts a name that would match if it were not hidden, or written in another case.
    fn count_relative(&mut self, at: usize, name: &[u8]) {
        if let Some(hidden) = &self.sought.hidden
            && name.starts_with(b".")
        {
            let count = u64::from(hidden.matches(name));
            self.hidden_names += count;
            self.hidden_here += if at == 0 { count } else { 0 };
        } else if self.other_case.len() < MOST_EXAMPLES
            && self.sought.folded.matches(&name.to_ascii_lowercase())
            && let Some(path) = joined(self.directories[at].path.as_deref(), name)
        {
            self.other_case.push(path);
        }
    }

    /// Makes a count of names in the first `classes` of [`CLASSES`].
    pub fn counted(&self, number: u64, classes: usize) -> NameCount {
        let at_least = self.whole < classes;
        NameCount { number, at_least }
    }

    /// Counts the names that match in ordinary directories.
    pub fn all(&self) -> NameCount {
        self.counted(self.directories[0].all, 1)
    }

    /// Directories that hold what was built and names that match, as they are spoken of.
    pub fn built(&self) -> Vec<String> {
        let regions = self.built.iter().filter(|region| region.count > 0);
        let paths = regions.filter_map(|region| region.path.clone());
        paths.take(MOST_EXAMPLES).collect()
    }

    /// Paths, from the directory on, that match but for upper and lower case.
    pub fn other_case(&self) -> &[String] {
        &self.other_case
    }

    /// The extension that most of the names have.
    pub fn extension_of_most(&self) -> Option<&str> {
        let most = self
            .extensions
            .iter()
            .max_by_key(|(extension, count)| (*count, std::cmp::Reverse(extension)));
        std::str::from_utf8(&most?.0).ok()
    }
}

fn is_built(name: &[u8]) -> bool {
    BUILT.iter().any(|built| built.as_bytes() == name)
}

/// Takes the extension that a pattern can name.
fn extension(name: &[u8]) -> Option<&[u8]> {
    let at = memchr::memrchr(b'.', name).filter(|at| *at > 0)?;
    let extension = &name[at + 1..];
    let plain = (1..=12).contains(&extension.len());
    (plain && extension.iter().all(u8::is_ascii_alphanumeric)).then_some(extension)
}

fn joined(directory: Option<&str>, name: &[u8]) -> Option<String> {
    let name = escaped(std::str::from_utf8(name).ok()?);
    Some(match directory? {
        "" => name,
        directory => format!("{directory}/{name}"),
    })
}

/// Writes a path as a pattern that names it alone.
pub(super) fn escaped(path: &str) -> String {
    let mut text = String::new();
    for c in path.chars() {
        if matches!(c, '*' | '?' | '[' | '\\' | '{' | '}' | ',') {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

/// An entry of a directory.
struct ListedEntry<'a> {
    name: &'a [u8],
    is_file: bool,
    is_directory: bool,
}

impl ListedEntry<'_> {
    fn os_name(&self) -> &std::ffi::OsStr {
        std::ffi::OsStr::from_bytes(self.name)
    }
}

/// Looks at the entries of a directory; false if time is over. One that cannot be read has none.
fn each(path: &Path, until: Instant, mut look: impl FnMut(&ListedEntry<'_>)) -> bool {
    let entries = match fs::read_dir(path) {
        Ok(entries) if !confinement::masks_name(path) => entries,
        _ => return Instant::now() < until,
    };
    for (at, entry) in entries.flatten().enumerate() {
        if at % 64 == 0 && Instant::now() >= until {
            return false;
        }
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        look(&ListedEntry {
            name: entry.file_name().as_bytes(),
            is_file: kind.is_file(),
            is_directory: kind.is_dir(),
        });
    }
    true
}
