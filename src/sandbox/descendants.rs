//! Ending a whole tree of processes: all descendants of this one, whatever session or group they
//! moved to.
//!
//! A process whose parent dies is handed to the nearest "child subreaper" above it (`prctl(2)`), so
//! a subreaper finds everything that it ever started among its descendants. The tree is read from
//! `/proc/<pid>/stat` (`proc_pid_stat(5)`), which every kernel has, and not from `task/*/children`,
//! which is optional. Where nobody can be a subreaper, a mark identifies what a command started: a
//! variable in the environment of all of it.
//!
//! A watchdog does this in a process that may have been forked from one with several threads:
//! nothing here allocates or takes a lock.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::fd::OwnedFd;
use rustix::fs::{CWD, Mode, OFlags, RawDir, openat};
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process, kill_process_group, wait,
};

use crate::sandbox::detached::ends_by_itself;
use crate::sandbox::watchdog;

/// How long the killed processes are waited for. One in an uninterruptible wait, or one that
/// belongs to another user, survives any signal; it must not keep us waiting.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a watchdog is left alone that stays for its directory's sake. It ends with what it
/// waits for; a command that only pretends to be one does not.
const SPARE_TIMEOUT: Duration = Duration::from_secs(4);

/// How many processes are ended per round. What is left is found in the next one.
const AT_ONCE: usize = 4096;

/// How much of a file in `/proc` is read at a time, in bytes.
const PIECE: usize = 4096;

/// Kills every descendant of this process, and reaps those that are its children. If there is no
/// `/proc` to find them in, only the process group `group` is known. Steps under way and drafts'
/// guards are spared: they end by themselves.
pub fn kill_all(group: Option<Pid>) {
    end(group, None);
}

/// Does the same where nobody is a subreaper: also kills whatever bears `mark`, and the group in
/// any case.
pub fn kill_marked(group: Option<Pid>, mark: &[u8]) {
    end(group, Some(mark));
}

/// Never a part of its caller, whose stack would else be touched as far as this one's arrays reach,
/// also where nothing is to be ended.
#[inline(never)]
fn end(group: Option<Pid>, mark: Option<&[u8]>) {
    let deadline = Instant::now() + KILL_TIMEOUT;
    let spared = Instant::now() + SPARE_TIMEOUT;
    let mut found = ProcessSet::new();
    let mut quiet = false;
    loop {
        let children = reap();
        if !children && mark.is_none() {
            return;
        }
        let writing = found.look(mark);
        if found.is_empty() && writing && mark.is_none() {
            return;
        }
        if let (true, Some(group)) = (found.is_empty() || mark.is_some(), group) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        for pid in found.pids() {
            // What such a watchdog waits for is among the others, and it then clears up, unless
            // somebody stopped it.
            let stays = Instant::now() < spared && watchdog::stays(pid);
            // One that is already gone is no loss.
            let _ = kill_process(pid, if stays { Signal::CONT } else { Signal::KILL });
        }
        // A process has no environment at the moment in which it becomes another program.
        let over = (!children || writing) && found.is_empty();
        if (over && quiet) || Instant::now() >= deadline {
            return;
        }
        quiet = over;
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Whether any process bears `mark`, or descends from this one.
#[must_use]
#[inline(never)]
pub fn are_marked(mark: &[u8]) -> bool {
    let mut found = ProcessSet::new();
    found.look(Some(mark)) || !found.is_empty()
}

/// Reaps the children that have ended; returns whether any are left.
#[must_use]
pub fn reap() -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) => let_go_if_stopped(pid, status),
            Err(rustix::io::Errno::INTR) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

/// Lets a child go that has stopped, of which `status` tells. A child stops before our eyes only if
/// it has made us its tracer (`PTRACE_TRACEME`), and would wait for us for ever.
pub fn let_go_if_stopped(pid: Pid, status: WaitStatus) {
    let Some(signal) = status.stopping_signal() else {
        return;
    };
    // It stops of its own only for another signal than the tracer's.
    let signal = if signal == libc::SIGTRAP { 0 } else { signal };
    let nowhere = std::ptr::null_mut::<libc::c_void>();
    let data = nowhere.wrapping_byte_add(usize::try_from(signal).unwrap_or(0));
    // SAFETY: `PTRACE_DETACH` takes a number in the place of the last pointer. If the child is
    // gone, nothing happens.
    unsafe { libc::ptrace(libc::PTRACE_DETACH, pid.as_raw_pid(), nowhere, data) };
}

/// Whether the process `pid` is called so, as `proc_pid_comm(5)` shows it.
#[must_use]
pub fn is_called(pid: Pid, name: &CStr) -> bool {
    let mut number = itoa::Buffer::new();
    let number = number.format(pid.as_raw_pid()).as_bytes();
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(proc) = openat(CWD, c"/proc", flags, Mode::empty()) else {
        return false;
    };
    let mut line = [0; 32];
    let length = open(proc, number, b"comm").map(|file| rustix::io::read(&file, &mut line));
    let Some(Ok(length)) = length else {
        return false;
    };
    line[..length].strip_suffix(b"\n") == Some(name.to_bytes())
}

/// Processes that are to be ended, by number.
struct ProcessSet {
    pids: [i32; AT_ONCE],
    count: usize,
}

impl ProcessSet {
    fn new() -> Self {
        Self {
            pids: [0; AT_ONCE],
            count: 0,
        }
    }

    fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn pids(&self) -> impl Iterator<Item = Pid> {
        self.pids[..self.count]
            .iter()
            .filter_map(|pid| Pid::from_raw(*pid))
    }

    /// Adds a process; returns whether it was new and there was room.
    fn add(&mut self, pid: i32) -> bool {
        match self.pids[..self.count].binary_search(&pid) {
            Err(at) if self.count < AT_ONCE => {
                self.pids.copy_within(at..self.count, at + 1);
                self.pids[at] = pid;
                self.count += 1;
                true
            }
            _ => false,
        }
    }

    fn has(&self, pid: i32) -> bool {
        self.pids[..self.count].binary_search(&pid).is_ok()
    }

    /// Finds all current descendants of this process, and whatever bears `mark`, with its
    /// descendants. A child usually has a higher number than its parent and comes after it; if not,
    /// another round finds it. Steps under way and guards are left out; returns whether there are
    /// any.
    fn look(&mut self, mark: Option<&[u8]>) -> bool {
        self.count = 0;
        let mut writing = false;
        let myself = getpid().as_raw_pid();
        let mut marks = mark;
        loop {
            let mut more = false;
            each_process(|proc, name, pid| {
                if pid == myself || self.has(pid) {
                    return;
                }
                let mut line = [0; PIECE];
                let Some(stat) = stat_of(proc, name, &mut line) else {
                    return;
                };
                let below =
                    parent_of(stat).is_some_and(|parent| parent == myself || self.has(parent));
                if below || marks.is_some_and(|mark| bears(proc, name, mark)) {
                    if name_of(stat).is_some_and(|name| ends_by_itself(pid, name)) {
                        writing = true;
                    } else {
                        more |= self.add(pid);
                    }
                }
            });
            if !more {
                return writing;
            }
            // Who bears it is known by now; what they start meanwhile is found as their descendant,
            // or in the next round.
            marks = None;
        }
    }
}

/// Calls `visit` for every process: with `/proc`, its name there, and its number.
fn each_process(mut visit: impl FnMut(&OwnedFd, &[u8], i32)) {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(proc) = openat(CWD, c"/proc", flags, Mode::empty()) else {
        return;
    };
    let mut buffer = [MaybeUninit::uninit(); 4 * PIECE];
    let mut entries = RawDir::new(&proc, &mut buffer);
    while let Some(Ok(entry)) = entries.next() {
        let name = entry.file_name().to_bytes();
        let number = std::str::from_utf8(name).ok();
        if let Some(pid) = number.and_then(|number| number.parse().ok()) {
            visit(&proc, name, pid);
        }
    }
}

/// Opens `/proc/<name>/<file>`.
fn open(proc: impl AsFd, name: &[u8], file: &[u8]) -> Option<OwnedFd> {
    let mut path = [0; 32];
    let room = path.len() - 1;
    let bytes = name.iter().chain(b"/").chain(file);
    for (to, from) in path[..room].iter_mut().zip(bytes) {
        *to = *from;
    }
    let path = CStr::from_bytes_until_nul(&path).ok()?;
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    openat(proc, path, flags, Mode::empty()).ok()
}

/// What `/proc/<name>/stat` says of a process, read into `line`.
fn stat_of<'a>(proc: impl AsFd, name: &[u8], line: &'a mut [u8]) -> Option<&'a [u8]> {
    let file = open(proc, name, b"stat")?;
    let length = rustix::io::read(&file, &mut *line).ok()?;
    line.get(..length)
}

/// The name in a line of `/proc/<pid>/stat`, which is in parentheses and may itself contain some.
fn name_of(stat: &[u8]) -> Option<&[u8]> {
    let opening = stat.iter().position(|byte| *byte == b'(')?;
    let closing = stat.iter().rposition(|byte| *byte == b')')?;
    stat.get(opening + 1..closing)
}

/// The parent in a line of `/proc/<pid>/stat`: the second field after the name, which may contain
/// parentheses.
fn parent_of(stat: &[u8]) -> Option<i32> {
    let behind_name = stat.iter().rposition(|byte| *byte == b')')? + 1;
    let fields = std::str::from_utf8(&stat[behind_name..]).ok()?;
    fields.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Whether `mark` is in the environment of a process.
fn bears(proc: impl AsFd, name: &[u8], mark: &[u8]) -> bool {
    let Some(file) = open(proc, name, b"environ") else {
        return false;
    };
    let mut piece = [0; PIECE];
    let mut kept = 0;
    while let Ok(length @ 1..) = rustix::io::read(&file, &mut piece[kept..]) {
        let filled = kept + length;
        if memchr::memmem::find(&piece[..filled], mark).is_some() {
            return true;
        }
        // The mark may begin in this piece and end in the next.
        kept = filled.min(mark.len().saturating_sub(1));
        piece.copy_within(filled - kept..filled, 0);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_what_the_parentheses_hold() {
        assert_eq!(name_of(b"12 (sh) S 7 12"), Some(&b"sh"[..]));
        assert_eq!(name_of(b"12 (a) R 1 (b) S 7"), Some(&b"a) R 1 (b"[..]));
        assert_eq!(name_of(b"12 )("), None);
        assert_eq!(name_of(b""), None);
    }

    #[test]
    fn the_parent_is_found_behind_any_name() {
        assert_eq!(parent_of(b"12 (sh) S 7 12 12 0"), Some(7));
        assert_eq!(parent_of(b"12 (a) R 1 (b) S 7 12 12 0"), Some(7));
        assert_eq!(parent_of(b"12 (sh"), None);
        assert_eq!(parent_of(b""), None);
    }

    #[test]
    fn what_is_found_is_found_once_and_no_more_than_there_is_room_for() {
        let mut found = ProcessSet::new();
        for pid in (1..10_000).rev() {
            assert_eq!(found.add(pid), pid > 10_000 - 1 - 4096, "{pid}");
        }
        assert!(!found.add(9_000) && found.has(9_000) && !found.has(5_000));
        let pids: Vec<i32> = found.pids().map(Pid::as_raw_pid).collect();
        assert!(pids.is_sorted() && pids.len() == AT_ONCE);
    }

    #[test]
    fn a_process_is_known_by_a_mark_wherever_that_stands_in_its_environment() {
        for before in [0, 10, 4_080, 4_090, 4_096, 50_000] {
            let mut child = std::process::Command::new("sleep")
                .arg("60")
                .env("A_FILLER", "x".repeat(before))
                .env("B_MARK", "4711")
                .spawn()
                .unwrap();
            let mut borne = [false; 2];
            let pid = i32::try_from(child.id()).unwrap();
            let deadline = Instant::now() + KILL_TIMEOUT;
            // A process that has just become another program has no environment for a moment.
            while !borne[0] && Instant::now() < deadline {
                each_process(|proc, name, found| {
                    if found == pid {
                        borne = [&b"B_MARK=4711"[..], b"B_MARK=4712"]
                            .map(|mark| bears(proc, name, mark));
                    }
                });
            }
            child.kill().unwrap();
            child.wait().unwrap();
            assert_eq!(borne, [true, false], "behind {before} bytes");
        }
    }
}
