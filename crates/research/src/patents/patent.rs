//! A patent, as a provider knows it.

use serde_json::{Map, Value};

use iki_base::unseen::UnseenCount;
use iki_web::provider::exchange::ProviderItem;
use iki_web::search::dates;
use iki_web::work::patent_number::PatentNumber;

/// A patent, or an application for one. What is not known is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patent {
    /// Its title.
    pub title: String,
    /// Number of the document.
    pub number: String,
    /// Address at which it can be read.
    pub url: String,
    /// Its abstract.
    pub summary: String,
    /// Owners or applicants.
    pub assignee: String,
    /// Inventors.
    pub inventor: String,
    /// Day on which it was applied for.
    pub filed: String,
    /// Day on which it was granted. A provider may give any document's day of publication: that of
    /// an application is taken away.
    pub granted: String,
    /// Address of the document as PDF.
    pub pdf: String,
    /// Its legal status, in the provider's words.
    pub status: String,
    /// Number of another of its documents, such as the published application of a grant.
    pub published: String,
    /// The provider's number of the application, which all its documents share.
    pub application: String,
    /// Invisible characters that were removed from all of these.
    pub taken: UnseenCount,
}

impl Patent {
    /// Names of its fields in an answer, in the order of `Patent::values`.
    pub const FIELDS: [&'static str; 10] = [
        "title", "number", "url", "abstract", "assignee", "inventor", "filed", "granted", "pdf",
        "status",
    ];

    /// Returns the values of its fields, and its other numbers.
    pub(super) fn values(&mut self) -> [&mut String; 12] {
        [
            &mut self.title,
            &mut self.number,
            &mut self.url,
            &mut self.summary,
            &mut self.assignee,
            &mut self.inventor,
            &mut self.filed,
            &mut self.granted,
            &mut self.pdf,
            &mut self.status,
            &mut self.published,
            &mut self.application,
        ]
    }

    /// Returns its fields as an answer has them, without those that are not known; the first three
    /// are always there.
    #[must_use]
    pub fn fields(mut self) -> Value {
        let mut fields = Map::new();
        let all = Self::FIELDS.into_iter().zip(self.values());
        for (index, (name, value)) in all.enumerate() {
            if index < 3 || !value.is_empty() {
                fields.insert(name.to_owned(), std::mem::take(value).into());
            }
        }
        fields.into()
    }

    /// Reads the fields of an answer.
    #[must_use]
    pub fn of_fields(fields: &Value) -> Self {
        let mut patent = Self::default();
        for (name, value) in Self::FIELDS.into_iter().zip(patent.values()) {
            fields[name].as_str().unwrap_or_default().clone_into(value);
        }
        patent
    }

    /// Returns the inventors as bibliographies read names. A name in capitals is as offices write
    /// it, the family name first.
    pub fn inventors_by_family(&self) -> impl Iterator<Item = String> {
        self.inventor
            .split("; ")
            .map(|name| match name.split_once(' ') {
                Some((family, given)) if name == name.to_uppercase() && !name.contains(',') => {
                    format!("{family}, {given}")
                }
                _ => name.to_owned(),
            })
    }

    /// Returns the number of the document, if it can be read.
    #[must_use]
    pub(crate) fn parsed_number(&self) -> Option<PatentNumber> {
        PatentNumber::parse(&self.number)
    }
}

impl ProviderItem for Patent {
    fn texts(&mut self) -> Vec<&mut String> {
        self.values().into()
    }

    fn count_unseen(&mut self, removed: UnseenCount) {
        self.taken = self.taken.and(removed);
    }
}

/// Returns a date as a day, such as `2018-12-25`; empty if it is none.
#[must_use]
pub fn day(text: &str) -> String {
    dates::day(text).unwrap_or_default()
}

/// Returns the names as one text, each once.
#[must_use]
pub fn names<'a>(all: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in all.map(str::trim).filter(|name| !name.is_empty()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join("; ")
}
