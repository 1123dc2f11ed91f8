//! The notes on what was written, and on what was replaced.

use crate::tools::file::composed;
use iki_base::control_spelling;
use iki_base::text_encoding::EncodingFinding;
use iki_base::wording::count_noun;
use iki_document::FileKind;
use iki_files::binary_kind::wide_encoding;
use memchr::memmem;

/// The mark that begins some UTF-8 texts.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// The note on U+FFFD that a file did not have.
pub const REPLACEMENT_WRITTEN: &str =
    "U+FFFD was written, which stands for characters that are lost, and was not in the file.";

/// [`REPLACEMENT_WRITTEN`], if `new` has it and `old` has not.
pub fn replacement(old: &[u8], new: &str) -> Option<&'static str> {
    let is_new = new.contains('\u{FFFD}') && memmem::find(old, "\u{FFFD}".as_bytes()).is_none();
    is_new.then_some(REPLACEMENT_WRITTEN)
}

/// The note on a new text, the field `name`, that spells control characters which its file has; the
/// `old` text does not spell them.
pub fn spelled_control(name: &str, new: &str, old: &str) -> Option<String> {
    (control_spelling::spells(new) && !control_spelling::spells(old)).then(|| {
        format!(
            "{name} spells control characters (`\\x1b`, `␀`), and was written as it was sent; the \
             file has the characters themselves: if these were meant, send them, in JSON \
             `\\u001b`."
        )
    })
}

/// The note on a text, the field `name`, in which `\\n` was written as two characters where line
/// ends may have been meant. The note is given if the text has no line end and a `\\n` outside
/// quotation marks.
pub fn unescaped(name: &str, text: &str) -> Option<String> {
    if text.contains('\n') {
        return None;
    }
    let (mut bytes, mut quoted, mut has_line_feed) = (text.bytes(), [false; 3], false);
    while let Some(byte) = bytes.next() {
        if byte == b'\\' {
            has_line_feed |= bytes.next() == Some(b'n') && quoted == [false; 3];
        } else if let Some(mark) = b"\"'`".iter().position(|mark| *mark == byte) {
            quoted[mark] = !quoted[mark];
        }
    }
    has_line_feed.then(|| {
        format!(
            "{name} has no line end, and `\\n` in it was written as it was sent, as a backslash \
             and an n: if line ends were meant, write it again with these."
        )
    })
}

/// The note on `old`, the content of a file or the beginning of it, that `new` has replaced where
/// that is more than an edit: less than half of its lines stay, or they end otherwise, or the
/// encoding is another one.
pub fn replaced(old: &[u8], is_whole: bool, new: &str) -> Option<String> {
    let mut changes = Vec::new();
    if let Some(encoding) = wide_encoding(old) {
        let encoding = encoding.trim_end_matches("LE").trim_end_matches("BE");
        changes.push(format!("The file was {encoding} text, and is UTF-8 now."));
    } else if let Some(words) = binary_kind(old) {
        changes.push(format!("The file was {words}, and is text now."));
    } else if is_whole {
        match EncodingFinding::detect(old) {
            EncodingFinding::Utf8 => {}
            EncodingFinding::Known(encoding, _) => {
                let name = encoding.name();
                changes.push(format!("The file was {name} text, and is UTF-8 now."));
            }
            EncodingFinding::Unknown(_) => {
                changes
                    .push("The file held bytes that are not UTF-8, and is UTF-8 now.".to_owned());
            }
        }
    }
    if composed::is_notebook(old) && !composed::is_notebook(new.as_bytes()) {
        changes.push("The file was a notebook, and is none now.".to_owned());
    }
    changes.extend(replacement(old, new).map(String::from));
    if control_spelling::has_controls(old) {
        changes.extend(spelled_control(
            "content",
            new,
            &String::from_utf8_lossy(old),
        ));
    }
    match (old.starts_with(MARK), new.as_bytes().starts_with(MARK)) {
        (true, false) => changes.push("The byte-order mark at its beginning is gone.".to_owned()),
        (false, true) if !old.is_empty() => {
            changes.push("It has a byte-order mark at its beginning now.".to_owned());
        }
        _ => {}
    }
    match (line_end(old), line_end(new.as_bytes())) {
        (Some(old), Some(new)) if old != new => {
            changes.push(format!("Its lines ended in {old}, and end in {new} now."));
        }
        _ => {}
    }
    if is_whole && binary_kind(old).is_some() {
        changes.push(format!("It had {}.", count_noun(old.len() as u64, "byte")));
        return Some(changes.join(" "));
    }
    let (before, after) = (lines(old).count(), lines(new.as_bytes()).count());
    let pairs = lines(old).zip(lines(new.as_bytes()));
    let same = pairs.take_while(|(old, new)| old == new).count();
    let pairs = lines(old).rev().zip(lines(new.as_bytes()).rev());
    let pairs = pairs.take(before.min(after) - same);
    let stays = same + pairs.take_while(|(old, new)| old == new).count();
    if is_whole && stays * 2 < before {
        changes.push(format!(
            "This replaced {} ({}) with {}.",
            count_noun(before as u64, "line"),
            count_noun(old.len() as u64, "byte"),
            count_noun(after as u64, "line"),
        ));
    } else if !is_whole {
        changes.push(format!(
            "This replaced more than {}.",
            count_noun(old.len() as u64, "byte")
        ));
    }
    (!changes.is_empty()).then(|| changes.join(" "))
}

/// The kind of a file that is no text: a document, or another.
fn binary_kind(content: &[u8]) -> Option<String> {
    let is_text = || std::str::from_utf8(content).is_ok() && !content.contains(&0);
    let kind = iki_files::binary_kind::detect(content);
    match FileKind::detect(content).filter(|_| !is_text()) {
        Some(document) => Some(format!("a document ({})", document.label())),
        None => match kind?.words {
            "unknown kind" => Some("a binary file".to_owned()),
            words => Some(format!("a binary file ({words})")),
        },
    }
}

/// The lines of `text` without their ends.
fn lines(text: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let lines = lines.map(|line| line.strip_suffix(b"\n").unwrap_or(line));
    lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

/// The way in which all lines of `text` end, if they end alike.
fn line_end(text: &[u8]) -> Option<&'static str> {
    let all = memchr::memchr_iter(b'\n', text).count();
    match memchr::memmem::find_iter(text, b"\r\n").count() {
        0 if all > 0 => Some("LF"),
        crlf if crlf == all && all > 0 => Some("CRLF"),
        _ => None,
    }
}
