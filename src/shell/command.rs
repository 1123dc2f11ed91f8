//! One command through a shell: its output as it comes, and how it ended.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{
    Access, CWD, MemfdFlags, Mode, OFlags, access, memfd_create, openat, stat, unlinkat,
};
use rustix::io::{Errno, FdFlags, fcntl_setfd, ioctl_fionread};
use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};
use rustix::process::{Resource, getrlimit};

use crate::sandbox::launch::Launch;
use crate::sandbox::watchdog::{CommandEnd, Stderr, Watchdog};

/// How much is read at a time, and how far the command may write ahead of us, in bytes: the most
/// that `pipe(7)` gives without privileges.
const PIPE_SIZE: usize = 1024 * 1024;

/// With so much in the pipe, in bytes, a command writes faster than we read: half of a pipe's
/// initial size.
const BUSY_PIPE: usize = 32 * 1024;

/// The longest argument that `execve(2)` takes, its final NUL included (`MAX_ARG_STRLEN`).
const LONGEST_ARGUMENT: usize = 32 * 4096;

/// The shell that every POSIX system has.
const SYSTEM_SHELL: &str = "/bin/sh";

/// Which shell runs a command, and which variables are withheld from it.
#[derive(Clone, Debug)]
pub struct Shell {
    /// The program to be used in place of the system's own shell, if any.
    named: Option<OsString>,
    withheld: fn(&OsStr) -> bool,
}

impl Shell {
    /// The system's own shell, called `sh`, or the one that the variable `IKIGAI_SHELL` names: a
    /// path, or a name to be found by `PATH`. It gets the environment without what is `withheld`.
    #[must_use]
    pub fn from_env(withheld: fn(&OsStr) -> bool) -> Self {
        let named = std::env::var_os("IKIGAI_SHELL").filter(|name| !name.is_empty());
        Self { named, withheld }
    }

    /// The path of the program.
    fn program(&self) -> Cow<'_, OsStr> {
        match &self.named {
            None => Cow::Borrowed(OsStr::new(SYSTEM_SHELL)),
            Some(name) if name.as_bytes().contains(&b'/') => Cow::Borrowed(name),
            Some(name) => found_by_path(name).map_or(Cow::Borrowed(name), Cow::Owned),
        }
    }

    /// The name by which the shell is called, and with which its messages begin: the specification
    /// shows `sh: 1: …`.
    fn name(&self) -> &OsStr {
        let named = self
            .named
            .as_deref()
            .and_then(|name| Path::new(name).file_name());
        named.unwrap_or(OsStr::new("sh"))
    }

    /// Why a command was not run, when starting the shell failed with `error`.
    fn explain(&self, error: &io::Error) -> String {
        let program = self.program().display().to_string();
        let cause = match Errno::from_io_error(error) {
            Some(Errno::NOENT) => format!("{program} is not there, or not what it needs to run"),
            Some(Errno::ACCESS | Errno::PERM) => format!("{program} may not be run"),
            Some(Errno::NOEXEC) => format!("{program} is not a program of this machine"),
            Some(Errno::NOMEM) => format!("memory ran out{}", within(Resource::As, "ulimit -v")),
            Some(Errno::AGAIN) => format!(
                "no further process is allowed{}",
                within(Resource::Nproc, "ulimit -u")
            ),
            Some(Errno::MFILE) => format!(
                "no further file can be opened{}",
                within(Resource::Nofile, "ulimit -n")
            ),
            Some(Errno::TOOBIG) => String::from("the environment is too long"),
            _ => without_number(error),
        };
        let whose = match &self.named {
            Some(_) => " (IKIGAI_SHELL names that shell; unset, it is /bin/sh)",
            None => "",
        };
        format!("the command was not run: {cause}{whose}")
    }
}

/// The program of that name in the directories of `PATH`; never this executable, which a host's
/// tool directory calls `bash`.
fn found_by_path(name: &OsStr) -> Option<OsString> {
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

/// The limit that may be the cause, if there is one, as the kernel gives it.
fn within(resource: Resource, command: &str) -> String {
    match getrlimit(resource).current {
        Some(limit) => format!("; the limit on this process is {limit} (`{command}`)"),
        None => String::new(),
    }
}

/// An error's message without its number, which adds nothing to the words.
fn without_number(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error")
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// Runs `command` and writes its output on both streams into `sink`, in the order written and as it
/// comes. Returns the exit code once the shell itself has ended: 128 + N for signal N, and 127 for
/// a command that could not be started, with the reason in `sink`.
///
/// The process becomes a child subreaper (`prctl(2)`). It may have several threads; but if a
/// command kills its own watchdog, what it has started cannot be told from the process's other
/// children, and all of them are killed.
///
/// # Errors
/// Only those of `sink`; whatever the command started is then killed.
pub fn run(command: &str, shell: &Shell, sink: &mut impl Write) -> io::Result<i32> {
    if command.trim_ascii().is_empty() {
        return refuse("the command is empty, nothing was run", sink);
    }
    if command.contains('\0') {
        return refuse(
            "the command contains a NUL character, nothing was run",
            sink,
        );
    }
    let (output, mut watchdog) = match start(command, shell) {
        Ok(started) => started,
        Err(error) => return refuse(&shell.explain(&error), sink),
    };
    let mut told = Head {
        sink,
        bytes: Vec::new(),
    };
    pass_on(output, &watchdog, &mut told)?;
    let beginning = told.bytes;
    let end = watchdog.end();
    watchdog.release();
    match end {
        CommandEnd::Code(code) => {
            if let Some(cause) = ended_before_it_began(code, &beginning) {
                write!(sink, "bash: {cause}")?;
            }
            Ok(code)
        }
        CommandEnd::NotStarted(errno) => refuse(&shell.explain(&errno.into()), sink),
        // SIGKILL is the only signal that ends a watchdog.
        CommandEnd::Unwatched => Ok(128 + libc::SIGKILL),
    }
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

fn start(command: &str, shell: &Shell) -> io::Result<(File, Watchdog)> {
    let (output, input) = pipe_with(PipeFlags::CLOEXEC)?;
    let program = shell.program();
    let mut arguments = vec![shell.name(), OsStr::new("-c")];
    let sourcing;
    let script = if command.len() < LONGEST_ARGUMENT {
        // A command may begin with a dash. Not every shell that may be named knows `--`.
        if shell.named.is_none() || command.starts_with(['-', '+']) {
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
    let launch = Launch::prepare(&program, arguments, shell.withheld)?;
    let watchdog = Watchdog::start(launch, input, Stderr::WithOutput)?;
    drop(script);
    Ok((output.into(), watchdog))
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

/// Passes the command's output on until the shell has ended, and then what is left in the pipe at
/// that time.
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
        // Asked after the end is known, so that everything written before the end counts.
        let waiting = ioctl_fionread(&output)?;
        if waiting > 0 {
            let waiting = usize::try_from(waiting).unwrap_or(PIPE_SIZE);
            if waiting >= BUSY_PIPE && !enlarged {
                // If the user has used up their share, the pipe stays small, which is only slower.
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
            // A viewer sees it now.
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
