//! Citations of a page: its bibliographic data, and a reference in three styles.
//!
//! The data come from `citation_*` (Highwire Press, as Google Scholar requires it), JSON-LD, Open
//! Graph, other `meta` elements, the byline, and the URL, in that order.

use std::ops::Deref;

use serde::Serialize;
use url::Url;

use super::author::{AuthorKind, AuthorName};
use super::embedded::EmbeddedData;
use crate::client::without_login;
use crate::partial_date::PartialDate;
use crate::work::{Work, WorkAuthor, WorkKind};
use iki_base::wording::{beginning, on_one_line};

mod apa;
mod bibtex;
mod mla;
mod reference;
mod sources;

pub use bibtex::is_paired;
pub use reference::Reference;

/// Maximum length of a title, in bytes.
const MAX_TITLE_BYTES: usize = 500;

/// Maximum number of authors listed in the metadata.
const MAX_NAMED_AUTHORS: usize = 20;

/// Citation of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Citation {
    /// URL of the page, without user and password.
    pub url: String,
    /// Day of access, as ISO 8601.
    pub accessed_date: String,
    /// Bibliographic data of the page.
    pub metadata: CitationMetadata,
    /// References in three styles.
    pub formatted: FormattedCitations,
    /// The work of which they are made.
    #[serde(skip)]
    pub work: Work,
}

/// Bibliographic data of a page. An unknown field is empty, and left out when serialised; the title
/// never is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CitationMetadata {
    /// Title of the page.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Authors, in natural order of names, separated by commas.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub author: String,
    /// Name of the site, or of the journal.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub site: String,
    /// Date of publication: `2024-05-17`, `2024-05` or `2024`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub date: String,
}

/// References in three styles, as plain text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FormattedCitations {
    /// APA, 7th edition: an entry of the list of references.
    pub apa: String,
    /// MLA, 9th edition: an entry of the list of works cited.
    pub mla: String,
    /// An entry for BibTeX.
    pub bibtex: String,
}

impl Citation {
    /// Builds the citation of the page at `url` that was read on the day `accessed`. `title` is the
    /// title of the extracted text, used if the metadata has none; it may be empty.
    #[must_use]
    pub fn for_page(
        url: &Url,
        embedded: Option<&EmbeddedData>,
        title: &str,
        accessed: PartialDate,
    ) -> Self {
        let nothing = EmbeddedData::default();
        CitedWork::for_page(url, embedded.unwrap_or(&nothing), title, accessed).into_citation()
    }

    /// Builds the citation of a document that is not a page, with author and date from its own
    /// metadata.
    #[must_use]
    pub fn of_document(
        url: &Url,
        title: &str,
        author: Option<&str>,
        date: Option<&str>,
        accessed: PartialDate,
    ) -> Self {
        let mut work = CitedWork::for_page(url, &EmbeddedData::default(), title, accessed);
        if let Some(author) = author {
            work.authors = super::author::all(author, AuthorKind::None);
        }
        if let Some(date) = date.and_then(PartialDate::parse) {
            work.work.date = Some(date);
        }
        work.into_citation()
    }
}

/// A work that is cited: its names are split, and it was read on a day.
#[derive(Clone, Debug)]
struct CitedWork {
    work: Work,
    authors: Vec<AuthorName>,
    editors: Vec<AuthorName>,
    accessed: PartialDate,
}

impl Deref for CitedWork {
    type Target = Work;

    fn deref(&self) -> &Work {
        &self.work
    }
}

impl CitedWork {
    fn for_page(url: &Url, embedded: &EmbeddedData, title: &str, accessed: PartialDate) -> Self {
        let facts = sources::CitationSources::new(url, embedded);
        let declared = facts.declared();
        let title = facts.title(title);
        let site = match declared.container.as_str() {
            "" => facts.site(),
            container => container.to_owned(),
        };
        let mut authors = facts.authors();
        // An author named like the site is an organisation, whatever the name looks like.
        if let [one] = authors.as_mut_slice()
            && one.in_natural_order().to_lowercase() == site.to_lowercase()
        {
            *one = AuthorName::parse(&one.in_natural_order(), AuthorKind::Organisation)
                .unwrap_or_else(|| one.clone());
        }
        let work = Work {
            url: on_one_line(without_login(url).as_str()),
            title: beginning(&title, MAX_TITLE_BYTES).trim_end().to_owned(),
            container: site,
            date: facts.date(),
            doi: super::doi::declared(embedded).unwrap_or_default(),
            ..declared
        };
        Self {
            work,
            authors,
            editors: Vec::new(),
            accessed,
        }
    }

    fn into_citation(self) -> Citation {
        let formatted = FormattedCitations {
            apa: apa::format_entry(&self),
            mla: mla::format_entry(&self),
            bibtex: bibtex::format_entry(&self),
        };
        let author = self.names();
        let mut work = self.work;
        work.set_authors(self.authors.iter().map(WorkAuthor::from));
        Citation {
            accessed_date: self.accessed.to_string(),
            metadata: CitationMetadata {
                author,
                date: work.date.map(|date| date.to_string()).unwrap_or_default(),
                title: work.title.clone(),
                site: work.container.clone(),
            },
            url: work.url.clone(),
            formatted,
            work,
        }
    }

    /// Returns the authors' names in natural order.
    fn names(&self) -> String {
        let mut names: Vec<String> = self
            .authors
            .iter()
            .take(MAX_NAMED_AUTHORS)
            .map(AuthorName::in_natural_order)
            .collect();
        if self.authors.len() > MAX_NAMED_AUTHORS {
            names.push("et al.".to_owned());
        }
        let comma = names.iter().any(|name| name.contains(','));
        names.join(if comma { "; " } else { ", " })
    }

    /// True if the only author is the site itself, which styles do not repeat.
    fn by_its_site(&self) -> bool {
        matches!(self.authors.as_slice(), [one]
            if one.in_natural_order().to_lowercase() == self.container.to_lowercase())
    }

    /// Returns the permanent address of the work: its DOI, or else its URL.
    fn address(&self) -> String {
        match self.doi.as_str() {
            "" => self.url.clone(),
            doi => super::doi::address(doi),
        }
    }
}

/// Adds a full stop, unless the text already ends a sentence.
fn with_full_stop(text: &str) -> String {
    if text.ends_with(['.', '?', '!', '\u{3002}']) {
        return text.to_owned();
    }
    format!("{text}.")
}

#[cfg(test)]
mod tests;
