//! Matrices and rectangles: ISO 32000-2, 8.3.

/// A transformation of points from one space into another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Matrix(pub(super) [f32; 6]);

impl Matrix {
    pub(super) const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// Creates a matrix from six numbers.
    pub(super) fn from_numbers(numbers: &[f32]) -> Option<Self> {
        numbers.try_into().ok().map(Self)
    }

    /// Returns the transformation by this matrix, then by `next`.
    pub(super) fn then(&self, next: &Self) -> Self {
        let (first, next) = (&self.0, &next.0);
        let entry =
            |from: usize, to: usize| first[from] * next[to] + first[from + 1] * next[to + 2];
        Self([
            entry(0, 0),
            entry(0, 1),
            entry(2, 0),
            entry(2, 1),
            entry(4, 0) + next[4],
            entry(4, 1) + next[5],
        ])
    }

    /// Transforms a point.
    pub(super) fn point(&self, x: f32, y: f32) -> (f32, f32) {
        let matrix = &self.0;
        (
            matrix[0] * x + matrix[2] * y + matrix[4],
            matrix[1] * x + matrix[3] * y + matrix[5],
        )
    }

    /// Moves by `x` and `y` before this transformation.
    pub(super) fn moved(&self, x: f32, y: f32) -> Self {
        let mut moved = *self;
        (moved.0[4], moved.0[5]) = self.point(x, y);
        moved
    }

    /// Returns the smallest upright rectangle around a transformed one.
    pub(super) fn rect(&self, rect: &Rect) -> Rect {
        let mut around = Rect::NONE;
        for (x, y) in rect.corners() {
            let (x, y) = self.point(x, y);
            around.include(x, y);
        }
        around
    }
}

/// Returns the middle one of these values; 0 if there are none.
pub(super) fn median(values: impl Iterator<Item = f32>) -> f32 {
    let mut values: Vec<f32> = values.collect();
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// An upright rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rect {
    pub(super) x0: f32,
    pub(super) y0: f32,
    pub(super) x1: f32,
    pub(super) y1: f32,
}

impl Rect {
    /// An empty rectangle.
    pub(super) const NONE: Self = Self {
        x0: f32::INFINITY,
        y0: f32::INFINITY,
        x1: f32::NEG_INFINITY,
        y1: f32::NEG_INFINITY,
    };

    pub(super) fn new(x0: f32, y0: f32, x1: f32, y1: f32) -> Self {
        Self {
            x0: x0.min(x1),
            y0: y0.min(y1),
            x1: x0.max(x1),
            y1: y0.max(y1),
        }
    }

    /// Creates a rectangle from two corners.
    pub(super) fn from_corners(numbers: &[f32]) -> Option<Self> {
        let [x0, y0, x1, y1] = numbers.try_into().ok()?;
        Some(Self::new(x0, y0, x1, y1))
    }

    pub(super) fn corners(&self) -> [(f32, f32); 4] {
        let Self { x0, y0, x1, y1 } = *self;
        [(x0, y0), (x1, y0), (x0, y1), (x1, y1)]
    }

    pub(super) fn width(&self) -> f32 {
        self.x1 - self.x0
    }

    pub(super) fn height(&self) -> f32 {
        self.y1 - self.y0
    }

    pub(super) fn include(&mut self, x: f32, y: f32) {
        self.x0 = self.x0.min(x);
        self.y0 = self.y0.min(y);
        self.x1 = self.x1.max(x);
        self.y1 = self.y1.max(y);
    }

    /// Returns the intersection.
    pub(super) fn and(&self, other: &Self) -> Self {
        Self {
            x0: self.x0.max(other.x0),
            y0: self.y0.max(other.y0),
            x1: self.x1.min(other.x1),
            y1: self.y1.min(other.y1),
        }
    }

    pub(super) fn holds(&self, x: f32, y: f32) -> bool {
        self.x0 <= x && x <= self.x1 && self.y0 <= y && y <= self.y1
    }
}
