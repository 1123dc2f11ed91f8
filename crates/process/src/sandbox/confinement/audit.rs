//! Refusals of a confinement, read from the kernel's audit: `audit(8)`, and "System-wide
//! management" in the kernel's documentation of Landlock.
//!
//! The kernel sends them to the listeners of its log's multicast group, which takes
//! `CAP_AUDIT_READ`, and only while its audit is turned on. A record names the process that had
//! restricted itself to a domain: a command's first one, which leaves its number where this process
//! sees it ([`ProcessMark`]). Refusals after the first program are recorded only if that was asked
//! for when it restricted itself (`FLAG`).
//!
//! If any of this is missing, nothing is heard, and the command's own messages have to do.

use std::ffi::{OsString, c_int, c_void};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;

use super::AccessRight;

/// `LANDLOCK_RESTRICT_SELF_LOG_NEW_EXEC_ON`: records refusals also of the programs that a process
/// becomes.
pub(crate) const FLAG: u32 = 1 << 1;

/// The ABI of Landlock from which on the kernel knows that flag, and writes records.
pub(crate) const SINCE: i32 = 7;

/// Types of the kernel's answers, by `linux/audit.h`.
const ERROR: u16 = 2;
const STATUS: u16 = 1000;
const ACCESS: u16 = 1423;
const DOMAIN: u16 = 1424;

/// The group that receives the log (`AUDIT_NLGRP_READLOG`), as a bit.
const LOG: u32 = 1;

/// The head of a message (`struct nlmsghdr`), in bytes.
const HEADER_BYTES: usize = 16;

/// Bytes that may wait to be read: a few hundred records.
const RECEIVE_BUFFER_BYTES: c_int = 1024 * 1024;

/// The longest record that is read, in bytes: it has one name in it, of two digits a byte.
const MAX_RECORD_BYTES: usize = 16 * 1024;

/// Number of records that are looked at.
const MAX_RECORDS: usize = 4096;

/// Number of refusals that are kept.
const MAX_DENIALS: usize = 64;

/// The silence after which all is heard, and the longest wait for it: the kernel sends from a
/// thread of its own.
const QUIET_TIME: Duration = Duration::from_millis(3);
const AUDIT_TIMEOUT: Duration = Duration::from_millis(50);

/// An action that the kernel refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelDenial {
    /// An access to a file, or to a name in a directory.
    File {
        /// The file, or the directory.
        path: PathBuf,
        /// The right that was wanted.
        right: AccessRight,
        /// True if it is about a name in that directory.
        concerns_name: bool,
    },
    /// A connection in either direction.
    Network,
    /// A signal.
    Signal,
    /// An abstract socket.
    Socket,
    /// A look into a process.
    Trace,
    /// A mount.
    Mount,
}

/// A shared number in which a command's first process leaves its process id.
#[derive(Clone, Copy, Debug)]
pub struct ProcessMark(&'static AtomicI32);

impl ProcessMark {
    /// Stores the process id of this process. Makes one system call.
    pub(crate) fn store_pid(self) {
        // SAFETY: takes no argument and cannot fail.
        self.0.store(unsafe { libc::getpid() }, Ordering::SeqCst);
    }
}

/// A listener from before a command is started until it has ended.
#[derive(Debug)]
pub struct DenialListener {
    socket: OwnedFd,
    mark: ProcessMark,
}

impl DenialListener {
    /// Begins to listen, if this process may and the kernel writes records.
    #[must_use]
    pub fn open(abi: i32) -> Option<Self> {
        if abi < SINCE {
            return None;
        }
        let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
        // SAFETY: takes numbers.
        let socket = unsafe { libc::socket(libc::AF_NETLINK, kind, libc::NETLINK_AUDIT) };
        if socket < 0 {
            return None;
        }
        // SAFETY: it was just opened, and nothing else owns it.
        let socket = unsafe { OwnedFd::from_raw_fd(socket) };
        join(&socket)?;
        let mark = ProcessMark(shared_number()?);
        Some(Self { socket, mark })
    }

    /// The place in which the command's first process leaves its process id.
    #[must_use]
    pub fn mark(&self) -> ProcessMark {
        self.mark
    }

    /// The refusals of the command, which has ended. Waits for those that are on their way, if the
    /// kernel's audit is on.
    #[must_use]
    pub fn denials(self) -> Vec<KernelDenial> {
        let deadline = Instant::now() + AUDIT_TIMEOUT;
        let mut records = AuditRecords::default();
        let mut buffer = vec![0; MAX_RECORD_BYTES];
        for _ in 0..MAX_RECORDS {
            let is_awaited = records.enabled != Some(false) && Instant::now() < deadline;
            let pause = if is_awaited {
                QUIET_TIME
            } else {
                Duration::ZERO
            };
            let Some(length) = self.next(&mut buffer, pause) else {
                break;
            };
            records.read_message(&buffer[..length]);
        }
        records.of_process(self.mark.0.load(Ordering::SeqCst))
    }

    /// The length of the next message, if the kernel sends one in time.
    fn next(&self, buffer: &mut [u8], limit: Duration) -> Option<usize> {
        let pause = Timespec::try_from(limit).ok()?;
        let mut wanted = [PollFd::new(&self.socket, PollFlags::IN)];
        retry_on_intr(|| poll(&mut wanted, Some(&pause)))
            .ok()
            .filter(|ready| *ready > 0)?;
        // SAFETY: the kernel writes no more than the buffer's length into it.
        let length = unsafe {
            let (start, size) = (buffer.as_mut_ptr().cast::<c_void>(), buffer.len());
            libc::recv(self.socket.as_raw_fd(), start, size, 0)
        };
        // Records that are dropped for want of room (ENOBUFS) came after those that are there.
        usize::try_from(length).ok()
    }
}

/// Joins the group that gets Landlock's records, and asks if there will be any; `None` if this
/// process may not.
fn join(socket: &OwnedFd) -> Option<()> {
    let descriptor = socket.as_raw_fd();
    // Of each message: its type, which is the third pair of bytes of its head; in the order of the
    // network, as the filter reads it.
    let wanted = [ACCESS, DOMAIN, STATUS, ERROR].map(|kind| u32::from(kind.to_be()));
    let is = |kind: u32, there: u8| libc::sock_filter {
        code: 0x15,
        jt: there,
        jf: 0,
        k: kind,
    };
    let load = libc::sock_filter {
        code: 0x28,
        jt: 0,
        jf: 0,
        k: 4,
    };
    let keep = |length: u32| libc::sock_filter {
        code: 0x06,
        jt: 0,
        jf: 0,
        k: length,
    };
    let mut filter = [
        load,
        is(wanted[0], 4),
        is(wanted[1], 3),
        is(wanted[2], 2),
        is(wanted[3], 1),
        keep(0),
        keep(u32::MAX),
    ];
    let program = libc::sock_fprog {
        len: 7,
        filter: filter.as_mut_ptr(),
    };
    // SAFETY: the kernel reads structures of the size that is given, and no other memory of ours.
    unsafe {
        let mut address: libc::sockaddr_nl = std::mem::zeroed();
        address.nl_family = u16::try_from(libc::AF_NETLINK).ok()?;
        address.nl_groups = LOG;
        let size = libc::socklen_t::try_from(size_of_val(&address)).ok()?;
        if libc::bind(descriptor, (&raw const address).cast(), size) != 0 {
            return None;
        }
        let room = RECEIVE_BUFFER_BYTES;
        let set = |option: c_int, value: *const c_void, size: usize| {
            let size = libc::socklen_t::try_from(size).unwrap_or(0);
            libc::setsockopt(descriptor, libc::SOL_SOCKET, option, value, size)
        };
        set(
            libc::SO_ATTACH_FILTER,
            (&raw const program).cast(),
            size_of_val(&program),
        );
        set(
            libc::SO_RCVBUFFORCE,
            (&raw const room).cast(),
            size_of_val(&room),
        );
        let mut question = [0_u8; HEADER_BYTES];
        let length = u32::try_from(HEADER_BYTES).ok()?;
        question[..4].copy_from_slice(&length.to_ne_bytes());
        question[4..6].copy_from_slice(&STATUS.to_ne_bytes());
        let request = u16::try_from(libc::NLM_F_REQUEST).ok()?;
        question[6..8].copy_from_slice(&request.to_ne_bytes());
        // Without an answer, the first record shows that the audit is on.
        libc::send(descriptor, question.as_ptr().cast(), HEADER_BYTES, 0);
    }
    Some(())
}

/// A number that this process shares with its forks.
fn shared_number() -> Option<&'static AtomicI32> {
    let size = size_of::<AtomicI32>();
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: new memory, of zeros, which is never given back: a process is one call.
    unsafe {
        let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
        let place = libc::mmap(std::ptr::null_mut(), size, access, flags, -1, 0);
        (place != libc::MAP_FAILED).then(|| &*place.cast::<AtomicI32>())
    }
}

/// The records read so far.
#[derive(Debug, Default)]
struct AuditRecords {
    /// True if the kernel's audit is on; `None` while that is not known.
    enabled: Option<bool>,
    /// Each domain, and the process that had restricted itself.
    domains: Vec<(String, i32)>,
    /// Refusals, each with its domain.
    denials: Vec<(String, KernelDenial)>,
}

impl AuditRecords {
    /// Takes a message.
    fn read_message(&mut self, message: &[u8]) {
        let Some((head, body)) = message.split_at_checked(HEADER_BYTES) else {
            return;
        };
        let kind = u16::from_ne_bytes([head[4], head[5]]);
        if kind == STATUS {
            // `struct audit_status`: a mask, and 1 if it is on.
            let enabled = body.get(4..8).and_then(|bytes| bytes.try_into().ok());
            self.enabled = enabled.map(|bytes| u32::from_ne_bytes(bytes) != 0);
            return;
        }
        // A process that may listen but not ask is not kept waiting.
        self.enabled = Some(kind != ERROR);
        let text = String::from_utf8_lossy(body);
        self.take_record(kind, text.trim_end_matches('\0'));
    }

    fn take_record(&mut self, kind: u16, text: &str) {
        let Some(domain) = field(text, "domain") else {
            return;
        };
        match kind {
            DOMAIN => {
                let process = field(text, "pid").and_then(|number| number.parse().ok());
                if let Some(process) = process.filter(|_| self.domains.len() < MAX_RECORDS) {
                    self.domains.push((domain.to_owned(), process));
                }
            }
            ACCESS => {
                let denial = denial(text).map(|denial| (domain.to_owned(), denial));
                let is_new = |one: &_| !self.denials.contains(one);
                if self.denials.len() < MAX_DENIALS {
                    self.denials.extend(denial.filter(is_new));
                }
            }
            _ => {}
        }
    }

    /// The refusals in the domain of `process`.
    fn of_process(self, process: i32) -> Vec<KernelDenial> {
        let is_of_process = |domain: &str| {
            self.domains
                .iter()
                .any(|one| one.0 == domain && one.1 == process)
        };
        let denials = self
            .denials
            .iter()
            .filter(|(domain, _)| is_of_process(domain));
        denials.map(|(_, denial)| denial.clone()).collect()
    }
}

/// The value of a field in a record, as it is written.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut fields = text.split(' ');
    fields.find_map(|field| field.strip_prefix(name)?.strip_prefix('='))
}

/// Parses the refusal in a record.
fn denial(text: &str) -> Option<KernelDenial> {
    let blockers = || {
        field(text, "blockers")
            .into_iter()
            .flat_map(|list| list.split(','))
    };
    let has = |start: &str| blockers().any(|blocker| blocker.starts_with(start));
    if has("net.") {
        return Some(KernelDenial::Network);
    }
    if has("scope.signal") {
        return Some(KernelDenial::Signal);
    }
    if has("scope.") || has("fs.resolve_unix") {
        return Some(KernelDenial::Socket);
    }
    if has("ptrace") {
        return Some(KernelDenial::Trace);
    }
    if has("fs.change_topology") {
        return Some(KernelDenial::Mount);
    }
    let concerns_name = has("fs.make_") || has("fs.remove_") || has("fs.refer");
    let right =
        if concerns_name || has("fs.write_file") || has("fs.truncate") || has("fs.ioctl_dev") {
            AccessRight::Write
        } else if has("fs.execute") {
            AccessRight::Execute
        } else if has("fs.read_") {
            AccessRight::Read
        } else {
            return None;
        };
    let path = path_in(field(text, "path")?)?;
    Some(KernelDenial::File {
        path,
        right,
        concerns_name,
    })
}

/// A path as records have it: in quotes, or, if it holds a character that would break a line, in
/// two digits a byte.
fn path_in(value: &str) -> Option<PathBuf> {
    let bytes = if let Some(quoted) = value.strip_prefix('"') {
        quoted.strip_suffix('"')?.as_bytes().to_vec()
    } else {
        let pairs = value.as_bytes().chunks(2).map(|pair| {
            let pair = str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
            u8::from_str_radix(pair, 16).ok()
        });
        pairs.collect::<Option<Vec<u8>>>()?
    };
    let path = PathBuf::from(OsString::from_vec(bytes));
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests;
