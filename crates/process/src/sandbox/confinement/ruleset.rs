//! The rules that the kernel enforces, those of `landlock(7)`.
//!
//! A process within cannot open, list, make, rename, run or remove anything outside, even if links,
//! `..` or wildcards lead there, or files are replaced while it works. Landlock does not cover
//! asking if a name exists (`stat(2)`); `roots` checks that before a call of a tool.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};
use rustix::io::Errno;

use super::{Confinement, opened_path, system};

/// The newest rights that are asked for; a kernel that knows fewer enforces those it knows.
const NEWEST: ABI = ABI::V10;

/// `LANDLOCK_CREATE_RULESET_VERSION`: asks for the number of the ABI in place of a ruleset.
const VERSION: libc::c_long = 1;

/// `LANDLOCK_RULE_PATH_BENEATH`.
const PATH_BENEATH: libc::c_int = 1;

/// `struct landlock_path_beneath_attr`.
#[repr(C, packed)]
struct PathBeneathRule {
    rights: u64,
    place: RawFd,
}

/// The reason not to carry out a call that this kernel cannot confine.
pub const UNSUPPORTED: &str = "this kernel has no Landlock (Linux 5.13; `landlock` must stand in \
                              /sys/kernel/security/lsm), and without it links could lead out of \
                              the directories; nothing was done";

/// The number of Landlock's ABI in this kernel, which says what it can confine; 0 without Landlock.
#[must_use]
pub fn abi() -> i32 {
    // SAFETY: asks for a number; no pointer is passed.
    let version = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<libc::c_void>(),
            0_usize,
            VERSION,
        )
    };
    i32::try_from(version).map_or(0, |version| version.max(0))
}

/// True if this kernel can confine a process.
#[must_use]
pub fn is_supported() -> bool {
    abi() > 0
}

/// The rights within a root: all but those that make or drive devices, because the device of a disk
/// gives everything that is on it.
pub fn to_write() -> BitFlags<AccessFs> {
    AccessFs::from_all(NEWEST) & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev)
}

/// The rights to files that may be read.
pub fn to_read() -> BitFlags<AccessFs> {
    AccessFs::from_read(NEWEST)
}

/// The rights of a tool to files that may be read: it runs nothing.
fn to_look_at() -> BitFlags<AccessFs> {
    to_read() & !AccessFs::Execute
}

/// The bits of those of `rights` that this kernel knows.
pub fn supported_bits(rights: BitFlags<AccessFs>) -> u64 {
    (rights & AccessFs::from_all(ABI::from(abi()))).bits()
}

type Error = Box<dyn std::error::Error>;

/// Confines this process to reading, or reading and writing, in the roots, and to reading the other
/// readable paths and the files in `beside`.
pub fn confine_tool(
    confinement: &Confinement,
    writing: bool,
    beside: Option<&Path>,
) -> Result<(), String> {
    let rights = if writing { to_write() } else { to_look_at() };
    let confined = || {
        let mut ruleset = Ruleset::default()
            .handle_access(AccessFs::from_all(NEWEST))?
            .create()?;
        for place in &confinement.roots {
            ruleset = ruleset.add_rule(PathBeneath::new(&place.fd, rights))?;
        }
        for place in &confinement.readable {
            ruleset = add(ruleset, place.is_directory, &place.fd, to_look_at())?;
        }
        // A path that does not exist has nothing to read. A file may be read by its name.
        let roots = confinement.roots().directories();
        if let Some(place) = beside.and_then(|place| opened_path::open_one(place, roots)) {
            ruleset = add(
                ruleset,
                place.is_directory,
                &place.fd,
                AccessFs::ReadFile.into(),
            )?;
        }
        Ok(ruleset.restrict_self()?)
    };
    match confined() {
        Ok(status) if status.ruleset != RulesetStatus::NotEnforced => Ok(()),
        Ok(_) => Err(UNSUPPORTED.to_owned()),
        Err(error) => Err(cannot(&error)),
    }
}

/// The rules for a command, by which it restricts itself. They do not cover the private directory
/// for temporary files, which does not exist yet. `None` if no rules are needed.
pub fn of_command(confinement: &Confinement) -> Result<Option<OwnedFd>, String> {
    let prepared = || -> Result<Option<OwnedFd>, Error> {
        let mut ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
        let mut scopes: BitFlags<Scope> = Scope::AbstractUnixSocket.into();
        if confinement.confines_files() {
            ruleset = ruleset.handle_access(AccessFs::from_all(NEWEST))?;
            scopes |= Scope::Signal;
        } else {
            ruleset = ruleset.handle_access(AccessFs::ResolveUnix)?;
        }
        if !confinement.has_network() {
            ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST))?;
        }
        let mut ruleset = ruleset.scope(scopes)?.create()?;
        if confinement.confines_files() {
            for place in &confinement.roots {
                ruleset = ruleset.add_rule(PathBeneath::new(&place.fd, to_write()))?;
            }
            for place in &confinement.readable {
                ruleset = add(ruleset, place.is_directory, &place.fd, to_read())?;
            }
        }
        let ruleset: Option<OwnedFd> = ruleset.into();
        if let Some(ruleset) = ruleset.as_ref().filter(|_| confinement.confines_files()) {
            let known = AccessFs::from_all(ABI::from(abi()));
            for (place, rights) in system::places(confinement.roots().directories()) {
                let rights = of_kind(rights & known, place.is_directory);
                add_beneath(ruleset, &place.fd, rights.bits())?;
            }
        }
        Ok(ruleset)
    };
    match prepared() {
        Ok(Some(ruleset)) => Ok(Some(ruleset)),
        // Only the network: a filter can keep that away as well.
        Ok(None) | Err(_) if !confinement.confines_files() => Ok(None),
        Ok(None) => Err(UNSUPPORTED.to_owned()),
        Err(_) if !is_supported() => Err(UNSUPPORTED.to_owned()),
        Err(error) => Err(cannot(&error)),
    }
}

/// Adds a rule; of a file, without the rights that only directories can have.
fn add(
    ruleset: RulesetCreated,
    is_directory: bool,
    place: &OwnedFd,
    rights: BitFlags<AccessFs>,
) -> Result<RulesetCreated, Error> {
    Ok(ruleset.add_rule(PathBeneath::new(place, of_kind(rights, is_directory)))?)
}

/// Of a file, the rights without those that only directories can have.
fn of_kind(rights: BitFlags<AccessFs>, is_directory: bool) -> BitFlags<AccessFs> {
    if is_directory {
        rights
    } else {
        rights & AccessFs::from_file(NEWEST)
    }
}

/// Adds a rule whose rights the kernel knows and `place` can have: a single system call.
pub fn add_beneath(ruleset: &OwnedFd, place: &OwnedFd, rights: u64) -> Result<(), Errno> {
    let beneath = PathBeneathRule {
        rights,
        place: place.as_raw_fd(),
    };
    // SAFETY: the kernel reads the structure, which is of the form that it knows, and no other
    // memory.
    result(unsafe {
        libc::syscall(
            libc::SYS_landlock_add_rule,
            ruleset.as_raw_fd(),
            PATH_BENEATH,
            &raw const beneath,
            0,
        )
    })
}

/// The result of a system call, from the number that it returned.
pub fn result(returned: libc::c_long) -> Result<(), Errno> {
    if returned == -1 {
        return Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::PERM));
    }
    Ok(())
}

fn cannot(error: &Error) -> String {
    format!("the call cannot be confined, and was not carried out: {error}")
}
