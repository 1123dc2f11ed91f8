//! Ending a whole tree of processes: it is asked to end first, and killed when its grace is over.
//!
//! Programs that are asked (SIGTERM) remove their lock files, pid files and containers; killed,
//! they leave them to be stumbled over. Each process is asked once: many take a second request for
//! an order to drop everything. So nobody is asked whom a watchdog below this process asks; nor is
//! what starts afterwards below a process that was asked, for that is how it clears up. Whatever is
//! left at the end of the grace is killed, however it began.
//!
//! A watchdog does this in a process that may have been forked from one with several threads:
//! nothing here allocates or takes a lock.

use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getsid, kill_process_group};

use crate::sandbox::descendants::{Process, ProcessSet, reap};
use crate::sandbox::own_process::OwnProcess;

/// How long a whole tree has to end by itself that was asked to.
pub const GRACE: Duration = Duration::from_secs(2);

/// How long it has where whoever started it has vanished.
pub const GRACE_OF_ORPHANS: Duration = Duration::from_millis(300);

/// How long the killed processes are waited for. One in an uninterruptible wait, or one that
/// belongs to another user, survives any signal; it must not keep us waiting.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a watchdog is left alone once the rest is killed. It ends with what it watches, and has
/// a directory to remove.
const WATCHDOG_TIMEOUT: Duration = Duration::from_secs(4);

/// How long a guard is: it ends with its tool, and has a name to remove.
const GUARD_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a step is: it may have a large file to write to a slow disk.
const STEP_TIMEOUT: Duration = Duration::from_secs(60);

/// How often to ask whether children that end by themselves are left, at the least and at the most.
const ASK_EVERY: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(10));

/// How often to look for other descendants meanwhile, at the most. A look reads all of `/proc`, and
/// where many trees end at once, they must have the processor.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// How every descendant of this process is ended. Those that are its children are reaped.
pub struct Ending<'a> {
    /// If there is no `/proc` to find them in, only this process group is known.
    pub group: Option<Pid>,
    /// Where nobody is a subreaper: whatever bears this mark is ended too, and the group in any
    /// case.
    pub mark: Option<&'a [u8]>,
    /// How long they have to end by themselves; with none they are killed at once.
    pub grace: Duration,
    /// Where the numbers of those are written that did not.
    pub report: Option<BorrowedFd<'a>>,
    /// Whether this process goes before the steps under way are done. Only those in its own session
    /// are left then, where nothing gets that is confined.
    pub leaves_steps: bool,
}

impl Ending<'_> {
    /// Ends them.
    pub fn carry_out(&self) {
        if !self.grace.is_zero() {
            self.ask();
        }
        self.kill();
    }

    /// Asks all of them to end, and waits until they have or their grace is over. Never a part of
    /// its caller, whose stack would else be touched as far as this one's arrays reach, also where
    /// nothing is to be ended.
    #[inline(never)]
    fn ask(&self) {
        let begin = Instant::now();
        let mut found = ProcessSet::new();
        let mut asked = ProcessSet::new();
        let mut looked = None;
        loop {
            let children = reap();
            if !children && self.mark.is_none() {
                return;
            }
            let waited = begin.elapsed();
            if looked.is_none_or(|last| waited > last + (waited / 4).min(LOOK_EVERY)) {
                found.look(self.mark);
                self.ask_found(&found, &mut asked, looked.is_none());
                // A step may take longer than any grace.
                let is_over = found
                    .iter()
                    .all(|process| process.own == Some(OwnProcess::Step));
                let is_blind = found.is_empty() && children;
                if is_over && !is_blind {
                    return;
                }
                looked = Some(begin.elapsed());
            }
            let left = self.grace.saturating_sub(begin.elapsed());
            if left.is_zero() {
                return;
            }
            std::thread::sleep(pause(waited).min(left));
        }
    }

    /// Asks those who were found, and have not been asked yet. Only the `first` time everybody is
    /// asked whom no watchdog asks.
    fn ask_found(&self, found: &ProcessSet, asked: &mut ProcessSet, first: bool) {
        if let (true, true, Some(group)) = (first, found.is_empty(), self.group) {
            let _ = kill_process_group(group, Signal::TERM);
            let _ = kill_process_group(group, Signal::CONT);
        }
        for process in found.iter() {
            let clears_up = !first && asked.get(process.parent).is_some();
            let is_left_alone = process.own.is_some() || process.is_watched || clears_up;
            if !is_left_alone && asked.add(*process) {
                process.send(Signal::TERM);
                if process.state == b'T' {
                    // It would hear nothing.
                    process.send(Signal::CONT);
                }
            }
        }
    }

    /// Kills all of them.
    #[inline(never)]
    fn kill(&self) {
        let begin = Instant::now();
        let mut found = ProcessSet::new();
        let mut report = self.report;
        let mut quiet = false;
        loop {
            let children = reap();
            if !children && self.mark.is_none() {
                return;
            }
            found.look(self.mark);
            if let (true, Some(group)) = (found.is_empty() || self.mark.is_some(), self.group) {
                let _ = kill_process_group(group, Signal::KILL);
            }
            let waited = begin.elapsed();
            let (mut killed, mut awaited, mut steps) = (false, false, false);
            for process in found.iter() {
                if waited < self.spared(process, &found) {
                    let is_step = process.own == Some(OwnProcess::Step);
                    steps |= is_step;
                    awaited |= !is_step || !self.leaves_steps;
                    if !is_step {
                        // Somebody may have stopped it.
                        process.send(Signal::CONT);
                    }
                } else {
                    killed = true;
                    process.send(Signal::KILL);
                    if let (Some(report), true) = (report, process.state != b'Z') {
                        let _ = rustix::io::write(report, &process.pid.to_ne_bytes());
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
            let most = KILL_TIMEOUT
                + if awaited {
                    STEP_TIMEOUT
                } else {
                    Duration::ZERO
                };
            if waited >= most {
                return;
            }
            // What was killed ends at once; what ends by itself has its time.
            let pause = if killed {
                ASK_EVERY.0
            } else {
                (waited / 4).clamp(ASK_EVERY.0, LOOK_EVERY)
            };
            std::thread::sleep(pause);
        }
    }

    /// How long a process is left alone.
    fn spared(&self, process: &Process, found: &ProcessSet) -> Duration {
        // No step starts anything.
        let is_alone = || found.iter().all(|other| other.parent != process.pid);
        // Guards have sessions of their own, and end by themselves wherever they are.
        let is_ours = || {
            let theirs = Pid::from_raw(process.pid).and_then(|pid| getsid(Some(pid)).ok());
            !self.leaves_steps || theirs.is_some_and(|theirs| getsid(None) == Ok(theirs))
        };
        match process.own {
            Some(OwnProcess::Step) if is_ours() && is_alone() => STEP_TIMEOUT,
            Some(OwnProcess::Watching | OwnProcess::Staying) if is_ours() => WATCHDOG_TIMEOUT,
            Some(OwnProcess::Guard) => GUARD_TIMEOUT,
            _ => Duration::ZERO,
        }
    }
}

/// How long to wait before children are asked for again where so much time has gone by.
fn pause(waited: Duration) -> Duration {
    (waited / 8).clamp(ASK_EVERY.0, ASK_EVERY.1)
}
