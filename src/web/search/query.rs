//! What a search is: as its caller asks for it ([`Search`]), and as one request asks a provider for
//! a part of it ([`ProviderQuery`]).

use super::lenses::Lens;

/// The most results of one search.
pub const MOST_RESULTS: usize = 10;

/// The greatest age of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeRange {
    /// A day.
    Day,
    /// A week.
    Week,
    /// A month.
    Month,
    /// A year.
    Year,
}

impl TimeRange {
    /// Its name in a request.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    /// The first letter of its name, as several providers have it.
    #[must_use]
    pub fn letter(self) -> &'static str {
        &self.name()[..1]
    }

    /// Its length.
    #[must_use]
    pub fn days(self) -> u64 {
        match self {
            Self::Day => 1,
            Self::Week => 7,
            Self::Month => 31,
            Self::Year => 365,
        }
    }
}

/// The strictness towards pages that are unfit for children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SafeSearch {
    /// Nothing.
    Off,
    /// Pictures and the plain cases.
    Medium,
    /// All that is known.
    High,
}

impl SafeSearch {
    /// Its name in a request.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// A search, as its caller asks for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// The query.
    pub query: String,
    /// The number of results that are wanted, 1 to [`MOST_RESULTS`].
    pub count: usize,
    /// The greatest age of pages; `None` for all of them.
    pub time_range: Option<TimeRange>,
    /// The strictness; `None` for the provider's own.
    pub safe: Option<SafeSearch>,
    /// The pages' language, an ISO 639-1 code in lower case.
    pub language: Option<String>,
    /// The country, an ISO 3166-1 alpha-2 code in capitals.
    pub country: Option<String>,
    /// The only hosts to search, with everything below them; empty for all.
    pub sites: Vec<String>,
    /// A phrase that pages must have word by word.
    pub exact_terms: Option<String>,
    /// Words, or phrases in quotation marks, that pages must not have.
    pub exclude_terms: Option<String>,
    /// A list of domains to search, in place of `sites`.
    pub lens: Option<Lens>,
    /// The provider to ask, by its name; `None` for the one that is configured.
    pub provider: Option<String>,
    /// A claim to be examined; each result is marked with its words on that.
    pub claim: Option<String>,
}

impl Search {
    /// The hosts that results may be from, by the lens or by themselves; empty for all.
    #[must_use]
    pub fn hosts(&self) -> &[String] {
        match &self.lens {
            Some(lens) => &lens.domains,
            None => &self.sites,
        }
    }
}

/// The content of one request to a provider.
#[derive(Clone, Copy, Debug)]
pub struct ProviderQuery<'a> {
    /// The search that it is a part of.
    pub search: &'a Search,
    /// The hosts to ask for, few enough for the provider; empty for all.
    pub sites: &'a [String],
    /// The hosts to leave out, where the provider takes such.
    pub blocked: &'a [String],
    /// A search engine of Google's that is made for the hosts, in place of their names.
    pub cx: Option<&'a str>,
    /// The number of results to ask for.
    pub count: usize,
    /// The place of the first result, from 0.
    pub first: usize,
}

impl ProviderQuery<'_> {
    /// The number of the page of so many results, from 0.
    #[must_use]
    pub fn page(&self) -> usize {
        self.first / self.count.max(1)
    }
}
