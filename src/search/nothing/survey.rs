//! What lies below a directory: how many names match, and where.
//!
//! Ordinary directories are read first, then hidden ones, then those that hold what was built or
//! fetched; until all is seen or the time is over. No link is followed.

use std::collections::VecDeque;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{Count, Found};
use crate::search::braces;
use crate::search::wildcard::Component;
use crate::sort::Sort;

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

/// The most directories that a recommended pattern names.
const MOST_PIECES: usize = 5;
/// The most names that are kept as examples.
const MOST_EXAMPLES: usize = 3;

/// Names of one kind: those that the last component of a pattern matches.
#[derive(Debug)]
struct Names {
    /// As it is written, braces and all.
    text: String,
    components: Vec<Component>,
}

impl Names {
    fn new(text: String) -> Self {
        let parse = |text: &[u8]| Component::parse(text);
        let alternatives = braces::alternatives(text.as_bytes()).unwrap_or_default();
        let mut components: Vec<Component> = alternatives.iter().map(|one| parse(one)).collect();
        if components.is_empty() {
            components.push(parse(text.as_bytes()));
        }
        Self { text, components }
    }

    fn hold(&self, name: &[u8]) -> bool {
        self.components.iter().any(|one| one.matches(name))
    }
}

/// What is looked for.
#[derive(Debug)]
pub(super) struct Sought {
    names: Names,
    /// The same for names that begin with a dot, where that makes a difference.
    hidden: Option<Names>,
    /// The same in lower case.
    folded: Names,
    /// Whether only regular files count.
    files_only: bool,
}

impl Sought {
    /// Names that `text` matches, a component or several in braces.
    pub fn new(text: &str, files_only: bool) -> Self {
        let mut text = text.to_owned();
        while text.contains("**") {
            text = text.replace("**", "*");
        }
        let hidden = text.starts_with(['*', '?', '[']).then(|| {
            Names::new(match &*text {
                // Neither the directory itself nor the one above.
                "*" => ".[!.]*".to_owned(),
                text => format!(".{text}"),
            })
        });
        Self {
            hidden,
            folded: Names::new(text.to_ascii_lowercase()),
            names: Names::new(text),
            files_only,
        }
    }

    /// Whether every name is meant.
    pub fn is_every_name(&self) -> bool {
        self.names.text == "*"
    }

    /// Whether more than one name is meant.
    pub fn is_wild(&self) -> bool {
        let name = |one: &Component| matches!(one, Component::Name(_));
        !self.names.components.iter().all(name)
    }
}

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

    /// A pattern, below `prefix`, for the names in ordinary directories that leads into no others;
    /// `below_only` leaves out those directly in the directory. None, where there are none.
    pub fn pattern(&self, prefix: &str, below_only: bool) -> Option<Found> {
        let count = |at: usize| (self.directories[at].own, self.directories[at].all);
        self.cover(prefix, &self.sought.names.text, below_only, &count)
    }

    /// The same for those with the extension that most of them have, if they do not all have it.
    pub fn pattern_of_most(&self, prefix: &str, below_only: bool) -> Option<Found> {
        let mut all: Vec<(&[u8], u64)> = Vec::new();
        for directory in &self.directories {
            for (extension, count) in &directory.extensions {
                match all.iter_mut().find(|(known, _)| known == extension) {
                    Some((_, sum)) => *sum += count,
                    None => all.push((extension, *count)),
                }
            }
        }
        all.arrange_by_key(|(extension, count)| (u64::MAX - count, *extension));
        let (extension, _) = *all.first()?;
        let text = format!("*.{}", std::str::from_utf8(extension).ok()?);
        let own = |directory: &Directory| {
            let mut known = directory.extensions.iter();
            known
                .find(|(known, _)| known == extension)
                .map_or(0, |(_, count)| *count)
        };
        let mut sums: Vec<u64> = self.directories.iter().map(own).collect();
        for at in (1..sums.len()).rev() {
            sums[self.directories[at].parent] += sums[at];
        }
        let count = |at: usize| (own(&self.directories[at]), sums[at]);
        self.cover(prefix, &text, below_only, &count)
    }

    /// A pattern for the component `text` that leads to all ordinary directories in which `count`
    /// (in the directory itself; there and below) finds something, or to those with the most.
    fn cover(
        &self,
        prefix: &str,
        text: &str,
        below_only: bool,
        count: &dyn Fn(usize) -> (u64, u64),
    ) -> Option<Found> {
        let at_least = !self.whole.0;
        if !self.directories[0].above_built {
            let number = count(0).1;
            let found = Found {
                pattern: format!("{prefix}**/{text}"),
                count: Count { number, at_least },
            };
            return (number > 0).then_some(found);
        }
        // Whole directories that are in no other whole one, and single ones.
        let (mut whole, mut single) = (Vec::new(), Vec::new());
        for (at, directory) in self.directories.iter().enumerate() {
            let (own, all) = count(at);
            let Some(path) = &directory.path else {
                continue;
            };
            if directory.above_built {
                if own > 0 && !(at == 0 && below_only) {
                    single.push((path, own));
                }
            } else if self.directories[directory.parent].above_built && all > 0 {
                whole.push((path, all));
            }
        }
        let largest = |pieces: &mut Vec<(&String, u64)>, most: usize| {
            pieces.arrange_by_key(|(path, count)| (u64::MAX - count, *path));
            pieces.truncate(most);
            pieces.arrange();
        };
        largest(&mut whole, MOST_PIECES);
        largest(&mut single, MOST_PIECES - whole.len());
        let number = whole.iter().chain(&single).map(|(_, count)| count).sum();
        let mut pieces: Vec<String> = single
            .iter()
            .map(|(path, _)| {
                if path.is_empty() {
                    text.to_owned()
                } else {
                    format!("{path}/{text}")
                }
            })
            .collect();
        match &whole[..] {
            [] => {}
            [(path, _)] => pieces.push(format!("{path}/**/{text}")),
            several => {
                let paths: Vec<&str> = several.iter().map(|(path, _)| path.as_str()).collect();
                pieces.push(format!("{{{}}}/**/{text}", paths.join(",")));
            }
        }
        let pattern = match &pieces[..] {
            [] => return None,
            [piece] => format!("{prefix}{piece}"),
            several => format!("{prefix}{{{}}}", several.join(",")),
        };
        let count = Count { number, at_least };
        Some(Found { pattern, count })
    }

    /// Patterns, below `prefix`, for the hidden names, and for the names in hidden directories, the
    /// most first.
    pub fn hidden(&self, prefix: &str) -> Vec<Found> {
        let mut all = Vec::new();
        // `**` would lead into what is to be left out, too.
        let (deep, number) = if self.directories[0].above_built {
            ("", self.hidden_here)
        } else {
            ("**/", self.hidden_names)
        };
        if let (Some(hidden), 1..) = (&self.sought.hidden, number) {
            all.push(Found {
                pattern: format!("{prefix}{deep}{}", hidden.text),
                count: Count {
                    number,
                    at_least: !self.whole.0,
                },
            });
        }
        let at_least = !self.whole.1;
        for group in self.hidden.iter().filter(|group| group.count > 0) {
            if let Some(path) = &group.path {
                all.push(Found {
                    pattern: format!("{prefix}{path}/**/{}", self.sought.names.text),
                    count: Count {
                        number: group.count,
                        at_least,
                    },
                });
            }
        }
        all.arrange_by_key(|found| u64::MAX - found.count.number);
        all.truncate(MOST_EXAMPLES);
        all
    }

    /// Directories that hold what was built, and how many names match there, the most first.
    pub fn built(&self) -> Vec<(String, Count)> {
        let groups = self.built.iter().filter(|group| group.count > 0);
        let count = |number| Count {
            number,
            at_least: !self.whole.2,
        };
        let mut all: Vec<(String, Count)> = groups
            .filter_map(|group| Some((group.path.clone()?, count(group.count))))
            .collect();
        all.arrange_by_key(|(_, count)| u64::MAX - count.number);
        all.truncate(MOST_EXAMPLES);
        all
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
    let Ok(entries) = fs::read_dir(path) else {
        return Instant::now() < until;
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
