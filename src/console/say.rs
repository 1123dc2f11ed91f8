//! The one way in which the program speaks to people outside a call: on stdout, and on stderr what was wrong with a
//! command line.

use std::io::{self, ErrorKind, Write};

use crate::console::sanitize;
use crate::console::streams::Stdout;
use crate::program::{Exit, PROGRAM};

/// Prints `text` on stdout.
pub fn print(text: &str) -> Exit {
    match Stdout::default().write_all(text.as_bytes()) {
        Ok(()) => Exit::Success,
        // Whoever closed the pipe has read what they wanted.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Exit::Success,
        Err(error) => {
            let _ = writeln!(
                io::stderr(),
                "{PROGRAM}: stdout cannot be written to: {error}"
            );
            Exit::Failure
        }
    }
}

/// The name and version.
pub fn version() -> String {
    format!("{PROGRAM} {}\n", env!("CARGO_PKG_VERSION"))
}

/// Says on stderr what is wrong with a command line.
pub fn misused(error: &clap::Error) -> Exit {
    complain(sanitize::shown(&error.render().to_string()).trim_end())
}

/// Says on stderr that the tool, reached by `invocation`, was given nothing to do.
pub fn nothing_given(invocation: &str) -> Exit {
    complain(&format!(
        "{invocation}: no fields are given, and stdin is a terminal; see `{invocation} --help`"
    ))
}

/// Says on stderr what was wrong.
pub fn complain(message: &str) -> Exit {
    let _ = writeln!(io::stderr(), "{message}");
    Exit::Usage
}
