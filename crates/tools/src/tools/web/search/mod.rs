//! `web_search`: searches the web with any configured provider.
//!
//! Rules: the specification's `web_search`, and the decisions on it.

mod answer;

use crate::contract::failure::Failure;
use crate::contract::reply::Reply;
use crate::contract::tool::{FieldRole, Tool};
use crate::tools::web::research_call::{ResearchCall, research_tool};
use crate::tools::web::searching::{self, search_fields};
use crate::tools::web::session_record::SessionSource;
use iki_web::search::searcher;

/// Default number of results.
const DEFAULT_RESULTS: usize = 5;

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    link: "web-search-tool",
    title: "Search the web",
    is_served_by_default: true,
    values: searching::VALUES,
    fields: &[
        ("urls", FieldRole::Silent),
        ("query", FieldRole::Silent),
        ("resultCount", FieldRole::Count),
        ("results", FieldRole::Results),
        ("hints", FieldRole::Silent),
        ("requestedNumResults", FieldRole::Silent),
        ("trust", FieldRole::Silent),
    ],
    ..research_tool!("web_search", answer)
};

fn answer<'a>(call: &mut ResearchCall<'a, '_>) -> Result<Option<Reply<'a>>, Failure> {
    let context = call.context;
    let wanted = search_fields::read(call.request, context.credentials, DEFAULT_RESULTS)?;
    let outcome = searcher::search(&context, &wanted.search);
    let Some(answer) = call.answer_of(outcome)? else {
        return Ok(None);
    };
    answer
        .provider
        .name
        .clone_into(&mut call.session_findings.provider);
    call.session_findings.sources = answer.results.iter().map(SessionSource::from).collect();
    Ok(Some(answer::list(&wanted, &answer, call).reply()))
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
