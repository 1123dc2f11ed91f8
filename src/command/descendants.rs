//! Ending a whole tree of processes: everything that descends from this one, whatever session or group it moved to.
//!
//! A process whose parent dies is handed to the nearest "child subreaper" above it (`prctl(2)`), so whoever is one
//! finds all that it ever started among its descendants. The tree is read from `/proc/<pid>/stat` (`proc_pid_stat(5)`),
//! which every kernel has, and not from `task/*/children`, which is optional.

use std::collections::HashMap;
use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, kill_process_group, wait};

use crate::files::is_write_under_way;

/// How long the dying may take. A process in an uninterruptible wait, or one that belongs to another user, outlasts
/// any signal; it must not outlast us too.
const PATIENCE: Duration = Duration::from_secs(5);

/// Kills every descendant of this process, and reaps those that are its children. Where there is no `/proc` to find
/// them in, the process group `group` is all that is known of them. A write that is under way is not broken off: it
/// ends by itself, whoever is gone by then.
pub fn kill_all(group: Option<Pid>) {
    let deadline = Instant::now() + PATIENCE;
    while reap() && Instant::now() < deadline {
        let (found, writing) = list();
        if found.is_empty() && writing {
            return;
        }
        if let (true, Some(group)) = (found.is_empty(), group) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        for pid in found {
            // One that is gone already is as wished.
            let _ = kill_process(pid, Signal::KILL);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Reaps the children that have ended; tells whether any are left.
#[must_use]
pub fn reap() -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

/// Every descendant of this process as of now, but for writes under way; and whether there are such.
fn list() -> (Vec<Pid>, bool) {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    let mut writes = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        let Ok(stat) = fs::read(entry.path().join("stat")) else {
            continue;
        };
        if let Some(parent) = parent_of(&stat) {
            children.entry(parent).or_default().push(pid);
            if name_of(&stat).is_some_and(|name| is_write_under_way(pid, name)) {
                writes.push(pid);
            }
        }
    }
    let (mut found, mut writing) = (Vec::new(), false);
    let mut parents = vec![getpid().as_raw_pid()];
    while let Some(parent) = parents.pop() {
        for child in children.remove(&parent).unwrap_or_default() {
            if writes.contains(&child) {
                writing = true;
            } else {
                parents.push(child);
                found.extend(Pid::from_raw(child));
            }
        }
    }
    (found, writing)
}

/// The name in a line of `/proc/<pid>/stat`, in parentheses, which it may itself hold.
fn name_of(stat: &[u8]) -> Option<&[u8]> {
    let opening = stat.iter().position(|byte| *byte == b'(')?;
    let closing = stat.iter().rposition(|byte| *byte == b')')?;
    stat.get(opening + 1..closing)
}

/// The parent in a line of `/proc/<pid>/stat`: the second field behind the name, which may itself hold parentheses.
fn parent_of(stat: &[u8]) -> Option<i32> {
    let behind_name = stat.iter().rposition(|byte| *byte == b')')? + 1;
    let fields = std::str::from_utf8(&stat[behind_name..]).ok()?;
    fields.split_ascii_whitespace().nth(1)?.parse().ok()
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
}
