//! A model that is written is read back as the same by two parsers of Markdown. The generator of
//! models and the readers are those of the writer's own tests.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::read_alike;
use generated::{blocks, model};
use iki_markdown::document::DocumentCuts;
use iki_markdown::writer::write;

#[path = "../../crates/markdown/src/writer/tests/generated.rs"]
mod generated;

pub fn check(data: &[u8]) {
    // The bytes are the seed of the generator's choices. As the choices themselves they would be
    // used up, and of nothing but zeros it never comes to an end.
    let mut seed = [0_u8; 32];
    for (at, byte) in data.iter().enumerate() {
        let place = &mut seed[at % 32];
        *place = place.rotate_left(3) ^ byte;
    }
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let Ok(tree) = blocks().new_tree(&mut runner) else {
        return;
    };
    let made = tree.current();
    let model = model(&made);
    let (markdown, cuts) = write(&model, 1 << 20, None);
    assert_eq!(cuts, DocumentCuts::default());
    read_alike::model(&markdown, &format!("{model:?}"));
}
