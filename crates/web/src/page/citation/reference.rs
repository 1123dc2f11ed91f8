//! Works in the forms that reference managers read: BibTeX, RIS, CSL-JSON.
//!
//! Rules: `btxdoc`, and the manual of biblatex for the fields that only it has; the RIS format of
//! Reference Manager, as Zotero and pandoc read it; the schema `csl-data.json` of the Citation
//! Style Language.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use url::Url;

use super::{AuthorName, CitedWork, bibtex};
use crate::client::without_login;
use crate::partial_date::PartialDate;
use crate::work::patent_number::PatentNumber;
use crate::work::{Work, WorkAuthor, WorkKind};
use iki_base::wording::{beginning, on_one_line};

/// A source as an entry of a bibliography.
pub struct Reference {
    work: CitedWork,
    key: String,
}

impl Reference {
    /// Returns works, each with the day on which it was read, and each with a key that no other
    /// has; one without an address is none.
    #[must_use]
    pub fn all<'a>(works: impl Iterator<Item = (&'a Work, &'a str)>) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for (work, accessed) in works {
            let Some(work) = cited(work, accessed) else {
                continue;
            };
            let first = bibtex::key(&work);
            let mut key = first.clone();
            let mut number = 1;
            while all.iter().any(|other| other.key == key) {
                number += 1;
                key = format!("{first}-{number}");
            }
            all.push(Self { work, key });
        }
        all
    }

    /// Returns the entry for BibTeX.
    #[must_use]
    pub fn bibtex(&self) -> String {
        bibtex::format_entry_as(&self.work, &self.key)
    }

    /// Returns the record in RIS. Writing to a string does not fail.
    #[must_use]
    pub fn ris(&self) -> String {
        let work = &self.work;
        let mut out = String::new();
        let mut field = |tag: &str, value: &str| {
            if !value.is_empty() {
                let _ = writeln!(out, "{tag}  - {}", on_one_line(value));
            }
        };
        let (kind, _) = names(work.kind);
        field("TY", kind);
        field("ID", &self.key);
        for author in &work.authors {
            field("AU", &author.inverted());
        }
        for editor in &work.editors {
            field("A2", &editor.inverted());
        }
        field("TI", &work.marked_title());
        if let Some(date) = work.date {
            let date = date.to_string();
            field("PY", &date[..4]);
            field("DA", &date.replace('-', "/"));
        }
        field("T2", &work.container);
        if work.kind == WorkKind::Proceedings {
            // Of a conference `T2` is the name.
            field("C3", &work.container);
        }
        field("T3", &work.series);
        field("VL", &work.volume);
        field("IS", &work.issue);
        // Several ranges have no last page.
        let range = work
            .pages
            .split_once('-')
            .filter(|_| !work.pages.contains(','));
        match range {
            Some((first, last)) => {
                field("SP", first);
                field("EP", last.trim_start_matches('-'));
            }
            None => field("SP", &work.pages),
        }
        field("PB", &work.publisher);
        field("ET", &work.edition);
        field("SN", &work.isbn);
        field("DO", &work.doi);
        match (work.pmid.as_str(), work.arxiv.as_str()) {
            ("", "") => {}
            ("", number) => field("AN", &format!("arXiv:{number}")),
            (number, _) => field("AN", number),
        }
        field("C2", &work.pmcid);
        field("UR", &work.url);
        field("L1", &work.pdf_url);
        field("Y2", &work.accessed.to_string().replace('-', "/"));
        for note in work.notes() {
            field("N1", &note);
        }
        out.push_str("ER  - \n");
        out
    }

    /// Returns the item in CSL-JSON.
    #[must_use]
    pub fn csl(&self) -> Value {
        let work = &self.work;
        let mut item = Map::new();
        let mut field = |name: &str, value: Value| {
            if value != "" {
                item.insert(name.to_owned(), value);
            }
        };
        let (_, kind) = names(work.kind);
        field("id", self.key.as_str().into());
        field("type", kind.into());
        field("title", work.marked_title().into());
        for (name, people) in [("author", &work.authors), ("editor", &work.editors)] {
            if !people.is_empty() {
                field(name, people.iter().map(csl_name).collect());
            }
        }
        if let Some(date) = work.date {
            field("issued", date_parts(date));
        }
        field("accessed", date_parts(work.accessed));
        let number = match (work.kind, work.arxiv.as_str()) {
            (WorkKind::Patent | WorkKind::Report, _) => work.issue.clone(),
            (WorkKind::Preprint, number) if !number.is_empty() => format!("arXiv:{number}"),
            _ => String::new(),
        };
        let is_numbered = !number.is_empty();
        let issue = if is_numbered { "" } else { &work.issue };
        let edition = if work.has_editions() {
            "edition"
        } else {
            "version"
        };
        for (name, text) in [
            ("container-title", work.container.as_str()),
            ("collection-title", &work.series),
            ("volume", &work.volume),
            ("issue", issue),
            ("number", &number),
            ("page", &work.pages),
            ("publisher", &work.publisher),
            (edition, &work.edition),
            ("ISBN", &work.isbn),
            ("DOI", &work.doi),
            ("PMID", &work.pmid),
            ("PMCID", &work.pmcid),
            ("URL", &work.url),
            ("note", &work.notes().join("; ")),
        ] {
            field(name, text.into());
        }
        Value::Object(item)
    }
}

/// Returns the names of a kind in RIS and in the Citation Style Language.
fn names(kind: WorkKind) -> (&'static str, &'static str) {
    match kind {
        WorkKind::Article => ("JOUR", "article-journal"),
        WorkKind::Preprint => ("UNPB", "article"),
        WorkKind::Chapter => ("CHAP", "chapter"),
        WorkKind::Book => ("BOOK", "book"),
        WorkKind::Proceedings => ("CONF", "paper-conference"),
        WorkKind::Thesis => ("THES", "thesis"),
        WorkKind::Dataset => ("DATA", "dataset"),
        WorkKind::Software => ("COMP", "software"),
        WorkKind::Report => ("RPRT", "report"),
        WorkKind::Patent => ("PAT", "patent"),
        WorkKind::Page => ("ELEC", "webpage"),
        WorkKind::Unknown => ("GEN", "document"),
    }
}

fn csl_name(name: &AuthorName) -> Value {
    if name.given.is_empty() {
        return json!({"literal": name.family});
    }
    let mut parts = json!({"family": name.family, "given": name.given});
    if !name.suffix.is_empty() {
        parts["suffix"] = name.suffix.as_str().into();
    }
    parts
}

/// Returns a date as the Citation Style Language has it.
fn date_parts(date: PartialDate) -> Value {
    let date = date.to_string();
    let parts = date.split('-').filter_map(|part| part.parse::<u16>().ok());
    json!({"date-parts": [parts.collect::<Vec<u16>>()]})
}

/// Returns a work as it is cited, on the day `accessed`; `None` if it has no address.
fn cited(work: &Work, accessed: &str) -> Option<CitedWork> {
    let url = Url::parse(&work.url).ok()?;
    let mut work = work.clone();
    work.url = on_one_line(without_login(&url).as_str());
    for text in [&mut work.title, &mut work.container] {
        *text = on_one_line(text);
    }
    if let Some(number) = PatentNumber::in_address(&work.url) {
        work.kind = WorkKind::Patent;
        work.issue = number.to_string();
    }
    if work.kind.is_unknown() {
        work.kind = match (work.container.is_empty(), work.doi.is_empty()) {
            (false, _) => WorkKind::Article,
            (true, true) => WorkKind::Page,
            (true, false) => WorkKind::Unknown,
        };
    }
    let host = url.host_str().unwrap_or_default();
    match work.kind {
        WorkKind::Page | WorkKind::Patent if work.container.is_empty() => {
            let host = host.strip_prefix("www.").unwrap_or(host);
            host.clone_into(&mut work.container);
        }
        // An archive publishes what is in it.
        WorkKind::Preprint if !work.container.is_empty() => {
            work.publisher = std::mem::take(&mut work.container);
        }
        WorkKind::Book => {
            let series = std::mem::take(&mut work.container);
            if work.series.is_empty() {
                work.series = series;
            }
        }
        WorkKind::Thesis | WorkKind::Report if work.publisher.is_empty() => {
            work.publisher = std::mem::take(&mut work.container);
        }
        _ => {}
    }
    if work.title.is_empty() {
        work.title = match work.kind {
            WorkKind::Patent => work.issue.clone(),
            _ => work.url.clone(),
        };
    }
    work.title = beginning(&work.title, super::MAX_TITLE_BYTES).to_owned();
    work.doi.make_ascii_lowercase();
    let split = |all: &[_]| all.iter().filter_map(WorkAuthor::split).collect();
    Some(CitedWork {
        authors: split(&work.authors),
        editors: split(&work.editors),
        accessed: PartialDate::parse(accessed).unwrap_or_else(PartialDate::today),
        work,
    })
}

#[cfg(test)]
mod tests;
