//! Characters that Markdown may take for markup: escaped only where it would.
//!
//! Rules: `CommonMark` 0.31.2, "Backslash escapes" and "Emphasis". A delimiter that nothing
//! pairs with stays as it is: it is escaped later, when something comes that could.

use super::super::escape;
use super::{Inline, Loose, Mode, slot};

impl Inline {
    /// Writes the one special character (or run of delimiters) at `at`; returns its length.
    pub(super) fn special(&mut self, text: &str, at: usize, escape_brackets: bool) -> usize {
        let bytes = text.as_bytes();
        let byte = bytes[at];
        let next = bytes.get(at + 1).copied();
        let escaped = match byte {
            b'*' | b'_' | b'~' | b'`' => return self.delimiters(text, at),
            b'\\' => next.is_none_or(|next| next.is_ascii_punctuation()),
            b'<' => escape::opens_tag(&bytes[at + 1..]),
            b'&' => escape::is_reference(&bytes[at + 1..]),
            b'|' => self.mode == Mode::Cell,
            b'(' => self.bracket_end == self.sheet.out.len(),
            b'[' | b']' => escape_brackets,
            _ => false,
        };
        if escaped {
            self.sheet.out.push('\\');
        }
        self.sheet.out.push(char::from(byte));
        if byte == b']' && !escaped {
            self.bracket_end = self.sheet.out.len();
        }
        1
    }

    pub(super) fn delimiters(&mut self, text: &str, at: usize) -> usize {
        let byte = text.as_bytes()[at];
        let length = text.as_bytes()[at..]
            .iter()
            .take_while(|b| **b == byte)
            .count();
        let after = text[at + length..].chars().next();
        let before = if self.sheet.out.len() == self.start {
            None
        } else {
            self.sheet.out.chars().next_back()
        };
        let (opens, closes) = match byte {
            b'`' => (true, true),
            b'~' if length > 2 => (false, false),
            _ if at + length == text.len() || at == 0 => {
                // The neighbour stands in another element.
                let (opens, closes) = escape::flanks(char::from(byte), before, after);
                (
                    opens || at + length == text.len(),
                    closes || before.is_some(),
                )
            }
            _ => escape::flanks(char::from(byte), before, after),
        };
        let which = slot(byte);
        if closes {
            self.settle(which);
        }
        let escaped =
            (opens && self.loose[which].is_some()) || ((opens || closes) && self.real[which] > 0);
        if escaped {
            for _ in 0..length {
                self.sheet.out.push('\\');
                self.sheet.out.push(char::from(byte));
            }
        } else {
            if opens {
                self.loose[which] = Some(Loose {
                    at: self.sheet.out.len(),
                    length,
                });
            }
            self.sheet.out.push_str(&text[at..at + length]);
        }
        length
    }

    /// Escapes the literal delimiter that something could now pair with.
    pub(super) fn settle(&mut self, which: usize) {
        let Some(loose) = self.loose[which].take() else {
            return;
        };
        for index in 0..loose.length {
            self.insert(loose.at + 2 * index, "\\");
        }
    }

    pub(super) fn insert(&mut self, at: usize, text: &str) {
        self.sheet.out.insert_str(at, text);
        let length = text.len();
        let moved = |place: &mut usize| {
            if *place > at && *place != usize::MAX {
                *place += length;
            }
        };
        moved(&mut self.link_start);
        moved(&mut self.delimiter_end);
        moved(&mut self.bracket_end);
        for loose in self.loose.iter_mut().flatten() {
            moved(&mut loose.at);
        }
    }
}
