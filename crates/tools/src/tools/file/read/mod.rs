//! file-read: a file's content, whole or a window of its lines.
//!
//! | module | contents |
//! |---|---|
//! | `lines` | a file's own lines |
//! | `image` | what a model gets of an image and other files that are no text |
//! | `document` | PDF files, Office documents and the like, as Markdown |
//! | `other_encodings` | text in other encodings |
//! | `directory` | the entries of a directory |
//! | `converted_text` | lines of a text that no file has |

mod converted_text;
mod directory;
mod document;
mod image;
mod lines;
mod other_encodings;

use std::path::Path;

use crate::contract::call_terms::Audience;
use crate::contract::failure::Failure;
use crate::contract::reply::Reply;
use crate::contract::request::Request;
use crate::contract::tool::{AccessScope, FieldRole, Tool, ToolManual};
use crate::tools::file::failure;
use iki_files::{self as files, FileAccessError, FirstLine};
use iki_search::missing_paths::PathWant;
use lines::LineRange;

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "file_read",
    link: "file-read",
    schema: include_str!("../../schemas/file_read.json"),
    model_schema: include_str!("../../schemas/for_models/file_read.json"),
    host_schema: Some(include_str!("../../schemas/for_hosts/file_read.json")),
    title: "Read a file",
    scope: AccessScope::File("file_path"),
    manual: ToolManual(include_str!("../../manuals/file_read.txt")),
    fields: &[("output", FieldRole::Content)],
    how_to_get_less: "To have less, ask for a window of lines with `offset` and `limit`.",
    run,
    ..Tool::PLAIN
};

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let path = request.required_text("file_path")?;
    let offset = request.number("offset")?.unwrap_or(1);
    let limit = request.integer("limit", 1..=u64::MAX)?;
    let lines = u64::try_from(offset.unsigned_abs()).unwrap_or(u64::MAX);
    let first = if offset < 0 {
        FirstLine::FromEnd(lines)
    } else {
        FirstLine::Number(lines)
    };
    let window = LineRange { path, first, limit };
    let terms = request.terms();
    let end = terms.work_end();
    let reader = terms.reader;
    // Hosts were promised the bytes of files.
    let takes_all = reader != Audience::Host;
    let content = match files::read(Path::new(path), first, limit, end) {
        Ok(content) => content,
        Err(FileAccessError::Open(_)) if takes_all && Path::new(path).is_dir() => {
            return directory::reply(&window, end);
        }
        Err(error) => return Err(failure::with_note(path, &error, PathWant::File, terms)),
    };
    let mut remark = None;
    if takes_all {
        match document::reply(&window, &content, terms)? {
            Ok(reply) => return Ok(reply),
            Err(why) => remark = why,
        }
    }
    if takes_all && let Some(reply) = other_encodings::reply(&window, &content, terms)? {
        return Ok(reply);
    }
    let facts = *content.facts();
    if let (Audience::Model, Some(kind)) = (reader, facts.kind) {
        return image::reply(path, kind, &content, terms);
    }
    Ok(Reply::new(move |object| {
        object.note(remark);
        window.answer(content, object)
    }))
}
