//! grep: the lines of files that a regular expression matches.

use std::ffi::{CStr, CString};
use std::io::{self, Write};
use std::path::Path;

use crate::contract::failure::{Code, Failure};
use crate::contract::notes::Notes;
use crate::contract::reply::{Reply, Text};
use crate::contract::request::Request;
use crate::contract::tool::{Exits, Family, Hints, Manual, Part, Sample, Scope, Tool};
use crate::search::ere::Matcher;
use crate::search::paths::EntryKind;
use crate::search::scan::{Links, ScanError, Scanner};
use crate::search::walk::expand;

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "grep",
    link: "grep",
    family: Family::Local,
    schema: include_str!("schemas/grep.json"),
    model_schema: include_str!("schemas/for_models/grep.json"),
    title: "Search in files",
    hints: Hints::LOOKS,
    scope: Scope::Paths {
        directory: "path",
        pattern: "glob",
    },
    at_once: None,
    manual: Manual {
        text: "\
Answers with the lines that a pattern matches, as `file:line: text`. The pattern is a POSIX extended
regular expression, matched against one line at a time; `\\b \\w \\s \\d \\t \\x41 \\p{Lu}`, `(?i)`,
`(?:...)`, `(?<name>...)`, lazy repetitions and back-references are understood too, and in brackets a
backslash escapes. What is not (look-around, `\\n`) is refused with what to write instead. UTF-16
with a byte-order mark is searched as text. `path` is a directory, in which the files that `glob`
names are searched (`*` if none is given; `**/*` for all below), or one file. Regular files only,
hidden ones only where `glob` names them.",
        example: r#"{"pattern":"^root:","path":"/etc/passwd"}"#,
        environment: &[],
    },
    account: None,
    fields: &[("output", Part::Output), ("count", Part::Count)],
    exits: Exits::SEARCH,
    less: "To have less, narrow `pattern`, `glob` or `path`.",
    sample: Some(Sample {
        file: Some(("note.txt", "hello\n")),
        request: r#"{"pattern":"hel+o","glob":"note.txt"}"#,
        answer: "note.txt",
    }),
    run,
};

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let pattern = request.required_text("pattern")?;
    let glob = request.text("glob")?.unwrap_or("*");
    let path = request.text("path")?.unwrap_or(".");
    let matcher = Matcher::compile(pattern)
        .map_err(|error| Failure::new(Code::InvalidPattern, format!("Invalid pattern: {error}")))?;
    Ok(Reply::new(move |object| {
        let mut search = Search {
            matcher: &matcher,
            scanner: Scanner::new(),
            output: object.text("output")?,
            count: 0,
            not_to_the_end: Vec::new(),
            undecided: None,
            ended: None,
        };
        if Path::new(path).is_file() {
            if let Ok(name) = CString::new(path) {
                search.file(&name, Links::Follow)?;
            }
        } else {
            // A pattern that names nothing, for whatever reason, names nothing to be searched.
            let paths = expand(Path::new(path), glob.as_bytes()).unwrap_or_default();
            let files = || {
                let regular = |kind| matches!(kind, EntryKind::Regular | EntryKind::Unknown);
                paths.iter().filter(move |found| regular(found.kind()))
            };
            for (nth, found) in files().enumerate() {
                search.file(found.c_path(), Links::Refuse)?;
                if let Some(ended) = &mut search.ended {
                    ended.before = nth;
                    ended.behind = files().count() - nth - 1;
                    break;
                }
            }
        }
        let Search {
            output,
            count,
            not_to_the_end,
            undecided,
            ended,
            ..
        } = search;
        output.close()?;
        object.field("count", &count)?;
        let mut notes = Notes::default();
        notes.add(undecided.map(|first| too_costly(matcher.gave_up(), &first)));
        notes.add(ended.map(|ended| ended_early(&ended)));
        notes.add(cut_short(&not_to_the_end));
        notes.add((count == 0).then(|| matcher.why_nothing()).flatten());
        object.note(notes);
        Ok(())
    }))
}

fn too_costly(lines: u64, first: &str) -> String {
    let (lines, which) = match lines {
        1 => ("1 further line".to_owned(), ""),
        lines => (format!("{lines} further lines"), "the first of them "),
    };
    format!(
        "{lines} may match ({which}{first}): the pattern is too costly to decide on what is there. \
         Make it more specific: smaller counts, fewer repetitions inside repetitions or \
         back-references, more plain text."
    )
}

fn ended_early(ended: &Ended) -> String {
    let Ended {
        file,
        line,
        before,
        behind,
    } = ended;
    let files = |number: usize| match number {
        1 => "1 file".to_owned(),
        number => format!("{number} files"),
    };
    format!(
        "The search ended for lack of time before line {line} of {file}, since the pattern is too costly: \
         all before that was searched ({} to the end), the rest of this file and {} behind it were \
         not. Make the pattern simpler, or search fewer files at a time.",
        files(*before),
        files(*behind)
    )
}

fn cut_short(files: &[String]) -> Option<String> {
    (!files.is_empty()).then(|| {
        format!(
            "Not searched to the end, for a line of more than 1 GiB in it: {}.",
            files.join(", ")
        )
    })
}

/// A search under way.
struct Search<'m, 'o> {
    matcher: &'m Matcher,
    scanner: Scanner,
    output: Text<'o>,
    count: u64,
    not_to_the_end: Vec<String>,
    /// The first line that could not be decided.
    undecided: Option<String>,
    ended: Option<Ended>,
}

/// Where a search ended before its time.
struct Ended {
    file: String,
    /// The first line that was not searched.
    line: u64,
    /// How many files were searched before this one, and how many were not.
    before: usize,
    behind: usize,
}

impl Search<'_, '_> {
    /// Searches one more file. One that cannot be read is passed over.
    fn file(&mut self, path: &CStr, links: Links) -> io::Result<()> {
        let Self {
            matcher,
            scanner,
            output,
            count,
            not_to_the_end,
            undecided,
            ended,
        } = self;
        // What stands before each number: put together once, where there are millions of lines.
        let mut before = Vec::new();
        let searched = scanner.scan_path(path, links, *matcher, |number, line| {
            if before.is_empty() {
                before = [b"\n", path.to_bytes(), b":"].concat();
            }
            let first = usize::from(*count == 0);
            *count += 1;
            output.write_all(&before[first..])?;
            output.write_all(itoa::Buffer::new().format(number).as_bytes())?;
            output.write_all(b": ")?;
            output.write_all(line)
        });
        let name = || path.to_string_lossy().into_owned();
        if let Some(line) = scanner.undecided() {
            undecided.get_or_insert_with(|| format!("{}:{line}", name()));
        }
        match searched {
            Err(ScanError::OutOfTime(line)) => {
                *ended = Some(Ended {
                    file: name(),
                    line,
                    before: 0,
                    behind: 0,
                });
                Ok(())
            }
            Err(ScanError::Sink(error)) => Err(error),
            Err(ScanError::LineTooLong) => {
                not_to_the_end.push(name());
                Ok(())
            }
            Err(ScanError::Unreadable(_) | ScanError::NotRegular) | Ok(_) => Ok(()),
        }
    }
}
