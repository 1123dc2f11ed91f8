//! A new content on its way to a file's place: written where nobody sees it, then put there in one step.
//!
//! The draft has no name while it is written (`O_TMPFILE`, `open(2)`), so whoever is killed leaves nothing behind. A
//! name is needed for the one moment in which it takes the old file's place, and that moment cannot be interrupted.
//! File systems without nameless files, and roots without `/proc`, get a hidden one with a name, and a process that
//! removes it if the tool dies.
//!
//! Where a file has to be overwritten itself, its draft gets a name too, for as long as the old content and the new are
//! mixed there: whatever happens then, the new content is to be found.

use std::ffi::OsString;
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::PathBuf;

use rustix::fs::{
    Access, AtFlags, CWD, MemfdFlags, Mode, OFlags, access, fdatasync, fstat, fstatfs, fsync,
    linkat, memfd_create, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, WaitOptions, setsid, waitpid};

use super::target::Target;
use crate::sandbox::detached;

/// A file that is being written and has no place yet. Dropped, it is gone.
pub struct Draft {
    /// Where the content goes.
    pub file: File,
    named: Option<Named>,
}

impl Draft {
    /// A new, empty draft in `directory`.
    pub fn create(directory: &OwnedFd, mode: Mode) -> Result<Self, Errno> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        match openat(directory, c".", flags, mode) {
            Ok(file) if can_be_named() => Ok(Self {
                file: file.into(),
                named: None,
            }),
            // The last is said of a directory that is gone, too, where trying to make a name tells more.
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
        let named = Named::reserve(directory)?;
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC;
        let file = openat(directory, &named.name, flags, mode)?;
        Ok(Self {
            file: file.into(),
            named: Some(named),
        })
    }

    /// A new, empty draft in memory, which never gets a place.
    pub fn in_memory() -> Result<Self, Errno> {
        Ok(Self {
            file: memfd_create("draft", MemfdFlags::CLOEXEC)?.into(),
            named: None,
        })
    }

    /// Takes the place of whatever is at `target`; where `replaces` says that there is nothing, one step may do.
    pub fn put_in_place(mut self, target: &Target, replaces: bool) -> Result<(), Errno> {
        self.settle(replaces)?;
        let directory = &target.directory;
        if let Some(named) = &mut self.named {
            renameat(directory, &named.name, directory, &target.name)?;
            named.gone = true;
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
                // Somebody else has made one meanwhile.
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
        match detached::run(&mut || detached::code_of(name_and_rename())) {
            Some(code) => detached::result_of(code),
            // Killed somewhere on the way. What it left is taken away, and unless all was done already, done again.
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

    /// Whether what is at `target` is this very file.
    fn is_at(&self, target: &Target) -> bool {
        let there = statat(&target.directory, &target.name, AtFlags::SYMLINK_NOFOLLOW);
        let here = fstat(&self.file);
        matches!((there, here), (Ok(there), Ok(here))
            if (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino))
    }

    /// How a nameless file is called.
    fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.file.as_raw_fd()))
    }

    /// What [`Standing::stand`] needs, in the directory where the draft was created.
    pub fn standing(&self, directory: OwnedFd) -> Standing {
        Standing {
            nameless: self.named.is_none().then(|| self.path()),
            name: match &self.named {
                Some(named) => named.name.clone(),
                None => hidden_name(),
            },
            directory,
        }
    }

    /// Has the draft stay where it stands when it is dropped.
    pub fn leave(&mut self) {
        if let Some(named) = &mut self.named {
            named.dismiss_guard();
            named.gone = true;
        }
    }

    /// Has the draft stay even if this process and the one that writes die. System calls alone.
    pub fn outlive(&self) {
        if let Some(named) = &self.named {
            named.dismiss_guard();
        }
    }

    /// Sees to it that the content reaches the disk before the name does, lest a power failure leave an empty file.
    /// ext4 and btrfs do that themselves where one file replaces another (`auto_da_alloc` in ext4(5)), and memory
    /// has no disk.
    fn settle(&self, replaces: bool) -> Result<(), Errno> {
        const EXT4: i64 = 0xEF53;
        const BTRFS: i64 = 0x9123_683E;
        let kind = kind_of(&self.file)?;
        if kind == TMPFS {
            return Ok(());
        }
        if replaces && (kind == EXT4 || kind == BTRFS) {
            self.start_writing();
            return Ok(());
        }
        fdatasync(&self.file)
    }

    /// Sees to it that the content is on the disk, where there is one.
    pub fn sync(&self) -> Result<(), Errno> {
        if in_memory(&self.file)? {
            Ok(())
        } else {
            fsync(&self.file)
        }
    }

    /// Lets the system find room on the disk and begin to write, without waiting for the end. Else those file systems
    /// do it within the renaming, and for so long the draft has a name that people see.
    fn start_writing(&self) {
        // SAFETY: takes a descriptor, which is open, and numbers. A failure changes nothing but when it is done.
        let _ = unsafe {
            libc::sync_file_range(self.file.as_raw_fd(), 0, 0, libc::SYNC_FILE_RANGE_WRITE)
        };
    }
}

/// Whether there is no disk behind `file`.
pub fn in_memory(file: &File) -> Result<bool, Errno> {
    Ok(kind_of(file)? == TMPFS)
}

const TMPFS: i64 = 0x0102_1994;

/// The kind of the file system that holds `file` (`statfs(2)`).
#[expect(
    clippy::useless_conversion,
    reason = "the field's width is the platform's"
)]
pub fn kind_of(file: &File) -> Result<i64, Errno> {
    Ok(i64::from(fstatfs(file)?.f_type))
}

/// The name of a draft while a file is being overwritten with it.
pub struct Standing {
    /// Where the draft is.
    pub directory: OwnedFd,
    /// Its name there.
    pub name: OsString,
    /// How it is called until then, where it has no name yet.
    nameless: Option<PathBuf>,
}

impl Standing {
    /// Gives the draft its name. Where it cannot have one it is as good as one in memory.
    pub fn stand(&self) {
        if let Some(nameless) = &self.nameless {
            let flags = AtFlags::SYMLINK_FOLLOW;
            let _ = linkat(CWD, nameless, &self.directory, &self.name, flags);
        }
    }

    /// Takes it away again.
    pub fn fall(&self) {
        let _ = unlinkat(&self.directory, &self.name, AtFlags::empty());
    }

    /// Whether the draft is there.
    pub fn stands(&self) -> bool {
        statat(&self.directory, &self.name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }
}

/// Whether a nameless file can be given a name: that goes by `/proc` (`open(2)`), which a bare root may lack.
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

/// A draft's name, and the process that removes it if this one dies.
struct Named {
    name: OsString,
    directory: OwnedFd,
    gone: bool,
    /// Held open as long as this process lives.
    lifeline: Option<OwnedFd>,
    guard: Option<Pid>,
}

impl Named {
    fn reserve(directory: &OwnedFd) -> Result<Self, Errno> {
        let name = hidden_name();
        let directory = directory.try_clone().map_err(|_| Errno::MFILE)?;
        let (tether, lifeline) = pipe_with(PipeFlags::CLOEXEC)?;
        let (ready, unready) = pipe_with(PipeFlags::CLOEXEC)?;
        // SAFETY: the child makes system calls alone, which need no lock that another thread might hold.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            drop((lifeline, ready));
            leave_the_tool();
            drop(unready);
            remove_when_alone(&tether, &directory, &name);
            // SAFETY: ends the process without running what the parent registered for its own end.
            unsafe { libc::_exit(0) }
        }
        let guard = Pid::from_raw(pid).filter(|_| pid > 0);
        // There is no name before the guard is out of reach of whatever kills the tool and its group.
        drop(unready);
        let _ = read_past_interruptions(&ready);
        Ok(Self {
            name,
            directory,
            gone: false,
            lifeline: Some(lifeline),
            guard,
        })
    }

    /// From now on the name stays, whoever dies.
    fn dismiss_guard(&self) {
        if let Some(lifeline) = &self.lifeline {
            // A guard that has gone needs no word.
            let _ = rustix::io::write(lifeline, b".");
        }
    }
}

impl Drop for Named {
    fn drop(&mut self) {
        if !self.gone {
            let _ = unlinkat(&self.directory, &self.name, AtFlags::empty());
        }
        drop(self.lifeline.take());
        if let Some(guard) = self.guard {
            let _ = waitpid(Some(guard), WaitOptions::empty());
        }
    }
}

/// The guard's beginning: a session and streams of its own.
fn leave_the_tool() {
    let _ = setsid();
    if let Ok(null) = openat(
        CWD,
        c"/dev/null",
        OFlags::RDWR | OFlags::CLOEXEC,
        Mode::empty(),
    ) {
        // A host that waits for the end of the tool's streams must not wait for the guard.
        let _ = rustix::stdio::dup2_stdin(null.as_fd());
        let _ = rustix::stdio::dup2_stdout(null.as_fd());
        let _ = rustix::stdio::dup2_stderr(null.as_fd());
    }
}

/// The guard's life: waits for the writer's end, then removes what it may have left.
fn remove_when_alone(tether: &OwnedFd, directory: &OwnedFd, name: &OsString) {
    // A word is the dismissal.
    if read_past_interruptions(tether) != Ok(1) {
        // Nothing of that name is left where the draft took its place.
        let _ = unlinkat(directory, name, AtFlags::empty());
    }
}

fn read_past_interruptions(pipe: &OwnedFd) -> Result<usize, Errno> {
    loop {
        match rustix::io::read(pipe, &mut [0; 1]) {
            Err(Errno::INTR) => {}
            done => return done,
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
        for make in [Draft::create, Draft::create_named] {
            std::fs::write(&path, "old").unwrap();
            let target = Target::resolve(&path).ok().unwrap();
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
        let target = Target::resolve(&directory.path().join("file"))
            .ok()
            .unwrap();
        for make in [Draft::create, Draft::create_named] {
            drop(make(&target.directory, Mode::from_raw_mode(0o600)).unwrap());
            assert!(names_in(directory.path()).is_empty());
        }
    }
}
