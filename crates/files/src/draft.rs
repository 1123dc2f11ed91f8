//! A file's new content on its way: written where nobody sees it, then put in place in one step.
//!
//! The draft has no name while it is written (`O_TMPFILE`, `open(2)`), so a process that is killed
//! leaves nothing behind. It needs a name for the one moment in which it replaces the old file, and
//! that moment cannot be interrupted. On file systems without nameless files, and in roots without
//! `/proc`, the draft has a hidden name, and a guard removes it if the tool dies
//! (`sandbox::guard`).
//!
//! The draft of a file that has to be overwritten in place has a name, too, for as long as the old
//! content and the new are mixed there: whatever happens then, the new content can be found.

use std::ffi::OsString;
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;

use rustix::fs::{
    Access, AtFlags, CWD, MemfdFlags, Mode, OFlags, access, fdatasync, fstat, fstatfs, fsync,
    linkat, memfd_create, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;

use super::regular::FileAccessError;
use super::target::WriteTarget;
use iki_process::sandbox::detached;
use iki_process::sandbox::guard::RemovalGuard;

/// Writes a file's whole new content into the file it is given.
pub type ContentWriter<'a> = &'a mut dyn FnMut(&mut File) -> Result<(), FileAccessError>;

/// A file that is being written and is not in place yet. Dropping it removes it.
pub struct FileDraft {
    /// The file that takes the content.
    pub file: File,
    named: Option<NamedDraft>,
}

impl FileDraft {
    /// A new, empty draft in `directory`.
    pub fn create(directory: &OwnedFd, mode: Mode) -> Result<Self, Errno> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        match openat(directory, c".", flags, mode) {
            Ok(file) if can_be_named() => Ok(Self {
                file: file.into(),
                named: None,
            }),
            // ENOENT also means that the directory is gone; the attempt to make a name tells which.
            Ok(_)
            | Err(
                Errno::OPNOTSUPP
                | Errno::ISDIR
                | Errno::INVAL
                | Errno::NOENT
                | Errno::PERM
                | Errno::NOSYS,
            ) => Self::create_named(directory, mode),
            Err(errno) => Err(errno),
        }
    }

    fn create_named(directory: &OwnedFd, mode: Mode) -> Result<Self, Errno> {
        let named = NamedDraft::reserve(directory)?;
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC;
        let file = openat(directory, &named.name, flags, mode)?;
        Ok(Self {
            file: file.into(),
            named: Some(named),
        })
    }

    /// A new, empty draft in memory, which can never be put in place.
    pub fn in_memory() -> Result<Self, Errno> {
        Ok(Self {
            file: memfd_create("draft", MemfdFlags::CLOEXEC)?.into(),
            named: None,
        })
    }

    /// Replaces whatever is at `target`. Unless `replaces` is set, nothing is expected there, and
    /// one step may be enough.
    pub fn put_in_place(mut self, target: &WriteTarget, replaces: bool) -> Result<(), Errno> {
        self.sync_before_rename(replaces)?;
        let directory = &target.directory;
        if let Some(named) = &mut self.named {
            renameat(directory, &named.name, directory, &target.name)?;
            named.is_released = true;
            return Ok(());
        }
        let nameless = self.path();
        if !replaces {
            match linkat(
                CWD,
                &nameless,
                directory,
                &target.name,
                AtFlags::SYMLINK_FOLLOW,
            ) {
                // Another process has created the file in the meantime.
                Err(Errno::EXIST) => {}
                done => return done,
            }
        }
        let name = hidden_name();
        let name_and_rename = || {
            linkat(CWD, &nameless, directory, &name, AtFlags::SYMLINK_FOLLOW)?;
            renameat(directory, &name, directory, &target.name).inspect_err(|_| {
                let _ = unlinkat(directory, &name, AtFlags::empty());
            })
        };
        let files = [self.file.as_fd(), directory.as_fd()];
        match detached::run(&files, &mut || detached::code_of(name_and_rename())) {
            Some(code) => detached::result_of(code),
            // The step was killed on the way. What it left is removed, and unless it had finished,
            // it is repeated.
            None if self.is_at(target) => {
                let _ = unlinkat(directory, &name, AtFlags::empty());
                Ok(())
            }
            None => match renameat(directory, &name, directory, &target.name) {
                Err(Errno::NOENT) => name_and_rename(),
                done => done,
            },
        }
    }

    /// True if the file at `target` is this draft.
    fn is_at(&self, target: &WriteTarget) -> bool {
        let there = statat(&target.directory, &target.name, AtFlags::SYMLINK_NOFOLLOW);
        let here = fstat(&self.file);
        matches!((there, here), (Ok(there), Ok(here))
            if (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino))
    }

    /// The path by which a nameless file can be linked.
    fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.file.as_raw_fd()))
    }

    /// The name that the draft has, or can be given, in the directory where it was created.
    pub fn name_in(&self, directory: OwnedFd) -> DraftName {
        DraftName {
            nameless: self.named.is_none().then(|| self.path()),
            name: match &self.named {
                Some(named) => named.name.clone(),
                None => hidden_name(),
            },
            directory,
        }
    }

    /// The descriptors that its use takes, apart from those of [`DraftName`].
    pub fn descriptors(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        let guard = self.named.as_ref().and_then(|named| named.guard.lifeline());
        [self.file.as_fd()].into_iter().chain(guard)
    }

    /// Keeps the draft's name when the draft is dropped.
    pub fn keep(&mut self) {
        if let Some(named) = &mut self.named {
            named.guard.dismiss();
            named.is_released = true;
        }
    }

    /// Keeps the draft's name even if this process and the writing step die. Makes system calls
    /// only.
    pub fn dismiss_guard(&self) {
        if let Some(named) = &self.named {
            named.guard.dismiss();
        }
    }

    /// Makes sure that the content reaches the disk before the name does, so that a power failure
    /// cannot leave an empty file. ext4 and btrfs do so themselves where one file replaces another
    /// (`auto_da_alloc` in ext4(5)), and tmpfs has no disk.
    fn sync_before_rename(&self, replaces: bool) -> Result<(), Errno> {
        const EXT4: i64 = 0xEF53;
        const BTRFS: i64 = 0x9123_683E;
        let kind = file_system_of(&self.file)?;
        if kind == TMPFS {
            return Ok(());
        }
        if replaces && (kind == EXT4 || kind == BTRFS) {
            self.start_writing();
            return Ok(());
        }
        fdatasync(&self.file)
    }

    /// Makes sure that the content is on the disk, if there is one.
    pub fn sync(&self) -> Result<(), Errno> {
        if in_memory(&self.file)? {
            Ok(())
        } else {
            fsync(&self.file)
        }
    }

    /// Starts allocation and writing without waiting for either. Otherwise those file systems do
    /// both inside the rename, and for that long the draft has a visible name.
    fn start_writing(&self) {
        // SAFETY: takes an open descriptor and numbers. A failure only changes when the writing is
        // done.
        let _ = unsafe {
            libc::sync_file_range(self.file.as_raw_fd(), 0, 0, libc::SYNC_FILE_RANGE_WRITE)
        };
    }
}

/// True if `file` is on tmpfs, which has no disk.
pub fn in_memory(file: &File) -> Result<bool, Errno> {
    Ok(file_system_of(file)? == TMPFS)
}

const TMPFS: i64 = 0x0102_1994;

/// The magic number of the file system that holds `file` (`statfs(2)`).
#[expect(
    clippy::useless_conversion,
    reason = "the field's width is the platform's"
)]
pub fn file_system_of(file: &File) -> Result<i64, Errno> {
    Ok(i64::from(fstatfs(file)?.f_type))
}

/// The name of a draft while a file is being overwritten with it.
pub struct DraftName {
    /// The directory that holds the draft.
    pub directory: OwnedFd,
    /// Its name there.
    pub name: OsString,
    /// The path by which it can be linked, if it has no name yet.
    nameless: Option<PathBuf>,
}

impl DraftName {
    /// Gives the draft its name. If that fails, the draft is worth as much as one in memory.
    pub fn link(&self) {
        if let Some(nameless) = &self.nameless {
            let flags = AtFlags::SYMLINK_FOLLOW;
            let _ = linkat(CWD, nameless, &self.directory, &self.name, flags);
        }
    }

    /// Removes the name again.
    pub fn unlink(&self) {
        let _ = unlinkat(&self.directory, &self.name, AtFlags::empty());
    }

    /// True if the draft has its name.
    pub fn exists(&self) -> bool {
        statat(&self.directory, &self.name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }
}

/// True if a nameless file can be given a name: that takes `/proc` (`open(2)`), which a bare root
/// may lack.
fn can_be_named() -> bool {
    access(c"/proc/self/fd", Access::EXISTS).is_ok()
}

/// A hidden name that nothing else has.
fn hidden_name() -> OsString {
    format!(
        ".ikigai-{:016x}",
        RandomState::new().build_hasher().finish()
    )
    .into()
}

/// A draft's name, and the guard that removes it if this process dies.
struct NamedDraft {
    name: OsString,
    directory: OwnedFd,
    /// True if the name must not be removed any more.
    is_released: bool,
    /// Dropped after the name has been removed.
    guard: RemovalGuard,
}

impl NamedDraft {
    fn reserve(directory: &OwnedFd) -> Result<Self, Errno> {
        let name = hidden_name();
        let directory = directory.try_clone().map_err(|_| Errno::MFILE)?;
        let guard = RemovalGuard::of_draft(&directory, &name)?;
        Ok(Self {
            name,
            directory,
            is_released: false,
            guard,
        })
    }
}

impl Drop for NamedDraft {
    fn drop(&mut self) {
        if !self.is_released {
            let _ = unlinkat(&self.directory, &self.name, AtFlags::empty());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::path::Path;

    use super::*;

    fn names_in(directory: &Path) -> Vec<OsString> {
        std::fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect()
    }

    #[test]
    fn a_draft_with_a_name_takes_its_place_as_one_without_does() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        for make in [FileDraft::create, FileDraft::create_named] {
            std::fs::write(&path, "old").unwrap();
            let target = WriteTarget::resolve(&path).ok().unwrap();
            let mut draft = make(&target.directory, Mode::from_raw_mode(0o600)).unwrap();
            draft.file.write_all(b"new").unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), b"old");
            draft.put_in_place(&target, true).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), b"new");
            assert_eq!(names_in(directory.path()), ["file"]);
        }
    }

    #[test]
    fn a_dropped_draft_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let target = WriteTarget::resolve(&directory.path().join("file"))
            .ok()
            .unwrap();
        for make in [FileDraft::create, FileDraft::create_named] {
            drop(make(&target.directory, Mode::from_raw_mode(0o600)).unwrap());
            assert!(names_in(directory.path()).is_empty());
        }
    }

    /// Ends a guard as another process might, and waits for its end.
    fn kill(guard: rustix::process::Pid) {
        use rustix::process::{Signal, WaitId, WaitIdOptions, kill_process, waitid};
        kill_process(guard, Signal::KILL).unwrap();
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(guard), options).unwrap();
    }

    #[test]
    fn a_draft_needs_no_guard_where_the_tool_lives() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        std::fs::write(&path, "old").unwrap();
        let target = WriteTarget::resolve(&path).ok().unwrap();
        let make = || {
            let draft =
                FileDraft::create_named(&target.directory, Mode::from_raw_mode(0o600)).unwrap();
            kill(draft.named.as_ref().unwrap().guard.process().unwrap());
            assert_eq!(names_in(directory.path()).len(), 2);
            draft
        };
        drop(make());
        assert_eq!(names_in(directory.path()), ["file"]);
        let mut draft = make();
        draft.file.write_all(b"new").unwrap();
        draft.put_in_place(&target, true).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert_eq!(names_in(directory.path()), ["file"]);
    }
}
