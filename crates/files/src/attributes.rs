//! The attributes of a file that its new content keeps: owner, group, mode, extended attributes and
//! ACLs.
//!
//! ACLs are extended attributes themselves (`acl(5)`, `xattr(7)`), so one copy takes both along.

use std::ffi::{CStr, CString};
use std::fs::File;

use rustix::fs::{
    Gid, Mode, Stat, Uid, XattrFlags, fchmod, fchown, fgetxattr, flistxattr, fremovexattr,
    fsetxattr, fstat, ftruncate,
};
use rustix::io::Errno;

/// The attribute that holds a program's capabilities (`capabilities(7)`): they are granted to one
/// content, and lost with it.
const CAPABILITIES: &CStr = c"security.capability";

/// Gives `new` everything of `old` but its content and what belongs to the content: capabilities.
/// To be called before the content is written, which clears set-ID bits where the kernel says so.
///
/// # Errors
/// The system refuses one of them; `new` must not replace `old` then.
pub fn copy_attributes(old: &File, status: &Stat, new: &File) -> Result<(), Errno> {
    let made = fstat(new)?;
    if (made.st_uid, made.st_gid) != (status.st_uid, status.st_gid) {
        fchown(
            new,
            Some(Uid::from_raw(status.st_uid)),
            Some(Gid::from_raw(status.st_gid)),
        )?;
    }
    copy_extended(old, new)?;
    // Last, since a change of owner clears the setuid and setgid bits.
    fchmod(new, mode_of(status))
}

/// Has the kernel clear what a write clears: setuid and setgid bits, by its own rules of who may
/// keep them (`chmod(2)`, `write(2)`). If nothing was written, as with an empty content, it has not
/// done so yet.
pub fn drop_privileges(new: &File) -> Result<(), Errno> {
    const SET_ID: u32 = 0o6000;
    let status = fstat(new)?;
    if status.st_mode & SET_ID != 0 {
        ftruncate(new, u64::try_from(status.st_size).unwrap_or(0))?;
    }
    Ok(())
}

/// The permission bits, setuid, setgid and sticky ones included.
fn mode_of(status: &Stat) -> Mode {
    Mode::from_raw_mode(status.st_mode & 0o7777)
}

fn copy_extended(old: &File, new: &File) -> Result<(), Errno> {
    let names = match sized(|buffer| flistxattr(old, buffer)) {
        Ok(names) => names,
        Err(Errno::NOTSUP) => return Ok(()),
        Err(errno) => return Err(errno),
    };
    let mut names: Vec<CString> = names_in(&names);
    names.retain(|name| name.as_c_str() != CAPABILITIES);
    // The new file may have attributes by default, such as the directory's ACL, that the old one
    // lacks.
    let given = sized(|buffer| flistxattr(new, buffer)).unwrap_or_default();
    for name in names_in(&given).iter().filter(|name| !names.contains(name)) {
        // Security labels are given by the system: what cannot be removed is one.
        let _ = fremovexattr(new, name);
    }
    for name in names {
        let value = match sized(|buffer| fgetxattr(old, &name, buffer)) {
            Ok(value) => value,
            // Removed since it was listed.
            Err(Errno::NODATA) => continue,
            Err(errno) => return Err(errno),
        };
        // A security label that the new file has by default need not be set, and often may not.
        if sized(|buffer| fgetxattr(new, &name, buffer)).is_ok_and(|there| there == value) {
            continue;
        }
        fsetxattr(new, &name, &value, XattrFlags::empty())?;
    }
    Ok(())
}

fn names_in(list: &[u8]) -> Vec<CString> {
    list.split(|byte| *byte == 0)
        .filter(|name| !name.is_empty())
        .filter_map(|name| CString::new(name).ok())
        .collect()
}

/// Returns what `call` writes into a buffer that is large enough for any attribute
/// (`XATTR_SIZE_MAX` and `XATTR_LIST_MAX`, `xattr(7)`).
fn sized(call: impl FnOnce(&mut [u8]) -> Result<usize, Errno>) -> Result<Vec<u8>, Errno> {
    let mut buffer = vec![0; 64 * 1024];
    let length = call(&mut buffer)?;
    buffer.truncate(length);
    Ok(buffer)
}
