//! The note if `old_string` is missing from the file or occurs more than once: the text that is in
//! the file instead, and what to send next.
//!
//! Rules: the decisions on file-edit, and on notes.

use std::path::Path;

use crate::contract::answer_limit::TextMeasure;
use crate::contract::call_terms::CallTerms;
use crate::tools::file::composed::Composition;
use iki_base::signature;
use iki_base::text_encoding::{TextEncoding, iconv_name};
use iki_base::wording::{join_list, quoted_for_shell, thousands};
use iki_document::{FileKind, MAX_FILE};
use iki_files::binary_kind;
use iki_files::nearest::{MAX_NAMED_LINES, NearestFinding, NearestText};
use iki_files::{ChangedLines, EncodingObstacle, LineEndChange};

mod nearest_note;

use nearest_note::describe_finding;

/// Room of an answer next to its note: its other fields, and the JSON around them.
const OTHER_FIELDS_BYTES: usize = 256;

/// The note on text that the file does not contain. The file's text is quoted whole or not at all:
/// half of it would match the file too, and the model would send it.
pub fn not_found(nearest: &NearestText, terms: &CallTerms) -> String {
    let note = describe_nearest(nearest, terms, true);
    let cost = TextMeasure::Json.cost(note.as_bytes());
    let longest = terms.max_answer;
    if longest.is_some_and(|longest| cost + OTHER_FIELDS_BYTES > longest) {
        return describe_nearest(nearest, terms, false);
    }
    note
}

fn describe_nearest(nearest: &NearestText, terms: &CallTerms, quotes: bool) -> String {
    let finding = describe_finding(nearest, terms, quotes);
    if nearest.lines_with_new_text.is_empty() {
        return finding;
    }
    let places = &nearest.lines_with_new_text;
    let lines = lines_in_words(places, places.len() as u64);
    let note = format!(
        "The file already holds new_string, in {lines}: this edit may have been made before."
    );
    match nearest.finding {
        NearestFinding::Nothing => note,
        _ => format!("{note} {finding}"),
    }
}

/// The note on a text that is in the file `count` times, first in `lines`.
pub fn not_unique(count: u64, lines: &[u64], composition: Composition) -> String {
    let all = format!(
        ", or send \"replace_all\":true to replace all {}",
        thousands(count)
    );
    // Of a binary file, nobody can mean all.
    let all = match composition {
        Composition::Binary(_) => "",
        _ => &*all,
    };
    format!(
        "old_string begins in {}. Add lines from around the one that is meant{all}.",
        lines_in_words(lines, count)
    )
}

/// The note on a text that the edit at `index` of the same call has changed.
pub fn changed_by(index: usize) -> String {
    format!(
        "In the file as it is, old_string could be replaced, but edit {} has changed it: each \
         edit is made in the text that those before it leave.",
        index + 1
    )
}

/// The note on numbers of lines in the text that the first `count` edits leave.
pub fn lines_after(count: usize) -> Option<String> {
    let edits = match count {
        0 => return None,
        1 => "edit 1".to_owned(),
        last => format!("edits 1 to {last}"),
    };
    Some(format!("Lines are counted as after {edits}."))
}

/// The lines that an edit has changed, to follow its answer: ` (lines 3 to 5 and 9)`; empty if none
/// are known.
pub fn changed_lines(changed: &ChangedLines) -> String {
    let mut places: Vec<String> = changed.ranges().iter().map(range_of).collect();
    if changed.is_partial || places.len() > MAX_NAMED_LINES {
        places.truncate(MAX_NAMED_LINES);
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

/// The note on an edit of a file that is not UTF-8.
pub fn made_in_encoding(encoding: TextEncoding) -> String {
    format!(
        "The file is {} text, and was edited as such.",
        encoding.name()
    )
}

/// The note on a file into which a text cannot be put because of its encoding.
pub fn encoding_obstacle(path: &str, obstacle: &EncodingObstacle, terms: &CallTerms) -> String {
    let note = match obstacle {
        EncodingObstacle::Replacement => {
            return "new_string has U+FFFD, which stands for bytes that could not be shown: \
                    choose text next to them, and leave them as they are."
                .to_owned();
        }
        EncodingObstacle::Lacking {
            encoding,
            character,
        } => {
            let name = encoding.name();
            if !encoding.is_one_byte() {
                return format!("The file is {name} text, which has no {character:?}.");
            }
            format!("It seems to be {name} text, which is not sure to have {character:?}.")
        }
        EncodingObstacle::Wide(encoding) => {
            let mark = if encoding.ends_with("LE") || encoding.ends_with("BE") {
                " without a byte-order mark"
            } else {
                ""
            };
            format!(
                "The file is {encoding} text{mark}, and old_string is UTF-8: they have no bytes \
                 in common."
            )
        }
        EncodingObstacle::Unknown(Some(name)) => {
            format!("It seems to be {name} text, but that is not sure.")
        }
        EncodingObstacle::Unknown(None) => {
            return "It is in no one encoding, so only text that is ASCII can be put into it."
                .to_owned();
        }
    };
    let encoding = match obstacle {
        EncodingObstacle::Lacking { encoding, .. } => encoding.name(),
        EncodingObstacle::Wide(name) | EncodingObstacle::Unknown(Some(name)) => name,
        _ => return note,
    };
    let encoding = iconv_name(encoding);
    let from = quoted_for_shell(path);
    let utf8 = format!("{path}.utf8");
    let to = quoted_for_shell(&utf8);
    let copy = format!(
        " With bash, `iconv -f {encoding} -t UTF-8 {from} > {to}` makes a copy that can be \
         edited, and `iconv -f UTF-8 -t {encoding} {to} > {from}` turns it back."
    );
    format!("{note}{}", terms.if_served("bash", &copy))
}

/// The note on text that is not in a file which looks otherwise than it is: a document, of which
/// `file_read` shows what no file holds, or lines that end in CR alone.
pub fn looks_otherwise(path: &str, nearest: &NearestText, terms: &CallTerms) -> Option<String> {
    let is_unlike = matches!(
        nearest.finding,
        NearestFinding::Nothing | NearestFinding::Unknown
    );
    if !is_unlike || !nearest.lines_with_new_text.is_empty() {
        return None;
    }
    let (content, _) = iki_files::read_beginning(Path::new(path), MAX_FILE, None)?;
    let has = |byte| content.contains(&byte);
    if has(b'\r') && !has(b'\n') {
        return Some(
            r"The lines of this file end in CR alone (`\r`): send them so in old_string."
                .to_owned(),
        );
    }
    let Some(kind) = FileKind::detect(&content) else {
        let kind = binary_kind::detect(&content).filter(|kind| kind.is_known())?;
        let unpack = format!(
            "; with bash, `gzip -dk {}` unpacks it",
            quoted_for_shell(path)
        );
        let unpack = match kind.mime {
            signature::GZIP => terms.if_served("bash", &unpack),
            _ => "",
        };
        let words = kind.words;
        return Some(format!(
            "It is a binary file ({words}): its text cannot be edited here{unpack}."
        ));
    };
    let label = kind.label();
    let is_text = std::str::from_utf8(&content).is_ok() && !content.contains(&0);
    Some(if is_text {
        format!(
            "It is a document ({label}), which file_read shows as Markdown: old_string has to be \
             a part of the file as it is on disk."
        )
    } else {
        format!("It is a document ({label}): its text cannot be edited here.")
    })
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
        LineEndChange::MixedIn => "new_string was written as it was sent, with CRLF, where the \
                                   file's other lines end in LF: it now has both."
            .to_owned(),
    };
    Some(note)
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
