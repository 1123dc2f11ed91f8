//! The executable: hands the arguments to the entry and returns its exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    ikigai_tools::entry::run(std::env::args_os())
}
