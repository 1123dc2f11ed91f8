//! web_search: the web, searched with whichever provider there is.

use crate::contract::failure::{Code, Failure};
use crate::contract::reply::Reply;
use crate::contract::request::Request;
use crate::contract::tool::{Exits, Family, Hints, Manual, Part, Scope, Set, Tool};
use crate::tools::network;
use crate::web::credentials::Credentials;
use crate::web::search::query::{MOST_RESULTS, Search};
use crate::web::search::searcher::Searcher;

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "web_search",
    link: "web-search-tool",
    title: "Search the web",
    family: Family::Web,
    set: Set::Research,
    offered: true,
    hints: Hints::ASKS,
    scope: Scope::Network,
    at_once: None,
    schema: include_str!("schemas/web_search.json"),
    model_schema: include_str!("schemas/for_models/web_search.json"),
    output_schema: None,
    manual: Manual {
        text: "Searches the web with the first provider that is configured.",
        example: r#"{"query":"rust async runtimes","num_results":3}"#,
        environment: network::ENVIRONMENT,
    },
    account: None,
    fields: &[
        ("urls", Part::Silent),
        ("query", Part::Silent),
        ("resultCount", Part::Count),
        ("results", Part::Results),
        ("trust", Part::Silent),
    ],
    exits: Exits::USUAL,
    less: "",
    sample: None,
    run,
};

/// What every answer is marked with.
const TRUST: &str = "untrusted-external-content";

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let wanted = request.integer("num_results", 1..=10)?.unwrap_or(5);
    let search = Search {
        query: request.required_text("query")?.trim().to_owned(),
        count: usize::try_from(wanted).unwrap_or(MOST_RESULTS),
        ..Search::default()
    };
    let client = network::client(request.terms());
    let credentials = Credentials::from_env();
    let searcher = Searcher {
        client: &client,
        credentials: &credentials,
        store: None,
        keeps_answers: false,
    };
    let answer = searcher
        .search(&search)
        .map_err(|error| Failure::new(Code::ApiError, error.to_string()))?;
    Ok(Reply::new(move |object| {
        let urls: Vec<&str> = answer.results.iter().map(|one| one.url.as_str()).collect();
        object.field("urls", &urls)?;
        object.field("query", &search.query)?;
        object.field("resultCount", &urls.len())?;
        object.rows("results", &answer.results)?;
        object.field("trust", TRUST)
    }))
}
