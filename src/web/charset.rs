//! A reply's bytes as text, the way browsers read them: what kind it is, and in which character set.
//!
//! Rules: WHATWG Encoding (decode, labels), WHATWG HTML "prescan a byte stream" for `<meta>`,
//! WHATWG MIME Sniffing for replies without a type.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use std::fmt;

mod prescan;

/// How far a declaration may stand from the beginning, in bytes.
const PRESCAN: usize = 1024;

/// What to do with a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// HTML or XHTML, to be converted.
    Html,
    /// Any other text, to be given as it is.
    Text,
}

/// A reply as text.
#[derive(Debug, PartialEq, Eq)]
pub struct Text {
    /// What it is.
    pub kind: Kind,
    /// The text; U+FFFD stands for what its character set does not allow.
    pub text: String,
}

/// A reply that is not text: its media type, or `binary data of no declared type`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported(pub String);

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not text", self.0)
    }
}

impl std::error::Error for Unsupported {}

/// Reads a reply.
///
/// `content_type` is the header's value, `truncated` whether `bytes` were cut off: then a
/// character that was cut in two is left out instead of replaced.
pub fn read(
    bytes: &[u8],
    content_type: Option<&str>,
    truncated: bool,
) -> Result<Text, Unsupported> {
    let declared = content_type.and_then(MediaType::parse);
    let kind = match &declared {
        Some(media) => media
            .kind()
            .ok_or_else(|| Unsupported(media.essence.clone()))?,
        None => {
            sniff(bytes).ok_or_else(|| Unsupported("binary data of no declared type".to_owned()))?
        }
    };
    let xml = declared.as_ref().is_some_and(MediaType::is_xml);
    let label = declared.as_ref().and_then(|media| media.charset.as_deref());
    let encoding = choose(bytes, label, kind == Kind::Html || xml);
    Ok(Text {
        kind,
        text: decode(bytes, encoding, truncated),
    })
}

/// The character set: byte order mark, then the header, then the document, then UTF-8.
fn choose(bytes: &[u8], label: Option<&str>, marked_up: bool) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding;
    }
    if let Some(encoding) = label.and_then(|label| Encoding::for_label(label.as_bytes())) {
        return encoding;
    }
    if !marked_up {
        return UTF_8;
    }
    let head = &bytes[..bytes.len().min(PRESCAN)];
    match prescan::declared(head).and_then(|label| Encoding::for_label(&label)) {
        // What could be read as ASCII to find the declaration cannot be UTF-16.
        Some(found) if found == UTF_16LE || found == UTF_16BE => UTF_8,
        Some(found) if found == X_USER_DEFINED => WINDOWS_1252,
        Some(found) => found,
        None => UTF_8,
    }
}

fn decode(bytes: &[u8], encoding: &'static Encoding, truncated: bool) -> String {
    if !truncated {
        return encoding.decode_with_bom_removal(bytes).0.into_owned();
    }
    let mut decoder = encoding.new_decoder_with_bom_removal();
    let mut text = String::new();
    // A decoder that is never told of the end keeps half a character to itself.
    let mut rest = bytes;
    while !rest.is_empty() {
        text.reserve(
            decoder
                .max_utf8_buffer_length(rest.len())
                .unwrap_or(rest.len())
                .max(16),
        );
        let (_, read, _) = decoder.decode_to_string(rest, &mut text, false);
        rest = &rest[read..];
    }
    text
}

/// A `Content-Type` header's value, taken apart.
struct MediaType {
    /// `type/subtype` in lower case.
    essence: String,
    charset: Option<String>,
}

impl MediaType {
    /// `None` for what is no media type; such a header says nothing.
    fn parse(value: &str) -> Option<Self> {
        let mut parts = value.split(';');
        let essence = parts.next()?.trim().to_ascii_lowercase();
        let (main, sub) = essence.split_once('/')?;
        let token = |s: &str| {
            !s.is_empty()
                && s.bytes()
                    .all(|b| b.is_ascii_graphic() && !b"(),/:;<=>?@[\\]".contains(&b))
        };
        if !token(main) || !token(sub) || essence == "*/*" {
            return None;
        }
        let charset = parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            let value = value.trim().trim_matches(['"', '\'']).trim();
            (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty())
                .then(|| value.to_owned())
        });
        Some(Self { essence, charset })
    }

    fn is_xml(&self) -> bool {
        let essence = self.essence.as_str();
        matches!(essence, "text/xml" | "application/xml") || essence.ends_with("+xml")
    }

    fn kind(&self) -> Option<Kind> {
        let essence = self.essence.as_str();
        if matches!(essence, "text/html" | "application/xhtml+xml") {
            return Some(Kind::Html);
        }
        let textual = essence.starts_with("text/")
            || ["+json", "+xml", "+yaml", "+json-seq"]
                .iter()
                .any(|end| essence.ends_with(end))
            || TEXTUAL.contains(&essence);
        textual.then_some(Kind::Text)
    }
}

/// Text under other names than `text/`.
const TEXTUAL: &[&str] = &[
    "application/ecmascript",
    "application/graphql",
    "application/javascript",
    "application/json",
    "application/json-seq",
    "application/json5",
    "application/jsonl",
    "application/jsonlines",
    "application/markdown",
    "application/ndjson",
    "application/sql",
    "application/toml",
    "application/typescript",
    "application/x-httpd-php",
    "application/x-javascript",
    "application/x-json",
    "application/x-latex",
    "application/x-ndjson",
    "application/x-perl",
    "application/x-php",
    "application/x-python",
    "application/x-ruby",
    "application/x-sh",
    "application/x-shellscript",
    "application/x-subrip",
    "application/x-tex",
    "application/x-toml",
    "application/x-typescript",
    "application/x-yaml",
    "application/xml",
    "application/xml-dtd",
    "application/yaml",
    "message/rfc822",
    "model/mtl",
    "model/obj",
];

/// How far a reply without a type is looked at (MIME Sniffing, section 5.2).
const SNIFFED: usize = 1445;

/// What an HTML document may begin with, in lower case (MIME Sniffing, section 7.1).
const HTML_STARTS: &[&str] = &[
    "<!doctype html",
    "<html",
    "<head",
    "<script",
    "<iframe",
    "<h1",
    "<div",
    "<font",
    "<table",
    "<a",
    "<style",
    "<title",
    "<b",
    "<body",
    "<br",
    "<p",
];

/// What a reply without a type is; `None` for binary data.
fn sniff(bytes: &[u8]) -> Option<Kind> {
    let head = &bytes[..bytes.len().min(SNIFFED)];
    let marked = Encoding::for_bom(head).is_some();
    let binary = |b: &u8| matches!(b, 0x00..=0x08 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    if !marked && head.iter().any(binary) {
        return None;
    }
    let body = head
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(head)
        .trim_ascii_start();
    if body.starts_with(b"<!--") {
        return Some(Kind::Html);
    }
    let html = HTML_STARTS.iter().any(|start| {
        body.get(..start.len())
            .is_some_and(|b| b.eq_ignore_ascii_case(start.as_bytes()))
            && matches!(
                body.get(start.len()),
                Some(b' ' | b'>' | b'\n' | b'\r' | b'\t' | 0x0c)
            )
    });
    Some(if html { Kind::Html } else { Kind::Text })
}

#[cfg(test)]
#[path = "charset/charset_tests.rs"]
mod tests;
