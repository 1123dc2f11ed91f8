//! A feed is read alike every time, and is no longer than it may be; what it becomes is Markdown
//! that two parsers read alike, without a tag in it.

use iki_document::{ALLOWANCE, Document, convert_feed};
use url::Url;

use crate::read_alike;

pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let base = Url::parse("https://example.com/feed/").unwrap();
    let Some(document) = convert_feed(&text, &base) else {
        return;
    };
    assert_eq!(convert_feed(&text, &base).as_ref(), Some(&document));
    bounded(&document, text.len());
    read_alike::check(&document.markdown);
}

/// What is promised of the length.
pub fn bounded(document: &Document, source: usize) {
    let most = 2 * source + ALLOWANCE;
    assert!(
        document.markdown.len() <= most,
        "{} bytes of {source}",
        document.markdown.len()
    );
    assert!(document.title.len() <= most);
    assert!(
        document
            .remark
            .is_none_or(|at| document.markdown.is_char_boundary(at))
    );
    assert_eq!(document.markdown.trim_end_matches('\n'), document.markdown);
}
