//! A front end: a host's call, which is a JSON request in and one JSON object out.
//!
//! Rules: the specification's protocol of all tools, and the decisions on the host's calls.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};

use crate::console::streams::Stdin;
use crate::contract::failure::Failure;
use crate::contract::tool::{Family, Scope, Tool};
use crate::front::answer;
use crate::program::Exit;
use crate::sandbox::caller::{self, MayEnd};

/// Answers the request on stdin.
pub fn answer(tool: &Tool) -> Exit {
    caller::watch(may_end(tool));
    let input = read(Stdin, "stdin");
    answer::as_json(tool, input.as_deref().map_err(Clone::clone))
}

/// Answers the request in `file`; `-` is stdin.
pub fn answer_file(tool: &Tool, file: &OsStr) -> Exit {
    if file == "-" {
        return answer(tool);
    }
    let name = file.to_string_lossy();
    let input = match File::open(file) {
        Ok(file) => read(file, &name),
        Err(error) => Err(unreadable(&name, &error)),
    };
    answer::as_json(tool, input.as_deref().map_err(Clone::clone))
}

/// When a call of `tool` may end that nobody waits for any more.
fn may_end(tool: &Tool) -> MayEnd {
    match (tool.family, tool.scope) {
        (Family::Web, _) => MayEnd::AnytimeBesideSockets,
        (Family::Local, Scope::File(_)) if !tool.hints.read_only => MayEnd::WhileItWaits,
        (Family::Local, _) => MayEnd::Anytime,
    }
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
