//! Declared shadow roots: templates that a browser shows in the place of the element that they stand
//! in. All other templates hide what they hold.
//!
//! Rules: HTML Living Standard, `shadowrootmode`, and DOM, "attach a shadow root". Taken is what
//! stands first in its element, since an element has one root.

use super::tag;

/// The longest start tag of an element that has one, in bytes.
const LONGEST: usize = 4 * 1024;

/// Elements of HTML that may have one; so may all whose authors have named them.
const HOSTS: [&str; 18] = [
    "article",
    "aside",
    "blockquote",
    "body",
    "div",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "main",
    "nav",
    "p",
    "section",
    "span",
];

/// Whether the template whose start tag is at `at` is one.
pub(super) fn is_shadow_root(page: &str, at: usize) -> bool {
    let mut mode = None;
    tag::scan(page, at + 1 + "template".len(), |attribute| {
        if attribute.name.eq_ignore_ascii_case("shadowrootmode") {
            mode = mode.or(Some(attribute.value));
        }
    });
    let shows = mode.is_some_and(|mode| {
        mode.eq_ignore_ascii_case("open") || mode.eq_ignore_ascii_case("closed")
    });
    shows && host(page[..at].trim_ascii_end()).is_some_and(may_have_root)
}

/// The name of the element whose start tag `page` ends with.
fn host(page: &str) -> Option<&str> {
    let bytes = page.as_bytes();
    let from = bytes.len().saturating_sub(LONGEST);
    let open = from + memchr::memrchr(b'<', &bytes[from..])?;
    let is_whole = memchr::memchr(b'>', &bytes[open..]) == Some(bytes.len() - 1 - open);
    let name = &page[open + 1..tag::name_end(page, open + 1)];
    (is_whole && !page.ends_with("/>")).then_some(name)
}

fn may_have_root(name: &str) -> bool {
    let named = name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.contains('-');
    named || HOSTS.iter().any(|host| name.eq_ignore_ascii_case(host))
}
