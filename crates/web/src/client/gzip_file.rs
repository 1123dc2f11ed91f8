//! gzip files, which are unpacked once and within the limits of any other body.

use super::MAX_BODY;
use super::body::{self, BodyError, BodyLimit, BrokenBody, DecodedBody};
use iki_base::signature;
use iki_document::{DocumentCuts, FileKind};

/// The file that is packed in a gzip file.
pub struct UnpackedFile {
    /// Its first bytes, up to [`MAX_BODY`].
    pub bytes: Vec<u8>,
    /// The part of it that is missing, if any.
    pub cuts: DocumentCuts,
}

impl UnpackedFile {
    /// The media type and the words of a file that is neither a document nor text, such as a tar
    /// archive.
    #[must_use]
    pub fn other_file(&self) -> Option<(&'static str, &'static str)> {
        let is_binary = memchr::memchr(0, &self.bytes).is_some();
        let kind = is_binary.then(|| signature::detect(&self.bytes)).flatten();
        kind.filter(|_| FileKind::detect(&self.bytes).is_none())
    }
}

/// The shortest text before the damage that is worth showing, in bytes.
const MIN_TEXT_BYTES: usize = 64;

/// Unpacks a gzip file; `None` if it is none. Of a damaged one the text before the damage is
/// unpacked.
#[must_use]
pub fn unpack_gzip(packed: &[u8]) -> Option<UnpackedFile> {
    if !signature::is_gzip(packed) {
        return None;
    }
    match body::read(packed, Some("gzip"), None, BodyLimit::new(MAX_BODY)) {
        Ok(DecodedBody {
            bytes,
            is_truncated,
        }) => {
            let size_limit = is_truncated.then_some(MAX_BODY >> 20);
            let cuts = DocumentCuts {
                size_limit,
                ..DocumentCuts::default()
            };
            Some(UnpackedFile { bytes, cuts })
        }
        Err(BrokenBody { bytes, error }) => {
            let is_damaged = matches!(error, BodyError::Coding(_));
            let is_text = bytes.len() >= MIN_TEXT_BYTES
                && memchr::memchr(0, &bytes).is_none()
                && signature::detect(&bytes).is_none()
                && FileKind::detect(&bytes).is_none();
            let cuts = DocumentCuts {
                packed_end: true,
                ..DocumentCuts::default()
            };
            (is_damaged && is_text).then_some(UnpackedFile { bytes, cuts })
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::unpack_gzip;

    #[test]
    fn the_text_before_the_damage_is_unpacked_and_the_damage_known() {
        let pack = |text: &str| {
            let mut packing = GzEncoder::new(Vec::new(), Compression::none());
            packing.write_all(text.as_bytes()).unwrap();
            packing.finish().unwrap()
        };
        let text = "one line of text\n".repeat(1000);
        let packed = pack(&text);
        assert_eq!(unpack_gzip(&packed).unwrap().bytes, text.as_bytes());
        let part = unpack_gzip(&packed[..packed.len() / 2]).unwrap();
        assert!(part.cuts.packed_end);
        let part = String::from_utf8(part.bytes).unwrap();
        assert!(text.starts_with(&part) && part.len() > 1000, "{part}");
        assert!(unpack_gzip(&pack("words")[..18]).is_none());
        let binary = [&packed[..20], &[0; 40]].concat();
        assert!(unpack_gzip(&binary).is_none_or(|file| !file.bytes.contains(&0)));
    }
}
