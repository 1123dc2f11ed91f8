//! web-fetch: a page of the web as Markdown, whole or a window of its lines.

use std::time::{Duration, Instant};

use memchr::memchr_iter;
use url::Url;

use crate::contract::bounded::{self, TextMeasure};
use crate::contract::failure::{Code, Failure};
use crate::contract::notes::Notes;
use crate::contract::reply::{Object, Reply};
use crate::contract::request::Request;
use crate::contract::terms::Terms;
use crate::contract::tool::{
    AccessScope, ExitCodes, Family, FieldRole, Tool, ToolHints, ToolManual, ToolSet,
};
use crate::document::{self, Document};
use crate::tools::{network, web_meant, web_notes as notes, web_page as page};
use crate::unseen;
use crate::web::charset::{self, BodyKind, Unsupported};
use crate::web::client::{self, FetchError, MAX_BODY};
use crate::web::refusal;

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "web_fetch",
    link: "web-fetch-tool",
    title: "Fetch a page",
    family: Family::Web,
    set: ToolSet::Web,
    offered: true,
    hints: ToolHints::ASKS,
    scope: AccessScope::Network,
    at_once: Some(4),
    schema: include_str!("schemas/web_fetch.json"),
    model_schema: include_str!("schemas/for_models/web_fetch.json"),
    output_schema: None,
    own_limit: None,
    artifacts: false,
    manual: ToolManual {
        text: "\
Fetches a page over HTTP or HTTPS and answers with its final address, its title and its content:
HTML as Markdown, any other text as it is. `offset` is the first line of that wanted, from 1, and
`limit` how many; `main_only` leaves out what is not a page's main content. At most 10 MiB of a page are read, and no call takes longer than 25 seconds.
Addresses of the local network are fetched only where the URL itself names them, link-local and
cloud metadata addresses never.",
        example: r#"{"url":"https://example.com/"}"#,
        environment: network::ENVIRONMENT,
    },
    account: None,
    fields: &[
        ("url", FieldRole::Silent),
        ("title", FieldRole::Silent),
        ("content", FieldRole::Content),
    ],
    exits: ExitCodes::USUAL,
    less: "To have less, ask for a window of lines with `offset` and `limit`.",
    sample: None,
    run,
    from_cache: None,
};

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let url = request.required_text("url")?;
    let offset = request.integer("offset", 1..=u64::MAX)?.unwrap_or(1);
    let limit = request.integer("limit", 1..=u64::MAX)?;
    // The specification's schema does not know this field.
    let main_only = request.terms().reader.may_send_more() && request.flag("main_only")?;
    let page = fetch(url, main_only, request.terms())?;
    Ok(Reply::new(move |object| write(object, page, offset, limit)))
}

/// A title as far as it leaves room for the content, in an answer of at most `longest` bytes.
fn short(title: &str, longest: Option<usize>) -> &str {
    let room = longest.map_or(usize::MAX, |longest| (longest / 8).max(80));
    let end = TextMeasure::Json.prefix(title.as_bytes(), room);
    title.get(..end).unwrap_or(title)
}

fn write(
    object: &mut Object<'_>,
    page: Page,
    offset: u64,
    limit: Option<u64>,
) -> std::io::Result<()> {
    object.field("url", page.url.as_str())?;
    object.field(
        "title",
        short(&page.document.title, object.terms().max_answer),
    )?;
    let text = &page.document.markdown;
    let lines = window(text, offset, limit);
    if lines.is_empty() && offset > 1 {
        object.note(notes::behind_the_end(offset, count_lines(text)));
    }
    let cut = object.whole_text("content", lines.as_bytes())?;
    if let Some(cut) = cut {
        let last = offset + cut.lines.max(1) - 1;
        if cut.lines == 0 {
            let line = window(lines, 1, Some(1)).trim_end_matches('\n');
            object.note(notes::long_line(offset, line.len(), cut.bytes));
        }
        // The line that was cut may be the last one.
        if !window(lines, cut.lines.max(1) + 1, Some(1)).is_empty() {
            let left = limit.map(|limit| limit - cut.lines.max(1));
            object.note(bounded::continuation_note(
                object.terms().reader,
                offset,
                last,
                left,
            ));
        }
    }
    object.note(page.notes);
    Ok(())
}

/// A page that was fetched and read.
struct Page {
    url: Url,
    document: Document,
    notes: Notes,
}

fn fetch(url: &str, main_only: bool, terms: &Terms) -> Result<Page, Failure> {
    let asked = client::parse_url(url)
        .map_err(|error| failure(error, None).with_note(web_meant::of_no_url(TOOL.name, url)))?;
    let request = client::FetchRequest {
        url: &asked,
        accept: client::ACCEPT_PAGES,
        headers: &[],
    };
    let client = network::client(terms);
    let reply = client
        .get(&request)
        .map_err(|error| failure(error, Some(&asked)))?;
    let mut said = Notes::default();
    said.add(refusal::bot_check(&reply).map(refusal::about_bot_check));
    if reply.body.trim_ascii().is_empty() {
        let markdown = notes::empty(&reply);
        return Ok(Page {
            url: reply.url,
            document: Document {
                markdown,
                ..Document::default()
            },
            notes: said,
        });
    }
    let host = reply.url.host_str().unwrap_or_default();
    let text = charset::read(&reply.body, reply.content_type(), host, reply.truncated);
    let text = text.map_err(|Unsupported(kind)| {
        not_text(&kind).with_note(notes::of_file(&kind, &reply.url, &asked, &reply.body))
    })?;
    let xhtml = reply.content_type().is_some_and(is_xhtml);
    let (address, truncated) = (reply.url, reply.truncated);
    // The bytes have been read, and take room that the conversion needs.
    drop(reply.body);
    let feed = document::convert_feed(&text.text, &address);
    // Text that is not converted comes as it is, but for the models of a server's clients.
    let is_rewritten = text.kind == BodyKind::Html || feed.is_some() || terms.served;
    let mut document = match text.kind {
        _ if feed.is_some() => feed.unwrap_or_default(),
        BodyKind::Html => {
            let end = Instant::now()
                + (client.left() + CONVERSION).min(terms.left(network::CALL) * 9 / 10);
            let (html, url) = (&text.text, &address);
            let converted = if main_only {
                page::convert_main(html, url, xhtml, end)
                    .map(|(document, certainty)| (document, notes::of_main_content(certainty)))
            } else {
                page::convert(html, url, xhtml, end).map(|document| (document, None))
            };
            let (document, note) = converted.ok_or_else(given_up)?;
            if document.has_text() {
                said.add(note);
            } else {
                said.add(notes::of_no_text(html));
            }
            document
        }
        BodyKind::Text => Document {
            markdown: text.text,
            ..Document::default()
        },
    };
    if is_rewritten {
        let (title, of_title) = unseen::taken_out(&document.title);
        let (markdown, of_text) = unseen::taken_out(&document.markdown);
        said.add(of_title.and(of_text).note_of_page("the page"));
        (document.title, document.markdown) = (title.into_owned(), markdown.into_owned());
    }
    if truncated {
        let limit = MAX_BODY / (1024 * 1024);
        let notice = format!("\n\n[Cut off: only the first {limit} MiB were read.]");
        document.markdown.push_str(&notice);
    }
    Ok(Page {
        url: address,
        document,
        notes: said,
    })
}

/// What a conversion has beyond the client's time, so that a page that came at the last moment is
/// converted all the same; what is left of the 25 seconds of a call is for the answer.
const CONVERSION: Duration = Duration::from_millis(600);

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

fn given_up() -> Failure {
    parse_failure("Failed to parse HTML: the parser gave up on this page")
}

fn parse_failure(message: &str) -> Failure {
    Failure::new(Code::ParseError, message)
}

/// The failure that `error` is, of a fetch of `asked`.
fn failure(error: FetchError, asked: Option<&Url>) -> Failure {
    match error {
        FetchError::InvalidUrl(why) => {
            Failure::new(Code::InvalidUrl, format!("Invalid URL: {why}"))
        }
        FetchError::Network(error) => {
            let note = asked.map(|asked| notes::of_network(&error, asked));
            Failure::new(Code::NetworkError, format!("Failed to fetch URL: {error}"))
                .with_note(note.unwrap_or_default())
        }
        FetchError::Status(reply) => {
            let note = asked.map(|asked| notes::of_status(&reply, asked));
            Failure::new(Code::HttpError, reply.status_text()).with_note(note.unwrap_or_default())
        }
    }
}

/// How many lines `text` has, the last one whether it ends or not.
fn count_lines(text: &str) -> usize {
    let ends = memchr_iter(b'\n', text.as_bytes()).count();
    ends + usize::from(!text.is_empty() && !text.ends_with('\n'))
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
