//! The executable: hands the arguments to the entry, and ends as that says.

#[cfg(any(target_env = "musl", test))]
mod allocator;

#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator::new();

fn main() {
    ikigai_tools::entry::run(std::env::args_os()).end_process()
}
