//! A page that was read: the stored form, from which answers are built.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::content_cut;
use super::facts;
use super::full_page::FullPage;
use super::page_request::{ScrapeMode, ScrapeRequest};
use crate::contract::call_terms::Audience;
use crate::contract::line_window::line_window;
use crate::tools::web::session_record::SessionSource;
use crate::tools::web::{fetch_note, page_source};
use iki_base::unseen;
use iki_base::wording::floor_boundary;
use iki_web::client::HttpClient;
use iki_web::work::{Work, WorkKind};
use url::Url;

/// Form in which `web_fetch` shows the same text, to read the rest of one that was cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum FetchPaging {
    /// `web_fetch` does not show it.
    #[default]
    Nowhere,
    /// The whole page.
    Whole,
    /// The page's main content.
    Main,
}

/// The part of an HTML page that the content is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PageExtent {
    /// Its main content.
    Main,
    /// The whole page.
    Page,
}

/// Note on a whole page, and the minimum number of words of one that needs it.
const WHOLE_PAGE_NOTE: &str =
    "This is the whole page: it is not sure which part of it is its main content.";
const SPARSE_WORDS: usize = 25;

/// A page that was read, as an answer has it and as it is kept.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a question of its own, and most are fields of the answer"
)]
pub struct ScrapedPage {
    /// Final URL.
    pub url: String,
    /// Content, as it is shown.
    pub content: String,
    /// Content type: `html`, `pdf`; for raw bytes, as the server declares it.
    pub content_type: String,
    /// True if the content is Markdown.
    pub is_markdown: bool,
    /// True if something is missing.
    pub is_truncated: bool,
    /// Lines of the text before the content, which begins where its address says.
    pub lines_before: usize,
    /// First line of the content that is not wholly shown, from 1, if the content was cut.
    pub next_line: Option<usize>,
    /// Form in which `web_fetch` shows the same text.
    pub paging: FetchPaging,
    /// Length of the whole content, in bytes.
    pub whole: usize,
    /// Number of words of the whole content.
    pub words: usize,
    /// True if only its beginning was requested.
    pub is_preview: bool,
    /// True if these are the bytes as received.
    pub is_raw: bool,
    /// Way that found the content, if there are several.
    pub extracted_by: Option<String>,
    /// True if the page has more content than was found.
    pub is_partial: bool,
    /// Part of the page, if it is HTML.
    pub extent: Option<PageExtent>,
    /// Its title.
    pub title: Option<String>,
    /// Its author.
    pub author: Option<String>,
    /// Facts about it other than its text, under their names in answers.
    pub facts: Vec<(String, Box<RawValue>)>,
    /// The work that it is, as its citation has it.
    pub work: Work,
    /// Notes for the answer.
    pub notes: Vec<String>,
    /// True if a later attempt may find it differently, so that it is not cached.
    #[serde(skip)]
    pub is_transient: bool,
}

/// Returns the size class of content of this length in bytes.
pub fn size_category(bytes: usize) -> &'static str {
    match bytes {
        0..5000 => "small",
        5000..20_000 => "medium",
        20_000..50_000 => "large",
        _ => "very_large",
    }
}

/// Maximum length of a title that is shown, in characters.
const MAX_TITLE_CHARS: usize = 500;

/// Returns a title as it is shown, if there is one.
fn shown_title(title: &str) -> Option<String> {
    let title = unseen::visible(title.trim());
    let chars = title.chars().filter(|char| !char.is_control());
    let chars: String = chars.take(MAX_TITLE_CHARS).collect();
    (!chars.is_empty()).then_some(chars)
}

/// True if a site is called by nothing but the host of this address.
fn is_host_of(site: &str, address: &str) -> bool {
    let url = Url::parse(address).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    site == host.strip_prefix("www.").unwrap_or(host)
}

impl ScrapedPage {
    /// Builds the page from the one that was found, to the requested extent; `client` asks for
    /// facts about it.
    pub fn from_full_page(full: FullPage, request: &ScrapeRequest, client: &HttpClient) -> Self {
        let document = &full.document;
        let is_cut = document.cuts.are_of_content();
        let mut page = full.page;
        // A page that shows only a part has a note on that.
        let is_unsure = page.extent == Some(PageExtent::Page) && !page.is_partial;
        page.is_truncated |= is_cut;
        page.is_partial |= is_cut;
        // A later attempt may find more of it.
        page.is_transient |= document.cuts.time || document.is_transient;
        page.title = shown_title(&document.title);
        page.notes.extend(document.remark_on_programs.clone());
        let embedded = full.embedded.as_ref();
        facts::add(&mut page, &full.url, embedded, Some((document, client)));
        let name = page_source::section_name(&full.url);
        if let Some(name) = name.filter(|_| request.terms.reader != Audience::Host) {
            let ending = "; without it in the address, all comes";
            let note = page_source::note_on_section(name, document.section, ending);
            page.notes.push(note);
            page.lines_before = document.section.unwrap_or(0);
        }
        let text = line_window(&document.markdown, page.lines_before as u64 + 1, None);
        page.fill(text, request);
        if page.extent == Some(PageExtent::Main) && !page.is_partial {
            let how = if request.terms.serves("web_fetch") {
                "web_fetch gives the whole page"
            } else {
                "mode raw gives the whole page"
            };
            let note = fetch_note::of_omitted(document.omitted, how);
            page.notes.extend(note);
        }
        // The whole page may have come for the part that is named.
        if is_unsure && document.section.is_none() && page.words >= SPARSE_WORDS {
            page.notes.push(WHOLE_PAGE_NOTE.to_owned());
        }
        page
    }

    /// Returns the fact of this name.
    pub fn fact(&self, name: &str) -> Option<&RawValue> {
        let mut facts = self.facts.iter();
        facts
            .find(|(one, _)| one == name)
            .map(|(_, value)| &**value)
    }

    /// Returns the page as a source of a research session.
    pub fn session_source(&self) -> SessionSource {
        let value = |name| self.fact(name).and_then(|fact| fact.get().parse().ok());
        let doi: Value = value("detectedDoi").unwrap_or_default();
        let retraction: Value = value("retractionStatus").unwrap_or_default();
        let mut work = Work {
            url: self.url.clone(),
            retraction: serde_json::from_value(retraction).unwrap_or_default(),
            ..self.work.clone()
        };
        if work.doi.is_empty() {
            doi.as_str().unwrap_or_default().clone_into(&mut work.doi);
            // What the text has is no page of its site, but who publishes it is not known.
            if work.kind == WorkKind::Page && !work.doi.is_empty() {
                work.kind = WorkKind::Unknown;
                work.container.clear();
            }
        }
        if is_host_of(&work.container, &self.url) {
            work.container.clear();
        }
        SessionSource {
            read: true,
            ..work.into()
        }
    }

    /// Sets `text`, the whole content, to the requested extent.
    fn fill(&mut self, text: &str, request: &ScrapeRequest) {
        self.is_preview = request.mode == ScrapeMode::Preview;
        let (text, taken) = unseen::remove(text);
        self.notes.extend(taken.note_of_page("the content"));
        self.whole = text.len();
        self.words = text.split_whitespace().count();
        match content_cut::beginning(&text, request.max_length, self.is_markdown) {
            None => self.content = text.into_owned(),
            Some(beginning) => {
                self.content = beginning.text;
                self.next_line = Some(beginning.next_line);
                self.is_truncated = true;
            }
        }
    }

    /// Sets the received bytes, incomplete if `more`, as at most `limit` bytes of text.
    pub fn fill_raw(&mut self, bytes: &[u8], more: bool, limit: usize) {
        let prefix = if more { without_half(bytes) } else { bytes };
        let mut text = String::from_utf8_lossy(prefix).into_owned();
        if text.len() != prefix.len() || text.contains(char::REPLACEMENT_CHARACTER) {
            let note = "What is no UTF-8 is shown as U+FFFD: its bytes are not in this answer.";
            self.notes.push(note.to_owned());
        }
        let fits = floor_boundary(&text, limit);
        self.is_truncated = more || fits < text.len();
        text.truncate(fits);
        self.content = text;
        self.whole = bytes.len();
        self.is_raw = true;
    }
}

/// Removes an incomplete UTF-8 character from the end of `bytes`.
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
            let mut page = ScrapedPage::default();
            page.fill_raw(bytes, more, 100);
            assert_eq!(page.content, expected, "{bytes:?}");
            assert_eq!(page.whole, bytes.len());
            assert_eq!(page.notes.is_empty(), !expected.contains('\u{fffd}'));
        }
        let mut page = ScrapedPage::default();
        page.fill_raw(&[0xff; 10], false, 10);
        assert_eq!(page.content, "\u{fffd}".repeat(3));
        assert!(page.is_truncated);
    }
}
