//! Checks the class of every character beside a delimiter against two parsers that are not ours.

use comrak::nodes::NodeValue;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::super::flanks::flanks;

/// For each paragraph, whether it has strong text in it.
fn by_pulldown(markdown: &str) -> Vec<bool> {
    let (mut are_strong, mut strong) = (Vec::new(), false);
    for event in Parser::new(markdown) {
        match event {
            Event::Start(Tag::Strong) => strong = true,
            Event::End(TagEnd::Paragraph) => are_strong.push(std::mem::take(&mut strong)),
            _ => {}
        }
    }
    are_strong
}

fn by_comrak(markdown: &str) -> Vec<bool> {
    let arena = comrak::Arena::new();
    let root = comrak::parse_document(&arena, markdown, &comrak::Options::default());
    let is_strong = |value: &NodeValue| matches!(value, NodeValue::Strong);
    root.children()
        .map(|paragraph| {
            paragraph
                .descendants()
                .any(|node| is_strong(&node.data.borrow().value))
        })
        .collect()
}

#[test]
fn a_character_beside_a_delimiter_is_what_parsers_take_it_for() {
    // In the higher planes one is as good as the next.
    let mut all: Vec<char> = ('\u{80}'..='\u{ffff}').collect();
    all.extend(('\u{10000}'..='\u{1ffff}').step_by(7));
    all.extend(('\u{20000}'..=char::MAX).step_by(251));
    let mut wrong = Vec::new();
    for some in all.chunks(2000) {
        // Behind a letter strong text begins with no mark, and behind a mark with no space.
        let paragraphs = |before: &str| {
            let paragraph = |c: &char| format!("{before}**{c}b**");
            some.iter().map(paragraph).collect::<Vec<_>>().join("\n\n")
        };
        let (letter, mark) = (paragraphs("a"), paragraphs("."));
        for (before, text) in [('a', letter), ('.', mark)] {
            let (opens, other) = (by_pulldown(&text), by_comrak(&text));
            assert_eq!((opens.len(), other.len()), (some.len(), some.len()));
            for (index, c) in some.iter().enumerate() {
                let (opens_here, _) = flanks('*', Some(before), Some(*c));
                // They know different versions of Unicode, and do not all count the same
                // characters as space.
                if opens[index] == other[index] && opens[index] != opens_here {
                    wrong.push((*c, before, opens[index]));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} such as {:?}",
        wrong.len(),
        &wrong[..wrong.len().min(300)]
    );
}
