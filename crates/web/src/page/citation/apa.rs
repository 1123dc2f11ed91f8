//! References in APA style: Publication Manual, 7th edition, chapters 9 and 10 (section 10.1 for
//! articles, 10.16 for pages).

use std::fmt::Write as _;

use super::{AuthorName, CitedWork, PartialDate, WorkKind, with_full_stop};

/// Maximum number of authors. Of more, the first nineteen and the last are named (section 9.8).
const MAX_AUTHORS: usize = 20;

/// Formats the reference of a work. Writing to a string does not fail.
pub fn format_entry(work: &CitedWork) -> String {
    let mut text = String::new();
    let date = date(work);
    if work.authors.is_empty() {
        // A work without an author is listed by its title (section 9.12).
        text.push_str(&with_full_stop(&work.title));
        let _ = write!(text, " ({date}).");
    } else {
        text.push_str(&with_full_stop(&authors(&work.authors)));
        let _ = write!(text, " ({date}). {}", with_full_stop(&work.title));
    }
    if let Some(container) = container(work) {
        text.push(' ');
        text.push_str(&with_full_stop(&container));
    }
    text.push(' ');
    if work.date.is_none() && work.kind == WorkKind::Page {
        // A page without a date may change (section 9.16).
        let _ = write!(text, "Retrieved {}, from ", long(work.accessed));
    }
    text.push_str(&work.address());
    text
}

/// Returns the site; or the journal with volume, issue and pages.
fn container(work: &CitedWork) -> Option<String> {
    if work.container.is_empty() || (work.kind == WorkKind::Page && work.by_its_site()) {
        return None;
    }
    let mut text = work.container.clone();
    if work.kind == WorkKind::Article {
        if !work.volume.is_empty() {
            let _ = write!(text, ", {}", work.volume);
        }
        if !work.issue.is_empty() {
            let blank = if work.volume.is_empty() { ", " } else { "" };
            let _ = write!(text, "{blank}({})", work.issue);
        }
    }
    if work.kind != WorkKind::Page && !work.pages.is_empty() {
        let _ = write!(text, ", {}", work.pages.replace('-', "\u{2013}"));
    }
    Some(text)
}

/// Returns the date: to the day for a page, the year for a work with a container (section 9.14).
fn date(work: &CitedWork) -> String {
    let Some(date) = work.date else {
        return "n.d.".to_owned();
    };
    let year = date.year();
    match (date.month_name(), date.day()) {
        (Some(month), Some(day)) if work.kind == WorkKind::Page => format!("{year}, {month} {day}"),
        (Some(month), None) if work.kind == WorkKind::Page => format!("{year}, {month}"),
        _ => year.to_string(),
    }
}

/// Formats a date as `May 17, 2024`.
fn long(date: PartialDate) -> String {
    match (date.month_name(), date.day()) {
        (Some(month), Some(day)) => format!("{month} {day}, {}", date.year()),
        _ => date.to_string(),
    }
}

fn authors(all: &[AuthorName]) -> String {
    let names: Vec<String> = if all.len() > MAX_AUTHORS {
        all[..MAX_AUTHORS - 1].iter().map(name).collect()
    } else {
        all.iter().map(name).collect()
    };
    match (names.as_slice(), all.last()) {
        (_, Some(last)) if all.len() > MAX_AUTHORS => {
            format!("{}, . . . {}", names.join(", "), name(last))
        }
        ([], _) => String::new(),
        ([one], _) => one.clone(),
        ([before @ .., last], _) => format!("{}, & {last}", before.join(", ")),
    }
}

/// Formats a name as `Doe, J.-P. Q., Jr.`
fn name(author: &AuthorName) -> String {
    let mut name = author.family.clone();
    let initials: Vec<String> = author
        .given
        .replace(".-", "-")
        .split([' ', '.'])
        .filter_map(|given| {
            let parts: Vec<String> = given.split('-').filter_map(initial).collect();
            (!parts.is_empty()).then(|| parts.join("-"))
        })
        .collect();
    if !initials.is_empty() {
        let _ = write!(name, ", {}", initials.join(" "));
    }
    if !author.suffix.is_empty() {
        let _ = write!(name, ", {}", author.suffix);
    }
    name
}

fn initial(given: &str) -> Option<String> {
    let first = given.chars().find(|c| c.is_alphanumeric())?;
    Some(format!("{}.", first.to_uppercase()))
}
