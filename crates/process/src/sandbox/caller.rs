//! Watching a call's caller: a call that no process waits for any more ends, with everything it
//! started.
//!
//! Rules: the decisions on the host's calls (10). A caller is gone when the pipe or socket that is
//! stdout has no reader, or when the process that started this one has died. The stream tells the
//! first. `getppid(2)` tells the second: when a process dies, its children are given to another one
//! at once, never to one of the same number. `getppid` goes by processes, whereas the parent-death
//! signal goes by threads, and it needs no handle that a sandbox might refuse. A parent outside
//! this process's PID namespace has no number; there only the stream tells.
//!
//! The first check comes after a while, so that a short call pays only for a timer.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, fstat};
use rustix::process::{Pid, getpid, getppid};

/// Time between two checks, in nanoseconds.
const CHECK_INTERVAL_NANOS: i64 = 250_000_000;

/// The signal that wakes a call for the check. It has no other meaning here, and a process without
/// a handler ignores it.
const SIGNAL: libc::c_int = libc::SIGURG;

/// The process that is checked; 0 until a call is watched.
static MYSELF: AtomicI32 = AtomicI32::new(0);

/// The process that started it.
static PARENT: AtomicI32 = AtomicI32::new(0);

/// The moments at which a call may be ended because its caller is gone.
#[derive(Clone, Copy, Debug)]
pub enum CallerWatch {
    /// At any moment, noticed by a timer's signal.
    BySignal,
    /// At any moment, noticed by a thread. Sockets with a deadline do not go on after a signal
    /// (`signal(7)`); beside the network a thread costs nothing.
    ByThread,
    /// Only when the work itself asks: this function passes it the check.
    WhenAsked(fn(fn())),
}

/// Ends this process, a call whose request comes from stdin, once its caller is gone. A call whose
/// answer goes into a file or to a terminal goes on.
pub fn watch(watch: CallerWatch) {
    let stdout = fstat(rustix::stdio::stdout()).map(|stat| FileType::from_raw_mode(stat.st_mode));
    if !matches!(stdout, Ok(FileType::Fifo | FileType::Socket)) {
        return;
    }
    PARENT.store(parent(), Ordering::Relaxed);
    MYSELF.store(getpid().as_raw_pid(), Ordering::Relaxed);
    match watch {
        CallerWatch::BySignal => ask_by_signal(),
        CallerWatch::ByThread => ask_in_a_thread(),
        CallerWatch::WhenAsked(hand_over) => hand_over(exit_if_caller_gone),
    }
}

fn parent() -> i32 {
    getppid().map_or(0, Pid::as_raw_pid)
}

/// Ends the process if its caller is gone. Makes only system calls, which is safe at any moment.
fn exit_if_caller_gone() {
    // A process forked from the watched one is not watched.
    if getpid().as_raw_pid() == MYSELF.load(Ordering::Relaxed) && is_caller_gone() {
        // SAFETY: ends the process and runs nothing more of it. The watchdog of its command and the
        // guard of its draft clean up after it.
        unsafe { libc::_exit(1) }
    }
}

fn is_caller_gone() -> bool {
    if parent() != PARENT.load(Ordering::Relaxed) {
        return true;
    }
    // The kernel reports these even if no event is asked for.
    let gone = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
    let stdout = rustix::stdio::stdout();
    let mut polled = [PollFd::new(&stdout, PollFlags::empty())];
    let at_once = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut polled, Some(&at_once)).is_ok() && polled[0].revents().intersects(gone)
}

fn ask_in_a_thread() {
    let asking = std::thread::Builder::new().name("caller".to_owned());
    // Without the thread, a call lasts until its timeout.
    let _ = asking.stack_size(64 * 1024).spawn(|| {
        loop {
            exit_if_caller_gone();
            std::thread::sleep(Duration::from_nanos(CHECK_INTERVAL_NANOS.unsigned_abs()));
        }
    });
}

extern "C" fn on_signal(_: libc::c_int) {
    exit_if_caller_gone();
}

/// Starts a timer that interrupts the process. A POSIX timer disturbs neither one that the process
/// was started with (`setitimer(2)` survives `execve(2)`) nor the programs that it starts.
fn ask_by_signal() {
    let every = libc::timespec {
        tv_sec: 0,
        tv_nsec: CHECK_INTERVAL_NANOS,
    };
    let times = libc::itimerspec {
        it_interval: every,
        it_value: every,
    };
    // SAFETY: all zeroes are valid values of these structures of numbers; the pointers are to
    // locals, and the handler makes system calls only.
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
