//! Whether whoever made a call is still there: a call that nobody waits for any more ends, and what it started with it.
//!
//! Rules: the decisions on the host's calls (10). A caller is gone when nobody can read the pipe or socket that is
//! stdout, or when the process that started this one has died. The first is asked of the stream, the second is what
//! `getppid(2)` tells: the children of a process that dies are handed on at that moment, and never to a process of the
//! same number. It goes by processes where the parent-death signal goes by threads, and it needs no handle that a
//! sandbox might refuse. A parent outside this process's PID namespace has no number; there the stream alone tells.
//!
//! Nobody asks before a call has lasted for a while, so that a short one pays for a timer alone.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, fstat};
use rustix::process::{Pid, getpid, getppid};

use crate::files;

/// How often it is asked, in nanoseconds.
const EVERY: i64 = 250_000_000;

/// The signal that wakes a call for the question. Nobody else means anything by it, and it is ignored by whoever does
/// not listen.
const SIGNAL: libc::c_int = libc::SIGURG;

/// The process that is watched over; none, until a call is.
static MYSELF: AtomicI32 = AtomicI32::new(0);

/// Who started it.
static PARENT: AtomicI32 = AtomicI32::new(0);

/// When a call may end whose caller is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MayEnd {
    /// At any moment.
    Anytime,
    /// At any moment, and it waits for sockets: these do not go on after a signal (`signal(7)`).
    AnytimeBesideSockets,
    /// While it waits for another writer of its file. What has begun is finished.
    WhileItWaits,
}

/// Ends this process, a call for a request on stdin, once its caller is gone and it `may_end`. A call whose answer goes
/// into a file or to a terminal goes on.
pub fn watch(may_end: MayEnd) {
    let stdout = fstat(rustix::stdio::stdout()).map(|stat| FileType::from_raw_mode(stat.st_mode));
    if !matches!(stdout, Ok(FileType::Fifo | FileType::Socket)) {
        return;
    }
    PARENT.store(parent(), Ordering::Relaxed);
    MYSELF.store(getpid().as_raw_pid(), Ordering::Relaxed);
    match may_end {
        // Beside the network a thread costs nothing.
        MayEnd::AnytimeBesideSockets => ask_in_a_thread(),
        MayEnd::WhileItWaits => files::while_waiting(leave_if_gone),
        MayEnd::Anytime => ask_by_signal(),
    }
}

fn parent() -> i32 {
    getppid().map_or(0, Pid::as_raw_pid)
}

/// Ends the process if its caller is gone. Makes system calls alone, which is safe at any moment.
fn leave_if_gone() {
    // What was forked from the one that is watched over is not.
    if getpid().as_raw_pid() == MYSELF.load(Ordering::Relaxed) && is_gone() {
        // SAFETY: ends the process and runs nothing more of it. What it was about to leave behind is seen to by those
        // who watch for its end: a command's watchdog, a draft's guard.
        unsafe { libc::_exit(1) }
    }
}

fn is_gone() -> bool {
    if parent() != PARENT.load(Ordering::Relaxed) {
        return true;
    }
    // Asked for nothing, the kernel tells of these all the same.
    let gone = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
    let stdout = rustix::stdio::stdout();
    let mut asked = [PollFd::new(&stdout, PollFlags::empty())];
    let at_once = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut asked, Some(&at_once)).is_ok() && asked[0].revents().intersects(gone)
}

fn ask_in_a_thread() {
    let asking = std::thread::Builder::new().name("caller".to_owned());
    // Without it a call lasts as long as it is allowed to.
    let _ = asking.stack_size(64 * 1024).spawn(|| {
        loop {
            leave_if_gone();
            std::thread::sleep(Duration::from_nanos(EVERY.unsigned_abs()));
        }
    });
}

extern "C" fn on_signal(_: libc::c_int) {
    leave_if_gone();
}

/// Has a timer interrupt the process. A timer of one's own disturbs none that the process was started with
/// (`setitimer(2)` survives `execve(2)`), and none that it starts.
fn ask_by_signal() {
    let every = libc::timespec {
        tv_sec: 0,
        tv_nsec: EVERY,
    };
    let times = libc::itimerspec {
        it_interval: every,
        it_value: every,
    };
    // SAFETY: all zeroes are valid values of these structures of numbers; the pointers are to locals, and the handler
    // makes system calls alone.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_signal as *const () as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART;
        let mut signals = MaybeUninit::uninit();
        libc::sigemptyset(signals.as_mut_ptr());
        libc::sigaddset(signals.as_mut_ptr(), SIGNAL);
        let mut event: libc::sigevent = std::mem::zeroed();
        event.sigev_notify = libc::SIGEV_SIGNAL;
        event.sigev_signo = SIGNAL;
        let mut clock = MaybeUninit::uninit();
        if libc::sigaction(SIGNAL, &raw const action, std::ptr::null_mut()) == 0
            && libc::sigprocmask(libc::SIG_UNBLOCK, signals.as_ptr(), std::ptr::null_mut()) == 0
            && libc::timer_create(libc::CLOCK_MONOTONIC, &raw mut event, clock.as_mut_ptr()) == 0
        {
            libc::timer_settime(
                clock.assume_init(),
                0,
                &raw const times,
                std::ptr::null_mut(),
            );
        }
    }
}
