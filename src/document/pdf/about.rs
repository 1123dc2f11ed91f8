//! What stands beside a page's content: the document's title, links, what annotations show.
//!
//! Rules: ISO 32000-2, 12.5 (annotations), 12.6.4.8 (URI actions), 14.3 (metadata).

use lopdf::{Dictionary, Object};

use super::content::Interpreter;
use super::file::{File, Page, as_dict};
use super::geometry::{Matrix, Rect};
use super::marks::text_string;
use super::runs::Run;
use crate::basics::words::floor_boundary;

/// The most annotations of a page.
const MAX_ANNOTATIONS: usize = 2000;

/// The most pairs of a link and a run that are looked at.
const MAX_PAIRS: usize = 20_000_000;

/// The longest address, in bytes.
const MAX_ADDRESS: usize = 4096;

/// How long all addresses may be, in bytes.
const MAX_ADDRESSES: usize = 16 << 20;

/// The longest title, in bytes.
const MAX_TITLE: usize = 1000;

/// Flags of an annotation that is not seen: hidden, or not on screens.
const UNSEEN: u32 = 2 | 32;

/// The links of a document.
#[derive(Default)]
pub(super) struct Links {
    pub(super) addresses: Vec<String>,
    length: usize,
}

impl Links {
    /// How long all addresses are.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Notes of a page's runs which link they are part of.
    pub(super) fn find(
        &mut self,
        file: &File,
        page: &Page<'_>,
        upright: &Matrix,
        runs: &mut [Run],
    ) {
        let mut links: Vec<(Rect, u32)> = Vec::new();
        for annotation in annotations(file, page) {
            if file.name(annotation, b"Subtype") != Some(b"Link") {
                continue;
            }
            let address = file
                .dict(annotation, b"A")
                .and_then(|action| file.get(action, b"URI")?.as_str().ok());
            let (Some(address), Some(rect)) = (address, rect(file, annotation)) else {
                continue;
            };
            let address = text_string(address).trim().to_owned();
            if address.is_empty()
                || address.len() > MAX_ADDRESS
                || address.contains(char::is_control)
                || self.length > MAX_ADDRESSES
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
                let (x, y) = run.place();
                if rect.holds(x, y) {
                    run.link = Some(link);
                }
            }
        }
    }
}

fn annotations<'a>(file: &'a File, page: &Page<'a>) -> impl Iterator<Item = &'a Dictionary> {
    let annotations = file.array(page.dict, b"Annots").unwrap_or_default();
    let annotations = annotations.iter().take(MAX_ANNOTATIONS);
    annotations.filter_map(|annotation| as_dict(file.resolve(annotation)))
}

fn rect(file: &File, annotation: &Dictionary) -> Option<Rect> {
    let numbers = file.numbers(file.array(annotation, b"Rect")?);
    Rect::of(&numbers)
}

/// Draws what annotations show: the fields of forms, text set over a page.
pub(super) fn draw_annotations<'a>(
    file: &'a File,
    page: &Page<'a>,
    interpreter: &mut Interpreter<'a>,
) {
    for annotation in annotations(file, page) {
        let flags = file.number(annotation, b"F").unwrap_or(0.0) as u32;
        if flags & UNSEEN != 0
            || matches!(
                file.name(annotation, b"Subtype"),
                Some(b"Popup" | b"Link") | None
            )
        {
            continue;
        }
        let looks = file.dict(annotation, b"AP");
        let look = looks.and_then(|looks| file.get(looks, b"N"));
        let look = match look {
            Some(Object::Dictionary(states)) => {
                let state = file.name(annotation, b"AS");
                state.and_then(|state| file.get(states, state))
            }
            look => look,
        };
        let (Some(Object::Stream(form)), Some(rect)) = (look, rect(file, annotation)) else {
            continue;
        };
        let numbers = |key| file.array(&form.dict, key).map(|array| file.numbers(array));
        let bounds = numbers(b"BBox").and_then(|numbers| Rect::of(&numbers));
        let matrix = numbers(b"Matrix").and_then(|numbers| Matrix::of(&numbers));
        let Some(bounds) = bounds else {
            continue;
        };
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
}

/// The document's title, from what it says about itself; empty if it has none.
pub(super) fn title(file: &File) -> String {
    let info = file.info().and_then(|info| file.get(info, b"Title"));
    let info = info.and_then(|title| title.as_str().ok()).map(text_string);
    let title = info
        .map(|title| clean(&title))
        .filter(|title| !title.is_empty());
    title.or_else(|| from_metadata(file)).unwrap_or_default()
}

/// Who wrote the document, from what it says about itself.
pub(super) fn author(file: &File) -> Option<String> {
    let author = file.get(file.info()?, b"Author")?.as_str().ok()?;
    Some(clean(&text_string(author))).filter(|author| !author.is_empty())
}

/// When the document was made, from what it says about itself, as a date of ISO 8601.
pub(super) fn date(file: &File) -> Option<String> {
    let date = file.get(file.info()?, b"CreationDate")?.as_str().ok()?;
    iso_date(&text_string(date))
}

/// The day of a date such as `D:20240131120000+01'00'`.
fn iso_date(date: &str) -> Option<String> {
    let digits: String = date
        .trim()
        .trim_start_matches("D:")
        .chars()
        .take_while(char::is_ascii_digit)
        .take(8)
        .collect();
    let part = |from: usize| digits.get(from..from + 2).map(|part| format!("-{part}"));
    let year = digits.get(..4).filter(|year| *year > "1970")?;
    let (month, day) = (part(4).unwrap_or_default(), part(6).unwrap_or_default());
    Some(format!("{year}{month}{day}"))
}

/// The title within a document's XMP metadata.
fn from_metadata(file: &File) -> Option<String> {
    let Object::Stream(stream) = file.get(file.catalog()?, b"Metadata")? else {
        return None;
    };
    let data = file.data(stream);
    let start = memchr::memmem::find(&data, b"<dc:title")?;
    let rest = data.get(start..data.len().min(start + 8192))?;
    let rest = &rest[..memchr::memmem::find(rest, b"</dc:title>")?];
    let open = memchr::memmem::find(rest, b"<rdf:li")?;
    let item = &rest[open..];
    let text = &item[memchr::memchr(b'>', item)? + 1..];
    let text = &text[..memchr::memchr(b'<', text)?];
    let text = String::from_utf8_lossy(text);
    Some(clean(&crate::document::entities::decoded(&text))).filter(|title| !title.is_empty())
}

/// A title on one line, without what programs put before the name of a file.
fn clean(title: &str) -> String {
    let title: String = title
        .chars()
        .filter(|c| !c.is_control() || c.is_whitespace())
        .collect();
    let words: Vec<&str> = title.split_whitespace().collect();
    let title = words.join(" ");
    let title = title.strip_prefix("Microsoft Word - ").unwrap_or(&title);
    let end = floor_boundary(title, MAX_TITLE);
    let title = title[..end].trim();
    if title.eq_ignore_ascii_case("untitled") {
        String::new()
    } else {
        title.to_owned()
    }
}
