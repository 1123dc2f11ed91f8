//! The outcomes of a session's calls: failures that came again and again, with what to try, and
//! each provider's record.

use serde_json::{Value, json};

use iki_research::sessions::CallOutcome;

/// The number of failures of a kind that make a pattern.
const MIN_PATTERN_FAILURES: usize = 3;

/// Returns the advice after failures of a kind, as tools name them.
fn advice(kind: &str) -> &'static str {
    match kind {
        "rate_limited" => "Wait as told, or ask another provider.",
        "blocked" => "These sites refuse programs: take other sources of the same facts.",
        "not_found" => "Search for the pages anew in place of guessing their addresses.",
        "auth_required" => "Take sources that need no login, or ask the user for access.",
        "content_empty" => "Take other sources: these have no text to read.",
        "browser_unavailable" => "Take sources that need no scripts.",
        "network" => "See if this machine has a network, then try later.",
        "config" => "Tell the user which setting is missing, and ask another provider meanwhile.",
        "validation" => "Read the errors: the requests themselves were refused.",
        _ => "Try later, or another source.",
    }
}

/// Returns the outcomes by the name that `name_of` finds in them, in the order in which names came
/// first.
fn by_name<'o>(
    outcomes: &[&'o CallOutcome],
    name_of: fn(&CallOutcome) -> &str,
) -> Vec<(&'o str, Vec<&'o CallOutcome>)> {
    let mut groups: Vec<(&str, Vec<&CallOutcome>)> = Vec::new();
    for outcome in outcomes {
        let name = name_of(outcome);
        match groups.iter_mut().find(|(one, _)| *one == name) {
            _ if name.is_empty() => {}
            Some((_, group)) => group.push(outcome),
            None => groups.push((name, vec![outcome])),
        }
    }
    groups
}

/// Returns the kinds of failure that came three times or more: each with how often, the providers
/// and sites that failed so, and what to try.
pub fn failure_patterns(outcomes: &[CallOutcome]) -> Vec<Value> {
    let mut kinds = by_name(&outcomes.iter().collect::<Vec<_>>(), |one| &one.failure);
    kinds.retain(|(_, failed)| failed.len() >= MIN_PATTERN_FAILURES);
    let patterns = kinds.into_iter().map(|(kind, failed)| {
        let providers = by_name(&failed, |one| &one.provider).into_iter();
        let providers: Vec<&str> = providers.map(|(provider, _)| provider).collect();
        json!({
            "kind": kind,
            "count": failed.len(),
            "providers": providers,
            "suggestion": advice(kind),
        })
    });
    patterns.collect()
}

/// Returns the record of each provider, or site: the number of calls, of those that failed, and the
/// kind of the last failure.
pub fn provider_records(outcomes: &[CallOutcome]) -> Vec<Value> {
    let providers = by_name(&outcomes.iter().collect::<Vec<_>>(), |one| &one.provider);
    let records = providers.into_iter().map(|(provider, calls)| {
        let failures = by_name(&calls, |one| &one.failure);
        let failures: usize = failures.iter().map(|(_, failed)| failed.len()).sum();
        let mut record = json!({"provider": provider, "calls": calls.len(), "failures": failures});
        if let Some(last) = calls.iter().rfind(|one| !one.failure.is_empty()) {
            record["lastFailure"] = last.failure.as_str().into();
        }
        record
    });
    records.collect()
}
