//! Names that `.gitignore`, `.ignore` and `.git/info/exclude` leave out of a walk, as the crate
//! `ignore` reads them.
//!
//! As gitignore(5) has it, `.gitignore` and `.git/info/exclude` count only within a git work tree,
//! up to its top or to the top of a tree within it. Closer files come first, and `.ignore` comes
//! before the other two. If the caller names an ignored directory, the rules above it no longer
//! count.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, openat, statat};

use super::scan::{self, LinkPolicy};

/// Maximum length of a file of rules: ten times the size of large projects' files. Parsing a
/// longer, hostile one would take seconds.
const MAX_FILE_BYTES: usize = 128 << 10;

/// A file of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IgnoreFile {
    /// `.gitignore`
    Gitignore,
    /// `.ignore`
    Ignore,
    /// `.git/info/exclude`
    Exclude,
}

impl IgnoreFile {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Gitignore => ".gitignore",
            Self::Ignore => ".ignore",
            Self::Exclude => ".git/info/exclude",
        }
    }
}

/// Which ignore files, and whether `.git`, exist in a directory.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct IgnoreFilePresence {
    has_gitignore: bool,
    has_ignore: bool,
    has_git: bool,
}

impl IgnoreFilePresence {
    /// All of them may exist.
    const ANY: Self = Self {
        has_gitignore: true,
        has_ignore: true,
        has_git: true,
    };

    /// Notes that a directory has this name.
    pub fn note(&mut self, name: &[u8]) {
        match name {
            b".gitignore" => self.has_gitignore = true,
            b".ignore" => self.has_ignore = true,
            b".git" => self.has_git = true,
            _ => {}
        }
    }

    fn any(self) -> bool {
        self.has_gitignore || self.has_ignore || self.has_git
    }
}

/// The rules of one directory.
#[derive(Debug, Default)]
struct RuleLevel {
    above: Option<Arc<RuleLevel>>,
    /// The length of the path that leads to this directory from the top of the work tree on, or
    /// from where the walk begins.
    length: usize,
    gitignore: Option<Gitignore>,
    ignore: Option<Gitignore>,
    exclude: Option<Gitignore>,
    /// True if it is the top of a git work tree.
    is_top: bool,
}

/// The rules that hold in a directory.
#[derive(Clone, Debug, Default)]
pub struct IgnoreRules {
    closest: Option<Arc<RuleLevel>>,
    /// The path from the top of the work tree to where the walk begins.
    before: Arc<[u8]>,
    /// The length of the walk's paths up to there.
    start: usize,
    /// The length of the path of the directory down to which they hold.
    covers: usize,
    /// True if that directory's own rules are among them.
    has_own: bool,
    /// True if a directory was entered that they ignore.
    has_dropped: bool,
}

impl IgnoreRules {
    /// The rules of the directories above `here`, a path with a trailing slash or empty, up to the
    /// top of the work tree.
    #[must_use]
    pub fn above(here: &[u8]) -> Self {
        let mut rules = Self {
            start: here.len(),
            covers: here.len(),
            ..Self::default()
        };
        let path = match here {
            [] => Path::new("."),
            here => Path::new(OsStr::from_bytes(here)),
        };
        let Ok(real) = fs::canonicalize(path) else {
            return rules;
        };
        let Some(top) = real.ancestors().find(|one| has_git(one)) else {
            return rules;
        };
        rules.before = rules.enter_below(top, &real).into();
        rules
    }

    /// Adds the rules of the directories from `top` down to `real`, and enters each; returns the
    /// path between the two.
    fn enter_below(&mut self, top: &Path, real: &Path) -> Vec<u8> {
        let mut before = Vec::new();
        let mut directory = top.to_owned();
        for name in real.strip_prefix(top).unwrap_or(Path::new("")) {
            self.add(read_named(&directory), before.len());
            before.extend_from_slice(name.as_bytes());
            self.enter_named(&before);
            before.push(b'/');
            directory.push(name);
        }
        before
    }

    /// True if an ignore file leaves out `real`, a path without links, or a directory above it.
    #[must_use]
    pub fn leave_out(real: &Path) -> bool {
        let Some(top) = real.ancestors().find(|one| has_git(one)) else {
            return false;
        };
        let mut rules = Self::default();
        rules.enter_below(top, real);
        rules.has_dropped
    }

    /// These rules and those of the directories between them and `here`, which were named, not
    /// listed.
    pub(crate) fn extended_to(&self, here: &[u8]) -> Self {
        let behind = here.get(self.covers..).unwrap_or_default();
        if behind.split(|byte| *byte == b'/').any(|name| name == b"..") {
            return Self::above(here);
        }
        let (mut rules, mut length) = (self.clone(), self.covers);
        for part in behind.split_inclusive(|byte| *byte == b'/') {
            if length > self.covers || !self.has_own {
                let directory = Path::new(OsStr::from_bytes(&here[..length]));
                rules.add(read_named(directory), rules.length_of(length));
            }
            length += part.len();
            rules.enter_named(&rules.path_from_top(without_slash(&here[..length]), b""));
        }
        rules.has_own &= behind.is_empty();
        rules.covers = here.len();
        rules
    }

    /// These rules and those of the directory itself, `here`, which has these names.
    pub(crate) fn with_own_rules(
        &self,
        here: &[u8],
        directory: BorrowedFd<'_>,
        names: IgnoreFilePresence,
    ) -> Self {
        let mut rules = self.clone();
        rules.has_own = true;
        if names.any() {
            rules.add(read_level(directory, names), rules.length_of(here.len()));
        }
        rules
    }

    /// The file of rules that leaves out `name` in the directory `here`, if one does.
    pub(crate) fn leaving_out(
        &self,
        here: &[u8],
        name: &[u8],
        is_directory: bool,
    ) -> Option<IgnoreFile> {
        self.closest.as_ref()?;
        self.leaving_out_whole(&self.path_from_top(here, name), is_directory)
    }

    fn length_of(&self, length: usize) -> usize {
        self.before.len() + length.saturating_sub(self.start)
    }

    fn path_from_top(&self, here: &[u8], name: &[u8]) -> Vec<u8> {
        let here = here.get(self.start..).unwrap_or_default();
        [&self.before, here, name].concat()
    }

    /// As git and ripgrep have it: the closest rule of a kind decides, and rules of git end at the
    /// top of its work tree.
    fn leaving_out_whole(&self, path: &[u8], is_directory: bool) -> Option<IgnoreFile> {
        let mut decisions = [None; 3];
        let mut is_past_top = false;
        let mut next = self.closest.as_ref();
        while let Some(level) = next {
            let path = Path::new(OsStr::from_bytes(path.get(level.length..)?));
            let files = [&level.ignore, &level.gitignore, &level.exclude];
            for (index, (decision, file)) in decisions.iter_mut().zip(files).enumerate() {
                if decision.is_none()
                    && (index == 0 || !is_past_top)
                    && let Some(file) = file
                {
                    *decision = match file.matched(path, is_directory) {
                        Match::None => None,
                        Match::Ignore(_) => Some(true),
                        Match::Whitelist(_) => Some(false),
                    };
                }
            }
            is_past_top |= level.is_top;
            next = level.above.as_ref();
        }
        if !is_past_top {
            // Outside a work tree, git's files do not count.
            decisions[1..].fill(None);
        }
        let files = [
            IgnoreFile::Ignore,
            IgnoreFile::Gitignore,
            IgnoreFile::Exclude,
        ];
        let (file, leaves_out) = files
            .iter()
            .zip(decisions)
            .find_map(|(file, decision)| Some((*file, decision?)))?;
        leaves_out.then_some(file)
    }

    /// Enters a directory that the caller named. If rules ignore it, they are dropped: naming it
    /// overrides them.
    fn enter_named(&mut self, path: &[u8]) {
        if self.leaving_out_whole(path, true).is_some() {
            self.has_dropped = true;
            self.closest = Some(Arc::new(RuleLevel {
                is_top: true,
                ..RuleLevel::default()
            }));
        }
    }

    fn add(&mut self, level: RuleLevel, length: usize) {
        self.closest = Some(Arc::new(RuleLevel {
            above: self.closest.take(),
            length,
            ..level
        }));
    }
}

fn without_slash(path: &[u8]) -> &[u8] {
    path.strip_suffix(b"/").unwrap_or(path)
}

fn has_git(directory: &Path) -> bool {
    directory.join(".git").symlink_metadata().is_ok()
}

/// The rules of a directory that was named; none if it cannot be opened.
fn read_named(directory: &Path) -> RuleLevel {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let directory = openat(CWD, Path::new(".").join(directory), flags, Mode::empty());
    directory.map_or_else(
        |_| RuleLevel::default(),
        |directory| read_level(directory.as_fd(), IgnoreFilePresence::ANY),
    )
}

fn read_level(directory: BorrowedFd<'_>, names: IgnoreFilePresence) -> RuleLevel {
    let read = |is_there: bool, path: &str| is_there.then(|| read_rules(directory, path)).flatten();
    let git = names
        .has_git
        .then(|| statat(directory, ".git", AtFlags::SYMLINK_NOFOLLOW).ok());
    let git = git
        .flatten()
        .map(|status| FileType::from_raw_mode(status.st_mode));
    RuleLevel {
        gitignore: read(names.has_gitignore, IgnoreFile::Gitignore.name()),
        ignore: read(names.has_ignore, IgnoreFile::Ignore.name()),
        exclude: match git {
            Some(FileType::RegularFile) => read_exclude_of_linked_tree(directory),
            git => read(git.is_some(), IgnoreFile::Exclude.name()),
        },
        is_top: git.is_some(),
        ..RuleLevel::default()
    }
}

/// Reads the rules of a work tree whose `.git` is a file that names its directory, which shares
/// `info/exclude` with the main tree's: `commondir` there says where that lies.
fn read_exclude_of_linked_tree(tree: BorrowedFd<'_>) -> Option<Gitignore> {
    let path = |bytes: Vec<u8>| PathBuf::from(OsString::from_vec(bytes.trim_ascii().to_vec()));
    let named = read_whole(tree, Path::new(".git"))?;
    let directory = path(named.strip_prefix(b"gitdir:")?.to_vec());
    let common = read_whole(tree, &directory.join("commondir")).map(path);
    let common = common.map_or(directory.clone(), |common| directory.join(common));
    Some(parse_file(&read_whole(tree, &common.join("info/exclude"))?))
}

fn read_rules(directory: BorrowedFd<'_>, path: &str) -> Option<Gitignore> {
    Some(parse_file(&read_whole(directory, Path::new(path))?))
}

/// Reads a regular file that is not too long; nothing else is waited for.
fn read_whole(directory: BorrowedFd<'_>, path: &Path) -> Option<Vec<u8>> {
    let links = LinkPolicy::Follow;
    let file = openat(directory, path, scan::open_flags(links), Mode::empty());
    let (file, size) = scan::check_regular(file, links).ok()?;
    if size > MAX_FILE_BYTES {
        return None;
    }
    let mut bytes = Vec::new();
    File::from(file)
        .take(MAX_FILE_BYTES as u64)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(bytes)
}

/// Lines that are not rules are passed over, as git does.
fn parse_file(bytes: &[u8]) -> Gitignore {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let lines = bytes.split(|byte| *byte == b'\n');
    parse_rules(
        lines.filter_map(|line| str::from_utf8(line.strip_suffix(b"\r").unwrap_or(line)).ok()),
    )
}

/// True if a backslash escapes the slash at the end of a line, which then matches nothing for git.
fn escapes_its_end(line: &str) -> bool {
    let before = line.trim_end().strip_suffix('/').unwrap_or_default();
    let escapes = before.len() - before.trim_end_matches('\\').len();
    escapes % 2 == 1
}

/// Escapes braces: the crate takes them for alternatives, and to git they are characters like
/// others.
fn without_braces(line: &str) -> Cow<'_, str> {
    if !line.contains(['{', '}']) {
        return Cow::Borrowed(line);
    }
    let mut text = String::new();
    let (mut is_escaped, mut is_set) = (false, false);
    for char in line.chars() {
        if matches!(char, '{' | '}') && !is_escaped && !is_set {
            text.push('\\');
        }
        match char {
            '[' if !is_escaped => is_set = true,
            ']' => is_set = false,
            _ => {}
        }
        is_escaped = char == '\\' && !is_escaped;
        text.push(char);
    }
    Cow::Owned(text)
}

fn parse_rules<'a>(lines: impl IntoIterator<Item = &'a str>) -> Gitignore {
    let mut builder = GitignoreBuilder::new(".");
    for line in lines.into_iter().filter(|line| !escapes_its_end(line)) {
        // A line that is not a pattern matches nothing.
        let _ = builder.add_line(None, &without_braces(line));
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
