//! Steps that, once begun, are carried out to the end even if the tool is killed between them.
//!
//! SIGKILL cannot be caught, but it ends one process. The steps run in another one, in a process group of its own and
//! so out of reach of whatever kills the tool's, while this one waits. It shares this one's memory
//! (`CLONE_VM | CLONE_VFORK`, as `posix_spawn(3)` does), which makes it cheap: nothing is copied.

use std::ffi::{c_int, c_void};

use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions, setpgid, waitpid};

/// The stack that the steps run on, in bytes: they are system calls with a few local variables.
const STACK: usize = 64 * 1024;

struct Work<'a> {
    steps: &'a mut dyn FnMut() -> Result<(), Errno>,
    result: Result<(), Errno>,
}

/// Carries out `steps`, system calls alone, beyond the tool's own death if need be.
///
/// # Errors
/// Those of `steps`.
pub fn run(steps: &mut dyn FnMut() -> Result<(), Errno>) -> Result<(), Errno> {
    let mut work = Work {
        steps,
        result: Ok(()),
    };
    let mut stack = vec![0u128; STACK / size_of::<u128>()];
    let top = stack.as_mut_ptr_range().end;
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: `carry_out` gets the only pointer to `work` while this thread is suspended until it is done
    // (CLONE_VFORK), on a stack of its own that outlives it; it ends by returning, which exits that process alone.
    let pid = unsafe { libc::clone(carry_out, top.cast(), flags, (&raw mut work).cast()) };
    match Pid::from_raw(pid) {
        Some(pid) if !pid.is_init() && pid.as_raw_pid() > 0 => {
            while let Err(Errno::INTR) = waitpid(Some(pid), WaitOptions::empty()) {}
        }
        // No process to be had: the steps are then as safe as the tool itself.
        _ => work.result = (work.steps)(),
    }
    work.result
}

extern "C" fn carry_out(work: *mut c_void) -> c_int {
    // SAFETY: `run` passes a pointer to its own `work` and touches it only after this function has ended.
    let work = unsafe { &mut *work.cast::<Work<'_>>() };
    // Fails only for the leader of a session, which a new process is not.
    let _ = setpgid(None, None);
    work.result = (work.steps)();
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_are_carried_out_and_their_result_comes_back() {
        let mut count = 0;
        let result = run(&mut || {
            count += 1;
            Err(Errno::BUSY)
        });
        assert_eq!((result, count), (Err(Errno::BUSY), 1));
        assert_eq!(run(&mut || Ok(())), Ok(()));
    }
}
