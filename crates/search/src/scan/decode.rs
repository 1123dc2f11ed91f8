//! Byte-order marks, and the decoding of UTF-16 after one.

use encoding_rs::{CoderResult, Decoder, Encoding, UTF_16BE, UTF_16LE};

use super::ScanError;

/// Bytes of UTF-16 that are decoded at once; at most three bytes come of two.
pub(super) const PIECE_BYTES: usize = 16 << 10;

/// A byte-order mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrderMark {
    Utf8,
    Utf16Le,
    Utf16Be,
}

impl ByteOrderMark {
    /// The number of bytes that show if there is one.
    pub const MARK_BYTES: usize = 4;

    /// Reads the mark with which a file begins. UTF-32's, two NULs longer, does not count.
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0xef, 0xbb, 0xbf, ..] => Some(Self::Utf8),
            [0xff, 0xfe, 0, 0, ..] => None,
            [0xff, 0xfe, ..] => Some(Self::Utf16Le),
            [0xfe, 0xff, ..] => Some(Self::Utf16Be),
            _ => None,
        }
    }

    /// Returns its length in bytes, and the encoding after it, if that is UTF-16.
    pub fn encoding(self) -> (usize, Option<&'static Encoding>) {
        match self {
            Self::Utf8 => (3, None),
            Self::Utf16Le => (2, Some(UTF_16LE)),
            Self::Utf16Be => (2, Some(UTF_16BE)),
        }
    }
}

/// Appends the text of these bytes to `buffer`, which may grow to `max_line_bytes` and a little
/// more.
pub(super) fn decode(
    decoder: &mut Decoder,
    bytes: &[u8],
    last: bool,
    (buffer, max_line_bytes): (&mut Vec<u8>, usize),
) -> Result<(), ScanError> {
    let mut text = [0; 4 << 10];
    let mut offset = 0;
    loop {
        let (result, read, written, _) = decoder.decode_to_utf8(&bytes[offset..], &mut text, last);
        offset += read;
        let length = buffer.len();
        if buffer.capacity() - length < written
            && (length >= max_line_bytes || buffer.try_reserve_exact(length.max(written)).is_err())
        {
            return Err(ScanError::LineTooLong);
        }
        buffer.extend_from_slice(&text[..written]);
        if result == CoderResult::InputEmpty {
            return Ok(());
        }
    }
}
