//! The answer: the specification's object for programs, a shorter form for models and people, and
//! metadata for clients.

use serde_json::{Value, json};

use crate::contract::notes::Notes;
use crate::tools::web::research_call::ResearchCall;
use crate::tools::web::searching::result_list::FoundList;
use crate::tools::web::searching::search_fields;
use crate::tools::web::searching::search_meta::SearchMeta;
use iki_research::patents::patent::Patent;
use iki_research::patents::patent_answer::{PatentAnswer, TIME_TO_LIVE};
use iki_research::patents::patent_searcher;
use iki_research::patents::query::{PatentSearch, PatentSearchType};
use iki_web::search::hints::SearchHints;
use iki_web::search::results::shortened;

/// Maximum length of an abstract that is shown for reading, in characters.
const MAX_SHOWN_ABSTRACT_CHARS: usize = 500;

/// Builds the list that is answered with.
pub fn list(search: &PatentSearch, answer: PatentAnswer, call: &ResearchCall<'_, '_>) -> FoundList {
    let routed = &answer.routed;
    let mut notes = Notes::default();
    let reason = routed.fallback_reason();
    notes.add(reason.map(|reason| format!("Not answered: {reason}.")));
    answer.notes.into_iter().for_each(|note| notes.add(note));
    let age = (answer.age, TIME_TO_LIVE);
    let row = if call.in_words() {
        lines
    } else {
        Patent::fields
    };
    FoundList {
        noun: "patents",
        hints: answer.patents.is_empty().then(|| {
            let others = patent_searcher::alternatives(&call.context, answer.source);
            SearchHints::new(filters(search), others)
        }),
        rows: answer.patents.into_iter().map(row).collect(),
        fields: vec![
            ("patents", Value::Null),
            ("query", search.query.as_str().into()),
            ("searchType", search.search_type.name().into()),
            ("resultCount", Value::Null),
            ("source", answer.source.into()),
            ("searchUrl", search.search_url().into()),
        ],
        requested: search_fields::requested(call.request),
        notes,
        meta: SearchMeta::new(answer.source, Some(routed), age, answer.took),
    }
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
