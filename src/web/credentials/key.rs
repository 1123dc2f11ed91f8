//! A secret that no formatting shows, and that is taken out of what a server says of a request
//! which held it.

use std::fmt;

use crate::unseen;

/// A secret. Formatting never shows it, only [`Key::expose`] does.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// A secret that is part of another one.
    #[must_use]
    pub fn new(secret: &str) -> Self {
        Self(secret.to_owned())
    }

    /// The secret itself, for the request that needs it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Replaces the secret in a server's text: in either case, encoded for URLs or for JSON, where
    /// the text breaks off in the middle of it, and where characters stand in it that nobody sees.
    /// Those are gone from the whole text then; they are left out where it is shown.
    #[must_use]
    pub fn hide_in(&self, text: &str) -> String {
        let hidden = self.hide_as_it_is(text);
        if !hidden.contains(is_unseen) {
            return hidden;
        }
        let seen: String = hidden.chars().filter(|c| !is_unseen(*c)).collect();
        let hidden_in_seen = self.hide_as_it_is(&seen);
        if hidden_in_seen == seen {
            hidden
        } else {
            hidden_in_seen
        }
    }

    fn hide_as_it_is(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if let Some(length) = self.begins(rest) {
                out.push_str("[key]");
                rest = &rest[length..];
            } else {
                out.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
        out
    }

    /// The length, in bytes, of the secret at the beginning of `text`, or of the part of it that
    /// the text consists of.
    fn begins(&self, text: &str) -> Option<usize> {
        let bytes = text.as_bytes();
        let mut at = 0;
        for (count, wanted) in self.0.bytes().enumerate() {
            let rest = &bytes[at..];
            let cut = matches!(rest, [] | [b'%' | b'\\', ..]) && rest.len() < LONGEST_SPELLING;
            match spelling(wanted, rest) {
                Some(length) => at += length,
                None if cut && count >= REVEALING => return Some(bytes.len()),
                None => return None,
            }
        }
        text.is_char_boundary(at).then_some(at)
    }
}

/// Whether a character may be left out of a text before it is shown, as of an address or a title.
fn is_unseen(c: char) -> bool {
    c.is_control() || unseen::is_unseen(c)
}

/// How many bytes of a secret give something of it away.
const REVEALING: usize = 4;

/// The most bytes that encode one of them: `\u0041`.
const LONGEST_SPELLING: usize = 6;

/// The length of the encoding of `wanted` that `bytes` begins with: itself in either case, `%41`,
/// `+` for a blank, `\/` or `\u0041`.
fn spelling(wanted: u8, bytes: &[u8]) -> Option<usize> {
    let hex = |digits: Option<&[u8]>| {
        let digits = std::str::from_utf8(digits?).ok()?;
        u32::from_str_radix(digits, 16).ok()
    };
    let same = |code: Option<u32>| code == Some(u32::from(wanted));
    match bytes.first()? {
        byte if byte.eq_ignore_ascii_case(&wanted) => Some(1),
        b'+' if wanted == b' ' => Some(1),
        b'%' if same(hex(bytes.get(1..3))) => Some(3),
        b'\\' if bytes.get(1) == Some(&wanted) => Some(2),
        b'\\' if bytes.get(1) == Some(&b'u') && same(hex(bytes.get(2..6))) => Some(6),
        _ => None,
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(hidden)")
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[key]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_shown_by_no_formatting() {
        let key = Key("se cret/".to_owned());
        assert_eq!(format!("{key} {key:?}"), "[key] Key(hidden)");
        assert_eq!(
            key.hide_in("a se cret/ b se+cret%2F c"),
            "a [key] b [key] c"
        );
        assert_eq!(
            key.hide_in("SE%20cret%2f se cret\\/ se\\u0020cret/ se cre, se cret%2"),
            "[key] [key] [key] se cre, [key]"
        );
        assert_eq!(
            key.hide_in("a\n\u{200b}s\u{202e}e%2\u{200b}0\tcre\nt/ se cret/ b"),
            "a[key] [key] b"
        );
        assert_eq!(key.hide_in("a\n\u{200b}b se cret/"), "a\n\u{200b}b [key]");
        assert_eq!(
            Key("é1".to_owned()).hide_in("%C3%A91 é1 é"),
            "[key] [key] é"
        );
    }
}
