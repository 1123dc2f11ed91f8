//! Control characters as they are spelled where they would do something else than be seen: before a
//! model, and at a terminal.
//!
//! Rules: the decisions on control characters. Tab, newline, carriage return and form feed are a
//! part of texts; NUL is `␀`, and all others are `\x1b` and the like.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The spelling of NUL.
const NUL: char = '␀';

/// True for a control character that is spelled.
#[must_use]
pub fn is_spelled(character: char) -> bool {
    character.is_control() && !matches!(character, '\t' | '\n' | '\r' | '\u{c}')
}

/// True if `bytes` have a control character that is spelled.
#[must_use]
pub fn has_controls(bytes: &[u8]) -> bool {
    let is_low = |byte: &u8| *byte < 0x80 && is_spelled(char::from(*byte));
    bytes.iter().any(is_low) || bytes.windows(2).any(|two| two[0] == 0xC2 && two[1] < 0xA0)
}

/// Appends the spelling of a control character to `text`.
pub fn spell(character: char, text: &mut String) {
    if character == '\0' {
        return text.push(NUL);
    }
    let _ = write!(text, "\\x{:02x}", u32::from(character));
}

/// `text` with its control characters spelled.
#[must_use]
pub fn spelled(text: &str) -> Cow<'_, str> {
    if !text.contains(is_spelled) {
        return Cow::Borrowed(text);
    }
    let mut spelling = String::with_capacity(text.len() + text.len() / 2);
    for character in text.chars() {
        if is_spelled(character) {
            spell(character, &mut spelling);
        } else {
            spelling.push(character);
        }
    }
    Cow::Owned(spelling)
}

/// True if `text` spells a control character.
#[must_use]
pub fn spells(text: &str) -> bool {
    let is_code = |offset: usize| {
        let code = text.get(offset + 2..offset + 4);
        let code = code.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        code.is_some_and(|code| is_spelled(char::from(code)))
    };
    text.contains(NUL) || text.match_indices("\\x").any(|(offset, _)| is_code(offset))
}

/// `text` with the control characters that it spells; `None` if it spells none.
#[must_use]
pub fn unspelled(text: &str) -> Option<String> {
    if !spells(text) {
        return None;
    }
    let mut meant = String::with_capacity(text.len());
    let (mut unread, mut is_changed) = (text, false);
    while let Some(offset) = unread.find(['\\', NUL]) {
        meant.push_str(&unread[..offset]);
        unread = &unread[offset..];
        let spelled = unread.strip_prefix("\\x").and_then(|digits| {
            let code = u8::from_str_radix(digits.get(..2)?, 16).ok()?;
            Some((char::from(code), &digits[2..]))
        });
        let spelled = spelled.filter(|(one, _)| is_spelled(*one));
        let spelled = spelled.or(unread.strip_prefix(NUL).map(|behind| ('\0', behind)));
        let Some((character, behind)) = spelled else {
            meant.push('\\');
            unread = &unread[1..];
            continue;
        };
        meant.push(character);
        (unread, is_changed) = (behind, true);
    }
    meant.push_str(unread);
    is_changed.then_some(meant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spelling_is_read_as_the_character() {
        for (text, spelling) in [
            ("plain\ttext\r\n\u{c}", "plain\ttext\r\n\u{c}"),
            ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
            ("a\0b\x07\x7f\u{9b}é", r"a␀b\x07\x7f\x9bé"),
        ] {
            assert_eq!(spelled(text), spelling);
            let is_same = text == spelling;
            assert_eq!(unspelled(spelling), (!is_same).then(|| text.to_owned()));
        }
        for text in [r"\x41\xe9\x0a", r"\x", r"C:\x1", "\\é"] {
            assert_eq!(unspelled(text), None, "{text}");
        }
    }
}
