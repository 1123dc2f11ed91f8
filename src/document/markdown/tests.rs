//! What models are written as, and that two parsers of Markdown read the same model back.

use proptest::prelude::*;

use crate::document::Cuts;
use crate::document::model::Model;
use made::{blocks, model};
use read_back::{by_comrak, by_pulldown};

mod made;
mod read_back;

fn markdown(model: &Model) -> String {
    let (markdown, cuts) = super::write(model, 1 << 20, None);
    assert_eq!(cuts, Cuts::default());
    markdown
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
