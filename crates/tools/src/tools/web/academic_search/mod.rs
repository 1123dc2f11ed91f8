//! `academic_search`: finds scholarly papers with the providers of them.
//!
//! Rules: the specification's `academic_search`, and the decisions on it.

mod answer;
mod request;

use crate::contract::failure::Failure;
use crate::contract::reply::Reply;
use crate::contract::tool::{
    self, AccessScope, EnvelopeFamily, FieldRole, Tool, ToolManual, ToolSet,
};
use crate::tools::web::research_call::{self, ResearchCall};
use crate::tools::web::session_record;
use iki_web::papers::finder::{self, PaperFinder};

/// The tool's name.
const NAME: &str = "academic_search";

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: NAME,
    link: "academic-search-tool",
    title: "Find scholarly papers",
    family: EnvelopeFamily::Research,
    set: ToolSet::Research,
    served_by_default: false,
    hints: tool::ToolHints::ASKS,
    scope: AccessScope::Network,
    schema: include_str!("../../schemas/academic_search.json"),
    model_schema: include_str!("../../schemas/for_models/academic_search.json"),
    output_schema: Some(include_str!("../../schemas/output/academic_search.json")),
    aliases: session_record::ALIASES,
    manual: ToolManual(include_str!("../../manuals/academic_search.txt")),
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
    run: |request| research_call::run(request, NAME, answer),
    from_cache: Some(|request, store| research_call::from_cache(request, NAME, answer, store)),
    ..Tool::PLAIN
};

fn answer<'a>(call: &mut ResearchCall<'a, '_>) -> Result<Option<Reply<'a>>, Failure> {
    let (client, known) = (call.client, call.search_context);
    let wanted = request::read(call.request)?;
    let found = PaperFinder { client, known }.find(&wanted.search);
    let Some(answer) = call.found(found)? else {
        return Ok(None);
    };
    call.session_findings.provider = answer.answered.first().cloned().unwrap_or_default();
    call.session_findings.sources = answer
        .papers
        .iter()
        .map(|paper| paper.work.clone().into())
        .collect();
    let answered = answer.answered.iter().map(String::as_str);
    let attempted = answer.routed.attempted.iter().copied();
    let asked: Vec<&str> = answered.chain(attempted).collect();
    let others = finder::others(&known, &asked);
    Ok(Some(answer::reply(wanted, answer, others)))
}
