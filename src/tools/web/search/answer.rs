//! The answer: the specification's object for programs, a shorter form for models and people, and
//! metadata for clients.

use serde::Serialize;

use super::request::SearchFields;
use crate::contract::notes::Notes;
use crate::contract::reply::{META, Object, Reply};
use crate::contract::terms::Audience;
use crate::page::{HostReputation, reputation};
use crate::tools::web::research_cache::{AnswerFreshness, TRUST};
use crate::web::search::cached_results::GOOD_FOR;
use crate::web::search::claim::ClaimTerms;
use crate::web::search::hints::{SearchHints, SearchSuggestion};
use crate::web::search::outcome::SearchAnswer;
use crate::web::search::search_provider::SearchProvider;
use crate::web::search::{SearchResult, display_link, unseen_taken_out};

/// Most bytes taken by the fields around the results if there is a limit.
const AROUND: usize = 120;

/// A result in the specification's form.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultFields<'a> {
    title: &'a str,
    url: &'a str,
    snippet: &'a str,
    display_link: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_reputation: Option<HostNotes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    claim_signal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published_at: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    extra_snippets: &'a [String],
}

/// Facts about a host.
#[derive(Serialize)]
struct HostNotes {
    tier: &'static str,
    basis: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

impl From<HostReputation> for HostNotes {
    fn from(reputation: HostReputation) -> Self {
        Self {
            tier: reputation.tier,
            basis: reputation.basis,
            note: reputation.note,
        }
    }
}

/// A result as lines of text, for reading.
#[derive(Serialize)]
struct ResultLines<'a> {
    title: &'a str,
    url: &'a str,
    snippet: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    claim: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
}

impl<'a> ResultLines<'a> {
    fn of(result: &'a SearchResult, claim: Option<&ClaimTerms>) -> Self {
        let signal = claim.map(|claim| claim.signal(result));
        let new = |signal: &String| {
            !signal.is_empty() && *signal != result.snippet && *signal != result.title
        };
        let date = result
            .published_at
            .as_deref()
            .map(|at| &at[..at.len().min(10)]);
        let known = reputation(&result.url);
        let known = known.map(|known| format!("{}: {}", known.tier, known.basis));
        let source: Vec<String> = [date.map(str::to_owned), known]
            .into_iter()
            .flatten()
            .collect();
        Self {
            title: &result.title,
            url: &result.url,
            snippet: &result.snippet,
            claim: signal.filter(new).map(|signal| format!("claim: {signal}")),
            source: (!source.is_empty()).then(|| format!("({})", source.join("; "))),
        }
    }
}

/// Suggested actions after a search without results.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HintsShown<'a> {
    reason: &'static str,
    filters_applied: serde_json::Map<String, serde_json::Value>,
    suggested_actions: Vec<ActionShown<'a>>,
}

#[derive(Serialize)]
struct ActionShown<'a> {
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'a str>,
    detail: String,
}

impl<'a> From<&'a SearchHints> for HintsShown<'a> {
    fn from(hints: &'a SearchHints) -> Self {
        let filters = hints.filters_applied.iter();
        let actions = hints.suggested_actions.iter();
        Self {
            reason: hints.reason.name(),
            filters_applied: filters
                .map(|(field, value)| ((*field).to_owned(), value.as_str().into()))
                .collect(),
            suggested_actions: actions.map(ActionShown::from).collect(),
        }
    }
}

impl<'a> From<&'a SearchSuggestion> for ActionShown<'a> {
    fn from(action: &'a SearchSuggestion) -> Self {
        let (name, parameter, value) = match action {
            SearchSuggestion::RemoveFilter(field) => ("remove_filter", Some(*field), None),
            SearchSuggestion::TryProvider(name) => {
                ("try_different_provider", Some("provider"), Some(*name))
            }
            SearchSuggestion::Rephrase => ("broaden_query", Some("query"), None),
        };
        Self {
            action: name,
            parameter,
            value,
            detail: in_words(action),
        }
    }
}

fn in_words(action: &SearchSuggestion) -> String {
    match action {
        SearchSuggestion::RemoveFilter(field) => format!("Search again without {field}."),
        SearchSuggestion::TryProvider(name) => format!("Search again with the provider {name}."),
        SearchSuggestion::Rephrase => "Search with other or fewer words.".to_owned(),
    }
}

/// Metadata for a client beside the answer.
#[derive(Serialize)]
struct SearchMeta {
    #[serde(flatten)]
    freshness: AnswerFreshness,
    #[serde(skip_serializing_if = "Option::is_none")]
    routing: Option<RoutingMeta>,
}

/// Route of the search to its provider.
#[derive(Serialize)]
struct RoutingMeta {
    provider_used: &'static str,
    providers_attempted: Vec<&'static str>,
    fallback: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback_reason: Option<String>,
    cache_hit: bool,
    latency_ms: u128,
}

impl SearchMeta {
    fn of(answer: &SearchAnswer) -> Self {
        let routing = answer.routed.as_ref().map(|routed| RoutingMeta {
            provider_used: answer.provider.name,
            providers_attempted: routed.attempted.clone(),
            fallback: !routed.passed.is_empty(),
            fallback_reason: routed.fallback_reason(),
            cache_hit: answer.age.is_some(),
            latency_ms: answer.took.as_millis(),
        });
        Self {
            freshness: AnswerFreshness::of(answer.age, GOOD_FOR),
            routing,
        }
    }
}

/// Builds the answer; `hints` if nothing was found.
pub fn reply<'a>(
    wanted: SearchFields,
    answer: SearchAnswer,
    hints: Option<SearchHints>,
) -> Reply<'a> {
    Reply::new(move |object| {
        let claim = wanted.search.claim.as_deref().map(ClaimTerms::new);
        let claim = claim.as_ref();
        let reader = object.terms().reader;
        let in_words = matches!(reader, Audience::Model | Audience::Person);
        let all = &answer.results;
        let shown = if in_words {
            let rows: Vec<ResultLines<'_>> =
                all.iter().map(|one| ResultLines::of(one, claim)).collect();
            write(object, &wanted, all, &rows)?
        } else {
            let rows: Vec<ResultFields<'_>> = all.iter().map(|one| row(one, claim)).collect();
            write(object, &wanted, all, &rows)?
        };
        if let Some(hints) = &hints {
            if in_words {
                object.nothing_found("no results")?;
                object.note(describe_hints(hints));
            } else {
                object.field("hints", &HintsShown::from(hints))?;
            }
        }
        if let Some(requested) = wanted.requested {
            if in_words {
                object.note(format!(
                    "{requested} results were asked for; there are 1 to 10."
                ));
            } else {
                object.field("requestedNumResults", &requested)?;
            }
        }
        object.field("trust", TRUST)?;
        if shown < all.len() {
            object.note(format!(
                "{shown} of {} results are shown, for which there is room.",
                all.len()
            ));
        }
        object.note(notes(&wanted, &answer));
        object.field_for_server(META, &SearchMeta::of(&answer))
    })
}

fn row<'a>(result: &'a SearchResult, claim: Option<&ClaimTerms>) -> ResultFields<'a> {
    ResultFields {
        title: &result.title,
        url: &result.url,
        snippet: &result.snippet,
        display_link: display_link(&result.url),
        source_reputation: reputation(&result.url).map(HostNotes::from),
        claim_signal: claim.map(|claim| claim.signal(result)),
        published_at: result.published_at.as_deref(),
        extra_snippets: &result.extra_snippets,
    }
}

/// Writes as many results as there is room for, and their count, which it returns.
fn write<T: Serialize>(
    object: &mut Object<'_>,
    wanted: &SearchFields,
    all: &[SearchResult],
    rows: &[T],
) -> std::io::Result<usize> {
    let mut shown = rows.len();
    if let Some(room) = object.room() {
        let query = serde_json::to_vec(&wanted.search.query)?.len();
        let mut room = room.saturating_sub(query + AROUND);
        shown = 0;
        for (row, result) in rows.iter().zip(all) {
            let length = serde_json::to_vec(row)?.len() + serde_json::to_vec(&result.url)?.len();
            let Some(rest) = room.checked_sub(length + 2) else {
                break;
            };
            room = rest;
            shown += 1;
        }
    }
    let urls: Vec<&str> = all[..shown].iter().map(|one| one.url.as_str()).collect();
    object.field("urls", &urls)?;
    object.field("query", &wanted.search.query)?;
    object.field("resultCount", &shown)?;
    object.field("results", &rows[..shown])?;
    Ok(shown)
}

/// Returns the hints as sentences.
fn describe_hints(hints: &SearchHints) -> String {
    let actions: Vec<String> = hints.suggested_actions.iter().map(in_words).collect();
    let filters: Vec<String> = hints
        .filters_applied
        .iter()
        .map(|(field, value)| format!("{field} ({value})"))
        .collect();
    if filters.is_empty() {
        return actions.join(" ");
    }
    format!(
        "What may have taken results away: {}. {}",
        filters.join(", "),
        actions.join(" ")
    )
}

/// Writes notes on fields that were ignored, and hosts that were not searched.
fn notes(wanted: &SearchFields, answer: &SearchAnswer) -> Notes {
    let SearchProvider {
        service, limits, ..
    } = answer.provider;
    let title = service.title;
    let mut notes = Notes::default();
    if !answer.unheeded.is_empty() {
        notes.add(format!(
            "{title} cannot search by {}, and did not.",
            answer.unheeded.join(" or ")
        ));
    }
    if let Some(asked) = &answer.shortened {
        notes.add(format!(
            "{title} takes searches of at most {} characters and {} words: only the beginning of \
             the query was searched for, {asked:?}.",
            limits.characters, limits.words
        ));
    }
    for (hosts, failure) in &answer.unsearched {
        let were = if hosts.len() == 1 { "was" } else { "were" };
        notes.add(format!(
            "{} {were} not searched: {failure}",
            hosts.join(", ")
        ));
    }
    for problem in &wanted.problems {
        notes.add(problem.clone());
    }
    notes.add(unseen_taken_out(&answer.results).note_of_page("the results"));
    notes
}
