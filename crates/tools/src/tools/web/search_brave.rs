//! web-search-brave: the web, searched with Brave.

use super::provider_answer::{self, HostTool, NextPage};
use crate::contract::failure::Failure;
use crate::contract::reply::Reply;
use crate::contract::request::Request;
use crate::contract::tool::{ProviderCredentials, Tool, ToolManual};
use iki_web::search::brave;

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "web_search_brave",
    link: "web-search-brave-tool",
    title: "Search the web with Brave",
    schema: include_str!("../schemas/web_search_brave.json"),
    model_schema: include_str!("../schemas/for_models/web_search_brave.json"),
    manual: ToolManual(include_str!("../manuals/web_search_brave.txt")),
    account: Some(ACCOUNT),
    run,
    ..provider_answer::PLAIN
};

const ACCOUNT: ProviderCredentials = ProviderCredentials {
    credentials: &[provider_answer::credential(brave::KEY.name)],
    notice: brave::SETUP_NOTICE,
    source: "Get your key: https://brave.com/search/api/",
};

const HOST_TOOL: HostTool = HostTool {
    provider: &brave::PROVIDER,
    account: ACCOUNT,
    setup_error: brave::SETUP_ERROR,
    missing: r#"{"tool": "web_search_brave", "credential": "api_key", "signup_url": "https://brave.com/search/api/"}"#,
    asks_by_domain: false,
};

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let count = request.integer("count", 1..=20)?.unwrap_or(10);
    let page = request.integer("offset", 0..=9)?.unwrap_or(0);
    provider_answer::search(request, &HOST_TOOL, (count, page * count), paging(page))
}

/// Returns the fields for more results than those of `page`.
fn paging(page: u64) -> NextPage {
    NextPage {
        fewer: Box::new(move |shown_count| match page {
            0 => format!("go on with \"count\":{shown_count},\"offset\":1"),
            _ => format!("ask for fewer with \"count\":{shown_count}"),
        }),
        turn: (page < 9).then(|| format!("\"offset\":{}", page + 1)),
    }
}
