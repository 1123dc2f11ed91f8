//! The readers of mail: EML (Internet messages) and MSG (Outlook).
//!
//! A message becomes its subject, who wrote when to whom, its text, and the names of its
//! attachments; a mailbox its messages, one after the other.
//!
//! | module | what it is |
//! |---|---|
//! | `mime` | headers and parts of Internet messages |
//! | `boundaries` | messages of a mailbox, and parts of a body |
//! | `encodings` | bytes and letters that mail writes in ASCII |
//! | `outlook` | the properties of Outlook's messages |

use std::time::Instant;

use super::blocks::BlockWriter;
use super::inlines::InlineContent;
use super::properties::DocumentProperties;
use super::rtf;
use crate::embedded_page::append_page;
use crate::kinds::FileKind;
use iki_html::PageSyntax;
use iki_markdown::limits::is_past;

mod boundaries;
mod encodings;
mod mime;
mod outlook;

pub(crate) use mime::{is_message as is_eml, may_be_message};

/// Limit of the names of attachments, and of the messages within a message.
const MAX_PARTS: usize = 500;

/// Limit of a page, in bytes.
const MAX_PAGE: usize = 8 << 20;

/// A message.
#[derive(Default)]
struct MailMessage {
    subject: String,
    from: String,
    to: String,
    cc: String,
    date: String,
    /// Its text, in the forms that it has.
    plain: String,
    page: String,
    rtf: Vec<u8>,
    attachments: Vec<String>,
    /// Messages within this one.
    messages: Vec<MailMessage>,
    /// True if something was left out because there was too much of it.
    cut: bool,
}

/// The longest text that may be a stub, and how many times as many letters its page has then.
const MAX_STUB_LETTERS: usize = 2000;
const STUB_RATIO: usize = 4;

/// Limit of the page by which a text is known to be a stub, in bytes.
const MAX_STUB_PAGE: usize = 256 * 1024;

impl MailMessage {
    /// Keeps one of two forms of the same text, which begin at these offsets: the plain one, unless
    /// it says little of what the page says.
    fn keep_one_form(&mut self, plain: usize, page: usize) {
        let (text, other) = (&self.plain[plain..], &self.page[page..]);
        if text.trim().is_empty() || other.trim().is_empty() {
            return;
        }
        if is_stub(text, other) {
            self.plain.truncate(plain);
        } else {
            self.page.truncate(page);
        }
    }
}

/// True if a text has a small share of the letters of a page, its addresses not counted.
fn is_stub(text: &str, page: &str) -> bool {
    let words = text.split_whitespace().filter(|word| !word.contains("://"));
    let letters = words.flat_map(str::chars).filter(|c| c.is_alphanumeric());
    let letters = letters.count();
    let wanted = STUB_RATIO * letters + 1;
    if letters > MAX_STUB_LETTERS || page.len() < wanted {
        return false;
    }
    let page = &page[..iki_base::wording::floor_boundary(page, MAX_STUB_PAGE)];
    let mut writer = BlockWriter::default();
    append_page(page, "mail", PageSyntax::Html, None, &mut writer);
    writer.builder.finish(String::new()).count_letters(wanted) == wanted
}

/// Reads a message, or the messages of a mailbox as far as there is time and room.
pub(crate) fn read(bytes: &[u8], kind: FileKind, end: Option<Instant>) -> Option<BlockWriter> {
    let mut blocks = BlockWriter::default();
    if kind == FileKind::Msg {
        let message = outlook::read(bytes)?;
        write(&message, 1, end, &mut blocks);
        blocks.about = properties(message);
        return Some(blocks);
    }
    let messages = boundaries::split_mailbox(bytes);
    let mut text = mime::MAX_TEXT_BYTES;
    for (index, message) in messages.iter().enumerate() {
        if index > 0 {
            blocks.is_late |= is_past(end);
            if blocks.is_late || !blocks.has_room() || text == 0 {
                let left = messages.len() - index;
                blocks.add_left_out(left as u64, "more message");
                break;
            }
        }
        let message = mime::read(message, &mut text);
        write(&message, 1, end, &mut blocks);
        if index == 0 {
            blocks.about = properties(message);
        }
    }
    Some(blocks)
}

fn properties(message: MailMessage) -> DocumentProperties {
    DocumentProperties {
        title: message.subject,
        author: message.from,
        date: message.date,
    }
}

fn write(message: &MailMessage, level: u8, end: Option<Instant>, blocks: &mut BlockWriter) {
    blocks.is_cut |= message.cut;
    blocks.add_plain_heading(level, &message.subject);
    let mut about = InlineContent::default();
    for (name, value) in [
        ("From", &message.from),
        ("To", &message.to),
        ("Cc", &message.cc),
        ("Date", &message.date),
    ] {
        if !value.is_empty() {
            about.begin_line();
            add_pair(&mut about, name, value);
        }
    }
    blocks.add_paragraph(&about);
    write_text(message, end, blocks);
    if !message.attachments.is_empty() {
        let mut names = InlineContent::default();
        add_pair(&mut names, "Attachments", &message.attachments.join(", "));
        blocks.add_paragraph(&names);
    }
    for message in &message.messages {
        write(message, (level + 1).min(6), end, blocks);
    }
}

fn write_text(message: &MailMessage, end: Option<Instant>, blocks: &mut BlockWriter) {
    if !message.plain.trim().is_empty() {
        let mut paragraph = InlineContent::default();
        for line in message.plain.lines().map(str::trim_end).chain([""]) {
            if line.is_empty() {
                blocks.add_paragraph(&std::mem::take(&mut paragraph));
            } else {
                paragraph.begin_line();
                paragraph.add_plain(line);
            }
        }
    }
    if !message.page.trim().is_empty() {
        let limit = iki_base::wording::floor_boundary(&message.page, MAX_PAGE);
        blocks.is_cut |= limit < message.page.len();
        let page = &message.page[..limit];
        append_page(page, "mail", PageSyntax::Html, end, blocks);
    } else if rtf::is_rtf(&message.rtf) {
        blocks.end();
        let mut read = rtf::read(&message.rtf, end);
        read.finish();
        blocks.is_late |= read.is_late;
        blocks.is_cut |= read.is_cut;
        let model = read.builder.finish(String::new());
        blocks.builder.append(&model, |_, _| None);
    }
}

fn add_pair(line: &mut InlineContent, name: &str, value: &str) {
    line.add_bold(&format!("{name}:"));
    line.add_plain(&format!(" {value}"));
}
