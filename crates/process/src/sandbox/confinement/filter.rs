//! Filters of system calls (`seccomp(2)`) for what Landlock does not cover.
//!
//! Within directories these are calls by which the kernel itself would do for a command what it may
//! not: mounts made in pieces (`fsopen(2)`), by which an overlay writes anywhere; limits of other
//! processes (`prlimit(2)`), by which they can be killed; keys (`keyctl(2)`); file systems' own
//! calls (`ioctl(2)`), by which a descriptor for reading is enough to put a snapshot into a
//! directory or to lock a home; and before Landlock's ABI 3 cutting files short.
//!
//! No list could name every `ioctl` that may stay, because its numbers belong to every kind of
//! terminal, socket, device and file system. Devices are Landlock's (from ABI 5 on). So the list
//! has only the numbers of the file systems ([`FILE_SYSTEMS`]), which answer them on every file
//! that may be read.
//!
//! Without the network every socket is refused, except pairs that are connected to each other. From
//! Landlock's ABI 9 on, sockets in the file system and abstract ones are allowed, because Landlock
//! then decides about their peers. Descriptors that were open before are closed
//! (`command_confinement`).
//!
//! A program for another architecture, such as one of 32 bits, is killed at its first system call;
//! all calls of the x32 ABI are refused.
//!
//! The kernel translates a filter anew for each command, at a third of a microsecond an
//! instruction: these are written by hand, for few instructions.

use libc::sock_filter;
use rustix::io::Errno;

/// From this ABI on, Landlock confines all sockets of this machine.
const CONFINES_LOCAL_SOCKETS: i32 = 9;

/// From this ABI on, Landlock confines cutting files short.
const CONFINES_TRUNCATION: i32 = 3;

/// `open_tree_attr(2)`, on every architecture.
const OPEN_TREE_ATTR: i64 = 467;

/// Calls that are always refused within directories.
const REFUSED: [i64; 11] = [
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_open_tree,
    OPEN_TREE_ATTR,
    libc::SYS_move_mount,
    libc::SYS_mount_setattr,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
];

/// The letters by which file systems number their own requests of `ioctl` (second byte): btrfs;
/// ext4, fscrypt, fs-verity and Lustre; XFS, and freezing, trimming and shutting down any; f2fs;
/// bcachefs; OCFS2; NILFS2; CIFS; Ceph; versions of files; FAT.
const FILE_SYSTEMS: [u32; 11] = [
    0x94,
    b'f' as u32,
    b'X' as u32,
    0xf5,
    0xbc,
    b'o' as u32,
    b'n' as u32,
    0xcf,
    0x97,
    b'v' as u32,
    b'r' as u32,
];

/// The requests among them that are allowed: they only look, share content between files that may
/// be read and files that may be written anyway, or set attributes that other calls set as well.
const HARMLESS: [u32; 18] = [
    0x4004_9409, // FICLONE
    0x4020_940d, // FICLONERANGE
    0xc018_9436, // FIDEDUPERANGE
    0x8008_6601, // FS_IOC_GETFLAGS
    0x4008_6602, // FS_IOC_SETFLAGS
    0xc020_660b, // FS_IOC_FIEMAP
    0x400c_6615, // FS_IOC_GET_ENCRYPTION_POLICY
    0xc009_6616, // FS_IOC_GET_ENCRYPTION_POLICY_EX
    0xc080_661a, // FS_IOC_GET_ENCRYPTION_KEY_STATUS
    0xc004_6686, // FS_IOC_MEASURE_VERITY
    0xc028_6687, // FS_IOC_READ_VERITY_METADATA
    0xc060_6610, // PAGEMAP_SCAN
    0xc068_6611, // PROCMAP_QUERY
    0x801c_581f, // FS_IOC_FSGETXATTR
    0x401c_5820, // FS_IOC_FSSETXATTR
    0x800c_581e, // XFS_IOC_DIOINFO
    0x8008_7601, // FS_IOC_GETVERSION
    0x8004_7210, // FAT_IOCTL_GET_ATTRIBUTES
];

/// The bits of a socket's type without its flags.
const TYPE: u32 = 0xf;

/// The types whose pairs stay connected to each other.
const CONNECTED: [u32; 2] = [
    libc::SOCK_STREAM.cast_unsigned(),
    libc::SOCK_SEQPACKET.cast_unsigned(),
];

/// This architecture, by its number in `linux/audit.h`.
const ARCHITECTURE: Option<u32> = if cfg!(target_arch = "x86_64") {
    Some(0xc000_003e)
} else if cfg!(target_arch = "aarch64") {
    Some(0xc000_00b7)
} else if cfg!(target_arch = "riscv64") {
    Some(0xc000_00f3)
} else {
    None
};

/// The mark of a system call of the x32 ABI (`syscall(2)`); on other machines no call has it.
const X32: u32 = 0x4000_0000;

/// The places in `struct seccomp_data` by which a filter decides. Of each argument it is the lower
/// half, which is all that the kernel takes of those that are compared.
const CALL: u32 = 0;
const CALLER_ARCHITECTURE: u32 = 4;
const ARGUMENTS: [u32; 3] = [16, 24, 32];

const ALLOW: sock_filter = answer(libc::SECCOMP_RET_ALLOW);

/// A filter of system calls as the kernel takes it: a row of instructions that jump forward only.
pub struct CallFilter {
    instructions: Vec<sock_filter>,
    refusal: sock_filter,
}

/// The filter for a command within directories, on a kernel with this ABI of Landlock.
pub fn within_directories(abi: i32) -> Result<CallFilter, String> {
    let mut filter = CallFilter::new(libc::EPERM)?;
    for call in REFUSED {
        filter.refuse(call);
    }
    // The group (cgroup) in which it starts a process is given in memory, which no filter reads. C
    // libraries do without it if it is missing.
    filter.answer(libc::SYS_clone3, refusal(libc::ENOSYS));
    let refusal = filter.refusal;
    // Limits of this process alone, which is 0, are allowed.
    filter.examine(libc::SYS_prlimit64, 0, &[unless(0), refusal]);
    let mut request = Vec::with_capacity(2 * (HARMLESS.len() + FILE_SYSTEMS.len()) + 1);
    request.extend(HARMLESS.into_iter().flat_map(|one| [when(one), ALLOW]));
    request.push(masked(0xff00));
    let letters = FILE_SYSTEMS.into_iter();
    request.extend(letters.flat_map(|one| [when(one << 8), refusal]));
    filter.examine(libc::SYS_ioctl, 1, &request);
    if abi < CONFINES_TRUNCATION {
        refuse_truncation(&mut filter);
    }
    Ok(filter.complete())
}

/// Refuses the calls that truncate a file that may not be written, or not even be read. Truncating
/// an open file is left, because opening it for writing is confined.
fn refuse_truncation(filter: &mut CallFilter) {
    let bits = (libc::O_TRUNC | libc::O_ACCMODE).cast_unsigned();
    let wanted = (libc::O_TRUNC | libc::O_RDONLY).cast_unsigned();
    let flags = [masked(bits), when(wanted), filter.refusal];
    filter.refuse(libc::SYS_truncate);
    filter.examine(libc::SYS_openat, 2, &flags);
    // Its flags lie in memory. Programs do without it if it is missing.
    filter.refuse(libc::SYS_openat2);
    #[cfg(target_arch = "x86_64")]
    filter.examine(libc::SYS_open, 1, &flags);
}

/// The filter for a command off the network, on a kernel with this ABI of Landlock. A local socket
/// may be made if it is `mute`: it is then bound in name only, and never connected.
pub fn without_network(abi: i32, mute: bool) -> Result<CallFilter, String> {
    let mut filter = CallFilter::new(libc::EACCES)?;
    let refusal = filter.refusal;
    let is_local = [unless(libc::AF_UNIX.cast_unsigned()), refusal];
    // One of a pair of datagram sockets, which have several types, can be connected to something
    // else.
    let [stream, packets] = CONNECTED;
    let kind = [load(ARGUMENTS[1]), masked(TYPE)];
    let is_connected = [when(stream), ALLOW, unless(packets), refusal];
    let connected = [&is_local[..], &kind, &is_connected].concat();
    if mute {
        filter.examine(libc::SYS_socket, 0, &connected);
        filter.examine(libc::SYS_socketpair, 0, &connected);
        filter.refuse(libc::SYS_connect);
        for call in [libc::SYS_bind, libc::SYS_listen] {
            filter.answer(call, self::refusal(0));
        }
    } else if abi >= CONFINES_LOCAL_SOCKETS {
        filter.examine(libc::SYS_socket, 0, &is_local);
        filter.examine(libc::SYS_socketpair, 0, &is_local);
    } else {
        filter.refuse(libc::SYS_socket);
        filter.examine(libc::SYS_socketpair, 0, &connected);
    }
    // Its operations are not system calls, and sockets are among them.
    filter.refuse(libc::SYS_io_uring_setup);
    Ok(filter.complete())
}

impl CallFilter {
    /// A filter that refuses with this error number.
    fn new(errno: i32) -> Result<Self, String> {
        let architecture = ARCHITECTURE.ok_or(
            "commands cannot be confined on this machine, and none was run: its system calls have \
             other numbers",
        )?;
        let refusal = refusal(errno);
        let mut instructions = Vec::with_capacity(96);
        instructions.extend([
            load(CALLER_ARCHITECTURE),
            unless(architecture),
            answer(libc::SECCOMP_RET_KILL_PROCESS),
            load(CALL),
            jump(libc::BPF_JSET, X32, 0, 1),
            refusal,
        ]);
        Ok(Self {
            instructions,
            refusal,
        })
    }

    /// Refuses a call always.
    fn refuse(&mut self, call: i64) {
        self.answer(call, self.refusal);
    }

    fn answer(&mut self, call: i64, answer: sock_filter) {
        self.instructions.extend([when(number(call)), answer]);
    }

    /// Applies `rules` to a call, with one of its arguments loaded; the call is allowed if they
    /// give no answer.
    fn examine(&mut self, call: i64, argument: usize, rules: &[sock_filter]) {
        // The longest rules are half as long as the farthest jump.
        let behind = u8::try_from(rules.len() + 2).unwrap_or(u8::MAX);
        let is_other = jump(libc::BPF_JEQ, number(call), 0, behind);
        self.instructions
            .extend([is_other, load(ARGUMENTS[argument])]);
        self.instructions.extend(rules);
        self.instructions.push(ALLOW);
    }

    fn complete(mut self) -> Self {
        self.instructions.push(ALLOW);
        self
    }

    /// Installs it for this process and all its descendants, from now on. System calls only.
    pub fn install(&self) -> Result<(), Errno> {
        let program = libc::sock_fprog {
            len: u16::try_from(self.instructions.len()).map_err(|_| Errno::INVAL)?,
            filter: self.instructions.as_ptr().cast_mut(),
        };
        let mode = libc::SECCOMP_SET_MODE_FILTER;
        // SAFETY: the kernel reads as many instructions as the length says, and checks them.
        match unsafe { libc::syscall(libc::SYS_seccomp, mode, 0, &raw const program) } {
            0 => Ok(()),
            _ => Err(Errno::ACCESS),
        }
    }
}

/// Loads the word at this place.
const fn load(place: u32) -> sock_filter {
    instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, place, 0, 0)
}

/// Keeps these bits of what is loaded.
const fn masked(bits: u32) -> sock_filter {
    instruction(libc::BPF_ALU | libc::BPF_AND, bits, 0, 0)
}

/// Goes on with the next instruction if this is loaded, else with the one after it.
const fn when(value: u32) -> sock_filter {
    jump(libc::BPF_JEQ, value, 0, 1)
}

/// Goes on with the next instruction if this is not loaded, else with the one after it.
const fn unless(value: u32) -> sock_filter {
    jump(libc::BPF_JEQ, value, 1, 0)
}

/// Passes over this many instructions, depending on how the loaded value compares.
const fn jump(how: u32, with: u32, where_true: u8, where_false: u8) -> sock_filter {
    instruction(libc::BPF_JMP | how, with, where_true, where_false)
}

const fn answer(action: u32) -> sock_filter {
    instruction(libc::BPF_RET, action, 0, 0)
}

const fn refusal(errno: i32) -> sock_filter {
    answer(libc::SECCOMP_RET_ERRNO | errno.cast_unsigned())
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the kernel's codes have 16 bits"
)]
const fn instruction(code: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter {
        code: code as u16,
        jt,
        jf,
        k,
    }
}

/// A call's number, as a filter loads it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the numbers of system calls are small"
)]
const fn number(call: i64) -> u32 {
    call as u32
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    use super::*;

    /// Output of a perl script under the filter for this ABI.
    fn says(script: &str, abi: i32) -> String {
        let filter = within_directories(abi).unwrap();
        let mut perl = Command::new("perl");
        perl.args(["-MFcntl", "-e", script]);
        // SAFETY: makes system calls only.
        unsafe {
            perl.pre_exec(move || {
                rustix::thread::set_no_new_privs(true)?;
                Ok(filter.install()?)
            });
        }
        String::from_utf8(perl.output().unwrap().stdout).unwrap()
    }

    #[test]
    fn where_landlock_does_not_know_of_it_files_are_not_cut_short_by_name() {
        let room = tempfile::tempdir().unwrap();
        let file = room.path().join("file");
        fs::write(&file, "content").unwrap();
        let name = file.display();
        for script in [
            format!("truncate('{name}', 0) or print $!"),
            format!("sysopen(F, '{name}', O_RDONLY | O_TRUNC) or print $!"),
        ] {
            assert_eq!(says(&script, 2), "Operation not permitted", "{script}");
            assert_eq!(fs::read_to_string(&file).unwrap(), "content");
        }
        for script in [
            format!("sysopen(F, '{name}', O_WRONLY | O_TRUNC) and print 'in'"),
            format!("open(F, '+<', '{name}') and truncate(F, 3) and print 'in'"),
            format!("sysopen(F, '{name}', O_RDONLY) and print 'in'"),
        ] {
            assert_eq!(says(&script, 2), "in", "{script}");
        }
        let script = format!("truncate('{name}', 1) and print 'in'");
        assert_eq!(says(&script, 3), "in");
    }
}
