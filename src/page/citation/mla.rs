//! An entry as MLA's style has it: MLA Handbook, 9th edition, chapter 5 (the core elements in their
//! order, each followed by its mark).

use std::fmt::Write as _;

use super::{Author, Date, Kind, Work, ended};

/// The entry of a work. Writing to a string does not fail.
pub fn written(work: &Work) -> String {
    let mut text = String::new();
    // A work by its own publisher is found under its title (section 5.20).
    if !work.authors.is_empty() && !work.by_its_site() {
        text.push_str(&ended(&authors(&work.authors)));
        text.push(' ');
    }
    // Quotation marks within quotation marks are single ones.
    let _ = write!(text, "\"{}\"", ended(&work.title.replace('"', "'")));
    let mut container = vec![work.site.clone()];
    if work.kind == Kind::Article {
        container.push(labelled("vol. ", &work.volume));
        container.push(labelled("no. ", &work.issue));
    }
    container.push(
        work.date
            .map(|date| written_date(date, work.kind))
            .unwrap_or_default(),
    );
    if work.kind != Kind::Page {
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
        written_date(work.accessed, Kind::Page)
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

/// `17 May 2024`.
fn written_date(date: Date, kind: Kind) -> String {
    let month = date.month_name().map(shortened_month);
    match (month, date.day()) {
        (Some(month), Some(day)) if kind == Kind::Page => format!("{day} {month} {}", date.year()),
        (Some(month), _) if kind != Kind::Thesis => format!("{month} {}", date.year()),
        _ => date.year().to_string(),
    }
}

/// The first one's name is turned around; of three and more it is the only one (section 5.8).
fn authors(all: &[Author]) -> String {
    match all {
        [] => String::new(),
        [one] => one.inverted(),
        [first, second] => format!("{}, and {}", first.inverted(), second.natural()),
        [first, ..] => format!("{}, et al.", first.inverted()),
    }
}
