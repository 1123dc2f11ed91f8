//! Content that is left out, and content that passes unchanged.

use std::time::{Duration, Instant};

use html2md::RcDom;
use url::Url;

use super::super::StageDeadlines;
use super::super::parse::{MAX_TREE_BYTES, NODE_BYTES};
use super::{HtmlSource, PageFilter, PageSyntax, WantedContent, tree};
use iki_markdown::limits::STEPS_PER_CHECK;

fn filter(page: &str) -> String {
    filter_as(page, PageSyntax::Html)
}

/// Returns the tokens of a page, written as a page.
fn filter_as(page: &str, syntax: PageSyntax) -> String {
    with_source(page, syntax, |source| {
        filter_for(source, WantedContent::Shown)
    })
}

fn filter_for(source: &HtmlSource<'_>, wanted: WantedContent) -> String {
    let mut filter = PageFilter::new(source, wanted);
    filter.run(None);
    filter.out.written()
}

fn with_source<T>(page: &str, syntax: PageSyntax, read: impl Fn(&HtmlSource<'_>) -> T) -> T {
    read(&HtmlSource {
        page,
        base: &Url::parse("http://a.example/").unwrap(),
        syntax,
        ends: StageDeadlines::default(),
    })
}

/// Returns the tree of a page.
fn build(page: &str) -> RcDom {
    with_source(page, PageSyntax::Html, |source| {
        super::build(source, WantedContent::Shown).0
    })
}

#[test]
fn a_page_that_needs_nothing_passes_unchanged() {
    for page in [
        "",
        "plain text, 1 &lt; 2 &amp; 3",
        "<p>a <b>b</b><p>c",
        "<!DOCTYPE html><html><head><title>t</title></head><body><h1>a</h1></body></html>",
        "<ul><li>a<li>b</ul><table><tr><td colspan=2>x<td>y</table>",
        "<a href=x title='y z'>a</a><img src=x alt=y><br><hr>",
    ] {
        assert_eq!(filter(page), page);
    }
}

#[test]
fn what_no_reader_sees_is_left_out() {
    for (page, wanted) in [
        ("a<script>if (a < b) '<p>'</script>b", "ab"),
        ("a<SCRIPT>x</script >b", "ab"),
        ("a<style>x</styles></style>b", "ab"),
        ("a<!-- > -- -->b", "ab"),
        ("a<!-->b", "ab"),
        ("a<!--->b", "ab"),
        ("a<!-- --!>b", "ab"),
        ("a<![CDATA[x]]>b", "ab"),
        ("a<?php x ?>b", "ab"),
        ("a</ x>b", "ab"),
        ("a<template><template></template>x</template>b", "ab"),
        ("a<noscript><p>x</noscript>b", "ab"),
        (
            "a<svg viewBox=x><title>t</title><path d=x /><text>w</text></svg>b",
            "a w b",
        ),
        ("a<script>b", "a"),
        ("a<b x='", "a"),
        // Removed content joins nothing to a tag.
        ("a<<script>x</script>b>", "a&lt;b>"),
        ("a<<!-- x -->/b>", "a&lt;/b>"),
        ("a<<</o:p>div hidden>", "a&lt;&lt;div hidden>"),
    ] {
        assert_eq!(filter(page), wanted, "{page}");
    }
}

#[test]
fn text_of_a_drawing_that_is_painted_with_nothing_is_left_out() {
    for hidden in [
        "<text opacity=0>x</text>",
        "<text opacity='0%'>x</text>",
        "<g opacity='0.0'><text>x</text><text opacity=1>x</text></g>",
        "<text fill=none>x</text>",
        "<TEXT FILL=' None '>x</TEXT>",
        "<text fill=none class=c>x</text>",
        "<text fill='none' stroke='none'><tspan>x</tspan></text>",
        "<g fill=none><g><text>x</text></g><text>x</text></g>",
        "<text fill-opacity='0'>x</text>",
        "<g fill-opacity='.0'><text fill=red>x</text></g>",
        "<text font-size='0'>x</text>",
        "<g font-size='0px'><text>x</text></g>",
        "<text visibility=hidden>x</text>",
        "<g display=none><text>x</text></g>",
    ] {
        let page = format!("a<svg>{hidden}<text>w</text></svg>b");
        let filtered = filter(&page);
        assert!(!filtered.contains('x'), "{hidden}: {filtered}");
        assert!(filtered.contains(" w "), "{hidden}: {filtered}");
    }
    assert_eq!(filter("a<svg fill=none><text>x</text></svg>b"), "a  b");
    for seen in [
        "<text opacity='.5' fill-opacity='0.2' font-size='8' fill='#fff0'>w</text>",
        "<text fill=none stroke=black>w</text>",
        "<g stroke=black><text fill-opacity=0>w</text></g>",
        "<g fill=none><path d=x /><text fill=black>w</text></g>",
        "<g fill=none font-size=0><text class=c>w</text></g>",
        "<g fill=none><text style='fill: red'>w</text></g>",
        "<text fill=none><tspan fill=red>w</tspan></text>",
        "<g font-size=0><text font-size=10>w</text></g>",
        "<g fill=none></g><text>w</text>",
        "<g fill=none><g></g></g><text>w</text>",
        "<path fill=none /><text>w</text>",
        "<g fill=none font-size=0><foreignObject>w</foreignObject></g>",
        "<circle fill=none opacity=0 /><text fill=url(#g)>w</text>",
    ] {
        for page in [
            format!("a<svg>{seen}</svg>b"),
            format!("a<svg><text fill=none></svg><svg>{seen}</svg>b"),
        ] {
            let filtered = filter(&page);
            assert!(
                filtered.contains('w') && filtered.ends_with('b'),
                "{seen}: {filtered}"
            );
        }
    }
    assert_eq!(filter("<svg fill=none></svg><math><mi>w</mi></math>"), "w");
}

#[test]
fn only_attributes_that_are_used_stay() {
    for (page, wanted) in [
        (
            "<p id=a class='b c' lang=x hidden x-hides=removed>",
            "<p hidden id=a class='b c'>",
        ),
        ("<p id=a class='b c'>", "<p>"),
        ("<a class=x href=\"a>b\" onclick='>'>", "<a href='a>b'>"),
        ("<img src='data:x' alt=\"a\">", "<img alt=a>"),
        ("<p style='color:red'>", "<p>"),
        ("<p style='color:red;display:none'>", "<p x-hides=removed>"),
        ("<p style='opacity:0'>", "<p x-hides=faded>"),
        ("<td style='text-align:right'>", " "),
        (
            "<pre class=rust><code class=x>",
            "<pre class=rust><code class=x>",
        ),
        ("<code class=x>", "<code>"),
        ("<body style='display:none'>", "<body>"),
        ("</p id=x>", "</p>"),
        ("<p =x y = z>", "<p>"),
        ("<span class=x>a<abbr>b</abbr></span> <x-y>c</x-y>", "ab c"),
        ("<span hidden>a</span>", "<span hidden>a</span>"),
        ("<pre><span></span>\na</pre>", "<pre><span></span>\na</pre>"),
    ] {
        assert_eq!(filter(page), wanted, "{page}");
    }
}

#[test]
fn whitespace_where_a_line_begins_is_left_out() {
    for (page, wanted) in [
        (
            "<div>\n <ul>\n<li> a</li>\n</ul>\n</div>\n b",
            "<div><ul><li> a</li></ul></div>\n b",
        ),
        ("<div> <!-- --> <script></script>\n <p>a", "<div><p>a"),
        ("a <b>b</b> <div> c", "a <b>b</b> <div> c"),
        ("<div> <b> </b> </div>", "<div><b> </b> </div>"),
        // An element that ends invisibly begins no line.
        ("a<div hidden> b</div> c", "a<div hidden> b</div> c"),
        ("a<div hidden> </div> c", "a<div hidden></div> c"),
        ("a<nav> </nav> c", "a<nav> </nav> c"),
        (
            "<pre><div> </div> </pre> <p>",
            "<pre><div> </div> </pre> <p>",
        ),
        ("<p> <pre> <b> </b></pre>", "<p><pre> <b> </b></pre>"),
        ("<p>a<i class=x></i> <B></b>b<i> </i>", "<p>a b<i> </i>"),
        ("<pre><b></b>\na</pre>", "<pre><b></b>\na</pre>"),
        ("<PRE><P> </P> </PRE> a", "<pre><p> </p> </pre> a"),
        ("a<NAV> </NAV> b", "a<nav> </nav> b"),
    ] {
        assert_eq!(filter(page), wanted, "{page}");
    }
}

#[test]
fn text_that_is_no_markup_stays_text() {
    for (page, wanted) in [
        ("<title>a <b> c</title>", "<title>a &lt;b> c</title>"),
        (
            "<textarea>a <b> &amp;</textarea>",
            "<span> a &lt;b> &amp; </span>",
        ),
        ("<xmp>a <b> &amp;</xmp>", "<pre>a &lt;b> &amp;amp;</pre>"),
        ("<xmp>\r\na\0\rb</xmp>", "<pre>\na\nb</pre>"),
        (
            "<plaintext>a <b></plaintext>",
            "<pre>a &lt;b>&lt;/plaintext></pre>",
        ),
        ("<select><option>a<option>b</select>", "  a b "),
    ] {
        assert_eq!(filter(page), wanted, "{page}");
    }
}

#[test]
fn nothing_in_a_noscript_takes_what_stands_behind_it() {
    for page in [
        "<noscript><iframe src=/a /></noscript>b",
        "<noscript><textarea></noscript>b<textarea>c</textarea>",
        "<noscript><script></noscript>b",
    ] {
        for wanted in [WantedContent::All, WantedContent::Scriptless] {
            let text = with_source(page, PageSyntax::Html, |source| filter_for(source, wanted));
            let behind = text.rsplit_once("</div>").map(|(_, behind)| behind);
            assert!(
                behind.is_some_and(|text| text.starts_with('b')),
                "{page} {text}"
            );
        }
    }
    // None of them is looked for again and again.
    let many = "<noscript><iframe>".repeat(200_000);
    let start = Instant::now();
    for wanted in [WantedContent::All, WantedContent::Scriptless] {
        with_source(&many, PageSyntax::Html, |source| filter_for(source, wanted));
    }
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_page_that_is_xml_becomes_one_of_html() {
    for (page, wanted) in [
        ("a<script src='a.js'/>b", "ab"),
        ("<title/>a", "a"),
        ("<div/>a", "<div></div>a"),
        ("<div id='x'/>a", "<div></div>a"),
        ("<a href='x'/>a", "<a href=x></a>a"),
        ("<span/>a<i />b", "a<i></i>b"),
        ("<b hidden='hidden'/>a", "<b hidden=hidden></b>a"),
        ("<form/>a<textarea/>b<iframe/>c", "<div></div>a b c"),
        (
            "<br/>a<hr/>b<img src='x'/><br></br>",
            "<br>a<hr>b<img src=x><br>",
        ),
        (
            "<table><tr><td/><td>a</td></tr></table>",
            "<table><tr><td></td><td>a</td></tr></table>",
        ),
        ("a<![CDATA[<b> & ]]>c", "a&lt;b> &amp; c"),
        ("a<![CDATA[b", "ab"),
        ("<title>a<![CDATA[<b>]]></title>", "<title>a&lt;b></title>"),
        ("<script>//<![CDATA[\n'</script>'\n//]]></script>a", "a"),
        ("<?a b>c?>d", "d"),
        ("<!DOCTYPE html [<!ENTITY a 'b'>]>c", "<!DOCTYPE html>c"),
        ("<svg><path/><text><![CDATA[a]]></text></svg>b", " a b"),
    ] {
        assert_eq!(filter_as(page, PageSyntax::Xml), wanted, "{page}");
    }
}

#[test]
fn elements_deeper_than_the_limit_stand_beside_the_outermost() {
    let page = "<div>a".repeat(1000);
    let filtered = filter(&page);
    assert_eq!(filtered.matches("</div>").count(), tree::MAX_DEPTH);
    assert!(depth_of(&page) < tree::MAX_DEPTH + 8);
    assert_eq!(filtered.matches('a').count(), 1000);
}

#[test]
fn formatting_that_is_never_closed_is_not_opened_for_ever() {
    let page = "<p><b id=i>x".repeat(10_000);
    let filtered = filter(&page);
    assert!(filtered.matches("<b>").count() < 2000);
    assert_eq!(filtered.matches('x').count(), 10_000);
}

#[test]
fn content_between_rows_ends_up_in_a_cell_once_there_is_too_much_of_it() {
    let page = format!("<table>{}", "<tr>a".repeat(1000));
    assert!(filter(&page).matches("<td>").count() > 700);
}

/// Returns the depth of the tree of a page.
fn depth_of(page: &str) -> usize {
    let tree = build(page);
    let mut deepest = 0;
    let mut open = vec![(tree.document.clone(), 0)];
    while let Some((node, depth)) = open.pop() {
        deepest = deepest.max(depth);
        let children = node.children.borrow();
        open.extend(children.iter().map(|child| (child.clone(), depth + 1)));
    }
    deepest
}

const NAMES: &[&str] = &[
    "a",
    "address",
    "b",
    "body",
    "button",
    "caption",
    "center",
    "code",
    "col",
    "colgroup",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "em",
    "font",
    "form",
    "frameset",
    "h1",
    "h2",
    "head",
    "html",
    "i",
    "input",
    "li",
    "listing",
    "marquee",
    "math",
    "mi",
    "nobr",
    "object",
    "ol",
    "optgroup",
    "option",
    "p",
    "pre",
    "rb",
    "rp",
    "rt",
    "rtc",
    "ruby",
    "select",
    "span",
    "strong",
    "summary",
    "svg",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "tt",
    "ul",
    "x-y",
    "br",
    "hr",
    "foreignObject",
    "desc",
    "annotation-xml",
    "nav",
    "main",
];

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_tree_is_deeper_than_a_few_times_the_limit(
        tags in prop::collection::vec(
            (prop::sample::select(NAMES), any::<bool>(), any::<bool>()),
            1..7,
        ),
    ) {
        let mut piece = String::new();
        for (name, end, text) in tags {
            piece.push_str(if end { "</" } else { "<" });
            piece.push_str(name);
            piece.push('>');
            if text {
                piece.push('x');
            }
        }
        let depth = depth_of(&piece.repeat(1600));
        prop_assert!(depth <= 3 * tree::MAX_DEPTH + 64, "{} is {} deep", piece, depth);
    }
}

#[test]
fn a_page_is_read_until_its_tree_is_too_large_or_its_time_is_up() {
    let read = |page: &str, end: Option<Instant>| {
        with_source(page, PageSyntax::Html, |source| {
            let ends = StageDeadlines {
                parse: end,
                ..StageDeadlines::default()
            };
            let source = HtmlSource { ends, ..*source };
            super::build(&source, WantedContent::Shown).2
        })
    };
    let page = "<p>a".repeat(MAX_TREE_BYTES / NODE_BYTES);
    assert!(read(&page, None).memory);
    assert!(!read(&"<p>a".repeat(STEPS_PER_CHECK as usize), None).memory);
    let now = Instant::now();
    assert!(read(&page, Some(now)).time);
    let later = now + Duration::from_secs(3600);
    assert!(!read(&"<p>a".repeat(STEPS_PER_CHECK as usize), Some(later)).time);
}
