//! The executable: hands the arguments to the entry and returns its exit code.

use std::process::ExitCode;

#[cfg(any(target_env = "musl", test))]
mod allocator;

#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator::new();

fn main() -> ExitCode {
    ikigai_tools::entry::run(std::env::args_os())
}
