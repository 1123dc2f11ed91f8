use proptest::prelude::*;

use super::*;
use crate::page::class::{AuthorityTier, DomainCategory, classify};

const SCHOLARLY: PageClass = PageClass {
    source_type: SourceType::PeerReviewed,
    authority: AuthorityTier::Medium,
    category: DomainCategory::Academic,
};

fn find_doi(address: &str, html: &str, text: &str) -> Option<String> {
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
        let doi = find_doi("https://example.org/", &html, "");
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
        assert_eq!(
            find_doi("https://example.org/", &html, ""),
            None,
            "{content}"
        );
    }
}

#[test]
fn what_is_declared_goes_before_the_address_and_that_before_the_text() {
    let html = "<meta name=citation_doi content='10.1000/declared'>";
    let address = "https://example.org/doi/10.1000/address";
    let text = "See 10.1000/text for more.";
    let plain = "https://example.org/";
    assert_eq!(find_doi(address, html, text).unwrap(), "10.1000/declared");
    assert_eq!(find_doi(address, "", text).unwrap(), "10.1000/address");
    assert_eq!(find_doi(plain, "", text).unwrap(), "10.1000/text");
    assert_eq!(find_doi(plain, "", "nothing"), None);
    let json = r#"<script type=application/ld+json>{"@type":"ScholarlyArticle",
        "identifier":{"@type":"PropertyValue","value":"https://doi.org/10.1000/JSON"}}</script>"#;
    assert_eq!(find_doi(plain, json, text).unwrap(), "10.1000/json");
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
            find_doi(address, "", "").as_deref(),
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
        assert_eq!(find_doi(address, "", ""), None, "{address}");
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
            find_doi("https://example.org/", "", text).as_deref(),
            Some(expected),
            "{text}"
        );
    }
    let far = "x".repeat(MAX_TEXT_BYTES) + " 10.1000/abc";
    assert_eq!(find_doi("https://example.org/", "", &far), None);
    let half = "x ".repeat(MAX_TEXT_BYTES / 2 - 5) + "10.1000/abcdef";
    assert_eq!(find_doi("https://example.org/", "", &half), None);
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

/// DOIs that are SICIs, in lower case.
const SICIS: [&str; 4] = [
    "10.1175/1520-0485(1985)015<1043:aotsco>2.0.co;2",
    "10.1002/(sici)1097-4636(199823)43:4<338::aid-jbm2>3.0.co;2-#",
    "10.1002/(sici)1097-0258(19980815/30)17:15/16<1661::aid-sim968>3.0.co;2-2",
    "10.1130/0091-7613(1994)022<0783:tiot>2.3.co;2-q",
];

#[test]
fn a_sici_is_whole_wherever_it_stands() {
    for doi in SICIS {
        let entities = doi.replace('<', "&lt;").replace('>', "&gt;");
        let code = |c: &str| doi.replace('<', "%3C").replace('>', "%3E").replace('#', c);
        for text in [
            format!("Lee, A. (1985). It. https://doi.org/{doi}"),
            format!("See doi:{doi}."),
            format!("(doi:{entities}), and"),
            format!("https://doi.org/{} and", code("%23")),
            format!("<https://doi.org/{doi}>"),
            format!("[it](https://doi.org/{})", code("%23")),
        ] {
            assert_eq!(doi_in(&text).as_deref(), Some(doi), "{text}");
        }
        for text in [
            doi.to_owned(),
            doi.to_ascii_uppercase(),
            format!("doi:{doi}"),
            entities.clone(),
            address(doi),
        ] {
            assert_eq!(parse_doi(&text).as_deref(), Some(doi), "{text}");
            assert_eq!(registered_doi(&text).as_deref(), Some(doi), "{text}");
        }
        let html = format!("<meta name=citation_doi content='{entities}'>");
        let declared = find_doi("https://example.org/", &html, "");
        assert_eq!(declared.as_deref(), Some(doi), "{html}");
        let path = format!("https://example.org/doi/abs/{}", code("#"));
        assert_eq!(find_doi(&path, "", "").as_deref(), Some(doi), "{path}");
    }
    for (text, expected) in [
        ("<b>10.1000/abc</b>2.0", "10.1000/abc"),
        ("10.1000/abc<br>2.0 times", "10.1000/abc"),
        ("10.1000/abc#1", "10.1000/abc"),
    ] {
        assert_eq!(doi_in(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn a_registered_doi_is_taken_as_it_is() {
    for doi in [
        "10.1000/x_(y)z.",
        "10.1000/trail)",
        "10.1000/a%2fb",
        "10.1000/\u{fc}ml\u{e4}",
        "10.1000/a#b",
        "10.1000/a?b=c&d",
        "10.1000/a<b>c",
        "10.1000/a-",
    ] {
        assert_eq!(registered_doi(doi).as_deref(), Some(doi), "{doi}");
        assert_eq!(registered_doi(&address(doi)).as_deref(), Some(doi), "{doi}");
    }
    let of_address = registered_doi("https://doi.org/10.1000/A%2Fb");
    assert_eq!(of_address.as_deref(), Some("10.1000/a/b"));
    for none in ["", "10.1000", "10.1000/", "x10.1000/a", "10.1000/..."] {
        assert_eq!(registered_doi(none), None, "{none}");
    }
    assert_eq!(
        address("10.1000/a%2fb<c>#d"),
        "https://doi.org/10.1000/a%252fb%3Cc%3E%23d"
    );
    let written = parse_doi("10.1000/\u{fc}ml\u{e4}");
    assert_eq!(written.as_deref(), Some("10.1000/\u{fc}ml\u{e4}"));
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC*", near in "(10\\.|[0-9/.()\\[\\]\u{e9}v]){0,30}") {
        for text in [&text, &near] {
            let _ = in_text(text);
            let _ = parse_doi(text);
                let _ = registered_doi(text);
            if let Ok(url) = Url::parse(&format!("https://example.org/{text}?x={text}")) {
                let _ = in_address(&url);
            }
        }
    }
}
