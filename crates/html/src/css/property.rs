//! The properties that can hide an element or its text, each with the reader of its values.
//!
//! Rules: CSS Display 3, CSS 2 (11.2), CSS Color 4, CSS Fonts 4, CSS Box 4, CSS Overflow 3, CSS
//! Positioned Layout 3, CSS Masking 1, CSS Shapes 1, CSS Transforms 2, CSS Filter Effects 1, CSS
//! Containment 2, CSS Text 3.

use super::ValuePart;
use super::value::{
    CssValues, background, clip, clip_path, display, filter, font, font_size, numbers, overflow,
    pixels, read_fraction, read_keyword, read_single_part, sides, single_colour, single_length,
    single_number, smallest_absolute, to_text, transform,
};

/// Slots for declared values; the longhands of a shorthand are adjacent.
#[derive(Clone, Copy)]
pub(super) enum LonghandProperty {
    Display,
    Visibility,
    Align,
    Opacity,
    Filter,
    Scaled,
    MovedX,
    MovedY,
    Scale,
    TranslateX,
    TranslateY,
    Zoom,
    Clip,
    ClipPath,
    ContentVisibility,
    Position,
    Float,
    OverflowX,
    OverflowY,
    Width,
    Height,
    MaxWidth,
    MaxHeight,
    MinWidth,
    MinHeight,
    PaddingTop,
    PaddingRight,
    PaddingBottom,
    PaddingLeft,
    MarginTop,
    MarginRight,
    MarginBottom,
    MarginLeft,
    Top,
    Right,
    Bottom,
    Left,
    Indent,
    Unbroken,
    FontSize,
    FontFactor,
    Color,
    Fill,
    Background,
    BackgroundClip,
}

impl LonghandProperty {
    pub(super) const COUNT: usize = Self::BackgroundClip as usize + 1;
}

/// A property with its first slot and the number of slots that it sets.
pub(super) struct PropertyRow {
    name: &'static str,
    pub(super) first: LonghandProperty,
    pub(super) count: usize,
    /// Reads the values that it sets; `None` if it is invalid.
    pub(super) read: fn(&[ValuePart<'_>]) -> Option<CssValues>,
}

const fn is(
    name: &'static str,
    first: LonghandProperty,
    count: usize,
    read: fn(&[ValuePart<'_>]) -> Option<CssValues>,
) -> PropertyRow {
    PropertyRow {
        name,
        first,
        count,
        read,
    }
}

use LonghandProperty as L;

const ROWS: [PropertyRow; 57] = [
    is("display", L::Display, 1, display),
    is("visibility", L::Visibility, 1, |parts| {
        read_keyword(parts, &["visible", "hidden", "collapse"])
    }),
    is("text-align", L::Align, 1, |parts| {
        read_keyword(parts, &["left", "center", "right", "justify"])
    }),
    is("opacity", L::Opacity, 1, |parts| {
        single_number(read_fraction(parts.first()?)?)
    }),
    is("filter", L::Filter, 1, filter),
    is("transform", L::Scaled, 3, transform),
    is("scale", L::Scale, 1, |parts| match parts {
        [part] if part.is_word("none") => single_number(1.0),
        parts => single_number(smallest_absolute(parts.iter().take(2))?),
    }),
    is("translate", L::TranslateX, 2, |parts| match parts {
        [part] if part.is_word("none") => Some(numbers(&[0.0, 0.0])),
        [x] => Some([Some(pixels(x)?), None, None, None]),
        [x, y, ..] => Some([Some(pixels(x)?), Some(pixels(y)?), None, None]),
        [] => None,
    }),
    is("zoom", L::Zoom, 1, |parts| {
        single_number(read_fraction(parts.first()?)?)
    }),
    is("clip", L::Clip, 1, clip),
    is("clip-path", L::ClipPath, 1, clip_path),
    is("-webkit-clip-path", L::ClipPath, 1, clip_path),
    is("content-visibility", L::ContentVisibility, 1, |parts| {
        read_keyword(parts, &["visible", "auto", "hidden"])
    }),
    is("position", L::Position, 1, |parts| {
        let words = ["static", "sticky", "relative", "absolute", "fixed"];
        read_keyword(parts, &words)
    }),
    is("float", L::Float, 1, |parts| {
        read_keyword(parts, &["none", "left", "right"])
    }),
    is("overflow", L::OverflowX, 2, |parts| match parts {
        [both] => Some([Some(overflow(both)?), Some(overflow(both)?), None, None]),
        [x, y] => Some([Some(overflow(x)?), Some(overflow(y)?), None, None]),
        _ => None,
    }),
    is("overflow-x", L::OverflowX, 1, |parts| {
        read_single_part(parts, overflow)
    }),
    is("overflow-y", L::OverflowY, 1, |parts| {
        read_single_part(parts, overflow)
    }),
    is("width", L::Width, 1, single_length),
    is("inline-size", L::Width, 1, single_length),
    is("height", L::Height, 1, single_length),
    is("block-size", L::Height, 1, single_length),
    is("max-width", L::MaxWidth, 1, single_length),
    is("max-inline-size", L::MaxWidth, 1, single_length),
    is("max-height", L::MaxHeight, 1, single_length),
    is("max-block-size", L::MaxHeight, 1, single_length),
    is("min-width", L::MinWidth, 1, single_length),
    is("min-height", L::MinHeight, 1, single_length),
    is("padding", L::PaddingTop, 4, sides),
    is("padding-top", L::PaddingTop, 1, single_length),
    is("padding-right", L::PaddingRight, 1, single_length),
    is("padding-bottom", L::PaddingBottom, 1, single_length),
    is("padding-left", L::PaddingLeft, 1, single_length),
    is("margin", L::MarginTop, 4, sides),
    is("margin-top", L::MarginTop, 1, single_length),
    is("margin-right", L::MarginRight, 1, single_length),
    is("margin-bottom", L::MarginBottom, 1, single_length),
    is("margin-left", L::MarginLeft, 1, single_length),
    is("margin-inline-start", L::MarginLeft, 1, single_length),
    is("margin-block-start", L::MarginTop, 1, single_length),
    is("inset", L::Top, 4, sides),
    is("top", L::Top, 1, single_length),
    is("inset-block-start", L::Top, 1, single_length),
    is("right", L::Right, 1, single_length),
    is("bottom", L::Bottom, 1, single_length),
    is("left", L::Left, 1, single_length),
    is("inset-inline-start", L::Left, 1, single_length),
    is("text-indent", L::Indent, 1, |parts| {
        parts
            .iter()
            .find_map(pixels)
            .map(|length| [Some(length), None, None, None])
    }),
    is("white-space", L::Unbroken, 1, |parts| {
        let is_unbroken = parts.iter().any(|part| part.is_word("nowrap pre"));
        single_number(f32::from(u8::from(is_unbroken)))
    }),
    is("font-size", L::FontSize, 2, |parts| match parts {
        [size] => font_size(size),
        _ => None,
    }),
    is("font", L::FontSize, 2, font),
    is("color", L::Color, 1, single_colour),
    is("-webkit-text-fill-color", L::Fill, 1, single_colour),
    is("background-color", L::Background, 1, single_colour),
    is("background", L::Background, 1, background),
    is("background-clip", L::BackgroundClip, 1, to_text),
    is("-webkit-background-clip", L::BackgroundClip, 1, to_text),
];

/// Returns the row of a property; `None` if it cannot hide anything.
pub(super) fn row(name: &str) -> Option<&'static PropertyRow> {
    ROWS.iter()
        .find(|row| row.name.len() == name.len() && row.name.eq_ignore_ascii_case(name))
}
