//! Reads a `style` attribute in one pass: the winning declaration of each property used here.
//!
//! Rules: CSS Cascading 4 (`!important`, the last declaration wins), CSS Variables 1 and CSS
//! Environment Variables 1. The grammar (CSS Syntax 3) is `cssparser`'s.
//!
//! | module | what it is |
//! |---|---|
//! | `property` | the properties that matter |
//! | `value`, `colour` | the readers of their values |
//! | `verdict` | whether a style leaves something to be seen |

use cssparser::color::parse_hash_color;
use cssparser::{CowRcStr, Delimiter, ParseError, Parser, ParserInput, Token, parse_important};

use self::property::{LonghandProperty, PropertyRow};
pub(super) use self::verdict::{HidingMethod, TextLooks};
use super::dom::lists_any_case;

#[cfg(fuzzing)]
pub use self::verdict::hides;
#[cfg(not(fuzzing))]
pub(super) use self::verdict::hides;

mod colour;
mod property;
mod value;
mod verdict;

#[cfg(test)]
mod tests;

/// Maximum nesting of brackets in a value, because each level takes stack.
const MAX_DEPTH: u8 = 32;

/// The properties that a `style` attribute sets.
pub(super) struct InlineStyle([CountedDeclaration; LonghandProperty::COUNT]);

/// The winning declaration of a property.
#[derive(Clone, Copy, Default)]
struct CountedDeclaration {
    /// `None` if it is unknown here or inherited.
    value: Option<CssValue>,
    important: bool,
    /// True if there is a declaration.
    is_set: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum CssValue {
    /// A length in pixels, or the number of a keyword.
    Number(f32),
    Colour(CssColour),
    Unknown,
}

/// A colour; its parts are `None` if they are unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CssColour {
    parts: Option<[u8; 3]>,
    alpha: f32,
}

#[derive(Debug)]
enum ValuePart<'i> {
    Word(CowRcStr<'i>),
    Number(f32),
    Pixels(f32),
    /// A multiple of the font size.
    Ems(f32),
    Percent(f32),
    Degrees(f32),
    Colour(CssColour),
    Call(CowRcStr<'i>, Vec<ValuePart<'i>>),
    Comma,
    Slash,
    Other,
}

impl ValuePart<'_> {
    /// True for one of these words, which are separated by blanks.
    fn is_word(&self, words: &str) -> bool {
        matches!(self, Self::Word(word) if lists_any_case(words, word))
    }
}

impl InlineStyle {
    pub(super) fn parse(style: &str) -> Self {
        let mut read = Self([CountedDeclaration::default(); LonghandProperty::COUNT]);
        let mut input = ParserInput::new(style);
        let mut parser = Parser::new(&mut input);
        while read.next(&mut parser) {}
        read
    }

    /// Reads the next item of a style; false at its end. What is not a declaration ends at the next
    /// semicolon, as in Chrome.
    fn next(&mut self, parser: &mut Parser<'_, '_>) -> bool {
        let token = match parser.next() {
            Ok(token) => token.clone(),
            Err(_) => return false,
        };
        let end = match token {
            Token::Semicolon => return true,
            Token::AtKeyword(_) => Delimiter::Semicolon | Delimiter::CurlyBracketBlock,
            _ => Delimiter::Semicolon,
        };
        // Leaving part of it unread is an error, but it is skipped anyway.
        let _ = parser.parse_until_after(end, |input| -> Result<(), ParseError<'_, ()>> {
            if let Token::Ident(name) = &token
                && let Some(row) = property::row(name)
                && input.expect_colon().is_ok()
            {
                self.read_value(row, input);
            }
            Ok(())
        });
        true
    }

    fn read_value(&mut self, row: &PropertyRow, input: &mut Parser<'_, '_>) {
        let mut parts = Vec::new();
        let (mut sound, mut variable, mut important) = (true, false, false);
        loop {
            // It ends the value; anything after it makes that invalid.
            if input.try_parse(parse_important).is_ok() {
                important = true;
                sound &= input.is_exhausted();
            }
            match next_part(input, 0, &mut variable) {
                Some(part) => parts.push(part),
                None => break,
            }
        }
        if sound {
            self.declare(row, &parts, variable, important);
        }
    }

    /// Stores the declared values of a row's properties, if they are valid.
    fn declare(
        &mut self,
        row: &PropertyRow,
        parts: &[ValuePart<'_>],
        variable: bool,
        important: bool,
    ) {
        let values = match (row.read)(parts) {
            _ if variable => [None; value::MAX_VALUES],
            Some(values) => values,
            None if is_wide(parts) => [None; value::MAX_VALUES],
            None => return,
        };
        let first = row.first as usize;
        for (declared, value) in self.0[first..first + row.count].iter_mut().zip(values) {
            if important || !declared.important {
                *declared = CountedDeclaration {
                    value,
                    important,
                    is_set: true,
                };
            }
        }
    }

    fn value(&self, property: LonghandProperty) -> Option<CssValue> {
        self.0[property as usize].value
    }

    fn number(&self, property: LonghandProperty) -> Option<f32> {
        match self.value(property) {
            Some(CssValue::Number(number)) => Some(number),
            _ => None,
        }
    }

    fn colour(&self, property: LonghandProperty) -> Option<CssColour> {
        match self.value(property) {
            Some(CssValue::Colour(colour)) => Some(colour),
            _ => None,
        }
    }
}

/// True for a CSS-wide keyword.
fn is_wide(parts: &[ValuePart<'_>]) -> bool {
    matches!(parts, [part] if part.is_word("inherit initial unset revert revert-layer"))
}

/// Reads the next part of a value; sets `variable` if it contains a call of `var()` or `env()`.
fn next_part<'i>(
    input: &mut Parser<'i, '_>,
    depth: u8,
    variable: &mut bool,
) -> Option<ValuePart<'i>> {
    let token = input.next().ok()?.clone();
    Some(match token {
        Token::Ident(word) => ValuePart::Word(word),
        Token::Number { value, .. } => ValuePart::Number(value),
        Token::Percentage { unit_value, .. } => ValuePart::Percent(unit_value * 100.0),
        Token::Dimension { value, unit, .. } => value::length(value, &unit),
        Token::Comma => ValuePart::Comma,
        Token::Delim('/') => ValuePart::Slash,
        Token::Hash(digits) | Token::IDHash(digits) => parse_hash_color(digits.as_bytes()).map_or(
            ValuePart::Other,
            |(red, green, blue, alpha)| {
                let parts = Some([red, green, blue]);
                ValuePart::Colour(CssColour { parts, alpha })
            },
        ),
        Token::Function(name) => {
            let parts = bracketed_parts(input, depth, variable);
            *variable |= match parts.first() {
                Some(ValuePart::Word(word)) if name.eq_ignore_ascii_case("var") => {
                    word.starts_with("--")
                }
                Some(ValuePart::Word(_)) => name.eq_ignore_ascii_case("env"),
                _ => false,
            };
            match colour::colour_of(&name, &parts) {
                Some(colour) => ValuePart::Colour(colour),
                None => ValuePart::Call(name, parts),
            }
        }
        Token::ParenthesisBlock | Token::SquareBracketBlock => {
            bracketed_parts(input, depth, variable);
            ValuePart::Other
        }
        _ => ValuePart::Other,
    })
}

/// Reads the parts in the brackets that were opened last.
fn bracketed_parts<'i>(
    input: &mut Parser<'i, '_>,
    depth: u8,
    variable: &mut bool,
) -> Vec<ValuePart<'i>> {
    if depth == MAX_DEPTH {
        return Vec::new();
    }
    let parts =
        input.parse_nested_block(|input| -> Result<Vec<ValuePart<'i>>, ParseError<'i, ()>> {
            let mut parts = Vec::new();
            while let Some(part) = next_part(input, depth + 1, variable) {
                parts.push(part);
            }
            Ok(parts)
        });
    parts.unwrap_or_default()
}
