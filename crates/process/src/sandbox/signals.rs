//! Resetting inherited signal dispositions under which no call could be answered (`signal(7)`,
//! `execve(2)`).

/// Resets the dispositions that this process may have inherited from its caller.
pub fn reset_inherited() {
    // If ignored, the system would reap children before their exit status is read (`wait(2)`).
    set(libc::SIGCHLD, libc::SIG_DFL);
    // A write beyond the limit on file sizes must fail and be answered, not end the process
    // (`setrlimit(2)`).
    set(libc::SIGXFSZ, libc::SIG_IGN);
}

fn set(signal: libc::c_int, action: libc::sighandler_t) {
    // SAFETY: installs no handler.
    unsafe { libc::signal(signal, action) };
}
