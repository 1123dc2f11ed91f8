//! file-edit: exact text in a file, replaced by other text.

use std::path::Path;

use crate::contract::call_terms::{Audience, CallTerms};
use crate::contract::failure::{ErrorCode, Failure};
use crate::contract::notes::Notes;
use crate::contract::reply::Reply;
use crate::contract::request::Request;
use crate::contract::tool::{AccessScope, FieldRole, Tool, ToolHints, ToolManual};
use crate::tools::file::composed::{self, Composition};
use crate::tools::file::{edit_note, failure, paths, write_note};
use iki_base::wording::plural;
use iki_files::{
    self as files, EditError, EditOptions, EncodingObstacle, FailedEdit, FileAccessError,
    TextReplacement,
};
use iki_search::missing_paths::PathWant;

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "file_edit",
    link: "file-edit",
    schema: include_str!("../schemas/file_edit.json"),
    model_schema: include_str!("../schemas/for_models/file_edit.json"),
    title: "Edit a file",
    hints: ToolHints {
        read_only: false,
        destructive: true,
        idempotent: false,
        open_world: false,
    },
    scope: AccessScope::File("file_path"),
    manual: ToolManual(include_str!("../manuals/file_edit.txt")),
    fields: &[
        ("output", FieldRole::Output),
        ("replacements", FieldRole::Silent),
    ],
    run,
    ..Tool::PLAIN
};

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let path = request.required_text("file_path").map_err(|failure| {
        // It may have been sent within the list.
        if request.has("edits") {
            failure.with_note("It stands beside edits, and not in an object of them.")
        } else {
            failure
        }
    })?;
    let terms = request.terms();
    let list = read_edits(request, terms)?;
    let tells_lines = list.is_some() || terms.reader != Audience::Host;
    let sent = list.map_or_else(|| Ok(vec![replacement(request, terms)?]), Ok)?;
    let replacements: Vec<_> = sent
        .iter()
        .map(|edit| TextReplacement {
            old: edit.old.as_bytes(),
            new: edit.new.as_bytes(),
            replaces_all: edit.all,
            expected: edit.expected,
        })
        .collect();
    let composition = Composition::detect(Path::new(path), terms);
    if let Some(refusal) = composition.refusal(path, terms) {
        return Err(refusal);
    }
    let options = EditOptions {
        tells_lines,
        condition: composition.condition(),
        end: terms.work_end(),
    };
    let edited = files::edit(Path::new(path), &replacements, options);
    let edited = edited.map_err(|failed| {
        let failure = edit_failure(path, &failed, composition, terms);
        match failed.error {
            EditError::File(_) | EditError::Broken => failure,
            _ => number_failure(failed.index, sent.len(), failure),
        }
    })?;
    let replacements = edited.made.iter().map(|made| made.count).sum();
    let lines = edit_note::changed_lines(&edited.changed);
    let encoding = edited.encoding.filter(|_| replacements > 0);
    let mut notes = Notes::from(encoding.map(edit_note::made_in_encoding));
    notes.add(composition.note().filter(|_| replacements > 0));
    if edited.writes_replacement_character {
        notes.add(write_note::REPLACEMENT_WRITTEN.to_owned());
    }
    let mut remarks_added: Vec<String> = Vec::new();
    for (made, RequestedEdit { old, new, .. }) in edited.made.into_iter().zip(sent) {
        let is_made = made.count > 0;
        let remarks = [
            edit_note::line_ends(made.line_ends, new),
            made.emptied.map(edit_note::emptied_line),
            // Who finds such text in the file means it.
            write_note::unescaped("new_string", new).filter(|_| is_made && !old.contains("\\n")),
            write_note::spelled_control("new_string", new, old)
                .filter(|_| is_made && edited.has_controls),
        ];
        for remark in remarks.into_iter().flatten() {
            if remarks_added.len() < MAX_REMARKS && !remarks_added.contains(&remark) {
                notes.add(remark.clone());
                remarks_added.push(remark);
            }
        }
        let nearest = made.nearest;
        notes.quote(nearest.map(|nearest| edit_note::not_found(&nearest, terms)));
    }
    Ok(Reply::new(move |object| {
        let plural = plural(replacements);
        let name = object.spell_names(paths::base_name(path)).into_owned();
        object.field(
            "output",
            &format!("Replaced {replacements} occurrence{plural} in {name}{lines}"),
        )?;
        object.field("replacements", &replacements)?;
        object.note(notes);
        Ok(())
    }))
}

/// The specification's words for text that is not in the file.
const NOT_FOUND: &str = "String not found in file";

/// Maximum number of different remarks on the edits of one call.
const MAX_REMARKS: usize = 6;

/// A replacement as the request has it.
struct RequestedEdit<'a> {
    old: &'a str,
    new: &'a str,
    /// True if all occurrences are to be replaced.
    all: bool,
    /// The number of them that is expected, if one is.
    expected: Option<u64>,
}

/// Reads the replacements in `edits`, if the request has a list of them.
fn read_edits<'a>(
    request: &'a Request<'_>,
    terms: &CallTerms,
) -> Result<Option<Vec<RequestedEdit<'a>>>, Failure> {
    let list = request.objects("edits")?;
    let single = request.text("old_string")?.or(request.text("new_string")?);
    let refused = |message: &str| {
        Err(Failure::new(ErrorCode::InvalidArg, message).with_note(
            "Send either old_string and new_string, or a list of objects with old_string, \
             new_string and, where it is meant, replace_all as edits.",
        ))
    };
    match list {
        None => Ok(None),
        // Models in strict mode send every field.
        Some(list) if list.is_empty() && single.is_some() => Ok(None),
        Some(list) if list.is_empty() => refused("edits is empty"),
        Some(_) if single.is_some() || request.flag("replace_all")? => {
            refused("edits cannot be combined with old_string, new_string or replace_all")
        }
        Some(list) => {
            let numbered = list.iter().enumerate();
            let read = numbered.map(|(index, edit)| {
                replacement(edit, terms)
                    .map_err(|failure| number_failure(index, list.len(), failure))
            });
            let mut read: Vec<RequestedEdit> = read.collect::<Result<_, _>>()?;
            if let Some(expected) = request.integer("expected_replacements", 1..=u64::MAX)? {
                let single = read.iter().filter(|edit| !edit.all).count() as u64;
                let mut several = read.iter_mut().filter(|edit| edit.all);
                match (several.next(), several.next()) {
                    (None, _) if expected == single => {}
                    // What the others do not replace is for this one.
                    (Some(one), None) if expected > single => {
                        one.expected = Some(expected - single);
                    }
                    _ => return refused("expected_replacements belongs in each object of edits"),
                }
            }
            Ok(Some(read))
        }
    }
}

/// Says in a failure that it is the one of the edit at `index` of a list of `count`.
fn number_failure(index: usize, count: usize, mut failure: Failure) -> Failure {
    if count < 2 {
        return failure;
    }
    failure.message = format!("Edit {} of {count}: {}", index + 1, failure.message);
    failure.and_note("None of the edits was made.")
}

fn replacement<'a>(
    request: &'a Request<'_>,
    terms: &CallTerms,
) -> Result<RequestedEdit<'a>, Failure> {
    let old = request.required_text("old_string")?;
    let new = request.required_text("new_string")?;
    let all = request.flag("replace_all")?;
    if old.is_empty() {
        let make = "; to create a file or fill an empty one, use file_write";
        let make = terms.if_served("file_write", make);
        return Err(
            Failure::new(ErrorCode::InvalidArg, "old_string cannot be empty").with_note(format!(
                "To insert text, send a line that is in the file as old_string, and that line \
                 with the new text as new_string{make}."
            )),
        );
    }
    if old == new {
        return Err(Failure::new(
            ErrorCode::InvalidArg,
            "old_string and new_string are identical",
        )
        .with_note(
            "Nothing would change. new_string must be the text you want in place of old_string.",
        ));
    }
    let expected = request.integer("expected_replacements", 1..=u64::MAX)?;
    if let Some(expected @ 2..) = expected.filter(|_| !all) {
        return Err(Failure::new(
            ErrorCode::InvalidArg,
            format!(
                "{expected} replacements are expected, and more than one is made only with \
                 replace_all, so nothing was written"
            ),
        ));
    }
    Ok(RequestedEdit {
        old,
        new,
        all,
        expected,
    })
}

fn edit_failure(
    path: &str,
    failed: &FailedEdit,
    composition: Composition,
    terms: &CallTerms,
) -> Failure {
    let earlier = failed.changed_by.map(edit_note::changed_by);
    let lines = edit_note::lines_after(failed.index);
    match &failed.error {
        EditError::NotFound(nearest) => {
            let failure = Failure::new(ErrorCode::NotFound, NOT_FOUND);
            let earlier = earlier.or_else(|| edit_note::looks_otherwise(path, nearest, terms));
            match earlier {
                Some(note) => failure.with_note(note),
                None => failure
                    .with_quotation(edit_note::not_found(nearest, terms))
                    .and_notes(lines.filter(|_| nearest.names_lines())),
            }
        }
        EditError::OtherCount(count) => Failure::new(
            ErrorCode::InvalidArg,
            format!("old_string is in the file {count} times, so nothing was written"),
        )
        .with_note("Another number of replacements was expected.")
        .and_notes(earlier),
        EditError::Encoding(obstacle) => match obstacle {
            // Nothing that could be sent is in it.
            EncodingObstacle::Wide(_) => Failure::new(ErrorCode::NotFound, NOT_FOUND),
            _ => Failure::new(
                ErrorCode::InvalidArg,
                "The file is not UTF-8, so nothing was written",
            ),
        }
        .with_note(edit_note::encoding_obstacle(path, obstacle, terms)),
        EditError::NotUnique {
            count,
            lines: places,
        } => Failure::new(
            ErrorCode::NotUnique,
            format!("String found {count} times, use replace_all to replace all"),
        )
        .with_note(edit_note::not_unique(*count, places, composition))
        .and_notes(lines.into_iter().chain(earlier)),
        EditError::Broken => composed::broken_notebook(),
        EditError::File(error) => {
            let failure = failure::with_note(path, error, PathWant::File, terms);
            match error {
                FileAccessError::TooSlow(_) => failure.and_note("The file is as it was."),
                _ => failure,
            }
        }
    }
}
