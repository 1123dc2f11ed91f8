//! The one way in which the program speaks to people outside a call: output on stdout, and usage
//! errors on stderr.

use std::io::{self, ErrorKind, Write};

use crate::console::exit::{PROGRAM, ProgramExit};
use crate::console::sanitize;
use crate::console::streams::RawStdout;

/// Prints `text` on stdout.
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
pub fn version() -> String {
    format!("{PROGRAM} {}\n", env!("CARGO_PKG_VERSION"))
}

/// Reports a usage error on stderr.
pub fn misused(error: &clap::Error) -> ProgramExit {
    complain(sanitize::for_terminal(&error.render().to_string()).trim_end())
}

/// Reports on stderr that the tool, called as `invocation`, was given nothing to do.
pub fn nothing_given(invocation: &str) -> ProgramExit {
    complain(&format!(
        "{invocation}: no fields are given, and stdin is a terminal; see `{invocation} --help`"
    ))
}

/// Reports a usage error, as it is, on stderr.
pub fn complain(message: &str) -> ProgramExit {
    let _ = writeln!(io::stderr(), "{message}");
    ProgramExit::Usage
}
