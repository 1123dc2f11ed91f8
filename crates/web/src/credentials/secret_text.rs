//! A secret that no formatting shows, and that is removed from a server's reply to a request which
//! held it.

use std::fmt;
use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use icu_normalizer::ComposingNormalizerBorrowed;

use iki_base::unseen;

/// A secret. Formatting never shows it, only `SecretText::expose` does.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretText(String);

impl SecretText {
    /// Creates a secret that is part of another one.
    #[must_use]
    pub fn new(secret: &str) -> Self {
        Self(secret.to_owned())
    }

    /// Returns the secret itself, for the request that needs it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Replaces the secret in a server's text: in either case, encoded for URLs or for JSON, in
    /// full-width letters, cut off at the end of the text, and with invisible characters inside. A
    /// secret that is not a word is also found with blanks and punctuation between its characters,
    /// backwards, in hexadecimal digits and in base64.
    #[must_use]
    pub fn hide_in(&self, text: &str) -> String {
        let loosely = self.is_no_word();
        let secret = SearchableText::fold(&self.0, loosely).bytes;
        if secret.is_empty() {
            return text.to_owned();
        }
        let folded = SearchableText::fold(text, loosely);
        let mut places = folded.find_ranges(&secret);
        if loosely {
            let mut others = vec![secret.iter().rev().copied().collect(), hexadecimal(&self.0)];
            others.extend((0..3).map(|before| base64_behind(before, &self.0)));
            places.extend(others.iter().flat_map(|other| folded.find_ranges(other)));
            // With the punctuation at its beginning and end.
            let exactly = SearchableText::fold(&self.0, false).bytes;
            places.extend(SearchableText::fold(text, false).find_ranges(&exactly));
        }
        places.extend(folded.cut_off(&secret, text.len()));
        places.sort_unstable_by_key(|place| place.start);
        let mut out = String::with_capacity(text.len());
        let mut copied = 0;
        for place in places {
            if place.start >= copied {
                out.push_str(&text[copied..place.start]);
                out.push_str("[key]");
            }
            copied = copied.max(place.end);
        }
        out + &text[copied..]
    }

    /// True if the secret cannot occur in a text by chance: it is long, or has both letters and
    /// digits.
    fn is_no_word(&self) -> bool {
        let count = |is: fn(char) -> bool| self.0.chars().filter(|c| is(*c)).count();
        let (letters, digits) = (count(char::is_alphabetic), count(|c| c.is_ascii_digit()));
        letters + digits >= MIN_CUT_FORM_LETTERS
            || (letters + digits >= MIN_FORM_LETTERS && letters > 0 && digits > 0)
    }
}

/// Minimum number of letters and digits of a secret that is searched for in other forms, and of one
/// that lacks either.
const MIN_FORM_LETTERS: usize = 8;
const MIN_CUT_FORM_LETTERS: usize = 20;

/// Bytes of a secret that reveal part of it.
const REVEALING: usize = 4;

/// A text in the form that is searched: decoded, in lower case, without invisible characters.
struct SearchableText {
    bytes: Vec<u8>,
    /// Range of the original text for each byte.
    places: Vec<Range<usize>>,
    /// Position of an encoded character that the end of the text cuts off.
    end: usize,
}

impl SearchableText {
    /// Folds `text`; if `loosely`, only letters and digits remain.
    fn fold(text: &str, loosely: bool) -> Self {
        let seen = text.char_indices().filter(|(_, c)| !is_unseen(*c));
        let seen: Vec<(usize, char)> = seen.collect();
        let mut folded = Self {
            bytes: Vec::with_capacity(text.len()),
            places: Vec::with_capacity(text.len()),
            end: text.len(),
        };
        let wide = ComposingNormalizerBorrowed::new_nfkc();
        let mut position = 0;
        while let Some((start, _)) = seen.get(position) {
            let Some((c, count)) = decoded(&seen[position..]) else {
                folded.end = *start;
                break;
            };
            position += count;
            let (last, length) = seen
                .get(position - 1)
                .map_or((*start, 0), |(last, c)| (*last, c.len_utf8()));
            let place = *start..last + length;
            if c.is_ascii() {
                folded.push(c, &place, loosely);
                continue;
            }
            for c in wide
                .normalize(c.encode_utf8(&mut [0; 4]))
                .chars()
                .flat_map(char::to_lowercase)
            {
                folded.push(c, &place, loosely);
            }
        }
        folded
    }

    fn push(&mut self, c: char, place: &Range<usize>, loosely: bool) {
        if loosely && !c.is_alphanumeric() {
            return;
        }
        // Forms encode a blank in a URL as a plus sign.
        let c = if c == '+' {
            ' '
        } else {
            c.to_ascii_lowercase()
        };
        for byte in c.encode_utf8(&mut [0; 4]).bytes() {
            self.bytes.push(byte);
            self.places.push(place.clone());
        }
    }

    /// Returns the ranges in which the text has `wanted`.
    fn find_ranges(&self, wanted: &[u8]) -> Vec<Range<usize>> {
        let places = memchr::memmem::find_iter(&self.bytes, wanted);
        let place =
            |index: usize| self.places[index].start..self.places[index + wanted.len() - 1].end;
        places.map(place).collect()
    }

    /// Returns the range of a `wanted` that is cut off by the end of the text, of this `length`.
    fn cut_off(&self, wanted: &[u8], length: usize) -> Option<Range<usize>> {
        if self.places.last()?.end != self.end {
            return None;
        }
        let limit = wanted.len().min(self.bytes.len() + 1) - 1;
        let count = (REVEALING..=limit).rev();
        let count = count
            .into_iter()
            .find(|count| self.bytes.ends_with(&wanted[..*count]))?;
        Some(self.places[self.bytes.len() - count].start..length)
    }
}

/// Decodes the first character of `text`, with the number of characters it takes: `%41`, `\/`,
/// `\x41` and `\u0041` are one. `None` if the text ends inside one.
fn decoded(text: &[(usize, char)]) -> Option<(char, usize)> {
    let character = |index: usize| text.get(index).map(|(_, c)| *c);
    let code = |from: usize, count: usize| {
        let digits = text.get(from..from + count)?.iter();
        digits
            .map(|(_, c)| c.to_digit(16))
            .try_fold(0, |code, digit| Some(code * 16 + digit?))
    };
    let ends = |from: usize, count: usize| {
        text.len() < from + count && text.iter().skip(from).all(|(_, c)| c.is_ascii_hexdigit())
    };
    let first = character(0)?;
    match (first, character(1)) {
        ('%', _) if ends(1, 2) => None,
        ('%', _) => {
            // One character may be encoded as several bytes, which are decoded together.
            let bytes = (0..4)
                .map_while(|n| (character(3 * n) == Some('%')).then(|| code(3 * n + 1, 2))?);
            let bytes: Vec<u8> = bytes.filter_map(|code| u8::try_from(code).ok()).collect();
            let whole = (1..=bytes.len()).find_map(|count| {
                let text = std::str::from_utf8(bytes.get(..count)?).ok()?;
                Some((text.chars().next()?, 3 * count))
            });
            Some(whole.unwrap_or((first, 1)))
        }
        ('\\', None) => None,
        ('\\', Some('u')) if ends(2, 4) => None,
        ('\\', Some('u')) => Some(
            code(2, 4)
                .and_then(char::from_u32)
                .map_or((first, 1), |c| (c, 6)),
        ),
        ('\\', Some('x')) => Some(
            code(2, 2)
                .and_then(char::from_u32)
                .map_or((first, 1), |c| (c, 4)),
        ),
        ('\\', Some('n' | 'r' | 't')) => Some((' ', 2)),
        ('\\', Some(c)) if c.is_ascii_punctuation() => Some((c, 2)),
        _ => Some((first, 1)),
    }
}

fn hexadecimal(secret: &str) -> Vec<u8> {
    let digits = secret.bytes().flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .filter_map(|digit| u8::try_from(char::from_digit(digit.into(), 16)?).ok())
        .collect()
}

/// Returns the part of a secret's base64 that does not depend on the text after it, with this many
/// bytes before it; folded, so that both alphabets are one.
fn base64_behind(before: usize, secret: &str) -> Vec<u8> {
    let bytes = [&[0; 2][..before], secret.as_bytes()].concat();
    let encoded = STANDARD_NO_PAD.encode(&bytes);
    let whole = (8 * before).div_ceil(6)..8 * bytes.len() / 6;
    SearchableText::fold(encoded.get(whole).unwrap_or_default(), true).bytes
}

/// True for a character that may be removed from a text before it is shown, as in a title.
fn is_unseen(c: char) -> bool {
    c.is_control() || unseen::is_unseen(c)
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(hidden)")
    }
}

impl fmt::Display for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[key]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_shown_by_no_formatting() {
        let key = SecretText("se cret/".to_owned());
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
            "a\n\u{200b}[key] [key] b"
        );
        assert_eq!(key.hide_in("a\n\u{200b}b se cret/"), "a\n\u{200b}b [key]");
        assert_eq!(
            SecretText("é1".to_owned()).hide_in("%C3%A91 é1 é"),
            "[key] [key] é"
        );
    }

    #[test]
    fn a_key_that_is_no_word_is_hidden_in_every_cheap_form() {
        use base64::engine::general_purpose::{STANDARD, URL_SAFE};
        let secret = "BSA-k3y>?/Z9~x_Q7";
        let key = SecretText(secret.to_owned());
        let joined = |all: Vec<String>| all.concat();
        let spaced =
            |between: &str| joined(secret.chars().map(|c| format!("{c}{between}")).collect());
        let wide = secret
            .chars()
            .map(|c| char::from_u32(u32::from(c) + 0xfee0).unwrap());
        let pairs: Vec<String> = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
        let hex = pairs.concat();
        let mut forms: Vec<String> = vec![
            secret.to_owned(),
            spaced(" "),
            spaced("-"),
            spaced("\n"),
            spaced("\\n"),
            spaced("\u{200b}"),
            spaced(". "),
            secret.chars().rev().collect(),
            wide.collect(),
            hex.to_uppercase(),
            joined(pairs.iter().map(|pair| format!("\\x{pair}")).collect()),
            pairs.join(" "),
            "%EF%BC%A2SA-k3y>?/Z9~x_Q7".to_owned(),
            hex,
        ];
        for around in ["", "a", "ab", "abc", "user:"] {
            for engine in [STANDARD, URL_SAFE] {
                forms.push(engine.encode(format!("{around}{secret}")));
                forms.push(engine.encode(format!("{around}{secret}{around}")));
            }
        }
        for form in forms {
            let hidden = key.hide_in(&format!("Before it: {form} and behind."));
            assert!(hidden.starts_with("Before it: ") && hidden.ends_with(" and behind."));
            // No more may remain than the neighbours share with the first and last characters.
            let left = hidden.replace("[key]", "");
            assert!(
                left.len() < form.len() / 2 + 24 && left.len() < 40,
                "{form}: {hidden}"
            );
            let prefix: String = form.chars().take(8).collect();
            assert!(!left.contains(&prefix), "{form}: {hidden}");
        }
        let key_with_ends = SecretText("+k3y-0f-0urs/=".to_owned());
        let hidden = key_with_ends.hide_in("a +k3y-0f-0urs/= b %2Bk3y-0f-0urs%2F%3D c");
        assert_eq!(hidden, "a [key] b [key] c");
        for innocent in ["", "BSA key?", "a key, and z9", "bsa-k3.", "QlNBLWs"] {
            assert_eq!(key.hide_in(innocent), innocent);
        }
        assert_eq!(key.hide_in("cut off: BSA-k3y%3"), "cut off: [key]");
    }

    #[test]
    fn a_key_that_is_a_word_blanks_that_word_alone() {
        for word in ["search", "se cret", "searchkey", "k3y", ""] {
            let key = SecretText(word.to_owned());
            let text = "s e a r c h keys; a search-key is sear, terces, k-3-y";
            let hidden = key.hide_in(text);
            let expected = if word == "search" {
                text.replace("search", "[key]")
            } else {
                text.to_owned()
            };
            assert_eq!(hidden, expected, "{word}");
        }
    }
}
