//! Recognises bullets and numbers at the start of an item.

use super::super::layout::TextLine;

const BULLETS: &str = "\
    \u{2022}\u{2023}\u{2043}\u{204c}\u{204d}\u{2219}\u{25a0}\u{25a1}\u{25aa}\u{25ab}\
    \u{25b6}\u{25b8}\u{25ba}\u{25c6}\u{25c7}\u{25cb}\u{25cf}\u{25e6}\u{2605}\u{2610}\
    \u{2611}\u{2713}\u{2714}\u{2794}\u{27a2}\u{27a4}\u{29bf}\u{b7}\u{2217}*\
    -\u{2013}\u{2014}";

/// Returns the mark of an item: its number, if it has one, and its number of pieces.
pub(super) fn item_mark(line: &TextLine, pool: &str) -> Option<(Option<u32>, usize)> {
    let [first, second, ..] = line.pieces.as_slice() else {
        return None;
    };
    let text = first.text(pool);
    // A mark may come in two pieces: the number and its full stop.
    let (text, pieces) = if second.blank || line.pieces.len() < 3 {
        (text.to_owned(), 1)
    } else {
        (format!("{text}{}", second.text(pool)), 2)
    };
    if !line.pieces.get(pieces)?.blank {
        return None;
    }
    let mut characters = text.chars();
    if let (Some(bullet), None) = (characters.next(), characters.next())
        && BULLETS.contains(bullet)
    {
        return Some((None, pieces));
    }
    let digits = text.strip_suffix(['.', ')'])?;
    let digits = digits.strip_prefix('(').unwrap_or(digits);
    let digit = |byte: u8| byte.is_ascii_digit();
    if digits.len() > 3 || !digits.bytes().all(digit) {
        return None;
    }
    Some((Some(digits.parse().ok()?), pieces))
}
