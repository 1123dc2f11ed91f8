//! Entry points for the fuzzers of `fuzz/` into private code: the model between readers and writer,
//! the writer, and the reader of `style` attributes.

pub use super::html::hides;

/// The model, as its tests make it up and read it back.
pub mod model {
    pub use crate::model::{
        ColumnAlignment, DocumentModel, ModelBuilder, NodeContent, TableLayout,
    };
}

/// The Markdown of a model that was read from `length` bytes, and whether something of it was left
/// out.
#[must_use]
pub fn write(model: &model::DocumentModel, length: usize) -> (String, bool) {
    let (markdown, cuts) = super::markdown::write(model, length, None);
    (markdown, cuts != super::DocumentCuts::default())
}
