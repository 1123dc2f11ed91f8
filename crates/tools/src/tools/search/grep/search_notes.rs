//! The notes on how far a search of lines went, and how much of it is shown.

use std::time::{Duration, Instant};

use super::answer::SearchOutcome;
use super::options::{GrepOptions, GrepOutput};
use crate::contract::call_terms::CallTerms;
use crate::tools::search::note::{self, ShownPart};
use iki_base::wording::count_noun;
use iki_search::file_types::FileTypes;

/// Says how many matches are shown, if not all fit.
pub fn note_on_shown_part(done: &SearchOutcome, options: GrepOptions) -> Option<String> {
    let what = match options.output {
        GrepOutput::Files | GrepOutput::Counts => "files",
        GrepOutput::Lines => "matches",
    };
    let is_part = done.is_limited && done.shown_count < done.results;
    let shown = ShownPart {
        count: done.results,
        shown_count: is_part.then_some(done.shown_count),
        first: done.first,
    };
    shown.note(what, "pattern, glob or path", options.limit)
}

pub fn note_on_unreadable_files(done: &SearchOutcome) -> Option<String> {
    let (file, why) = done.first_unreadable.as_ref()?;
    let why = note::errno_in_words(*why);
    Some(match done.unreadable {
        1 => format!("1 file could not be read: {file} ({why})."),
        count => format!(
            "{} could not be read, the first of them {file} ({why}).",
            count_noun(count, "file")
        ),
    })
}

pub fn note_on_undecided_lines(lines: u64, done: &SearchOutcome) -> Option<String> {
    let (file, line) = done.undecided.as_ref()?;
    let which = if lines == 1 { "" } else { "the first of them " };
    Some(format!(
        "{} may match ({which}{file}:{line}): the pattern is too costly to decide. Make it more \
         specific: smaller counts, fewer repetitions inside repetitions or back-references, more \
         plain text.",
        count_noun(lines, "further line")
    ))
}

/// The time before the call's deadline within which a pattern's own limit counts as that.
const LIMIT_TOLERANCE: Duration = Duration::from_millis(100);

pub fn note_on_early_end(done: &SearchOutcome, terms: &CallTerms) -> Option<String> {
    let (file, line) = done.ended.as_ref()?;
    // If the call has a deadline, the pattern's own limit is the time left until then.
    let of_the_call = |until: Instant| Instant::now() + LIMIT_TOLERANCE >= until;
    let of_the_call = done.is_out_of_time || terms.work_end().is_some_and(of_the_call);
    let why = if of_the_call {
        format!("the call had {}", note::seconds_of_call(terms))
    } else {
        "the pattern is too costly".to_owned()
    };
    let what = match (done.is_out_of_time, of_the_call) {
        (true, _) => "Narrow `path` or `glob`",
        (false, true) => "Narrow `path` or `glob`, make the pattern simpler",
        (false, false) => "Make the pattern simpler",
    };
    Some(format!(
        "The search ended for lack of time before line {line} of {file}, since {why}: all before \
         that was searched ({} to the end), the rest of this file and the files after it were \
         not. {what}, or search fewer files at a time.",
        count_noun(done.files, "file")
    ))
}

pub fn note_on_unknown_types(types: &FileTypes) -> Option<String> {
    let unknown = types.unmatched().join(", ");
    (!unknown.is_empty()).then(|| {
        format!(
            "`type` has nothing called {unknown}: that is no kind of files, and no extension of \
             one here. Kinds are named as ripgrep has them: py, rust, ts."
        )
    })
}

pub fn note_on_long_lines(files: &[String]) -> Option<String> {
    (!files.is_empty()).then(|| {
        format!(
            "Not searched to the end, because of a line of more than 1 GiB: {}.",
            files.join(", ")
        )
    })
}
