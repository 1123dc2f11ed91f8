//! Files that are no text: an image for a model, or else words for what it is.

use super::lines;
use crate::contract::call_terms::CallTerms;
use crate::contract::failure::Failure;
use crate::contract::reply::Reply;
use crate::tools::file::{failure, paths};
use iki_base::wording::{quoted_for_shell, thousands};
use iki_files::binary_kind::BinaryKind;
use iki_files::{self as files, FileContent};
use iki_process::shell;

/// The largest image that a model is shown, in bytes: what is larger once it is written as base64
/// is refused, and all that was said with it.
const MOST_BYTES: usize = 3_900_000;

/// The most pixels of a side, where a conversation has many images.
const MAX_SIDE_PIXELS: u32 = 1999;

/// The side of a scaled image, in pixels; models see no more of one.
const SCALED_SIDE_PIXELS: u32 = 1568;

/// The answer to a model.
pub fn reply<'a>(
    path: &'a str,
    kind: BinaryKind,
    content: &FileContent,
    terms: &CallTerms,
) -> Result<Reply<'a>, Failure> {
    let size = content.facts().size;
    let nothing = |words: String| Ok(Reply::new(move |object| object.nothing_found(&words)));
    if !kind.is_image() {
        return nothing(lines::describe_binary(path, kind, size, terms));
    }
    let client_limit = terms.context.and_then(|context| context.max_image);
    let size_limit = client_limit.map_or(MOST_BYTES, |limit| limit.min(MOST_BYTES));
    if size_limit == 0 {
        let words = kind.describe(size);
        return nothing(format!(
            "{words}: not shown, because this client turns images into text"
        ));
    }
    let bytes = content.bytes_at(0, size_limit + 1);
    let bytes = bytes.map_err(|error| failure::from_access_error(path, &error))?;
    let kind = files::binary_kind::detect(&bytes).unwrap_or(kind);
    let words = kind.describe(size);
    let is_small = kind
        .measures
        .is_none_or(|(width, height)| width.max(height) <= MAX_SIDE_PIXELS);
    if bytes.len() > size_limit || !is_small {
        let scaled = if terms.serves("bash") {
            format!("; with bash, {}", scaling_advice(path))
        } else {
            String::new()
        };
        return nothing(format!(
            "{words}: too large to be shown, which takes at most {} pixels a side and {} \
             bytes{scaled}",
            thousands(MAX_SIDE_PIXELS.into()),
            thousands(size_limit as u64),
        ));
    }
    if !files::is_whole_image(kind, &bytes) {
        return nothing(format!(
            "{words}: damaged or cut off, and therefore not shown"
        ));
    }
    Ok(Reply::new(move |object| {
        object.image(kind.mime, &bytes)?;
        object.field(
            "output",
            &format!("{words}, shown above if your client shows images"),
        )
    }))
}

/// The command that makes a smaller copy in the working directory, with a program that is here.
fn scaling_advice(path: &str) -> String {
    let name = paths::base_name(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let copy = format!("./{stem}-scaled.jpg");
    let (from, to) = (quoted_for_shell(path), quoted_for_shell(&copy));
    // Names stand where no program looks for options or patterns in them.
    let mut programs = ["magick", "convert"].into_iter();
    let command = match programs.find(|name| shell::find_on_path(name.as_ref()).is_some()) {
        Some(magick) => format!(
            "{magick} - -resize '{SCALED_SIDE_PIXELS}x{SCALED_SIDE_PIXELS}>' -background white \
             -flatten jpg:- <{from} >{to}"
        ),
        None => format!(
            "python3 -c 'import sys; from PIL import Image; i = \
             Image.open(sys.stdin.buffer).convert(\"RGB\"); i.thumbnail(({SCALED_SIDE_PIXELS}, \
             {SCALED_SIDE_PIXELS})); i.save(sys.stdout.buffer, \"JPEG\")' <{from} >{to}"
        ),
    };
    format!("`{command}` makes a copy that is small enough")
}
