//! A page as one of the ways found it, before it is cut to the requested length.

use std::time::Instant;

use url::Url;

use super::page::{FetchPaging, PageExtent, ScrapedPage};
use crate::tools::web::page_source::{self, PageSource};
use iki_document::{Document, MainContentCertainty};
use iki_web::guard::Guard;
use iki_web::page::EmbeddedData;

/// A page as one of the ways found it.
pub struct FoundPage {
    /// Final URL.
    pub url: Url,
    /// Title and text, author and date.
    pub document: Document,
    /// Declarations for machines, if it is a page.
    pub embedded: Option<EmbeddedData>,
    /// Page to which this one leads by a refresh, as it has nothing of its own, and the guard under
    /// which it was reached.
    pub refresh: Option<(Url, Guard)>,
    /// The answer without its content.
    pub page: ScrapedPage,
}

impl FoundPage {
    /// Creates a page from a Markdown document.
    pub fn new(url: &Url, content_type: &str, document: Document) -> Self {
        Self {
            url: url.clone(),
            document,
            embedded: None,
            refresh: None,
            page: ScrapedPage {
                url: url.as_str().to_owned(),
                content_type: content_type.to_owned(),
                markdown: true,
                ..ScrapedPage::default()
            },
        }
    }

    /// Sets the form in which `web_fetch` shows the same text.
    pub fn paged(mut self, paging: FetchPaging) -> Self {
        self.page.paging = paging;
        self
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
        let mut found = Self::new(&source.url, "html", document).paged(paging);
        found.page.extent = Some(extent);
        found.page.extracted_by = Some("html".to_owned());
        Some(found)
    }
}
