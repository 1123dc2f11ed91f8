//! Determines the paint of text, and the parts of a page against which it can be seen.
//!
//! Rules: ISO 32000-2, 8.6 (colours), 9.3.6 (rendering modes), 11.6.4.4 (constant alpha). Paper is
//! white. Positions are rounded to the cells of a grid. Anything painted in a cell is assumed to
//! make white text visible, or to be the scan of unpainted text, in whichever order both were
//! drawn.

use lopdf::{Dictionary, Object};

use super::file::PdfFile;
use super::geometry::Rect;
use super::lexer::PdfOperand;
use super::rules::{DrawnPath, PageRules};

/// Number of grid cells along each side of a page.
const GRID_SIDE: usize = 64;

/// Minimum width of an area against which text is visible, in points; rules are narrower.
const MIN_AREA_WIDTH: f32 = 3.0;

/// Difference up to which a colour counts as white, and an alpha as 0.
const COLOUR_TOLERANCE: f32 = 0.05;

/// The visibility of a text's paint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextPaint {
    Seen,
    /// Visible where something else is painted.
    White,
    /// Invisible; beneath a picture it is the recognised text of that.
    Unseen,
}

/// The colour of areas, or of lines.
#[derive(Clone, Copy, Default)]
pub(super) struct PaintColour {
    is_white: bool,
    is_clear: bool,
    /// True if the white of the colour space is known.
    white_is_known: bool,
}

impl PaintColour {
    /// Sets the colour by this operator, in lower case.
    pub(super) fn set(&mut self, operator: &[u8], operands: &[PdfOperand<'_>]) {
        let numbers: Vec<f32> = operands.iter().map_while(PdfOperand::number).collect();
        let light = |numbers: &[f32]| numbers.iter().all(|part| *part >= 1.0 - COLOUR_TOLERANCE);
        let blank = |numbers: &[f32]| numbers.iter().all(|part| *part <= COLOUR_TOLERANCE);
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

    /// Sets the colour space, whose first colour is black or unknown.
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

    /// Sets the opacity.
    pub(super) fn set_alpha(&mut self, alpha: f32) {
        self.is_clear = alpha <= COLOUR_TOLERANCE;
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
    /// Returns the paint of text in a rendering mode.
    pub(super) fn from_mode(mode: i32, [area, line]: [PaintColour; 2]) -> Self {
        match mode {
            2 | 6 if area.paint() == Self::Seen => Self::Seen,
            1 | 2 | 5 | 6 => line.paint(),
            3 => Self::Unseen,
            // Text in this mode clips, and the next paint shows through it.
            7 => Self::White,
            _ => area.paint(),
        }
    }
}

/// The painted parts of a page.
pub(super) struct PaintedAreas {
    page: Rect,
    /// A bit for each cell: pictures, and anything else that is not white.
    pictures: [u64; GRID_SIDE],
    areas: [u64; GRID_SIDE],
    pub(super) rules: PageRules,
}

impl PaintedAreas {
    pub(super) fn new(page: Rect) -> Self {
        Self {
            page,
            pictures: [0; GRID_SIDE],
            areas: [0; GRID_SIDE],
            rules: PageRules::default(),
        }
    }

    /// Records a picture, or something that may be one.
    pub(super) fn add_picture(&mut self, area: &Rect) {
        mark_cells(&mut self.pictures, &self.page, area);
    }

    /// Records the area and the lines of a path that is filled, stroked or both.
    pub(super) fn add_path(
        &mut self,
        path: &DrawnPath,
        [fills, strokes]: [bool; 2],
        clip: &Rect,
        colours: [PaintColour; 2],
    ) {
        let [area, line] = colours.map(|colour| colour.paint() == TextPaint::Seen);
        let bounds = path.bounds.and(clip);
        if fills && area && bounds.width().min(bounds.height()) >= MIN_AREA_WIDTH {
            mark_cells(&mut self.areas, &self.page, &bounds);
        }
        self.rules
            .add_path(path, strokes && line, fills && area, clip);
    }

    /// True if text with this paint, or a picture of it, is visible at this place.
    pub(super) fn shows(&self, paint: TextPaint, (x, y): (f32, f32)) -> bool {
        let (row, column) = (
            cell_index(y, self.page.y0, self.page.height()),
            cell_index(x, self.page.x0, self.page.width()),
        );
        let is_in = |grid: &[u64; GRID_SIDE]| grid[row] & 1 << column != 0;
        match paint {
            TextPaint::Seen => true,
            TextPaint::White => is_in(&self.pictures) || is_in(&self.areas),
            TextPaint::Unseen => is_in(&self.pictures),
        }
    }
}

/// Returns the index of the cell that holds a position, or of the nearest.
fn cell_index(position: f32, from: f32, extent: f32) -> usize {
    let position = (position - from) / extent * GRID_SIDE as f32;
    (position as usize).min(GRID_SIDE - 1)
}

fn mark_cells(grid: &mut [u64; GRID_SIDE], page: &Rect, area: &Rect) {
    let area = area.and(page);
    if area.width() <= 0.0 || area.height() <= 0.0 {
        return;
    }
    let [first, last] = [area.x0, area.x1].map(|x| cell_index(x, page.x0, page.width()));
    let columns = (u64::MAX >> (GRID_SIDE - 1 - last)) & (u64::MAX << first);
    let [first, last] = [area.y0, area.y1].map(|y| cell_index(y, page.y0, page.height()));
    for row in &mut grid[first..=last] {
        *row |= columns;
    }
}
