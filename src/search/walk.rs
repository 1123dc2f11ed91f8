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

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, openat, statat};
use rustix::io::Errno;

use super::paths::{EntryKind, Paths};
use super::ways::Ways;
use super::wildcard::{Component, Wildcard};

/// Bytes of directory entries taken from the kernel at once.
const LISTING: usize = 256 << 10;
/// Directories further away than this many bytes of path become a new starting point. With a
/// name (255 bytes) this stays below the 4,096 bytes that the kernel takes.
const MAX_RELATIVE_PATH: usize = 3500;
/// Directories whose path is longer, in bytes, are not read: no call takes such a path, and in a
/// chain of a hundred thousand directories the paths would take all memory.
const LONGEST_PATH: usize = 16 << 10;

/// The longest pattern in bytes: twice the longest path. A hostile one must not cost time
/// that grows with its square.
const LONGEST_PATTERN: usize = 8 << 10;

/// Why a pattern could not be expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobError {
    /// The pattern holds a NUL, or is longer than 8 KiB.
    InvalidPattern,
    /// The directory to search in exists but cannot be read, or the process is out of files.
    ReadError,
    /// Memory ran out for the paths.
    OutOfMemory,
}

impl fmt::Display for GlobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InvalidPattern => "the pattern holds a NUL or is too long",
            Self::ReadError => "the directory cannot be read",
            Self::OutOfMemory => "out of memory",
        })
    }
}

impl std::error::Error for GlobError {}

impl From<TryReserveError> for GlobError {
    fn from(_: TryReserveError) -> Self {
        Self::OutOfMemory
    }
}

/// Finds what `pattern` names below the directory `path`, in byte order.
///
/// `path` is taken literally; empty, the pattern stands alone, as it does when it begins with a
/// slash. Directories that cannot be read are passed over, but for `path` itself.
pub fn expand(path: &Path, pattern: &[u8]) -> Result<Paths, GlobError> {
    if pattern.contains(&0) || pattern.len() > LONGEST_PATTERN {
        return Err(GlobError::InvalidPattern);
    }
    let path = path.as_os_str().as_bytes();
    if path.contains(&0) {
        return Ok(Paths::default());
    }
    let wildcard = Wildcard::parse(pattern);
    let mut here = wildcard.root.clone();
    if here.is_empty() && !path.is_empty() {
        here.extend_from_slice(path);
        if !path.ends_with(b"/") {
            here.push(b'/');
        }
    }
    let mut walk = GlobWalk::new(&wildcard, here);
    walk.run()?;
    walk.found.sort();
    walk.found.left_out = walk.ways.left_out;
    Ok(walk.found)
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
    wildcard: &'a Wildcard,
    found: Paths,
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
    fn new(wildcard: &'a Wildcard, here: Vec<u8>) -> Self {
        Self {
            wildcard,
            found: Paths::default(),
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
        if self.wildcard.steps.is_empty() {
            return self.directory_itself();
        }
        self.states.push(0);
        let given = self.wildcard.root.is_empty();
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

    /// A pattern of slashes alone, or none: the directory that it stands in.
    fn directory_itself(&mut self) -> Result<(), GlobError> {
        if !self.here.is_empty() && is_directory(CWD, terminated(&mut self.scratch, &self.here)) {
            self.found
                .push([&self.here, b"", b""], EntryKind::Directory)?;
        }
        Ok(())
    }

    fn visit(&mut self, mut next: Pending) -> Result<(), GlobError> {
        self.close_over_deep();
        while let [state] = self.active[..]
            && let Component::Name(name) = &self.wildcard.steps[state].component
        {
            self.here.extend_from_slice(name);
            let Some(step) = self.wildcard.steps.get(state + 1) else {
                return self.look_up(next.anchor.as_deref());
            };
            next.roundabout |= name == b".." || self.is_link_behind_wildcards(&next, state);
            self.here.extend_from_slice(&step.slashes);
            self.active[0] = state + 1;
            self.close_over_deep();
            (next.links, next.given) = (true, false);
        }
        self.list(&next)
    }

    /// Whether the name of step `state`, to which `here` leads, is a link. It matters only after a
    /// wildcard, since without one no other path leads to it.
    fn is_link_behind_wildcards(&mut self, next: &Pending, state: usize) -> bool {
        let steps = &self.wildcard.steps[..state];
        if next.roundabout
            || steps
                .iter()
                .all(|step| matches!(step.component, Component::Name(_)))
        {
            return false;
        }
        let (directory, start) = at(next.anchor.as_deref());
        let path = terminated(&mut self.scratch, &self.here[start..]);
        kind(directory, path) == Some(EntryKind::Symlink)
    }

    /// `**` also matches no directory at all: the step after it may match at once.
    fn close_over_deep(&mut self) {
        self.active.dedup();
        let mut at = 0;
        while let Some(&state) = self.active.get(at) {
            at += 1;
            if matches!(self.wildcard.steps[state].component, Component::Deep)
                && self.active.get(at) != Some(&(state + 1))
            {
                self.active.insert(at, state + 1);
            }
        }
    }

    /// Adds `here` if that entry exists. A name without wildcards needs no directory to be read.
    fn look_up(&mut self, anchor: Option<&Anchor>) -> Result<(), GlobError> {
        let (directory, start) = at(anchor);
        let path = terminated(&mut self.scratch, &self.here[start..]);
        if self.wildcard.directories {
            if is_directory(directory, path) {
                self.found
                    .push([&self.here, b"/", b""], EntryKind::Directory)?;
            }
        } else if let Some(kind) = kind(directory, path) {
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
                unreadable(error, next.given)?;
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
            match entry {
                Ok(entry) => self.entry(
                    opened.directory.as_fd(),
                    entry.file_name(),
                    entry.file_type().into(),
                    anchor.as_ref(),
                    next.roundabout,
                )?,
                Err(error) => {
                    unreadable(error, next.given)?;
                    break;
                }
            }
        }
        self.listing = listing;
        if next.roundabout {
            self.ways.listed(listed);
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
        let leads = matches!(kind, EntryKind::Directory | EntryKind::Symlink);
        let deep = kind == EntryKind::Directory && !bytes.starts_with(b".");
        let (mut hit, mut deeper) = (false, false);
        let state = self.states.len();
        for &active in &self.active {
            match &self.wildcard.steps[active].component {
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
            if active + 1 == self.wildcard.steps.len() {
                hit = true;
            } else if leads {
                self.states.push(active + 1);
            }
        }
        if hit && !self.wildcard.directories {
            self.found.push([&self.here, bytes, b""], kind)?;
        } else if hit && leads && (kind == EntryKind::Directory || is_directory(directory, name)) {
            self.found
                .push([&self.here, bytes, b"/"], EntryKind::Directory)?;
        }
        if let Some(&first) = self.states.get(state) {
            let slashes = if deeper {
                b"/"
            } else {
                &*self.wildcard.steps[first].slashes
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

    /// In a directory that may be searched but not read, names without wildcards can be found.
    fn look_up_names(&mut self, next: &Pending) -> Result<(), GlobError> {
        let length = self.here.len();
        for state in std::mem::take(&mut self.active) {
            let Component::Name(name) = &self.wildcard.steps[state].component else {
                continue;
            };
            if let Some(step) = self.wildcard.steps.get(state + 1) {
                let (at, states) = (self.names.len(), self.states.len());
                self.names.extend_from_slice(name);
                self.names.extend_from_slice(&step.slashes);
                self.states.push(state + 1);
                self.pending.push(Pending {
                    parent: length,
                    name: at,
                    state: states,
                    anchor: next.anchor.clone(),
                    links: true,
                    given: false,
                    roundabout: next.roundabout || name == b"..",
                });
            } else {
                self.here.extend_from_slice(name);
                self.look_up(next.anchor.as_deref())?;
                self.here.truncate(length);
            }
        }
        Ok(())
    }
}

/// Whether a directory that cannot be read ends the search.
fn unreadable(error: Errno, given: bool) -> Result<(), GlobError> {
    match error {
        Errno::MFILE | Errno::NFILE => Err(GlobError::ReadError),
        Errno::NOMEM => Err(GlobError::OutOfMemory),
        Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG => Ok(()),
        _ if given => Err(GlobError::ReadError),
        _ => Ok(()),
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
