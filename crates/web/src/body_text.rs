//! A reply's bytes as text, decoded as browsers do: the kind of body, and its character set.
//!
//! Rules: WHATWG Encoding (decode, labels), WHATWG HTML "prescan a byte stream" for `<meta>`,
//! WHATWG MIME Sniffing for replies without a type.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use iki_base::charset::Charset;
use iki_base::{signature, text_encoding};
use iki_document::{FileKind, declared_charset};

/// Number of bytes at the beginning whose declaration counts even if the bytes are UTF-8.
const PRESCAN_BYTES: usize = 1024;

/// Characters of valid UTF-8 needed for each invalid sequence, so that a text counts as damaged
/// UTF-8. Text of another character set has few bytes that could be UTF-8.
const MIN_VALID_PER_INVALID: usize = 8;

/// Kind of a reply's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// HTML or XHTML, to be converted.
    Html,
    /// Any other text, shown as it is.
    Text,
}

/// A reply, decoded.
#[derive(Debug, PartialEq, Eq)]
pub struct BodyText {
    /// Kind of text.
    pub kind: BodyKind,
    /// The text; U+FFFD replaces invalid bytes.
    pub text: String,
}

/// Error: the reply is not text. Holds its media type, or `binary data of no declared type`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not text: {0}")]
pub struct UnsupportedBody(pub String);

/// Decodes a reply.
///
/// `content_type` is the header's value and `host` the origin. If `truncated`, `bytes` were cut
/// off, and an incomplete character at the end is left out instead of replaced.
pub fn read(
    bytes: &[u8],
    content_type: Option<&str>,
    host: &str,
    truncated: bool,
) -> Result<BodyText, UnsupportedBody> {
    let declared = content_type.and_then(MediaType::parse);
    if let Some(text) = text_encoding::decode_wide(bytes) {
        let kind = kind(text.as_bytes(), declared.as_ref())?;
        return Ok(BodyText { kind, text });
    }
    let kind = kind(bytes, declared.as_ref())?;
    let xml = declared.as_ref().is_some_and(MediaType::is_xml);
    let label = declared.as_ref().and_then(|media| media.charset.as_deref());
    let by_label = label.and_then(Charset::for_label);
    if let Some(other) = by_label.filter(|charset| !matches!(charset, Charset::Browsers(_)))
        && Encoding::for_bom(bytes).is_none()
    {
        let text = other.decode(bytes).into_owned();
        return Ok(BodyText { kind, text });
    }
    let encoding = choose(bytes, label, kind == BodyKind::Html || xml, host, truncated);
    Ok(BodyText {
        kind,
        text: decode(bytes, encoding, truncated),
    })
}

/// Determines the kind of text: by its declared type where that is one of text, by its bytes where
/// it may be anything. Whatever is declared, bytes that begin as a file of another kind are not
/// text.
fn kind(bytes: &[u8], declared: Option<&MediaType>) -> Result<BodyKind, UnsupportedBody> {
    let body_type = signature::body_type(bytes);
    let Some(media) = declared else {
        let nature = body_type.unwrap_or("binary data");
        let sniffed = body_type.is_none().then(|| sniff(bytes)).flatten();
        return sniffed.ok_or_else(|| UnsupportedBody(format!("{nature} of no declared type")));
    };
    let essence = &media.essence;
    match (media.kind(), body_type) {
        (Some(_), Some(kind)) => Err(UnsupportedBody(format!("{kind} served as {essence}"))),
        // Some programs answer with JSON under the default type.
        (Some(BodyKind::Html), None) if is_json(bytes) => Ok(BodyKind::Text),
        (Some(kind), None) => Ok(kind),
        (None, None) if media.may_be_text() => {
            let sniffed = sniff(bytes).or(media.is_utf_16().then_some(BodyKind::Text));
            // The source of a program may begin as a page does, and a page of an error may stand
            // where a file was expected.
            let kind = sniffed.map(|kind| {
                if media.is_of_files() {
                    kind
                } else {
                    BodyKind::Text
                }
            });
            kind.ok_or_else(|| UnsupportedBody(essence.clone()))
        }
        (None, _) => Err(UnsupportedBody(essence.clone())),
    }
}

/// True if these bytes are a JSON object or array.
fn is_json(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'['))
        && serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok()
}

/// Chooses the character set: byte order mark, then the header, then the document (after its first
/// kilobyte only if the bytes are not UTF-8), then UTF-8, then the detector.
fn choose(
    bytes: &[u8],
    label: Option<&str>,
    marked_up: bool,
    host: &str,
    truncated: bool,
) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding;
    }
    if let Some(encoding) = label.and_then(|label| Encoding::for_label(label.as_bytes())) {
        return encoding;
    }
    let head = &bytes[..bytes.len().min(PRESCAN_BYTES)];
    if marked_up && let Some(choice) = in_document(declared_charset(head, false)) {
        return choice;
    }
    if is_utf_8(bytes, truncated) {
        return UTF_8;
    }
    if marked_up && let Some(choice) = in_document(declared_charset(bytes, true)) {
        return choice;
    }
    detect(bytes, host)
}

/// Returns the character set that a document has if it declares this one.
fn in_document(declared: Option<&'static Encoding>) -> Option<&'static Encoding> {
    Some(match declared? {
        // A declaration that was readable as ASCII cannot be in UTF-16.
        encoding if encoding == UTF_16LE || encoding == UTF_16BE => UTF_8,
        encoding if encoding == X_USER_DEFINED => WINDOWS_1252,
        encoding => encoding,
    })
}

/// True if `bytes` are UTF-8, with an incomplete character at their end if `truncated`; or if they
/// are UTF-8 with only a few invalid sequences.
fn is_utf_8(bytes: &[u8], truncated: bool) -> bool {
    match simdutf8::compat::from_utf8(bytes) {
        Ok(_) => return true,
        Err(error) if truncated && error.error_len().is_none() => return true,
        Err(_) => {}
    }
    let (mut whole, mut broken) = (0, 0_usize);
    for chunk in bytes.utf8_chunks() {
        let leads = |byte: &u8| *byte >= 0xc0;
        whole += chunk.valid().bytes().filter(leads).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    whole >= broken.saturating_mul(MIN_VALID_PER_INVALID)
}

/// Guesses the character set of text that is not all UTF-8; `None` if it is damaged UTF-8. If
/// `truncated`, `bytes` were cut off.
#[must_use]
pub fn guess(bytes: &[u8], truncated: bool) -> Option<&'static Encoding> {
    (!is_utf_8(bytes, truncated)).then(|| detect(bytes, ""))
}

/// Detects the character set of `bytes` that are not UTF-8; the country of their host is a hint.
fn detect(bytes: &[u8], host: &str) -> &'static Encoding {
    let zone = host.rsplit_once('.').map(|(_, zone)| zone.as_bytes());
    let hint = zone.filter(|zone| {
        let plain = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
        !zone.is_empty() && zone.iter().all(plain)
    });
    text_encoding::detect(bytes, hint)
}

fn decode(bytes: &[u8], encoding: &'static Encoding, truncated: bool) -> String {
    if !truncated {
        return encoding.decode_with_bom_removal(bytes).0.into_owned();
    }
    let mut decoder = encoding.new_decoder_with_bom_removal();
    let mut text = String::new();
    // The decoder holds an incomplete character back until the end is announced.
    let mut remainder = bytes;
    while !remainder.is_empty() {
        text.reserve(
            decoder
                .max_utf8_buffer_length(remainder.len())
                .unwrap_or(remainder.len())
                .max(16),
        );
        let (_, read, _) = decoder.decode_to_string(remainder, &mut text, false);
        remainder = &remainder[read..];
    }
    text
}

/// A parsed `Content-Type` header.
struct MediaType {
    /// `type/subtype` in lower case.
    essence: String,
    charset: Option<String>,
}

impl MediaType {
    /// Returns `None` for a value that is not a media type; such a header is ignored.
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

    fn kind(&self) -> Option<BodyKind> {
        let essence = self.essence.as_str();
        if matches!(essence, "text/html" | "application/xhtml+xml") {
            return Some(BodyKind::Html);
        }
        let textual = essence.starts_with("text/")
            || ["/json", "/xml", "+json", "+xml"]
                .iter()
                .any(|end| essence.ends_with(end));
        textual.then_some(BodyKind::Text)
    }

    /// False for images, audio, video and fonts, but for what has such a name and is text.
    fn may_be_text(&self) -> bool {
        let (main, _) = self.essence.split_once('/').unwrap_or_default();
        !["audio", "font", "image", "video"].contains(&main)
            || MISNAMED_TEXT.split(' ').any(|name| name == self.essence)
    }

    /// True for the type of a binary file.
    fn is_of_files(&self) -> bool {
        let essence = &*self.essence;
        let mut documents = FileKind::ALL.into_iter();
        !signature::ending(essence).is_empty()
            || documents.any(|kind| kind.media_types().contains(&essence))
    }

    /// True if the text is declared to be in an encoding that has bytes of binary files.
    fn is_utf_16(&self) -> bool {
        let label = self.charset.as_deref().unwrap_or_default();
        let encoding = Encoding::for_label(label.as_bytes());
        encoding.is_some_and(|encoding| [UTF_16LE, UTF_16BE].contains(&encoding))
    }
}

/// Types of playlists, and the one that servers give to TypeScript for its ending `.ts`.
const MISNAMED_TEXT: &str =
    "audio/mpegurl audio/x-mpegurl audio/x-scpls audio/scpls video/mp2t video/vnd.dlna.mpeg-tts";

/// Bytes examined for the beginning of a page (MIME Sniffing, section 5.2).
const SNIFFED_BYTES: usize = 1445;

/// Possible beginnings of an HTML document, in lower case (MIME Sniffing, section 7.1).
const HTML_STARTS: &str = "<!doctype html,<html,<head,<script,<iframe,<h1,<div,<font,<table,<a,\
                           <style,<title,<b,<body,<br,<p";

/// Determines the kind of a reply by its bytes; `None` for binary data. A page is one whatever
/// stands behind its beginning.
fn sniff(bytes: &[u8]) -> Option<BodyKind> {
    let head = &bytes[..bytes.len().min(SNIFFED_BYTES)];
    if !is_text(head) {
        return None;
    }
    let body = head
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(head)
        .trim_ascii_start();
    if body.starts_with(b"<!--") {
        return Some(BodyKind::Html);
    }
    let html = HTML_STARTS.split(',').any(|start| {
        body.get(..start.len())
            .is_some_and(|b| b.eq_ignore_ascii_case(start.as_bytes()))
            && matches!(
                body.get(start.len()),
                Some(b' ' | b'>' | b'\n' | b'\r' | b'\t' | 0x0c)
            )
    });
    if html {
        return Some(BodyKind::Html);
    }
    is_text(bytes).then_some(BodyKind::Text)
}

/// True if no byte is a "binary data byte" (MIME Sniffing, section 3).
fn is_text(bytes: &[u8]) -> bool {
    let binary = |b: &u8| matches!(b, 0x00..=0x08 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    Encoding::for_bom(bytes).is_some() || !bytes.iter().any(binary)
}

#[cfg(test)]
mod tests;
