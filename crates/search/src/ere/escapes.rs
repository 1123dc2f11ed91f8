//! Escapes that stand for one character, in brackets and outside of them, as the `regex` crate has
//! them: `\t`, `\x41`, `\x{1F600}`, `\u0041`, `\U0001F600`.

use super::PatternError;
use super::unsupported;

/// Maximum number of digits between braces, so that a number has bounds.
const MAX_DIGITS: usize = 16;

/// The character that this letter means after a backslash.
pub(super) fn control(letter: char) -> Option<char> {
    Some(match letter {
        'a' => '\x07',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        _ => return None,
    })
}

/// True if `pattern` asks for characters beyond ASCII: by themselves, by number or by property.
#[must_use]
pub fn reaches_beyond_ascii(pattern: &str) -> bool {
    let mut unread = pattern;
    while let Some((_, behind)) = unread.split_once('\\') {
        let Some(letter) = behind.chars().next() else {
            break;
        };
        let is_beyond =
            |number: Result<(char, usize), _>| number.is_ok_and(|one| !one.0.is_ascii());
        if matches!(letter, 'p' | 'P')
            || is_numeric(letter) && is_beyond(numeric(behind, letter, letter.len_utf8()))
        {
            return true;
        }
        unread = &behind[letter.len_utf8()..];
    }
    !pattern.is_ascii()
}

/// True if this letter begins a number: `\x`, `\u`, `\U`.
pub(super) fn is_numeric(letter: char) -> bool {
    matches!(letter, 'x' | 'u' | 'U')
}

/// The character whose number stands at `offset`, after `\x`, `\u` or `\U`, and the offset after
/// it.
pub(super) fn numeric(
    text: &str,
    letter: char,
    offset: usize,
) -> Result<(char, usize), PatternError> {
    let unread = text.as_bytes().get(offset..).unwrap_or_default();
    let (digits, end) = if unread.first() == Some(&b'{') {
        let limit = unread.len().min(MAX_DIGITS + 2);
        let close = unread[..limit].iter().position(|byte| *byte == b'}');
        let close = close.ok_or_else(|| unsupported::digits(letter))?;
        (&unread[1..close], offset + close + 1)
    } else {
        let count = match letter {
            'x' => 2,
            'u' => 4,
            _ => 8,
        };
        let digits = unread.get(..count);
        (
            digits.ok_or_else(|| unsupported::digits(letter))?,
            offset + count,
        )
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_hexdigit) {
        return Err(unsupported::digits(letter));
    }
    let number = std::str::from_utf8(digits)
        .ok()
        .and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let char = number.and_then(char::from_u32);
    let refused = || PatternError::Unsupported(unsupported::NO_CHARACTER.into());
    Ok((char.ok_or_else(refused)?, end))
}
