//! Splits mailboxes into messages, and bodies into parts.
//!
//! Rules: RFC 2046, 5.1 (boundaries), 4155 (mailboxes).

use memchr::memmem;

use super::MAX_PARTS;
use super::mime::split_header;

/// The beginning of the line before each message of a mailbox.
pub(super) const MAILBOX_LINE: &[u8] = b"From ";

/// Splits a mailbox into its messages, which a blank line and a line that no message has part; what
/// is none is one message.
pub(super) fn split_mailbox(bytes: &[u8]) -> Vec<&[u8]> {
    if !bytes.starts_with(MAILBOX_LINE) {
        return vec![bytes];
    }
    let is_end = |offset: &usize| {
        let mut lines = bytes[offset + 1..].splitn(3, |byte| *byte == b'\n').skip(1);
        let before = bytes[..*offset]
            .strip_suffix(b"\r")
            .unwrap_or(&bytes[..*offset]);
        before.ends_with(b"\n") && lines.next().and_then(split_header).is_some()
    };
    let (mut messages, mut start) = (Vec::new(), 0);
    for end in memmem::find_iter(bytes, b"\nFrom ").filter(is_end) {
        messages.push(&bytes[start..end]);
        start = end + 1;
    }
    messages.push(&bytes[start..]);
    messages
}

/// Returns the parts of a body: between the boundaries that are declared, or else between those
/// that stand before its headers.
pub(super) fn parts_of<'a>(body: &'a [u8], boundary: Option<&str>) -> Vec<&'a [u8]> {
    let parts = boundary.map(|boundary| split_parts(body, boundary));
    let parts = parts.unwrap_or_default();
    if !parts.is_empty() {
        return parts;
    }
    let mut lines = body.split(|byte| *byte == b'\n');
    let mut next = move || lines.next().map(<[u8]>::trim_ascii_end);
    let mut line = next();
    while let Some(this) = line {
        line = next();
        let boundary = this.strip_prefix(b"--").filter(|name| !name.is_empty());
        let header = line.and_then(split_header);
        if let Some(boundary) = boundary
            && header.is_some_and(|(name, _)| name.starts_with("content-"))
        {
            return split_parts(body, &String::from_utf8_lossy(boundary));
        }
    }
    Vec::new()
}

/// Splits a body at the lines that begin with the boundary.
fn split_parts<'a>(body: &'a [u8], boundary: &str) -> Vec<&'a [u8]> {
    let line = format!("--{boundary}");
    let (mut parts, mut start) = (Vec::new(), None);
    for offset in memmem::find_iter(body, &line) {
        if offset > 0 && body[offset - 1] != b'\n' {
            continue;
        }
        if let Some(start) = start.take() {
            parts.push(&body[start..offset]);
        }
        let behind = &body[offset + line.len()..];
        if behind.starts_with(b"--") || parts.len() >= MAX_PARTS {
            return parts;
        }
        let end = memchr::memchr(b'\n', behind).map_or(behind.len(), |end| end + 1);
        start = Some(offset + line.len() + end);
    }
    parts.extend(start.map(|start| &body[start..]));
    parts
}
