//! Checks how models are written, and that two parsers of Markdown read the same model back.

use proptest::prelude::*;

use crate::document::DocumentCuts;
use crate::model::DocumentModel;
use generated::{Made, blocks, model};
use read_back::{by_comrak, by_pulldown};

mod characters;
mod generated;
mod read_back;

fn markdown(model: &DocumentModel) -> String {
    let (markdown, cuts) = super::write(model, 1 << 20, None);
    assert_eq!(cuts, DocumentCuts::default());
    markdown
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
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_model_that_is_written_is_read_back_as_the_same_by_two_parsers(made in blocks()) {
        reads_back(&made);
    }
}
