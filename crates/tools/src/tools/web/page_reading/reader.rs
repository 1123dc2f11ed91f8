//! The ways to a page: a requested page is fetched and converted, and judged by its kind.
//!
//! Rules: the specification's ways of `scrape_page`; the decisions on web-fetch.

use url::Url;

use super::browser_render;
use super::facts;
use super::failure::{self, PageError};
use super::full_page::FullPage;
use super::page::{FetchPaging, ScrapedPage};
use super::page_request::{ScrapeMode, ScrapeRequest};
use super::site_api_page;
use crate::tools::web::content_type::{self, TextForm};
use crate::tools::web::conversion_lock::PageUnderWay;
use crate::tools::web::page_source::{self, BodyForm, MEBIBYTES, PagePart};
use crate::tools::web::placeholder::{self, Placeholder};
use iki_base::unseen;
use iki_web::bot_checks::bot_check;
use iki_web::client::{BodyLimit, HttpClient, HttpResponse};
use iki_web::guard::Guard;
use iki_web::page::EmbeddedData;

/// Reads the requested page, within the time of `client`.
pub fn page(request: &ScrapeRequest, client: HttpClient) -> Result<ScrapedPage, PageError> {
    if request.mode == ScrapeMode::Raw {
        return raw(request, client);
    }
    let _counted = PageUnderWay::start();
    let client = client.with_body_limit(page_source::BODY_LIMIT);
    let full = match site_api_page::read_page(request, &client)? {
        Some(full) => full,
        None => follow_refresh(
            read(&request.url, None, request, &client)?,
            request,
            &client,
        )?,
    };
    Ok(ScrapedPage::from_full_page(full, request, &client))
}

fn fetch(
    url: &Url,
    guard: Option<Guard>,
    request: &ScrapeRequest,
    client: &HttpClient,
) -> Result<HttpResponse, PageError> {
    page_source::fetch(client, url, guard).map_err(|error| failure::of_fetch(error, request))
}

/// Reads the page to which an empty one leads by a refresh. One is followed, as browsers do without
/// asking; a further page that leads on is named.
fn follow_refresh(
    mut full: FullPage,
    request: &ScrapeRequest,
    client: &HttpClient,
) -> Result<FullPage, PageError> {
    let Some((next, guard)) = full.refresh.take() else {
        return Ok(full);
    };
    let mut target = read(&next, Some(guard), request, client)?;
    if let Some((further, _)) = &target.refresh {
        let what = format!("an empty page leads to another one, and that to {further}");
        return Err(failure::of_nothing(&what, &target.status));
    }
    let note = format!(
        "The page at {} has nothing of its own and leads here.",
        full.url
    );
    target.page.notes.insert(0, note);
    Ok(target)
}

/// Returns the bytes as received.
fn raw(request: &ScrapeRequest, client: HttpClient) -> Result<ScrapedPage, PageError> {
    let client = client.with_body_limit(BodyLimit::new(request.max_length));
    let reply = fetch(&request.url, None, request, &client)?;
    let mut page = ScrapedPage {
        url: reply.url.as_str().to_owned(),
        content_type: reply.content_type().unwrap_or_default().to_owned(),
        ..ScrapedPage::default()
    };
    page.fill_raw(&reply.body, reply.is_truncated, request.max_length);
    facts::add(&mut page, &reply.url, None, None);
    Ok(page)
}

/// Fetches the page at `url`, to which another one leads that was reached under this guard, if
/// there is one, and reads it.
fn read(
    url: &Url,
    guard: Option<Guard>,
    request: &ScrapeRequest,
    client: &HttpClient,
) -> Result<FullPage, PageError> {
    let reply = fetch(url, guard, request, client)?;
    if let Some(check) = bot_check(&reply) {
        return Err(failure::of_bot_check(check, &reply.status_text()));
    }
    let end = page_source::conversion_end(client, &request.terms);
    let page = page_source::convert(reply, PagePart::SureMain, end)
        .map_err(|unreadable| failure::of_unreadable(&unreadable, request))?;
    let name = match page.form {
        BodyForm::Empty | BodyForm::Html(_) => "html",
        BodyForm::Document(kind) => kind.name(),
        BodyForm::Feed => "feed",
        BodyForm::Text(form) => form.name(),
    };
    let mut full = FullPage::new(&page.url, name, page.document, FetchPaging::Whole);
    full.status = page.status;
    let refresh = page.refresh.map(|next| (next, page.guard.clone()));
    match page.form {
        BodyForm::Empty if refresh.is_none() => {
            let what = "the answer's body is empty";
            return Err(failure::of_nothing(what, &full.status));
        }
        BodyForm::Empty => full.refresh = refresh,
        BodyForm::Feed if full.document.cuts.items > 0 => {
            full.page.is_truncated = true;
            let note = "The feed has more items than are listed; mode raw gives it whole.";
            full.page.notes.push(note.to_owned());
        }
        BodyForm::Document(_) | BodyForm::Feed => {}
        BodyForm::Html(certainty) => {
            full.set_extent(certainty);
            let refresh = refresh.filter(|_| !full.document.has_text());
            let next = full.document.refresh.take();
            full.refresh = refresh.or_else(|| next.map(|next| (next, page.guard.clone())));
            if full.refresh.is_none() {
                judge_html(&mut full, &page.html, &page.guard, request, client)?;
            }
        }
        BodyForm::Text(form) => judge_text(&mut full, form == TextForm::Markdown)?,
    }
    if page.is_truncated {
        full.page.is_truncated = true;
        let note = format!("Only the first {MEBIBYTES} MiB of the page were read.");
        full.page.notes.insert(0, note);
    }
    Ok(full)
}

/// Takes what is known of a text from it, if it has words.
fn judge_text(full: &mut FullPage, is_markdown: bool) -> Result<(), PageError> {
    let text = &full.document.markdown;
    let mut parts = text.split(unseen::is_unseen);
    if parts.all(|text| text.trim().is_empty()) {
        return Err(failure::of_nothing("the text has no words", &full.status));
    }
    full.page.is_markdown = is_markdown;
    if is_markdown {
        full.document.title = content_type::title_of_markdown(text).unwrap_or_default();
        full.page.extracted_by = Some("markdown".to_owned());
    }
    Ok(())
}

/// Finds out if an HTML page is what was asked for, completes one that a script puts together, and
/// adds its declarations for machines.
fn judge_html(
    full: &mut FullPage,
    html: &str,
    guard: &Guard,
    request: &ScrapeRequest,
    client: &HttpClient,
) -> Result<(), PageError> {
    // A truncated page may show more than its beginning does.
    let is_whole = !full.document.cuts.are_of_content();
    let mut rendered = None;
    // A browser shows more than the text that only the page's data has.
    let own_text = if full.document.is_from_data {
        ""
    } else {
        full.document.own_text()
    };
    if is_whole && placeholder::is_shell(html, own_text) {
        rendered = browser_render::complete(full, guard, client, request);
    }
    full.page.is_partial |= full.document.is_from_data;
    let html = rendered.as_deref().unwrap_or(html);
    let document = &full.document;
    match Placeholder::detect(html, &document.title, document.own_text()) {
        Some(wall @ (Placeholder::Login | Placeholder::Consent)) => {
            return Err(failure::of_placeholder(wall, &full.status));
        }
        Some(Placeholder::Paywall) => {
            full.page.is_partial = true;
            let note = Placeholder::Paywall.advice().to_owned();
            full.page.notes.push(note);
        }
        Some(Placeholder::Script) | None => {}
    }
    // Of a page of frames, their addresses are what there is to go on with.
    let document = &full.document;
    if !full.page.is_partial && !document.has_text() && !document.is_of_frames {
        return Err(failure::of_nothing("the page has no text", &full.status));
    }
    full.embedded = Some(EmbeddedData::read(html));
    Ok(())
}
