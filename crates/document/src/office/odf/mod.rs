//! The readers of `OpenDocument` files: ODT, ODS and ODP.
//!
//! Rules: `OpenDocument` 1.3, parts 2 (packages) and 3 (schema). A document is read as an editor
//! shows it: without deleted or hidden text; dates of cells are written as ISO 8601.
//!
//! | module | what it is |
//! |---|---|
//! | `styles` | text properties, headings and lists by styles |
//! | `text` | paragraphs, headings and tables |
//! | `inline` | what is within a paragraph |
//! | `list` | items and their numbers |
//! | `sheet` | the cells of a sheet |
//! | `slide` | the shapes of a slide |

use self::styles::OdfStyles;
use self::text::OdfReader;
use super::blocks::BlockWriter;
use super::package::ZipPackage;
use crate::kinds::FileKind;
use iki_markdown::xml::XmlReader;

mod inline;
mod list;
mod sheet;
mod slide;
mod styles;
mod text;

/// The part that holds the document.
pub(super) const CONTENT: &str = "content.xml";

/// The part that lists the others.
const MANIFEST: &str = "META-INF/manifest.xml";

/// Returns the kind of the document by its media type.
pub(super) fn kind_of(package: &mut ZipPackage<'_>) -> Option<FileKind> {
    if !package.has(CONTENT) {
        return None;
    }
    let mut mimetype = package.text("mimetype").unwrap_or_default();
    if mimetype.is_empty() {
        mimetype = package.text(MANIFEST)?;
    }
    let (_, kind) = mimetype.split_once("application/vnd.oasis.opendocument.")?;
    let kinds = [
        ("text", FileKind::Odt),
        ("spreadsheet", FileKind::Ods),
        ("presentation", FileKind::Odp),
    ];
    let row = kinds.iter().find(|(name, _)| kind.starts_with(name));
    row.map(|(_, kind)| *kind)
}

/// Reads the document in `package`.
pub(super) fn read(package: &mut ZipPackage<'_>, kind: FileKind) -> BlockWriter {
    let manifest = package.text(MANIFEST).unwrap_or_default();
    if manifest.contains("encryption-data") {
        package.is_locked = true;
        return BlockWriter::default();
    }
    let text = package.text(CONTENT).unwrap_or_default();
    let mut styles = OdfStyles::default();
    styles.read(&package.text("styles.xml").unwrap_or_default());
    styles.read(&text);
    let mut reader = OdfReader::new(package, styles);
    reader.may_be_dark = kind == FileKind::Odp;
    let mut xml = XmlReader::new(&text, reader.package.end());
    xml.each_tag(|xml, tag| match tag.name() {
        "text" => {
            let level = xml.depth();
            reader.read_blocks(xml, level);
        }
        "spreadsheet" => sheet::read(xml, &mut reader),
        "presentation" => slide::read(xml, &mut reader),
        "body" | "document-content" => {}
        _ => xml.skip(),
    });
    reader.blocks.add_faults(&xml);
    reader.write_notes();
    reader.blocks
}
