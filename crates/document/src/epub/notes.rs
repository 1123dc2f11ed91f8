//! The notes of a book: marks in its text, and the notes after all of it.
//!
//! Rules: EPUB 3 Structural Semantics Vocabulary 1.1 (`noteref`, `footnote`, `endnote`).

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;

use url::Url;

use crate::embedded_page::BASE;
use iki_markdown::xml::{XmlReader, XmlTag};

/// Limit of a book's notes.
const MAX_NOTES: usize = 20_000;

/// The query of the address of an image that represents a mark, before the note's number.
const MARK: &str = "?note=";

#[derive(Default)]
pub(super) struct BookNotes {
    /// Numbers of the notes that marks refer to, by address; 0 for one that stays where it is.
    numbers: HashMap<String, u32>,
    count: u32,
    /// Number, chapter and source of those that were taken out of the text.
    pub(super) taken: Vec<(u32, String, String)>,
}

impl BookNotes {
    /// Takes the notes out of a chapter, the part `name`, and puts marks in place of links to them.
    pub(super) fn take_from<'p>(&mut self, page: &'p str, name: &str) -> Cow<'p, str> {
        let base = Url::parse(BASE).and_then(|base| base.join(name));
        let Ok(base) = base else { return page.into() };
        if self.numbers.is_empty() && !page.contains("noteref") {
            return page.into();
        }
        let (mut remainder, mut done) = (String::new(), 0);
        let mut xml = XmlReader::new(page, None);
        while let Some(tag) = xml.tag_within(0) {
            let is_mark = tag.name() == "a" && has_type(&tag, &["noteref"]);
            let address = if is_mark {
                tag.attribute("href")
            } else {
                tag.attribute("id").map(|id| format!("#{id}").into())
            };
            let Some(address) = address.and_then(|address| base.join(&address).ok()) else {
                continue;
            };
            let known = self.numbers.get(address.as_str()).copied();
            let number = match known {
                Some(number) => number,
                None if is_mark && self.numbers.len() < MAX_NOTES => {
                    self.count += 1;
                    self.numbers.insert(address.into(), self.count);
                    self.count
                }
                None => {
                    // Nothing has referred to it.
                    if has_type(&tag, &["footnote", "endnote", "rearnote"]) {
                        self.numbers.insert(address.into(), 0);
                    }
                    continue;
                }
            };
            let is_block = matches!(tag.name(), "aside" | "dd" | "div" | "li" | "p" | "section");
            if number == 0 || !(is_mark || is_block) {
                continue;
            }
            let start = page[..xml.position()].rfind('<').unwrap_or(done);
            let source = xml.skip_to_source();
            remainder.push_str(page.get(done..start).unwrap_or_default());
            done = xml.position();
            if is_mark {
                let _ = write!(
                    remainder,
                    "<img src=\"{MARK}{number}&amp;{start}\" alt=\"{number}\"/>"
                );
            } else {
                self.taken
                    .push((number, name.to_owned(), source.to_owned()));
            }
        }
        if done == 0 {
            return page.into();
        }
        remainder.push_str(page.get(done..).unwrap_or_default());
        remainder.into()
    }
}

/// The number of the note whose mark an image with this address represents.
pub(super) fn marked_number(address: &str) -> Option<u32> {
    let (_, number) = address.split_once(MARK)?;
    number.split('&').next()?.parse().ok()
}

fn has_type(tag: &XmlTag<'_>, wanted: &[&str]) -> bool {
    let kind = tag.relation("type").unwrap_or_default();
    kind.split_ascii_whitespace()
        .any(|word| wanted.contains(&word))
}
