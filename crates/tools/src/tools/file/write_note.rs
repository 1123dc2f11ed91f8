//! The notes on what was written, and on what was replaced.

use iki_base::wording::count_noun;
use iki_files::kind::wide_encoding;

/// The mark that begins some UTF-8 texts.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// The note on a text, the field `name`, in which `\\n` was written as two characters where line
/// ends may have been meant. The note is given if the text has no line end and a `\\n` outside
/// quotation marks.
pub fn unescaped(name: &str, text: &str) -> Option<String> {
    if text.contains('\n') {
        return None;
    }
    let (mut bytes, mut quoted, mut found) = (text.bytes(), [false; 3], false);
    while let Some(byte) = bytes.next() {
        if byte == b'\\' {
            found |= bytes.next() == Some(b'n') && quoted == [false; 3];
        } else if let Some(mark) = b"\"'`".iter().position(|mark| *mark == byte) {
            quoted[mark] = !quoted[mark];
        }
    }
    found.then(|| {
        format!(
            "{name} has no line end, and `\\n` in it was written as it was sent, as a backslash and \
             an n: if line ends were meant, write it again with these."
        )
    })
}

/// The note on `old`, the content of a file or the beginning of it, that `new` has replaced where
/// that is more than an edit: less than half of its lines stay, or they end otherwise, or the
/// encoding is another one.
pub fn replaced(old: &[u8], is_whole: bool, new: &str) -> Option<String> {
    let mut said = Vec::new();
    if let Some(encoding) = wide_encoding(old) {
        let encoding = encoding.trim_end_matches("LE").trim_end_matches("BE");
        said.push(format!("The file was {encoding} text, and is UTF-8 now."));
    } else if is_whole && std::str::from_utf8(old).is_err() {
        said.push("The file held bytes that are not UTF-8, and is UTF-8 now.".to_owned());
    }
    match (old.starts_with(MARK), new.as_bytes().starts_with(MARK)) {
        (true, false) => said.push("The byte-order mark at its beginning is gone.".to_owned()),
        (false, true) if !old.is_empty() => {
            said.push("It has a byte-order mark at its beginning now.".to_owned());
        }
        _ => {}
    }
    match (line_end(old), line_end(new.as_bytes())) {
        (Some(old), Some(new)) if old != new => {
            said.push(format!("Its lines ended in {old}, and end in {new} now."));
        }
        _ => {}
    }
    let (before, after) = (lines(old).count(), lines(new.as_bytes()).count());
    let pairs = lines(old).zip(lines(new.as_bytes()));
    let begin = pairs.take_while(|(old, new)| old == new).count();
    let pairs = lines(old).rev().zip(lines(new.as_bytes()).rev());
    let pairs = pairs.take(before.min(after) - begin);
    let stays = begin + pairs.take_while(|(old, new)| old == new).count();
    if is_whole && stays * 2 < before {
        said.push(format!(
            "This replaced {} ({}) with {}.",
            count_noun(before as u64, "line"),
            count_noun(old.len() as u64, "byte"),
            count_noun(after as u64, "line"),
        ));
    } else if !is_whole {
        said.push(format!(
            "This replaced more than {}.",
            count_noun(old.len() as u64, "byte")
        ));
    }
    (!said.is_empty()).then(|| said.join(" "))
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
