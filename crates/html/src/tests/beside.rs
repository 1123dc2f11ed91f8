//! Text beside delimiters, markers and fences, which must not become part of them; and pages whose
//! Markdown is longer than they are.

use url::Url;

use super::{check, markdown};
use iki_base::cpu_clock::CpuInstant;

#[test]
fn text_beside_a_delimiter_or_a_marker_does_not_become_part_of_it() {
    check(&[
        ("<ul><li>--</ul>", "- \\--"),
        ("<ul><li>**</ul>", "- **"),
        ("<ol><li>--</ol>", "1. --"),
        ("<ul><li><ul><li>-</ul></ul>", "- - \\-"),
        ("<ul><li><ul><li><ul><li></ul></ul></ul>", ""),
        ("<ul><li>a<ul><li></ul></ul>", "- a"),
        ("<b>Note:</b>\u{200b}text", "**Note**:\u{200b}text"),
        ("<b>\"a\"</b>\u{200b}b", "\"a\"\u{200b}b"),
        ("a\u{301}<b>\"a\"</b>", "a\u{301}\"a\""),
        ("<del>~~~~`</del>", "~~\\~\\~\\~\\~`~~"),
        ("a ~~~ b", "a ~~~ b"),
        ("a`<code>b</code>`c", "a\\``b`\\`c"),
        ("<code>b</code>``", "`b`\\`\\`"),
        ("<tt>a<a href=#x></a>b`c</tt>`", "`a`b\\`c`"),
        ("<tt>a <a href=#x></a>b</tt>", "`a` `b`"),
        (
            "<img src=a alt='b`'>c`",
            "![b\\`](https://example.com/a/a)c`",
        ),
        ("<a href='?`'>b</a>c`", "[b](https://example.com/a/b?\\`)c`"),
        (
            "<a href=a title='`'>b</a>c`",
            "[b](https://example.com/a/a \"\\`\")c`",
        ),
        ("***", "\\*\\*\\*"),
        (
            "<p>a<br>=\u{b}<p>\u{b}<p>- \u{b}<ul><li>\u{b}",
            "a  \n\\=\n\n\\-",
        ),
        ("a <i>\u{b}b</i> c", "a *b* c"),
        ("<p>\u{feff}# a", "\\# a"),
        ("<p> \u{feff} \u{feff}<b>a\u{feff}</b>", "**a\u{feff}**"),
        ("<p>\u{feff}<p>a", "a"),
    ]);
}

#[test]
fn an_escape_that_comes_late_leaves_the_line_after_it_as_it_is() {
    check(&[
        (
            "<blockquote>a **b c<br>d <i>e</i></blockquote>",
            "> a \\*\\*b c  \n> d *e*",
        ),
        (
            "<a href=/x>` <img src=/y alt='b `c`'></a>",
            "[\\` ![b \\`c\\`](https://example.com/y)](https://example.com/x)",
        ),
        ("<ul><li>[ ](a)</ul>", "- \\[ ]\\(a)"),
    ]);
}

#[test]
fn a_carriage_return_ends_no_line_that_is_meant_to_go_on() {
    check(&[
        (
            "<pre>a&#13;```&#13;# Out</pre>",
            "````\na\n```\n# Out\n````",
        ),
        ("<pre>a&#13;\nb</pre>", "```\na\nb\n```"),
        ("<p>a&#13;# b", "a # b"),
        ("<code>a&#13;# b</code>", "`a # b`"),
        ("<h1>a&#13;- b</h1>", "# a - b"),
        (
            "<a href='/x' title='a&#13;&#13;# b'>c</a>",
            "[c](https://example.com/x \"a # b\")",
        ),
        (
            "<img src=/x alt='a&#13;&#13;# b'>",
            "![a # b](https://example.com/x)",
        ),
        (
            "<table><tr><th>a&#13;b<td>c</table>",
            "| | |\n| --- | --- |\n| a b | c |",
        ),
    ]);
}

#[test]
fn a_section_of_xhtml_between_rows_is_text() {
    let base = Url::parse("https://example.com/").unwrap();
    let convert = |page: &str| crate::convert_xhtml(page, &base).markdown;
    let cell = "<table><tr><td>a</td></tr>";
    for section in ["it\u{2019}s", "<&\u{20ac}", " \u{3000}x", "a]]]"] {
        let page = format!("{cell}<![CDATA[{section}]]></table>");
        let markdown = convert(&page);
        let word = section.trim_matches(|c: char| c.is_whitespace());
        assert!(
            markdown.replace('\\', "").contains(word),
            "{page} {markdown}"
        );
    }
    assert!(convert(&format!("{cell}<![CDATA[it\u{2019}s")).contains("it\u{2019}s"));
}

#[test]
fn a_link_that_is_never_closed_has_its_address_once() {
    let address = format!("https://example.com/{}", "a".repeat(2000));
    for end in ["", "</a>", "</b></i></a>"] {
        let page = format!(
            "<p><b><i><a href={address}>w {}{end}",
            "<p>word ".repeat(2500)
        );
        let markdown = markdown(&page);
        assert_eq!(markdown.matches(&address).count(), 1);
        assert_eq!(markdown.matches("word").count(), 2500);
        assert!(markdown.len() <= 2 * page.len());
    }
}

#[test]
fn addresses_that_the_page_does_not_pay_for_are_left_out_and_that_is_said() {
    let base = Url::parse(&format!("https://example.com/{}/", "b".repeat(1000))).unwrap();
    let page = "<a href=x>word</a> <img src=y alt=word>".repeat(500);
    let markdown = crate::convert(&page, &base).markdown;
    assert!(markdown.len() <= 2 * page.len() + iki_markdown::document::ALLOWANCE);
    assert_eq!(markdown.matches("word").count(), 1000);
    assert!(markdown.starts_with("[word](https://example.com/bb"));
    assert!(
        markdown.contains("\n\n[Some links are left as the page has them"),
        "{}",
        &markdown[markdown.len() - 200..]
    );
}

#[test]
fn what_makes_more_of_a_page_than_twice_its_length_is_cut_off_and_that_is_said() {
    let page = format!("<ol start=999999990>{}</ol>", "<li>a".repeat(20_000));
    let markdown = markdown(&page);
    assert!(markdown.len() <= 2 * page.len() + iki_markdown::document::ALLOWANCE);
    assert!(
        markdown.ends_with(
            "\n\n[Cut off: the rest would make this more than twice as long as the page.]"
        )
    );
}

#[test]
fn a_conversion_ends_at_the_time_it_is_given() {
    let page = "<p>word <table>x ".repeat(100_000);
    let base = Url::parse("https://example.com/").unwrap();
    let document = crate::convert_until(&page, &base, false, std::time::Instant::now());
    assert!(
        document
            .markdown
            .ends_with("[Cut off: there was no time to convert all of it. Ask for it again.]")
    );
    let later = std::time::Instant::now() + std::time::Duration::from_secs(3600);
    let document = crate::convert_until("<p>word", &base, false, later);
    assert_eq!(document.markdown, "word");
}

#[test]
fn a_run_of_millions_of_delimiters_costs_what_it_is_long() {
    let long = 1_000_000;
    for (mark, behind) in [('*', "a b*c"), ('`', "a b`c")] {
        let run = String::from(mark).repeat(long);
        let begun = CpuInstant::now();
        let markdown = markdown(&format!("<p>x{run}{behind}"));
        let escaped = format!("\\{mark}").repeat(long);
        assert!(markdown.starts_with(&format!("x{escaped}")), "{mark}");
        // With the square of the length it would be minutes.
        assert!(begun.elapsed().as_secs() < 20, "{mark}");
    }
}
