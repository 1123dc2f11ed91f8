//! Checks how models are written, and that two parsers of Markdown read the same model back.

use proptest::prelude::*;

use crate::document::DocumentCuts;
use crate::document::model::{DocumentModel, NodeContent};
use made::{Made, blocks, model};
use read_back::{by_comrak, by_pulldown};

mod characters;
mod made;
mod read_back;

fn markdown(model: &DocumentModel) -> String {
    let (markdown, cuts) = super::write(model, 1 << 20, None);
    assert_eq!(cuts, DocumentCuts::default());
    markdown
}

#[test]
fn a_line_and_the_next_one_are_no_definition_together() {
    for lines in [["[", "[g]: word"], ["[a", "b]: c"], ["[^a", "]: c"]] {
        let text = |line: &str| Made::Text(line.to_owned());
        let paragraph = Made::Paragraph(vec![text(lines[0]), Made::Break, text(lines[1])]);
        let list = |made| Made::List(None, true, vec![Made::Item(None, vec![made])]);
        for made in [paragraph.clone(), list(paragraph)] {
            reads_back(&[made]);
        }
    }
}

#[test]
fn an_item_is_no_row_of_a_table_whose_head_stands_above_it() {
    let text = |text: &str| Made::Text(text.to_owned());
    for (above, item) in [
        ("a | b | c", "|-| --"),
        ("a | b", "| --"),
        ("| a", ":-:"),
        ("a |", "|"),
        ("a | b", "|:"),
        ("a | b | c", "- | - | -"),
    ] {
        let within = Made::Item(None, vec![Made::Paragraph(vec![text(item)])]);
        let list = Made::List(None, true, vec![within]);
        let paragraph = Made::Paragraph(vec![text(above)]);
        reads_back(&[paragraph.clone(), list.clone()]);
        let within = Made::Item(None, vec![paragraph, list]);
        reads_back(&[Made::List(None, true, vec![within])]);
    }
}

#[test]
fn a_link_may_begin_a_paragraph_and_go_on_in_the_next_line() {
    for texts in [["a", "b"], ["a", "b]: c"], ["[a]", "b"]] {
        let text = |text: &str| Made::Text(text.to_owned());
        let inside = vec![text(texts[0]), Made::Break, text(texts[1])];
        let link = Made::Link("https://example.com/x", "", inside);
        reads_back(&[Made::Paragraph(vec![link, text(" c")])]);
    }
}

#[test]
fn a_style_may_end_in_tildes_that_are_text() {
    for tildes in ["~", "~~", "~~~"] {
        for style in [NodeContent::Emphasis, NodeContent::Strong] {
            let text = |text: &str| Made::Text(text.to_owned());
            let inside = vec![text(&format!("a {tildes}"))];
            reads_back(&[Made::Paragraph(vec![
                text("b "),
                Made::Style(style, inside.clone()),
                text(" c"),
            ])]);
            reads_back(&[Made::Paragraph(vec![
                Made::Style(style, inside),
                text(" c"),
            ])]);
        }
    }
}

#[test]
fn tildes_that_are_text_may_stand_on_either_side_of_where_a_style_begins_and_ends() {
    let text = |text: String| Made::Text(text);
    for tildes in ["~", "~~", "~~~"] {
        for style in [NodeContent::Emphasis, NodeContent::Strong] {
            for inside in [
                format!("{tildes} a"),
                format!("{tildes}(a)"),
                "(a)".to_owned(),
            ] {
                for before in [format!("b {tildes}"), format!("b{tildes}"), "b ".to_owned()] {
                    for after in [format!("{tildes} c"), format!("{tildes}c"), " c".to_owned()] {
                        reads_back(&[Made::Paragraph(vec![
                            text(before.clone()),
                            Made::Style(style, vec![text(inside.clone())]),
                            text(after),
                        ])]);
                    }
                }
            }
        }
    }
}

#[test]
fn tildes_between_a_word_and_a_mark_begin_nothing() {
    for line in ["a~~> b~~", "~~a~~> ~~b~~", "a~~. b ~~", "a~~> b~~ | ~~c"] {
        reads_back(&[Made::Paragraph(vec![Made::Text(line.to_owned())])]);
    }
}

fn reads_back(made: &[Made]) {
    let model = model(made);
    let markdown = markdown(&model);
    let wanted = format!("{model:?}");
    assert_eq!(
        by_pulldown(&markdown),
        wanted,
        "pulldown-cmark of\n{markdown}"
    );
    assert_eq!(by_comrak(&markdown), wanted, "comrak of\n{markdown}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn any_model_that_is_written_is_read_back_as_the_same_by_two_parsers(made in blocks()) {
        reads_back(&made);
    }
}
