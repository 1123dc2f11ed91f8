//! Keeping a command off the network by a filter of system calls (`seccomp(2)`): what Landlock does
//! not cover, which before its ABI 10 is all but TCP.
//!
//! No socket can be made at all, but for pairs that are connected to each other. From Landlock's
//! ABI 9 on, sockets in the file system and abstract ones are made, since it is then Landlock that
//! says where they may lead. Descriptors that were open before are closed (`cage`).

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};

/// From this ABI on, Landlock confines all sockets of this machine.
const CONFINES_LOCAL_SOCKETS: i32 = 9;

/// The bits of a socket's type that say what it is.
const TYPE: u64 = 0xf;

/// What marks a system call as one of the x32 ABI (`syscall(2)`).
const X32: i64 = 0x4000_0000;

/// What refused calls fail with.
const REFUSED: u32 = libc::EACCES.unsigned_abs();

type Error = Box<dyn std::error::Error>;

/// The filter, on a kernel with this ABI of Landlock. A program for another architecture, such as
/// one of 32 bits, is killed at its first system call.
pub fn filter(abi: i32) -> Result<BpfProgram, String> {
    let rules = || -> Result<BpfProgram, Error> {
        let local = i32::from(u8::try_from(libc::AF_UNIX)?);
        let local = u64::try_from(local)?;
        let not_local = || compare(0, SeccompCmpOp::Ne, local);
        let datagrams = u64::try_from(libc::SOCK_DGRAM)?;
        let (socket, pair) = if abi >= CONFINES_LOCAL_SOCKETS {
            (vec![not_local()?], vec![not_local()?])
        } else {
            // One of a pair of datagram sockets can be connected to something else.
            let datagrams = compare(1, SeccompCmpOp::MaskedEq(TYPE), datagrams)?;
            (Vec::new(), vec![not_local()?, datagrams])
        };
        let mut calls: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
        for (call, rules) in [
            (libc::SYS_socket, socket),
            (libc::SYS_socketpair, pair),
            // Its operations are no system calls, and sockets are among them.
            (libc::SYS_io_uring_setup, Vec::new()),
        ] {
            calls.insert(call, rules.clone());
            if cfg!(target_arch = "x86_64") {
                calls.insert(call | X32, rules);
            }
        }
        let architecture = std::env::consts::ARCH.try_into()?;
        let filter = SeccompFilter::new(
            calls,
            SeccompAction::Allow,
            SeccompAction::Errno(REFUSED),
            architecture,
        )?;
        Ok(filter.try_into()?)
    };
    rules().map_err(|error| {
        format!(
            "commands cannot be kept off the network on this machine, and none was run: {error}"
        )
    })
}

/// The rule that this argument of a call compares so.
fn compare(argument: u8, how: SeccompCmpOp, with: u64) -> Result<SeccompRule, Error> {
    let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, how, with)?;
    Ok(SeccompRule::new(vec![condition])?)
}
