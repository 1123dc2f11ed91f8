//! Running one program with a timeout, for its output and exit code; none of its processes is left.

use std::env;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::fs::{Access, access};

use crate::sandbox::confinement;
use crate::sandbox::launch::ProgramLaunch;
use crate::sandbox::watchdog::{CommandEnd, StderrTarget, Watchdog};
use crate::shell::command::open_directory;

/// The program that helps a tool: what `variable` names by a path or a name, else the first of
/// the `usual` names on the `PATH`; `None` if the variable is empty or names no executable.
#[must_use]
pub fn find_helper(variable: &str, usual: &[&str]) -> Option<PathBuf> {
    match env::var_os(variable) {
        Some(named) if named.is_empty() => None,
        Some(named) if named.as_bytes().contains(&b'/') => {
            Some(PathBuf::from(named)).filter(|path| is_trusted_executable(path))
        }
        Some(named) => find_helper_on_path(&named),
        None => usual
            .iter()
            .find_map(|name| find_helper_on_path(OsStr::new(name))),
    }
}

fn find_helper_on_path(name: &OsStr) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(name))
        .find(|program| is_trusted_executable(program))
}

fn is_trusted_executable(path: &Path) -> bool {
    let is_executable = path.is_file() && access(path, Access::EXEC_OK).is_ok();
    // It runs outside of a call's directories, so confined calls must not be able to replace it.
    is_executable && confinement::is_out_of_reach(path)
}

/// A program's output and exit code.
#[derive(Debug)]
pub struct ProgramOutput {
    /// Everything that it wrote on stdout.
    pub output: Vec<u8>,
    /// Its exit code by the shell's conventions: 128 + N for signal N.
    pub code: i32,
}

/// The reason why a program has no result.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// It ran into its timeout.
    #[error("the program ran into its timeout")]
    TimedOut,
    /// It wrote more than was allowed.
    #[error("the program wrote more than is accepted")]
    TooMuch,
    /// It could not be started.
    #[error("the program could not be run")]
    Failed(io::Error),
}

impl From<io::Error> for ProgramError {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<rustix::io::Errno> for ProgramError {
    fn from(error: rustix::io::Errno) -> Self {
        Self::Failed(error.into())
    }
}

/// Runs `program` for at most `timeout`, with an empty stdin and stderr discarded, and accepts at
/// most `limit` bytes of its stdout. Its path, its arguments, its directory and the variables that
/// are set or removed one by one are taken from `program`, and nothing else. All its processes are
/// killed when it has ended, when it times out, and when this process dies.
pub fn run_program(
    program: &Command,
    timeout: Duration,
    limit: usize,
) -> Result<ProgramOutput, ProgramError> {
    let deadline = Instant::now() + timeout;
    let arguments = std::iter::once(program.get_program()).chain(program.get_args());
    let changed = |name: &OsStr| program.get_envs().any(|(one, _)| one == name);
    let mut launch = ProgramLaunch::prepare(program.get_program(), arguments, changed)?;
    let set = |(name, value)| Option::zip(Some(name), value);
    for (name, value) in program.get_envs().filter_map(set) {
        launch = launch.with(name, value)?;
    }
    launch.directory = program.get_current_dir().map(open_directory).transpose()?;
    let (mut watchdog, output) = Watchdog::start(launch, StderrTarget::Nowhere)?;
    read_output(&mut watchdog, output, deadline, limit, None)
}

/// Reads from `pipe` what a watched program writes, `limit` bytes at most, until it has ended.
///
/// An output with the ending of `whole` is whole: for the program's own end it is then waited no
/// longer than is said there.
pub fn read_output(
    watchdog: &mut Watchdog,
    mut pipe: File,
    deadline: Instant,
    limit: usize,
    whole: Option<(&[u8], Duration)>,
) -> Result<ProgramOutput, ProgramError> {
    let mut output = Vec::new();
    let mut open = true;
    loop {
        let mut left = deadline.saturating_duration_since(Instant::now());
        let more = whole.filter(|(ending, _)| output.ends_with(ending));
        match more {
            Some((_, more)) => left = left.min(more),
            None if left.is_zero() => return Err(ProgramError::TimedOut),
            None => {}
        }
        let (ended, readable) = watchdog.wait(open.then_some(&pipe), Some(left))?;
        if more.is_some() && !ended && !readable {
            return Ok(ProgramOutput { output, code: 0 });
        }
        if readable {
            let mut piece = [0; 16 * 1024];
            let count = pipe.read(&mut piece)?;
            open = count > 0;
            output.extend_from_slice(&piece[..count]);
            if output.len() > limit {
                return Err(ProgramError::TooMuch);
            }
        } else if ended {
            return match watchdog.end() {
                CommandEnd::Code(code) => Ok(ProgramOutput { output, code }),
                CommandEnd::NotStarted(errno)
                | CommandEnd::NotConfined(errno)
                | CommandEnd::NotMasked(errno) => Err(errno.into()),
                CommandEnd::Unwatched => Ok(ProgramOutput {
                    output,
                    code: 128 + libc::SIGKILL,
                }),
            };
        }
    }
}
