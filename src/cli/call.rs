//! One call of a tool: for a host a JSON object in and one out, for a person at a terminal the answer as text.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Read, Write};

use super::show::{self, Screen};
use super::streams::{Stdin, Stdout};
use super::{Exit, harmless};
use crate::failure::Failure;
use crate::reply::Object;
use crate::request::Request;
use crate::tool::{Family, Tool};

/// How much of an answer is gathered before it is written, in bytes: what stands around texts, which come in larger
/// pieces already.
const BUFFER: usize = 1024;

/// Answers the request on stdin as a host wants it.
pub fn answer(tool: &Tool) -> Exit {
    let input = read(Stdin, "stdin");
    as_json(tool, input.as_deref().map_err(Clone::clone))
}

/// Answers the request in `file` (`-` is stdin) as a host wants it.
pub fn answer_file(tool: &Tool, file: &OsStr) -> Exit {
    if file == "-" {
        return answer(tool);
    }
    let name = file.to_string_lossy();
    let input = match File::open(file) {
        Ok(file) => read(file, &name),
        Err(error) => Err(unreadable(&name, &error)),
    };
    as_json(tool, input.as_deref().map_err(Clone::clone))
}

fn read(mut from: impl Read, name: &str) -> Result<Vec<u8>, Failure> {
    let mut input = Vec::new();
    match from.read_to_end(&mut input) {
        Ok(_) => Ok(input),
        Err(error) => Err(unreadable(name, &error)),
    }
}

fn unreadable(name: &str, error: &io::Error) -> Failure {
    Failure::bad_request(format!("{name} cannot be read: {error}"))
}

/// Answers `input` with one JSON object.
pub fn as_json(tool: &Tool, input: Result<&[u8], Failure>) -> Exit {
    let request = input.and_then(Request::parse);
    let reply = request
        .as_ref()
        .map_err(Clone::clone)
        .and_then(|request| (tool.run)(request));
    let mut out = BufWriter::with_capacity(BUFFER, Stdout::default());
    let mut terminal;
    let sink: &mut dyn Write = if io::stdout().is_terminal() {
        terminal = harmless::Json(&mut out);
        &mut terminal
    } else {
        &mut out
    };
    let (written, exit) = match reply {
        Ok(reply) => {
            let written = write_object(sink, |object| {
                if tool.family == Family::Web {
                    object.field("success", &true)?;
                }
                reply.write(object)
            });
            (written, Exit::Success)
        }
        Err(failure) => {
            if failure.bad_request {
                // A host that has closed stderr misses nothing that is not on stdout.
                let message = harmless::shown(&failure.message);
                let _ = writeln!(io::stderr(), "{}: {message}", tool.link);
            }
            if let Some(event) = &failure.event {
                let _ = writeln!(io::stderr(), "{event}");
            }
            let written = write_object(sink, |object| {
                if tool.family == Family::Web {
                    object.field("success", &false)?;
                }
                object.field("error", &failure.message)?;
                object.field("error_code", failure.code.as_str())
            });
            let answered = tool.family == Family::Local && !failure.bad_request;
            (
                written,
                if answered {
                    Exit::Success
                } else {
                    Exit::Failure
                },
            )
        }
    };
    ended(tool, written.and_then(|()| out.flush()), exit)
}

/// Answers `input` to whoever sits at the terminal on stdout. Any failure exits 1, a command's own exit code is passed
/// on.
pub fn as_text(tool: &Tool, input: &[u8]) -> Exit {
    let request = Request::parse(input);
    let reply = request
        .as_ref()
        .map_err(Clone::clone)
        .and_then(|request| (tool.run)(request));
    let reply = match reply {
        Ok(reply) => reply,
        Err(failure) => {
            show::complain(tool.command(), &failure.message);
            return Exit::Failure;
        }
    };
    let mut screen = Screen::new(tool);
    let written = reply.write(&mut Object::shown(&mut screen));
    match written.and_then(|()| screen.finish()) {
        Ok(exit) => exit,
        Err(error) => ended(tool, Err(error), Exit::Failure),
    }
}

fn write_object(
    out: &mut dyn Write,
    fields: impl FnOnce(&mut Object<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let mut object = Object::open(out)?;
    fields(&mut object)?;
    object.close()
}

fn ended(tool: &Tool, written: io::Result<()>, exit: Exit) -> Exit {
    match written {
        Ok(()) => exit,
        // Whoever closed the pipe has read what they wanted.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => exit,
        Err(error) => {
            let _ = writeln!(
                io::stderr(),
                "{}: the answer cannot be written: {error}",
                tool.link
            );
            Exit::Failure
        }
    }
}
