//! Kinds of works, and the names that providers have for them.

use serde::{Deserialize, Serialize};

/// Kind of a work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum WorkKind {
    /// Nobody has said.
    #[default]
    Unknown,
    /// An article in a journal.
    Article,
    /// A work that its authors have published themselves, in an archive.
    Preprint,
    /// A part of a book.
    Chapter,
    /// A book.
    Book,
    /// A paper in the proceedings of a conference.
    Proceedings,
    /// A thesis.
    Thesis,
    /// A set of data.
    Dataset,
    /// A program.
    Software,
    /// A report.
    Report,
    /// A page of a site.
    Page,
    /// A patent.
    Patent,
}

/// The kinds, each with its name, and with the names of others for it: those of Crossref and
/// `OpenAlex`, of Semantic Scholar and `PubMed`; lower-case letters alone.
const KINDS: [(WorkKind, &str, &str); 11] = [
    (
        WorkKind::Article,
        "article",
        "journalarticle review letter editorial erratum casereport clinicaltrial metaanalysis \
         study lettersandcomments retraction",
    ),
    (WorkKind::Preprint, "preprint", "postedcontent"),
    (
        WorkKind::Chapter,
        "chapter",
        "bookchapter booksection bookpart booktrack referenceentry incollection inbook",
    ),
    (
        WorkKind::Book,
        "book",
        "monograph editedbook referencebook bookset proceedingsbook",
    ),
    (
        WorkKind::Proceedings,
        "proceedings",
        "proceedingsarticle conference conferencepaper inproceedings",
    ),
    (
        WorkKind::Thesis,
        "thesis",
        "dissertation academicdissertation",
    ),
    (WorkKind::Dataset, "dataset", "database"),
    (WorkKind::Software, "software", "computationalnotebook"),
    (
        WorkKind::Report,
        "report",
        "reportcomponent technicalreport standard",
    ),
    (WorkKind::Page, "page", ""),
    (WorkKind::Patent, "patent", ""),
];

/// Words in the names of archives of preprints.
const ARCHIVES: [&str; 10] = [
    "arxiv",
    "biorxiv",
    "medrxiv",
    "chemrxiv",
    "psyarxiv",
    "techrxiv",
    "ssrn",
    "corr",
    "preprint",
    "preprints",
];

/// True if a place is an archive of preprints.
#[must_use]
pub fn is_archive(place: &str) -> bool {
    let place = place.to_lowercase();
    let mut words = place.split(|c: char| !c.is_alphanumeric());
    words.any(|word| ARCHIVES.contains(&word)) || place == "social science research network"
}

impl WorkKind {
    /// Returns the kind that has this name, whatever its case and its hyphens.
    pub fn of_name(name: &str) -> Self {
        let letters = name.chars().filter(char::is_ascii_alphabetic);
        let name: String = letters.map(|c| c.to_ascii_lowercase()).collect();
        let mut kinds = KINDS.iter();
        let kind = kinds.find(|(_, kind_name, others)| {
            *kind_name == name || others.split(' ').any(|one| !one.is_empty() && one == name)
        });
        kind.map_or(Self::Unknown, |(kind, ..)| *kind)
    }

    /// Returns the kind that tells most of those that have these names: any but an article, which
    /// providers call much else as well.
    pub fn of_names<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let mut best = Self::Unknown;
        for kind in names.map(Self::of_name) {
            if best.is_unknown() || (best == Self::Article && !kind.is_unknown()) {
                best = kind;
            }
        }
        best
    }

    /// Returns its name; empty if nobody has said.
    #[must_use]
    pub fn name(self) -> &'static str {
        let mut kinds = KINDS.iter();
        let kind = kinds.find(|(kind, ..)| *kind == self);
        kind.map_or("", |(_, name, _)| name)
    }

    /// True if nobody has said.
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        *self == Self::Unknown
    }
}

impl From<String> for WorkKind {
    fn from(name: String) -> Self {
        Self::of_name(&name)
    }
}

impl From<WorkKind> for String {
    fn from(kind: WorkKind) -> Self {
        kind.name().to_owned()
    }
}
