//! The answer: the specification's object for programs, a shorter form for models and people, and
//! metadata for clients.

use serde_json::{Map, Value};

use super::request::PatentFields;
use crate::basics::words::beginning;
use crate::contract::reply::{META, Reply};
use crate::contract::terms::Audience;
use crate::tools::web::searching::answer_end::{AnswerEnd, count_fitting};
use crate::tools::web::searching::search_meta::SearchMeta;
use crate::web::patents::patent::Patent;
use crate::web::patents::patent_answer::{GOOD_FOR, PatentAnswer};
use crate::web::search::hints::SearchHints;

/// Most bytes taken by the fields around the patents if there is a limit, without the query.
const AROUND: usize = 200;

/// Longest abstract that is shown for reading, in bytes.
const SHOWN_ABSTRACT: usize = 500;

/// Builds the answer; `hints` if nothing was found.
pub fn reply<'a>(
    wanted: PatentFields,
    answer: PatentAnswer,
    hints: Option<SearchHints>,
) -> Reply<'a> {
    Reply::new(move |object| {
        let reader = object.terms().reader;
        let in_words = matches!(reader, Audience::Model | Audience::Person);
        let total = answer.patents.len();
        let search = &wanted.search;
        let search_url = search.search_url();
        let (age, took, routed) = (answer.age, answer.took, &answer.routed);
        let meta = SearchMeta::new(answer.source, Some(routed), (age, GOOD_FOR), took);
        let all = answer.patents.into_iter().map(|patent| {
            if in_words {
                lines(patent)
            } else {
                patent.fields()
            }
        });
        let mut rows: Vec<Value> = all.map(Value::Object).collect();
        let around = search.query.len() + search_url.len() + AROUND;
        rows.truncate(count_fitting(object, &rows, around));
        object.field("patents", &rows)?;
        object.field("query", &search.query)?;
        object.field("searchType", search.search_type.name())?;
        object.field("resultCount", &rows.len())?;
        object.field("source", answer.source)?;
        object.field("searchUrl", &search_url)?;
        AnswerEnd {
            noun: "patents",
            hints: hints.as_ref(),
            requested: wanted.requested,
            shown: rows.len(),
            found: total,
        }
        .write(object)?;
        if let Some(reason) = answer.routed.fallback_reason() {
            object.note(format!("Not answered: {reason}."));
        }
        for note in answer.notes {
            object.note(note);
        }
        object.field_for_server(META, &meta)
    })
}

/// Returns a patent as lines of text, for reading.
fn lines(patent: Patent) -> Map<String, Value> {
    let dated = |what: &str, day: String| match day.as_str() {
        "" => day,
        day => format!("{what} {day}"),
    };
    let facts = [
        patent.number.clone(),
        patent.assignee,
        patent.inventor,
        dated("filed", patent.filed),
        dated("granted", patent.granted),
        patent.status,
    ];
    let facts = facts.into_iter().filter(|fact| !fact.is_empty());
    let facts: Vec<String> = facts.collect();
    let shown = beginning(&patent.summary, SHOWN_ABSTRACT);
    let more = if shown == patent.summary {
        ""
    } else {
        "\u{2026}"
    };
    let title = Some(patent.title).filter(|title| !title.is_empty());
    let title = title.unwrap_or(patent.number);
    let lines = [
        ("title", title),
        ("url", patent.url),
        ("facts", facts.join(" | ")),
        ("abstract", format!("{shown}{more}")),
        ("pdf", patent.pdf),
    ];
    let lines = lines.into_iter().filter(|(_, line)| !line.is_empty());
    lines
        .map(|(name, line)| (name.to_owned(), Value::from(line)))
        .collect()
}
