//! The guard of a draft, or of a server's directory for temporary files: a process that removes it
//! if the tool or server dies before it can.
//!
//! What is killed with SIGKILL removes nothing itself. The guard leads a session of its own, out of
//! reach of signals to the tool's process group, and holds the reading end of a pipe whose writing
//! end only the tool has: the pipe's end is the tool's. A draft needs it only if a file cannot be
//! written without a name (`O_TMPFILE` in `open(2)`).

use std::ffi::OsStr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, openat, unlinkat};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, WaitOptions, setsid, waitpid};

use crate::sandbox::open_descriptors::{FIRST_AFTER_STREAMS, close_all_but};
use crate::sandbox::own_process::OwnProcess;
use crate::sandbox::scratch::ScratchDirectory;

/// The time in which a server's calls end once it has vanished.
const CALLS_END_WITHIN: Duration = Duration::from_secs(1);

/// A guard, as the tool or server holds it. When it is dropped, the guard removes what it guards,
/// unless it was dismissed, and ends.
pub struct RemovalGuard {
    /// Held open for as long as this process lives.
    lifeline: Option<OwnedFd>,
    /// `None` if no process could be made: the name is then as safe as the tool itself.
    process: Option<Pid>,
}

impl RemovalGuard {
    /// Starts a guard of `name` in `directory`. If no process can be made, the name is not guarded.
    ///
    /// # Errors
    /// Those of `pipe2(2)`.
    pub fn of_draft(directory: &OwnedFd, name: &OsStr) -> Result<Self, Errno> {
        Self::start(directory.as_fd(), || {
            // A draft that took its place has left that name.
            let _ = unlinkat(directory, name, AtFlags::empty());
        })
    }

    /// Starts a guard of a directory that a server's calls use, which end when the server does.
    ///
    /// # Errors
    /// Those of `pipe2(2)`.
    pub fn of_directory(directory: &ScratchDirectory) -> Result<Self, Errno> {
        Self::start(directory.parent(), || {
            std::thread::sleep(CALLS_END_WITHIN);
            directory.remove();
        })
    }

    /// Starts a guard that calls `remove`, which makes system calls only, in `directory`.
    fn start(directory: BorrowedFd<'_>, remove: impl FnOnce()) -> Result<Self, Errno> {
        let (tether, lifeline) = pipe_with(PipeFlags::CLOEXEC)?;
        let (ready, unready) = pipe_with(PipeFlags::CLOEXEC)?;
        let mut open = [&tether.as_fd(), &unready.as_fd(), &directory].map(AsRawFd::as_raw_fd);
        // SAFETY: the child makes system calls only, which need no lock that another thread might
        // hold.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            close_all_but(FIRST_AFTER_STREAMS, &mut open);
            leave_the_tool();
            drop(unready);
            // One byte is the dismissal.
            if read_past_interruptions(&tether) != Ok(1) {
                remove();
            }
            // SAFETY: ends the process without running the handlers that the parent registered for
            // its end.
            unsafe { libc::_exit(0) }
        }
        let process = if pid > 0 { Pid::from_raw(pid) } else { None };
        // The name must not exist before the guard is out of reach of signals to the tool and its
        // group.
        drop(unready);
        let _ = read_past_interruptions(&ready);
        Ok(Self {
            lifeline: Some(lifeline),
            process,
        })
    }

    /// The descriptor that a dismissal takes.
    pub fn lifeline(&self) -> Option<BorrowedFd<'_>> {
        self.lifeline.as_ref().map(AsFd::as_fd)
    }

    /// Keeps what it guards from now on, even if this process dies. Makes one system call.
    pub fn dismiss(&self) {
        if let Some(lifeline) = &self.lifeline {
            // A guard that is gone already needs no dismissal.
            let _ = rustix::io::write(lifeline, b".");
        }
    }
}

impl RemovalGuard {
    /// Returns the process that removes what is left, if there is one.
    #[must_use]
    pub fn process(&self) -> Option<Pid> {
        self.process
    }
}

impl Drop for RemovalGuard {
    fn drop(&mut self) {
        drop(self.lifeline.take());
        if let Some(process) = self.process {
            let _ = waitpid(Some(process), WaitOptions::empty());
        }
    }
}

/// Gives the guard its name and a session of its own, and takes the tool's streams from it.
fn leave_the_tool() {
    OwnProcess::Guard.take_name();
    let _ = setsid();
    let flags = OFlags::RDWR | OFlags::CLOEXEC;
    if let Ok(null) = openat(CWD, c"/dev/null", flags, Mode::empty()) {
        // A host that waits for the end of the tool's streams must not wait for the guard.
        let _ = rustix::stdio::dup2_stdin(null.as_fd());
        let _ = rustix::stdio::dup2_stdout(null.as_fd());
        let _ = rustix::stdio::dup2_stderr(null.as_fd());
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
    use super::*;

    fn catch_reader_panic() -> (tempfile::TempDir, std::path::PathBuf, RemovalGuard) {
        let here = tempfile::tempdir().unwrap();
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = openat(CWD, here.path(), flags, Mode::empty()).unwrap();
        let guard = RemovalGuard::of_draft(&directory, OsStr::new("draft")).unwrap();
        let file = here.path().join("draft");
        std::fs::write(&file, "half").unwrap();
        (here, file, guard)
    }

    #[test]
    fn a_guard_removes_the_name_when_it_is_let_go() {
        let (_here, file, guard) = catch_reader_panic();
        assert!(file.exists());
        drop(guard);
        assert!(!file.exists());
    }

    #[test]
    fn a_guard_that_was_dismissed_leaves_the_name() {
        let (_here, file, guard) = catch_reader_panic();
        guard.dismiss();
        drop(guard);
        assert!(file.exists());
    }
}
