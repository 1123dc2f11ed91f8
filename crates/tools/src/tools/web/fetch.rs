//! web-fetch: a page of the web as Markdown, whole or a window of its lines.

use url::Url;

use super::page_source::{
    self, BodyForm, ConvertedReply, MEBIBYTES, PagePart, UnreadablePage, UnreadableReason,
};
use super::placeholder::Placeholder;
use super::{fetch_note, intended_url, network};
use crate::contract::answer_limit::{self, TextMeasure};
use crate::contract::call_terms::{Audience, CallTerms};
use crate::contract::failure::{ErrorCode, Failure};
use crate::contract::line_window::line_window;
use crate::contract::notes::Notes;
use crate::contract::reply::{AnswerObject, Reply};
use crate::contract::request::Request;
use crate::contract::tool::{
    AccessScope, EnvelopeFamily, FieldRole, Tool, ToolHints, ToolManual, ToolSet,
};
use iki_base::unseen;
use iki_document::{Document, DocumentCuts};
use iki_web::bot_checks::{advice_on_bot_check, bot_check};
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
    let title = shorten_title(&page.document.title, object.terms().max_answer);
    object.field("title", title)?;
    let text = &page.document.markdown;
    let lines = line_window(text, offset, limit);
    if lines.is_empty() && offset > 1 {
        let is_whole = !page.document.cuts.lack_end();
        let total = text.lines().count();
        object.note(fetch_note::past_the_end(offset, total, is_whole));
    }
    let cut = object.whole_text("content", lines.as_bytes())?;
    if let Some(cut) = cut {
        let last = offset + cut.lines.max(1) - 1;
        if cut.lines == 0 {
            let line = line_window(lines, 1, Some(1)).trim_end_matches('\n');
            object.note(fetch_note::long_line(offset, line.len(), cut.bytes));
        }
        // The line that was cut may be the last one.
        if !line_window(lines, cut.lines.max(1) + 1, Some(1)).is_empty() {
            let left = limit.map(|limit| limit - cut.lines.max(1));
            object.note_at_both_ends(answer_limit::continuation_note(
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
        let ending = "; with offset 1, all comes";
        let note = page_source::note_on_section(name, section, ending);
        self.notes.add(note);
        section.unwrap_or(0) as u64 + 1
    }
}

fn fetch(url: &str, main_only: bool, terms: &CallTerms) -> Result<FetchedPage, Failure> {
    let target = client::parse_url(url).map_err(|error| {
        failure(error, None, terms).with_note(intended_url::of_no_url(TOOL.name, url, terms))
    })?;
    let client = network::client(terms).with_body_limit(page_source::BODY_LIMIT);
    let reply = page_source::fetch(&client, &target, None);
    let reply = reply.map_err(|error| failure(error, Some(&target), terms))?;
    let mut notes = Notes::default();
    notes.add(bot_check(&reply).map(|check| advice_on_bot_check(check.vendor)));
    let part = if main_only {
        PagePart::Main
    } else {
        PagePart::Whole
    };
    let end = page_source::conversion_end(&client, terms);
    let page = page_source::convert(reply, part, end)
        .map_err(|unreadable| unreadable_failure(&unreadable, &target, terms))?;
    Ok(FetchedPage {
        url: page.url.clone(),
        document: shown_document(page, main_only, terms.is_served, &mut notes),
        notes,
    })
}

/// Returns the document of a page as it is shown, with notes on what was done.
fn shown_document(
    page: ConvertedReply,
    main_only: bool,
    served: bool,
    notes: &mut Notes,
) -> Document {
    let mut document = page.document;
    match page.form {
        BodyForm::Empty => {
            document.markdown = fetch_note::empty(&page.status, page.refresh.as_ref());
            return document;
        }
        BodyForm::Document(_) => notes.add(document.remark_on_programs.clone()),
        BodyForm::Html(certainty) => {
            let placeholder = Placeholder::detect(&page.html, &document.title, document.own_text());
            if !document.has_text() && matches!(placeholder, None | Some(Placeholder::Script)) {
                notes.add(fetch_note::of_no_text(&page.html));
            } else {
                let note = fetch_note::of_main_content(certainty, document.omitted);
                notes.add(note.filter(|_| main_only));
                notes.add(placeholder.map(|one| one.advice().to_owned()));
            }
        }
        BodyForm::Feed | BodyForm::Text(_) => {}
    }
    // Text is returned unchanged, except for the models of a server's clients.
    if served || !matches!(page.form, BodyForm::Text(_)) {
        document = remove_unseen(document, notes);
    }
    if page.is_truncated {
        document = document.cut(DocumentCuts {
            size_limit: Some(MEBIBYTES),
            ..DocumentCuts::default()
        });
    }
    if let Some(next) = page.refresh.filter(|_| !document.has_text()) {
        document.markdown.push_str(&fetch_note::of_refresh(&next));
    }
    document
}

/// Takes out what cannot be seen, and says so.
fn remove_unseen(mut document: Document, notes: &mut Notes) -> Document {
    let (title, of_title) = unseen::remove(&document.title);
    let (markdown, of_text) = unseen::remove(&document.markdown);
    notes.add(of_title.and(of_text).note_of_page("the page"));
    (document.title, document.markdown) = (title.into_owned(), markdown.into_owned());
    document
}

/// Creates the failure of a reply to a request for `target` that has no conversion.
fn unreadable_failure(unreadable: &UnreadablePage, target: &Url, terms: &CallTerms) -> Failure {
    let UnreadablePage { reply, reason } = unreadable;
    let download = |kind: &str| fetch_note::of_file(kind, reply, target, terms);
    let (message, note) = match reason {
        UnreadableReason::Parser => (format!("Failed to parse HTML: {reason}"), String::new()),
        UnreadableReason::NotText(kind, _) => (
            format!("Failed to parse content: {kind} is not text that can be shown"),
            format!("{reason} {}", download(kind)).trim().to_owned(),
        ),
        UnreadableReason::Document(kind, _) | UnreadableReason::TooLong { kind, .. } => {
            let kind = kind.media_types().first().unwrap_or(&"");
            let note = (!reason.is_of_nothing()).then(|| download(kind));
            let message = format!("Failed to parse content: {reason}");
            (message, note.unwrap_or_default())
        }
    };
    Failure::new(ErrorCode::ParseError, message).with_note(note)
}

/// Converts an error of the fetch of `target` to a failure.
fn failure(error: FetchError, target: Option<&Url>, terms: &CallTerms) -> Failure {
    match error {
        FetchError::InvalidUrl(why) => {
            Failure::new(ErrorCode::InvalidUrl, format!("Invalid URL: {why}"))
        }
        FetchError::Network(error) => {
            let note = target.map(|target| fetch_note::of_network(&error, target, terms));
            let message = format!("Failed to fetch URL: {error}");
            Failure::new(ErrorCode::NetworkError, message).with_note(note.unwrap_or_default())
        }
        FetchError::Status(reply) => {
            let note = target.map(|target| fetch_note::of_status(&reply, target, terms));
            Failure::new(ErrorCode::HttpError, reply.status_text())
                .with_note(note.unwrap_or_default())
        }
    }
}
