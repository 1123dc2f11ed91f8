//! The note on a text that is not in the file, or not only once: the text that is there instead,
//! and what to send next.
//!
//! Rules: the decisions on file-edit, and on notes.

use std::fmt::Write as _;

use crate::basics::words::{counted, quoted_for_shell, thousands};
use crate::contract::bounded::TextMeasure;
use crate::contract::terms::Terms;
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
pub fn not_found(path: &str, nearest: &NearestText, terms: &Terms) -> String {
    let note = note_of(path, nearest, terms, true);
    let cost = TextMeasure::Json.cost(note.as_bytes());
    let longest = terms.max_answer;
    if longest.is_some_and(|longest| cost + BESIDE > longest) {
        return note_of(path, nearest, terms, false);
    }
    note
}

fn note_of(path: &str, nearest: &NearestText, terms: &Terms, quotes: bool) -> String {
    let mut note = String::new();
    if !nearest.already.is_empty() {
        let lines = lines_in_words(&nearest.already);
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

/// The lines that an edit has changed, behind its answer: ` (lines 3 to 5 and 9)`; empty if none
/// are known.
pub fn changed_lines(changed: &ChangedLines) -> String {
    let ranges = changed.ranges();
    let mut places: Vec<String> = ranges
        .iter()
        .take(MOST_NAMED)
        .map(|(first, last)| match last - first {
            0 => first.to_string(),
            _ => format!("{first} to {last}"),
        })
        .collect();
    if changed.is_partial || ranges.len() > MOST_NAMED {
        places.push("more".to_owned());
    }
    let plural = if places.len() == 1 && !places[0].contains(' ') {
        ""
    } else {
        "s"
    };
    match &places[..] {
        [] => String::new(),
        [one] => format!(" (line{plural} {one})"),
        [before @ .., last] => format!(" (line{plural} {} and {last})", before.join(", ")),
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

fn finding_in_words(path: &str, nearest: &NearestText, terms: &Terms, quotes: bool) -> String {
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
                let are = if *others == 1 { "is" } else { "are" };
                let _ = write!(
                    note,
                    " {} {are} as near.",
                    counted(*others as u64, "other place")
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
            let lines = counted(nearest.lines, "line");
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
    let mut said: Vec<String> = groups
        .into_iter()
        .map(|(one, mut lines)| {
            lines.dedup();
            difference_in_words(one, &lines)
        })
        .collect();
    if more > 0 {
        said.push(format!("and {}", counted(more as u64, "other difference")));
    }
    said.join("; ")
}

fn difference_in_words(one: &TextDifference, lines: &[u64]) -> String {
    let place = lines_in_words(lines);
    let several = lines.len() > 1;
    let choose = |one, more| if several { more } else { one };
    let file = characters_in_words(&one.file);
    let ends = choose("ends in", "end in");
    let differs = match one.kind {
        DifferenceKind::Indentation if one.file.is_empty() => {
            choose("is not indented", "are not indented").to_owned()
        }
        DifferenceKind::Indentation => {
            format!("{} indented with {file}", choose("is", "are"))
        }
        DifferenceKind::Trailing if one.file.is_empty() => {
            format!("{} nothing at the end", choose("has", "have"))
        }
        DifferenceKind::Trailing => format!("{ends} {file}"),
        DifferenceKind::LineEnd => {
            let name = |bytes: &[u8]| if bytes == b"\r\n" { "CRLF" } else { "LF" };
            let (file, sought) = (name(&one.file), name(&one.sought));
            return format!("{place} {ends} {file} where old_string has {sought}");
        }
        DifferenceKind::Case => {
            let differ = choose("differs", "differ");
            return format!("{place} {differ} in small and capital letters");
        }
        DifferenceKind::NotUtf8 => {
            let bytes: Vec<String> = one
                .file
                .iter()
                .map(|byte| format!("0x{byte:02X}"))
                .collect();
            let bytes = bytes.join(" ");
            return format!("{place} has {bytes}, which is no UTF-8 and is shown as U+FFFD");
        }
        DifferenceKind::Blanks | DifferenceKind::Character => {
            format!("{} {file}", choose("has", "have"))
        }
    };
    let sought = characters_in_words(&one.sought);
    format!("{place} {differs} where old_string has {sought}")
}

/// `4 spaces`, `a tab and 2 spaces`, `“ (U+201C)`, `nothing`.
fn characters_in_words(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    let code = |one: char| format!("U+{:04X}", u32::from(one));
    let is_hidden = |one: char| one.is_whitespace() || one.is_control() || unseen::is_unseen(one);
    if text.is_empty() {
        return "nothing".to_owned();
    }
    if !text.contains(is_hidden) {
        let codes: Vec<String> = text.chars().map(code).collect();
        return format!("{text} ({})", codes.join(" "));
    }
    let mut parts: Vec<String> = Vec::new();
    let mut rest = &text[..];
    while let Some(one) = rest.chars().next() {
        let behind = rest.trim_start_matches(one);
        let times = ((rest.len() - behind.len()) / one.len_utf8()) as u64;
        rest = behind;
        let (name, code) = match one {
            ' ' => ("space", String::new()),
            '\t' => ("tab", String::new()),
            '\n' => ("line end", String::new()),
            '\u{A0}' => ("no-break space", " (U+00A0)".to_owned()),
            _ => ("hidden character", format!(" ({})", code(one))),
        };
        parts.push(match times {
            1 => format!("a {name}{code}"),
            _ => format!("{times} {name}s{code}"),
        });
    }
    parts.join(" and ")
}

fn stale(place: &FilePlace, changes: &[LineChange], equal: usize) -> String {
    let mut note = format!("The nearest {}", are_lines(place));
    if equal > 0 {
        let are = if equal == 1 { "is" } else { "are" };
        let _ = write!(note, ", of which {equal} {are} the same");
    } else if place.first == place.last {
        note += ", which is not the same";
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
fn to_be_sent(
    note: &mut String,
    place: &FilePlace,
    terms: &Terms,
    (new_too, quotes): (bool, bool),
) {
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

fn range_in_words(first: u64, last: u64) -> String {
    if first >= last {
        format!("line {first}")
    } else {
        format!("lines {first} to {last}")
    }
}

/// `line 5`, `lines 3 to 8`, `lines 3, 5 and 9`. The numbers ascend.
fn lines_in_words(numbers: &[u64]) -> String {
    let (Some(first), Some(last)) = (numbers.first(), numbers.last()) else {
        return String::new();
    };
    if numbers.len() == 1 {
        return format!("line {first}");
    }
    if numbers.len() > 2 && numbers.windows(2).all(|pair| pair[1] == pair[0] + 1) {
        return format!("lines {first} to {last}");
    }
    let before: Vec<String> = numbers[..numbers.len() - 1]
        .iter()
        .map(u64::to_string)
        .collect();
    format!("lines {} and {last}", before.join(", "))
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
            assert_eq!(lines_in_words(numbers), words);
        }
    }
}
