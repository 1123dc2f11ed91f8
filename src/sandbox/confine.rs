//! Confining one call to directories by the kernel: `landlock(7)`.
//!
//! A process that has confined itself cannot open, list, make, rename or remove anything outside,
//! whatever links, `..` or wildcards lead there and whatever replaces them while it works. Landlock
//! does not cover asking whether a name exists (`stat(2)`); `roots` checks that before the call.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetStatus,
};

/// The newest rights that are asked for; a kernel that knows fewer enforces those it knows.
const NEWEST: ABI = ABI::V5;

/// Whether this kernel can confine a process.
pub fn is_possible() -> bool {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))
        .and_then(Ruleset::create)
        .is_ok()
}

/// Confines this process to `roots`, to reading there, or to reading and writing, and to reading
/// what is in `readable`. An error is a sentence for the log.
pub fn to(roots: &[PathBuf], writing: bool, readable: Option<&Path>) -> Result<(), String> {
    let rights = if writing {
        AccessFs::from_all(NEWEST)
    } else {
        AccessFs::from_read(NEWEST)
    };
    let confined = || {
        let mut ruleset = Ruleset::default()
            .handle_access(AccessFs::from_all(NEWEST))?
            .create()?;
        for root in roots {
            ruleset = ruleset.add_rule(PathBeneath::new(PathFd::new(root)?, rights))?;
        }
        // What is not there holds nothing to be read.
        if let Some(place) = readable.and_then(|place| PathFd::new(place).ok()) {
            let reading = AccessFs::from_read(NEWEST) & !AccessFs::Execute;
            ruleset = ruleset.add_rule(PathBeneath::new(place, reading))?;
        }
        ruleset.restrict_self().map_err(Into::<Error>::into)
    };
    match confined() {
        Ok(status) if status.ruleset != RulesetStatus::NotEnforced => Ok(()),
        Ok(_) => Err(String::from(
            "this kernel cannot keep a call within directories",
        )),
        Err(error) => Err(format!(
            "a call cannot be kept within its directories: {error}"
        )),
    }
}

type Error = Box<dyn std::error::Error>;
