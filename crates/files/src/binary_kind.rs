//! Text, or a kind of binary file that can be named in words, by a file's first bytes.
//!
//! Rules: a file is binary where a NUL is among its first 8 KiB and no mark of UTF-16 begins it; or
//! where it begins as a known kind does and goes on in bytes that are not UTF-8.

use iki_base::signature;
use iki_base::text_encoding::{iconv_name, wide_without_mark};
use iki_base::wording::count_noun;

/// The number of a file's first bytes that decide whether it is binary.
const SAMPLE_BYTES: usize = 8 * 1024;

/// The fewest bytes of text between NULs that show it to be text.
const MIN_TEXT_BYTES: usize = 64;

/// The media types of texts that hold NULs.
const UNMARKED: &str = "text/plain; charset=utf-16";
const WITH_NULS: &str = "text/plain; charset=utf-8";

/// The media type of any other file.
const UNKNOWN: &str = "application/octet-stream";

/// A kind of binary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BinaryKind {
    /// The media type, as IANA has it registered or as it is commonly written.
    pub mime: &'static str,
    /// The kind in words: `PNG image`.
    pub words: &'static str,
    /// Width and height in pixels, of a PNG, JPEG, GIF or WebP image in whose first bytes they
    /// stand.
    pub measures: Option<(u32, u32)>,
}

impl BinaryKind {
    /// True if models can be shown it as an image: PNG, JPEG, GIF and WebP.
    #[must_use]
    pub fn is_image(self) -> bool {
        ["image/png", "image/jpeg", "image/gif", "image/webp"].contains(&self.mime)
    }

    /// True if it is a kind of its own, and not text or unknown.
    #[must_use]
    pub fn is_known(self) -> bool {
        ![UNMARKED, WITH_NULS, UNKNOWN].contains(&self.mime)
    }

    /// The beginning of a command that shows it as text, up to the file's name.
    #[must_use]
    pub fn shown_by(self) -> Option<String> {
        match self.mime {
            UNMARKED => {
                let (encoding, _) = self.words.split_once(' ')?;
                Some(format!("iconv -f {} -t UTF-8", iconv_name(encoding)))
            }
            WITH_NULS => Some("tr -d '\\0' <".to_owned()),
            _ => None,
        }
    }

    /// The kind, its measures, and the `size` in bytes where it is known: `PNG image, 640 x 480,
    /// 12,345 bytes`.
    #[must_use]
    pub fn describe(self, size: Option<u64>) -> String {
        let mut words = self.words.to_owned();
        if let Some((width, height)) = self.measures {
            words = format!("{words}, {width} x {height}");
        }
        if let Some(size) = size {
            words = format!("{words}, {}", count_noun(size, "byte"));
        }
        words
    }
}

/// The encoding that a mark at the beginning names, if it is one whose text holds NULs. By its full
/// name, such as `UTF-16LE`, the mark is a part of the text.
#[must_use]
pub fn wide_encoding(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xFF, 0xFE, 0, 0, ..] => Some("UTF-32LE"),
        [0, 0, 0xFE, 0xFF, ..] => Some("UTF-32BE"),
        [0xFF, 0xFE, ..] => Some("UTF-16LE"),
        [0xFE, 0xFF, ..] => Some("UTF-16BE"),
        _ => None,
    }
}

/// The kind of a binary file that begins with `bytes`; `None` if it is text. 8 KiB are enough, but
/// for the measures of a JPEG image, which may be some 100 KB after its beginning.
#[must_use]
pub fn detect(bytes: &[u8]) -> Option<BinaryKind> {
    if wide_encoding(bytes).is_some() {
        return None;
    }
    let head = &bytes[..bytes.len().min(SAMPLE_BYTES)];
    let has_nul = memchr::memchr(0, head).is_some();
    if !has_nul && is_utf8(head) {
        return None;
    }
    match signature::detect(bytes) {
        Some((mime, words)) => Some(BinaryKind {
            mime,
            words,
            measures: measures(mime, bytes),
        }),
        None if has_nul => {
            let (mime, words) = match wide_without_mark(head) {
                Some("UTF-16LE") => (UNMARKED, "UTF-16LE text without a byte-order mark"),
                Some(_) => (UNMARKED, "UTF-16BE text without a byte-order mark"),
                None if is_text_with_nuls(head) => (WITH_NULS, "text with NULs"),
                None => (UNKNOWN, "unknown kind"),
            };
            Some(BinaryKind {
                mime,
                words,
                measures: None,
            })
        }
        // Text in an older encoding: Latin-1, Shift JIS, …
        None => None,
    }
}

/// True if `head` is text but for NULs.
fn is_text_with_nuls(head: &[u8]) -> bool {
    let text: Vec<u8> = head.iter().copied().filter(|byte| *byte != 0).collect();
    let is_odd = |byte: &&u8| **byte < 0x20 && !b"\t\n\r\x0c\x1b".contains(byte);
    text.len() >= MIN_TEXT_BYTES && is_utf8(&text) && text.iter().filter(is_odd).count() == 0
}

/// True if `head`, which may end within a character, is UTF-8.
fn is_utf8(head: &[u8]) -> bool {
    match std::str::from_utf8(head) {
        Ok(_) => true,
        Err(broken) => broken.error_len().is_none(),
    }
}

/// Width and height of an image of type `mime`.
fn measures(mime: &str, bytes: &[u8]) -> Option<(u32, u32)> {
    match mime {
        "image/png" if bytes.get(12..16)? == b"IHDR" => {
            Some((big(bytes.get(16..20)?), big(bytes.get(20..24)?)))
        }
        "image/gif" => Some((little(bytes.get(6..8)?), little(bytes.get(8..10)?))),
        "image/jpeg" => jpeg(bytes),
        "image/webp" => webp(bytes),
        _ => None,
    }
}

/// From the frame header, before which stand segments of any length (ITU T.81, B.1 and B.2.2).
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut offset = 2;
    loop {
        if *bytes.get(offset)? != 0xFF {
            return None;
        }
        let marker = *bytes.get(offset + 1)?;
        match marker {
            // Padding.
            0xFF => offset += 1,
            // Markers without a segment.
            0x01 | 0xD0..=0xD8 => offset += 2,
            // The end, or the image itself.
            0xD9 | 0xDA => return None,
            0xC0..=0xCF if ![0xC4, 0xC8, 0xCC].contains(&marker) => {
                let frame = bytes.get(offset + 5..offset + 9)?;
                return Some((big(&frame[2..]), big(&frame[..2])));
            }
            _ => offset += 2 + usize::try_from(big(bytes.get(offset + 2..offset + 4)?)).ok()?,
        }
    }
}

/// From the first chunk: lossy, lossless or extended (RFC 9649, 2.5 to 2.7).
fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8 " if bytes.get(23..26)? == [0x9D, 0x01, 0x2A] => {
            let side = |from: usize| Some(little(bytes.get(from..from + 2)?) & 0x3FFF);
            Some((side(26)?, side(28)?))
        }
        b"VP8L" if *bytes.get(20)? == 0x2F => {
            let bits = little(bytes.get(21..25)?);
            Some(((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1))
        }
        b"VP8X" => Some((
            little(bytes.get(24..27)?) + 1,
            little(bytes.get(27..30)?) + 1,
        )),
        _ => None,
    }
}

pub(super) fn big(bytes: &[u8]) -> u32 {
    let join = |number: u32, byte: &u8| number << 8 | u32::from(*byte);
    bytes.iter().fold(0, join)
}

pub(super) fn little(bytes: &[u8]) -> u32 {
    let join = |number: u32, byte: &u8| number << 8 | u32::from(*byte);
    bytes.iter().rev().fold(0, join)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn described(bytes: &[u8]) -> Option<String> {
        detect(bytes).map(|kind| kind.describe(Some(bytes.len() as u64)))
    }

    /// A JPEG image with segments of `length` bytes before its frame header.
    fn jpeg_behind(length: u16) -> Vec<u8> {
        let mut bytes = b"\xFF\xD8\xFF\xE1".to_vec();
        bytes.extend(length.to_be_bytes());
        bytes.resize(bytes.len() + usize::from(length) - 2, 7);
        bytes.extend(b"\xFF\xFF\xC2\0\x11\x08\x01\xE0\x02\x80\x03");
        bytes
    }

    #[test]
    fn images_are_known_with_their_measures() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xE0\x08\x06\0\0\0";
        assert_eq!(
            described(png).as_deref(),
            Some("PNG image, 640 x 480, 29 bytes")
        );
        let gif = b"GIF89a\x80\x02\xE0\x01\xF0\0\0";
        assert_eq!(
            described(gif).as_deref(),
            Some("GIF image, 640 x 480, 13 bytes")
        );
        for length in [16, 40_000, u16::MAX] {
            let kind = detect(&jpeg_behind(length)).unwrap();
            assert_eq!((kind.mime, kind.measures), ("image/jpeg", Some((640, 480))));
        }
        for body in [
            &b"VP8 \0\0\0\0\0\0\0\x9D\x01\x2A\x80\x02\xE0\x01"[..],
            b"VP8L\0\0\0\0\x2F\x7F\xC2\x77\0",
            b"VP8X\x0A\0\0\0\0\0\0\0\x7F\x02\0\xDF\x01\0",
        ] {
            let bytes = [b"RIFF\0\0\0\0WEBP", body].concat();
            let kind = detect(&bytes).unwrap();
            assert_eq!(kind.describe(None), "WebP image, 640 x 480");
            assert!(kind.is_image());
        }
    }

    #[test]
    fn an_image_that_is_cut_off_is_an_image_without_measures() {
        let jpeg = jpeg_behind(40_000);
        assert_eq!(detect(&jpeg[..30_000]).unwrap().measures, None);
        assert_eq!(
            detect(b"\x89PNG\r\n\x1a\n\0\0").unwrap().describe(Some(10)),
            "PNG image, 10 bytes"
        );
    }

    #[test]
    fn other_kinds_are_named_in_words() {
        let tar = [&[0; 257][..], b"ustar\x0000", &[0; 240]].concat();
        for (bytes, words) in [
            (&b"\x7FELF\x02\x01\x01\0"[..], "ELF program"),
            (b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n1 0 obj", "PDF document"),
            (b"\x1F\x8B\x08\x08abcd\x02\xFFname", "gzip archive"),
            (b"PK\x03\x04\x14\0\0\0\x08\0file.txt", "zip archive"),
            (b"PK\x03\x04\0\0mimetypeapplication/epub+zipPK", "EPUB book"),
            (
                b"PK\x03\x04\0[Content_Types].xml\0PK\x03\x04word/document.xml",
                "Word document",
            ),
            (&tar, "tar archive"),
            (b"SQLite format 3\0\x10\0", "SQLite database"),
            (b"\xCA\xFE\xBA\xBE\0\0\0\x02", "Mach-O"),
            (b"\xCA\xFE\xBA\xBE\0\0\0\x34", "Java class"),
            (b"\0\0\0\x18ftypisom\0", "MP4 video"),
            (b"RIFF\x24\0\0\0WAVEfmt ", "WAV audio"),
            (b"\xFF\xFB\x90\0\0", "MP3 audio"),
            (b"wOF2\0\x01", "font (WOFF2)"),
            (b"some\0text", "unknown kind"),
        ] {
            let kind = described(bytes).unwrap();
            assert!(kind.starts_with(words), "{kind}");
        }
    }

    #[test]
    fn text_is_no_binary_file_whatever_it_begins_with() {
        let late = [&[b'a'; SAMPLE_BYTES][..], b"\0"].concat();
        let cut = [&[b'a'; SAMPLE_BYTES - 1][..], "é".as_bytes()].concat();
        for text in [
            &b""[..],
            b"plain",
            b"BMW and MZ and %PDF- are text",
            b"%PDF-1.4 is how they begin",
            b"BZh is text",
            b"Latin-1: \xE9t\xE9",
            b"\xFF\xFEh\0i\0",
            b"\xFE\xFF\0h\0i",
            b"\xFF\xFE\0\0h\0\0\0",
            &late,
            &cut,
        ] {
            assert_eq!(detect(text), None, "{text:?}");
        }
        assert_eq!(wide_encoding(b"\xFF\xFEh\0"), Some("UTF-16LE"));
        assert_eq!(wide_encoding(b"\xFE\xFF\0h"), Some("UTF-16BE"));
        assert_eq!(wide_encoding(b"\xFF\xFE\0\0h\0\0\0"), Some("UTF-32LE"));
    }

    proptest! {
        #[test]
        fn any_bytes_behind_any_beginning_are_borne(
            which in 0..signature::SIGNATURES.len(),
            suffix in proptest::collection::vec(any::<u8>(), 0..64),
        ) {
            let (offset, signature, ..) = signature::SIGNATURES[which];
            let bytes = [&vec![0; offset][..], signature, &suffix].concat();
            for end in 0..=bytes.len() {
                let _ = described(&bytes[..end]);
            }
            let _ = webp(&[b"RIFF....WEBPVP8X", &suffix[..]].concat());
            let _ = jpeg(&[b"\xFF\xD8\xFF", &suffix[..]].concat());
        }
    }
}
