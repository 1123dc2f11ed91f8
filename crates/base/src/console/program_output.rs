//! Output on stdout and usage errors on stderr, for people and outside a call.

use std::io::{self, ErrorKind, Write};

use crate::console::exit::{PROGRAM, ProgramExit};
use crate::console::streams::RawStdout;

/// Prints `text` on stdout.
#[expect(
    clippy::must_use_candidate,
    reason = "some go on whatever became of it"
)]
pub fn print(text: &str) -> ProgramExit {
    match RawStdout::default().write_all(text.as_bytes()) {
        Ok(()) => ProgramExit::Success,
        // A reader that closed the pipe has read what it wanted.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ProgramExit::Success,
        Err(error) => {
            let _ = writeln!(
                io::stderr(),
                "{PROGRAM}: stdout cannot be written to: {error}"
            );
            ProgramExit::Failure
        }
    }
}

/// The name and version.
#[must_use]
pub fn version() -> String {
    format!("{PROGRAM} {}\n", env!("CARGO_PKG_VERSION"))
}

/// Reports on stderr that the tool, called as `invocation`, was given no fields.
#[expect(
    clippy::must_use_candidate,
    reason = "some go on whatever became of it"
)]
pub fn report_no_fields(invocation: &str) -> ProgramExit {
    report_usage(&format!(
        "{invocation}: no fields are given, and stdin is a terminal; see `{invocation} --help`"
    ))
}

/// Reports `message` as a usage error on stderr.
#[expect(
    clippy::must_use_candidate,
    reason = "some go on whatever became of it"
)]
pub fn report_usage(message: &str) -> ProgramExit {
    let _ = writeln!(io::stderr(), "{message}");
    ProgramExit::Usage
}
