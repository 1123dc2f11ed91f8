//! Reads the comments of slides and sheets.
//!
//! Rules: ISO/IEC 29500-1, 18.7 and 19.4; MS-PPTX 2.2 (comments since 2018).

use std::collections::HashMap;

use super::blocks::BlockWriter;
use super::inlines::{InlineContent, RunStyle};
use iki_markdown::xml::{XmlEvent, XmlReader};

/// Limit of a document's authors, and of one part's comments.
const MAX_COMMENTS: usize = 20_000;

/// Limit of a comment's text, in bytes.
const MAX_TEXT: usize = 64 * 1024;

/// The names of authors by their identifiers.
type CommentAuthors = HashMap<String, String>;

/// The words before the text of a comment, which may be on a cell.
pub(super) fn comment_of(author: &str, cell: &str) -> String {
    let author = author.trim();
    let on = if cell.is_empty() { "" } else { " on " };
    // A placeholder of threaded comments.
    let is_known = !author.is_empty() && !author.starts_with("tc={");
    let (by, author) = if is_known { (" by ", author) } else { ("", "") };
    format!("Comment{on}{cell}{by}{author}: ")
}

/// Reads the authors that a presentation lists.
pub(super) fn read_authors(parts: &[String]) -> CommentAuthors {
    let mut authors = CommentAuthors::new();
    for part in parts {
        XmlReader::new(part, None).each_tag(|_, tag| {
            if let (Some(id), Some(name)) = (tag.attribute("id"), tag.attribute("name"))
                && authors.len() < MAX_COMMENTS
            {
                authors.insert(id.into_owned(), name.into_owned());
            }
        });
    }
    authors
}

/// Writes the comments of a slide, or those of a sheet, whose part lists its authors itself and
/// says to which cells they belong.
pub(super) fn write(text: &str, authors: &CommentAuthors, blocks: &mut BlockWriter) {
    write_list(text, authors, blocks, true);
}

fn write_list(text: &str, authors: &CommentAuthors, blocks: &mut BlockWriter, has_replies: bool) {
    let mut xml = XmlReader::new(text, None);
    let mut of_sheet: Vec<String> = Vec::new();
    for _ in 0..MAX_COMMENTS {
        let Some(tag) = xml.tag_within(0) else { break };
        let id = tag.attribute("authorId").unwrap_or_default();
        let cell = tag.value("ref");
        let author = match tag.name() {
            "author" => {
                of_sheet.push(xml.text_within(MAX_TEXT));
                continue;
            }
            "comment" => id.parse().ok().and_then(|index: usize| of_sheet.get(index)),
            "cm" | "reply" => authors.get(&*id),
            _ => continue,
        };
        let author = author.map_or("", String::as_str);
        let (text, replies) = read_text(&mut xml);
        write_one(author, &cell, &text, blocks);
        if has_replies {
            write_list(replies, authors, blocks, false);
        }
    }
}

/// Writes a comment on a cell, or on none.
pub(super) fn write_one(author: &str, cell: &str, text: &str, blocks: &mut BlockWriter) {
    // What programs of before threads are to show.
    let text = match text.split_once("Comment:\n") {
        Some((before, text)) if before.starts_with("[Threaded comment]") => text,
        _ => text,
    };
    // The text often begins with the author too.
    let text = text.trim_start();
    let bare = text
        .strip_prefix(author)
        .and_then(|text| text.strip_prefix(':'));
    let text = bare.unwrap_or(text).trim();
    let mut inlines = InlineContent::from_text(&comment_of(author, cell));
    inlines.add_lines(&RunStyle::default(), text);
    if !text.is_empty() {
        blocks.add_item(0, None, u32::MAX, &inlines);
    }
}

/// Reads the text of a comment, a line for each paragraph, and the source of its replies.
fn read_text<'x>(xml: &mut XmlReader<'x>) -> (String, &'x str) {
    let level = xml.depth();
    let (mut text, mut replies, mut is_text) = (String::new(), "", false);
    while let Some(item) = xml.within(level) {
        let tag = match item {
            XmlEvent::Open(tag) => tag,
            XmlEvent::Text(run) if text.len() < MAX_TEXT => {
                text.push_str(if is_text { &run } else { "" });
                continue;
            }
            _ => continue,
        };
        is_text = matches!(tag.name(), "t" | "text");
        match tag.name() {
            "p" | "br" if !text.is_empty() => text.push('\n'),
            "extLst" | "rPh" => xml.skip(),
            "replyLst" => replies = xml.skip_to_source(),
            _ => {}
        }
    }
    (text, replies)
}
