//! Running one command through a shell, with its output as it comes and its exit code.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use rustix::fs::{
    Access, AtFlags, CWD, MemfdFlags, Mode, OFlags, access, accessat, memfd_create, openat,
    unlinkat,
};
use rustix::io::{Errno, FdFlags, fcntl_setfd, ioctl_fionread};
use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};
use rustix::process::{Resource, getrlimit};

use crate::basics::words::system_words;
use crate::sandbox::confinement::Confinement;
use crate::sandbox::confinement::audit::ProcessMark;
use crate::sandbox::confinement::command_confinement::{self, CommandConfinement};
use crate::sandbox::launch::ProgramLaunch;
use crate::sandbox::watchdog::{CommandEnd, StderrTarget, Watchdog};
use crate::shell::command_shell::CommandShell;
use crate::shell::progress::LastLine;
use crate::shell::still_running::{self, StillRunning};
use crate::shell::unattended;

/// Size of a busy command's pipe, in bytes: the most that `pipe(7)` gives without privileges. So
/// much is read at a time, and so far the command may write ahead.
const PIPE_SIZE: usize = 1024 * 1024;

/// Bytes in the pipe from which a command is taken to write faster than we read: half of a pipe's
/// initial size.
const BUSY_PIPE: usize = 32 * 1024;

/// The longest argument that `execve(2)` takes, its final NUL included (`MAX_ARG_STRLEN`).
const LONGEST_ARGUMENT: usize = 32 * 4096;

/// Exit code of a command that ran into its time limit, as `timeout(1)` has it.
const TIMED_OUT: i32 = 124;

/// Settings for running a command.
pub struct CommandSettings<'a> {
    /// The shell that runs it.
    pub shell: &'a CommandShell,
    /// The directory in which it starts; `None` is the process's own.
    pub directory: Option<OwnedFd>,
    /// The confinement that it runs in, if any.
    pub confinement: Option<&'a Confinement>,
    /// The mark by which the kernel's audit reports its denials, if they are wanted.
    pub mark: Option<ProcessMark>,
    /// The time limit; `None` is as long as it takes.
    pub limit: Option<TimeLimit>,
    /// Called with the last whole line of output while it runs, at most once a second.
    pub progress: Option<fn(&[u8])>,
}

/// The moments at which a command is asked and forced to end.
#[derive(Clone, Copy, Debug)]
pub struct TimeLimit {
    /// It is asked to end.
    pub ask_at: Instant,
    /// The processes that it has left are killed.
    pub kill_at: Instant,
    /// Waiting ends.
    pub end: Instant,
}

/// The outcome of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandOutcome {
    /// The exit code: 128 + N for signal N, 127 if it could not be started, 124 if it ran into its
    /// time limit.
    pub code: i32,
    /// The processes that were running at its time limit, if it was ended then.
    pub timed_out: Option<Vec<StillRunning>>,
}

/// Opens the directory at `path` for a command to start in.
///
/// # Errors
/// It does not exist, is not a directory, or may not be entered.
pub fn open_directory(path: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let directory = openat(CWD, path, flags, Mode::empty())?;
    accessat(&directory, c".", Access::EXEC_OK, AtFlags::EACCESS)?;
    Ok(directory)
}

/// Runs `command` and writes its output on both streams into `sink`, in the order written and as it
/// comes, until the shell itself has ended or its time is over. If the command could not be
/// started, the reason is written into `sink`.
///
/// The process becomes a child subreaper (`prctl(2)`). It may have several threads. But if a
/// command kills its own watchdog, its processes cannot be told from other children of this
/// process, and all of them are killed.
///
/// # Errors
/// Only those of `sink`; all processes of the command are then killed.
pub fn run_command(
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
        return write_refusal("the command is empty, nothing was run", sink).map(ended);
    }
    if command.contains('\0') {
        let reason = "the command contains a NUL character, nothing was run";
        return write_refusal(reason, sink).map(ended);
    }
    let (shell, confinement) = (conditions.shell, conditions.confinement);
    let (output, mut watchdog) = match start_command(command, conditions) {
        Ok(started) => started,
        Err(error) => return write_refusal(&shell.explain(&error), sink).map(ended),
    };
    let mut sink = HeadWriter {
        sink,
        head: Vec::new(),
    };
    let mut pipe = OutputPipe::new(output);
    let ask_at = limit.map(|limit| limit.ask_at);
    let passed_on = pass_on(&mut pipe, &watchdog, &mut sink, ask_at, progress)?;
    if let (PassedOn::UntilTimeout, Some(TimeLimit { kill_at, end, .. })) = (passed_on, limit) {
        let running = watchdog.running();
        watchdog.ask_to_end(kill_at.saturating_duration_since(Instant::now()));
        // Output that it writes while it cleans up is read too.
        pass_on(&mut pipe, &watchdog, &mut sink, Some(end), None)?;
        let killed = watchdog.stop(end);
        pipe.drain(&mut sink)?;
        return Ok(CommandOutcome {
            code: TIMED_OUT,
            timed_out: Some(still_running::name_processes(running, &killed)),
        });
    }
    let HeadWriter { sink, head } = sink;
    let end = watchdog.end();
    watchdog.release(limit.map(|limit| limit.end));
    match end {
        CommandEnd::Code(code) => {
            if let Some(cause) = explain_failed_start(code, &head) {
                write!(sink, "bash: {cause}")?;
            }
            Ok(ended(code))
        }
        CommandEnd::NotStarted(errno) => {
            write_refusal(&shell.explain(&errno.into()), sink).map(ended)
        }
        CommandEnd::NotConfined(errno) => {
            write_refusal(&explain_not_confined(errno), sink).map(ended)
        }
        CommandEnd::NotMasked(errno) => {
            let cause = confinement.map(|confinement| confinement.cannot_mask(errno));
            let reason = format!("the command was not run: {}", cause.unwrap_or_default());
            write_refusal(&reason, sink).map(ended)
        }
        // SIGKILL is the only signal that ends a watchdog.
        CommandEnd::Unwatched => Ok(ended(128 + libc::SIGKILL)),
    }
}

/// The message for a command that was not run because it could not be confined.
fn explain_not_confined(errno: Errno) -> String {
    let cause = match errno {
        // The kernel has no more layers.
        Errno::TOOBIG => String::from("it would be the 17th confinement within another"),
        errno => system_words(&errno.into()),
    };
    format!("the command was not run: it could not be confined: {cause}")
}

fn write_refusal(reason: &str, sink: &mut impl Write) -> io::Result<i32> {
    write!(sink, "bash: {reason}")?;
    Ok(127)
}

/// The message for a shell that may have ended before it did anything: if there is too little
/// memory to load it, the kernel kills it without a word, or the dynamic loader reports an error.
/// `head` is the beginning of its output.
fn explain_failed_start(code: i32, head: &[u8]) -> Option<String> {
    let ended = match code - 128 {
        libc::SIGKILL | libc::SIGSEGV => head.is_empty(),
        _ => code == 127 && memchr::memmem::find(head, LOADING).is_some(),
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

/// The dynamic loader's error message (`ld.so(8)`).
const LOADING: &[u8] = b": error while loading shared libraries: ";

/// A writer that passes everything on and keeps the beginning.
struct HeadWriter<'a, W> {
    sink: &'a mut W,
    head: Vec<u8>,
}

impl<W: Write> Write for HeadWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let wanted = (2 * LOADING.len()).saturating_sub(self.head.len());
        self.head.extend(bytes.iter().take(wanted));
        self.sink.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

fn start_command(command: &str, conditions: CommandSettings<'_>) -> io::Result<(File, Watchdog)> {
    let shell = conditions.shell;
    let (output, input) = pipe_with(PipeFlags::CLOEXEC)?;
    let program = shell.program();
    let mut arguments = vec![shell.name(), OsStr::new("-c")];
    let sourcing;
    let script = if command.len() < LONGEST_ARGUMENT {
        // A command may begin with a dash. Not every shell of the user's choice knows `--`.
        if shell.is_system_s_own() || command.starts_with(['-', '+']) {
            arguments.push(OsStr::new("--"));
        }
        arguments.push(OsStr::new(command));
        None
    } else {
        let script = write_script(command)?;
        sourcing = sourcing_command(script.as_raw_fd());
        arguments.push(OsStr::new(&sourcing));
        Some(script)
    };
    let mut launch = match conditions.confinement {
        None => ProgramLaunch::prepare(&program, arguments, |name| shell.withholds(name))?,
        Some(confinement) => {
            prepare_confined(confinement, &program, arguments, shell, script.as_ref())?
        }
    };
    launch = unattended::add_variables(launch)?;
    launch.directory = conditions.directory;
    if let Some(confined) = &mut launch.confinement {
        confined.mark = conditions.mark;
    }
    let watchdog = Watchdog::start(launch, input, StderrTarget::WithOutput)?;
    drop(script);
    Ok((output.into(), watchdog))
}

/// Prepares a shell that starts confined. If its files are confined, it gets a private directory
/// for temporary files, and no variables that lead to services outside. It inherits the `script`.
fn prepare_confined<'a>(
    confinement: &Confinement,
    program: &OsStr,
    arguments: impl IntoIterator<Item = &'a OsStr>,
    shell: &CommandShell,
    script: Option<&OwnedFd>,
) -> io::Result<ProgramLaunch> {
    let mut confined = CommandConfinement::prepare(confinement).map_err(io::Error::other)?;
    confined.kept = script.map(AsRawFd::as_raw_fd);
    if !confinement.confines_files() {
        let mut launch = ProgramLaunch::prepare(program, arguments, |name| shell.withholds(name))?;
        launch.confinement = Some(confined);
        return Ok(launch);
    }
    let withheld = |name: &OsStr| shell.withholds(name) || command_confinement::is_withheld(name);
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
fn sourcing_command(script: i32) -> String {
    if access("/proc/self/fd", Access::EXISTS).is_ok() {
        format!(". /proc/self/fd/{script}")
    } else {
        format!("eval \"$(cat <&{script})\"")
    }
}

/// Writes a command that is too long for an argument into an unnamed file, which the shell inherits
/// and closes.
fn write_script(command: &str) -> io::Result<OwnedFd> {
    let script = memfd_create("command", MemfdFlags::CLOEXEC).or_else(|_| open_temporary_file())?;
    // Made inheritable only now, so that no other process that is started gets it.
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

/// A file in the directory for temporary files, for kernels without files in memory. If it needs a
/// name, the name is removed at once.
fn open_temporary_file() -> Result<OwnedFd, Errno> {
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

    /// Passes on everything in the pipe; returns false if it was empty.
    fn drain(&mut self, sink: &mut impl Write) -> io::Result<bool> {
        let waiting = ioctl_fionread(&self.output)?;
        if waiting == 0 {
            return Ok(false);
        }
        let waiting = usize::try_from(waiting).unwrap_or(PIPE_SIZE);
        if waiting >= BUSY_PIPE && !self.enlarged {
            // If the user has no more memory for pipes, it stays small, which is only slower.
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

/// The event that ended passing a command's output on.
enum PassedOn {
    /// The shell ended.
    UntilEnd,
    /// Its time was over.
    UntilTimeout,
}

/// Passes the command's output on until the shell has ended and the pipe is empty, or until `end`.
fn pass_on(
    pipe: &mut OutputPipe,
    watchdog: &Watchdog,
    sink: &mut impl Write,
    end: Option<Instant>,
    progress: Option<fn(&[u8])>,
) -> io::Result<PassedOn> {
    let mut last_line = progress.map(LastLine::new);
    let mut open = true;
    loop {
        let due = last_line.as_ref().and_then(LastLine::due);
        let wake = end.into_iter().chain(due).min();
        let left = wake.map(|wake| wake.saturating_duration_since(Instant::now()));
        let (ended, readable) = watchdog.wait(open.then_some(&pipe.output), left)?;
        // Read after the end is known, so that everything written before the end counts.
        let drained = match &mut last_line {
            None => pipe.drain(sink)?,
            Some(line) => {
                let drained = pipe.drain(&mut line.watch(sink))?;
                line.report_if_due();
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
