//! A person's standard input in the place of a file: searched by grep, read by file-read.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{IntoRawFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, MemfdFlags, Mode, OFlags, fstat, memfd_create, open, tell};

use iki_base::console::streams::RawStdin;
use iki_tools::contract::search_style::StdinPlace;

/// The time after which a person is told what is waited for, in seconds.
const WAIT_SECONDS: i64 = 1;

/// The most that is kept of text of which only the first lines are wanted.
const WINDOW_BYTES: usize = 1 << 20;

/// The names under which standard input is a place to search.
pub const NAMES: [&str; 3] = ["-", "/dev/stdin", "/dev/fd/0"];

/// True if standard input is a pipe, or a regular file with something to read: somebody has put it
/// there. A terminal, a socket or a device is there by itself.
pub fn is_given() -> bool {
    let stdin = rustix::stdio::stdin();
    let Ok(status) = fstat(stdin) else {
        return false;
    };
    match FileType::from_raw_mode(status.st_mode) {
        FileType::Fifo => true,
        FileType::RegularFile => {
            let size = u64::try_from(status.st_size).unwrap_or(0);
            tell(stdin).is_ok_and(|offset| offset < size)
        }
        _ => false,
    }
}

/// Says on stderr what is waited for, if nothing comes within a second.
pub fn announce_wait(tool: &str, place: StdinPlace) {
    let stdin = rustix::stdio::stdin();
    let mut ready = [PollFd::new(&stdin, PollFlags::IN)];
    let time = Timespec {
        tv_sec: WAIT_SECONDS,
        tv_nsec: 0,
    };
    if poll(&mut ready, Some(&time)) == Ok(0) {
        let words = match place {
            StdinPlace::Implied => "waiting for stdin; to search the directory, add .",
            StdinPlace::Named => "waiting for stdin",
        };
        let _ = writeln!(io::stderr(), "{tool}: {words}");
    }
}

/// A path under which all that standard input holds can be read like a file; of text no more than
/// has the first `lines`, if only these are wanted.
///
/// # Errors
/// It cannot be read, or there is no room for it.
pub fn as_file(lines: Option<u64>) -> Result<String, String> {
    let file = spool(lines).map_err(|error| format!("stdin cannot be read: {error}"))?;
    // It lasts as long as the process.
    let descriptor = file.into_raw_fd();
    Ok(format!("/proc/self/fd/{descriptor}"))
}

fn spool(lines: Option<u64>) -> io::Result<File> {
    let mut file = File::from(unnamed_file()?);
    let (mut piece, mut head) = (vec![0; 64 << 10], Vec::new());
    let (mut written, mut line_feeds) = (0, 0);
    loop {
        let count = match RawStdin.read(&mut piece) {
            Ok(0) => return Ok(file),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let bytes = &piece[..count];
        file.write_all(bytes)?;
        if head.is_empty() {
            head.extend_from_slice(bytes);
        }
        written += count;
        line_feeds += memchr::memchr_iter(b'\n', bytes).count() as u64;
        let is_text = !head.contains(&0) && !head.starts_with(b"%PDF");
        if is_text && written >= WINDOW_BYTES && lines.is_some_and(|lines| line_feeds >= lines) {
            return Ok(file);
        }
    }
}

/// A file without a name, which goes with the process: on the disk, or else in memory.
fn unnamed_file() -> io::Result<OwnedFd> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = open(std::env::temp_dir(), flags, Mode::RUSR | Mode::WUSR);
    Ok(file.or_else(|_| memfd_create("stdin", MemfdFlags::CLOEXEC))?)
}
