//! Failures of a provider, by kind and in sentences: what happened, and what to do.

use std::fmt;
use std::time::Duration;

use super::Provider;

/// Wait after a rate limit if the provider gives none, in seconds.
pub const DEFAULT_WAIT_SECONDS: u64 = 60;

/// Wait after an exhausted quota if the provider gives none, in seconds.
pub(crate) const QUOTA_WAIT_SECONDS: u64 = 3600;

/// Kind of a failed search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderFailureKind {
    /// No key, or no address, is configured.
    AuthMissing,
    /// The provider rejects the key.
    AuthInvalid,
    /// Some configuration cannot be used.
    Config,
    /// The search is longer than the provider accepts.
    TooLong,
    /// Too many requests.
    RateLimited {
        /// Seconds until it may be asked again.
        seconds: u64,
        /// True if a quota is exhausted, so that slower requests would not help.
        is_quota: bool,
    },
    /// The provider could not be reached.
    Network {
        /// True if this machine is at fault.
        is_local: bool,
    },
    /// The provider refuses this request, and may well answer another one.
    Rejected,
    /// The provider answered with an error of its own.
    Upstream,
    /// The answer does not have the documented form.
    NotUnderstood,
}

impl ProviderFailureKind {
    /// Too many requests, for so many seconds; zero stands for those in the answer.
    #[must_use]
    pub const fn too_fast(seconds: u64) -> Self {
        let is_quota = false;
        Self::RateLimited { seconds, is_quota }
    }

    /// True if the next request to the provider is likely to fail as well.
    #[must_use]
    pub(crate) fn is_of_the_provider(self) -> bool {
        matches!(
            self,
            Self::AuthInvalid
                | Self::RateLimited { .. }
                | Self::Network { is_local: false }
                | Self::Upstream
                | Self::NotUnderstood
        )
    }

    /// Returns the kind in a few words.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Self::AuthMissing => "not configured",
            Self::AuthInvalid => "key rejected",
            Self::Config => "badly configured",
            Self::TooLong => "search too long",
            Self::RateLimited { is_quota: true, .. } => "quota used up",
            Self::RateLimited { .. } => "rate limited",
            Self::Network { is_local: true } => "no network",
            Self::Network { .. } => "not reached",
            Self::Rejected => "search rejected",
            Self::Upstream => "failed",
            Self::NotUnderstood => "answer not understood",
        }
    }
}

/// Failure of a provider. It never holds a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderFailure {
    /// Title of the provider.
    pub provider: &'static str,
    /// Kind of the failure.
    pub kind: ProviderFailureKind,
    /// Sentence on what happened.
    pub text: String,
    /// Sentence on what to do.
    pub advice: String,
    /// Seconds after which a provider that has failed says that it may be asked again.
    pub wait: Option<u64>,
}

impl ProviderFailure {
    /// Creates a failure with the usual advice.
    #[must_use]
    pub fn new(provider: &Provider, kind: ProviderFailureKind, text: impl Into<String>) -> Self {
        Self {
            provider: provider.name,
            kind,
            text: text.into(),
            advice: advice(provider, kind),
            wait: None,
        }
    }

    /// Sets the time after which a provider that has failed may be asked again, as it says.
    #[must_use]
    pub(crate) fn again_in(mut self, wait: Option<Duration>) -> Self {
        if let (ProviderFailureKind::Upstream, Some(wait)) = (self.kind, wait) {
            let seconds = wait.as_secs().max(1);
            self.wait = Some(seconds);
            self.advice = format!("Search again in {seconds} seconds, or choose another provider.");
        }
        self
    }

    /// Creates the failure of a provider that is skipped for this long, because it failed lately.
    #[must_use]
    pub(crate) fn left_alone(provider: &Provider, left: Duration) -> Self {
        let kind = ProviderFailureKind::too_fast(left.as_secs() + 1);
        let title = provider.title;
        let text = format!("{title} failed lately and is left alone for a while.");
        Self::new(provider, kind, text)
    }

    /// Replaces the advice.
    #[must_use]
    pub(crate) fn advising(mut self, advice: impl Into<String>) -> Self {
        self.advice = advice.into();
        self
    }

    /// Applies `change` to both texts.
    #[must_use]
    pub fn map(self, change: impl Fn(&str) -> String) -> Self {
        Self {
            text: change(&self.text),
            advice: change(&self.advice),
            ..self
        }
    }

    /// Returns the seconds after which a retry may work, if that is known or likely.
    #[must_use]
    pub fn retry_after(&self) -> Option<u64> {
        match self.kind {
            ProviderFailureKind::RateLimited { seconds, .. } => Some(seconds),
            ProviderFailureKind::Network { .. } => Some(5),
            ProviderFailureKind::Upstream => Some(self.wait.unwrap_or(DEFAULT_WAIT_SECONDS)),
            _ => None,
        }
    }
}

impl fmt::Display for ProviderFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        if !self.text.ends_with(['.', '!', '?']) {
            f.write_str(".")?;
        }
        if self.advice.is_empty() {
            return Ok(());
        }
        write!(f, " {}", self.advice)
    }
}

impl std::error::Error for ProviderFailure {}

fn advice(provider: &Provider, kind: ProviderFailureKind) -> String {
    let title = provider.title;
    match kind {
        ProviderFailureKind::AuthMissing | ProviderFailureKind::Config => provider.setup.to_owned(),
        ProviderFailureKind::AuthInvalid => format!("Check {}.", provider.places()),
        ProviderFailureKind::TooLong => "Shorten the query, or choose another provider.".to_owned(),
        ProviderFailureKind::RateLimited { is_quota: true, .. } => {
            format!("Choose another provider until {title} allows more.")
        }
        ProviderFailureKind::RateLimited { seconds, .. } => {
            format!("Search again in {seconds} seconds, or choose another provider.")
        }
        ProviderFailureKind::Network { is_local: true } => "This machine has no way out: no other \
                                                            provider can be reached either, until \
                                                            that is mended."
            .to_owned(),
        ProviderFailureKind::Network { .. } => {
            "Search again in a few seconds, or choose another provider.".to_owned()
        }
        ProviderFailureKind::Rejected => {
            "Change the search, or choose another provider.".to_owned()
        }
        ProviderFailureKind::Upstream => {
            "Search again in a minute, or choose another provider.".to_owned()
        }
        ProviderFailureKind::NotUnderstood => "Choose another provider; asking this one again \
                                               will not help until whatever is in between is \
                                               fixed."
            .to_owned(),
    }
}
