//! A work that can be cited, from whoever knows it to the export: providers of papers and pages
//! fill it, sessions keep it, citations are made of it.
//!
//! | module | contents |
//! |---|---|
//! | `author` | an author, as a provider names it |
//! | `kind` | kinds of works, and the names that providers have for them |
//! | `work_id` | DOIs and the numbers of arXiv and `PubMed` |
//! | `patent_number` | numbers of patents |

mod author;
mod kind;
pub mod patent_number;
pub mod work_id;

use serde::{Deserialize, Serialize};

use crate::page::retraction::RetractionStatus;
use crate::partial_date::{self, PartialDate};

pub use author::WorkAuthor;
pub use kind::WorkKind;
pub use kind::is_archive;

/// Maximum number of authors that are kept; some papers have thousands.
pub(crate) const MAX_AUTHORS: usize = 500;

/// Number of bytes that names of fields and short values take where a work is kept.
const OTHER_FIELDS_BYTES: usize = 400;

/// Bibliographic data of a work. What is not known is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Work {
    /// Address: that of the DOI if there is one, or else of its page.
    pub url: String,
    /// Title.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Authors, in their order. A session of a former version has their names as one text.
    #[serde(
        rename = "authorList",
        alias = "author",
        deserialize_with = "author::list_or_text",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub authors: Vec<WorkAuthor>,
    /// True if there are more authors than these.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub more_authors: bool,
    /// Editors, of a book.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub editors: Vec<WorkAuthor>,
    /// Kind.
    #[serde(rename = "type", skip_serializing_if = "WorkKind::is_unknown")]
    pub kind: WorkKind,
    /// The journal, book, proceedings, archive or site that it is in.
    #[serde(rename = "journal", skip_serializing_if = "String::is_empty")]
    pub container: String,
    /// The series that the book or the proceedings belong to.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub series: String,
    /// Volume.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub volume: String,
    /// Number of the issue, or of the patent.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub issue: String,
    /// Pages as they are written, such as `45-67`, or the number of an article that has none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub pages: String,
    /// Publisher; the university of a thesis, the institution of a report.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub publisher: String,
    /// Edition of a book, such as `2`, or version of a program or of data.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub edition: String,
    /// ISBN of the book, or of that which it is a part of.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub isbn: String,
    /// Date of publication.
    #[serde(
        deserialize_with = "partial_date::from_stored",
        skip_serializing_if = "Option::is_none"
    )]
    pub date: Option<PartialDate>,
    /// Where the article of a preprint was published, in the words of its authors.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub published_as: String,
    /// DOI, in lower case.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub doi: String,
    /// Number at arXiv, without a version: `2101.00001`, `hep-th/9901001`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub arxiv: String,
    /// Number at `PubMed`: `34265844`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub pmid: String,
    /// Number at `PubMed` Central: `PMC8371605`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub pmcid: String,
    /// Address of a PDF file that everybody may read.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub pdf_url: String,
    /// True if everybody may read it, false if not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_access: Option<bool>,
    /// Number of works that cite it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citation_count: Option<u64>,
    /// The worst notice about it.
    #[serde(rename = "retractionStatus", skip_serializing_if = "Option::is_none")]
    pub retraction: Option<RetractionStatus>,
}

impl Work {
    /// Returns its texts that anybody may have written.
    pub fn texts(&mut self) -> Vec<&mut String> {
        let mut texts = vec![
            &mut self.url,
            &mut self.title,
            &mut self.container,
            &mut self.series,
            &mut self.volume,
            &mut self.issue,
            &mut self.pages,
            &mut self.publisher,
            &mut self.edition,
            &mut self.isbn,
            &mut self.published_as,
            &mut self.doi,
            &mut self.arxiv,
            &mut self.pmid,
            &mut self.pmcid,
            &mut self.pdf_url,
        ];
        let names = self.authors.iter_mut().chain(&mut self.editors);
        texts.extend(names.flat_map(WorkAuthor::texts));
        let notice = self.retraction.as_mut();
        texts.extend(notice.and_then(|notice| notice.notice_doi.as_mut()));
        texts
    }

    /// Sets the authors, as far as they are kept.
    pub fn set_authors(&mut self, authors: impl Iterator<Item = WorkAuthor>) {
        let mut authors = authors.filter(|author| !author.is_empty());
        self.authors = authors.by_ref().take(MAX_AUTHORS).collect();
        self.more_authors |= authors.next().is_some();
    }

    /// True if it has been retracted.
    #[must_use]
    pub fn is_retracted(&self) -> bool {
        self.retraction.as_ref().is_some_and(|one| one.retracted)
    }

    /// Returns the title; that of a work that has been retracted says so.
    #[must_use]
    pub fn marked_title(&self) -> String {
        let beginning: String = self.title.chars().take(20).collect();
        if self.is_retracted() && !beginning.to_lowercase().contains("retract") {
            return format!("RETRACTED: {}", self.title);
        }
        self.title.clone()
    }

    /// Returns what a list of references notes about it: a notice, and where the article of a
    /// preprint is.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let notice = self.retraction.as_ref().map(RetractionStatus::in_words);
        let article = Some(&self.published_as).filter(|text| !text.is_empty());
        let article = article.map(|text| format!("Published as: {text}"));
        notice.into_iter().chain(article).collect()
    }

    /// Returns the number of bytes that it takes where it is kept, about.
    #[must_use]
    pub fn length(&self) -> usize {
        let texts = [
            &self.url,
            &self.title,
            &self.container,
            &self.series,
            &self.pages,
            &self.publisher,
            &self.published_as,
            &self.doi,
            &self.pdf_url,
        ];
        let names = self.authors.iter().chain(&self.editors);
        let names = names.map(WorkAuthor::length);
        let texts = texts.into_iter().map(String::len);
        texts.sum::<usize>() + names.sum::<usize>() + OTHER_FIELDS_BYTES
    }

    /// Returns the year of publication.
    #[must_use]
    pub fn year(&self) -> Option<u16> {
        self.date.map(PartialDate::year)
    }

    /// Returns the authors' names in natural order, as far as `limit` of them.
    #[must_use]
    pub fn names(&self, limit: usize) -> String {
        listed(&self.authors, limit, self.more_authors)
    }

    /// Returns the editors likewise, with the word for what they did; empty if there are none.
    #[must_use]
    pub fn edited_by(&self, limit: usize) -> String {
        match listed(&self.editors, limit, false) {
            names if names.is_empty() => names,
            names => format!("Edited by {names}"),
        }
    }

    /// True if somebody has described it as a work, and not only as a page.
    #[must_use]
    pub fn is_described(&self) -> bool {
        !matches!(self.kind, WorkKind::Unknown | WorkKind::Page)
    }

    /// True if it is printed in editions; all else has versions.
    #[must_use]
    pub fn has_editions(&self) -> bool {
        matches!(
            self.kind,
            WorkKind::Book | WorkKind::Chapter | WorkKind::Proceedings
        )
    }

    /// Adds what another record of the same work says. Where it was published is taken from one
    /// record as a whole: from that of the article, if the other is of its preprint or its page.
    pub fn absorb(&mut self, other: Self) {
        let is_preprint = |work: &Self| work.kind == WorkKind::Preprint;
        let (ours, theirs) = (is_preprint(self), is_preprint(&other));
        let is_nothing = self.kind.is_unknown() && self.container.is_empty();
        let is_page = self.kind == WorkKind::Page;
        if (ours || is_page) && !theirs && other.is_described() {
            let other = other.clone();
            self.kind = other.kind;
            self.container = other.container;
            self.series = other.series;
            self.volume = other.volume;
            self.issue = other.issue;
            self.pages = other.pages;
            self.publisher = other.publisher;
            self.edition = other.edition;
            self.isbn = other.isbn;
            self.date = other.date.or(self.date);
            self.published_as.clear();
            if !other.doi.is_empty() {
                (self.doi, self.url) = (other.doi, other.url);
            }
        }
        if self.doi.is_empty() && !other.doi.is_empty() {
            self.url.clone_from(&other.url);
        }
        // The site of a page is no journal.
        let is_of_work = other.is_described() || !self.is_described();
        if ours == theirs && is_of_work || is_nothing {
            if self.kind.is_unknown() {
                self.kind = other.kind;
            }
            for (text, others) in [
                (&mut self.container, other.container),
                (&mut self.series, other.series),
                (&mut self.volume, other.volume),
                (&mut self.issue, other.issue),
                (&mut self.pages, other.pages),
                (&mut self.publisher, other.publisher),
                (&mut self.edition, other.edition),
                (&mut self.isbn, other.isbn),
                (&mut self.published_as, other.published_as),
            ] {
                set_if_empty(text, others);
            }
        }
        for (text, others) in [
            (&mut self.url, other.url),
            (&mut self.title, other.title),
            (&mut self.doi, other.doi),
            (&mut self.arxiv, other.arxiv),
            (&mut self.pmid, other.pmid),
            (&mut self.pmcid, other.pmcid),
            (&mut self.pdf_url, other.pdf_url),
        ] {
            set_if_empty(text, others);
        }
        if self.authors.is_empty() {
            (self.authors, self.more_authors) = (other.authors, other.more_authors);
        }
        if self.editors.is_empty() {
            self.editors = other.editors;
        }
        self.date = self.date.or(other.date);
        self.open_access = self.open_access.max(other.open_access);
        self.citation_count = self.citation_count.or(other.citation_count);
        let is_worse =
            |ours: &RetractionStatus, other: &RetractionStatus| other.retracted && !ours.retracted;
        match (&self.retraction, &other.retraction) {
            (Some(ours), Some(worse)) if !is_worse(ours, worse) => {}
            (Some(_), None) => {}
            _ => self.retraction = other.retraction,
        }
    }
}

/// Returns pages from the first to the last of them.
#[must_use]
pub fn page_range(first: String, last: &str) -> String {
    if first.is_empty() || last.is_empty() || first == last {
        return first;
    }
    format!("{first}-{last}")
}

fn listed(people: &[WorkAuthor], limit: usize, has_more: bool) -> String {
    let authors = people.iter().take(limit);
    let names: Vec<String> = authors.map(WorkAuthor::in_natural_order).collect();
    let mark = if names.iter().any(|name| name.contains(',')) {
        "; "
    } else {
        ", "
    };
    let has_more = has_more || people.len() > limit;
    names.join(mark) + if has_more { " et al." } else { "" }
}

fn set_if_empty(text: &mut String, other: String) {
    if text.is_empty() {
        *text = other;
    }
}

#[cfg(test)]
mod tests;
