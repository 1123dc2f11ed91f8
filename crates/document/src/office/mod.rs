//! The readers of office documents: DOCX, PPTX, XLSX and XLSB (Office Open XML), ODT, ODP and ODS
//! (`OpenDocument`), and XLS.
//!
//! Rules: ISO/IEC 29500 (ECMA-376). A document is a zip file of parts in XML that point to each
//! other.
//!
//! | module | what it is |
//! |---|---|
//! | `package` | the zip file, its parts and their relationships |
//! | `inlines`, `blocks` | writing into the model, within limits |
//! | `limits` | what the readers of several kinds take at the most |
//! | `properties` | metadata |
//! | `numerals` | letters and Roman numerals of lists |
//! | `diagram` | descriptions of drawings, texts of diagrams |
//! | `comments` | the comments of slides and sheets |
//! | `docx`, `pptx`, `xlsx` | the three kinds of Office Open XML |
//! | `odf` | the three kinds of `OpenDocument` |
//! | `xls` | XLS |
//! | `rtf`, `mail` | RTF; EML and MSG |
//! | `compound` | the streams of compound files |
//! | `legacy_office_text` | texts as `catdoc` and its like write them |

use crate::error::DocumentError;
use crate::kinds::FileKind;
use blocks::BlockWriter;
use iki_base::wording::joined_words;
use iki_markdown::xml::XmlReader;
use package::ZipPackage;
use properties::{DocumentProperties, MAX_PROPERTY};

pub(super) mod blocks;
mod comments;
pub(super) mod compound;
mod diagram;
mod docx;
mod inlines;
pub(super) mod legacy_office_text;
mod limits;
pub(super) mod mail;
mod numerals;
mod odf;
pub(super) mod package;
mod pptx;
pub(super) mod properties;
pub(super) mod rtf;
pub(super) mod xls;
mod xlsx;

/// Reads the document in `package` and its metadata.
pub(super) fn read(
    package: &mut ZipPackage<'_>,
    kind: FileKind,
) -> Result<BlockWriter, DocumentError> {
    let (actual, main) = package_kind(package).ok_or(DocumentError::NotOne(kind))?;
    let mut blocks = match kind {
        _ if actual != kind => return Err(DocumentError::NotOne(kind)),
        FileKind::Pptx => pptx::read(package, &main),
        FileKind::Xlsx | FileKind::Xlsb => xlsx::read(package, &main),
        FileKind::Docx => docx::read(package, &main),
        _ => odf::read(package, kind),
    };
    blocks.add_left_out(blocks.charts, "chart");
    blocks.about = properties(package);
    Ok(blocks)
}

/// Returns the kind of the document and its main part, by the package's list of content types.
pub(super) fn package_kind(package: &mut ZipPackage<'_>) -> Option<(FileKind, String)> {
    if let Some(kind) = odf::kind_of(package) {
        return Some((kind, odf::CONTENT.to_owned()));
    }
    let relations = package.relations("");
    let named = relations.first("officeDocument").map(str::to_owned);
    let text = package.text("[Content_Types].xml")?;
    let mut main_part: Option<(FileKind, String)> = None;
    let mut is_sure = false;
    XmlReader::new(&text, package.end()).each_tag(|_, tag| {
        let kind = tag.attribute("ContentType").and_then(|kind| kind_of(&kind));
        let name = tag.attribute("PartName").unwrap_or_default();
        let name = Some(name.trim_start_matches('/')).filter(|name| !name.is_empty());
        let Some((kind, name)) = kind.zip(name.or(named.as_deref())) else {
            return;
        };
        // The package names its main part; other parts of the kind are embedded documents.
        let is_named = named
            .as_ref()
            .is_some_and(|named| named.eq_ignore_ascii_case(name));
        if !is_sure && (is_named || main_part.is_none()) {
            main_part = Some((kind, name.to_owned()));
        }
        is_sure |= is_named;
    });
    let (kind, name) = main_part?;
    let name = named.filter(|named| package.has(named)).unwrap_or(name);
    Some((kind, name))
}

/// The kind of document that has a main part of this type.
fn kind_of(content_type: &str) -> Option<FileKind> {
    let content_type = content_type.to_ascii_lowercase();
    if content_type == "application/vnd.ms-excel.sheet.binary.macroenabled.main" {
        return Some(FileKind::Xlsb);
    }
    let content_type = content_type.strip_suffix(".main+xml")?;
    if content_type.contains("wordprocessingml.") || content_type.contains("ms-word.") {
        Some(FileKind::Docx)
    } else if content_type.contains("presentationml.") || content_type.contains("ms-powerpoint.") {
        Some(FileKind::Pptx)
    } else if content_type.contains("spreadsheetml.") || content_type.contains("ms-excel.") {
        Some(FileKind::Xlsx)
    } else {
        None
    }
}

/// Reads the document's metadata.
fn properties(package: &mut ZipPackage<'_>) -> DocumentProperties {
    let relations = package.relations("");
    let name = relations
        .first("core-properties")
        .unwrap_or(if package.has(odf::CONTENT) {
            "meta.xml"
        } else {
            "docProps/core.xml"
        })
        .to_owned();
    let mut properties = DocumentProperties::default();
    let Some(text) = package.text(&name) else {
        return properties;
    };
    let mut modified = String::new();
    XmlReader::new(&text, package.end()).each_tag(|xml, tag| {
        let slot = match tag.name() {
            "title" => &mut properties.title,
            // That of an OpenDocument file changed it last.
            "creator" if properties.author.is_empty() => &mut properties.author,
            "initial-creator" => &mut properties.author,
            "created" | "creation-date" => &mut properties.date,
            "modified" | "date" => &mut modified,
            _ => return,
        };
        let text = xml.text_within(MAX_PROPERTY);
        *slot = joined_words(&text);
    });
    if properties.date.is_empty() {
        properties.date = modified;
    }
    // Values that programs put there by default.
    if matches!(
        properties.title.as_str(),
        "PowerPoint Presentation" | "Word Document"
    ) {
        properties.title.clear();
    }
    if matches!(properties.author.as_str(), "python-docx" | "openpyxl") {
        properties.author.clear();
    }
    properties
}

#[cfg(test)]
pub(super) mod tests;
