//! The process of one call: this executable as a child, the description of the call and the request
//! on its stdin, the answer from its stdout.
//!
//! If the server dies, the call ends as it does with any host that dies: by itself, and not in the
//! middle of a write. One that is cancelled is asked to end, and has the time to clear up.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Bytes;
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pipe::{PIPE_BUF, PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy, sink};
use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::permits::CallPermit;
use crate::progress::LatestProgress;
use iki_process::sandbox::reaper::RunningCalls;
use iki_process::sandbox::tree_termination::GRACE;

/// Most answers are no longer than this, in bytes, and are read in one go.
const PLAIN_ANSWER: usize = 4 * 1024;

/// Maximum wait for the end of a process that has answered.
const AFTER_ANSWER: Duration = Duration::from_secs(2);

/// The time that a tool which was asked to end has beyond that of the processes it started.
const MARGIN: Duration = Duration::from_millis(500);

/// A call's process. If it is dropped before its end, it is asked to end, and has the time to do so
/// with all that it started.
pub struct CallProcess(Option<StartedCall>);

/// A process that was started, and everything that is held until its end.
struct StartedCall {
    child: Child,
    _running: RegisteredCall,
    permit: CallPermit,
}

impl CallProcess {
    /// Starts `command` with the parts of `input` on its stdin, of which a large one is not copied.
    /// It holds the `permit` until it has ended, and has the files in `inherited` open.
    pub fn start(
        mut command: Command,
        input: [Bytes; 2],
        inherited: &[BorrowedFd<'_>],
        permit: CallPermit,
        calls: &Arc<RunningCalls>,
    ) -> io::Result<Self> {
        if let Some(filled) = filled_pipe(&input) {
            command.stdin(filled);
        }
        // No other process is started meanwhile that could inherit them: one thread starts
        // processes.
        let set_flags = |flags| {
            let mut all = inherited.iter();
            all.try_for_each(|file| fcntl_setfd(file, flags))
        };
        set_flags(FdFlags::empty())?;
        let child = command.spawn();
        set_flags(FdFlags::CLOEXEC)?;
        let mut child = child?;
        if let Some(mut stdin) = child.stdin.take() {
            // Concurrently with the reading, because a tool may answer before it has read
            // everything. A tool may also stop reading for reasons of its own.
            tokio::spawn(async move {
                for part in input {
                    let _ = stdin.write_all(&part).await;
                }
            });
        }
        Ok(Self(Some(StartedCall {
            _running: RegisteredCall::new(calls, child.id()),
            child,
            permit,
        })))
    }

    /// Lets a process end that has answered, and waits no longer for that than necessary.
    pub fn release(mut self) {
        tokio::spawn(async move {
            if let Ok(child) = self.child() {
                let _ = timeout(AFTER_ANSWER, child.wait()).await;
            }
        });
    }

    /// Waits for the end of a process that goes on when it has answered, and holds no permit.
    pub async fn wait_for_end(mut self) {
        if let Some(started) = &mut self.0 {
            started.permit = CallPermit::default();
            let _ = started.child.wait().await;
        }
        self.0 = None;
    }

    /// The child.
    pub fn child(&mut self) -> io::Result<&mut Child> {
        let started = self.0.as_mut().ok_or(io::ErrorKind::NotFound)?;
        Ok(&mut started.child)
    }

    /// Reads an answer, up to a byte more than `longest`. The lines before it are progress
    /// messages.
    pub async fn read_answer(
        &mut self,
        progress: Option<&LatestProgress>,
        longest: usize,
    ) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(PLAIN_ANSWER);
        let Some(stdout) = &mut self.child()?.stdout else {
            return Ok(bytes);
        };
        let mut seen = 0;
        while bytes.len() <= longest && stdout.read_buf(&mut bytes).await? > 0 {
            while let Some(newline) = memchr::memchr(b'\n', &bytes[seen..]) {
                let line: Vec<u8> = bytes.drain(..=seen + newline).collect();
                if let Some(progress) = progress {
                    progress.update(line.trim_ascii_end());
                }
                seen = 0;
            }
            seen = bytes.len();
        }
        Ok(bytes)
    }
}

impl Drop for CallProcess {
    fn drop(&mut self) {
        let Some(mut started) = self.0.take() else {
            return;
        };
        let pid = started.child.id().and_then(|pid| i32::try_from(pid).ok());
        let Some(pid) = pid.and_then(Pid::from_raw) else {
            return;
        };
        let _ = kill_process(pid, Signal::TERM);
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        // At the server's end this does not run, and `reaper` ends all that is left.
        runtime.spawn(async move {
            let child = &mut started.child;
            let ended = async {
                // If its output were not read, it would end before what it started has.
                if let Some(stdout) = &mut child.stdout {
                    let _ = copy(stdout, &mut sink()).await;
                }
                child.wait().await
            };
            if timeout(GRACE + MARGIN, ended).await.is_err() {
                let _ = child.kill().await;
            }
            drop(started);
        });
    }
}

/// A process that the runtime waits for, until this is dropped.
struct RegisteredCall {
    calls: Arc<RunningCalls>,
    pid: i32,
}

impl RegisteredCall {
    fn new(calls: &Arc<RunningCalls>, pid: Option<u32>) -> Self {
        let pid = pid.and_then(|pid| i32::try_from(pid).ok()).unwrap_or(0);
        calls.mark_started(pid);
        let calls = Arc::clone(calls);
        Self { calls, pid }
    }
}

impl Drop for RegisteredCall {
    fn drop(&mut self) {
        self.calls.mark_ended(self.pid);
    }
}

/// A pipe that already holds the input, and its end; `None` if it might not have room. Writing to a
/// pipe of the runtime's own takes several system calls more.
fn filled_pipe(input: &[Bytes; 2]) -> Option<OwnedFd> {
    if input.iter().map(Bytes::len).sum::<usize>() > PIPE_BUF {
        return None;
    }
    let input = &input.concat();
    let (filled, end) = pipe_with(PipeFlags::CLOEXEC).ok()?;
    // An empty pipe takes as much without blocking, all at once (`pipe(7)`).
    (rustix::io::write(end, input) == Ok(input.len())).then_some(filled)
}
