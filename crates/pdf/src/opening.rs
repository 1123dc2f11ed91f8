//! Opens a PDF file with lopdf, which reads every object without a limit of time or memory. Objects
//! are weighed as they go by (see [`weigh`]), and a file that is too heavy is given up.

use std::any::Any;
use std::cell::RefCell;
use std::panic;
use std::time::Instant;

use lopdf::{Dictionary, Document, LoadOptions, Object, ObjectId};

use super::lexer::{is_blank, is_regular};
use crate::error::PdfError;
use iki_markdown::limits::FileLimits;
use iki_markdown::limits::is_past;
use iki_markdown::limits::reading_end;

/// Limit of the memory of all objects, in bytes.
const MAX_MEMORY: usize = 288 << 20;

/// Limit of an object stream of an encrypted file, in bytes.
const MAX_ENCRYPTED: usize = 4 << 20;

/// Size of an object without its content, in bytes.
const OBJECT_SIZE: usize = size_of::<Object>();

/// Limit of a file's objects, by an estimate that is rather too high.
const MAX_OBJECTS: usize = 3 << 20;

/// Length in bytes up to which a file cannot hold too many objects.
pub(super) const MAX_UNCHECKED: usize = 2 << 20;

/// The budget that is left for opening a file.
struct LoadBudget {
    end: Option<Instant>,
    memory: usize,
    stream: usize,
    objects: u32,
    /// The images that are kept.
    images: Vec<ObjectId>,
}

thread_local! {
    /// The budget is here because lopdf's filter is a plain function.
    static LOADING: RefCell<Option<LoadBudget>> = const { RefCell::new(None) };
}

/// The panic payload that ends the opening from within lopdf.
struct TooHeavy;

/// Opens a file, keeping the content of only these `images`; with `reconstruct` its
/// cross-references are ignored.
pub(super) fn load(
    bytes: &[u8],
    limits: &FileLimits,
    images: &[ObjectId],
    reconstruct: bool,
) -> Result<Document, PdfError> {
    let loading = LoadBudget {
        end: reading_end(limits.end),
        memory: MAX_MEMORY,
        stream: limits.part,
        objects: 0,
        images: images.to_vec(),
    };
    // lopdf does not pass the objects of an encrypted file to the filter.
    let encrypted = memchr::memmem::find(bytes, b"/Encrypt").is_some();
    let limit = if encrypted {
        MAX_ENCRYPTED.min(limits.part)
    } else {
        limits.part
    };
    let options = LoadOptions {
        password: None,
        filter: Some(weigh),
        strict: false,
        max_decompressed_size: Some(limit),
        force_reconstruct: reconstruct,
    };
    LOADING.replace(Some(loading));
    let loaded = Document::load_mem_with_options(bytes, options);
    LOADING.replace(None);
    let mut document = loaded.map_err(|error| error_of(&error))?;
    fill_streams(&mut document, bytes);
    Ok(document)
}

/// Returns a file whose attachments only are encrypted, as one that is not; lopdf asks for
/// their password.
pub(super) fn without_attachments_key(bytes: &[u8]) -> Option<Vec<u8>> {
    let is_plain = |key: &[u8]| {
        let mut keys = memchr::memmem::find_iter(bytes, key);
        keys.all(|offset| {
            bytes[offset + key.len()..]
                .trim_ascii_start()
                .starts_with(b"/Identity")
        })
    };
    memchr::memmem::find(bytes, b"/EFF")?;
    (is_plain(b"/StmF") && is_plain(b"/StrF")).then(|| {
        let mut open = bytes.to_vec();
        for offset in memchr::memmem::find_iter(bytes, b"/Encrypt") {
            open[offset + 1] = b'X';
        }
        open
    })
}

/// Gives streams whose length the file does not say their content.
fn fill_streams(document: &mut Document, bytes: &[u8]) {
    let mut left = bytes.len();
    for object in document.objects.values_mut() {
        if let Object::Stream(stream) = object
            && stream.content.is_empty()
            && let Some(data) = stream.start_position.and_then(|start| bytes.get(start..))
            && let Some(length) = memchr::memmem::find(&data[..left.min(data.len())], b"endstream")
        {
            // Streams may be said to begin in the same place, so their sum is bounded as well.
            left -= length;
            stream.set_content(data[..length].to_vec());
        }
    }
}

/// True if [`weigh`] ended the opening of a file.
pub(super) fn is_too_heavy(payload: &(dyn Any + Send)) -> bool {
    payload.is::<TooHeavy>()
}

fn error_of(error: &lopdf::Error) -> PdfError {
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

/// Weighs each object that lopdf has read before it is kept. Images and font outlines lose their
/// content, and object streams are opened only if there is memory for their objects. The opening
/// ends when a limit is exceeded.
fn weigh(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    let weight = match object {
        Object::Stream(stream) if has_no_text(&stream.dict) && !is_wanted(id) => {
            // Not empty: lopdf would read it again.
            stream.set_content(vec![0]);
            Some(0)
        }
        Object::Stream(stream) if stream.dict.has_type(b"ObjStm") => {
            let limit = LOADING.with_borrow(|loading| loading.as_ref().map(|l| l.stream));
            let opened = stream.get_plain_content_with_limit(limit.unwrap_or_default());
            opened
                .ok()
                .map(|content| object_stream_size(&content, &stream.dict))
        }
        _ => Some(0),
    };
    let weight = weight.map(|weight| weight.saturating_add(object_size(object)));
    let fits = LOADING.with_borrow_mut(|loading| {
        let Some(loading) = loading else {
            return true;
        };
        loading.objects += 1;
        let late = loading.objects % 256 == 0 && is_past(loading.end);
        let Some(weight) = weight else {
            // An object stream that cannot be read is ignored.
            return !late;
        };
        let left = loading.memory.checked_sub(weight);
        loading.memory = left.unwrap_or_default();
        left.is_some() && !late
    });
    if !fits {
        // lopdf can be stopped in no other way. Nothing is printed, and the guard of the reader
        // catches it.
        panic::resume_unwind(Box::new(TooHeavy));
    }
    // lopdf keeps this copy of an object stream's members, which are never streams.
    let kept_bytes = |object: &Object| match object {
        Object::Stream(_) => Object::Null,
        object => object.clone(),
    };
    weight.map(|_| (id, kept_bytes(object)))
}

fn is_wanted(image: ObjectId) -> bool {
    LOADING.with_borrow(|loading| {
        let loading = loading.as_ref();
        loading.is_some_and(|loading| loading.images.contains(&image))
    })
}

/// True if a stream holds no text: images, and the outlines of fonts.
fn has_no_text(dict: &Dictionary) -> bool {
    let is = |key: &[u8], name: &[u8]| {
        let value = dict.get(key).and_then(Object::as_name);
        value.is_ok_and(|value| value == name)
    };
    is(b"Subtype", b"Image") || is(b"Subtype", b"CIDFontType0C") || is(b"Subtype", b"OpenType")
}

/// Upper bound of the memory of an object stream's objects. Each entry of its index is the
/// beginning of an object, and two may be the same, so each counts with all that it can reach.
fn object_stream_size(content: &[u8], dict: &Dictionary) -> usize {
    let first = dict.get(b"First").and_then(Object::as_i64).unwrap_or(0);
    let first = usize::try_from(first).unwrap_or(0).min(content.len());
    let (index, objects) = content.split_at(first);
    let all = count_objects(objects).saturating_mul(OBJECT_SIZE);
    let mut numbers = index
        .split(u8::is_ascii_whitespace)
        .filter(|number| !number.is_empty());
    let (mut before, mut again) = (None, 0_usize);
    while let (Some(_), Some(offset)) = (numbers.next(), numbers.next()) {
        let offset = std::str::from_utf8(offset)
            .ok()
            .and_then(|offset| offset.parse::<usize>().ok());
        if offset.is_some() && offset <= before {
            again += 1;
        }
        before = offset.or(before);
    }
    all.saturating_mul(again.saturating_add(1))
}

/// True if a file holds so many objects that they would be too heavy. The content of streams does
/// not count; but because something may only look like a stream, content as dense as objects counts
/// half.
pub(super) fn is_crowded(bytes: &[u8]) -> bool {
    let (mut outside, mut within) = (0, 0);
    let mut unread = bytes;
    while !unread.is_empty() {
        let start = memchr::memmem::find(unread, b"stream").unwrap_or(unread.len());
        let (before, after) = unread.split_at(start);
        outside += count_objects(before);
        let data = match memchr::memmem::find(after, b"endstream") {
            Some(length) if before.trim_ascii_end().ends_with(b">>") => {
                after.split_at(length + 9).0
            }
            _ => after.get(..6).unwrap_or(after),
        };
        for block in data.chunks(4096) {
            let objects = count_objects(block);
            within += if objects > block.len() / 7 {
                objects
            } else {
                0
            };
        }
        unread = after.get(data.len()..).unwrap_or_default();
    }
    outside > MAX_OBJECTS || within > 2 * MAX_OBJECTS
}

/// Upper bound of the number of objects in `bytes`, strings' content aside.
fn count_objects(bytes: &[u8]) -> usize {
    let mut within = false;
    let mut tokens = 0;
    for byte in bytes {
        let is_regular = is_regular(*byte);
        tokens += usize::from(!(is_blank(*byte) || is_regular && within));
        within = is_regular;
    }
    tokens
}

/// Size of an object with its content, in bytes.
fn object_size(object: &Object) -> usize {
    let within = match object {
        Object::Name(bytes) | Object::String(bytes, _) => bytes.len(),
        Object::Array(objects) => objects.iter().map(object_size).sum(),
        Object::Dictionary(dict) => dict_size(dict),
        Object::Stream(stream) => stream.content.len() + dict_size(&stream.dict),
        _ => 0,
    };
    within + OBJECT_SIZE
}

fn dict_size(dict: &Dictionary) -> usize {
    let entry = |(key, value): (&Vec<u8>, &Object)| key.len() + 48 + object_size(value);
    dict.iter().map(entry).sum()
}
