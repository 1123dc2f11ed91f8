//! The descriptors that a new process has inherited: it closes those that it does not need.
//!
//! A process that is forked and becomes no other program keeps whatever was open, marked to be
//! closed or not. If it outlives the process it is from, so do a server's listening socket, whose
//! address nobody else can have meanwhile, and the connections of its clients. System calls only
//! (`signal-safety(7)`).

use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, RawFd};

use rustix::fs::{Mode, OFlags, RawDir, open};
use rustix::io::Errno;

/// The first descriptor after the three that every program has.
pub const FIRST_AFTER_STREAMS: RawFd = 3;

/// The end of the descriptors that are closed by number, if neither the kernel closes them at once
/// nor `/proc` lists them.
const END_OF_NUMBERS: RawFd = 65_536;

/// Closes every descriptor from `first` on but the `exceptions`.
pub fn close_all_but(first: RawFd, exceptions: &mut [RawFd]) {
    exceptions.sort_unstable();
    let mut next = first;
    let mut done = true;
    for descriptor in exceptions.iter().filter(|one| **one >= first) {
        if *descriptor > next {
            done &= close_range(next, *descriptor - 1, 0);
        }
        next = *descriptor + 1;
    }
    if !(done & close_range(next, RawFd::MAX, 0)) {
        close_singly(first, exceptions);
    }
}

/// The same where the kernel cannot close a range of them, or some sandbox does not let it.
fn close_singly(first: RawFd, exceptions: &[RawFd]) {
    for_each_open(first, |descriptor| {
        if !exceptions.contains(&descriptor) {
            // SAFETY: closes a descriptor that this process does not use any more.
            unsafe { libc::close(descriptor) };
        }
    });
}

/// Marks every descriptor but the first three to be closed when the next program starts.
pub fn close_at_next_program() {
    let marked = close_range(
        FIRST_AFTER_STREAMS,
        RawFd::MAX,
        libc::CLOSE_RANGE_CLOEXEC.cast_signed(),
    );
    if !marked {
        for_each_open(FIRST_AFTER_STREAMS, |descriptor| {
            // SAFETY: changes a flag of this process's own descriptor, if it is one.
            unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) };
        });
    }
}

/// True if the kernel has closed these descriptors, or marked them (`close_range(2)`).
fn close_range(first: RawFd, last: RawFd, flags: libc::c_int) -> bool {
    // SAFETY: takes numbers, and closes or marks descriptors of this process.
    unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) == 0 }
}

/// Calls `act` with each descriptor from `first` on that may be open.
fn for_each_open(first: RawFd, mut act: impl FnMut(RawFd)) {
    if for_each_listed(first, &mut act).is_err() {
        (first..END_OF_NUMBERS).for_each(act);
    }
}

/// Calls `act` with each descriptor from `first` on that `/proc` lists.
fn for_each_listed(first: RawFd, act: &mut impl FnMut(RawFd)) -> Result<(), Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let directory = open(c"/proc/self/fd", flags, Mode::empty())?;
    let mut buffer = [MaybeUninit::uninit(); 2048];
    let mut entries = RawDir::new(&directory, &mut buffer);
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let number = std::str::from_utf8(entry.file_name().to_bytes());
        let number = number.ok().and_then(|number| number.parse().ok());
        let number = number.filter(|number| *number >= first && *number != directory.as_raw_fd());
        if let Some(descriptor) = number {
            act(descriptor);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use rustix::process::{Pid, WaitOptions, waitpid};

    use super::*;

    /// Which of the files are open in a new process that has called `close` with two of them, a bit
    /// for each.
    fn open_after(files: &[File; 5], close: impl Fn(&mut [RawFd])) -> i32 {
        let numbers = files.each_ref().map(AsRawFd::as_raw_fd);
        // SAFETY: the child makes system calls only, and ends without running handlers of this
        // process.
        let child = unsafe { libc::fork() };
        if child == 0 {
            close(&mut [numbers[3], numbers[1]]);
            let mut bits = 0;
            for (bit, descriptor) in numbers.iter().enumerate() {
                // SAFETY: asks for a flag of a descriptor, which may be none.
                let is_open = unsafe { libc::fcntl(*descriptor, libc::F_GETFD) } != -1;
                bits |= i32::from(is_open) << bit;
            }
            // SAFETY: as above.
            unsafe { libc::_exit(bits) };
        }
        let ended = waitpid(Pid::from_raw(child), WaitOptions::empty()).unwrap();
        ended.unwrap().1.exit_status().unwrap()
    }

    #[test]
    fn all_are_closed_but_those_that_are_kept() {
        let files = [(); 5].map(|()| File::open("/dev/null").unwrap());
        assert_eq!(open_after(&files, |_| {}), 0b11111);
        let at_once = open_after(&files, |descriptor| close_all_but(0, descriptor));
        assert_eq!(at_once, 0b01010);
        let singly = open_after(&files, |descriptor| close_singly(0, descriptor));
        assert_eq!(singly, 0b01010);
        let later = open_after(&files, |descriptor| close_all_but(RawFd::MAX, descriptor));
        assert_eq!(later, 0b11111);
    }
}
