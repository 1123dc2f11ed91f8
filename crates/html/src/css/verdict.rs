//! Decides if a style leaves anything visible.
//!
//! Rules: those of the properties. A box is judged only by its own style; the inherited properties
//! (size and colour of type, indents) go down the tree as [`TextLooks`].

use super::property::LonghandProperty as L;
use super::{CssColour, InlineStyle};

/// Minimum opacity that is visible, and minimum size of a box or of type, in pixels.
const MIN_OPACITY: f32 = 0.05;
pub(super) const MIN_PIXELS: f32 = 2.0;

/// Minimum scale: it makes type of the ordinary size as small as that.
const MIN_SCALE: f32 = 0.1;

/// Minimum distance, in pixels, at which an element is off the page; the larger one is for elements
/// that may belong to a carousel or can be reached by scrolling.
const MIN_AWAY: f32 = 900.0;
const MIN_FAR_AWAY: f32 = 5000.0;

/// Minimum difference, in one of its parts, by which a colour is visible on another.
const MIN_CONTRAST: u8 = 8;

/// The way in which an element is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HidingMethod {
    /// It takes up no space.
    Removed,
    /// It keeps its space, as all others do.
    Unseen,
    /// Only its opacity hides it, as with content that is faded in.
    Faded,
}

impl HidingMethod {
    /// Returns the value of [`dom::HIDING`] that says so.
    ///
    /// [`dom::HIDING`]: super::super::dom::HIDING
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Removed => "removed",
            Self::Unseen => "unseen",
            Self::Faded => "faded",
        }
    }
}

/// True if a style hides any element.
pub fn hides(style: &str) -> bool {
    InlineStyle::parse(style).hiding(false).is_some()
}

impl InlineStyle {
    /// Returns how this hides its element, regardless of the elements around it. `boxed` elements
    /// have a box of their own, unlike parts of a line or a table.
    pub(crate) fn hiding(&self, boxed: bool) -> Option<HidingMethod> {
        let is = |property: L, value: f32| self.number(property) == Some(value);
        let below =
            |property: L, least: f32| self.number(property).is_some_and(|number| number < least);
        if is(L::Display, 0.0) {
            return Some(HidingMethod::Removed);
        }
        if self.number(L::Visibility) > Some(0.0) {
            return Some(HidingMethod::Unseen);
        }
        if is(L::Display, 2.0) {
            return None;
        }
        let unseen = below(L::Filter, MIN_OPACITY)
            || is(L::ClipPath, 1.0)
            || (is(L::Clip, 1.0) && self.is_lifted())
            || self.is_moved_away()
            || (self.is_boxed(boxed)
                && (is(L::ContentVisibility, 2.0)
                    || [L::Scaled, L::Scale]
                        .into_iter()
                        .any(|property| below(property, MIN_SCALE))
                    || self
                        .number(L::Zoom)
                        .is_some_and(|zoom| zoom > 0.0 && zoom < MIN_SCALE)
                    || (self.clips() && self.is_empty())));
        if unseen {
            return Some(HidingMethod::Unseen);
        }
        below(L::Opacity, MIN_OPACITY).then_some(HidingMethod::Faded)
    }

    /// True if it displays an element that only the browser's own style sheet hides.
    pub(crate) fn displays(&self) -> bool {
        self.number(L::Display)
            .is_some_and(|display| display != 0.0)
    }

    /// Returns the alignment of a cell's text.
    pub(crate) fn align(&self) -> Option<&'static str> {
        match self.number(L::Align)? {
            0.0 => Some("left"),
            1.0 => Some("center"),
            2.0 => Some("right"),
            _ => None,
        }
    }

    /// True if it takes the element out of the flow around it.
    fn is_lifted(&self) -> bool {
        self.number(L::Position)
            .is_some_and(|position| position >= 3.0)
    }

    fn is_boxed(&self, boxed: bool) -> bool {
        match self.number(L::Display) {
            _ if self.is_lifted() || self.number(L::Float) > Some(0.0) => true,
            Some(1.0) => false,
            Some(3.0) => true,
            _ => boxed,
        }
    }

    fn clips(&self) -> bool {
        [L::OverflowX, L::OverflowY]
            .into_iter()
            .any(|property| self.number(property) == Some(1.0))
    }

    /// True if the box has no room for anything, or the text begins beyond it.
    fn is_empty(&self) -> bool {
        let [width, height] = [
            [
                L::Width,
                L::MaxWidth,
                L::MinWidth,
                L::PaddingLeft,
                L::PaddingRight,
            ],
            [
                L::Height,
                L::MaxHeight,
                L::MinHeight,
                L::PaddingTop,
                L::PaddingBottom,
            ],
        ]
        .map(|properties| {
            let [extent_given, limit, least, before, after] =
                properties.map(|property| self.number(property));
            let extent = extent_given.into_iter().chain(limit).reduce(f32::min)?;
            let padding = before.unwrap_or(0.0) + after.unwrap_or(0.0);
            Some(extent.max(least.unwrap_or(0.0)) + padding)
        });
        let indented = self.number(L::Unbroken) == Some(1.0)
            && self
                .number(L::Indent)
                .is_some_and(|indent| indent > MIN_AWAY);
        indented
            || [width, height]
                .into_iter()
                .flatten()
                .any(|extent| extent < MIN_PIXELS)
    }

    /// True if it puts the element off the page.
    fn is_moved_away(&self) -> bool {
        let number = |property: L| self.number(property).unwrap_or(0.0);
        let width = self.number(L::Width).filter(|width| *width > MIN_PIXELS);
        let height = self.number(L::Height).filter(|height| *height > MIN_PIXELS);
        let before = |from: f32, padding: f32, extent: Option<f32>, away: f32| {
            let from = from + padding;
            from <= -away && extent.is_none_or(|extent| from + extent <= 0.0)
        };
        let position = self.number(L::Position).unwrap_or(0.0);
        let [x, y] = if position >= 2.0 {
            [number(L::Left), number(L::Top)]
        } else {
            [0.0; 2]
        };
        let [moved_x, moved_y] = [
            number(L::MovedX) + number(L::TranslateX),
            number(L::MovedY) + number(L::TranslateY),
        ];
        let padding = [number(L::PaddingLeft), number(L::PaddingTop)];
        before(x + number(L::MarginLeft), padding[0], width, MIN_AWAY)
            || before(y + number(L::MarginTop), padding[1], height, MIN_AWAY)
            || before(moved_x, padding[0], width, MIN_FAR_AWAY)
            || before(moved_y, padding[1], height, MIN_FAR_AWAY)
            || x.max(moved_x).max(number(L::MarginLeft)) >= MIN_FAR_AWAY
            || (position >= 2.0 && number(L::Right) <= -MIN_FAR_AWAY)
            || (position >= 4.0 && number(L::Right).min(number(L::Bottom)) <= -MIN_AWAY)
    }

    /// True if it sets something that is inherited.
    pub(crate) fn is_inherited(&self) -> bool {
        [L::Indent, L::FontSize, L::Color, L::Fill, L::Background]
            .into_iter()
            .any(|property| self.0[property as usize].is_set)
    }

    /// True if its text may be too small, too faint or too far away to be visible.
    pub(crate) fn dims(&self, boxed: bool) -> bool {
        TextLooks::default().within(self, boxed).is_unseen()
            || self
                .number(L::FontFactor)
                .is_some_and(|factor| factor < 0.5)
    }
}

/// The looks of an element's text, as far as the styles around it define them.
#[derive(Clone, Copy)]
pub(crate) struct TextLooks {
    size: f32,
    colour: Option<CssColour>,
    /// The fill colour, which replaces `colour`.
    fill: Option<CssColour>,
    /// True if it has the colour of its background.
    blends: bool,
    indent: f32,
}

impl Default for TextLooks {
    fn default() -> Self {
        Self {
            size: 16.0,
            colour: None,
            fill: None,
            blends: false,
            indent: 0.0,
        }
    }
}

impl TextLooks {
    /// Returns the looks of text in an element with this style, within text with these looks.
    pub(crate) fn within(&self, style: &InlineStyle, boxed: bool) -> Self {
        let factor = style.number(L::FontFactor).unwrap_or(1.0);
        let style_colour = style.colour(L::Color);
        let background = style.colour(L::Background);
        let mut text = Self {
            size: style.number(L::FontSize).unwrap_or(self.size * factor),
            colour: style_colour.or(self.colour),
            fill: style.colour(L::Fill).or(self.fill),
            ..*self
        };
        if style.is_boxed(boxed) {
            text.indent = style.number(L::Indent).unwrap_or(self.indent);
        }
        let sets = |property: L| style.0[property as usize].is_set;
        if sets(L::Background) || sets(L::Color) || sets(L::Fill) {
            let painted = text.fill.or(text.colour);
            text.blends = painted
                .zip(background)
                .is_some_and(|(text, ground)| text.blends(ground));
        }
        if style.number(L::BackgroundClip) == Some(1.0) {
            // The background shows through it.
            (text.colour, text.fill) = (None, None);
        }
        text
    }

    /// Returns these looks for an element whose text colour comes from the browser's own style
    /// sheet.
    pub(crate) fn recoloured(&self) -> Self {
        Self {
            colour: None,
            blends: false,
            ..*self
        }
    }

    pub(crate) fn is_unseen(&self) -> bool {
        let painted = self.fill.or(self.colour);
        self.size < MIN_PIXELS
            || painted.is_some_and(|colour| colour.alpha < MIN_OPACITY)
            || self.blends
            || self.indent <= -MIN_AWAY
    }
}

impl CssColour {
    /// True if this colour is invisible on that one.
    fn blends(self, on: Self) -> bool {
        let near = |(one, other): (&u8, &u8)| one.abs_diff(*other) < MIN_CONTRAST;
        on.alpha > 1.0 - MIN_OPACITY
            && self
                .parts
                .zip(on.parts)
                .is_some_and(|(parts, on)| parts.iter().zip(&on).all(near))
    }
}
