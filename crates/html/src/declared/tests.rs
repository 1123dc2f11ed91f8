//! Metadata of pages, and text that only looks like it.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use iki_base::cpu_clock::CpuInstant;

fn metas(page: &str) -> Vec<(MetaKind, String, String)> {
    let elements = read_declared(page).metas.into_iter();
    elements
        .map(|meta| (meta.kind, meta.name, meta.content))
        .collect()
}

#[test]
fn metas_are_found_by_each_of_their_three_names() {
    let page = "<META Name=Author content='Jane &amp; Co&#46;'><meta property=\"og:title\" \
                content=\"A &eacute; B\"/><meta content=2024 itemprop=datePublished><meta name=a \
                property=og:b content=c><meta name=x><meta content=y><meta name='' \
                content=z><meta name=twice name=no content=1 content=2>";
    let expected = [
        (MetaKind::Name, "author", "Jane & Co."),
        (MetaKind::Property, "og:title", "A \u{e9} B"),
        (MetaKind::ItemProp, "datepublished", "2024"),
        (MetaKind::Name, "a", "c"),
        (MetaKind::Property, "og:b", "c"),
        (MetaKind::Name, "twice", "1"),
    ];
    let expected =
        expected.map(|(kind, name, content)| (kind, name.to_owned(), content.to_owned()));
    assert_eq!(metas(page), expected);
}

#[test]
fn what_is_no_tag_declares_nothing() {
    for page in [
        "<!-- <meta name=a content=b> -->",
        "<script>'<meta name=a content=b>'</script>",
        "<style><meta name=a content=b></style>",
        "<textarea><meta name=a content=b></textarea>",
        "<template><meta name=a content=b></template>",
        "<noscript><meta name=a content=b></noscript>",
        "<a title='<meta name=a content=b>'>x</a>",
        "<plaintext><meta name=a content=b>",
        "<script><meta name=a content=b>",
        "<meta name=a content=b",
        "<title><meta name=a content=b></title>",
        "< meta name=a content=b>",
        "",
        "<",
        "</",
        "<!",
    ] {
        let metadata = read_declared(page);
        assert!(metadata.metas.is_empty(), "{page}: {metadata:?}");
    }
}

#[test]
fn the_title_is_the_page_s_own() {
    for (page, title) in [
        ("<title>\n A &amp;  B\t</title>", "A & B"),
        ("<svg><title>icon</title></svg><title>page</title>", "page"),
        ("<title>one</title><title>two</title>", "one"),
        ("<title></title><title>two</title>", ""),
        ("<title>a <b>c</b></TITLE>", "a <b>c</b>"),
        ("<title>open", "open"),
    ] {
        assert_eq!(read_declared(page).title, title, "{page}");
    }
}

#[test]
fn scripts_of_json_ld_come_as_they_stand_wherever_they_are() {
    let page = "<script type=application/ld+json>{\"a\":\"&amp;\"}</script><body><p><script \
                type=' Application/LD+JSON; charset=utf-8'> [1] \
                </script><script>no</script><script type=application/json>no</script>";
    assert_eq!(read_declared(page).json_ld, ["{\"a\":\"&amp;\"}", " [1] "]);
}

#[test]
fn the_byline_is_who_wrote_the_page_and_nobody_else() {
    for (page, names) in [
        ("<a rel=author href=/j>Jane  Doe</a>", &["Jane Doe"][..]),
        (
            "<p class='meta byline'>By <b>Jane</b> Doe</p>",
            &["By Jane Doe"],
        ),
        (
            "<p>By <a rel=author>A B</a> and <a rel=author>C D</a></p>",
            &["A B", "C D"],
        ),
        (
            "<span itemprop=author itemscope><span itemprop=name>A B</span>, Editor</span>",
            &["A B"],
        ),
        (
            "<span class=author>first</span><span itemprop=author>A B</span><span \
             class=author>last</span>",
            &["A B"],
        ),
        ("<div class=author><div>A</div>B</div>", &["A B"]),
        (
            "<p class=author>A<!-- no --><script>no</script></p>",
            &["A"],
        ),
        ("<p class=author hidden>A B</p>", &[]),
        ("<p class=author style='display: none'>A B</p>", &[]),
        ("<p class=authority>A B</p>", &[]),
        ("<p class=author>A B", &[]),
        ("<link rel=author href=/humans.txt>", &[]),
    ] {
        assert_eq!(read_declared(page).byline, names, "{page}");
    }
    let comment = format!(
        "<i class=author>A B</i>{}<i class=author>C D</i>",
        "x".repeat(MAX_NAMES_DISTANCE + 1)
    );
    assert_eq!(read_declared(&comment).byline, ["A B"]);
}

#[test]
fn the_date_is_that_of_the_article() {
    for (page, date) in [
        ("<time datetime=2020>old</time>", None),
        (
            "<time datetime=2020></time><article><time datetime=2021></time><time \
             datetime=2022></time>",
            Some("2021"),
        ),
        (
            "<h1>x</h1><time datetime=2021></time><time pubdate datetime=2022></time>",
            Some("2022"),
        ),
        (
            "<time itemprop=datePublished>May 1, <b>2024</b></time>",
            Some("May 1, 2024"),
        ),
        (
            "<span itemprop=datePublished content=2023-01-01>then</span>",
            Some("2023-01-01"),
        ),
    ] {
        assert_eq!(read_declared(page).published.as_deref(), date, "{page}");
    }
}

#[test]
fn a_hostile_page_costs_its_length_and_no_more() {
    let size = 3 * 1024 * 1024;
    let start = CpuInstant::now();
    for piece in [
        "<meta name=a content=b>",
        "<meta property=og:title content=\"",
        "<script type=application/ld+json>{}</script>",
        "<p class=author>",
        "<p class=author><p class=author></p>",
        "<time datetime=1>",
        "<svg><title>",
        "<!--",
        "<!",
        "</",
        "<a ",
        "<",
        "&",
        "\0",
    ] {
        let page = piece.repeat(size / piece.len());
        let metadata = read_declared(&page);
        assert!(metadata.metas.len() <= MAX_METAS && metadata.json_ld.len() <= MAX_BLOCKS);
    }
    let long = format!("<meta name=a content=\"{}\">", "\u{e9}".repeat(size));
    // The reader of tags leaves out values so long.
    assert!(metas(&long).is_empty());
    let long = format!(
        "<meta name=a content=\"{}\">",
        "\u{e9}".repeat(8 * 1024 - 1)
    );
    assert_eq!(metas(&long)[0].2.len(), MAX_CONTENT_BYTES);
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "{:?}",
        start.elapsed()
    );
}

proptest! {
    #[test]
    fn nothing_that_looks_like_a_page_panics(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "<meta", " name=", "author", " content='", "'", "\"", ">", "/>", "<title>", "</title>",
            "<script type=application/ld+json>", "</script>", "<p class=byline>", "</p>", "<!--",
            "-->", "<time datetime=", "<span itemprop=author>", "<b itemprop=name>", "</b>",
            "</span>", "&amp", "\u{e9}", "\0", "<svg>", "</svg>", " ", "=", "<br>", "</", "<",
        ]), 0..60),
    ) {
        let _ = read_declared(&pieces.concat());
    }

    #[test]
    fn no_text_panics(page in "\\PC*") {
        let _ = read_declared(&page);
    }
}
