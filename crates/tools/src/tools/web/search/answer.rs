//! The answer: the specification's object for programs, a shorter form for models and people, and
//! metadata for clients.

use serde_json::{Value, json};

use crate::contract::call_terms::Audience;
use crate::contract::reply::{META, Reply};
use crate::tools::web::searching::answer_end::{AnswerEnd, count_fitting};
use crate::tools::web::searching::results_notes;
use crate::tools::web::searching::search_fields::SearchFields;
use crate::tools::web::searching::search_meta::SearchMeta;
use iki_base::wording::beginning;
use iki_web::page::reputation;
use iki_web::search::claim::ClaimTerms;
use iki_web::search::hints::SearchHints;
use iki_web::search::outcome::SearchAnswer;
use iki_web::search::{SearchResult, display_link};

/// Maximum number of bytes taken by the fields around the results if there is a limit.
const OTHER_FIELDS_BYTES: usize = 120;

/// Bytes that an address in a list takes in addition to its own.
const URL_SEPARATOR_BYTES: usize = 3;

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
    if let Some(at) = &result.published_at {
        row["publishedAt"] = at.as_str().into();
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
    let date = date.map(|at| beginning(at, DAY_BYTES).to_owned());
    let known = reputation(&result.url);
    let known = known.map(|known| format!("{}: {}", known.tier, known.basis));
    let source: Vec<String> = [date, known].into_iter().flatten().collect();
    if !source.is_empty() {
        row["source"] = format!("({})", source.join("; ")).into();
    }
    row
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
        let row = if in_words { lines } else { fields };
        let rows: Vec<Value> = all.iter().map(|one| row(one, claim)).collect();
        let mut urls: Vec<&str> = all.iter().map(|one| one.url.as_str()).collect();
        let query = &wanted.search.query;
        let around = OTHER_FIELDS_BYTES + Value::from(query.as_str()).to_string().len();
        let listed: usize = urls.iter().map(|url| url.len() + URL_SEPARATOR_BYTES).sum();
        let shown = count_fitting(object, &rows, around + listed);
        urls.truncate(shown);
        object.field("urls", &urls)?;
        object.field("query", query)?;
        object.field("resultCount", &shown)?;
        object.field("results", &rows[..shown])?;
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
