//! The properties that can hide an element or its text, and the readers of their values.
//!
//! Rules: CSS Display 3, CSS 2 (11.2), CSS Color 4, CSS Fonts 4, CSS Box 4, CSS Overflow 3, CSS
//! Positioned Layout 3, CSS Masking 1, CSS Shapes 1, CSS Transforms 2, CSS Filter Effects 1, CSS
//! Containment 2, CSS Text 3.

use cssparser::color::parse_named_color;

use super::{CssColour, CssValue, ValuePart};

/// Maximum number of values that a declaration sets.
pub(super) const MOST: usize = 4;

/// Assumed pixels of an em and of a hundredth of the page's width, because neither is known here.
const EM: f32 = 16.0;
const HUNDREDTH: f32 = 12.8;

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

type CssValues = [Option<CssValue>; MOST];

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
        word(
            parts,
            &[("visible", 0.0), ("hidden", 1.0), ("collapse", 1.0)],
        )
    }),
    is("text-align", L::Align, 1, |parts| {
        word(
            parts,
            &[
                ("left", 0.0),
                ("center", 1.0),
                ("right", 2.0),
                ("justify", 3.0),
            ],
        )
    }),
    is("opacity", L::Opacity, 1, |parts| {
        one(share(parts.first()?)?)
    }),
    is("filter", L::Filter, 1, filter),
    is("transform", L::Scaled, 3, transform),
    is("scale", L::Scale, 1, |parts| match parts {
        [ValuePart::Word(word)] if is_none(word) => one(1.0),
        parts => one(least(parts.iter().take(2))?),
    }),
    is("translate", L::TranslateX, 2, |parts| match parts {
        [ValuePart::Word(word)] if is_none(word) => Some(numbers(&[0.0, 0.0])),
        [x] => Some([Some(pixels(x)?), None, None, None]),
        [x, y, ..] => Some([Some(pixels(x)?), Some(pixels(y)?), None, None]),
        [] => None,
    }),
    is("zoom", L::Zoom, 1, |parts| one(share(parts.first()?)?)),
    is("clip", L::Clip, 1, clip),
    is("clip-path", L::ClipPath, 1, clip_path),
    is("-webkit-clip-path", L::ClipPath, 1, clip_path),
    is("content-visibility", L::ContentVisibility, 1, |parts| {
        word(parts, &[("visible", 0.0), ("auto", 0.0), ("hidden", 1.0)])
    }),
    is("position", L::Position, 1, |parts| {
        let words = [
            ("static", 0.0),
            ("sticky", 0.0),
            ("relative", 1.0),
            ("absolute", 2.0),
            ("fixed", 3.0),
        ];
        word(parts, &words)
    }),
    is("float", L::Float, 1, |parts| {
        word(parts, &[("none", 0.0), ("left", 1.0), ("right", 1.0)])
    }),
    is("overflow", L::OverflowX, 2, |parts| match parts {
        [both] => Some([Some(overflow(both)?), Some(overflow(both)?), None, None]),
        [x, y] => Some([Some(overflow(x)?), Some(overflow(y)?), None, None]),
        _ => None,
    }),
    is("overflow-x", L::OverflowX, 1, |parts| {
        alone(parts, overflow)
    }),
    is("overflow-y", L::OverflowY, 1, |parts| {
        alone(parts, overflow)
    }),
    is("width", L::Width, 1, |parts| alone(parts, pixels)),
    is("inline-size", L::Width, 1, |parts| alone(parts, pixels)),
    is("height", L::Height, 1, |parts| alone(parts, pixels)),
    is("block-size", L::Height, 1, |parts| alone(parts, pixels)),
    is("max-width", L::MaxWidth, 1, |parts| alone(parts, pixels)),
    is("max-inline-size", L::MaxWidth, 1, |parts| {
        alone(parts, pixels)
    }),
    is("max-height", L::MaxHeight, 1, |parts| alone(parts, pixels)),
    is("max-block-size", L::MaxHeight, 1, |parts| {
        alone(parts, pixels)
    }),
    is("min-width", L::MinWidth, 1, |parts| alone(parts, pixels)),
    is("min-height", L::MinHeight, 1, |parts| alone(parts, pixels)),
    is("padding", L::PaddingTop, 4, sides),
    is("padding-top", L::PaddingTop, 1, |parts| {
        alone(parts, pixels)
    }),
    is("padding-right", L::PaddingRight, 1, |parts| {
        alone(parts, pixels)
    }),
    is("padding-bottom", L::PaddingBottom, 1, |parts| {
        alone(parts, pixels)
    }),
    is("padding-left", L::PaddingLeft, 1, |parts| {
        alone(parts, pixels)
    }),
    is("margin", L::MarginTop, 4, sides),
    is("margin-top", L::MarginTop, 1, |parts| alone(parts, pixels)),
    is("margin-right", L::MarginRight, 1, |parts| {
        alone(parts, pixels)
    }),
    is("margin-bottom", L::MarginBottom, 1, |parts| {
        alone(parts, pixels)
    }),
    is("margin-left", L::MarginLeft, 1, |parts| {
        alone(parts, pixels)
    }),
    is("margin-inline-start", L::MarginLeft, 1, |parts| {
        alone(parts, pixels)
    }),
    is("margin-block-start", L::MarginTop, 1, |parts| {
        alone(parts, pixels)
    }),
    is("inset", L::Top, 4, sides),
    is("top", L::Top, 1, |parts| alone(parts, pixels)),
    is("inset-block-start", L::Top, 1, |parts| alone(parts, pixels)),
    is("right", L::Right, 1, |parts| alone(parts, pixels)),
    is("bottom", L::Bottom, 1, |parts| alone(parts, pixels)),
    is("left", L::Left, 1, |parts| alone(parts, pixels)),
    is("inset-inline-start", L::Left, 1, |parts| {
        alone(parts, pixels)
    }),
    is("text-indent", L::Indent, 1, |parts| {
        parts
            .iter()
            .find_map(pixels)
            .map(|length| [Some(length), None, None, None])
    }),
    is("white-space", L::Unbroken, 1, |parts| {
        let unbroken = |part: &ValuePart<'_>| {
            matches!(part, ValuePart::Word(word)
                if word.eq_ignore_ascii_case("nowrap") || word.eq_ignore_ascii_case("pre"))
        };
        one(f32::from(u8::from(parts.iter().any(unbroken))))
    }),
    is("font-size", L::FontSize, 2, |parts| match parts {
        [size] => font_size(size),
        _ => None,
    }),
    is("font", L::FontSize, 2, font),
    is("color", L::Color, 1, |parts| alone(parts, colour)),
    is("-webkit-text-fill-color", L::Fill, 1, |parts| {
        alone(parts, colour)
    }),
    is("background-color", L::Background, 1, |parts| {
        alone(parts, colour)
    }),
    is("background", L::Background, 1, background),
    is("background-clip", L::BackgroundClip, 1, to_text),
    is("-webkit-background-clip", L::BackgroundClip, 1, to_text),
];

/// Returns the row of a property; `None` if it cannot hide anything.
pub(super) fn row(name: &str) -> Option<&'static PropertyRow> {
    ROWS.iter()
        .find(|row| row.name.len() == name.len() && row.name.eq_ignore_ascii_case(name))
}

/// Converts a length with this unit.
pub(super) fn length(value: f32, unit: &str) -> ValuePart<'static> {
    let unit = unit.to_ascii_lowercase();
    let pixels = match &*unit {
        "px" => 1.0,
        "pt" => 4.0 / 3.0,
        "pc" | "rem" => 16.0,
        "in" => 96.0,
        "cm" => 96.0 / 2.54,
        "mm" => 9.6 / 2.54,
        "q" => 2.4 / 2.54,
        "deg" => return ValuePart::Degrees(value),
        "turn" => return ValuePart::Degrees(value * 360.0),
        "rad" => return ValuePart::Degrees(value.to_degrees()),
        "em" | "lh" | "ic" | "cap" => return ValuePart::Ems(value),
        "ex" | "ch" => return ValuePart::Ems(value / 2.0),
        // Units relative to the page and to the element around it.
        _ => match unit.trim_start_matches(['s', 'l', 'd', 'c', 'q']) {
            "vw" | "vi" | "vmax" | "w" | "i" | "max" => HUNDREDTH,
            "vh" | "vb" | "vmin" | "h" | "b" | "min" => 7.2,
            _ => return ValuePart::Other,
        },
    };
    ValuePart::Pixels(value * pixels)
}

fn numbers(numbers: &[f32]) -> CssValues {
    let mut values = [None; MOST];
    for (value, number) in values.iter_mut().zip(numbers) {
        *value = Some(CssValue::Number(*number));
    }
    values
}

#[allow(
    clippy::unnecessary_wraps,
    reason = "what reads a value says that it is valid"
)]
fn one(number: f32) -> Option<CssValues> {
    Some(numbers(&[number]))
}

/// Reads a value of a single part; `None` if it is invalid.
fn alone(
    parts: &[ValuePart<'_>],
    read: impl Fn(&ValuePart<'_>) -> Option<CssValue>,
) -> Option<CssValues> {
    match parts {
        [part] => Some([Some(read(part)?), None, None, None]),
        _ => None,
    }
}

fn is_none(word: &str) -> bool {
    word.eq_ignore_ascii_case("none")
}

fn word(parts: &[ValuePart<'_>], words: &[(&str, f32)]) -> Option<CssValues> {
    let [ValuePart::Word(word)] = parts else {
        return None;
    };
    let found = words
        .iter()
        .find(|(name, _)| word.eq_ignore_ascii_case(name));
    found.and_then(|(_, number)| one(*number))
}

/// Reads a number, or a percentage as its hundredth.
fn share(part: &ValuePart<'_>) -> Option<f32> {
    match part {
        ValuePart::Number(number) => Some(*number),
        ValuePart::Percent(percent) => Some(percent / 100.0),
        _ => None,
    }
}

/// Returns the smallest absolute value.
fn least<'p, 'i: 'p>(parts: impl Iterator<Item = &'p ValuePart<'i>>) -> Option<f32> {
    parts.filter_map(share).map(f32::abs).reduce(f32::min)
}

/// Reads a length in pixels; the value of a keyword or a formula is unknown.
fn pixels(part: &ValuePart<'_>) -> Option<CssValue> {
    let length = match part {
        ValuePart::Pixels(length) => *length,
        ValuePart::Ems(ems) => ems * EM,
        ValuePart::Percent(percent) => percent * HUNDREDTH,
        ValuePart::Number(number) if *number == 0.0 => 0.0,
        ValuePart::Call(name, parts) if name.eq_ignore_ascii_case("calc") && parts.len() == 1 => {
            return pixels(&parts[0]);
        }
        ValuePart::Call(..) | ValuePart::Word(_) => return Some(CssValue::Unknown),
        _ => return None,
    };
    Some(CssValue::Number(length))
}

/// Returns the length, if it is known.
fn known(part: &ValuePart<'_>) -> Option<f32> {
    match pixels(part) {
        Some(CssValue::Number(length)) => Some(length),
        _ => None,
    }
}

/// Reads the lengths of four sides; a missing one is that of the opposite side.
fn sides(parts: &[ValuePart<'_>]) -> Option<CssValues> {
    let mut sides = [None; MOST];
    if parts.is_empty() || parts.len() > MOST {
        return None;
    }
    for (at, side) in sides.iter_mut().enumerate() {
        let at = [at, at % 2, 0].into_iter().find(|at| *at < parts.len())?;
        *side = Some(pixels(&parts[at])?);
    }
    Some(sides)
}

fn overflow(part: &ValuePart<'_>) -> Option<CssValue> {
    let ValuePart::Word(word) = part else {
        return None;
    };
    let clips = match &*word.to_ascii_lowercase() {
        "visible" => 0.0,
        "hidden" | "clip" | "auto" | "scroll" | "overlay" => 1.0,
        _ => return None,
    };
    Some(CssValue::Number(clips))
}

/// Reads `display`: 0 for none, 1 for inline, 2 for `contents`, 3 for a box.
fn display(parts: &[ValuePart<'_>]) -> Option<CssValues> {
    let mut words = Vec::new();
    for part in parts {
        let ValuePart::Word(word) = part else {
            return None;
        };
        words.push(word.to_ascii_lowercase());
    }
    match &*words.join(" ") {
        "none" => one(0.0),
        "inline" | "inline flow" | "flow inline" => one(1.0),
        "contents" => one(2.0),
        words if is_display(words) => one(3.0),
        _ => None,
    }
}

fn is_display(value: &str) -> bool {
    matches!(
        value,
        "inline-block"
            | "inline-table"
            | "inline-flex"
            | "inline-grid"
            | "table-row-group"
            | "table-header-group"
            | "table-footer-group"
            | "table-row"
            | "table-cell"
            | "table-column-group"
            | "table-column"
            | "table-caption"
            | "ruby-base"
            | "ruby-text"
            | "-webkit-box"
            | "-webkit-inline-box"
            | "-webkit-flex"
            | "-webkit-inline-flex"
    ) || is_box(value)
}

/// True for `[outside || inside] | [outside? && [flow | flow-root]? && list-item]`.
fn is_box(value: &str) -> bool {
    let (mut outside, mut inside, mut item) = (0, None, 0);
    for word in value.split_ascii_whitespace() {
        match word {
            "block" | "inline" => outside += 1,
            "list-item" => item += 1,
            "flow" | "flow-root" | "table" | "flex" | "grid" | "ruby" | "math"
                if inside.is_none() =>
            {
                inside = Some(word);
            }
            _ => return false,
        }
    }
    let flows = matches!(inside, None | Some("flow" | "flow-root"));
    (outside == 1 || inside.is_some() || item == 1)
        && outside <= 1
        && item <= 1
        && (item == 0 || flows)
}

/// Reads the opacity of filters.
fn filter(parts: &[ValuePart<'_>]) -> Option<CssValues> {
    let mut share_left = 1.0;
    for part in parts {
        match part {
            ValuePart::Call(name, inner) if name.eq_ignore_ascii_case("opacity") => {
                share_left *= inner.first().and_then(share).unwrap_or(1.0);
            }
            ValuePart::Call(..) | ValuePart::Other => {}
            ValuePart::Word(word) if is_none(word) => {}
            _ => return None,
        }
    }
    one(share_left)
}

/// Reads the scale and the translation of transforms.
fn transform(parts: &[ValuePart<'_>]) -> Option<CssValues> {
    let (mut scale, mut x, mut y) = (1.0_f32, 0.0, 0.0);
    for part in parts {
        let (name, inner) = match part {
            ValuePart::Call(name, inner) => (name.to_ascii_lowercase(), inner),
            ValuePart::Word(word) if is_none(word) => continue,
            _ => return None,
        };
        let inner: Vec<&ValuePart<'_>> = inner
            .iter()
            .filter(|part| !matches!(part, ValuePart::Comma))
            .collect();
        let number = |at: usize| inner.get(at).and_then(|part| share(part));
        let length = |at: usize| inner.get(at).and_then(|part| known(part)).unwrap_or(0.0);
        match &*name {
            "scale" | "scale3d" => scale *= least(inner.iter().take(2).copied()).unwrap_or(1.0),
            "scalex" | "scaley" => scale *= number(0).unwrap_or(1.0).abs(),
            "matrix" => {
                let of = |at: usize| number(at).unwrap_or(0.0);
                scale *= (of(0) * of(3) - of(1) * of(2)).abs().sqrt();
            }
            "translate" | "translate3d" => (x, y) = (x + length(0), y + length(1)),
            "translatex" => x += length(0),
            "translatey" => y += length(0),
            _ => {}
        }
    }
    Some(numbers(&[scale, x, y]))
}

/// True if a rectangle with these sides, clockwise from its top, is empty.
fn is_empty(top: Option<f32>, right: Option<f32>, bottom: Option<f32>, left: Option<f32>) -> bool {
    let thin = |from: Option<f32>, to: Option<f32>| {
        from.zip(to)
            .is_some_and(|(from, to)| to - from < super::verdict::TINY)
    };
    thin(top.or(Some(0.0)), bottom) || thin(left.or(Some(0.0)), right)
}

/// Reads `clip`: 1 if its shape is empty.
fn clip(parts: &[ValuePart<'_>]) -> Option<CssValues> {
    let nothing = match parts {
        [ValuePart::Word(word)] if word.eq_ignore_ascii_case("auto") => false,
        [ValuePart::Call(name, inner)] if name.eq_ignore_ascii_case("rect") => {
            let sides: Vec<Option<f32>> = inner
                .iter()
                .filter(|part| !matches!(part, ValuePart::Comma))
                .map(known)
                .collect();
            let [top, right, bottom, left] = *sides else {
                return None;
            };
            is_empty(top, right, bottom, left)
        }
        _ => return None,
    };
    one(f32::from(u8::from(nothing)))
}

/// Reads `clip-path`: 1 if its shape is empty.
fn clip_path(parts: &[ValuePart<'_>]) -> Option<CssValues> {
    let nothing = match parts.iter().find_map(|part| match part {
        ValuePart::Call(name, inner) => Some((name.to_ascii_lowercase(), inner)),
        _ => None,
    }) {
        Some((name, inner)) => {
            let lengths: Vec<f32> = inner
                .iter()
                .take_while(|part| {
                    !matches!(part, ValuePart::Word(word)
                        if word.eq_ignore_ascii_case("round") || word.eq_ignore_ascii_case("at"))
                })
                .filter_map(known)
                .collect();
            let small = |length: f32| length < super::verdict::TINY;
            match (&*name, &*lengths) {
                ("inset", [all]) => covers(*all, *all),
                ("inset", [top, right]) => covers(*top, *top) || covers(*right, *right),
                ("inset", [top, right, bottom]) => covers(*top, *bottom) || covers(*right, *right),
                ("inset", [top, right, bottom, left]) => {
                    covers(*top, *bottom) || covers(*right, *left)
                }
                ("circle" | "ellipse", radii) => radii.iter().copied().any(small),
                ("rect", [top, right, bottom, left]) => {
                    is_empty(Some(*top), Some(*right), Some(*bottom), Some(*left))
                }
                ("xywh", [_, _, width, height]) => small(*width) || small(*height),
                ("polygon", points) if points.len() > 1 => {
                    let wide = |from: usize| {
                        let of = || points.iter().skip(from).step_by(2).copied();
                        of().reduce(f32::max).zip(of().reduce(f32::min))
                    };
                    [0, 1]
                        .into_iter()
                        .filter_map(wide)
                        .any(|(most, least)| small(most - least))
                }
                _ => false,
            }
        }
        None => match parts {
            [ValuePart::Word(_) | ValuePart::Other] => false,
            _ => return None,
        },
    };
    one(f32::from(u8::from(nothing)))
}

/// True if two insets from opposite sides meet.
fn covers(one: f32, other: f32) -> bool {
    one + other > 99.9 * HUNDREDTH
}

/// Reads a font size, or its ratio to the inherited one.
fn font_size(part: &ValuePart<'_>) -> Option<CssValues> {
    let ratio = |ratio: f32| Some([None, Some(CssValue::Number(ratio)), None, None]);
    match part {
        ValuePart::Ems(ems) => ratio(*ems),
        ValuePart::Percent(percent) => ratio(percent / 100.0),
        ValuePart::Word(word) => match &*word.to_ascii_lowercase() {
            "larger" => ratio(1.2),
            "smaller" => ratio(0.83),
            "medium" | "initial" | "xx-small" | "x-small" | "small" | "large" | "x-large"
            | "xx-large" | "xxx-large" => one(EM),
            _ => None,
        },
        part => Some([Some(pixels(part)?), None, None, None]),
    }
}

/// Reads the size in `font`, before the family names.
fn font(parts: &[ValuePart<'_>]) -> Option<CssValues> {
    if let [ValuePart::Word(_)] = parts {
        // A system font, or a CSS-wide keyword.
        return if super::is_wide(parts) { None } else { one(EM) };
    }
    let at = parts.iter().position(|part| font_size(part).is_some())?;
    (at + 1 < parts.len()).then(|| font_size(&parts[at]))?
}

fn colour(part: &ValuePart<'_>) -> Option<CssValue> {
    let colour = match part {
        ValuePart::Colour(colour) => *colour,
        ValuePart::Word(word) if word.eq_ignore_ascii_case("transparent") => CssColour {
            parts: None,
            alpha: 0.0,
        },
        ValuePart::Word(word) if word.eq_ignore_ascii_case("initial") => CssColour {
            parts: Some([0; 3]),
            alpha: 1.0,
        },
        ValuePart::Word(word) if word.eq_ignore_ascii_case("currentcolor") => {
            return Some(CssValue::Unknown);
        }
        ValuePart::Word(word) => {
            let (red, green, blue) = parse_named_color(word).ok()?;
            CssColour {
                parts: Some([red, green, blue]),
                alpha: 1.0,
            }
        }
        ValuePart::Call(..) => return Some(CssValue::Unknown),
        _ => return None,
    };
    Some(CssValue::Colour(colour))
}

/// Returns the colour of a colour function; its parts are `None` in a wider colour space.
pub(super) fn colour_of(name: &str, parts: &[ValuePart<'_>]) -> Option<CssColour> {
    let name = name.to_ascii_lowercase();
    if matches!(parts, [ValuePart::Word(word), ..] if word.eq_ignore_ascii_case("from")) {
        return None;
    }
    let values: Vec<&ValuePart<'_>> = parts
        .iter()
        .filter(|part| !matches!(part, ValuePart::Comma | ValuePart::Slash))
        .collect();
    let (space, values) = values.split_at_checked(usize::from(name == "color"))?;
    let alpha = match values.get(3) {
        Some(ValuePart::Word(_)) => 0.0,
        Some(part) => share(part).unwrap_or(1.0),
        None => 1.0,
    };
    let byte = |part: f32| part.clamp(0.0, 255.0).round();
    let parts = match (&*name, values) {
        ("rgb" | "rgba", [red, green, blue, ..]) => {
            Some([red, green, blue].map(|part| match part {
                ValuePart::Percent(percent) => byte(percent * 2.55),
                part => byte(share(part).unwrap_or(0.0)),
            }))
        }
        ("hsl" | "hsla", [hue, saturation, lightness, ..]) => {
            let hue = match hue {
                ValuePart::Number(hue) | ValuePart::Degrees(hue) => hue.rem_euclid(360.0),
                _ => 0.0,
            };
            let [saturation, lightness] = [saturation, lightness].map(|part| match part {
                ValuePart::Number(number) => number / 100.0,
                part => share(part).unwrap_or(0.0),
            });
            let reach = saturation * lightness.min(1.0 - lightness);
            Some([0.0, 8.0, 4.0].map(|from| {
                let at = (from + hue / 30.0) % 12.0;
                byte(255.0 * (lightness - reach * (at - 3.0).min(9.0 - at).clamp(-1.0, 1.0)))
            }))
        }
        ("hwb" | "lab" | "lch" | "oklab" | "oklch", [_, _, _, ..]) => None,
        ("color", [_, _, _, ..]) if matches!(space, [ValuePart::Word(_)]) => None,
        _ => return None,
    };
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "each is from 0 to 255"
    )]
    let parts = parts.map(|parts| parts.map(|part| part as u8));
    Some(CssColour { parts, alpha })
}

/// Reads the colour of `background`, if it shows nothing else.
fn background(parts: &[ValuePart<'_>]) -> Option<CssValues> {
    parts.first()?;
    let pictures = parts
        .iter()
        .any(|part| matches!(part, ValuePart::Call(..) | ValuePart::Other));
    let plain = parts.iter().find_map(colour).filter(|_| !pictures);
    Some([plain, None, None, None])
}

/// Reads `background-clip`: 1 if the background is painted only in the letters.
fn to_text(parts: &[ValuePart<'_>]) -> Option<CssValues> {
    let is_text = |part: &ValuePart<'_>| {
        matches!(part, ValuePart::Word(word)
            if word.eq_ignore_ascii_case("text"))
    };
    one(f32::from(u8::from(parts.iter().any(is_text))))
}
