//! A kernel that answers chosen system calls with an error: a seccomp filter, which needs no privileges.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::io;

use crate::common::Call;

/// The call, where each of these system calls fails with `errno`.
pub fn refusing(call: Call, errno: i32, calls: &[libc::c_long]) -> Call {
    let refused = libc::SECCOMP_RET_ERRNO | errno.unsigned_abs();
    let statement = |code: u32, k: u32| instruction(code, 0, 0, k);
    // `struct seccomp_data` begins with the system call's number.
    let mut filter = vec![statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0)];
    for number in calls {
        let number = u32::try_from(*number).unwrap();
        filter.push(instruction(
            libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K,
            0,
            1,
            number,
        ));
        filter.push(statement(libc::BPF_RET | libc::BPF_K, refused));
    }
    filter.push(statement(
        libc::BPF_RET | libc::BPF_K,
        libc::SECCOMP_RET_ALLOW,
    ));
    call.prepared_by(move || {
        let program = libc::sock_fprog {
            len: u16::try_from(filter.len()).unwrap_or(0),
            filter: filter.as_ptr().cast_mut(),
        };
        // SAFETY: the filter outlives the call, which copies it.
        let done = unsafe {
            let (none, one) = (libc::c_ulong::from(0_u8), libc::c_ulong::from(1_u8));
            let mode = libc::c_ulong::from(libc::SECCOMP_MODE_FILTER);
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, one, none, none, none) == 0
                && libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const program) == 0
        };
        if done {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    })
}

fn instruction(code: u32, jt: u8, jf: u8, k: u32) -> libc::sock_filter {
    libc::sock_filter {
        code: u16::try_from(code).unwrap(),
        jt,
        jf,
        k,
    }
}
