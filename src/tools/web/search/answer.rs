//! The answer: the specification's object for programs, a shorter form for models and people, and
//! metadata for clients.

use serde::Serialize;

use crate::contract::reply::{META, Object, Reply};
use crate::contract::terms::Audience;
use crate::page::{HostReputation, reputation};
use crate::tools::web::searching::answer_end::AnswerEnd;
use crate::tools::web::searching::results_notes;
use crate::tools::web::searching::search_fields::SearchFields;
use crate::tools::web::searching::search_meta::SearchMeta;
use crate::web::search::claim::ClaimTerms;
use crate::web::search::hints::SearchHints;
use crate::web::search::outcome::SearchAnswer;
use crate::web::search::{SearchResult, display_link};

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
        AnswerEnd {
            noun: "results",
            hints: hints.as_ref(),
            requested: wanted.requested,
            shown,
            found: all.len(),
        }
        .write(object)?;
        object.note(results_notes::notes(&wanted, &answer));
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
