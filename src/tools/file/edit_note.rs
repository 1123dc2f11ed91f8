//! The note on a text that is not in the file, or not only once: the text that is there instead,
//! and what to send next.
//!
//! Rules: the decisions on file-edit, and on notes.

use std::fmt::Write as _;

use crate::basics::wording::{count_noun, join_list, quoted_for_shell, thousands};
use crate::contract::bounded::TextMeasure;
use crate::contract::call_terms::CallTerms;
use crate::files::nearest::{
    DifferenceKind, FilePlace, LineChange, MOST_NAMED, NearestFinding, NearestText, QuotedText,
    TextDifference, TextRepair,
};
use crate::files::{ChangedLines, LineEndChange};
use crate::unseen;

/// Room of an answer beside its note, in bytes: its other fields, and the JSON around them.
const BESIDE: usize = 256;

/// The most differences that are named.
const MOST_DIFFERENCES: usize = 4;

/// The note on a text that is in the file `path` not at all. A text that is quoted is quoted whole
/// or, if the answer has no room for it, not at all: half of it would be in the file, too.
pub fn not_found(path: &str, nearest: &NearestText, terms: &CallTerms) -> String {
    let note = note_of(path, nearest, terms, true);
    let cost = TextMeasure::Json.cost(note.as_bytes());
    let longest = terms.max_answer;
    if longest.is_some_and(|longest| cost + BESIDE > longest) {
        return note_of(path, nearest, terms, false);
    }
    note
}

fn note_of(path: &str, nearest: &NearestText, terms: &CallTerms, quotes: bool) -> String {
    let mut note = String::new();
    if !nearest.already.is_empty() {
        let lines = lines_in_words(&nearest.already, nearest.already.len() as u64);
        note = format!(
            "The file already holds new_string, in {lines}: this edit may have been made before."
        );
        if matches!(nearest.finding, NearestFinding::Nothing) {
            return note;
        }
        note.push(' ');
    }
    note + &finding_in_words(path, nearest, terms, quotes)
}

/// The note on a text that is in the file `count` times, first in `lines`.
pub fn not_unique(count: u64, lines: &[u64]) -> String {
    let named = lines_in_words(lines, count);
    format!(
        "old_string begins in {named}. Add lines from around the one that is meant, or send \
         \"replace_all\":true to replace all {}.",
        thousands(count)
    )
}

/// The lines that an edit has changed, behind its answer: ` (lines 3 to 5 and 9)`; empty if none
/// are known.
pub fn changed_lines(changed: &ChangedLines) -> String {
    let mut places: Vec<String> = changed.ranges().iter().map(range_of).collect();
    if changed.is_partial || places.len() > MOST_NAMED {
        places.truncate(MOST_NAMED);
        places.push("more".to_owned());
    }
    let several = places.len() > 1 || places.iter().any(|place| place.contains(' '));
    match &places[..] {
        [] => String::new(),
        places => format!(
            " (line{} {})",
            if several { "s" } else { "" },
            join_list(places, "and")
        ),
    }
}

/// The note on an edit that leaves this line empty.
pub fn emptied_line(line: u64) -> String {
    format!(
        "Line {line} is now empty: old_string was whole lines without the end of the last one. To \
         take out the line too, end old_string with its line end."
    )
}

/// The note on an edit that was made.
pub fn line_ends(done: LineEndChange, new: &str) -> Option<String> {
    let crlf = "All lines of this file end in CRLF";
    let note = match done {
        LineEndChange::AsSent => return None,
        LineEndChange::BothCrlf if new.contains('\n') => format!(
            "{crlf}: the line ends in old_string were taken for CRLF, and new_string was written \
             with CRLF."
        ),
        LineEndChange::BothCrlf => {
            format!("{crlf}: the line ends in old_string were taken for CRLF.")
        }
        LineEndChange::NewCrlf => format!("{crlf}: new_string was written with CRLF as well."),
        LineEndChange::Mixed => "new_string was written as it was sent, with LF, where the file's \
             other lines end in CRLF: it now has both."
            .to_owned(),
    };
    Some(note)
}

fn finding_in_words(path: &str, nearest: &NearestText, terms: &CallTerms, quotes: bool) -> String {
    match &nearest.finding {
        NearestFinding::Empty => {
            let instead =
                terms.if_served("file_write", ": write its content with file_write instead");
            format!("The file is empty{instead}.")
        }
        NearestFinding::Wide(encoding) => {
            let from = quoted_for_shell(path);
            let utf8 = format!("{path}.utf8");
            let to = quoted_for_shell(&utf8);
            let copy = format!(
                " With bash, `iconv -f {encoding} -t UTF-8 {from} > {to}` makes a copy that can be \
                 edited, and `iconv -f UTF-8 -t {encoding} {to} > {from}` turns it back."
            );
            format!(
                "The file is {encoding} text, and old_string is UTF-8: they have no bytes in \
                 common.{}",
                terms.if_served("bash", &copy)
            )
        }
        NearestFinding::Blank => "old_string has nothing but blanks and line ends, which are not \
             in the file so: send the text before or behind them with them."
            .to_owned(),
        NearestFinding::Alike {
            repair,
            place,
            differences,
            others,
        } => {
            let mut note = alike(*repair, place, differences);
            if differences
                .iter()
                .any(|one| one.kind == DifferenceKind::Indentation)
            {
                note += " Indent new_string as the file is indented.";
            }
            if *others > 0 && place.same.1 <= 1 {
                let _ = write!(
                    note,
                    " As near: {}.",
                    count_noun(*others as u64, "other place")
                );
            }
            let new_too = !matches!(repair, None | Some(TextRepair::Trim));
            to_be_sent(&mut note, place, terms, (new_too, quotes));
            note
        }
        NearestFinding::Stale {
            place,
            changes,
            equal,
        } => {
            let mut note = stale(place, changes, *equal);
            to_be_sent(&mut note, place, terms, (false, quotes));
            note
        }
        NearestFinding::Nothing => {
            let lines = count_noun(nearest.lines, "line");
            let searched = if nearest.whole {
                format!("the file, which has {lines}")
            } else {
                format!("the file's first {lines}")
            };
            let with = terms.if_served("file_read", " with file_read");
            format!(
                "Nothing like old_string is in {searched}: it may be another file, or it has \
                 changed. Read it again{with} before you edit it."
            )
        }
        NearestFinding::Unknown => {
            let find = terms.if_served("grep", "find them with grep, ");
            let with = terms.if_served("file_read", " with file_read");
            format!(
                "The file or old_string is too long to look for the nearest lines: {find}read \
                 them{with}, and send them as they are."
            )
        }
    }
}

fn alike(repair: Option<TextRepair>, place: &FilePlace, differences: &[TextDifference]) -> String {
    let lines = are_lines(place);
    let words = differences_in_words(differences);
    let mistake = match repair {
        // The differences of a single line name it.
        None if place.first == place.last => return format!("The nearest: {words}."),
        None => return format!("The nearest {lines}: {words}."),
        Some(TextRepair::Trim) => "blanks or line ends around its text that the file has not",
        Some(TextRepair::LineNumbers) => {
            "line numbers before its lines, and the file has none there"
        }
        Some(TextRepair::Unescape) => {
            "escapes (a backslash before n, t, a quote or a backslash), and the file has the \
             characters themselves"
        }
    };
    let mut note = format!("The nearest {lines}: old_string has {mistake}.");
    if !differences.is_empty() {
        let _ = write!(note, " Beyond that {words}.");
    }
    note
}

/// The differences, those of one kind together.
fn differences_in_words(differences: &[TextDifference]) -> String {
    let mut groups: Vec<(&TextDifference, Vec<u64>)> = Vec::new();
    for one in differences {
        let same = |other: &TextDifference| {
            (one.kind, &one.file, &one.sought) == (other.kind, &other.file, &other.sought)
        };
        match groups.iter_mut().find(|(other, _)| same(other)) {
            Some((_, lines)) => lines.push(one.line),
            None => groups.push((one, vec![one.line])),
        }
    }
    let more = groups.len().saturating_sub(MOST_DIFFERENCES);
    groups.truncate(MOST_DIFFERENCES);
    let mut said: Vec<String> = groups.iter().map(difference_in_words).collect();
    if more > 0 {
        said.push(format!(
            "and {}",
            count_noun(more as u64, "other difference")
        ));
    }
    said.join("; ")
}

fn difference_in_words((one, lines): &(&TextDifference, Vec<u64>)) -> String {
    let place = lines_in_words(lines, lines.len() as u64);
    let (singular, plural) = match one.kind {
        DifferenceKind::Indentation => ("is indented with", "are indented with"),
        DifferenceKind::Trailing | DifferenceKind::LineEnd => ("ends in", "end in"),
        DifferenceKind::Case => ("differs", "differ"),
        _ => ("has", "have"),
    };
    let verb = if place.starts_with("lines") {
        plural
    } else {
        singular
    };
    let (file, sought) = (
        characters_in_words(&one.file),
        characters_in_words(&one.sought),
    );
    match one.kind {
        DifferenceKind::Case => format!("{place} {verb} in small and capital letters"),
        DifferenceKind::NotUtf8 => format!(
            "{place} {verb} the bytes {}, which are no UTF-8 and are shown as U+FFFD",
            one.file.escape_ascii()
        ),
        _ => format!("{place} {verb} {file} where old_string has {sought}"),
    }
}

/// `4 spaces`, `a tab and 2 spaces`, `“ (U+201C)`, `nothing`.
fn characters_in_words(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let code = |one: &char| format!("U+{:04X}", u32::from(*one));
    let is_hidden = |one: char| one.is_whitespace() || one.is_control() || unseen::is_unseen(one);
    let all: Vec<char> = text.chars().collect();
    match &*text {
        "" => return "nothing".to_owned(),
        "\n" => return "LF".to_owned(),
        "\r\n" => return "CRLF".to_owned(),
        _ if text.contains(is_hidden) => {}
        _ => {
            let codes: Vec<String> = all.iter().map(code).collect();
            return format!("{text} ({})", codes.join(" "));
        }
    }
    let runs = all.chunk_by(|one, other| one == other).map(|run| {
        let (name, code) = match run[0] {
            ' ' => ("space", String::new()),
            '\t' => ("tab", String::new()),
            '\n' => ("line end", String::new()),
            one => ("hidden character", format!(" ({})", code(&one))),
        };
        match run.len() {
            1 => format!("a {name}{code}"),
            times => format!("{times} {name}s{code}"),
        }
    });
    runs.collect::<Vec<_>>().join(" and ")
}

fn stale(place: &FilePlace, changes: &[LineChange], equal: usize) -> String {
    let mut note = format!("The nearest {}", are_lines(place));
    if equal > 0 {
        let _ = write!(note, ", with {}", count_noun(equal as u64, "equal line"));
    }
    let mut said: Vec<String> = changes.iter().take(3).map(change_in_words).collect();
    if changes.len() > said.len() {
        said.push(format!("and {} more", changes.len() - said.len()));
    }
    if !said.is_empty() {
        let _ = write!(note, ": {}", said.join("; "));
    }
    note + ". If that is the place, the file has changed or was quoted inexactly."
}

fn change_in_words(change: &LineChange) -> String {
    let (first, behind) = (change.lines.start, change.lines.end);
    let lines = range_in_words(first, behind.saturating_sub(1));
    let reads = if behind - first > 1 { "read" } else { "reads" };
    let [file, sought] = [&change.file, &change.sought].map(|lines| {
        let quoted: Vec<String> = lines.iter().map(|line| format!("`{line}`")).collect();
        quoted.join(", ").replace("`…`", "…")
    });
    if change.lines.is_empty() {
        format!("before line {first} old_string has {sought}, which the file has not")
    } else if change.sought.is_empty() {
        format!("{lines} {reads} {file}, which old_string has not")
    } else {
        format!("{lines} {reads} {file} where old_string has {sought}")
    }
}

/// Says what the file's own text is and that it is to be sent; last, since it ends in the text.
fn to_be_sent(
    note: &mut String,
    place: &FilePlace,
    terms: &CallTerms,
    (new_too, quotes): (bool, bool),
) {
    let (lines, times) = &place.same;
    if *times > 1 {
        let named = lines_in_words(lines, *times as u64);
        let _ = write!(
            note,
            " This text of the file is there {times} times, in {named}: add lines from around the \
             one that is meant."
        );
    }
    let limit = place.last - place.first + 1;
    let advice = if new_too {
        "; send new_string without them, too"
    } else {
        ""
    };
    match &place.text {
        QuotedText::Text(text) if quotes => {
            let _ = write!(
                note,
                " Send the file's own text as old_string{advice}:\n```\n{text}\n```"
            );
        }
        QuotedText::Text(_) | QuotedText::TooLong => {
            let first = place.first;
            let with = format!(" (file_read with \"offset\":{first},\"limit\":{limit})");
            let with = terms.if_served("file_read", &with);
            let _ = write!(
                note,
                " Read it again{with} and send the file's own text{advice}."
            );
        }
        QuotedText::NotText => {
            let bash = terms.if_served("bash", ", or change it with bash");
            let _ = write!(
                note,
                " It has bytes that are no UTF-8, which no old_string can hold: send text from \
                 beside them{bash}."
            );
        }
    }
}

/// `is line 5`, `are lines 5 to 7`.
fn are_lines(place: &FilePlace) -> String {
    let verb = if place.first == place.last {
        "is"
    } else {
        "are"
    };
    format!("{verb} {}", range_in_words(place.first, place.last))
}

/// `line 5`, `lines 5 to 7`.
fn range_in_words(first: u64, last: u64) -> String {
    let several = if first < last { "s" } else { "" };
    format!("line{several} {}", range_of(&(first, last.max(first))))
}

/// `5`, `5 to 7`.
fn range_of((first, last): &(u64, u64)) -> String {
    if first == last {
        first.to_string()
    } else {
        format!("{first} to {last}")
    }
}

/// `line 5`, `lines 3 to 8`, `lines 3, 5 and 9`, and how many more there are of `count`. The
/// numbers ascend.
fn lines_in_words(numbers: &[u64], count: u64) -> String {
    let mut unique = numbers.to_vec();
    unique.dedup();
    let named = match &unique[..] {
        [first, _, .., last] if last - first + 1 == unique.len() as u64 => {
            range_in_words(*first, *last)
        }
        [one] => format!("line {one}"),
        several => {
            let several: Vec<String> = several.iter().map(u64::to_string).collect();
            format!("lines {}", join_list(&several, "and"))
        }
    };
    match count.saturating_sub(numbers.len() as u64) {
        0 => named,
        more => format!("{named}, and {} more", thousands(more)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_named_in_words() {
        for (numbers, words) in [
            (&[5][..], "line 5"),
            (&[5, 6], "lines 5 and 6"),
            (&[3, 4, 5], "lines 3 to 5"),
            (&[3, 5, 9], "lines 3, 5 and 9"),
        ] {
            assert_eq!(lines_in_words(numbers, numbers.len() as u64), words);
        }
    }
}
