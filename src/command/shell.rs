//! One command through `/bin/sh`: its output as it comes, and how it ended.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::ioctl_fionread;
use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};

use super::watchdog::Watchdog;

/// How much is read at once, and how much the command may write ahead of us, in bytes: the most that `pipe(7)` gives
/// without privileges.
const PIPE_SIZE: usize = 1024 * 1024;

/// How much waits in the pipe when a command writes faster than is read, in bytes: half of a pipe's first size.
const LIVELY: usize = 32 * 1024;

/// The longest argument that `execve(2)` takes, its final NUL included (`MAX_ARG_STRLEN`).
const LONGEST_ARGUMENT: usize = 32 * 4096;

/// Runs `command` and writes what it says on both streams into `sink`, in the order written and as it comes. Comes
/// back with the exit code when the shell itself has ended; signal N counts as 128 + N, and a command that could not
/// be started as 127.
///
/// # Errors
/// Only those of `sink`. What the command started is killed then.
pub fn run(command: &str, sink: &mut impl Write) -> io::Result<i32> {
    if command.trim_ascii().is_empty() {
        return refuse("the command is empty, nothing was run", sink);
    }
    if command.contains('\0') {
        return refuse(
            "the command contains a NUL character, nothing was run",
            sink,
        );
    }
    match start(command) {
        Ok((output, mut watchdog)) => {
            pass_on(output, &watchdog, sink)?;
            let code = watchdog.exit_code();
            watchdog.release();
            Ok(code)
        }
        Err(error) => refuse(&error.to_string(), sink),
    }
}

fn refuse(reason: &str, sink: &mut impl Write) -> io::Result<i32> {
    write!(sink, "sh: {reason}")?;
    Ok(127)
}

fn start(command: &str) -> io::Result<(File, Watchdog)> {
    let (output, input) = pipe_with(PipeFlags::CLOEXEC)?;
    let mut shell = Command::new("/bin/sh");
    // The messages of a shell begin with its name, and the specification shows "sh: 1: …".
    shell.arg0("sh");
    let script = if command.len() < LONGEST_ARGUMENT {
        // What begins with a dash is a command all the same.
        shell.args(["-c", "--"]).arg(command);
        None
    } else {
        let script = as_file(command)?;
        shell
            .arg("-c")
            .arg(format!(". /proc/self/fd/{}", script.as_raw_fd()));
        Some(script)
    };
    let watchdog = Watchdog::start(shell, input)?;
    drop(script);
    Ok((output.into(), watchdog))
}

/// A command that is too long for an argument, as a file in memory that the shell inherits and closes again.
fn as_file(command: &str) -> io::Result<OwnedFd> {
    let mut script = File::from(memfd_create("command", MemfdFlags::empty())?);
    // POSIX shells redirect descriptors of one digit only; a higher one stays open in the command, empty-handed.
    if script.as_raw_fd() < 10 {
        write!(script, "exec {}<&-; ", script.as_raw_fd())?;
    }
    script.write_all(command.as_bytes())?;
    script.seek(SeekFrom::Start(0))?;
    Ok(script.into())
}

/// Passes the command's output on until the shell has ended, and then what is in the pipe by that time.
fn pass_on(mut output: File, watchdog: &Watchdog, sink: &mut impl Write) -> io::Result<()> {
    let mut buffer = Vec::new();
    let mut open = true;
    let mut enlarged = false;
    loop {
        let (ended, readable) = {
            let status = watchdog.ended();
            let mut wanted = vec![PollFd::new(&status, PollFlags::IN)];
            if open {
                wanted.push(PollFd::new(&output, PollFlags::IN));
            }
            match poll(&mut wanted, None) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let ready = |at: usize| wanted.get(at).is_some_and(|fd| !fd.revents().is_empty());
            (ready(0), ready(1))
        };
        // Asked after the end is known, so that all that was written before it counts.
        let waiting = ioctl_fionread(&output)?;
        if waiting > 0 {
            let waiting = usize::try_from(waiting).unwrap_or(PIPE_SIZE);
            if waiting >= LIVELY && !enlarged {
                // A smaller pipe, where a user has used up their share, is slower and nothing else.
                let _ = fcntl_setpipe_size(&output, PIPE_SIZE);
                enlarged = true;
            }
            buffer.resize(buffer.len().max(waiting.min(PIPE_SIZE)), 0);
            let mut left = waiting;
            while left > 0 {
                let most = left.min(buffer.len());
                let count = output.read(&mut buffer[..most])?;
                if count == 0 {
                    break;
                }
                sink.write_all(&buffer[..count])?;
                left -= count;
            }
            // Whoever watches sees it now.
            sink.flush()?;
        } else if readable {
            // Readable and empty: every writer has closed it.
            open = false;
        }
        if ended {
            return Ok(());
        }
    }
}
