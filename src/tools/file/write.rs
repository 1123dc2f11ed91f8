//! file-write: a file's new content, whole or not at all.

use std::path::Path;

use crate::contract::failure::Failure;
use crate::contract::reply::Reply;
use crate::contract::request::Request;
use crate::contract::tool::{
    AccessScope, ExitCodes, Family, FieldRole, SampleCall, Tool, ToolHints, ToolManual, ToolSet,
};
use crate::files::{self, ErrorReason, FileAccessError};
use crate::paths::PathWant;
use crate::tools::file::failure;

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "file_write",
    link: "file-write",
    family: Family::Local,
    set: ToolSet::Local,
    offered: true,
    schema: include_str!("../schemas/file_write.json"),
    model_schema: include_str!("../schemas/for_models/file_write.json"),
    host_words: None,
    aliases: &[
        ("path", "file_path"),
        ("filePath", "file_path"),
        ("filename", "file_path"),
    ],
    output_schema: None,
    own_limit: None,
    artifacts: false,
    title: "Write a file",
    hints: ToolHints {
        read_only: false,
        destructive: true,
        idempotent: true,
        open_world: false,
    },
    scope: AccessScope::File("file_path"),
    at_once: None,
    manual: ToolManual {
        text: "\
Gives a file the content, whole or not at all, and makes it if it is not there; its directory must
be. Symbolic links are followed. Mode, owner, attributes and hard links of a file that is
overwritten stay as they are.",
        example: r#"{"file_path":"/tmp/hello.txt","content":"Hello, world!\n"}"#,
        environment: &[],
    },
    account: None,
    fields: &[("output", FieldRole::Output), ("bytes", FieldRole::Silent)],
    exits: ExitCodes::USUAL,
    less: "",
    sample: Some(SampleCall {
        file: None,
        request: r#"{"file_path":"new.txt","content":"hello"}"#,
        answer: "Wrote 5 bytes",
    }),
    run,
    from_cache: None,
};

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let path = request.required_text("file_path")?;
    let content = request.required_text("content")?;
    let note = failure::made_beside(path);
    let reader = request.terms().reader;
    let end = request.terms().deadline.map(|deadline| deadline.end);
    files::write(Path::new(path), content.as_bytes(), end).map_err(|error| {
        let error = match error {
            // Not the file but its directory is missing; the specification calls that a file that
            // cannot be opened.
            FileAccessError::NotFound => FileAccessError::Open(ErrorReason::default()),
            error => error,
        };
        failure::with_note(path, &error, PathWant::Name, reader)
    })?;
    Ok(Reply::new(move |object| {
        let bytes = content.len();
        let name = object.spell_names(failure::base_name(path)).into_owned();
        let output = format!("Wrote {bytes} bytes to {name}");
        object.field("output", &output)?;
        object.field("bytes", &bytes)?;
        object.note(note);
        Ok(())
    }))
}
