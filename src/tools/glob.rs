//! glob: the paths that a wildcard pattern names.

use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use crate::contract::failure::{Code, Failure};
use crate::contract::notes::Notes;
use crate::contract::reply::{Object, Reply};
use crate::contract::request::Request;
use crate::contract::terms::Terms;
use crate::contract::tool::{Exits, Family, Hints, Manual, Part, Sample, Scope, Set, Tool};
use crate::search::nothing::{self, Asked};
use crate::search::paths::Paths;
use crate::search::steps::Pattern;
use crate::search::walk::{Bounds, GlobError};
use crate::tools::search_notes::{self, Words};

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "glob",
    link: "glob",
    family: Family::Local,
    set: Set::Local,
    offered: true,
    schema: include_str!("schemas/glob.json"),
    model_schema: include_str!("schemas/for_models/glob.json"),
    output_schema: None,
    own_limit: None,
    artifacts: false,
    title: "Find files",
    hints: Hints::LOOKS,
    scope: Scope::Paths {
        directory: "path",
        pattern: "pattern",
    },
    at_once: None,
    manual: Manual {
        text: "\
Answers with the paths that a pattern names, a line each, sorted by their bytes: `*`, `?`, `[a-z]`,
`[!a]`, `[[:alpha:]]` and `\\` as in glob(3), and `**` as a whole component for any number of
directories. Braces with a comma in them stand for alternatives: `**/*.{ts,tsx}`. Wildcards pass
over names that begin with a dot. `path` is taken literally; no match is an answer too, and a note
says so where the pattern looked past what there is.",
        example: r#"{"pattern":"*.conf","path":"/etc"}"#,
        environment: &[],
    },
    account: None,
    fields: &[("output", Part::Output), ("count", Part::Count)],
    exits: Exits::SEARCH,
    less: "To have less, narrow `pattern` or `path`.",
    sample: Some(Sample {
        file: Some(("note.txt", "hello\n")),
        request: r#"{"pattern":"no*.txt"}"#,
        answer: "note.txt",
    }),
    run,
};

const WORDS: Words = Words {
    field: "pattern",
    searches: false,
};

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let pattern = request.required_text("pattern")?;
    let path = request.text("path")?.unwrap_or_default();
    let terms = request.terms();
    let bounds = Bounds {
        until: terms.until(),
        room: terms.max_answer,
    };
    let failure = |error| failure(error, pattern, path);
    let parsed = Pattern::parse(pattern.as_bytes()).map_err(|error| failure(error.into()))?;
    let paths = parsed.paths(Path::new(path), bounds).map_err(failure)?;
    Ok(Reply::new(move |object| {
        let mut notes = Notes::default();
        notes.add(list(object, &paths)?);
        object.field("count", &paths.count())?;
        let left_out = paths.left_out();
        notes.add(left_out.map(|what| search_notes::left_out(what, terms, WORDS)));
        notes.add(search_notes::unlisted(paths.unlisted()));
        if paths.count() == 0 {
            object.empty("no names match")?;
            if left_out.is_none() {
                notes.add(why_nothing(pattern, path, terms));
            }
        }
        object.note(notes);
        Ok(())
    }))
}

/// Writes the paths, a line each, as far as there is room. What is to be said if not all have,
/// comes back.
fn list(object: &mut Object<'_>, paths: &Paths) -> io::Result<Option<String>> {
    let bounded = object.room().is_some();
    let mut output = object.text("output")?;
    if !bounded {
        for (at, found) in paths.iter().enumerate() {
            if at > 0 {
                output.write_all(b"\n")?;
            }
            output.write_all(found.path())?;
        }
        output.close()?;
        return Ok(None);
    }
    let (mut record, mut shown, mut first) = (Vec::new(), 0, None);
    for found in paths.iter() {
        record.clear();
        if shown > 0 {
            record.push(b'\n');
        }
        record.extend_from_slice(found.path());
        if !output.record(&record)? {
            first = (shown == 0).then_some(record.len());
            break;
        }
        shown += 1;
    }
    output.close()?;
    let (count, narrow) = (paths.count(), "pattern or path");
    Ok(match first {
        Some(length) => Some(search_notes::first_is_cut(length, count, narrow)),
        None if shown < count => Some(search_notes::shown(shown, count, "names", narrow)),
        None => None,
    })
}

/// Why no name was found; none, where there is none to be found.
fn why_nothing(pattern: &str, path: &str, terms: &Terms) -> Option<String> {
    let until = Instant::now() + nothing::LIMIT;
    let until = terms
        .deadline
        .map_or(until, |deadline| until.min(deadline.end));
    let reason = nothing::names(Asked {
        path,
        pattern,
        files_only: false,
        until,
    })?;
    Some(WORDS.why(&reason, 0))
}

fn failure(error: GlobError, pattern: &str, path: &str) -> Failure {
    match error {
        GlobError::InvalidPattern(error) => {
            let failure = Failure::new(Code::InvalidPattern, "Invalid glob pattern");
            failure.with_note(search_notes::no_pattern(error, pattern.len(), WORDS))
        }
        GlobError::ReadError(error) => {
            let why = search_notes::reason(error);
            let path = if path.is_empty() { "." } else { path };
            let failure = Failure::new(Code::ReadError, "Read error during glob");
            failure.with_note(format!("{path} cannot be listed: {why}."))
        }
        GlobError::OutOfMemory => Failure::new(Code::OutOfMemory, "Out of memory during glob"),
    }
}
