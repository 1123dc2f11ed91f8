//! A page that was fetched, as Markdown.

use std::time::Instant;

use url::Url;

use crate::document::{self, Document, MainContentCertainty};

/// The page found at `url`, as much of it as there is time for until `end`; `None` if it cannot be
/// parsed.
pub fn convert(page: &str, url: &Url, xhtml: bool, end: Instant) -> Option<Document> {
    guarded(|| document::convert_until(page, url, xhtml, end))
}

/// The main content of a page, and whether that was found; otherwise like [`convert`].
pub fn convert_main(
    page: &str,
    url: &Url,
    xhtml: bool,
    end: Instant,
) -> Option<(Document, MainContentCertainty)> {
    guarded(|| document::convert_main_until(page, url, xhtml, Some(end)))
}

/// Does what uses the parser. That is somebody else's: should it panic on some page, then that is a
/// page that cannot be parsed, `None`.
fn guarded<T>(convert: impl FnOnce() -> T) -> Option<T> {
    document::guarded(convert).ok()
}
