//! Readers of the values of properties, as far as they decide whether something can be seen.
//!
//! Rules: the specifications that `property` names.

use super::colour::colour;
use super::verdict::MIN_PIXELS;
use super::{CssValue, ValuePart};

/// Maximum number of values that a declaration sets.
pub(super) const MAX_VALUES: usize = 4;

/// Assumed pixels of an em and of a hundredth of the page's width, because neither is known here.
const EM_PIXELS: f32 = 16.0;
const HUNDREDTH_PIXELS: f32 = 12.8;

/// Values that a declaration sets; `None` for an unknown or an inherited one.
pub(super) type CssValues = [Option<CssValue>; MAX_VALUES];

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
            "vw" | "vi" | "vmax" | "w" | "i" | "max" => HUNDREDTH_PIXELS,
            "vh" | "vb" | "vmin" | "h" | "b" | "min" => 7.2,
            _ => return ValuePart::Other,
        },
    };
    ValuePart::Pixels(value * pixels)
}

pub(super) fn numbers(numbers: &[f32]) -> CssValues {
    let mut values = [None; MAX_VALUES];
    for (value, number) in values.iter_mut().zip(numbers) {
        *value = Some(CssValue::Number(*number));
    }
    values
}

#[allow(
    clippy::unnecessary_wraps,
    reason = "what reads a value says that it is valid"
)]
pub(super) fn single_number(number: f32) -> Option<CssValues> {
    Some(numbers(&[number]))
}

/// Reads a value of a single part; `None` if it is invalid.
pub(super) fn read_single_part(
    parts: &[ValuePart<'_>],
    read: impl Fn(&ValuePart<'_>) -> Option<CssValue>,
) -> Option<CssValues> {
    match parts {
        [part] => Some([Some(read(part)?), None, None, None]),
        _ => None,
    }
}

/// Reads a single length.
pub(super) fn single_length(parts: &[ValuePart<'_>]) -> Option<CssValues> {
    read_single_part(parts, pixels)
}

/// Reads a single colour.
pub(super) fn single_colour(parts: &[ValuePart<'_>]) -> Option<CssValues> {
    read_single_part(parts, colour)
}

/// Reads a keyword: its index among `words`.
pub(super) fn read_keyword(parts: &[ValuePart<'_>], words: &[&str]) -> Option<CssValues> {
    let [ValuePart::Word(word)] = parts else {
        return None;
    };
    let mut numbered = words.iter().zip(0_u8..);
    let row = numbered.find(|(name, _)| word.eq_ignore_ascii_case(name));
    row.and_then(|(_, number)| single_number(number.into()))
}

/// Reads a number, or a percentage as its hundredth.
pub(super) fn read_fraction(part: &ValuePart<'_>) -> Option<f32> {
    match part {
        ValuePart::Number(number) => Some(*number),
        ValuePart::Percent(percent) => Some(percent / 100.0),
        _ => None,
    }
}

/// Returns the smallest absolute value.
pub(super) fn smallest_absolute<'p, 'i: 'p>(
    parts: impl Iterator<Item = &'p ValuePart<'i>>,
) -> Option<f32> {
    parts
        .filter_map(read_fraction)
        .map(f32::abs)
        .reduce(f32::min)
}

/// Reads a length in pixels; the value of a keyword or a formula is unknown.
pub(super) fn pixels(part: &ValuePart<'_>) -> Option<CssValue> {
    let length = match part {
        ValuePart::Pixels(length) => *length,
        ValuePart::Ems(ems) => ems * EM_PIXELS,
        ValuePart::Percent(percent) => percent * HUNDREDTH_PIXELS,
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
pub(super) fn sides(parts: &[ValuePart<'_>]) -> Option<CssValues> {
    let mut sides = [None; MAX_VALUES];
    if parts.is_empty() || parts.len() > MAX_VALUES {
        return None;
    }
    for (index, side) in sides.iter_mut().enumerate() {
        let index = [index, index % 2, 0]
            .into_iter()
            .find(|index| *index < parts.len())?;
        *side = Some(pixels(&parts[index])?);
    }
    Some(sides)
}

pub(super) fn overflow(part: &ValuePart<'_>) -> Option<CssValue> {
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
pub(super) fn display(parts: &[ValuePart<'_>]) -> Option<CssValues> {
    let lower = |part: &ValuePart<'_>| match part {
        ValuePart::Word(word) => Some(word.to_ascii_lowercase()),
        _ => None,
    };
    let words: Option<Vec<String>> = parts.iter().map(lower).collect();
    let words = words?;
    match &*words.iter().map(String::as_str).collect::<Vec<_>>() {
        ["none"] => single_number(0.0),
        ["inline"] | ["inline", "flow"] | ["flow", "inline"] => single_number(1.0),
        ["contents"] => single_number(2.0),
        [
            "block" | "flex" | "flow" | "flow-root" | "grid" | "inline-block" | "inline-flex"
            | "inline-grid" | "inline-table" | "list-item" | "math" | "ruby" | "ruby-base"
            | "ruby-text" | "table" | "table-caption" | "table-cell" | "table-column"
            | "table-column-group" | "table-footer-group" | "table-header-group" | "table-row"
            | "table-row-group" | "-webkit-box" | "-webkit-flex",
        ] => single_number(3.0),
        ["block" | "inline", inside] | [inside, "block" | "inline"] => match *inside {
            "flow" | "flow-root" | "table" | "flex" | "grid" | "ruby" | "math" | "list-item" => {
                single_number(3.0)
            }
            _ => None,
        },
        _ => None,
    }
}

/// Reads the opacity of filters.
pub(super) fn filter(parts: &[ValuePart<'_>]) -> Option<CssValues> {
    let mut share_left = 1.0;
    for part in parts {
        match part {
            ValuePart::Call(name, inner) if name.eq_ignore_ascii_case("opacity") => {
                share_left *= inner.first().and_then(read_fraction).unwrap_or(1.0);
            }
            ValuePart::Call(..) | ValuePart::Other => {}
            part if part.is_word("none") => {}
            _ => return None,
        }
    }
    single_number(share_left)
}

/// Reads the scale and the translation of transforms.
pub(super) fn transform(parts: &[ValuePart<'_>]) -> Option<CssValues> {
    let (mut scale, mut x, mut y) = (1.0_f32, 0.0, 0.0);
    for part in parts {
        let (name, inner) = match part {
            ValuePart::Call(name, inner) => (name.to_ascii_lowercase(), inner),
            part if part.is_word("none") => continue,
            _ => return None,
        };
        let inner: Vec<&ValuePart<'_>> = inner
            .iter()
            .filter(|part| !matches!(part, ValuePart::Comma))
            .collect();
        let number = |index: usize| inner.get(index).and_then(|part| read_fraction(part));
        let length = |index: usize| inner.get(index).and_then(|part| known(part)).unwrap_or(0.0);
        match &*name {
            "scale" | "scale3d" => {
                scale *= smallest_absolute(inner.iter().take(2).copied()).unwrap_or(1.0);
            }
            "scalex" | "scaley" => scale *= number(0).unwrap_or(1.0).abs(),
            "matrix" => {
                let fraction = |index: usize| number(index).unwrap_or(0.0);
                scale *= (fraction(0) * fraction(3) - fraction(1) * fraction(2))
                    .abs()
                    .sqrt();
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
            .is_some_and(|(from, to)| to - from < MIN_PIXELS)
    };
    thin(top.or(Some(0.0)), bottom) || thin(left.or(Some(0.0)), right)
}

/// Reads `clip`: 1 if its shape is empty.
pub(super) fn clip(parts: &[ValuePart<'_>]) -> Option<CssValues> {
    let nothing = match parts {
        [part] if part.is_word("auto") => false,
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
    single_number(f32::from(u8::from(nothing)))
}

/// Reads `clip-path`: 1 if its shape is empty.
pub(super) fn clip_path(parts: &[ValuePart<'_>]) -> Option<CssValues> {
    let nothing = match parts.iter().find_map(|part| match part {
        ValuePart::Call(name, inner) => Some((name.to_ascii_lowercase(), inner)),
        _ => None,
    }) {
        Some((name, inner)) => {
            let lengths: Vec<f32> = inner
                .iter()
                .take_while(|part| !part.is_word("round at"))
                .filter_map(known)
                .collect();
            let small = |length: f32| length < MIN_PIXELS;
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
                        let coordinates = || points.iter().skip(from).step_by(2).copied();
                        coordinates()
                            .reduce(f32::max)
                            .zip(coordinates().reduce(f32::min))
                    };
                    [0, 1]
                        .into_iter()
                        .filter_map(wide)
                        .any(|(upper, least)| small(upper - least))
                }
                _ => false,
            }
        }
        None => match parts {
            [ValuePart::Word(_) | ValuePart::Other] => false,
            _ => return None,
        },
    };
    single_number(f32::from(u8::from(nothing)))
}

/// True if two insets from opposite sides meet.
fn covers(one: f32, other: f32) -> bool {
    one + other > 99.9 * HUNDREDTH_PIXELS
}

/// Reads a font size, or its ratio to the inherited one.
pub(super) fn font_size(part: &ValuePart<'_>) -> Option<CssValues> {
    let ratio = |ratio: f32| Some([None, Some(CssValue::Number(ratio)), None, None]);
    match part {
        ValuePart::Ems(ems) => ratio(*ems),
        ValuePart::Percent(percent) => ratio(percent / 100.0),
        ValuePart::Word(word) => match &*word.to_ascii_lowercase() {
            "larger" => ratio(1.2),
            "smaller" => ratio(0.83),
            "medium" | "initial" | "xx-small" | "x-small" | "small" | "large" | "x-large"
            | "xx-large" | "xxx-large" => single_number(EM_PIXELS),
            _ => None,
        },
        part => Some([Some(pixels(part)?), None, None, None]),
    }
}

/// Reads the size in `font`, before the family names.
pub(super) fn font(parts: &[ValuePart<'_>]) -> Option<CssValues> {
    if let [ValuePart::Word(_)] = parts {
        // A system font, or a CSS-wide keyword.
        return if super::is_wide(parts) {
            None
        } else {
            single_number(EM_PIXELS)
        };
    }
    let index = parts.iter().position(|part| font_size(part).is_some())?;
    (index + 1 < parts.len()).then(|| font_size(&parts[index]))?
}

/// Reads the colour of `background`, if it shows nothing else.
pub(super) fn background(parts: &[ValuePart<'_>]) -> Option<CssValues> {
    parts.first()?;
    let pictures = parts
        .iter()
        .any(|part| matches!(part, ValuePart::Call(..) | ValuePart::Other));
    let plain = parts.iter().find_map(colour).filter(|_| !pictures);
    Some([plain, None, None, None])
}

/// Reads `background-clip`: 1 if the background is painted only in the letters.
pub(super) fn to_text(parts: &[ValuePart<'_>]) -> Option<CssValues> {
    let is_text = parts.iter().any(|part| part.is_word("text"));
    single_number(f32::from(u8::from(is_text)))
}
