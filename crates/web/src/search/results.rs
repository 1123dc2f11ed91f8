//! Clean-up of every provider's results: plain text, complete http and https URLs only, no
//! duplicates, lists merged fairly.

use std::collections::HashSet;

use url::Url;

use super::{DomainFilter, SearchResult, html_text};
use crate::client::without_login;
use iki_base::unseen;
use iki_base::wording::on_one_line;
use iki_document::entities;

/// Maximum length of a URL of a result, in bytes.
const MAX_ADDRESS_BYTES: usize = 4096;

/// Maximum length of a title, in characters.
const MAX_TITLE_CHARS: usize = 500;
/// Maximum length of a snippet, in characters.
const MAX_SNIPPET_CHARS: usize = 1000;
/// Maximum length of a further snippet, in characters.
const MAX_EXTRA_SNIPPET_CHARS: usize = 500;
/// Maximum number of further snippets.
const MAX_EXTRA_SNIPPETS: usize = 5;

/// URL parameters that identify the referrer, and not the page.
const TRACKING_PARAMETERS: &str = "_ga _gl dclid fbclid gad_source gbraid gclid gclsrc igshid \
                                   mc_cid mc_eid mkt_tok msclkid srsltid twclid ttclid wbraid \
                                   yclid";

/// Returns the results that may be shown, in their order: with an http or https URL, from the
/// requested hosts, each once.
#[must_use]
pub fn cleaned(results: Vec<SearchResult>, hosts: &DomainFilter) -> Vec<SearchResult> {
    let mut seen = HashSet::new();
    let mut unique = Vec::with_capacity(results.len());
    for result in results {
        let Some(url) = of_the_web(&result.url) else {
            continue;
        };
        if hosts.admits(url.as_str()) && seen.insert(identity(&url)) {
            unique.push(SearchResult {
                url: display_url(&result.url, &url),
                ..tidied(result)
            });
        }
    }
    unique
}

/// Parses a URL, if it is http or https.
fn of_the_web(address: &str) -> Option<Url> {
    let url = Url::parse(address.trim()).ok()?;
    let host = url.host_str().is_some_and(|host| !host.is_empty());
    let short = url.as_str().len() <= MAX_ADDRESS_BYTES;
    (host && short && matches!(url.scheme(), "http" | "https")).then_some(url)
}

/// Returns a URL as it is shown: as the provider gave it, unless it has characters that no URL has,
/// or a login, which may disguise the host that would be asked.
fn display_url(address: &str, url: &Url) -> String {
    let address = address.trim();
    let odd = |char: char| {
        let graphic = char.is_ascii_graphic() || !char.is_ascii();
        !graphic
            || char == '\\'
            || char.is_control()
            || char.is_whitespace()
            || unseen::is_unseen(char)
    };
    let login = !url.username().is_empty() || url.password().is_some();
    if !login && !address.contains(odd) {
        return address.to_owned();
    }
    without_login(url).into()
}

/// Returns a URL as it is shown, if it is http or https.
#[must_use]
pub fn shown_url(address: &str) -> Option<String> {
    Some(display_url(address, &of_the_web(address)?))
}

/// Returns the key by which two addresses of the same page are equal; one that is no address of the
/// web is its own.
#[must_use]
pub fn same_page_key(address: &str) -> String {
    of_the_web(address).map_or_else(|| address.to_owned(), |url| identity(&url))
}

/// Returns the key by which two URLs of the same page are equal: without the fragment, the case of
/// the host, the default port and tracking parameters.
fn identity(url: &Url) -> String {
    let mut url = url.clone();
    url.set_fragment(None);
    let tracks = |name: &str| {
        name.starts_with("utm_") || TRACKING_PARAMETERS.split(' ').any(|one| one == name)
    };
    if url.query_pairs().any(|(name, _)| tracks(&name)) {
        let query = url.query().unwrap_or_default();
        let parameters: Vec<&str> = query
            .split('&')
            .filter(|pair| !tracks(pair.split('=').next().unwrap_or_default()))
            .collect();
        let parameters = parameters.join("&");
        url.set_query((!parameters.is_empty()).then_some(&parameters));
    }
    if url.query() == Some("") {
        url.set_query(None);
    }
    url.into()
}

/// Returns the host of a URL, as it is shown; empty if there is none.
#[must_use]
pub fn display_link(address: &str) -> String {
    let url = Url::parse(address.trim()).ok();
    let host = url.as_ref().and_then(Url::host_str);
    host.unwrap_or_default().to_owned()
}

fn tidied(result: SearchResult) -> SearchResult {
    let snippet = shortened(&on_one_line(&result.snippet), MAX_SNIPPET_CHARS);
    let extra = result.extra_snippets.iter();
    let extra = extra
        .map(|text| shortened(&on_one_line(text), MAX_EXTRA_SNIPPET_CHARS))
        .filter(|text| !text.is_empty() && *text != snippet)
        .take(MAX_EXTRA_SNIPPETS);
    SearchResult {
        title: shortened(&on_one_line(&result.title), MAX_TITLE_CHARS),
        url: result.url.trim().to_owned(),
        extra_snippets: extra.collect(),
        snippet,
        published_at: result.published_at,
        taken: result.taken,
    }
}

/// Returns the whole words within the first `limit` characters.
#[must_use]
pub fn shortened(text: &str, limit: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(limit) else {
        return text.to_owned();
    };
    let opening = &text[..end];
    let whole = opening.rfind(' ').filter(|offset| *offset > end / 2);
    format!("{}\u{2026}", opening[..whole.unwrap_or(end)].trim_end())
}

/// Inline elements, which mean nothing outside a page.
const INLINE_ELEMENTS: &[&str] = &[
    "b", "strong", "em", "i", "mark", "span", "u", "sub", "sup", "p",
];

/// Removes a provider's highlighting from plain text, and decodes entities; nothing else is taken
/// for markup because a text about HTML may well contain a tag.
#[must_use]
pub fn without_highlight_marks(text: &str) -> String {
    if !text.contains(['<', '&']) {
        return text.to_owned();
    }
    let tag = |markup: &str| {
        let end = markup.find('>').map(|end| end + 1);
        end.filter(|_| is_markup(markup, text))
    };
    entities::decoded(&html_text::without_tags(text, &tag))
}

/// True if `markup` begins with a line break, or with the tag of an inline element that is closed
/// in `text`.
fn is_markup(markup: &str, text: &str) -> bool {
    let inner = markup[1..].trim_start_matches('/');
    let end = inner.find(|c: char| !c.is_ascii_alphanumeric());
    let name = &inner[..end.unwrap_or(inner.len())];
    let ends_name = inner[name.len()..].starts_with(['>', ' ', '/']);
    let ended = || text.contains(&format!("</{name}>"));
    ends_name && (matches!(name, "br" | "wbr") || (INLINE_ELEMENTS.contains(&name) && ended()))
}

/// Merges the lists round robin, `limit` at most.
#[must_use]
pub(crate) fn interleaved(lists: Vec<Vec<SearchResult>>, limit: usize) -> Vec<SearchResult> {
    let mut seen = HashSet::new();
    let mut lists: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
    let mut out = Vec::with_capacity(limit);
    while !lists.is_empty() && out.len() < limit {
        // Each list contributes its next new result.
        lists.retain_mut(|list| {
            let next = list.find(|result| seen.insert(same_page_key(&result.url)));
            next.map(|result| out.push(result)).is_some()
        });
    }
    out.truncate(limit);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(url: &str) -> SearchResult {
        SearchResult {
            url: url.to_owned(),
            ..SearchResult::default()
        }
    }

    fn clean_urls(urls: &[&str]) -> Vec<String> {
        let results = urls.iter().map(|url| result(url)).collect();
        let cleaned_results = cleaned(results, &DomainFilter::default());
        cleaned_results
            .into_iter()
            .map(|result| result.url)
            .collect()
    }

    #[test]
    fn one_page_comes_once_however_it_is_written() {
        for twin in [
            "https://example.com/a?x=1#part",
            "HTTPS://EXAMPLE.com:443/a?x=1",
            "https://example.com/a?x=1&utm_source=y&gclid=z",
            "https://example.com/a?fbclid=1&x=1",
        ] {
            assert_eq!(
                clean_urls(&["https://example.com/a?x=1", twin]),
                ["https://example.com/a?x=1"],
                "{twin}"
            );
            assert_eq!(clean_urls(&[twin]), [twin]);
        }
        let others = [
            "https://example.com/a?x=1",
            "https://example.com/a?x=2",
            "https://example.com/A?x=1",
            "http://example.com/a?x=1",
            "https://www.example.com/a?x=1",
            "https://example.com:8443/a?x=1",
            "https://example.com/a?x=1&my_utm_source=y",
            "https://example.com/a",
        ];
        assert_eq!(clean_urls(&others), others);
    }

    #[test]
    fn what_is_not_of_the_web_goes() {
        let all = [
            "ftp://example.com/",
            "javascript:alert(1)",
            "/relative",
            "data:text/html,x",
            "",
            "file:///etc/passwd",
            "https://",
            "https://ok.example/",
        ];
        assert_eq!(clean_urls(&all), ["https://ok.example/"]);
    }

    #[test]
    fn an_address_is_shown_with_all_that_it_has() {
        for (given, expected) in [
            ("https://\u{feff}example.com/1", "https://example.com/1"),
            (
                "https://example.com/a\u{202e}b",
                "https://example.com/a%E2%80%AEb",
            ),
            (
                "https://example.com/a\u{a0}b",
                "https://example.com/a%C2%A0b",
            ),
            (
                "https://example.com/\u{e9}t\u{e9}",
                "https://example.com/\u{e9}t\u{e9}",
            ),
        ] {
            assert_eq!(clean_urls(&[given]), [expected]);
        }
    }

    #[test]
    fn texts_are_words_and_have_a_length() {
        let results = vec![SearchResult {
            title: " a\u{1b}[31m\n\tb cd ".to_owned(),
            url: " https://a.example/ ".to_owned(),
            snippet: "word ".repeat(1000),
            extra_snippets: vec!["x".to_owned(), " ".to_owned(), "x".repeat(9000)],
            ..SearchResult::default()
        }];
        let cleaned_results = cleaned(results, &DomainFilter::default());
        assert_eq!(cleaned_results[0].title, "a [31m b cd");
        assert_eq!(cleaned_results[0].url, "https://a.example/");
        assert!(cleaned_results[0].snippet.ends_with("word\u{2026}"));
        assert!(cleaned_results[0].snippet.chars().count() <= MAX_SNIPPET_CHARS + 1);
        assert_eq!(cleaned_results[0].extra_snippets.len(), 2);
    }

    #[test]
    fn what_marks_found_words_goes_and_other_markup_is_text() {
        for (given, plain) in [
            ("<b>a</b> <strong class=\"x\">b</strong>c", "a bc"),
            ("R&amp;D &#x27;x&#39; &lt;b&gt;", "R&D 'x' <b>"),
            ("a<br>b<br/>c<wbr>d", "a b cd"),
            ("use the <div> tag, or <b>", "use the <div> tag, or <b>"),
            ("Vec<u8> and x < y && y > z", "Vec<u8> and x < y && y > z"),
            ("HashMap<i, p>", "HashMap<i, p>"),
            ("<b", "<b"),
            ("plain", "plain"),
        ] {
            assert_eq!(without_highlight_marks(given), plain, "{given}");
        }
    }

    #[test]
    fn lists_share_the_places_fairly() {
        let list = |site: &str, count: usize| {
            (1..=count)
                .map(|n| result(&format!("https://{site}/{n}")))
                .collect::<Vec<_>>()
        };
        let lists = vec![
            list("a", 9),
            list("b", 2),
            [list("a", 2), list("c", 9)].concat(),
        ];
        let merged = interleaved(lists, 8);
        let urls: Vec<&str> = merged
            .iter()
            .map(|one| one.url.trim_start_matches("https://"))
            .collect();
        assert_eq!(
            urls,
            ["a/1", "b/1", "a/2", "a/3", "b/2", "c/1", "a/4", "c/2"]
        );
        assert!(interleaved(vec![], 3).is_empty());
    }

    #[test]
    fn the_host_is_shown_as_the_address_has_it() {
        assert_eq!(
            display_link("https://user@WWW.Example.com:8443/a"),
            "www.example.com"
        );
        assert_eq!(display_link("nonsense"), "");
    }
}
