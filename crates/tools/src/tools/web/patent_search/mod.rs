//! `patent_search`: searches patents with any configured provider, or else on the web.
//!
//! Rules: the decisions on `patent_search`.

mod answer;
mod request;

use crate::contract::failure::{ErrorCode, Failure};
use crate::contract::reply::Reply;
use crate::contract::tool::{FieldRole, Tool};
use crate::tools::web::research_call::{ResearchCall, research_tool};
use crate::tools::web::research_failure;
use crate::tools::web::session_record::SessionSource;
use iki_research::patents::patent::Patent;
use iki_research::patents::patent_searcher;
use iki_web::page::PartialDate;
use iki_web::search::provider_choice::NoProvider;
use iki_web::search::search_answer::SearchFailure;
use iki_web::work::{Work, WorkAuthor, WorkKind};

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    link: "patent-search-tool",
    title: "Search patents",
    values: &[("provider", "epo lens searchapi uspto")],
    fields: &[
        ("patents", FieldRole::Results),
        ("query", FieldRole::Silent),
        ("searchType", FieldRole::Silent),
        ("resultCount", FieldRole::Count),
        ("source", FieldRole::Silent),
        ("searchUrl", FieldRole::Silent),
        ("hints", FieldRole::Silent),
        ("requestedNumResults", FieldRole::Silent),
        ("trust", FieldRole::Silent),
    ],
    ..research_tool!("patent_search", answer)
};

fn answer<'a>(call: &mut ResearchCall<'a, '_>) -> Result<Option<Reply<'a>>, Failure> {
    let context = call.context;
    let search = request::read(call.request, context.credentials)?;
    let outcome = patent_searcher::search(&context, &search);
    if !context.client.is_offline()
        && matches!(outcome, Err(SearchFailure::NoProvider(NoProvider::Off)))
    {
        return Err(search_is_off());
    }
    let Some(answer) = call.answer_of(outcome)? else {
        return Ok(None);
    };
    answer
        .source
        .clone_into(&mut call.session_findings.provider);
    call.session_findings.sources = answer.patents.iter().map(session_source).collect();
    Ok(Some(answer::list(&search, answer, call).reply()))
}

fn search_is_off() -> Failure {
    let text = "No provider of patents answers, and the web search in their place is switched off \
                (SEARCH_PROVIDER=none). Set USPTO_API_KEY, EPO_CONSUMER_KEY with \
                EPO_CONSUMER_SECRET, LENS_API_TOKEN or SEARCHAPI_API_KEY.";
    research_failure::with_advice(ErrorCode::Config, text)
}

/// Returns what a session keeps of a patent.
fn session_source(patent: &Patent) -> SessionSource {
    let dates = [&patent.granted, &patent.filed];
    let mut dates = dates
        .into_iter()
        .filter_map(|date| PartialDate::parse(date));
    let title = match patent.title.as_str() {
        "" => &patent.number,
        title => title,
    };
    let mut work = Work {
        url: patent.url.clone(),
        title: title.to_owned(),
        kind: WorkKind::Patent,
        issue: patent.number.clone(),
        publisher: patent.assignee.clone(),
        date: dates.next(),
        pdf_url: patent.pdf.clone(),
        ..Work::default()
    };
    work.set_authors(
        patent
            .inventors_by_family()
            .map(|name| WorkAuthor::unsplit(&name)),
    );
    work.into()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_schema_of_answers_knows_every_field_and_asks_for_those_that_are_always_there() {
        let schema: Value = serde_json::from_str(TOOL.output_schema.unwrap()).unwrap();
        let properties = schema["properties"].as_object().unwrap();
        for (field, _) in TOOL.fields {
            assert!(properties.contains_key(*field), "{field}");
        }
        let items = &schema["properties"]["patents"]["items"]["properties"];
        let known: Vec<&String> = items.as_object().unwrap().keys().collect();
        assert_eq!(known, Patent::FIELDS);
        assert!(properties.contains_key("note"));
        let required = schema["required"].as_array().unwrap();
        let optional = ["hints", "requestedNumResults"];
        assert_eq!(required.len() + optional.len(), TOOL.fields.len());
    }
}
