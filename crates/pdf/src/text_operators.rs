//! The text operators: lines, fonts, and strings of glyphs.
//!
//! Rules: ISO 32000-2, 9.3 and 9.4.

use std::rc::Rc;

use lopdf::Dictionary;

use super::content::ContentInterpreter;
use super::font::PdfFont;
use super::geometry::Rect;
use super::lexer::PdfOperand;
use super::paint::TextPaint;
use super::runs::{PlacedGlyph, direction};

/// Limit of the entries of all cached fonts.
const MAX_FONT_ENTRIES: usize = 1 << 20;

/// Minimum length of a letter-spaced string that counts as a word.
const MIN_SPACED: usize = 5;

/// The smallest visible type, in points.
const MIN_VISIBLE_SIZE: f32 = 1.0;

impl<'a> ContentInterpreter<'a> {
    pub(super) fn next_line(&mut self, x: f32, y: f32) {
        self.line = self.line.moved(x, y);
        self.text = self.line;
    }

    pub(super) fn font(&mut self, resources: &'a Dictionary, name: &[u8]) -> Option<Rc<PdfFont>> {
        let dict = self.file.dict(self.file.dict(resources, b"Font")?, name)?;
        self.font_of(dict)
    }

    pub(super) fn font_of(&mut self, dict: &'a Dictionary) -> Option<Rc<PdfFont>> {
        let key = std::ptr::from_ref(dict).addr();
        if let Some(font) = self.drawn.fonts.get(&key) {
            return Some(Rc::clone(font));
        }
        if self.file.is_late() {
            return None;
        }
        let font = Rc::new(PdfFont::read(self.file, dict));
        self.drawn.font_entries += font.entry_count();
        if self.drawn.font_entries > MAX_FONT_ENTRIES {
            self.drawn.fonts.clear();
            self.drawn.font_entries = font.entry_count();
        }
        self.drawn.fonts.insert(key, Rc::clone(&font));
        Some(font)
    }

    pub(super) fn show_strings(&mut self, operand: Option<&PdfOperand<'_>>) {
        let Some(PdfOperand::Array(operands)) = operand else {
            return;
        };
        let vertical = self.state.font.as_ref().is_some_and(|font| font.vertical);
        for operand in operands {
            match operand {
                PdfOperand::Number(offset) => {
                    let by = -offset / 1000.0 * self.state.size;
                    self.text = if vertical {
                        self.text.moved(0.0, by)
                    } else {
                        self.text.moved(by * self.state.scale, 0.0)
                    };
                }
                operand => self.show_string(Some(operand)),
            }
        }
    }

    pub(super) fn show_string(&mut self, operand: Option<&PdfOperand<'_>>) {
        let Some(string) = operand.and_then(PdfOperand::string) else {
            return;
        };
        let Some(font) = self.state.font.clone() else {
            return;
        };
        let hidden = self.marks.iter().any(|mark| mark.hidden);
        let replaced = self.marks.iter().position(|mark| mark.replaced);
        let state = &self.state;
        let mut text = self.text;
        let whole = text.then(&state.ctm);
        let [across_x, across_y, up_x, up_y, ..] = whole.0;
        let height = up_x.hypot(up_y) * state.size.abs() * font.em;
        let width = across_x.hypot(across_y) * state.scale.abs();
        if !(height.is_finite() && width.is_finite() && height > 0.01) {
            return;
        }
        // The glyphs of a Type 3 font have colours of their own.
        let paint = match TextPaint::from_mode(state.mode, state.colours) {
            _ if height.min(width * state.size.abs() * font.em) < MIN_VISIBLE_SIZE => {
                TextPaint::Unseen
            }
            TextPaint::White if font.is_drawn => TextPaint::Seen,
            paint => paint,
        };
        let sign = if state.size * state.scale < 0.0 {
            -1.0
        } else {
            1.0
        };
        let angle = if font.vertical {
            direction(-up_x, -up_y)
        } else {
            direction(across_x * sign, across_y * sign)
        };
        let reach = height * 0.5;
        let clip = state.clip;
        let seen = Rect {
            x0: clip.x0 - reach,
            y0: clip.y0 - reach,
            x1: clip.x1 + reach,
            y1: clip.y1 + reach,
        };
        // Enough letters that are set apart make a word; a few may be the end of one word and the
        // beginning of another.
        let apart = if string.len() >= MIN_SPACED {
            state.char_space * width
        } else {
            0.0
        };
        let (mut glyphs, mut unknown) = (0, 0);
        let runs = &mut self.drawn.runs;
        let marks = &mut self.marks;
        font.decode(string, |code| {
            let word_space = if code.blank { state.word_space } else { 0.0 };
            let (advance, after) = if font.vertical {
                let whole = -state.size + state.char_space + word_space;
                ((0.0, -state.size), (0.0, whole))
            } else {
                let wide = code.width * state.size * state.scale;
                let apart = (state.char_space + word_space) * state.scale;
                ((wide, 0.0), (wide + apart, 0.0))
            };
            let place = text.moved(0.0, state.rise).then(&state.ctm);
            let from = place.point(0.0, 0.0);
            let to = place.point(advance.0, advance.1);
            text = text.moved(after.0, after.1);
            let (x, y) = (f32::midpoint(from.0, to.0), f32::midpoint(from.1, to.1));
            if hidden || !seen.holds(x, y) {
                return;
            }
            let mut letters = code.text;
            let taken;
            if let Some(mark) = replaced.and_then(|index| marks.get_mut(index)) {
                taken = mark.actual.take().unwrap_or_default();
                letters = &taken;
            } else {
                glyphs += 1;
                unknown += usize::from(letters.is_empty());
            }
            runs.add_glyph(&PlacedGlyph {
                text: letters,
                from,
                to,
                size: height,
                angle,
                style: font.style,
                paint,
                apart,
            });
        });
        self.text = text;
        self.drawn.glyphs += glyphs;
        self.drawn.unknown += unknown;
    }
}
