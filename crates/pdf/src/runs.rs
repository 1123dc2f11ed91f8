//! Joins adjacent glyphs into runs, each a word or a part of one.
//!
//! Glyphs come in the order of the content stream, and their positions decide whether the next one
//! belongs to the run before it. All positions are in a frame that is turned so that lines of text
//! are level: `u` is along a line, `v` upwards.

use unicode_bidi::{BidiClass, bidi_class};

use super::font::GlyphStyle;
use super::paint::TextPaint;

/// Minimum gap of a blank, in ems.
pub(super) const BLANK: f32 = 0.13;

/// Limit of a page's runs.
const MAX_RUNS: usize = 400_000;

/// Limit of a page's text, in bytes.
const MAX_TEXT: usize = 8 << 20;

/// A run of adjacent glyphs.
#[derive(Clone, Copy, Debug)]
pub(super) struct GlyphRun {
    /// Start and end along its line.
    pub(super) u0: f32,
    pub(super) u1: f32,
    /// Position of its baseline.
    pub(super) v: f32,
    /// Height of an em.
    pub(super) size: f32,
    /// Direction of its line, in degrees.
    pub(super) angle: i16,
    pub(super) style: GlyphStyle,
    pub(super) paint: TextPaint,
    /// True if a blank follows it.
    pub(super) blank: bool,
    /// Index of the link that it is part of.
    pub(super) link: Option<u32>,
    /// Range of its text.
    pub(super) start: u32,
    pub(super) end: u32,
}

impl GlyphRun {
    pub(super) fn text<'a>(&self, text: &'a str) -> &'a str {
        let range = self.start as usize..self.end as usize;
        text.get(range).unwrap_or_default()
    }

    pub(super) fn middle(&self) -> f32 {
        f32::midpoint(self.u0, self.u1)
    }

    /// Returns its middle on the page.
    pub(super) fn center(&self) -> (f32, f32) {
        turned((self.middle(), self.v + 0.25 * self.size), -self.angle)
    }
}

/// A glyph and its position on the page.
#[derive(Clone, Copy)]
pub(super) struct PlacedGlyph<'a> {
    pub(super) text: &'a str,
    pub(super) from: (f32, f32),
    pub(super) to: (f32, f32),
    pub(super) size: f32,
    pub(super) angle: i16,
    pub(super) style: GlyphStyle,
    pub(super) paint: TextPaint,
    /// Letter spacing, which does not count as a blank.
    pub(super) apart: f32,
}

#[derive(Default)]
pub(super) struct PageRuns {
    pub(super) list: Vec<GlyphRun>,
    pub(super) text: String,
    open: bool,
    /// True if there are letters that are written from right to left.
    pub(super) rtl: bool,
    /// True if there is a blank to the left of the last run, as when text is drawn from right to
    /// left.
    blank_before: bool,
}

/// True for letters and marks of scripts that are written from right to left.
pub(super) fn is_right_to_left(letter: char) -> bool {
    letter >= '\u{590}'
        && !('\u{900}'..'\u{fb1d}').contains(&letter)
        && match bidi_class(letter) {
            BidiClass::R | BidiClass::AL => true,
            BidiClass::NSM => matches!(letter, '\u{590}'..='\u{8ff}' | '\u{fb1e}'),
            _ => false,
        }
}

/// Returns a point in a frame that is turned by `angle` degrees.
pub(super) fn turned((x, y): (f32, f32), angle: i16) -> (f32, f32) {
    match angle {
        0 => (x, y),
        90 => (y, -x),
        180 | -180 => (-x, -y),
        -90 => (-y, x),
        _ => {
            let (sin, cos) = f32::from(angle).to_radians().sin_cos();
            (x * cos + y * sin, y * cos - x * sin)
        }
    }
}

/// Returns the direction of a vector in whole degrees; nearly upright or level counts as exactly
/// so.
pub(super) fn direction(x: f32, y: f32) -> i16 {
    if y == 0.0 && x > 0.0 {
        return 0;
    }
    let degrees = y.atan2(x).to_degrees();
    let right = (degrees / 90.0).round() * 90.0;
    // No limit is an angle that people choose, since rounding would part their lines.
    let degrees = if (degrees - right).abs() < 2.8 {
        right
    } else {
        (degrees - 0.2).round()
    };
    let degrees = degrees as i16;
    if degrees == -180 { 180 } else { degrees }
}

impl PageRuns {
    pub(super) fn is_full(&self) -> bool {
        self.list.len() >= MAX_RUNS || self.text.len() >= MAX_TEXT
    }

    /// Ends the run that is open.
    pub(super) fn close(&mut self) {
        self.open = false;
    }

    /// Adds a glyph.
    pub(super) fn add_glyph(&mut self, glyph: &PlacedGlyph<'_>) {
        if self.is_full() {
            return;
        }
        let (u0, v) = turned(glyph.from, glyph.angle);
        let (u1, _) = turned(glyph.to, glyph.angle);
        let (u0, u1) = (u0.min(u1), u0.max(u1));
        let size = glyph.size;
        let text = glyph.text.trim_matches(' ');
        let near = self.list.last().is_some_and(|run| {
            run.angle == glyph.angle
                && (run.v - v).abs() < 0.5 * size
                && (u0 - run.u1).abs() < size + glyph.apart.max(0.0)
        });
        if text.is_empty() && !glyph.text.is_empty() {
            if let Some(run) = self.list.last_mut().filter(|_| near) {
                self.blank_before = u0 < run.u0;
                run.blank |= !self.blank_before;
            }
            self.open = false;
            return;
        }
        // Each letter is a run, because only places show the order of such letters.
        let rtl = glyph.text.contains(is_right_to_left);
        self.rtl |= rtl;
        if self.rtl
            && glyph.text.is_empty()
            && let Some(run) = self.list.last_mut().filter(|_| near)
            && self.text[run.start as usize..].contains(is_right_to_left)
        {
            // Marks may be drawn before the letter of whose text they are part.
            if u1 - u0 > run.u1 - run.u0 {
                run.v = v;
            }
            (run.u0, run.u1) = (run.u0.min(u0), run.u1.max(u1));
            return;
        }
        if let Some(run) = self.list.last_mut().filter(|_| self.open && near) {
            let gap = u0 - run.u1;
            // An accent comes before its letter, which goes back below it.
            let last = self.text.chars().next_back();
            let back = if last.and_then(combining_mark).is_some() {
                0.9
            } else {
                0.4
            };
            let wide = BLANK * size + glyph.apart.clamp(0.0, 0.5 * size);
            let joins = !rtl
                && run.style == glyph.style
                && run.paint == glyph.paint
                && (run.v - v).abs() < 0.08 * size
                && (0.8..1.25).contains(&(run.size / size))
                && gap < wide
                && gap > -back * size
                && !glyph.text.starts_with(' ');
            if joins {
                push_composed(&mut self.text, run, text, gap / size);
                run.u1 = run.u1.max(u1);
                run.end = self.text.len() as u32;
                run.blank = glyph.text.ends_with(' ');
                self.open = !run.blank;
                return;
            }
            run.blank |= glyph.text.starts_with(' ');
        }
        if text.is_empty() {
            return;
        }
        let start = self.text.len() as u32;
        let blank_before = std::mem::take(&mut self.blank_before)
            && self.list.last().is_some_and(|run| {
                (run.v - v).abs() < 0.5 * size && (0.0..size).contains(&(run.u0 - u1))
            });
        self.text.push_str(text);
        self.list.push(GlyphRun {
            u0,
            u1,
            v,
            size,
            angle: glyph.angle,
            style: glyph.style,
            paint: glyph.paint,
            blank: blank_before || glyph.text.ends_with(' ') && !rtl,
            link: None,
            start,
            end: self.text.len() as u32,
        });
        self.open = !(rtl || glyph.text.ends_with(' '));
    }
}

/// Adds text to a run. An accent and a letter in one place become one character.
fn push_composed(pool: &mut String, run: &GlyphRun, text: &str, gap: f32) {
    let letter = text.chars().next();
    if gap < -0.15
        && let Some(last) = pool[run.start as usize..].chars().next_back()
        && let Some(letter) = letter
    {
        let both = match (combining_mark(last), combining_mark(letter)) {
            (Some(mark), None) => Some((letter, mark)),
            (None, Some(mark)) => Some((last, mark)),
            _ => None,
        };
        if let Some((letter, mark)) = both
            && letter.is_alphabetic()
        {
            // Letters below accents have no dots.
            let letter = match letter {
                '\u{131}' => 'i',
                '\u{237}' => 'j',
                letter => letter,
            };
            let normalizer = icu_normalizer::ComposingNormalizerBorrowed::new_nfc();
            let pair: String = [letter, mark].into_iter().collect();
            pool.truncate(pool.len() - last.len_utf8());
            pool.push_str(&normalizer.normalize(&pair));
            let chars = text.chars();
            pool.extend(chars.skip(1));
            return;
        }
    }
    pool.push_str(text);
}

/// Accents, and the combining mark of each.
const ACCENTS: &str =
    "`\u{b4}^\u{2c6}~\u{2dc}\u{af}\u{2d8}\u{2d9}\u{a8}\u{2da}\u{2dd}\u{2c7}\u{b8}\u{2db}";
const MARKS: [char; 15] = [
    '\u{300}', '\u{301}', '\u{302}', '\u{302}', '\u{303}', '\u{303}', '\u{304}', '\u{306}',
    '\u{307}', '\u{308}', '\u{30a}', '\u{30b}', '\u{30c}', '\u{327}', '\u{328}',
];

/// Returns the combining mark of an accent.
fn combining_mark(character: char) -> Option<char> {
    let index = ACCENTS.chars().position(|accent| accent == character)?;
    MARKS.get(index).copied()
}
