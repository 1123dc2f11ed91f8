//! Signals that a process may inherit in a state in which no call can be answered (`signal(7)`, `execve(2)`).

/// Puts right what whoever started this process may have left.
pub fn settle() {
    // Ignored, the system would reap children before anybody has asked how they ended (`wait(2)`).
    set(libc::SIGCHLD, libc::SIG_DFL);
    // A write beyond the limit on file sizes is to fail and to be answered, not to end the process (`setrlimit(2)`).
    set(libc::SIGXFSZ, libc::SIG_IGN);
}

fn set(signal: libc::c_int, action: libc::sighandler_t) {
    // SAFETY: installs no handler.
    unsafe { libc::signal(signal, action) };
}
