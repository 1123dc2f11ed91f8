//! The reader of EPUB files: their chapters in reading order, each through the reader of HTML.
//!
//! Rules: EPUB 3.3 (container, package document, spine), EPUB 2.0.1.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use url::Url;

use super::html::{self, PageSyntax, StageDeadlines};
use super::model::Builder;
use super::office::package::{Package, resolved};
use super::office::xml::{Tag, Xml};
use super::office::{Properties, Read};
use super::{FileError, FileKind};

/// The part by which a file says that it is one, and what it says.
const MARK: &str = "mimetype";
const TYPE: &str = "application/epub+zip";

/// The part that names the package document.
const CONTAINER: &str = "META-INF/container.xml";

/// The part that says which parts are encrypted.
const ENCRYPTION: &str = "META-INF/encryption.xml";

/// Where the parts of a file are, as addresses: nowhere that anything could be fetched from.
const BASE: &str = "epub:///";

/// The most parts of a document, and chapters.
const MAX_PARTS: usize = 20_000;

/// The longest chapter, in bytes.
const MAX_CHAPTER: usize = 8 << 20;

/// The most nodes and text of a document.
const MAX_NODES: usize = 1_000_000;
const MAX_TEXT: usize = 16 << 20;

/// The longest title, author or date, in bytes.
const MAX_PROPERTY: usize = 1000;

/// Whether a zip file is an EPUB.
pub(super) fn is_epub(package: &mut Package<'_>) -> bool {
    if package.has("[Content_Types].xml") && !package.has(MARK) {
        return false;
    }
    match package.text(MARK) {
        Some(text) => text.trim_matches(['\u{feff}', '\0', ' ', '\n', '\r', '\t']) == TYPE,
        None => package.has(CONTAINER),
    }
}

/// What the package document says.
#[derive(Default)]
struct Book {
    about: Properties,
    /// The parts by their identifiers: where they are, and of which type.
    parts: HashMap<String, (String, String)>,
    /// The chapters, by their identifiers.
    spine: Vec<String>,
}

/// Reads the document in `package`.
pub(super) fn read(package: &mut Package<'_>) -> Result<(Read, Properties), FileError> {
    let main = main_part(package).ok_or(FileError::NotOne(FileKind::Epub))?;
    let text = package.text(&main).ok_or(FileError::Damaged)?;
    let mut book = read_book(
        &text,
        main.rsplit_once('/').map_or("", |(folder, _)| folder),
    );
    drop(text);
    let locked = encrypted(package);
    let mut builder = Builder::default();
    let mut read = Read::default();
    for id in &book.spine {
        let Some((name, kind)) = book.parts.get(id) else {
            continue;
        };
        let is_page = kind.contains("html") || kind.is_empty() || name.ends_with("html");
        if !is_page {
            continue;
        }
        if locked.contains(&name.to_lowercase()) {
            package.locked = true;
            continue;
        }
        if builder.nodes() > MAX_NODES || builder.kept_bytes() > MAX_TEXT {
            read.cut = true;
            break;
        }
        if package.end().is_some_and(|end| Instant::now() >= end) {
            read.late = true;
            break;
        }
        let Some(mut page) = package.text(name) else {
            continue;
        };
        if page.len() > MAX_CHAPTER {
            page.truncate(super::boundary(&page, MAX_CHAPTER));
            read.cut = true;
        }
        chapter(&page, name, package.end(), &mut builder, &mut read);
    }
    read.builder = builder;
    Ok((read, std::mem::take(&mut book.about)))
}

/// Reads a chapter into the document.
fn chapter(page: &str, name: &str, end: Option<Instant>, builder: &mut Builder, read: &mut Read) {
    let Some(base) = Url::parse(BASE).ok().and_then(|base| base.join(name).ok()) else {
        return;
    };
    let ends = StageDeadlines {
        filter: end,
        parse: end,
        walk: end,
    };
    let found = html::read(page, &base, PageSyntax::Xml, ends);
    read.cut |= found.cuts.memory;
    read.late |= found.cuts.time;
    if read.title.is_empty() {
        read.title.clone_from(&found.model.title);
    }
    builder.append(&found.model, |absolute, spelling| {
        let inside = absolute.starts_with("epub:");
        // A part of the file is no place that anybody can go to, but to a part of its text.
        let place = || {
            spelling
                .split_once('#')
                .map(|(_, place)| format!("#{place}"))
        };
        let is_image = [".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp"]
            .iter()
            .any(|end| spelling.to_ascii_lowercase().ends_with(end));
        let short = || {
            let name = spelling.rsplit('/').next().unwrap_or_default().to_owned();
            if is_image { name } else { spelling.to_owned() }
        };
        inside.then(|| place().unwrap_or_else(short))
    });
}

/// The name of the package document.
fn main_part(package: &mut Package<'_>) -> Option<String> {
    let text = package.text(CONTAINER)?;
    let mut xml = Xml::new(&text, package.end());
    let mut found = None;
    while let Some(tag) = xml.tag_within(0) {
        if tag.name() == "rootfile" {
            let path = tag.attribute("full-path").and_then(|path| part(&path, ""));
            if let Some(path) = path.filter(|path| package.has(path)) {
                found = Some(path);
                break;
            }
        }
    }
    found
}

/// The name of the part that an address within `folder` means.
fn part(address: &str, folder: &str) -> Option<String> {
    let decoded = percent_encoding::percent_decode_str(address).decode_utf8_lossy();
    resolved(folder, &decoded)
}

fn read_book(text: &str, folder: &str) -> Book {
    let mut book = Book::default();
    let mut xml = Xml::new(text, None);
    while let Some(tag) = xml.tag_within(0) {
        match tag.name() {
            "title" => keep(&mut book.about.title, &mut xml),
            "creator" => {
                let is_author = tag.attribute("role").is_none_or(|role| role == "aut");
                let mut name = String::new();
                keep(&mut name, &mut xml);
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
                    keep(&mut book.about.date, &mut xml);
                }
            }
            "item" if book.parts.len() < MAX_PARTS => keep_part(&mut book, &tag, folder),
            "itemref" if book.spine.len() < MAX_PARTS => {
                book.spine.extend(tag.attribute("idref").map(Into::into));
            }
            _ => {}
        }
    }
    book
}

/// Keeps the text of the element that was opened last, where there is none yet.
fn keep(slot: &mut String, xml: &mut Xml<'_>) {
    let text = xml.text_within(MAX_PROPERTY);
    if slot.is_empty() {
        *slot = text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
}

fn keep_part(book: &mut Book, tag: &Tag<'_>, folder: &str) {
    let id = tag.attribute("id").unwrap_or_default().into_owned();
    let name = tag
        .attribute("href")
        .and_then(|address| part(&address, folder));
    if let Some(name) = name {
        let kind = tag.attribute("media-type").unwrap_or_default().into_owned();
        book.parts.insert(id, (name, kind));
    }
}

/// The names of the parts that are encrypted, in lower case; fonts may be, in any file.
fn encrypted(package: &mut Package<'_>) -> HashSet<String> {
    let mut names = HashSet::new();
    let Some(text) = package.text(ENCRYPTION) else {
        return names;
    };
    let mut xml = Xml::new(&text, package.end());
    while let Some(tag) = xml.tag_within(0) {
        if tag.name() == "CipherReference" && names.len() < MAX_PARTS {
            let name = tag.attribute("URI").and_then(|address| part(&address, ""));
            names.extend(name.map(|name| name.to_lowercase()));
        }
    }
    names
}

#[cfg(test)]
mod tests;
