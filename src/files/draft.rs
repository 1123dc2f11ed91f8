//! A new content on its way to a file's place: written where nobody sees it, then put there in one step.
//!
//! The draft has no name while it is written (`O_TMPFILE`, `open(2)`), so whoever is killed leaves nothing behind. A
//! name is needed for the one moment in which it takes the old file's place, and that moment cannot be interrupted.
//! File systems without nameless files, and roots without `/proc`, get a hidden one with a name, and a process that
//! removes it if the tool dies.

use std::ffi::OsString;
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::PathBuf;

use rustix::fs::{
    Access, AtFlags, CWD, Mode, OFlags, access, fdatasync, fstatfs, linkat, openat, renameat,
    unlinkat,
};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, WaitOptions, setsid, waitpid};

use super::detached;
use super::target::Target;

/// A file that is being written and has no place yet. Dropped, it is gone.
pub struct Draft {
    /// Where the content goes.
    pub file: File,
    named: Option<Named>,
}

impl Draft {
    /// A new, empty draft in the directory of `target`.
    pub fn create(target: &Target, mode: Mode) -> Result<Self, Errno> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        match openat(&target.directory, c".", flags, mode) {
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
            ) => Self::create_named(target, mode),
            Err(errno) => Err(errno),
        }
    }

    fn create_named(target: &Target, mode: Mode) -> Result<Self, Errno> {
        let named = Named::reserve(target)?;
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC;
        let file = openat(&target.directory, &named.name, flags, mode)?;
        Ok(Self {
            file: file.into(),
            named: Some(named),
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
        let nameless = PathBuf::from(format!("/proc/self/fd/{}", self.file.as_raw_fd()));
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
        detached::run(&mut || {
            linkat(CWD, &nameless, directory, &name, AtFlags::SYMLINK_FOLLOW)?;
            renameat(directory, &name, directory, &target.name).inspect_err(|_| {
                let _ = unlinkat(directory, &name, AtFlags::empty());
            })
        })
    }

    /// Sees to it that the content reaches the disk before the name does, lest a power failure leave an empty file.
    /// ext4 and btrfs do that themselves where one file replaces another (`auto_da_alloc` in ext4(5)), and memory
    /// has no disk.
    fn settle(&self, replaces: bool) -> Result<(), Errno> {
        const EXT4: i64 = 0xEF53;
        const BTRFS: i64 = 0x9123_683E;
        const TMPFS: i64 = 0x0102_1994;
        #[expect(
            clippy::useless_conversion,
            reason = "the field's width is the platform's"
        )]
        let kind = i64::from(fstatfs(&self.file)?.f_type);
        if kind == TMPFS {
            return Ok(());
        }
        if replaces && (kind == EXT4 || kind == BTRFS) {
            self.start_writing();
            return Ok(());
        }
        fdatasync(&self.file)
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
    fn reserve(target: &Target) -> Result<Self, Errno> {
        let name = hidden_name();
        let directory = target.directory.try_clone().map_err(|_| Errno::MFILE)?;
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
    let _ = read_past_interruptions(tether);
    // Nothing of that name is left where the draft took its place.
    let _ = unlinkat(directory, name, AtFlags::empty());
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
            let mut draft = make(&target, Mode::from_raw_mode(0o600)).unwrap();
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
            drop(make(&target, Mode::from_raw_mode(0o600)).unwrap());
            assert!(names_in(directory.path()).is_empty());
        }
    }
}
