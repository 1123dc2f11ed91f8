//! web-search-google: the web, searched with Google's Custom Search.

use crate::contract::failure::Failure;
use crate::contract::reply::Reply;
use crate::contract::request::Request;
use crate::contract::tool::{
    AccessScope, Account, ExitCodes, Family, FieldRole, Tool, ToolHints, ToolManual, ToolSet,
};
use crate::tools::search_answer::Paging;
use crate::tools::{network, search_answer};
use crate::web::credentials::Credentials;
use crate::web::search::google::{self, GoogleQuery};

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "web_search_google",
    link: "web-search-google-tool",
    title: "Search the web with Google",
    family: Family::Web,
    set: ToolSet::Web,
    offered: false,
    hints: ToolHints::ASKS,
    scope: AccessScope::Network,
    at_once: None,
    schema: include_str!("schemas/web_search_google.json"),
    model_schema: include_str!("schemas/for_models/web_search_google.json"),
    output_schema: None,
    own_limit: None,
    artifacts: false,
    manual: ToolManual {
        text: "\
Searches the web with a Google search engine of yours and answers with title, address and snippet
of each result, as plain text. `start` is the first result wanted, from 1. Each allowed domain
beyond the first is one more request of the quota. Key and engine come from GOOGLE_SEARCH_API_KEY
and GOOGLE_SEARCH_ENGINE_ID, or from `web_search.google.api_key` and `web_search.google.engine_id`
in ~/.config/ikigai/credentials.json.",
        example: r#"{"query":"rust async runtimes","num":3}"#,
        environment: &[
            (
                "IKIGAI_GOOGLE_URL",
                "the provider's address, for proxies and tests",
            ),
            network::PROXIES,
            network::NO_PROXY,
            network::CERTIFICATES,
        ],
    },
    account: Some(ACCOUNT),
    fields: &[("results", FieldRole::Results), ("count", FieldRole::Count)],
    exits: ExitCodes::USUAL,
    less: "",
    sample: None,
    run,
    from_cache: None,
};

const ACCOUNT: Account = Account {
    credentials: &[
        search_answer::credential(google::KEY),
        search_answer::credential(google::ENGINE),
    ],
    notice: google::SETUP_NOTICE,
    source: "Get API key: https://developers.google.com/custom-search/v1/overview; \
             Get Search Engine ID: https://programmablesearchengine.google.com/controlpanel/create",
};

/// What is missing, for a host that asks its user for it.
const MISSING: &str = r#"{"tool": "web_search_google", "credentials": ["api_key", "engine_id"]}"#;

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let domains = search_answer::domains(request)?;
    let query = GoogleQuery {
        num: request.integer("num", 1..=10)?.unwrap_or(10),
        start: request.integer("start", 1..=91)?.unwrap_or(1),
        domains: &domains,
        text: search_answer::query(request)?,
    };
    let search = || {
        let account = google::account(&Credentials::from_env())?;
        google::search(
            &network::client(request.terms()),
            &google::endpoint()?,
            &account,
            &query,
        )
    };
    let found = search().map_err(|error| search_answer::failure(error, &ACCOUNT, MISSING))?;
    Ok(search_answer::reply(
        found,
        &domains,
        paging(query.start, query.num),
    ))
}

/// How more results are asked for than the `num` from number `start` on.
fn paging(start: u64, num: u64) -> Paging {
    let next = start + num;
    Paging {
        fewer: Box::new(move |shown| format!("go on with \"start\":{}", start + shown as u64)),
        turn: (next <= 91).then(|| format!("\"start\":{next}")),
    }
}
