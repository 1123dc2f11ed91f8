//! The executable: hands the arguments to the door and returns its exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    ikigai_tools::cli::run(std::env::args_os())
}
