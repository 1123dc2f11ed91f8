//! Why a provider gave no results, as a kind and as sentences: what happened, and what to do.

use std::fmt;

use super::provider::Provider;

/// How long to wait where a provider limits and does not say for how long, in seconds.
pub const USUAL_WAIT: u64 = 60;

/// How long to wait where a quota is used up and nobody says for how long, in seconds.
pub const QUOTA_WAIT: u64 = 3600;

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No key, or no address, is configured.
    AuthMissing,
    /// The provider rejects the key.
    AuthInvalid,
    /// Something that is configured cannot be used.
    Config,
    /// The search is longer than the provider takes.
    TooLong,
    /// Too many requests.
    RateLimited {
        /// After how many seconds it may be asked again.
        seconds: u64,
        /// Whether a quota is used up, so that it is not a matter of asking more slowly.
        quota: bool,
    },
    /// It could not be reached.
    Network {
        /// Whether that is this machine's own fault.
        own: bool,
    },
    /// It refuses this request, and may well answer another one.
    Rejected,
    /// It answered with a failure of its own.
    Upstream,
    /// It answered not as documented.
    NotUnderstood,
}

impl Kind {
    /// Whether the next request to the provider is likely to fail as well.
    #[must_use]
    pub fn is_of_the_provider(self) -> bool {
        matches!(
            self,
            Self::AuthInvalid
                | Self::RateLimited { .. }
                | Self::Network { own: false }
                | Self::Upstream
                | Self::NotUnderstood
        )
    }

    /// In a few words.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Self::AuthMissing => "not configured",
            Self::AuthInvalid => "key rejected",
            Self::Config => "badly configured",
            Self::TooLong => "search too long",
            Self::RateLimited { quota: true, .. } => "quota used up",
            Self::RateLimited { .. } => "rate limited",
            Self::Network { own: true } => "no network",
            Self::Network { .. } => "not reached",
            Self::Rejected => "search rejected",
            Self::Upstream => "failed",
            Self::NotUnderstood => "answer not understood",
        }
    }
}

/// Why a provider gave no results. No key is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The provider's name.
    pub provider: &'static str,
    /// The kind.
    pub kind: Kind,
    /// What happened: a sentence.
    pub text: String,
    /// What to do: a sentence.
    pub advice: String,
}

impl Failure {
    /// A failure with the usual advice.
    #[must_use]
    pub fn new(provider: &Provider, kind: Kind, text: impl Into<String>) -> Self {
        Self {
            provider: provider.name,
            kind,
            text: text.into(),
            advice: advice(provider, kind),
        }
    }

    /// The same with another advice.
    #[must_use]
    pub fn advising(mut self, advice: impl Into<String>) -> Self {
        self.advice = advice.into();
        self
    }

    /// Both texts changed.
    #[must_use]
    pub fn map(self, change: impl Fn(&str) -> String) -> Self {
        Self {
            text: change(&self.text),
            advice: change(&self.advice),
            ..self
        }
    }

    /// After how many seconds the same may work, where that is known or likely.
    #[must_use]
    pub fn retry_after(&self) -> Option<u64> {
        match self.kind {
            Kind::RateLimited { seconds, .. } => Some(seconds),
            Kind::Network { .. } => Some(5),
            Kind::Upstream => Some(USUAL_WAIT),
            _ => None,
        }
    }
}

impl fmt::Display for Failure {
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

impl std::error::Error for Failure {}

fn advice(provider: &Provider, kind: Kind) -> String {
    let title = provider.title;
    match kind {
        Kind::AuthMissing | Kind::Config => provider.setup.to_owned(),
        Kind::AuthInvalid => format!("Check {}.", provider.places()),
        Kind::TooLong => "Shorten the query, or choose another provider.".to_owned(),
        Kind::RateLimited { quota: true, .. } => {
            format!("Choose another provider until {title} allows more.")
        }
        Kind::RateLimited { seconds, .. } => {
            format!("Search again in {seconds} seconds, or choose another provider.")
        }
        Kind::Network { own: true } => {
            "This machine has no way out: no other provider can be reached either, until that is \
             mended."
                .to_owned()
        }
        Kind::Network { .. } => {
            "Search again in a few seconds, or choose another provider.".to_owned()
        }
        Kind::Rejected => "Change the search, or choose another provider.".to_owned(),
        Kind::Upstream => "Search again in a minute, or choose another provider.".to_owned(),
        Kind::NotUnderstood => {
            "Choose another provider; asking this one again is of no use unless \
            something between here and there is mended."
                .to_owned()
        }
    }
}
