//! What a session's calls have come to: failures that came again and again, with what to try, and
//! each provider's record.

use serde::Serialize;

use super::session::CallOutcome;

/// The number of failures of a kind that make a pattern.
const PATTERN: usize = 3;

/// What to try after failures of a kind, as tools name them.
const ADVICE: [(&str, &str); 9] = [
    ("rate_limited", "Wait as told, or ask another provider."),
    (
        "blocked",
        "These sites refuse programs: take other sources of the same facts.",
    ),
    (
        "not_found",
        "Search for the pages anew in place of guessing their addresses.",
    ),
    (
        "auth_required",
        "Take sources that need no login, or ask the user for access.",
    ),
    (
        "content_empty",
        "Take other sources: these have no text to read.",
    ),
    ("browser_unavailable", "Take sources that need no scripts."),
    (
        "network",
        "See if this machine has a network, then try later.",
    ),
    (
        "config",
        "Tell the user which setting is missing, and ask another provider meanwhile.",
    ),
    (
        "validation",
        "Read the errors: the requests themselves were refused.",
    ),
];

/// A kind of failure that came three times or more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FailurePattern {
    /// The kind.
    pub kind: String,
    /// Number of failures.
    pub count: usize,
    /// Providers and sites that failed so, each once.
    pub providers: Vec<String>,
    /// What to try.
    pub suggestion: &'static str,
}

/// The record of a provider, or of a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderRecord {
    /// The provider's name, or the site's host.
    pub provider: String,
    /// Number of calls.
    pub calls: usize,
    /// Number of those that failed.
    pub failures: usize,
    /// The kind of the last failure.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub last_failure: String,
}

/// The kinds of failure that came three times or more, in the order in which they came first.
#[must_use]
pub fn failure_patterns(outcomes: &[CallOutcome]) -> Vec<FailurePattern> {
    let mut patterns: Vec<FailurePattern> = Vec::new();
    for CallOutcome {
        provider, failure, ..
    } in outcomes.iter().filter(|one| !one.failure.is_empty())
    {
        let place = patterns.iter().position(|one| one.kind == *failure);
        let place = place.unwrap_or_else(|| {
            let advice = ADVICE.iter().find(|(kind, _)| kind == failure);
            patterns.push(FailurePattern {
                kind: failure.clone(),
                count: 0,
                providers: Vec::new(),
                suggestion: advice.map_or("Try later, or another source.", |(_, advice)| advice),
            });
            patterns.len() - 1
        });
        let pattern = &mut patterns[place];
        pattern.count += 1;
        if !provider.is_empty() && !pattern.providers.contains(provider) {
            pattern.providers.push(provider.clone());
        }
    }
    patterns.retain(|pattern| pattern.count >= PATTERN);
    patterns
}

/// The record of each provider, in the order in which they were asked first.
#[must_use]
pub fn provider_records(outcomes: &[CallOutcome]) -> Vec<ProviderRecord> {
    let mut records: Vec<ProviderRecord> = Vec::new();
    for outcome in outcomes.iter().filter(|one| !one.provider.is_empty()) {
        let place = records
            .iter()
            .position(|one| one.provider == outcome.provider);
        let place = place.unwrap_or_else(|| {
            records.push(ProviderRecord {
                provider: outcome.provider.clone(),
                calls: 0,
                failures: 0,
                last_failure: String::new(),
            });
            records.len() - 1
        });
        let record = &mut records[place];
        record.calls += 1;
        if !outcome.failure.is_empty() {
            record.failures += 1;
            record.last_failure.clone_from(&outcome.failure);
        }
    }
    records
}
