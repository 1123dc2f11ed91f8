//! Reads texts as programs write them of a document: a line for each paragraph.

use super::blocks::BlockWriter;

/// Reads what `catdoc(1)` and its like write of a document.
pub(crate) fn read(text: &str) -> BlockWriter {
    let mut blocks = BlockWriter::default();
    for line in text.lines() {
        blocks.add_plain_paragraph(line.trim());
    }
    blocks
}
