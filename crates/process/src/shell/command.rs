//! Running one command through a shell, with its output as it comes and its exit code.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use rustix::fs::{
    Access, AtFlags, CWD, MemfdFlags, Mode, OFlags, access, accessat, memfd_create, openat,
    unlinkat,
};
use rustix::io::{Errno, FdFlags, fcntl_setfd};

use crate::sandbox::confinement::Confinement;
use crate::sandbox::confinement::audit::ProcessMark;
use crate::sandbox::confinement::command_confinement::{self, CommandConfinement};
use crate::sandbox::launch::ProgramLaunch;
use crate::sandbox::scratch::ScratchDirectory;
use crate::sandbox::watchdog::{CommandEnd, StderrTarget, Watchdog};
use crate::shell::background::BackgroundCommand;
use crate::shell::command_shell::CommandShell;
use crate::shell::noninteractive_variables;
use crate::shell::output_pipe::{OutputPipe, PassedOn, pass_on};
use crate::shell::still_running::{self, StillRunning};
use iki_base::wording::system_words;

/// The longest argument that `execve(2)` takes, its final NUL included (`MAX_ARG_STRLEN`).
const MAX_ARGUMENT_BYTES: usize = 32 * 4096;

/// Exit code of a command that was not run.
pub const NOT_RUN: i32 = 127;

/// Exit code of a command that ran into its time limit, as `timeout(1)` has it.
pub(super) const TIMED_OUT: i32 = 124;

/// Settings for running a command.
pub struct CommandSettings {
    /// The shell that runs it.
    pub shell: CommandShell,
    /// The directory in which it starts; `None` is the process's own.
    pub directory: Option<OwnedFd>,
    /// The confinement that it runs in, if any.
    pub confinement: Option<&'static Confinement>,
    /// The mark by which the kernel's audit reports its denials, if they are wanted.
    pub mark: Option<ProcessMark>,
    /// The time limit; `None` is as long as it takes.
    pub limit: Option<TimeLimit>,
    /// Called with the last whole line of output while it runs, at most once a second.
    pub progress: Option<fn(&[u8])>,
    /// A directory for temporary files that lasts longer than the command; if its files are
    /// confined, it else gets one of its own.
    pub temporary: Option<PathBuf>,
    /// Output of processes that outlive the shell is handed over, because somebody can read it.
    pub hands_over_output: bool,
    /// The moment at which the running command is handed over.
    pub hand_over_at: Option<Instant>,
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
pub struct CommandOutcome {
    /// The exit code: 128 + N for signal N, 127 if it could not be started, 124 if it ran into its
    /// time limit. `None` if it was handed over while it ran.
    pub code: Option<i32>,
    /// The processes that were running at its time limit, if it was ended then.
    pub timed_out: Option<Vec<StillRunning>>,
    /// The part of it that goes on, if that is handed over.
    pub background: Option<BackgroundCommand>,
    /// Something that the shell left running still has the output open, and nobody reads it.
    pub is_cut_off: bool,
}

impl CommandOutcome {
    fn ended(code: i32) -> Self {
        Self {
            code: Some(code),
            timed_out: None,
            background: None,
            is_cut_off: false,
        }
    }
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
/// comes, until the shell itself has ended, its time is over, or it is to be handed over. If the
/// command could not be started, the reason is written into `sink`.
///
/// The process becomes a child subreaper (`prctl(2)`). It may have several threads. But if a
/// command kills its own watchdog, its processes cannot be told from other children of this
/// process, and all of them are killed.
///
/// # Errors
/// Only those of `sink`; all processes of the command are then killed.
pub fn run_command(
    command: &str,
    settings: CommandSettings,
    sink: &mut dyn Write,
) -> io::Result<CommandOutcome> {
    let (limit, progress) = (settings.limit, settings.progress);
    let (background, hand_over_at) = (settings.hands_over_output, settings.hand_over_at);
    let (shell, confinement) = (settings.shell.clone(), settings.confinement);
    let (mut pipe, mut watchdog) = match start_command(command, settings) {
        Ok(started) => started,
        Err(reason) => return write_refusal(&reason, sink),
    };
    let hand_over_at =
        hand_over_at.filter(|moment| limit.is_none_or(|limit| *moment < limit.ask_at));
    let until = hand_over_at.or(limit.map(|limit| limit.ask_at));
    let passed_on = pass_on(&mut pipe, &watchdog, sink, until, progress)?;
    match (passed_on, limit) {
        (PassedOn::UntilTimeout, _) if hand_over_at.is_some() => {
            let running = BackgroundCommand::from_running((pipe, watchdog), limit, shell);
            return Ok(CommandOutcome {
                code: None,
                background: Some(running),
                ..CommandOutcome::ended(0)
            });
        }
        (PassedOn::UntilTimeout, Some(limit)) => {
            let running = end_in_time(&mut pipe, watchdog, sink, limit)?;
            return Ok(CommandOutcome {
                timed_out: Some(running),
                ..CommandOutcome::ended(TIMED_OUT)
            });
        }
        _ => {}
    }
    let end = watchdog.end();
    let is_left_open = watchdog.has_left_processes() && pipe.is_left_open(sink)?;
    let background = if background && is_left_open {
        Some(BackgroundCommand::from_leftovers(pipe, watchdog))
    } else {
        watchdog.release(limit.map(|limit| limit.end));
        None
    };
    let code = match code_of(end, &shell, confinement) {
        Ok(code) => code,
        Err(reason) => return write_refusal(&reason, sink),
    };
    Ok(CommandOutcome {
        is_cut_off: is_left_open && background.is_none(),
        background,
        ..CommandOutcome::ended(code)
    })
}

/// Starts `command` in the background, for as long as it takes. An error is the reason why it was
/// not started.
pub fn start_in_background(
    command: &str,
    settings: CommandSettings,
) -> Result<BackgroundCommand, String> {
    let (limit, shell) = (settings.limit, settings.shell.clone());
    let started = start_command(command, settings)?;
    Ok(BackgroundCommand::from_running(started, limit, shell))
}

/// Ends a command whose time is over, and passes on what it writes while it cleans up. Returns the
/// processes that were running.
pub(super) fn end_in_time(
    pipe: &mut OutputPipe,
    mut watchdog: Watchdog,
    sink: &mut dyn Write,
    limit: TimeLimit,
) -> io::Result<Vec<StillRunning>> {
    let running = watchdog.running();
    watchdog.ask_to_end(limit.kill_at.saturating_duration_since(Instant::now()));
    pass_on(pipe, &watchdog, sink, Some(limit.end), None)?;
    let killed = watchdog.stop(limit.end);
    pipe.drain(sink)?;
    Ok(still_running::name_processes(running, &killed))
}

/// The exit code of a command that has ended, or the reason why it was not run.
pub(super) fn code_of(
    end: CommandEnd,
    shell: &CommandShell,
    confinement: Option<&Confinement>,
) -> Result<i32, String> {
    match end {
        CommandEnd::Code(code) => Ok(code),
        CommandEnd::NotStarted(errno) => Err(shell.explain(&errno.into())),
        CommandEnd::NotConfined(errno) => Err(explain_not_confined(errno)),
        CommandEnd::NotMasked(errno) => {
            let cause = confinement.map(|confinement| confinement.explain_mask_failure(errno));
            Err(format!(
                "the command was not run: {}",
                cause.unwrap_or_default()
            ))
        }
        // SIGKILL is the only signal that ends a watchdog.
        CommandEnd::Unwatched => Ok(128 + libc::SIGKILL),
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

fn write_refusal(reason: &str, sink: &mut dyn Write) -> io::Result<CommandOutcome> {
    write!(sink, "bash: {reason}")?;
    Ok(CommandOutcome::ended(NOT_RUN))
}

/// Starts a command; an error is the reason why that is not possible.
fn start_command(
    command: &str,
    settings: CommandSettings,
) -> Result<(OutputPipe, Watchdog), String> {
    if command.trim_ascii().is_empty() {
        return Err(String::from("the command is empty, nothing was run"));
    }
    if command.contains('\0') {
        let reason = "the command contains a NUL character, nothing was run";
        return Err(reason.to_owned());
    }
    let shell = settings.shell.clone();
    let started = start_shell(command, settings);
    started.map_err(|error| shell.explain(&error))
}

fn start_shell(command: &str, settings: CommandSettings) -> io::Result<(OutputPipe, Watchdog)> {
    let shell = &settings.shell;
    let program = shell.program();
    let mut arguments = vec![shell.name(), OsStr::new("-c")];
    let sourcing;
    let script = if command.len() < MAX_ARGUMENT_BYTES {
        // A command may begin with a dash. Not every shell of the user's choice knows `--`.
        if shell.ends_options() || command.starts_with(['-', '+']) {
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
    let confines_files = settings
        .confinement
        .is_some_and(Confinement::confines_files);
    let launch = ProgramLaunch::prepare(&program, arguments, |name| {
        shell.withholds(name) || (confines_files && command_confinement::is_withheld(name))
    })?;
    let mut launch = noninteractive_variables::add_variables(launch)?;
    if let Some(confinement) = settings.confinement {
        let mut confined = CommandConfinement::prepare(confinement).map_err(io::Error::other)?;
        // The shell inherits the script.
        confined.descriptor = script.as_ref().map(AsRawFd::as_raw_fd);
        confined.mark = settings.mark;
        launch.confinement = Some(confined);
        if confines_files {
            launch = add_temporary_directory(launch, confinement, settings.temporary.as_deref())?;
        }
    }
    launch.directory = settings.directory;
    let (watchdog, output) = Watchdog::start(launch, StderrTarget::WithOutput)?;
    drop(script);
    Ok((OutputPipe::new(output), watchdog))
}

/// Gives a confined shell a directory for temporary files: the one at `path`, or one of its own.
fn add_temporary_directory(
    launch: ProgramLaunch,
    confinement: &Confinement,
    path: Option<&Path>,
) -> io::Result<ProgramLaunch> {
    let place = match path {
        Some(path) => ScratchDirectory::lasting(path)?,
        None => command_confinement::private_directory(confinement)
            .ok_or_else(|| io::Error::other("there is no place for temporary files"))?,
    };
    let zsh = place.path().join("zsh");
    let mut launch = launch
        .with(command_confinement::TEMPORARY, place.path())?
        .with(command_confinement::TEMPORARY_OF_ZSH, zsh)?;
    launch.scratch = Some(Arc::new(place));
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
