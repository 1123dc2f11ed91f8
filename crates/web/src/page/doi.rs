//! The DOI of a scholarly page.
//!
//! Rules: ISO 26324 and Crossref's advice on the form of DOIs. The end of a DOI in a text is not
//! marked; characters that may belong to the sentence around it are left out. DOIs are compared
//! ignoring case; they are returned in lower case.

use url::Url;

use super::class::{PageClass, SourceType};
use super::embedded::EmbeddedData;
use super::{hosts, json_ld};
use iki_base::wording::beginning;

/// Bytes of a page's text that are searched.
const MAX_TEXT_BYTES: usize = 4000;

/// Maximum length of a DOI, in bytes. There is no limit, but the longest registered ones are
/// shorter.
const MAX_DOI_BYTES: usize = 256;

/// Maximum number of possible beginnings that are tried in a text.
const MAX_CANDIDATES: usize = 64;

/// Elements in which a page declares its DOI, the clearest first.
const DECLARED: &str = "citation_doi bepress_citation_doi prism.doi dc.identifier.doi \
    dc.identifier dcterms.identifier doi publication_doi rft_id";

/// Endings of URLs after a DOI that are not part of it.
const VIEWS: &str = "full abstract abs pdf epdf epub html meta summary references fulltext \
    full-text figures tables";

/// Returns the DOI of the page at `url`, in lower case: the declared one, or else that in its URL,
/// or else the first in its text, Markdown or plain. `None` for a page that is not a scholarly
/// work.
#[must_use]
pub fn detected(
    url: &Url,
    embedded: Option<&EmbeddedData>,
    text: &str,
    class: &PageClass,
) -> Option<String> {
    let scholarly = class.source_type == SourceType::PeerReviewed
        || hosts::of(url).is_some_and(|known| known.scholarly);
    if !scholarly {
        return None;
    }
    embedded
        .and_then(declared)
        .or_else(|| in_address(url))
        .or_else(|| in_text(text))
}

/// Returns the DOI that a page declares as its own.
pub(super) fn declared(embedded: &EmbeddedData) -> Option<String> {
    let metas = DECLARED.split(' ').find_map(|name| {
        let mut all = embedded.metas(name).take(8);
        all.find_map(|content| parse_doi(&content))
    });
    metas.or_else(|| {
        // Only articles count because a page names other works as well.
        let nodes = embedded.nodes();
        let mut articles = nodes
            .iter()
            .filter(|node| json_ld::types(node).any(|name| name.ends_with("ScholarlyArticle")));
        articles.find_map(|node| {
            let identifier = node.get("identifier");
            let value = identifier.and_then(|value| value.get("value"));
            [value, identifier, node.get("sameAs"), node.get("@id")]
                .into_iter()
                .find_map(|value| parse_doi(&json_ld::text(value)?))
        })
    })
}

/// Parses a text that is a DOI: bare, after `doi:`, or as a URL of the resolver.
#[must_use]
pub(crate) fn parse_doi(text: &str) -> Option<String> {
    let mut text = text.trim();
    for prefix in [
        "https://",
        "http://",
        "info:doi/",
        "urn:doi:",
        "dx.doi.org/",
        "www.doi.org/",
        "doi.org/",
        "doi:",
        "doi ",
    ] {
        let head = text.get(..prefix.len());
        if head.is_some_and(|head| head.eq_ignore_ascii_case(prefix)) {
            text = text[prefix.len()..].trim_start();
        }
    }
    let decoded = percent_encoding::percent_decode_str(text).decode_utf8();
    let text = decoded.as_deref().unwrap_or(text);
    let end = text
        .find(|c: char| !c.is_ascii_graphic())
        .unwrap_or(text.len());
    finished(&text[..end])
}

/// Finds the DOI in a URL: in its path, or as the value of a parameter.
fn in_address(url: &Url) -> Option<String> {
    let decoded = |text: &str| {
        percent_encoding::percent_decode_str(text)
            .decode_utf8_lossy()
            .into_owned()
    };
    let path = decoded(url.path());
    let of_path = begins(&path).take(MAX_CANDIDATES).find_map(|at| {
        let mut doi = &path[at..];
        doi = &doi[..doi
            .find(|c: char| !c.is_ascii_graphic())
            .unwrap_or(doi.len())];
        // Prefix and suffix are two segments; further segments belong to the DOI unless they are
        // known endings.
        while let Some((before, last)) = doi.rsplit_once('/') {
            let view = last.split('.').next().unwrap_or_default();
            let parted = before.contains('/');
            if last.is_empty() || (parted && is_view(view)) {
                doi = before;
            } else {
                break;
            }
        }
        finished(without_extensions(doi))
    });
    of_path.or_else(|| {
        let mut pairs = url.query_pairs().take(64);
        pairs.find_map(|(_, value)| {
            let at = begins(&value).next()?;
            // A parameter may hold a whole URL.
            let near = value[..at].ends_with("doi.org/") || value[..at].ends_with("doi:");
            if at > 0 && !near {
                return None;
            }
            parse_doi(&value[at..])
        })
    })
}

fn is_view(text: &str) -> bool {
    VIEWS.split(' ').any(|view| view.eq_ignore_ascii_case(text))
}

/// Removes the ending for a format from a DOI in a URL: `.pdf`, `.full`, and the version of a
/// preprint (`v2`).
fn without_extensions(doi: &str) -> &str {
    let mut doi = doi;
    while let Some((before, last)) = doi.rsplit_once('.') {
        if !is_view(last) || !before.contains('/') {
            break;
        }
        doi = before;
    }
    if doi.starts_with("10.1101/")
        && let Some((before, version)) = doi.rsplit_once('v')
        && (1..=2).contains(&version.len())
        && version.bytes().all(|byte| byte.is_ascii_digit())
        && before.ends_with(|c: char| c.is_ascii_digit())
    {
        doi = before;
    }
    doi
}

/// Finds the first DOI in a text.
fn in_text(text: &str) -> Option<String> {
    // Markdown escapes special characters with a backslash.
    let is_cut = text.len() > MAX_TEXT_BYTES;
    let text = beginning(text, MAX_TEXT_BYTES).replace('\\', "");
    begins(&text).take(MAX_CANDIDATES).find_map(|at| {
        let rest = &text[at..];
        let part = |c: char| c.is_ascii_alphanumeric() || "-._;()/:+[]".contains(c);
        let mut end = rest.find(|c| !part(c)).unwrap_or(rest.len());
        // The text of a link ends before its URL.
        if let Some(link) = rest[..end].find("](") {
            end = link;
        }
        // The cut may split a DOI.
        if is_cut && at + end == text.len() {
            return None;
        }
        finished(&rest[..end])
    })
}

/// Finds the first DOI in a line of text, such as a reference.
#[must_use]
pub(crate) fn doi_in(text: &str) -> Option<String> {
    in_text(text)
}

/// Returns the positions in `text` at which a DOI may begin.
fn begins(text: &str) -> impl Iterator<Item = usize> + '_ {
    text.match_indices("10.").filter_map(move |(at, _)| {
        let before = text[..at].chars().next_back();
        let alone = before.is_none_or(|c| !c.is_alphanumeric() && c != '.');
        (alone && prefix(&text[at..]).is_some()).then_some(at)
    })
}

/// Returns the length of the prefix of the DOI that `text` begins with: `10.`, four to nine digits,
/// optional further parts, and a slash.
fn prefix(text: &str) -> Option<usize> {
    let (head, suffix) = beginning(text, MAX_DOI_BYTES).split_once('/')?;
    let registrant = head.strip_prefix("10.")?;
    let mut parts = registrant.split('.');
    let first = parts.next()?;
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let sound = (4..=9).contains(&first.len()) && digits(first) && parts.all(digits);
    (sound && !suffix.is_empty()).then_some(head.len() + 1)
}

/// Removes the punctuation of the surrounding sentence from a DOI, and puts it in lower case.
fn finished(text: &str) -> Option<String> {
    let mut doi = text
        .split(['"', '\'', '<', '>', '|', '`', '\\', '^', '{', '}'])
        .next()?;
    // Old DOIs contain these two characters, in pairs.
    if text.starts_with("10.1002/") && text.contains('>') {
        doi = text.split(['"', '\'', '|', '`', '\\']).next()?;
    }
    // Limits the work because brackets are counted again for each removed character.
    if doi.len() > 4 * MAX_DOI_BYTES {
        return None;
    }
    loop {
        let last = doi.chars().next_back()?;
        let unpaired = |open: char| doi.matches(last).count() > doi.matches(open).count();
        let off = match last {
            '.' | ',' | ';' | ':' | '!' | '?' | '*' | '_' | '/' | '#' | '&' | '(' | '[' | '-' => {
                true
            }
            ')' => unpaired('('),
            ']' => unpaired('['),
            _ => false,
        };
        if !off {
            break;
        }
        doi = &doi[..doi.len() - last.len_utf8()];
    }
    let suffix = prefix(doi)?;
    let sound =
        doi.len() <= MAX_DOI_BYTES && doi[suffix..].chars().any(|c| c.is_ascii_alphanumeric());
    sound.then(|| doi.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::page::class::{AuthorityTier, DomainCategory, classify};

    const SCHOLARLY: PageClass = PageClass {
        source_type: SourceType::PeerReviewed,
        authority: AuthorityTier::Medium,
        category: DomainCategory::Academic,
    };

    fn found(address: &str, html: &str, text: &str) -> Option<String> {
        let url = Url::parse(address).unwrap();
        detected(&url, Some(&EmbeddedData::read(html)), text, &SCHOLARLY)
    }

    #[test]
    fn a_declared_doi_is_read_in_each_of_its_forms() {
        for content in [
            "10.1234/Ab.C-1",
            "doi:10.1234/Ab.C-1",
            "DOI: 10.1234/ab.c-1.",
            "https://doi.org/10.1234/ab.c-1",
            "http://dx.doi.org/10.1234%2Fab.c-1",
            "info:doi/10.1234/ab.c-1",
        ] {
            let html = format!("<meta name=citation_doi content='{content}'>");
            let doi = found("https://example.org/", &html, "");
            assert_eq!(doi.as_deref(), Some("10.1234/ab.c-1"), "{content}");
        }
        for content in [
            "",
            "10.12/x",
            "10.1234/",
            "10.1234/...",
            "x10.1234/y",
            "10.abcd/x",
            "11.1234/x",
        ] {
            let html = format!("<meta name=citation_doi content='{content}'>");
            assert_eq!(found("https://example.org/", &html, ""), None, "{content}");
        }
    }

    #[test]
    fn what_is_declared_goes_before_the_address_and_that_before_the_text() {
        let html = "<meta name=citation_doi content='10.1000/declared'>";
        let address = "https://example.org/doi/10.1000/address";
        let text = "See 10.1000/text for more.";
        let plain = "https://example.org/";
        assert_eq!(found(address, html, text).unwrap(), "10.1000/declared");
        assert_eq!(found(address, "", text).unwrap(), "10.1000/address");
        assert_eq!(found(plain, "", text).unwrap(), "10.1000/text");
        assert_eq!(found(plain, "", "nothing"), None);
        let json = r#"<script type=application/ld+json>{"@type":"ScholarlyArticle",
            "identifier":{"@type":"PropertyValue","value":"https://doi.org/10.1000/JSON"}}</script>"#;
        assert_eq!(found(plain, json, text).unwrap(), "10.1000/json");
    }

    #[test]
    fn addresses_hold_dois_with_more_behind_them() {
        for (address, expected) in [
            (
                "https://doi.org/10.1038/S41586-020-2649-2",
                "10.1038/s41586-020-2649-2",
            ),
            (
                "https://dx.doi.org/10.1016%2Fj.x.2020.01.001",
                "10.1016/j.x.2020.01.001",
            ),
            (
                "https://www.science.org/doi/full/10.1126/science.abc1234",
                "10.1126/science.abc1234",
            ),
            (
                "https://www.frontiersin.org/articles/10.3389/fnhum.2013.00123/full",
                "10.3389/fnhum.2013.00123",
            ),
            (
                "https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0012345",
                "10.1371/journal.pone.0012345",
            ),
            (
                "https://www.biorxiv.org/content/10.1101/2020.01.01.123456v2.full.pdf",
                "10.1101/2020.01.01.123456",
            ),
            (
                "https://link.springer.com/content/pdf/10.1007/s00134-020-1.pdf",
                "10.1007/s00134-020-1",
            ),
            ("https://example.org/doi/10.1000/a/b/", "10.1000/a/b"),
            (
                "https://example.org/x?url=https://doi.org/10.1000/z",
                "10.1000/z",
            ),
        ] {
            assert_eq!(
                found(address, "", "").as_deref(),
                Some(expected),
                "{address}"
            );
        }
        for address in [
            "https://example.org/110.1000/x",
            "https://example.org/10.10/x",
            "https://example.org/v10.1000/x",
            "https://example.org/?q=about+10.1000/x",
            "https://example.org/#10.1000/x",
        ] {
            assert_eq!(found(address, "", ""), None, "{address}");
        }
    }

    #[test]
    fn a_doi_in_text_ends_where_the_sentence_goes_on() {
        for (text, expected) in [
            ("(10.1000/abc).", "10.1000/abc"),
            ("doi:10.1000/a(b)c, and", "10.1000/a(b)c"),
            ("[10.1000/abc](https://doi.org/10.1000/abc)", "10.1000/abc"),
            ("<https://doi.org/10.1000/abc>", "10.1000/abc"),
            ("https://doi.org/10.1000/a\\_b\\_c", "10.1000/a_b_c"),
            ("**10.1000/abc**", "10.1000/abc"),
            ("| 10.1000/abc | x", "10.1000/abc"),
            ("10.1000/abc\u{201d}", "10.1000/abc"),
            ("version 10.2 of 10.1000/abc;", "10.1000/abc"),
            ("10.1000.10/123456", "10.1000.10/123456"),
        ] {
            assert_eq!(
                found("https://example.org/", "", text).as_deref(),
                Some(expected),
                "{text}"
            );
        }
        let far = "x".repeat(MAX_TEXT_BYTES) + " 10.1000/abc";
        assert_eq!(found("https://example.org/", "", &far), None);
        let half = "x ".repeat(MAX_TEXT_BYTES / 2 - 5) + "10.1000/abcdef";
        assert_eq!(found("https://example.org/", "", &half), None);
    }

    #[test]
    fn only_scholarly_pages_and_hosts_have_one() {
        let doi = |address: &str, html: &str| {
            let url = Url::parse(address).unwrap();
            let embedded = EmbeddedData::read(html);
            let class = classify(&url, Some(&embedded));
            detected(&url, Some(&embedded), "10.1000/text x", &class)
        };
        assert_eq!(doi("https://example.org/", ""), None);
        assert_eq!(doi("https://example.org/doi/10.1000/a", ""), None);
        let declared = "<meta name=citation_doi content=10.1000/D>";
        assert_eq!(doi("https://example.org/", declared).unwrap(), "10.1000/d");
        assert_eq!(doi("https://www.nature.com/x", "").unwrap(), "10.1000/text");
        assert_eq!(
            doi("https://www.biorxiv.org/x", "").unwrap(),
            "10.1000/text"
        );
        assert_eq!(doi("https://doi.org/10.1000/r", "").unwrap(), "10.1000/r");
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC*", near in "(10\\.|[0-9/.()\\[\\]\u{e9}v]){0,30}") {
            for text in [&text, &near] {
                let _ = in_text(text);
                let _ = parse_doi(text);
                if let Ok(url) = Url::parse(&format!("https://example.org/{text}?x={text}")) {
                    let _ = in_address(&url);
                }
            }
        }
    }
}
