//! Addresses of links and images: made absolute as browsers do it, written as Markdown
//! writes destinations and titles.
//!
//! Rules: WHATWG URL Standard (joining), HTML Living Standard (`<base>`, `srcset`),
//! `CommonMark` 0.31.2, "Link destinations" and "Link titles".

use url::Url;

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

fn scheme_of(reference: &str) -> Option<&str> {
    let (scheme, _) = reference.split_once(':')?;
    let mut bytes = scheme.bytes();
    (bytes.next()?.is_ascii_alphabetic()
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')))
    .then_some(scheme)
}

/// Whether an address may stand between angle brackets as it is.
pub(super) fn is_autolink(address: &str) -> bool {
    scheme_of(address).is_some_and(|scheme| (2..=32).contains(&scheme.len()))
        && !address
            .bytes()
            .any(|byte| byte <= b' ' || matches!(byte, b'<' | b'>' | b'`'))
}

/// Writes `(destination "title")`. In a table's cell `|` is escaped as well.
pub(super) fn write_target(out: &mut String, address: &str, title: Option<&str>, cell: bool) {
    out.push('(');
    write_destination(out, address, cell);
    if let Some(title) = title {
        out.push_str(if address.is_empty() { "<> \"" } else { " \"" });
        write_title(out, title, cell);
        out.push('"');
    }
    out.push(')');
}

fn write_destination(out: &mut String, address: &str, cell: bool) {
    let angle = address.contains(' ') || !parentheses_balance(address) || address.starts_with('<');
    if angle {
        out.push('<');
    }
    let bytes = address.as_bytes();
    for (at, c) in address.char_indices() {
        let next = bytes.get(at + 1).copied();
        match c {
            '<' if angle => out.push_str("%3C"),
            '>' if angle => out.push_str("%3E"),
            '\\' if next.is_none_or(|byte| byte.is_ascii_punctuation()) => out.push_str("\\\\"),
            '&' if super::escape::is_reference(&bytes[at + 1..]) => out.push_str("\\&"),
            '|' if cell => out.push_str("%7C"),
            c if c.is_ascii_control() => {}
            c => out.push(c),
        }
    }
    if angle {
        out.push('>');
    }
}

fn parentheses_balance(address: &str) -> bool {
    let (mut depth, mut deepest) = (0_i32, 0);
    for byte in address.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
        deepest = deepest.max(depth);
    }
    depth == 0 && deepest < 32
}

fn write_title(out: &mut String, title: &str, cell: bool) {
    let bytes = title.as_bytes();
    let mut spaced = true;
    for (at, c) in title.char_indices() {
        match c {
            ' ' | '\n' | '\r' | '\t' | '\x0c' => {
                if !spaced {
                    out.push(' ');
                }
                spaced = true;
                continue;
            }
            '"' => out.push_str("\\\""),
            '\\' if bytes.get(at + 1).is_none_or(u8::is_ascii_punctuation) => {
                out.push_str("\\\\");
            }
            '&' if super::escape::is_reference(&bytes[at + 1..]) => out.push_str("\\&"),
            '|' if cell => out.push_str("\\|"),
            c => out.push(c),
        }
        spaced = false;
    }
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
    fn a_destination_survives_spaces_and_parentheses() {
        let write = |address: &str, title| {
            let mut out = String::new();
            write_target(&mut out, address, title, false);
            out
        };
        assert_eq!(write("http://a/(b)", None), "(http://a/(b))");
        assert_eq!(write("http://a/(b", None), "(<http://a/(b>)");
        assert_eq!(
            write("a b", Some("x \"y\"\n z")),
            "(<a b> \"x \\\"y\\\" z\")"
        );
        assert_eq!(write("?a&amp;b&c=d", None), "(?a\\&amp;b&c=d)");
        assert_eq!(write("", Some("t")), "(<> \"t\")");
    }

    #[test]
    fn the_first_address_of_a_set_is_found() {
        assert_eq!(first_of_set(" a.png 1x, b.png 2x"), Some("a.png"));
        assert_eq!(first_of_set("a.png, b.png"), Some("a.png"));
        assert_eq!(first_of_set(" "), None);
    }
}
