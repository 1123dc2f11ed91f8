//! Reads the headers and the parts of an Internet message.
//!
//! Rules: RFC 5322 (messages), 2045 to 2047 (MIME), 2231 (parameters), 3676 (lines that flow), 4155
//! (mailboxes).

use std::borrow::Cow;
use std::sync::LazyLock;

use base64::Engine;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use memchr::memmem;
use regex::Regex;

use super::{MAX_PARTS, MailMessage};

/// Maximum nesting of parts.
const MAX_DEPTH: usize = 12;

/// Limit of the headers of a part, in bytes.
const MAX_HEADER_BYTES: usize = 256 * 1024;

/// Limit of a value that is kept, in bytes.
const MAX_VALUE_BYTES: usize = 8192;

/// Limit of all text of a message, in bytes.
const MAX_TEXT_BYTES: usize = 16 << 20;

/// Number of bytes at the beginning by which a message is recognised.
const MAX_DETECTION_BYTES: usize = 8 * 1024;

/// The beginning of the line before each message of a mailbox.
const MAILBOX_LINE: &[u8] = b"From ";

/// Headers that only mail has.
const MAIL_HEADERS: &str = "received message-id return-path delivered-to mime-version";

/// True if a file surely begins as a message: nothing but headers, one that only mail has, and its
/// author.
pub(crate) fn is_message(bytes: &[u8]) -> bool {
    let mut head = &bytes[..bytes.len().min(MAX_DETECTION_BYTES)];
    if head.len() < bytes.len() {
        head = &head[..memchr::memrchr(b'\n', head).unwrap_or(0)];
    }
    let part = MimePart::of(head);
    let has = |name: &str| part.headers.iter().any(|(of, _)| of == name);
    // No message has the date of git's patches.
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_patch = line.starts_with(MAILBOX_LINE) && memmem::find(line, b" Mon Sep 17 ").is_some();
    part.is_whole && !is_patch && has("from") && MAIL_HEADERS.split(' ').any(has)
}

/// Splits a header into its name in lower case and its value.
fn split_header(line: &[u8]) -> Option<(String, &[u8])> {
    let colon = memchr::memchr(b':', line)?;
    let name = line[..colon].trim_ascii_end();
    let is_name = |byte: &u8| byte.is_ascii_graphic();
    if name.is_empty() || name.len() > 100 || !name.iter().all(is_name) {
        return None;
    }
    let name = std::str::from_utf8(name).ok()?.to_ascii_lowercase();
    Some((name, &line[colon + 1..]))
}

/// A part of a message: its headers and its body as it is encoded.
struct MimePart<'a> {
    headers: Vec<(String, Vec<u8>)>,
    body: &'a [u8],
    /// False if text follows its headers at once.
    is_whole: bool,
}

impl<'a> MimePart<'a> {
    fn of(bytes: &'a [u8]) -> Self {
        let mut headers: Vec<(String, Vec<u8>)> = Vec::new();
        let (mut at, mut is_whole) = (0, true);
        while at < bytes.len().min(MAX_HEADER_BYTES) {
            let length =
                memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len() - at, |end| end + 1);
            let line = bytes[at..at + length].trim_ascii_end();
            if line.is_empty() {
                at += length;
                break;
            }
            if line[0] == b' ' || line[0] == b'\t' {
                if let Some((_, value)) = headers.last_mut()
                    && value.len() + line.len() < MAX_VALUE_BYTES
                {
                    value.extend_from_slice(b" ");
                    value.extend_from_slice(line.trim_ascii_start());
                }
            } else if let Some((name, value)) = split_header(line) {
                let value = value.trim_ascii();
                headers.push((name, value[..value.len().min(MAX_VALUE_BYTES)].to_vec()));
            } else if !line.starts_with(b">From ") && !line.starts_with(b"From ") {
                is_whole = false;
                break;
            }
            at += length;
        }
        Self {
            headers,
            body: &bytes[at.min(bytes.len())..],
            is_whole,
        }
    }

    fn header(&self, name: &str) -> &[u8] {
        let found = self.headers.iter().find(|(of, _)| of == name);
        found.map_or(&[], |(_, value)| value)
    }

    /// The words of a header.
    fn words(&self, name: &str) -> String {
        decode_words(&decode_text(self.header(name), None))
    }

    /// The first word of a header, in lower case.
    fn value(&self, name: &str) -> String {
        let value = self.header(name).split(|byte| *byte == b';').next();
        let value = String::from_utf8_lossy(value.unwrap_or_default());
        value.trim().to_ascii_lowercase()
    }

    /// A parameter of a header, which may be given in pieces.
    fn parameter(&self, header: &str, name: &str) -> Option<String> {
        let value = decode_text(self.header(header), None);
        let mut whole = String::new();
        let mut encoding = None;
        for part in split_parameters(&value).into_iter().skip(1) {
            let Some((key, value)) = part.split_once('=') else {
                continue;
            };
            let key = key.trim().to_ascii_lowercase();
            let Some(rest) = key.strip_prefix(name) else {
                continue;
            };
            if !rest.is_empty() && !rest.starts_with('*') {
                continue;
            }
            let value = value.trim().trim_matches('"').replace("\\\"", "\"");
            if !rest.ends_with('*') {
                whole.push_str(&value);
                continue;
            }
            let mut value = value.as_str();
            if encoding.is_none()
                && let Some((label, text)) = value.split_once('\'')
            {
                encoding = Encoding::for_label(label.as_bytes());
                value = text.split_once('\'').map_or(text, |(_, text)| text);
            }
            let bytes: Vec<u8> = percent_encoding::percent_decode_str(value).collect();
            whole.push_str(&decode_text(&bytes, encoding));
        }
        (!whole.is_empty()).then(|| decode_words(&whole))
    }

    /// The body without its transfer encoding.
    fn decoded_body(&self) -> Cow<'a, [u8]> {
        let body = &self.body[..self.body.len().min(MAX_TEXT_BYTES)];
        match self.value("content-transfer-encoding").as_str() {
            "base64" if is_base64(self.body) => decode_base64(self.body).into(),
            "quoted-printable" => decode_quoted_printable(body, false).into(),
            _ => self.body.into(),
        }
    }

    fn text(&self) -> String {
        let label = self
            .parameter("content-type", "charset")
            .unwrap_or_default();
        let body = self.decoded_body();
        let body = &body[..body.len().min(MAX_TEXT_BYTES)];
        // What says that it is ASCII may be anything.
        let label = label.trim_start_matches("us-").trim_start_matches("US-");
        let known = !label.eq_ignore_ascii_case("ascii");
        let encoding = known.then(|| Encoding::for_label(label.as_bytes()));
        let text = decode_text(body, encoding.flatten());
        let says = |name, value: &str| {
            let said = self.parameter("content-type", name);
            said.is_some_and(|said| said.eq_ignore_ascii_case(value))
        };
        if says("format", "flowed") {
            join_flowed_lines(&text, says("delsp", "yes"))
        } else {
            text.into_owned()
        }
    }
}

/// Joins the lines that end with a blank to those after them, which are quoted as deeply; where
/// `del_sp` is true that blank goes.
fn join_flowed_lines(text: &str, del_sp: bool) -> String {
    let mut all = String::with_capacity(text.len());
    let mut open = None;
    for line in text.lines() {
        let content = line.trim_start_matches('>');
        let quotes = &line[..line.len() - content.len()];
        // A blank at the beginning stands before what would mean something else there.
        let content = content.strip_prefix(' ').unwrap_or(content);
        let is_signature = content == "-- ";
        if open.is_none_or(|open| open != quotes || is_signature) {
            all.push_str(if open.is_some() { "\n" } else { "" });
            all.push_str(quotes);
            all.push_str(if quotes.is_empty() { "" } else { " " });
        }
        let flows = content.ends_with(' ') && !is_signature;
        let most = content.len() - usize::from(flows && del_sp);
        all.push_str(&content[..most]);
        all.push_str(if flows { "" } else { "\n" });
        open = flows.then_some(quotes);
    }
    all
}

/// Splits the parameters of a header, whose values may be in quotes.
fn split_parameters(value: &str) -> Vec<&str> {
    let (mut parts, mut start, mut quoted) = (Vec::new(), 0, false);
    for (at, c) in value.char_indices() {
        quoted ^= c == '"';
        if c == ';' && !quoted {
            parts.push(&value[start..at]);
            start = at + 1;
        }
    }
    parts.push(&value[start..]);
    parts
}

/// Decodes text in this encoding; in UTF-8, or what Windows has, if there is none.
pub(super) fn decode_text<'a>(
    bytes: &'a [u8],
    encoding: Option<&'static Encoding>,
) -> Cow<'a, str> {
    let is_utf8 = std::str::from_utf8(bytes).is_ok();
    let other = if is_utf8 { UTF_8 } else { WINDOWS_1252 };
    encoding.unwrap_or(other).decode(bytes).0
}

/// Reads a message.
pub(super) fn read(bytes: &[u8]) -> MailMessage {
    let mut budget = MimeBudget {
        parts: MAX_PARTS,
        text: MAX_TEXT_BYTES,
    };
    let ends = find_message_ends(bytes);
    let end = ends.first().copied().unwrap_or(bytes.len());
    let mut message = read_message(&bytes[..end], 0, &mut budget);
    message.others = ends.len();
    message
}

/// Returns the ends of all messages of a mailbox but the last: a blank line, then a line that no
/// message has, above headers.
fn find_message_ends(bytes: &[u8]) -> Vec<usize> {
    if !bytes.starts_with(MAILBOX_LINE) {
        return Vec::new();
    }
    let is_end = |at: &usize| {
        let mut lines = bytes[at + 1..].splitn(3, |byte| *byte == b'\n').skip(1);
        let before = bytes[..*at].strip_suffix(b"\r").unwrap_or(&bytes[..*at]);
        before.ends_with(b"\n") && lines.next().and_then(split_header).is_some()
    };
    let ends = memmem::find_iter(bytes, b"\nFrom ");
    ends.filter(is_end).collect()
}

/// The number of parts and bytes of text that may still be read.
struct MimeBudget {
    parts: usize,
    text: usize,
}

fn read_message(bytes: &[u8], depth: usize, budget: &mut MimeBudget) -> MailMessage {
    let part = MimePart::of(bytes);
    let mut message = MailMessage {
        subject: part.words("subject"),
        from: part.words("from"),
        to: part.words("to"),
        cc: part.words("cc"),
        date: part.words("date"),
        ..MailMessage::default()
    };
    read_part(&part, depth, &mut message, budget);
    message
}

fn read_part(
    part: &MimePart<'_>,
    depth: usize,
    message: &mut MailMessage,
    budget: &mut MimeBudget,
) {
    if budget.parts == 0 || depth > MAX_DEPTH {
        message.cut = true;
        return;
    }
    budget.parts -= 1;
    let kind = part.value("content-type");
    let name = part
        .parameter("content-disposition", "filename")
        .or_else(|| part.parameter("content-type", "name"));
    if let Some(boundary) = part.parameter("content-type", "boundary")
        && kind.starts_with("multipart/")
    {
        for body in split_parts(part.body, &boundary) {
            read_part(&MimePart::of(body), depth + 1, message, budget);
        }
    } else if kind == "message/rfc822" {
        let bytes = part.decoded_body();
        message
            .messages
            .push(read_message(&bytes, depth + 1, budget));
    } else if part.value("content-disposition") == "attachment"
        || name.is_some()
        || !(kind.is_empty() || kind.starts_with("text/"))
    {
        message.attachments.push(name.unwrap_or(kind));
    } else {
        let text = part.text();
        if text.len() > budget.text {
            message.cut = true;
            return;
        }
        budget.text -= text.len();
        let slot = if kind == "text/html" {
            &mut message.page
        } else {
            &mut message.plain
        };
        slot.push_str(&text);
        slot.push_str("\n\n");
    }
}

/// Splits a body at the lines that begin with the boundary.
fn split_parts<'a>(body: &'a [u8], boundary: &str) -> Vec<&'a [u8]> {
    let line = format!("--{boundary}");
    let (mut parts, mut start) = (Vec::new(), None);
    for at in memmem::find_iter(body, &line) {
        if at > 0 && body[at - 1] != b'\n' {
            continue;
        }
        if let Some(start) = start.take() {
            parts.push(&body[start..at]);
        }
        let rest = &body[at + line.len()..];
        if rest.starts_with(b"--") || parts.len() >= MAX_PARTS {
            return parts;
        }
        let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
        start = Some(at + line.len() + end);
    }
    parts.extend(start.map(|start| &body[start..]));
    parts
}

/// True if the first line of a text may be in base64.
fn is_base64(text: &[u8]) -> bool {
    let line = text.trim_ascii_start().split(|byte| *byte == b'\n').next();
    let is_sign = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    line.is_none_or(|line| line.trim_ascii_end().iter().all(is_sign))
}

fn decode_base64(text: &[u8]) -> Vec<u8> {
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &base64::alphabet::STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_allow_trailing_bits(true)
            .with_decode_padding_mode(DecodePaddingMode::Indifferent),
    );
    let is_sign = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let mut signs: Vec<u8> = text.iter().filter(is_sign).copied().collect();
    if signs.len() % 4 == 1 {
        signs.pop();
    }
    LENIENT.decode(signs).unwrap_or_default()
}

/// Most blanks between a `=` and the end of its line.
const MAX_BLANKS: usize = 80;

fn decode_quoted_printable(text: &[u8], in_header: bool) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        at += 1;
        match byte {
            b'_' if in_header => bytes.push(b' '),
            b'=' => {
                let code = text
                    .get(at..at + 2)
                    .and_then(|code| std::str::from_utf8(code).ok());
                if let Some(code) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
                    bytes.push(code);
                    at += 2;
                } else {
                    // A line that goes on.
                    let rest = &text[at..text.len().min(at + MAX_BLANKS)];
                    let end = memchr::memchr(b'\n', rest);
                    match end.filter(|end| rest[..*end].trim_ascii().is_empty()) {
                        Some(end) => at += end + 1,
                        None => bytes.push(b'='),
                    }
                }
            }
            byte => bytes.push(*byte),
        }
    }
    bytes
}

/// An encoded word: its character set, its encoding and its text.
static ENCODED_WORD: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"=\?([^?*]*)[^?]*\?([^?]*)\?([^?]*)\?=").ok());

/// Decodes the encoded words of a header.
fn decode_words(text: &str) -> String {
    let (mut all, mut end) = (String::with_capacity(text.len()), 0);
    // The last encoded word, whose characters may go on in the next one.
    let mut open: Option<(&'static Encoding, Vec<u8>)> = None;
    let decoded = |open: Option<(&'static Encoding, Vec<u8>)>| {
        let decode = |(encoding, bytes): (&'static Encoding, Vec<u8>)| {
            encoding.decode_without_bom_handling(&bytes).0.into_owned()
        };
        open.map(decode).unwrap_or_default()
    };
    let words = ENCODED_WORD
        .iter()
        .flat_map(|word| word.captures_iter(text));
    for word in words {
        let (whole, [label, how, encoded]) = word.extract();
        let start = word.get_match().start();
        let between = &text[end..start];
        end = start + whole.len();
        let encoding = Encoding::for_label(label.as_bytes()).unwrap_or(UTF_8);
        let bytes = if how.eq_ignore_ascii_case("b") {
            decode_base64(encoded.as_bytes())
        } else {
            decode_quoted_printable(encoded.as_bytes(), true)
        };
        let is_next = open.is_some() && between.trim().is_empty();
        match &mut open {
            Some((last, all)) if is_next && *last == encoding => all.extend(bytes),
            _ => {
                all.push_str(&decoded(open.take()));
                all.push_str(if is_next { "" } else { between });
                open = Some((encoding, bytes));
            }
        }
    }
    all.push_str(&decoded(open));
    all.push_str(&text[end..]);
    all.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_surely_is_a_message_is_taken_for_one() {
        for (text, wanted) in [
            ("From: a@b\nMessage-ID: <1@b>\n\nx", true),
            ("Received: by x\n with y\nFrom: a\n\n", true),
            ("From: a@b\nTo: c\nSubject: d\n\nx", false),
            ("From: the beginning\nto the end\n", false),
            ("Message-ID is a header\nFrom: a\n", false),
            (
                "Date: now\nContent-Type: text/plain\nMIME-Version: 1.0\n\n",
                false,
            ),
            (
                "From 01 Mon Sep 17 00:00:00 2001\nFrom: a\nMessage-ID: b\n\n",
                false,
            ),
            ("From a@b Mon Sep 18\nFrom: a\nMessage-ID: b\n\n", true),
            ("---\nFrom: a\nMessage-ID: b\n", false),
            ("", false),
        ] {
            assert_eq!(is_message(text.as_bytes()), wanted, "{text}");
        }
    }

    #[test]
    fn encoded_words_are_decoded_and_joined() {
        for (text, wanted) in [
            ("=?utf-8?B?w4Q=?= =?UTF-8?Q?b_c?= d", "\u{c4}b c d"),
            ("=?utf-8?B?w4?= x =?broken", "\u{fffd} x =?broken"),
            ("a =?iso-8859-1*de?q?=E9?= b", "a \u{e9} b"),
        ] {
            assert_eq!(decode_words(text), wanted);
        }
    }
}
