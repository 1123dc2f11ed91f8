//! file-read: a file's content, whole or a window of its lines.

use std::path::Path;

use crate::contract::failure::Failure;
use crate::contract::reply::Reply;
use crate::contract::request::Request;
use crate::contract::tool::{Exits, Family, Hints, Manual, Part, Sample, Scope, Tool};
use crate::files::{self, Interrupted};
use crate::tools::file_failure;

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "file_read",
    link: "file-read",
    family: Family::Local,
    schema: include_str!("schemas/file_read.json"),
    model_schema: include_str!("schemas/for_models/file_read.json"),
    title: "Read a file",
    hints: Hints::LOOKS,
    scope: Scope::File("file_path"),
    at_once: None,
    manual: Manual {
        text: "\
Answers with a file's content as it is, newlines and all. `offset` is the first line wanted, from
1; `limit` is how many; beyond the end there is nothing, which is no error. What is not UTF-8
comes as U+FFFD. Regular files only, and what reads like one: nothing is ever waited for.",
        example: r#"{"file_path":"/etc/passwd","limit":1}"#,
        environment: &[],
    },
    account: None,
    fields: &[("output", Part::Content)],
    exits: Exits::USUAL,
    less: "To have less, ask for a window of lines with `offset` and `limit`.",
    sample: Some(Sample {
        file: Some(("note.txt", "hello\n")),
        request: r#"{"file_path":"note.txt"}"#,
        answer: "hello",
    }),
    run,
};

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let path = request.required_text("file_path")?;
    let offset = request.integer("offset", 1..=u64::MAX)?;
    let limit = request.integer("limit", 1..=u64::MAX)?;
    let content = files::read(Path::new(path), offset.unwrap_or(1), limit)
        .map_err(|error| file_failure::of(path, &error))?;
    Ok(Reply::new(move |object| {
        let mut output = object.text("output")?;
        let passed_on = content.pass_on(&mut output);
        output.close()?;
        match passed_on {
            Ok(()) => Ok(()),
            Err(Interrupted::Sink(error)) => Err(error),
            // A disk that fails midway: the beginning has been answered, and why it ends there
            // belongs to it.
            Err(Interrupted::File(error)) => object.break_off(&file_failure::of(path, &error)),
        }
    }))
}
