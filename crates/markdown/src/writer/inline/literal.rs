//! Escapes characters only where Markdown would take them for markup.
//!
//! Rules: `CommonMark` 0.31.2, "Backslash escapes" and "Emphasis". A delimiter without a partner
//! stays as it is; it is escaped later, if a partner comes.

use super::super::{escape, flanks};
use super::{
    ActiveMarkup, InlineMode, InlineWriter, LiteralDelimiter, MarkupState, delimiter_slot,
};

impl InlineWriter<'_> {
    /// Writes the special character (or run of delimiters) at `offset`; returns its length.
    pub(super) fn write_special(
        &mut self,
        text: &str,
        offset: usize,
        escape_brackets: bool,
    ) -> usize {
        let bytes = text.as_bytes();
        let byte = bytes[offset];
        let next = bytes.get(offset + 1).copied();
        let escaped = match byte {
            b'*' | b'_' | b'~' | b'`' => return self.write_delimiters(text, offset),
            b'\\' => {
                next.is_none_or(|next| next.is_ascii_punctuation())
                    || self.is_last(&bytes[offset + 1..])
            }
            b'<' => escape::opens_tag(&bytes[offset + 1..]),
            b'&' => escape::is_reference(&bytes[offset + 1..]),
            b'|' => self.mode == InlineMode::Cell,
            b'(' => self.bracket_end == self.lines.out.len(),
            b'[' | b']' => escape_brackets,
            _ => false,
        };
        if escaped {
            self.lines.out.push('\\');
        }
        self.lines.out.push(char::from(byte));
        if byte == b']' && !escaped {
            self.bracket_end = self.lines.out.len();
        }
        1
    }

    /// True if the end of an element, or of a cell's line, may come before the text that
    /// `unwritten` begins with, because blanks are moved after it.
    fn is_last(&self, unwritten: &[u8]) -> bool {
        escape::leading_blanks(unwritten) == unwritten.len()
            && (unwritten.is_empty() || self.mode == InlineMode::Cell || self.in_style())
    }

    fn in_style(&self) -> bool {
        let open = |active: &ActiveMarkup<'_>| matches!(active.state, MarkupState::Open(_));
        self.styles.iter().any(open)
    }

    pub(super) fn write_delimiters(&mut self, text: &str, offset: usize) -> usize {
        let byte = text.as_bytes()[offset];
        let length = text.as_bytes()[offset..]
            .iter()
            .take_while(|b| **b == byte)
            .count();
        let after = text[offset + length..].chars().next();
        let before = if self.lines.out.len() == self.start {
            None
        } else {
            self.lines.out.chars().next_back()
        };
        let last = self.is_last(&text.as_bytes()[offset + length..]);
        let (mut opens, closes) = match byte {
            b'`' => (true, true),
            b'~' if length > 2 => (false, self.open_delimiters[delimiter_slot(byte)] > 0),
            _ if last || offset == 0 => {
                // The neighbour is in another element.
                let (opens, closes) = flanks::flanks(char::from(byte), before, after);
                (opens || last, closes || before.is_some())
            }
            _ => flanks::flanks(char::from(byte), before, after),
        };
        // For some parsers two tildes open wherever no blank follows them.
        opens |= byte == b'~' && length == 2 && !after.is_none_or(char::is_whitespace);
        let which = delimiter_slot(byte);
        if closes {
            self.escape_partner(which);
        }
        // Beside one of the writer's own it would be part of that.
        let beside_own = match byte {
            b'~' => self.delimiter_end == self.lines.out.len() || (last && self.in_style()),
            b'`' => self.span_end == self.lines.out.len(),
            _ => false,
        };
        let escaped = beside_own
            || (opens && self.loose[which].is_some())
            || ((opens || closes) && self.open_delimiters[which] > 0);
        if escaped {
            for _ in 0..length {
                self.lines.out.push('\\');
                self.lines.out.push(char::from(byte));
            }
        } else {
            if opens {
                self.loose[which] = Some(LiteralDelimiter {
                    offset: self.lines.out.len(),
                    length,
                });
            }
            self.lines.out.push_str(&text[offset..offset + length]);
        }
        length
    }

    /// Escapes the literal delimiter that could now have a partner.
    pub(super) fn escape_partner(&mut self, which: usize) {
        let Some(loose) = self.loose[which].take() else {
            return;
        };
        self.escape_run(loose.offset, loose.length);
    }

    /// Escapes the character at `offset`, and all of a literal delimiter that begins there, because
    /// the rest of it might pair as the whole does not.
    pub(super) fn escape_at(&mut self, offset: usize) {
        let bytes = &self.lines.out.as_bytes()[offset..];
        let Some(mark @ (b'*' | b'_' | b'~' | b'`')) = bytes.first() else {
            self.insert_at(offset, "\\");
            return;
        };
        let length = bytes.iter().take_while(|byte| *byte == mark).count();
        for loose in &mut self.loose {
            *loose = loose.filter(|loose| loose.offset != offset);
        }
        self.escape_run(offset, length);
    }

    /// Escapes each of the `length` ASCII bytes at `offset` in one go, because a page may have
    /// millions.
    fn escape_run(&mut self, offset: usize, length: usize) {
        let run = self.lines.out[offset..offset + length].chars();
        let escaped: String = run.flat_map(|mark| ['\\', mark]).collect();
        self.lines
            .out
            .replace_range(offset..offset + length, &escaped);
        self.move_offsets(|place| place + place.saturating_sub(offset).min(length));
        for mark in self.marks.iter_mut().rev() {
            if mark.offset < offset {
                break;
            }
            mark.offset += (mark.offset - offset + 1).min(length);
        }
    }

    pub(super) fn insert_at(&mut self, offset: usize, text: &str) {
        self.lines.out.insert_str(offset, text);
        let length = text.len();
        self.move_offsets(|place| {
            if place > offset {
                place + length
            } else {
                place
            }
        });
        for mark in self.marks.iter_mut().rev() {
            if mark.offset < offset {
                break;
            }
            mark.offset += length;
        }
    }

    /// Moves the stored offsets into the line to the results of `to`.
    pub(super) fn move_offsets(&mut self, to: impl Fn(usize) -> usize) {
        let moved = |place: &mut usize| {
            if *place != usize::MAX {
                *place = to(*place);
            }
        };
        moved(&mut self.start);
        moved(&mut self.link_start);
        moved(&mut self.delimiter_end);
        moved(&mut self.bracket_end);
        moved(&mut self.span_end);
        for loose in self.loose.iter_mut().flatten() {
            moved(&mut loose.offset);
        }
    }
}
