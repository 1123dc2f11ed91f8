//! Markdown read by two parsers: the readers of the writer's own tests, and texts alone.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use read_back::{by_comrak, by_pulldown};

#[path = "../../crates/markdown/src/writer/tests/read_back.rs"]
mod read_back;

/// Whether both parsers read this model.
pub fn model(markdown: &str, wanted: &str) {
    assert_eq!(
        by_pulldown(markdown),
        wanted,
        "pulldown-cmark of\n{markdown}"
    );
    assert_eq!(by_comrak(markdown), wanted, "comrak of\n{markdown}");
}

/// Whether both parsers see the same text in it, and no tag.
pub fn check(markdown: &str) {
    let one = text(markdown);
    let other = text_by_comrak(markdown);
    assert_eq!(one, other, "pulldown-cmark and comrak of\n{markdown}");
}

/// The letters that are seen, as `pulldown-cmark` reads them.
pub fn text(markdown: &str) -> String {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut out = String::new();
    let mut images = 0;
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Text(text) | Event::Code(text) if images == 0 => out.push_str(&text),
            Event::Start(Tag::Image { .. }) => images += 1,
            Event::End(TagEnd::Image) => images -= 1,
            // In a cell there is no other way to break a line.
            Event::InlineHtml(tag) if &*tag == "<br>" => {}
            Event::Html(tag) | Event::InlineHtml(tag) => panic!("a tag {tag:?} in\n{markdown}"),
            _ => {}
        }
    }
    seen(&out)
}

fn text_by_comrak(markdown: &str) -> String {
    use comrak::nodes::NodeValue;
    let mut options = comrak::Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.tasklist = true;
    let arena = comrak::Arena::new();
    // A list's mark without a text is one to `comrak` only where its line ends.
    let root = comrak::parse_document(&arena, &format!("{markdown}\n"), &options);
    let mut out = String::new();
    let mut nodes = vec![root];
    while let Some(node) = nodes.pop() {
        match &node.data.borrow().value {
            NodeValue::Text(text) => out.push_str(text),
            NodeValue::Code(code) => out.push_str(&code.literal),
            NodeValue::CodeBlock(block) => out.push_str(&block.literal),
            NodeValue::HtmlInline(tag) if tag == "<br>" => {}
            NodeValue::HtmlBlock(_) | NodeValue::HtmlInline(_) => panic!("a tag in\n{markdown}"),
            NodeValue::Image(_) => continue,
            _ => {}
        }
        let children: Vec<_> = node.children().collect();
        nodes.extend(children.into_iter().rev());
    }
    seen(&out)
}

/// Without blanks, which stand where a line ends.
fn seen(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}
