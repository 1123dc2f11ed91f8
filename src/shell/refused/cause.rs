//! Whether it was the confinement that refused what a command's output claims was refused.
//!
//! It was only if it does not grant what was wanted of what the name really leads to, and if
//! nothing else refuses it: this process is not confined itself, and asks the kernel what the
//! files' own permissions would have let it do. Where both refuse, no flag would help, and nothing
//! is said.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, accessat, openat};
use rustix::process::{Pid, test_kill_process};
use rustix::thread::{CapabilitySet, capabilities};

use crate::sandbox::confinement::audit::Denial;
use crate::sandbox::confinement::{Confinement, Right};
use crate::sandbox::roots;
use crate::shell::refused::entered::entered;
use crate::shell::refused::lines::{Claim, Want};

/// What a confinement kept a command from doing with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reading a file, listing a directory.
    Read,
    /// Running a program.
    Execute,
    /// Changing a file, making, renaming or removing one.
    Write,
    /// Making, renaming or removing what is in a directory: what is not known.
    Inside,
    /// Reading it, or more: what exactly is not known.
    Any,
}

impl Access {
    /// The right that would have been needed.
    #[must_use]
    pub fn right(self) -> Right {
        match self {
            Self::Read | Self::Any => Right::Read,
            Self::Execute => Right::Execute,
            Self::Write | Self::Inside => Right::Write,
        }
    }
}

/// What a confinement refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Something with a file.
    File {
        /// Where it really lies, no link on the way.
        path: PathBuf,
        access: Access,
        /// The name by which a program was looked up and found, if it was one.
        found: Option<PathBuf>,
    },
    /// The network.
    Network,
    /// A signal to a process that the command had not started.
    Signal,
    /// A look into one.
    Trace,
    /// Mounting or unmounting.
    Mount,
    /// A socket of a process that the command had not started.
    Socket,
}

/// A command that has ended, and what it was allowed.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    pub confinement: &'a Confinement,
    pub command: &'a str,
    /// Where it started.
    pub directory: &'a Path,
    /// Its exit code.
    pub code: i32,
}

/// Programs by which a command works on another machine, whose refusals look the same.
const ELSEWHERE: [&str; 9] = [
    "ssh", "sftp", "docker", "podman", "kubectl", "adb", "nsenter", "chroot", "lxc",
];

/// What of the claims in its output the confinement of a call refused.
#[must_use]
pub fn of_output(claims: &[Claim], call: &Call<'_>) -> Vec<Refusal> {
    let quotes = ["ermission denied", "EACCES", "Errno 13"];
    if call.code == 0 && quotes.iter().any(|text| call.command.contains(text)) {
        // It looks for such messages, or prints one itself.
        return Vec::new();
    }
    let words = || call.command.split(|one: char| !one.is_ascii_alphanumeric());
    let is_elsewhere = words().any(|word| ELSEWHERE.contains(&word));
    let mut refusals = Vec::new();
    for claim in claims {
        let own = !is_elsewhere || memchr::memmem::find(&claim.name, b"/.ssh").is_some();
        let refusal = match claim.want {
            Want::Network => (!call.confinement.has_network()).then_some(Refusal::Network),
            _ if !own => None,
            Want::Socket => Some(Refusal::Socket),
            _ if !call.confinement.confines_files() => None,
            Want::Signal => signal(claim, call),
            Want::Trace => has(CapabilitySet::SYS_PTRACE).then_some(Refusal::Trace),
            Want::Mount => has(CapabilitySet::SYS_ADMIN).then_some(Refusal::Mount),
            _ if claim.name.is_empty() => None,
            _ => file(claim, call),
        };
        if let Some(refusal) = refusal.filter(|refusal| !refusals.contains(refusal)) {
            refusals.push(refusal);
        }
    }
    refusals
}

/// What of the kernel's own records the confinement of a call refused that matters to its caller:
/// where the command failed or its output says so, all; else what the command names itself, since
/// programs try much that they can do without.
#[must_use]
pub fn of_audit(denials: &[Denial], speaks_of_refusals: bool, call: &Call<'_>) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    for denial in denials {
        let refusal = match denial {
            Denial::Network => Some(Refusal::Network),
            Denial::Signal => Some(Refusal::Signal),
            Denial::Trace => Some(Refusal::Trace),
            Denial::Mount => Some(Refusal::Mount),
            Denial::Socket => Some(Refusal::Socket),
            Denial::File { path, right, name } => {
                file_of_audit(path, *right, *name, speaks_of_refusals, call)
            }
        };
        if let Some(refusal) = refusal.filter(|refusal| !refusals.contains(refusal)) {
            refusals.push(refusal);
        }
    }
    refusals
}

/// What was refused of the file at `path`, or of a `name` in that directory.
fn file_of_audit(
    path: &Path,
    right: Right,
    name: bool,
    speaks_of_refusals: bool,
    call: &Call<'_>,
) -> Option<Refusal> {
    let access = match right {
        Right::Read => Access::Read,
        Right::Execute => Access::Execute,
        Right::Write if name => Access::Inside,
        Right::Write => Access::Write,
    };
    let last = path.file_name().map(OsStr::as_bytes).unwrap_or_default();
    let is_named =
        !last.is_empty() && memchr::memmem::find(call.command.as_bytes(), last).is_some();
    let matters = speaks_of_refusals || call.code != 0 || is_named;
    let by_files = may(path, access);
    let another = access == Access::Execute && runs_elsewhere(path, call);
    let refused = !call.confinement.grants(path, right) && !is_temporary(path);
    (matters && by_files && !another && refused).then(|| Refusal::File {
        path: path.to_owned(),
        access,
        found: None,
    })
}

/// What was heard of the kernel and what the output told, in one. The kernel knows the right
/// better, and the output the name; what it alone told comes last, since the kernel may be late.
pub fn together(heard: Vec<Refusal>, told: Vec<Refusal>) -> Vec<Refusal> {
    let mut left = heard;
    let (mut confirmed, mut late) = (Vec::new(), Vec::new());
    if left.is_empty() {
        return told;
    }
    let all = left.clone();
    for refusal in told {
        let Refusal::File {
            path,
            access,
            found,
        } = &refusal
        else {
            // The filter that takes the network away is not told of by the kernel.
            left.retain(|one| *one != refusal);
            confirmed.push(refusal);
            continue;
        };
        let of_same = all.iter().find_map(|heard| match heard {
            Refusal::File {
                path: own,
                access: heard,
                ..
            } if own == path => Some(*heard),
            Refusal::File {
                path: own,
                access: Access::Inside,
                ..
            } => (*access == Access::Write && path.parent() == Some(own)).then_some(*access),
            _ => None,
        });
        let Some(heard) = of_same else {
            late.push(refusal);
            continue;
        };
        left.retain(|one| match one {
            Refusal::File {
                path: own,
                access: Access::Inside,
                ..
            } => path.parent() != Some(own),
            Refusal::File { path: own, .. } => own != path,
            _ => true,
        });
        let refusal = Refusal::File {
            path: path.clone(),
            access: heard,
            found: found.clone(),
        };
        if !confirmed.contains(&refusal) {
            confirmed.push(refusal);
        }
    }
    confirmed.extend(left);
    confirmed.extend(late);
    confirmed
}

/// Whether a program of the same name is found by `PATH` that may be run: then a shell passes over
/// the one that may not.
fn runs_elsewhere(path: &Path, call: &Call<'_>) -> bool {
    let Some(name) = path.file_name() else {
        return false;
    };
    let named = memchr::memmem::find(call.command.as_bytes(), path.as_os_str().as_bytes());
    named.is_none()
        && on_path(name).any(|(_, real)| {
            call.confinement.grants(&real, Right::Execute) && may(&real, Access::Execute)
        })
}

/// Whether this process has a power that commands within directories are not given.
fn has(power: CapabilitySet) -> bool {
    capabilities(None).is_ok_and(|own| own.effective.contains(power))
}

/// A signal is refused by the confinement where this process could have sent it.
fn signal(claim: &Claim, call: &Call<'_>) -> Option<Refusal> {
    let told = str::from_utf8(&claim.name)
        .ok()
        .and_then(|name| name.parse().ok());
    let (_, after) = call.command.split_once("kill").unwrap_or_default();
    let numbers = after
        .split(|one: char| !one.is_ascii_digit() && one != '-')
        .filter_map(|word| word.parse().ok());
    let mut processes: Vec<i32> = match told {
        Some(process) => vec![process],
        None => numbers.take(16).collect(),
    };
    // What is below is the signal, `-9`, or a group.
    processes.retain(|process| *process > 0);
    if processes.is_empty() {
        // Nothing else refuses it to who may send one to everybody.
        let may = call.command.contains("kill") && has(CapabilitySet::KILL);
        return may.then_some(Refusal::Signal);
    }
    let mut processes = processes.into_iter().filter_map(Pid::from_raw);
    processes
        .any(|process| test_kill_process(process).is_ok())
        .then_some(Refusal::Signal)
}

/// What was refused of a file.
fn file(claim: &Claim, call: &Call<'_>) -> Option<Refusal> {
    let is_word = !claim.name.contains(&b'/');
    if is_word && claim.want == Want::Execute {
        return program(&claim.name, call);
    }
    let started = std::iter::once(call.directory.to_owned());
    let mut places = started.chain(entered(call));
    let found = places.find_map(|place| {
        let path = existing(&place, claim);
        of_file(&path, claim, call)
    });
    let may_be_program = is_word && claim.want == Want::Something;
    found.or_else(|| may_be_program.then(|| program(&claim.name, call)).flatten())
}

/// The name that is meant, from `place` on: a bare one may have words behind it.
fn existing(place: &Path, claim: &Claim) -> PathBuf {
    let whole = place.join(OsStr::from_bytes(&claim.name));
    if !claim.bare || whole.symlink_metadata().is_ok() {
        return whole;
    }
    let before = |at: usize| {
        let name = claim.name[..at].trim_ascii_end();
        place.join(OsStr::from_bytes(name.strip_suffix(b",").unwrap_or(name)))
    };
    let mut shorter = memchr::memrchr_iter(b' ', &claim.name).map(before);
    let found = shorter.find(|path| path.symlink_metadata().is_ok());
    // `path: NAME, error: …`
    let clause = memchr::memmem::find(&claim.name, b", ").map(before);
    found.or(clause).unwrap_or(whole)
}

/// What was refused of the file at `path`.
fn of_file(path: &Path, claim: &Claim, call: &Call<'_>) -> Option<Refusal> {
    let real = roots::follow(path, |_| {})?;
    let exists = fs::symlink_metadata(&real).is_ok();
    let confinement = call.confinement;
    let refused = |right| !confinement.grants(&real, right) && !is_temporary(&real);
    let refusal = |access| Refusal::File {
        path: real.clone(),
        access,
        found: None,
    };
    let write = || {
        let may = if exists {
            may(&real, Access::Write)
        } else {
            may_change(&real)
        };
        (refused(Right::Write) && may).then(|| refusal(Access::Write))
    };
    match claim.want {
        Want::Read => {
            (refused(Right::Read) && may(&real, Access::Read)).then(|| refusal(Access::Read))
        }
        Want::Execute => execute(path, &real, call),
        Want::Write => write(),
        Want::Name => (refused(Right::Write) && may_change(&real)).then(|| refusal(Access::Write)),
        Want::Link => {
            let device = |path: &Path| fs::symlink_metadata(path).ok().map(|status| status.dev());
            let own = confinement
                .roots()
                .directories()
                .iter()
                .filter_map(|root| device(root));
            let within = real.parent().and_then(device);
            let same = within.is_some_and(|within| own.into_iter().any(|own| own == within));
            (same && refused(Right::Write) && may_change(&real)).then(|| refusal(Access::Write))
        }
        Want::Something if !exists || is_redirected(claim, call) => write(),
        Want::Something if confinement.grants(&real, Right::Read) => {
            // What may be read can have been refused writing, and a script its interpreter.
            execute(path, &real, call).or_else(write)
        }
        Want::Something => {
            let is_program = || {
                let directory = real.parent().unwrap_or(&real);
                let begins = call
                    .command
                    .trim_start()
                    .as_bytes()
                    .starts_with(&claim.name);
                real.is_file()
                    && (begins
                        || env::var_os("PATH").is_some_and(|list| {
                            env::split_paths(&list)
                                .any(|one| one == directory || path.parent() == Some(&one))
                        }))
            };
            if is_program() && may(&real, Access::Execute) {
                return execute(path, &real, call);
            }
            (refused(Right::Read) && may(&real, Access::Read)).then(|| refusal(Access::Any))
        }
        _ => None,
    }
}

/// Whether the command redirects something into the name of a claim.
fn is_redirected(claim: &Claim, call: &Call<'_>) -> bool {
    let command = call.command.as_bytes();
    memchr::memmem::find_iter(command, &claim.name).any(|at| {
        let before = command[..at].trim_ascii_end();
        let before = before
            .strip_suffix(b"\"")
            .or_else(|| before.strip_suffix(b"'"))
            .unwrap_or(before);
        before.trim_ascii_end().ends_with(b">")
    })
}

/// The program called `name` that was refused: the first that `PATH` finds.
fn program(name: &[u8], call: &Call<'_>) -> Option<Refusal> {
    let (path, real) = on_path(OsStr::from_bytes(name)).next()?;
    execute(&path, &real, call)
}

/// What `PATH` finds by a name, and where it really lies.
fn on_path(name: &OsStr) -> impl Iterator<Item = (PathBuf, PathBuf)> {
    let list = env::var_os("PATH").unwrap_or_default();
    let places: Vec<PathBuf> = env::split_paths(&list).collect();
    let name = name.to_owned();
    places.into_iter().filter_map(move |place| {
        let path = place.join(&name);
        let real = roots::follow(&path, |_| {})?;
        (real.is_file() && may(&real, Access::Execute)).then_some((path, real))
    })
}

/// What was refused of the program at `path`, which really lies at `real`: itself, or what it is
/// interpreted by.
fn execute(path: &Path, real: &Path, call: &Call<'_>) -> Option<Refusal> {
    let refused = |real: &Path| {
        real.is_file()
            && !call.confinement.grants(real, Right::Execute)
            && !is_temporary(real)
            && may(real, Access::Execute)
    };
    let refusal = |real: &Path, path: &Path| Refusal::File {
        path: real.to_owned(),
        access: Access::Execute,
        found: Some(path.to_owned()),
    };
    if refused(real) {
        return Some(refusal(real, path));
    }
    if !may(real, Access::Execute) {
        return None;
    }
    let interpreter = interpreter(real)?;
    let real = roots::follow(&interpreter, |_| {})?;
    refused(&real).then(|| refusal(&real, &interpreter))
}

/// What the first line of a script names, if it is one. Nothing that is opened is waited for,
/// whatever has taken the script's place.
pub(super) fn interpreter(script: &Path) -> Option<PathBuf> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let is_file = fs::metadata(script).is_ok_and(|status| status.is_file());
    let file = is_file.then(|| openat(CWD, script, flags, Mode::empty()).ok())?;
    let file = File::from(file?);
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut head = Vec::new();
    file.take(256).read_to_end(&mut head).ok()?;
    let line = head.strip_prefix(b"#!")?;
    let line = line.split(|byte| *byte == b'\n').next()?.trim_ascii();
    let name = line.split(u8::is_ascii_whitespace).next()?;
    name.starts_with(b"/")
        .then(|| PathBuf::from(OsStr::from_bytes(name)))
}

/// Whether the file's own permissions let this user do that.
fn may(path: &Path, access: Access) -> bool {
    let rights = match access {
        Access::Read | Access::Any => rustix::fs::Access::READ_OK,
        Access::Execute => rustix::fs::Access::EXEC_OK,
        Access::Write => rustix::fs::Access::WRITE_OK,
        Access::Inside => rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK,
    };
    accessat(CWD, path, rights, AtFlags::EACCESS).is_ok()
}

/// Whether this user may make, rename and remove what is called `path`.
fn may_change(path: &Path) -> bool {
    let directory = path.parent().unwrap_or(path);
    directory.is_dir() && may(directory, Access::Inside)
}

/// Whether it is in a command's private directory, which is gone when the command has ended.
fn is_temporary(path: &Path) -> bool {
    path.components().any(|part| {
        let name = part.as_os_str().as_bytes().strip_prefix(b"ikigai-");
        name.is_some_and(|name| name.len() >= 8 && name.iter().all(u8::is_ascii_hexdigit))
    })
}
