//! A page's Markdown holds no letter that the page has not, is as long as it may be, comes out
//! alike every time, and is read alike by two parsers. Of a page that is made up word by word, what
//! is seen is there, once and in its order, and what is hidden is not.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use iki_document::{
    convert, convert_main_until, convert_until, convert_xhtml, read_declared, find_by_class,
};
use url::Url;

use crate::feed::bounded;
use crate::read_alike;
use crate::take::Take;

pub fn check(data: &[u8]) {
    let mut take = Take(data);
    let kind = take.below(4);
    if kind == 0 {
        made_up(take);
    } else {
        any(&String::from_utf8_lossy(take.rest()), kind == 1);
    }
}

fn base() -> Url {
    Url::parse("https://example.com/a/page?x=1").unwrap()
}

fn any(page: &str, xhtml: bool) {
    let base = base();
    let document = if xhtml {
        convert_xhtml(page, &base)
    } else {
        convert(page, &base)
    };
    let late = Instant::now() + Duration::from_secs(600);
    assert_eq!(convert_until(page, &base, xhtml, late), document);
    bounded(&document, page.len());
    let (main, _) = convert_main_until(page, &base, xhtml, None);
    bounded(&main, page.len());
    for markdown in [&document.markdown, &main.markdown] {
        read_alike::check(markdown);
    }
    // Letters come from the page, unless they are written by number or name, or are a remark.
    if !page.contains('&') && document.remark.is_none() {
        let there: HashSet<char> = page.chars().collect();
        for c in read_alike::text(&document.markdown)
            .chars()
            .filter(|c| c.is_alphabetic())
        {
            assert!(there.contains(&c), "{c:?} in\n{}", document.markdown);
        }
    }
    let _ = read_declared(page);
    let classes = ["result", "b"];
    assert_eq!(
        format!("{:?}", find_by_class(page, &classes, &["ad"])),
        format!("{:?}", find_by_class(page, &classes, &["ad"]))
    );
}

/// Elements that may hold any others, and in which a word is seen.
const FLOW: &[&str] = &["div", "section", "blockquote", "article", "center", "main"];
/// Elements of a line.
const INLINE: &[&str] = &[
    "b", "i", "em", "strong", "span", "code", "del", "u", "small", "cite", "font",
];
/// What hides all within.
const HIDDEN: &[(&str, &str)] = &[
    ("<div hidden>", "</div>"),
    ("<span style=\"display:none\">", "</span>"),
    ("<p style='color: red; DISPLAY : none !important'>", "</p>"),
    ("<div aria-hidden=true>", "</div>"),
    ("<div style=visibility:hidden>", "</div>"),
    ("<script>", "</script>"),
    ("<style>", "</style>"),
    ("<template>", "</template>"),
    ("<!--", "-->"),
    ("<noscript>", "</noscript>"),
    ("<svg><g display=none><text>", "</text></g></svg>"),
    (
        "<svg><foreignObject hidden><b>",
        "</b></foreignObject></svg>",
    ),
    ("<math><mtext hidden>", "</mtext></math>"),
    ("<math><mphantom><mi>", "</mi></mphantom></math>"),
];

struct Made {
    html: String,
    shown: Vec<String>,
    hidden: Vec<String>,
}

impl Made {
    fn word(&mut self, seen: bool) {
        let words = if seen {
            &mut self.shown
        } else {
            &mut self.hidden
        };
        let word = format!(
            "{}{}{}",
            if seen { "see" } else { "hid" },
            words.len(),
            if seen { "n" } else { "den" }
        );
        self.html.push_str(&word);
        self.html.push(' ');
        words.push(word);
    }

    fn line(&mut self, take: &mut Take<'_>, depth: usize) {
        for _ in 0..=take.below(3) {
            match take.below(9) {
                0 if depth < 4 => {
                    let name = take.of(INLINE);
                    self.html.push_str(&format!("<{name}>"));
                    self.line(take, depth + 1);
                    self.html.push_str(&format!("</{name}> "));
                }
                1 if depth < 4 => {
                    self.html.push_str("<a href=\"/there\">");
                    self.word(true);
                    self.html.push_str("</a> ");
                }
                2 => {
                    let (open, close) = take.of(HIDDEN);
                    // A paragraph of its own would end the one around it.
                    if !open.starts_with("<p") && !open.starts_with("<div") {
                        self.html.push_str(open);
                        self.word(false);
                        self.html.push_str(close);
                        self.html.push(' ');
                    }
                }
                3 => self.html.push_str(take.of(&[
                    "* ",
                    "_ ",
                    "# ",
                    "1. ",
                    "[x](y) ",
                    "`",
                    "~~ ",
                    "&lt;b&gt; ",
                    "| ",
                    "\\ ",
                    "! ",
                    "<br>",
                ])),
                _ => self.word(true),
            }
        }
    }

    fn blocks(&mut self, take: &mut Take<'_>, depth: usize) {
        for _ in 0..=take.below(4) {
            match take.below(12) {
                0 | 1 if depth < 6 => {
                    let name = take.of(FLOW);
                    self.html.push_str(&format!("<{name}>"));
                    self.blocks(take, depth + 1);
                    self.html.push_str(&format!("</{name}>"));
                }
                2 if depth < 6 => {
                    let name = take.of(&["ul", "ol"]);
                    self.html.push_str(&format!("<{name}>"));
                    for _ in 0..=take.below(3) {
                        self.html.push_str("<li>");
                        self.line(take, 1);
                        if take.flag() {
                            self.blocks(take, depth + 2);
                        }
                        self.html.push_str("</li>");
                    }
                    self.html.push_str(&format!("</{name}>"));
                }
                3 => {
                    self.html.push_str("<table>");
                    let columns = 1 + take.below(3);
                    for row in 0..=take.below(3) {
                        self.html.push_str("<tr>");
                        for _ in 0..columns {
                            let name = if row == 0 { "th" } else { "td" };
                            self.html.push_str(&format!("<{name}>"));
                            self.line(take, 2);
                            self.html.push_str(&format!("</{name}>"));
                        }
                        self.html.push_str("</tr>");
                    }
                    self.html.push_str("</table>");
                }
                4 => {
                    let level = 1 + take.below(6);
                    self.html.push_str(&format!("<h{level}>"));
                    self.line(take, 2);
                    self.html.push_str(&format!("</h{level}>"));
                }
                5 => {
                    self.html.push_str("<pre>");
                    self.word(true);
                    self.html.push_str("\n  ");
                    self.word(true);
                    self.html.push_str("</pre>");
                }
                6 => {
                    let (open, close) = take.of(HIDDEN);
                    self.html.push_str(open);
                    self.word(false);
                    self.html.push_str(close);
                }
                7 => self.html.push_str("<hr>"),
                8 => self.line(take, 2),
                _ => {
                    self.html.push_str("<p>");
                    self.line(take, 1);
                    self.html.push_str("</p>");
                }
            }
        }
    }
}

fn made_up(mut take: Take<'_>) {
    let mut made = Made {
        html: String::from("<!doctype html><title>t</title><body>"),
        shown: Vec::new(),
        hidden: Vec::new(),
    };
    // Where next to nothing was seen, the hidden would be shown.
    made.html.push_str("<p>");
    for _ in 0..60 {
        made.word(true);
    }
    made.html.push_str("</p>");
    made.blocks(&mut take, 0);
    made.html.push_str("<p>");
    for _ in 0..60 {
        made.word(true);
    }
    made.html.push_str("</p>");
    let document = convert(&made.html, &base());
    bounded(&document, made.html.len());
    read_alike::check(&document.markdown);
    let text = read_alike::text(&document.markdown);
    for word in &made.hidden {
        assert!(
            !text.contains(word.as_str()),
            "{word} is shown of\n{}\nas\n{}",
            made.html,
            document.markdown
        );
    }
    let mut from = 0;
    for word in &made.shown {
        let found = text[from..].find(word.as_str());
        let Some(at) = found else {
            panic!(
                "{word} is not shown in its place of\n{}\nas\n{}",
                made.html, document.markdown
            );
        };
        from += at + word.len();
        assert!(
            !text[from..].contains(word.as_str()),
            "{word} is shown twice of\n{}",
            made.html
        );
    }
}
