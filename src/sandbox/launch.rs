//! A program that is about to be started: everything its start needs, prepared before the fork.
//!
//! A process that is forked from one with several threads may make system calls and nothing else
//! until it runs another program (`signal-safety(7)`): a lock that another thread held at that
//! moment, such as the allocator's, is never released there.

use std::ffi::{CString, OsStr, OsString, c_char, c_int, c_void};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::sync::Arc;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, setpgid};

use crate::sandbox::confinement::cage::Cage;
use crate::sandbox::scratch::Scratch;

/// The size of the stack on which a new process calls `execve`, in bytes: a few calls, and a
/// signal's frame.
const STACK: usize = 64 * 1024;

/// What is added to an error's number where what failed was to confine the program.
pub const NOT_CONFINED: c_int = 1 << 16;

/// A program with its arguments and environment.
pub struct Launch {
    program: CString,
    arguments: CStringArray,
    environment: CStringArray,
    /// The directory in which it starts; `None` is this process's own.
    pub directory: Option<OwnedFd>,
    /// Its stdin, which is empty.
    pub nothing: OwnedFd,
    /// A directory of its own, which a watchdog makes before the start and removes at the end, with
    /// everything in it.
    pub scratch: Option<Arc<Scratch>>,
    /// What confines it. A directory of its own is then also within its bounds.
    pub cage: Option<Cage>,
    /// How much memory each of its processes may have for data, in bytes (`RLIMIT_DATA`,
    /// `getrlimit(2)`); a lower limit of this process stays.
    pub data: Option<u64>,
}

impl Launch {
    /// Prepares a call of `program`, a path, with `arguments`, the first of which is its name, in
    /// this process's environment without the variables that are `withheld`.
    pub fn prepare<'a>(
        program: &OsStr,
        arguments: impl IntoIterator<Item = &'a OsStr>,
        withheld: impl Fn(&OsStr) -> bool,
    ) -> io::Result<Self> {
        let mut environment = CStringArray::default();
        for (name, value) in std::env::vars_os() {
            if !withheld(&name) {
                environment.add(variable(name, &value))?;
            }
        }
        let mut list = CStringArray::default();
        for argument in arguments {
            list.add(argument.as_bytes().to_vec())?;
        }
        Ok(Self {
            program: CString::new(program.as_bytes())?,
            arguments: list,
            environment,
            directory: None,
            nothing: nothing_to_read()?,
            scratch: None,
            cage: None,
            data: None,
        })
    }

    /// Adds a variable to its environment.
    pub fn with(mut self, name: &str, value: impl AsRef<OsStr>) -> io::Result<Self> {
        let variable = variable(OsString::from(name), value.as_ref());
        self.environment.add(variable)?;
        Ok(self)
    }

    /// Starts the program as a child that leads a process group of its own and has this process's
    /// streams. If it does not start, the child writes the error's number to `report`, four bytes,
    /// and ends; [`NOT_CONFINED`] is added if it could not be confined.
    #[expect(
        clippy::large_stack_arrays,
        reason = "on the heap it would be memory that is touched in every call"
    )]
    pub fn start(&self, report: BorrowedFd<'_>) -> Result<Pid, Errno> {
        let mut start = ChildStart {
            launch: self,
            report,
        };
        let mut stack = [MaybeUninit::<u128>::uninit(); STACK / size_of::<u128>()];
        let top = stack.as_mut_ptr_range().end;
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
        let argument = (&raw mut start).cast::<c_void>();
        // SAFETY: this thread waits until the child runs another program or has ended
        // (CLONE_VFORK); until then the child has `start` and the stack to itself, and it makes
        // system calls only.
        let mut pid = unsafe { libc::clone(start_it, top.cast(), flags, argument) };
        if pid == -1 {
            // Some sandboxes do not let processes share memory.
            // SAFETY: the child makes system calls only.
            pid = unsafe { libc::fork() };
            if pid == 0 {
                start_it(argument);
            }
        }
        if pid == -1 {
            return Err(Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::NOMEM));
        }
        Pid::from_raw(pid).ok_or(Errno::SRCH)
    }
}

struct ChildStart<'a> {
    launch: &'a Launch,
    report: BorrowedFd<'a>,
}

/// What the child does: system calls only.
extern "C" fn start_it(argument: *mut c_void) -> c_int {
    // SAFETY: `Launch::start` passes a pointer to what lives until this function has ended.
    let ChildStart { launch, report } = unsafe { &*argument.cast::<ChildStart<'_>>() };
    // Cannot fail in a new process.
    let _ = setpgid(None, None);
    // SAFETY: the lists end in null and point to strings that live as long as they; the set of
    // signals is filled before it is used. `_exit` ends this process alone.
    unsafe {
        // The program must inherit neither SIGPIPE, which the standard library ignores, nor the
        // caller's blocked signals.
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        let mut none = MaybeUninit::uninit();
        libc::sigemptyset(none.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), std::ptr::null_mut());
        if let Some(most) = launch.data {
            limit_data(most);
        }
        let entered = launch
            .directory
            .as_ref()
            .is_none_or(|directory| libc::fchdir(directory.as_raw_fd()) == 0);
        let mut error = *errno();
        if entered {
            // What cannot be confined is not run.
            match launch.cage.as_ref().map_or(Ok(()), Cage::enter) {
                Ok(()) => {
                    libc::execve(
                        launch.program.as_ptr(),
                        launch.arguments.as_ptr(),
                        launch.environment.as_ptr(),
                    );
                    error = *errno();
                }
                Err(errno) => error = NOT_CONFINED + errno.raw_os_error(),
            }
        }
        libc::write(report.as_raw_fd(), (&raw const error).cast(), 4);
        libc::_exit(127)
    }
}

/// Lowers both limits of memory for data to `most` bytes. Makes system calls only.
fn limit_data(most: u64) {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limits = getrlimit(Resource::Data);
    let lower = |limit: Option<u64>| Some(limit.map_or(most, |limit| limit.min(most)));
    limits.current = lower(limits.current);
    limits.maximum = lower(limits.maximum);
    // A limit may always be lowered.
    let _ = setrlimit(Resource::Data, limits);
}

/// Where the C library keeps the last error's number.
fn errno() -> *mut c_int {
    // SAFETY: takes no argument and returns this thread's own.
    unsafe { libc::__errno_location() }
}

/// Strings as `execve(2)` takes them: pointers, the last of them null.
#[derive(Default)]
struct CStringArray {
    pointers: Vec<*const c_char>,
    /// The strings that they point to, which do not move when this does.
    owned: Vec<CString>,
}

impl CStringArray {
    fn add(&mut self, bytes: Vec<u8>) -> io::Result<()> {
        let string = CString::new(bytes)?;
        self.pointers.pop();
        self.pointers.extend([string.as_ptr(), std::ptr::null()]);
        self.owned.push(string);
        Ok(())
    }

    fn as_ptr(&self) -> *const *const c_char {
        if self.pointers.is_empty() {
            const EMPTY: &[usize; 1] = &[0];
            return EMPTY.as_ptr().cast();
        }
        self.pointers.as_ptr()
    }
}

fn variable(name: OsString, value: &OsStr) -> Vec<u8> {
    let mut bytes = name.into_vec();
    bytes.push(b'=');
    bytes.extend_from_slice(value.as_bytes());
    bytes
}

/// An empty stream: `/dev/null`, or if there is none, a pipe that nobody writes into.
fn nothing_to_read() -> io::Result<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::CLOEXEC;
    match open(c"/dev/null", flags, Mode::empty()) {
        Ok(null) => Ok(null),
        Err(_) => Ok(pipe_with(PipeFlags::CLOEXEC)?.0),
    }
}
