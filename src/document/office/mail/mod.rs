//! The readers of mail: EML (Internet messages) and MSG (Outlook).
//!
//! A message becomes its subject, who wrote when to whom, its text, and the names of its
//! attachments.
//!
//! | module | what it is |
//! |---|---|
//! | `mime` | headers and parts of Internet messages |
//! | `outlook` | the properties of Outlook's messages |

use std::time::Instant;

use super::blocks::BlockWriter;
use super::inlines::{InlineContent, RunStyle};
use super::{DocumentProperties, rtf};
use crate::basics::words::plural;
use crate::document::html::PageSyntax;
use crate::document::{FileKind, epub};

mod mime;
mod outlook;

pub(in crate::document) use mime::is_message as is_eml;
pub(super) use outlook::PROPERTIES as MSG_STREAM;

/// Limit of the names of attachments, and of the messages within a message.
const MAX_PARTS: usize = 500;

/// Limit of a page, in bytes.
const MAX_PAGE: usize = 8 << 20;

/// The text of a message, in the forms that it has.
#[derive(Default)]
struct MailBody {
    plain: String,
    page: String,
    rtf: Vec<u8>,
}

/// A message.
#[derive(Default)]
struct MailMessage {
    subject: String,
    from: String,
    to: String,
    cc: String,
    date: String,
    body: MailBody,
    attachments: Vec<String>,
    /// Messages within this one.
    messages: Vec<MailMessage>,
    /// Number of messages behind it in its mailbox.
    others: usize,
    /// True if something was left out because there was too much of it.
    cut: bool,
}

/// Reads a message.
pub(in crate::document) fn read(
    bytes: &[u8],
    kind: FileKind,
    end: Option<Instant>,
) -> Option<BlockWriter> {
    let message = match kind {
        FileKind::Msg => outlook::read(bytes)?,
        _ => mime::read(bytes),
    };
    let mut writer = MailWriter {
        blocks: BlockWriter::default(),
        end,
    };
    writer.write(&message, 1);
    writer.blocks.about = DocumentProperties {
        title: message.subject,
        author: message.from,
        date: message.date,
    };
    Some(writer.blocks)
}

struct MailWriter {
    blocks: BlockWriter,
    end: Option<Instant>,
}

impl MailWriter {
    fn write(&mut self, message: &MailMessage, level: u8) {
        self.blocks.cut |= message.cut;
        self.blocks.add_plain_heading(level, &message.subject);
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
        self.blocks.add_paragraph(&about);
        self.write_body(&message.body);
        if !message.attachments.is_empty() {
            let mut names = InlineContent::default();
            add_pair(&mut names, "Attachments", &message.attachments.join(", "));
            self.blocks.add_paragraph(&names);
        }
        for message in &message.messages {
            self.write(message, (level + 1).min(6));
        }
        if message.others > 0 {
            let others = message.others;
            self.blocks.add_plain_paragraph(&format!(
                "[Left out: {others} more message{} of this mailbox.]",
                plural(others as u64)
            ));
        }
    }

    fn write_body(&mut self, body: &MailBody) {
        if !body.plain.trim().is_empty() {
            let mut paragraph = InlineContent::default();
            for line in body.plain.lines().map(str::trim_end).chain([""]) {
                if line.is_empty() {
                    let paragraph = std::mem::take(&mut paragraph);
                    self.blocks.add_paragraph(&paragraph);
                } else {
                    paragraph.begin_line();
                    paragraph.add_text(&RunStyle::default(), line);
                }
            }
        } else if !body.page.trim().is_empty() {
            let most = crate::basics::words::floor_boundary(&body.page, MAX_PAGE);
            self.blocks.cut |= most < body.page.len();
            let (page, blocks) = (&body.page[..most], &mut self.blocks);
            epub::append_page(page, "mail", PageSyntax::Html, self.end, blocks);
        } else if rtf::is_rtf(&body.rtf) {
            self.blocks.end();
            let mut read = rtf::read(&body.rtf, self.end);
            read.finish();
            self.blocks.late |= read.late;
            self.blocks.cut |= read.cut;
            let model = read.builder.finish(String::new());
            self.blocks.builder.append(&model, |_, _| None);
        }
    }
}

fn add_pair(line: &mut InlineContent, name: &str, value: &str) {
    let bold = RunStyle {
        bold: true,
        ..RunStyle::default()
    };
    line.add_text(&bold, &format!("{name}:"));
    line.add_text(&RunStyle::default(), &format!(" {value}"));
}
