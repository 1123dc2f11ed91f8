//! What lies below a directory: how many names match, and where.
//!
//! Ordinary directories are read first, then hidden ones, then those that hold what was built or
//! fetched; until all is seen or the time is over. No link is followed.

mod patterns;
mod sought;

use std::collections::VecDeque;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::Count;
use crate::sandbox::confinement;
pub(super) use sought::Sought;

/// Directories that hold what was built, fetched or kept by a program, and not what somebody wrote.
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

/// How long looking into what was built may take: it may be very much.
const FOR_BUILT: Duration = Duration::from_millis(15);

/// The most names and directories that are kept as examples.
const MOST_EXAMPLES: usize = 3;

/// An ordinary directory.
#[derive(Debug, Default)]
struct Directory {
    parent: usize,
    /// From the directory that was surveyed on, escaped as a pattern; none for that one, and for
    /// names that no request can hold.
    path: Option<String>,
    /// How many names in it match.
    own: u64,
    /// How many of them end in which extension.
    extensions: Vec<(Vec<u8>, u64)>,
    /// How many match in it and below.
    all: u64,
    /// Below it is something that no search should be sent into.
    above_built: bool,
}

/// Names in hidden directories, or in such that hold what was built.
#[derive(Debug)]
struct Group {
    /// The ordinary directory that it is in.
    parent: usize,
    /// The same as for ordinary directories.
    path: Option<String>,
    count: u64,
}

/// What was found below a directory.
#[derive(Debug)]
pub(super) struct Survey<'a> {
    sought: &'a Sought,
    directories: Vec<Directory>,
    hidden: Vec<Group>,
    /// Hidden names in ordinary directories, and those directly in the first.
    hidden_names: u64,
    hidden_here: u64,
    built: Vec<Group>,
    /// Names that match but for upper and lower case.
    other_case: Vec<String>,
    /// Whether all ordinary directories were read, all hidden ones, and all others.
    whole: (bool, bool, bool),
    until: Instant,
}

impl<'a> Survey<'a> {
    /// Looks at all that lies below `base`, until then.
    pub fn of(base: &Path, sought: &'a Sought, until: Instant) -> Self {
        let mut survey = Self {
            sought,
            directories: vec![Directory {
                path: Some(String::new()),
                ..Directory::default()
            }],
            hidden: Vec::new(),
            hidden_names: 0,
            hidden_here: 0,
            built: Vec::new(),
            other_case: Vec::new(),
            whole: (false, false, false),
            until,
        };
        survey.read(base);
        for at in (1..survey.directories.len()).rev() {
            let Directory {
                parent,
                all,
                above_built,
                ..
            } = survey.directories[at];
            let all = all + survey.directories[at].own;
            survey.directories[at].all = all;
            survey.directories[parent].all += all;
            survey.directories[parent].above_built |= above_built;
        }
        survey.directories[0].all += survey.directories[0].own;
        survey
    }

    fn read(&mut self, base: &Path) {
        let mut ordinary = VecDeque::from([(base.to_owned(), 0)]);
        let mut hidden: VecDeque<(PathBuf, usize)> = VecDeque::new();
        let mut built: VecDeque<(PathBuf, usize)> = VecDeque::new();
        while let Some((path, at)) = ordinary.pop_front() {
            let read = each(&path, self.until, |entry| {
                if self.counts(entry) {
                    self.count(at, entry);
                }
                if !entry.is_directory {
                    return;
                }
                let inner = joined(self.directories[at].path.as_deref(), entry.name);
                if is_built(entry.name) {
                    built.push_back((path.join(entry.os_name()), self.built.len()));
                    self.built.push(Group {
                        parent: at,
                        path: inner,
                        count: 0,
                    });
                } else if entry.name.starts_with(b".") {
                    hidden.push_back((path.join(entry.os_name()), self.hidden.len()));
                    self.hidden.push(Group {
                        parent: at,
                        path: inner,
                        count: 0,
                    });
                } else {
                    ordinary.push_back((path.join(entry.os_name()), self.directories.len()));
                    self.directories.push(Directory {
                        parent: at,
                        path: inner,
                        ..Directory::default()
                    });
                }
            });
            if !read {
                self.mark_built();
                return;
            }
        }
        self.whole.0 = true;
        while let Some((path, at)) = hidden.pop_front() {
            let read = each(&path, self.until, |entry| {
                if self.counts(entry) && self.sought.names.hold(entry.name) {
                    self.hidden[at].count += 1;
                }
                if !entry.is_directory || is_built(entry.name) {
                    return;
                }
                let mut group = at;
                if entry.name.starts_with(b".") {
                    group = self.hidden.len();
                    let parent = self.hidden[at].parent;
                    let within = path.strip_prefix(base).ok().and_then(Path::to_str);
                    let path = joined(within.map(escaped).as_deref(), entry.name);
                    self.hidden.push(Group {
                        parent,
                        path,
                        count: 0,
                    });
                }
                hidden.push_back((path.join(entry.os_name()), group));
            });
            if !read {
                self.mark_built();
                return;
            }
        }
        self.whole.1 = true;
        let until = self.until.min(Instant::now() + FOR_BUILT);
        while let Some((path, at)) = built.pop_front() {
            let read = each(&path, until, |entry| {
                if self.counts(entry) && self.sought.names.hold(entry.name) {
                    self.built[at].count += 1;
                }
                if entry.is_directory {
                    built.push_back((path.join(entry.os_name()), at));
                }
            });
            if !read {
                self.mark_built();
                return;
            }
        }
        self.whole.2 = true;
        self.built.retain(|group| group.count > 0);
        self.mark_built();
    }

    /// What was not looked into may hold something.
    fn mark_built(&mut self) {
        for group in &self.built {
            self.directories[group.parent].above_built = true;
        }
    }

    fn counts(&self, entry: &Entry<'_>) -> bool {
        entry.is_file || !self.sought.files_only
    }

    /// Counts a name in the ordinary directory `at`.
    fn count(&mut self, at: usize, entry: &Entry<'_>) {
        let name = entry.name;
        if self.sought.names.hold(name) {
            let directory = &mut self.directories[at];
            directory.own += 1;
            if let Some(extension) = extension(name) {
                let mut known = directory.extensions.iter_mut();
                match known.find(|(known, _)| known == extension) {
                    Some((_, count)) => *count += 1,
                    None => directory.extensions.push((extension.to_owned(), 1)),
                }
            }
        } else if let Some(hidden) = &self.sought.hidden
            && name.starts_with(b".")
        {
            let count = u64::from(hidden.hold(name));
            self.hidden_names += count;
            self.hidden_here += if at == 0 { count } else { 0 };
        } else if self.other_case.len() < MOST_EXAMPLES
            && self.sought.folded.hold(&name.to_ascii_lowercase())
            && let Some(path) = joined(self.directories[at].path.as_deref(), name)
        {
            self.other_case.push(path);
        }
    }

    /// How many names match in ordinary directories.
    pub fn all(&self) -> Count {
        Count {
            number: self.directories[0].all,
            at_least: !self.whole.0,
        }
    }

    /// Paths, from the directory on, that match but for upper and lower case.
    pub fn other_case(&self) -> &[String] {
        &self.other_case
    }
}

fn is_built(name: &[u8]) -> bool {
    BUILT.iter().any(|built| built.as_bytes() == name)
}

/// The extension that a pattern can name.
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

/// A path as a pattern that names it alone.
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
struct Entry<'a> {
    name: &'a [u8],
    is_file: bool,
    is_directory: bool,
}

impl Entry<'_> {
    fn os_name(&self) -> &std::ffi::OsStr {
        std::ffi::OsStr::from_bytes(self.name)
    }
}

/// Looks at the entries of a directory; false if time is over. One that cannot be read has none.
fn each(path: &Path, until: Instant, mut look: impl FnMut(&Entry<'_>)) -> bool {
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
        look(&Entry {
            name: entry.file_name().as_bytes(),
            is_file: kind.is_file(),
            is_directory: kind.is_dir(),
        });
    }
    true
}
