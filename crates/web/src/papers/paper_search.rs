//! A search for papers, and the papers that it admits.

use super::paper::Paper;

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

/// A search for papers, as its caller asks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct PaperSearch {
    /// The query.
    pub query: String,
    /// Number of papers wanted.
    pub count: usize,
    /// First year of publication.
    pub year_from: Option<u16>,
    /// Last year of publication.
    pub year_to: Option<u16>,
    /// Origin of the papers.
    pub source: PaperSource,
    /// Only papers with a PDF file that everybody may read.
    pub pdf_only: bool,
    /// Only papers that everybody may read.
    pub open_access: bool,
    /// True if the newest come first, and not the most relevant.
    pub by_date: bool,
    /// Name of the provider to ask; `None` for one after the other.
    pub provider: Option<&'static str>,
}

impl PaperSearch {
    /// Returns the number of papers to ask a provider for: more than wanted, to make up for those
    /// that are dropped or come twice.
    #[must_use]
    pub fn asked(&self) -> usize {
        let narrow = self.source != SOURCES[0] || self.wants_open() || self.by_date;
        if narrow {
            self.count * 3 + 10
        } else {
            self.count + 5
        }
    }

    /// True if only papers are wanted that everybody may read.
    #[must_use]
    pub(crate) fn wants_open(&self) -> bool {
        self.open_access || self.pdf_only
    }

    /// Returns both years if one of them is given, with `least` and `most` for the other one.
    #[must_use]
    pub fn years(&self, least: u16, most: u16) -> Option<(u16, u16)> {
        let any = self.year_from.is_some() || self.year_to.is_some();
        any.then(|| {
            (
                self.year_from.unwrap_or(least),
                self.year_to.unwrap_or(most),
            )
        })
    }

    /// True if a paper is of the source and time that are wanted. What is not known does not count.
    #[must_use]
    pub fn covers(&self, paper: &Paper) -> bool {
        let PaperSource { name, doi, .. } = self.source;
        let of_source = self.source == SOURCES[0]
            || paper.sources.contains(&name)
            || (!doi.is_empty() && paper.work.doi.starts_with(doi));
        let in_time = self.years(0, u16::MAX).is_none_or(|(from, to)| {
            let year = paper.work.year();
            year.is_some_and(|year| (from..=to).contains(&year))
        });
        of_source && in_time
    }

    /// True if a paper is known to be as open as the search wants.
    #[must_use]
    pub fn admits(&self, paper: &Paper) -> bool {
        (!self.open_access || paper.work.open_access == Some(true))
            && (!self.pdf_only || !paper.work.pdf_url.is_empty())
    }
}
