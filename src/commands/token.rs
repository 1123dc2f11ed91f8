//! A token for a client of a server over HTTP.

use std::io::{self, Write};
use std::path::Path;

use iki_base::console::exit::{PROGRAM, ProgramExit};
use iki_base::console::streams::RawStdout;
use iki_mcp::access::{self, NewToken, TokenFileError};

/// Makes a token for the holder called `name`, and prints it. Its line goes into `file`, or to
/// stderr if `file` is not given.
pub fn run(name: &str, file: Option<&Path>) -> ProgramExit {
    match make(name, file) {
        Ok(()) => ProgramExit::Success,
        Err(reason) => {
            log_line(&reason);
            ProgramExit::Failure
        }
    }
}

fn make(name: &str, file: Option<&Path>) -> Result<(), String> {
    let new = NewToken::make(name).map_err(|fault| match fault {
        TokenFileError::InvalidName => format!("`{}` is no name: {fault}", name.escape_debug()),
        fault => fault.to_string(),
    })?;
    if let Some(file) = file {
        access::add_token(file, &new).map_err(|fault| format!("{} {fault}", file.display()))?;
    }
    let printed = RawStdout::default().write_all(format!("{}\n", new.token).as_bytes());
    printed.map_err(|error| match file {
        Some(file) => format!(
            "the token cannot be printed: {error}. Nobody knows it now: take the line of {name} \
             out of {}",
            file.display()
        ),
        None => format!("the token cannot be printed: {error}"),
    })?;
    log_line(&format!(
        "this is the token of {name}; it is not stored, so keep it as a password. Clients send it \
         as the header `Authorization: Bearer TOKEN`"
    ));
    if let Some(file) = file {
        log_line(&format!(
            "its line is in {} now; a running server reads that on SIGHUP",
            file.display()
        ));
    } else {
        log_line(
            "put this line into the server's file of tokens (--tokens FILE, mode 0600), and send \
             a server that runs SIGHUP:",
        );
        let _ = writeln!(io::stderr(), "{}", new.line);
    }
    Ok(())
}

fn log_line(line: &str) {
    // A log without a reader is not a reason to stop.
    let _ = writeln!(io::stderr(), "{PROGRAM} token: {line}");
}
