//! The answer: the specification's object for programs, a shorter form for models and people, and
//! metadata for clients.

use serde_json::{Value, json};

use crate::tools::web::research_call::ResearchCall;
use crate::tools::web::searching::result_list::FoundList;
use crate::tools::web::searching::results_notes;
use crate::tools::web::searching::search_fields::SearchFields;
use crate::tools::web::searching::search_meta::SearchMeta;
use iki_base::wording::beginning;
use iki_web::page::reputation;
use iki_web::search::claim::ClaimTerms;
use iki_web::search::hints::SearchHints;
use iki_web::search::search_answer::SearchAnswer;
use iki_web::search::{SearchResult, display_link};

/// Length of a day's date, in bytes.
const DAY_BYTES: usize = 10;

/// Returns a result in the specification's form.
fn fields(result: &SearchResult, claim: Option<&ClaimTerms>) -> Value {
    let mut row = json!({
        "title": result.title,
        "url": result.url,
        "snippet": result.snippet,
        "displayLink": display_link(&result.url),
    });
    if let Some(known) = reputation(&result.url) {
        row["sourceReputation"] = json!({"tier": known.tier, "basis": known.basis});
        if let Some(note) = known.note {
            row["sourceReputation"]["note"] = note.into();
        }
    }
    if let Some(claim) = claim {
        row["claimSignal"] = claim.signal(result).into();
    }
    if let Some(time) = &result.published_at {
        row["publishedAt"] = time.as_str().into();
    }
    if !result.extra_snippets.is_empty() {
        row["extraSnippets"] = result.extra_snippets.as_slice().into();
    }
    row
}

/// Returns a result as lines of text, for reading.
fn lines(result: &SearchResult, claim: Option<&ClaimTerms>) -> Value {
    let mut row = json!({
        "title": result.title,
        "url": result.url,
        "snippet": result.snippet,
    });
    let signal = claim.map(|claim| claim.signal(result)).unwrap_or_default();
    if !["", &result.snippet, &result.title].contains(&&*signal) {
        row["claim"] = format!("claim: {signal}").into();
    }
    let date = result.published_at.as_deref();
    let date = date.map(|time| beginning(time, DAY_BYTES).to_owned());
    let known = reputation(&result.url);
    let known = known.map(|known| format!("{}: {}", known.tier, known.basis));
    let source: Vec<String> = [date, known].into_iter().flatten().collect();
    if !source.is_empty() {
        row["source"] = format!("({})", source.join("; ")).into();
    }
    row
}

/// Builds the list that is answered with.
pub fn list(
    wanted: &SearchFields,
    answer: &SearchAnswer,
    call: &ResearchCall<'_, '_>,
) -> FoundList {
    let claim = wanted.search.claim.as_deref().map(ClaimTerms::new);
    let results = answer.results.iter();
    let row = if call.in_words() { lines } else { fields };
    FoundList {
        noun: "results",
        rows: results
            .clone()
            .map(|one| row(one, claim.as_ref()))
            .collect(),
        hints: answer
            .results
            .is_empty()
            .then(|| SearchHints::for_search(&wanted.search, answer.provider, &call.context)),
        fields: vec![
            ("urls", results.map(|one| one.url.as_str()).collect()),
            ("query", wanted.search.query.as_str().into()),
            ("resultCount", Value::Null),
            ("results", Value::Null),
        ],
        requested: wanted.requested,
        notes: results_notes::notes(wanted, answer),
        meta: SearchMeta::from_answer(answer),
    }
}
