//! The attacker: one attack in a process of its own.
//!
//! An attack that led out ends with exit code 0, one that did not says why and ends with 10.

use std::ffi::{CString, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::ffi::OsStringExt;

use crate::attack_files;
use crate::attack_kernel;
use crate::attack_processes;
use crate::attack_ring;
use crate::attack_sockets;
use crate::outsider;

/// An attack: what it does with its arguments.
pub type Attack = fn(&Arguments) -> io::Result<()>;

/// Where the attacks are.
const ALL: [&[(&str, Attack)]; 6] = [
    attack_files::ALL,
    attack_kernel::ALL,
    attack_processes::ALL,
    attack_ring::ALL,
    attack_sockets::ALL,
    outsider::ALL,
];

/// The arguments of an attack.
pub struct Arguments(Vec<OsString>);

impl Arguments {
    /// The argument at `place`, as system calls take it.
    pub fn path(&self, place: usize) -> CString {
        CString::new(self.0[place].as_bytes()).unwrap()
    }

    /// The argument at `place`.
    pub fn word(&self, place: usize) -> OsString {
        self.0[place].clone()
    }

    /// The number at `place`.
    pub fn number(&self, place: usize) -> i64 {
        let text = self.0[place].clone().into_vec();
        let text = String::from_utf8(text).unwrap();
        text.parse()
            .unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    /// The number at `place`, as system calls take ids and flags.
    pub fn int(&self, place: usize) -> i32 {
        self.number(place).try_into().unwrap()
    }
}

/// Carries out the attack that the arguments name and ends, if they name one.
pub fn if_asked() {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_none_or(|first| first != "attack") {
        return;
    }
    let name = arguments.next().unwrap();
    let mut all = ALL.iter().flat_map(|some| some.iter());
    let (_, attack) = all
        .find(|(one, _)| *one == name)
        .unwrap_or_else(|| panic!("there is no attack {}", name.display()));
    let code = match attack(&Arguments(arguments.collect())) {
        Ok(()) => 0,
        Err(error) => {
            println!("refused: {error}");
            10
        }
    };
    std::process::exit(code);
}

/// What a system call returned, or its error.
pub fn result(returned: impl Into<i64>) -> io::Result<i64> {
    match returned.into() {
        -1 => Err(io::Error::last_os_error()),
        returned => Ok(returned),
    }
}

/// A descriptor that a system call returned, or its error.
pub fn descriptor(returned: impl Into<i64>) -> io::Result<i32> {
    result(returned).map(|descriptor| i32::try_from(descriptor).unwrap())
}

/// Reads from a descriptor; it must give something.
pub fn read(descriptor: i32) -> io::Result<()> {
    let mut bytes = [0_u8; 64];
    // SAFETY: the buffer is as long as is said.
    let count = result(unsafe { libc::read(descriptor, bytes.as_mut_ptr().cast(), 64) } as i64)?;
    if count == 0 {
        return Err(io::Error::other("nothing was read"));
    }
    Ok(())
}
