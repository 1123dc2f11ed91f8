//! Parts of a session as Markdown. The same session gives the same text.
//!
//! Steps are shown in the model's own words, quoted, so that no heading and no list in them is one
//! of the document's; titles and authors are anybody's, so that what is markup in them is escaped.

use std::fmt::Write as _;

use super::session::{SessionSource, SessionStep};
use iki_base::wording::{beginning, on_one_line};
use iki_web::work::{Work, WorkKind};

/// Maximum length of a line that stands for a step, in bytes.
const MAX_LINE_CHARS: usize = 120;

/// Maximum number of authors that are named.
const MAX_NAMES: usize = 20;

/// Returns the beginning of a step's text, on one line.
#[must_use]
pub fn one_liner(step: &SessionStep) -> String {
    let line = on_one_line(&step.search_step);
    let excerpt = beginning(&line, MAX_LINE_CHARS);
    if excerpt.len() == line.len() {
        return line;
    }
    format!("{}…", excerpt.trim_end())
}

/// Appends a step under a heading. Writing to a string does not fail.
pub fn write_step(out: &mut String, step: &SessionStep) {
    let _ = write!(out, "### Step {}", step.step_number);
    if !step.branch_id.is_empty() {
        let _ = write!(out, ", branch {}", on_one_line(&step.branch_id));
    }
    if let Some(from) = step.branch_from_step {
        let _ = write!(out, " from step {from}");
    }
    match step.revises_step {
        Some(revised) if revised == step.step_number => out.push_str(", revised"),
        Some(revised) => {
            let _ = write!(out, ", revises step {revised}");
        }
        None => {}
    }
    out.push_str("\n\n");
    write_quoted(out, &step.search_step);
    out.push('\n');
    let rejected = step.rejected_approaches.join("; ");
    for (name, text) in [
        ("Reasoning", &step.reasoning),
        ("Confidence", &step.confidence),
        ("Rejected", &rejected),
        ("Gap", &step.knowledge_gap),
    ] {
        if !text.is_empty() {
            out.push_str("- ");
            write_labelled(out, name, text);
        }
    }
    let _ = writeln!(out, "- Recorded: {}\n", step.recorded_at);
}

/// Appends a text of the model's behind its label, in an item of a list or alone; several lines of
/// it are quoted.
pub fn write_labelled(out: &mut String, label: &str, text: &str) {
    let text = text.trim();
    if text.contains(['\n', '\r']) {
        let _ = writeln!(out, "{label}:");
        write_quoted_behind(out, "  > ", text);
    } else {
        let _ = writeln!(out, "{label}: {text}");
    }
}

/// Appends a text of the model's as a quotation.
pub fn write_quoted(out: &mut String, text: &str) {
    write_quoted_behind(out, "> ", text.trim());
}

fn write_quoted_behind(out: &mut String, mark: &str, text: &str) {
    // Any of these ends a line of Markdown.
    for line in text.replace("\r\n", "\n").split(['\n', '\r']) {
        let _ = writeln!(out, "{}", format!("{mark}{line}").trim_end());
    }
}

/// Appends a step as one line.
pub fn write_step_line(out: &mut String, step: &SessionStep) {
    let _ = write!(out, "- {}", step.step_number);
    if !step.branch_id.is_empty() {
        let _ = write!(out, " [{}]", on_one_line(&step.branch_id));
    }
    if !step.confidence.is_empty() {
        let _ = write!(out, " ({})", step.confidence);
    }
    let _ = writeln!(out, " {}", one_liner(step));
}

/// Appends a source as the item of that number: what it is, where it is from, and what a reader has
/// to know before relying on it.
pub fn write_source(out: &mut String, number: usize, source: &SessionSource) {
    let work = &source.work;
    let title = match work.marked_title() {
        title if title.trim().is_empty() => work.url.clone(),
        title => title,
    };
    let address = on_one_line(&work.url);
    let address = address.replace('<', "%3C").replace('>', "%3E");
    let _ = write!(out, "{number}. [{}](<{address}>)", escaped(title.trim()));
    let date = work.date.map(|date| date.to_string()).unwrap_or_default();
    let publisher = match work.kind {
        WorkKind::Article | WorkKind::Preprint => "",
        _ => &work.publisher,
    };
    let edition = match work.edition.as_str() {
        "" => String::new(),
        edition if work.has_editions() => format!("Edition {edition}"),
        version => format!("Version {version}"),
    };
    let parts = [
        &work.names(MAX_NAMES),
        &place(work),
        &work.edited_by(MAX_NAMES),
        &edition,
        publisher,
        &date,
    ];
    for text in parts.into_iter().filter(|text| !text.is_empty()) {
        let mark = if out.ends_with('.') { "" } else { "." };
        let _ = write!(out, "{mark} {}", escaped(text));
    }
    for (label, number) in [
        ("doi:", &work.doi),
        ("arXiv:", &work.arxiv),
        ("PMID:", &work.pmid),
        ("ISBN ", &work.isbn),
    ] {
        if !number.is_empty() {
            let _ = write!(out, ". {label}{}", escaped(number));
        }
    }
    let mut facts = match work.kind {
        WorkKind::Unknown | WorkKind::Article | WorkKind::Page => Vec::new(),
        kind => vec![kind.name().to_owned()],
    };
    if work.open_access == Some(true) {
        facts.push("open access".to_owned());
    }
    facts.extend(work.citation_count.map(|count| format!("cited by {count}")));
    facts.extend(work.notes());
    let how = if source.read { "read" } else { "found" };
    facts.push(format!("{how} at step {}", source.step));
    let _ = writeln!(out, " ({})", escaped(&facts.join("; ")));
}

/// Returns where in its container a work is: `Nature 596(7873), 583-589`.
fn place(work: &Work) -> String {
    let mut place = work.container.clone();
    let issue = match work.issue.as_str() {
        "" => String::new(),
        issue => format!("({issue})"),
    };
    let volume = format!("{}{issue}", work.volume);
    for (mark, text) in [(" ", &volume), (", ", &work.pages)] {
        if !text.is_empty() {
            place.push_str(if place.is_empty() { "" } else { mark });
            place.push_str(text);
        }
    }
    place
}

/// Appends a list under a heading, unless it is empty.
pub fn write_list<T: AsRef<str>>(out: &mut String, heading: &str, items: &[T]) {
    if items.is_empty() {
        return;
    }
    let _ = writeln!(out, "## {heading}\n");
    for item in items {
        let item = on_one_line(item.as_ref());
        let mark = if item.starts_with('#') { "\\" } else { "" };
        let _ = writeln!(out, "- {mark}{item}");
    }
    out.push('\n');
}

/// Text on one line in which nothing is markup.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in on_one_line(text).chars() {
        if matches!(
            c,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | '$'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use iki_web::page::PartialDate;
    use iki_web::page::retraction::RetractionStatus;
    use iki_web::work::WorkAuthor;

    #[test]
    fn what_is_known_of_a_source_is_set_off_by_one_full_stop_each() {
        let work = Work {
            url: "https://example.com/".to_owned(),
            title: "T".to_owned(),
            authors: vec![WorkAuthor::unsplit("J. Doe Jr.")],
            container: "Cold Co.".to_owned(),
            date: PartialDate::parse("2024"),
            ..Work::default()
        };
        let source = SessionSource {
            work,
            step: 2,
            ..SessionSource::default()
        };
        let mut out = String::new();
        write_source(&mut out, 1, &source);
        assert_eq!(
            out,
            "1. [T](<https://example.com/>). J. Doe Jr. Cold Co. 2024 (found at step 2)\n"
        );
    }

    #[test]
    fn a_reader_is_told_what_a_work_is_and_what_has_become_of_it() {
        let work = Work {
            url: "https://doi.org/10.1000/1".to_owned(),
            title: "T".to_owned(),
            authors: vec![WorkAuthor::person("Doe", "Jane", "")],
            kind: WorkKind::Chapter,
            editors: vec![
                WorkAuthor::unsplit("Eve Roe"),
                WorkAuthor::unsplit("B. Poe"),
            ],
            container: "A Book".to_owned(),
            volume: "5".to_owned(),
            issue: "2".to_owned(),
            pages: "45-67".to_owned(),
            publisher: "House".to_owned(),
            date: PartialDate::parse("2020-03-05"),
            doi: "10.1000/1".to_owned(),
            open_access: Some(true),
            citation_count: Some(12),
            retraction: Some(RetractionStatus::retracted()),
            ..Work::default()
        };
        let mut out = String::new();
        write_source(&mut out, 1, &work.into());
        assert_eq!(
            out,
            "1. [RETRACTED: T](<https://doi.org/10.1000/1>). Jane Doe. A Book 5(2), 45-67. Edited \
             by Eve Roe, B. Poe. House. 2020-03-05. doi:10.1000/1 (chapter; open access; cited by \
             12; RETRACTED; found at step 0)\n"
        );
    }
}
