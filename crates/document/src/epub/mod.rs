//! The reader of EPUB files: their chapters in reading order, each through the reader of HTML.
//!
//! Rules: EPUB 3.3 (container, package document, spine), EPUB 2.0.1.

use std::collections::{HashMap, HashSet};

use self::notes::BookNotes;
use super::office::blocks::BlockWriter;
use super::office::package::{ZipPackage, resolve_part_name};
use super::office::properties::{DocumentProperties, MAX_PROPERTY};
use crate::embedded_page::append_page;
use crate::error::DocumentError;
use crate::kinds::FileKind;
use iki_base::wording::{floor_boundary, joined_words};
use iki_html::PageSyntax;
use iki_markdown::limits::is_past;
use iki_markdown::model::NodeContent;
use iki_markdown::xml::{XmlReader, XmlTag};

mod notes;

/// The part that marks a file as an EPUB, and its content.
const MIMETYPE_PART: &str = "mimetype";
const MIMETYPE: &str = "application/epub+zip";

const CONTAINER: &str = "META-INF/container.xml";

/// The part that lists the encrypted ones.
const ENCRYPTION: &str = "META-INF/encryption.xml";

/// Limit of the parts of a document, and of its chapters.
const MAX_PARTS: usize = 20_000;

/// Limit of the parts that are tried for a chapter, which may refer to each other in a circle.
const MAX_FALLBACKS: usize = 16;

/// Limit of a chapter, in bytes.
const MAX_CHAPTER: usize = 8 << 20;

/// True if a zip file is an EPUB.
pub(super) fn is_epub(package: &mut ZipPackage<'_>) -> bool {
    if package.has("[Content_Types].xml") && !package.has(MIMETYPE_PART) {
        return false;
    }
    match package.text(MIMETYPE_PART) {
        Some(text) => text.trim_matches(['\u{feff}', '\0', ' ', '\n', '\r', '\t']) == MIMETYPE,
        None => package.has(CONTAINER),
    }
}

/// The metadata, manifest and spine of a book.
#[derive(Default)]
struct PackageDocument {
    about: DocumentProperties,
    /// The parts, by identifier.
    parts: HashMap<String, BookPart>,
    /// Identifiers of the chapters, in reading order.
    spine: Vec<String>,
}

/// A part of a book in its manifest.
struct BookPart {
    name: String,
    media_type: String,
    /// Identifier of the part for readers that do not know this one's media type.
    fallback: Option<String>,
}

impl BookPart {
    fn is_page(&self) -> bool {
        self.media_type.contains("html")
            || self.media_type.is_empty()
            || self.name.ends_with("html")
    }

    fn is_drawing(&self) -> bool {
        self.media_type == "image/svg+xml"
    }
}

impl PackageDocument {
    /// The part of a chapter that can be read: the one in the spine, or one of its fallbacks.
    fn readable_part(&self, id: &str) -> Option<&BookPart> {
        let first = self.parts.get(id)?;
        let next = |part: &&BookPart| self.parts.get(part.fallback.as_deref()?);
        let mut chain = std::iter::successors(Some(first), next).take(MAX_FALLBACKS);
        chain.find(|part| part.is_page() || part.is_drawing())
    }
}

/// Reads the document in `package`.
pub(super) fn read(package: &mut ZipPackage<'_>) -> Result<BlockWriter, DocumentError> {
    let main = find_package_document(package).ok_or(DocumentError::NotOne(FileKind::Epub))?;
    let text = package.text(&main).ok_or(DocumentError::Damaged)?;
    let book = read_package_document(
        &text,
        main.rsplit_once('/').map_or("", |(folder, _)| folder),
    );
    drop(text);
    let locked = encrypted_parts(package);
    let mut blocks = BlockWriter::default();
    let mut notes = BookNotes::default();
    for id in &book.spine {
        let Some(part) = book.readable_part(id) else {
            continue;
        };
        let name = &part.name;
        if locked.contains(&name.to_lowercase()) {
            package.is_locked = true;
            continue;
        }
        blocks.is_late |= is_past(package.end());
        if blocks.is_late || !blocks.has_room() {
            break;
        }
        let Some(mut page) = package.text(name) else {
            continue;
        };
        if page.len() > MAX_CHAPTER {
            page.truncate(floor_boundary(&page, MAX_CHAPTER));
            blocks.is_cut = true;
        }
        if part.is_drawing() {
            let start = page.find("<svg").unwrap_or(0);
            page = format!("<html><body>{}</body></html>", &page[start..]);
        }
        let first = blocks.builder.node_count();
        let page = notes.take_from(&page, name);
        let title = append_page(&page, name, PageSyntax::Xml, package.end(), &mut blocks);
        blocks.builder.mark_notes(first, notes::marked_number);
        if blocks.title.is_empty() {
            blocks.title = title;
        }
    }
    notes.taken.sort_unstable();
    for (number, name, source) in notes.taken {
        let page = format!("<html><body>{source}</body></html>");
        blocks.builder.open(NodeContent::Note(number));
        append_page(&page, &name, PageSyntax::Xml, package.end(), &mut blocks);
        blocks.builder.close();
    }
    blocks.about = book.about;
    Ok(blocks)
}

/// Finds the name of the package document.
fn find_package_document(package: &mut ZipPackage<'_>) -> Option<String> {
    let text = package.text(CONTAINER)?;
    let mut xml = XmlReader::new(&text, package.end());
    while let Some(tag) = xml.tag_within(0) {
        let path = tag.attribute("full-path");
        let path = path.and_then(|path| part_name(&path, ""));
        if let Some(path) = path.filter(|path| tag.name() == "rootfile" && package.has(path)) {
            return Some(path);
        }
    }
    None
}

/// Resolves an address within `folder` to the name of a part.
fn part_name(address: &str, folder: &str) -> Option<String> {
    let decoded = percent_encoding::percent_decode_str(address).decode_utf8_lossy();
    resolve_part_name(folder, &decoded)
}

fn read_package_document(text: &str, folder: &str) -> PackageDocument {
    let mut book = PackageDocument::default();
    XmlReader::new(text, None).each_tag(|xml, tag| match tag.name() {
        "title" => keep_property(&mut book.about.title, xml),
        "creator" => {
            let is_author = tag.attribute("role").is_none_or(|role| role == "aut");
            let mut name = String::new();
            keep_property(&mut name, xml);
            let author = &mut book.about.author;
            if is_author && !name.is_empty() && author.len() < MAX_PROPERTY {
                if !author.is_empty() {
                    author.push_str(", ");
                }
                author.push_str(&name);
            }
        }
        "date" => {
            let is_made = tag
                .attribute("event")
                .is_none_or(|event| event != "modification");
            if is_made {
                keep_property(&mut book.about.date, xml);
            }
        }
        "item" if book.parts.len() < MAX_PARTS => keep_part(&mut book, tag, folder),
        "itemref" if book.spine.len() < MAX_PARTS => {
            book.spine.extend(tag.attribute("idref").map(Into::into));
        }
        _ => {}
    });
    book
}

/// Reads the text of the element that was opened last into `slot`, if that is empty.
fn keep_property(slot: &mut String, xml: &mut XmlReader<'_>) {
    let text = xml.text_within(MAX_PROPERTY);
    if slot.is_empty() {
        *slot = joined_words(&text);
    }
}

fn keep_part(book: &mut PackageDocument, tag: &XmlTag<'_>, folder: &str) {
    let id = tag.value("id");
    let name = tag
        .attribute("href")
        .and_then(|address| part_name(&address, folder));
    if let Some(name) = name {
        let part = BookPart {
            name,
            media_type: tag.value("media-type"),
            fallback: tag.attribute("fallback").map(Into::into),
        };
        book.parts.insert(id, part);
    }
}

/// Reads the names of the encrypted parts, in lower case. Books without protection may have
/// encrypted fonts.
fn encrypted_parts(package: &mut ZipPackage<'_>) -> HashSet<String> {
    let mut names = HashSet::new();
    let Some(text) = package.text(ENCRYPTION) else {
        return names;
    };
    XmlReader::new(&text, package.end()).each_tag(|_, tag| {
        if tag.name() == "CipherReference" && names.len() < MAX_PARTS {
            let name = tag
                .attribute("URI")
                .and_then(|address| part_name(&address, ""));
            names.extend(name.map(|name| name.to_lowercase()));
        }
    });
    names
}

#[cfg(test)]
mod tests;
