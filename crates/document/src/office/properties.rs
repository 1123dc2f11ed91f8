//! A document's metadata.

/// Limit of a title, author or date, in bytes.
pub(crate) const MAX_PROPERTY: usize = 1000;

/// A document's metadata; empty where it gives none.
#[derive(Default)]
pub(crate) struct DocumentProperties {
    pub(crate) title: String,
    pub(crate) author: String,
    pub(crate) date: String,
}
