//! The directories that a confinement names: resolved, and opened so that nothing can take their
//! place afterwards.
//!
//! A name may lead through links, but not through one that lies in a root, or in the memory that
//! every command shares: a call may write there, and the next call would go where the link then
//! leads.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, fstat, openat, openat2};
use rustix::io::Errno;

use super::system;
use crate::sandbox::roots;

/// A file or directory that a confinement names, opened.
#[derive(Debug)]
pub struct OpenedPath {
    /// Its name, absolute and without links.
    pub path: PathBuf,
    pub fd: OwnedFd,
    pub is_directory: bool,
}

/// Opens the roots and what may be read beside them, each with the name by which it was asked for.
/// An error is a sentence.
pub fn open(
    (root, roots): (&str, &[OsString]),
    (read, readable): (&str, &[OsString]),
) -> Result<(Vec<OpenedPath>, Vec<OpenedPath>), String> {
    let resolve = |what: &str, names: &[OsString]| -> Result<Vec<NamedPath>, String> {
        names
            .iter()
            .map(|name| NamedPath::resolve(what, name))
            .collect()
    };
    let roots = resolve(root, roots)?;
    let readable = resolve(read, readable)?;
    let mut writable: Vec<&Path> = roots.iter().map(|name| name.real.as_path()).collect();
    writable.push(Path::new(system::SHARED_MEMORY));
    let firm = |name: &&NamedPath| name.links.is_empty();
    let firm: Vec<&Path> = roots
        .iter()
        .filter(firm)
        .map(|name| name.real.as_path())
        .collect();
    let open = |names: &[NamedPath], directories| -> Result<Vec<OpenedPath>, String> {
        let places = names.iter().map(|name| {
            // A name that leads into a directory that may be written anyway gives nothing more.
            let within = firm.iter().any(|root| name.real.starts_with(root));
            name.open(if within { &[] } else { &writable }, directories)
        });
        places.collect()
    };
    Ok((open(&roots, true)?, open(&readable, false)?))
}

/// Opens what `name` leads to, unless a link on the way lies in one of the `writable` directories.
pub fn open_one(name: &Path, writable: &[PathBuf]) -> Option<OpenedPath> {
    match open_at_once(name) {
        Ok(place) => return Some(place),
        Err(Errno::NOENT) => return None,
        // There is a link on the way, or this kernel or a sandbox does not open files so.
        Err(_) => {}
    }
    let name = NamedPath::resolve("", name.as_os_str()).ok()?;
    let mut writable: Vec<&Path> = writable.iter().map(PathBuf::as_path).collect();
    writable.push(Path::new(system::SHARED_MEMORY));
    name.open(&writable, false).ok()
}

/// Opens the file at `name` if the path is absolute and has no links.
fn open_at_once(name: &Path) -> Result<OpenedPath, Errno> {
    let plain = |part| matches!(part, Component::RootDir | Component::Normal(_));
    if !name.is_absolute() || !name.components().all(plain) {
        return Err(Errno::INVAL);
    }
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let fd = openat2(CWD, name, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)?;
    let kind = FileType::from_raw_mode(fstat(&fd)?.st_mode);
    Ok(OpenedPath {
        path: name.components().collect(),
        fd,
        is_directory: kind == FileType::Directory,
    })
}

/// The path to which `name` leads, which need not be there, and the paths of the links on the way.
pub fn trace(name: &Path) -> Option<(PathBuf, Vec<PathBuf>)> {
    match open_at_once(name) {
        Ok(place) => Some((place.path, Vec::new())),
        // A link before what is missing would have been found first.
        Err(Errno::NOENT) => Some((name.components().collect(), Vec::new())),
        Err(_) => {
            let name = NamedPath::resolve("", name.as_os_str()).ok()?;
            Some((name.real, name.links))
        }
    }
}

/// The path that `name` leads to, which need not exist, unless a link on the way lies in one of the
/// `writable` directories.
pub fn resolve_trusted(name: &Path, writable: &[PathBuf]) -> Option<PathBuf> {
    let (real, links) = trace(name)?;
    let inside = |link: &PathBuf| {
        writable.iter().any(|root| link.starts_with(root))
            || link.starts_with(system::SHARED_MEMORY)
    };
    (!links.iter().any(inside)).then_some(real)
}

/// The directory called `name`, absolute and without links, for the reader of a command line.
pub fn directory(name: &OsStr) -> Result<PathBuf, String> {
    Ok(NamedPath::resolve("", name)?.open(&[], true)?.path)
}

/// The file or directory called `name`, absolute and without links, for a command line's parser.
pub fn file_or_directory(name: &OsStr) -> Result<PathBuf, String> {
    Ok(NamedPath::resolve("", name)?.open(&[], false)?.path)
}

/// A name on its way to a place.
struct NamedPath {
    /// Its beginning in a message: the flag or variable, and the name itself.
    label: String,
    real: PathBuf,
    /// Paths of the links on its way.
    links: Vec<PathBuf>,
}

impl NamedPath {
    fn resolve(what: &str, name: &OsStr) -> Result<Self, String> {
        let label = format!("{what} {}", Path::new(name).display());
        let label = label.trim().to_owned();
        if name.is_empty() {
            let what = if what.is_empty() { "the name" } else { what };
            return Err(format!("{what} is empty, and names no directory"));
        }
        let cannot = |why: &dyn std::fmt::Display| format!("{label}: {why}");
        let path = if Path::new(name).is_absolute() {
            PathBuf::from(name)
        } else {
            let here = env::current_dir();
            here.map_err(|error| cannot(&error))?.join(name)
        };
        let mut links = Vec::new();
        let real = roots::follow(&path, |link| links.push(link.to_owned()));
        let real = real.ok_or_else(|| cannot(&"its links cannot be followed"))?;
        Ok(Self { label, real, links })
    }

    fn open(&self, writable: &[&Path], directories: bool) -> Result<OpenedPath, String> {
        let Self { label, real, links } = self;
        for link in links {
            if let Some(root) = writable.iter().find(|root| link.starts_with(root)) {
                return Err(format!(
                    "{label} leads through the link {}, which lies within {}, where a call may \
                     lead it elsewhere",
                    link.display(),
                    root.display(),
                ));
            }
        }
        let fd = open_without_links(real).map_err(|errno| match errno {
            Errno::NOENT => format!("{label}: there is no such directory"),
            Errno::NOTDIR => format!("{label}: not a directory"),
            errno => format!("{label}: {}", std::io::Error::from(errno)),
        })?;
        let kind = fstat(&fd).map(|status| FileType::from_raw_mode(status.st_mode));
        let is_directory = kind == Ok(FileType::Directory);
        if directories && !is_directory {
            return Err(format!("{label}: not a directory"));
        }
        Ok(OpenedPath {
            path: real.clone(),
            fd,
            is_directory,
        })
    }
}

/// Opens the file at `real`, unless there is a link on the way.
fn open_without_links(real: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut directory = openat(CWD, c"/", flags | OFlags::DIRECTORY, Mode::empty())?;
    for part in real.components() {
        if let Component::Normal(name) = part {
            directory = openat(&directory, name, flags, Mode::empty())?;
            if FileType::from_raw_mode(fstat(&directory)?.st_mode) == FileType::Symlink {
                return Err(Errno::LOOP);
            }
        }
    }
    Ok(directory)
}
