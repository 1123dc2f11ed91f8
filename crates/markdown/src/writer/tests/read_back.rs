//! Markdown read by two parsers that are not this project's.

use comrak::nodes::{AstNode, ListType, NodeValue, TableAlignment};
use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::model::{ColumnAlignment, ModelBuilder, NodeContent, TableLayout};

/// Puts a document together from what a parser says: texts that follow each other are one.
#[derive(Default)]
struct Reader {
    build: ModelBuilder,
    text: String,
    /// True if a paragraph is open that the parser does not name, as in the items of a tight list.
    implied: bool,
}

impl Reader {
    fn flush(&mut self) {
        if !self.text.is_empty() {
            let text = self.build.keep(&self.text);
            self.build.add(NodeContent::Text(text));
            self.text.clear();
        }
    }

    fn end_implied(&mut self) {
        self.flush();
        if std::mem::take(&mut self.implied) {
            self.build.close();
        }
    }

    fn add(&mut self, content: NodeContent) {
        self.flush();
        self.build.add(content);
    }

    fn open(&mut self, content: NodeContent) {
        self.flush();
        self.build.open(content);
    }

    fn close(&mut self) {
        self.flush();
        self.build.close();
    }
}

fn align(align: Alignment) -> ColumnAlignment {
    match align {
        Alignment::None => ColumnAlignment::None,
        Alignment::Left => ColumnAlignment::Left,
        Alignment::Center => ColumnAlignment::Center,
        Alignment::Right => ColumnAlignment::Right,
    }
}

/// For each list in order, whether it is tight.
fn tightness(events: &[Event<'_>]) -> Vec<bool> {
    let (mut tight, mut open) = (Vec::new(), Vec::new());
    for (index, event) in events.iter().enumerate() {
        match event {
            Event::Start(Tag::List(_)) => {
                open.push(tight.len());
                tight.push(true);
            }
            Event::End(TagEnd::List(_)) => {
                open.pop();
            }
            Event::Start(Tag::Paragraph)
                if index > 0 && matches!(events[index - 1], Event::Start(Tag::Item)) =>
            {
                if let Some(list) = open.last() {
                    tight[*list] = false;
                }
            }
            _ => {}
        }
    }
    tight
}

/// Which task each item is, in the order in which they begin; its box stands in its first
/// paragraph.
fn tasks(events: &[Event<'_>]) -> Vec<Option<bool>> {
    let starts =
        (0..events.len()).filter(|index| matches!(events[*index], Event::Start(Tag::Item)));
    let task = |index: usize| match &events[index + 1..] {
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

/// Converts a tag; the tightness of lists and the state of tasks come from the iterators.
fn content_of(
    build: &mut ModelBuilder,
    tag: Tag<'_>,
    tight: &mut impl Iterator<Item = bool>,
    tasks: &mut impl Iterator<Item = Option<bool>>,
) -> NodeContent {
    match tag {
        Tag::Paragraph => NodeContent::Paragraph,
        Tag::Heading { level, .. } => NodeContent::Heading(level as u8),
        Tag::BlockQuote(_) => NodeContent::Quote,
        Tag::List(start) => NodeContent::List {
            start: start.map(|start| u32::try_from(start).unwrap()),
            tight: tight.next().unwrap(),
        },
        Tag::Item => NodeContent::Item {
            number: None,
            task: tasks.next().unwrap(),
        },
        Tag::Table(aligns) => {
            let aligns: Vec<ColumnAlignment> = aligns.into_iter().map(align).collect();
            NodeContent::Table(build.keep_table(TableLayout {
                columns: aligns.len(),
                cells: aligns.len(),
                header: true,
                aligns,
            }))
        }
        Tag::TableHead | Tag::TableRow => NodeContent::Row,
        Tag::TableCell => NodeContent::Cell {
            columns: 1,
            rows: 1,
        },
        Tag::Emphasis => NodeContent::Emphasis,
        Tag::Strong => NodeContent::Strong,
        Tag::Strikethrough => NodeContent::Deleted,
        Tag::Link {
            dest_url, title, ..
        } => NodeContent::Link {
            address: build.keep_address(None, &dest_url),
            title: build.keep(&title),
        },
        other => panic!("{other:?}"),
    }
}

/// True for an inline, or the start of one.
fn is_inline(event: &Event<'_>) -> bool {
    matches!(
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
    )
}

/// The model that `pulldown-cmark` reads, in its one-line form.
pub(super) fn by_pulldown(markdown: &str) -> String {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let events: Vec<Event<'_>> = Parser::new_ext(markdown, options).collect();
    let mut tight = tightness(&events).into_iter();
    let mut tasks = tasks(&events).into_iter();
    let mut reader = Reader::default();
    // For each open item, whether it holds blocks, or a paragraph that is not named.
    let mut blocks: Vec<bool> = Vec::new();
    let mut events = events.into_iter();
    while let Some(event) = events.next() {
        let inline = is_inline(&event);
        if inline && blocks.last() == Some(&true) && !reader.implied {
            reader.build.open(NodeContent::Paragraph);
            reader.implied = true;
        }
        match event {
            Event::Text(text) => reader.text.push_str(&text),
            Event::SoftBreak => reader.text.push(' '),
            Event::HardBreak => reader.add(NodeContent::Break),
            Event::Code(code) => {
                let code = reader.build.keep(&code);
                reader.add(NodeContent::Code(code));
            }
            Event::Rule => {
                reader.end_implied();
                reader.add(NodeContent::Rule);
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
                reader.add(NodeContent::Image {
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
                reader.add(NodeContent::CodeBlock { language, code });
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
                let content = content_of(&mut reader.build, tag, &mut tight, &mut tasks);
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

/// The model that `comrak` reads, in its one-line form.
pub(super) fn by_comrak(markdown: &str) -> String {
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
    let item = |task| NodeContent::Item { number: None, task };
    let content = match &node.data.borrow().value {
        NodeValue::Text(text) => return reader.text.push_str(text),
        NodeValue::SoftBreak => return reader.text.push(' '),
        NodeValue::LineBreak => return reader.add(NodeContent::Break),
        NodeValue::ThematicBreak => return reader.add(NodeContent::Rule),
        NodeValue::Code(code) => {
            let code = reader.build.keep(&code.literal);
            return reader.add(NodeContent::Code(code));
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
            return reader.add(NodeContent::Image {
                address,
                alt,
                title,
            });
        }
        NodeValue::CodeBlock(block) => {
            let language = reader.build.keep(&block.info);
            let code = &block.literal;
            let code = reader.build.keep(code.strip_suffix('\n').unwrap_or(code));
            return reader.add(NodeContent::CodeBlock { language, code });
        }
        NodeValue::Paragraph => NodeContent::Paragraph,
        NodeValue::Heading(heading) => NodeContent::Heading(heading.level),
        NodeValue::BlockQuote => NodeContent::Quote,
        NodeValue::List(list) => NodeContent::List {
            start: (list.list_type == ListType::Ordered)
                .then(|| u32::try_from(list.start).unwrap()),
            tight: list.tight,
        },
        NodeValue::Item(_) => item(None),
        NodeValue::TaskItem(task) => item(Some(task.symbol.is_some())),
        NodeValue::Table(table) => {
            let align = |align: &TableAlignment| match align {
                TableAlignment::None => ColumnAlignment::None,
                TableAlignment::Left => ColumnAlignment::Left,
                TableAlignment::Center => ColumnAlignment::Center,
                TableAlignment::Right => ColumnAlignment::Right,
            };
            let aligns: Vec<ColumnAlignment> = table.alignments.iter().map(align).collect();
            NodeContent::Table(reader.build.keep_table(TableLayout {
                columns: aligns.len(),
                cells: aligns.len(),
                header: true,
                aligns,
            }))
        }
        NodeValue::TableRow(_) => NodeContent::Row,
        NodeValue::TableCell => NodeContent::Cell {
            columns: 1,
            rows: 1,
        },
        NodeValue::Emph => NodeContent::Emphasis,
        NodeValue::Strong => NodeContent::Strong,
        NodeValue::Strikethrough => NodeContent::Deleted,
        NodeValue::Link(link) => NodeContent::Link {
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
