//! What calls leave behind: a command's background processes live on beside the server, and end with it.
//!
//! The server is a child subreaper (`prctl(2)`): whatever loses its parent below it becomes its own child.

use std::collections::HashSet;
use std::mem::MaybeUninit;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitOptions, set_child_subreaper, waitpid};

use crate::sandbox::descendants;

/// How long what ends by itself is given at the server's own end: a command's watchdog at its work. A write that is
/// under way is given all the time that it needs, and outlives the server.
const LAST_STEPS: Duration = Duration::from_millis(300);

/// The processes that the runtime waits for itself.
#[derive(Debug, Default)]
pub struct Calls(Mutex<HashSet<i32>>);

impl Calls {
    /// A call's process has started.
    pub fn started(&self, pid: i32) {
        self.lock().insert(pid);
    }

    /// A call is over. Reaps the orphans that have ended by now.
    pub fn ended(&self, pid: i32) {
        let mut running = self.lock();
        running.remove(&pid);
        while let Some(pid) = ended_child() {
            if running.contains(&pid) {
                return;
            }
            let _ = waitpid(Pid::from_raw(pid), WaitOptions::NOHANG);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashSet<i32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A child that has ended and is not reaped yet, left as it is.
fn ended_child() -> Option<i32> {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: `info` has room for what is written into it; all zeroes, which is how it stays where no child has
    // ended, are a valid value.
    unsafe {
        let result = libc::waitid(libc::P_ALL, 0, info.as_mut_ptr(), options);
        let pid = info.assume_init_ref().si_pid();
        (result == 0 && pid != 0).then_some(pid)
    }
}

/// From now on what loses its parent comes to this process.
pub fn adopt() {
    // Fails only on kernels before 3.4; orphans are then beyond reach.
    let _ = set_child_subreaper(Pid::from_raw(1));
}

/// Ends everything that was ever started here and still runs, but for a write that has begun: killed midway it would
/// leave a torn file. To be called when no call is under way.
pub fn end_all() {
    let deadline = Instant::now() + LAST_STEPS;
    while descendants::reap() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(2));
    }
    descendants::kill_all(None);
}
