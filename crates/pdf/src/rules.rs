//! Paths as far as they are ruled lines: strokes, and the thin areas that are drawn instead.

use super::geometry::Rect;
use super::runs;

/// Maximum thickness of a line that is drawn as an area, in points.
const MAX_THICKNESS: f32 = 3.0;

/// Limit of the edges of a path, and of a page's lines; what has more is a drawing.
const MAX_LINES: usize = 20_000;

/// A level or upright line: its place across its direction, its start and its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct RuledLine {
    pub(super) position: f32,
    pub(super) from: f32,
    pub(super) to: f32,
}

/// The level and the upright lines of a page.
#[derive(Default)]
pub(super) struct PageRules {
    pub(super) level: Vec<RuledLine>,
    pub(super) upright: Vec<RuledLine>,
}

impl PageRules {
    /// Adds an area or an edge if it is a line.
    fn add(&mut self, area: &Rect) {
        let (width, height) = (area.width(), area.height());
        let thickness = width.min(height);
        if !(width + height).is_finite()
            || !(0.0..MAX_THICKNESS).contains(&thickness)
            || self.level.len() + self.upright.len() >= MAX_LINES
        {
            return;
        }
        if width > height {
            self.level.push(RuledLine {
                position: f32::midpoint(area.y0, area.y1),
                from: area.x0,
                to: area.x1,
            });
        } else {
            self.upright.push(RuledLine {
                position: f32::midpoint(area.x0, area.x1),
                from: area.y0,
                to: area.y1,
            });
        }
    }

    /// Adds the edges or the areas of a path, or both.
    pub(super) fn add_path(&mut self, path: &DrawnPath, edges: bool, areas: bool, clip: &Rect) {
        let edges = if edges { path.edges.as_slice() } else { &[] };
        let areas = if areas { path.areas.as_slice() } else { &[] };
        for edge in edges {
            self.add(&edge.and(clip));
        }
        for area in areas.iter().map(|area| area.and(clip)) {
            let Rect { x0, y0, x1, y1 } = area;
            if area.width().min(area.height()) < MAX_THICKNESS {
                self.add(&area);
            } else {
                // A shaded cell ends where its shade does.
                for [x0, y0, x1, y1] in [
                    [x0, y0, x1, y0],
                    [x0, y1, x1, y1],
                    [x0, y0, x0, y1],
                    [x1, y0, x1, y1],
                ] {
                    self.add(&Rect { x0, y0, x1, y1 });
                }
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.level.is_empty() && self.upright.is_empty()
    }

    /// Returns the lines in a frame that is turned by a multiple of 90 degrees, or none; and
    /// mirrored.
    pub(super) fn turned(&self, angle: i16, mirrored: bool) -> Self {
        let mut turned = Self::default();
        if angle % 90 != 0 {
            return turned;
        }
        let level = self
            .level
            .iter()
            .map(|line| [(line.from, line.position), (line.to, line.position)]);
        let upright = self
            .upright
            .iter()
            .map(|line| [(line.position, line.from), (line.position, line.to)]);
        let sign = if mirrored { -1.0 } else { 1.0 };
        for ends in level.chain(upright) {
            let [(x0, y0), (x1, y1)] = ends.map(|point| runs::turned(point, angle));
            turned.add(&Rect::new(sign * x0, y0, sign * x1, y1));
        }
        turned
    }

    /// True if there are more lines than tables have.
    pub(super) fn is_drawing(&self) -> bool {
        self.level.len() + self.upright.len() >= MAX_LINES
    }
}

/// A path that is being built.
pub(super) struct DrawnPath {
    pub(super) bounds: Rect,
    /// Level and upright edges, as areas without an extent in one direction.
    edges: Vec<Rect>,
    /// The bounds of each of its parts.
    areas: Vec<Rect>,
    start: (f32, f32),
    end: (f32, f32),
}

impl DrawnPath {
    pub(super) const EMPTY: Self = Self {
        bounds: Rect::NONE,
        edges: Vec::new(),
        areas: Vec::new(),
        start: (0.0, 0.0),
        end: (0.0, 0.0),
    };

    pub(super) fn add_rectangle(&mut self, area: &Rect) {
        let Rect { x0, y0, x1, y1 } = *area;
        self.move_to((x0, y0));
        for point in [(x1, y0), (x1, y1), (x0, y1), (x0, y0)] {
            self.line_to(point);
        }
    }

    pub(super) fn move_to(&mut self, (x, y): (f32, f32)) {
        (self.start, self.end) = ((x, y), (x, y));
        self.bounds.include(x, y);
        if self.areas.len() < MAX_LINES {
            self.areas.push(Rect::new(x, y, x, y));
        }
    }

    pub(super) fn line_to(&mut self, (x, y): (f32, f32)) {
        let edge = Rect::new(self.end.0, self.end.1, x, y);
        if self.edges.len() < MAX_LINES && edge.width().min(edge.height()) < 0.5 {
            self.edges.push(edge);
        }
        self.curve_to((x, y));
    }

    /// Continues by a curve, which has no edge.
    pub(super) fn curve_to(&mut self, (x, y): (f32, f32)) {
        self.end = (x, y);
        self.bounds.include(x, y);
        if let Some(area) = self.areas.last_mut() {
            area.include(x, y);
        }
    }

    pub(super) fn close(&mut self) {
        self.line_to(self.start);
    }

    pub(super) fn clear(&mut self) {
        self.bounds = Rect::NONE;
        self.edges.clear();
        self.areas.clear();
    }
}
