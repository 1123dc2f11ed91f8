//! Entries in MLA style: MLA Handbook, 9th edition, chapter 5 (the core elements in their order,
//! each followed by its mark).

use std::fmt::Write as _;

use super::{AuthorName, CitedWork, PartialDate, WorkKind, with_full_stop};

/// Formats the entry of a work. Writing to a string does not fail.
pub fn format_entry(work: &CitedWork) -> String {
    let mut text = String::new();
    // A work by its own publisher is listed by its title (section 5.20).
    if !work.authors.is_empty() && !work.by_its_site() {
        text.push_str(&with_full_stop(&authors(&work.authors)));
        text.push(' ');
    }
    // Quotation marks within quotation marks are single ones.
    let _ = write!(
        text,
        "\"{}\"",
        with_full_stop(&work.title.replace('"', "'"))
    );
    let mut container = vec![work.container.clone()];
    if work.kind == WorkKind::Article {
        container.push(labelled("vol. ", &work.volume));
        container.push(labelled("no. ", &work.issue));
    }
    container.push(
        work.date
            .map(|date| written_date(date, work.kind))
            .unwrap_or_default(),
    );
    if work.kind != WorkKind::Page {
        let label = if work.pages.contains('-') {
            "pp. "
        } else {
            "p. "
        };
        container.push(labelled(label, &work.pages));
    }
    container.push(work.address());
    container.retain(|part| !part.is_empty());
    let _ = write!(
        text,
        " {}. Accessed {}.",
        container.join(", "),
        written_date(work.accessed, WorkKind::Page)
    );
    text
}

fn labelled(label: &str, value: &str) -> String {
    if value.is_empty() {
        return String::new();
    }
    format!("{label}{value}")
}

/// `Jan.`, `Sept.`, and short names in full (appendix 1).
fn shortened_month(name: &str) -> String {
    match name {
        "September" => "Sept.".to_owned(),
        _ if name.len() > 4 => format!("{}.", &name[..3]),
        _ => name.to_owned(),
    }
}

/// Formats a date as `17 May 2024`.
fn written_date(date: PartialDate, kind: WorkKind) -> String {
    let month = date.month_name().map(shortened_month);
    match (month, date.day()) {
        (Some(month), Some(day)) if kind == WorkKind::Page => {
            format!("{day} {month} {}", date.year())
        }
        (Some(month), _) if kind != WorkKind::Thesis => format!("{month} {}", date.year()),
        _ => date.year().to_string(),
    }
}

/// Formats the authors: the first name is inverted; of three or more it is the only one (section
/// 5.8).
fn authors(all: &[AuthorName]) -> String {
    match all {
        [] => String::new(),
        [one] => one.inverted(),
        [first, second] => format!("{}, and {}", first.inverted(), second.in_natural_order()),
        [first, ..] => format!("{}, et al.", first.inverted()),
    }
}
