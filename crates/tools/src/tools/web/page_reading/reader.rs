//! The ways to a page: a requested page is fetched and converted, and judged by its kind.
//!
//! Rules: the specification's ways of `scrape_page`; the decisions on web-fetch.

use url::Url;

use super::browser_render;
use super::facts;
use super::failure::{self, PageError};
use super::full_page::FoundPage;
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
    let _counted = PageUnderWay::begin();
    let client = client.with_body_limit(page_source::BODY_LIMIT);
    let found = match site_api_page::find(request, &client)? {
        Some(found) => found,
        None => follow_refresh(
            read(&request.url, None, request, &client)?,
            request,
            &client,
        )?,
    };
    Ok(ScrapedPage::of(found, request, &client))
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
    mut found: FoundPage,
    request: &ScrapeRequest,
    client: &HttpClient,
) -> Result<FoundPage, PageError> {
    let Some((next, guard)) = found.refresh.take() else {
        return Ok(found);
    };
    let mut shown = read(&next, Some(guard), request, client)?;
    if let Some((further, _)) = &shown.refresh {
        let what = format!("an empty page leads to another one, and that to {further}");
        return Err(failure::of_nothing(&what, &shown.status));
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
    let reply = fetch(&request.url, None, request, &client)?;
    let mut page = ScrapedPage {
        url: reply.url.as_str().to_owned(),
        content_type: reply.content_type().unwrap_or_default().to_owned(),
        ..ScrapedPage::default()
    };
    page.fill_raw(&reply.body, reply.truncated, request.max_length);
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
) -> Result<FoundPage, PageError> {
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
    let mut found = FoundPage::new(&page.url, name, page.document, FetchPaging::Whole);
    found.status = page.status;
    let refresh = page.refresh.map(|next| (next, page.guard.clone()));
    match page.form {
        BodyForm::Empty if refresh.is_none() => {
            let what = "the answer's body is empty";
            return Err(failure::of_nothing(what, &found.status));
        }
        BodyForm::Empty => found.refresh = refresh,
        BodyForm::Feed if found.document.cuts.items > 0 => {
            found.page.truncated = true;
            let note = "The feed has more items than are listed; mode raw gives it whole.";
            found.page.notes.push(note.to_owned());
        }
        BodyForm::Document(_) | BodyForm::Feed => {}
        BodyForm::Html(certainty) => {
            found.set_extent(certainty);
            let refresh = refresh.filter(|_| !found.document.has_text());
            let next = found.document.refresh.take();
            found.refresh = refresh.or_else(|| next.map(|next| (next, page.guard.clone())));
            if found.refresh.is_none() {
                judge_html(&mut found, &page.html, &page.guard, request, client)?;
            }
        }
        BodyForm::Text(form) => judge_text(&mut found, form == TextForm::Markdown)?,
    }
    if page.truncated {
        found.page.truncated = true;
        let note = format!("Only the first {MEBIBYTES} MiB of the page were read.");
        found.page.notes.insert(0, note);
    }
    Ok(found)
}

/// Takes what is known of a text from it, if it has words.
fn judge_text(found: &mut FoundPage, is_markdown: bool) -> Result<(), PageError> {
    let text = &found.document.markdown;
    let mut parts = text.split(unseen::is_unseen);
    if parts.all(|text| text.trim().is_empty()) {
        return Err(failure::of_nothing("the text has no words", &found.status));
    }
    found.page.markdown = is_markdown;
    if is_markdown {
        found.document.title = content_type::title_of_markdown(text).unwrap_or_default();
        found.page.extracted_by = Some("markdown".to_owned());
    }
    Ok(())
}

/// Finds out if an HTML page is what was asked for, completes one that a script puts together, and
/// adds its declarations for machines.
fn judge_html(
    found: &mut FoundPage,
    html: &str,
    guard: &Guard,
    request: &ScrapeRequest,
    client: &HttpClient,
) -> Result<(), PageError> {
    // A truncated page may show more than its beginning does.
    let is_whole = !found.document.cuts.are_of_content();
    let mut rendered = None;
    // A browser shows more than the text that only the page's data has.
    let shown = if found.document.of_data {
        ""
    } else {
        found.document.own()
    };
    if is_whole && placeholder::is_shell(html, shown) {
        rendered = browser_render::complete(found, guard, client, request);
    }
    found.page.partial |= found.document.of_data;
    let html = rendered.as_deref().unwrap_or(html);
    let document = &found.document;
    match Placeholder::find(html, &document.title, document.own()) {
        Some(wall @ (Placeholder::Login | Placeholder::Consent)) => {
            return Err(failure::of_placeholder(wall, &found.status));
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
        return Err(failure::of_nothing("the page has no text", &found.status));
    }
    found.embedded = Some(EmbeddedData::read(html));
    Ok(())
}
