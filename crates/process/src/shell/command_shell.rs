//! The shell that runs a command: its program, and messages if it cannot be started.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{Access, access, stat};
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

use crate::sandbox::confinement::{self, AccessRight};
use crate::sandbox::roots;
use crate::shell::noninteractive_variables;
use iki_base::wording::system_words;

/// The shell that every POSIX system has.
const SYSTEM_SHELL: &str = "/bin/sh";

/// The shell that runs a command, and the test for variables that are withheld from it.
#[derive(Clone, Debug)]
pub struct CommandShell {
    choice: ShellChoice,
    /// True for the name of a variable that the command does not get.
    pub(super) withheld: fn(&OsStr) -> bool,
}

#[derive(Clone, Debug)]
enum ShellChoice {
    /// The system's own, called `sh`.
    System,
    /// The bash at this path.
    Bash(OsString),
    /// The one that `IKIGAI_SHELL` names: a path, or a name to be found by `PATH`.
    Named(OsString),
}

impl CommandShell {
    /// The shell that `IKIGAI_SHELL` names, else the system's own; or bash in place of that, if it
    /// is preferred and there is one that may be run. It gets the environment without the
    /// `withheld` variables.
    #[must_use]
    pub fn from_env(prefers_bash: bool, withheld: fn(&OsStr) -> bool) -> Self {
        let named = std::env::var_os("IKIGAI_SHELL").filter(|name| !name.is_empty());
        let bash = || {
            let on_path = find_on_path(OsStr::new("bash"));
            let mut all = on_path.into_iter().chain([OsString::from("/bin/bash")]);
            all.find(|path| may_be_run(Path::new(path)))
        };
        let choice = match named {
            Some(named) => ShellChoice::Named(named),
            None if prefers_bash => bash().map_or(ShellChoice::System, ShellChoice::Bash),
            None => ShellChoice::System,
        };
        Self { choice, withheld }
    }

    /// True if it is the system's own shell, and not the user's choice.
    #[must_use]
    pub fn is_system_s_own(&self) -> bool {
        matches!(self.choice, ShellChoice::System)
    }

    /// True if it is known to take `--` for the end of its options.
    pub(super) fn ends_options(&self) -> bool {
        !matches!(self.choice, ShellChoice::Named(_))
    }

    /// True for the name of a variable that the command does not inherit.
    pub(super) fn withholds(&self, name: &OsStr) -> bool {
        (self.withheld)(name) || noninteractive_variables::replaces_variable(name)
    }

    /// The path of the program.
    pub fn program(&self) -> Cow<'_, OsStr> {
        match &self.choice {
            ShellChoice::System => Cow::Borrowed(OsStr::new(SYSTEM_SHELL)),
            ShellChoice::Named(name) if !name.as_bytes().contains(&b'/') => {
                find_on_path(name).map_or(Cow::Borrowed(name), Cow::Owned)
            }
            ShellChoice::Bash(path) | ShellChoice::Named(path) => Cow::Borrowed(path),
        }
    }

    /// The name by which the shell is called and with which its messages begin, as in the
    /// specification's `sh: 1: …`.
    #[must_use]
    pub fn name(&self) -> &OsStr {
        let named = match &self.choice {
            ShellChoice::System => None,
            ShellChoice::Bash(path) | ShellChoice::Named(path) => Path::new(path).file_name(),
        };
        named.unwrap_or(OsStr::new("sh"))
    }

    /// The message for a command that was not run because starting the shell failed with `error`.
    pub(super) fn explain(&self, error: &io::Error) -> String {
        let program = self.program().display().to_string();
        let cause = match Errno::from_io_error(error) {
            Some(Errno::NOENT) => format!("{program} is not there, or not what it needs to run"),
            Some(Errno::ACCESS | Errno::PERM) => format!("{program} may not be run"),
            Some(Errno::NOEXEC) => format!("{program} is not a program of this machine"),
            Some(Errno::NOMEM) => format!(
                "memory ran out{}",
                describe_limit(Resource::As, "ulimit -v")
            ),
            Some(Errno::AGAIN) => format!(
                "no further process is allowed{}",
                describe_limit(Resource::Nproc, "ulimit -u")
            ),
            Some(Errno::MFILE) => format!(
                "no further file can be opened{}",
                describe_limit(Resource::Nofile, "ulimit -n")
            ),
            Some(Errno::TOOBIG) => String::from("the environment is too long"),
            _ => system_words(error),
        };
        let origin = match &self.choice {
            ShellChoice::Named(_) => " (IKIGAI_SHELL names that shell; unset, it is /bin/sh)",
            ShellChoice::System | ShellChoice::Bash(_) => "",
        };
        format!("the command was not run: {cause}{origin}")
    }
}

/// True if a program may be run, also within this process's confinement.
fn may_be_run(path: &Path) -> bool {
    access(path, Access::EXEC_OK).is_ok()
        && confinement::current().is_none_or(|confinement| {
            let real = roots::follow(path, |_| {});
            real.is_some_and(|real| confinement.grants(&real, AccessRight::Execute))
        })
}

/// The program of that name in the directories of `PATH`; never this executable, which a host's
/// tool directory has as `bash`.
pub fn find_on_path(name: &OsStr) -> Option<OsString> {
    let same = |one: &Path, other: &Path| match (stat(one), stat(other)) {
        (Ok(one), Ok(other)) => (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino),
        _ => false,
    };
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|directory| directory.join(name))
        .find(|file| {
            file.is_file()
                && access(file, Access::EXEC_OK).is_ok()
                && !same(file, Path::new("/proc/self/exe"))
        })
        .map(Into::into)
}

/// Names the limit that may be the cause, if there is one.
fn describe_limit(resource: Resource, command: &str) -> String {
    match getrlimit(resource).current {
        Some(limit) => format!("; the limit on this process is {limit} (`{command}`)"),
        None => String::new(),
    }
}
