//! The capabilities that root keeps within a confinement: those by which it works with the files of
//! others, and changes to another user. The rest leads out of any directory: raw disks and memory,
//! modules, mounts, the clock, other processes (`capabilities(7)`).
//!
//! A new process does this between its fork and its first program: system calls only.

use rustix::io::Errno;
use rustix::thread::{
    CapabilitySet, capabilities, remove_capability_from_bounding_set, set_capabilities,
};

/// The capabilities that stay.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::SETPCAP)
    .union(CapabilitySet::NET_BIND_SERVICE);

/// Gives up the others, for this process and all that it starts, which has no new privileges.
pub fn give_up() -> Result<(), Errno> {
    let has = capabilities(None)?;
    if KEPT.contains(has.permitted) && KEPT.contains(has.inheritable) {
        return Ok(());
    }
    if has.effective.contains(CapabilitySet::SETPCAP) {
        for one in CapabilitySet::all().difference(KEPT).iter() {
            match remove_capability_from_bounding_set(one) {
                // A capability that this kernel does not know.
                Ok(()) | Err(Errno::INVAL) => {}
                Err(errno) => return Err(errno),
            }
        }
    }
    let mut remaining = has;
    remaining.permitted &= KEPT;
    remaining.effective &= KEPT;
    remaining.inheritable &= KEPT;
    set_capabilities(None, remaining)
}
