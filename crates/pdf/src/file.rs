//! Gives access to an open PDF file: its objects, streams and pages, each within a limit.
//!
//! Rules: ISO 32000-2, 7.3 (objects), 7.5 (file structure), 7.7.3 (page tree).

use std::cell::Cell;
use std::collections::HashSet;
use std::time::Instant;

use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

use super::geometry::{Matrix, Rect};
use super::opening::{MAX_UNCHECKED, is_crowded, load, without_attachments_key};
use crate::error::PdfError;
use iki_base::signature;
use iki_markdown::limits::FileLimits;
use iki_markdown::limits::is_past;
use iki_markdown::limits::reading_end;

/// Maximum depth of the page tree.
const MAX_DEPTH: usize = 64;

/// Limit of the nodes of a page tree that are looked at.
const MAX_NODES: usize = 400_000;

/// Limit of the filters of a stream.
const MAX_FILTERS: usize = 8;

/// A filter and its parameters.
pub(super) type StreamFilter<'a> = (&'a [u8], Option<&'a Dictionary>);

pub(super) struct PdfFile {
    document: Document,
    end: Option<Instant>,
    /// Limit of one stream, in bytes.
    stream: usize,
    /// Limit of all streams that are still to be read, in bytes.
    streams: Cell<usize>,
    late: Cell<bool>,
    cut: Cell<bool>,
}

/// A page: its dictionary and the attributes inherited from the nodes above it.
pub(super) struct PdfPage<'a> {
    pub(super) dict: &'a Dictionary,
    pub(super) resources: Option<&'a Dictionary>,
    pub(super) area: Rect,
    /// Degrees clockwise: 0, 90, 180 or 270.
    pub(super) rotation: i64,
}

/// The attributes that a node of the page tree passes down.
#[derive(Clone, Copy, Default)]
struct InheritedAttributes<'a> {
    resources: Option<&'a Dictionary>,
    media: Option<&'a Object>,
    crop: Option<&'a Object>,
    rotation: i64,
}

impl PdfFile {
    /// Opens a file, keeping the content of only these `images`.
    pub(super) fn open(
        bytes: &[u8],
        limits: &FileLimits,
        images: &[ObjectId],
    ) -> Result<Self, PdfError> {
        if !signature::is_pdf(bytes) {
            return Err(PdfError::NotPdf);
        }
        if bytes.len() > MAX_UNCHECKED && is_crowded(bytes) {
            return Err(PdfError::TooCostly);
        }
        let mut document = load(bytes, limits, images, false);
        let is_locked = match &document {
            Ok(document) => document.is_encrypted(),
            Err(error) => *error == PdfError::Encrypted,
        };
        if is_locked && let Some(open) = without_attachments_key(bytes) {
            document = load(&open, limits, images, false);
        }
        let is_lost = match &document {
            Ok(document) => {
                let pages = document.catalog();
                let pages = pages.and_then(|catalog| catalog.get_deref(b"Pages", document));
                !document.is_encrypted() && !pages.is_ok_and(|pages| as_dict(pages).is_some())
            }
            Err(error) => *error == PdfError::Damaged,
        };
        if is_lost && let Ok(rebuilt) = load(bytes, limits, images, true) {
            // The cross-references were wrong, so the objects were searched for.
            document = Ok(rebuilt);
        }
        let document = document?;
        if document.is_encrypted() {
            return Err(PdfError::Encrypted);
        }
        Ok(Self {
            document,
            end: reading_end(limits.end),
            stream: limits.part,
            streams: Cell::new(limits.part.saturating_mul(8)),
            late: Cell::new(false),
            cut: Cell::new(false),
        })
    }

    /// True once the deadline has passed.
    pub(super) fn is_late(&self) -> bool {
        if is_past(self.end) {
            self.late.set(true);
        }
        self.late.get()
    }

    /// Records that something is left out because it would cost too much.
    pub(super) fn leave_out(&self) {
        self.cut.set(true);
    }

    /// True if something was left out.
    pub(super) fn is_cut(&self) -> bool {
        self.cut.get()
    }

    /// True if the deadline had passed when that was last checked.
    pub(super) fn was_late(&self) -> bool {
        self.late.get()
    }

    /// Follows a reference; returns any other object itself.
    pub(super) fn resolve<'a>(&'a self, object: &'a Object) -> &'a Object {
        static NULL: Object = Object::Null;
        self.document
            .dereference(object)
            .map_or(&NULL, |(_, object)| object)
    }

    /// Returns a value of a dictionary.
    pub(super) fn get<'a>(&'a self, dict: &'a Dictionary, key: &[u8]) -> Option<&'a Object> {
        let value = self.resolve(dict.get(key).ok()?);
        (!value.is_null()).then_some(value)
    }

    /// Returns a dictionary within a dictionary; that of a stream counts.
    pub(super) fn dict<'a>(&'a self, dict: &'a Dictionary, key: &[u8]) -> Option<&'a Dictionary> {
        as_dict(self.get(dict, key)?)
    }

    /// Returns an array within a dictionary.
    pub(super) fn array<'a>(&'a self, dict: &'a Dictionary, key: &[u8]) -> Option<&'a [Object]> {
        self.get(dict, key)?.as_array().ok().map(Vec::as_slice)
    }

    /// Returns a name within a dictionary.
    pub(super) fn name<'a>(&'a self, dict: &'a Dictionary, key: &[u8]) -> Option<&'a [u8]> {
        self.get(dict, key)?.as_name().ok()
    }

    /// Returns a number within a dictionary.
    pub(super) fn number(&self, dict: &Dictionary, key: &[u8]) -> Option<f32> {
        number(self.get(dict, key)?)
    }

    /// Returns the numbers of an array, at most 64.
    pub(super) fn numbers(&self, array: &[Object]) -> Vec<f32> {
        let number = |object| number(self.resolve(object));
        array.iter().take(64).filter_map(number).collect()
    }

    /// Returns a matrix within a dictionary.
    pub(super) fn matrix(&self, dict: &Dictionary, key: &[u8]) -> Option<Matrix> {
        Matrix::from_numbers(&self.numbers(self.array(dict, key)?))
    }

    /// Returns a rectangle within a dictionary.
    pub(super) fn rect(&self, dict: &Dictionary, key: &[u8]) -> Option<Rect> {
        Rect::from_corners(&self.numbers(self.array(dict, key)?))
    }

    /// Returns the data of a stream, as far as the limit for all streams allows; empty if it cannot
    /// be read.
    pub(super) fn stream_data(&self, stream: &Stream) -> Vec<u8> {
        let limit = self.stream.min(self.streams.get());
        match decode_stream(stream, &self.filters(&stream.dict), limit) {
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

    /// Returns the filters of a stream by their whole names.
    pub(super) fn filters<'a>(&'a self, dict: &'a Dictionary) -> Vec<StreamFilter<'a>> {
        let names = match self.get(dict, b"Filter") {
            Some(Object::Array(names)) => names.as_slice(),
            name => name.map_or(&[][..], std::slice::from_ref),
        };
        let params = self.get(dict, b"DecodeParms");
        let params = |index| match params? {
            Object::Array(params) => as_dict(self.resolve(params.get(index)?)),
            params => as_dict(params),
        };
        let names = names.iter().take(MAX_FILTERS).enumerate();
        let filter = |(index, name)| {
            Some((
                whole_name(self.resolve(name).as_name().ok()?),
                params(index),
            ))
        };
        names.filter_map(filter).collect()
    }

    pub(super) fn catalog(&self) -> Option<&Dictionary> {
        self.document.catalog().ok()
    }

    /// The information dictionary.
    pub(super) fn info(&self) -> Option<&Dictionary> {
        self.dict(&self.document.trailer, b"Info")
    }

    /// Returns the pages in order. A node that is in the tree twice counts once. If the tree leads
    /// to no pages, as in a truncated file, the existing pages are taken one by one.
    pub(super) fn pages(&self) -> Vec<PdfPage<'_>> {
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

    fn pages_below<'a>(&'a self, roots: impl IntoIterator<Item = &'a Object>) -> Vec<PdfPage<'a>> {
        let mut pages = Vec::new();
        let mut seen = HashSet::new();
        let roots = roots
            .into_iter()
            .map(|root| (root, InheritedAttributes::default(), 0));
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
            let inherited = InheritedAttributes {
                resources: self.dict(dict, b"Resources").or(above.resources),
                media: self.get(dict, b"MediaBox").or(above.media),
                crop: self.get(dict, b"CropBox").or(above.crop),
                rotation: self.number(dict, b"Rotate").map_or(above.rotation, |by| {
                    ((by / 90.0).round() as i64).rem_euclid(4) * 90
                }),
            };
            if let Some(kids) = self.array(dict, b"Kids") {
                if pages.len() + open.len() + kids.len() <= MAX_NODES {
                    open.extend(kids.iter().rev().map(|kid| (kid, inherited, depth + 1)));
                }
            } else {
                pages.push(PdfPage {
                    dict,
                    resources: inherited.resources,
                    area: self.visible_area(inherited),
                    rotation: inherited.rotation,
                });
            }
        }
        pages
    }

    /// Returns the visible area of a page.
    fn visible_area(&self, page: InheritedAttributes<'_>) -> Rect {
        let rect = |object: Option<&Object>| {
            let numbers = self.numbers(object?.as_array().ok()?);
            Rect::from_corners(&numbers).filter(|rect| rect.width() > 1.0 && rect.height() > 1.0)
        };
        let letter = Rect::new(0.0, 0.0, 612.0, 792.0);
        let media = rect(page.media).unwrap_or(letter);
        let crop = rect(page.crop).map(|crop| crop.and(&media));
        crop.filter(|crop| crop.width() > 1.0 && crop.height() > 1.0)
            .unwrap_or(media)
    }
}

/// Returns the name of a filter that lopdf knows, in place of the abbreviation of inline images.
fn whole_name(name: &[u8]) -> &[u8] {
    match name {
        b"Fl" => b"FlateDecode",
        b"LZW" => b"LZWDecode",
        b"A85" => b"ASCII85Decode",
        b"AHx" => b"ASCIIHexDecode",
        b"RL" => b"RunLengthDecode",
        b"DCT" => b"DCTDecode",
        b"CCF" => b"CCITTFaxDecode",
        name => name,
    }
}

/// Decodes a stream by these filters.
pub(super) fn decode_stream(
    stream: &Stream,
    filters: &[StreamFilter<'_>],
    limit: usize,
) -> lopdf::Result<Vec<u8>> {
    let names = filters.iter().map(|(name, _)| Object::Name(name.to_vec()));
    let params = filters.iter().map(|(_, params)| match params {
        Some(params) => Object::Dictionary((*params).clone()),
        None => Object::Null,
    });
    let mut dict = Dictionary::new();
    dict.set("Filter", Object::Array(names.collect()));
    dict.set("DecodeParms", Object::Array(params.collect()));
    Stream::new(dict, stream.content.clone()).get_plain_content_with_limit(limit)
}

/// Returns a dictionary, or that of a stream.
pub(super) fn as_dict(object: &Object) -> Option<&Dictionary> {
    match object {
        Object::Dictionary(dict) => Some(dict),
        Object::Stream(stream) => Some(&stream.dict),
        _ => None,
    }
}

/// Returns a number, if it is finite.
pub(super) fn number(object: &Object) -> Option<f32> {
    match object {
        Object::Integer(number) => Some(*number as f32),
        Object::Real(number) => Some(*number),
        _ => None,
    }
    .filter(|number| number.is_finite())
}
