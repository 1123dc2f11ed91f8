//! Pages and the documents read from them.

use url::Url;

use crate::{PageSyntax, StageDeadlines, read};

fn model(page: &str) -> String {
    let base = Url::parse("https://example.com/a/b").unwrap();
    let model = read(page, &base, PageSyntax::Html, StageDeadlines::default()).model;
    format!("{model:?}")
}

fn check(cases: &[(&str, &str)]) {
    for (page, wanted) in cases {
        assert_eq!(model(page), *wanted, "{page}");
    }
}

#[test]
fn a_paragraph_is_where_text_is() {
    check(&[
        ("", ""),
        ("<p> </p><div>&nbsp;</div>", ""),
        (
            "a<div>b</div>c",
            r#"Paragraph["a"] Paragraph["b"] Paragraph["c"]"#,
        ),
        ("<p>a<br>b", r#"Paragraph["a" Break "b"]"#),
        ("<p>a<br><br>b<br>", r#"Paragraph["a"] Paragraph["b"]"#),
        ("a<hr>b", r#"Paragraph["a"] Rule Paragraph["b"]"#),
        ("<q>a</q>", r#"Paragraph["\"" "a" "\""]"#),
    ]);
}

#[test]
fn a_style_is_opened_again_in_each_paragraph_and_a_link_is_not() {
    check(&[
        (
            "<b>a<p>b</p></b>",
            r#"Paragraph[Strong["a"]] Paragraph[Strong["b"]]"#,
        ),
        (
            "<a href=/x><div>a</div><div>b</div></a>",
            r#"Paragraph[Link("https://example.com/x")["a"]] Paragraph["b"]"#,
        ),
        (
            "<b></b><p>a<i> </i>b",
            r#"Paragraph["a" Emphasis[" "] "b"]"#,
        ),
        ("<p>a<i></i>", r#"Paragraph["a"]"#),
        ("<del>a<del>b</del></del>", r#"Paragraph[Deleted["a" "b"]]"#),
    ]);
}

#[test]
fn a_heading_and_a_cell_hold_lines_alone() {
    check(&[
        (
            "<h2>a<br><div>b</div></h2>",
            r#"Heading(2)["a" " " " " "b" " "]"#,
        ),
        ("<h2> </h2>", ""),
        (
            "<table><tr><th>a<td><p>b<p>c</table>",
            r#"Table(2 [None, None])[Row[Cell["a"] Cell["b" Break "c"]]]"#,
        ),
        (
            "<table><tr><th align=right>a<th>b<tr><td colspan=2 rowspan=3>c<tr><td>d</table>",
            r#"Table(3 header [Right, None])[Row[Cell["a"] Cell["b"]] Row[Cell(2 by 2)["c"]] Row[Cell["d"]]]"#,
        ),
        (
            "<table><caption>a</caption><tr><th>b</table>",
            r#"Table(1 header [None])[Paragraph["a"] Row[Cell["b"]]]"#,
        ),
        ("<table><tr><td>a</table>", r#"Paragraph["a"]"#),
    ]);
}

#[test]
fn an_item_holds_what_follows_it_in_its_list() {
    check(&[
        (
            "<ul><li>a<li><p>b</ul>",
            r#"List(loose)[Item[Paragraph["a"]] Item[Paragraph["b"]]]"#,
        ),
        (
            "<ol start=3><li>a</li><ul><li>b</ul><li value=7></ol>",
            r#"List(3 tight)[Item[Paragraph["a"] List(tight)[Item[Paragraph["b"]]]] Item(7)]"#,
        ),
        (
            "<ul>a<li>b</ul>",
            r#"List(tight)[Item[Paragraph["a"]] Item[Paragraph["b"]]]"#,
        ),
        ("<li>a", r#"Item[Paragraph["a"]]"#),
        (
            "<ul><li><label><input type=checkbox checked> a</label><li>b<input type=checkbox></ul>",
            r#"List(tight)[Item(done)[Paragraph[" a"]] Item[Paragraph["b"]]]"#,
        ),
        (
            "<dl><dt>a<dd>b</dl>",
            r#"Paragraph["a"] Definition[Paragraph["b"]]"#,
        ),
        (
            "<blockquote>a<blockquote>b</blockquote></blockquote>",
            r#"Quote[Paragraph["a"] Quote[Paragraph["b"]]]"#,
        ),
    ]);
}

#[test]
fn code_is_one_piece_whatever_stands_in_it() {
    check(&[
        (
            "<code>a <b>b</b></code><kbd>c</kbd>",
            r#"Paragraph[Code("a bc")]"#,
        ),
        (
            "x<code> a </code>y",
            r#"Paragraph["x" " " Code("a") " " "y"]"#,
        ),
        (
            "<code>f(<a href=//x>T</a>)</code>",
            r#"Paragraph[Link("https://x/")[Code("f(T)")]]"#,
        ),
        (
            "<code>a<p>b</code>",
            r#"Paragraph[Code("a")] Paragraph[Code("b")]"#,
        ),
        (
            "<pre class=lang-rust>a\n\n b\n</pre>",
            r#"CodeBlock("rust" "a\n\n b")"#,
        ),
        (
            "<tt><pre>a\n b</pre></tt><code><pre>c</pre></code>",
            r#"CodeBlock("" "a\n b") Paragraph[Code("c")]"#,
        ),
        // Formulas that a script draws; what is not one alone stays text.
        (
            r"<p>If <span class=math>\(a_1*b\)</span>, x.<div class=math>\[\frac{a}{b}\]</div>\(c\)",
            r#"Paragraph["If " Code("a_1*b") ", x."] Paragraph[Code("\\frac{a}{b}")] Paragraph["\\(c\\)"]"#,
        ),
    ]);
}

#[test]
fn a_frame_s_own_page_ends_where_it_ends() {
    let frames = [
        ("<iframe srcdoc></iframe><p srcdoc=\"x\"></p>", ""),
        ("<iframe srcdoc=></iframe>", ""),
        ("<iframe srcdoc=in class=x></iframe>", r#"Paragraph["in"] "#),
        ("<iframe srcdoc=in hidden></iframe>", ""),
        (
            "<iframe srcdoc='in<!-- open'></iframe>",
            r#"Paragraph["in"] "#,
        ),
        (
            "<iframe srcdoc='in<textarea>x'></iframe>",
            r#"Paragraph["in"] "#,
        ),
        (
            "<iframe srcdoc='in<style>x'></iframe>",
            r#"Paragraph["in"] "#,
        ),
        (
            "<iframe srcdoc='in<script>x'></iframe>",
            r#"Paragraph["in"] "#,
        ),
        (
            "<iframe srcdoc='in<plaintext>x'></iframe>",
            r#"Paragraph["in"] "#,
        ),
        (
            "<iframe srcdoc='in<base href=/z/>'></iframe>",
            r#"Paragraph["in"] "#,
        ),
        (
            "<iframe srcdoc='in</div></main></body>'></iframe>",
            r#"Paragraph["in"] "#,
        ),
        ("<iframe srcdoc='in<b'></iframe>", r#"Paragraph["in"] "#),
        ("<iframe srcdoc='1 < 2'></iframe>", r#"Paragraph["1 < 2"] "#),
        (
            "<iframe srcdoc='<ul><li>in'></iframe>",
            r#"List(tight)[Item[Paragraph["in"]]] "#,
        ),
        (
            "<iframe srcdoc='in<iframe srcdoc=x></iframe>'></iframe>",
            r#"Paragraph["in"] "#,
        ),
    ];
    for (frame, shown) in frames {
        let page = format!("{frame}<p>after <a href=b>b</a>");
        let after = r#"Paragraph["after " Link("https://example.com/a/b")["b"]]"#;
        check(&[(&page, &format!("{shown}{after}"))]);
    }
}

#[test]
fn links_and_images_lead_to_absolute_addresses() {
    check(&[
        (
            "<a href=x title=t>a</a>",
            r#"Paragraph[Link("https://example.com/a/x" "t")["a"]]"#,
        ),
        ("<a href='javascript:x'>a</a>", r#"Paragraph["a"]"#),
        (
            "<a href=/x aria-label=l> <svg></svg></a>",
            r#"Paragraph[Link("https://example.com/x")["l"]]"#,
        ),
        ("<a href=/x></a><a href=#x></a><a href=/x><i> </i></a>", ""),
        (
            "f(x)<a href=#f title='Link to this definition'>\u{f0c1}</a>",
            r#"Paragraph["f(x)"]"#,
        ),
        (
            "<h1><a href=x>a</a><span class=sep></span>b</h1>",
            r#"Heading(1)[Link("https://example.com/a/x")["a"] " b"]"#,
        ),
        (
            "Class<span class=mlabels><span class=mlabel>inline</span><span class=mlabel>virtual\
             </span></span>",
            r#"Paragraph["Class inline virtual"]"#,
        ),
        (
            "<a href=/x><img src=y alt=z></a>",
            r#"Paragraph[Link("https://example.com/x")[Image("https://example.com/a/y" "z")]]"#,
        ),
        ("<img src=data:x alt=z>", r#"Paragraph["z"]"#),
        // A placeholder, until a script has loaded what the picture's sources name.
        (
            "<picture><source srcset='data:image/gif;base64,AA'><source data-srcset='y.webp 1x, q \
             2x'><img src='data:image/gif;base64,AA' alt=z></picture><img src=data:x alt=u>",
            r#"Paragraph[Image("https://example.com/a/y.webp" "z") "u"]"#,
        ),
        (
            "<picture><source srcset='y.webp'><img src=z.png alt=z></picture>",
            r#"Paragraph[Image("https://example.com/a/z.png" "z")]"#,
        ),
    ]);
}

#[test]
fn a_style_around_many_paragraphs_is_not_opened_in_more_of_them_than_the_page_pays_for() {
    let styles = "<b><i><s>".repeat(60);
    let page = format!("{styles}{}", "<div>a</div>".repeat(20_000));
    let base = Url::parse("https://example.com/").unwrap();
    let model = read(&page, &base, PageSyntax::Html, StageDeadlines::default()).model;
    assert!(model.nodes().len() < 50_000, "{}", model.nodes().len());
}
