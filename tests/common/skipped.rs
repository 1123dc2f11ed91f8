//! The tests that a run had to skip: each test program adds its lines to the run's file, and the
//! last one reads it.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::process::parent_id;
use std::path::{Path, PathBuf};

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

/// Takes this run's lines, sorted, and removes the files of earlier runs that did not finish.
pub fn take() -> Vec<String> {
    let Ok(entries) = fs::read_dir(directory()) else {
        return Vec::new();
    };
    let run = run();
    let mut lines = Vec::new();
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let process = name.split('.').next().unwrap_or_default();
        if name == run {
            let text = fs::read_to_string(entry.path()).unwrap();
            lines.extend(text.lines().map(str::to_owned));
        } else if Path::new("/proc").join(process).exists() {
            continue;
        }
        // Another run may be removing the same file.
        let _ = fs::remove_file(entry.path());
    }
    lines.sort();
    lines
}
