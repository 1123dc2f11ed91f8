//! The text of a file that is nearest to the one sought: its place, the differences, and a
//! quotation to be sent instead.
//!
//! Rules: the decisions on file-edit.

use std::fmt::Write as _;

use super::{lines_in_words, range_in_words};
use crate::contract::call_terms::{Audience, CallTerms};
use iki_base::unseen;
use iki_base::wording::{beginning, count_noun};
use iki_files::nearest::{
    DifferenceKind, MAX_NAMED_LINES, NearestFinding, NearestPlace, NearestText, TextDifference,
    TextRepair,
};

/// Maximum number of differences that are named.
const MAX_NAMED_DIFFERENCES: usize = 4;

/// Maximum length of the file's text that is quoted.
const MAX_QUOTED_BYTES: usize = 2000;

/// Maximum number of the file's lines that are quoted.
const MAX_QUOTED_LINES: u64 = 40;

/// Maximum length of a line that is quoted next to another.
const MAX_LINE_BYTES: usize = 160;

/// Says what the nearest text is, or that there is none.
pub(super) fn describe_finding(nearest: &NearestText, terms: &CallTerms, quotes: bool) -> String {
    match &nearest.finding {
        NearestFinding::Empty => {
            let instead =
                terms.if_served("file_write", ": write its content with file_write instead");
            format!("The file is empty{instead}.")
        }
        NearestFinding::Blank => "old_string is only whitespace, and the file has no such run of \
                                  it: include the text before or after it."
            .to_owned(),
        NearestFinding::Place(place) => describe_place(place, terms, quotes),
        NearestFinding::Nothing => {
            let with = terms.if_served("file_read", " with file_read");
            format!(
                "Nothing like old_string is in the file: it may be another file, or it has \
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

/// Says how the nearest place differs and, last, what its text is.
fn describe_place(place: &NearestPlace, terms: &CallTerms, quotes: bool) -> String {
    let mistake = place.repair.map(|repair| match repair {
        TextRepair::Trim => "old_string has whitespace around its text that is not in the file",
        TextRepair::LineNumbers => {
            "old_string has line numbers before its lines, and the file has none there"
        }
        TextRepair::SpelledControl => {
            "old_string spells control characters (`\\x1b`, `␀`), and the file has the characters \
             themselves: send these, in JSON as `\\u001b`"
        }
        TextRepair::Unescape => {
            "old_string has escapes (a backslash before n, t, a quote or a backslash), and the \
             file has the characters themselves"
        }
    });
    let mut phrases = describe_differences(&place.differences);
    phrases.splice(..0, mistake.map(str::to_owned));
    let lines = range_in_words(place.first, place.last);
    let mut note = format!("The nearest text is in {lines}: {}.", phrases.join("; "));
    let has = |kind| place.differences.iter().any(|one| one.kind == kind);
    if has(DifferenceKind::Indentation) {
        note += " Indent new_string as the file is indented.";
    }
    if has(DifferenceKind::Lines) {
        note += " If that is the text you meant, the file has changed or old_string was not \
                 copied exactly.";
    }
    if place.same.len() > 1 {
        let named = &place.same[..place.same.len().min(MAX_NAMED_LINES)];
        let _ = write!(
            note,
            " This text is in the file {} times, in {}: add lines from around the one that is \
             meant.",
            place.same.len(),
            lines_in_words(named, place.same.len() as u64)
        );
    }
    let advice = match place.repair {
        None | Some(TextRepair::Trim) => "",
        Some(_) => "; send new_string without them, too",
    };
    let count = place.last - place.first + 1;
    let is_short = place.text.len() <= MAX_QUOTED_BYTES && count <= MAX_QUOTED_LINES;
    let _ = match std::str::from_utf8(&place.text) {
        Ok(text) if is_short && quotes => write!(
            note,
            " Send the file's own text as old_string{advice}:\n```\n{text}\n```"
        ),
        Ok(_) => {
            let with = format!(
                " (file_read with \"offset\":{},\"limit\":{count})",
                place.first
            );
            let with = terms.if_served("file_read", &with);
            write!(
                note,
                " Read it again{with} and send the file's own text{advice}."
            )
        }
        Err(_) => {
            let is_decoded = terms.reader != Audience::Host;
            let read = ", or send it as file_read shows it";
            let read = if is_decoded {
                terms.if_served("file_read", read)
            } else {
                ""
            };
            let bash = terms.if_served("bash", ", or change it with bash");
            write!(
                note,
                " It has bytes that are not UTF-8: choose text next to them{read}{bash}."
            )
        }
    };
    note
}

/// The differences, those of one kind together.
fn describe_differences(differences: &[TextDifference]) -> Vec<String> {
    if let Some(words) = describe_shift(differences) {
        let others: Vec<TextDifference> = differences
            .iter()
            .filter(|one| one.kind != DifferenceKind::Indentation)
            .cloned()
            .collect();
        let mut phrases = describe_differences(&others);
        phrases.insert(0, words);
        return phrases;
    }
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
    let more = groups.len().saturating_sub(MAX_NAMED_DIFFERENCES);
    groups.truncate(MAX_NAMED_DIFFERENCES);
    let mut phrases: Vec<String> = groups.iter().map(describe_difference).collect();
    if more > 0 {
        phrases.push(format!(
            "and {}",
            count_noun(more as u64, "other difference")
        ));
    }
    phrases
}

/// The number of spaces that `old_string` has for each tab of the file, if it is indented so.
fn tab_width(one: &TextDifference) -> Option<usize> {
    let is_all = |text: &[u8], blank| !text.is_empty() && text.iter().all(|byte| *byte == blank);
    let width = one.sought.len().checked_div(one.file.len())?;
    let is_even = width > 0 && width * one.file.len() == one.sought.len();
    (is_even && is_all(&one.file, b'\t') && is_all(&one.sought, b' ')).then_some(width)
}

/// Says that lines of different indentation are all indented by the same blanks more or less than
/// in `old_string`, if they are.
fn describe_shift(differences: &[TextDifference]) -> Option<String> {
    let is_indentation = |one: &&TextDifference| one.kind == DifferenceKind::Indentation;
    let shift = |one: &TextDifference| {
        let (file, sought) = (&one.file[..], &one.sought[..]);
        let more = |long: &[u8], short: &[u8]| {
            let remainder = long.strip_prefix(short).or(long.strip_suffix(short))?;
            (!remainder.is_empty()).then(|| remainder.to_vec())
        };
        let longer = more(file, sought).map(|blanks| (blanks, "more"));
        longer.or_else(|| Some((more(sought, file)?, "less")))
    };
    let mut all = differences.iter().filter(is_indentation);
    let first = all.next()?;
    if let Some(width) = tab_width(first) {
        let is_same = |one: &TextDifference| tab_width(one) == Some(width);
        let last = all.clone().next_back()?;
        let spaces = count_noun(width as u64, "space");
        return (last.file != first.file && all.all(is_same)).then(|| {
            let lines = range_in_words(first.line, last.line);
            format!("{lines} are indented with tabs where old_string has {spaces} for each")
        });
    }
    let (blanks, than) = shift(first)?;
    let mut last = first;
    let mut differs = false;
    for one in all {
        if shift(one).as_ref() != Some(&(blanks.clone(), than)) {
            return None;
        }
        differs |= one.file != first.file;
        last = one;
    }
    differs.then(|| {
        format!(
            "{} are indented with {} {than} than in old_string",
            range_in_words(first.line, last.line),
            describe_characters(&blanks)
        )
    })
}

fn describe_difference((one, lines): &(&TextDifference, Vec<u64>)) -> String {
    let place = lines_in_words(lines, lines.len() as u64);
    let (singular, plural) = match one.kind {
        DifferenceKind::Indentation => ("is indented with", "are indented with"),
        DifferenceKind::Ending => ("ends in", "end in"),
        DifferenceKind::Case => return format!("upper and lower case differ in {place}"),
        DifferenceKind::Within | DifferenceKind::Lines => ("has", "have"),
    };
    let is_plural = place.starts_with("lines");
    let verb = if is_plural { plural } else { singular };
    let describe = if one.kind == DifferenceKind::Lines {
        quote_lines
    } else {
        describe_characters
    };
    let (mut file, mut sought) = (describe(&one.file), describe(&one.sought));
    if one.kind == DifferenceKind::Lines && file == sought {
        (file, sought) = quote_difference(&one.file, &one.sought);
    }
    if one.kind == DifferenceKind::Lines && one.file.is_empty() {
        return format!("before {place} the file has nothing where old_string has {sought}");
    }
    format!("{place} {verb} {file} where old_string has {sought}")
}

/// The first of some lines, and a sign for the others.
fn quote_lines(lines: &[u8]) -> String {
    let text = String::from_utf8_lossy(lines);
    let mut lines = text.lines();
    let Some(first) = lines.next() else {
        return "nothing".to_owned();
    };
    let excerpt = beginning(first, MAX_LINE_BYTES);
    let is_whole = excerpt == first && lines.next().is_none();
    format!("`{excerpt}`{}", if is_whole { "" } else { "…" })
}

/// The first lines of both texts, from shortly before they differ.
fn quote_difference(file: &[u8], sought: &[u8]) -> (String, String) {
    let (file, sought) = (
        String::from_utf8_lossy(file),
        String::from_utf8_lossy(sought),
    );
    let pairs = file.char_indices().zip(sought.chars());
    let differs = pairs
        .skip_while(|((_, one), other)| one == other)
        .map(|((offset, _), _)| offset);
    let differs = differs
        .take(1)
        .next()
        .unwrap_or(file.len().min(sought.len()));
    let before = file[..differs].char_indices().rev().nth(MAX_LINE_BYTES / 4);
    let from = before.map_or(0, |(offset, _)| offset);
    let from_line = file[..differs].rfind('\n').map_or(0, |offset| offset + 1);
    let from = from.max(from_line);
    let quote = |text: &str| {
        let remainder = text.get(from..).unwrap_or_default();
        let quoted = quote_lines(remainder.as_bytes());
        if from == from_line {
            quoted
        } else {
            format!("…{quoted}")
        }
    };
    (quote(&file), quote(&sought))
}

/// `4 spaces`, `a tab and 2 spaces`, `“ (U+201C)`, `nothing`.
fn describe_characters(bytes: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return format!("the bytes {} (not UTF-8)", bytes.escape_ascii());
    };
    let all: Vec<char> = text.chars().collect();
    let code = |one: &char| format!("U+{:04X}", u32::from(*one));
    let is_hidden = |one: char| one.is_whitespace() || one.is_control() || unseen::is_unseen(one);
    match text {
        "" => return "nothing".to_owned(),
        "\n" => return r"LF (`\n`)".to_owned(),
        "\r\n" => return r"CRLF (`\r\n`)".to_owned(),
        "\r" => return r"CR (`\r`)".to_owned(),
        _ if text.contains(is_hidden) => {}
        _ => {
            let codes: Vec<String> = all.iter().map(code).collect();
            return format!("{text} ({})", codes.join(" "));
        }
    }
    let runs = all.chunk_by(|one, other| one == other).map(|run| {
        let name = match run[0] {
            ' ' => "space",
            '\t' => "tab",
            '\n' => "line end",
            one => return format!("a hidden {}", code(&one)),
        };
        match run.len() {
            1 => format!("a {name}"),
            times => format!("{times} {name}s"),
        }
    });
    runs.collect::<Vec<_>>().join(" and ")
}
