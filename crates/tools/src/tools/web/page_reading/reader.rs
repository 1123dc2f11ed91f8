//! The ways to a page: a requested page is fetched, and its reply parsed by kind.
//!
//! Rules: the specification's ways of `scrape_page`; the decisions on web-fetch. The kind of a body
//! depends on its bytes, then on its Content-Type, then on the extension in its URL.

use std::sync::MutexGuard;
use std::time::Instant;

use url::Url;

use super::browser_render;
use super::content_type::{self, TextForm};
use super::conversion_lock::{self, PageUnderWay};
use super::facts;
use super::failure::{self, PageError};
use super::found_page::FoundPage;
use super::page::{FetchPaging, ScrapedPage};
use super::page_request::{ScrapeMode, ScrapeRequest};
use super::site_api_page;
use crate::contract::call_terms::CallTerms;
use crate::tools::web::page_source::{self, MEBIBYTES, PageSource};
use crate::tools::web::placeholder::{self, Placeholder};
use crate::tools::web::{document_body, fetch_note};
use iki_base::unseen;
use iki_document::Document;
use iki_web::bot_checks::bot_check;
use iki_web::charset::UnsupportedBody;
use iki_web::client::{BodyLimit, HttpClient, HttpResponse};
use iki_web::page::EmbeddedData;

/// Reads the requested page, within the time of `client`.
pub fn page(
    request: &ScrapeRequest,
    terms: &CallTerms,
    client: HttpClient,
) -> Result<ScrapedPage, PageError> {
    if request.mode == ScrapeMode::Raw {
        return raw(request, client);
    }
    let _counted = PageUnderWay::begin();
    let client = client.with_body_limit(document_body::LIMIT);
    let end = page_source::conversion_end(&client, terms);
    let found = if let Some(found) = site_api_page::find(request, &client, end)? {
        found
    } else {
        let reply = get(request, &client)?;
        let end = page_source::conversion_end(&client, terms);
        let found = read(reply, request, end, &client)?;
        follow_refresh(found, request, terms, &client)?
    };
    Ok(ScrapedPage::of(found, request, &client))
}

fn get(request: &ScrapeRequest, client: &HttpClient) -> Result<HttpResponse, PageError> {
    page_source::fetch(client, &request.url).map_err(|error| failure::of_fetch(error, request))
}

/// Reads the page to which an empty one leads by a refresh. One is followed, as browsers do without
/// asking; a further page that leads on is named.
fn follow_refresh(
    mut found: FoundPage,
    request: &ScrapeRequest,
    terms: &CallTerms,
    client: &HttpClient,
) -> Result<FoundPage, PageError> {
    let Some((next, guard)) = found.refresh.take() else {
        return Ok(found);
    };
    let reply = page_source::fetch_next(client, &next, guard)
        .map_err(|error| failure::of_fetch(error, request))?;
    let status = reply.status_text();
    let end = page_source::conversion_end(client, terms);
    let mut shown = read(reply, request, end, client)?;
    if let Some((further, _)) = &shown.refresh {
        let what = format!("an empty page leads to another one, and that to {further}");
        return Err(failure::of_nothing(&what, &status));
    }
    let note = format!(
        "The page at {} has nothing of its own and leads here.",
        found.url
    );
    shown.page.notes.insert(0, note);
    Ok(shown)
}

/// Returns the bytes as received.
fn raw(request: &ScrapeRequest, client: HttpClient) -> Result<ScrapedPage, PageError> {
    let client = client.with_body_limit(BodyLimit::of(request.max_length));
    let reply = get(request, &client)?;
    let mut page = ScrapedPage {
        url: reply.url.as_str().to_owned(),
        content_type: reply.content_type().unwrap_or_default().to_owned(),
        ..ScrapedPage::default()
    };
    page.fill_raw(&reply.body, reply.truncated, request.max_length);
    facts::add(&mut page, &reply.url, None, None);
    Ok(page)
}

/// Parses a reply: a page, a document or another text.
fn read(
    mut reply: HttpResponse,
    request: &ScrapeRequest,
    end: Instant,
    client: &HttpClient,
) -> Result<FoundPage, PageError> {
    let status = reply.status_text();
    if let Some(check) = bot_check(&reply) {
        return Err(failure::of_bot_check(check, &status));
    }
    let turn = conversion_lock::acquire_for_body(&reply.body);
    let end = match turn {
        Some(_) => conversion_lock::deadline_among_others(end),
        None => end,
    };
    let document = document_body::read(&mut reply, end)
        .map_err(|unreadable| failure::of_document(&unreadable, &reply, request))?;
    if let Some((kind, document)) = document {
        let found = FoundPage::new(&reply.url, kind.name(), document);
        return Ok(found.paged(FetchPaging::Whole));
    }
    let refresh = page_source::refresh_target(&reply);
    if reply.body.trim_ascii().is_empty() {
        if let Some(next) = refresh {
            let mut found = FoundPage::new(&reply.url, "html", Document::default());
            found.refresh = Some((next, reply.guard));
            return Ok(found);
        }
        return Err(failure::of_nothing("the answer's body is empty", &status));
    }
    let source = decode(&reply, request)?;
    let form = TextForm::of(source.kind, reply.content_type(), &reply.url);
    // Frees the bytes because the conversion needs the memory.
    drop(reply);
    let mut found = if let Some(feed) = source.feed() {
        of_feed(&source, feed)
    } else if form == TextForm::Html {
        of_html(&source, request, &status, (end, refresh, turn), client)?
    } else {
        of_text(&source, form, &status)?
    };
    if source.truncated {
        found.page.truncated = true;
        let note = format!("Only the first {MEBIBYTES} MiB of the page were read.");
        found.page.notes.insert(0, note);
    }
    Ok(found)
}

/// Decodes a body as text, in its character set.
fn decode(reply: &HttpResponse, request: &ScrapeRequest) -> Result<PageSource, PageError> {
    PageSource::decode(reply).map_err(|UnsupportedBody(kind)| {
        let note = fetch_note::of_file(&kind, reply, &request.url, &request.terms);
        failure::of_file(&kind, note)
    })
}

fn of_feed(source: &PageSource, feed: Document) -> FoundPage {
    let cut = feed.cuts.items > 0;
    let note = "The feed has more items than are listed; mode raw gives it whole.";
    let mut found = FoundPage::new(&source.url, "feed", feed).paged(FetchPaging::Whole);
    found.page.truncated = cut;
    found.page.notes.extend(cut.then(|| note.to_owned()));
    found
}

fn of_text(source: &PageSource, form: TextForm, status: &str) -> Result<FoundPage, PageError> {
    let is_markdown = form == TextForm::Markdown;
    if source
        .text
        .split(unseen::is_unseen)
        .all(|text| text.trim().is_empty())
    {
        return Err(failure::of_nothing("the text has no words", status));
    }
    let title = content_type::title_of_markdown(&source.text).filter(|_| is_markdown);
    let document = Document {
        title: title.unwrap_or_default(),
        markdown: source.text.clone(),
        ..Document::default()
    };
    let found = FoundPage::new(&source.url, form.name(), document);
    let mut found = found.paged(FetchPaging::Whole);
    found.page.markdown = is_markdown;
    found.page.extracted_by = is_markdown.then(|| "markdown".to_owned());
    Ok(found)
}

fn of_html(
    source: &PageSource,
    request: &ScrapeRequest,
    status: &str,
    (end, refresh, turn): (Instant, Option<Url>, Option<MutexGuard<'static, ()>>),
    client: &HttpClient,
) -> Result<FoundPage, PageError> {
    let mut found = FoundPage::of_html(source, end).ok_or_else(failure::of_parser)?;
    drop(turn);
    let next = refresh.filter(|_| !found.document.has_text());
    if let Some(next) = next.or_else(|| found.document.refresh.take()) {
        found.refresh = Some((next, source.guard.clone()));
        return Ok(found);
    }
    // A truncated page may show more than its beginning does.
    let is_whole = !found.document.cuts.are_of_content();
    let mut rendered = None;
    // A browser shows more than the text that only the page's data has.
    let shown = if found.document.of_data {
        ""
    } else {
        found.document.own()
    };
    if is_whole && placeholder::is_shell(&source.text, shown) {
        rendered = browser_render::complete(&mut found, source, end, client, request);
    }
    found.page.partial |= found.document.of_data;
    let html = rendered.as_ref().map_or(&source.text, |page| &page.text);
    let document = &found.document;
    match Placeholder::find(html, &document.title, document.own()) {
        Some(wall @ (Placeholder::Login | Placeholder::Consent)) => {
            return Err(failure::of_placeholder(wall, status));
        }
        Some(Placeholder::Paywall) => {
            found.page.partial = true;
            let note = Placeholder::Paywall.advice().to_owned();
            found.page.notes.push(note);
        }
        Some(Placeholder::Script) | None => {}
    }
    // Of a page of frames, their addresses are what there is to go on with.
    let document = &found.document;
    if !found.page.partial && !document.has_text() && !document.is_of_frames {
        return Err(failure::of_nothing("the page has no text", status));
    }
    found.embedded = Some(EmbeddedData::read(html));
    Ok(found)
}
