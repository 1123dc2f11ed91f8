//! From a wildcard pattern to the paths that it names, as `glob(3)` finds them.
//!
//! The `glob` crate's own walk is not used: it panics on or drops names that are not UTF-8 and
//! asks for every entry's status. Here a directory is read once, whatever the pattern, with the
//! entries' types as the directory gives them; the pattern's steps are followed like the states
//! of an automaton, so that `**` lists nothing twice. Nothing recurses: directories that are
//! still to be read wait on a stack, and trees deeper than the longest path that the kernel
//! takes are read relative to directories held open on the way.
//!
//! What `glob(3)` leaves open is decided here: `**` neither enters hidden directories nor follows
//! links, and at the end of a pattern it matches everything below, without the directory itself. A
//! slash at the end always asks for directories (glibc also lists a dangling link for `link/`).

use std::collections::TryReserveError;
use std::ffi::CStr;
use std::fmt;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, openat, statat};
use rustix::io::Errno;

use super::paths::{EntryKind, LeftOut, Paths};
use super::steps::{Pattern, PatternError, Step, Steps};
use super::ways::Ways;
use super::wildcard::Component;

/// Bytes of directory entries taken from the kernel at once.
const LISTING: usize = 256 << 10;
/// Directories further away than this many bytes of path become a new starting point. With a
/// name (255 bytes) this stays below the 4,096 bytes that the kernel takes.
const MAX_RELATIVE_PATH: usize = 3500;
/// Directories whose path is longer, in bytes, are not read: no call takes such a path, and in a
/// chain of a hundred thousand directories the paths would take all memory.
const LONGEST_PATH: usize = 16 << 10;

/// How many entries of a directory are looked at between two looks at the clock.
const BETWEEN_LOOKS: usize = 1024;
/// How many steps are compared with an entry before it costs as much as one more entry.
const MANY_STEPS: usize = 8;
/// How many names in one directory are looked up without reading it.
const FEW_NAMES: usize = 8;

/// Why a pattern could not be expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobError {
    /// The text is no pattern.
    InvalidPattern(PatternError),
    /// The directory to search in exists but cannot be read, or the process is out of files.
    ReadError(Errno),
    /// Memory ran out for the paths.
    OutOfMemory,
}

impl fmt::Display for GlobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidPattern(PatternError::Nul) => f.write_str("the pattern holds a NUL"),
            Self::InvalidPattern(PatternError::TooLong) => f.write_str("the pattern is too long"),
            Self::InvalidPattern(PatternError::TooMany) => {
                f.write_str("the pattern stands for too many others")
            }
            Self::ReadError(error) => write!(f, "the directory cannot be read: {error}"),
            Self::OutOfMemory => f.write_str("out of memory"),
        }
    }
}

impl std::error::Error for GlobError {}

impl From<TryReserveError> for GlobError {
    fn from(_: TryReserveError) -> Self {
        Self::OutOfMemory
    }
}

impl From<PatternError> for GlobError {
    fn from(error: PatternError) -> Self {
        Self::InvalidPattern(error)
    }
}

/// What a walk may take; without bounds, what it takes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds {
    /// When it ends, done or not.
    pub until: Option<Instant>,
    /// How many bytes of the first paths are of use. The others are counted and not kept.
    pub room: Option<usize>,
}

/// Finds what `pattern` names below the directory `path`, in byte order.
///
/// # Errors
/// As for [`Pattern::paths`]; or the text is no pattern.
pub fn expand(path: &Path, pattern: &[u8]) -> Result<Paths, GlobError> {
    Pattern::parse(pattern)?.paths(path, Bounds::default())
}

impl Pattern {
    /// Finds what it names below the directory `path`, in byte order.
    ///
    /// `path` is taken literally; empty, the pattern stands alone, as it does when it begins with a
    /// slash. Directories that cannot be read are passed over, but for `path` itself.
    ///
    /// # Errors
    /// The directory cannot be read, or memory runs out.
    pub fn paths(&self, path: &Path, mut bounds: Bounds) -> Result<Paths, GlobError> {
        let path = path.as_os_str().as_bytes();
        if path.contains(&0) {
            return Ok(Paths::default());
        }
        let several = self.walks.len() > 1;
        if several {
            // Paths that two walks find are one.
            bounds.room = None;
        }
        let mut found = Paths::within(bounds.room);
        for steps in &self.walks {
            let mut here = steps.root.clone();
            if here.is_empty() && !path.is_empty() {
                here.extend_from_slice(path);
                if !path.ends_with(b"/") {
                    here.push(b'/');
                }
            }
            let mut walk = GlobWalk::new(steps, here, found, bounds.until);
            walk.run()?;
            found = walk.found;
            found.left_out = found.left_out.or(walk.ways.left_out);
        }
        found.sort();
        if several {
            found.dedup();
        }
        Ok(found)
    }
}

/// A directory held open, for what lies too deep to be named from the start.
struct Anchor {
    directory: OwnedFd,
    /// The length of its path, with the slash behind it.
    length: usize,
}

/// A directory that is still to be read.
struct Pending {
    /// The length of its parent's path in `here`.
    parent: usize,
    /// Where its name (with the slashes behind it) begins in `names`.
    name: usize,
    /// Where its states begin in `states`.
    state: usize,
    anchor: Option<Rc<Anchor>>,
    /// Whether a link may be followed here.
    links: bool,
    /// Whether this is the directory that the caller named.
    given: bool,
    /// Whether the path leads through `..`, or through a link after a wildcard.
    roundabout: bool,
}

/// A search in progress.
struct GlobWalk<'a> {
    steps: &'a Steps,
    found: Paths,
    until: Option<Instant>,
    /// The path of the directory being read, with the slash behind it.
    here: Vec<u8>,
    /// The directories still to be read, the deepest last: so the part of `here` that belongs to
    /// their parent is always still there.
    pending: Vec<Pending>,
    names: Vec<u8>,
    /// Per pending directory, which steps its entries may match.
    states: Vec<usize>,
    /// The same for the directory being read.
    active: Vec<usize>,
    scratch: Vec<u8>,
    listing: Vec<MaybeUninit<u8>>,
    ways: Ways,
}

impl<'a> GlobWalk<'a> {
    fn new(steps: &'a Steps, here: Vec<u8>, found: Paths, until: Option<Instant>) -> Self {
        Self {
            steps,
            found,
            until,
            here,
            pending: Vec::new(),
            names: Vec::new(),
            states: Vec::new(),
            active: Vec::new(),
            scratch: Vec::new(),
            listing: Vec::new(),
            ways: Ways::new(),
        }
    }

    fn run(&mut self) -> Result<(), GlobError> {
        if self.steps.bare {
            self.directory_itself()?;
        }
        if self.steps.first.is_empty() {
            return Ok(());
        }
        self.states.extend_from_slice(&self.steps.first);
        let given = self.steps.root.is_empty();
        let parent = self.here.len();
        self.pending.push(Pending {
            parent,
            name: 0,
            state: 0,
            anchor: None,
            links: true,
            given,
            roundabout: false,
        });
        while let Some(next) = self.pending.pop() {
            if self.is_over() {
                break;
            }
            self.here.truncate(next.parent);
            self.here.extend_from_slice(&self.names[next.name..]);
            self.names.truncate(next.name);
            self.active.clear();
            self.active.extend_from_slice(&self.states[next.state..]);
            self.states.truncate(next.state);
            self.visit(next)?;
        }
        Ok(())
    }

    /// Whether the time of the walk is over. Then something is left out.
    fn is_over(&mut self) -> bool {
        let over = self.until.is_some_and(|until| Instant::now() >= until);
        if over {
            self.found.left_out = Some(LeftOut::NotReached);
        }
        over
    }

    /// A pattern of slashes alone, or none: the directory that it stands in.
    fn directory_itself(&mut self) -> Result<(), GlobError> {
        if !self.here.is_empty() && is_directory(CWD, terminated(&mut self.scratch, &self.here)) {
            self.found
                .push([&self.here, b"", b""], EntryKind::Directory)?;
        }
        Ok(())
    }

    fn visit(&mut self, mut next: Pending) -> Result<(), GlobError> {
        let steps = self.steps;
        self.close_over_deep();
        while let [state] = self.active[..]
            && let step = &steps.all[state]
            && let Component::Name(name) = &step.component
        {
            self.here.extend_from_slice(name);
            let ends = (step.ends, step.ends_in_slash);
            self.look_up(ends, next.anchor.as_deref())?;
            let Some(&first) = step.next.first() else {
                return Ok(());
            };
            next.roundabout |= name == b".." || self.is_link_behind_wildcards(&next, step);
            self.here.extend_from_slice(&steps.all[first].slashes);
            self.active.clear();
            self.active.extend_from_slice(&step.next);
            self.close_over_deep();
            (next.links, next.given) = (true, false);
        }
        let is_name = |state: &usize| matches!(steps.all[*state].component, Component::Name(_));
        if self.active.len() <= FEW_NAMES && self.active.iter().all(is_name) {
            return self.look_up_names(&next);
        }
        self.list(&next)
    }

    /// Whether the name of `step`, to which `here` leads, is a link. It matters only after a
    /// wildcard, since without one no other path leads to it.
    fn is_link_behind_wildcards(&mut self, next: &Pending, step: &Step) -> bool {
        if next.roundabout || !step.behind_wildcard {
            return false;
        }
        let (directory, start) = at(next.anchor.as_deref());
        let path = terminated(&mut self.scratch, &self.here[start..]);
        kind(directory, path) == Some(EntryKind::Symlink)
    }

    /// `**` also matches no directory at all: the steps after it may match at once.
    fn close_over_deep(&mut self) {
        let mut at = 0;
        while let Some(&state) = self.active.get(at) {
            at += 1;
            let step = &self.steps.all[state];
            if matches!(step.component, Component::Deep) {
                self.active.extend_from_slice(&step.next);
            }
        }
        if at > 1 {
            self.active.sort_unstable();
            self.active.dedup();
        }
    }

    /// Adds `here` if that entry exists and a pattern ends there, or ends there in a slash. A name
    /// without wildcards needs no directory to be read.
    fn look_up(
        &mut self,
        (ends, ends_in_slash): (bool, bool),
        anchor: Option<&Anchor>,
    ) -> Result<(), GlobError> {
        if !ends && !ends_in_slash {
            return Ok(());
        }
        let (directory, start) = at(anchor);
        let path = terminated(&mut self.scratch, &self.here[start..]);
        if ends_in_slash && is_directory(directory, path) {
            self.found
                .push([&self.here, b"/", b""], EntryKind::Directory)?;
        }
        if ends && let Some(kind) = kind(directory, path) {
            self.found.push([&self.here, b"", b""], kind)?;
        }
        Ok(())
    }

    /// Reads the directory `here`: adds the entries that match the last step, and queues the
    /// directories that may lead to more.
    fn list(&mut self, next: &Pending) -> Result<(), GlobError> {
        if self.here.len() > LONGEST_PATH {
            return Ok(());
        }
        let (base, start) = at(next.anchor.as_deref());
        let relative = &self.here[start..];
        // With a slash behind it a link would be followed all the same.
        let trimmed = relative.len() - relative.iter().rev().take_while(|b| **b == b'/').count();
        let name = match relative {
            [] => c".",
            _ if trimmed == 0 => c"/",
            _ => terminated(&mut self.scratch, &relative[..trimmed]),
        };
        let mut flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        if !next.links {
            flags |= OFlags::NOFOLLOW;
        }
        let directory = match openat(base, name, flags, Mode::empty()) {
            Ok(directory) => directory,
            Err(error) => {
                self.unreadable(error, next.given)?;
                return self.look_up_names(next);
            }
        };
        if next.roundabout && !self.ways.enter(&directory, &self.active) {
            return Ok(());
        }
        let opened = Rc::new(Anchor {
            directory,
            length: self.here.len(),
        });
        let far = relative.len() > MAX_RELATIVE_PATH;
        let anchor = if far {
            Some(Rc::clone(&opened))
        } else {
            next.anchor.clone()
        };

        let mut listing = std::mem::take(&mut self.listing);
        listing.resize(LISTING, MaybeUninit::uninit());
        let mut entries = RawDir::new(&opened.directory, &mut listing);
        let mut listed = 0;
        while let Some(entry) = entries.next() {
            listed += 1;
            if listed % BETWEEN_LOOKS == 0 && self.is_over() {
                break;
            }
            match entry {
                Ok(entry) => self.entry(
                    opened.directory.as_fd(),
                    entry.file_name(),
                    entry.file_type().into(),
                    anchor.as_ref(),
                    next.roundabout,
                )?,
                Err(error) => {
                    self.unreadable(error, next.given)?;
                    break;
                }
            }
        }
        self.listing = listing;
        if next.roundabout {
            self.ways
                .listed(listed * (1 + self.active.len() / MANY_STEPS));
        }
        Ok(())
    }

    /// One entry of the directory being read.
    fn entry(
        &mut self,
        directory: BorrowedFd<'_>,
        name: &CStr,
        mut kind: EntryKind,
        anchor: Option<&Rc<Anchor>>,
        roundabout: bool,
    ) -> Result<(), GlobError> {
        if kind == EntryKind::Unknown {
            kind = self::kind(directory, name).unwrap_or(kind);
        }
        let bytes = name.to_bytes();
        self.found.hidden |= bytes.starts_with(b".") && !matches!(bytes, b"." | b".." | b".git");
        let leads = matches!(kind, EntryKind::Directory | EntryKind::Symlink);
        let deep = kind == EntryKind::Directory && !bytes.starts_with(b".");
        let (mut hit, mut hit_directory, mut deeper) = (false, false, false);
        let state = self.states.len();
        for &active in &self.active {
            let step = &self.steps.all[active];
            match &step.component {
                Component::Deep => {
                    if deep {
                        self.states.push(active);
                        deeper = true;
                    }
                    continue;
                }
                Component::Name(only) if only != bytes => continue,
                Component::Wild(wild) if !wild.matches(bytes) => continue,
                _ => {}
            }
            hit |= step.ends;
            hit_directory |= step.ends_in_slash;
            if leads {
                self.states.extend_from_slice(&step.next);
            }
        }
        if hit {
            self.found.push([&self.here, bytes, b""], kind)?;
        }
        if hit_directory && leads && (kind == EntryKind::Directory || is_directory(directory, name))
        {
            self.found
                .push([&self.here, bytes, b"/"], EntryKind::Directory)?;
        }
        if let Some(&first) = self.states.get(state) {
            let slashes = if deeper {
                b"/"
            } else {
                &*self.steps.all[first].slashes
            };
            let name = self.names.len();
            self.names.extend_from_slice(bytes);
            self.names.extend_from_slice(slashes);
            self.pending.push(Pending {
                parent: self.here.len(),
                name,
                state,
                anchor: anchor.cloned(),
                links: kind == EntryKind::Symlink,
                given: false,
                roundabout: roundabout || kind == EntryKind::Symlink || bytes == b"..",
            });
        }
        Ok(())
    }

    /// Looks names up one by one: without wildcards they can be found in a directory that may be
    /// searched but not read.
    fn look_up_names(&mut self, next: &Pending) -> Result<(), GlobError> {
        let steps = self.steps;
        let length = self.here.len();
        let mut active = std::mem::take(&mut self.active);
        while let Some(&state) = active.first() {
            let Component::Name(name) = &steps.all[state].component else {
                active.remove(0);
                continue;
            };
            self.here.extend_from_slice(name);
            let (at, first) = (self.names.len(), self.states.len());
            let (mut ends, mut ends_in_slash) = (false, false);
            let mut roundabout = next.roundabout || name == b"..";
            active.retain(|same| {
                let step = &steps.all[*same];
                let is = matches!(&step.component, Component::Name(other) if other == name);
                if is {
                    ends |= step.ends;
                    ends_in_slash |= step.ends_in_slash;
                    self.states.extend_from_slice(&step.next);
                }
                !is
            });
            roundabout |= self.is_link_behind_wildcards(next, &steps.all[state]);
            if let Some(&next_state) = self.states.get(first) {
                self.names.extend_from_slice(name);
                self.names.extend_from_slice(&steps.all[next_state].slashes);
                self.pending.push(Pending {
                    parent: length,
                    name: at,
                    state: first,
                    anchor: next.anchor.clone(),
                    links: true,
                    given: false,
                    roundabout,
                });
            }
            self.look_up((ends, ends_in_slash), next.anchor.as_deref())?;
            self.here.truncate(length);
        }
        Ok(())
    }

    /// Counts the directory `here`, which cannot be read, unless that ends the search.
    fn unreadable(&mut self, error: Errno, given: bool) -> Result<(), GlobError> {
        match error {
            Errno::MFILE | Errno::NFILE => Err(GlobError::ReadError(error)),
            Errno::NOMEM => Err(GlobError::OutOfMemory),
            // There is nothing, or a link that leads nowhere.
            Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG => Ok(()),
            _ if given => Err(GlobError::ReadError(error)),
            Errno::LOOP => Ok(()),
            _ => {
                self.found.unlisted.add(&self.here, error);
                Ok(())
            }
        }
    }
}

/// The directory to start from, and the offset in `here` at which the path from there begins.
fn at(anchor: Option<&Anchor>) -> (BorrowedFd<'_>, usize) {
    anchor.map_or((CWD, 0), |anchor| (anchor.directory.as_fd(), anchor.length))
}

/// `path` as system calls take it. It holds no NUL: neither patterns nor names do.
fn terminated<'a>(scratch: &'a mut Vec<u8>, path: &[u8]) -> &'a CStr {
    scratch.clear();
    scratch.extend_from_slice(path);
    scratch.push(0);
    CStr::from_bytes_with_nul(scratch).unwrap_or_default()
}

/// What the entry itself is; `None` if it does not exist.
fn kind(directory: BorrowedFd<'_>, path: &CStr) -> Option<EntryKind> {
    let status = statat(directory, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some(FileType::from_raw_mode(status.st_mode).into())
}

/// Whether `path` leads to a directory.
fn is_directory(directory: BorrowedFd<'_>, path: &CStr) -> bool {
    statat(directory, path, AtFlags::empty())
        .is_ok_and(|status| FileType::from_raw_mode(status.st_mode) == FileType::Directory)
}
