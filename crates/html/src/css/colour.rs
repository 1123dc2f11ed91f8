//! Colours of styles.
//!
//! Rules: CSS Color 4.

use cssparser::color::parse_named_color;

use super::value::read_fraction;
use super::{CssColour, CssValue, ValuePart};

/// Reads a colour, by its name, its digits or its function.
pub(super) fn colour(part: &ValuePart<'_>) -> Option<CssValue> {
    let colour = match part {
        ValuePart::Colour(colour) => *colour,
        part if part.is_word("transparent") => CssColour {
            parts: None,
            alpha: 0.0,
        },
        part if part.is_word("initial") => CssColour {
            parts: Some([0; 3]),
            alpha: 1.0,
        },
        part if part.is_word("currentcolor") => return Some(CssValue::Unknown),
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
    if parts.first().is_some_and(|part| part.is_word("from")) {
        return None;
    }
    let values: Vec<&ValuePart<'_>> = parts
        .iter()
        .filter(|part| !matches!(part, ValuePart::Comma | ValuePart::Slash))
        .collect();
    let (space, values) = values.split_at_checked(usize::from(name == "color"))?;
    let alpha = match values.get(3) {
        Some(ValuePart::Word(_)) => 0.0,
        Some(part) => read_fraction(part).unwrap_or(1.0),
        None => 1.0,
    };
    let byte = |part: f32| part.clamp(0.0, 255.0).round();
    let parts = match (&*name, values) {
        ("rgb" | "rgba", [red, green, blue, ..]) => {
            Some([red, green, blue].map(|part| match part {
                ValuePart::Percent(percent) => byte(percent * 2.55),
                part => byte(read_fraction(part).unwrap_or(0.0)),
            }))
        }
        ("hsl" | "hsla", [hue, saturation, lightness, ..]) => {
            let hue = match hue {
                ValuePart::Number(hue) | ValuePart::Degrees(hue) => hue.rem_euclid(360.0),
                _ => 0.0,
            };
            let [saturation, lightness] = [saturation, lightness].map(|part| match part {
                ValuePart::Number(number) => number / 100.0,
                part => read_fraction(part).unwrap_or(0.0),
            });
            let reach = saturation * lightness.min(1.0 - lightness);
            Some([0.0, 8.0, 4.0].map(|from| {
                let sector = (from + hue / 30.0) % 12.0;
                byte(
                    255.0 * (lightness - reach * (sector - 3.0).min(9.0 - sector).clamp(-1.0, 1.0)),
                )
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
