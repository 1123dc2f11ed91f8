//! Pages that would be left without text: they show what they hide, or their data, or say why they
//! are empty.

use url::Url;

use super::{check, markdown};
use iki_base::cpu_clock::CpuInstant;

#[test]
fn a_page_that_would_be_left_with_nothing_shows_what_it_hides() {
    let text = "Some words of an article that is long enough. ".repeat(12);
    let long = text.trim();
    let next = "<div id=__next><p>Loading...</div>";
    for page in [
        format!("<body style='display:none'><p>{long}"),
        format!("<body><div style='visibility:hidden'><p>{long}</div>"),
        format!("<body><div hidden><div hidden><p>{long}</div></div>"),
        format!("{next}<noscript><p>{long}</noscript>"),
        format!("{next}<div hidden><p>{long}</div><div hidden>SECRET</div>"),
        format!("<script>x</script><div hidden><p>{long}<p hidden>SECRET</div>"),
    ] {
        let markdown = markdown(&page);
        assert!(markdown.contains(long), "{page} {markdown}");
        assert!(!markdown.contains("SECRET"), "{page} {markdown}");
    }
    let markdown = markdown(&format!(
        "<p>{text}</p><div hidden>{}</div>",
        "SECRET ".repeat(999)
    ));
    assert_eq!(markdown, long);
}

#[test]
fn a_page_that_would_be_left_with_nothing_shows_the_text_of_its_data() {
    let markdown_of = |page: &str| {
        let document = crate::convert(page, &Url::parse("https://example.com/a").unwrap());
        assert!(document.is_from_data && document.has_text(), "{page}");
        document.markdown
    };
    let body = "The river rose by two metres in one night, and fell again. ".repeat(4);
    let body = body.trim();
    let json_ld = |json: &str| {
        markdown_of(&format!(
            "<title>T</title><script type='application/ld+json'>{json}</script><div \
             id=root></div><script src=/a.js></script>"
        ))
    };
    let origin = "\n\n[This page shows next to no text. What is above stands in its JSON-LD.]";
    assert_eq!(
        json_ld(&format!(
            r#"{{"@type":"NewsArticle","headline":"H","articleBody":"{body}\n{body} 2 < 3"}}"#
        )),
        format!("{body}\n\n{body} 2 < 3{origin}")
    );
    assert_eq!(
        json_ld(&format!(
            r#"[{{"@graph":[{{"@type":"FAQPage","mainEntity":[{{"@type":"Question","name":"Why?","acceptedAnswer":{{"text":"<p>{body}</p>"}}}}],"comment":{{"text":"Me too"}}}}]}}]"#
        )),
        format!("## Why?\n\n{body}{origin}")
    );
    assert_eq!(
        json_ld(&format!(
            r#"{{"@type":"Recipe","recipeIngredient":["Flour"],"recipeInstructions":[{{"@type":"HowToStep","text":"{body}"}}]}}"#
        )),
        format!("- Flour\n\n{body}{origin}")
    );
    let short = "The river rose by two metres in one night, and it fell again in the next.";
    assert_eq!(
        json_ld(&format!(r#"{{"text":"{short}"}}"#)),
        format!("{short}{origin}")
    );
    let origin =
        "\n\n[This page shows next to no text. What is above stands in the data of its script.]";
    for script in [
        format!(
            r#"<script id=__NEXT_DATA__ type=application/json>{{"a":[1,null,true,"{body}"],"b":"{body}","css":".a{{b:c}} .d{{e:f}} g h i j k l m n o.","key":"short text"}}</script>"#
        ),
        format!(
            r#"<script>window.__STATE__ = {{"a":{{"b":"<p>{body}</p><p hidden>Ignore.</p>"}}}}; f()</script>"#
        ),
    ] {
        let converted = markdown_of(&format!("<p>Loading</p>{script}"));
        assert_eq!(converted, format!("{body}{origin}"));
    }
}

#[test]
fn a_page_with_text_of_its_own_has_none_of_its_data() {
    let text = "The river rose by two metres in one night, and fell again. ".repeat(9);
    let data = format!(r#"<script type=application/ld+json>{{"articleBody":"{text}"}}</script>"#);
    let converted = markdown(&format!("{data}<p>{}</p>", "A page of its own. ".repeat(9)));
    assert!(!converted.contains("river"), "{converted}");
    let short = r#"<script type=application/json>{"a":"One sentence of the page, and it is too short to be it."}</script>"#;
    assert!(!markdown(short).contains("sentence"));
    is_no_text_of(r#"<script type=application/json>{"a":"#, 20_000);
}

fn is_no_text_of(part: &str, times: usize) {
    let start = CpuInstant::now();
    markdown(&part.repeat(times));
    assert!(
        start.elapsed() < std::time::Duration::from_secs(5),
        "{part}"
    );
}

#[test]
fn a_page_without_text_says_why() {
    check(&[
        (
            "<html><head><meta name=description content='A &amp; B &lt;c>'><script src=x></script></head>\
             <body><div id=root></div><noscript>You need to enable JavaScript.</noscript></body></html>",
            "[This page shows no text without JavaScript, which was not run. It describes itself: \"A & B \\<c>\".]",
        ),
        (
            "<meta http-equiv=refresh content='0; URL=/next?a=b'>",
            "[This page shows no text. It leads to <https://example.com/next?a=b>]",
        ),
        (
            "<frameset><frame src=a.html><frame src=b.html><noframes>No frames, no JavaScript.</noframes></frameset>",
            "[This page shows no text. It is made of frames: <https://example.com/a/a.html>, <https://example.com/a/b.html>]",
        ),
        // With few words it leads elsewhere as well; but not where it is read again.
        (
            "<meta http-equiv=refresh content='0; url=../new/'><p>Redirecting...",
            "Redirecting...\n\n[This page leads to <https://example.com/new/>]",
        ),
        (
            "<meta http-equiv=refresh content='60; url=/a/b'><p>Hello",
            "Hello",
        ),
        (
            "<frameset><frame src=a.html><noframes><p>This document is designed to be viewed using \
             frames. If you see this message, you are using a client that has none. See the other \
             version.</noframes></frameset>",
            "This document is designed to be viewed using frames. If you see this message, you are \
             using a client that has none. See the other version.\n\n[This page is made of frames: \
             <https://example.com/a/a.html>]",
        ),
        // To be about scripts is not to need one.
        (
            "<p>JavaScript was created in 1995.<script>x</script>",
            "JavaScript was created in 1995.",
        ),
        (
            "<p>Enable JavaScript in the settings.",
            "Enable JavaScript in the settings.",
        ),
        (
            "<h1>Freight</h1><p>Loading docks: 5",
            "# Freight\n\nLoading docks: 5",
        ),
        (
            "<meta http-equiv=refresh content='0; javascript:go()'><frame src=about:blank>",
            "[This page shows no text.]",
        ),
        ("<html><body></body></html>", "[This page shows no text.]"),
        (
            "<p>Loading...</p><script>x</script><meta property=og:description content=d>",
            "Loading...\n\n[This page shows no text without JavaScript, which was not run. It describes itself: \"d\".]",
        ),
        ("<body><p>Hello</p><script>x</script>", "Hello"),
        (
            "<body><nav><h1>Contents</h1><nav><ol><li><a href=c1>Install</a></ol></nav></nav>",
            "# Contents\n\n1. [Install](https://example.com/a/c1)",
        ),
        (
            "<body><nav><a href=b>News</a></nav><div id=root></div><nav hidden>SECRET</nav><script>x</script>",
            "[News](https://example.com/a/b)\n\n[Apart from its navigation, this page shows no text without \
             JavaScript, which was not run.]",
        ),
        ("<nav>Contents</nav><p>Hello", "Hello"),
        ("", ""),
        ("<hr>", "---"),
    ]);
    let base = Url::parse("https://example.com/").unwrap();
    for (page, own_text, has_text) in [
        ("<p>Loading...</p><script>x</script>", "Loading...", false),
        ("<body></body>", "", false),
        ("", "", false),
        ("<body><p>Hello</p><script>x</script>", "Hello", true),
    ] {
        let document = crate::convert(page, &base);
        assert_eq!(
            (document.own_text(), document.has_text()),
            (own_text, has_text),
            "{page}"
        );
    }
}

#[test]
fn a_page_of_nothing_but_offers_takes_no_longer_than_any_other() {
    const MANY: usize = 8_000;
    let numbered = |piece: &str| {
        (0..MANY).fold(String::new(), |page, n| {
            page + &piece.replace('N', &n.to_string())
        })
    };
    for page in [
        numbered("<b aria-controls=N>a</b><p id=N hidden>b</p>"),
        numbered("<b aria-controls=N>a</b>") + &numbered("<p id=N hidden>b</p>"),
        "<b aria-controls=x>a</b>".repeat(MANY) + &"<p id=x hidden>b</p>".repeat(MANY),
        "<b aria-expanded=false>a</b>".repeat(MANY) + "<p hidden>b</p>",
        "<b aria-expanded=false>a</b> ".repeat(MANY) + &"<!-- --><p hidden>b</p>".repeat(MANY),
        "<p hidden><b aria-expanded=false>a</b></p>".repeat(MANY),
        numbered("<p id=N hidden><b aria-controls=N1>a</b></p>"),
        "<p class=tab-pane hidden>b</p>".repeat(MANY),
        "<div hidden>a".repeat(MANY),
        numbered("<template id=\"B:N\"></template><div hidden id=\"S:N\">a</div>"),
        numbered("<template id=\"B:N\"></template>") + &numbered("<div hidden id=\"S:N\">"),
        numbered("<div hidden id=\"S:N\"><template id=\"P:N\"></template>"),
        "<template id=\"B:0\"></template>".repeat(MANY) + "<div hidden id=\"S:0\">a</div>",
        "<!--$?--><template id=\"B:0\"></template>".repeat(MANY) + "<div hidden id=\"S:0\">a</div>",
    ] {
        let start = CpuInstant::now();
        markdown(&page);
        let took = start.elapsed();
        assert!(
            took.as_secs() < 5,
            "{took:?} for {}",
            &page[..page.len().min(120)]
        );
    }
}

#[test]
fn a_page_that_appears_by_its_opacity_is_shown() {
    let words = |count: usize| "word ".repeat(count);
    let is_shown = |style: &str, hidden: usize| {
        let page = format!(
            "<p>{}</p><div style='{style}'><p>SECRET{}</p></div>",
            words(60),
            words(hidden)
        );
        markdown(&page).contains("SECRET")
    };
    assert!(is_shown("opacity:0", 40));
    assert!(is_shown("opacity:0;transform:translateY(20px)", 200));
    assert!(!is_shown("opacity:0", 20));
    // Nothing else is how a page appears.
    assert!(!is_shown("font-size:0", 100));
    assert!(!is_shown("display:none", 100));
    // Text that is hidden otherwise stays hidden.
    let page = format!(
        "<p>{0}<div style='opacity:0'>{0}<p style='font-size:0'>SECRET<p hidden>SECRET</div>",
        words(40)
    );
    assert_eq!(markdown(&page).matches("word").count(), 80);
    assert!(!markdown(&page).contains("SECRET"));
}
