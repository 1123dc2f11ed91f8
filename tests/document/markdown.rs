//! Properties of every page: hostile ones cost no more than their length, no word is lost, the
//! Markdown is not much longer than the page.

use std::fmt::Write as _;
use std::time::Duration;

use iki_document::{convert, convert_xhtml};
use proptest::prelude::*;
use pulldown_cmark::TagEnd;
use rustix::time::{ClockId, clock_gettime};
use url::Url;

fn base() -> Url {
    Url::parse("https://example.com/").unwrap()
}

fn markdown(page: &str) -> String {
    convert(page, &base()).markdown
}

/// Bytes that a conversion may add to twice the page: what a page of a few bytes needs.
const SMALL: usize = 1536;

fn cpu_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        now.tv_sec.unsigned_abs(),
        u32::try_from(now.tv_nsec).unwrap(),
    )
}

fn timed(page: &str) -> (String, Duration) {
    let start = cpu_time();
    let markdown = markdown(page);
    (markdown, cpu_time().saturating_sub(start))
}

/// A debug build is an order of magnitude slower than what is shipped.
const SLOWER: u32 = if cfg!(debug_assertions) { 12 } else { 1 };

/// Factor by which a page of a mebibyte may take longer in a debug build.
const LARGE: u32 = if cfg!(debug_assertions) { 2 } else { 1 };

/// Depth of the deep pages: a debug build sees the same shapes, shorter.
const DEEP: usize = if cfg!(debug_assertions) {
    5_000
} else {
    100_000
};

fn survives(what: &str, page: &str, word: &str, count: usize) {
    let (markdown, time) = timed(page);
    assert!(
        time < Duration::from_millis(1500) * SLOWER,
        "{what}: {time:?}"
    );
    assert_eq!(markdown.matches(word).count(), count, "{what}: text lost");
    let (had, has) = (page.len(), markdown.len());
    assert!(has <= 2 * had + SMALL, "{what}: {has} bytes from {had}");
}

#[test]
fn a_hundred_thousand_deep_of_any_element_keeps_its_text() {
    for name in [
        "a",
        "abbr",
        "address",
        "article",
        "aside",
        "b",
        "bdi",
        "bdo",
        "big",
        "blockquote",
        "body",
        "button",
        "caption",
        "center",
        "cite",
        "code",
        "custom-element",
        "dd",
        "del",
        "details",
        "dfn",
        "dialog open",
        "dir",
        "div",
        "dl",
        "dt",
        "em",
        "fieldset",
        "figcaption",
        "figure",
        "font",
        "footer",
        "form",
        "h1",
        "h6",
        "header",
        "hgroup",
        "html",
        "i",
        "ins",
        "kbd",
        "label",
        "legend",
        "li",
        "listing",
        "main",
        "mark",
        "marquee",
        "math",
        "menu",
        "nobr",
        "object",
        "ol",
        "optgroup",
        "option",
        "p",
        "pre",
        "q",
        "ruby",
        "rt",
        "s",
        "samp",
        "section",
        "select",
        "small",
        "span",
        "strike",
        "strong",
        "sub",
        "summary",
        "sup",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "tt",
        "u",
        "ul",
        "var",
        "video",
    ] {
        let deep = format!("<{name}>").repeat(DEEP);
        survives(name, &format!("{deep}wordone"), "wordone", 1);
        let closed = format!("</{name}>").repeat(DEEP);
        survives(name, &format!("{deep}wordone{closed}wordtwo"), "wordtwo", 1);
    }
    // A drawing shows no text of its own.
    let (deep, closed) = ("<svg>".repeat(DEEP), "</svg>".repeat(DEEP));
    survives(
        "svg",
        &format!("{deep}wordone{closed}wordtwo"),
        "wordtwo",
        1,
    );
}

#[test]
fn two_elements_in_turn_a_hundred_thousand_deep_keep_their_text() {
    for pair in [
        "<ul><li>",
        "<ol><li>",
        "<dl><dd>",
        "<table><tr><td>",
        "<blockquote><p>",
        "<b><div>",
        "<a href=x><div>",
        "<div><table>",
        "<table><div>",
        "<p><b id=i>",
        "<b><i>",
        "<li><p>",
        "<button><p>",
        "<select><div>",
        "<object><td>",
        "<table><caption>",
        "<svg><p>",
        "<svg><text>",
        "<svg><g hidden><p>",
        "<math hidden><p>",
        "<svg><foreignobject>",
        "<math><mtext>",
        "<ruby><rt>",
        "<form><div>",
        "<h1><p>",
        "<table><b>",
        "<table><tr><b>",
        "<div></form>",
        "<div><form></div>",
        "<td><div></td>",
        "<table><tr><td></table></div>",
        "<div><object></div>",
        "<template><div></template>",
        "<a><b><i><s><code><p></a></b>",
        "<b><p></b>",
        "<select><option>",
    ] {
        survives(
            pair,
            &format!("{}wordone", pair.repeat(DEEP / 2)),
            "wordone",
            1,
        );
    }
}

#[test]
fn formatting_that_is_never_closed_costs_no_more_than_its_length() {
    let mut page = String::new();
    let mut count = 0;
    while page.len() < 64 * 1024 {
        let _ = write!(page, "<p><b id=i{count}>wordone ");
        count += 1;
    }
    survives("distinct formatting", &page, "wordone", count);
    let page = "<p><b id=i>wordone ".repeat(4000);
    survives("the same formatting", &page, "wordone", 4000);
    let page = format!("<b><i><s><code><em><strong>{}", "<p>wordone".repeat(20_000));
    survives("formatting around", &page, "wordone", 20_000);
    let page = "<a href=x><code><pre><code class=c><b><div>wordone</div></a>".repeat(5000);
    survives("mixed formatting", &page, "wordone", 5000);
}

#[test]
fn fifty_thousand_unclosed_elements_of_all_sorts_keep_their_text() {
    let names = [
        "div",
        "b",
        "p",
        "i",
        "span",
        "ul",
        "li",
        "a href=x",
        "blockquote",
        "em",
        "h2",
        "section",
        "table",
        "tr",
        "td",
        "ol",
        "dd",
        "code",
        "font",
        "strong",
        "form",
        "button",
        "u",
        "pre",
    ];
    for step in [1, 5, 7, 11] {
        let mut page = String::new();
        for index in 0..DEEP / 2 {
            let _ = write!(page, "<{}>w{index}w ", names[index * step % names.len()]);
        }
        let (markdown, time) = timed(&page);
        assert!(time < Duration::from_millis(1500) * SLOWER, "{time:?}");
        for index in 0..DEEP / 2 {
            assert!(
                markdown.contains(&format!("w{index}w")),
                "w{index}w is lost"
            );
        }
    }
}

#[test]
fn cells_that_span_all_rows_cost_each_row_no_more_than_a_constant() {
    for piece in [
        "<tr><td rowspan=65534 colspan=64>w ",
        "<tr><td rowspan=65534>w ",
        "<tr><td>w <td rowspan=65534>w ",
        "<tr><th rowspan=65534 colspan=3>w ",
    ] {
        let count = 1024 * 1024 / piece.len();
        let (_, time) = timed(&format!("<table>{}</table>", piece.repeat(count)));
        assert!(time < Duration::from_secs(3) * LARGE, "{piece}: {time:?}");
    }
}

#[test]
fn a_long_base_is_not_copied_for_every_address_of_a_page() {
    for base in ["\u{20ac}".repeat(5000), "a/".repeat(8000)] {
        for piece in ["<img src=x>", "<a href=../x>w</a> ", "<a href=#x>w</a> "] {
            let count = 1024 * 1024 / piece.len();
            let page = format!("<base href='http://e/{base}/'>{}", piece.repeat(count));
            let (_, time) = timed(&page);
            assert!(time < Duration::from_secs(3) * LARGE, "{piece}: {time:?}");
        }
    }
}

/// Shapes of pages, each as a start, a piece that is repeated, and an end.
const SHAPES: &[(&str, &str, &str)] = &[
    ("", "<p>word word</p>", ""),
    ("", "<p>word<p>", ""),
    ("", "word\n", ""),
    (
        "<p>",
        "<a href=\"https://example.com/some/page\">word</a> ",
        "",
    ),
    ("<ul>", "<li>word", "</ul>"),
    ("<ol>", "<li>word</li>", "</ol>"),
    ("<ul>", "<li><p>word</p></li>", "</ul>"),
    ("", "<ul><li>word", ""),
    ("", "<blockquote>word", ""),
    ("", "<blockquote><p>word</p></blockquote>", ""),
    ("<table>", "<tr><td>word<td>word", "</table>"),
    ("<table><tr>", "<td>word", "</table>"),
    ("<table><tr><th>a<tr>", "<td>", "</table>"),
    ("<table>", "<tr><td rowspan=65534>w", "</table>"),
    ("<table>", "<tr><td colspan=1000>w", "</table>"),
    ("", "<table><tr><td>word", ""),
    ("", "<table><tr><td>word</table>", ""),
    ("<table>", "<i>w</i>", "</table>"),
    ("<table>", "w<br>", "</table>"),
    ("<table>", "<tr>w", "</table>"),
    ("<p ", "a=b ", ">word"),
    ("", "<p a=\"b\" c=\"d\" id=e>word", ""),
    ("<p>", "word<br>", ""),
    ("<p>", "<br>", ""),
    ("<pre>", "word\n", "</pre>"),
    ("<pre>", "`", "</pre>"),
    ("<ul><li><blockquote><pre>", "w\n", ""),
    ("<p>", "`", ""),
    ("<p>", "*", ""),
    ("<p>", "*a ", ""),
    ("<p>", "*a* _b_ `c` ~d~ ", ""),
    ("<p>", "[", ""),
    ("<p>", "[a](b)", ""),
    ("<p>", "&lt;b ", ""),
    ("<p>", "\\", ""),
    ("<a href=x>", "[ <p>", ""),
    ("<p>", "<code>a`b</code>", ""),
    ("<p>", "<code>a</code>", ""),
    ("<p>", "<b>a</b>", ""),
    ("<p>", "<i>a</i> ", ""),
    ("<p><b>", "a<i>b</i>c ", ""),
    ("<p><b>", "a<b>b</b>c", ""),
    ("<p>", "<i>a</i><b>b</b>", ""),
    ("<p>", "~<b>a</b>b` ", ""),
    ("<p>", "<i><b>a</i>b</b>", ""),
    ("", "<b>a<i>", ""),
    ("", "<!-- - -->", ""),
    ("<!--", "-", "x"),
    ("", "<script>", ""),
    ("", "</p>", ""),
    ("", "</div>", ""),
    ("<div>", "</b>", ""),
    ("", "<select><option>word", ""),
    ("<select>", "<option>word</option>", "</select>"),
    ("<dl>", "<dt>word<dd>word", "</dl>"),
    ("", "<h1>word</h1>", ""),
    ("", "<hr>", ""),
    ("", "<svg><text>word", ""),
    ("", "<b><p>word</b>", ""),
    ("", "<img src=x alt=word>", ""),
    ("", "<title>word", ""),
    ("", "<base href=x>", ""),
    ("<ruby>", "w<rt>w", "</ruby>"),
];

/// Bytes of the shortest page of a shape.
const SHAPE: usize = if cfg!(debug_assertions) {
    5_000
} else {
    50_000
};

/// CPU time that `page` costs at least: the least of `times` conversions.
fn fastest(page: &str, times: u32) -> Duration {
    (0..times).map(|_| timed(page).1).min().unwrap()
}

#[test]
fn time_and_length_grow_as_the_page_does() {
    for (start, piece, end) in SHAPES {
        let page = |bytes: usize| format!("{start}{}{end}", piece.repeat(bytes / piece.len()));
        let (small, large) = (page(SHAPE), page(4 * SHAPE));
        for page in [&small, &large] {
            let (had, has) = (page.len(), markdown(page).len());
            assert!(has <= 2 * had + SMALL, "{piece}: {has} bytes from {had}");
        }
        // Quadratic cost would be sixteen times as much. Another process can slow down each of a
        // few conversions, hardly each of many.
        let grows_too_fast =
            |times| fastest(&large, times) > fastest(&small, times) * 9 + Duration::from_millis(3);
        assert!(!(grows_too_fast(1) && grows_too_fast(5)), "{piece}");
    }
}

#[test]
fn time_grows_as_a_page_of_xhtml_does() {
    for (start, piece) in [
        ("", "<div/>w"),
        ("", "<a id='x'/>w"),
        ("", "<![CDATA["),
        ("", "<![CDATA[w]]>"),
        ("<script>", "<!--"),
        ("<title>", "<![CDATA[w]]>"),
        ("<title>", "<!"),
        ("", "<!DOCTYPE ["),
        ("", "<?w>"),
    ] {
        let page = format!("{start}{}", piece.repeat(1024 * 1024 / piece.len()));
        let begin = cpu_time();
        let _ = convert_xhtml(&page, &base());
        let time = cpu_time().saturating_sub(begin);
        assert!(time < Duration::from_secs(3) * LARGE, "{piece}: {time:?}");
    }
}

#[test]
fn ten_nested_tables_stay_small() {
    let page = "<table><tr><td>a<td>b".repeat(10);
    assert!(markdown(&page).len() <= 2 * page.len());
}

fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-z]{1,6}".prop_map(|word| word),
        3 => Just(" ".to_owned()),
        1 => Just("\n\n".to_owned()),
        1 => "[*_`~\\[\\]()<&\\\\|#>+\\-=.:!1]{1,3}",
        6 => prop::sample::select(vec![
            "a href=x", "a href='y' title=z", "b", "i", "em", "code", "del", "p", "div", "h2",
            "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "pre", "table", "tr", "td", "th",
            "thead", "caption", "br", "hr", "img src=x alt=y", "span", "q", "button", "select",
            "option", "textarea", "svg", "math", "title", "input type=checkbox", "form", "object",
            "xmp", "body", "html", "ruby", "rt", "main", "nobr", "summary", "center",
        ]).prop_map(|tag| format!("<{tag}>")),
        4 => prop::sample::select(vec![
            "a", "b", "i", "em", "code", "del", "p", "div", "h2", "ul", "ol", "li", "dl", "dt",
            "dd", "blockquote", "pre", "table", "tr", "td", "th", "thead", "caption", "br", "span",
            "button", "select", "svg", "math", "form", "object", "body", "html", "textarea",
        ]).prop_map(|tag| format!("</{tag}>")),
        1 => prop::sample::select(vec![
            "<!-- x -->", "<script>x</script>", "&amp;", "&nbsp;", "&lt;", "<", "</", "<!", "\u{e9}",
            "\u{a0}", "\u{3000}", "<p hidden>", "\0",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..80).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_page_has_a_conversion_that_is_not_much_longer(page in soup()) {
        let markdown = markdown(&page);
        prop_assert!(markdown.len() <= 2 * page.len() + SMALL);
        prop_assert!(!markdown.ends_with('\n'));
    }

    #[test]
    fn any_text_has_a_conversion(page in ".{0,200}") {
        markdown(&page);
    }

    #[test]
    fn every_word_that_a_reader_sees_is_kept(
        words in prop::collection::vec("[a-z]{3,8}", 1..30),
        tags in prop::collection::vec(prop::sample::select(vec![
            "<p>", "</p>", "<b>", "</b>", "<i>", "<div>", "</div>", "<ul>", "<li>", "</ul>",
            "<table>", "<tr>", "<td>", "</table>", "<h2>", "</h2>", "<a href=x>", "</a>", "<code>",
            "</code>", "<blockquote>", "<br>", "<pre>", "</pre>", "<span>", "<dl>", "<dd>",
        ]), 30),
    ) {
        let mut page = String::new();
        for (word, tag) in words.iter().zip(&tags) {
            let _ = write!(page, " {word} {tag}");
        }
        let markdown = markdown(&page);
        for word in words.iter().take(tags.len()) {
            prop_assert!(markdown.contains(word.as_str()), "{word} of {page} in {markdown}");
        }
    }

    #[test]
    fn emphasis_in_emphasis_leaves_no_marks_in_the_text(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "<b>", "<b>", "</b>", "</b>", "<i>", "<i>", "</i>", "</i>", "<del>", "</del>", "one",
            "two", "three", "<br>", " ", " four", "five ", ".", "\"",
        ]), 1..16),
    ) {
        let page = format!("<p>{}</p>", pieces.concat());
        let markdown = markdown(&page);
        let options = pulldown_cmark::Options::ENABLE_STRIKETHROUGH;
        let mut text = String::new();
        for event in pulldown_cmark::Parser::new_ext(&markdown, options) {
            match event {
                pulldown_cmark::Event::Text(piece) => text.push_str(&piece),
                pulldown_cmark::Event::HardBreak | pulldown_cmark::Event::End(TagEnd::Paragraph)
                    if !text.ends_with(' ') => text.push(' '),
                _ => {}
            }
        }
        let words = pieces.concat().replace("<br>", " ");
        let words = words
            .split('<')
            .map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text))
            .collect::<String>();
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        prop_assert_eq!(text.trim(), words, "{} of {}", markdown, page);
    }

    #[test]
    fn plain_text_reads_back_as_it_was(text in "[ -~]{0,60}") {
        let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
        let markdown = markdown(&format!("<p>{escaped}</p>"));
        let mut html = String::new();
        let options = pulldown_cmark::Options::ENABLE_STRIKETHROUGH
            | pulldown_cmark::Options::ENABLE_TABLES;
        pulldown_cmark::html::push_html(
            &mut html,
            pulldown_cmark::Parser::new_ext(&markdown, options),
        );
        let back = html
            .replace("<p>", "")
            .replace("</p>", "")
            .replace("&quot;", "\"")
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&");
        let wanted = text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        prop_assert_eq!(back.trim(), wanted, "{}", markdown);
    }
}
