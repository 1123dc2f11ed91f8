//! glob: the paths that a wildcard pattern names.

use std::io::Write;
use std::path::Path;

use crate::contract::failure::{Code, Failure};
use crate::contract::notes::Notes;
use crate::contract::reply::Reply;
use crate::contract::request::Request;
use crate::contract::tool::{Exits, Family, Hints, Manual, Part, Sample, Scope, Tool};
use crate::search::paths::LeftOut;
use crate::search::walk::{GlobError, expand};

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "glob",
    link: "glob",
    family: Family::Local,
    schema: include_str!("schemas/glob.json"),
    model_schema: include_str!("schemas/for_models/glob.json"),
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
directories. Wildcards pass over names that begin with a dot. `path` is taken literally; no match
is an answer too.",
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

const OTHER_NAMES: &str = "Where `..` or links lead to a directory in very many ways, what is in it is listed \
                           by one of them. Name the directory in `path` and leave `..` out of `pattern`.";
const FURTHER_WAYS: &str = "Not all that the pattern names: `..` or links lead to directories in so many ways that \
                            time was over. Name the directory in `path` and leave `..` out of `pattern`.";

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let pattern = request.required_text("pattern")?;
    let path = request.text("path")?.unwrap_or_default();
    let paths = expand(Path::new(path), pattern.as_bytes()).map_err(failure)?;
    Ok(Reply::new(move |object| {
        let mut output = object.text("output")?;
        for (at, found) in paths.iter().enumerate() {
            if at > 0 {
                output.write_all(b"\n")?;
            }
            output.write_all(found.path())?;
        }
        output.close()?;
        object.field("count", &paths.len())?;
        let mut notes = Notes::default();
        notes.add(paths.left_out().map(|left_out| match left_out {
            LeftOut::OtherNames => OTHER_NAMES.to_owned(),
            LeftOut::FurtherWays => FURTHER_WAYS.to_owned(),
        }));
        object.note(notes);
        Ok(())
    }))
}

fn failure(error: GlobError) -> Failure {
    match error {
        GlobError::InvalidPattern => Failure::new(Code::InvalidPattern, "Invalid glob pattern"),
        GlobError::ReadError => Failure::new(Code::ReadError, "Read error during glob"),
        GlobError::OutOfMemory => Failure::new(Code::OutOfMemory, "Out of memory during glob"),
    }
}
