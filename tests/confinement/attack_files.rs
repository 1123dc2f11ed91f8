//! Attacks on files and names outside, by system calls that no shell makes.

use std::ffi::{CStr, CString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, Instant};

use libc::{AT_FDCWD, O_DIRECTORY, O_PATH, O_RDONLY};

use crate::attack::{Arguments, Attack, descriptor, read, result};

pub const ALL: &[(&str, Attack)] = &[
    ("read", |to| read_at(AT_FDCWD, &to.path(0))),
    ("read-by-openat2", read_by_openat2),
    ("reopen", reopen),
    ("execute-a-descriptor", execute_a_descriptor),
    ("enter-and-read", enter_and_read),
    ("enter-a-descriptor", enter_a_descriptor),
    ("read-by-handle", read_by_handle),
    ("link-a-descriptor", link_a_descriptor),
    ("rename", rename),
    ("cut", |to| result(truncate(&to.path(0))).map(drop)),
    ("cut-by-opening", cut_by_opening),
    ("make-nameless", make_nameless),
    ("read-as-32-bits", read_as_32_bits),
    ("execute-from-memory", execute_from_memory),
    ("watch", watch),
    ("watch-all", watch_all),
    ("set-times", set_times),
    ("set-attribute", set_attribute),
    ("get-attribute", get_attribute),
    ("set-flag", set_flag),
    ("lock", lock),
    ("lease", |to| hold(to, libc::F_SETLEASE, libc::F_RDLCK)),
    ("be-told", |to| hold(to, libc::F_NOTIFY, 0)),
    ("leave-a-core", leave_a_core),
    ("swap", swap),
    ("swap-the-newest", swap_the_newest),
    ("swap-in-the-newest", swap_in_the_newest),
];

/// Opens `path` from the directory `at` and reads from it.
pub fn read_at(at: i32, path: &CStr) -> io::Result<()> {
    // SAFETY: the path ends in a NUL.
    read(descriptor(unsafe {
        libc::openat(at, path.as_ptr(), O_RDONLY)
    })?)
}

/// Opens `path` as a place, which is no access to it.
fn place(path: &CStr) -> io::Result<i32> {
    // SAFETY: the path ends in a NUL.
    descriptor(unsafe { libc::open(path.as_ptr(), O_PATH) })
}

/// The name by which a process reaches its descriptor.
pub fn name_of(descriptor: i32) -> CString {
    CString::new(format!("/proc/self/fd/{descriptor}")).unwrap()
}

fn read_by_openat2(to: &Arguments) -> io::Result<()> {
    let (path, how) = (to.path(0), [0_u64; 3]);
    // SAFETY: the structure has the size that is passed, and nothing is asked for but reading.
    let opened = unsafe {
        libc::syscall(
            libc::SYS_openat2,
            AT_FDCWD,
            path.as_ptr(),
            how.as_ptr(),
            size_of_val(&how),
        )
    };
    read(descriptor(opened)?)
}

fn reopen(to: &Arguments) -> io::Result<()> {
    read_at(AT_FDCWD, &name_of(place(&to.path(0))?))
}

fn execute_a_descriptor(to: &Arguments) -> io::Result<()> {
    execute(place(&to.path(0))?, &[c"program"])
}

/// Becomes the program that a descriptor is open for.
fn execute(program: i32, arguments: &[&CStr]) -> io::Result<()> {
    let mut list: Vec<_> = arguments.iter().map(|one| one.as_ptr()).collect();
    list.push(std::ptr::null());
    let nothing = [std::ptr::null::<libc::c_char>()];
    // SAFETY: both lists end in null.
    result(unsafe {
        libc::syscall(
            libc::SYS_execveat,
            program,
            c"".as_ptr(),
            list.as_ptr(),
            nothing.as_ptr(),
            libc::AT_EMPTY_PATH,
        )
    })
    .map(drop)
}

fn enter_and_read(to: &Arguments) -> io::Result<()> {
    std::env::set_current_dir(to.word(0))?;
    read_at(AT_FDCWD, &to.path(1))
}

/// Enters a directory that whoever started this left open.
fn enter_a_descriptor(to: &Arguments) -> io::Result<()> {
    // SAFETY: takes a number.
    result(unsafe { libc::fchdir(to.int(0)) })?;
    read_at(AT_FDCWD, &to.path(1))
}

#[repr(C)]
struct Handle {
    bytes: u32,
    kind: i32,
    data: [u8; 128],
}

/// Opens a file by its number in the file system in which a directory lies.
fn read_by_handle(to: &Arguments) -> io::Result<()> {
    let (path, directory) = (to.path(0), to.path(1));
    let mut handle = Handle {
        bytes: 128,
        kind: 0,
        data: [0; 128],
    };
    let mut mount = 0;
    // SAFETY: the handle has room for as many bytes as it says.
    let opened = unsafe {
        result(libc::syscall(
            libc::SYS_name_to_handle_at,
            AT_FDCWD,
            path.as_ptr(),
            &raw mut handle,
            &raw mut mount,
            0,
        ))?;
        let within = descriptor(libc::open(directory.as_ptr(), O_RDONLY | O_DIRECTORY))?;
        libc::syscall(
            libc::SYS_open_by_handle_at,
            within,
            &raw mut handle,
            O_RDONLY,
        )
    };
    read(descriptor(opened)?)
}

fn link_a_descriptor(to: &Arguments) -> io::Result<()> {
    let (from, new) = (name_of(place(&to.path(0))?), to.path(1));
    // SAFETY: the paths end in a NUL.
    result(unsafe {
        libc::linkat(
            AT_FDCWD,
            from.as_ptr(),
            AT_FDCWD,
            new.as_ptr(),
            libc::AT_SYMLINK_FOLLOW,
        )
    })?;
    read_at(AT_FDCWD, &new)
}

/// Renames the first to the second, with these flags of `renameat2(2)`.
fn rename(to: &Arguments) -> io::Result<()> {
    exchange_or_rename(&to.path(0), &to.path(1), to.int(2))
}

fn exchange_or_rename(from: &CStr, new: &CStr, flags: i32) -> io::Result<()> {
    // SAFETY: the paths end in a NUL.
    result(unsafe {
        libc::syscall(
            libc::SYS_renameat2,
            AT_FDCWD,
            from.as_ptr(),
            AT_FDCWD,
            new.as_ptr(),
            flags,
        )
    })
    .map(drop)
}

fn truncate(path: &CStr) -> i32 {
    // SAFETY: the path ends in a NUL.
    unsafe { libc::truncate(path.as_ptr(), 0) }
}

fn cut_by_opening(to: &Arguments) -> io::Result<()> {
    let path = to.path(0);
    // SAFETY: the path ends in a NUL.
    descriptor(unsafe { libc::open(path.as_ptr(), O_RDONLY | libc::O_TRUNC) }).map(drop)
}

fn make_nameless(to: &Arguments) -> io::Result<()> {
    let path = to.path(0);
    // SAFETY: the path ends in a NUL.
    descriptor(unsafe { libc::open(path.as_ptr(), libc::O_TMPFILE | libc::O_WRONLY, 0o600) })
        .map(drop)
}

/// Opens a file by the system call of a program of 32 bits.
#[cfg(target_arch = "x86_64")]
fn read_as_32_bits(to: &Arguments) -> io::Result<()> {
    const OPEN: i64 = 5;
    let path = to.path(0);
    let bytes = path.as_bytes_with_nul();
    // SAFETY: a page of its own, whose address such a program could have, and which the path fits.
    let opened = unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_32BIT;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let page = libc::mmap(std::ptr::null_mut(), 4096, access, flags, -1, 0).cast::<u8>();
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), page, bytes.len());
        call_as_32_bits(OPEN, [page as i64, 0, 0])
    };
    read(descriptor(opened?)?)
}

#[cfg(not(target_arch = "x86_64"))]
fn read_as_32_bits(_: &Arguments) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Makes the system call `number` as a program of 32 bits does.
///
/// # Safety
/// As that system call's.
#[cfg(target_arch = "x86_64")]
pub unsafe fn call_as_32_bits(number: i64, arguments: [i64; 3]) -> io::Result<i64> {
    let returned: i64;
    // SAFETY: as the system call's; the register that the compiler keeps for itself is put back.
    unsafe {
        std::arch::asm!(
            "push rbx",
            "mov rbx, {first}",
            "int 0x80",
            "pop rbx",
            first = in(reg) arguments[0],
            inlateout("rax") number => returned,
            in("rcx") arguments[1],
            in("rdx") arguments[2],
            lateout("r8") _, lateout("r9") _, lateout("r10") _, lateout("r11") _,
        );
    }
    let returned = i64::from(i32::try_from(returned & 0xffff_ffff).unwrap_or(-1));
    match i32::try_from(returned) {
        Ok(error @ -4095..=-1) => Err(io::Error::from_raw_os_error(-error)),
        _ => Ok(returned),
    }
}

/// Runs a program that lies in memory alone, with these arguments.
fn execute_from_memory(to: &Arguments) -> io::Result<()> {
    let program = std::fs::read(to.word(0))?;
    // SAFETY: the name ends in a NUL; the buffer is as long as is said.
    let memory = unsafe {
        let memory = descriptor(libc::memfd_create(c"program".as_ptr(), 0))?;
        let written = libc::write(memory, program.as_ptr().cast(), program.len());
        assert_eq!(usize::try_from(written), Ok(program.len()));
        memory
    };
    execute(memory, &[c"program", &to.path(1)])
}

fn watch(to: &Arguments) -> io::Result<()> {
    let path = to.path(0);
    // SAFETY: the path ends in a NUL.
    unsafe {
        let watcher = descriptor(libc::inotify_init())?;
        result(libc::inotify_add_watch(
            watcher,
            path.as_ptr(),
            libc::IN_ALL_EVENTS,
        ))
        .map(drop)
    }
}

/// `fanotify(7)`, as ordinary users may use it.
fn watch_all(to: &Arguments) -> io::Result<()> {
    let path = to.path(0);
    let events = libc::FAN_CREATE | libc::FAN_ONDIR | libc::FAN_EVENT_ON_CHILD;
    // SAFETY: the path ends in a NUL.
    unsafe {
        let watcher = descriptor(libc::fanotify_init(libc::FAN_REPORT_DFID_NAME, 0))?;
        let mark = libc::FAN_MARK_ADD;
        result(libc::fanotify_mark(
            watcher,
            mark,
            events,
            AT_FDCWD,
            path.as_ptr(),
        ))
        .map(drop)
    }
}

fn set_times(to: &Arguments) -> io::Result<()> {
    let path = to.path(0);
    let times = [libc::timespec {
        tv_sec: 1,
        tv_nsec: 0,
    }; 2];
    // SAFETY: the path ends in a NUL; there are two times.
    result(unsafe { libc::utimensat(AT_FDCWD, path.as_ptr(), times.as_ptr(), 0) }).map(drop)
}

const ATTRIBUTE: &CStr = c"user.ways";

fn set_attribute(to: &Arguments) -> io::Result<()> {
    let path = to.path(0);
    // SAFETY: the strings end in a NUL; the value is as long as is said.
    result(unsafe {
        libc::setxattr(
            path.as_ptr(),
            ATTRIBUTE.as_ptr(),
            c"x".as_ptr().cast(),
            1,
            0,
        )
    })
    .map(drop)
}

fn get_attribute(to: &Arguments) -> io::Result<()> {
    let path = to.path(0);
    let mut value = [0_u8; 64];
    // SAFETY: the strings end in a NUL; the buffer is as long as is said.
    result(unsafe {
        libc::getxattr(
            path.as_ptr(),
            ATTRIBUTE.as_ptr(),
            value.as_mut_ptr().cast(),
            64,
        )
    } as i64)
    .map(drop)
}

/// Sets that a file is left out of backups (`ioctl_iflags(2)`), by a descriptor for reading.
fn set_flag(to: &Arguments) -> io::Result<()> {
    const NO_DUMP: libc::c_long = 0x40;
    let path = to.path(0);
    // SAFETY: the path ends in a NUL; the flags are there.
    unsafe {
        let file = descriptor(libc::open(path.as_ptr(), O_RDONLY))?;
        let mut flags: libc::c_long = 0;
        result(libc::ioctl(file, libc::FS_IOC_GETFLAGS, &raw mut flags))?;
        flags |= NO_DUMP;
        result(libc::ioctl(file, libc::FS_IOC_SETFLAGS, &raw const flags)).map(drop)
    }
}

/// Locks a file that is opened for reading, so that nobody else has a lock on it.
fn lock(to: &Arguments) -> io::Result<()> {
    let path = to.path(0);
    // SAFETY: the path ends in a NUL.
    unsafe {
        let file = descriptor(libc::open(path.as_ptr(), O_RDONLY))?;
        result(libc::flock(file, libc::LOCK_EX)).map(drop)
    }
}

/// Has `fcntl(2)` do something with a file that is opened for reading.
fn hold(to: &Arguments, command: i32, argument: i32) -> io::Result<()> {
    let path = to.path(0);
    // SAFETY: the path ends in a NUL; these commands take numbers.
    unsafe {
        let file = descriptor(libc::open(path.as_ptr(), O_RDONLY))?;
        result(libc::fcntl(file, command, argument)).map(drop)
    }
}

/// Has the kernel write the memory of a process that crashes in a directory.
fn leave_a_core(to: &Arguments) -> io::Result<()> {
    std::env::set_current_dir(to.word(0))?;
    // SAFETY: the child makes system calls only, and ends.
    unsafe {
        let mut limit = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        libc::getrlimit(libc::RLIMIT_CORE, &raw mut limit);
        limit.rlim_cur = limit.rlim_max;
        libc::setrlimit(libc::RLIMIT_CORE, &raw const limit);
        let child = libc::fork();
        if child == 0 {
            libc::abort();
        }
        let mut status = 0;
        libc::waitpid(child, &raw mut status, 0);
    }
    let mut files = std::fs::metadata("core").into_iter();
    match files.next() {
        Some(core) if core.len() > 0 => Ok(()),
        _ => Err(io::Error::other("no core was written")),
    }
}

/// How long an exchange goes on that nobody stops.
const LONGEST: Duration = Duration::from_secs(10);

/// Exchanges two names for ever.
fn swap(to: &Arguments) -> io::Result<()> {
    let (one, other) = (to.path(0), to.path(1));
    let end = Instant::now() + LONGEST;
    while Instant::now() < end {
        exchange_or_rename(&one, &other, libc::RENAME_EXCHANGE.cast_signed())?;
    }
    Ok(())
}

/// Puts links to the second directory in the place of whatever comes up in the first.
fn swap_the_newest(to: &Arguments) -> io::Result<()> {
    let (place, target) = (to.word(0), to.word(1));
    let end = Instant::now() + LONGEST;
    while Instant::now() < end {
        for entry in std::fs::read_dir(&place)?.flatten() {
            let name = entry.path();
            let is_new = !name.is_symlink() && !name.as_os_str().as_bytes().ends_with(b".moved");
            if is_new && std::fs::rename(&name, moved(&name)).is_ok() {
                let _ = std::os::unix::fs::symlink(&target, &name);
            }
        }
    }
    Ok(())
}

/// Exchanges a directory and a link to the second directory in whatever comes up in the first.
fn swap_in_the_newest(to: &Arguments) -> io::Result<()> {
    let (place, target) = (to.word(0), to.word(1));
    let end = Instant::now() + LONGEST;
    while Instant::now() < end {
        for entry in std::fs::read_dir(&place)?.flatten() {
            let (own, link) = (entry.path().join("own"), entry.path().join("link"));
            let _ = std::fs::create_dir(&own);
            let _ = std::fs::write(own.join("secret"), "harmless");
            let _ = std::os::unix::fs::symlink(&target, &link);
            let [own, link] =
                [own, link].map(|name| CString::new(name.into_os_string().into_encoded_bytes()));
            let _ = exchange_or_rename(&own?, &link?, libc::RENAME_EXCHANGE.cast_signed());
        }
    }
    Ok(())
}

fn moved(name: &Path) -> std::path::PathBuf {
    let mut moved = name.as_os_str().to_owned();
    moved.push(".moved");
    moved.into()
}
