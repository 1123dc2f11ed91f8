//! Finding a whole tree of processes: all descendants of this one, in any session or group.
//!
//! A process whose parent dies is handed to the nearest "child subreaper" above it (`prctl(2)`), so
//! a subreaper finds everything that it ever started among its descendants. The tree is read from
//! `/proc/<pid>/stat` (`proc_pid_stat(5)`), which every kernel has, and not from `task/*/children`,
//! which is optional. If no process can be a subreaper, a mark identifies what a command started: a
//! variable in the environment of all of it.
//!
//! A watchdog does this in a process that may have been forked from one with several threads:
//! nothing here allocates or takes a lock, but for [`find_running`], which is for tools.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::AsFd;

use rustix::fd::OwnedFd;
use rustix::fs::{CWD, Mode, OFlags, RawDir, openat};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process, wait};

use crate::sandbox::own_process::OwnProcess;
use crate::sandbox::scratch::joined;

/// Maximum number of processes that are found per round. Once these are ended, the next round
/// finds the rest.
const MAX_PROCESSES_PER_ROUND: usize = 4096;

/// Bytes of a file in `/proc` that are read at a time.
const PIECE_BYTES: usize = 4096;

/// True if any process bears `mark`, or descends from this one.
#[must_use]
#[inline(never)]
pub fn are_marked(mark: &[u8]) -> bool {
    let mut marked = ProcessSet::new();
    marked.scan(Some(mark));
    !marked.is_empty()
}

/// A process that is running.
#[derive(Debug)]
pub struct RunningProcess {
    /// Its number.
    pub pid: i32,
    /// That of its parent.
    pub parent: i32,
    /// Its distance from this process, in generations.
    pub depth: usize,
    /// Its arguments, as far as [`PIECE_BYTES`] bytes reach, each with a NUL at its end.
    pub arguments: Vec<u8>,
}

/// The descendants of this process, and all processes that bear `mark`, that are running; without
/// this program's own processes, which end by themselves.
#[must_use]
#[inline(never)]
pub fn find_running(mark: Option<&[u8]>) -> Vec<RunningProcess> {
    let mut processes = ProcessSet::new();
    processes.scan(mark);
    let depth = |process: &FoundProcess| {
        let parents = std::iter::successors(Some(process), |one| processes.get(one.parent));
        parents.take(MAX_PROCESSES_PER_ROUND).count()
    };
    let mut running = Vec::new();
    each_process(|proc, name, pid| {
        let Some(process) = processes.get(pid).filter(|one| one.own_process.is_none()) else {
            return;
        };
        let mut arguments = vec![0; PIECE_BYTES];
        let read = open(proc, name, b"cmdline").map(|file| rustix::io::read(&file, &mut arguments));
        // A process that has ended and is not reaped yet has none.
        if let Some(Ok(length @ 1..)) = read {
            arguments.truncate(length);
            running.push(RunningProcess {
                pid,
                parent: process.parent,
                depth: depth(process),
                arguments,
            });
        }
    });
    running
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

/// Continues a child that has stopped, as `status` says. A child stops before our eyes only if it
/// has made us its tracer (`PTRACE_TRACEME`), and would wait for us for ever.
pub fn let_go_if_stopped(pid: Pid, status: WaitStatus) {
    let Some(signal) = status.stopping_signal() else {
        return;
    };
    // It stops by itself only for another signal than the tracer's.
    let signal = if signal == libc::SIGTRAP { 0 } else { signal };
    let nowhere = std::ptr::null_mut::<libc::c_void>();
    let data = nowhere.wrapping_byte_add(usize::try_from(signal).unwrap_or(0));
    // SAFETY: `PTRACE_DETACH` takes a number in the place of the last pointer. If the child is
    // gone, nothing happens.
    unsafe { libc::ptrace(libc::PTRACE_DETACH, pid.as_raw_pid(), nowhere, data) };
}

/// A process that was found.
#[derive(Clone, Copy, Debug)]
pub struct FoundProcess {
    /// Its number.
    pub pid: i32,
    /// The number of its parent.
    pub parent: i32,
    /// It is one of this program's that end by themselves.
    pub own_process: Option<OwnProcess>,
    /// A watchdog below this process sees to its end.
    pub is_watched: bool,
    /// `R`, `S`, `T`, … as `proc_pid_stat(5)` has it.
    pub state: u8,
}

impl FoundProcess {
    /// Sends it a signal.
    pub fn send(&self, signal: Signal) {
        if let Some(pid) = Pid::from_raw(self.pid) {
            // A process that is already gone is no loss.
            let _ = kill_process(pid, signal);
        }
    }
}

/// Processes, by number.
pub struct ProcessSet {
    processes: [FoundProcess; MAX_PROCESSES_PER_ROUND],
    count: usize,
}

impl Default for ProcessSet {
    fn default() -> Self {
        Self::new()
    }
}

impl ProcessSet {
    /// No process yet.
    #[must_use]
    #[expect(
        clippy::large_stack_arrays,
        reason = "nothing can be allocated where this is needed"
    )]
    pub fn new() -> Self {
        const NONE: FoundProcess = FoundProcess {
            pid: 0,
            parent: 0,
            own_process: None,
            is_watched: false,
            state: 0,
        };
        Self {
            processes: [NONE; MAX_PROCESSES_PER_ROUND],
            count: 0,
        }
    }

    /// True if there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All of them, the lowest number first.
    pub fn iter(&self) -> impl Iterator<Item = &FoundProcess> {
        self.processes[..self.count].iter()
    }

    fn place(&self, pid: i32) -> Result<usize, usize> {
        self.processes[..self.count].binary_search_by_key(&pid, |one| one.pid)
    }

    /// The one of that number.
    #[must_use]
    pub fn get(&self, pid: i32) -> Option<&FoundProcess> {
        self.place(pid).ok().map(|index| &self.processes[index])
    }

    /// Adds a process; returns whether it was new and there was room.
    pub fn add(&mut self, process: FoundProcess) -> bool {
        match self.place(process.pid) {
            Err(index) if self.count < MAX_PROCESSES_PER_ROUND => {
                self.processes.copy_within(index..self.count, index + 1);
                self.processes[index] = process;
                self.count += 1;
                true
            }
            _ => false,
        }
    }

    /// Finds all current descendants of this process, and the processes that bear `mark`, with
    /// their descendants. A child usually has a higher number than its parent and comes after it;
    /// only where one does not, all of `/proc` is read once more.
    pub fn scan(&mut self, mark: Option<&[u8]>) {
        self.count = 0;
        let myself = getpid().as_raw_pid();
        let mut marks = mark;
        // The parents of the processes that are none of these as far as is known.
        let mut parents_of_others = [0; MAX_PROCESSES_PER_ROUND];
        loop {
            let (mut has_added, mut others) = (false, 0);
            each_process(|proc, name, pid| {
                if pid == myself || self.get(pid).is_some() {
                    return;
                }
                let mut line = [0; PIECE_BYTES];
                let Some(stat) = stat_of(proc, name, &mut line) else {
                    return;
                };
                let Some((state, parent)) = state_and_parent_of(stat) else {
                    return;
                };
                let above = self.get(parent).copied();
                let below = parent == myself || above.is_some();
                if below || marks.is_some_and(|mark| has_mark(proc, name, mark)) {
                    let own_process =
                        name_of(stat).and_then(|name| OwnProcess::identify(pid, name));
                    has_added |= self.add(FoundProcess {
                        pid,
                        parent,
                        own_process,
                        is_watched: above.is_some_and(|above| {
                            above.is_watched || above.own_process == Some(OwnProcess::Watching)
                        }),
                        state,
                    });
                } else {
                    if let Some(place) = parents_of_others.get_mut(others) {
                        *place = parent;
                    }
                    others += 1;
                }
            });
            let mut parents = parents_of_others.iter().take(others);
            let came_early = parents.any(|parent| self.get(*parent).is_some());
            if !has_added || (!came_early && others <= MAX_PROCESSES_PER_ROUND) {
                return;
            }
            // The processes that bear it are known by now; what they start meanwhile is found as
            // their descendant, or in the next round.
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
    let mut buffer = [MaybeUninit::uninit(); 4 * PIECE_BYTES];
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
    let path = joined(&[name, b"/", file]);
    let path = CStr::from_bytes_until_nul(&path).ok()?;
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    openat(proc, path, flags, Mode::empty()).ok()
}

/// The fields of `/proc/<name>/stat`, read into `line`.
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

/// State and parent in a line of `/proc/<pid>/stat`: the first two fields after the name, which may
/// contain parentheses.
fn state_and_parent_of(stat: &[u8]) -> Option<(u8, i32)> {
    let behind_name = stat.iter().rposition(|byte| *byte == b')')? + 1;
    let fields = std::str::from_utf8(&stat[behind_name..]).ok()?;
    let mut fields = fields.split_ascii_whitespace();
    let state = fields.next()?.bytes().next()?;
    Some((state, fields.next()?.parse().ok()?))
}

/// True if `mark` is in the environment of a process.
fn has_mark(proc: impl AsFd, name: &[u8], mark: &[u8]) -> bool {
    let Some(file) = open(proc, name, b"environ") else {
        return false;
    };
    let mut piece = [0; PIECE_BYTES];
    let mut buffered_bytes = 0;
    while let Ok(length @ 1..) = rustix::io::read(&file, &mut piece[buffered_bytes..]) {
        let filled = buffered_bytes + length;
        if memchr::memmem::find(&piece[..filled], mark).is_some() {
            return true;
        }
        // The mark may begin in this piece and end in the next.
        buffered_bytes = filled.min(mark.len().saturating_sub(1));
        piece.copy_within(filled - buffered_bytes..filled, 0);
    }
    false
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

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
        let read = state_and_parent_of;
        assert_eq!(read(b"12 (sh) S 7 12 12 0"), Some((b'S', 7)));
        assert_eq!(read(b"12 (a) R 1 (b) T 7 12 12 0"), Some((b'T', 7)));
        assert_eq!(read(b"12 (sh"), None);
        assert_eq!(read(b""), None);
    }

    #[test]
    fn what_is_found_is_found_once_and_no_more_than_there_is_room_for() {
        let mut processes = ProcessSet::new();
        let process = |pid| FoundProcess {
            pid,
            parent: 1,
            own_process: None,
            is_watched: false,
            state: 0,
        };
        for pid in (1..10_000).rev() {
            assert_eq!(
                processes.add(process(pid)),
                pid > 10_000 - 1 - 4096,
                "{pid}"
            );
        }
        assert!(!processes.add(process(9_000)));
        assert!(processes.get(9_000).is_some() && processes.get(5_000).is_none());
        let pids: Vec<i32> = processes.iter().map(|one| one.pid).collect();
        assert!(pids.is_sorted() && pids.len() == MAX_PROCESSES_PER_ROUND);
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
            let deadline = Instant::now() + Duration::from_secs(5);
            // A process that has just become another program has no environment for a moment.
            while !borne[0] && Instant::now() < deadline {
                each_process(|proc, name, other_pid| {
                    if other_pid == pid {
                        borne = [&b"B_MARK=4711"[..], b"B_MARK=4712"]
                            .map(|mark| has_mark(proc, name, mark));
                    }
                });
            }
            child.kill().unwrap();
            child.wait().unwrap();
            assert_eq!(borne, [true, false], "behind {before} bytes");
        }
    }
}
