//! The process that overwrites a file: found, stopped midway, killed.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::fs::{self, File};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::common::{directory, names_in};

/// The size of a file that takes a while to overwrite, in bytes.
const LARGE: usize = 60_000_000;

/// What the edits of these tests replace, and the replacement: longer, so that every byte moves.
pub const OLD: &str = "<here>";
pub const NEW: &str = "<there and back>";

/// A large file with two names.
pub struct Large {
    pub directory: tempfile::TempDir,
    pub file: PathBuf,
    rest: Vec<u8>,
}

impl Large {
    pub fn new() -> Self {
        Self::within(directory())
    }

    pub fn within(directory: tempfile::TempDir) -> Self {
        let file = directory.path().join("file");
        let rest = b"0123456789abcdef\n".repeat(LARGE / 17);
        let large = Self {
            directory,
            file,
            rest,
        };
        large.restore();
        fs::hard_link(&large.file, large.directory.path().join("twin")).unwrap();
        large
    }

    /// Restores the file's old content.
    pub fn restore(&self) {
        let file = File::options()
            .write(true)
            .create(true)
            .truncate(true)
            .open(&self.file)
            .unwrap();
        file.write_all_at(OLD.as_bytes(), 0).unwrap();
        file.write_all_at(&self.rest, OLD.len() as u64).unwrap();
    }

    /// Whether the file at `path` has the old content (`OLD`) or the new one, whole.
    pub fn has(&self, path: &Path, word: &str) -> bool {
        let content = fs::read(path).unwrap();
        content.len() == word.len() + self.rest.len()
            && content.starts_with(word.as_bytes())
            && content[word.len()..] == self.rest
    }

    /// Whether part of the file is new, and not all.
    pub fn is_torn(&self) -> bool {
        let file = File::open(&self.file).unwrap();
        let mut start = [0; 4];
        file.read_exact_at(&mut start, 0).unwrap();
        NEW.as_bytes().starts_with(&start)
            && file.metadata().unwrap().size() < (NEW.len() + self.rest.len()) as u64
    }

    /// Whether the directory holds nothing but the file's two names.
    pub fn is_alone(&self) -> bool {
        names_in(self.directory.path()) == ["file", "twin"]
    }

    /// The drafts beside the file.
    pub fn drafts(&self) -> Vec<PathBuf> {
        let names = names_in(self.directory.path());
        names
            .iter()
            .filter(|name| name.starts_with(".ikigai-"))
            .map(|name| self.directory.path().join(name))
            .collect()
    }

    /// Stops the process that overwrites the file while it works; `None` if it had finished before.
    pub fn stop_midway(&self) -> Option<Step> {
        let deadline = Instant::now() + Duration::from_secs(60);
        while Instant::now() < deadline {
            if self.is_torn()
                && let Some(step) = Step::find(&self.file)
            {
                step.signal(libc::SIGSTOP);
                let stopped = crate::common::eventually(|| step.state() == 'T');
                if stopped && self.is_torn() {
                    return Some(step);
                }
                step.signal(libc::SIGCONT);
            }
            if self.has_end() {
                return None;
            }
            std::thread::sleep(Duration::from_micros(300));
        }
        panic!("nobody overwrote the file");
    }

    fn has_end(&self) -> bool {
        fs::metadata(&self.file).unwrap().len() == (NEW.len() + self.rest.len()) as u64
    }
}

/// Has `call` begun again and again and killed after a pause that grows by a thirtieth of `took`,
/// until ten calls have ended before it: a busy machine makes that more calls. `call` returns
/// whether its call ended by itself.
pub fn kill_later_and_later(took: Duration, mut call: impl FnMut(u32, Duration) -> bool) {
    let mut pace = took / 30;
    loop {
        let (mut round, mut ended) = (0, 0);
        while ended < 10 {
            ended += u32::from(call(round, pace * round));
            round += 1;
        }
        // A time that was measured while the machine was busy is too long when it no longer is.
        if round > 20 {
            return;
        }
        pace /= 2;
    }
}

/// A process that overwrites a file.
pub struct Step(i32);

impl Step {
    /// The one that has `file` open.
    pub fn find(file: &Path) -> Option<Self> {
        let wanted = fs::metadata(file).ok()?;
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let Ok(pid) = entry.file_name().to_string_lossy().parse() else {
                continue;
            };
            let name = fs::read(entry.path().join("comm")).unwrap_or_default();
            let descriptors = fs::read_dir(entry.path().join("fd"));
            if name == b"ikigai/writing\n"
                && descriptors.is_ok_and(|mut all| {
                    all.any(|one| {
                        one.and_then(|one| fs::metadata(one.path()))
                            .is_ok_and(|it| (it.dev(), it.ino()) == (wanted.dev(), wanted.ino()))
                    })
                })
            {
                return Some(Self(pid));
            }
        }
        None
    }

    pub fn signal(&self, signal: i32) {
        // SAFETY: a number and a number; the process may be gone.
        unsafe { libc::kill(self.0, signal) };
    }

    pub fn kill(&self) {
        self.signal(libc::SIGKILL);
    }

    pub fn go_on(&self) {
        self.signal(libc::SIGCONT);
    }

    pub fn is_alive(&self) -> bool {
        !matches!(self.state(), '?' | 'Z')
    }

    /// Where its open files lead.
    pub fn open_files(&self) -> Vec<PathBuf> {
        let all = fs::read_dir(format!("/proc/{}/fd", self.0)).unwrap();
        all.map(|one| fs::read_link(one.unwrap().path()).unwrap())
            .collect()
    }

    /// The most memory that it ever had, in KiB.
    pub fn peak(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0)).unwrap();
        let line = status
            .lines()
            .find(|line| line.starts_with("VmHWM:"))
            .unwrap();
        let mut words = line.split_ascii_whitespace();
        words.nth(1).unwrap().parse().unwrap()
    }

    /// `R`, `S`, `T`, … as `proc_pid_stat(5)` has it.
    fn state(&self) -> char {
        let line = fs::read_to_string(format!("/proc/{}/stat", self.0)).unwrap_or_default();
        let behind_name = line.rsplit_once(") ").map(|(_, rest)| rest);
        behind_name
            .and_then(|rest| rest.chars().next())
            .unwrap_or('?')
    }
}
