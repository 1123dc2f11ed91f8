//! A process outside: another program of the same user, with everything that a way out could lead
//! to. It belongs to one test and ends with it.

use std::ffi::{CString, OsString};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::process::{Child, ChildStdin, Stdio};

use crate::attack::{Arguments, Attack, result};
use crate::attack_sockets;
use crate::stage::{SECRET, Stage, programs};

pub const ALL: &[(&str, Attack)] = &[("outsider", live)];

/// The process, as a test holds it.
pub struct Outsider {
    process: Child,
    /// Its end is the process's end.
    _lifeline: ChildStdin,
    /// Where everything is that it has.
    pub variables: Vec<(String, OsString)>,
}

impl Outsider {
    pub fn start(stage: &Stage) -> Self {
        let mut command = stage.user.command(programs().join("attacker"));
        let mut process = command
            .args(["attack", "outsider"])
            .current_dir(stage.path("outside"))
            .env("TOKEN", SECRET)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut variables = vec![("OUTSIDER".to_owned(), process.id().to_string().into())];
        for line in BufReader::new(process.stdout.take().unwrap()).lines() {
            let line = line.unwrap();
            if line == "ready" {
                break;
            }
            let (name, value) = line.split_once('=').expect(&line);
            variables.push((name.to_owned(), value.into()));
        }
        Self {
            _lifeline: process.stdin.take().unwrap(),
            process,
            variables,
        }
    }

    /// Asserts that it runs, and is neither stopped nor traced.
    #[track_caller]
    pub fn assert_alive(&self) {
        let path = format!("/proc/{}/status", self.process.id());
        let status = fs::read_to_string(path).unwrap();
        let state = |name: &str| {
            let mut lines = status.lines();
            let line = lines.find_map(|line| line.strip_prefix(name)).unwrap();
            line.trim().to_owned()
        };
        // It may be waiting for the disk.
        assert!(state("State:").starts_with(['S', 'R', 'D']), "{status}");
        assert_eq!(state("TracerPid:"), "0");
    }
}

impl Drop for Outsider {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        for (name, value) in &self.variables {
            if name == "IN_SHM" {
                let _ = fs::remove_file(value);
            } else if name == "QUEUE" {
                let name = CString::new(value.as_bytes()).unwrap();
                // SAFETY: the name ends in a NUL.
                unsafe { libc::mq_unlink(name.as_ptr()) };
            } else if name == "MESSAGES" || name == "SEMAPHORES" {
                let id = value.to_str().unwrap().parse().unwrap();
                // SAFETY: takes numbers; nothing is asked for.
                unsafe {
                    if name == "MESSAGES" {
                        libc::msgctl(id, libc::IPC_RMID, std::ptr::null_mut());
                    } else {
                        libc::semctl(id, 0, libc::IPC_RMID);
                    }
                }
            }
        }
    }
}

/// What could be read, and written, in its memory.
static mut MEMORY: [u8; 32] = *b"the-memory-of-the-process-outsid";

/// Its life: it says where everything is, answers whoever calls, and ends with its stdin.
fn live(_: &Arguments) -> io::Result<()> {
    let secret = File::open("secret")?;
    let id = std::process::id();
    let stream = UnixListener::bind("stream")?;
    let datagram = UnixDatagram::bind("datagram")?;
    let name = format!("ikigai-tools-ways-{id}");
    let hidden = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name)?)?;
    let tcp = TcpListener::bind("127.0.0.1:0")?;
    let udp = UdpSocket::bind("127.0.0.1:0")?;
    let shared = SharedMemory::new()?;
    let in_shm = format!("/dev/shm/{name}");
    fs::write(&in_shm, SECRET)?;
    // SAFETY: the handler makes system calls only. A group of its own, so that it can be hit alone.
    unsafe {
        libc::signal(libc::SIGIO, on_signal as *const () as libc::sighandler_t);
        libc::setpgid(0, 0);
    }
    let say = |name: &str, value: &dyn std::fmt::Display| println!("{name}={value}");
    say("SECRET_FD", &secret.as_raw_fd());
    say("ADDRESS", &(&raw const MEMORY as usize));
    say("ABSTRACT", &name);
    say("TCP", &tcp.local_addr()?.port());
    say("UDP", &udp.local_addr()?.port());
    say("SEGMENT", &shared.0);
    // SAFETY: takes numbers.
    unsafe {
        let (private, mode) = (libc::IPC_PRIVATE, 0o600);
        say("MESSAGES", &result(libc::msgget(private, mode))?);
        say("SEMAPHORES", &result(libc::semget(private, 1, mode))?);
    }
    say("IN_SHM", &in_shm);
    if let Some(queue) = make_queue(&name) {
        say("QUEUE", &queue);
    }
    println!("ready");
    io::stdout().flush()?;
    std::thread::spawn(move || {
        for caller in stream.incoming().flatten() {
            let _ = attack_sockets::hand_over(&caller, secret.as_raw_fd());
        }
    });
    std::thread::spawn(move || {
        for mut caller in hidden.incoming().flatten() {
            let _ = caller.write_all(SECRET.as_bytes());
        }
    });
    std::thread::spawn(move || {
        for mut caller in tcp.incoming().flatten() {
            let _ = caller.write_all(SECRET.as_bytes());
        }
    });
    std::thread::spawn(move || {
        let mut bytes = [0; 64];
        while let Ok((_, caller)) = udp.recv_from(&mut bytes) {
            let _ = udp.send_to(SECRET.as_bytes(), caller);
        }
    });
    std::thread::spawn(move || {
        let mut bytes = [0; 64];
        while datagram.recv(&mut bytes).is_ok() {
            let _ = fs::write("got-a-datagram", "");
        }
    });
    let _ = io::stdin().read(&mut [0]);
    Ok(())
}

/// Makes a message queue, where the kernel has any, and returns its name.
fn make_queue(name: &str) -> Option<String> {
    let (queue, flags) = (format!("/{name}"), libc::O_CREAT | libc::O_RDWR);
    let (name, default) = (
        CString::new(queue.clone()).unwrap(),
        std::ptr::null_mut::<libc::mq_attr>(),
    );
    // SAFETY: the name ends in a NUL.
    let made = unsafe { libc::mq_open(name.as_ptr(), flags, 0o600, default) };
    (made >= 0).then_some(queue)
}

/// Leaves a trace of a signal.
extern "C" fn on_signal(_: i32) {
    // SAFETY: makes a system call with a string that ends in a NUL.
    unsafe { libc::creat(c"got-a-signal".as_ptr(), 0o600) };
}

/// A System V segment, `shmget(2)`.
struct SharedMemory(i32);

impl SharedMemory {
    fn new() -> io::Result<Self> {
        // SAFETY: takes numbers.
        let id = result(unsafe { libc::shmget(libc::IPC_PRIVATE, 4096, 0o600) })?;
        let id = i32::try_from(id).unwrap();
        // SAFETY: the segment is mapped for good, and goes when the last process does that has it.
        unsafe {
            libc::shmat(id, std::ptr::null(), 0);
            libc::shmctl(id, libc::IPC_RMID, std::ptr::null_mut());
        }
        Ok(Self(id))
    }
}
