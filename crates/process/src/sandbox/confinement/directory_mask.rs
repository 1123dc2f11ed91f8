//! Hiding directories from a command that may work in those around them: in the command's own mount
//! namespace (`mount_namespaces(7)`) an empty directory that cannot be written to lies over each of
//! them. The OCI runtime specification calls these masked paths.
//!
//! Directories on the way that the command could rename are bound onto themselves: a mount point
//! cannot be renamed (`EBUSY`), so the next call finds what it hides where it was. The command
//! itself can neither mount nor unmount: Landlock refuses that.
//!
//! Root needs no more than that namespace. Any other user gets it within a user namespace, in which
//! that user stays the same, and all others become `nobody` (`user_namespaces(7)`).
//!
//! A new process does this between its fork and its first program: system calls only. It must not
//! share its memory, or it gets no user namespace.

use std::ffi::{CStr, CString};
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::fs::{
    CWD, Mode, OFlags, ResolveFlags, StatVfsMountFlags, fstatvfs, mkdirat, openat2, stat,
};
use rustix::io::Errno;
use rustix::process::{getegid, geteuid};

use super::ruleset::result;
use crate::sandbox::scratch::{joined, path_of};

/// Options of the file system that is an empty directory: room for a name only.
const EMPTY: &CStr = c"mode=0555,size=4k,nr_inodes=4";

/// `struct mount_attr`.
#[repr(C)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

/// `MOUNT_ATTR_RDONLY`.
const READ_ONLY: u64 = 1;

/// The longest path that the kernel gives back, in bytes.
const MAX_PATH_BYTES: usize = 4096;

/// A directory that is hidden.
pub struct HiddenDirectory {
    path: CString,
    /// The part of it that may be read, if it is there.
    readable: Option<CString>,
}

impl HiddenDirectory {
    /// Hides the directory at `path`, if there is a path.
    pub(crate) fn from_path(path: Option<CString>, readable: Option<CString>) -> Option<Self> {
        path.map(|path| Self { path, readable })
    }
}

/// Directories that are hidden from a command.
#[derive(Default)]
pub struct DirectoryMask {
    /// Directories to be made first, each a directory and a name in it: once there, they cannot be
    /// made by the command.
    pub missing: Vec<(CString, CString)>,
    /// Directories that the command may not rename, the outer ones first.
    pub pinned: Vec<CString>,
    /// The directories that are hidden from it.
    pub covers: Vec<HiddenDirectory>,
    /// One of them was there before: the command is not run if it cannot be hidden.
    pub is_required: bool,
}

impl DirectoryMask {
    /// Hides them from this process and all that it starts. If it fails, no program may be run.
    pub fn enter(&self) -> Result<(), Errno> {
        let mut here = [0; MAX_PATH_BYTES];
        // SAFETY: the kernel writes at most that many bytes.
        let is_known = !unsafe { libc::getcwd(here.as_mut_ptr().cast(), here.len()) }.is_null();
        result(if is_known { 0 } else { -1 })?;
        let before = stat(c".")?;
        match enter_namespace() {
            Err(_) if !self.is_required => return Ok(()),
            entered => entered?,
        }
        // Mounts made here do not show in any other namespace.
        mount(None, c"/", None, libc::MS_REC | libc::MS_SLAVE, None)?;
        for (parent, name) in &self.missing {
            match mkdirat(open(parent)?, name, Mode::RWXU) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno),
            }
        }
        for path in &self.pinned {
            let directory = open(path)?;
            bind(&directory, &directory)?;
        }
        for cover in &self.covers {
            cover.mount()?;
        }
        // The working directory lies beneath what was mounted since: its name leads to the top.
        let here = CStr::from_bytes_until_nul(&here).map_err(|_| Errno::NAMETOOLONG)?;
        // SAFETY: the string ends in a NUL.
        result(unsafe { libc::chdir(here.as_ptr()) }.into())?;
        let now = stat(c".")?;
        if (now.st_dev, now.st_ino) == (before.st_dev, before.st_ino) {
            return Ok(());
        }
        Err(Errno::ACCESS)
    }
}

impl HiddenDirectory {
    fn mount(&self) -> Result<(), Errno> {
        let readable = self.readable.as_ref().map(|path| open(path));
        // A part that does not exist is not shown.
        let readable = readable.and_then(Result::ok);
        let mut name = [0; 32];
        let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
        let hidden = open(&self.path)?;
        let target = path_of(&hidden, &mut name)?;
        mount(Some(c"tmpfs"), target, Some(c"tmpfs"), flags, Some(EMPTY))?;
        let cover = open(&self.path)?;
        if let (Some(directory), Some(path)) = (readable, &self.readable) {
            let name = path.to_bytes_with_nul().rsplit(|byte| *byte == b'/').next();
            let name = name.and_then(|name| CStr::from_bytes_with_nul(name).ok());
            mkdirat(&cover, name.ok_or(Errno::INVAL)?, Mode::RWXU)?;
            bind(&directory, &open(path)?)?;
            fix(&open(path)?)?;
        }
        fix(&cover)?;
        let flags = fstatvfs(open(&self.path)?)?.f_flag;
        if flags.contains(StatVfsMountFlags::RDONLY) {
            return Ok(());
        }
        Err(Errno::ROFS)
    }
}

/// Enters a mount namespace of its own.
fn enter_namespace() -> Result<(), Errno> {
    let (user, group) = (geteuid(), getegid());
    // SAFETY: takes a number.
    if user.is_root() && unsafe { libc::unshare(libc::CLONE_NEWNS) } == 0 {
        return Ok(());
    }
    // SAFETY: take numbers. The maps are this process's own to write only if it may be looked at,
    // which the next program decides anew.
    unsafe {
        libc::prctl(libc::PR_SET_DUMPABLE, 1, 0, 0, 0);
        result(libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNS).into())?;
    }
    write(c"/proc/self/setgroups", b"deny")?;
    write_map(c"/proc/self/uid_map", user.as_raw())?;
    write_map(c"/proc/self/gid_map", group.as_raw())
}

/// Maps this number to itself, and no other.
fn write_map(file: &CStr, number: u32) -> Result<(), Errno> {
    let mut digits = itoa::Buffer::new();
    let digits = digits.format(number).as_bytes();
    let line = joined(&[digits, b" ", digits, b" 1"]);
    write(file, &line[..2 * digits.len() + 3])
}

fn write(file: &CStr, bytes: &[u8]) -> Result<(), Errno> {
    let file = rustix::fs::open(file, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(file, bytes).map(drop)
}

/// Opens the file at `path` in this namespace, unless there is a link on the way.
fn open(path: &CStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)
}

/// Mounts `source` over `target` as well, with all that is mounted in it.
fn bind(source: &OwnedFd, target: &OwnedFd) -> Result<(), Errno> {
    let (mut from, mut to) = ([0; 32], [0; 32]);
    let from = path_of(source, &mut from)?;
    let to = path_of(target, &mut to)?;
    mount(Some(from), to, None, libc::MS_BIND | libc::MS_REC, None)
}

/// Makes a mount read-only.
fn fix(mount: &OwnedFd) -> Result<(), Errno> {
    let attributes = MountAttributes {
        set: READ_ONLY,
        clear: 0,
        propagation: 0,
        user_namespace: 0,
    };
    // SAFETY: the kernel reads the structure, which is as long as the size says.
    result(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH,
            &raw const attributes,
            size_of::<MountAttributes>(),
        )
    })
}

fn mount(
    source: Option<&CStr>,
    target: &CStr,
    kind: Option<&CStr>,
    flags: libc::c_ulong,
    data: Option<&CStr>,
) -> Result<(), Errno> {
    let pointer = |text: Option<&CStr>| text.map_or(std::ptr::null(), CStr::as_ptr);
    // SAFETY: each string ends in a NUL or is null.
    result(
        unsafe {
            libc::mount(
                pointer(source),
                target.as_ptr(),
                pointer(kind),
                flags,
                pointer(data).cast(),
            )
        }
        .into(),
    )
}
