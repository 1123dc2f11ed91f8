//! One call of a host: a JSON object in on stdin, one out on stdout.

use std::io::{self, BufWriter, ErrorKind, Read, Write};

use super::Exit;
use crate::reply::Object;
use crate::request::Request;
use crate::tool::{Failure, Family, Tool};

/// How much of an answer is gathered before it is written, in bytes: what stands around texts, which come in larger
/// pieces already.
const BUFFER: usize = 1024;

/// Answers the request on stdin.
pub fn answer(tool: &Tool) -> Exit {
    let mut input = Vec::new();
    let read = Stdin.read_to_end(&mut input);
    let request = match &read {
        Ok(_) => Request::parse(&input),
        Err(error) => Err(Failure::bad_request(format!(
            "stdin cannot be read: {error}"
        ))),
    };
    let reply = request
        .as_ref()
        .map_err(Clone::clone)
        .and_then(|request| (tool.run)(request));
    let mut out = BufWriter::with_capacity(BUFFER, Stdout);
    let (written, exit) = match reply {
        Ok(reply) => {
            let written = write_object(&mut out, |object| {
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
                let _ = writeln!(io::stderr(), "{}: {}", tool.link, failure.message);
            }
            if let Some(event) = &failure.event {
                let _ = writeln!(io::stderr(), "{event}");
            }
            let written = write_object(&mut out, |object| {
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
    match written.and_then(|()| out.flush()) {
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

fn write_object(
    out: &mut impl Write,
    fields: impl FnOnce(&mut Object<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let mut object = Object::open(out)?;
    fields(&mut object)?;
    object.close()
}

/// The process's stdin without the buffer that the standard library puts behind it.
struct Stdin;

impl Read for Stdin {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(rustix::stdio::stdin(), bytes)?)
    }
}

/// The process's stdout without the line buffer that the standard library puts before it.
struct Stdout;

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(rustix::stdio::stdout(), bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
