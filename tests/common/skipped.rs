//! The tests that a run could not make: each test program adds its lines to a file of the run, the last one reads it.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::process::parent_id;
use std::path::{Path, PathBuf};

/// A run is one process of cargo, which starts every test program itself: its id, and when it started, since ids come
/// back. Another run at the same time has a file of its own.
fn run() -> String {
    let parent = parent_id();
    let status = fs::read_to_string(format!("/proc/{parent}/stat")).unwrap_or_default();
    // The name, in parentheses, may hold blanks; the 20th field behind it is the time of the start.
    let (_, behind_the_name) = status.rsplit_once(')').unwrap_or_default();
    let started = behind_the_name.split_whitespace().nth(19).unwrap_or("0");
    format!("{parent}.{started}")
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("skipped")
}

/// Adds a line, which ends in a line feed, to this run's.
pub fn record(line: &str) {
    fs::create_dir_all(directory()).unwrap();
    let mut options = OpenOptions::new();
    let file = options
        .append(true)
        .create(true)
        .open(directory().join(run()));
    file.unwrap().write_all(line.as_bytes()).unwrap();
}

/// Takes this run's lines, sorted, and clears away what earlier runs left that never came to their end.
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
        // Another run may be clearing away the same.
        let _ = fs::remove_file(entry.path());
    }
    lines.sort();
    lines
}
