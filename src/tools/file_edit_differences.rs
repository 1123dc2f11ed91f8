//! In what a place in a file differs from the text that was looked for, in words for a model.

use std::fmt::Write as _;

use crate::files::near::{Difference, What};
use crate::tools::file_words::{count, lines_in_words};
use crate::unseen;

/// How many differences are named.
const MOST_DIFFERENCES: usize = 4;

/// The differences, those of one kind together.
pub fn in_words(differences: &[Difference]) -> String {
    let mut groups: Vec<(&Difference, Vec<u64>)> = Vec::new();
    for one in differences {
        let same = |other: &Difference| {
            (one.what, &one.file, &one.sought) == (other.what, &other.file, &other.sought)
        };
        match groups.iter_mut().find(|(other, _)| same(other)) {
            Some((_, lines)) => lines.push(one.line),
            None => groups.push((one, vec![one.line])),
        }
    }
    let said: Vec<String> = groups
        .iter_mut()
        .take(MOST_DIFFERENCES)
        .map(|(one, lines)| {
            lines.dedup();
            difference_in_words(one, lines)
        })
        .collect();
    let mut words = said.join("; ");
    if groups.len() > MOST_DIFFERENCES {
        let more = count((groups.len() - MOST_DIFFERENCES) as u64, "other difference");
        let _ = write!(words, "; and {more}");
    }
    words
}

fn difference_in_words(one: &Difference, lines: &[u64]) -> String {
    let place = lines_in_words(lines);
    let several = lines.len() > 1;
    let has = if several { "have" } else { "has" };
    let (file, sought) = (bytes_in_words(&one.file), bytes_in_words(&one.sought));
    let behind = if several || one.behind.is_empty() {
        String::new()
    } else {
        format!(" behind `{}`", one.behind)
    };
    match one.what {
        What::Indentation => {
            let is = if several { "are" } else { "is" };
            if one.file.is_empty() {
                format!("{place} {is} not indented where old_string has {sought}")
            } else {
                format!("{place} {is} indented with {file} where old_string has {sought}")
            }
        }
        What::Trailing => {
            let ends = if several { "end" } else { "ends" };
            if one.file.is_empty() {
                format!("{place} {has} nothing at the end where old_string has {sought}")
            } else {
                format!("{place} {ends} in {file} where old_string has {sought}")
            }
        }
        What::Blanks | What::LineBreak => {
            format!("{place} {has} {file}{behind} where old_string has {sought}")
        }
        What::LineEnd => {
            let ends = if several { "end" } else { "ends" };
            let name = |bytes: &[u8]| if bytes == b"\r\n" { "CRLF" } else { "LF" };
            format!(
                "{place} {ends} in {} where old_string has {}",
                name(&one.file),
                name(&one.sought)
            )
        }
        What::Character => format!("{place} {has} {file} where old_string has {sought}"),
        What::Case => format!(
            "{place} {has} `{}` where old_string has `{}`",
            String::from_utf8_lossy(&one.file),
            String::from_utf8_lossy(&one.sought)
        ),
        What::Broken => {
            let bytes: Vec<String> = one
                .file
                .iter()
                .map(|byte| format!("0x{byte:02X}"))
                .collect();
            format!(
                "{place} {has} {}, which is no UTF-8 and is shown as U+FFFD",
                bytes.join(" ")
            )
        }
    }
}

/// `4 spaces`, `a tab and 2 spaces`, `“ (U+201C)`, `nothing`.
fn bytes_in_words(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut words: Vec<(String, u64)> = Vec::new();
    let mut characters = text.chars().peekable();
    let mut seen = String::new();
    while let Some(one) = characters.next() {
        let name = match one {
            ' ' => "space".to_owned(),
            '\t' => "tab".to_owned(),
            '\n' => "line end".to_owned(),
            '\r' if characters.next_if_eq(&'\n').is_some() => "line end (CRLF)".to_owned(),
            '\r' => "carriage return".to_owned(),
            '\u{A0}' => hidden("no-break space", one),
            '\u{202F}' => hidden("narrow no-break space", one),
            '\u{200B}' => hidden("zero-width space", one),
            '\u{FEFF}' => hidden("byte-order mark", one),
            '\u{AD}' => hidden("soft hyphen", one),
            '\u{3000}' => hidden("wide space", one),
            _ if one.is_whitespace() || one.is_control() => hidden("blank", one),
            _ if unseen::is_unseen(one) => hidden("character without width", one),
            _ => {
                seen.push(one);
                continue;
            }
        };
        match words.last_mut() {
            Some((last, times)) if *last == name => *times += 1,
            _ => words.push((name, 1)),
        }
    }
    let mut parts: Vec<String> = words
        .into_iter()
        .map(|(name, times)| several(&name, times))
        .collect();
    if seen.len() > 1 && seen.is_ascii() {
        parts.push(seen);
    } else if !seen.is_empty() {
        let codes: Vec<String> = seen
            .chars()
            .map(|one| format!("U+{:04X}", u32::from(one)))
            .collect();
        parts.push(format!("{seen} ({})", codes.join(" ")));
    }
    if parts.is_empty() {
        return "nothing".to_owned();
    }
    parts.join(" and ")
}

/// What cannot be seen, and how it is written.
fn hidden(name: &str, one: char) -> String {
    let code = u32::from(one);
    format!("{name} (U+{code:04X}, in JSON \\u{code:04x})")
}

/// `a tab`, `4 spaces`.
fn several(name: &str, times: u64) -> String {
    if times == 1 {
        return format!("a {name}");
    }
    match name.split_once(" (") {
        Some((noun, code)) => format!("{times} {noun}s ({code}"),
        None => format!("{times} {name}s"),
    }
}
