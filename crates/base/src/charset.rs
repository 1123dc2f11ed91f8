//! Character sets that mail and old documents name, with those that browsers have given up: code
//! pages of DOS, ISO-2022-KR and HZ.
//!
//! Rules: WHATWG Encoding (labels); RFC 1557 (ISO-2022-KR), 1843 (HZ). `dos_code_pages.txt` has the
//! upper half of each page.

use std::borrow::Cow;

use encoding_rs::{EUC_KR, Encoding, GBK, REPLACEMENT};

/// A number, a tab and 128 characters in each line.
const DOS_CODE_PAGES: &str = include_str!("dos_code_pages.txt");

/// A character set by which bytes can be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    /// One that browsers know.
    Browsers(&'static Encoding),
    /// A page of DOS: the characters from 128 on.
    Dos(&'static str),
    /// Korean in seven bits.
    Iso2022Kr,
    /// Chinese in seven bits.
    Hz,
}

impl Charset {
    /// Returns the character set of this name.
    #[must_use]
    pub fn for_label(label: &str) -> Option<Self> {
        let label = label.trim().to_ascii_lowercase();
        match label.as_str() {
            "iso-2022-kr" | "csiso2022kr" => return Some(Self::Iso2022Kr),
            "hz-gb-2312" | "hz" => return Some(Self::Hz),
            _ => {}
        }
        let digits = ["cspc", "ibm", "cp", "dos-", "oem"]
            .iter()
            .find_map(|prefix| label.strip_prefix(prefix));
        let page = digits.unwrap_or(&label).trim_start_matches(['-', '_', '0']);
        let page = page.strip_suffix("multilingual").unwrap_or(page);
        let known = Encoding::for_label(label.as_bytes());
        let known = known.filter(|encoding| *encoding != REPLACEMENT);
        known
            .map(Self::Browsers)
            .or_else(|| Self::for_dos_page(page))
    }

    /// Returns the character set of a code page of DOS.
    #[must_use]
    pub fn for_dos_page(page: &str) -> Option<Self> {
        let mut lines = DOS_CODE_PAGES
            .lines()
            .filter_map(|line| line.split_once('\t'));
        let (_, upper) = lines.find(|(number, _)| *number == page)?;
        Some(Self::Dos(upper))
    }

    /// Decodes a text without regard to a byte order mark; U+FFFD replaces what is invalid.
    #[must_use]
    pub fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Self::Browsers(encoding) => encoding.decode_without_bom_handling(bytes).0,
            Self::Dos(upper) => {
                let upper: Vec<char> = upper.chars().collect();
                let decode = |byte: &u8| match byte.checked_sub(128) {
                    Some(index) => upper.get(usize::from(index)).copied().unwrap_or('\u{fffd}'),
                    None => char::from(*byte),
                };
                bytes.iter().map(decode).collect::<String>().into()
            }
            Self::Iso2022Kr => {
                let bytes = eight_bit_of_korean(bytes);
                EUC_KR
                    .decode_without_bom_handling(&bytes)
                    .0
                    .into_owned()
                    .into()
            }
            Self::Hz => {
                let bytes = eight_bit_of_hz(bytes);
                GBK.decode_without_bom_handling(&bytes)
                    .0
                    .into_owned()
                    .into()
            }
        }
    }
}

/// Returns ISO-2022-KR as EUC-KR: the characters between SO and SI get their high bit.
fn eight_bit_of_korean(bytes: &[u8]) -> Vec<u8> {
    let (mut all, mut high, mut unread) = (Vec::with_capacity(bytes.len()), 0, bytes);
    while let Some((byte, after)) = unread.split_first() {
        unread = after;
        match byte {
            0x0e => high = 0x80,
            0x0f => high = 0,
            0x1b if after.starts_with(b"$)C") => unread = &after[3..],
            // No line begins in the state of the one before.
            b'\n' => {
                high = 0;
                all.push(b'\n');
            }
            0x21..=0x7e => all.push(byte | high),
            byte => all.push(*byte),
        }
    }
    all
}

/// Returns HZ as GBK: the characters between `~{` and `~}` get their high bit.
fn eight_bit_of_hz(bytes: &[u8]) -> Vec<u8> {
    let (mut all, mut high, mut unread) = (Vec::with_capacity(bytes.len()), 0, bytes);
    while let Some((byte, after)) = unread.split_first() {
        unread = after;
        match (byte, after.first()) {
            (b'~', Some(b'{')) => high = 0x80,
            (b'~', Some(b'}')) => high = 0,
            (b'~', Some(b'~')) if high == 0 => all.push(b'~'),
            (b'~', Some(b'\n')) if high == 0 => {}
            (b'\n', _) => {
                high = 0;
                all.push(b'\n');
                continue;
            }
            (byte @ 0x21..=0x7e, _) => {
                all.push(byte | high);
                continue;
            }
            (byte, _) => {
                all.push(*byte);
                continue;
            }
        }
        unread = &after[1..];
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn character_sets_that_browsers_have_given_up_are_decoded() {
        for (label, bytes, wanted) in [
            ("CP850", &b"Gr\x81\xe1e"[..], "Grüße"),
            ("IBM437", b"Gr\x81\xe1e", "Grüße"),
            ("cp00858", b"5 \xd5", "5 €"),
            ("cspc850multilingual", b"\x81", "ü"),
            ("852", b"\xd8", "ě"),
            ("ibm866", b"\x8f", "П"),
            ("windows-1251", b"\xcf", "П"),
            ("ISO-2022-KR", b"\x1b$)Ca \x0e\x3e\x48\x0f b", "a 안 b"),
            ("hz-gb-2312", b"a ~{VPND~} ~~b", "a 中文 ~b"),
        ] {
            let charset = Charset::for_label(label).unwrap();
            assert_eq!(charset.decode(bytes), wanted, "{label}");
        }
        for label in ["", "iso-2022-cn", "x-unknown", "cp", "850x", "ibm999"] {
            assert_eq!(Charset::for_label(label), None, "{label}");
        }
    }

    #[test]
    fn each_code_page_has_its_upper_half() {
        for line in DOS_CODE_PAGES.lines() {
            let (page, upper) = line.split_once('\t').unwrap();
            assert_eq!(upper.chars().count(), 128, "{page}");
        }
    }
}
