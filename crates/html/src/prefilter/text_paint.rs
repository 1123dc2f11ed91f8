//! The paint of a drawing's text, as far as presentation attributes leave it without any.
//!
//! Rules: SVG 2, presentation attributes (`fill`, `fill-opacity`, `font-size`, `stroke`), which are
//! inherited and give way to styles. What a style sheet says is not known here, so that a class may
//! give back what an element around has taken.

/// The attributes that are read, in the order of [`TextPaint`].
const ATTRIBUTES: [&str; 4] = ["fill", "fill-opacity", "font-size", "stroke"];

/// The words of a style that give back what such an attribute takes.
const STYLES: [&str; 4] = ["fill", "fill", "font", "stroke"];

/// Maximum number of open elements whose paint is kept; that of deeper ones is not read.
const MAX_PAINTS: usize = 64;

/// Which of the attributes leave nothing to be seen.
type TextPaint = [bool; ATTRIBUTES.len()];

/// Where no attribute says otherwise: filled, and without an outline.
const INITIAL: TextPaint = [false, false, false, true];

/// The changes of an element to the paint around it.
#[derive(Clone, Copy, Default)]
pub(super) struct PaintChange {
    attributes: [Option<bool>; ATTRIBUTES.len()],
    given_back: [bool; ATTRIBUTES.len()],
    /// Nothing is inherited.
    resets: bool,
}

impl PaintChange {
    /// That of an element which shows no text of the drawing's.
    pub(super) fn reset() -> Self {
        Self {
            resets: true,
            ..Self::default()
        }
    }

    /// Reads an attribute, by its lower-case name.
    pub(super) fn read_attribute(&mut self, name: &str, value: &str) {
        if let Some(index) = ATTRIBUTES.iter().position(|one| *one == name) {
            let is_nothing = value.trim().eq_ignore_ascii_case("none") || is_zero(value);
            self.attributes[index] = Some(is_nothing);
        } else if name == "style" {
            let style = value.to_ascii_lowercase();
            self.given_back = STYLES.map(|word| style.contains(word));
        }
        self.resets |= name == "class";
    }

    fn applied_to(self, mut paint: TextPaint) -> TextPaint {
        if self.resets {
            paint = INITIAL;
        }
        for (index, is_nothing) in paint.iter_mut().enumerate() {
            *is_nothing = self.attributes[index].unwrap_or(*is_nothing) && !self.given_back[index];
        }
        paint
    }

    fn is_none(&self) -> bool {
        let changes = self.attributes.iter().any(Option::is_some);
        !changes && !self.resets && self.given_back.iter().all(|one| !one)
    }
}

/// True for the number 0, with any unit.
pub(super) fn is_zero(value: &str) -> bool {
    let number = value.trim();
    let number = number.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
    number.parse() == Ok(0.0_f32)
}

/// The open elements of a drawing that change the paint of text.
#[derive(Default)]
pub(super) struct PaintStack<'a>(Vec<PaintedElement<'a>>);

struct PaintedElement<'a> {
    name: &'a str,
    /// Number of open elements with its name, from this one to the next entry.
    same: usize,
    paint: TextPaint,
}

impl<'a> PaintStack<'a> {
    /// Opens an element.
    pub(super) fn start(&mut self, name: &'a str, change: PaintChange) {
        if change.is_none() || self.0.len() == MAX_PAINTS {
            if let Some(index) = self.place(name) {
                self.0[index].same += 1;
            }
            return;
        }
        let paint = change.applied_to(self.paint());
        self.0.push(PaintedElement {
            name,
            same: 1,
            paint,
        });
    }

    /// Closes an element.
    pub(super) fn end(&mut self, name: &str) {
        if let Some(index) = self.place(name) {
            self.0[index].same -= 1;
            if self.0[index].same == 0 {
                self.0.truncate(index);
            }
        }
    }

    /// True if text is drawn with nothing.
    pub(super) fn hides_text(&self) -> bool {
        let [fill, opacity, size, outline] = self.paint();
        size || ((fill || opacity) && outline)
    }

    fn paint(&self) -> TextPaint {
        self.0.last().map_or(INITIAL, |element| element.paint)
    }

    fn place(&self, name: &str) -> Option<usize> {
        let mut all = self.0.iter();
        all.rposition(|element| element.name.eq_ignore_ascii_case(name))
    }
}
