//! `academic_search`: finds scholarly papers with the providers of them.
//!
//! Rules: the specification's `academic_search`, and the decisions on it.

mod answer;
mod request;

use crate::contract::failure::Failure;
use crate::contract::reply::Reply;
use crate::contract::tool::{FieldRole, Tool};
use crate::tools::web::research_call::{ResearchCall, research_tool};
use crate::tools::web::session_record::SessionSource;
use iki_research::papers::paper_searcher;

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    link: "academic-search-tool",
    title: "Find scholarly papers",
    fields: &[
        ("papers", FieldRole::Results),
        ("query", FieldRole::Silent),
        ("totalResults", FieldRole::Silent),
        ("resultCount", FieldRole::Count),
        ("source", FieldRole::Silent),
        ("hints", FieldRole::Silent),
        ("requestedNumResults", FieldRole::Silent),
        ("trust", FieldRole::Silent),
    ],
    ..research_tool!("academic_search", answer)
};

fn answer<'a>(call: &mut ResearchCall<'a, '_>) -> Result<Option<Reply<'a>>, Failure> {
    let context = call.context;
    let search = request::read(call.request)?;
    let outcome = paper_searcher::search(&context, &search);
    let Some(answer) = call.answer_of(outcome)? else {
        return Ok(None);
    };
    call.session_findings.provider = answer.answered.first().cloned().unwrap_or_default();
    let works = answer.papers.iter().map(|paper| paper.work.clone());
    call.session_findings.sources = works.map(SessionSource::from).collect();
    Ok(Some(answer::list(&search, &answer, call).reply()))
}
