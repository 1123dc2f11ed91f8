//! The fields of grep that say what is shown of the lines found, and in which form.

use super::line_form::LineForm;
use crate::contract::call_terms::Audience;
use crate::contract::failure::Failure;
use crate::contract::request::Request;
use crate::contract::search_style::{LineHead, SearchStyle};
use iki_search::scan::ContextLines;

/// Maximum number of context lines before and after a match.
const MAX_CONTEXT_LINES: u64 = 1000;

/// The fields that the specification does not have.
const FURTHER_FIELDS: &str = "all exclude ignore_case context before after output limit";

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
    pub shortens_lines: bool,
    /// Maximum number of lines or files that are shown.
    pub limit: Option<u64>,
    /// The options that a person's flags ask for.
    pub style: SearchStyle,
}

impl GrepOptions {
    /// Reads the fields of a search, in one file or in several.
    pub fn from_request(request: &Request<'_>, in_one_file: bool) -> Result<Self, Failure> {
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
        let output = output.unwrap_or(GrepOutput::Lines);
        let around = lines("context")?;
        // Nothing is shown of the lines where files are named.
        let context = |lines: Option<u64>| match output {
            GrepOutput::Lines => {
                let lines = lines.or(around).unwrap_or(0);
                usize::try_from(lines).unwrap_or(usize::MAX)
            }
            GrepOutput::Files | GrepOutput::Counts => 0,
        };
        let terms = request.terms();
        let by_specification = terms.reader == Audience::Host
            && !FURTHER_FIELDS.split(' ').any(|name| request.has(name));
        Ok(Self {
            output,
            context: ContextLines {
                before: context(lines("before")?),
                after: context(lines("after")?),
            },
            form: match (terms.style.head, in_one_file) {
                (LineHead::Bare, true) => LineForm::Bare,
                (LineHead::Path, _) => LineForm::PathOnEach,
                (LineHead::Usual, true) if terms.style.stdin.is_some() => LineForm::OneFile,
                (LineHead::Usual | LineHead::Bare, _) if by_specification || terms.is_piped => {
                    LineForm::PathOnEach
                }
                (LineHead::Number, _) | (_, true) => LineForm::OneFile,
                (_, false) => LineForm::Headed,
            },
            shortens_lines: !by_specification,
            limit: request.integer("limit", 1..=u64::MAX)?,
            style: terms.style,
        })
    }
}
