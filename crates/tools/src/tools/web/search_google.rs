//! web-search-google: the web, searched with Google's Custom Search.

use super::provider_answer::{self, HostTool, NextPage};
use crate::contract::failure::Failure;
use crate::contract::reply::Reply;
use crate::contract::request::Request;
use crate::contract::tool::{ProviderCredentials, Tool, ToolManual};
use iki_web::search::google;

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "web_search_google",
    link: "web-search-google-tool",
    title: "Search the web with Google",
    schema: include_str!("../schemas/web_search_google.json"),
    model_schema: include_str!("../schemas/for_models/web_search_google.json"),
    manual: ToolManual(include_str!("../manuals/web_search_google.txt")),
    account: Some(ACCOUNT),
    run,
    ..provider_answer::PLAIN
};

const ACCOUNT: ProviderCredentials = ProviderCredentials {
    credentials: &[
        provider_answer::credential(google::KEY.name),
        provider_answer::credential(google::ENGINE.name),
    ],
    notice: google::SETUP_NOTICE,
    source: "Get API key: https://developers.google.com/custom-search/v1/overview; \
             Get Search Engine ID: https://programmablesearchengine.google.com/controlpanel/create",
};

const HOST_TOOL: HostTool = HostTool {
    provider: &google::PROVIDER,
    account: ACCOUNT,
    setup_error: google::SETUP_ERROR,
    missing: r#"{"tool": "web_search_google", "credentials": ["api_key", "engine_id"]}"#,
    asks_by_domain: true,
};

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let num = request.integer("num", 1..=10)?.unwrap_or(10);
    let start = request.integer("start", 1..=91)?.unwrap_or(1);
    provider_answer::search(request, &HOST_TOOL, (num, start - 1), paging(start, num))
}

/// Returns the fields for more results than the `num` from number `start` on.
fn paging(start: u64, num: u64) -> NextPage {
    let next = start + num;
    NextPage {
        fewer: Box::new(move |shown_count| {
            format!("go on with \"start\":{}", start + shown_count as u64)
        }),
        turn: (next <= 91).then(|| format!("\"start\":{next}")),
    }
}
