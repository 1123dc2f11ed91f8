//! Attacks on the machine: its mounts, devices, clock, memory; and by what processes share.
//!
//! What would harm the machine is asked for in a form that cannot be carried out: whoever may not
//! do it is refused before that is seen.

use std::ffi::CStr;
use std::io;

use libc::AT_FDCWD;

use crate::attack::{Arguments, Attack, descriptor, result};
use crate::attack_files::read_at;

pub const ALL: &[(&str, Attack)] = &[
    ("mount-over", mount_over),
    ("mount-a-copy", mount_a_copy),
    ("mount-and-move", mount_and_move),
    ("make-a-file-system", make_a_file_system),
    ("lay-over", lay_over),
    ("change-root", change_root),
    ("turn-root", turn_root),
    ("unmount", unmount),
    ("become-root-of-a-namespace", become_root_of_a_namespace),
    ("make-device", make_device),
    ("load-module", |_| {
        // SAFETY: there is no module.
        attempt(unsafe {
            libc::syscall(
                libc::SYS_init_module,
                std::ptr::null::<u8>(),
                0,
                c"".as_ptr(),
            )
        })
    }),
    ("unload-module", |_| {
        let (name, flags) = (c"no-such-module", libc::O_NONBLOCK);
        // SAFETY: the name ends in a NUL.
        attempt(unsafe { libc::syscall(libc::SYS_delete_module, name.as_ptr(), flags) })
    }),
    ("swap-on", |_| {
        // SAFETY: the name ends in a NUL.
        attempt(unsafe { libc::swapon(NOWHERE.as_ptr(), 0) })
    }),
    ("swap-off", |_| {
        // SAFETY: the name ends in a NUL.
        attempt(unsafe { libc::swapoff(NOWHERE.as_ptr()) })
    }),
    ("reboot", |_| {
        // SAFETY: without the numbers that it wants, the kernel does nothing.
        attempt(unsafe { libc::syscall(libc::SYS_reboot, 0, 0, 0, 0) })
    }),
    ("account", |_| {
        // SAFETY: the name ends in a NUL.
        attempt(unsafe { libc::acct(NOWHERE.as_ptr()) })
    }),
    ("name-the-machine", |_| {
        // SAFETY: the kernel reads nothing of a name of this length.
        attempt(unsafe { libc::syscall(libc::SYS_sethostname, c"".as_ptr(), -1) })
    }),
    ("set-the-clock", set_the_clock),
    ("read-kernel-log", read_kernel_log),
    ("program-the-kernel", program_the_kernel),
    ("observe-everybody", observe_everybody),
    ("use-ports", use_ports),
    ("raise-limits", raise_limits),
    ("go-first", |_| {
        // SAFETY: takes numbers.
        result(unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, -5) }).map(drop)
    }),
    ("configure-network", configure_network),
    ("hear-everything", |_| {
        let class = libc::FAN_CLASS_CONTENT;
        // SAFETY: takes numbers.
        descriptor(unsafe { libc::fanotify_init(class, 0) }).map(drop)
    }),
    ("ask-for", ask_for),
    ("ask-as-x32", ask_as_x32),
    ("start-by-clone3", |_| clone3(0, 0)),
    ("leave-the-group", leave_the_group),
    ("use-segment", use_segment),
    ("use-messages", use_messages),
    ("use-semaphores", use_semaphores),
    ("use-queue", use_queue),
    ("remove-queue", remove_queue),
    ("keep-a-key", keep_a_key),
];

const NOWHERE: &CStr = c"/nonexistent/ikigai-tools";

/// What a system call returned that cannot be carried out: an error that says so means that it was
/// allowed.
fn attempt(returned: impl Into<i64>) -> io::Result<()> {
    match result(returned) {
        Err(error) if error.raw_os_error() == Some(libc::EPERM) => Err(error),
        Err(error) if error.raw_os_error() == Some(libc::EACCES) => Err(error),
        Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => Err(error),
        _ => Ok(()),
    }
}

/// Moves to a namespace of its own for mounts, which root may do, and others in a user namespace of
/// their own. What is mounted there nobody else sees.
fn own_mounts() -> io::Result<()> {
    let root = libc::CLONE_NEWNS;
    // SAFETY: takes numbers, strings that end in a NUL, and null where nothing is said.
    unsafe {
        if libc::unshare(root) != 0 {
            result(libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNS))?;
        }
        let (none, private) = (std::ptr::null(), libc::MS_REC | libc::MS_PRIVATE);
        result(libc::mount(none, c"/".as_ptr(), none, private, none.cast())).map(drop)
    }
}

fn mount_over(to: &Arguments) -> io::Result<()> {
    let (from, onto, name) = (to.path(0), to.path(1), to.path(2));
    own_mounts()?;
    let none = std::ptr::null();
    // SAFETY: the paths end in a NUL.
    result(unsafe {
        libc::mount(
            from.as_ptr(),
            onto.as_ptr(),
            none,
            libc::MS_BIND,
            none.cast(),
        )
    })?;
    read_at(AT_FDCWD, &name)
}

const OPEN_TREE_CLONE: i32 = 1;

fn copy_of_tree(path: &CStr, flags: i32) -> io::Result<i32> {
    // SAFETY: the path ends in a NUL.
    descriptor(unsafe { libc::syscall(libc::SYS_open_tree, AT_FDCWD, path.as_ptr(), flags) })
}

/// Reads in a copy of a mount that is mounted nowhere.
fn mount_a_copy(to: &Arguments) -> io::Result<()> {
    let (from, name) = (to.path(0), to.path(1));
    own_mounts()?;
    read_at(copy_of_tree(&from, OPEN_TREE_CLONE)?, &name)
}

fn mount_and_move(to: &Arguments) -> io::Result<()> {
    const MOVE_FROM_DESCRIPTOR: i32 = 4;
    let (from, onto, name) = (to.path(0), to.path(1), to.path(2));
    own_mounts()?;
    let tree = copy_of_tree(&from, OPEN_TREE_CLONE)?;
    // SAFETY: the paths end in a NUL.
    result(unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            tree,
            c"".as_ptr(),
            AT_FDCWD,
            onto.as_ptr(),
            MOVE_FROM_DESCRIPTOR,
        )
    })?;
    read_at(AT_FDCWD, &name)
}

/// Makes a file system in memory, which has no name, and looks what is in it.
fn make_a_file_system(_: &Arguments) -> io::Result<()> {
    const CREATE: i32 = 6;
    own_mounts()?;
    let none = std::ptr::null::<u8>();
    // SAFETY: the strings end in a NUL, and null where nothing is said.
    unsafe {
        let made = descriptor(libc::syscall(libc::SYS_fsopen, c"tmpfs".as_ptr(), 0))?;
        result(libc::syscall(
            libc::SYS_fsconfig,
            made,
            CREATE,
            none,
            none,
            0,
        ))?;
        let mounted = descriptor(libc::syscall(libc::SYS_fsmount, made, 0, 0))?;
        descriptor(libc::openat(mounted, c".".as_ptr(), libc::O_RDONLY)).map(drop)
    }
}

/// Has an overlay, which has no name either, work in directories.
fn lay_over(to: &Arguments) -> io::Result<()> {
    const STRING: i32 = 1;
    const CREATE: i32 = 6;
    let places = [to.path(0), to.path(1), to.path(2)];
    own_mounts()?;
    let none = std::ptr::null::<u8>();
    // SAFETY: the strings end in a NUL, and null where nothing is said.
    unsafe {
        let call = libc::SYS_fsconfig;
        let made = descriptor(libc::syscall(libc::SYS_fsopen, c"overlay".as_ptr(), 0))?;
        for (name, place) in [c"lowerdir", c"upperdir", c"workdir"].iter().zip(&places) {
            let (name, place) = (name.as_ptr(), place.as_ptr());
            result(libc::syscall(call, made, STRING, name, place, 0))?;
        }
        result(libc::syscall(call, made, CREATE, none, none, 0)).map(drop)
    }
}

fn change_root(to: &Arguments) -> io::Result<()> {
    let (place, name) = (to.path(0), to.path(1));
    // SAFETY: the path ends in a NUL.
    result(unsafe { libc::chroot(place.as_ptr()) })?;
    read_at(AT_FDCWD, &name)
}

fn turn_root(to: &Arguments) -> io::Result<()> {
    let place = to.path(0);
    own_mounts()?;
    // SAFETY: the paths end in a NUL. That is no mount, and nothing is turned.
    attempt(unsafe { libc::syscall(libc::SYS_pivot_root, place.as_ptr(), place.as_ptr()) })
}

/// Takes away a mount that may hide something: in its own namespace.
fn unmount(_: &Arguments) -> io::Result<()> {
    own_mounts()?;
    // SAFETY: the path ends in a NUL.
    result(unsafe { libc::umount2(c"/dev/shm".as_ptr(), libc::MNT_DETACH) }).map(drop)
}

fn become_root_of_a_namespace(to: &Arguments) -> io::Result<()> {
    // SAFETY: takes numbers.
    result(unsafe { libc::unshare(libc::CLONE_NEWUSER) })?;
    read_at(AT_FDCWD, &to.path(0))
}

/// Makes a device: a block device where the third argument says so.
fn make_device(to: &Arguments) -> io::Result<()> {
    let (path, numbers) = (
        to.path(0),
        libc::makedev(to.number(1).try_into().unwrap(), 3),
    );
    let kind = if to.word(2) == "block" {
        libc::S_IFBLK
    } else {
        libc::S_IFCHR
    };
    // SAFETY: the path ends in a NUL.
    result(unsafe { libc::mknod(path.as_ptr(), kind | 0o600, numbers) }).map(drop)
}

fn set_the_clock(_: &Arguments) -> io::Result<()> {
    // SAFETY: numbers are valid whatever they are. This clock cannot tick so slowly.
    unsafe {
        let mut wanted: libc::timex = std::mem::zeroed();
        wanted.modes = libc::ADJ_TICK;
        attempt(libc::adjtimex(&raw mut wanted))
    }
}

fn read_kernel_log(_: &Arguments) -> io::Result<()> {
    const READ_ALL: i32 = 3;
    let mut bytes = [0_u8; 64];
    // SAFETY: the buffer is as long as is said.
    result(unsafe { libc::klogctl(READ_ALL, bytes.as_mut_ptr().cast(), 64) }).map(drop)
}

/// Makes the smallest of maps, `bpf(2)`.
fn program_the_kernel(_: &Arguments) -> io::Result<()> {
    const MAP_CREATE: i32 = 0;
    const ARRAY: u32 = 2;
    let map = [ARRAY, 4, 8, 1, 0];
    // SAFETY: the structure is as long as is said.
    let made = unsafe { libc::syscall(libc::SYS_bpf, MAP_CREATE, map.as_ptr(), size_of_val(&map)) };
    descriptor(made).map(drop)
}

/// Counts what all processes on a processor do, `perf_event_open(2)`.
fn observe_everybody(_: &Arguments) -> io::Result<()> {
    const SOFTWARE: u32 = 1;
    // A counter of time, of the first form of the structure.
    let mut event = [0_u32; 16];
    (event[0], event[1]) = (SOFTWARE, 64);
    // SAFETY: the structure is as long as it says.
    let opened = unsafe { libc::syscall(libc::SYS_perf_event_open, event.as_ptr(), -1, 0, -1, 0) };
    descriptor(opened).map(drop)
}

fn use_ports(_: &Arguments) -> io::Result<()> {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: nothing is sent to the port, which is one of nobody's.
        result(unsafe { libc::ioperm(0x80, 1, 1) }).map(drop)
    }
    #[cfg(not(target_arch = "x86_64"))]
    Err(io::ErrorKind::Unsupported.into())
}

fn raise_limits(_: &Arguments) -> io::Result<()> {
    let limit = libc::rlimit {
        rlim_cur: libc::RLIM_INFINITY,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: the limits are there.
    result(unsafe { libc::setrlimit(libc::RLIMIT_MSGQUEUE, &raw const limit) }).map(drop)
}

/// Sets something of an interface that there is not.
fn configure_network(_: &Arguments) -> io::Result<()> {
    // SAFETY: the request is longer than the kernel reads; its name ends in a NUL.
    unsafe {
        let socket = descriptor(libc::socket(libc::AF_INET, libc::SOCK_DGRAM, 0))?;
        let mut request = [0_u8; 64];
        request[..8].copy_from_slice(b"nowhere0");
        attempt(libc::ioctl(socket, libc::SIOCSIFMTU, request.as_mut_ptr()))
    }
}

/// Maps a System V segment of another process.
fn use_segment(to: &Arguments) -> io::Result<()> {
    // SAFETY: what is mapped is not touched.
    let mapped = unsafe { libc::shmat(to.int(0), std::ptr::null(), 0) };
    result(mapped as i64).map(drop)
}

/// Sends a message by another process's System V queue, and takes one.
fn use_messages(to: &Arguments) -> io::Result<()> {
    let mut message = [1_i64, 0];
    let (queue, at_once) = (to.int(0), libc::IPC_NOWAIT);
    // SAFETY: the message is as long as is said, behind its kind.
    unsafe {
        result(libc::msgsnd(queue, message.as_ptr().cast(), 8, at_once))?;
        let taken = libc::msgrcv(queue, message.as_mut_ptr().cast(), 8, 0, at_once);
        result(taken as i64).map(drop)
    }
}

/// Changes another process's System V semaphore.
fn use_semaphores(to: &Arguments) -> io::Result<()> {
    // SAFETY: takes numbers.
    result(unsafe { libc::semctl(to.int(0), 0, libc::SETVAL, 1) }).map(drop)
}

/// Asks the file system of `path`, which is opened for reading, for these requests of `ioctl(2)`,
/// hexadecimal, and says of each how it was answered.
fn ask_for(to: &Arguments) -> io::Result<()> {
    ask(to, libc::SYS_ioctl)
}

/// The same by the number that this call has in the x32 ABI.
fn ask_as_x32(to: &Arguments) -> io::Result<()> {
    const X32: libc::c_long = 0x4000_0000;
    const IOCTL_OF_X32: libc::c_long = 514;
    ask(to, X32 | IOCTL_OF_X32)
}

fn ask(to: &Arguments, call: libc::c_long) -> io::Result<()> {
    let path = to.path(0);
    // SAFETY: the path ends in a NUL; the buffer is longer than any request's structure. Zeros ask
    // for nothing.
    unsafe {
        let file = descriptor(libc::open(path.as_ptr(), libc::O_RDONLY))?;
        for request in to.word(1).to_str().unwrap().split(',') {
            let mut buffer = vec![0_u8; 16_384];
            let number = u64::from_str_radix(request, 16).unwrap();
            let answer = result(libc::syscall(call, file, number, buffer.as_mut_ptr()));
            let code = answer.err().and_then(|error| error.raw_os_error());
            println!("{request} {}", code.unwrap_or(0));
        }
    }
    Ok(())
}

/// Starts a process by `clone3(2)`, with these flags and in this group of processes.
fn clone3(flags: u64, group: u64) -> io::Result<()> {
    let mut how = [0_u64; 11];
    (how[0], how[4], how[10]) = (flags, libc::SIGCHLD as u64, group);
    // SAFETY: the structure has the size that is passed; the child ends at once.
    unsafe {
        let size = size_of_val(&how);
        let child = result(libc::syscall(libc::SYS_clone3, how.as_ptr(), size))?;
        if child == 0 {
            libc::_exit(0);
        }
        let child = i32::try_from(child).unwrap();
        result(libc::waitpid(child, std::ptr::null_mut(), 0)).map(drop)
    }
}

/// Starts a process in the group of all processes (`cgroups(7)`).
fn leave_the_group(to: &Arguments) -> io::Result<()> {
    const INTO_GROUP: u64 = 1 << 33;
    let path = to.path(0);
    // SAFETY: the path ends in a NUL.
    let group = descriptor(unsafe { libc::open(path.as_ptr(), libc::O_RDONLY) })?;
    clone3(INTO_GROUP, u64::try_from(group).unwrap())
}

/// Opens another process's POSIX message queue.
fn use_queue(to: &Arguments) -> io::Result<()> {
    let name = to.path(0);
    // SAFETY: the name ends in a NUL.
    result(unsafe { libc::mq_open(name.as_ptr(), libc::O_RDWR) }).map(drop)
}

/// Takes away the name of another process's POSIX message queue.
fn remove_queue(to: &Arguments) -> io::Result<()> {
    let name = to.path(0);
    // SAFETY: the name ends in a NUL.
    result(unsafe { libc::mq_unlink(name.as_ptr()) }).map(drop)
}

/// Adds a key to the user's keys, and takes it away.
fn keep_a_key(_: &Arguments) -> io::Result<()> {
    const OF_USER: i32 = -4;
    const UNLINK: i32 = 9;
    let name = format!("ikigai-tools-ways-{}\0", std::process::id());
    let kind = c"user";
    // SAFETY: the strings end in a NUL; the content is as long as is said.
    unsafe {
        let key = result(libc::syscall(
            libc::SYS_add_key,
            kind.as_ptr(),
            name.as_ptr(),
            c"x".as_ptr(),
            1,
            OF_USER,
        ))?;
        result(libc::syscall(libc::SYS_keyctl, UNLINK, key, OF_USER)).map(drop)
    }
}
