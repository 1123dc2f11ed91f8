//! Steps that, once begun, are carried out to the end even if the tool is killed.
//!
//! SIGKILL cannot be caught, but it ends only one process. The steps run in another one while this
//! one waits for its report. That process leads a group of its own, so that killing the tool's
//! group does not reach it. It shares no memory with the tool, because the kernel kills every
//! process that shares it when memory runs out. A server that ends leaves it alone, because it has
//! entered itself in the server's register (`step_register`).

use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};

use rustix::io::{Errno, read, write};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, WaitOptions, setpgid, waitpid};

use crate::sandbox::open_descriptors::close_all_but;
use crate::sandbox::own_process::OwnProcess;
use crate::sandbox::step_register;

/// Carries out `steps`, which make system calls only and use these `files`, even beyond the tool's
/// own death, and returns their result. `None` if the process that carried them out died on the
/// way: how far it got is not known.
pub fn run(files: &[BorrowedFd<'_>], steps: &mut dyn FnMut() -> u32) -> Option<u32> {
    let Ok((outcome, report)) = pipe_with(PipeFlags::CLOEXEC) else {
        return Some(steps());
    };
    // The register as well: the entry there is gone when it is closed.
    let register = step_register::handed_down();
    let files = files.iter().copied().chain(register);
    let mut exceptions: Vec<RawFd> = files.map(|file| file.as_raw_fd()).collect();
    exceptions.push(report.as_raw_fd());
    // SAFETY: the child makes system calls only, which need no lock that another thread might
    // hold.
    match unsafe { libc::fork() } {
        // No process can be had: the steps are then as safe as the tool itself.
        -1 => Some(steps()),
        0 => {
            // Its streams too: a host may be waiting for their end.
            close_all_but(0, &mut exceptions);
            detach_from_tool();
            let result = steps();
            // A tool that is gone needs no report.
            let _ = write(&report, &result.to_ne_bytes());
            // SAFETY: ends the process without running the handlers that the parent registered for
            // its end.
            unsafe { libc::_exit(0) }
        }
        pid => {
            drop(report);
            let result = reported(&outcome);
            if let Some(pid) = Pid::from_raw(pid) {
                while let Err(Errno::INTR) = waitpid(Some(pid), WaitOptions::empty()) {}
            }
            result
        }
    }
}

/// A result as a number, for [`run`].
#[must_use]
pub fn code_of(result: Result<(), Errno>) -> u32 {
    result.map_or_else(|errno| errno.raw_os_error().unsigned_abs(), |()| 0)
}

/// The result that such a number stands for.
pub fn result_of(code: u32) -> Result<(), Errno> {
    match i32::try_from(code) {
        Ok(0) => Ok(()),
        // The valid error numbers (`errno(3)`, MAX_ERRNO).
        Ok(code @ 1..=4095) => Err(Errno::from_raw_os_error(code)),
        _ => Err(Errno::IO),
    }
}

/// Sets up the process that carries out the steps: a group of its own, all signals but SIGKILL and
/// SIGSTOP blocked, a name, and an entry in the register.
fn detach_from_tool() {
    // Fails only for the leader of a session, which a new process is not.
    let _ = setpgid(None, None);
    let mut all = MaybeUninit::<libc::sigset_t>::uninit();
    OwnProcess::Step.take_name();
    step_register::enter();
    // SAFETY: the set is filled before it is used.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, all.as_ptr(), std::ptr::null_mut());
    }
}

/// The result that the other process reported before its end.
fn reported(outcome: &OwnedFd) -> Option<u32> {
    let mut result = [0; 4];
    loop {
        match read(outcome, &mut result) {
            Ok(4) => return Some(u32::from_ne_bytes(result)),
            Err(Errno::INTR) => {}
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_are_carried_out_and_their_result_comes_back() {
        let mut count = 0;
        assert_eq!(run(&[], &mut || 7), Some(7));
        assert_eq!(run(&[], &mut || u32::MAX), Some(u32::MAX));
        // They ran in a process of their own: nothing here has changed.
        let result = run(&[], &mut || {
            count += 1;
            count
        });
        assert_eq!((result, count), (Some(1), 0));
    }

    #[test]
    fn steps_that_die_have_no_result() {
        let result = run(&[], &mut || {
            // SAFETY: ends the process that carries out the steps.
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
            0
        });
        assert_eq!(result, None);
    }
}
