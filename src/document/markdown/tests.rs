//! What models are written as, and that two parsers of Markdown read the same model back.

use std::fmt::Write as _;

use comrak::nodes::{AstNode, ListType, NodeValue, TableAlignment};
use proptest::prelude::*;
use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::document::model::{Align, Builder, Content, Model, Table};

/// A document as the tests make it up.
#[derive(Clone, Debug)]
enum Made {
    Paragraph(Vec<Made>),
    Heading(u8, Vec<Made>),
    Quote(Vec<Made>),
    List(Option<u32>, bool, Vec<Made>),
    Item(Option<bool>, Vec<Made>),
    CodeBlock(&'static str, String),
    Rule,
    Table(Vec<Align>, Vec<Vec<Vec<Made>>>),
    Text(String),
    Code(String),
    Break,
    Style(Content, Vec<Made>),
    Link(&'static str, &'static str, Vec<Made>),
    Image(&'static str, &'static str, &'static str),
}

fn build_all(build: &mut Builder, all: &[Made]) {
    for made in all {
        build_one(build, made);
    }
}

fn build_one(build: &mut Builder, made: &Made) {
    let (content, children) = match made {
        Made::Paragraph(children) => (Content::Paragraph, children),
        Made::Heading(level, children) => (Content::Heading(*level), children),
        Made::Quote(children) => (Content::Quote, children),
        Made::List(start, tight, items) => {
            let (start, tight) = (*start, *tight);
            (Content::List { start, tight }, items)
        }
        Made::Item(task, children) => {
            let (number, task) = (None, *task);
            (Content::Item { number, task }, children)
        }
        Made::Style(content, children) => (*content, children),
        Made::Link(address, title, children) => {
            let address = build.keep_address(None, address);
            let title = build.keep(title);
            (Content::Link { address, title }, children)
        }
        Made::Table(aligns, rows) => {
            build_table(build, aligns, rows);
            return;
        }
        Made::CodeBlock(language, code) => {
            let language = build.keep(language);
            let code = build.keep(code);
            build.add(Content::CodeBlock { language, code });
            return;
        }
        Made::Rule => return build.add(Content::Rule),
        Made::Break => return build.add(Content::Break),
        Made::Text(text) => {
            let text = build.keep(text);
            return build.add(Content::Text(text));
        }
        Made::Code(code) => {
            let code = build.keep(code);
            return build.add(Content::Code(code));
        }
        Made::Image(address, alt, title) => {
            let address = build.keep_address(None, address);
            let (alt, title) = (build.keep(alt), build.keep(title));
            return build.add(Content::Image {
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

fn build_table(build: &mut Builder, aligns: &[Align], rows: &[Vec<Vec<Made>>]) {
    let id = build.keep_table(Table {
        columns: aligns.len(),
        cells: aligns.len(),
        header: true,
        aligns: aligns.to_vec(),
    });
    build.open(Content::Table(id));
    for row in rows {
        build.open(Content::Row);
        for cell in row {
            build.open(Content::Cell {
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

fn model(all: &[Made]) -> Model {
    let mut build = Builder::default();
    build.read(1 << 20);
    build_all(&mut build, all);
    build.finish(String::new())
}

fn markdown(model: &Model) -> String {
    let (markdown, cuts) = super::write(model, 1 << 20, None);
    assert_eq!(cuts, crate::document::Cuts::default());
    markdown
}

/// Puts a document together from what a parser says: texts that follow each other are one.
#[derive(Default)]
struct Reader {
    build: Builder,
    text: String,
    /// Whether a paragraph is open that the parser does not name, as in the items of a tight list.
    implied: bool,
}

impl Reader {
    fn flush(&mut self) {
        if !self.text.is_empty() {
            let text = self.build.keep(&self.text);
            self.build.add(Content::Text(text));
            self.text.clear();
        }
    }

    fn end_implied(&mut self) {
        self.flush();
        if std::mem::take(&mut self.implied) {
            self.build.close();
        }
    }

    fn add(&mut self, content: Content) {
        self.flush();
        self.build.add(content);
    }

    fn open(&mut self, content: Content) {
        self.flush();
        self.build.open(content);
    }

    fn close(&mut self) {
        self.flush();
        self.build.close();
    }
}

fn align(align: Alignment) -> Align {
    match align {
        Alignment::None => Align::None,
        Alignment::Left => Align::Left,
        Alignment::Center => Align::Center,
        Alignment::Right => Align::Right,
    }
}

/// Whether each list is tight, in the order in which they begin.
fn tightness(events: &[Event<'_>]) -> Vec<bool> {
    let (mut found, mut open) = (Vec::new(), Vec::new());
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Start(Tag::List(_)) => {
                open.push(found.len());
                found.push(true);
            }
            Event::End(TagEnd::List(_)) => {
                open.pop();
            }
            Event::Start(Tag::Paragraph)
                if at > 0 && matches!(events[at - 1], Event::Start(Tag::Item)) =>
            {
                if let Some(list) = open.last() {
                    found[*list] = false;
                }
            }
            _ => {}
        }
    }
    found
}

/// Which task each item is, in the order in which they begin; its box stands in its first paragraph.
fn tasks(events: &[Event<'_>]) -> Vec<Option<bool>> {
    let starts = (0..events.len()).filter(|at| matches!(events[*at], Event::Start(Tag::Item)));
    let task = |at: usize| match &events[at + 1..] {
        [Event::TaskListMarker(done), ..]
        | [
            Event::Start(Tag::Paragraph),
            Event::TaskListMarker(done),
            ..,
        ] => Some(*done),
        _ => None,
    };
    starts.map(task).collect()
}

fn by_pulldown(markdown: &str) -> String {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let events: Vec<Event<'_>> = Parser::new_ext(markdown, options).collect();
    let mut tight = tightness(&events).into_iter();
    let mut tasks = tasks(&events).into_iter();
    let mut reader = Reader::default();
    // What each open item holds directly is a block, or a paragraph that is not named.
    let mut blocks: Vec<bool> = Vec::new();
    let mut events = events.into_iter();
    while let Some(event) = events.next() {
        let inline = matches!(
            event,
            Event::Text(_)
                | Event::Code(_)
                | Event::HardBreak
                | Event::SoftBreak
                | Event::Start(
                    Tag::Emphasis
                        | Tag::Strong
                        | Tag::Strikethrough
                        | Tag::Link { .. }
                        | Tag::Image { .. }
                )
        );
        if inline && blocks.last() == Some(&true) && !reader.implied {
            reader.build.open(Content::Paragraph);
            reader.implied = true;
        }
        match event {
            Event::Text(text) => reader.text.push_str(&text),
            Event::SoftBreak => reader.text.push(' '),
            Event::HardBreak => reader.add(Content::Break),
            Event::Code(code) => {
                let code = reader.build.keep(&code);
                reader.add(Content::Code(code));
            }
            Event::Rule => {
                reader.end_implied();
                reader.add(Content::Rule);
            }
            Event::TaskListMarker(_) => {}
            Event::Start(Tag::Image {
                dest_url, title, ..
            }) => {
                reader.flush();
                let mut alt = String::new();
                for event in events.by_ref() {
                    match event {
                        Event::Text(text) | Event::Code(text) => alt.push_str(&text),
                        Event::End(TagEnd::Image) => break,
                        _ => {}
                    }
                }
                let address = reader.build.keep_address(None, &dest_url);
                let (alt, title) = (reader.build.keep(&alt), reader.build.keep(&title));
                reader.add(Content::Image {
                    address,
                    alt,
                    title,
                });
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                reader.end_implied();
                let mut code = String::new();
                for event in events.by_ref() {
                    match event {
                        Event::Text(text) => code.push_str(&text),
                        _ => break,
                    }
                }
                let language = match &kind {
                    CodeBlockKind::Fenced(language) => &**language,
                    CodeBlockKind::Indented => "indented",
                };
                let language = reader.build.keep(language);
                let code = reader.build.keep(code.strip_suffix('\n').unwrap_or(&code));
                reader.add(Content::CodeBlock { language, code });
            }
            Event::Start(tag) => {
                if !inline {
                    reader.end_implied();
                }
                blocks.push(matches!(tag, Tag::Item));
                if inline {
                    // Inside it, text is not a paragraph of the item.
                    *blocks.last_mut().unwrap() = false;
                }
                let content = match tag {
                    Tag::Paragraph => Content::Paragraph,
                    Tag::Heading { level, .. } => Content::Heading(level as u8),
                    Tag::BlockQuote(_) => Content::Quote,
                    Tag::List(start) => Content::List {
                        start: start.map(|start| u32::try_from(start).unwrap()),
                        tight: tight.next().unwrap(),
                    },
                    Tag::Item => Content::Item {
                        number: None,
                        task: tasks.next().unwrap(),
                    },
                    Tag::Table(aligns) => {
                        let aligns: Vec<Align> = aligns.into_iter().map(align).collect();
                        Content::Table(reader.build.keep_table(Table {
                            columns: aligns.len(),
                            cells: aligns.len(),
                            header: true,
                            aligns,
                        }))
                    }
                    Tag::TableHead | Tag::TableRow => Content::Row,
                    Tag::TableCell => Content::Cell {
                        columns: 1,
                        rows: 1,
                    },
                    Tag::Emphasis => Content::Emphasis,
                    Tag::Strong => Content::Strong,
                    Tag::Strikethrough => Content::Deleted,
                    Tag::Link {
                        dest_url, title, ..
                    } => Content::Link {
                        address: reader.build.keep_address(None, &dest_url),
                        title: reader.build.keep(&title),
                    },
                    other => panic!("{other:?}"),
                };
                reader.open(content);
            }
            Event::End(end) => {
                let inline = matches!(
                    end,
                    TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link
                );
                if !inline {
                    reader.end_implied();
                }
                blocks.pop();
                reader.close();
            }
            other => panic!("{other:?}"),
        }
    }
    format!("{:?}", reader.build.finish(String::new()))
}

fn by_comrak(markdown: &str) -> String {
    let mut options = comrak::Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.tasklist = true;
    let arena = comrak::Arena::new();
    let root = comrak::parse_document(&arena, markdown, &options);
    let mut reader = Reader::default();
    for child in root.children() {
        comrak_node(&mut reader, child);
    }
    format!("{:?}", reader.build.finish(String::new()))
}

fn comrak_node<'a>(reader: &mut Reader, node: &'a AstNode<'a>) {
    let item = |task| Content::Item { number: None, task };
    let content = match &node.data.borrow().value {
        NodeValue::Text(text) => return reader.text.push_str(text),
        NodeValue::SoftBreak => return reader.text.push(' '),
        NodeValue::LineBreak => return reader.add(Content::Break),
        NodeValue::ThematicBreak => return reader.add(Content::Rule),
        NodeValue::Code(code) => {
            let code = reader.build.keep(&code.literal);
            return reader.add(Content::Code(code));
        }
        NodeValue::Image(image) => {
            let mut alt = String::new();
            for child in node.children() {
                if let NodeValue::Text(text) = &child.data.borrow().value {
                    alt.push_str(text);
                }
            }
            let address = reader.build.keep_address(None, &image.url);
            let (alt, title) = (reader.build.keep(&alt), reader.build.keep(&image.title));
            return reader.add(Content::Image {
                address,
                alt,
                title,
            });
        }
        NodeValue::CodeBlock(block) => {
            let language = reader.build.keep(&block.info);
            let code = &block.literal;
            let code = reader.build.keep(code.strip_suffix('\n').unwrap_or(code));
            return reader.add(Content::CodeBlock { language, code });
        }
        NodeValue::Paragraph => Content::Paragraph,
        NodeValue::Heading(heading) => Content::Heading(heading.level),
        NodeValue::BlockQuote => Content::Quote,
        NodeValue::List(list) => Content::List {
            start: (list.list_type == ListType::Ordered)
                .then(|| u32::try_from(list.start).unwrap()),
            tight: list.tight,
        },
        NodeValue::Item(_) => item(None),
        NodeValue::TaskItem(task) => item(Some(task.symbol.is_some())),
        NodeValue::Table(table) => {
            let align = |align: &TableAlignment| match align {
                TableAlignment::None => Align::None,
                TableAlignment::Left => Align::Left,
                TableAlignment::Center => Align::Center,
                TableAlignment::Right => Align::Right,
            };
            let aligns: Vec<Align> = table.alignments.iter().map(align).collect();
            Content::Table(reader.build.keep_table(Table {
                columns: aligns.len(),
                cells: aligns.len(),
                header: true,
                aligns,
            }))
        }
        NodeValue::TableRow(_) => Content::Row,
        NodeValue::TableCell => Content::Cell {
            columns: 1,
            rows: 1,
        },
        NodeValue::Emph => Content::Emphasis,
        NodeValue::Strong => Content::Strong,
        NodeValue::Strikethrough => Content::Deleted,
        NodeValue::Link(link) => Content::Link {
            address: reader.build.keep_address(None, &link.url),
            title: reader.build.keep(&link.title),
        },
        other => panic!("{other:?}"),
    };
    reader.open(content);
    for child in node.children() {
        comrak_node(reader, child);
    }
    reader.close();
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
    let pieces = ["`", "``", "a", "*b*", "<c>", "&amp;", "\\", "|", "d e", "#"];
    prop::collection::vec(prop::sample::select(&pieces[..]), 1..5).prop_map(|all| all.concat())
}

/// Inlines in normal form: pieces with spaces between them, no style in itself.
fn inlines(breaks: bool) -> impl Strategy<Value = Vec<Made>> {
    let link = prop::sample::select(
        &[
            ("https://example.com/x", ""),
            ("https://example.com/(y)", "a \"title\""),
            ("/a b", "\\ &amp; |"),
            ("(z", ""),
            ("", "t"),
            ("?a&amp;b", ""),
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
        let style =
            prop::sample::select(&[Content::Emphasis, Content::Strong, Content::Deleted][..]);
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
fn single(all: Vec<Made>, around: &mut Vec<Option<Content>>) -> Vec<Made> {
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
    let lines = [
        "", "a", "  b", "```", "~~~", "# c", "- d", "> e", "*f*", "    g",
    ];
    let lines = prop::collection::vec(prop::sample::select(&lines[..]), 0..5);
    (prop::sample::select(&["", "rust", "c++"][..]), lines).prop_map(|(language, lines)| {
        let mut code = String::new();
        for line in lines {
            let _ = writeln!(code, "{line}");
        }
        Made::CodeBlock(language, code.trim_end_matches('\n').to_owned())
    })
}

fn table() -> impl Strategy<Value = Made> {
    let align = prop::sample::select(&[Align::None, Align::Left, Align::Center, Align::Right][..]);
    prop::collection::vec(align, 1..4).prop_flat_map(|aligns| {
        let row = prop::collection::vec(inlines(false), aligns.len());
        prop::collection::vec(row, 1..4).prop_map(move |rows| Made::Table(aligns.clone(), rows))
    })
}

/// Blocks in normal form: lists are loose where their items hold more than a paragraph and a list.
fn blocks() -> impl Strategy<Value = Vec<Made>> {
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

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn any_model_that_is_written_is_read_back_as_the_same_by_two_parsers(made in blocks()) {
        let model = model(&made);
        let markdown = markdown(&model);
        let wanted = format!("{model:?}");
        prop_assert_eq!(by_pulldown(&markdown), &*wanted, "pulldown-cmark of\n{}", &markdown);
        prop_assert_eq!(by_comrak(&markdown), &*wanted, "comrak of\n{}", &markdown);
    }
}
