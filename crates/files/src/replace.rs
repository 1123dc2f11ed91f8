//! Replacing a file's content, whole or not at all, and nothing but its content.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use rustix::fs::{Access, AtFlags, Mode, OFlags, accessat, openat, statat};
use rustix::io::Errno;

use super::draft::{ContentWriter, FileDraft};
use super::regular::{FileAccessError, RegularFile};
use super::target::WriteTarget;
use super::{attributes, in_place, lock};

/// Gives the file at `path` the content `content`, or creates it. Links are followed; mode, owner,
/// attributes and hard links are kept.
///
/// Waits for another writer until `end` at most.
pub fn write(path: &Path, content: &[u8], end: Option<Instant>) -> Result<(), FileAccessError> {
    let mut fill = |file: &mut File| {
        file.write_all(content)
            .map_err(|error| FileAccessError::failed_write(&error))
    };
    let target = WriteTarget::resolve(path)?;
    match open_locked(&target, OFlags::WRONLY, end) {
        Ok(old) => replace(&target, &old, &mut fill),
        Err(FileAccessError::NotFound) if target.is_replaceable => create(&target, &mut fill),
        Err(error) => Err(error),
    }
}

/// Opens the file at `target`, and locks it against other writers for as long as it is open.
///
/// # Errors
/// [`FileAccessError::Locked`] if `end` comes before another writer is through. Without `end`, one
/// that holds the file for longer than [`lock::LOCK_TIMEOUT`] is passed over.
pub fn open_locked(
    target: &WriteTarget,
    access: OFlags,
    end: Option<Instant>,
) -> Result<RegularFile, FileAccessError> {
    let patience = Instant::now() + lock::LOCK_TIMEOUT;
    let deadline = end.map_or(patience, |end| end.min(patience));
    loop {
        let old = open(target, access)?;
        let locked = lock::lock(&old.file, deadline);
        if !locked && end.is_some_and(|end| Instant::now() >= end) {
            return Err(FileAccessError::Locked);
        }
        let file = RegularFile::check(old.file)?;
        // Another writer may have replaced the file between the two steps; then the old one is
        // locked.
        if target.still_holds(&file) || Instant::now() >= deadline {
            return Ok(file);
        }
    }
}

fn open(target: &WriteTarget, access: OFlags) -> Result<RegularFile, FileAccessError> {
    if !target.is_replaceable {
        return RegularFile::open(&target.path, access);
    }
    // Only the name was resolved so far. `statat` comes first, since opening a FIFO would wake its
    // writer.
    let status = statat(&target.directory, &target.name, AtFlags::SYMLINK_NOFOLLOW);
    RegularFile::permit(&status.map_err(FileAccessError::opening)?)?;
    let flags = OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
    match openat(
        &target.directory,
        &target.name,
        access | flags,
        Mode::empty(),
    ) {
        Ok(file) => RegularFile::check(file.into()),
        Err(Errno::TXTBSY) => open_program(target, flags),
        Err(errno) => Err(FileAccessError::opening(errno)),
    }
}

/// A running program cannot be opened for writing, but whoever may write it may replace it.
fn open_program(target: &WriteTarget, flags: OFlags) -> Result<RegularFile, FileAccessError> {
    accessat(
        &target.directory,
        &target.name,
        Access::WRITE_OK,
        AtFlags::EACCESS,
    )
    .map_err(FileAccessError::opening)?;
    let file = openat(
        &target.directory,
        &target.name,
        OFlags::RDONLY | flags,
        Mode::empty(),
    );
    RegularFile::check(file.map_err(FileAccessError::opening)?.into())
}

fn create(target: &WriteTarget, fill: ContentWriter<'_>) -> Result<(), FileAccessError> {
    // The system applies the umask, or the directory's default ACL.
    let everybody = Mode::from_raw_mode(0o666);
    let mut draft =
        FileDraft::create(&target.directory, everybody).map_err(FileAccessError::opening)?;
    fill(&mut draft.file)?;
    draft
        .put_in_place(target, false)
        .map_err(|errno| match errno {
            // The directory is gone, which some file systems notice only now.
            Errno::NOENT => FileAccessError::NotFound,
            errno => FileAccessError::writing(errno),
        })
}

/// Gives `old`, the file at `target`, the content that `fill` writes.
///
/// # Errors
/// [`FileAccessError::Write`] if another program has changed or replaced it since; nothing is
/// written then.
pub fn replace(
    target: &WriteTarget,
    old: &RegularFile,
    fill: ContentWriter<'_>,
) -> Result<(), FileAccessError> {
    // A rename would separate the file from its other names.
    let alone = old.stat.st_nlink == 1;
    if target.is_replaceable
        && alone
        && !in_place::is_generated(&old.file)
        && !target.only_grows()
        && replace_by_rename(target, old, fill)?
    {
        return Ok(());
    }
    in_place::replace(target, old, fill)
}

/// Replaces the file by a rename; false if this directory does not allow one. A failing or full
/// disk is an error, because then the old content is the only good one.
fn replace_by_rename(
    target: &WriteTarget,
    old: &RegularFile,
    fill: ContentWriter<'_>,
) -> Result<bool, FileAccessError> {
    let owner_alone = Mode::from_raw_mode(0o600);
    let mut draft = match FileDraft::create(&target.directory, owner_alone) {
        Ok(draft) => draft,
        Err(errno) => return not_possible(errno),
    };
    match attributes::copy_attributes(&old.file, &old.stat, &draft.file) {
        Ok(()) => {}
        Err(errno @ (Errno::IO | Errno::STALE | Errno::NOSPC | Errno::DQUOT)) => {
            return Err(FileAccessError::writing(errno));
        }
        // Without its attributes the draft must not replace the file.
        Err(_) => return Ok(false),
    }
    fill(&mut draft.file)?;
    attributes::drop_privileges(&draft.file).map_err(FileAccessError::writing)?;
    if !target.still_holds(old) {
        return Err(FileAccessError::changed());
    }
    match draft.put_in_place(target, true) {
        Ok(()) => Ok(true),
        Err(errno) => not_possible(errno),
    }
}

/// Returns false if `errno` means that a draft and a rename are not possible here; else the write
/// has failed.
fn not_possible(errno: Errno) -> Result<bool, FileAccessError> {
    match errno {
        Errno::XDEV
        | Errno::BUSY
        | Errno::PERM
        | Errno::ACCESS
        | Errno::ROFS
        | Errno::ISDIR
        | Errno::OPNOTSUPP
        | Errno::NOSYS
        | Errno::INVAL
        | Errno::NAMETOOLONG => Ok(false),
        errno => Err(FileAccessError::writing(errno)),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::edit::{EditOptions, TextReplacement, edit};
    use super::*;

    fn directory_with(name: &str, content: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        fs::write(&path, content).unwrap();
        (directory, path)
    }

    #[test]
    fn a_file_that_was_replaced_meanwhile_is_not_written_behind_its_name() {
        for other_names in 0..2 {
            let (directory, path) = directory_with("file", "old");
            if other_names > 0 {
                fs::hard_link(&path, directory.path().join("link")).unwrap();
            }
            let target = WriteTarget::resolve(&path).ok().unwrap();
            let old = fs::File::options().read(true).write(true).open(&path);
            let newer = directory.path().join("newer");
            fs::write(&newer, "newer").unwrap();
            fs::rename(&newer, &path).unwrap();
            let old = RegularFile::check(old.unwrap()).ok().unwrap();
            let result = replace(&target, &old, &mut |file| {
                file.write_all(b"ours")
                    .map_err(|error| FileAccessError::failed_write(&error))
            });
            assert!(
                matches!(result, Err(FileAccessError::Write(_))),
                "{other_names}"
            );
            assert_eq!(fs::read(&path).unwrap(), b"newer");
        }
    }

    #[test]
    fn no_edit_is_lost_of_many_at_once() {
        const WRITERS: usize = 8;
        const EDITS: usize = 20;
        let words = |sign: &str| -> String {
            let word = |n| format!("<{n}{sign}>");
            (0..WRITERS * EDITS).map(word).collect()
        };
        let (_directory, path) = directory_with("file", &words("?"));
        std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                let path = &path;
                scope.spawn(move || {
                    for n in writer * EDITS..(writer + 1) * EDITS {
                        let (old, new) = (format!("<{n}?>"), format!("<{n}!>"));
                        // On a slow disk the others may hold the file for longer than one waits.
                        // That is refused, and nothing is written.
                        let edited = (0..20).find_map(|_| {
                            let replacement = TextReplacement {
                                old: old.as_bytes(),
                                new: new.as_bytes(),
                                replaces_all: false,
                                expected: None,
                            };
                            edit(path, &[replacement], EditOptions::default()).ok()
                        });
                        assert!(
                            edited.is_some_and(|edited| edited.made[0].count == 1),
                            "{n}"
                        );
                    }
                });
            }
        });
        assert_eq!(fs::read_to_string(&path).unwrap(), words("!"));
    }
}
