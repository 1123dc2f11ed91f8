//! The reaper of the processes that calls leave behind: a command's background processes live on
//! beside the server, and end with it.
//!
//! The server is a child subreaper (`prctl(2)`): a descendant that loses its parent becomes the
//! server's child.

use std::collections::HashSet;
use std::mem::MaybeUninit;
use std::sync::Mutex;

use rustix::process::{Pid, WaitOptions, set_child_subreaper, waitpid};

use crate::sandbox::tree_termination::{GRACE, TreeTermination};
use iki_base::mutex::lock;

/// The processes that the async runtime waits for itself.
#[derive(Debug, Default)]
pub struct RunningCalls(Mutex<HashSet<i32>>);

impl RunningCalls {
    /// Records that a call's process has started.
    pub fn mark_started(&self, pid: i32) {
        lock(&self.0).insert(pid);
    }

    /// Records that a call is over, and reaps the orphans that have ended by now.
    pub fn mark_ended(&self, pid: i32) {
        lock(&self.0).remove(&pid);
        self.reap_orphans();
    }

    /// Reaps the orphans that have ended by now. A call that has ended may stand before them, and
    /// then they wait until it is over.
    pub fn reap_orphans(&self) {
        let running = lock(&self.0);
        while let Some(pid) = ended_child() {
            if running.contains(&pid) {
                return;
            }
            let _ = waitpid(Pid::from_raw(pid), WaitOptions::NOHANG);
        }
    }
}

/// A child that has ended and is not reaped yet; it is left unreaped.
fn ended_child() -> Option<i32> {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: `info` has room for what is written into it; all zeroes, which is how it stays if no
    // child has ended, are a valid value.
    unsafe {
        let result = libc::waitid(libc::P_ALL, 0, info.as_mut_ptr(), options);
        let pid = info.assume_init_ref().si_pid();
        (result == 0 && pid != 0).then_some(pid)
    }
}

/// Makes this process the one that adopts orphans among its descendants.
pub fn adopt_orphans() {
    // Fails only on kernels before 3.4, which cannot find orphans.
    let _ = set_child_subreaper(Pid::from_raw(1));
}

/// Ends everything that was ever started here and still runs, except a write that has begun: killed
/// midway, it would leave a torn file, and it outlives the server. To be called when the tools of
/// the calls under way have been asked to end.
pub fn end_all() {
    let ending = TreeTermination {
        group: None,
        mark: None,
        grace: GRACE,
        report: None,
    };
    ending.carry_out();
}
