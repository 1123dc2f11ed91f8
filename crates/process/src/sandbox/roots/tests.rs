//! Names and errors; what is within the bounds and what is not is tested with the requests that
//! name it (`iki_tools::call`).

use crate::sandbox::roots::*;

#[test]
fn an_error_that_nobody_has_foreseen_is_no_leave_to_go_on() {
    let name = |length| "n".repeat(length);
    let says = |code, length| {
        let error = io::Error::from_raw_os_error(code);
        is_no_link(&error, OsStr::new(&name(length)))
    };
    for code in [libc::EINVAL, libc::ENOENT, libc::ENOTDIR, libc::EACCES] {
        assert!(says(code, 1), "{code}");
    }
    for code in [
        libc::EIO,
        libc::ELOOP,
        libc::ENOMEM,
        libc::ESTALE,
        libc::ETIMEDOUT,
        libc::EINTR,
        libc::ENODEV,
        libc::EOVERFLOW,
    ] {
        assert!(!says(code, 1), "{code}");
        assert!(!says(code, 300), "{code}");
    }
    // Too long is the name itself, or the path to it, which says nothing of the name.
    assert!(says(libc::ENAMETOOLONG, 256));
    assert!(!says(libc::ENAMETOOLONG, 255));
}
