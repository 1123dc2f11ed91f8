//! A program that is about to be started: everything its start needs, prepared before the fork.
//!
//! A process that is forked from one with several threads may make system calls and nothing else
//! until it runs another program (`signal-safety(7)`): a lock that another thread held at that
//! moment, such as the allocator's, is never released there.

use std::cell::UnsafeCell;
use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, setpgid, setsid};

use crate::sandbox::confinement::command_confinement::{CommandConfinement, DirectoryMask};
use crate::sandbox::scratch::ScratchDirectory;

/// The size of the stack on which a new process calls `execve`: a few calls, and a signal's frame.
const STACK_BYTES: usize = 64 * 1024;

/// That stack. In the data of the executable it costs the pages that are used; on the stack of the
/// caller each of its pages would be touched (stack probes), and on the heap mapped.
#[repr(align(64))]
struct ChildStack(UnsafeCell<MaybeUninit<[u8; STACK_BYTES]>>);

// SAFETY: only the caller that has set `STACK_TAKEN` passes the stack on, to one new process.
unsafe impl Sync for ChildStack {}

static STACK_OF_CHILD: ChildStack = ChildStack(UnsafeCell::new(MaybeUninit::uninit()));

/// True while a new process is on that stack.
static STACK_TAKEN: AtomicBool = AtomicBool::new(false);

/// Added to an error's number if confining the program failed.
pub(crate) const NOT_CONFINED: c_int = 1 << 16;

/// Added to an error's number if hiding a directory from the program failed.
pub(crate) const NOT_MASKED: c_int = 2 << 16;

/// A program with its arguments and environment.
pub struct ProgramLaunch {
    program: CString,
    arguments: CStringArray,
    environment: CStringArray,
    /// The directory in which it starts; `None` is this process's own.
    pub directory: Option<OwnedFd>,
    /// Its stdin, which is empty.
    pub nothing: OwnedFd,
    /// A directory of its own, which a watchdog makes before the start and removes at the end, with
    /// everything in it.
    pub scratch: Option<Arc<ScratchDirectory>>,
    /// Its confinement. A directory of its own is then also within its bounds.
    pub confinement: Option<CommandConfinement>,
    /// The most memory for data of each of its processes, in bytes (`RLIMIT_DATA`, `getrlimit(2)`);
    /// a lower limit of this process stays.
    pub data: Option<u64>,
}

impl ProgramLaunch {
    /// Prepares a call of `program`, a path, with `arguments`, the first of which is its name, in
    /// this process's environment without the variables that are `withheld`.
    pub fn prepare<'a>(
        program: &OsStr,
        arguments: impl IntoIterator<Item = &'a OsStr>,
        withheld: impl Fn(&OsStr) -> bool,
    ) -> io::Result<Self> {
        let mut environment = CStringArray::new();
        for (_, whole) in variables().filter(|(name, _)| !withheld(name)) {
            environment.add(whole.to_vec())?;
        }
        let mut list = CStringArray::new();
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
            confinement: None,
            data: None,
        })
    }

    /// Adds a variable to its environment.
    pub fn with(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> io::Result<Self> {
        let (name, value) = (name.as_ref().as_bytes(), value.as_ref().as_bytes());
        self.environment.add([name, b"=", value].concat())?;
        Ok(self)
    }

    /// Starts the program as a child that leads a process group of its own, and a session if it is
    /// confined, and has this process's streams. If it does not start, the child writes the error's
    /// number to `report`, four bytes, and ends; `NOT_CONFINED` or `NOT_MASKED` is added if it
    /// could not be confined.
    pub fn start(&self, report: BorrowedFd<'_>) -> Result<Pid, Errno> {
        let mut start = ChildStart {
            launch: self,
            report,
        };
        let argument = (&raw mut start).cast::<c_void>();
        let mut pid = -1;
        let masked = self.mask().is_some();
        if !masked && !STACK_TAKEN.swap(true, Ordering::Acquire) {
            let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
            // SAFETY: this thread waits until the child runs another program or has ended
            // (CLONE_VFORK); until then the child has `start` and the stack to itself, and it makes
            // system calls only. The end of the stack belongs to it.
            pid = unsafe {
                let top = STACK_OF_CHILD.0.get().add(1);
                libc::clone(run_child, top.cast(), flags, argument)
            };
            STACK_TAKEN.store(false, Ordering::Release);
        }
        if pid == -1 {
            // It may not share memory, or some sandbox does not let it.
            // SAFETY: the child makes system calls only.
            pid = unsafe { libc::fork() };
            if pid == 0 {
                run_child(argument);
            }
        }
        if pid == -1 {
            return Err(Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::NOMEM));
        }
        Pid::from_raw(pid).ok_or(Errno::SRCH)
    }

    fn mask(&self) -> Option<&DirectoryMask> {
        self.confinement.as_ref()?.mask.as_ref()
    }
}

struct ChildStart<'a> {
    launch: &'a ProgramLaunch,
    report: BorrowedFd<'a>,
}

/// The child's work: system calls only.
extern "C" fn run_child(argument: *mut c_void) -> c_int {
    // SAFETY: `ProgramLaunch::start` passes a pointer to what lives until this function has ended.
    let ChildStart { launch, report } = unsafe { &*argument.cast::<ChildStart<'_>>() };
    // Neither can fail in a new process. A confined command must not join a group outside: the
    // kernel sends SIGHUP to a group that has a stopped process and loses its last tie to its
    // session.
    if launch.confinement.is_some() {
        let _ = setsid();
    } else {
        let _ = setpgid(None, None);
    }
    // SAFETY: the lists end in null and point to strings that live as long as they; the set of
    // signals is filled before it is used. `_exit` ends this process alone.
    unsafe {
        // The program must inherit neither SIGPIPE, which the standard library ignores, nor the
        // caller's blocked signals.
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        let mut none = MaybeUninit::uninit();
        libc::sigemptyset(none.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), std::ptr::null_mut());
        if let Some(limit) = launch.data {
            limit_data(limit);
        }
        let entered = launch
            .directory
            .as_ref()
            .is_none_or(|directory| libc::fchdir(directory.as_raw_fd()) == 0);
        let mut error = *errno();
        if entered && let Some(Err(errno)) = launch.mask().map(DirectoryMask::enter) {
            error = NOT_MASKED + errno.raw_os_error();
        } else if entered {
            // A program that cannot be confined is not run.
            match launch
                .confinement
                .as_ref()
                .map_or(Ok(()), CommandConfinement::enter)
            {
                Ok(()) => {
                    libc::execve(
                        launch.program.as_ptr(),
                        launch.arguments.pointers.as_ptr(),
                        launch.environment.pointers.as_ptr(),
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

/// Lowers both limits of memory for data to `limit` bytes. Makes system calls only.
fn limit_data(maximum: u64) {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limits = getrlimit(Resource::Data);
    let lower = |limit: Option<u64>| Some(limit.map_or(maximum, |limit| limit.min(maximum)));
    limits.current = lower(limits.current);
    limits.maximum = lower(limits.maximum);
    // A limit may always be lowered.
    let _ = setrlimit(Resource::Data, limits);
}

/// The C library's last error number.
pub(super) fn errno() -> *mut c_int {
    // SAFETY: takes no argument and returns this thread's own.
    unsafe { libc::__errno_location() }
}

/// The variables of this process's environment, each with its name. One without a name is left out.
fn variables() -> impl Iterator<Item = (&'static OsStr, &'static [u8])> {
    unsafe extern "C" {
        static environ: *const *const c_char;
    }
    // SAFETY: the C library's list of strings, which ends in null. The entry of the program takes
    // the secrets out of it before anything else runs, and nothing here changes it later, so that
    // list and strings stay what they are.
    let mut next = unsafe { environ };
    let entries = std::iter::from_fn(move || {
        // SAFETY: as above; without an environment the list itself may be null.
        unsafe {
            let entry = *next.as_ref()?;
            next = next.add(1);
            (!entry.is_null()).then(|| CStr::from_ptr(entry).to_bytes())
        }
    });
    entries.filter_map(|whole| {
        // A name may begin with `=`, as the standard library has it.
        let end = 1 + whole.get(1..)?.iter().position(|byte| *byte == b'=')?;
        Some((OsStr::from_bytes(&whole[..end]), whole))
    })
}

/// Strings as `execve(2)` takes them.
struct CStringArray {
    strings: Vec<CString>,
    /// Pointers to them, the last of them null.
    pointers: Vec<*const c_char>,
}

impl CStringArray {
    fn new() -> Self {
        Self {
            strings: Vec::new(),
            pointers: vec![std::ptr::null()],
        }
    }

    fn add(&mut self, string: Vec<u8>) -> io::Result<()> {
        let string = CString::new(string)?;
        self.pointers.insert(self.strings.len(), string.as_ptr());
        self.strings.push(string);
        Ok(())
    }
}

/// An empty stream: `/dev/null`, or else a pipe without a writer.
fn nothing_to_read() -> io::Result<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::CLOEXEC;
    match open(c"/dev/null", flags, Mode::empty()) {
        Ok(null) => Ok(null),
        Err(_) => Ok(pipe_with(PipeFlags::CLOEXEC)?.0),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    /// The strings that the pointers lead to.
    fn read(array: &CStringArray) -> Vec<Vec<u8>> {
        let pointers = array.pointers.iter().take_while(|one| !one.is_null());
        // SAFETY: each of the strings ends in a NUL.
        let strings = pointers.map(|one| unsafe { CStr::from_ptr(*one) }.to_bytes().to_vec());
        strings.collect()
    }

    #[test]
    fn strings_stay_what_they_were_however_many_are_added() {
        let mut array = CStringArray::new();
        assert_eq!(read(&array), Vec::<Vec<u8>>::new());
        let mut expected = Vec::new();
        for number in 0..500 {
            let value = [b"NAME=", &vec![b'x'; number % 97][..]].concat();
            array.add(value.clone()).unwrap();
            expected.push(value);
            if number % 50 == 0 {
                array.add(Vec::new()).unwrap();
                expected.push(Vec::new());
            }
            assert_eq!(read(&array), expected);
            assert_eq!(array.pointers.last(), Some(&std::ptr::null()));
        }
        // A refused variable is left out.
        assert!(array.add(b"a\0b".to_vec()).is_err());
        assert_eq!(read(&array), expected);
    }
}
