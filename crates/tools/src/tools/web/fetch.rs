//! web-fetch: a page of the web as Markdown, whole or a window of its lines.

use std::time::Instant;

use memchr::memchr_iter;
use url::Url;

use super::page_source::{self, MEBIBYTES, PageSource, window};
use super::placeholder::Placeholder;
use super::{document_body, fetch_note, meant_url, network};
use crate::contract::bounded::{self, TextMeasure};
use crate::contract::call_terms::{Audience, CallTerms};
use crate::contract::failure::{ErrorCode, Failure};
use crate::contract::notes::Notes;
use crate::contract::reply::{AnswerObject, Reply};
use crate::contract::request::Request;
use crate::contract::tool::{
    AccessScope, EnvelopeFamily, FieldRole, Tool, ToolHints, ToolManual, ToolSet,
};
use iki_base::unseen;
use iki_document::Document;
use iki_web::bot_checks::{advice_on_bot_check, vendor_of};
use iki_web::charset::{BodyKind, UnsupportedBody};
use iki_web::client::{self, FetchError};

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "web_fetch",
    link: "web-fetch-tool",
    title: "Fetch a page",
    family: EnvelopeFamily::Web,
    set: ToolSet::Web,
    hints: ToolHints::ASKS,
    scope: AccessScope::Network,
    max_concurrent_calls: Some(4),
    schema: include_str!("../schemas/web_fetch.json"),
    model_schema: include_str!("../schemas/for_models/web_fetch.json"),
    manual: ToolManual(include_str!("../manuals/web_fetch.txt")),
    fields: &[
        ("url", FieldRole::Silent),
        ("title", FieldRole::Silent),
        ("content", FieldRole::Content),
    ],
    how_to_get_less: "To have less, ask for a window of lines with `offset` and `limit`.",
    run,
    ..Tool::PLAIN
};

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let url = request.required_text("url")?;
    let offset = request.integer("offset", 1..=u64::MAX)?;
    let limit = request.integer("limit", 1..=u64::MAX)?;
    let main_only = request.flag("main_only")?;
    let mut page = fetch(url, main_only, request.terms())?;
    let offset = offset.unwrap_or_else(|| page.begin_at_section(request.terms().reader));
    Ok(Reply::new(move |object| write(object, page, offset, limit)))
}

/// Shortens a title to leave room for the content, in an answer of at most `longest` bytes.
fn shorten_title(title: &str, longest: Option<usize>) -> &str {
    let room = longest.map_or(usize::MAX, |longest| (longest / 8).max(80));
    let end = TextMeasure::Json.prefix(title.as_bytes(), room);
    title.get(..end).unwrap_or(title)
}

fn write(
    object: &mut AnswerObject<'_>,
    page: FetchedPage,
    offset: u64,
    limit: Option<u64>,
) -> std::io::Result<()> {
    object.field("url", page.url.as_str())?;
    object.field(
        "title",
        shorten_title(&page.document.title, object.terms().max_answer),
    )?;
    let text = &page.document.markdown;
    let lines = window(text, offset, limit);
    if lines.is_empty() && offset > 1 {
        object.note(fetch_note::past_the_end(offset, count_lines(text)));
    }
    let cut = object.whole_text("content", lines.as_bytes())?;
    if let Some(cut) = cut {
        let last = offset + cut.lines.max(1) - 1;
        if cut.lines == 0 {
            let line = window(lines, 1, Some(1)).trim_end_matches('\n');
            object.note(fetch_note::long_line(offset, line.len(), cut.bytes));
        }
        // The line that was cut may be the last one.
        if !window(lines, cut.lines.max(1) + 1, Some(1)).is_empty() {
            let left = limit.map(|limit| limit - cut.lines.max(1));
            object.note_at_both_ends(bounded::continuation_note(
                object.terms().reader,
                offset.into(),
                last.into(),
                left,
            ));
        }
    }
    object.note(page.notes);
    Ok(())
}

/// A page, fetched and converted.
struct FetchedPage {
    url: Url,
    document: Document,
    notes: Notes,
}

impl FetchedPage {
    /// Returns the first line of the part that the address names, and says so in a note; else the
    /// first line. Hosts were promised the whole page.
    fn begin_at_section(&mut self, reader: Audience) -> u64 {
        let name = page_source::section_name(&self.url).filter(|_| reader != Audience::Host);
        let Some(name) = name else { return 1 };
        let section = self.document.section;
        let rest = "; with offset 1, all comes";
        let note = page_source::note_on_section(name, section, rest);
        self.notes.add(note);
        section.unwrap_or(0) as u64 + 1
    }
}

fn fetch(url: &str, main_only: bool, terms: &CallTerms) -> Result<FetchedPage, Failure> {
    let asked = client::parse_url(url).map_err(|error| {
        failure(error, None, terms).with_note(meant_url::of_no_url(TOOL.name, url, terms))
    })?;
    let client = network::client(terms).with_body_limit(document_body::LIMIT);
    let reply = page_source::fetch(&client, &asked);
    let mut reply = reply.map_err(|error| failure(error, Some(&asked), terms))?;
    let mut notes = Notes::default();
    notes.add(vendor_of(&reply).map(advice_on_bot_check));
    if reply.body.trim_ascii().is_empty() {
        let document = Document {
            markdown: fetch_note::empty(&reply),
            ..Document::default()
        };
        return Ok(FetchedPage {
            url: reply.url,
            document,
            notes,
        });
    }
    let end = page_source::conversion_end(&client, terms);
    let url = reply.url.clone();
    let read = document_body::read(&mut reply, end);
    let download = |kind: &str| fetch_note::of_file(kind, &reply, &asked, terms);
    let (read, why) = match read {
        Ok(read) => (read, String::new()),
        Err(unreadable) => match unreadable.kind {
            Some(kind) => {
                let message = format!("Failed to parse content: {}", unreadable.why);
                let kind = kind.media_types().first().unwrap_or(&"");
                let note = (!unreadable.has_nothing).then(|| download(kind));
                return Err(parse_failure(&message).with_note(note.unwrap_or_default()));
            }
            None => (None, unreadable.why),
        },
    };
    let document = if let Some((_, document)) = read {
        notes.add(document.remark_on_programs.clone());
        taken_out(document, &mut notes)
    } else {
        let source = PageSource::decode(&reply).map_err(|UnsupportedBody(kind)| {
            let note = format!("{why} {}", download(&kind));
            not_text(&kind).with_note(note.trim())
        })?;
        let refresh = page_source::refresh_target(&reply);
        // Frees the bytes because the conversion needs the memory.
        drop(reply);
        let end = page_source::conversion_end(&client, terms);
        let mut document = convert(source, main_only, end, terms, &mut notes)?;
        if let Some(next) = refresh.filter(|_| !document.has_text()) {
            document.markdown.push_str(&fetch_note::of_refresh(&next));
        }
        document
    };
    Ok(FetchedPage {
        url,
        document,
        notes,
    })
}

/// Converts a page, with notes on what was done.
fn convert(
    mut source: PageSource,
    main_only: bool,
    end: Instant,
    terms: &CallTerms,
    notes: &mut Notes,
) -> Result<Document, Failure> {
    let feed = source.feed();
    // Text is returned unchanged, except for the models of a server's clients.
    let is_rewritten = source.kind == BodyKind::Html || feed.is_some() || terms.served;
    let mut document = match (feed, source.kind) {
        (Some(feed), _) => feed,
        (None, BodyKind::Text) => Document {
            markdown: std::mem::take(&mut source.text),
            ..Document::default()
        },
        (None, BodyKind::Html) => {
            let converted = if main_only {
                source
                    .convert_main(end)
                    .map(|(document, certainty)| (document, fetch_note::of_main_content(certainty)))
            } else {
                source.convert(end).map(|document| (document, None))
            };
            let (document, note) = converted.ok_or_else(given_up)?;
            let placeholder = Placeholder::find(&source.text, &document.title, document.own());
            if !document.has_text() && matches!(placeholder, None | Some(Placeholder::Script)) {
                notes.add(fetch_note::of_no_text(&source.text));
            } else {
                notes.add(note);
                notes.add(placeholder.map(|one| one.advice().to_owned()));
            }
            document
        }
    };
    if is_rewritten {
        document = taken_out(document, notes);
    }
    if source.truncated {
        let notice = format!("\n\n[Cut off: only the first {MEBIBYTES} MiB were read.]");
        document.markdown.push_str(&notice);
    }
    Ok(document)
}

/// Takes out what cannot be seen, and says so.
fn taken_out(mut document: Document, notes: &mut Notes) -> Document {
    let (title, of_title) = unseen::taken_out(&document.title);
    let (markdown, of_text) = unseen::taken_out(&document.markdown);
    notes.add(of_title.and(of_text).note_of_page("the page"));
    (document.title, document.markdown) = (title.into_owned(), markdown.into_owned());
    document
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
    Failure::new(ErrorCode::ParseError, message)
}

/// Converts an error of the fetch of `asked` to a failure.
fn failure(error: FetchError, asked: Option<&Url>, terms: &CallTerms) -> Failure {
    match error {
        FetchError::InvalidUrl(why) => {
            Failure::new(ErrorCode::InvalidUrl, format!("Invalid URL: {why}"))
        }
        FetchError::Network(error) => {
            let note = asked.map(|asked| fetch_note::of_network(&error, asked, terms));
            Failure::new(
                ErrorCode::NetworkError,
                format!("Failed to fetch URL: {error}"),
            )
            .with_note(note.unwrap_or_default())
        }
        FetchError::Status(reply) => {
            let note = asked.map(|asked| fetch_note::of_status(&reply, asked, terms));
            Failure::new(ErrorCode::HttpError, reply.status_text())
                .with_note(note.unwrap_or_default())
        }
    }
}

/// Counts the lines of `text`, including an unfinished last one.
fn count_lines(text: &str) -> usize {
    let ends = memchr_iter(b'\n', text.as_bytes()).count();
    ends + usize::from(!text.is_empty() && !text.ends_with('\n'))
}
