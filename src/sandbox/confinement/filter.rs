//! What Landlock does not cover, kept from a command by filters of system calls (`seccomp(2)`).
//!
//! Within directories these are calls by which the kernel itself would do for a command what it may
//! not: mounts made in pieces (`fsopen(2)`), by which an overlay writes anywhere; limits of other
//! processes (`prlimit(2)`), by which they can be killed; keys (`keyctl(2)`).
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

/// The filter for a command within directories.
pub fn within_directories() -> Result<BpfProgram, String> {
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
        compile(refused, libc::EPERM)
    };
    refused().map_err(|error| cannot(&error))
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
