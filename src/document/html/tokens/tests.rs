//! A page gives the same tree with both tokenizers.

use std::fmt::Write as _;

use html2md::{Handle, NodeData};
use proptest::prelude::*;

use super::*;

/// Pieces of pages, well-formed and malformed.
const PIECES: &[&str] = &[
    "a",
    " ",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "é",
    "\u{85}",
    "<",
    ">",
    "\"",
    "'",
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
    "<p>",
    "</p>",
    "<P CLASS=x>",
    "<b>",
    "</b>",
    "<i>",
    "</i>",
    "<a href=\"x?a&amp;b&copy=1&lt\">",
    "<a HREF=x&lt=1&gt href=y>",
    "</a b=c>",
    "<a\rb='\r\n'>",
    "<br/>",
    "<br/ >",
    "<br / a/b= c=>",
    "<img alt='a\n' =x>",
    "<pre>",
    "<PRE\n>",
    "</pre>",
    "<table>",
    "<tr>",
    "<td colspan=2>",
    "</table>",
    "<caption>",
    "<ul>",
    "<li>",
    "</ul>",
    "<div/>",
    "</div>",
    "<select>",
    "<option selected>",
    "</select>",
    "<button>",
    "<form>",
    "<h1>",
    "<template>",
    "</template>",
    "<body class=a>",
    "<html lang=x>",
    "<head>",
    "</head>",
    "<frameset>",
    "<input>",
    "<base href=x>",
    "<meta charset=utf-8>",
    "<x-é É=È>",
    "<title>",
    "<title>a&amp;b</title>",
    "</title >",
    "<TITLE>\n</Title/>",
    "<title><b></title>",
    "<!doctype html>",
    "<!DOCTYPE a PUBLIC \"x>",
    "<!-- x -->",
    "<!x>",
    "<?x>",
    "</ x>",
    "</",
    "<script>",
    "</script>",
    "<style>",
    "</style>",
    "<textarea>",
    "</textarea>",
    "<plaintext>",
    "<svg>",
    "</svg>",
    "<math>",
    "<![CDATA[x]]>",
    "<noscript>",
    "\0",
    "\u{feff}",
    "<a b=\"",
    "<listing>",
];

/// The same without the rest that is left to the parser's own tokenizer.
const ORDINARY: &[&str] = &[
    "a",
    " ",
    "\n",
    "\r",
    "\r\n",
    "é b",
    "&amp;",
    "&lt",
    "&#10;",
    "&#10",
    "&notit;",
    "&",
    "<p>",
    "</p>",
    "<b>",
    "</b>",
    "<a href='x&amp;y=&copy=1 ' title=\"a long title, shared with its page\">",
    "</a>",
    "<pre>",
    "</pre>",
    "<table>",
    "<tr>",
    "<td>",
    "</table>",
    "<ul>",
    "<li>",
    "</ul>",
    "some longer text that is shared with its page",
    "<title>t</title>",
    "<br/>",
    "< ",
];

/// Returns a tree as text, and the bound that was reached.
fn tree(page: &str, slowly: bool) -> String {
    let mut tokens = PageTokenizer::new(page, None);
    let short = if slowly {
        tokens.read_slowly()
    } else {
        tokens.read()
    };
    let parser = tokens.into_parser();
    let mut out = format!("{short:?} ");
    let (tree, veil) = parser.finish();
    let _ = writeln!(out, "{} {}", veil.hidden.len(), veil.controls.len());
    let mut open: Vec<(usize, Handle)> = vec![(0, tree.document.clone())];
    while let Some((depth, node)) = open.pop() {
        match &node.data {
            NodeData::Text { contents } => {
                let _ = writeln!(out, "{depth} {:?}", &**contents.borrow());
            }
            NodeData::Element { name, attrs, .. } => {
                let _ = write!(out, "{depth} {:?} {}", &*name.ns, &*name.local);
                for attr in attrs.borrow().iter() {
                    let _ = write!(out, " {}={:?}", &*attr.name.local, &*attr.value);
                }
                out.push('\n');
            }
            other => {
                let _ = writeln!(out, "{depth} {other:?}");
            }
        }
        let children = node.children.borrow();
        open.extend(
            children
                .iter()
                .rev()
                .map(|child| (depth + 1, child.clone())),
        );
    }
    out
}

fn is_same(page: &str) -> bool {
    tree(page, false) == tree(page, true)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_page_of_anything_is_the_same_tree(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40)
    ) {
        let page = pieces.concat();
        prop_assert!(is_same(&page), "{page:?}\n{}\n{}", tree(&page, false), tree(&page, true));
    }

    #[test]
    fn an_ordinary_page_is_the_same_tree(
        pieces in prop::collection::vec(prop::sample::select(ORDINARY), 0..60)
    ) {
        let page = pieces.concat();
        prop_assert!(is_same(&page), "{page:?}\n{}\n{}", tree(&page, false), tree(&page, true));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn a_page_of_many_pieces_is_the_same_tree(
        pieces in prop::collection::vec(
            (prop::sample::select(ORDINARY), prop::sample::select(&[1_usize, 1, 1, 700, 9000][..])),
            1..12
        )
    ) {
        let page: String = pieces.iter().map(|(piece, times)| piece.repeat(*times)).collect();
        prop_assert!(tree(&page, false) == tree(&page, true), "{pieces:?}");
    }
}

#[test]
fn a_page_that_is_too_large_is_cut_off_at_the_same_place() {
    for unit in ["<p>a", "<p title='&amp;'>&lt;\n"] {
        let page = unit.repeat(500_000);
        let read = |slowly: bool| {
            let mut tokens = PageTokenizer::new(&page, None);
            let short = if slowly {
                tokens.read_slowly()
            } else {
                tokens.read()
            };
            (short, tokens.parser.tokenizer.sink.sink.used(), tokens.at)
        };
        let fast = read(false);
        assert_eq!(fast.0, Err(ParseLimit::Memory));
        assert_eq!(fast, read(true), "{unit}");
    }
}

#[test]
fn a_tag_or_a_reference_that_is_longer_than_a_piece_is_read_whole() {
    let long = "0".repeat(20_000);
    for page in [
        format!("<a b='{long}'>&#{long}65;b"),
        format!("<p>a</p>&#{long}65"),
        long,
    ] {
        assert!(is_same(&page));
    }
}
