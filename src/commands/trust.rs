//! Trust in files that are started just to see what they are: none that another user may have put
//! there. The installer and `doctor` may come across any file in a directory, and root may run
//! them.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

use iki_base::console::sanitize::display_path;
use iki_process::sandbox::roots;

/// The bits of a mode that let the group and everybody write, and keep entries of a directory
/// their owners' (`S_ISVTX`).
const BY_GROUP: u32 = 0o020;
const BY_ALL: u32 = 0o002;
const STICKY: u32 = 0o1000;

/// The reason not to start the file at `path` unasked: a user other than this one and root may have
/// put it there, or may change it or its target. A sentence about what is at fault.
pub fn objection(path: &Path) -> Option<String> {
    let mut places: Vec<PathBuf> = Vec::new();
    let real = roots::follow(path, |link| places.push(link.to_owned()));
    let Some(real) = real.filter(|real| real.is_absolute()) else {
        return Some(format!("{} cannot be followed", display_path(path)));
    };
    places.push(real);
    let mut all = places.iter().flat_map(|place| place.ancestors());
    all.find_map(path_objection)
}

/// The objection to one name on the way.
fn path_objection(place: &Path) -> Option<String> {
    let status = match place.symlink_metadata() {
        Ok(status) => status,
        Err(error) => {
            return Some(format!(
                "{} cannot be looked at: {error}",
                display_path(place)
            ));
        }
    };
    let (user, owner, mode) = (geteuid().as_raw(), status.uid(), status.mode());
    if owner != 0 && owner != user {
        return Some(format!("{} belongs to user {owner}", display_path(place)));
    }
    // Many users are alone in a group of their own, which may write to their files.
    let is_own_group = user != 0 && owner == user && status.gid() == user;
    let by_others = mode & BY_ALL != 0 || (mode & BY_GROUP != 0 && !is_own_group);
    let is_kept = status.is_symlink() || (status.is_dir() && mode & STICKY != 0);
    let (path_text, mode) = (display_path(place), mode & 0o7777);
    (by_others && !is_kept)
        .then(|| format!("{path_text} may be changed by others (its mode is {mode:04o})"))
}
