//! Attacks by sockets.

use std::io::{self, Read};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener, UnixStream};
use std::time::Duration;

use crate::attack::{Arguments, Attack, descriptor, read, result};

pub const ALL: &[(&str, Attack)] = &[
    ("connect", connect),
    ("connect-abstract", connect_abstract),
    ("send-datagram", send_datagram),
    ("send-by-pair", send_by_pair),
    ("send-by-raw-pair", send_by_raw_pair),
    ("be-given-a-descriptor", be_given_a_descriptor),
    ("connect-tcp", connect_tcp),
    ("connect-multipath-tcp", connect_multipath_tcp),
    ("listen-tcp", listen_tcp),
    ("send-udp", send_udp),
    ("socket", socket),
    ("pair", pair),
    ("any-socket", any_socket),
    ("socket-as-32-bits", socket_as_32_bits),
    ("socket-as-x32", socket_as_x32),
    ("listen-abstract", listen_abstract),
];

fn heard(mut stream: impl Read) -> io::Result<()> {
    stream.read_exact(&mut [0; 8])
}

fn connect(to: &Arguments) -> io::Result<()> {
    heard(UnixStream::connect(to.word(0))?)
}

fn connect_abstract(to: &Arguments) -> io::Result<()> {
    let name = to.word(0).into_encoded_bytes();
    heard(UnixStream::connect_addr(&SocketAddr::from_abstract_name(
        name,
    )?)?)
}

fn listen_abstract(_: &Arguments) -> io::Result<()> {
    let name = format!("ikigai-tools-ways-{}-own", std::process::id());
    UnixListener::bind_addr(&SocketAddr::from_abstract_name(name)?).map(drop)
}

fn send_datagram(to: &Arguments) -> io::Result<()> {
    UnixDatagram::unbound()?.send_to(b"x", to.word(0)).map(drop)
}

/// Sends by one of a pair of sockets, which are connected to each other.
fn send_by_pair(to: &Arguments) -> io::Result<()> {
    UnixDatagram::pair()?.0.send_to(b"x", to.word(0)).map(drop)
}

/// The same with raw sockets, which are datagram sockets here: `unix_create` in `net/unix`.
fn send_by_raw_pair(to: &Arguments) -> io::Result<()> {
    let mut ends = [0; 2];
    // SAFETY: the array has room for both descriptors; the first one is this socket's alone.
    let socket = unsafe {
        let (family, kind) = (libc::AF_UNIX, libc::SOCK_RAW);
        result(libc::socketpair(family, kind, 0, ends.as_mut_ptr()))?;
        UnixDatagram::from_raw_fd(ends[0])
    };
    socket.send_to(b"x", to.word(0)).map(drop)
}

/// Room for one descriptor beside a message, `cmsg(3)`.
#[repr(C, align(8))]
struct Beside([u8; 24]);

fn message(byte: &mut libc::iovec, beside: &mut Beside) -> libc::msghdr {
    // SAFETY: a message of nothing is valid.
    let mut message: libc::msghdr = unsafe { MaybeUninit::zeroed().assume_init() };
    message.msg_iov = byte;
    message.msg_iovlen = 1;
    message.msg_control = beside.0.as_mut_ptr().cast();
    message.msg_controllen = beside.0.len();
    message
}

/// Hands over a descriptor to whoever has called.
pub fn hand_over(caller: &UnixStream, given: i32) -> io::Result<()> {
    let mut bytes = *b"the-descriptor";
    let mut byte = libc::iovec {
        iov_base: bytes.as_mut_ptr().cast(),
        iov_len: bytes.len(),
    };
    let mut beside = Beside([0; 24]);
    let message = message(&mut byte, &mut beside);
    // SAFETY: there is room for a head and one descriptor.
    unsafe {
        let head = libc::CMSG_FIRSTHDR(&raw const message);
        (*head).cmsg_level = libc::SOL_SOCKET;
        (*head).cmsg_type = libc::SCM_RIGHTS;
        (*head).cmsg_len = 20;
        libc::CMSG_DATA(head).cast::<i32>().write_unaligned(given);
        result(libc::sendmsg(caller.as_raw_fd(), &raw const message, 0) as i64).map(drop)
    }
}

/// Calls a process outside, which hands over a descriptor of the secret.
fn be_given_a_descriptor(to: &Arguments) -> io::Result<()> {
    let stream = UnixStream::connect(to.word(0))?;
    let mut bytes = [0_u8; 32];
    let mut byte = libc::iovec {
        iov_base: bytes.as_mut_ptr().cast(),
        iov_len: bytes.len(),
    };
    let mut beside = Beside([0; 24]);
    let mut message = message(&mut byte, &mut beside);
    // SAFETY: there is room for a head and one descriptor, and the head is looked at.
    let given = unsafe {
        result(libc::recvmsg(stream.as_raw_fd(), &raw mut message, 0) as i64)?;
        let head = libc::CMSG_FIRSTHDR(&raw const message);
        if head.is_null() || (*head).cmsg_type != libc::SCM_RIGHTS {
            return Err(io::Error::other("no descriptor came"));
        }
        let given = libc::CMSG_DATA(head).cast::<i32>().read_unaligned();
        libc::lseek(given, 0, libc::SEEK_SET);
        given
    };
    read(given)
}

fn new_socket(family: i32, kind: i32, protocol: i32) -> io::Result<i32> {
    // SAFETY: takes numbers.
    descriptor(unsafe { libc::socket(family, kind, protocol) })
}

fn loopback(port: i32) -> libc::sockaddr_in {
    let address = SocketAddrV4::new(Ipv4Addr::LOCALHOST, port.try_into().unwrap());
    libc::sockaddr_in {
        sin_family: libc::AF_INET.try_into().unwrap(),
        sin_port: address.port().to_be(),
        sin_addr: libc::in_addr {
            s_addr: u32::from(*address.ip()).to_be(),
        },
        sin_zero: [0; 8],
    }
}

/// The length of such an address.
pub const LENGTH: u32 = 16;

fn connect_by(socket: i32, port: i32) -> io::Result<()> {
    let address = loopback(port);
    // SAFETY: the address has the length that is passed; the socket is this process's own.
    unsafe {
        result(libc::connect(socket, (&raw const address).cast(), LENGTH))?;
        heard(std::fs::File::from_raw_fd(socket))
    }
}

fn connect_tcp(to: &Arguments) -> io::Result<()> {
    connect_by(new_socket(libc::AF_INET, libc::SOCK_STREAM, 0)?, to.int(0))
}

fn connect_multipath_tcp(to: &Arguments) -> io::Result<()> {
    let multipath = libc::IPPROTO_MPTCP;
    connect_by(
        new_socket(libc::AF_INET, libc::SOCK_STREAM, multipath)?,
        to.int(0),
    )
}

fn listen_tcp(_: &Arguments) -> io::Result<()> {
    let socket = new_socket(libc::AF_INET, libc::SOCK_STREAM, 0)?;
    let address = loopback(0);
    // SAFETY: the address has the length that is passed.
    unsafe {
        result(libc::bind(socket, (&raw const address).cast(), LENGTH))?;
        result(libc::listen(socket, 1)).map(drop)
    }
}

fn send_udp(to: &Arguments) -> io::Result<()> {
    let socket = std::net::UdpSocket::bind("127.0.0.1:0")?;
    socket.set_read_timeout(Some(Duration::from_secs(5)))?;
    socket.send_to(b"x", (Ipv4Addr::LOCALHOST, to.int(0).try_into().unwrap()))?;
    socket.recv(&mut [0; 64]).map(drop)
}

fn socket(to: &Arguments) -> io::Result<()> {
    new_socket(to.int(0), to.int(1), to.int(2)).map(drop)
}

fn pair(to: &Arguments) -> io::Result<()> {
    let mut ends = [0; 2];
    // SAFETY: the array has room for both descriptors.
    result(unsafe { libc::socketpair(to.int(0), to.int(1), 0, ends.as_mut_ptr()) }).map(drop)
}

/// Makes a socket of any kind and protocol of any family but those named.
fn any_socket(but: &Arguments) -> io::Result<()> {
    let flags = libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    let mut last = io::ErrorKind::Other.into();
    for family in (1..=46).filter(|family| *family != but.int(0)) {
        for kind in 1..=10 {
            for protocol in [0, 1, 3, 6, 17, 255] {
                match new_socket(family, kind | flags, protocol) {
                    Ok(_) => return Ok(()),
                    Err(error) => last = error,
                }
            }
        }
    }
    Err(last)
}

/// Makes a socket by the system call of a program of 32 bits.
fn socket_as_32_bits(_: &Arguments) -> io::Result<()> {
    #[cfg(target_arch = "x86_64")]
    {
        const SOCKET: i64 = 359;
        let of_tcp = [libc::AF_INET, libc::SOCK_STREAM, 0].map(i64::from);
        // SAFETY: takes numbers.
        unsafe { crate::attack_files::call_as_32_bits(SOCKET, of_tcp) }.map(drop)
    }
    #[cfg(not(target_arch = "x86_64"))]
    Err(io::ErrorKind::Unsupported.into())
}

/// Makes a socket by the system call of a program of 64 bits whose addresses have 32.
fn socket_as_x32(_: &Arguments) -> io::Result<()> {
    const X32: libc::c_long = 0x4000_0000;
    let call = libc::SYS_socket | X32;
    // SAFETY: takes numbers.
    result(unsafe { libc::syscall(call, libc::AF_INET, libc::SOCK_STREAM, 0) }).map(drop)
}
