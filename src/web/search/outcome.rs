//! What a search comes to: an answer, or why there is none; and how it came to its provider.

use std::fmt;
use std::time::Duration;

use super::SearchResult;
use super::choice::NoProvider;
use super::failure::ProviderFailure;
use super::provider::Provider;

/// What was found.
#[derive(Clone, Debug)]
pub struct SearchAnswer {
    /// Who found it.
    pub provider: &'static Provider,
    /// The results, best first, no more than were wanted.
    pub results: Vec<SearchResult>,
    /// How old the answer is; `None` for one that was found just now.
    pub age: Option<Duration>,
    /// How it came to this provider, where there was a choice.
    pub routed: Option<ProviderRouting>,
    /// The fields of the request that the provider has no way to heed.
    pub unheeded: Vec<String>,
    /// The hosts that could not be searched, and why.
    pub unsearched: Vec<(Vec<String>, ProviderFailure)>,
    /// The query that was asked for, where the provider takes no longer one.
    pub shortened: Option<String>,
    /// How long it took.
    pub took: Duration,
}

/// How a search came to its provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderRouting {
    /// Those that were asked, in their order, the one that answered among them.
    pub attempted: Vec<&'static str>,
    /// Why those before it did not answer: each with its name and the reason in a few words.
    pub passed: Vec<(&'static str, String)>,
}

impl ProviderRouting {
    /// Why it is not the first one that answered; `None` where it is.
    #[must_use]
    pub fn fallback_reason(&self) -> Option<String> {
        let all = self.passed.iter();
        let all: Vec<String> = all.map(|(name, why)| format!("{name}: {why}")).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// Notes a provider that did not answer, and why.
    pub(super) fn pass(&mut self, failure: &ProviderFailure) {
        let why = failure.kind.in_words().to_owned();
        self.passed.push((failure.provider, why));
    }

    /// Notes a provider that is left alone for so long; in seconds.
    pub(super) fn leave_alone(&mut self, provider: &Provider, left: Duration) -> u64 {
        let seconds = left.as_secs() + 1;
        let why = format!("left alone for {seconds} seconds after failures");
        self.passed.push((provider.name, why));
        seconds
    }
}

/// Why nothing can be said of what there is to find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchFailure {
    /// Nobody can be asked.
    NoProvider(NoProvider),
    /// The one that was asked failed, or the last one of several.
    Failed {
        /// Why.
        failure: Box<ProviderFailure>,
        /// What became of the others, where there was a choice.
        routed: Option<ProviderRouting>,
        /// Others that are configured and well.
        alternatives: Vec<&'static str>,
    },
}

impl fmt::Display for SearchFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoProvider(error) => error.fmt(f),
            Self::Failed {
                failure, routed, ..
            } => {
                failure.fmt(f)?;
                let passed = routed.as_ref().map_or(&[][..], |routed| &routed.passed);
                let others: Vec<String> = passed
                    .iter()
                    .filter(|(name, _)| *name != failure.provider)
                    .map(|(name, why)| format!("{name} ({why})"))
                    .collect();
                if others.is_empty() {
                    return Ok(());
                }
                write!(f, " Nor was there an answer from {}.", others.join(", "))
            }
        }
    }
}

impl std::error::Error for SearchFailure {}
