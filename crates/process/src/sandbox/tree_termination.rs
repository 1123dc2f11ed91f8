//! Ending a whole tree of processes: it is asked to end first, and killed when its grace is over.
//!
//! Programs that are asked (SIGTERM) remove their lock files, pid files and containers; killed,
//! they leave them behind. Each process gets SIGTERM once, because many treat a second one as an
//! order to quit at once. Processes below another watchdog get it from that one; those started
//! after the first round, below a process that got it, are cleaning up and get none. All that is
//! left at the end of the grace is killed.
//!
//! A watchdog does this in a process that may have been forked from one with several threads:
//! nothing here allocates or takes a lock.

use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open, test_kill_process,
};

use crate::sandbox::descendants::{ProcessSet, reap};
use crate::sandbox::step_register;

/// The time that a whole tree has to end by itself once it is asked to.
pub const GRACE: Duration = Duration::from_secs(2);

/// The time that a tree has to end by itself after the process that started it has vanished.
pub(crate) const GRACE_OF_ORPHANS: Duration = Duration::from_millis(300);

/// The longest wait for the killed processes. One in an uninterruptible wait, or one that belongs
/// to another user, survives any signal; it must not keep us waiting.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// The time that a process of this program's own is left alone once the rest is killed: a watchdog
/// ends with what it watches, and has a directory to remove, as a guard has a name. Whatever was
/// started can pose as one, so that it is part of the time that all of it has.
const OWN_PROCESS_TIMEOUT: Duration = Duration::from_millis(200);

/// The shortest and the longest pause between two looks for children that are left.
const CHECK_PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(10));

/// The longest pause between two looks for other descendants. A look reads all of `/proc`, and when
/// many trees end at once, they must have the processor. That a whole tree is gone is seen without
/// one, once no child is left.
const MAX_SCAN_PAUSE: Duration = Duration::from_millis(200);

/// Asks the process `number` to end, and waits for that, at most as `longest` says; true if it has
/// ended.
#[must_use]
pub fn end_process(number: u32, longest: Duration) -> bool {
    let pid = i32::try_from(number).ok().and_then(Pid::from_raw);
    let Some(pid) = pid else {
        return false;
    };
    let until = Instant::now() + longest;
    let handle = pidfd_open(pid, PidfdFlags::empty());
    if kill_process(pid, Signal::TERM) == Err(Errno::SRCH) {
        return true;
    }
    let Ok(handle) = handle else {
        // Kernels before 5.3 have no handle to wait for.
        while Instant::now() < until {
            if test_kill_process(pid) == Err(Errno::SRCH) {
                return true;
            }
            std::thread::sleep(CHECK_PAUSES.1);
        }
        return false;
    };
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let mut wanted = [PollFd::new(&handle, PollFlags::IN)];
        match poll(&mut wanted, Timespec::try_from(left).ok().as_ref()) {
            Err(Errno::INTR) => {}
            result => return result == Ok(1),
        }
    }
}

/// An order to end every descendant of this process. Those that are its children are reaped.
pub struct TreeTermination<'a> {
    /// If there is no `/proc` to find them in, only this process group is known.
    pub group: Option<Pid>,
    /// Without a subreaper: every process that bears this mark is ended too, and the group in any
    /// case.
    pub mark: Option<&'a [u8]>,
    /// The time that they have to end by themselves; with none they are killed at once.
    pub grace: Duration,
    /// A pipe for the numbers of those that had to be killed, which are negative there: other
    /// reports are not.
    pub report: Option<BorrowedFd<'a>>,
}

impl TreeTermination<'_> {
    /// Ends them, but for the steps of a server's own calls: these it neither ends nor waits for.
    pub fn carry_out(&self) {
        if !self.grace.is_zero() {
            self.ask_to_end();
        }
        self.kill();
    }

    /// Asks all of them to end, and waits until they have or their grace is over. Never inlined
    /// into its caller, whose stack would else be touched as far as this one's arrays reach, even
    /// if it has nothing to end.
    #[inline(never)]
    fn ask_to_end(&self) {
        let start = Instant::now();
        let mut live = ProcessSet::new();
        let mut signalled = ProcessSet::new();
        let mut looked = None;
        loop {
            let children = reap();
            if !children && self.mark.is_none() {
                return;
            }
            let waited = start.elapsed();
            if looked.is_none_or(|last| waited > last + (waited / 2).min(MAX_SCAN_PAUSE)) {
                live.scan(self.mark);
                self.ask_found(&live, &mut signalled, looked.is_none());
                // A step may take longer than any grace.
                let is_over = live
                    .iter()
                    .all(|process| step_register::contains(process.pid));
                let is_blind = live.is_empty() && children;
                if is_over && !is_blind {
                    return;
                }
                looked = Some(start.elapsed());
            }
            let left = self.grace.saturating_sub(start.elapsed());
            if left.is_zero() {
                return;
            }
            std::thread::sleep(pause(waited).min(left));
        }
    }

    /// Asks the processes that were found and have not been asked yet, but for those that a
    /// watchdog asks; and after the `first` time, but for those that clear up.
    fn ask_found(&self, live: &ProcessSet, signalled: &mut ProcessSet, first: bool) {
        if let (true, true, Some(group)) = (first, live.is_empty(), self.group) {
            let _ = kill_process_group(group, Signal::TERM);
            let _ = kill_process_group(group, Signal::CONT);
        }
        for process in live.iter() {
            let clears_up = !first && signalled.get(process.parent).is_some();
            let is_left_alone = process.own_process.is_some() || process.is_watched || clears_up;
            if !is_left_alone && signalled.add(*process) {
                process.send(Signal::TERM);
                if process.state == b'T' {
                    // A stopped process does not handle the signal.
                    process.send(Signal::CONT);
                }
            }
        }
    }

    /// Kills all of them.
    #[inline(never)]
    fn kill(&self) {
        let start = Instant::now();
        let mut live = ProcessSet::new();
        let mut report = self.report;
        let mut quiet = false;
        loop {
            let children = reap();
            if !children && self.mark.is_none() {
                return;
            }
            live.scan(self.mark);
            if let (true, Some(group)) = (live.is_empty() || self.mark.is_some(), self.group) {
                let _ = kill_process_group(group, Signal::KILL);
            }
            let waited = start.elapsed();
            let (mut killed, mut awaited, mut steps) = (false, false, false);
            for process in live.iter() {
                if step_register::contains(process.pid) {
                    steps = true;
                } else if process.own_process.is_some() && waited < OWN_PROCESS_TIMEOUT {
                    awaited = true;
                    // It may have been stopped.
                    process.send(Signal::CONT);
                } else {
                    killed = true;
                    process.send(Signal::KILL);
                    if let (Some(report), true) = (report, process.state != b'Z') {
                        let number = -process.pid;
                        let _ = rustix::io::write(report, &number.to_ne_bytes());
                    }
                }
            }
            report = None;
            // A process has no environment at the moment in which it becomes another program.
            let is_over = !killed && !awaited && (!children || steps);
            if is_over && (quiet || self.mark.is_none()) {
                return;
            }
            quiet = is_over;
            if waited >= KILL_TIMEOUT {
                return;
            }
            // Killed processes end at once; those that end by themselves have their time.
            let pause = if killed {
                CHECK_PAUSES.0
            } else {
                (waited / 2).clamp(CHECK_PAUSES.0, MAX_SCAN_PAUSE)
            };
            std::thread::sleep(pause);
        }
    }
}

/// The pause before the next look for children, once this much time has gone by.
fn pause(waited: Duration) -> Duration {
    (waited / 8).clamp(CHECK_PAUSES.0, CHECK_PAUSES.1)
}
