//! Recognizing the processes of this program that end by themselves, because ending a tree leaves
//! them alone for a while.
//!
//! They are known by their name, in which there is a slash: `execve(2)` names a process by the last
//! part of its program's path, so that no link and no copy gives one. A program may name itself as
//! it likes (`PR_SET_NAME`), so it must run this executable too; and since that can be made to do
//! anything (`ptrace(2)`), the name spares nobody for longer than a moment, and all that such a
//! process started is found below it (`descendants`).

use std::ffi::CStr;

use rustix::fs::{Access, Stat, access, stat};
use rustix::io::Errno;

/// Such a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnProcess {
    /// Carries out the last steps of a write.
    Step,
    /// Removes a draft's name once its tool is gone.
    Guard,
    /// A watchdog that ends its descendants as soon as its tool is gone.
    Watching,
    /// A watchdog that waits for what a command left in the background.
    Staying,
}

impl OwnProcess {
    const ALL: [Self; 4] = [Self::Step, Self::Guard, Self::Watching, Self::Staying];

    /// Its name, as `proc_pid_comm(5)` shows it: of 15 bytes at most.
    const fn name(self) -> &'static CStr {
        match self {
            Self::Step => c"ikigai/writing",
            Self::Guard => c"ikigai/guard",
            Self::Watching => c"ikigai/watching",
            Self::Staying => c"ikigai/staying",
        }
    }

    /// Gives this process the name. Makes one system call.
    pub fn take_name(self) {
        // SAFETY: the name ends in a NUL.
        unsafe { libc::prctl(libc::PR_SET_NAME, self.name().as_ptr()) };
    }

    /// The kind of the process `pid`, which is called `name`, if it is one of these. Does not
    /// allocate.
    #[must_use]
    pub fn identify(pid: i32, name: &[u8]) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|one| {
            let is_watchdog = matches!(one, Self::Watching | Self::Staying);
            one.name().to_bytes() == name && runs_this_executable(pid, is_watchdog)
        })
    }
}

/// True if the process `pid` runs this executable. One that cannot be looked at is taken to do so
/// if this process cannot be looked at either (`PR_SET_DUMPABLE`, `prctl(2)`), because its own
/// processes are like itself and leaving one alone is better than interrupting it. Tools that write
/// hide nothing, so their processes can be looked at unless the executable cannot be read; a
/// watchdog may be that of a tool which hides its keys.
fn runs_this_executable(pid: i32, is_watchdog: bool) -> bool {
    match (executable(pid), stat(c"/proc/self/exe")) {
        (Ok(theirs), Ok(ours)) => (theirs.st_dev, theirs.st_ino) == (ours.st_dev, ours.st_ino),
        // It has ended.
        (Err(Errno::NOENT), _) => false,
        _ => {
            // SAFETY: asks for a number.
            let is_hidden = unsafe { libc::prctl(libc::PR_GET_DUMPABLE) != 1 };
            is_hidden && (is_watchdog || access(c"/proc/self/exe", Access::READ_OK).is_err())
        }
    }
}

/// The executable of the process `pid`.
fn executable(pid: i32) -> Result<Stat, Errno> {
    let mut path = [0; 32];
    let mut number = itoa::Buffer::new();
    let parts = [&b"/proc/"[..], number.format(pid).as_bytes(), b"/exe"];
    for (to, from) in path.iter_mut().zip(parts.into_iter().flatten()) {
        *to = *from;
    }
    let path = CStr::from_bytes_until_nul(&path).map_err(|_| Errno::NAMETOOLONG)?;
    stat(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_one_that_a_program_gets_from_its_path_or_is_cut() {
        for one in OwnProcess::ALL {
            let name = one.name().to_bytes();
            assert!(name.contains(&b'/') && name.len() < 16, "{one:?}");
        }
    }

    #[test]
    fn who_merely_bears_the_name_is_not_taken_for_one() {
        let process_id = i32::try_from(std::process::id()).unwrap();
        assert_eq!(
            OwnProcess::identify(process_id, b"ikigai/writing"),
            Some(OwnProcess::Step)
        );
        assert_eq!(OwnProcess::identify(process_id, b"ikigai-writing"), None);
        assert_eq!(OwnProcess::identify(process_id, b"ikigai-tools"), None);
        let mut other = std::process::Command::new("sleep")
            .arg("30.0471")
            .spawn()
            .unwrap();
        let pid = i32::try_from(other.id()).unwrap();
        // Until it runs its program, it is a copy of this process.
        let becomes = || OwnProcess::identify(pid, b"ikigai/writing").is_none();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(5);
        while !becomes() && std::time::Instant::now() < deadline {
            std::thread::yield_now();
        }
        assert!(becomes());
        other.kill().unwrap();
        other.wait().unwrap();
        assert!(becomes());
    }
}
