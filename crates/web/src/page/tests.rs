//! Pages as they come, and pages that mean harm.

use std::time::Duration;

use proptest::prelude::*;
use url::Url;

use super::*;
use iki_base::cpu_clock::CpuInstant;
use iki_base::wording::on_one_line;

fn today() -> PartialDate {
    PartialDate::parse("2026-11-22").unwrap()
}

/// Asks everything of a page that can be asked.
fn everything(address: &str, html: &str) -> String {
    let url = Url::parse(address).unwrap();
    let embedded = EmbeddedData::read(html);
    let class = classify(&url, Some(&embedded));
    let doi = doi::detected(&url, Some(&embedded), html, &class);
    let signals = forum::signals(&url, Some(&embedded));
    let citation = Citation::for_page(&url, Some(&embedded), "", today());
    let data = embedded.structured_data();
    serde_json::to_string(&(class, doi, signals, citation, data)).unwrap()
}

#[test]
fn a_line_has_nothing_that_cannot_be_seen() {
    for (text, expected) in [
        (" a\n\tb\u{2028}c\u{a0}d ", "a b c d"),
        ("a\0b\u{7f}c\u{9b}d", "a b c d"),
        ("\u{202e}a\u{2066}\u{200b}b\u{feff}\u{ad}\u{e0041}c", "abc"),
        ("e\u{301} \u{5c71}", "e\u{301} \u{5c71}"),
        (" \u{200b} ", ""),
    ] {
        assert_eq!(on_one_line(text), expected, "{text:?}");
    }
}

#[test]
fn nothing_that_can_mislead_reaches_what_is_said_of_a_page() {
    let bad = "\u{202e}\u{2066}\u{200b}\u{e0041}\u{1b}[31m\0\n";
    let html = format!(
        "<title>a{bad}b</title><meta name=author content='Jane{bad} Doe'><meta \
         property=og:site_name content='S{bad}'><meta property=og:title content='T{bad}x'><meta \
         name=citation_doi content='10.1234/a{bad}'><meta name=citation_journal_title \
         content='J{bad}'>"
    );
    let answer = everything("https://example.org/", &html);
    let read: String = serde_json::from_str::<serde_json::Value>(&answer)
        .unwrap()
        .to_string();
    assert!(!read.chars().any(iki_base::unseen::is_unseen), "{read}");
    // The entry for BibTeX is several lines.
    let control = |escape: &str| read.contains(escape);
    assert!(
        !control("\\u00") && !control("\\r") && !control("\\t"),
        "{read}"
    );
}

#[test]
fn a_hostile_page_costs_its_length_and_no_more() {
    let size = 10 * 1024 * 1024;
    let script = |json: &str| format!("<script type=application/ld+json>{json}</script>");
    let deep = |open: &str, close: &str| script(&(open.repeat(100_000) + &close.repeat(100_000)));
    let start = CpuInstant::now();
    for page in [
        "<meta name=citation_author content='Doe, Jane'>".repeat(size / 48),
        "<meta name=citation_doi content='10.1234/'>".repeat(size / 43),
        "<meta property=og:title content='x'>".repeat(size / 36),
        format!("<meta name=author content='{}'>", "A B, ".repeat(3000)).repeat(size / 15_000),
        format!("<meta name=author content='{}'>", "A and ".repeat(2500)).repeat(size / 15_000),
        script("{\"@type\":\"Article\",\"author\":\"A B\"}").repeat(size / 70),
        script(&format!("[{}0]", "0,".repeat(100_000))).repeat(20),
        script(&format!(
            "[{}{{}}]",
            "{\"@type\":\"Article\"},".repeat(10_000)
        )),
        script(&format!(
            "{{\"@type\":\"Article\",\"author\":[{}\"x\"]}}",
            "{\"@id\":\"a\"},".repeat(20_000)
        )),
        deep("[", "]"),
        deep("{\"@graph\":", "}"),
        deep("{\"@graph\":[", "]}"),
        deep("{\"mainEntity\":", "}"),
        script("{\"a\":\"\\ud800\"}"),
        script("\0"),
        "10.1234/a(".repeat(size / 10),
        "<p class=byline>By ".repeat(size / 19),
        format!("<title>{}", "x".repeat(size)),
        "\0".repeat(size),
    ] {
        let answer = everything("https://www.reddit.com/10.1234/x", &page);
        assert!(
            answer.len() < 400 * 1024,
            "{} {}",
            answer.len(),
            &page[..60]
        );
        assert!(serde_json::from_str::<serde_json::Value>(&answer).is_ok());
    }
    assert!(
        start.elapsed() < Duration::from_secs(60),
        "{:?}",
        start.elapsed()
    );
}

proptest! {
    #[test]
    fn nothing_that_looks_like_a_page_panics(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "<meta name=author content='", "<meta property=og:title content=\"", "'>", "\">",
            "<meta name=citation_author content='", "<meta name=citation_doi content='10.1000/",
            "<meta name=citation_date content='2024-", "Doe, ", "Jane", " and ", "; ", "Jr.", "&",
            "<script type=application/ld+json>", "{\"@type\":\"", "NewsArticle", "\",", "\"author\":",
            "\"name\":\"", "\"", "{", "}", "[", "]", "null", "1e999", "\\ud800", "</script>",
            "\"@graph\":", "\"@id\":\"a\"", "<![CDATA[", "]]>", "<title>", "</title>", "\u{e9}", "\0",
            "\u{202e}", "<p class=byline>", "</p>", "10.1000/", "05", "17", "van ", " ", ".", "-",
        ]), 0..60),
    ) {
        let _ = everything("https://old.reddit.com/2024/05/17/10.1000/x", &pieces.concat());
    }

    #[test]
    fn no_text_panics(text in "\\PC*", path in "\\PC{0,40}") {
        let address = format!("https://example.org/{path}");
        if Url::parse(&address).is_ok() {
            let _ = everything(&address, &text);
            let url = Url::parse(&address).unwrap();
            let _ = Citation::of_document(&url, &text, Some(&text), Some(&text), today());
        }
    }
}
