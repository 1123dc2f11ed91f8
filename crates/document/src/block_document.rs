//! The document that the blocks of a file make.

use std::time::Instant;

use crate::error::DocumentError;
use crate::kinds::FileKind;
use crate::office::blocks::BlockWriter;
use iki_markdown::document::{Document, DocumentCuts};
use iki_markdown::writer;

/// Writes the blocks that were read from a file of this kind, of which parts may need a password.
pub(crate) fn write(
    mut blocks: BlockWriter,
    kind: FileKind,
    locked: bool,
    end: Option<Instant>,
) -> Result<Document, DocumentError> {
    blocks.finish();
    let builder = blocks.builder;
    if builder.is_empty() {
        return Err(
            match (locked, blocks.is_late || blocks.is_cut, blocks.is_broken) {
                (true, ..) => DocumentError::Encrypted,
                (_, true, _) => DocumentError::TooCostly,
                (.., true) => DocumentError::Damaged,
                _ => DocumentError::NoText(kind),
            },
        );
    }
    let length = 2 * builder.text_bytes() + 16 * builder.node_count();
    let (markdown, cuts) = writer::write(&builder.finish(String::new()), length, end);
    let some = |text: String| (!text.is_empty()).then_some(text);
    let document = Document {
        title: some(blocks.about.title).unwrap_or(blocks.title),
        author: some(blocks.about.author),
        date: some(blocks.about.date),
        markdown,
        ..Document::default()
    };
    Ok(document.cut(cuts.and(DocumentCuts {
        memory: blocks.is_cut,
        time: blocks.is_late,
        damage: blocks.is_broken,
        ..DocumentCuts::default()
    })))
}
