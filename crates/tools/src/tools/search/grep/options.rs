//! The fields of grep that say what is shown of the lines found, and in which form.

use super::line_form::LineForm;
use crate::contract::call_terms::Audience;
use crate::contract::failure::Failure;
use crate::contract::request::Request;
use crate::contract::tool::HabitualFlag;
use iki_search::scan::ContextLines;

/// Maximum number of context lines before and after a match.
const MAX_CONTEXT_LINES: u64 = 1000;

/// The fields that the specification does not have.
const FURTHER_FIELDS: &str = "all exclude ignore_case context before after output limit";

/// How several wildcard patterns are written as one.
const BRACES: [&str; 3] = ["{", ",", "}"];

/// The flags of grep(1) and rg, apart from those that are fields of a request.
pub const HABITS: [(&str, HabitualFlag); 16] = [
    (
        "-e --regexp",
        HabitualFlag::Several("pattern", ["(?:", ")|(?:", ")"]),
    ),
    ("--before-context", HabitualFlag::Field("before")),
    ("--after-context", HabitualFlag::Field("after")),
    ("-m --max-count", HabitualFlag::Field("limit")),
    ("-g --include", HabitualFlag::Several("glob", BRACES)),
    ("--exclude-dir", HabitualFlag::Several("exclude", BRACES)),
    ("--no-ignore", HabitualFlag::Field("all")),
    (
        "-l --files-with-matches",
        HabitualFlag::Value("output", "files"),
    ),
    ("-c --count", HabitualFlag::Value("output", "count")),
    (
        "-n --line-number -r -R --recursive -E -H -I --hidden",
        HabitualFlag::Usual,
    ),
    (
        "-w --word-regexp",
        HabitualFlag::Lacking(r"write \b before and after the pattern"),
    ),
    (
        "-x --line-regexp",
        HabitualFlag::Lacking("write ^ before and $ after the pattern"),
    ),
    (
        "-v --invert-match -L",
        HabitualFlag::Lacking("it shows what matches, and nothing else"),
    ),
    (
        "-o --only-matching",
        HabitualFlag::Lacking("it shows whole lines"),
    ),
    (
        "-F --fixed-strings",
        HabitualFlag::Lacking("a \\ before each of .*+?|()[]{}^$ makes it plain"),
    ),
    (
        "-q --quiet",
        HabitualFlag::Lacking("its exit code says as much, with >/dev/null"),
    ),
];

/// The results of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrepOutput {
    /// The lines that match.
    Lines,
    /// The files that have such a line.
    Files,
    /// The number of such lines in each of these files.
    Counts,
}

/// The form of an answer.
#[derive(Clone, Copy, Debug)]
pub struct GrepOptions {
    pub output: GrepOutput,
    pub context: ContextLines,
    pub form: LineForm,
    /// True if long lines are shown only around their match, even if they fit.
    pub shortens: bool,
    /// Maximum number of lines or files that are shown.
    pub limit: Option<u64>,
}

impl GrepOptions {
    /// Reads the fields of a search, in one file or in several.
    pub fn of(request: &Request<'_>, in_one_file: bool) -> Result<Self, Failure> {
        let output = request.choice(
            "output",
            &[
                ("lines", GrepOutput::Lines),
                ("files", GrepOutput::Files),
                ("count", GrepOutput::Counts),
                ("content", GrepOutput::Lines),
                ("files_with_matches", GrepOutput::Files),
            ],
        )?;
        let lines = |name| request.integer(name, 1..=MAX_CONTEXT_LINES);
        let around = lines("context")?;
        let context = |lines: Option<u64>| {
            let lines = lines.or(around).unwrap_or(0);
            usize::try_from(lines).unwrap_or(usize::MAX)
        };
        let terms = request.terms();
        let by_specification = terms.reader == Audience::Host
            && !FURTHER_FIELDS.split(' ').any(|name| request.has(name));
        Ok(Self {
            output: output.unwrap_or(GrepOutput::Lines),
            context: ContextLines {
                before: context(lines("before")?),
                after: context(lines("after")?),
            },
            form: match in_one_file {
                _ if by_specification || terms.piped => LineForm::PathOnEach,
                true => LineForm::OneFile,
                false => LineForm::Headed,
            },
            shortens: !by_specification,
            limit: request.integer("limit", 1..=u64::MAX)?,
        })
    }
}
