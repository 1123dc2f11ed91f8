//! A PDF file that is open: its objects, its streams and its pages, each within a limit.
//!
//! Rules: ISO 32000-2, 7.3 (objects), 7.5 (file structure), 7.7.3 (page tree). lopdf reads objects
//! while it opens a file, without an end in time or memory; what it reads is weighed as it goes by
//! (see [`weigh`]), and whoever is too heavy ends it there.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::panic;
use std::time::Instant;

use lopdf::{Dictionary, Document, LoadOptions, Object, ObjectId, Stream};

use super::geometry::Rect;
use super::{Limits, PdfError};

/// How much memory objects may take, in bytes, all together.
const MEMORY: usize = 288 << 20;

/// What an object takes, in bytes, besides what it holds.
const OBJECT: usize = size_of::<Object>();

/// How many objects a file may hold, by a count that is too high rather than too low.
const MAX_OBJECTS: usize = 3 << 20;

/// Files of this length and less cannot hold so many objects that they would be too heavy.
const SMALL: usize = 2 << 20;

/// The deepest page tree.
const MAX_DEPTH: usize = 64;

/// The most nodes of a page tree that are looked at.
const MAX_NODES: usize = 400_000;

/// What opening a file may still cost.
struct Loading {
    end: Option<Instant>,
    memory: usize,
    stream: usize,
    objects: u32,
}

thread_local! {
    /// lopdf's filter is a plain function: what it counts stands here while a file is opened.
    static LOADING: RefCell<Option<Loading>> = const { RefCell::new(None) };
}

/// What ends the opening of a file from within lopdf.
struct TooHeavy;

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
        let head = bytes.get(..bytes.len().min(1024)).unwrap_or_default();
        if memchr::memmem::find(head, b"%PDF-").is_none() {
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
        self.cut.get() || self.late.get()
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

fn load(bytes: &[u8], limits: &Limits, reconstruct: bool) -> Result<Document, PdfError> {
    let loading = Loading {
        end: limits.reading_end(),
        memory: MEMORY,
        stream: limits.stream,
        objects: 0,
    };
    let options = LoadOptions {
        password: None,
        filter: Some(weigh),
        strict: false,
        max_decompressed_size: Some(limits.stream),
        force_reconstruct: reconstruct,
    };
    LOADING.replace(Some(loading));
    let loaded = Document::load_mem_with_options(bytes, options);
    LOADING.replace(None);
    loaded.map_err(|error| kind(&error))
}

/// Whether it was [`weigh`] that ended the opening of a file.
pub(super) fn is_too_heavy(payload: &(dyn Any + Send)) -> bool {
    payload.is::<TooHeavy>()
}

fn kind(error: &lopdf::Error) -> PdfError {
    match error {
        lopdf::Error::Decompress(
            lopdf::DecompressError::MemoryLimitExceeded { .. }
            | lopdf::DecompressError::TooManyFilters { .. },
        ) => PdfError::TooCostly,
        lopdf::Error::Decryption(_)
        | lopdf::Error::InvalidPassword
        | lopdf::Error::UnsupportedSecurityHandler(_) => PdfError::Encrypted,
        _ => PdfError::Damaged,
    }
}

/// Looks at each object that lopdf has read before it is kept: images and fonts' outlines leave
/// their content behind, and object streams are opened only where there is memory for what is in
/// them. Over a limit the opening ends.
fn weigh(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    let weight = match object {
        Object::Stream(stream) if is_of_no_use(&stream.dict) => {
            // Not empty: lopdf would read it again.
            stream.set_content(vec![0]);
            Some(0)
        }
        Object::Stream(stream) if stream.dict.has_type(b"ObjStm") => {
            let limit = LOADING.with_borrow(|loading| loading.as_ref().map(|l| l.stream));
            let opened = stream.get_plain_content_with_limit(limit.unwrap_or_default());
            opened
                .ok()
                .map(|content| objects_in(&content, &stream.dict))
        }
        _ => Some(0),
    };
    let weight = weight.map(|weight| weight.saturating_add(held(object)));
    let fits = LOADING.with_borrow_mut(|loading| {
        let Some(loading) = loading else {
            return true;
        };
        loading.objects += 1;
        let late =
            loading.objects % 256 == 0 && loading.end.is_some_and(|end| Instant::now() >= end);
        let Some(weight) = weight else {
            // An object stream that cannot be read is none.
            return !late;
        };
        let left = loading.memory.checked_sub(weight);
        loading.memory = left.unwrap_or_default();
        left.is_some() && !late
    });
    if !fits {
        // lopdf can be ended in no other way. Nothing is printed; whoever guards the reader takes it up.
        panic::resume_unwind(Box::new(TooHeavy));
    }
    // Of an object stream's members this is what lopdf keeps; streams are never among them.
    let kept = |object: &Object| match object {
        Object::Stream(_) => Object::Null,
        object => object.clone(),
    };
    weight.map(|_| (id, kept(object)))
}

/// Whether a stream says nothing: images, and the outlines of TrueType fonts.
fn is_of_no_use(dict: &Dictionary) -> bool {
    let is = |key: &[u8], name: &[u8]| {
        let value = dict.get(key).and_then(Object::as_name);
        value.is_ok_and(|value| value == name)
    };
    is(b"Subtype", b"Image") || is(b"Subtype", b"CIDFontType0C") || is(b"Subtype", b"OpenType")
}

/// The most that the objects of an object stream can take. Each entry of its index is the beginning
/// of an object, and two may be the same, so each is counted by what it can reach.
fn objects_in(content: &[u8], dict: &Dictionary) -> usize {
    let first = dict.get(b"First").and_then(Object::as_i64).unwrap_or(0);
    let first = usize::try_from(first).unwrap_or(0).min(content.len());
    let (index, objects) = content.split_at(first);
    let all = tokens(objects).saturating_mul(OBJECT);
    let mut numbers = index
        .split(u8::is_ascii_whitespace)
        .filter(|number| !number.is_empty());
    let (mut before, mut again) = (None, 0_usize);
    while let (Some(_), Some(at)) = (numbers.next(), numbers.next()) {
        let at = std::str::from_utf8(at)
            .ok()
            .and_then(|at| at.parse::<usize>().ok());
        if at.is_some() && at <= before {
            again += 1;
        }
        before = at.or(before);
    }
    all.saturating_mul(again.saturating_add(1))
}

/// Whether a file holds so many objects that they would be too heavy. What stands in streams is
/// none, but a stream may be one by its look alone: where it is as dense as objects are, it counts,
/// if less.
fn is_crowded(bytes: &[u8]) -> bool {
    let (mut outside, mut within) = (0, 0);
    let mut rest = bytes;
    while !rest.is_empty() {
        let begin = memchr::memmem::find(rest, b"stream").unwrap_or(rest.len());
        let (before, after) = rest.split_at(begin);
        outside += tokens(before);
        let data = match memchr::memmem::find(after, b"endstream") {
            Some(length) if before.trim_ascii_end().ends_with(b">>") => {
                after.split_at(length + 9).0
            }
            _ => after.get(..6).unwrap_or(after),
        };
        for block in data.chunks(4096) {
            let objects = tokens(block);
            within += if objects > block.len() / 7 {
                objects
            } else {
                0
            };
        }
        rest = after.get(data.len()..).unwrap_or_default();
    }
    outside > MAX_OBJECTS || within > 2 * MAX_OBJECTS
}

/// How many objects `bytes` can hold at most, strings' content aside.
fn tokens(bytes: &[u8]) -> usize {
    let mut within = false;
    let mut tokens = 0;
    for byte in bytes {
        let kind = CLASS[*byte as usize];
        tokens += usize::from(kind == 2 || kind == 0 && !within);
        within = kind == 0;
    }
    tokens
}

/// 0: regular, 1: white space and what is no object by itself, 2: what begins an object.
static CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let (mut at, blanks, marks) = (0, b"\0\t\n\x0c\r ", b"()<>[]{}/%");
    while at < blanks.len() {
        class[blanks[at] as usize] = 1;
        at += 1;
    }
    at = 0;
    while at < marks.len() {
        class[marks[at] as usize] = 2;
        at += 1;
    }
    class
};

/// What an object takes, in bytes.
fn held(object: &Object) -> usize {
    let within = match object {
        Object::Name(bytes) | Object::String(bytes, _) => bytes.len(),
        Object::Array(objects) => objects.iter().map(held).sum(),
        Object::Dictionary(dict) => of_dict(dict),
        Object::Stream(stream) => stream.content.len() + of_dict(&stream.dict),
        _ => 0,
    };
    within + OBJECT
}

fn of_dict(dict: &Dictionary) -> usize {
    let entry = |(key, value): (&Vec<u8>, &Object)| key.len() + 48 + held(value);
    dict.iter().map(entry).sum()
}
