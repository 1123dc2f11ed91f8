//! Reads annotations: links, the text that is drawn over pages, and what readers have entered into
//! forms or noted.
//!
//! Rules: ISO 32000-2, 12.5 (annotations), 12.6.4.8 (URI actions), 12.7 (forms).

use lopdf::{Dictionary, Object};

use super::content::ContentInterpreter;
use super::file::{PdfFile, PdfPage, as_dict};
use super::font::push_readable;
use super::geometry::{Matrix, Rect};
use super::marked_content::text_string;
use super::runs::GlyphRun;
use iki_base::wording::joined_words;

/// Limit of a page's annotations.
const MAX_ANNOTATIONS: usize = 2000;

/// Limit of the pairs of a link and a run that are compared.
const MAX_PAIRS: usize = 20_000_000;

/// Limit of an address, in bytes.
const MAX_ADDRESS_BYTES: usize = 4096;

/// Limit of all addresses, in bytes.
const MAX_ADDRESSES_BYTES: usize = 16 << 20;

/// Flags of annotations that are invisible: hidden, or not for screens.
const UNSEEN_FLAGS: u32 = 2 | 32;

/// Flags of fields: text that must not be seen; buttons of which one is chosen, or without a value.
const PASSWORD_FLAG: u32 = 1 << 13;
const RADIO_FLAG: u32 = 1 << 15;
const PUSH_BUTTON_FLAG: u32 = 1 << 16;

/// Limit of the fields above a field.
const MAX_PARENTS: usize = 32;

/// Limits of the values of a field, and of those from which they were chosen.
const MAX_VALUES: usize = 64;
const MAX_OPTIONS: usize = 4096;

/// The links of a document.
#[derive(Default)]
pub(super) struct PdfLinks {
    pub(super) addresses: Vec<String>,
    length: usize,
}

impl PdfLinks {
    /// Length of all addresses, in bytes.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Marks the runs of a page that are part of links.
    pub(super) fn mark_runs(
        &mut self,
        file: &PdfFile,
        page: &PdfPage<'_>,
        upright: &Matrix,
        runs: &mut [GlyphRun],
    ) {
        let mut links: Vec<(Rect, u32)> = Vec::new();
        for annotation in annotations(file, page) {
            if file.name(annotation, b"Subtype") != Some(b"Link") {
                continue;
            }
            let address = file
                .dict(annotation, b"A")
                .and_then(|action| file.get(action, b"URI")?.as_str().ok());
            let (Some(address), Some(rect)) = (address, file.rect(annotation, b"Rect")) else {
                continue;
            };
            let address = text_string(address).trim().to_owned();
            if address.is_empty()
                || address.len() > MAX_ADDRESS_BYTES
                || address.contains(char::is_control)
                || self.length > MAX_ADDRESSES_BYTES
            {
                continue;
            }
            if self.addresses.last() != Some(&address) {
                self.length += address.len();
                self.addresses.push(address);
            }
            links.push((upright.rect(&rect), self.addresses.len() as u32 - 1));
        }
        if links.len().saturating_mul(runs.len()) > MAX_PAIRS {
            return;
        }
        for (rect, link) in links {
            for run in runs.iter_mut() {
                let (x, y) = run.center();
                if rect.holds(x, y) {
                    run.link = Some(link);
                }
            }
        }
    }
}

fn annotations<'a>(file: &'a PdfFile, page: &PdfPage<'a>) -> impl Iterator<Item = &'a Dictionary> {
    let annotations = file.array(page.dict, b"Annots").unwrap_or_default();
    let annotations = annotations.iter().take(MAX_ANNOTATIONS);
    annotations.filter_map(|annotation| as_dict(file.resolve(annotation)))
}

/// Draws the appearance of annotations: form fields, text over a page. Returns what those say whose
/// appearance has no text, or only a part of what was entered.
pub(super) fn draw_annotations<'a>(
    file: &'a PdfFile,
    page: &PdfPage<'a>,
    interpreter: &mut ContentInterpreter<'a>,
) -> Vec<String> {
    let mut notes = Vec::new();
    for annotation in annotations(file, page) {
        let flags = file.number(annotation, b"F").unwrap_or(0.0) as u32;
        let kind = file.name(annotation, b"Subtype").unwrap_or_default();
        if flags & UNSEEN_FLAGS != 0 || matches!(kind, b"Popup" | b"Link" | b"") {
            continue;
        }
        let before = interpreter.drawn.runs.text.len();
        draw_appearance(file, page, annotation, interpreter);
        let drawn = interpreter
            .drawn
            .runs
            .text
            .get(before..)
            .unwrap_or_default();
        let note = match kind {
            _ if file.is_late() => None,
            b"Widget" => field_note(file, annotation, drawn),
            _ if !drawn.is_empty() => None,
            b"Text" if file.get(annotation, b"State").is_none() => {
                let author = readable_text(file, annotation, b"T");
                let by = if author.is_empty() { "" } else { " by " };
                let text = readable_text(file, annotation, b"Contents");
                (!text.is_empty()).then(|| format!("[Note{by}{author}: {text}]"))
            }
            b"FreeText" => {
                let text = readable_text(file, annotation, b"Contents");
                (!text.is_empty()).then(|| format!("[Text over the page: {text}]"))
            }
            _ => None,
        };
        // The fields of a form may be on a page several times.
        notes.extend(note.filter(|note| notes.last() != Some(note)));
    }
    notes
}

/// Draws the appearance of an annotation.
fn draw_appearance<'a>(
    file: &'a PdfFile,
    page: &PdfPage<'a>,
    annotation: &'a Dictionary,
    interpreter: &mut ContentInterpreter<'a>,
) {
    let appearances = file.dict(annotation, b"AP");
    let appearance = appearances.and_then(|appearances| file.get(appearances, b"N"));
    let appearance = match appearance {
        Some(Object::Dictionary(states)) => {
            let state = file.name(annotation, b"AS");
            state.and_then(|state| file.get(states, state))
        }
        appearance => appearance,
    };
    let (Some(Object::Stream(form)), Some(rect)) = (appearance, file.rect(annotation, b"Rect"))
    else {
        return;
    };
    let Some(bounds) = file.rect(&form.dict, b"BBox") else {
        return;
    };
    let matrix = file.matrix(&form.dict, b"Matrix");
    let bounds = matrix.unwrap_or(Matrix::IDENTITY).rect(&bounds);
    let ratio = |to: f32, from: f32| if from > 0.0 { to / from } else { 1.0 };
    let (x, y) = (
        ratio(rect.width(), bounds.width()),
        ratio(rect.height(), bounds.height()),
    );
    let place = [
        x,
        0.0,
        0.0,
        y,
        rect.x0 - bounds.x0 * x,
        rect.y0 - bounds.y0 * y,
    ];
    interpreter.draw_form(form, page.resources, Matrix(place));
}

/// Returns the text of a dictionary's entry in one line.
fn readable_text(file: &PdfFile, dict: &Dictionary, key: &[u8]) -> String {
    file.get(dict, key).map_or_else(String::new, readable)
}

fn readable(object: &Object) -> String {
    let mut text = String::new();
    match object {
        Object::String(bytes, _) => push_readable(&text_string(bytes), &mut text),
        Object::Name(name) => push_readable(&String::from_utf8_lossy(name), &mut text),
        _ => {}
    }
    joined_words(&text)
}

/// Returns an attribute of a field, which the fields above it may give.
fn field_attribute<'a>(file: &'a PdfFile, field: &'a Dictionary, key: &[u8]) -> Option<&'a Object> {
    let fields = std::iter::successors(Some(field), |field| file.dict(field, b"Parent"));
    fields
        .take(MAX_PARENTS)
        .find_map(|field| file.get(field, key))
}

/// Returns what was entered into a field, after what it is called, unless all of it was drawn.
fn field_note(file: &PdfFile, field: &Dictionary, drawn: &str) -> Option<String> {
    let attribute = |key| field_attribute(file, field, key);
    let flags = attribute(b"Ff").and_then(|flags| flags.as_i64().ok());
    let flags = flags.unwrap_or(0) as u32;
    let value = attribute(b"V");
    let options = attribute(b"Opt").and_then(|options| options.as_array().ok());
    let options = options.map_or(&[][..], Vec::as_slice);
    let (kind, value) = match attribute(b"FT")?.as_name().ok()? {
        b"Tx" if flags & PASSWORD_FLAG == 0 => (
            "field",
            match value? {
                Object::Stream(stream) => {
                    let text = Object::string_literal(file.stream_data(stream));
                    readable(&text)
                }
                value => readable(value),
            },
        ),
        b"Ch" => {
            let values = match value? {
                Object::Array(values) => values.as_slice(),
                value => std::slice::from_ref(value),
            };
            let values = values.iter().take(MAX_VALUES);
            let values = values.map(|value| option_text(file, options, file.resolve(value)));
            ("choice", values.collect::<Vec<_>>().join(", "))
        }
        b"Btn" if flags & PUSH_BUTTON_FLAG == 0 => {
            let state = file.get(field, b"AS").or(value)?;
            let name = state.as_name().ok().filter(|name| *name != b"Off")?;
            let index = str::from_utf8(name)
                .ok()
                .and_then(|name| name.parse::<usize>().ok());
            let option = index
                .and_then(|index| options.get(index))
                .map_or(state, |index| file.resolve(index));
            if flags & RADIO_FLAG != 0 {
                ("choice", readable(option))
            } else {
                ("box", "checked".to_owned())
            }
        }
        _ => return None,
    };
    if !drawn.is_empty() {
        // Of a text that is longer than its field only a part is drawn.
        let letters = |text: &str| {
            text.chars()
                .filter(|c| c.is_alphanumeric())
                .collect::<String>()
        };
        let (drawn, whole) = (letters(drawn), letters(&value));
        if kind == "box" || drawn.len() >= whole.len() || !whole.contains(&drawn) {
            return None;
        }
    }
    let titles = [&b"TU"[..], b"T"].into_iter().filter_map(attribute);
    let title = titles.map(readable).find(|title| !title.is_empty());
    let title = title.unwrap_or_default();
    let blank = if title.is_empty() { "" } else { " " };
    (!value.is_empty()).then(|| format!("[Form {kind}{blank}{title}: {value}]"))
}

/// Returns the text that the list of a choice shows for a value.
fn option_text(file: &PdfFile, options: &[Object], value: &Object) -> String {
    let label = options.iter().take(MAX_OPTIONS).find_map(|option| {
        let [given, label] = file.resolve(option).as_array().ok()?.as_slice() else {
            return None;
        };
        let given = file.resolve(given);
        (given.as_str().ok()? == value.as_str().ok()?).then(|| file.resolve(label))
    });
    readable(label.unwrap_or(value))
}
