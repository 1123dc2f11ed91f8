//! One command through a shell: its output as it comes, and how it ended.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{
    Access, AtFlags, CWD, MemfdFlags, Mode, OFlags, access, accessat, memfd_create, openat,
    unlinkat,
};
use rustix::io::{Errno, FdFlags, fcntl_setfd, ioctl_fionread};
use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};
use rustix::process::{Resource, getrlimit};

use crate::sandbox::confinement::Confinement;
use crate::sandbox::confinement::audit::ProcessMark;
use crate::sandbox::confinement::command_confinement::{self, CommandConfinement};
use crate::sandbox::launch::ProgramLaunch;
use crate::sandbox::watchdog::{CommandEnd, StderrTarget, Watchdog};
use crate::shell::command_shell::{CommandShell, without_number};
use crate::shell::progress::LastLine;
use crate::shell::still_running::{self, StillRunning};

/// How much is read at a time, and how far the command may write ahead of us, in bytes: the most
/// that `pipe(7)` gives without privileges.
const PIPE_SIZE: usize = 1024 * 1024;

/// With so much in the pipe, in bytes, a command writes faster than we read: half of a pipe's
/// initial size.
const BUSY_PIPE: usize = 32 * 1024;

/// The longest argument that `execve(2)` takes, its final NUL included (`MAX_ARG_STRLEN`).
const LONGEST_ARGUMENT: usize = 32 * 4096;

/// The exit code of a command that was ended at the end of its time, as `timeout(1)` has it.
const TIMED_OUT: i32 = 124;

/// How a command is run.
pub struct CommandSettings<'a> {
    /// By this shell.
    pub shell: &'a CommandShell,
    /// In this directory; `None` is the process's own.
    pub directory: Option<OwnedFd>,
    /// Within these bounds, if there are any.
    pub confinement: Option<&'a Confinement>,
    /// Whose denials the kernel is to tell, if anybody listens.
    pub mark: Option<ProcessMark>,
    /// Within this time; `None` is as long as it takes.
    pub limit: Option<TimeLimit>,
    /// While it runs and writes, this is told the last whole line, at most once a second.
    pub progress: Option<fn(&[u8])>,
}

/// The moments at which a command is ended.
#[derive(Clone, Copy, Debug)]
pub struct TimeLimit {
    /// It is asked to end then.
    pub asks: Instant,
    /// Whatever is left of it is killed then.
    pub kills: Instant,
    /// Nothing is waited for any longer.
    pub end: Instant,
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandOutcome {
    /// The exit code: 128 + N for signal N, 127 if it could not be started, 124 at the end of its
    /// time.
    pub code: i32,
    /// It was ended, with all that it started, at the end of its time: what was running then.
    pub timed_out: Option<Vec<StillRunning>>,
}

/// Opens the directory at `path` for a command to start in.
///
/// # Errors
/// It is not there, is none, or may not be entered.
pub fn directory(path: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let directory = openat(CWD, path, flags, Mode::empty())?;
    accessat(&directory, c".", Access::EXEC_OK, AtFlags::EACCESS)?;
    Ok(directory)
}

/// Runs `command` and writes its output on both streams into `sink`, in the order written and as it
/// comes, until the shell itself has ended or its time is over. Why a command could not be started
/// is written into `sink` as well.
///
/// The process becomes a child subreaper (`prctl(2)`). It may have several threads; but if a
/// command kills its own watchdog, what it has started cannot be told from the process's other
/// children, and all of them are killed.
///
/// # Errors
/// Only those of `sink`; whatever the command started is then killed.
pub fn run(
    command: &str,
    conditions: CommandSettings<'_>,
    sink: &mut impl Write,
) -> io::Result<CommandOutcome> {
    let (limit, progress) = (conditions.limit, conditions.progress);
    let ended = |code| CommandOutcome {
        code,
        timed_out: None,
    };
    if command.trim_ascii().is_empty() {
        return refuse("the command is empty, nothing was run", sink).map(ended);
    }
    if command.contains('\0') {
        let reason = "the command contains a NUL character, nothing was run";
        return refuse(reason, sink).map(ended);
    }
    let (shell, confinement) = (conditions.shell, conditions.confinement);
    let (output, mut watchdog) = match start(command, conditions) {
        Ok(started) => started,
        Err(error) => return refuse(&shell.explain(&error), sink).map(ended),
    };
    let mut told = Head {
        sink,
        bytes: Vec::new(),
    };
    let mut pipe = OutputPipe::new(output);
    let asks = limit.map(|limit| limit.asks);
    let passed_on = pass_on(&mut pipe, &watchdog, &mut told, asks, progress)?;
    if let (PassedOn::UntilTimeout, Some(TimeLimit { kills, end, .. })) = (passed_on, limit) {
        let running = watchdog.running();
        watchdog.ask_to_end(kills.saturating_duration_since(Instant::now()));
        // Output that it writes while it clears up is read too.
        pass_on(&mut pipe, &watchdog, &mut told, Some(end), None)?;
        let killed = watchdog.stop(end);
        pipe.drain(&mut told)?;
        return Ok(CommandOutcome {
            code: TIMED_OUT,
            timed_out: Some(still_running::named(running, &killed)),
        });
    }
    let beginning = told.bytes;
    let end = watchdog.end();
    watchdog.release(limit.map(|limit| limit.end));
    match end {
        CommandEnd::Code(code) => {
            if let Some(cause) = ended_before_it_began(code, &beginning) {
                write!(sink, "bash: {cause}")?;
            }
            Ok(ended(code))
        }
        CommandEnd::NotStarted(errno) => refuse(&shell.explain(&errno.into()), sink).map(ended),
        CommandEnd::NotConfined(errno) => refuse(&not_confined(errno), sink).map(ended),
        CommandEnd::NotMasked(errno) => {
            let why = confinement.map(|confinement| confinement.cannot_mask(errno));
            let why = format!("the command was not run: {}", why.unwrap_or_default());
            refuse(&why, sink).map(ended)
        }
        // SIGKILL is the only signal that ends a watchdog.
        CommandEnd::Unwatched => Ok(ended(128 + libc::SIGKILL)),
    }
}

/// Why a command was not run that could not be confined.
fn not_confined(errno: Errno) -> String {
    let why = match errno {
        // The kernel has no more layers.
        Errno::TOOBIG => String::from("it would be the 17th confinement within another"),
        errno => without_number(&errno.into()),
    };
    format!("the command was not run: it could not be confined: {why}")
}

fn refuse(reason: &str, sink: &mut impl Write) -> io::Result<i32> {
    write!(sink, "bash: {reason}")?;
    Ok(127)
}

/// Why a shell may have ended before it did anything. If memory does not suffice to load it, the
/// kernel kills it without a word, or the dynamic loader complains. `beginning` is what it wrote.
fn ended_before_it_began(code: i32, beginning: &[u8]) -> Option<String> {
    let ended = match code - 128 {
        libc::SIGKILL | libc::SIGSEGV => beginning.is_empty(),
        _ => code == 127 && memchr::memmem::find(beginning, LOADING).is_some(),
    };
    let limit = getrlimit(Resource::As).current;
    let limit = limit.filter(|limit| ended && *limit < LITTLE_MEMORY)?;
    Some(format!(
        "the shell ended before it could begin, for want of memory: the limit on this process is \
         {limit} bytes \
         (`ulimit -v`)"
    ))
}

/// With less than this, in bytes, programs of ordinary size cannot be loaded.
const LITTLE_MEMORY: u64 = 64 * 1024 * 1024;

/// The dynamic loader's complaint (`ld.so(8)`).
const LOADING: &[u8] = b": error while loading shared libraries: ";

/// Keeps the beginning of what is passed on.
struct Head<'a, W> {
    sink: &'a mut W,
    bytes: Vec<u8>,
}

impl<W: Write> Write for Head<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let wanted = (2 * LOADING.len()).saturating_sub(self.bytes.len());
        self.bytes.extend(bytes.iter().take(wanted));
        self.sink.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

fn start(command: &str, conditions: CommandSettings<'_>) -> io::Result<(File, Watchdog)> {
    let shell = conditions.shell;
    let (output, input) = pipe_with(PipeFlags::CLOEXEC)?;
    let program = shell.program();
    let mut arguments = vec![shell.name(), OsStr::new("-c")];
    let sourcing;
    let script = if command.len() < LONGEST_ARGUMENT {
        // A command may begin with a dash. Not every shell that may be named knows `--`.
        if shell.is_system_s_own() || command.starts_with(['-', '+']) {
            arguments.push(OsStr::new("--"));
        }
        arguments.push(OsStr::new(command));
        None
    } else {
        let script = as_file(command)?;
        sourcing = read_from(script.as_raw_fd());
        arguments.push(OsStr::new(&sourcing));
        Some(script)
    };
    let mut launch = match conditions.confinement {
        None => ProgramLaunch::prepare(&program, arguments, shell.withheld)?,
        Some(confinement) => confined(confinement, &program, arguments, shell, script.as_ref())?,
    };
    launch.directory = conditions.directory;
    if let Some(confined) = &mut launch.confinement {
        confined.mark = conditions.mark;
    }
    let watchdog = Watchdog::start(launch, input, StderrTarget::WithOutput)?;
    drop(script);
    Ok((output.into(), watchdog))
}

/// A shell that is to be started within bounds. Within directories it has one of its own for
/// temporary files, and not the variables that lead to services outside. Of other descriptors it
/// keeps the `script`.
fn confined<'a>(
    confinement: &Confinement,
    program: &OsStr,
    arguments: impl IntoIterator<Item = &'a OsStr>,
    shell: &CommandShell,
    script: Option<&OwnedFd>,
) -> io::Result<ProgramLaunch> {
    let mut confined = CommandConfinement::prepare(confinement).map_err(io::Error::other)?;
    confined.kept = script.map(AsRawFd::as_raw_fd);
    if !confinement.confines_files() {
        let mut launch = ProgramLaunch::prepare(program, arguments, shell.withheld)?;
        launch.confinement = Some(confined);
        return Ok(launch);
    }
    let withheld = |name: &OsStr| (shell.withheld)(name) || command_confinement::is_withheld(name);
    let place = command_confinement::private_directory(confinement);
    let place = place.ok_or_else(|| io::Error::other("there is no place for temporary files"))?;
    let launch = ProgramLaunch::prepare(program, arguments, withheld)?;
    let launch = launch.with(command_confinement::TEMPORARY, place.path())?;
    let mut launch = launch.with(
        command_confinement::TEMPORARY_OF_ZSH,
        place.path().join("zsh"),
    )?;
    launch.scratch = Some(Arc::new(place));
    launch.confinement = Some(confined);
    Ok(launch)
}

/// A command that reads the real one from a descriptor.
fn read_from(script: i32) -> String {
    if access("/proc/self/fd", Access::EXISTS).is_ok() {
        format!(". /proc/self/fd/{script}")
    } else {
        format!("eval \"$(cat <&{script})\"")
    }
}

/// Puts a command that is too long for an argument into a nameless file that the shell inherits and
/// closes again.
fn as_file(command: &str) -> io::Result<OwnedFd> {
    let script =
        memfd_create("command", MemfdFlags::CLOEXEC).or_else(|_| in_a_temporary_place())?;
    // Marked for inheritance only now: nothing else is started in between.
    fcntl_setfd(&script, FdFlags::empty())?;
    let mut script = File::from(script);
    // POSIX shells redirect descriptors of one digit only; a higher one stays open in the command,
    // at its end.
    if script.as_raw_fd() < 10 {
        write!(script, "exec {}<&-; ", script.as_raw_fd())?;
    }
    script.write_all(command.as_bytes())?;
    script.seek(SeekFrom::Start(0))?;
    Ok(script.into())
}

/// A file in the directory for temporary files, for kernels that offer none in memory. If it needs
/// a name, the name is removed at once.
fn in_a_temporary_place() -> Result<OwnedFd, Errno> {
    let directory = std::env::temp_dir();
    let mode = Mode::RUSR | Mode::WUSR;
    let flags = OFlags::RDWR | OFlags::CLOEXEC;
    openat(CWD, &directory, flags | OFlags::TMPFILE, mode).or_else(|_| {
        use std::hash::{BuildHasher, Hasher, RandomState};
        let number = RandomState::new().build_hasher().finish();
        let name = directory.join(format!(".ikigai-{number:016x}"));
        let file = openat(CWD, &name, flags | OFlags::CREATE | OFlags::EXCL, mode)?;
        unlinkat(CWD, &name, rustix::fs::AtFlags::empty())?;
        Ok(file)
    })
}

/// The reading end of a command's output.
struct OutputPipe {
    output: File,
    buffer: Vec<u8>,
    enlarged: bool,
}

impl OutputPipe {
    fn new(output: File) -> Self {
        Self {
            output,
            buffer: Vec::new(),
            enlarged: false,
        }
    }

    /// Passes on what is in the pipe by now; returns whether that was anything.
    fn drain(&mut self, sink: &mut impl Write) -> io::Result<bool> {
        let waiting = ioctl_fionread(&self.output)?;
        if waiting == 0 {
            return Ok(false);
        }
        let waiting = usize::try_from(waiting).unwrap_or(PIPE_SIZE);
        if waiting >= BUSY_PIPE && !self.enlarged {
            // If the user has used up their share, the pipe stays small, which is only slower.
            let _ = fcntl_setpipe_size(&self.output, PIPE_SIZE);
            self.enlarged = true;
        }
        let size = self.buffer.len().max(waiting.min(PIPE_SIZE));
        self.buffer.resize(size, 0);
        let mut left = waiting;
        while left > 0 {
            let most = left.min(self.buffer.len());
            let count = self.output.read(&mut self.buffer[..most])?;
            if count == 0 {
                break;
            }
            sink.write_all(&self.buffer[..count])?;
            left -= count;
        }
        // A viewer sees it now.
        sink.flush()?;
        Ok(true)
    }
}

/// Until when a command's output was passed on.
enum PassedOn {
    /// Until the shell had ended.
    UntilEnd,
    /// Until its time was over.
    UntilTimeout,
}

/// Passes the command's output on until the shell has ended, and then what is left in the pipe at
/// that time; or until `end`.
fn pass_on(
    pipe: &mut OutputPipe,
    watchdog: &Watchdog,
    sink: &mut impl Write,
    end: Option<Instant>,
    progress: Option<fn(&[u8])>,
) -> io::Result<PassedOn> {
    let mut told = progress.map(LastLine::new);
    let mut open = true;
    loop {
        let (ended, readable) = {
            let status = watchdog.ended();
            let mut wanted = vec![PollFd::new(&status, PollFlags::IN)];
            if open {
                wanted.push(PollFd::new(&pipe.output, PollFlags::IN));
            }
            let due = told.as_ref().and_then(LastLine::due);
            let wake = end.into_iter().chain(due).min().and_then(|wake| {
                let pause = wake.saturating_duration_since(Instant::now());
                // A timeout too long for the call is none.
                Timespec::try_from(pause).ok()
            });
            match poll(&mut wanted, wake.as_ref()) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let ready = |at: usize| wanted.get(at).is_some_and(|fd| !fd.revents().is_empty());
            (ready(0), ready(1))
        };
        // Asked after the end is known, so that everything written before the end counts.
        let drained = match &mut told {
            None => pipe.drain(sink)?,
            Some(told) => {
                let drained = pipe.drain(&mut told.beside(sink))?;
                told.tell_if_due();
                drained
            }
        };
        if !drained && readable {
            // Readable and empty: every writer has closed it.
            open = false;
        }
        if ended {
            return Ok(PassedOn::UntilEnd);
        }
        if end.is_some_and(|end| Instant::now() >= end) {
            return Ok(PassedOn::UntilTimeout);
        }
    }
}
