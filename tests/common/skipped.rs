//! The tests that a run had to skip: each test program adds its lines to the run's file, and the
//! last one reads it.

use std::fs::{self, DirEntry, OpenOptions};
use std::io::Write;
use std::os::unix::process::parent_id;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The name of a run: the id of the cargo process that starts the test programs, and its start
/// time, since ids are reused. Runs at the same time have files of their own.
fn run() -> String {
    let parent = parent_id();
    let status = fs::read_to_string(format!("/proc/{parent}/stat")).unwrap_or_default();
    // The name, in parentheses, may contain blanks; the 20th field after it is the start time.
    let (_, behind_the_name) = status.rsplit_once(')').unwrap_or_default();
    let started = behind_the_name.split_whitespace().nth(19).unwrap_or("0");
    format!("{parent}.{started}")
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("skipped")
}

/// Adds `line`, which ends in a line feed, to this run's file.
pub fn record(line: &str) {
    fs::create_dir_all(directory()).unwrap();
    let mut options = OpenOptions::new();
    let file = options
        .append(true)
        .create(true)
        .open(directory().join(run()));
    file.unwrap().write_all(line.as_bytes()).unwrap();
}

/// How long a run takes at most.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Takes this run's lines, sorted, and removes the files of earlier runs that did not finish. Those
/// of others that are under way stay, and where processes have numbers of their own (a container)
/// nobody can tell by a number whether they are.
pub fn take() -> Vec<String> {
    let Ok(entries) = fs::read_dir(directory()) else {
        return Vec::new();
    };
    let run = run();
    let mut lines = Vec::new();
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy() == run {
            let text = fs::read_to_string(entry.path()).unwrap();
            lines.extend(text.lines().map(str::to_owned));
        } else if age(&entry).is_none_or(|age| age < LONGEST) {
            continue;
        }
        // Another run may be removing the same file.
        let _ = fs::remove_file(entry.path());
    }
    lines.sort();
    lines
}

/// How long ago something was written to it.
fn age(entry: &DirEntry) -> Option<Duration> {
    entry.metadata().ok()?.modified().ok()?.elapsed().ok()
}
