//! Maps the characters of fonts of symbols, which stand at the codes of letters or at codes for
//! private use, to Unicode.
//!
//! Rules: ISO 32000-2, D.6 (Symbol); the names of Wingdings' signs. Programs add 0xF000 to a code.

use iki_pdf::font::encoding::symbol_table;

/// A font whose letters are not what they seem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SymbolFont {
    Symbol,
    Wingdings,
}

impl SymbolFont {
    /// Returns the font of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let name = name.trim().trim_matches(['"', '\'']).to_lowercase();
        match name.as_str() {
            "symbol" | "symbolmt" | "symbol mt" | "symbol type a" | "symbol (ps)" => {
                Some(Self::Symbol)
            }
            "wingdings" => Some(Self::Wingdings),
            _ => None,
        }
    }

    /// Returns the character at a code of one byte, if it is known.
    fn character(self, code: u8) -> Option<char> {
        match self {
            Self::Symbol => Some(symbol_table()[usize::from(code)]).filter(|c| *c != '\0'),
            Self::Wingdings => Some(match code {
                b' ' => ' ',
                b'J' => '\u{263a}',
                b'K' => '\u{1f610}',
                b'L' => '\u{2639}',
                0xfc => '\u{2713}',
                0xfb => '\u{2717}',
                0xfe => '\u{2611}',
                b'x' | 0xfd => '\u{2612}',
                0xa8 | b'o' => '\u{2610}',
                b'n' => '\u{25a0}',
                0x9f | 0xa7 => '\u{2022}',
                0xdf => '\u{2190}',
                0xe0 => '\u{2192}',
                0xe8 => '\u{21d2}',
                _ => return None,
            }),
        }
    }

    /// Returns a text in this font as Unicode; a character that is not known stays as it is.
    pub(crate) fn decode(self, text: &str) -> String {
        // The micro sign is what its author means, not what Symbol has at its code.
        let is_code = |c| matches!(c, ' '..='~' | '\u{a0}'..='\u{ff}') && c != 'µ';
        self.decode_if(text, |c| is_code(c) || is_private(c))
    }

    /// Returns a text whose codes for private use alone are in this font.
    pub(crate) fn decode_private(self, text: &str) -> String {
        self.decode_if(text, is_private)
    }

    fn decode_if(self, text: &str, is_code: impl Fn(char) -> bool) -> String {
        let decoded = text.chars().map(|c| {
            let code = u8::try_from(c as u32 & 0xff).ok();
            let code = code.filter(|_| is_code(c));
            code.and_then(|code| self.character(code)).unwrap_or(c)
        });
        decoded.collect()
    }
}

/// Returns the character at a code of a font, with or without the 0xF000.
pub(crate) fn character(code: u32, font: &str) -> Option<char> {
    // Bullets have no font of their own in some files.
    let other = match code {
        0xf0b7 => SymbolFont::Symbol,
        _ => SymbolFont::Wingdings,
    };
    let known = SymbolFont::named(font);
    let symbol = match code {
        0xf020..=0xf0ff => known.unwrap_or(other).character(code.to_le_bytes()[0])?,
        0x20..=0xff if known.is_some() => known?.character(code.to_le_bytes()[0])?,
        code => char::from_u32(code)?,
    };
    (!symbol.is_control() && !matches!(symbol, '\u{e000}'..='\u{f8ff}')).then_some(symbol)
}

/// True for a code to which 0xF000 was added, and for the upper half of `x-user-defined`.
fn is_private(c: char) -> bool {
    matches!(c, '\u{f020}'..='\u{f0ff}' | '\u{f780}'..='\u{f7ff}')
}

#[cfg(test)]
mod tests {
    use super::SymbolFont;

    #[test]
    fn letters_of_symbol_fonts_are_translated() {
        for (font, text, wanted) in [
            ("Symbol", "m\u{f06d}\u{f0a3}\u{b1}\u{f7b5}µ a5", "µµ≤±∝µ α5"),
            (
                "'Wingdings'",
                "ü\u{f0fc}J \u{f021}",
                "\u{2713}\u{2713}\u{263a} \u{f021}",
            ),
        ] {
            assert_eq!(SymbolFont::named(font).unwrap().decode(text), wanted);
        }
        assert_eq!(SymbolFont::named("Segoe UI Symbol"), None);
    }
}
