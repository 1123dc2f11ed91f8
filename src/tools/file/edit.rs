//! file-edit: exact text in a file, replaced by other text.

use std::path::Path;

use crate::basics::words::plural;
use crate::contract::failure::{Code, Failure};
use crate::contract::notes::Notes;
use crate::contract::reply::Reply;
use crate::contract::request::Request;
use crate::contract::terms::Terms;
use crate::contract::tool::{
    AccessScope, ExitCodes, Family, FieldRole, SampleCall, Tool, ToolHints, ToolManual, ToolSet,
};
use crate::files::{self, EditError};
use crate::paths::PathWant;
use crate::tools::file::{edit_note, failure};

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "file_edit",
    link: "file-edit",
    family: Family::Local,
    set: ToolSet::Local,
    offered: true,
    schema: include_str!("../schemas/file_edit.json"),
    model_schema: include_str!("../schemas/for_models/file_edit.json"),
    host_words: None,
    aliases: &[
        ("path", "file_path"),
        ("filePath", "file_path"),
        ("filename", "file_path"),
        ("old_str", "old_string"),
        ("new_str", "new_string"),
    ],
    output_schema: None,
    own_limit: None,
    artifacts: false,
    title: "Edit a file",
    hints: ToolHints {
        read_only: false,
        destructive: true,
        idempotent: false,
        open_world: false,
    },
    scope: AccessScope::File("file_path"),
    at_once: None,
    manual: ToolManual {
        text: "\
Replaces text that stands exactly once in a file, or, with `replace_all`, wherever it stands; byte
for byte, and nothing else of the file changes. In a file whose lines all end in CRLF, line feeds
in the texts mean that. What is not found so is not replaced: a note says what is nearest. The
file has the new content whole or is as it was; mode, owner, attributes and links stay.",
        example: r#"{"file_path":"/tmp/hello.txt","old_string":"world","new_string":"reader"}"#,
        environment: &[],
    },
    account: None,
    fields: &[
        ("output", FieldRole::Output),
        ("replacements", FieldRole::Silent),
    ],
    exits: ExitCodes::USUAL,
    less: "",
    sample: Some(SampleCall {
        file: Some(("edit.txt", "hello\n")),
        request: r#"{"file_path":"edit.txt","old_string":"hello","new_string":"bye"}"#,
        answer: "Replaced 1 occurrence",
    }),
    run,
    from_cache: None,
};

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let path = request.required_text("file_path")?;
    let old = request.required_text("old_string")?;
    let new = request.required_text("new_string")?;
    let all = request.flag("replace_all")?;
    if old.is_empty() {
        return Err(
            Failure::new(Code::InvalidArg, "old_string cannot be empty").with_note(
                "To insert text, send a line that is in the file as old_string, and that line with \
                 the new text as new_string; to make a file, use file_write.",
            ),
        );
    }
    if old == new {
        return Err(
            Failure::new(Code::InvalidArg, "old_string and new_string are identical").with_note(
                "Nothing would change. new_string must be the text you want in place of old_string.",
            ),
        );
    }
    let longest = request.terms().max_answer;
    let end = request.terms().deadline.map(|deadline| deadline.end);
    let edited = files::edit(Path::new(path), old.as_bytes(), new.as_bytes(), all, end)
        .map_err(|error| edit_failure(path, &error, request.terms()))?;
    let mut notes = Notes::default();
    notes.add(edit_note::line_ends(edited.line_ends, new));
    notes.quote(
        edited
            .nearest
            .map(|nearest| edit_note::not_found(path, &nearest, longest)),
    );
    Ok(Reply::new(move |object| {
        let replacements = edited.replacements;
        let plural = plural(replacements);
        let name = object.spell_names(failure::base_name(path)).into_owned();
        object.field(
            "output",
            &format!("Replaced {replacements} occurrence{plural} in {name}"),
        )?;
        object.field("replacements", &replacements)?;
        object.note(notes);
        Ok(())
    }))
}

fn edit_failure(path: &str, error: &EditError, terms: &Terms) -> Failure {
    match error {
        EditError::NotFound(nearest) => Failure::new(Code::NotFound, "String not found in file")
            .with_quotation(edit_note::not_found(path, nearest, terms.max_answer)),
        EditError::NotUnique { count, lines } => Failure::new(
            Code::NotUnique,
            format!("String found {count} times, use replace_all to replace all"),
        )
        .with_note(edit_note::not_unique(*count, lines)),
        EditError::File(error) => failure::with_note(path, error, PathWant::File, terms.reader),
    }
}
