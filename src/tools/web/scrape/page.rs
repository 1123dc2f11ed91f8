//! A page that was read: what is kept of it, and what an answer is made of.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::content_cut;
use super::facts::{self, FactSource};
use super::found_page::FoundPage;
use super::request::{ScrapeMode, ScrapeRequest};
use crate::document::boundary;
use crate::unseen;
use crate::web::client::Client;

/// The form in which `web_fetch` shows the same text, to read the rest of one that was cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum FetchPaging {
    /// It does not.
    #[default]
    Nowhere,
    /// As the whole of the page.
    Whole,
    /// As the page's main content.
    Main,
}

/// A page that was read, as an answer has it and as it is kept.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a question of its own, and most are fields of the answer"
)]
pub struct Page {
    /// Its final address.
    pub url: String,
    /// The content, as it is shown.
    pub content: String,
    /// Its kind: `html`, `pdf`; of raw bytes the server's own word.
    pub content_type: String,
    /// True if the content is Markdown.
    pub markdown: bool,
    /// True if something is missing.
    pub truncated: bool,
    /// The first line that is not wholly shown, from 1, where the content was cut.
    pub next_line: Option<usize>,
    /// The form in which `web_fetch` shows the same text.
    pub paging: FetchPaging,
    /// The length of all of its content, in bytes.
    pub whole: usize,
    /// The words of all of its content.
    pub words: usize,
    /// True if its beginning alone was asked for.
    pub preview: bool,
    /// True if these are its bytes, as they came.
    pub raw: bool,
    /// Which of the ways found the content, where there are several.
    pub extracted_by: Option<String>,
    /// True if that is less than the page has to say.
    pub partial: bool,
    /// Its title.
    pub title: Option<String>,
    /// Its author.
    pub author: Option<String>,
    /// Facts about it beside its text, by the names that answers have for them.
    pub facts: Vec<(String, Box<RawValue>)>,
    /// Notes on it.
    pub notes: Vec<String>,
    /// True if it may be answered with again.
    #[serde(skip)]
    pub of_the_moment: bool,
}

/// The longest title that is shown, in characters.
const LONGEST_TITLE: usize = 500;

/// A title as it is shown, if there is one.
fn shown_title(title: &str) -> Option<String> {
    let title = unseen::visible(title.trim());
    let shown = title.chars().filter(|char| !char.is_control());
    let shown: String = shown.take(LONGEST_TITLE).collect();
    (!shown.is_empty()).then_some(shown)
}

impl Page {
    /// The page that was found, as far as it was asked for; `client` asks for facts about it.
    pub fn of(found: FoundPage, request: &ScrapeRequest, client: &Client) -> Self {
        let document = &found.document;
        let is_cut = document.cuts.are_of_content();
        let mut page = Self {
            url: found.url.as_str().to_owned(),
            content_type: found.content_type,
            markdown: found.is_markdown,
            truncated: found.truncated || is_cut,
            partial: found.partial || is_cut,
            // Another time there may be more of it.
            of_the_moment: found.of_the_moment || document.cuts.time,
            paging: found.paging,
            extracted_by: found.extracted_by.map(str::to_owned),
            title: shown_title(&document.title),
            notes: found.notes,
            ..Self::default()
        };
        let source = FactSource {
            url: &found.url,
            embedded: found.embedded.as_ref(),
            author: document.author.as_deref(),
            date: document.date.as_deref(),
        };
        facts::add(&mut page, &source, document.own(), Some(client));
        page.fill(&document.markdown, request);
        page
    }

    /// The fact about it of this name.
    pub fn fact(&self, name: &str) -> Option<&RawValue> {
        let mut facts = self.facts.iter();
        facts
            .find(|(one, _)| one == name)
            .map(|(_, value)| &**value)
    }

    /// Puts in `text`, all of the content, as far as it was asked for.
    fn fill(&mut self, text: &str, request: &ScrapeRequest) {
        self.preview = request.mode == ScrapeMode::Preview;
        let (text, taken) = unseen::taken_out(text);
        self.notes.extend(taken.note_of_page("the content"));
        self.whole = text.len();
        self.words = text.split_whitespace().count();
        match content_cut::beginning(&text, request.max_length, self.markdown) {
            None => self.content = text.into_owned(),
            Some(beginning) => {
                self.content = beginning.text;
                self.next_line = Some(beginning.next_line);
                self.truncated = true;
            }
        }
    }

    /// Puts in the bytes as they came, of which there were `more`, as at most `most` bytes of text.
    pub fn fill_raw(&mut self, bytes: &[u8], more: bool, most: usize) {
        let shown = if more { without_half(bytes) } else { bytes };
        let mut text = String::from_utf8_lossy(shown).into_owned();
        if text.len() != shown.len() || text.contains(char::REPLACEMENT_CHARACTER) {
            let note = "What is no UTF-8 is shown as U+FFFD: its bytes are not in this answer.";
            self.notes.push(note.to_owned());
        }
        let fits = boundary(&text, most);
        self.truncated = more || fits < text.len();
        text.truncate(fits);
        self.content = text;
        self.whole = bytes.len();
        self.raw = true;
    }
}

/// `bytes` without a character of UTF-8 at their end that was cut in two.
fn without_half(bytes: &[u8]) -> &[u8] {
    match bytes.utf8_chunks().last() {
        // A part that could still become a character.
        Some(chunk) if is_beginning(chunk.invalid()) => {
            &bytes[..bytes.len() - chunk.invalid().len()]
        }
        _ => bytes,
    }
}

fn is_beginning(invalid: &[u8]) -> bool {
    !invalid.is_empty()
        && std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_cut_between_characters_and_broken_ones_replaced() {
        for (bytes, more, expected) in [
            (&b"ab\xc3"[..], true, "ab"),
            (b"ab\xc3", false, "ab\u{fffd}"),
            (b"ab\xf0\x9f\x98", true, "ab"),
            (b"a\xffb", true, "a\u{fffd}b"),
            (b"ab\xff", true, "ab\u{fffd}"),
            (b"", true, ""),
        ] {
            let mut page = Page::default();
            page.fill_raw(bytes, more, 100);
            assert_eq!(page.content, expected, "{bytes:?}");
            assert_eq!(page.whole, bytes.len());
            assert_eq!(page.notes.is_empty(), !expected.contains('\u{fffd}'));
        }
        let mut page = Page::default();
        page.fill_raw(&[0xff; 10], false, 10);
        assert_eq!(page.content, "\u{fffd}".repeat(3));
        assert!(page.truncated);
    }
}
