//! The opening of a PDF file by lopdf, which reads every object while it does so, without an end in
//! time or memory. What it reads is weighed as it goes by (see [`weigh`]), and a file that is too
//! heavy ends it there.

use std::any::Any;
use std::cell::RefCell;
use std::panic;
use std::time::Instant;

use lopdf::{Dictionary, Document, LoadOptions, Object, ObjectId};

use super::{PdfError, PdfLimits};

/// How much memory objects may take, in bytes, all together.
const MEMORY: usize = 288 << 20;

/// How many bytes an object stream of an encrypted file may be.
const MAX_ENCRYPTED: usize = 4 << 20;

/// What an object takes, in bytes, besides what it holds.
const OBJECT: usize = size_of::<Object>();

/// How many objects a file may hold, by a count that is too high rather than too low.
const MAX_OBJECTS: usize = 3 << 20;

/// Files of this length and less cannot hold so many objects that they would be too heavy.
pub(super) const SMALL: usize = 2 << 20;

/// What opening a file may still cost.
struct LoadBudget {
    end: Option<Instant>,
    memory: usize,
    stream: usize,
    objects: u32,
}

thread_local! {
    /// lopdf's filter is a plain function: what it counts stands here while a file is opened.
    static LOADING: RefCell<Option<LoadBudget>> = const { RefCell::new(None) };
}

/// What ends the opening of a file from within lopdf.
struct TooHeavy;

/// Opens a file; `reconstruct` says that its cross-references are not to be believed.
pub(super) fn load(
    bytes: &[u8],
    limits: &PdfLimits,
    reconstruct: bool,
) -> Result<Document, PdfError> {
    let loading = LoadBudget {
        end: limits.reading_end(),
        memory: MEMORY,
        stream: limits.stream,
        objects: 0,
    };
    // Of an encrypted file lopdf shows no object to the filter.
    let encrypted = memchr::memmem::find(bytes, b"/Encrypt").is_some();
    let most = if encrypted {
        MAX_ENCRYPTED.min(limits.stream)
    } else {
        limits.stream
    };
    let options = LoadOptions {
        password: None,
        filter: Some(weigh),
        strict: false,
        max_decompressed_size: Some(most),
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
        // lopdf can be ended in no other way. Nothing is printed; whoever guards the reader takes
        // it up.
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
pub(super) fn is_crowded(bytes: &[u8]) -> bool {
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
