//! This program's own files (keys, lenses, state, cache) that are within a confinement's roots.
//! They are hidden from every tool and command, except saved outputs, which may be read.
//!
//! Landlock can only allow, and what it allows of a directory holds for all below it. So tools that
//! work with files check what they have opened, and from commands these files are hidden
//! ([`super::directory_mask`]).

use std::ffi::{CString, OsStr};
use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, StatVfsMountFlags, accessat, statvfs};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::directory_mask::{DirectoryMask, HiddenDirectory};
use super::{AccessRight, opened_path, system};
use crate::sandbox::roots::RootSet;
use iki_base::own_directories::{self, CREDENTIALS_FILE, NAME};
use iki_base::wording::system_words;

/// The part of the state that may be read.
const OUTPUT_DIRECTORY: &str = "output";

/// A file or directory of this program's own that calls would reach.
#[derive(Debug)]
struct MaskedPath {
    /// Its path, without links.
    path: PathBuf,
    /// The directory, open to calls, that it lies in, or that lies in it.
    open: PathBuf,
    /// The variable that names another place for it.
    variable: &'static str,
    /// The part that may be read.
    readable: Option<PathBuf>,
    /// The reason why it cannot be hidden from commands.
    fault: Option<String>,
}

/// All files and directories of this program's own that calls would reach.
#[derive(Debug)]
pub struct MaskedPaths {
    paths: Vec<MaskedPath>,
    /// The directories in which calls may write.
    writable: Vec<PathBuf>,
}

impl MaskedPaths {
    /// Those that lie in directories in which calls may write, or may read.
    pub fn within(to_write: &RootSet, to_read: &RootSet) -> Self {
        let mut masks = Self {
            paths: Vec::new(),
            writable: to_write.directories().to_vec(),
        };
        let mut open = to_read.directories().to_vec();
        if open.is_empty() {
            return masks;
        }
        masks.writable.push(system::SHARED_MEMORY.into());
        open.push(system::SHARED_MEMORY.into());
        let mut everywhere = open.clone();
        everywhere.extend(system::CONFIGURED.map(PathBuf::from));
        let home = dirs::home_dir();
        let variable = |name: &str| std::env::var(name).ok();
        for name in own_directories::configuration(variable, home.as_deref()) {
            masks.add(&name, "IKIGAI_CONFIG_DIR", None, &everywhere);
            // If it is a link, the file that it leads to is as secret.
            masks.add_target(&name.join(CREDENTIALS_FILE), &open);
        }
        for (name, variable, readable) in [
            (dirs::state_dir(), "XDG_STATE_HOME", Some(OUTPUT_DIRECTORY)),
            (dirs::cache_dir(), "XDG_CACHE_HOME", None),
        ] {
            if let Some(name) = name {
                masks.add(&name.join(NAME), variable, readable, &everywhere);
            }
        }
        masks
    }

    fn add(
        &mut self,
        name: &Path,
        variable: &'static str,
        readable: Option<&str>,
        open: &[PathBuf],
    ) {
        let Some((path, links)) = opened_path::trace(name) else {
            return;
        };
        let within = open.iter().find(|one| path.starts_with(one));
        let around = open.iter().find(|one| one.starts_with(&path));
        let Some(one) = around.or(within) else {
            return;
        };
        let mut links = links.iter();
        let link = links.find(|link| self.writable.iter().any(|root| link.starts_with(root)));
        let fault = match (link, around) {
            (Some(link), _) => Some(format!(
                "it is reached through the link {}, which a command could lead elsewhere",
                link.display()
            )),
            (None, Some(_)) => Some(String::from("nothing in it may be opened")),
            (None, None) => None,
        };
        if !self.paths.iter().any(|known| known.path == path) {
            self.paths.push(MaskedPath {
                open: one.clone(),
                variable,
                readable: readable.map(|readable| path.join(readable)),
                fault,
                path,
            });
        }
    }

    fn add_target(&mut self, file: &Path, open: &[PathBuf]) {
        let Some((path, links)) = opened_path::trace(file) else {
            return;
        };
        let within = open.iter().find(|one| path.starts_with(one));
        if let (Some(one), false) = (
            within,
            self.hide(&path, AccessRight::Write) || links.is_empty(),
        ) {
            self.paths.push(MaskedPath {
                open: one.clone(),
                variable: "IKIGAI_CONFIG_DIR",
                readable: None,
                fault: Some(format!("the link {} leads there", file.display())),
                path,
            });
        }
    }

    /// True if there are none.
    pub fn are_none(&self) -> bool {
        self.paths.is_empty()
    }

    /// True if `real`, which no link leads to, is one of them or lies in one.
    pub fn hide(&self, real: &Path, right: AccessRight) -> bool {
        self.paths.iter().any(|masked| {
            let readable = masked.readable.as_ref();
            let readable = readable.filter(|_| right == AccessRight::Read);
            real.starts_with(&masked.path) && !readable.is_some_and(|one| real.starts_with(one))
        })
    }

    /// The reason why no command can be kept from them, if that is known beforehand.
    pub fn fault(&self) -> Option<String> {
        let mut faults = self.paths.iter();
        faults.find_map(|one| Some(one.sentence(one.fault.as_deref()?)))
    }

    /// The reason why no command can be kept from them, once hiding them has failed with `errno`.
    pub fn cannot(&self, errno: Errno) -> String {
        let reason = system_words(&errno.into());
        let why = format!(
            "this system lets nobody hide it from a command (mount namespaces, `unshare(2)`: \
             {reason})"
        );
        self.paths
            .first()
            .map_or_else(|| why.clone(), |one| one.sentence(&why))
    }

    /// The mask that hides them from a command; `None` if it has nothing to hide. An error is a
    /// sentence.
    pub fn mask(&self) -> Result<Option<DirectoryMask>, String> {
        if let Some(fault) = self.fault() {
            return Err(fault);
        }
        let mut mask = DirectoryMask::default();
        for masked in &self.paths {
            let there = match fs::symlink_metadata(&masked.path) {
                Ok(_) => true,
                // A command cannot get there either.
                Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                    if !can_be_made(&masked.path) {
                        continue;
                    }
                    true
                }
                Err(error) => error.kind() != ErrorKind::NotFound,
            };
            let another =
                |one: &MaskedPath| masked.path.starts_with(&one.path) && masked.path != one.path;
            // A call within a call finds it hidden already.
            if self.paths.iter().any(another) || (there && is_hidden(masked)) {
                continue;
            }
            let writable = |path: &&Path| self.writable.iter().any(|root| path.starts_with(root));
            let mut above: Vec<&Path> = masked.path.ancestors().collect();
            above.reverse();
            // Those that a command could move away, with what lies in them.
            above.retain(|path| {
                let parent = path.parent();
                parent.is_some_and(|parent| writable(&parent)) && *path != masked.path
            });
            let makes = writable(&masked.path.as_path()) && can_be_made(&masked.path);
            if !there && !makes {
                continue;
            }
            if makes {
                let required = above.iter().copied().chain([masked.path.as_path()]);
                let required = required.chain(masked.readable.as_deref());
                let missing = required.filter(|path| !path.exists());
                mask.missing.extend(missing.filter_map(in_parent));
            }
            mask.is_required |= there;
            mask.pinned.extend(above.into_iter().filter_map(c_string));
            mask.covers.extend(HiddenDirectory::from_path(
                c_string(&masked.path),
                masked.readable.as_deref().and_then(c_string),
            ));
        }
        // The outer ones first; each once.
        let order = |path: &CString| (path.as_bytes().len(), path.clone());
        mask.pinned.sort_by_cached_key(order);
        mask.pinned.dedup();
        Ok((!mask.covers.is_empty()).then_some(mask))
    }
}

impl MaskedPath {
    fn sentence(&self, why: &str) -> String {
        let Self {
            path,
            open,
            variable,
            ..
        } = self;
        let (path, open) = (path.display(), open.display());
        let lies = if self.open.starts_with(&self.path) {
            format!("{open} lies in {path}, where ikigai-tools keeps its own files")
        } else {
            format!("{path}, where ikigai-tools keeps its own files, lies in {open}")
        };
        format!(
            "{lies}, and {why}. Take a directory to work in that does not hold it, or move it out \
             and name its new place by {variable}"
        )
    }
}

/// True if it is empty and stays so, but for what may be read.
fn is_hidden(masked: &MaskedPath) -> bool {
    let fixed =
        statvfs(&masked.path).is_ok_and(|system| system.f_flag.contains(StatVfsMountFlags::RDONLY));
    fixed
        && fs::read_dir(&masked.path).is_ok_and(|mut entries| {
            entries.all(|entry| {
                let readable = masked.readable.as_deref();
                entry.is_ok_and(|entry| Some(entry.path().as_path()) == readable)
            })
        })
}

/// True if a command of this user could make `path`, which is missing.
fn can_be_made(path: &Path) -> bool {
    let nearest = path.ancestors().skip(1).find(|path| path.exists());
    nearest.is_some_and(|nearest| {
        match accessat(CWD, nearest, Access::WRITE_OK, AtFlags::EACCESS) {
            Ok(()) => true,
            Err(Errno::ROFS) => false,
            // Its owner can change that.
            Err(_) => fs::metadata(nearest).is_ok_and(|status| status.uid() == geteuid().as_raw()),
        }
    })
}

fn c_string(path: &Path) -> Option<CString> {
    CString::new(path.as_os_str().as_bytes()).ok()
}

fn in_parent(path: &Path) -> Option<(CString, CString)> {
    let name = path.file_name().map(OsStr::as_bytes)?;
    Some((c_string(path.parent()?)?, CString::new(name).ok()?))
}
