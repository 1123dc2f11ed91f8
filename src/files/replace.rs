//! Replacing a file's content whole or not at all, and nothing else of it.

use std::fs::File;
use std::io::{Seek, Write};
use std::path::Path;
use std::time::Instant;

use rustix::fs::{
    Access, AtFlags, FallocateFlags, MemfdFlags, Mode, OFlags, SeekFrom, accessat, fallocate,
    fstat, ftruncate, memfd_create, openat, seek, statat,
};
use rustix::io::{Errno, pread, write as write_some};

use super::draft::Draft;
use super::regular::{FileError, Reason, RegularFile};
use super::target::Target;
use super::{detached, lock, preserve};

/// Writes a file's new content, whole, to where it is told.
pub type Fill<'a> = &'a mut dyn FnMut(&mut File) -> Result<(), FileError>;

/// Gives the file at `path` the content `content`, or makes it. Links are followed; mode, owner, attributes and hard
/// links stay.
pub fn write(path: &Path, content: &[u8]) -> Result<(), FileError> {
    let mut fill = |file: &mut File| file.write_all(content).map_err(|error| writing(&error));
    let target = Target::resolve(path)?;
    match open_locked(&target, OFlags::WRONLY) {
        Ok(old) => replace(&target, &old, &mut fill),
        Err(FileError::NotFound) if target.replaceable => create(&target, &mut fill),
        Err(error) => Err(error),
    }
}

/// The kind that a failed write through the standard library is.
pub fn writing(error: &std::io::Error) -> FileError {
    match Errno::from_io_error(error) {
        Some(errno) => FileError::writing(errno),
        None => FileError::Write(Reason::new(&error.to_string())),
    }
}

/// What is said where a file is no longer what was read.
pub fn changed() -> FileError {
    FileError::Write(Reason::new(
        "somebody else changed it meanwhile; read it again",
    ))
}

/// Opens what is at `target`, and locks it against other writers for as long as it is open.
pub fn open_locked(target: &Target, access: OFlags) -> Result<RegularFile, FileError> {
    let deadline = Instant::now() + lock::PATIENCE;
    loop {
        let old = open(target, access)?;
        lock::lock(&old.file, deadline);
        let file = RegularFile::check(old.file)?;
        // Another writer may have replaced the file between the two steps; what is locked then is the old one.
        if is_at(target, &file) || Instant::now() >= deadline {
            return Ok(file);
        }
    }
}

fn open(target: &Target, access: OFlags) -> Result<RegularFile, FileError> {
    if !target.replaceable {
        return RegularFile::open(&target.path, access);
    }
    // A name, not a file, was resolved: it is a file that is asked for, and looking first wakes no FIFO's writer.
    let found = statat(&target.directory, &target.name, AtFlags::SYMLINK_NOFOLLOW);
    RegularFile::permit(&found.map_err(FileError::opening)?)?;
    let flags = OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
    match openat(
        &target.directory,
        &target.name,
        access | flags,
        Mode::empty(),
    ) {
        Ok(file) => RegularFile::check(file.into()),
        Err(Errno::TXTBSY) => open_program(target, flags),
        Err(errno) => Err(FileError::opening(errno)),
    }
}

/// A program that is running cannot be opened for writing, but replaced it can be, by whoever may write it.
fn open_program(target: &Target, flags: OFlags) -> Result<RegularFile, FileError> {
    accessat(
        &target.directory,
        &target.name,
        Access::WRITE_OK,
        AtFlags::EACCESS,
    )
    .map_err(FileError::opening)?;
    let file = openat(
        &target.directory,
        &target.name,
        OFlags::RDONLY | flags,
        Mode::empty(),
    );
    RegularFile::check(file.map_err(FileError::opening)?.into())
}

/// Whether `file` is what is at `target` now, untouched since its status was read.
fn is_at(target: &Target, file: &RegularFile) -> bool {
    let there = if target.replaceable {
        statat(&target.directory, &target.name, AtFlags::SYMLINK_NOFOLLOW)
    } else {
        fstat(&file.file)
    };
    let then = &file.stat;
    there.is_ok_and(|now| {
        (now.st_dev, now.st_ino, now.st_size) == (then.st_dev, then.st_ino, then.st_size)
            && (now.st_mtime, now.st_mtime_nsec) == (then.st_mtime, then.st_mtime_nsec)
    })
}

fn create(target: &Target, fill: Fill<'_>) -> Result<(), FileError> {
    // The system takes the umask off, or applies the directory's default ACL.
    let everybody = Mode::from_raw_mode(0o666);
    let mut draft = Draft::create(target, everybody).map_err(FileError::opening)?;
    fill(&mut draft.file)?;
    draft
        .put_in_place(target, false)
        .map_err(FileError::writing)
}

/// Gives `old`, which is what is at `target`, the content that `fill` writes.
///
/// # Errors
/// [`FileError::Write`] where somebody else changed or replaced it since; nothing is written then.
pub fn replace(target: &Target, old: &RegularFile, fill: Fill<'_>) -> Result<(), FileError> {
    // A rename would part a file from its other names.
    let alone = old.stat.st_nlink == 1;
    if target.replaceable && alone && !target.only_grows() && replace_by_rename(target, old, fill)?
    {
        return Ok(());
    }
    replace_in_place(target, old, fill)
}

/// Tells whether it was possible. A full disk is an error: writing in place would not find more room.
fn replace_by_rename(
    target: &Target,
    old: &RegularFile,
    fill: Fill<'_>,
) -> Result<bool, FileError> {
    let owner_alone = Mode::from_raw_mode(0o600);
    let mut draft = match Draft::create(target, owner_alone) {
        Ok(draft) => draft,
        Err(errno) => return not_possible(errno),
    };
    fill(&mut draft.file)?;
    if let Err(errno) = preserve::copy_attributes(&old.file, &old.stat, &draft.file) {
        return not_possible(errno);
    }
    if !is_at(target, old) {
        return Err(changed());
    }
    match draft.put_in_place(target, true) {
        Ok(()) => Ok(true),
        Err(errno) => not_possible(errno),
    }
}

fn not_possible(errno: Errno) -> Result<bool, FileError> {
    match FileError::writing(errno) {
        FileError::NoSpace => Err(FileError::NoSpace),
        _ => Ok(false),
    }
}

/// Overwrites `old` itself, for want of a way to put another file in its place. The content is complete and its room
/// is there before the first byte is touched, and what is begun is carried out even if the tool is killed.
fn replace_in_place(target: &Target, old: &RegularFile, fill: Fill<'_>) -> Result<(), FileError> {
    let scratch = memfd_create("content", MemfdFlags::CLOEXEC).map_err(FileError::writing)?;
    let mut scratch = File::from(scratch);
    fill(&mut scratch)?;
    let length = scratch.stream_position().map_err(|error| writing(&error))?;
    if !is_at(target, old) {
        return Err(changed());
    }
    // Making room takes them away already.
    let capabilities = preserve::capabilities(&old.file);
    let old_length = u64::try_from(old.stat.st_size).unwrap_or(0);
    let room = fallocate(&old.file, FallocateFlags::KEEP_SIZE, 0, length.max(1));
    if let Err(errno @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG)) = room {
        return Err(FileError::writing(errno));
    }
    let before = match room {
        Ok(()) => None,
        Err(_) => content_of(target, old),
    };
    let mode = preserve::mode_of(&old.stat);
    let steps = &mut || {
        if let Err(errno) = overwrite(&scratch, &old.file, length) {
            // What was there has room where it was.
            if let Some(before) = &before {
                let _ = overwrite(before, &old.file, old_length);
            }
            return Err(errno);
        }
        // Writing takes them away, and not everybody can give them back; the content is there either way.
        let _ = preserve::restore(&old.file, mode, capabilities.as_deref());
        Ok(())
    };
    detached::run(steps).map_err(|errno| match errno {
        Errno::BADF => FileError::Open(Reason::new("it is a program that is running")),
        errno => FileError::writing(errno),
    })
}

/// The content of the file `old`, which is what is at `target`, in memory: for where room for another cannot be had in
/// advance. `None` where there is nothing to be read.
fn content_of(target: &Target, old: &RegularFile) -> Option<File> {
    let length = u64::try_from(old.stat.st_size)
        .ok()
        .filter(|&size| size > 0)?;
    let mut source = RegularFile::open(&target.path, OFlags::RDONLY).ok()?.file;
    let mut copy = File::from(memfd_create("before", MemfdFlags::CLOEXEC).ok()?);
    (std::io::copy(&mut source, &mut copy).ok()? == length).then_some(copy)
}

fn overwrite(content: &File, file: &File, length: u64) -> Result<(), Errno> {
    let mut buffer = [0; 16 * 1024];
    let mut at = 0;
    // What is made up as it is read has no positions, and is at its beginning anyway.
    let _ = seek(file, SeekFrom::Start(0));
    while at < length {
        let count = pread(content, &mut buffer[..], at)?;
        let mut rest = &buffer[..count];
        while !rest.is_empty() {
            match write_some(file, rest) {
                Ok(bytes) => rest = &rest[bytes..],
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno),
            }
        }
        if count == 0 {
            return Err(Errno::IO);
        }
        at += count as u64;
    }
    let written = fstat(file)?;
    if u64::try_from(written.st_size).is_ok_and(|size| size > length) {
        ftruncate(file, length)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::edit::edit;
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
            let target = Target::resolve(&path).ok().unwrap();
            let old = fs::File::options().read(true).write(true).open(&path);
            let newer = directory.path().join("newer");
            fs::write(&newer, "newer").unwrap();
            fs::rename(&newer, &path).unwrap();
            let old = RegularFile::check(old.unwrap()).ok().unwrap();
            let result = replace(&target, &old, &mut |file| {
                file.write_all(b"ours").map_err(|error| writing(&error))
            });
            assert!(matches!(result, Err(FileError::Write(_))), "{other_names}");
            assert_eq!(fs::read(&path).unwrap(), b"newer");
        }
    }

    #[test]
    fn of_many_edits_at_once_none_is_lost() {
        const WRITERS: usize = 8;
        const EDITS: usize = 60;
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
                        let result = edit(path, old.as_bytes(), new.as_bytes(), false);
                        assert!(matches!(result, Ok(1)), "{n}: {result:?}");
                    }
                });
            }
        });
        assert_eq!(fs::read_to_string(&path).unwrap(), words("!"));
    }
}
