//! What Landlock does not cover, kept from a command by filters of system calls (`seccomp(2)`).
//!
//! Within directories these are calls by which the kernel itself would do for a command what it may
//! not: mounts made in pieces (`fsopen(2)`), by which an overlay writes anywhere; limits of other
//! processes (`prlimit(2)`), by which they can be killed; keys (`keyctl(2)`); and before Landlock's
//! ABI 3 cutting files short.
//!
//! Off the network it is every socket, but for pairs that are connected to each other. From
//! Landlock's ABI 9 on, sockets in the file system and abstract ones are made, since it is then
//! Landlock that says where they may lead. Descriptors that were open before are closed (`cage`).
//!
//! A program for another architecture, such as one of 32 bits, is killed at its first system call.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};

/// From this ABI on, Landlock confines all sockets of this machine.
const CONFINES_LOCAL_SOCKETS: i32 = 9;

/// From this ABI on, Landlock confines cutting files short.
const CONFINES_TRUNCATION: i32 = 3;

/// The bits of a socket's type that say what it is.
const TYPE: u64 = 0xf;

/// The types whose pairs stay connected to each other: `SOCK_STREAM`, `SOCK_SEQPACKET`.
const CONNECTED: [u64; 2] = [1, 5];

/// `open_tree_attr(2)`, on every architecture.
const OPEN_TREE_ATTR: i64 = 467;

/// What marks a system call as one of the x32 ABI (`syscall(2)`).
const X32: i64 = 0x4000_0000;

type Error = Box<dyn std::error::Error>;

/// Calls that are refused, each where one of its rules holds; without rules, always.
type Refused = Vec<(i64, Vec<SeccompRule>)>;

/// The filter for a command within directories, on a kernel with this ABI of Landlock.
pub fn within_directories(abi: i32) -> Result<BpfProgram, String> {
    let refused = || -> Result<BpfProgram, Error> {
        let mut refused: Refused = [
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
        ]
        .map(|call| (call, Vec::new()))
        .into();
        let others = compare(0, SeccompCmpOp::Ne, 0)?;
        refused.push((libc::SYS_prlimit64, vec![others]));
        if abi < CONFINES_TRUNCATION {
            refused.extend(truncation()?);
        }
        compile(refused, libc::EPERM)
    };
    refused().map_err(|error| cannot(&error))
}

/// The calls that cut a file short which may not be written, or not even be read. Cutting short
/// what was opened for writing is left, since opening it for that is confined.
fn truncation() -> Result<Refused, Error> {
    let bits = u64::try_from(libc::O_TRUNC | libc::O_ACCMODE)?;
    let wanted = u64::try_from(libc::O_TRUNC | libc::O_RDONLY)?;
    let flags = |argument| compare(argument, SeccompCmpOp::MaskedEq(bits), wanted);
    // Other machines have no such call to add.
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut))]
    let mut refused = vec![
        (libc::SYS_truncate, Vec::new()),
        (libc::SYS_openat, vec![flags(2)?]),
        // Its flags lie in memory. Where it is missing, programs do without.
        (libc::SYS_openat2, Vec::new()),
    ];
    #[cfg(target_arch = "x86_64")]
    refused.push((libc::SYS_open, vec![flags(1)?]));
    Ok(refused)
}

/// The filter for a command off the network, on a kernel with this ABI of Landlock.
pub fn without_network(abi: i32) -> Result<BpfProgram, String> {
    let refused = || -> Result<BpfProgram, Error> {
        let local = u64::try_from(libc::AF_UNIX)?;
        let not_local = || compare(0, SeccompCmpOp::Ne, local);
        let (socket, pair) = if abi >= CONFINES_LOCAL_SOCKETS {
            (vec![not_local()?], vec![not_local()?])
        } else {
            // One of a pair of datagram sockets, which have several types, can be connected to
            // something else.
            let others = (0..=TYPE).filter(|kind| !CONNECTED.contains(kind));
            let others = others.map(|kind| compare(1, SeccompCmpOp::MaskedEq(TYPE), kind));
            let pair = std::iter::once(not_local()).chain(others);
            (Vec::new(), pair.collect::<Result<_, _>>()?)
        };
        let refused = vec![
            (libc::SYS_socket, socket),
            (libc::SYS_socketpair, pair),
            // Its operations are no system calls, and sockets are among them.
            (libc::SYS_io_uring_setup, Vec::new()),
        ];
        compile(refused, libc::EACCES)
    };
    refused().map_err(|error| cannot(&error))
}

/// The rule that this argument of a call compares so.
fn compare(argument: u8, how: SeccompCmpOp, with: u64) -> Result<SeccompRule, Error> {
    let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, how, with)?;
    Ok(SeccompRule::new(vec![condition])?)
}

fn compile(refused: Refused, errno: i32) -> Result<BpfProgram, Error> {
    let mut calls = BTreeMap::new();
    for (call, rules) in refused {
        if cfg!(target_arch = "x86_64") {
            calls.insert(call | X32, rules.clone());
        }
        calls.insert(call, rules);
    }
    let filter = SeccompFilter::new(
        calls,
        SeccompAction::Allow,
        SeccompAction::Errno(errno.unsigned_abs()),
        std::env::consts::ARCH.try_into()?,
    )?;
    Ok(filter.try_into()?)
}

fn cannot(error: &Error) -> String {
    format!("commands cannot be confined on this machine, and none was run: {error}")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    use super::*;

    /// What a script of perl prints under the filter for this ABI.
    fn says(script: &str, abi: i32) -> String {
        let filter = within_directories(abi).unwrap();
        let mut perl = Command::new("perl");
        perl.args(["-MFcntl", "-e", script]);
        // SAFETY: makes system calls only.
        unsafe {
            perl.pre_exec(move || {
                rustix::thread::set_no_new_privs(true)?;
                seccompiler::apply_filter(&filter).map_err(|_| std::io::ErrorKind::Other.into())
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
