//! The register of a server's steps (`detached`): whoever ends the server's processes asks it which
//! of them are to be left to their work.
//!
//! A name and an executable prove nothing (`own_process`). The register is a file without a name
//! that the server hands down to its calls, but to no call that runs commands. A step holds a lock
//! on the byte there that has its own number (`F_SETLK` in `fcntl(2)`); the kernel says who holds
//! it, and lets go of it when the process ends, so that no later one inherits the number's right.

use std::os::fd::{AsRawFd, BorrowedFd, IntoRawFd, RawFd};
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::{FdFlags, fcntl_setfd};

/// The register, which stays open as long as this process lives; -1 for none.
static REGISTER: AtomicI32 = AtomicI32::new(-1);

/// Makes the register of this process, a server, and of the calls that it starts. Without one no
/// step outlives the server.
pub fn make() {
    if let Ok(file) = memfd_create("steps", MemfdFlags::CLOEXEC) {
        REGISTER.store(file.into_raw_fd(), Ordering::Relaxed);
    }
}

/// The register to hand down to a call.
#[must_use]
pub fn handed_down() -> Option<BorrowedFd<'static>> {
    let register = REGISTER.load(Ordering::Relaxed);
    // SAFETY: it is never closed.
    (register != -1).then(|| unsafe { BorrowedFd::borrow_raw(register) })
}

/// Takes the register that the server has handed down to this process, a call.
///
/// # Safety
/// The descriptor is open, and nothing else in this process has it.
pub unsafe fn take(register: RawFd) {
    // SAFETY: it is open, as the caller says.
    let file = unsafe { BorrowedFd::borrow_raw(register) };
    if fcntl_setfd(file, FdFlags::CLOEXEC).is_ok() {
        REGISTER.store(register, Ordering::Relaxed);
    }
}

/// Enters this process, a step, until its end. Makes system calls only.
pub fn enter() {
    // SAFETY: asks for a number.
    let _ = lock(libc::F_SETLK, unsafe { libc::getpid() });
}

/// True if the process `pid` has entered itself and still runs. Makes system calls only.
#[must_use]
pub fn contains(pid: i32) -> bool {
    lock(libc::F_GETLK, pid)
        .is_some_and(|held| i32::from(held.l_type) != libc::F_UNLCK && held.l_pid == pid)
}

/// Sets or asks for the lock of the process `pid`.
fn lock(operation: libc::c_int, pid: i32) -> Option<libc::flock> {
    let register = handed_down()?;
    // SAFETY: all zeroes are a valid value of the structure.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = libc::F_WRLCK.try_into().ok()?;
    lock.l_start = pid.into();
    lock.l_len = 1;
    // SAFETY: the kernel reads the structure and writes into it.
    let done = unsafe { libc::fcntl(register.as_raw_fd(), operation, &raw mut lock) };
    (done == 0).then_some(lock)
}
