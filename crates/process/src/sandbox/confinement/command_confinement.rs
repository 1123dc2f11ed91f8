//! A command's confinement: prepared by the tool, entered by the command.
//!
//! A command is confined between its fork and its first program, and the private directory for its
//! temporary files is made by its watchdog: everything else is ready by then, and what is left are
//! system calls (`signal-safety(7)`).

use std::env;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use rustix::fs::{Access, AtFlags, accessat};
use rustix::io::Errno;
use rustix::thread::set_no_new_privs;

use super::filter::{self, CallFilter};
use super::ruleset::{self, result};
use super::{Confinement, audit, capabilities, opened_path, system};
use crate::sandbox::open_descriptors::close_at_next_program;
use crate::sandbox::scratch::ScratchDirectory;

pub(crate) use super::directory_mask::DirectoryMask;
pub(crate) use super::system::TEMPORARY_OF_ZSH;
pub use super::system::{TEMPORARY, is_withheld};

/// A confinement that is ready to be entered.
pub struct CommandConfinement {
    ruleset: Option<OwnedFd>,
    /// The rights in the private directory, as this kernel takes them.
    rights: u64,
    gives_up_capabilities: bool,
    filters: Vec<CallFilter>,
    /// Directories that are hidden from the command. A process that hides some must not share its
    /// memory.
    pub mask: Option<DirectoryMask>,
    /// The one other descriptor that the command keeps.
    pub descriptor: Option<RawFd>,
    /// The mark of the process whose denials the audit reports, if it is listened to.
    pub mark: Option<audit::ProcessMark>,
}

impl CommandConfinement {
    /// Prepares it. An error is a sentence.
    pub fn prepare(confinement: &Confinement) -> Result<Self, String> {
        let mut filters = Vec::new();
        if confinement.confines_files() {
            filters.push(filter::within_directories(ruleset::abi())?);
        }
        if !confinement.has_network() {
            filters.push(filter::without_network(ruleset::abi(), false)?);
        }
        Ok(Self {
            ruleset: ruleset::of_command(confinement)?,
            rights: ruleset::supported_bits(ruleset::to_write()),
            gives_up_capabilities: confinement.confines_files(),
            filters,
            mask: confinement.masked.mask()?,
            descriptor: None,
            mark: None,
        })
    }

    /// Lets a command off the network make local sockets, which lead nowhere: some programs do not
    /// start without one. An error is a sentence.
    pub fn with_mute_sockets(mut self) -> Result<Self, String> {
        // The filter for the network is the last one.
        self.filters.pop();
        let filter = filter::without_network(ruleset::abi(), true)?;
        self.filters.push(filter);
        Ok(self)
    }

    /// Allows the command the private `directory`. System calls only.
    pub(crate) fn allow_directory(&self, directory: &OwnedFd) -> Result<(), Errno> {
        let Some(ruleset) = &self.ruleset else {
            return Ok(());
        };
        ruleset::add_beneath(ruleset, directory, self.rights)
    }

    /// Confines this process and all that it starts, for good. System calls only. If it fails,
    /// nothing may be run.
    pub fn enter(&self) -> Result<(), Errno> {
        close_at_next_program();
        if let Some(descriptor) = self.descriptor {
            // SAFETY: changes a flag of this process's own descriptor.
            result(unsafe { libc::fcntl(descriptor, libc::F_SETFD, 0) }.into())?;
        }
        set_no_new_privs(true)?;
        if self.gives_up_capabilities {
            capabilities::give_up()?;
        }
        if let Some(ruleset) = &self.ruleset {
            let flags = self.mark.map_or(0, |mark| {
                mark.store_pid();
                audit::FLAG
            });
            // SAFETY: takes a descriptor and flags.
            result(unsafe {
                libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), flags)
            })?;
        }
        for filter in &self.filters {
            filter.install()?;
        }
        Ok(())
    }
}

/// A new private directory for temporary files, which is not there yet: among those of this
/// process, or else of every process. `None` if there is no place for it.
#[must_use]
pub fn private_directory(confinement: &Confinement) -> Option<ScratchDirectory> {
    let roots = confinement.roots().directories();
    let places = [env::temp_dir(), "/tmp".into(), "/var/tmp".into()];
    places.into_iter().find_map(|place| {
        let place = opened_path::open_one(&place, roots)?;
        let rights = Access::WRITE_OK | Access::EXEC_OK;
        accessat(&place.fd, c".", rights, AtFlags::EACCESS).ok()?;
        // In a shared directory it would be open to every other command.
        (!system::is_shared(&place.path))
            .then(|| ScratchDirectory::in_directory(place.fd, &place.path))
    })
}
