//! web-fetch: a page of the web as Markdown, whole or a window of its lines.

use std::panic;
use std::time::{Duration, Instant};

use memchr::memchr_iter;
use url::Url;

use crate::contract::failure::{Code, Failure};
use crate::contract::reply::Reply;
use crate::contract::request::Request;
use crate::contract::tool::{Exits, Family, Hints, Manual, Part, Scope, Tool};
use crate::document;
use crate::document::Document;
use crate::tools::network;
use crate::web::charset::{self, BodyKind, Unsupported};
use crate::web::client::{self, Client, FetchError, MAX_BODY};

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "web_fetch",
    link: "web-fetch-tool",
    title: "Fetch a page",
    family: Family::Web,
    hints: Hints::ASKS,
    scope: Scope::Network,
    at_once: Some(4),
    schema: include_str!("schemas/web_fetch.json"),
    model_schema: include_str!("schemas/for_models/web_fetch.json"),
    manual: Manual {
        text: "\
Fetches a page over HTTP or HTTPS and answers with its final address, its title and its content:
HTML as Markdown, any other text as it is. `offset` is the first line of that wanted, from 1, and
`limit` how many. At most 10 MiB of a page are read, and no call takes longer than 25 seconds.
Addresses of the local network are fetched only where the URL itself names them, link-local and
cloud metadata addresses never.",
        example: r#"{"url":"https://example.com/"}"#,
        environment: network::ENVIRONMENT,
    },
    account: None,
    fields: &[
        ("url", Part::Silent),
        ("title", Part::Silent),
        ("content", Part::Content),
    ],
    exits: Exits::USUAL,
    less: "To have less, ask for a window of lines with `offset` and `limit`.",
    sample: None,
    run,
};

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let url = request.required_text("url")?;
    let offset = request.integer("offset", 1..=u64::MAX)?.unwrap_or(1);
    let limit = request.integer("limit", 1..=u64::MAX)?;
    let page = fetch(url)?;
    Ok(Reply::new(move |object| {
        object.field("url", page.url.as_str())?;
        object.field("title", &page.document.title)?;
        let lines = window(&page.document.markdown, offset, limit);
        object.whole_text("content", lines.as_bytes()).map(drop)
    }))
}

/// A page that was fetched and read.
struct Page {
    url: Url,
    document: Document,
}

fn fetch(url: &str) -> Result<Page, Failure> {
    let url = client::parse_url(url).map_err(failure)?;
    let request = client::FetchRequest {
        url: &url,
        accept: client::ACCEPT_PAGES,
        headers: &[],
    };
    let client = Client::new();
    let reply = client.get(&request).map_err(failure)?;
    let text = charset::read(&reply.body, reply.content_type(), reply.truncated)
        .map_err(|Unsupported(kind)| not_text(&kind))?;
    let xhtml = reply.content_type().is_some_and(is_xhtml);
    let (address, truncated) = (reply.url, reply.truncated);
    // The bytes have been read, and take room that the conversion needs.
    drop(reply.body);
    let mut document = match text.kind {
        BodyKind::Html => {
            let end = Instant::now() + client.left() + CONVERSION;
            convert(&text.text, &address, xhtml, end)?
        }
        BodyKind::Text => Document {
            title: String::new(),
            markdown: text.text,
        },
    };
    if truncated {
        let limit = MAX_BODY / (1024 * 1024);
        let notice = format!("\n\n[Cut off: only the first {limit} MiB were read.]");
        document.markdown.push_str(&notice);
    }
    Ok(Page {
        url: address,
        document,
    })
}

/// What a conversion has beyond the client's time, so that a page that came at the last moment is
/// converted all the same; what is left of the 25 seconds of a call is for the answer.
const CONVERSION: Duration = Duration::from_millis(600);

/// The parser is somebody else's: should it panic on some page, then that is a page that cannot be
/// parsed, and the panic's own words are for nobody.
fn convert(page: &str, url: &Url, xhtml: bool, end: Instant) -> Result<Document, Failure> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let document = panic::catch_unwind(|| document::convert_until(page, url, xhtml, end));
    panic::set_hook(hook);
    document.map_err(|_| parse_failure("Failed to parse HTML: the parser gave up on this page"))
}

/// Whether a reply's type makes browsers read it as XML; what else it looks like does not.
fn is_xhtml(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/xhtml+xml")
}

fn not_text(kind: &str) -> Failure {
    parse_failure(&format!(
        "Failed to parse content: {kind} is not text that can be shown"
    ))
}

fn parse_failure(message: &str) -> Failure {
    Failure::new(Code::ParseError, message)
}

fn failure(error: FetchError) -> Failure {
    match error {
        FetchError::InvalidUrl(why) => {
            Failure::new(Code::InvalidUrl, format!("Invalid URL: {why}"))
        }
        FetchError::Network(why) => {
            Failure::new(Code::NetworkError, format!("Failed to fetch URL: {why}"))
        }
        error @ FetchError::Status(_) => Failure::new(Code::HttpError, error.to_string()),
    }
}

/// The lines of `text` from number `first` (from 1) on: `count` of them, or all.
fn window(text: &str, first: u64, count: Option<u64>) -> &str {
    let after = |start: usize, lines: u64| match usize::try_from(lines) {
        Ok(0) => start,
        Ok(lines) => memchr_iter(b'\n', &text.as_bytes()[start..])
            .nth(lines - 1)
            .map_or(text.len(), |newline| start + newline + 1),
        Err(_) => text.len(),
    };
    let start = after(0, first - 1);
    &text[start..count.map_or(text.len(), |count| after(start, count))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_type_makes_a_page_xml() {
        assert!(is_xhtml("Application/XHTML+xml ; charset=utf-8"));
        assert!(!is_xhtml("text/html; profile=application/xhtml+xml"));
    }

    #[test]
    fn a_window_of_lines_is_cut_out() {
        let text = "1\n2\n3\n4";
        for (first, count, expected) in [
            (1, None, text),
            (1, Some(1), "1\n"),
            (2, Some(2), "2\n3\n"),
            (4, None, "4"),
            (4, Some(9), "4"),
            (5, None, ""),
            (u64::MAX, Some(u64::MAX), ""),
            (1, Some(u64::MAX), text),
        ] {
            assert_eq!(
                window(text, first, count),
                expected,
                "{count:?} from {first}"
            );
        }
        assert_eq!(window("", 1, None), "");
    }
}
