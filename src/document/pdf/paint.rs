//! The paint of text, and the parts of a page against which it can be seen.
//!
//! Rules: ISO 32000-2, 8.6 (colours), 9.3.6 (rendering modes), 11.6.4.4 (constant alpha). Paper is
//! white. Places are known to a cell of a grid. Whatever lies there is taken to make white text
//! seen, or to be the scan of text that is not painted, in whatever order both were drawn.

use lopdf::{Dictionary, Object};

use super::file::PdfFile;
use super::geometry::Rect;
use super::lexer::PdfOperand;

/// Cells of a grid along each side of a page.
const CELLS: usize = 64;

/// The narrowest area that a text can be seen against, in points: a rule is none.
const NARROW: f32 = 3.0;

/// The difference up to which a colour counts as white, and an alpha as none.
const FAINT: f32 = 0.05;

/// The paint of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextPaint {
    Seen,
    /// Seen where something else is painted.
    White,
    /// Not at all: beneath a picture of it, it is the text of that.
    Unseen,
}

/// The ink of areas, or of lines.
#[derive(Clone, Copy, Default)]
pub(super) struct PaintColour {
    is_white: bool,
    is_clear: bool,
    /// The colour space is one whose white is known.
    white_is_known: bool,
}

impl PaintColour {
    /// Sets the colour by an operator of this name, in lower case.
    pub(super) fn set(&mut self, operator: &[u8], operands: &[PdfOperand<'_>]) {
        let numbers: Vec<f32> = operands.iter().map_while(PdfOperand::number).collect();
        let light = |numbers: &[f32]| numbers.iter().all(|part| *part >= 1.0 - FAINT);
        let blank = |numbers: &[f32]| numbers.iter().all(|part| *part <= FAINT);
        self.is_white = match (operator, &*numbers) {
            (b"g" | b"sc" | b"scn", [_]) | (b"rg" | b"sc" | b"scn", [_, _, _]) => {
                (operator[0] != b's' || self.white_is_known) && light(&numbers)
            }
            (b"k" | b"sc" | b"scn", [_, _, _, _]) => {
                (operator == b"k" || self.white_is_known) && blank(&numbers)
            }
            _ => false,
        };
    }

    /// Sets the colour space; its first colour is black, or not known.
    pub(super) fn set_space(
        &mut self,
        file: &PdfFile,
        name: &[u8],
        resources: Option<&Dictionary>,
    ) {
        let spaces = resources.and_then(|resources| file.dict(resources, b"ColorSpace"));
        let kind = match spaces.and_then(|spaces| file.get(spaces, name)) {
            Some(Object::Array(parts)) => parts.first().map(|part| file.resolve(part)),
            other => other,
        };
        let kind = kind.and_then(|kind| kind.as_name().ok()).unwrap_or(name);
        self.is_white = false;
        self.white_is_known = matches!(
            kind,
            b"DeviceGray" | b"DeviceRGB" | b"DeviceCMYK" | b"CalGray" | b"CalRGB" | b"ICCBased"
        );
    }

    /// Sets how much of what lies beneath is seen through it.
    pub(super) fn set_alpha(&mut self, alpha: f32) {
        self.is_clear = alpha <= FAINT;
    }

    fn paint(self) -> TextPaint {
        match self {
            Self { is_clear: true, .. } => TextPaint::Unseen,
            Self { is_white: true, .. } => TextPaint::White,
            _ => TextPaint::Seen,
        }
    }
}

impl TextPaint {
    /// The paint of text in a rendering mode.
    pub(super) fn of(mode: i32, [area, line]: [PaintColour; 2]) -> Self {
        match mode {
            2 | 6 if area.paint() == Self::Seen => Self::Seen,
            1 | 2 | 5 | 6 => line.paint(),
            3 => Self::Unseen,
            // The text clips: the next paint is seen through it.
            7 => Self::White,
            _ => area.paint(),
        }
    }
}

/// The parts of a page on which something is painted.
pub(super) struct PaintedAreas {
    page: Rect,
    /// A bit for each cell: pictures, and all else that is not white.
    pictures: [u64; CELLS],
    areas: [u64; CELLS],
}

impl PaintedAreas {
    pub(super) fn new(page: Rect) -> Self {
        Self {
            page,
            pictures: [0; CELLS],
            areas: [0; CELLS],
        }
    }

    /// Notes that a picture is painted, or something that may be one.
    pub(super) fn picture(&mut self, area: &Rect) {
        mark(&mut self.pictures, &self.page, area);
    }

    /// Notes that an area is painted.
    pub(super) fn area(&mut self, area: &Rect, ink: PaintColour) {
        if ink.paint() == TextPaint::Seen && area.width().min(area.height()) >= NARROW {
            mark(&mut self.areas, &self.page, area);
        }
    }

    /// True if somebody sees a text with this paint at this place, or a picture of it.
    pub(super) fn shows(&self, paint: TextPaint, (x, y): (f32, f32)) -> bool {
        let (row, column) = (
            cell(y, self.page.y0, self.page.height()),
            cell(x, self.page.x0, self.page.width()),
        );
        let is_in = |grid: &[u64; CELLS]| grid[row] & 1 << column != 0;
        match paint {
            TextPaint::Seen => true,
            TextPaint::White => is_in(&self.pictures) || is_in(&self.areas),
            TextPaint::Unseen => is_in(&self.pictures),
        }
    }
}

/// The cell in which a place lies, or to which it is nearest.
fn cell(at: f32, from: f32, extent: f32) -> usize {
    let at = (at - from) / extent * CELLS as f32;
    (at as usize).min(CELLS - 1)
}

fn mark(grid: &mut [u64; CELLS], page: &Rect, area: &Rect) {
    let area = area.and(page);
    if area.width() <= 0.0 || area.height() <= 0.0 {
        return;
    }
    let [first, last] = [area.x0, area.x1].map(|x| cell(x, page.x0, page.width()));
    let columns = (u64::MAX >> (CELLS - 1 - last)) & (u64::MAX << first);
    let [first, last] = [area.y0, area.y1].map(|y| cell(y, page.y0, page.height()));
    for row in &mut grid[first..=last] {
        *row |= columns;
    }
}
