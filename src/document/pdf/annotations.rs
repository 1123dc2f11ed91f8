//! Reads annotations: links, and the text that is drawn over pages.
//!
//! Rules: ISO 32000-2, 12.5 (annotations), 12.6.4.8 (URI actions).

use lopdf::{Dictionary, Object};

use super::content::ContentInterpreter;
use super::file::{PdfFile, PdfPage, as_dict};
use super::geometry::{Matrix, Rect};
use super::marked_content::text_string;
use super::runs::GlyphRun;

/// Limit of a page's annotations.
const MAX_ANNOTATIONS: usize = 2000;

/// Limit of the pairs of a link and a run that are compared.
const MAX_PAIRS: usize = 20_000_000;

/// Limit of an address, in bytes.
const MAX_ADDRESS: usize = 4096;

/// Limit of all addresses, in bytes.
const MAX_ADDRESSES: usize = 16 << 20;

/// Flags of annotations that are invisible: hidden, or not for screens.
const UNSEEN: u32 = 2 | 32;

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
            let (Some(address), Some(rect)) = (address, annotation_rect(file, annotation)) else {
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

fn annotation_rect(file: &PdfFile, annotation: &Dictionary) -> Option<Rect> {
    let numbers = file.numbers(file.array(annotation, b"Rect")?);
    Rect::of(&numbers)
}

/// Draws the appearance of annotations: form fields, text over a page.
pub(super) fn draw_annotations<'a>(
    file: &'a PdfFile,
    page: &PdfPage<'a>,
    interpreter: &mut ContentInterpreter<'a>,
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
        let appearances = file.dict(annotation, b"AP");
        let appearance = appearances.and_then(|appearances| file.get(appearances, b"N"));
        let appearance = match appearance {
            Some(Object::Dictionary(states)) => {
                let state = file.name(annotation, b"AS");
                state.and_then(|state| file.get(states, state))
            }
            appearance => appearance,
        };
        let (Some(Object::Stream(form)), Some(rect)) =
            (appearance, annotation_rect(file, annotation))
        else {
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
