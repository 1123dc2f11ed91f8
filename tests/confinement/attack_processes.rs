//! Attacks on a process outside.

use std::io;
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::attack::{Arguments, Attack, descriptor, read, result};
use crate::attack_files::read_at;
use crate::stage::Server;

pub const ALL: &[(&str, Attack)] = &[
    ("ask-a-server", ask_a_server),
    ("attach", attach),
    ("seize", seize),
    ("read-memory", read_memory),
    ("write-memory", write_memory),
    ("read-memory-file", read_memory_file),
    ("take-descriptor", take_descriptor),
    ("signal", signal),
    ("signal-thread", signal_thread),
    ("queue-signal", queue_signal),
    ("signal-by-descriptor", signal_by_descriptor),
    ("have-it-signalled", have_it_signalled),
    ("join-its-group", join_its_group),
    ("join-its-mounts", join_its_mounts),
    ("limit", limit),
    ("slow-down", slow_down),
    ("tie-down", tie_down),
    ("stop-input", lower_input_priority),
    ("pose", pose),
];

fn attach(to: &Arguments) -> io::Result<()> {
    trace(libc::PTRACE_ATTACH, to.int(0))
}

fn seize(to: &Arguments) -> io::Result<()> {
    trace(libc::PTRACE_SEIZE, to.int(0))
}

/// The end of this process is the end of the tracing.
fn trace(request: libc::c_uint, process: i32) -> io::Result<()> {
    let nothing = std::ptr::null_mut::<u8>();
    // SAFETY: neither request takes an address.
    result(unsafe { libc::ptrace(request, process, nothing, nothing) }).map(drop)
}

type Move = unsafe extern "C" fn(
    i32,
    *const libc::iovec,
    libc::c_ulong,
    *const libc::iovec,
    libc::c_ulong,
    libc::c_ulong,
) -> isize;

fn move_memory(to: &Arguments, by: Move) -> io::Result<()> {
    let mut bytes = [b'x'; 16];
    let here = libc::iovec {
        iov_base: bytes.as_mut_ptr().cast(),
        iov_len: bytes.len(),
    };
    let there = libc::iovec {
        iov_base: std::ptr::without_provenance_mut(to.number(1).try_into().unwrap()),
        iov_len: bytes.len(),
    };
    // SAFETY: what is moved here is as long as is said; there it is another process's.
    result(unsafe { by(to.int(0), &raw const here, 1, &raw const there, 1, 0) } as i64).map(drop)
}

fn read_memory(to: &Arguments) -> io::Result<()> {
    move_memory(to, libc::process_vm_readv)
}

fn write_memory(to: &Arguments) -> io::Result<()> {
    move_memory(to, libc::process_vm_writev)
}

fn read_memory_file(to: &Arguments) -> io::Result<()> {
    let memory = std::fs::File::open(Path::new("/proc").join(to.word(0)).join("mem"))?;
    memory.read_exact_at(&mut [0; 16], to.number(1).try_into().unwrap())
}

fn handle_of(process: i32) -> io::Result<i32> {
    // SAFETY: takes numbers.
    descriptor(unsafe { libc::syscall(libc::SYS_pidfd_open, process, 0) })
}

fn take_descriptor(to: &Arguments) -> io::Result<()> {
    let process = handle_of(to.int(0))?;
    // SAFETY: takes numbers.
    let taken = unsafe { libc::syscall(libc::SYS_pidfd_getfd, process, to.int(1), 0) };
    let taken = descriptor(taken)?;
    // Whoever has it open may have read on.
    // SAFETY: takes numbers.
    unsafe { libc::lseek(taken, 0, libc::SEEK_SET) };
    read(taken)
}

/// What a process that is not stopped does not notice.
const UNNOTICED: i32 = libc::SIGCONT;

fn signal(to: &Arguments) -> io::Result<()> {
    // SAFETY: takes numbers.
    result(unsafe { libc::kill(to.int(0), UNNOTICED) }).map(drop)
}

fn signal_thread(to: &Arguments) -> io::Result<()> {
    let process = to.int(0);
    // SAFETY: takes numbers.
    result(unsafe { libc::syscall(libc::SYS_tgkill, process, process, UNNOTICED) }).map(drop)
}

fn queue_signal(to: &Arguments) -> io::Result<()> {
    let value = libc::sigval {
        sival_ptr: std::ptr::null_mut(),
    };
    // SAFETY: takes numbers and a value that is passed on.
    result(unsafe { libc::sigqueue(to.int(0), UNNOTICED, value) }).map(drop)
}

fn signal_by_descriptor(to: &Arguments) -> io::Result<()> {
    let (process, call) = (handle_of(to.int(0))?, libc::SYS_pidfd_send_signal);
    let nothing = std::ptr::null::<u8>();
    // SAFETY: no details are passed.
    result(unsafe { libc::syscall(call, process, UNNOTICED, nothing, 0) }).map(drop)
}

/// Joins a process's group: who stops there and loses its parent has the kernel send SIGHUP to all.
fn join_its_group(to: &Arguments) -> io::Result<()> {
    // SAFETY: takes numbers.
    unsafe {
        let group = result(libc::getpgid(to.int(0)))?;
        result(libc::setpgid(0, i32::try_from(group).unwrap())).map(drop)
    }
}

/// Makes a process the one that is told by a signal when there is something to be read, and has
/// something to be read. That process leaves a file then.
fn have_it_signalled(to: &Arguments) -> io::Result<()> {
    let trace = Path::new(&to.word(1)).join("got-a-signal");
    let mut ends = [0; 2];
    // SAFETY: the array has room for both descriptors; the byte is there.
    unsafe {
        let (family, kind) = (libc::AF_UNIX, libc::SOCK_STREAM);
        result(libc::socketpair(family, kind, 0, ends.as_mut_ptr()))?;
        result(libc::fcntl(ends[0], libc::F_SETOWN, to.int(0)))?;
        result(libc::fcntl(ends[0], libc::F_SETFL, libc::O_ASYNC))?;
        result(libc::write(ends[1], c"x".as_ptr().cast(), 1) as i64)?;
    }
    let end = Instant::now() + Duration::from_millis(500);
    while Instant::now() < end {
        if trace.exists() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Err(io::Error::other("no signal came"))
}

/// Joins another process's mounts, and reads by its names.
fn join_its_mounts(to: &Arguments) -> io::Result<()> {
    let process = handle_of(to.int(0))?;
    // SAFETY: takes numbers.
    result(unsafe { libc::setns(process, libc::CLONE_NEWNS) })?;
    read_at(libc::AT_FDCWD, &to.path(1))
}

/// Lowers how many files a process may have open by one.
fn limit(to: &Arguments) -> io::Result<()> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    let (kind, process) = (libc::RLIMIT_NOFILE, to.int(0));
    // SAFETY: both limits are there.
    unsafe {
        result(libc::prlimit(
            process,
            kind,
            std::ptr::null(),
            &raw mut limit,
        ))?;
        limit.rlim_cur -= 1;
        result(libc::prlimit(
            process,
            kind,
            &raw const limit,
            std::ptr::null_mut(),
        ))
        .map(drop)
    }
}

fn slow_down(to: &Arguments) -> io::Result<()> {
    let process = to.int(0).cast_unsigned();
    // SAFETY: takes numbers.
    result(unsafe { libc::setpriority(libc::PRIO_PROCESS, process, 19) }).map(drop)
}

/// Says on which processors a process may run: where it may already.
fn tie_down(to: &Arguments) -> io::Result<()> {
    let process = to.int(0);
    // SAFETY: a set of bits is valid whatever they are.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    let size = size_of_val(&set);
    // SAFETY: the set has this size.
    unsafe {
        result(libc::sched_getaffinity(process, size, &raw mut set))?;
        result(libc::sched_setaffinity(process, size, &raw const set)).map(drop)
    }
}

/// Has a process wait for others when it reads and writes, `ioprio_set(2)`.
fn lower_input_priority(to: &Arguments) -> io::Result<()> {
    const OF_PROCESS: i32 = 1;
    const IDLE: i32 = 3 << 13;
    // SAFETY: takes numbers.
    result(unsafe { libc::syscall(libc::SYS_ioprio_set, OF_PROCESS, to.int(0), IDLE) }).map(drop)
}

/// Has a server of its own, without flags, read a file.
fn ask_a_server(to: &Arguments) -> io::Result<()> {
    let programs = std::env::var_os("TOOLS").unwrap();
    let command = Command::new(Path::new(&programs).join("ikigai-tools"));
    let mut server = Server::start(command, &[]);
    let path = to.word(0).into_string().unwrap();
    let answer = server.call("file-read", &json!({"file_path": path}));
    match answer["output"].as_str() {
        Some(_) => Ok(()),
        None => Err(io::Error::other(answer.to_string())),
    }
}

/// Code for x86-64 that gives its process the name behind it and waits for ever: `lea`, `prctl(2)`,
/// `pause(2)`, and a jump back to that.
const TAKE_NAME: [u8; 28] = [
    0x48, 0x8d, 0x35, 21, 0, 0, 0, 0xbf, 15, 0, 0, 0, 0xb8, 157, 0, 0, 0, 0x0f, 0x05, 0xb8, 34, 0,
    0, 0, 0x0f, 0x05, 0xeb, 0xf7,
];

/// Starts the program, and has it run other code before its own: it gets the name that is given,
/// and stays.
#[cfg(target_arch = "x86_64")]
fn pose(to: &Arguments) -> io::Result<()> {
    let programs = std::env::var_os("TOOLS").unwrap();
    let mut command = Command::new(Path::new(&programs).join("ikigai-tools"));
    command.arg(to.word(1));
    let nothing = std::ptr::null_mut::<u8>();
    // SAFETY: makes a system call that takes no address.
    unsafe {
        command.pre_exec(move || result(libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0)).map(drop));
    }
    let process = i32::try_from(command.spawn()?.id()).unwrap();
    let mut code = TAKE_NAME.to_vec();
    code.extend(to.path(0).as_bytes_with_nul());
    code.resize(code.len().next_multiple_of(8), 0);
    // SAFETY: the registers have room; the addresses are the other process's.
    unsafe {
        result(libc::waitpid(process, std::ptr::null_mut(), 0))?;
        let mut registers: libc::user_regs_struct = std::mem::zeroed();
        result(libc::ptrace(
            libc::PTRACE_GETREGS,
            process,
            nothing,
            &raw mut registers,
        ))?;
        for (place, word) in (registers.rip..).step_by(8).zip(code.chunks(8)) {
            let word = i64::from_ne_bytes(word.try_into().unwrap());
            result(libc::ptrace(libc::PTRACE_POKETEXT, process, place, word))?;
        }
        result(libc::ptrace(libc::PTRACE_DETACH, process, nothing, nothing)).map(drop)
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn pose(_: &Arguments) -> io::Result<()> {
    let _ = TAKE_NAME;
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
