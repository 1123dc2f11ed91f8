//! The bound on a conversion's length, for pages made of what could be written more often than it
//! stands in them.

use iki_document::{ALLOWANCE, convert};
use proptest::prelude::*;
use url::Url;

/// Pieces of a page that could be written more often than they stand in it.
fn costly() -> impl Strategy<Value = String> {
    let long = "x".repeat(600);
    let pieces = [
        format!("<a href=/{long}>"),
        format!("<a href=/\u{e9}{long} title='{long}'>"),
        format!("<a href=y{long} aria-label='*[{long}'></a>"),
        format!("<b><a href=/z{long}><i>"),
    ];
    let pieces = pieces.into_iter().chain(
        [
            "<p>w",
            "w ",
            "</b>",
            "</i>",
            "</a>",
            "<div>",
            "</div>",
            "<b>",
            "<i>",
            "<code>",
            "</code>",
            "<img src=a>",
            "<img src=\u{e9} alt='[*'>",
            "<pre>a\n\n`\nb\n</pre>",
            "DEEP",
            "</ul>",
            "</blockquote>",
            "<ol start=999999990>",
            "<li>",
            "<td colspan=64>",
            "<table><tr><td colspan=64>x<td>",
            "<table>",
            "</table>",
            "<tr>",
            "<br>",
            "<hr>",
            "<h6>",
            "*_",
            "<dl><dd>",
            "<div class=highlight-abcdefghijklmnopqrstuvwxyz>",
        ]
        .map(str::to_owned),
    );
    prop::collection::vec(prop::sample::select(pieces.collect::<Vec<_>>()), 1..12)
        .prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_page_becomes_longer_than_twice_its_length_and_the_allowance(
        page in costly(),
        depth in 1_usize..100,
        path in 0_usize..2000,
        times in 1_usize..12,
    ) {
        let base = Url::parse(&format!("https://example.com/{}/", "p".repeat(path))).unwrap();
        let page = page.replace("DEEP", &"<blockquote><ul><li>".repeat(depth)).repeat(times);
        let markdown = convert(&page, &base).markdown;
        prop_assert!(markdown.len() <= 2 * page.len() + ALLOWANCE, "{} of {}", markdown.len(), page.len());
    }
}
