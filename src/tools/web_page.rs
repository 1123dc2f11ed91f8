//! A page that was fetched, as Markdown.

use std::panic;
use std::time::Instant;

use url::Url;

use crate::document::{self, Document};

/// The page found at `url`, as much of it as there is time for until `end`. The parser is somebody
/// else's: should it panic on some page, then that is a page that cannot be parsed, `None`, and the
/// panic's own words are for nobody.
pub fn convert(page: &str, url: &Url, xhtml: bool, end: Instant) -> Option<Document> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let document = panic::catch_unwind(|| document::convert_until(page, url, xhtml, end));
    panic::set_hook(hook);
    document.ok()
}
