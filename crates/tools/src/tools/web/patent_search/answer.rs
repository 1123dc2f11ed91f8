//! The answer: the specification's object for programs, a shorter form for models and people, and
//! metadata for clients.

use serde_json::{Value, json};

use super::request::PatentFields;
use crate::contract::call_terms::Audience;
use crate::contract::reply::{META, Reply};
use crate::tools::web::searching::answer_end::{AnswerEnd, count_fitting};
use crate::tools::web::searching::search_meta::SearchMeta;
use iki_web::patents::patent::Patent;
use iki_web::patents::patent_answer::{PatentAnswer, TIME_TO_LIVE};
use iki_web::patents::query::{PatentSearch, PatentSearchType};
use iki_web::search::hints::SearchHints;
use iki_web::search::results::shortened;

/// Maximum number of bytes taken by the fields around the patents if there is a limit, without the
/// query.
const OTHER_FIELDS_BYTES: usize = 200;

/// Maximum length of an abstract that is shown for reading, in characters.
const MAX_SHOWN_ABSTRACT_CHARS: usize = 500;

/// Builds the answer; `others` are the providers that could be asked if nothing was found.
pub fn reply<'a>(
    wanted: PatentFields,
    answer: PatentAnswer,
    others: Vec<&'static str>,
) -> Reply<'a> {
    Reply::new(move |object| {
        let reader = object.terms().reader;
        let in_words = matches!(reader, Audience::Model | Audience::Person);
        let total = answer.patents.len();
        let search = &wanted.search;
        let search_url = search.search_url();
        let (age, took, routed) = (answer.age, answer.took, &answer.routed);
        let meta = SearchMeta::new(answer.source, Some(routed), (age, TIME_TO_LIVE), took);
        let hints = (total == 0).then(|| SearchHints::new(filters(search), others));
        let row = if in_words { lines } else { Patent::fields };
        let mut rows: Vec<Value> = answer.patents.into_iter().map(row).collect();
        let around = search.query.len() + search_url.len() + OTHER_FIELDS_BYTES;
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

/// Returns the fields that may exclude patents, with their values, the most restrictive first.
fn filters(search: &PatentSearch) -> [(&'static str, Option<String>); 7] {
    let year = |year: Option<u16>| year.map(|year| year.to_string());
    let specific = search.search_type == PatentSearchType::Specific;
    let search_type = specific.then(|| search.search_type.name().to_owned());
    [
        ("cpc_code", search.cpc_code.clone()),
        ("inventor", search.inventor.clone()),
        ("assignee", search.assignee.clone()),
        ("year_from", year(search.year_from)),
        ("year_to", year(search.year_to)),
        ("patent_office", search.office.map(str::to_owned)),
        ("search_type", search_type),
    ]
}

/// Returns a patent as lines of text, for reading; an empty line is not shown.
fn lines(patent: Patent) -> Value {
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
    let title = Some(patent.title).filter(|title| !title.is_empty());
    json!({
        "title": title.unwrap_or(patent.number),
        "url": patent.url,
        "facts": facts.join(" | "),
        "abstract": shortened(&patent.summary, MAX_SHOWN_ABSTRACT_CHARS),
        "pdf": patent.pdf,
    })
}
