//! file-write: a file's new content, whole or not at all.

use std::path::Path;

use crate::contract::call_terms::Audience;
use crate::contract::failure::{ErrorCode, Failure};
use crate::contract::notes::Notes;
use crate::contract::reply::Reply;
use crate::contract::request::Request;
use crate::contract::tool::{AccessScope, FieldRole, Tool, ToolHints, ToolManual};
use crate::tools::file::{failure, paths, write_note};
use iki_files::{self as files, CreatedDirectories, ErrorReason, FileAccessError};
use iki_process::sandbox::confinement;
use iki_search::missing_paths::{self, PathObstacle, PathWant};

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "file_write",
    link: "file-write",
    schema: include_str!("../schemas/file_write.json"),
    model_schema: include_str!("../schemas/for_models/file_write.json"),
    host_schema: Some(include_str!("../schemas/for_hosts/file_write.json")),
    title: "Write a file",
    hints: ToolHints {
        read_only: false,
        destructive: true,
        idempotent: true,
        open_world: false,
    },
    scope: AccessScope::File("file_path"),
    manual: ToolManual(include_str!("../manuals/file_write.txt")),
    fields: &[("output", FieldRole::Output), ("bytes", FieldRole::Silent)],
    run,
    ..Tool::PLAIN
};

/// The most bytes of a file's old content that are looked at.
const MAX_COMPARED_BYTES: usize = 16 * 1024 * 1024;

/// Maximum number of retries of a write whose directory another call has taken away, which each
/// call does at most once.
const MAX_RETRIES: usize = 10;

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let path = request.required_text("file_path")?;
    let content = request.required_text("content")?;
    let is_for_new = request.has("only if new");
    let why = if request.is_denied("overwrite")? {
        Some("overwrite is false")
    } else {
        is_for_new.then_some("only a new file was asked for")
    };
    let exists = Path::new(path).symlink_metadata().is_ok();
    let why = match why {
        Some(why) if exists => Some(format!("exists, and {why}")),
        _ if !exists && request.is_denied("create")? => {
            Some("does not exist, and create is false".to_owned())
        }
        _ => None,
    };
    if let Some(why) = why {
        let message = format!("{path} {why}, so nothing was written");
        return Err(Failure::new(ErrorCode::InvalidArg, message));
    }
    let similar = (!exists).then(|| paths::similar_path(path)).flatten();
    let reader = request.terms().reader;
    let end = request.terms().deadline.map(|deadline| deadline.end);
    let failed = |error| failure::with_note(path, &error, PathWant::Name, request.terms());
    // Hosts, too, are told of a loss.
    let old = (reader != Audience::Host || content.contains('\u{FFFD}'))
        .then(|| files::read_beginning(Path::new(path), MAX_COMPARED_BYTES, end));
    let makes_directories = !request.is_denied("create_dirs")? && reader != Audience::Host;
    let mut more_tries = 0..MAX_RETRIES;
    let mut made = CreatedDirectories::default();
    loop {
        let makes = makes_directories && is_missing_directory(path);
        let is_made = if makes {
            made.make_above(Path::new(path))
        } else {
            Ok(())
        };
        match is_made.and_then(|()| files::write(Path::new(path), content.as_bytes(), end)) {
            Err(FileAccessError::NotFound) if makes_directories && more_tries.next().is_some() => {}
            // Not the file but its directory is missing; the specification calls that a file that
            // cannot be opened.
            Err(FileAccessError::NotFound) => {
                return Err(failed(FileAccessError::Open(ErrorReason::default())));
            }
            written => break written.map_err(failed)?,
        }
    }
    let mut notes = Notes::default();
    let name = paths::base_name(path);
    let made = made.keep().map(|made| {
        let made = paths::quoted(&made);
        format!("The directory {made} was made for it")
    });
    let new = || format!("This created a new file named {name:?}");
    if let Some(made) = made.or_else(|| similar.as_ref().map(|_| new())) {
        let similar = similar.map(|path| format!("; {path:?} is there as well"));
        notes.add(format!("{made}{}.", similar.unwrap_or_default()));
    }
    match old.flatten() {
        Some((old, _)) if reader == Audience::Host => {
            notes.add(write_note::replacement(&old, content).map(String::from));
        }
        Some((old, is_whole)) => notes.add(write_note::replaced(&old, is_whole, content)),
        // A host's new file is what its model has made up.
        None if reader == Audience::Host => {}
        None => notes.add(write_note::replacement(b"", content).map(String::from)),
    }
    notes.add(write_note::unescaped("content", content));
    Ok(Reply::new(move |object| {
        let bytes = content.len();
        let name = object.spell_names(name).into_owned();
        let output = format!("Wrote {bytes} bytes to {name}");
        object.field("output", &output)?;
        object.field("bytes", &bytes)?;
        object.note(notes);
        Ok(())
    }))
}

/// True if the file needs directories that are missing, and its path is written as it was meant.
fn is_missing_directory(path: &str) -> bool {
    let reach = confinement::is_within_reach;
    let obstacle = missing_paths::path_obstacle(Path::new(path), reach);
    let needs =
        matches!(obstacle, Some(PathObstacle::Missing { is_whole_path, .. }) if !is_whole_path);
    needs
        && !path.ends_with('/')
        && !paths::is_web_address(path)
        && missing_paths::meant_path(path, PathWant::Name, reach).is_none()
}
