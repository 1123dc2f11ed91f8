//! A front end: a host's call, which is a JSON request in and one JSON object out.
//!
//! Rules: the specification's protocol of all tools, and agreed behaviour (REFERENCE.md, "For
//! hosts").

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind, Read};

use crate::front::abort;
use iki_base::console::exit::ProgramExit;
use iki_base::console::streams::RawStdin;
use iki_files as files;
use iki_process::sandbox::caller::{self, CallerWatch};
use iki_process::sandbox::lifeline;
use iki_tools::call::answer;
use iki_tools::contract::call_terms::CallTerms;
use iki_tools::contract::failure::{ErrorCode, Failure};
use iki_tools::contract::tool::{AccessScope, EnvelopeFamily, Tool};

/// Answers the request on stdin on these terms.
pub fn answer_stdin(tool: &Tool, terms: CallTerms) -> ProgramExit {
    let mut input = read_watched(tool);
    answer::to_stdout(tool, bytes_of(&mut input), terms)
}

/// Answers one call of a server: the first line on stdin describes it, and `read_terms` makes the
/// terms of that; the request follows.
pub fn answer_call(
    tool: &Tool,
    read_terms: impl FnOnce(&[u8]) -> Option<CallTerms>,
) -> ProgramExit {
    let mut input = read_watched(tool);
    let (terms, request) = match bytes_of(&mut input) {
        Err(failure) => (None, Err(failure)),
        Ok(bytes) => {
            let end = memchr::memchr(b'\n', bytes).map_or(0, |offset| offset + 1);
            let (description, request) = bytes.split_at_mut(end);
            let unread = || Failure::bad_request("the first line on stdin describes no call");
            match read_terms(description) {
                Some(terms) => (Some(terms), Ok(request)),
                // A description that is not understood may have held a bound.
                None => (None, Err(unread())),
            }
        }
    };
    let terms = terms.unwrap_or_default();
    let exit = answer::to_stdout(tool, request, terms);
    if let Some(work) = terms
        .context
        .and_then(|context| context.after_answer.take())
    {
        // The server has the whole answer when it comes to the end of the pipe.
        if close_stdout().is_ok() {
            work();
        }
    }
    exit
}

fn close_stdout() -> io::Result<()> {
    let nowhere = File::options().write(true).open("/dev/null")?;
    Ok(rustix::stdio::dup2_stdout(nowhere)?)
}

/// Reads stdin to its end, for a call that ends early if its caller is gone.
fn read_watched(tool: &Tool) -> Result<Vec<u8>, Failure> {
    abort::install(tool.family);
    caller::watch(watch_of(tool));
    if tool.scope == AccessScope::Machine {
        lifeline::handle_sigterm();
    }
    read(RawStdin, "stdin")
}

/// Answers the request in `file` on these terms; `-` is stdin.
pub fn answer_file(tool: &Tool, file: &OsStr, terms: CallTerms) -> ProgramExit {
    if file == "-" {
        return answer_stdin(tool, terms);
    }
    let name = file.to_string_lossy();
    let mut input = match File::open(file) {
        Ok(file) => read(file, &name),
        Err(error) => Err(unreadable(&name, &error)),
    };
    answer::to_stdout(tool, bytes_of(&mut input), terms)
}

/// The times at which a call of `tool` may be ended because its caller is gone.
fn watch_of(tool: &Tool) -> CallerWatch {
    match (tool.family, tool.scope) {
        (EnvelopeFamily::Web | EnvelopeFamily::Research, _) => CallerWatch::ByThread,
        // A write that has begun is finished. Only waiting for another writer is given up.
        (EnvelopeFamily::Local, AccessScope::File(_)) if !tool.hints.read_only => {
            CallerWatch::WhenAsked(files::while_waiting)
        }
        (EnvelopeFamily::Local, _) => CallerWatch::BySignal,
    }
}

fn read(mut from: impl Read, name: &str) -> Result<Vec<u8>, Failure> {
    let mut input = Vec::new();
    match from.read_to_end(&mut input) {
        Ok(_) => Ok(input),
        Err(error) => Err(unreadable(name, &error)),
    }
}

fn bytes_of(input: &mut Result<Vec<u8>, Failure>) -> Result<&mut [u8], Failure> {
    input.as_deref_mut().map_err(|failure| failure.clone())
}

fn unreadable(name: &str, error: &io::Error) -> Failure {
    let failure = Failure::bad_request(format!("{name} cannot be read: {error}"));
    if error.kind() != ErrorKind::OutOfMemory {
        return failure;
    }
    Failure {
        code: ErrorCode::OutOfMemory,
        ..failure.with_note(
            "Nothing was done. `ulimit -v` shows the limit on this process, if it has one; send \
             less at a time.",
        )
    }
}
