//! A PDF file that is open: its objects, its streams and its pages, each within a limit.
//!
//! Rules: ISO 32000-2, 7.3 (objects), 7.5 (file structure), 7.7.3 (page tree).

use std::cell::Cell;
use std::collections::HashSet;
use std::time::Instant;

use lopdf::{Dictionary, Document, Object, Stream};

use super::geometry::Rect;
use super::opening::{SMALL, is_crowded, load};
use super::{Limits, PdfError};
use crate::basics::signature;

/// The deepest page tree.
const MAX_DEPTH: usize = 64;

/// The most nodes of a page tree that are looked at.
const MAX_NODES: usize = 400_000;

/// A file that is open.
pub(super) struct File {
    document: Document,
    end: Option<Instant>,
    /// How much one stream may be.
    stream: usize,
    /// How much all streams that are still to be read may be.
    streams: Cell<usize>,
    late: Cell<bool>,
    cut: Cell<bool>,
}

/// A page: its dictionary, and what it has from the nodes above it.
pub(super) struct Page<'a> {
    pub(super) dict: &'a Dictionary,
    pub(super) resources: Option<&'a Dictionary>,
    pub(super) area: Rect,
    /// In degrees, clockwise: 0, 90, 180 or 270.
    pub(super) rotation: i64,
}

/// What a node of the page tree hands down.
#[derive(Clone, Copy, Default)]
struct Inherited<'a> {
    resources: Option<&'a Dictionary>,
    media: Option<&'a Object>,
    crop: Option<&'a Object>,
    rotation: i64,
}

impl File {
    /// Opens a file.
    pub(super) fn open(bytes: &[u8], limits: &Limits) -> Result<Self, PdfError> {
        if !signature::is_pdf(bytes) {
            return Err(PdfError::NotPdf);
        }
        if bytes.len() > SMALL && is_crowded(bytes) {
            return Err(PdfError::TooCostly);
        }
        let mut document = load(bytes, limits, false);
        let is_lost = match &document {
            Ok(document) => !document.is_encrypted() && !has_pages(document),
            Err(error) => *error == PdfError::Damaged,
        };
        if is_lost && let Ok(rebuilt) = load(bytes, limits, true) {
            // The cross-references lied: the objects themselves were looked for.
            document = Ok(rebuilt);
        }
        let document = document?;
        if document.is_encrypted() {
            return Err(PdfError::Encrypted);
        }
        Ok(Self {
            document,
            end: limits.reading_end(),
            stream: limits.stream,
            streams: Cell::new(limits.stream.saturating_mul(8)),
            late: Cell::new(false),
            cut: Cell::new(false),
        })
    }

    /// Whether the time is over; it stays over.
    pub(super) fn late(&self) -> bool {
        if self.end.is_some_and(|end| Instant::now() >= end) {
            self.late.set(true);
        }
        self.late.get()
    }

    /// Notes that something is left out, since it would cost too much.
    pub(super) fn leave_out(&self) {
        self.cut.set(true);
    }

    /// Whether something was left out.
    pub(super) fn is_cut(&self) -> bool {
        self.cut.get()
    }

    /// Whether the time was over when it was last asked for.
    pub(super) fn was_late(&self) -> bool {
        self.late.get()
    }

    /// What a reference leads to; anything else is itself.
    pub(super) fn resolve<'a>(&'a self, object: &'a Object) -> &'a Object {
        static NULL: Object = Object::Null;
        self.document
            .dereference(object)
            .map_or(&NULL, |(_, object)| object)
    }

    /// A value of a dictionary.
    pub(super) fn get<'a>(&'a self, dict: &'a Dictionary, key: &[u8]) -> Option<&'a Object> {
        let value = self.resolve(dict.get(key).ok()?);
        (!value.is_null()).then_some(value)
    }

    /// A dictionary within a dictionary; that of a stream counts.
    pub(super) fn dict<'a>(&'a self, dict: &'a Dictionary, key: &[u8]) -> Option<&'a Dictionary> {
        as_dict(self.get(dict, key)?)
    }

    /// An array within a dictionary.
    pub(super) fn array<'a>(&'a self, dict: &'a Dictionary, key: &[u8]) -> Option<&'a [Object]> {
        self.get(dict, key)?.as_array().ok().map(Vec::as_slice)
    }

    /// A name within a dictionary.
    pub(super) fn name<'a>(&'a self, dict: &'a Dictionary, key: &[u8]) -> Option<&'a [u8]> {
        self.get(dict, key)?.as_name().ok()
    }

    /// A number within a dictionary.
    pub(super) fn number(&self, dict: &Dictionary, key: &[u8]) -> Option<f32> {
        number(self.get(dict, key)?)
    }

    /// The numbers of an array, as many as there are.
    pub(super) fn numbers(&self, array: &[Object]) -> Vec<f32> {
        let number = |object| number(self.resolve(object));
        array.iter().take(64).filter_map(number).collect()
    }

    /// What a stream holds, or as much as is left to read of all streams; empty where it cannot be
    /// read.
    pub(super) fn data(&self, stream: &Stream) -> Vec<u8> {
        let limit = self.stream.min(self.streams.get());
        let data = if stream.filters().is_ok_and(|filters| !filters.is_empty()) {
            stream.decompressed_content_with_limit(limit)
        } else {
            stream.get_plain_content_with_limit(limit)
        };
        match data {
            Ok(data) => {
                self.streams.set(self.streams.get() - data.len().min(limit));
                data
            }
            Err(lopdf::Error::Decompress(lopdf::DecompressError::MemoryLimitExceeded {
                ..
            })) => {
                self.streams.set(self.streams.get() - limit);
                self.leave_out();
                Vec::new()
            }
            Err(_) => Vec::new(),
        }
    }

    /// The document's catalog.
    pub(super) fn catalog(&self) -> Option<&Dictionary> {
        self.document.catalog().ok()
    }

    /// What the file says about itself.
    pub(super) fn info(&self) -> Option<&Dictionary> {
        self.dict(&self.document.trailer, b"Info")
    }

    /// The pages in their order. A node that stands in the tree twice counts once. Where the tree
    /// leads to none, as in a file that is cut off, the pages that are there are taken one by one.
    pub(super) fn pages(&self) -> Vec<Page<'_>> {
        let root = self
            .catalog()
            .and_then(|catalog| catalog.get(b"Pages").ok());
        let pages = self.pages_below(root);
        if !pages.is_empty() {
            return pages;
        }
        let is_page = |object: &&Object| as_dict(object).is_some_and(|dict| dict.has_type(b"Page"));
        self.pages_below(
            self.document
                .objects
                .values()
                .filter(is_page)
                .take(MAX_NODES),
        )
    }

    fn pages_below<'a>(&'a self, roots: impl IntoIterator<Item = &'a Object>) -> Vec<Page<'a>> {
        let mut pages = Vec::new();
        let mut seen = HashSet::new();
        let roots = roots
            .into_iter()
            .map(|root| (root, Inherited::default(), 0));
        let mut open: Vec<_> = roots.collect();
        open.reverse();
        while let Some((object, above, depth)) = open.pop() {
            let Some(dict) = as_dict(self.resolve(object)) else {
                continue;
            };
            let key = std::ptr::from_ref(dict).addr();
            if depth > MAX_DEPTH || seen.len() > MAX_NODES || !seen.insert(key) {
                continue;
            }
            let own = Inherited {
                resources: self.dict(dict, b"Resources").or(above.resources),
                media: self.get(dict, b"MediaBox").or(above.media),
                crop: self.get(dict, b"CropBox").or(above.crop),
                rotation: self
                    .number(dict, b"Rotate")
                    .map_or(above.rotation, rotation),
            };
            if let Some(kids) = self.array(dict, b"Kids") {
                if pages.len() + open.len() + kids.len() <= MAX_NODES {
                    open.extend(kids.iter().rev().map(|kid| (kid, own, depth + 1)));
                }
            } else {
                pages.push(Page {
                    dict,
                    resources: own.resources,
                    area: self.area(own),
                    rotation: own.rotation,
                });
            }
        }
        pages
    }

    /// What of a page is seen.
    fn area(&self, page: Inherited<'_>) -> Rect {
        let rect = |object: Option<&Object>| {
            let numbers = self.numbers(object?.as_array().ok()?);
            Rect::of(&numbers).filter(|rect| rect.width() > 1.0 && rect.height() > 1.0)
        };
        let letter = Rect::new(0.0, 0.0, 612.0, 792.0);
        let media = rect(page.media).unwrap_or(letter);
        let crop = rect(page.crop).map(|crop| crop.and(&media));
        crop.filter(|crop| crop.width() > 1.0 && crop.height() > 1.0)
            .unwrap_or(media)
    }
}

/// A dictionary, or that of a stream.
pub(super) fn as_dict(object: &Object) -> Option<&Dictionary> {
    match object {
        Object::Dictionary(dict) => Some(dict),
        Object::Stream(stream) => Some(&stream.dict),
        _ => None,
    }
}

/// A number, if it is one that can be reckoned with.
pub(super) fn number(object: &Object) -> Option<f32> {
    match object {
        Object::Integer(number) => Some(*number as f32),
        Object::Real(number) => Some(*number),
        _ => None,
    }
    .filter(|number| number.is_finite())
}

fn rotation(degrees: f32) -> i64 {
    ((degrees / 90.0).round() as i64).rem_euclid(4) * 90
}

fn has_pages(document: &Document) -> bool {
    document
        .catalog()
        .and_then(|catalog| catalog.get_deref(b"Pages", document))
        .is_ok_and(|pages| as_dict(pages).is_some())
}
