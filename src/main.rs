//! The executable: hands the arguments to the entry and returns its exit code.

use std::process::ExitCode;

use ikigai_tools::memory::{Memory, Room, SIZE};

// Apart from the variables of the program, so that these can lie on few pages (packaging/order.ld).
#[unsafe(link_section = ".bss.room.memory")]
static ROOM: Room<SIZE> = Room::new();

#[global_allocator]
static MEMORY: Memory<SIZE> = Memory::new(&ROOM);

fn main() -> ExitCode {
    ikigai_tools::entry::run(std::env::args_os())
}
