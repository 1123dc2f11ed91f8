//! scrape_page: anything that has an address, as text, with what is known of its source.

use std::time::Instant;

use crate::contract::failure::{Code, Failure};
use crate::contract::reply::Reply;
use crate::contract::request::Request;
use crate::contract::tool::{Exits, Family, Hints, Manual, Part, Scope, Set, Tool};
use crate::tools::{network, web_page};
use crate::web::charset;
use crate::web::client;

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "scrape_page",
    link: "scrape-page-tool",
    title: "Read a page or document",
    family: Family::Web,
    set: Set::Research,
    offered: true,
    hints: Hints::ASKS,
    scope: Scope::Network,
    at_once: Some(4),
    schema: include_str!("schemas/scrape_page.json"),
    model_schema: include_str!("schemas/for_models/scrape_page.json"),
    output_schema: None,
    manual: Manual {
        text: "Reads a page or document at an address.",
        example: r#"{"url":"https://example.com/"}"#,
        environment: network::ENVIRONMENT,
    },
    account: None,
    fields: &[
        ("url", Part::Silent),
        ("content", Part::Content),
        ("trust", Part::Silent),
    ],
    exits: Exits::USUAL,
    less: "",
    sample: None,
    run,
};

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let url = client::parse_url(request.required_text("url")?)
        .map_err(|error| Failure::new(Code::InvalidUrl, error.to_string()))?;
    let client = network::client(request.terms());
    let page = client
        .get(&client::FetchRequest {
            url: &url,
            accept: client::ACCEPT_PAGES,
            headers: &[],
        })
        .map_err(|error| Failure::new(Code::NetworkError, error.to_string()))?;
    let host = page.url.host_str().unwrap_or_default();
    let text = charset::read(&page.body, page.content_type(), host, page.truncated)
        .map_err(|_| Failure::new(Code::ParseError, "This is not text."))?;
    let end = Instant::now() + client.left();
    let document = web_page::convert_main(&text.text, &page.url, false, end)
        .map(|(document, _)| document)
        .ok_or_else(|| Failure::new(Code::ParseError, "This page cannot be parsed."))?;
    Ok(Reply::new(move |object| {
        object.field("url", page.url.as_str())?;
        object.whole_text("content", document.markdown.as_bytes())?;
        object.field("trust", "untrusted-external-content")
    }))
}
