//! A search for papers, and the papers that it admits.

use super::matching;
use super::paper::Paper;
use iki_web::work::WorkKind;
use iki_web::work::work_id::WorkId;

/// Origin of papers that a search can be restricted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaperSource {
    /// Name in requests.
    pub name: &'static str,
    /// Beginning of the DOIs of its papers; empty if they have none in common.
    pub doi: &'static str,
    /// Hosts of its papers; none for all hosts of scholarly works.
    pub hosts: &'static [&'static str],
}

/// All sources, in the order in which they are listed.
pub const SOURCES: [PaperSource; 6] = [
    PaperSource::new("all", "", &[]),
    PaperSource::new("arxiv", "10.48550/arxiv.", &["arxiv.org"]),
    PaperSource::new(
        "pubmed",
        "",
        &["pubmed.ncbi.nlm.nih.gov", "pmc.ncbi.nlm.nih.gov"],
    ),
    PaperSource::new("ieee", "10.1109/", &["ieeexplore.ieee.org"]),
    PaperSource::new("nature", "10.1038/", &["nature.com"]),
    PaperSource::new("springer", "10.1007/", &["link.springer.com"]),
];

/// Names of all sources.
pub const NAMES: &[&str] = &["all", "arxiv", "pubmed", "ieee", "nature", "springer"];

/// Names of the sources that registrants of DOIs are.
pub(crate) const REGISTRANTS: &[&str] = &["all", "ieee", "nature", "springer"];

impl Default for PaperSource {
    fn default() -> Self {
        SOURCES[0]
    }
}

impl PaperSource {
    const fn new(name: &'static str, doi: &'static str, hosts: &'static [&'static str]) -> Self {
        Self { name, doi, hosts }
    }

    /// Returns the prefix that all DOIs of a publisher have.
    #[must_use]
    pub fn prefix(self) -> Option<&'static str> {
        self.doi.strip_suffix('/')
    }
}

/// The target of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PaperTarget {
    /// Papers about the query.
    #[default]
    Words,
    /// The work to which the query, a reference, refers.
    Reference,
    /// These works, whose identifiers are of one kind.
    Works(Vec<WorkId>),
    /// Works that cite this one.
    CitationsOf(WorkId),
    /// Works that this one cites.
    ReferencesOf(WorkId),
}

impl PaperTarget {
    /// Returns the work of whose citations or references the papers are.
    #[must_use]
    pub fn center(&self) -> Option<&WorkId> {
        match self {
            Self::CitationsOf(id) | Self::ReferencesOf(id) => Some(id),
            _ => None,
        }
    }

    /// Returns the work that is looked up.
    #[must_use]
    pub fn work(&self) -> Option<&WorkId> {
        match self {
            Self::Works(ids) => ids.first(),
            _ => None,
        }
    }
}

/// Order of papers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PaperOrder {
    /// The most relevant first.
    #[default]
    Relevance,
    /// The newest first.
    Date,
    /// Those that are cited most first.
    Citations,
}

impl PaperOrder {
    /// All orders, with their names in requests.
    pub const NAMES: [(&'static str, Self); 3] = [
        ("relevance", Self::Relevance),
        ("date", Self::Date),
        ("citations", Self::Citations),
    ];
}

/// A search for papers, as its caller asks for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PaperSearch {
    /// The query.
    pub query: String,
    /// Its target.
    pub target: PaperTarget,
    /// Number of papers wanted.
    pub count: usize,
    /// First year of publication.
    pub year_from: Option<u16>,
    /// Last year of publication.
    pub year_to: Option<u16>,
    /// Origin of the papers.
    pub source: PaperSource,
    /// Only papers with an open-access PDF.
    pub pdf_only: bool,
    /// Only open-access papers.
    pub open_access: bool,
    /// Only papers of an author of this name.
    pub author: Option<String>,
    /// Only papers in this journal or in these proceedings.
    pub venue: Option<String>,
    /// Only works of this kind.
    pub kind: Option<WorkKind>,
    /// Only papers that are cited so often.
    pub min_citations: Option<u64>,
    /// Order.
    pub order: PaperOrder,
    /// Page of `count` papers of one provider, from 1; `None` for the first papers of as many
    /// providers as it takes.
    pub page: Option<usize>,
    /// Name of the provider to ask; `None` for one after the other.
    pub provider: Option<&'static str>,
}

impl PaperSearch {
    /// Returns the number of papers to ask a provider for: more than wanted, to make up for those
    /// that are dropped or come twice.
    pub(crate) fn request_count(&self) -> usize {
        if let PaperTarget::Works(ids) = &self.target {
            return ids.len();
        }
        if self.page.is_some() {
            return self.count;
        }
        let filters = self.author.is_some()
            || self.venue.is_some()
            || self.kind.is_some()
            || self.min_citations.is_some();
        let narrow =
            self.source != SOURCES[0] || self.wants_open() || self.order != PaperOrder::Relevance;
        match (filters, narrow) {
            (true, _) => self.count * 8 + 20,
            (_, true) => self.count * 3 + 10,
            _ => self.count + 5,
        }
    }

    /// Returns the number of papers before those that are asked for.
    #[must_use]
    pub fn before(&self) -> usize {
        self.page
            .map_or(0, |page| (page - 1).saturating_mul(self.count))
    }

    /// True if only open-access papers are wanted.
    #[must_use]
    pub(crate) fn wants_open(&self) -> bool {
        self.open_access || self.pdf_only
    }

    /// Returns both years if one of them is given, with `first` and `last` for the other one.
    #[must_use]
    pub fn years(&self, first: u16, last: u16) -> Option<(u16, u16)> {
        let any = self.year_from.is_some() || self.year_to.is_some();
        any.then(|| {
            (
                self.year_from.unwrap_or(first),
                self.year_to.unwrap_or(last),
            )
        })
    }

    /// Returns the filters that are given, by their names in requests.
    #[must_use]
    pub fn filters(&self) -> Vec<&'static str> {
        let around = self.target.center().is_some();
        let given = [
            ("query", around && !self.query.is_empty()),
            ("author", self.author.is_some()),
            ("venue", self.venue.is_some()),
            ("type", self.kind.is_some()),
            ("min_citations", self.min_citations.is_some()),
            ("source", self.source != SOURCES[0]),
            ("year_from", self.year_from.is_some()),
            ("year_to", self.year_to.is_some()),
            ("open_access", self.open_access),
            ("sort_by", self.order != PaperOrder::Relevance),
        ];
        let given = given.into_iter().filter(|(_, is_given)| *is_given);
        given.map(|(name, _)| name).collect()
    }

    /// True if a paper is one of those that are searched for. What is not known does not count. A
    /// work that is looked up is wanted whatever else it is.
    #[must_use]
    pub fn covers(&self, paper: &Paper) -> bool {
        let work = &paper.work;
        if let PaperTarget::Works(ids) = &self.target {
            return ids.iter().any(|id| id.is_of(work)) || ids.len() == 1;
        }
        if self.target == PaperTarget::Reference {
            return true;
        }
        let PaperSource { name, doi, .. } = self.source;
        let of_source = self.source == SOURCES[0]
            || paper.sources.contains(&name)
            || (!doi.is_empty() && work.doi.starts_with(doi));
        let in_time = self.years(0, u16::MAX).is_none_or(|(from, to)| {
            let year = work.year();
            year.is_some_and(|year| (from..=to).contains(&year))
        });
        let of_author = self.author.as_ref().is_none_or(|wanted| {
            let mut authors = work.authors.iter();
            authors.any(|author| matching::is_author(wanted, author))
        });
        let in_venue = self.venue.as_ref().is_none_or(|wanted| {
            let places = [&work.container, &work.series, &work.published_as];
            places
                .into_iter()
                .any(|place| matching::is_venue(wanted, place))
        });
        let is_cited = self
            .min_citations
            .is_none_or(|least| work.citation_count.is_some_and(|count| count >= least));
        let says = self.target.center().is_none()
            || matching::has_words(&self.query, &[&work.title, &paper.summary]);
        of_source
            && in_time
            && of_author
            && in_venue
            && is_cited
            && says
            && self.kind.is_none_or(|kind| work.kind == kind)
    }

    /// True if a paper is known to be as open as the search wants.
    #[must_use]
    pub fn admits(&self, paper: &Paper) -> bool {
        let work = &paper.work;
        self.target.work().is_some()
            || ((!self.open_access || work.open_access == Some(true))
                && (!self.pdf_only || !work.pdf_url.is_empty()))
    }
}
