//! Reads the headers and the parts of an Internet message.
//!
//! Rules: RFC 5322 (messages), 2045 and 2046 (MIME), 2231 (parameters), 3464 (reports on delivery),
//! 3676 (lines that flow).

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use iki_base::charset::Charset;
use memchr::memmem;

use super::boundaries::{MAILBOX_LINE, parts_of};
use super::encodings::{
    decode_base64_body, decode_quoted_printable, decode_utf_7, decode_words, find_uuencoded,
    is_base64,
};
use super::{MAX_PARTS, MailMessage};
use crate::declared_charset;

/// Maximum nesting of parts.
const MAX_DEPTH: usize = 12;

/// Limit of the headers of a part, in bytes.
const MAX_HEADER_BYTES: usize = 256 * 1024;

/// Limit of a value that is kept, in bytes.
const MAX_VALUE_BYTES: usize = 8192;

/// Limit of all text of a file, in bytes.
pub(super) const MAX_TEXT_BYTES: usize = 16 << 20;

/// Number of bytes at the beginning by which a message is recognised.
const MAX_DETECTION_BYTES: usize = 8 * 1024;

/// Headers that only mail has.
const MAIL_HEADERS: &str = "received message-id return-path delivered-to mime-version";

/// Headers of which one is in any mail.
const COMMON_HEADERS: &str =
    "from to subject date content-type received message-id return-path delivered-to mime-version";

/// True if a file surely begins as a message: nothing but headers, one that only mail has, and its
/// author; or as a mailbox.
pub(crate) fn is_message(bytes: &[u8]) -> bool {
    let (part, line) = read_head(bytes);
    let has = |name: &str| part.headers.iter().any(|(header, _)| header == name);
    let of_mailbox = line.starts_with(MAILBOX_LINE);
    // No message has the date of git's patches.
    let is_patch = of_mailbox && memmem::find(line, b" Mon Sep 17 ").is_some();
    let is_mail = MAIL_HEADERS.split(' ').any(has) || of_mailbox && has("date");
    part.is_whole && !is_patch && has("from") && is_mail
}

/// True if a file that is said to be mail begins as a message may: with headers.
pub(crate) fn may_be_message(bytes: &[u8]) -> bool {
    let (part, _) = read_head(bytes);
    let known = |name: &String| COMMON_HEADERS.split(' ').any(|known| known == name);
    part.is_whole && part.headers.iter().any(|(name, _)| known(name))
}

/// Reads the headers at the beginning of a file, and its first line.
fn read_head(bytes: &[u8]) -> (MimePart<'_>, &[u8]) {
    let mut head = &bytes[..bytes.len().min(MAX_DETECTION_BYTES)];
    if head.len() < bytes.len() {
        head = &head[..memchr::memrchr(b'\n', head).unwrap_or(0)];
    }
    let line = head.split(|byte| *byte == b'\n').next();
    (MimePart::parse(head), line.unwrap_or_default())
}

/// Splits a header into its name in lower case and its value.
pub(super) fn split_header(line: &[u8]) -> Option<(String, &[u8])> {
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
    fn parse(bytes: &'a [u8]) -> Self {
        let mut headers: Vec<(String, Vec<u8>)> = Vec::new();
        let (mut offset, mut is_whole) = (0, true);
        while offset < bytes.len().min(MAX_HEADER_BYTES) {
            let length =
                memchr::memchr(b'\n', &bytes[offset..]).map_or(bytes.len() - offset, |end| end + 1);
            let line = bytes[offset..offset + length].trim_ascii_end();
            // A line of blanks alone goes on as the header before it, and is no end.
            let is_blank = !headers.is_empty() && matches!(bytes[offset], b' ' | b'\t');
            if line.is_empty() && !is_blank {
                offset += length;
                break;
            }
            if is_blank || matches!(bytes[offset], b' ' | b'\t') {
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
            offset += length;
        }
        Self {
            headers,
            body: &bytes[offset.min(bytes.len())..],
            is_whole,
        }
    }

    fn header(&self, name: &str) -> &[u8] {
        let field = self.headers.iter().find(|(header, _)| header == name);
        field.map_or(&[], |(_, value)| value)
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
            let Some(suffix) = key.strip_prefix(name) else {
                continue;
            };
            if !suffix.is_empty() && !suffix.starts_with('*') {
                continue;
            }
            let value = value.trim().trim_matches('"').replace("\\\"", "\"");
            if !suffix.ends_with('*') {
                whole.push_str(&value);
                continue;
            }
            let mut value = value.as_str();
            if encoding.is_none()
                && let Some((label, text)) = value.split_once('\'')
            {
                encoding = Charset::for_label(label);
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
            "base64" if is_base64(self.body) => {
                let (mut bytes, behind) = decode_base64_body(self.body);
                if !behind.is_empty() {
                    bytes.extend_from_slice(b"\n\n");
                    bytes.extend_from_slice(behind);
                }
                bytes.into()
            }
            "quoted-printable" => decode_quoted_printable(body, false).into(),
            "uuencode" | "x-uuencode" | "x-uue" => match find_uuencoded(body, 0) {
                Some(file) => file.bytes.into(),
                None => self.body.into(),
            },
            _ => self.body.into(),
        }
    }

    fn text(&self) -> String {
        let label = self
            .parameter("content-type", "charset")
            .unwrap_or_default();
        let body = self.decoded_body();
        let body = &body[..body.len().min(MAX_TEXT_BYTES)];
        // Text that claims to be ASCII may be anything.
        let label = label.to_ascii_lowercase();
        let known = !matches!(&*label, "ascii" | "us-ascii");
        let encoding = known.then(|| Charset::for_label(&label)).flatten();
        let is_page = self.value("content-type") == "text/html";
        let declared = || is_page.then(|| charset_in_page(body)).flatten();
        let text = if matches!(&*label, "utf-7" | "unicode-1-1-utf-7") {
            decode_utf_7(body).into()
        } else {
            decode_text(body, encoding.or_else(declared))
        };
        let says = |name, value: &str| {
            let parameter = self.parameter("content-type", name);
            parameter.is_some_and(|parameter| parameter.eq_ignore_ascii_case(value))
        };
        if says("format", "flowed") {
            join_flowed_lines(&text, says("delsp", "yes"))
        } else {
            text.into_owned()
        }
    }
}

/// Returns the character set that a page declares, unless it is UTF-8.
pub(super) fn charset_in_page(page: &[u8]) -> Option<Charset> {
    let is_utf8 = !page.is_ascii() && std::str::from_utf8(page).is_ok();
    // What was readable as ASCII is not in UTF-16.
    let declared = declared_charset(page, true).filter(|_| !is_utf8);
    let declared = declared.filter(|encoding| ![UTF_16LE, UTF_16BE].contains(encoding));
    declared.map(Charset::Browsers)
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
        let limit = content.len() - usize::from(flows && del_sp);
        all.push_str(&content[..limit]);
        all.push_str(if flows { "" } else { "\n" });
        open = flows.then_some(quotes);
    }
    all
}

/// Splits the parameters of a header, whose values may be in quotes.
fn split_parameters(value: &str) -> Vec<&str> {
    let (mut parts, mut start, mut quoted) = (Vec::new(), 0, false);
    for (offset, c) in value.char_indices() {
        quoted ^= c == '"';
        if c == ';' && !quoted {
            parts.push(&value[start..offset]);
            start = offset + 1;
        }
    }
    parts.push(&value[start..]);
    parts
}

/// Decodes text in this encoding; in UTF-8, or what Windows has, if there is none.
pub(super) fn decode_text(bytes: &[u8], charset: Option<Charset>) -> Cow<'_, str> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[mark..]).0;
    }
    let is_utf8 = std::str::from_utf8(bytes).is_ok();
    let other = if is_utf8 { UTF_8 } else { WINDOWS_1252 };
    charset.unwrap_or(Charset::Browsers(other)).decode(bytes)
}

/// Reads a message; `text` is the number of bytes of text that it may have, and those that are
/// left after it.
pub(super) fn read(bytes: &[u8], text: &mut usize) -> MailMessage {
    let mut budget = MimeBudget {
        parts: MAX_PARTS,
        text: *text,
    };
    let message = read_message(bytes, 0, &mut budget);
    *text = budget.text;
    message
}

/// The number of parts and bytes of text that may still be read.
struct MimeBudget {
    parts: usize,
    text: usize,
}

fn read_message(bytes: &[u8], depth: usize, budget: &mut MimeBudget) -> MailMessage {
    let part = MimePart::parse(bytes);
    let mut message = MailMessage {
        subject: part.words("subject"),
        from: part.words("from"),
        to: part.words("to"),
        cc: part.words("cc"),
        date: part.words("date"),
        ..MailMessage::default()
    };
    // Pages that browsers have saved.
    if message.from.starts_with("<Saved by ") {
        message.from.clear();
    }
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
    // Text, where nothing says what it is (RFC 2045, section 5.2).
    let kind = Some(part.value("content-type")).filter(|kind| kind.contains('/'));
    let kind = kind.unwrap_or_default();
    let name = part
        .parameter("content-disposition", "filename")
        .or_else(|| part.parameter("content-type", "name"));
    let is_multipart = kind.starts_with("multipart/");
    let parts = if is_multipart {
        parts_of(
            part.body,
            part.parameter("content-type", "boundary").as_deref(),
        )
    } else {
        Vec::new()
    };
    if !parts.is_empty() {
        let (plain, page) = (message.plain.len(), message.page.len());
        for body in parts {
            let mut part = MimePart::parse(body);
            if kind == "multipart/digest" && part.header("content-type").is_empty() {
                let declared = ("content-type".to_owned(), b"message/rfc822".to_vec());
                part.headers.push(declared);
            }
            read_part(&part, depth + 1, message, budget);
        }
        if kind == "multipart/alternative" {
            message.keep_one_form(plain, page);
        }
        return;
    }
    if kind == "message/partial" {
        let number = |name| part.parameter("content-type", name).unwrap_or_default();
        let (number, total) = (number("number"), number("total"));
        let separator = if total.is_empty() { "" } else { " of " };
        let remark = format!("[Part {number}{separator}{total} of a message sent in parts.]\n\n");
        message.plain.push_str(&remark);
    }
    if is_forwarded(&kind, name.as_deref(), part) {
        let bytes = part.decoded_body();
        message
            .messages
            .push(read_message(&bytes, depth + 1, budget));
    } else if !is_multipart && is_attached(part, &kind, name.is_some()) {
        message.attachments.push(name.unwrap_or(kind));
    } else {
        let text = take_files(part.text(), &mut message.attachments);
        if text.len() > budget.text {
            message.cut = true;
            return;
        }
        budget.text -= text.len();
        let slot = if kind == "text/html" {
            // Of a saved page (RFC 2557).
            let location = part.words("content-location");
            if location.contains("://") && !location.contains(['"', '<']) {
                message.page.extend(["<base href=\"", &location, "\">"]);
            }
            &mut message.page
        } else {
            &mut message.plain
        };
        slot.push_str(&text);
        slot.push_str("\n\n");
    }
}

/// Takes the files of `uuencode` out of a text, whose names join the attachments'.
fn take_files(text: String, attachments: &mut Vec<String>) -> String {
    let (mut remainder, mut done) = (String::new(), 0);
    while let Some(file) = find_uuencoded(text.as_bytes(), done) {
        if attachments.len() >= MAX_PARTS {
            break;
        }
        remainder.push_str(&text[done..file.range.0]);
        done = file.range.1;
        attachments.push(file.name);
    }
    if done == 0 {
        return text;
    }
    remainder + &text[done..]
}

/// True for a message within a message.
fn is_forwarded(kind: &str, name: Option<&str>, part: &MimePart<'_>) -> bool {
    let is_named = || name.is_some_and(|name| name.to_ascii_lowercase().ends_with(".eml"));
    matches!(kind, "message/rfc822" | "message/global" | "message/news")
        || (kind == "message/partial" && may_be_message(part.body))
        || (is_named() && is_message(&part.decoded_body()))
}

/// True for a part of which only the name is shown: what is no text, and what is not shown with it.
fn is_attached(part: &MimePart<'_>, kind: &str, is_named: bool) -> bool {
    if is_report(kind) || kind == "message/partial" {
        return false;
    }
    let is_text = kind.is_empty() || kind.starts_with("text/");
    match part.value("content-disposition").as_str() {
        "attachment" => true,
        "inline" => !is_text,
        _ => is_named || !is_text,
    }
}

/// True for a report in lines `name: value`: why a message was not delivered, or what became of it.
fn is_report(kind: &str) -> bool {
    const REPORTS: [&str; 4] = [
        "message/delivery-status",
        "message/global-delivery-status",
        "message/disposition-notification",
        "message/feedback-report",
    ];
    REPORTS.contains(&kind)
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
}
