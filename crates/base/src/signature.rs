//! The one table of what files begin with.
//!
//! The signatures are those of the formats' own specifications, as `file(1)` and WHATWG MIME
//! Sniffing (section 6) have them.

/// The mark of a PDF file.
pub const PDF: &[u8] = b"%PDF-";

/// The mark of a zip file, in which office documents and EPUB books are kept.
pub const ZIP: &[u8] = b"PK\x03\x04";

/// The media type of a gzip file.
pub const GZIP: &str = "application/gzip";

/// True if `bytes` begin as a gzip file.
#[must_use]
pub fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(GZIP_MARK)
}

/// The mark of a gzip file.
const GZIP_MARK: &[u8] = b"\x1F\x8B";

/// The mark of an office document of before 2007, or of an encrypted one.
pub const COMPOUND: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";

/// Maximum number of bytes before the mark of a PDF file, and that mark.
const PDF_WITHIN: usize = 1024;

/// The first bytes that tell the kind of a body on the web.
const BODY_HEAD: usize = 8 * 1024;

/// True if the mark of a PDF file is among the first of `bytes`.
#[must_use]
pub fn is_pdf(bytes: &[u8]) -> bool {
    memchr::memmem::find(&bytes[..bytes.len().min(PDF_WITHIN)], PDF).is_some()
}

/// The media type, as IANA has it registered or as it is commonly written, and the words of the
/// kind of file that `bytes` begin as.
#[must_use]
pub fn detect(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    let has_at = |offset: usize, part: &[u8]| {
        bytes
            .get(offset..)
            .is_some_and(|tail| tail.starts_with(part))
    };
    let entry = SIGNATURES
        .iter()
        .find(|(offset, signature, ..)| has_at(*offset, signature));
    if let Some((_, _, mime, words)) = entry {
        return Some((mime, words));
    }
    match bytes {
        _ if bytes.starts_with(ZIP) => Some(zip(bytes)),
        [b'R', b'I', b'F', b'F', ..] => match bytes.get(8..12)? {
            b"WEBP" => Some(("image/webp", "WebP image")),
            b"WAVE" => Some(("audio/wav", "WAV audio")),
            b"AVI " => Some(("video/x-msvideo", "AVI video")),
            _ => None,
        },
        _ if has_at(4, b"ftyp") => Some(match bytes.get(8..12)? {
            b"avif" | b"avis" => ("image/avif", "AVIF image"),
            b"heic" | b"heix" | b"mif1" => ("image/heic", "HEIC image"),
            b"M4A " | b"M4B " => ("audio/mp4", "MP4 audio"),
            b"qt  " => ("video/quicktime", "QuickTime video"),
            _ => ("video/mp4", "MP4 video"),
        }),
        // Both formats chose the same four bytes; the next four are a count of processors in the
        // one and a version from 45 on in the other.
        [0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, count, ..] if *count < 45 => {
            Some(("application/x-mach-binary", "Mach-O program or library"))
        }
        [0xCA, 0xFE, 0xBA, 0xBE, ..] => Some(("application/java-vm", "Java class")),
        [b'M', b'Z', ..] => Some((
            "application/vnd.microsoft.portable-executable",
            "Windows program or library (PE)",
        )),
        [b'B', b'M', ..] if has_at(6, &[0; 4]) => Some(("image/bmp", "BMP image")),
        [0xFF, second, ..] if second & 0xE6 == 0xE2 => Some(("audio/mpeg", "MP3 audio")),
        _ => None,
    }
}

/// The kind of a zip archive, by the names of its first members.
fn zip(bytes: &[u8]) -> (&'static str, &'static str) {
    let holds = |name: &[u8]| memchr::memmem::find(bytes, name).is_some();
    let of_office = holds(b"[Content_Types].xml") || holds(b"_rels/");
    for (name, mime, words) in [
        (
            &b"word/"[..],
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "Word document",
        ),
        (
            b"xl/",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            "Excel workbook",
        ),
        (
            b"ppt/",
            "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            "PowerPoint presentation",
        ),
    ] {
        if of_office && holds(name) {
            return (mime, words);
        }
    }
    if holds(b"mimetypeapplication/epub+zip") {
        return ("application/epub+zip", "EPUB book");
    }
    if holds(b"mimetypeapplication/vnd.oasis.opendocument") {
        return ("application/vnd.oasis.opendocument", "OpenDocument file");
    }
    if holds(b"META-INF/MANIFEST.MF") {
        return ("application/java-archive", "Java archive");
    }
    ("application/zip", "zip archive")
}

/// The media type of a body on the web, if its beginning leaves no doubt that it is not text.
#[must_use]
pub fn body_type(body: &[u8]) -> Option<&'static str> {
    let (media_type, _) = detect(&body[..body.len().min(BODY_HEAD)])?;
    (body.starts_with(ZIP) || UNMISTAKABLE.split(' ').any(|one| one == media_type))
        .then_some(media_type)
}

/// The ending that the name of a file of this media type has; empty for one that is not known.
#[must_use]
pub fn ending(media_type: &str) -> &'static str {
    let known = ENDINGS.iter().find(|(kind, _)| *kind == media_type);
    known.map_or("", |(_, ending)| ending)
}

type SignatureRow = (usize, &'static [u8], &'static str, &'static str);

/// The offset of a signature, its bytes, and the media type and words of the files that have it.
#[rustfmt::skip]
pub const SIGNATURES: &[SignatureRow] = &[
    (0, b"\x89PNG\r\n\x1a\n", "image/png", "PNG image"),
    (0, b"\xFF\xD8\xFF", "image/jpeg", "JPEG image"),
    (0, b"GIF87a", "image/gif", "GIF image"),
    (0, b"GIF89a", "image/gif", "GIF image"),
    (0, b"II*\0", "image/tiff", "TIFF image"),
    (0, b"MM\0*", "image/tiff", "TIFF image"),
    (0, b"\0\0\x01\0", "image/vnd.microsoft.icon", "icon"),
    (0, b"8BPS", "image/vnd.adobe.photoshop", "Photoshop image"),
    (0, PDF, "application/pdf", "PDF document"),
    (0, COMPOUND, "application/x-ole-storage", "document of an older Microsoft Office"),
    (0, GZIP_MARK, GZIP, "gzip archive"),
    (0, b"\xFD7zXZ\0", "application/x-xz", "xz archive"),
    (0, b"\x28\xB5\x2F\xFD", "application/zstd", "zstd archive"),
    (0, b"BZh", "application/x-bzip2", "bzip2 archive"),
    (0, b"\x04\x22\x4D\x18", "application/x-lz4", "lz4 archive"),
    (0, b"7z\xBC\xAF\x27\x1C", "application/x-7z-compressed", "7z archive"),
    (0, b"Rar!\x1A\x07", "application/vnd.rar", "RAR archive"),
    (0, b"PK\x05\x06", "application/zip", "zip archive without members"),
    (257, b"ustar", "application/x-tar", "tar archive"),
    (0, b"!<arch>\ndebian-binary", "application/vnd.debian.binary-package", "Debian package"),
    (0, b"!<arch>\n", "application/x-archive", "ar archive (static library)"),
    (0, b"\xED\xAB\xEE\xDB", "application/x-rpm", "RPM package"),
    (0, b"\x7FELF", "application/x-elf", "ELF program, library or object"),
    (0, b"\xCF\xFA\xED\xFE", "application/x-mach-binary", "Mach-O program or library"),
    (0, b"\xCE\xFA\xED\xFE", "application/x-mach-binary", "Mach-O program or library"),
    (0, b"\0asm", "application/wasm", "WebAssembly module"),
    (0, b"BC\xC0\xDE", "application/x-llvm", "LLVM bitcode"),
    (0, b"SQLite format 3\0", "application/vnd.sqlite3", "SQLite database"),
    (0, b"PAR1", "application/vnd.apache.parquet", "Parquet file"),
    (0, b"\x89HDF\r\n\x1a\n", "application/x-hdf5", "HDF5 file"),
    (0, b"\x93NUMPY", "application/x-npy", "NumPy array"),
    (0, b"DIRC", "application/x-git-index", "index of git"),
    (0, b"PACK\0\0\0", "application/x-git-pack", "pack of git"),
    (0, b"ID3", "audio/mpeg", "MP3 audio"),
    (0, b"OggS", "audio/ogg", "Ogg audio or video"),
    (0, b"fLaC", "audio/flac", "FLAC audio"),
    (0, b"\x1A\x45\xDF\xA3", "video/x-matroska", "Matroska or WebM video"),
    (0, b"wOFF", "font/woff", "font (WOFF)"),
    (0, b"wOF2", "font/woff2", "font (WOFF2)"),
    (0, b"OTTO", "font/otf", "font (OpenType)"),
    (0, b"ttcf", "font/collection", "fonts (TrueType)"),
    (0, b"\0\x01\0\0\0", "font/ttf", "font (TrueType)"),
];

/// Types whose signatures are taken for no text, whatever a server says.
const UNMISTAKABLE: &str = "application/gzip application/pdf application/x-7z-compressed \
                            application/x-elf application/x-xz application/zstd font/woff2 \
                            image/gif image/jpeg image/png image/webp";

/// Media types and the endings of names.
#[rustfmt::skip]
const ENDINGS: &[(&str, &str)] = &[
    ("application/epub+zip", "epub"),
    ("application/gzip", "gz"),
    ("application/java-archive", "jar"),
    ("application/msword", "doc"),
    ("application/pdf", "pdf"),
    ("application/vnd.ms-excel", "xls"),
    ("application/vnd.ms-excel.sheet.binary.macroenabled.12", "xlsb"),
    ("application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx"),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"),
    ("application/vnd.sqlite3", "sqlite"),
    ("application/wasm", "wasm"),
    ("application/x-7z-compressed", "7z"),
    ("application/x-bzip2", "bz2"),
    ("application/x-elf", "bin"),
    ("application/x-gzip", "gz"),
    ("application/x-tar", "tar"),
    ("application/x-xz", "xz"),
    ("application/x-zip-compressed", "zip"),
    ("application/zip", "zip"),
    ("application/zstd", "zst"),
    ("audio/mpeg", "mp3"),
    ("font/woff2", "woff2"),
    ("image/avif", "avif"),
    ("image/gif", "gif"),
    ("image/jpeg", "jpg"),
    ("image/png", "png"),
    ("image/webp", "webp"),
    ("image/x-icon", "ico"),
    ("video/mp4", "mp4"),
    ("video/webm", "webm"),
];
