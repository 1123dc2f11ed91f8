//! `web_search`: searches the web with any configured provider.
//!
//! Rules: the specification's `web_search`, and the decisions on it.

mod answer;

use std::time::Instant;

use crate::cache::CacheStore;
use crate::contract::failure::Failure;
use crate::contract::reply::Reply;
use crate::contract::request::Request;
use crate::contract::tool::{self, AccessScope, Family, FieldRole, Tool, ToolManual, ToolSet};
use crate::tools::web::searching::search_fields::{self, SearchFields};
use crate::tools::web::searching::{self, search_failure};
use crate::tools::web::session_record::{self, SessionFinds, SessionSource};
use crate::tools::web::{network, research_cache};
use crate::web::credentials::Credentials;
use crate::web::search::context::SearchContext;
use crate::web::search::hints::SearchHints;
use crate::web::search::outcome::SearchAnswer;
use crate::web::search::searcher::WebSearcher;

/// The tool's name.
const NAME: &str = "web_search";

/// Default number of results.
const USUAL_RESULTS: usize = 5;

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: NAME,
    link: "web-search-tool",
    title: "Search the web",
    family: Family::Research,
    set: ToolSet::Research,
    hints: tool::ToolHints::ASKS,
    scope: AccessScope::Network,
    schema: include_str!("../../schemas/web_search.json"),
    model_schema: include_str!("../../schemas/for_models/web_search.json"),
    output_schema: Some(include_str!("../../schemas/output/web_search.json")),
    aliases: session_record::ALIASES,
    values: searching::VALUES,
    manual: ToolManual {
        text: "\
Searches the web with the provider that the request names, else SEARCH_PROVIDER, else the first of
SEARCH_ROUTING that answers, else the first of brave, google, serper, tavily, exa, searchapi and
searxng that is configured, else duckduckgo, which needs no key. Whoever is asked sees the query.
Keys come from the variables below, or from `web_search.PROVIDER.api_key` in
~/.config/ikigai/credentials.json. Answers are kept for 30 minutes, encrypted, in
~/.cache/ikigai-tools. A lens is a list of domains with a name; lenses of your own are JSON files
({\"name\": ..., \"domains\": [...]}) in lenses/ beside credentials.json, or where
CUSTOM_LENSES_PATH says.",
        example: r#"{"query":"rust async runtimes","num_results":3}"#,
        environment: &[
            (
                "SEARCH_PROVIDER",
                "the provider to ask; `none` turns off the fallback to DuckDuckGo",
            ),
            (
                "SEARCH_ROUTING",
                "the providers to try in this order: brave,searxng or {\"web\":[\"brave\",\"searxng\"]}",
            ),
            (
                "BRAVE_API_KEY, SERPER_API_KEY, TAVILY_API_KEY, EXA_API_KEY, SEARCHAPI_API_KEY",
                "the key of each provider",
            ),
            (
                "GOOGLE_SEARCH_API_KEY, GOOGLE_SEARCH_ENGINE_ID",
                "Google's key and search engine; also GOOGLE_CUSTOM_SEARCH_API_KEY and \
                 GOOGLE_CUSTOM_SEARCH_ID",
            ),
            (
                "SEARXNG_URL, SEARXNG_BASIC_AUTH, SEARXNG_HEADERS",
                "the address of a SearXNG of your own, its login (user:password) and further \
                 headers (Name: value; ...)",
            ),
            (
                "IKIGAI_BRAVE_URL, IKIGAI_DUCKDUCKGO_URL, IKIGAI_EXA_URL, IKIGAI_GOOGLE_URL, \
                 IKIGAI_SEARCHAPI_URL, IKIGAI_SEARXNG_URL, IKIGAI_SERPER_URL, IKIGAI_TAVILY_URL",
                "the provider's address, for proxies and tests",
            ),
            (
                "CUSTOM_LENSES_PATH",
                "further files and directories with lenses, with colons between them",
            ),
            research_cache::NO_CACHE,
            research_cache::CACHE_KEY,
            research_cache::CACHE_PLACES,
            network::PROXIES,
            network::NO_PROXY,
            network::CERTIFICATES,
        ],
    },
    fields: &[
        ("urls", FieldRole::Silent),
        ("query", FieldRole::Silent),
        ("resultCount", FieldRole::Count),
        ("results", FieldRole::Results),
        ("hints", FieldRole::Silent),
        ("requestedNumResults", FieldRole::Silent),
        ("trust", FieldRole::Silent),
    ],
    run,
    from_cache: Some(from_cache),
    ..Tool::PLAIN
};

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let mut finds = SessionFinds::default();
    let result = search(request, &mut finds);
    session_record::recorded(request, None, TOOL.name, finds, result)
}

fn search<'a>(request: &'a Request<'a>, finds: &mut SessionFinds) -> Result<Reply<'a>, Failure> {
    let credentials = Credentials::from_env();
    let wanted = search_fields::read(request, &credentials, USUAL_RESULTS)?;
    let cache = research_cache::ResearchCache::of_user(request.terms());
    let client = network::client(request.terms());
    let known = cache.known(&credentials);
    let searcher = WebSearcher {
        client: &client,
        known,
    };
    let found = searcher.search(&wanted.search);
    let answer = found.map_err(|error| search_failure::failure(NAME, &error, &credentials))?;
    *finds = session_finds(&answer);
    Ok(reply(wanted, answer, &known))
}

fn from_cache<'a>(
    request: &'a Request<'a>,
    store: &dyn CacheStore,
) -> Option<Result<Reply<'a>, Failure>> {
    let mut finds = SessionFinds::default();
    let result = cached(request, store, &mut finds)?;
    let store = Some(store);
    Some(session_record::recorded(
        request, store, TOOL.name, finds, result,
    ))
}

fn cached<'a>(
    request: &'a Request<'a>,
    store: &dyn CacheStore,
    finds: &mut SessionFinds,
) -> Option<Result<Reply<'a>, Failure>> {
    let credentials = Credentials::from_env();
    let wanted = match search_fields::read(request, &credentials, USUAL_RESULTS) {
        Ok(wanted) => wanted,
        Err(failure) => return Some(Err(failure)),
    };
    let known = SearchContext {
        credentials: &credentials,
        store: Some(store),
        keeps_answers: research_cache::keeps_answers(request.terms()),
    };
    let begin = Instant::now();
    let mut answer = known.answer(&wanted.search)?;
    answer.took = begin.elapsed();
    *finds = session_finds(&answer);
    Some(Ok(reply(wanted, answer, &known)))
}

/// What a session keeps of an answer.
fn session_finds(answer: &SearchAnswer) -> SessionFinds {
    SessionFinds {
        provider: answer.provider.name.to_owned(),
        sources: answer.results.iter().map(SessionSource::from).collect(),
        ..SessionFinds::default()
    }
}

fn reply<'a>(wanted: SearchFields, answer: SearchAnswer, known: &SearchContext<'_>) -> Reply<'a> {
    let hints = answer.results.is_empty().then(|| {
        let breakers = known.breakers();
        SearchHints::of(&wanted.search, answer.provider, known.credentials, breakers)
    });
    answer::reply(wanted, answer, hints)
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
