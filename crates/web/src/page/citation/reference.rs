//! Sources of which only a few facts are known, in the forms that reference managers read: BibTeX,
//! RIS, CSL-JSON.
//!
//! Rules: `btxdoc`; the RIS format of Reference Manager, as Zotero and pandoc read it; the schema
//! `csl-data.json` of the Citation Style Language.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use url::Url;

use super::{CitedWork, WorkKind, bibtex};
use crate::client::without_login;
use crate::page::author::{self, AuthorKind};
use crate::partial_date::PartialDate;
use crate::patents::number::PatentNumber;
use iki_base::wording::{beginning, on_one_line};

/// Facts about a source; what is not known is empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReferenceFacts<'a> {
    /// Address.
    pub url: &'a str,
    /// Title.
    pub title: &'a str,
    /// Authors, separated by semicolons, or by commas between whole names.
    pub author: &'a str,
    /// Date of publication.
    pub date: &'a str,
    /// Journal.
    pub journal: &'a str,
    /// DOI.
    pub doi: &'a str,
    /// Day of access.
    pub accessed: &'a str,
}

/// A source as an entry of a bibliography.
pub struct Reference {
    work: CitedWork,
    key: String,
}

impl Reference {
    /// Returns the sources, each with a key that no other has.
    #[must_use]
    pub fn all<'a>(sources: impl Iterator<Item = ReferenceFacts<'a>>) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for facts in sources {
            let Some(work) = work(&facts) else {
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
        let kind = match work.kind {
            WorkKind::Patent => "PAT",
            WorkKind::Article => "JOUR",
            _ if work.doi.is_some() => "JOUR",
            _ => "ELEC",
        };
        field("TY", kind);
        field("ID", &self.key);
        for author in &work.authors {
            field("AU", &author.inverted());
        }
        field("TI", &work.title);
        if let Some(date) = work.date {
            let date = date.to_string();
            field("PY", &date[..4]);
            field("DA", &date.replace('-', "/"));
        }
        // The host of a paper whose journal is not known is none.
        if work.doi.is_none() || work.kind == WorkKind::Article {
            field("T2", &work.site);
        }
        field("IS", &work.issue);
        field("DO", work.doi.as_deref().unwrap_or_default());
        field("UR", &work.url);
        field("Y2", &work.accessed.to_string().replace('-', "/"));
        out.push_str("ER  - \n");
        out
    }

    /// Returns the item in CSL-JSON.
    #[must_use]
    pub fn csl(&self) -> Value {
        let work = &self.work;
        let mut item = Map::new();
        let mut field = |name: &str, value: Value| {
            item.insert(name.to_owned(), value);
        };
        field("id", self.key.as_str().into());
        let is_article = work.doi.is_some();
        let kind = match work.kind {
            WorkKind::Article => "article-journal",
            WorkKind::Patent => "patent",
            _ if is_article => "article",
            _ => "webpage",
        };
        field("type", kind.into());
        field("title", work.title.as_str().into());
        let names = work.authors.iter().map(|author| {
            if author.given.is_empty() {
                return json!({"literal": author.family});
            }
            let mut name = json!({"family": author.family, "given": author.given});
            if !author.suffix.is_empty() {
                name["suffix"] = author.suffix.as_str().into();
            }
            name
        });
        let names: Vec<Value> = names.collect();
        if !names.is_empty() {
            field("author", names.into());
        }
        if let Some(date) = work.date {
            field("issued", date_parts(date));
        }
        field("accessed", date_parts(work.accessed));
        if !work.site.is_empty() {
            field("container-title", work.site.as_str().into());
        }
        if !work.issue.is_empty() {
            field("number", work.issue.as_str().into());
        }
        if let Some(doi) = &work.doi {
            field("DOI", doi.as_str().into());
        }
        field("URL", work.url.as_str().into());
        Value::Object(item)
    }
}

/// Returns a date as the Citation Style Language has it.
fn date_parts(date: PartialDate) -> Value {
    let date = date.to_string();
    let parts = date.split('-').filter_map(|part| part.parse::<u16>().ok());
    json!({"date-parts": [parts.collect::<Vec<u16>>()]})
}

/// Returns the work of which these facts are known; `None` if it has no address.
fn work(facts: &ReferenceFacts<'_>) -> Option<CitedWork> {
    let url = Url::parse(facts.url).ok()?;
    let title = on_one_line(facts.title);
    let shown = on_one_line(without_login(&url).as_str());
    let title = if title.is_empty() { &shown } else { &title };
    let host = url.host_str().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    // Whoever only resolves names has published nothing.
    let site = if host.ends_with("doi.org") { "" } else { host };
    let journal = on_one_line(facts.journal);
    let patent = PatentNumber::in_address(facts.url).map(|number| number.to_string());
    let (kind, site) = if patent.is_some() {
        (WorkKind::Patent, site)
    } else if journal.is_empty() {
        (WorkKind::Page, site)
    } else {
        (WorkKind::Article, journal.as_str())
    };
    Some(CitedWork {
        accessed: PartialDate::parse(facts.accessed).unwrap_or_else(PartialDate::today),
        kind,
        title: beginning(title, super::MAX_TITLE_BYTES).to_owned(),
        authors: author::all(facts.author, AuthorKind::None),
        site: site.to_owned(),
        date: PartialDate::parse(facts.date),
        volume: String::new(),
        issue: patent.unwrap_or_default(),
        pages: String::new(),
        doi: (!facts.doi.is_empty()).then(|| facts.doi.to_ascii_lowercase()),
        url: shown,
    })
}
