//! Addresses of links and images, made absolute as browsers do it.
//!
//! Rules: WHATWG URL Standard (joining), HTML Living Standard (`<base>`, `srcset`).

use std::borrow::Cow;

use memchr::memchr;
use url::{Position, Url};

use super::dom::lists_any_case;
use iki_markdown::model::scheme_of;

/// Returns an address of a page, absolute if possible; `None` if it cannot be followed:
/// `javascript:`, `data:` and a lone `#`. Without a base it keeps the page's spelling. An address
/// within the page `here` becomes its fragment; with `based`, the page has a base of its own, to
/// which fragments belong.
pub(super) fn resolve(
    reference: &str,
    base: Option<&Url>,
    here: Option<&str>,
    based: bool,
) -> Option<String> {
    let reference = reference.trim_matches(|c: char| c.is_ascii_whitespace() || c.is_control());
    let scheme = scheme_of(reference);
    if scheme.is_some_and(|scheme| lists_any_case("javascript data vbscript", scheme)) {
        return None;
    }
    if !based && reference.starts_with('#') {
        return (reference.len() > 1).then(|| without_newlines(reference));
    }
    let within = |address: String| match here.and_then(|here| address.strip_prefix(here)) {
        Some(part) if part.len() > 1 && part.starts_with('#') => part.to_owned(),
        _ => address,
    };
    // `http:path` is relative to a base with the same scheme; any other address with a scheme is
    // absolute and keeps the page's spelling.
    if let Some(scheme) = scheme {
        let special = lists_any_case("http https", scheme);
        if !special || reference[scheme.len() + 1..].starts_with("//") {
            return Some(within(without_newlines(reference)));
        }
    }
    if let Some(base) = base
        && let Some(joined) = joined_plainly(base, reference)
    {
        return Some(within(joined));
    }
    match base.map(|base| base.join(reference)) {
        Some(Ok(url)) => Some(within(url.into())),
        _ => Some(without_newlines(reference)),
    }
}

/// True for a byte that joining leaves unchanged.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_~/=&+,;:@!$*().?#".contains(&byte)
}

/// Returns the result of [`Url::join`] for a path from the root or relative to the base's, if only
/// the leading `../` need resolving; `None` for any other reference.
fn joined_plainly(base: &Url, reference: &str) -> Option<String> {
    let path = base.path();
    let mut directory = &path[..=path.rfind('/')?];
    let mut unread = reference;
    if let Some(path) = reference.strip_prefix('/') {
        (directory, unread) = ("/", path);
    }
    let is_rooted = unread.len() < reference.len();
    while let Some(after) = unread.strip_prefix("../").filter(|_| !is_rooted) {
        unread = after;
        let above = directory[..directory.len() - 1].rfind('/');
        directory = above.map_or(directory, |slash| &directory[..=slash]);
    }
    let begins = match unread.bytes().next() {
        Some(first) if is_rooted => !matches!(first, b'/' | b'.'),
        first => first.map_or(is_rooted, |first| first.is_ascii_alphanumeric()),
    };
    let plain = begins
        && unread.bytes().all(is_plain)
        && !unread.contains("/.")
        && (unread.len() < reference.len() || !unread.contains(':'))
        && matches!(base.scheme(), "http" | "https");
    plain.then(|| [&base[..Position::BeforePath], directory, unread].concat())
}

/// Names of tracking parameters, besides those with the prefixes below.
const TRACKING_PARAMETERS: &[&str] = &[
    "_ga", "_gl", "dclid", "epik", "fbclid", "gbraid", "gclid", "gclsrc", "icid", "igsh", "igshid",
    "itmprp", "mc_cid", "mc_eid", "mibextid", "mkt_tok", "msclkid", "ref_src", "ref_url", "s_cid",
    "snr", "srsltid", "trk", "ttclid", "twclid", "wbraid", "yclid",
];

/// Prefixes of tracking parameters.
const TRACKING_PREFIXES: &[&str] = &[
    "__hs", "_hs", "_trk", "click_", "cm_mmc", "cm_sp", "gad_", "hsCta", "hsa_", "mtm_", "pd_rd_",
    "pf_rd_", "pk_", "utm_",
];

/// Returns an address without tracking parameters, otherwise unchanged.
pub(super) fn without_tracking(address: &str) -> Cow<'_, str> {
    if memchr(b'?', address.as_bytes()).is_none() {
        return Cow::Borrowed(address);
    }
    let (before_fragment, fragment) = match address.find('#') {
        Some(hash) => address.split_at(hash),
        None => (address, ""),
    };
    let Some((path, query)) = before_fragment.split_once('?') else {
        return Cow::Borrowed(address);
    };
    let tracks = |pair: &&str| {
        let name = pair.split('=').next().unwrap_or_default();
        let name = name.strip_prefix("amp;").unwrap_or(name);
        TRACKING_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
            || TRACKING_PARAMETERS.contains(&name)
            || name == "trackingId"
    };
    if !query.split('&').any(|pair| tracks(&pair)) {
        return Cow::Borrowed(address);
    }
    let mut cleaned = String::with_capacity(address.len());
    cleaned.push_str(path);
    let mut mark = '?';
    for pair in query.split('&').filter(|pair| !tracks(pair)) {
        cleaned.push(mark);
        cleaned.push_str(pair);
        mark = '&';
    }
    cleaned.push_str(fragment);
    Cow::Owned(cleaned)
}

/// Beginnings of the addresses of forms that share a page, ready to be sent; their target is the
/// page that is being read.
const SHARE_FORMS: &str = "\
     addtoany.com/ bsky.app/intent/compose bufferapp.com/add facebook.com/dialog/ \
     facebook.com/share getpocket.com/save linkedin.com/cws/share linkedin.com/sharearticle \
     linkedin.com/sharing/ news.ycombinator.com/submitlink pinterest.com/pin/create \
     plus.google.com/share reddit.com/submit t.me/share telegram.me/share tumblr.com/share \
     twitter.com/home twitter.com/intent/post twitter.com/intent/tweet twitter.com/share \
     vk.com/share.php x.com/intent/post x.com/intent/tweet";

/// True for an address that opens a form to share the page.
pub(super) fn is_share_form(address: &str) -> bool {
    let Some(mark) = memchr(b'?', address.as_bytes()) else {
        return false;
    };
    let (place, query) = (address[..mark].trim_start(), &address[mark + 1..]);
    if place.len() > 64 {
        return false;
    }
    let place = place.to_ascii_lowercase();
    if matches!(
        &*place,
        "mailto:" | "sms:" | "whatsapp://send" | "fb-messenger://share/"
    ) {
        return true;
    }
    let Some((_, place)) = place.split_once("//") else {
        return false;
    };
    let place = ["www.", "m.", "api."]
        .iter()
        .find_map(|host| place.strip_prefix(host))
        .unwrap_or(place);
    if matches!(place.trim_end_matches('/'), "whatsapp.com/send" | "wa.me") {
        // An address with a recipient is for writing to that person.
        return query.starts_with("text=");
    }
    SHARE_FORMS.split(' ').any(|share| place.starts_with(share))
}

fn without_newlines(reference: &str) -> String {
    if !reference.contains(['\n', '\r', '\t']) {
        return reference.to_owned();
    }
    reference
        .chars()
        .filter(|c| !matches!(c, '\n' | '\r' | '\t'))
        .collect()
}

/// Returns the first address of a `srcset`.
pub(super) fn first_of_set(set: &str) -> Option<&str> {
    set.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',')
        .split(|c: char| c.is_ascii_whitespace())
        .next()
        .map(|address| address.trim_end_matches(','))
        .filter(|address| !address.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn absolute(reference: &str) -> Option<String> {
        resolve(
            reference,
            Some(&Url::parse("https://example.com/a/b?c#d").unwrap()),
            Some("https://example.com/a/b?c"),
            false,
        )
    }

    proptest! {
        #[test]
        fn what_is_joined_plainly_is_what_joining_makes_of_it(
            up in 0..4_usize,
            reference in "[a-c0./?#:;=%@ \\\\&é-]{0,12}",
            path in "(/?[a-c.%?#]{0,3}){0,4}",
            scheme in prop::sample::select(vec!["http", "https", "file", "ftp", "x"]),
        ) {
            let reference = format!("{}{reference}", "../".repeat(up));
            if let Ok(base) = Url::parse(&format!("{scheme}://h/{path}"))
                && let Some(joined) = joined_plainly(&base, &reference)
            {
                let expected = base.join(&reference).map(String::from);
                prop_assert_eq!(Ok(joined), expected, "{} {}", base, reference);
            }
        }
    }

    #[test]
    fn a_path_beside_or_above_the_base_is_joined_plainly() {
        let base = Url::parse("https://h:8/a/b/c?d#e").expect("an address");
        for (reference, expected) in [
            ("x", "https://h:8/a/b/x"),
            ("x.html#y", "https://h:8/a/b/x.html#y"),
            ("../x/?y=z", "https://h:8/a/x/?y=z"),
            ("../../../x//", "https://h:8/x//"),
            ("/x?y", "https://h:8/x?y"),
        ] {
            assert_eq!(joined_plainly(&base, reference).as_deref(), Some(expected));
        }
        for reference in [
            "", "..", "./x", "x:y", "?x", "#x", "a/../b", "a b", "//x", "/./x",
        ] {
            assert_eq!(joined_plainly(&base, reference), None, "{reference}");
        }
    }

    #[test]
    fn a_relative_address_is_joined_to_the_base() {
        for (reference, wanted) in [
            ("x", "https://example.com/a/x"),
            ("/x%26y?z=%2F", "https://example.com/x%26y?z=%2F"),
            ("//other/x", "https://other/x"),
            ("#e", "#e"),
            ("?c#e", "#e"),
            ("/a/b?c#e", "#e"),
            ("https://example.com/a/b?c#e", "#e"),
            (
                "https://example.com/a/b?cd#e",
                "https://example.com/a/b?cd#e",
            ),
            ("/a/b#e", "https://example.com/a/b#e"),
            ("", "https://example.com/a/b?c"),
            ("?q", "https://example.com/a/b?q"),
            (" ../x\n", "https://example.com/x"),
            ("/", "https://example.com/"),
            ("/x/../y", "https://example.com/y"),
            ("/x/.", "https://example.com/x/"),
            ("/x?a=b&c#d", "https://example.com/x?a=b&c#d"),
            ("/x?a='b'", "https://example.com/x?a=%27b%27"),
            ("/x y/\u{e9}", "https://example.com/x%20y/%C3%A9"),
            ("\\x", "https://example.com/x"),
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
            "#",
        ] {
            assert_eq!(absolute(address), None, "{address}");
        }
    }

    #[test]
    fn a_page_with_a_base_has_its_fragments_there() {
        let base = Url::parse("https://example.com/").unwrap();
        let resolved = resolve("#a", Some(&base), Some("https://example.com/x"), true);
        assert_eq!(resolved.as_deref(), Some("https://example.com/#a"));
    }

    #[test]
    fn parameters_that_track_go_and_all_else_stays_byte_for_byte() {
        for (address, wanted) in [
            ("/a?utm_source=b", "/a"),
            ("/a?utm_source=b#c?utm_d=e", "/a#c?utm_d=e"),
            (
                "/a?b=%26&utm_source=b&c=%2f%2F&fbclid=x",
                "/a?b=%26&c=%2f%2F",
            ),
            ("/a?gclid=x&b&c=&&d", "/a?b&c=&&d"),
            ("/a?x=1&amp;utm_medium=y", "/a?x=1"),
            ("/a?source=b&xutm_a=1", "/a?source=b&xutm_a=1"),
            ("/utm_a?b=c?utm_d", "/utm_a?b=c?utm_d"),
            ("/a?", "/a?"),
        ] {
            assert_eq!(without_tracking(address), wanted);
        }
    }

    #[test]
    fn a_form_that_sends_the_page_on_is_known() {
        for address in [
            "https://www.facebook.com/sharer/sharer.php?u=x",
            "//twitter.com/intent/tweet?text=x",
            "https://x.com/intent/post?text=x",
            "https://api.whatsapp.com/send?text=x",
            "mailto:?subject=x&body=y",
        ] {
            assert!(is_share_form(address), "{address}");
        }
        for address in [
            "https://www.facebook.com/somebody?u=x",
            "https://x.com/somebody/status/1?s=20",
            "https://api.whatsapp.com/send/?phone=905539554464&text",
            "https://example.com/sharer.php?u=x",
            "mailto:a@b?subject=x",
            "https://www.facebook.com/sharer",
            "?text=x",
        ] {
            assert!(!is_share_form(address), "{address}");
        }
    }

    #[test]
    fn the_first_address_of_a_set_is_found() {
        assert_eq!(first_of_set(" a.png 1x, b.png 2x"), Some("a.png"));
        assert_eq!(first_of_set("a.png, b.png"), Some("a.png"));
        assert_eq!(first_of_set(" "), None);
    }
}
