//! What the readers of several kinds take at the most.

/// Maximum number of columns that a cell spans.
pub(super) const MAX_COLUMNS: usize = 64;

/// Limit of a document's notes.
pub(super) const MAX_NOTES: usize = 20_000;

/// Maximum nesting of tables and text boxes.
pub(super) const MAX_DEPTH: usize = 12;
