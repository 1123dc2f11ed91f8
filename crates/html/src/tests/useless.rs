//! Parts of a page that are of no use to a reader, and the links that replace embedded content.

use super::{check, markdown};

#[test]
fn images_that_nobody_sees_are_gone() {
    check(&[
        ("a<img src=/x.png width=1 height=1>", "a"),
        ("a<img src=/x.png width='0px' height=0 alt=x>", "a"),
        ("a<img src=/i/spacer.gif width=40>", "a"),
        ("a<img src=data:image/gif;base64,R0>", "a"),
        (
            "a <img src=/x.png width=10 height=100>",
            "a ![](https://example.com/x.png)",
        ),
        (
            "a <img src=/i/blank.gif data-src=/x.png>",
            "a ![](https://example.com/x.png)",
        ),
        ("a<a href=/y><img src=data:image/gif;base64,R0></a>", "a"),
    ]);
}

#[test]
fn links_of_no_use_are_gone() {
    check(&[
        ("a<a href=/x></a><a href=/y> </a>", "a"),
        ("a<a href=/x><svg></svg></a>", "a"),
        ("<a href=#main>Skip to content</a><p>a", "a"),
        (
            "<a href='#main' class=x> Skip to main content </a><p>a",
            "a",
        ),
        ("<a href=#nav>Jump to navigation</a><p>a", "a"),
        (
            "<h2>a<a href=#a title='Link to this heading'>\u{b6}</a></h2>",
            "## a",
        ),
        ("<h2><a href=#a>#</a> a</h2>", "## a"),
        (
            "<h2>a <a href=#a aria-label='Direct link to a'>\u{200b}</a></h2>",
            "## a",
        ),
        ("<h2>a <a href=#a>Permalink</a></h2>", "## a"),
        (
            "<dl><dt>a<a class=headerlink href=#a>\u{b6}</a><dd>b</dl>",
            "a\n: b",
        ),
        ("<h2><a href=#a>a</a></h2>", "## [a](#a)"),
        (
            "<a href=/x>Skip to the end of the story</a>",
            "[Skip to the end of the story](https://example.com/x)",
        ),
        ("<p>see <a href=#a>a</a>", "see [a](#a)"),
        ("<a href='#'>Menu</a>", "Menu"),
    ]);
}

#[test]
fn links_into_the_page_are_short_and_none_tracks() {
    check(&[
        ("<a href=/a/b#c>x</a>", "[x](#c)"),
        ("<a href='https://example.com/a/b#c'>x</a>", "[x](#c)"),
        (
            "<a href='https://example.com/a/bc#c'>x</a>",
            "[x](https://example.com/a/bc#c)",
        ),
        (
            "<base href=/d/><a href=#c>x</a>",
            "[x](https://example.com/d/#c)",
        ),
        (
            "<a href='/x?utm_source=a&amp;b=%2F&amp;gclid=c#d'>x</a>",
            "[x](https://example.com/x?b=%2F#d)",
        ),
        (
            "<img src='/x.png?utm_medium=a' alt=y>",
            "![y](https://example.com/x.png)",
        ),
    ]);
}

#[test]
fn a_list_of_links_does_not_run_together() {
    check(&[
        (
            "<div><a href=/x>a</a><a href=/y>b</a></div>",
            "[a](https://example.com/x) [b](https://example.com/y)",
        ),
        (
            "<p><span><a href=/x>a</a></span><span><a href=/y>b</a></span><a href=/z>c</a>",
            "[a](https://example.com/x) [b](https://example.com/y) [c](https://example.com/z)",
        ),
        (
            "<p><a href=/x>a</a><a href=/y>b</a>",
            "[a](https://example.com/x)[b](https://example.com/y)",
        ),
        ("<p>a<a href=/x>b</a>c", "a[b](https://example.com/x)c"),
    ]);
}

#[test]
fn what_is_shown_from_elsewhere_is_a_link() {
    check(&[
        (
            "<p>a</p><iframe src=/v title='A film'>no frames</iframe><p>b",
            "a\n\n[A film](https://example.com/v)\n\nb",
        ),
        ("a<iframe src=/v></iframe>b", "a <https://example.com/v> b"),
        (
            "a<iframe data-src='https://e.org/v'></iframe>",
            "a <https://e.org/v>",
        ),
        ("a<iframe src=about:blank></iframe>b", "a b"),
        ("a<iframe src=/v width=0 height=0></iframe>b", "a b"),
        ("a<iframe src=/v hidden></iframe>b", "a b"),
        (
            "a<video src=/v.mp4 title='A \"b\" c' controls>Your browser does not support the \
             video tag.</video>b",
            "a [A \"b\" c](https://example.com/v.mp4) b",
        ),
        (
            "<video><source src=/v.webm><source src=/v.mp4><p>Your browser does not support \
             this.</video>",
            "[Video](https://example.com/v.webm)",
        ),
        (
            "<audio controls src='/a.mp3'><a href=/a.mp3>Download</a></audio>",
            "[Audio](https://example.com/a.mp3)",
        ),
        ("<embed src=/x.pdf><p>a", "<https://example.com/x.pdf>\n\na"),
        (
            "<object data=/x.pdf title=t><p>Your browser does not support PDFs.</object>",
            "[t](https://example.com/x.pdf)",
        ),
        ("<object><p>a</p></object>", "a"),
        ("<canvas>Your browser does not support this.</canvas>a", "a"),
        ("<video>a<p>b", "a\n\nb"),
        (
            "<a href=/x>a <iframe src=/v title=t></iframe></a>",
            "[a t](https://example.com/x)",
        ),
    ]);
}

#[test]
fn the_box_in_a_pre_names_its_language() {
    check(&[
        (
            "<pre><div class='language-rust'>fn a() {}</div></pre>",
            "```rust\nfn a() {}\n```",
        ),
        (
            "<pre><span class='language-go'>a</span></pre>",
            "```go\na\n```",
        ),
        ("<pre><div class=line>a</div></pre>", "```\na\n```"),
    ]);
}

#[test]
fn a_card_leads_to_one_place_once_and_an_image_stands_once() {
    let others = (0..16).fold(String::new(), |page, n| {
        page + &format!("<p><a href=/{n}>o</a>")
    });
    let card = "<p><a href=/x><img src=/i.png alt=i></a><p><a href=/x>Title</a> <p>Text <a \
                href=/x>Read more</a> <a href=/x><img src=/i.png alt=i></a> <a href=/y>y</a>";
    let markdown = markdown(&format!("{others}{card}"));
    assert!(
        markdown.ends_with(
            "![i](https://example.com/i.png)\n\n\
             [Title](https://example.com/x)\n\nText Read more i [y](https://example.com/y)"
        ),
        "{markdown}"
    );
}

/// A page of more links than those that stay as they are, and `tail` behind them.
fn behind_others(tail: &str) -> String {
    let others = (0..16).fold(String::new(), |page, n| {
        page + &format!("<p><a href=/{n}>o{n}</a>")
    });
    let markdown = markdown(&format!("{others}<p>end<p>{tail}"));
    markdown.split_once("end\n\n").unwrap().1.to_owned()
}

#[test]
fn a_link_that_has_been_said_is_text() {
    for (page, wanted) in [
        ("<a href=/3>o3</a>", "o3"),
        ("<a href=/3>O three</a>", "[O three](https://example.com/3)"),
        ("<a href=/a/b>this page</a>", "this page"),
        (
            "<a href=/x>a</a> <a href=/x>b</a> <a href=/y>a</a>",
            "[a](https://example.com/x) b [a](https://example.com/y)",
        ),
        // Words that would run together stay apart.
        ("Price<a href=/3>o3</a>", "Price[o3](https://example.com/3)"),
        (
            "<b>Price</b><a href=/3>o3</a>",
            "**Price**[o3](https://example.com/3)",
        ),
        ("<a href=/3>o3</a>s", "[o3](https://example.com/3)s"),
        ("(<a href=/3>o3</a>)", "(o3)"),
    ] {
        assert_eq!(behind_others(page), wanted, "{page}");
    }
    // A page of a few links stays as it is.
    check(&[(
        "<p><a href=/x>a</a><p><a href=/x>a</a><p><a href=''>b</a>",
        "[a](https://example.com/x)\n\n[a](https://example.com/x)\n\n[b](https://example.com/a/b)",
    )]);
}

#[test]
fn an_image_stands_for_what_the_page_says_by_it() {
    check(&[
        // One that is decoration, by its own word or by its size.
        ("<p>a<img src=/x.png alt=''>b", "a b"),
        ("<p>a<img src=/x.png width=24 height=24>b", "a b"),
        (
            "<p>a<img src=/x.png alt=b width=24 height=24>",
            "a![b](https://example.com/x.png)",
        ),
        (
            "<p>a <img src=/x.png alt='' width=640 height=480>",
            "a ![](https://example.com/x.png)",
        ),
        (
            "<figure><img src=/x.png alt=''><figcaption>a</figcaption></figure>",
            "![](https://example.com/x.png)\n\na",
        ),
        // One in a link with a text of its own.
        (
            "<a href=/y><img src=/x.png alt='a b'> a b c</a>",
            "[a b c](https://example.com/y)",
        ),
        (
            "<a href=/y><img src=/x.png alt='d'>a</a>",
            "[d a](https://example.com/y)",
        ),
        (
            "<a href=/y><img src=/x.png alt='d'></a>",
            "[![d](https://example.com/x.png)](https://example.com/y)",
        ),
        (
            "<a href=/y><img src=/x.png alt=''></a>",
            "[![](https://example.com/x.png)](https://example.com/y)",
        ),
        // One made to measure.
        (
            "<img alt=a src='/_next/image?url=%2Fx.png&amp;w=64&amp;q=75'>",
            "![a](https://example.com/x.png)",
        ),
        (
            "<img alt=a src='/x.png?w=64&amp;s=0123'>",
            "![a](https://example.com/x.png?w=64&s=0123)",
        ),
    ]);
}

#[test]
fn what_sends_the_page_on_is_no_place_to_go_to() {
    check(&[
        (
            "<p>a <a href='https://www.facebook.com/sharer.php?u=x'>Share</a>",
            "a Share",
        ),
        (
            "<p>a <a href='https://twitter.com/intent/tweet?url=x' \
             aria-label=Tweet><svg></svg></a>",
            "a",
        ),
        ("<p>a <a href='mailto:?body=x'>Mail</a>", "a Mail"),
        (
            "<p>a <a href='mailto:b@c?body=x'>Mail</a>",
            "a [Mail](mailto:b@c?body=x)",
        ),
    ]);
}

#[test]
fn a_title_that_says_the_same_is_gone() {
    check(&[
        (
            "<a href=/x title='a b'>a b c</a>",
            "[a b c](https://example.com/x)",
        ),
        (
            "<a href=/x title='d'>a</a>",
            "[a](https://example.com/x \"d\")",
        ),
        (
            "<img src=/x.png alt='a b' title=a>",
            "![a b](https://example.com/x.png)",
        ),
        (
            "<img src=/x.png alt=a title=b>",
            "![a](https://example.com/x.png \"b\")",
        ),
    ]);
}

#[test]
fn icons_of_fonts_stand_in_no_heading() {
    check(&[
        (
            "<h1 id=r>Notes<a class=headerlink href=#r title='Permalink to this \
             heading'>\u{f0c1}</a></h1>x",
            "# Notes\n\nx",
        ),
        (
            "<h2><i>\u{e900}</i> Title <b>\u{10fffd}</b></h2>",
            "## Title",
        ),
        ("<p>Press \u{f8ff}.", "Press \u{f8ff}."),
    ]);
}
