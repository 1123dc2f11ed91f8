//! Documents in normal form that nobody would think of.

use std::fmt::Write as _;

use proptest::prelude::*;

use crate::model::{ColumnAlignment, DocumentModel, ModelBuilder, NodeContent, TableLayout};

/// A document as the tests make it up.
#[derive(Clone, Debug)]
pub(super) enum Made {
    Paragraph(Vec<Made>),
    Heading(u8, Vec<Made>),
    Quote(Vec<Made>),
    List(Option<u32>, bool, Vec<Made>),
    Item(Option<bool>, Vec<Made>),
    CodeBlock(&'static str, String),
    Rule,
    Table(Vec<ColumnAlignment>, Vec<Vec<Vec<Made>>>),
    Text(String),
    Code(String),
    Break,
    Style(NodeContent, Vec<Made>),
    Link(&'static str, &'static str, Vec<Made>),
    Image(&'static str, &'static str, &'static str),
}

fn build_all(build: &mut ModelBuilder, all: &[Made]) {
    for made in all {
        build_one(build, made);
    }
}

fn build_one(build: &mut ModelBuilder, made: &Made) {
    let (content, children) = match made {
        Made::Paragraph(children) => (NodeContent::Paragraph, children),
        Made::Heading(level, children) => (NodeContent::Heading(*level), children),
        Made::Quote(children) => (NodeContent::Quote, children),
        Made::List(start, tight, items) => {
            let (start, tight) = (*start, *tight);
            (NodeContent::List { start, tight }, items)
        }
        Made::Item(task, children) => {
            let (number, task) = (None, *task);
            (NodeContent::Item { number, task }, children)
        }
        Made::Style(content, children) => (*content, children),
        Made::Link(address, title, children) => {
            let address = build.keep_address(None, address);
            let title = build.keep(title);
            (NodeContent::Link { address, title }, children)
        }
        Made::Table(aligns, rows) => {
            build_table(build, aligns, rows);
            return;
        }
        Made::CodeBlock(language, code) => {
            let language = build.keep(language);
            let code = build.keep(code);
            build.add(NodeContent::CodeBlock { language, code });
            return;
        }
        Made::Rule => return build.add(NodeContent::Rule),
        Made::Break => return build.add(NodeContent::Break),
        Made::Text(text) => {
            let text = build.keep(text);
            return build.add(NodeContent::Text(text));
        }
        Made::Code(code) => {
            let code = build.keep(code);
            return build.add(NodeContent::Code(code));
        }
        Made::Image(address, alt, title) => {
            let address = build.keep_address(None, address);
            let (alt, title) = (build.keep(alt), build.keep(title));
            return build.add(NodeContent::Image {
                address,
                alt,
                title,
            });
        }
    };
    build.open(content);
    build_all(build, children);
    build.close();
}

fn build_table(build: &mut ModelBuilder, aligns: &[ColumnAlignment], rows: &[Vec<Vec<Made>>]) {
    let id = build.keep_table(TableLayout {
        columns: aligns.len(),
        cells: aligns.len(),
        header: true,
        aligns: aligns.to_vec(),
    });
    build.open(NodeContent::Table(id));
    for row in rows {
        build.open(NodeContent::Row);
        for cell in row {
            build.open(NodeContent::Cell {
                columns: 1,
                rows: 1,
            });
            build_all(build, cell);
            build.close();
        }
        build.close();
    }
    build.close();
}

/// The model of a document.
pub(super) fn model(all: &[Made]) -> DocumentModel {
    let mut build = ModelBuilder::default();
    build.count_source(1 << 20);
    build_all(&mut build, all);
    build.finish(String::new())
}

/// Words, of which many look like markup.
const WORDS: &[&str] = &[
    "word",
    "a",
    "b2",
    "\u{e9}t\u{e9}",
    "*",
    "**",
    "*a*",
    "**b",
    "c**",
    "_",
    "_d_",
    "__init__",
    "snake_case",
    "`",
    "``",
    "`e`",
    "~",
    "~~",
    "~~f~~",
    "~~~",
    "```",
    "[g]",
    "[g](h)",
    "[",
    "]",
    "](",
    "[^1]",
    "[x]",
    "[g]:",
    "<b>",
    "</b>",
    "<",
    ">",
    "<a@b.c>",
    "&amp;",
    "&#35;",
    "&",
    "\\",
    "\\*",
    "C:\\dir",
    "#",
    "##",
    "#i",
    "1.",
    "2)",
    "-",
    "+",
    "--",
    "---",
    "===",
    "=",
    "|",
    "j|k",
    "|-|",
    ":-:",
    "!",
    "![l](m)",
    "(",
    ")",
    "\"q\"",
    "$",
    "\u{2014}",
    "\u{201c}r\u{201d}",
];

/// Text whose words are parted by single spaces; it begins and ends with a letter.
fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(WORDS), 0..5)
        .prop_map(|words| format!("t {} u", words.join(" ")).replace("  ", " "))
}

/// Text of which every word may be markup.
fn bare() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(WORDS), 1..6).prop_map(|words| words.join(" "))
}

fn code() -> impl Strategy<Value = String> {
    // No backslash before a bar: in a cell, no Markdown says that.
    static PIECES: &[&str] = &[
        "`", "``", "a", "*b*", "<c>", "&amp;", "\\n", "|", "d e", "#",
    ];
    prop::collection::vec(prop::sample::select(PIECES), 1..5).prop_map(|all| all.concat())
}

/// Inlines in normal form: pieces with spaces between them, no style in itself.
fn inlines(breaks: bool) -> impl Strategy<Value = Vec<Made>> {
    // No references in addresses and titles: comrak reads them after a backslash as well.
    let link = prop::sample::select(
        &[
            ("https://example.com/x", ""),
            ("https://example.com/(y)", "a \"title\""),
            ("/a b", "\\ & |"),
            ("(z", ""),
            ("", "t"),
            ("?a&b", ""),
        ][..],
    );
    let leaf = prop_oneof![
        3 => text().prop_map(Made::Text),
        1 => code().prop_map(Made::Code),
        1 => (link.clone(), prop::sample::select(&["", "alt", "*alt* [b](c) `d` <e>"][..]))
            .prop_map(|((address, title), alt)| Made::Image(address, alt, title)),
    ];
    let piece = leaf.prop_recursive(3, 12, 3, move |inner| {
        let inside = prop::collection::vec(inner, 1..3).prop_map(spaced);
        let style = prop::sample::select(
            &[
                NodeContent::Emphasis,
                NodeContent::Strong,
                NodeContent::Deleted,
            ][..],
        );
        prop_oneof![
            2 => (style, inside.clone()).prop_map(|(style, inside)| Made::Style(style, inside)),
            1 => (link.clone(), inside)
                .prop_map(|((address, title), inside)| Made::Link(address, title, inside)),
        ]
    });
    let first = bare().prop_map(Made::Text);
    (first, prop::collection::vec(piece, 0..4), any::<bool>()).prop_map(
        move |(first, mut pieces, bare)| {
            if bare || pieces.is_empty() {
                pieces.insert(0, first);
            }
            let mut all = spaced(pieces);
            if !breaks {
                all.retain(|made| !matches!(made, Made::Break));
            }
            single(all, &mut Vec::new())
        },
    )
}

/// Puts a space between pieces, and letters at the ends.
fn spaced(pieces: Vec<Made>) -> Vec<Made> {
    let mut all = Vec::new();
    for piece in pieces {
        if !all.is_empty() {
            all.push(Made::Text(" ".to_owned()));
        }
        all.push(piece);
    }
    if !matches!(all.first(), Some(Made::Text(_))) {
        all.insert(0, Made::Text("v ".to_owned()));
    }
    if !matches!(all.last(), Some(Made::Text(_))) {
        all.push(Made::Text(" w".to_owned()));
    }
    all
}

/// Takes styles out of themselves and links out of links, and makes one text of those side by side.
fn single(all: Vec<Made>, around: &mut Vec<Option<NodeContent>>) -> Vec<Made> {
    let mut out: Vec<Made> = Vec::new();
    for made in all {
        let (style, inside) = match made {
            Made::Style(style, inside) => (Some(style), inside),
            Made::Link(address, title, inside) => {
                if around.contains(&None) {
                    extend(&mut out, single(inside, around));
                } else {
                    around.push(None);
                    let inside = single(inside, around);
                    around.pop();
                    out.push(Made::Link(address, title, inside));
                }
                continue;
            }
            other => {
                extend(&mut out, vec![other]);
                continue;
            }
        };
        if around.contains(&style) {
            extend(&mut out, single(inside, around));
            continue;
        }
        around.push(style);
        let inside = single(inside, around);
        around.pop();
        out.extend(style.map(|style| Made::Style(style, inside)));
    }
    out
}

fn extend(out: &mut Vec<Made>, more: Vec<Made>) {
    for made in more {
        match (out.last_mut(), made) {
            (Some(Made::Text(before)), Made::Text(text)) => before.push_str(&text),
            (_, made) => out.push(made),
        }
    }
}

fn paragraph() -> impl Strategy<Value = Made> {
    let line = || inlines(false);
    (line(), prop::collection::vec(line(), 0..2)).prop_map(|(mut first, more)| {
        for line in more {
            first.push(Made::Break);
            first.extend(line);
        }
        Made::Paragraph(first)
    })
}

fn code_block() -> impl Strategy<Value = Made> {
    static LINES: &[&str] = &[
        "", "a", "  b", "```", "~~~", "# c", "- d", "> e", "*f*", "    g",
    ];
    let lines = prop::collection::vec(prop::sample::select(LINES), 0..5);
    (prop::sample::select(&["", "rust", "c++"][..]), lines).prop_map(|(language, lines)| {
        let mut code = String::new();
        for line in lines {
            let _ = writeln!(code, "{line}");
        }
        Made::CodeBlock(language, code.trim_end_matches('\n').to_owned())
    })
}

fn table() -> impl Strategy<Value = Made> {
    let align = prop::sample::select(
        &[
            ColumnAlignment::None,
            ColumnAlignment::Left,
            ColumnAlignment::Center,
            ColumnAlignment::Right,
        ][..],
    );
    prop::collection::vec(align, 1..4).prop_flat_map(|aligns| {
        let row = prop::collection::vec(inlines(false), aligns.len());
        prop::collection::vec(row, 1..4).prop_map(move |rows| Made::Table(aligns.clone(), rows))
    })
}

/// Blocks in normal form: lists are loose where their items hold more than a paragraph and a list.
pub(super) fn blocks() -> impl Strategy<Value = Vec<Made>> {
    let leaf = prop_oneof![
        4 => paragraph(),
        2 => (1_u8..7, inlines(false)).prop_map(|(level, inside)| Made::Heading(level, inside)),
        1 => code_block(),
        1 => Just(Made::Rule),
        1 => table(),
    ];
    let start = || prop_oneof![Just(None), Just(Some(1)), Just(Some(7)), Just(Some(0))];
    let task = || prop_oneof![3 => Just(None), 1 => any::<bool>().prop_map(Some)];
    let tight = move |inner: BoxedStrategy<Made>| {
        let item =
            (task(), paragraph(), prop::option::of(inner)).prop_map(|(task, text, inner)| {
                let inner =
                    inner.filter(|made| matches!(made, Made::List(None | Some(1), true, _)));
                Made::Item(task, std::iter::once(text).chain(inner).collect())
            });
        (start(), prop::collection::vec(item, 1..4))
            .prop_map(|(start, items)| Made::List(start, true, items))
    };
    let block = leaf.prop_recursive(3, 16, 4, move |inner| {
        let several = prop::collection::vec(inner.clone(), 1..4);
        let item = (task(), paragraph(), several.clone()).prop_map(|(task, text, mut inside)| {
            inside.insert(0, text);
            Made::Item(task, inside)
        });
        prop_oneof![
            1 => several.prop_map(Made::Quote),
            1 => (start(), prop::collection::vec(item, 1..3))
                .prop_map(|(start, items)| Made::List(start, false, items)),
            2 => tight(inner),
        ]
    });
    prop::collection::vec(block, 1..5)
}
