//! A page as one of the ways found it, before it is cut to the requested length.

use url::Url;

use super::page::{FetchPaging, PageExtent, ScrapedPage};
use iki_document::{Document, MainContentCertainty};
use iki_web::guard::Guard;
use iki_web::page::EmbeddedData;

/// A page as one of the ways found it.
pub struct FullPage {
    /// Final URL.
    pub url: Url,
    /// Status of the reply, as [`HttpResponse::status_text`] words it; empty without one.
    ///
    /// [`HttpResponse::status_text`]: iki_web::client::HttpResponse::status_text
    pub status: String,
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

impl FullPage {
    /// Creates a page from a Markdown document, which `web_fetch` shows in this form.
    pub fn new(url: &Url, content_type: &str, document: Document, paging: FetchPaging) -> Self {
        Self {
            url: url.clone(),
            status: String::new(),
            document,
            embedded: None,
            refresh: None,
            page: ScrapedPage {
                url: url.as_str().to_owned(),
                content_type: content_type.to_owned(),
                is_markdown: true,
                paging,
                ..ScrapedPage::default()
            },
        }
    }

    /// Sets the extent of an HTML page, of which this is the main content with this certainty.
    pub fn set_extent(&mut self, certainty: MainContentCertainty) {
        let (paging, extent) = match certainty {
            MainContentCertainty::Complete => (FetchPaging::Main, PageExtent::Main),
            _ => (FetchPaging::Whole, PageExtent::Page),
        };
        self.page.paging = paging;
        self.page.extent = Some(extent);
        self.page.extracted_by = Some("html".to_owned());
    }
}
