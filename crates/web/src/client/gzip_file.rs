//! gzip files, which are unpacked once and within the limits of any other body.

use super::MAX_BODY;
use super::body::{self, BodyLimit, DecodedBody};
use iki_base::signature;
use iki_document::FileKind;

/// The file that is packed in a gzip file.
pub struct UnpackedFile {
    /// Its first bytes, up to [`MAX_BODY`].
    pub bytes: Vec<u8>,
    /// True if there is more.
    pub truncated: bool,
}

impl UnpackedFile {
    /// The media type and the words of a file that is neither a document nor text, such as a tar
    /// archive.
    #[must_use]
    pub fn other_file(&self) -> Option<(&'static str, &'static str)> {
        let is_binary = memchr::memchr(0, &self.bytes).is_some();
        let kind = is_binary.then(|| signature::of(&self.bytes)).flatten();
        kind.filter(|_| FileKind::of(&self.bytes).is_none())
    }
}

/// Unpacks a gzip file; `None` if it is none, or damaged.
#[must_use]
pub fn unpack_gzip(packed: &[u8]) -> Option<UnpackedFile> {
    signature::of(packed).filter(|(kind, _)| *kind == signature::GZIP)?;
    let unpacked = body::read(packed, Some("gzip"), None, BodyLimit::of(MAX_BODY)).ok()?;
    let DecodedBody { bytes, truncated } = unpacked;
    Some(UnpackedFile { bytes, truncated })
}
