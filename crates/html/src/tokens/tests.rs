//! Text and values read as by the parser's own tokenizer.

use std::fmt::Write as _;

use html2md::Handle;
use proptest::prelude::*;

use super::super::{dom, parse, preformatted};
use super::*;

/// Writes a token as it stands in a page, with `&` and `<` of texts escaped.
pub(super) fn write(token: &Token, page: &mut String) {
    match token {
        Token::TagToken(tag) => {
            page.push_str(if tag.kind == TagKind::EndTag {
                "</"
            } else {
                "<"
            });
            page.push_str(&tag.name);
            for attribute in &tag.attrs {
                let _ = write!(page, " {}", &*attribute.name.local);
                let value = attribute.value.replace('&', "&amp;");
                let _ = if value.contains(|c: char| c.is_whitespace() || "'\"<>=`".contains(c)) {
                    write!(page, "='{}'", value.replace('\'', "&#39;"))
                } else if !value.is_empty() {
                    write!(page, "={value}")
                } else {
                    Ok(())
                };
            }
            page.push('>');
        }
        Token::CharacterTokens(text) => {
            page.push_str(&text.replace('&', "&amp;").replace('<', "&lt;"));
        }
        _ => {}
    }
}

impl TokenEmitter {
    /// Returns the tokens so far as a page.
    pub(crate) fn written(mut self) -> String {
        self.flush();
        self.written.into_inner()
    }
}

/// Pieces of texts and values, well-formed and malformed.
const PIECES: &[&str] = &[
    "a",
    " ",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "é",
    "\u{85}",
    ">",
    "=",
    "/",
    "&",
    ";",
    "#",
    "&amp;",
    "&amp",
    "&lt",
    "&gt;x",
    "&nbsp;",
    "&not",
    "&notin;",
    "&notit;",
    "&quot",
    "&#10;",
    "&#10",
    "&#x",
    "&#",
    "&#x41;",
    "&#X41",
    "&#128;",
    "&#0;",
    "&#xD800;",
    "&#99999999999;",
    "&#13;",
    "&NewLine;",
    "&bogus;",
    "&nGt;",
    "&a\u{e9};",
    "&copy=1",
];

/// Returns the text and the title of the paragraph in a tree.
fn paragraph(tree: &RcDom) -> Option<(String, String)> {
    let mut open: Vec<Handle> = vec![tree.document.clone()];
    while let Some(node) = open.pop() {
        if dom::name(&node) == "p" {
            let title = dom::attribute(&node, "title")?;
            return Some((preformatted::text_of(&node), title));
        }
        open.extend(node.children.borrow().iter().cloned());
    }
    None
}

/// Returns the same as the emitter and as the parser's own tokenizer read it.
fn read_both(text: &str) -> [Option<(String, String)>; 2] {
    let page = format!("<p title=\"{text}\">.{text}</p>");
    let mut out = TokenEmitter::new();
    let title = TagAttribute {
        name: "title",
        value: &page[10..10 + text.len()],
    };
    out.start("p", &[title]);
    out.push_text(&page[12 + text.len()..page.len() - 4]);
    out.end("p");
    [
        paragraph(&out.finish().0),
        paragraph(&parse::parse(&page, None)),
    ]
}

proptest! {
    #[test]
    fn references_and_line_ends_are_read_as_by_the_parser(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..12)
    ) {
        let [tokens, parsed] = read_both(&pieces.concat());
        prop_assert_eq!(tokens, parsed);
    }
}

#[test]
fn no_text_has_a_nul() {
    let mut out = TokenEmitter::new();
    out.push_text("a\0b&#0;");
    assert_eq!(out.written(), "ab\u{fffd}");
}

#[test]
fn neither_text_nor_tags_are_read_once_the_tree_is_too_large() {
    let text = ("a".repeat(1023) + "&lt;").repeat(parse::MAX_TREE_BYTES / 4096);
    let mut out = TokenEmitter::new();
    for _ in 0..8 {
        out.push_text(&text);
        out.end("p");
    }
    assert!(out.is_full());
    let (tree, _) = out.finish();
    let length = preformatted::text_of(&tree.document).len();
    assert!((parse::MAX_TREE_BYTES / 2..parse::MAX_TREE_BYTES + text.len()).contains(&length));
}
