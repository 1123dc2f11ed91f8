//! The outcome of an entry's check: if there is such a work, and where it was looked for.

use serde::{Deserialize, Serialize};

use super::comparison::{Difference, KnownWork};
use super::entry::NamedPerson;
use crate::papers::paper::Paper;
use iki_web::page::retraction;
use iki_web::work::WorkAuthor;

/// The verdict on the work to which an entry refers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceStatus {
    /// There is, and it is as the entry says.
    Found,
    /// There is one that may be meant, of which something is not as the entry says.
    Differs,
    /// All who were asked do not know it.
    NotFound,
    /// Not all could be asked.
    #[default]
    Unchecked,
}

impl ReferenceStatus {
    /// Its name in answers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Differs => "differs",
            Self::NotFound => "not_found",
            Self::Unchecked => "unchecked",
        }
    }
}

/// A provider that was asked for an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReferenceLookup {
    /// Its name.
    pub provider: String,
    /// The address that was asked, without keys.
    pub url: String,
    /// `found`, `differs`, `not_found`, or why there was no answer.
    pub outcome: String,
}

/// The outcome of an entry's check.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct CheckedReference {
    /// The verdict on the work that the entry refers to.
    pub status: ReferenceStatus,
    /// `high`, `medium` or `low`; empty if nothing is known.
    pub confidence: String,
    /// Where it was looked for.
    pub checked: Vec<ReferenceLookup>,
    /// The fields that differ from the entry.
    pub differences: Vec<Difference>,
    /// Provider of the work beside which the entry was held.
    pub source: String,
    /// That work.
    pub paper: Option<Paper>,
    /// Why it was not checked.
    pub reason: String,
    /// True if another call may learn more.
    pub may_change: bool,
}

impl KnownWork {
    /// Takes from a paper what is compared.
    #[must_use]
    pub fn from_paper(paper: &Paper) -> Self {
        let work = &paper.work;
        let people = if work.authors.is_empty() {
            &work.editors
        } else {
            &work.authors
        };
        let person = |author: &WorkAuthor| match author.family.as_str() {
            "" => NamedPerson {
                family: author.name.clone(),
                given: String::new(),
            },
            family => NamedPerson {
                family: family.to_owned(),
                given: author.given.clone(),
            },
        };
        let containers = [&work.container, &work.published_as, &work.series].into_iter();
        let containers = containers.chain(&paper.other_containers);
        let mut years = paper.years.clone();
        years.extend(work.year().filter(|year| !paper.years.contains(year)));
        Self {
            title: retraction::without_mark(&work.title).to_owned(),
            authors: people.iter().filter(|one| !one.group).map(person).collect(),
            groups: people
                .iter()
                .filter(|one| one.group)
                .map(|one| one.name.clone())
                .collect(),
            has_more_authors: work.more_authors,
            years,
            containers: containers
                .filter(|name| !name.is_empty())
                .cloned()
                .collect(),
            pages: work.pages.clone(),
            kind: work.kind,
        }
    }
}
