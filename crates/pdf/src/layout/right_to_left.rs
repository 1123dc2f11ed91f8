//! Puts text that is written from right to left into reading order.
//!
//! Rules: UAX #9 (the bidirectional algorithm). A page shows lines as the algorithm has arranged
//! them; arranged once more they are as they were, since its levels are the same from both sides.
//! Lines of a page that reads from right to left are mirrored, so that whatever looks for columns,
//! indents and short lines finds them where it would on other pages.

use icu_normalizer::ComposingNormalizerBorrowed;
use unicode_bidi::{BidiClass, BidiInfo, Level, bidi_class};

use super::super::runs::{BLANK, GlyphRun, is_right_to_left};
use super::rows::RunRow;
use super::{LinePiece, PageRegion, TextLine};

/// Letters with which words end and never begin.
const FINAL_LETTERS: &str = "\u{5da}\u{5dd}\u{5df}\u{5e3}\u{5e5}\u{629}\u{649}";

/// The piece of a line and the range of the text that are shown at a place; `None` for a blank.
type ShownUnit = Option<(usize, u32, u32)>;

/// Characters and their mirror images, side by side.
const MIRRORED: &str = "()[]{}<>\u{ab}\u{bb}\u{2039}\u{203a}";

/// The order of the lines of a page that has text from right to left.
#[derive(Default)]
pub(super) struct LineOrder {
    /// True if the page as a whole reads from right to left.
    mirrored: bool,
    /// True if all text is drawn from left to right in the order in which it is read, as by
    /// programs that know no other.
    all_read: bool,
    /// True if brackets are named as they are drawn, which is the mirror image of their meaning.
    brackets_drawn: bool,
}

fn mirror_image(letter: char) -> Option<char> {
    let index = MIRRORED.chars().position(|other| other == letter)?;
    MIRRORED.chars().nth(index ^ 1)
}

fn is_mark(text: &str) -> bool {
    let is_mark = |letter: char| {
        matches!(letter, '\u{fe70}'..='\u{fe7f}')
            || letter >= '\u{591}' && bidi_class(letter) == BidiClass::NSM
    };
    !text.is_empty() && text.chars().all(is_mark)
}

/// Joins the marks of letters, which are drawn before or after them, with the letters.
pub(super) fn attach_marks(runs: &mut Vec<GlyphRun>, pool: &mut String) {
    let marks: Vec<bool> = runs.iter().map(|run| is_mark(run.text(pool))).collect();
    let mut gone = vec![false; runs.len()];
    for (index, _) in marks.iter().enumerate().filter(|(_, is_mark)| **is_mark) {
        let (mark, middle) = (runs[index], runs[index].middle());
        let before = marks[..index].iter().rev().take(4).position(|other| !other);
        let after = marks[index + 1..].iter().take(4).position(|other| !other);
        // From left to right, marks are drawn before their letters.
        let letters = [
            after.map(|by| index + 1 + by),
            before.map(|by| index - 1 - by),
        ];
        let distance = |letter: &GlyphRun| (letter.u0 - middle).max(middle - letter.u1);
        let nearest = letters
            .into_iter()
            .flatten()
            .filter(|letter| {
                let letter = &runs[*letter];
                letter.angle == mark.angle
                    && (letter.v - mark.v).abs() < letter.size
                    && distance(letter) < 0.25 * letter.size
                    && letter.text(pool).contains(is_right_to_left)
            })
            .min_by(|a, b| distance(&runs[*a]).total_cmp(&distance(&runs[*b])));
        if let Some(letter) = nearest {
            let whole = [runs[letter].text(pool), mark.text(pool)].concat();
            runs[letter].start = pool.len() as u32;
            pool.push_str(&whole);
            runs[letter].end = pool.len() as u32;
            runs[letter].blank |= mark.blank;
            gone[index] = true;
        }
    }
    let mut gone = gone.into_iter();
    runs.retain(|_| !gone.next().unwrap_or(false));
}

/// Returns the end of the word from right to left that begins with the run at `index`, if it does.
fn word_end(runs: &[GlyphRun], index: usize, pool: &str) -> usize {
    let mut end = index;
    while let Some(run) = runs.get(end)
        && run.text(pool).contains(is_right_to_left)
    {
        if end > index {
            let before = &runs[end - 1];
            let joins = run.style == before.style
                && run.link == before.link
                && run.u0 - before.u1 < BLANK * run.size
                && !before.blank
                && (run.v - before.v).abs() < 0.1 * run.size;
            if !joins {
                break;
            }
        }
        end += 1;
    }
    end
}

/// Adds letters as Unicode has them without their forms within words.
fn push_folded(pool: &mut String, text: &str) {
    let is_form = |letter| matches!(letter, '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}');
    if text.contains(is_form) {
        let folded = ComposingNormalizerBorrowed::new_nfkc().normalize(text);
        pool.extend(folded.chars().filter(|letter| *letter != ' '));
    } else {
        pool.push_str(text);
    }
}

/// Counts letters from right to left, and from left to right.
fn count_letters(texts: impl Iterator<Item = impl AsRef<str>>) -> (usize, usize) {
    let mut counts = (0, 0);
    for letter in texts.flat_map(|text| text.as_ref().chars().collect::<Vec<_>>()) {
        if is_right_to_left(letter) {
            counts.0 += 1;
        } else if letter.is_alphabetic() {
            counts.1 += 1;
        }
    }
    counts
}

impl LineOrder {
    /// Determines the order of a page from its runs as they are drawn.
    pub(super) fn from_runs(runs: &[GlyphRun], pool: &str) -> Self {
        let (rtl, ltr) = count_letters(runs.iter().map(|run| run.text(pool)));
        let (mut rising, mut falling) = (0, 0);
        for pair in runs.windows(2) {
            let far = BLANK * pair[1].size;
            if (pair[0].v - pair[1].v).abs() < far
                && pair
                    .iter()
                    .all(|run| run.text(pool).contains(is_right_to_left))
            {
                rising += usize::from(pair[1].u0 > pair[0].u1 + far);
                falling += usize::from(pair[1].u1 < pair[0].u0 - far);
            }
        }
        Self {
            mirrored: rtl > ltr,
            all_read: rising > falling,
            ..Self::default()
        }
    }

    pub(super) fn is_mirrored(&self) -> bool {
        self.mirrored
    }

    /// Makes words of letters, and mirrors the rows of a page that reads from right to left.
    pub(super) fn join_letters(&mut self, rows: &mut [RunRow], pool: &mut String) {
        // Recognised text has words at their places, with letters in the order of reading.
        let letters_read = ends_come_first(rows, pool);
        self.all_read &= letters_read;
        self.mirrored &= !self.all_read;
        self.brackets_drawn = brackets_are_drawn(rows, pool);
        for row in rows {
            let mut words = Vec::with_capacity(row.runs.len());
            let mut index = 0;
            while index < row.runs.len() {
                let mut end = word_end(&row.runs, index, pool);
                let mut word = row.runs[index];
                if end > index {
                    let letters = &mut row.runs[index..end];
                    if !letters_read {
                        letters.reverse();
                    }
                    let text: String = letters.iter().map(|run| run.text(pool)).collect();
                    word.blank = letters.iter().any(|run| run.blank);
                    word.u1 = letters.iter().map(|run| run.u1).fold(word.u1, f32::max);
                    word.start = pool.len() as u32;
                    push_folded(pool, &text);
                    word.end = pool.len() as u32;
                } else {
                    end = index + 1;
                }
                words.push(word);
                index = end;
            }
            if self.mirrored {
                let mut blank = false;
                for run in &mut words {
                    (run.u0, run.u1) = (-run.u1, -run.u0);
                    std::mem::swap(&mut run.blank, &mut blank);
                }
                words.reverse();
            }
            row.runs = words;
        }
    }

    /// Puts the lines of regions into reading order.
    pub(super) fn order_regions(&self, regions: &mut [PageRegion], pool: &mut String) {
        if self.all_read {
            return;
        }
        for region in regions {
            match region {
                PageRegion::Lines(lines) => lines
                    .iter_mut()
                    .for_each(|line| self.order_line(line, pool)),
                PageRegion::Table { rows, .. } => {
                    let lines = rows.iter_mut().flatten().flat_map(|cell| &mut cell.lines);
                    lines.for_each(|line| self.order_line(line, pool));
                }
            }
        }
    }

    /// Puts the pieces of a line into reading order; parts of them become pieces of their own.
    fn order_line(&self, line: &mut TextLine, pool: &mut String) {
        if self.mirrored {
            line.pieces.reverse();
            let mut blank = false;
            for piece in &mut line.pieces {
                std::mem::swap(&mut piece.blank, &mut blank);
            }
        }
        let is_rtl = |piece: &LinePiece| piece.text(pool).contains(is_right_to_left);
        if !line.pieces.iter().any(is_rtl) {
            return;
        }
        let from_right = self.reads_from_right(line, pool);
        let (units, letters) = self.shown_units(line, pool, from_right);
        let level = if from_right {
            Level::rtl()
        } else {
            Level::ltr()
        };
        let levels = BidiInfo::new(&letters, Some(level)).levels;
        let levels: Vec<Level> = letters
            .char_indices()
            .map(|(index, _)| levels[index])
            .collect();
        let mut pieces: Vec<LinePiece> = Vec::with_capacity(line.pieces.len());
        let mut before = None;
        let mut blank = false;
        for index in BidiInfo::reorder_visual(&levels) {
            let Some((piece, start, end)) = units[index] else {
                blank = true;
                continue;
            };
            let (mut start, mut end) = (start, end);
            let mut letters = pool[start as usize..end as usize].chars();
            if levels[index].is_rtl()
                && self.brackets_drawn
                && let (Some(letter), None) = (letters.next(), letters.next())
                && let Some(other) = mirror_image(letter)
            {
                start = pool.len() as u32;
                pool.push(other);
                end = pool.len() as u32;
            }
            match pieces.last_mut() {
                Some(last) if before == Some(piece) && !blank && last.end == start => {
                    last.end = end;
                }
                _ => pieces.push(LinePiece {
                    start,
                    end,
                    blank: blank && !pieces.is_empty(),
                    ..line.pieces[piece]
                }),
            }
            before = Some(piece);
            blank = false;
        }
        line.pieces = pieces;
    }

    /// Returns the words from right to left, other characters and the blanks of a line as shown,
    /// and a letter for each that stands for it in the algorithm.
    fn shown_units(
        &self,
        line: &TextLine,
        pool: &str,
        from_right: bool,
    ) -> (Vec<ShownUnit>, String) {
        let mut units = Vec::new();
        let mut letters: Vec<char> = Vec::new();
        for (index, piece) in line.pieces.iter().enumerate() {
            if piece.blank {
                units.push(None);
                letters.push(' ');
            }
            let text = piece.text(pool);
            if let Some(letter) = text.chars().find(|letter| is_right_to_left(*letter)) {
                units.push(Some((index, piece.start, piece.end)));
                letters.push(letter);
                continue;
            }
            for (offset, letter) in text.char_indices() {
                let start = piece.start + offset as u32;
                units.push(Some((index, start, start + letter.len_utf8() as u32)));
                letters.push(letter);
            }
        }
        // A number belongs to a Latin word before it; else it is Arabic by the letters before it,
        // which are to the right of it.
        let mut latin = false;
        for letter in &mut letters {
            match bidi_class(*letter) {
                BidiClass::L => latin = true,
                BidiClass::AL | BidiClass::R => latin = false,
                BidiClass::EN if latin => *letter = 'a',
                _ => {}
            }
        }
        let mut arabic = false;
        for letter in letters.iter_mut().rev() {
            match bidi_class(*letter) {
                BidiClass::AL | BidiClass::R | BidiClass::NSM if is_right_to_left(*letter) => {
                    arabic = bidi_class(*letter) == BidiClass::AL;
                    *letter = '\u{5d0}';
                }
                BidiClass::L => arabic = false,
                BidiClass::EN if arabic && from_right => *letter = '\u{660}',
                BidiClass::ON if !self.brackets_drawn => *letter = '!',
                BidiClass::EN
                | BidiClass::AN
                | BidiClass::ES
                | BidiClass::CS
                | BidiClass::ET
                | BidiClass::NSM
                | BidiClass::ON
                | BidiClass::WS => {}
                // Marks of order and ends of paragraphs would be obeyed.
                _ => *letter = '!',
            }
        }
        (units, letters.into_iter().collect())
    }

    /// True if a line as shown begins at its right end: as most of its letters, its ends and the
    /// page say.
    fn reads_from_right(&self, line: &TextLine, pool: &str) -> bool {
        let (rtl, ltr) = count_letters(line.pieces.iter().map(|piece| piece.text(pool)));
        let is_rtl = |piece: &LinePiece| {
            let text = piece.text(pool);
            let rtl = text.contains(is_right_to_left);
            (rtl || text.contains(char::is_alphabetic)).then_some(rtl)
        };
        let first = line.pieces.iter().find_map(is_rtl);
        let last = line.pieces.iter().rev().find_map(is_rtl);
        match (first, last) {
            (Some(true), Some(true)) => true,
            (Some(false), Some(false)) => rtl > ltr,
            _ => self.mirrored || rtl > ltr,
        }
    }
}

/// True if brackets next to letters from right to left are named as they are drawn.
fn brackets_are_drawn(rows: &[RunRow], pool: &str) -> bool {
    let (mut drawn, mut named) = (0, 0);
    for pair in rows.iter().flat_map(|row| row.runs.windows(2)) {
        let near = pair[1].u0 - pair[0].u1 < BLANK * pair[1].size && !pair[0].blank;
        let [left, right] = [&pair[0], &pair[1]].map(|run| run.text(pool));
        let rtl = [left, right].map(|text| text.contains(is_right_to_left));
        let bracket = match rtl {
            [false, true] => left.chars().next_back(),
            [true, false] => right.chars().next(),
            _ => None,
        };
        let index = bracket.and_then(|one| MIRRORED.chars().position(|other| other == one));
        if let Some(index) = index.filter(|_| near) {
            let opens = index % 2 == 0;
            drawn += usize::from(opens == rtl[1]);
            named += usize::from(opens == rtl[0]);
        }
    }
    drawn >= named
}

/// True if words, as shown from left to right, begin with what they begin with when read.
fn ends_come_first(rows: &[RunRow], pool: &str) -> bool {
    let (mut read, mut visual) = (0, 0);
    for row in rows {
        let mut index = 0;
        while index < row.runs.len() {
            let end = word_end(&row.runs, index, pool);
            let letter = |index: usize| {
                let mut letter = String::new();
                push_folded(&mut letter, row.runs[index].text(pool));
                letter
            };
            if end >= index + 2 {
                let [left, right] = [letter(index), letter(end - 1)];
                let is_final = |text: &str| text.contains(|one| FINAL_LETTERS.contains(one));
                // The article of Arabic.
                let article = |first: &str, second: usize| {
                    end >= index + 4 && first == "\u{627}" && letter(second) == "\u{644}"
                };
                visual += usize::from(is_final(&left) || article(&right, end - 2));
                read += usize::from(is_final(&right) || article(&left, index + 1));
            }
            index = end.max(index + 1);
        }
    }
    read > 2 * visual
}
