//! The directories that had to be made: making, recording and removing them, and the lock.
//!
//! The record is a file in the links' directory, a line each, from the root on without `DESTDIR`,
//! with a slash at its end. Installers of version 0.1.0 wrote the same.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{Access, FlockOperation, access, flock};
use rustix::io::Errno;

use super::owned;
use super::places::Places;
use super::{Refusal, Report, shown};
use crate::console::exit::PROGRAM;
use crate::sort::Sort;

/// How long another run may take that works in the same directory.
const TIMEOUT: Duration = Duration::from_secs(60);

/// How often it is looked whether that run has ended.
const ASK_EVERY: Duration = Duration::from_millis(20);

/// Keeps other runs out of the directory as long as it lives.
pub struct Lock {
    /// None where this user may not list it.
    _directory: Option<File>,
}

/// Refuses unless `directory` is there and may be written to, or can be made.
pub fn require_writable(directory: &Path) -> Result<(), Refusal> {
    let there = directory.ancestors().find(|one| owned::is_there(one));
    let there = there.unwrap_or(directory);
    if !there.is_dir() {
        return Err(Refusal(format!(
            "{} cannot be made: {} is not a directory",
            shown(directory),
            shown(there)
        )));
    }
    access(there, Access::WRITE_OK | Access::EXEC_OK).map_err(|_| {
        Refusal(format!(
            "{} is not writable; choose another place, or become who may write there",
            shown(there)
        ))
    })
}

/// Makes what is missing of the links' directory, and keeps other runs out of it.
pub fn make_tools(places: &Places, report: &Report) -> Result<Option<Lock>, Refusal> {
    // Another run may remove the directory before it is locked.
    for _ in 0..100 {
        let mut made = Vec::new();
        let done = missing(&places.tools).iter().try_for_each(|directory| {
            if report.change("make directory", directory) && make(directory)? {
                made.push(directory.clone());
            }
            Ok(())
        });
        if report.dry_run {
            return Ok(None);
        }
        if let Err(refusal) = done.and_then(|()| record(places, &made)) {
            // What cannot be recorded is not left behind.
            if made.contains(&places.tools) {
                let _ = fs::remove_file(places.record());
            }
            for directory in made.iter().rev() {
                let _ = fs::remove_dir(directory);
            }
            return Err(refusal);
        }
        if let Some(lock) = lock(&places.tools)? {
            return Ok(Some(lock));
        }
    }
    Err(Refusal(format!(
        "{} was removed again and again while it was made",
        shown(&places.tools)
    )))
}

/// Makes what is missing of `directories`. Each is recorded first, so that a run that is killed
/// leaves none that nobody knows of.
pub fn make_others(
    places: &Places,
    directories: &[PathBuf],
    report: &Report,
) -> Result<(), Refusal> {
    let mut announced: Vec<PathBuf> = missing(&places.tools);
    for directory in directories.iter().flat_map(|one| missing(one)) {
        if announced.contains(&directory) {
            continue;
        }
        if report.change("make directory", &directory) {
            record(places, std::slice::from_ref(&directory))?;
            make(&directory)?;
        }
        announced.push(directory);
    }
    Ok(())
}

/// What is missing of `directory`, outermost first.
fn missing(directory: &Path) -> Vec<PathBuf> {
    let above = directory.ancestors();
    let missing = above.take_while(|one| !owned::is_there(one));
    let mut missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
    missing.reverse();
    missing
}

/// Makes `directory`. False if somebody else just did.
fn make(directory: &Path) -> Result<bool, Refusal> {
    match fs::create_dir(directory) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists && directory.is_dir() => Ok(false),
        Err(error) => Err(Refusal::new(directory, "cannot be made", &error)),
    }
}

/// Adds `made` to the record.
fn record(places: &Places, made: &[PathBuf]) -> Result<(), Refusal> {
    if made.is_empty() {
        return Ok(());
    }
    let path = places.record();
    let mut lines = Vec::new();
    for directory in made {
        lines.extend_from_slice(places.final_name(directory).as_os_str().as_bytes());
        lines.extend_from_slice(b"/\n");
    }
    OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o644)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(&path)
        .and_then(|mut file| file.write_all(&lines))
        .map_err(|error| Refusal::new(&path, "cannot be written", &error))
}

/// The directories that the record names, as they are called now, the innermost first. Only what
/// this program can have made counts, whatever else the record says.
pub fn recorded(places: &Places) -> Vec<PathBuf> {
    let record = owned::read(&places.record(), owned::LONGEST_PAGE).unwrap_or_default();
    let all = places.directories();
    let mut recorded: Vec<PathBuf> = entries(&record)
        .map(|entry| places.staged_name(&entry.components().collect::<PathBuf>()))
        .filter(|entry| all.iter().any(|directory| directory.starts_with(entry)))
        .collect();
    recorded.arrange();
    recorded.dedup();
    recorded.reverse();
    recorded
}

/// The paths in `record`. A name may have a newline in it, so a path goes on until one begins anew.
fn entries(record: &[u8]) -> impl Iterator<Item = PathBuf> {
    let mut entries: Vec<Vec<u8>> = Vec::new();
    for line in record.split(|byte| *byte == b'\n') {
        match entries.last_mut() {
            Some(last) if !last.ends_with(b"/") => {
                last.push(b'\n');
                last.extend_from_slice(line);
            }
            _ if line.starts_with(b"/") => entries.push(line.to_vec()),
            _ => {}
        }
    }
    let entries = entries.into_iter();
    entries
        .filter(|entry| entry.ends_with(b"/"))
        .map(|entry| PathBuf::from(OsString::from_vec(entry)))
}

/// Removes those of `directories` that are empty. What somebody else has put there stays.
pub fn remove_empty<'a>(directories: impl Iterator<Item = &'a PathBuf>, report: &Report) {
    for directory in directories {
        if fs::remove_dir(directory).is_ok() {
            report.change("remove directory", directory);
        }
    }
}

/// Keeps other runs out of `directory`, as far as its file system has locks; none where it is not
/// there.
pub fn lock(directory: &Path) -> Result<Option<Lock>, Refusal> {
    let deadline = Instant::now() + TIMEOUT;
    loop {
        let file = match File::open(directory) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(_) => return Ok(Some(Lock { _directory: None })),
        };
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK | Errno::INTR) if Instant::now() < deadline => {
                thread::sleep(ASK_EVERY);
            }
            Err(Errno::WOULDBLOCK) => {
                return Err(Refusal(format!(
                    "another `{PROGRAM} link` has been at work in {} for {} seconds; nothing was \
                     changed",
                    shown(directory),
                    TIMEOUT.as_secs()
                )));
            }
            _ if is_still(directory, &file) => {
                return Ok(Some(Lock {
                    _directory: Some(file),
                }));
            }
            _ => {}
        }
    }
}

/// Whether `file` is the directory of that name: the run that had the lock may have removed it.
fn is_still(directory: &Path, file: &File) -> bool {
    match (fs::metadata(directory), file.metadata()) {
        (Ok(now), Ok(then)) => (now.dev(), now.ino()) == (then.dev(), then.ino()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_whatever_is_in_the_names() {
        for (record, paths) in [
            ("/a/\n/a/b/\n", &["/a/", "/a/b/"][..]),
            ("/a\nb/\n/a\nb/c/\n", &["/a\nb/", "/a\nb/c/"]),
            ("b/\n/a/\n", &["/a/"]),
            ("/a/\n/cut", &["/a/"]),
            ("", &[]),
        ] {
            let read: Vec<PathBuf> = entries(record.as_bytes()).collect();
            let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
            assert_eq!(read, paths, "{record:?}");
            let same = |(one, other): (&PathBuf, &PathBuf)| one.as_os_str() == other.as_os_str();
            assert!(read.iter().zip(&paths).all(same));
        }
    }
}
