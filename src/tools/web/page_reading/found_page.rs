//! A page as one of the ways found it, before it is cut to the requested length.

use std::time::Instant;

use url::Url;

use super::page::{FetchPaging, PageExtent};
use crate::document::{Document, MainContentCertainty};
use crate::page::EmbeddedData;
use crate::tools::web::page_source::{self, PageSource};
use crate::web::guard::Guard;

/// A page as one of the ways found it.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a question of its own"
)]
pub struct FoundPage {
    /// Final URL.
    pub url: Url,
    /// Content type in answers: `html`, `pdf`, `feed` and the like.
    pub content_type: String,
    /// Title and text, author and date.
    pub document: Document,
    /// True if the text is Markdown.
    pub is_markdown: bool,
    /// Declarations for machines, if it is a page.
    pub embedded: Option<EmbeddedData>,
    /// Form in which `web_fetch` shows the same text.
    pub paging: FetchPaging,
    /// Part of the page, if it is HTML.
    pub extent: Option<PageExtent>,
    /// Way that found the text, if there are several.
    pub extracted_by: Option<&'static str>,
    /// True if only a part was read.
    pub truncated: bool,
    /// True if the page has more content than was found.
    pub partial: bool,
    /// True if a later attempt may find it differently.
    pub of_the_moment: bool,
    /// Notes for the answer.
    pub notes: Vec<String>,
    /// Page to which this one leads by a refresh, as it has nothing of its own, and the guard under
    /// which it was reached.
    pub refresh: Option<(Url, Guard)>,
}

impl FoundPage {
    /// Creates a page from a Markdown document.
    pub fn new(url: &Url, content_type: &str, document: Document) -> Self {
        Self {
            url: url.clone(),
            content_type: content_type.to_owned(),
            document,
            is_markdown: true,
            embedded: None,
            paging: FetchPaging::Nowhere,
            extent: None,
            extracted_by: None,
            truncated: false,
            partial: false,
            of_the_moment: false,
            notes: Vec::new(),
            refresh: None,
        }
    }

    /// Extracts the main content of an HTML page; the whole page, if the extraction is uncertain.
    /// `None` if it cannot be parsed.
    pub fn of_html(source: &PageSource, end: Instant) -> Option<Self> {
        let begin = Instant::now();
        let half = begin + end.saturating_duration_since(begin) / 2;
        let (main, certainty) = source.convert_main(half)?;
        let is_partial = certainty == MainContentCertainty::Partial;
        let is_main = certainty == MainContentCertainty::Complete;
        // The part that is named may lie outside of the main content.
        let is_named = page_source::section_name(&source.url).is_some();
        let whole = if is_partial || is_main && is_named && main.section.is_none() {
            Some(source.convert(end)?)
        } else {
            None
        };
        let (document, paging) = match whole {
            Some(whole) if is_partial || whole.section.is_some() => (whole, FetchPaging::Whole),
            _ if is_main => (main, FetchPaging::Main),
            _ => (main, FetchPaging::Whole),
        };
        let extent = match paging {
            FetchPaging::Main => PageExtent::Main,
            _ => PageExtent::Page,
        };
        Some(Self {
            paging,
            extent: Some(extent),
            extracted_by: Some("html"),
            ..Self::new(&source.url, "html", document)
        })
    }
}
