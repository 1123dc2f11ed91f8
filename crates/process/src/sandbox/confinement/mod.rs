//! Confining a call to directories, and keeping it off the network: `landlock(7)`, `seccomp(2)`.
//!
//! The request ([`ConfinementBounds`]) comes from flags or from the environment. It is resolved
//! once ([`Confinement::resolve`]), and from then on belongs to the process ([`set_current`],
//! [`current`]): one process is one call.
//!
//! A tool that works with files confines itself before it does (`ruleset`). A command is confined
//! by itself, between its fork and its first program ([`command_confinement`]): the tool and its
//! watchdog have to end it, to keep its output and to clear up after it, and stay out of its reach.
//! The parts of the system that a command may use beside the directories are in `system`.
//! `SECURITY.md` says what all this leaves open.

pub mod audit;
mod bounds;
mod capabilities;
pub mod command_confinement;
mod directory_mask;
mod etc;
mod filter;
mod masked_paths;
mod opened_path;
mod recommendable_paths;
mod ruleset;
mod server_files;
mod system;

use std::env;
use std::ffi::CStr;
use std::fs::read_link;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::fs::{Mode, OFlags, openat};

use crate::sandbox::roots::{self, RootSet};
use masked_paths::MaskedPaths;
use opened_path::OpenedPath;

pub use bounds::{ConfinementBounds, ConfinementSource, NO_NETWORK, READ, ROOTS};
pub use opened_path::{directory, file_or_directory};
pub use ruleset::{UNSUPPORTED, abi, is_supported};
pub use server_files::Sensitivity;

/// A kind of access to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessRight {
    /// To read a file, to list a directory.
    Read,
    /// To run a program.
    Execute,
    /// To change a file, to make, rename or remove one.
    Write,
}

/// The bounds of a call, resolved and opened.
#[derive(Debug)]
pub struct Confinement {
    roots: Vec<OpenedPath>,
    readable: Vec<OpenedPath>,
    /// The directory for the temporary files of the caller's commands, if it is one of the roots.
    temporary: Option<PathBuf>,
    /// The names of the roots, and of these and what may be read.
    to_write: RootSet,
    to_read: RootSet,
    masked: MaskedPaths,
    no_network: bool,
    source: ConfinementSource,
}

impl Confinement {
    /// Resolves the bounds that were asked for, and opens them. An error is a sentence for the
    /// caller.
    pub fn resolve(bounds: &ConfinementBounds) -> Result<Self, String> {
        let what = match bounds.source {
            ConfinementSource::Flags => ["--root", "--read"],
            ConfinementSource::Environment => [ROOTS, READ],
        };
        let (roots, readable) =
            opened_path::open((what[0], &bounds.roots), (what[1], &bounds.readable))?;
        let (to_write, to_read) = names_of(&roots, &readable);
        Ok(Self {
            roots,
            readable,
            temporary: None,
            masked: MaskedPaths::within(&to_write, &to_read),
            to_write,
            to_read,
            no_network: bounds.no_network,
            source: bounds.source,
        })
    }

    /// Lets a tool work in the directory for the temporary files of the caller's commands as well,
    /// if it is there.
    #[must_use]
    pub fn with_temporary(mut self, place: &Path) -> Self {
        let opened = opened_path::open_one(place, self.to_write.directories());
        if let Some(opened) = opened.filter(|opened| opened.is_directory) {
            self.temporary = Some(opened.path.clone());
            self.roots.push(opened);
            (self.to_write, self.to_read) = names_of(&self.roots, &self.readable);
        }
        self
    }

    /// That directory, if a tool may work in it.
    #[must_use]
    pub fn temporary(&self) -> Option<&Path> {
        self.temporary.as_deref()
    }

    /// The bounds to ask for in order to get this confinement again.
    #[must_use]
    pub fn bounds(&self) -> ConfinementBounds {
        let names = |places: &[OpenedPath]| {
            let names = places.iter();
            names.map(|place| place.path.clone().into()).collect()
        };
        ConfinementBounds {
            roots: names(&self.roots),
            readable: names(&self.readable),
            no_network: self.no_network,
            source: self.source,
        }
    }

    /// True if files are confined, and not only the network.
    #[must_use]
    pub fn confines_files(&self) -> bool {
        !self.to_read.directories().is_empty()
    }

    /// The directories in which a call may read and write.
    #[must_use]
    pub fn roots(&self) -> &RootSet {
        &self.to_write
    }

    /// The paths that a call may read: the roots, and those beside them.
    #[must_use]
    pub fn readable(&self) -> &RootSet {
        &self.to_read
    }

    /// The paths to which a call has the `right`.
    #[must_use]
    pub fn roots_for(&self, right: AccessRight) -> &RootSet {
        match right {
            AccessRight::Write => &self.to_write,
            AccessRight::Read | AccessRight::Execute => &self.to_read,
        }
    }

    /// The paths that may be read beside the roots.
    #[must_use]
    pub fn extra_readable(&self) -> &[PathBuf] {
        let all = self.to_read.directories();
        all.get(self.roots.len()..).unwrap_or_default()
    }

    /// True if a call may use the network.
    #[must_use]
    pub fn has_network(&self) -> bool {
        !self.no_network
    }

    /// True if a command may do this to the file at `path`, no link on the way. The private
    /// directory for temporary files is not known here, because it is made when the command starts.
    #[must_use]
    pub fn grants(&self, path: &Path, right: AccessRight) -> bool {
        let granted =
            self.roots_for(right).contains(path) || system::grants(path, right, &self.to_write);
        !self.confines_files() || (granted && !self.masks(path, right))
    }

    /// True if what really lies at `path`, no link on the way, is this program's own and no call's.
    #[must_use]
    pub fn masks(&self, path: &Path, right: AccessRight) -> bool {
        self.masked.hide(path, right)
    }

    /// The reason why commands cannot be kept from this program's own files, as a sentence; `None`
    /// if that is still to be tried.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        self.masked.fault()
    }

    /// The reason why commands cannot be kept from this program's own files, once hiding them has
    /// failed with `errno`.
    #[must_use]
    pub(crate) fn explain_mask_failure(&self, errno: rustix::io::Errno) -> String {
        self.masked.cannot(errno)
    }

    /// True if the file at `path` is the user's own and no call's work: nothing that calls may
    /// write decides it.
    #[must_use]
    pub fn keeps_from_calls(&self, path: &Path) -> bool {
        let open = |target: &Path| {
            self.confines_files()
                && self.may_write(target)
                && !self.masks(target, AccessRight::Write)
        };
        opened_path::trace(path)
            .is_some_and(|(real, links)| !open(&real) && !links.iter().any(|link| open(link)))
    }

    fn may_write(&self, real: &Path) -> bool {
        self.to_write.contains(real) || system::is_shared(real)
    }

    /// The path that `name` leads to, which need not exist; `None` if a link on the way lies in a
    /// root, because a call may have led it anywhere.
    #[must_use]
    pub fn resolve_trusted(&self, name: &Path) -> Option<PathBuf> {
        opened_path::resolve_trusted(name, self.to_write.directories())
    }

    /// True if nothing that it lets calls write decides what lies at `path`.
    #[must_use]
    pub fn leaves_out_of_reach(&self, path: &Path) -> bool {
        let real = self.resolve_trusted(path);
        real.is_some_and(|real| !self.may_write(&real))
    }

    /// The flag or the variable that allows more, by the way in which this confinement was asked
    /// for.
    fn name_for(&self, right: AccessRight) -> &'static str {
        match (self.source, right) {
            (ConfinementSource::Flags, AccessRight::Write) => "--root",
            (ConfinementSource::Flags, AccessRight::Read | AccessRight::Execute) => "--read",
            (ConfinementSource::Environment, AccessRight::Write) => ROOTS,
            (ConfinementSource::Environment, AccessRight::Read | AccessRight::Execute) => READ,
        }
    }

    /// The words that allow this in `place`, which no link leads to, shown as `path_text`: a flag,
    /// or the value of a variable. `None` if that is not to be recommended.
    #[must_use]
    pub fn words_to_allow(
        &self,
        right: AccessRight,
        place: &Path,
        path_text: &str,
    ) -> Option<String> {
        let name = self.name_for(right);
        recommendable_paths::may_be_recommended(place, right).then(|| match self.source {
            ConfinementSource::Flags => format!("`{name} {path_text}`"),
            ConfinementSource::Environment => format!("`{path_text}` in {name}"),
        })
    }

    /// By which name the network was taken away.
    #[must_use]
    pub fn name_for_network(&self) -> &'static str {
        self.source.name_for_network()
    }

    /// The directory in which relative names start, if it is not the process's own; `None` if
    /// nothing is bounded.
    #[must_use]
    pub fn start_directory(&self) -> Option<&Path> {
        self.first_place().map(|place| place.path.as_path())
    }

    fn first_place(&self) -> Option<&OpenedPath> {
        let mut places = self.roots.iter().chain(&self.readable);
        places.find(|place| place.is_directory && Some(&place.path) != self.temporary.as_ref())
    }

    /// Makes the process work within bounds from now on: it starts in its own directory, if that is
    /// within them, or else in the first one.
    pub fn enter(&self) -> Result<(), String> {
        let Some(first) = self.first_place() else {
            return Ok(());
        };
        let here = env::current_dir();
        if here.is_ok_and(|here| self.to_read.contains_resolved(&here)) {
            return Ok(());
        }
        rustix::process::fchdir(&first.fd)
            .map_err(|errno| format!("{} cannot be entered: {errno}", first.path.display()))
    }

    /// Confines this process, which works with files: to reading, or to reading and writing, and to
    /// reading the files in `beside`. An error is a sentence.
    pub fn confine_tool(&self, writing: bool, beside: Option<&Path>) -> Result<(), String> {
        ruleset::confine_tool(self, writing, beside)
    }
}

/// The names of the roots, and of these and what may be read.
fn names_of(roots: &[OpenedPath], readable: &[OpenedPath]) -> (RootSet, RootSet) {
    let paths = |places: &[OpenedPath]| places.iter().map(|place| place.path.clone()).collect();
    let to_write: Vec<PathBuf> = paths(roots);
    let to_read = [to_write.clone(), paths(readable)].concat();
    (RootSet::new(to_write), RootSet::new(to_read))
}

/// True if this process's confinement lets a tool read what `path` leads to, which need not exist;
/// relative names start in the process's directory.
#[must_use]
pub fn is_within_reach(path: &Path) -> bool {
    let bounds = current().filter(|confinement| confinement.confines_files());
    bounds.is_none_or(|confinement| {
        let here = env::current_dir().unwrap_or_default();
        confinement.to_read.contains_resolved(&here.join(path)) && !masks_name(path)
    })
}

/// True if what is open as `file` is this program's own and no call's. Asked once it is open: until
/// then another link can take the place of any name.
#[must_use]
pub fn masks_open(file: impl AsFd, right: AccessRight) -> bool {
    masking().is_some_and(|confinement| is_masked(confinement, file.as_fd(), right))
}

/// True if what `path` leads to is this program's own and no call's: enough if only names and
/// numbers of it are shown.
#[must_use]
pub fn masks_name(path: &Path) -> bool {
    masking().is_some_and(|confinement| {
        let here = env::current_dir().unwrap_or_default();
        let real = roots::follow(&here.join(path), |_| {});
        real.is_none_or(|real| confinement.masks(&real, AccessRight::Read))
    })
}

/// True if the entry `name` of `directory`, which need not exist, is this program's own and no
/// call's.
#[must_use]
pub fn masks_entry(directory: BorrowedFd<'_>, name: &CStr) -> bool {
    masking().is_some_and(|confinement| {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = openat(directory, name, flags, Mode::empty());
        opened.is_ok_and(|entry| is_masked(confinement, entry.as_fd(), AccessRight::Read))
    })
}

fn masking() -> Option<&'static Confinement> {
    current().filter(|confinement| !confinement.masked.are_none())
}

fn is_masked(confinement: &Confinement, file: BorrowedFd<'_>, right: AccessRight) -> bool {
    let name = read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
    // A path that is unknown is not opened.
    name.map_or(true, |name| {
        !name.is_absolute() || confinement.masks(&name, right)
    })
}

/// True if what lies at `path` is the user's own and no call's work, as far as calls are confined
/// as this one is.
#[must_use]
pub fn keeps_from_calls(path: &Path) -> bool {
    current().is_none_or(|confinement| confinement.keeps_from_calls(path))
}

/// True if nothing that this process's confinement lets calls write decides what lies at `path`: a
/// file that is run or trusted outside has to be so.
#[must_use]
pub fn is_out_of_reach(path: &Path) -> bool {
    current().is_none_or(|confinement| confinement.leaves_out_of_reach(path))
}

/// True if this process may touch files only in some directories.
#[must_use]
pub fn confines_own_files() -> bool {
    current().is_some_and(Confinement::confines_files)
}

static CURRENT: OnceLock<Confinement> = OnceLock::new();

/// Makes `confinement` the one of this process. Only the first call does.
pub fn set_current(confinement: Confinement) -> &'static Confinement {
    CURRENT.get_or_init(|| confinement)
}

/// The confinement of this process, which is one call; `None` without one.
#[must_use]
pub fn current() -> Option<&'static Confinement> {
    CURRENT.get()
}
