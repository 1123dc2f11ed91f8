//! A kernel that answers chosen system calls with an error: a seccomp filter (`seccomp(2)`), which
//! takes no privileges.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::io;

use crate::common::Call;

/// A system call, identified by its number and, if an argument makes the difference, by that
/// argument's index, a mask, and the value of the masked bits.
#[derive(Clone, Copy)]
pub struct Service {
    pub name: &'static str,
    pub call: libc::c_long,
    pub argument: Option<(u32, u32, u32)>,
}

/// A filter that is ready to be installed in a process.
pub struct Filter(Vec<libc::sock_filter>);

impl Filter {
    /// Each of these calls fails with `errno`.
    pub fn new(services: &[Service], errno: i32) -> Self {
        let statement = |code: u32, k: u32| instruction(code, 0, 0, k);
        let jump = |k: u32, jt: u8, jf: u8| {
            instruction(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, jt, jf, k)
        };
        let load = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
        let refusal = libc::SECCOMP_RET_ERRNO | errno.unsigned_abs();
        let mut filter = Vec::new();
        for service in services {
            // `struct seccomp_data`: the number is at offset 0, the arguments start at 16, each
            // with its lower half first.
            filter.push(statement(load, 0));
            let number = u32::try_from(service.call).unwrap();
            if let Some((place, bits, value)) = service.argument {
                filter.extend([
                    jump(number, 0, 4),
                    statement(load, 16 + 8 * place),
                    statement(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, bits),
                    jump(value, 0, 1),
                ]);
            } else {
                filter.push(jump(number, 0, 1));
            }
            filter.push(statement(libc::BPF_RET | libc::BPF_K, refusal));
        }
        filter.push(statement(
            libc::BPF_RET | libc::BPF_K,
            libc::SECCOMP_RET_ALLOW,
        ));
        Self(filter)
    }

    /// Installs the filter in this process and everything it starts: two system calls, safe in
    /// `pre_exec`.
    pub fn install(&self) -> io::Result<()> {
        let program = libc::sock_fprog {
            len: u16::try_from(self.0.len()).unwrap_or(0),
            filter: self.0.as_ptr().cast_mut(),
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
    }
}

/// `call` in an environment where each of these system calls fails with `errno`.
pub fn refusing(call: Call, errno: i32, calls: &[libc::c_long]) -> Call {
    let services: Vec<Service> = calls
        .iter()
        .map(|call| Service {
            name: "",
            call: *call,
            argument: None,
        })
        .collect();
    let filter = Filter::new(&services, errno);
    call.prepared_by(move || filter.install())
}

fn instruction(code: u32, jt: u8, jf: u8, k: u32) -> libc::sock_filter {
    libc::sock_filter {
        code: u16::try_from(code).unwrap(),
        jt,
        jf,
        k,
    }
}
