//! A terminal for tests: a pseudo-terminal whose other side the test holds.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

/// How long a test waits for output.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Which of a program's streams are the terminal.
#[derive(Clone, Copy)]
pub enum Streams {
    /// All three, as for a person who types a command.
    All,
    /// stdin and stderr: stdout is a pipe.
    NotOut,
    /// stdout and stderr: stdin has this text.
    NotIn(&'static str),
    /// stdout alone: stdin is empty, stderr is a pipe.
    Out,
}

/// What a person sees, and what a pipe got.
#[derive(Debug)]
pub struct Seen {
    pub terminal: String,
    pub piped: String,
    pub code: i32,
}

/// Runs `program` at a terminal to its end.
pub fn run(program: &Path, args: &[&str], streams: Streams) -> Seen {
    run_in(Path::new("."), program, args, streams, &[])
}

/// Runs `program` at a terminal to its end, in `directory` and with these variables.
pub fn run_in(
    directory: &Path,
    program: &Path,
    args: &[&str],
    streams: Streams,
    variables: &[(&str, &OsStr)],
) -> Seen {
    let mut running = start_in(directory, program, args, streams, variables);
    let mut piped = String::new();
    if let Some(mut out) = running.child.stdout.take() {
        out.read_to_string(&mut piped).unwrap();
    }
    if let Some(mut err) = running.child.stderr.take() {
        err.read_to_string(&mut piped).unwrap();
    }
    let status = running.child.wait().unwrap();
    assert_eq!(status.signal(), None, "ended by a signal");
    let mut terminal = Vec::new();
    while let Ok(piece) = running.pieces.recv_timeout(TIMEOUT) {
        terminal.extend(piece);
    }
    Seen {
        terminal: String::from_utf8(terminal).unwrap(),
        piped,
        code: status.code().unwrap(),
    }
}

/// A program at a terminal that has not ended yet.
pub struct Running {
    pub child: Child,
    pieces: mpsc::Receiver<Vec<u8>>,
    keys: File,
}

impl Running {
    /// Types `text` on the terminal.
    pub fn types(&mut self, text: &str) {
        self.keys.write_all(text.as_bytes()).unwrap();
    }

    /// Waits until the terminal has shown `text`.
    pub fn shows(&self, text: &str) -> bool {
        let mut seen = Vec::new();
        while let Ok(piece) = self.pieces.recv_timeout(TIMEOUT) {
            seen.extend(piece);
            if String::from_utf8_lossy(&seen).contains(text) {
                return true;
            }
        }
        false
    }
}

/// Starts `program` at a terminal.
pub fn start_in(
    directory: &Path,
    program: &Path,
    args: &[&str],
    streams: Streams,
    variables: &[(&str, &OsStr)],
) -> Running {
    let (ours, theirs) = pair();
    let end = || Stdio::from(theirs.try_clone().unwrap());
    let mut command = Command::new(program);
    command
        .args(args)
        .current_dir(directory)
        .env("TERM", "xterm-256color")
        .env_remove("NO_COLOR")
        .envs(variables.iter().copied())
        .stdin(end())
        .stdout(end())
        .stderr(end());
    match streams {
        Streams::All => {}
        Streams::NotOut => {
            command.stdout(Stdio::piped());
        }
        Streams::NotIn(_) => {
            command.stdin(Stdio::piped());
        }
        Streams::Out => {
            command.stdin(Stdio::null()).stderr(Stdio::piped());
        }
    }
    let mut child = command.spawn().unwrap();
    drop((command, theirs));
    if let (Streams::NotIn(text), Some(mut stdin)) = (streams, child.stdin.take()) {
        stdin.write_all(text.as_bytes()).unwrap();
    }
    Running {
        child,
        keys: ours.try_clone().unwrap(),
        pieces: pieces(ours),
    }
}

/// Both sides of a new terminal, which passes bytes on unchanged.
fn pair() -> (File, File) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let theirs = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(i32::try_from(OFlags::NOCTTY.bits()).unwrap())
        .open(name.to_str().unwrap())
        .unwrap();
    let mut modes = tcgetattr(&theirs).unwrap();
    modes.make_raw();
    tcsetattr(&theirs, OptionalActions::Now, &modes).unwrap();
    (ours.into(), theirs)
}

/// What is sent to the terminal, piece by piece, until nobody holds its other side.
fn pieces(mut ours: File) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut piece = vec![0; 64 * 1024];
        while let Ok(count @ 1..) = ours.read(&mut piece) {
            if sender.send(piece[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    receiver
}
