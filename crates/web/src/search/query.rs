//! A search as its caller asks for it ([`WebSearch`]), and the part of it that one request asks a
//! provider for ([`ProviderQuery`]).

use super::lenses::Lens;

/// Maximum number of results of one search.
pub const MAX_RESULTS: usize = 10;

/// Maximum age of a page.
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

/// Returns the name of a value among these.
pub fn name_of<T: PartialEq>(names: &[(&'static str, T)], value: &T) -> &'static str {
    let row = names.iter().find(|(_, one)| one == value);
    row.map_or("", |(name, _)| name)
}

impl TimeRange {
    /// All of them, by their names in a request.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("day", Self::Day),
        ("week", Self::Week),
        ("month", Self::Month),
        ("year", Self::Year),
    ];

    /// Returns its name in a request.
    #[must_use]
    pub fn name(self) -> &'static str {
        name_of(&Self::NAMES, &self)
    }

    /// Returns the first letter of its name, which several providers use.
    #[must_use]
    pub fn letter(self) -> &'static str {
        &self.name()[..1]
    }

    /// Returns its length in days.
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

/// Filter against pages that are unfit for children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SafeSearch {
    /// No filter.
    Off,
    /// Filters pictures and explicit pages.
    Medium,
    /// Filters all known pages.
    High,
}

impl SafeSearch {
    /// All of them, by their names in a request.
    pub const NAMES: [(&'static str, Self); 3] = [
        ("off", Self::Off),
        ("medium", Self::Medium),
        ("high", Self::High),
    ];

    /// Returns its name in a request.
    #[must_use]
    pub fn name(self) -> &'static str {
        name_of(&Self::NAMES, &self)
    }

    /// Returns Google's name for it, which has only two levels.
    #[must_use]
    pub(crate) fn at_google(self) -> &'static str {
        if self == Self::Off { "off" } else { "active" }
    }
}

/// A search, as its caller asks for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebSearch {
    /// The query.
    pub query: String,
    /// Number of results wanted, 1 to [`MAX_RESULTS`].
    pub count: usize,
    /// Maximum age of pages; `None` for any age.
    pub time_range: Option<TimeRange>,
    /// Filter strictness; `None` for the provider's default.
    pub safe: Option<SafeSearch>,
    /// Language of the pages, an ISO 639-1 code in lower case.
    pub language: Option<String>,
    /// Country, an ISO 3166-1 alpha-2 code in capitals.
    pub country: Option<String>,
    /// Only hosts to search, with their subdomains; empty for all.
    pub sites: Vec<String>,
    /// Phrase that pages must contain verbatim.
    pub exact_terms: Option<String>,
    /// Words, or phrases in quotation marks, that pages must not contain.
    pub exclude_terms: Option<String>,
    /// List of domains to search, instead of `sites`.
    pub lens: Option<Lens>,
    /// Name of the provider to ask; `None` for the configured one.
    pub provider: Option<String>,
    /// Claim to be examined; each result shows its best sentence on it.
    pub claim: Option<String>,
}

impl WebSearch {
    /// Returns the hosts that results may be from, by the lens or by `sites`; empty for all.
    #[must_use]
    pub fn hosts(&self) -> &[String] {
        match &self.lens {
            Some(lens) => &lens.domains,
            None => &self.sites,
        }
    }
}

/// One request to a provider.
#[derive(Clone, Copy, Debug)]
pub struct ProviderQuery<'a> {
    /// Search that the request is part of.
    pub search: &'a WebSearch,
    /// Hosts to ask for, few enough for the provider; empty for all.
    pub sites: &'a [String],
    /// Hosts to exclude, if the provider supports that.
    pub blocked: &'a [String],
    /// ID of a Google search engine made for the hosts, instead of their names.
    pub cx: Option<&'a str>,
    /// Number of results to ask for.
    pub count: usize,
    /// Offset of the first result, from 0.
    pub first: usize,
}

impl ProviderQuery<'_> {
    /// Returns the page number, from 0, with pages of `count` results.
    #[must_use]
    pub fn page(&self) -> usize {
        self.first / self.count.max(1)
    }
}
