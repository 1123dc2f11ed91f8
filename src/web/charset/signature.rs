//! What a file is by its first bytes, where they leave no doubt: what is often fetched and is no
//! text.
//!
//! Signatures: WHATWG MIME Sniffing, section 6 (images, archives, PDF), and the formats' own
//! specifications.

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Its media type.
    pub media_type: &'static str,
    /// The ending that a file's name has.
    pub ending: &'static str,
}

/// Beginnings, and what begins so.
const BEGINNINGS: &[(&[u8], &str, &str)] = &[
    (b"%PDF-", "application/pdf", "pdf"),
    (b"PK\x03\x04", "application/zip", "zip"),
    (b"\x1f\x8b\x08", "application/gzip", "gz"),
    (b"\x89PNG\r\n\x1a\n", "image/png", "png"),
    (b"\xff\xd8\xff", "image/jpeg", "jpg"),
    (b"GIF87a", "image/gif", "gif"),
    (b"GIF89a", "image/gif", "gif"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed", "7z"),
    (b"\xfd7zXZ\0", "application/x-xz", "xz"),
    (b"\x28\xb5\x2f\xfd", "application/zstd", "zst"),
    (b"\x7fELF", "application/x-executable", "bin"),
    (b"wOF2", "font/woff2", "woff2"),
];

/// The kind of file that `bytes` are the beginning of; `None` where the bytes do not say.
#[must_use]
pub fn of(bytes: &[u8]) -> Option<Kind> {
    let known = BEGINNINGS
        .iter()
        .find(|(begin, ..)| bytes.starts_with(begin));
    let kind = |media_type, ending| Kind { media_type, ending };
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return Some(kind("image/webp", "webp"));
    }
    known.map(|(_, media_type, ending)| kind(media_type, ending))
}

/// The ending that a file of this media type has; empty for one that is not known.
#[must_use]
pub fn ending(media_type: &str) -> &'static str {
    let known = BEGINNINGS.iter().map(|(_, kind, ending)| (*kind, *ending));
    let mut all = known.chain(OTHERS.iter().copied());
    all.find(|(kind, _)| *kind == media_type)
        .map_or("", |(_, ending)| ending)
}

/// Types that are known by their name alone.
const OTHERS: &[(&str, &str)] = &[
    ("application/epub+zip", "epub"),
    ("application/java-archive", "jar"),
    ("application/msword", "doc"),
    ("application/vnd.ms-excel", "xls"),
    (
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "pptx",
    ),
    (
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "xlsx",
    ),
    (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "docx",
    ),
    ("application/vnd.sqlite3", "sqlite"),
    ("application/wasm", "wasm"),
    ("application/x-bzip2", "bz2"),
    ("application/x-gzip", "gz"),
    ("application/x-tar", "tar"),
    ("application/x-zip-compressed", "zip"),
    ("audio/mpeg", "mp3"),
    ("image/avif", "avif"),
    ("image/webp", "webp"),
    ("image/x-icon", "ico"),
    ("video/mp4", "mp4"),
    ("video/webm", "webm"),
];
