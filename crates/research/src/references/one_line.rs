//! Several references on one line: where each of them begins.

use super::entry::years_in;
use super::plain::is_heading;
use iki_base::wording::beginning;
use iki_web::search::html_text;
use iki_web::work::work_id::WorkId;

/// Maximum length of a reference behind which another one is looked for, in bytes.
const MAX_BYTES: usize = 2000;

/// Returns a text with each reference on a line of its own, as far as elements of HTML or numbers
/// in ascending order show where they begin.
pub(super) fn one_a_line(text: &str) -> String {
    let has = |tag: &str| text.contains(&format!("<{tag}>")) || text.contains(&format!("<{tag} "));
    let blocks = ["li", "p"].into_iter().find(|tag| has(tag));
    let text = match blocks {
        Some(tag) => {
            let parted = text.replace(&format!("<{tag}"), &format!("\0<{tag}"));
            let items: Vec<String> = parted.split('\0').map(html_text::text).collect();
            items.join("\n\n")
        }
        None => text.to_owned(),
    };
    let before = text.split_inclusive('\n');
    let before = before.take_while(|line| line.trim().is_empty() || is_heading(line));
    let start: usize = before.map(str::len).sum();
    let start = text.len() - text[start..].trim_start().len();
    let mut out = text[..start].to_owned();
    let mut remainder = &text[start..];
    let Some((open, number, close)) = numbered(remainder) else {
        return text;
    };
    for number in number + 1.. {
        let marker = format!("{open}{number}{close}");
        let near = beginning(remainder, MAX_BYTES);
        let all = near.match_indices(&marker).map(|(offset, _)| offset);
        let on_line = |offset: &usize| {
            remainder[..*offset]
                .trim_end_matches([' ', '\t'])
                .ends_with('\n')
        };
        let within = |offset: &usize| {
            let (before, after) = remainder.split_at(*offset);
            let after = beginning(after, MAX_BYTES);
            before.ends_with(' ')
                && after[marker.len()..].starts_with(|c: char| !c.is_lowercase())
                && (open == "[" || (is_whole(before) && is_whole(after)))
        };
        let next = all
            .clone()
            .find(on_line)
            .or_else(|| all.clone().find(within));
        let Some(next) = next else { break };
        if on_line(&next) {
            out.push_str(&remainder[..next]);
        } else {
            out.push_str(remainder[..next].trim_end());
            out.push('\n');
        }
        remainder = &remainder[next..];
    }
    out + remainder
}

/// Returns the number that a text begins with, with the marks around it: `[1] `, `(1) `, `1. `.
fn numbered(text: &str) -> Option<(&'static str, usize, &'static str)> {
    let open = ["[", "("].into_iter().find(|open| text.starts_with(open));
    let remainder = &text[open.map_or(0, str::len)..];
    let end = remainder.find(|c: char| !c.is_ascii_digit())?;
    let mut closes = ["] ", ") ", ". "].into_iter();
    let close = closes.find(|close| remainder[end..].starts_with(close))?;
    let number = remainder[..end].parse().ok().filter(|_| end < 4)?;
    Some((open.unwrap_or_default(), number, close))
}

/// True if a text may be a whole reference: it has words, and a year or an identifier.
fn is_whole(text: &str) -> bool {
    text.split_whitespace().take(5).count() > 4
        && !(years_in(text).is_empty() && WorkId::all_in(text).is_empty())
}

/// Returns the references of a line that has several, each with its year: all but the first begin
/// with an author behind a semicolon, or behind a full stop if their years are in brackets or the
/// sentence before it ends in a year, pages or an identifier.
pub(super) fn references_apart(line: String) -> Vec<String> {
    let mut all = Vec::new();
    let mut remainder = line.as_str();
    let mut from = 0;
    while let Some(offset) = remainder[from..]
        .find(['.', ';'])
        .map(|offset| from + offset)
    {
        from = offset + 1;
        if offset > MAX_BYTES {
            break;
        }
        let (before, after) = (
            &remainder[..=offset],
            beginning(&remainder[from..], MAX_BYTES),
        );
        if !begins_with_author(after) {
            continue;
        }
        let has_year = |text: &str| {
            let mut inside = text.split('(').skip(1);
            inside.any(|inside| !years_in(inside.split(')').next().unwrap_or_default()).is_empty())
        };
        let is_end = before.ends_with(';')
            || (has_year(before) && has_year(after))
            || (ends_reference(before) && has_pointed_initials(after));
        if is_end && is_whole(before) && is_whole(after) {
            all.push(before.trim_end_matches(';').to_owned());
            (remainder, from) = (remainder[from..].trim_start(), 0);
        }
    }
    if all.is_empty() {
        return vec![line];
    }
    all.push(remainder.to_owned());
    all
}

/// True if the last word of a text has a number: a year, pages, an identifier.
fn ends_reference(text: &str) -> bool {
    let last = text.rsplit(' ').next().unwrap_or_default();
    last.contains(|c: char| c.is_ascii_digit())
}

/// True if a mark ends the initials of the author that a text begins with.
fn has_pointed_initials(text: &str) -> bool {
    let initials = text.split(' ').nth(2);
    initials.is_some_and(|initials| initials.ends_with(['.', ',']))
}

/// True if a text begins with a blank, a family name and initials.
fn begins_with_author(text: &str) -> bool {
    let mut words = text.split(' ').skip(1);
    let (Some(family), Some(initials)) = (words.next(), words.next()) else {
        return false;
    };
    let letters = initials.trim_end_matches([',', ';', ':']);
    let is_initials = letters
        .chars()
        .all(|c| c.is_uppercase() || ".-".contains(c))
        && (1..=3).contains(&letters.chars().filter(|c| c.is_uppercase()).count());
    let is_pointed = family.ends_with(',') && letters.contains('.');
    text.starts_with(' ')
        && family.starts_with(char::is_uppercase)
        && family.chars().filter(|c| c.is_lowercase()).count() > 1
        && is_initials
        && (is_pointed || !family.ends_with(|c: char| !c.is_alphabetic()))
}
