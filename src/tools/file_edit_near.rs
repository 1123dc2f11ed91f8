//! What file-edit says of a text that is not in the file, or not only once: what is there instead,
//! and what to send next.
//!
//! Rules: the decisions on file-edit, and on notes.

use std::fmt::Write as _;

use crate::contract::bounded::TextMeasure;
use crate::files::LineEnds;
use crate::files::kind::thousands;
use crate::files::near::{
    Change, Difference, Elided, Finding, MOST_NAMED, Near, Place, Quote, Repair, What,
};
use crate::tools::file_edit_differences;
use crate::tools::file_words::{count, lines_in_words, quoted_for_shell};

/// What an answer has beside its note, in bytes: its other fields, and what stands around them.
const BESIDE: usize = 256;

/// The note on a text that is in the file `path` not at all, in an answer of at most `longest`
/// bytes. A text that is quoted is quoted whole or not at all: half of it would be in the file,
/// too.
pub fn not_found(path: &str, near: &Near, longest: Option<usize>) -> String {
    let note = nearest(path, near, true);
    let cost = TextMeasure::Json.cost(note.as_bytes());
    if longest.is_some_and(|longest| cost + BESIDE > longest) {
        return nearest(path, near, false);
    }
    note
}

fn nearest(path: &str, near: &Near, quotes: bool) -> String {
    let mut notes = Vec::new();
    if !near.already.is_empty() {
        let lines = lines_in_words(&near.already);
        notes.push(format!(
            "The file already holds new_string, in {lines}: this edit may have been made before."
        ));
    }
    match &near.finding {
        Finding::Nothing if !notes.is_empty() => {}
        finding => notes.push(found(path, near, finding, quotes)),
    }
    notes.join(" ")
}

/// The note on a text that is in the file `count` times, first in `lines`.
pub fn not_unique(count: u64, lines: &[u64]) -> String {
    let more = thousands(count - lines.len() as u64);
    let mut unique = lines.to_vec();
    unique.dedup();
    let mut named = lines_in_words(&unique);
    if more != "0" {
        let _ = write!(named, ", and {more} more");
    }
    format!(
        "old_string begins in {named}. Add lines from around the one that is meant, or send \
         \"replace_all\":true to replace all {}.",
        thousands(count)
    )
}

/// The note on an edit that was made.
pub fn line_ends(done: LineEnds, new: &str) -> Option<String> {
    let crlf = "All lines of this file end in CRLF";
    let note = match done {
        LineEnds::AsSent => return None,
        LineEnds::BothCrlf if new.contains('\n') => format!(
            "{crlf}: the line ends in old_string were taken for CRLF, and new_string was written \
             with CRLF."
        ),
        LineEnds::BothCrlf => format!("{crlf}: the line ends in old_string were taken for CRLF."),
        LineEnds::NewCrlf => format!("{crlf}: new_string was written with CRLF as well."),
        LineEnds::Mixed => "new_string was written as it was sent, with LF, where the file's \
             other lines end in CRLF: it now has both."
            .to_owned(),
    };
    Some(note)
}

fn found(path: &str, near: &Near, finding: &Finding, quotes: bool) -> String {
    let reading = if near.whole {
        "the file".to_owned()
    } else {
        format!("the file's first {}", count(near.lines, "line"))
    };
    match finding {
        Finding::Empty => {
            "The file is empty: write its content with file_write instead.".to_owned()
        }
        Finding::Wide(encoding) => {
            let from = quoted_for_shell(path);
            let copy = format!("{path}.utf8");
            let to = quoted_for_shell(&copy);
            format!(
                "The file is {encoding} text, and old_string is UTF-8: they have no bytes in \
                 common. With bash, `iconv -f {encoding} -t UTF-8 {from} > {to}` makes a copy \
                 that can be edited, and `iconv -f UTF-8 -t {encoding} {to} > {from}` turns it back."
            )
        }
        Finding::Blank => "old_string has nothing but blanks and line ends, which are not in the \
             file so: send the text before or behind them with them."
            .to_owned(),
        Finding::Alike {
            place,
            differences,
            others,
        } => alike(near, place, differences, *others, quotes),
        Finding::Repaired {
            repair,
            place,
            differences,
        } => repaired(near, *repair, place, differences, quotes),
        Finding::Elided(elided) => self::elided(elided, quotes),
        Finding::Stale {
            place,
            changes,
            equal,
        } => stale(place, changes, *equal, quotes),
        Finding::Nothing => format!(
            "Nothing like old_string is in {reading}{}: it may be another file, or it has changed. \
             Read it again with file_read before you edit it.",
            if near.whole {
                format!(", which has {}", count(near.lines, "line"))
            } else {
                String::new()
            }
        ),
        Finding::Unknown => "The file or old_string is too long to look for the nearest lines: \
             find them with grep, read them with file_read, and send them as they are."
            .to_owned(),
    }
}

fn alike(
    near: &Near,
    place: &Place,
    differences: &[Difference],
    others: usize,
    quotes: bool,
) -> String {
    let words = file_edit_differences::in_words(differences);
    // The differences of a single line name it.
    let mut note = if place.first == place.last {
        format!("The nearest: {words}.")
    } else {
        format!("The nearest {}: {words}.", is_lines(place))
    };
    hints(&mut note, near, differences);
    if others > 0 && place.same.1 <= 1 {
        let _ = write!(note, " {} as near.", are_others(others));
    }
    to_be_sent(&mut note, place, "", quotes);
    note
}

fn repaired(
    near: &Near,
    repair: Repair,
    place: &Place,
    differences: &[Difference],
    quotes: bool,
) -> String {
    let not_there = ", and the file has none there";
    let (what, but, new_too) = match repair {
        Repair::TrimEnd => (
            "old_string has blanks or line ends behind its text that the file has not",
            "",
            false,
        ),
        Repair::TrimStart => ("old_string begins with an empty line", not_there, false),
        Repair::Trim => (
            "old_string has empty lines or blanks before and behind its text that the file has not",
            "",
            false,
        ),
        Repair::LineNumbers => (
            "old_string has line numbers before its lines",
            not_there,
            true,
        ),
        Repair::Unescape => (
            "old_string is escaped once too often, with a backslash before n, t, a quote or a \
             backslash",
            not_there,
            true,
        ),
        Repair::Entities => (
            "old_string has entities such as &lt; or &amp;",
            not_there,
            true,
        ),
        Repair::Fence => (
            "old_string has a code fence or quotes around it",
            not_there,
            true,
        ),
        Repair::DiffMarks => (
            "old_string has the marks of a diff before its lines",
            not_there,
            true,
        ),
        Repair::Escape => (
            "the file has an escape (a backslash before n, t, a quote or a backslash) where \
             old_string has the character that it stands for",
            "",
            false,
        ),
        Repair::ToEntities => (
            "the file has entities such as &lt; or &amp; where old_string has the characters \
             themselves",
            "",
            false,
        ),
    };
    let mut note = format!("The nearest {}: {what}{but}.", is_lines(place));
    if !differences.is_empty() {
        let _ = write!(
            note,
            " Beyond that {}.",
            file_edit_differences::in_words(differences)
        );
    }
    hints(&mut note, near, differences);
    let advice = if new_too {
        "; send new_string without them, too"
    } else {
        ""
    };
    to_be_sent(&mut note, place, advice, quotes);
    note
}

fn elided(elided: &Elided, quotes: bool) -> String {
    let parts: Vec<String> = elided
        .parts
        .iter()
        .map(|(first, last)| range_in_words(*first, *last))
        .collect();
    let line = &elided.line;
    let mut note = match &parts[..] {
        [part] => format!(
            "The line `{line}` of old_string is not in the file; the rest of old_string is {part}."
        ),
        parts => format!(
            "The line `{line}` of old_string stands for lines that it leaves out, and old_string \
             has to be exact; its parts are {}. Send all that is from the first to the last, or \
             edit each part by itself.",
            parts.join(" and ")
        ),
    };
    to_be_sent(&mut note, &elided.place, "", quotes);
    note
}

fn stale(place: &Place, changes: &[Change], equal: usize, quotes: bool) -> String {
    let single = place.first == place.last;
    let mut note = format!("The nearest {}", is_lines(place));
    if single && equal == 0 {
        note += ", which is not the same";
    } else if equal > 0 {
        let _ = write!(
            note,
            ", of which {equal} {} the same",
            if equal == 1 { "is" } else { "are" }
        );
    }
    let said: Vec<String> = changes.iter().take(3).map(change_in_words).collect();
    if !said.is_empty() {
        let _ = write!(note, ": {}", said.join("; "));
    }
    if changes.len() > said.len() {
        let _ = write!(note, "; and {} more", changes.len() - said.len());
    }
    note += ". If that is the place, the file has changed or was quoted inexactly.";
    to_be_sent(&mut note, place, "", quotes);
    note
}

fn change_in_words(change: &Change) -> String {
    let quoted = |lines: &[String]| {
        let quoted: Vec<String> = lines.iter().map(|line| format!("`{line}`")).collect();
        quoted.join(", ")
    };
    let lines = range_in_words(change.lines.start, change.lines.end.saturating_sub(1));
    let reads = if change.lines.end - change.lines.start > 1 {
        "read"
    } else {
        "reads"
    };
    let more = |shown: usize, all: usize| if all > shown { ", …" } else { "" };
    let all = usize::try_from(change.lines.end - change.lines.start).unwrap_or(usize::MAX);
    let file = format!("{}{}", quoted(&change.file), more(change.file.len(), all));
    let sought = quoted(&change.sought);
    if change.lines.is_empty() {
        format!(
            "before line {} old_string has {sought}, which the file has not",
            change.lines.start
        )
    } else if change.sought.is_empty() {
        format!("{lines} {reads} {file}, which old_string has not")
    } else {
        format!("{lines} {reads} {file} where old_string has {sought}")
    }
}

/// Says what the file's own text is and that it is to be sent; last, since it ends in the text.
fn to_be_sent(note: &mut String, place: &Place, advice: &str, quotes: bool) {
    let (lines, times) = &place.same;
    if *times > 1 {
        let mut named = lines_in_words(lines);
        if *times > MOST_NAMED {
            let _ = write!(named, ", and {} more", times - lines.len());
        }
        let _ = write!(
            note,
            " This text of the file is there {times} times, in {named}: add lines from around the \
             one that is meant."
        );
    }
    let limit = place.last - place.first + 1;
    match &place.text {
        Quote::Text(text) if quotes => {
            let _ = write!(
                note,
                " Send the file's own text as old_string{advice}:\n```\n{text}\n```"
            );
        }
        Quote::Text(_) | Quote::TooLong => {
            let _ = write!(
                note,
                " Read it again (file_read with \"offset\":{},\"limit\":{limit}) and send the \
                 file's own text{advice}.",
                place.first
            );
        }
        Quote::NotText => {
            note.push_str(
                " It has bytes that are no UTF-8, which no old_string can hold: send text from \
                 beside them, or change it with bash.",
            );
        }
    }
}

/// What is to be thought of where the file is written otherwise.
fn hints(note: &mut String, near: &Near, differences: &[Difference]) {
    if differences.iter().any(|one| one.what == What::LineEnd) {
        let (crlf, lf) = near.line_ends;
        if crlf > 0 && lf > 0 {
            let _ = write!(
                note,
                " The file mixes line ends: {} in CRLF, {lf} in LF.",
                if crlf == 1 {
                    "1 line ends".to_owned()
                } else {
                    format!("{crlf} lines end")
                }
            );
        }
    }
    let of_blanks = |bytes: &[u8]| bytes.iter().all(|byte| b" \t".contains(byte));
    if differences
        .iter()
        .any(|one| one.what == What::Indentation && of_blanks(&one.file))
    {
        note.push_str(" Indent new_string as the file is indented.");
    }
}

/// `is line 5`, `are lines 5 to 7`.
fn is_lines(place: &Place) -> String {
    let verb = if place.first == place.last {
        "is"
    } else {
        "are"
    };
    format!("{verb} {}", range_in_words(place.first, place.last))
}

fn range_in_words(first: u64, last: u64) -> String {
    if first >= last {
        format!("line {first}")
    } else {
        format!("lines {first} to {last}")
    }
}

fn are_others(others: usize) -> String {
    if others == 1 {
        "1 other place is".to_owned()
    } else {
        format!("{others} other places are")
    }
}
