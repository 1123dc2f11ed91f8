//! The pipe from a tool to its watchdog, which carries the tool's order, and ends with the tool.
//!
//! A byte releases the watchdog, or says how long the command has to end by itself. When the tool
//! dies, the pipe is at its end, and the command has less time. A tool that gets SIGTERM passes it
//! on here first.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::Duration;

use rustix::io::Errno;

use crate::sandbox::launch;
use crate::sandbox::tree_termination::{GRACE, GRACE_OF_ORPHANS};

/// The byte that releases a watchdog. Any other is one more than the time that the command has, in
/// units of `STEP_OF_GRACE`.
pub const RELEASE: u8 = 0;
const STEP_OF_GRACE: Duration = Duration::from_millis(10);

/// The writing end, for the handler of signals; -1 for none.
static LIFELINE: AtomicI32 = AtomicI32::new(-1);

/// Set once this process has been asked to end and has passed that on.
static ASKED: AtomicBool = AtomicBool::new(false);

/// Makes a later SIGTERM write to this end of a pipe; with `None` it ends this process.
pub(crate) fn forward_sigterm_to(lifeline: Option<&impl AsRawFd>) {
    LIFELINE.store(lifeline.map_or(-1, AsRawFd::as_raw_fd), Ordering::Relaxed);
}

/// The byte that gives the command this much time.
#[must_use]
pub(crate) fn grace_byte(grace: Duration) -> u8 {
    let steps = grace.as_millis() / STEP_OF_GRACE.as_millis();
    u8::try_from(steps + 1).unwrap_or(u8::MAX)
}

/// Makes this process, a tool, take SIGTERM for the cancellation of its call from now on: all that
/// the command started is asked to end, and once it has, the tool dies of the signal. A signal that
/// is ignored stays so.
pub fn handle_sigterm() {
    extern "C" fn pass_on(_: libc::c_int) {
        let lifeline: RawFd = LIFELINE.load(Ordering::Relaxed);
        if lifeline == -1 {
            return die_by(libc::SIGTERM);
        }
        ASKED.store(true, Ordering::Relaxed);
        // SAFETY: the error's number is this thread's own, and the pipe stays open while `LIFELINE`
        // has it.
        unsafe {
            let before = *launch::errno();
            let byte = grace_byte(GRACE);
            libc::write(lifeline, (&raw const byte).cast(), 1);
            *launch::errno() = before;
        }
    }
    install(libc::SIGTERM, pass_on);
}

/// True once this process has been asked to end.
#[must_use]
pub(crate) fn is_asked_to_end() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// Ends this process as it was asked to, if it was, now that all has ended.
pub(crate) fn die_if_asked() {
    if is_asked_to_end() {
        die_by(libc::SIGTERM);
    }
}

/// Ends this process by a signal, as if it had never heeded it.
fn die_by(signal: libc::c_int) {
    // SAFETY: installs no handler, and sends a signal to this process. Within a handler the signal
    // comes when that is over.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

/// Installs `handler`, which makes system calls only, for a signal that is not ignored. No other
/// signal interrupts it: otherwise the check for a caller that has gone (`caller`), which may come
/// at the same moment, would end the process first.
pub fn install(signal: libc::c_int, handler: extern "C" fn(libc::c_int)) {
    // SAFETY: all zeroes are a valid value of the structure, whose set of signals is filled; the
    // pointers are to locals, and such a handler is safe at any moment.
    unsafe {
        let mut before = std::mem::zeroed();
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART;
        libc::sigfillset(&raw mut action.sa_mask);
        libc::sigaction(signal, &raw const action, &raw mut before);
        if before.sa_sigaction == libc::SIG_IGN {
            libc::signal(signal, libc::SIG_IGN);
        }
    }
}

/// An order of the tool to its watchdog.
pub enum WatchdogOrder {
    /// The tool ends, and the rest lives on.
    Released,
    /// All of it ends, and has this much time to do so by itself.
    End(Duration),
}

/// Waits for the tool's order, or its death.
#[must_use]
pub(crate) fn wait_for_order(tether: &OwnedFd) -> WatchdogOrder {
    let mut word = [0; 1];
    loop {
        match rustix::io::read(tether, &mut word) {
            Ok(1) if word[0] == RELEASE => return WatchdogOrder::Released,
            Ok(1) => return WatchdogOrder::End(STEP_OF_GRACE * u32::from(word[0] - 1)),
            Err(Errno::INTR) => {}
            Ok(_) | Err(_) => return WatchdogOrder::End(GRACE_OF_ORPHANS),
        }
    }
}
