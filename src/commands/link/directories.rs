//! Directories that were missing: making, recording and removing them, and the lock.
//!
//! The record is a file in the links' directory, a line each, from the root on without `DESTDIR`,
//! with a slash at its end.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, FlockOperation, access, flock};

use super::places::InstallPlaces;
use super::{entries, failure};
use iki_base::console::sanitize::display_path;

/// Refuses unless `directory` exists and may be written to, or can be made.
pub fn require_writable(directory: &Path) -> Result<(), String> {
    let there = directory.ancestors().find(|one| entries::is_there(one));
    let there = there.unwrap_or(directory);
    let (path_text, there_shown) = (display_path(directory), display_path(there));
    if !there.is_dir() {
        return Err(format!(
            "{path_text} cannot be made: {there_shown} is not a directory"
        ));
    }
    access(there, Access::WRITE_OK | Access::EXEC_OK).map_err(|_| {
        format!(
            "{there_shown} is not writable; choose another place, or become who may write there"
        )
    })
}

/// Makes the links' directory, and keeps other runs out of it while the returned file is open;
/// `None` in a dry run.
pub fn make_and_lock_tools(places: &InstallPlaces) -> Result<Option<File>, String> {
    let mut made = Vec::new();
    loop {
        for directory in missing(std::slice::from_ref(&places.tools)) {
            if places.change("make directory", &directory) && make(&directory)? {
                made.push(directory);
            }
        }
        if places.options.dry_run {
            return Ok(None);
        }
        // Another run may have removed the directory before it was locked.
        if let Some(lock) = lock(&places.tools)? {
            record(places, &made)?;
            return Ok(Some(lock));
        }
    }
}

/// Makes the missing ones of `directories`, but for those on the way to the links'. Each is
/// recorded first, so that a run that is killed leaves no unrecorded one.
pub fn make_others(places: &InstallPlaces, directories: &[PathBuf]) -> Result<(), String> {
    for directory in missing(directories) {
        if !places.tools.starts_with(&directory) && places.change("make directory", &directory) {
            record(places, std::slice::from_ref(&directory))?;
            make(&directory)?;
        }
    }
    Ok(())
}

/// The missing directories on the ways to `directories`, outer ones first.
fn missing(directories: &[PathBuf]) -> BTreeSet<PathBuf> {
    let missing = directories.iter().flat_map(|directory| {
        let above = directory.ancestors();
        above.take_while(|one| !entries::is_there(one))
    });
    missing.map(Path::to_owned).collect()
}

/// Makes `directory`. False if another run just did.
fn make(directory: &Path) -> Result<bool, String> {
    match fs::create_dir(directory) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists && directory.is_dir() => Ok(false),
        Err(error) => Err(failure(directory, "cannot be made", &error)),
    }
}

/// Adds `made` to the record.
fn record(places: &InstallPlaces, made: &[PathBuf]) -> Result<(), String> {
    if made.is_empty() {
        return Ok(());
    }
    let path = places.record();
    let mut lines = Vec::new();
    for directory in made {
        lines.extend_from_slice(places.final_name(directory).as_os_str().as_bytes());
        lines.extend_from_slice(b"/\n");
    }
    let mut options = OpenOptions::new();
    options.append(true).create(true).mode(0o644);
    let file = options
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(&path);
    file.and_then(|mut file| file.write_all(&lines))
        .map_err(|error| failure(&path, "cannot be written", &error))
}

/// The directories that the record names, by their present names, the outermost first. Only those
/// count that this program can have made, even if the record names others.
pub fn recorded_directories(places: &InstallPlaces) -> BTreeSet<PathBuf> {
    let record = entries::read(&places.record(), entries::MAX_PAGE_BYTES).unwrap_or_default();
    let all = places.directories();
    let lines = record.split(|byte| *byte == b'\n');
    let named = lines.filter_map(|line| line.strip_suffix(b"/"));
    let named = named.map(|line| Path::new(OsStr::from_bytes(line)));
    named
        .filter(|path| path.is_absolute())
        .map(|path| places.staged_name(path))
        .filter(|path| all.iter().any(|directory| directory.starts_with(path)))
        .collect()
}

/// Removes the empty ones of `directories`, inner ones first. One that holds another's files stays.
pub fn remove_empty(places: &InstallPlaces, directories: &BTreeSet<PathBuf>) {
    for directory in directories.iter().rev() {
        if fs::remove_dir(directory).is_ok() {
            places.change("remove directory", directory);
        }
    }
}

/// Waits until no other run works in `directory`, and keeps others out while the file is open, as
/// far as its file system has locks. `None` if the directory does not exist any more.
pub fn lock(directory: &Path) -> Result<Option<File>, String> {
    loop {
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(libc::O_DIRECTORY);
        let file = match options.open(directory) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file.map_err(|error| failure(directory, "cannot be listed", &error))?,
        };
        let _ = flock(&file, FlockOperation::LockExclusive);
        // The run that had the lock may have removed the directory.
        if let (Ok(now), Ok(then)) = (fs::metadata(directory), file.metadata())
            && (now.dev(), now.ino()) == (then.dev(), then.ino())
        {
            return Ok(Some(file));
        }
    }
}
