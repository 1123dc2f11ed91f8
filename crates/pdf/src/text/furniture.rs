//! Removes page furniture: running heads and page numbers that pages repeat at the top and bottom.
//! A line without a number is kept once.
//!
//! A line is furniture if it is at the top or bottom of at least three pages at one height, the
//! same except for the number of the page.

use std::collections::{HashMap, HashSet};

use super::super::layout::{PageRegion, TextLine};
use super::PageText;

/// Lines from the edge that are looked at.
const EDGE_LINES: usize = 3;

/// Share of a page that is its head, and its foot.
const EDGE_SHARE: f32 = 0.14;

/// Minimum distance of furniture from the text, in ems.
const MIN_DISTANCE: f32 = 1.4;

/// Distance up to which two heights are one, in half points.
const MAX_HEIGHT_DIFFERENCE: i32 = 3;

/// Minimum number of pages that repeat a line.
const MIN_PAGES: usize = 3;

/// Limit of a line that is looked at, in bytes.
const MAX_LINE_BYTES: usize = 240;

/// Limit of the numbers of a line that are looked at.
const MAX_NUMBERS: usize = 8;

/// The position of a line: its page, and its height in half points.
type LinePlace = (usize, i32);

type TextKey = (String, i64, bool);

/// Removes the lines that pages repeat.
pub(in super::super) fn remove_furniture(pages: &mut [PageText]) {
    if pages.len() < MIN_PAGES {
        return;
    }
    let mut texts: HashMap<TextKey, Vec<LinePlace>> = HashMap::new();
    for (index, page) in pages.iter().enumerate() {
        for (line, top) in edges(page) {
            let text = line.text(&page.text);
            if text.len() > MAX_LINE_BYTES {
                continue;
            }
            let place = (index, half_points(line));
            for key in text_keys(&text, index, top) {
                texts.entry(key).or_default().push(place);
            }
        }
    }
    let mut gone: HashSet<LinePlace> = HashSet::new();
    let mut repeated = |places: &[LinePlace]| {
        let mut heights: HashMap<i32, usize> = HashMap::new();
        for (_, height) in places {
            *heights.entry(*height).or_default() += 1;
        }
        for place in places {
            let around = place.1 - MAX_HEIGHT_DIFFERENCE..=place.1 + MAX_HEIGHT_DIFFERENCE;
            let count: usize = around.filter_map(|height| heights.get(&height)).sum();
            if count >= MIN_PAGES {
                gone.insert(*place);
            }
        }
    };
    for places in texts.values() {
        repeated(places);
    }
    let edges = |(index, page): (usize, &PageText)| {
        let repeated = |line: &TextLine| gone.contains(&(index, half_points(line)));
        (
            furniture_edge(page, &repeated, false),
            furniture_edge(page, &repeated, true),
        )
    };
    let reaches: Vec<(f32, f32)> = pages.iter().enumerate().map(edges).collect();
    let has_more = |(page, (low, high)): (&PageText, &(f32, f32))| {
        let mut lines = page.regions.iter().flat_map(PageRegion::lines);
        lines.any(|line| line.v > *low && line.v < *high)
    };
    // Pages that have nothing else have text all the same.
    if !pages.iter().zip(&reaches).any(has_more) {
        return;
    }
    let mut kept_texts: HashSet<String> = HashSet::new();
    for (page, (low, high)) in pages.iter_mut().zip(reaches) {
        let goes = |line: &mut TextLine| line.v <= low || line.v >= high;
        let mut furniture: Vec<TextLine> = Vec::new();
        for region in &mut page.regions {
            match region {
                PageRegion::Lines(lines) => furniture.extend(lines.extract_if(.., goes)),
                PageRegion::Table { rows, ruled } => {
                    let mut lines = rows.iter_mut().flatten().flat_map(|cell| &mut cell.lines);
                    // The head of a table that goes on stays with the rest of it.
                    if *ruled && !lines.all(goes) {
                        continue;
                    }
                    let gone = rows.extract_if(.., |row| {
                        row.iter_mut().flat_map(|cell| &mut cell.lines).any(goes)
                    });
                    furniture.extend(gone.flatten().flat_map(|cell| cell.lines));
                }
            }
        }
        furniture.retain(|line| {
            let text = line.text(&page.text);
            let has_number = !without_numbers(&text).1.is_empty();
            let text = without_blanks(&text);
            let has_letters = text.contains(char::is_alphabetic);
            let is_same = |top| {
                texts
                    .get(&(text.clone(), i64::MAX, top))
                    .map_or(0, Vec::len)
            };
            (!has_number || is_same(true).max(is_same(false)) >= MIN_PAGES)
                && has_letters
                && kept_texts.insert(text)
        });
        page.furniture = furniture;
        page.regions
            .retain(|region| region.lines().next().is_some());
    }
}

/// Returns what a line has in common with those of other pages: its whole text, or its text without
/// numbers and which of these counts the pages.
fn text_keys(text: &str, page: usize, top: bool) -> Vec<TextKey> {
    let (plain, numbers) = without_numbers(text);
    let mut keys = vec![(without_blanks(text), i64::MAX, top)];
    for (nth, number) in numbers.into_iter().take(MAX_NUMBERS).enumerate() {
        let first = number - i64::try_from(page).unwrap_or(0);
        keys.push((format!("{plain}{nth}"), first, top));
    }
    keys
}

fn half_points(line: &TextLine) -> i32 {
    (line.v * 2.0).round() as i32
}

/// Returns how far furniture reaches from the edge of a page: over lines that all repeat, up to a
/// gap that separates them from the text.
fn furniture_edge(page: &PageText, repeated: &dyn Fn(&TextLine) -> bool, top: bool) -> f32 {
    let mut lines: Vec<(f32, f32, bool)> = page
        .regions
        .iter()
        .flat_map(PageRegion::lines)
        .filter(|line| (line.v > f32::midpoint(page.low, page.high)) == top)
        .map(|line| (line.v, line.size, repeated(line)))
        .collect();
    lines.sort_by(|a, b| a.0.total_cmp(&b.0));
    if top {
        lines.reverse();
    }
    let mut reach = if top {
        f32::INFINITY
    } else {
        f32::NEG_INFINITY
    };
    for (index, (v, size, gone)) in lines.iter().enumerate() {
        if !gone {
            break;
        }
        let gap = lines
            .get(index + 1)
            .map_or(f32::INFINITY, |(next, ..)| (v - next).abs());
        if gap > MIN_DISTANCE * size {
            reach = *v;
        }
    }
    reach
}

/// Returns the first and last lines of a page that are at its edges, and whether each is at the
/// top.
fn edges(page: &PageText) -> Vec<(&TextLine, bool)> {
    let mut edges = Vec::new();
    for top in [true, false] {
        let within = |line: &TextLine| {
            if top {
                page.high - line.v
            } else {
                line.v - page.low
            }
        };
        let share = EDGE_SHARE * (page.high - page.low);
        let lines = page.regions.iter().flat_map(PageRegion::lines);
        let mut lines: Vec<&TextLine> = lines.filter(|line| within(line) < share).collect();
        lines.sort_by(|a, b| within(a).total_cmp(&within(b)));
        let levels = lines.chunk_by(|a, b| (a.v - b.v).abs() < 1.0);
        edges.extend(levels.take(EDGE_LINES).flatten().map(|line| (*line, top)));
    }
    edges
}

fn without_blanks(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Returns a line's text without blanks, each number replaced by `#`, and the numbers.
fn without_numbers(text: &str) -> (String, Vec<i64>) {
    let mut plain = String::with_capacity(text.len());
    let mut numbers: Vec<i64> = Vec::new();
    for word in text.split_whitespace() {
        let mut before = ' ';
        for character in word.chars() {
            if let Some(digit) = character.to_digit(10) {
                if !before.is_ascii_digit() {
                    plain.push('#');
                    numbers.push(0);
                }
                if let Some(number) = numbers.last_mut() {
                    *number = number.saturating_mul(10).saturating_add(digit.into());
                }
            } else {
                plain.push(character);
            }
            before = character;
        }
    }
    (plain, numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_from_the_text_around_them() {
        assert_eq!(
            without_numbers("Page 9 of 12"),
            ("Page#of#".to_owned(), vec![9, 12])
        );
        assert_eq!(without_numbers("2-3"), ("#-#".to_owned(), vec![2, 3]));
    }
}
