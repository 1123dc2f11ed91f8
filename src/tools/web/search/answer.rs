//! The answer: the specification's object for programs, a shorter form for models and people, and
//! metadata for clients.

use serde_json::{Value, json};

use crate::contract::reply::{META, Reply};
use crate::contract::terms::Audience;
use crate::page::reputation;
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

/// Returns a result as lines of text, for reading; an empty line is not shown.
fn lines(result: &SearchResult, claim: Option<&ClaimTerms>) -> Value {
    let signal = claim.map(|claim| claim.signal(result)).unwrap_or_default();
    let is_new = !signal.is_empty() && signal != result.snippet && signal != result.title;
    let claim = if is_new {
        format!("claim: {signal}")
    } else {
        String::new()
    };
    let date = result.published_at.as_deref();
    let date = date.map(|at| at[..at.len().min(10)].to_owned());
    let known = reputation(&result.url);
    let known = known.map(|known| format!("{}: {}", known.tier, known.basis));
    let source: Vec<String> = [date, known].into_iter().flatten().collect();
    let source = match source.join("; ") {
        text if text.is_empty() => text,
        text => format!("({text})"),
    };
    json!({
        "title": result.title, "url": result.url, "snippet": result.snippet, "claim": claim,
        "source": source,
    })
}

/// Returns a result in the specification's form.
fn row(result: &SearchResult, claim: Option<&ClaimTerms>) -> Value {
    let mut row = json!({
        "title": result.title, "url": result.url, "snippet": result.snippet,
        "displayLink": display_link(&result.url),
    });
    let extra = &result.extra_snippets;
    let known = reputation(&result.url).map(|known| json!(known));
    for (name, value) in [
        ("sourceReputation", known),
        (
            "claimSignal",
            claim.map(|claim| claim.signal(result).into()),
        ),
        (
            "publishedAt",
            result.published_at.as_deref().map(Value::from),
        ),
        ("extraSnippets", (!extra.is_empty()).then(|| json!(extra))),
    ] {
        if let Some(value) = value {
            row[name] = value;
        }
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
        let row = if in_words { lines } else { row };
        let rows: Vec<Value> = all.iter().map(|one| row(one, claim)).collect();
        let mut shown = rows.len();
        if let Some(room) = object.room() {
            let query = serde_json::to_vec(&wanted.search.query)?.len();
            let mut room = room.saturating_sub(query + AROUND);
            let fits = |(row, result): &(&Value, &SearchResult)| {
                let length = row.to_string().len() + json!(result.url).to_string().len() + 2;
                let rest = room.checked_sub(length);
                room = rest.unwrap_or(0);
                rest.is_some()
            };
            shown = rows.iter().zip(all).take_while(fits).count();
        }
        let urls: Vec<&str> = all[..shown].iter().map(|one| one.url.as_str()).collect();
        object.field("urls", &urls)?;
        object.field("query", &wanted.search.query)?;
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
