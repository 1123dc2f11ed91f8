//! Attacks by operations that are no system calls: `io_uring(7)`.

use std::io;

use crate::attack::{Arguments, Attack, descriptor, read, result};

pub const ALL: &[(&str, Attack)] = &[("ring-read", ring_read), ("ring-socket", ring_socket)];

/// Operations, and where the parts of a ring are to be mapped: `linux/io_uring.h`.
const OPEN: u8 = 18;
const SOCKET: u8 = 45;
const REQUESTS: i64 = 0x1000_0000;
const QUEUE: i64 = 0;
const ANSWERS: i64 = 0x0800_0000;
const WAIT: u32 = 1;

#[repr(C)]
#[derive(Default)]
struct Offsets {
    head: u32,
    tail: u32,
    mask: u32,
    entries: u32,
    /// Of the queue the flags, of the answers what was lost.
    other: u32,
    /// Of the queue what was left out, of the answers where they begin.
    next: u32,
    array_or_flags: u32,
    reserved: u32,
    address: u64,
}

#[repr(C)]
#[derive(Default)]
struct Parameters {
    numbers: [u32; 10],
    queue: Offsets,
    answers: Offsets,
}

/// A request, of which only these parts are used.
#[repr(C)]
struct Request {
    operation: u8,
    flags: u8,
    priority: u16,
    descriptor: i32,
    offset: u64,
    address: u64,
    length: u32,
    rest: [u32; 9],
}

/// Carries out one operation; returns what it returned.
fn carry_out(request: Request) -> io::Result<i32> {
    let mut parameters = Parameters::default();
    // SAFETY: the kernel fills in the parameters, and says where in its maps everything is. One
    // request is laid there, at the first place, and one answer is read.
    unsafe {
        let setup = libc::SYS_io_uring_setup;
        let ring = descriptor(libc::syscall(setup, 4, &raw mut parameters))?;
        let map = |place: i64| {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            libc::mmap(
                std::ptr::null_mut(),
                4096,
                access,
                libc::MAP_SHARED,
                ring,
                place,
            )
            .cast::<u64>()
        };
        let (queue, answers, requests) = (map(QUEUE), map(ANSWERS), map(REQUESTS));
        requests.cast::<Request>().write(request);
        let word = |base: *mut u64, at: u32| base.cast::<u32>().add(at as usize / 4);
        word(queue, parameters.queue.array_or_flags).write(0);
        word(queue, parameters.queue.tail).write_volatile(1);
        let nothing = std::ptr::null::<u8>();
        result(libc::syscall(
            libc::SYS_io_uring_enter,
            ring,
            1,
            1,
            WAIT,
            nothing,
            0,
        ))?;
        // An answer is the request's own number, of eight bytes, and what was returned.
        let returned = word(answers, parameters.answers.next + 8)
            .read_volatile()
            .cast_signed();
        if returned < 0 {
            return Err(io::Error::from_raw_os_error(-returned));
        }
        Ok(returned)
    }
}

fn request(operation: u8, descriptor: i32, offset: u64, address: u64, length: u32) -> Request {
    Request {
        operation,
        flags: 0,
        priority: 0,
        descriptor,
        offset,
        address,
        length,
        rest: [0; 9],
    }
}

fn ring_read(to: &Arguments) -> io::Result<()> {
    let path = to.path(0);
    let address = path.as_ptr() as u64;
    read(carry_out(request(OPEN, libc::AT_FDCWD, 0, address, 0))?)
}

fn ring_socket(_: &Arguments) -> io::Result<()> {
    let kind = u64::try_from(libc::SOCK_STREAM).unwrap();
    carry_out(request(SOCKET, libc::AF_INET, kind, 0, 0)).map(drop)
}
