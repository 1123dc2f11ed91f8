//! Addresses of links and images, made absolute as browsers do it.
//!
//! Rules: WHATWG URL Standard (joining), HTML Living Standard (`<base>`, `srcset`).

use url::Url;

use crate::document::model::scheme_of;

/// An address of a page, absolute where it can be. `None` where there is nothing to follow:
/// `javascript:` and `data:`. Without a base the page's own spelling stays.
pub(super) fn resolve(reference: &str, base: Option<&Url>) -> Option<String> {
    let reference = reference.trim_matches(|c: char| c.is_ascii_whitespace() || c.is_control());
    let scheme = scheme_of(reference);
    if scheme.is_some_and(|scheme| {
        ["javascript", "data", "vbscript"]
            .iter()
            .any(|bad| scheme.eq_ignore_ascii_case(bad))
    }) {
        return None;
    }
    // `http:path` is relative to a base of the same scheme; anything else with a scheme is
    // absolute, and the page's own spelling of it stays.
    if let Some(scheme) = scheme {
        let special = ["http", "https"]
            .iter()
            .any(|known| scheme.eq_ignore_ascii_case(known));
        if !special || reference[scheme.len() + 1..].starts_with("//") {
            return Some(without_newlines(reference));
        }
    }
    match base.map(|base| base.join(reference)) {
        Some(Ok(url)) => Some(url.into()),
        _ => Some(without_newlines(reference)),
    }
}

fn without_newlines(reference: &str) -> String {
    reference
        .chars()
        .filter(|c| !matches!(c, '\n' | '\r' | '\t'))
        .collect()
}

/// The first address of a `srcset`.
pub(super) fn first_of_set(set: &str) -> Option<&str> {
    set.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',')
        .split(|c: char| c.is_ascii_whitespace())
        .next()
        .map(|address| address.trim_end_matches(','))
        .filter(|address| !address.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn absolute(reference: &str) -> Option<String> {
        resolve(
            reference,
            Some(&Url::parse("https://example.com/a/b?c#d").unwrap()),
        )
    }

    #[test]
    fn a_relative_address_is_joined_to_the_base() {
        for (reference, wanted) in [
            ("x", "https://example.com/a/x"),
            ("/x%26y?z=%2F", "https://example.com/x%26y?z=%2F"),
            ("//other/x", "https://other/x"),
            ("#e", "https://example.com/a/b?c#e"),
            ("", "https://example.com/a/b?c"),
            ("?q", "https://example.com/a/b?q"),
            (" ../x\n", "https://example.com/x"),
            ("http:x", "http://x/"),
            ("https:x", "https://example.com/a/x"),
        ] {
            assert_eq!(absolute(reference).as_deref(), Some(wanted), "{reference}");
        }
    }

    #[test]
    fn an_absolute_address_keeps_the_spelling_of_the_page() {
        for address in [
            "http://Example.com?x=%26",
            "mailto:a@b",
            "tel:+1",
            "HTTPS://x/%7e",
        ] {
            assert_eq!(absolute(address).as_deref(), Some(address));
        }
    }

    #[test]
    fn what_cannot_be_followed_has_no_address() {
        for address in [
            "javascript:void(0)",
            "JavaScript:x",
            "data:image/png;base64,AA",
            " data:,x",
        ] {
            assert_eq!(absolute(address), None, "{address}");
        }
    }

    #[test]
    fn the_first_address_of_a_set_is_found() {
        assert_eq!(first_of_set(" a.png 1x, b.png 2x"), Some("a.png"));
        assert_eq!(first_of_set("a.png, b.png"), Some("a.png"));
        assert_eq!(first_of_set(" "), None);
    }
}
