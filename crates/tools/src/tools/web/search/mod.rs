//! `web_search`: searches the web with any configured provider.
//!
//! Rules: the specification's `web_search`, and the decisions on it.

mod answer;

use crate::contract::failure::Failure;
use crate::contract::reply::Reply;
use crate::contract::tool::{
    self, AccessScope, EnvelopeFamily, FieldRole, Tool, ToolManual, ToolSet,
};
use crate::tools::web::research_call::{self, ResearchCall};
use crate::tools::web::searching::{self, search_fields};
use crate::tools::web::session_record::{self, SessionSource};
use iki_web::search::hints::SearchHints;
use iki_web::search::searcher::WebSearcher;

/// The tool's name.
const NAME: &str = "web_search";

/// Default number of results.
const DEFAULT_RESULTS: usize = 5;

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: NAME,
    link: "web-search-tool",
    title: "Search the web",
    family: EnvelopeFamily::Research,
    set: ToolSet::Research,
    hints: tool::ToolHints::ASKS,
    scope: AccessScope::Network,
    schema: include_str!("../../schemas/web_search.json"),
    model_schema: include_str!("../../schemas/for_models/web_search.json"),
    output_schema: Some(include_str!("../../schemas/output/web_search.json")),
    aliases: session_record::ALIASES,
    values: searching::VALUES,
    manual: ToolManual(include_str!("../../manuals/web_search.txt")),
    fields: &[
        ("urls", FieldRole::Silent),
        ("query", FieldRole::Silent),
        ("resultCount", FieldRole::Count),
        ("results", FieldRole::Results),
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
    let credentials = known.credentials;
    let wanted = search_fields::read(call.request, credentials, DEFAULT_RESULTS)?;
    let found = WebSearcher { client, known }.search(&wanted.search);
    let Some(answer) = call.found(found)? else {
        return Ok(None);
    };
    answer
        .provider
        .name
        .clone_into(&mut call.session_findings.provider);
    call.session_findings.sources = answer.results.iter().map(SessionSource::from).collect();
    let hints = answer.results.is_empty().then(|| {
        let breakers = known.breakers();
        SearchHints::of(&wanted.search, answer.provider, credentials, breakers)
    });
    Ok(Some(answer::reply(wanted, answer, hints)))
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
        assert!(properties.contains_key("note"));
        let always = ["urls", "query", "resultCount", "results", "trust"];
        assert_eq!(schema["required"], serde_json::json!(always));
        assert_eq!(schema.get("additionalProperties"), None);
    }
}
