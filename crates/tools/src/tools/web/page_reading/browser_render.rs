//! Pages that a script builds, which are not in their server's HTML: the user's browser runs the
//! script, or else Exa may have the page.

use std::time::Duration;

use url::Url;

use super::full_page::FullPage;
use super::page::FetchPaging;
use super::page_request::ScrapeRequest;
use crate::tools::web::conversion_lock;
use crate::tools::web::page_source::{self, PagePart};
use crate::tools::web::placeholder::{self, Placeholder};
use iki_document::Document;
use iki_web::browser::Browser;
use iki_web::client::HttpClient;
use iki_web::credentials::Credentials;
use iki_web::exa_pages;
use iki_web::guard::Guard;

/// Maximum time given to a browser for a page.
const RENDER_TIMEOUT: Duration = Duration::from_secs(15);

/// Time of a call that is reserved for the steps after the browser.
const LATER_STEPS_TIME: Duration = Duration::from_secs(2);

/// Returns the available ways to such a page at `url`, as far as answers depend on them.
pub fn ways(url: &Url) -> Vec<u8> {
    let browser = Browser::locate();
    let program = browser.as_ref().map(|one| one.program().as_os_str());
    let mut ways = program.unwrap_or_default().as_encoded_bytes().to_vec();
    if exa_pages::is_wanted(url, &Credentials::from_env()) {
        ways.extend_from_slice(b"\0exa");
    }
    ways
}

/// Completes the page in another way, with notes on the result, and returns the new HTML if it
/// comes from a browser. If no way leads to more text, the page stays as it is, and partial.
pub fn complete(
    full: &mut FullPage,
    guard: &Guard,
    client: &HttpClient,
    request: &ScrapeRequest,
) -> Option<String> {
    let rendered = render(full, guard, client, request);
    if rendered.is_none() && !ask_exa(full, client, request) {
        full.page.is_partial = true;
        let note = Placeholder::Script.advice().to_owned();
        full.page.notes.push(note);
    }
    rendered
}

/// Renders the page in a browser, and returns its HTML.
fn render(
    full: &mut FullPage,
    guard: &Guard,
    client: &HttpClient,
    request: &ScrapeRequest,
) -> Option<String> {
    let Some(browser) = Browser::locate() else {
        full.page.notes.push(
            "There is no browser to run the page's script: set IKIGAI_BROWSER to one.".to_owned(),
        );
        return None;
    };
    let _turn = conversion_lock::acquire();
    let within = client
        .time_left()
        .saturating_sub(LATER_STEPS_TIME)
        .min(RENDER_TIMEOUT);
    let html = match browser.render(&full.url, guard, within) {
        Ok(rendered) => rendered.html,
        Err(error) => {
            // A later attempt may succeed.
            full.page.is_transient = true;
            full.page.notes.push(format!("{error}."));
            return None;
        }
    };
    let end = page_source::conversion_end(client, &request.terms);
    let converted = page_source::convert_html(&html, &full.url, false, PagePart::SureMain, end);
    let (document, certainty) = converted?;
    if placeholder::is_shell(&html, document.own_text()) && !document.has_text() {
        let note = "A browser shows no more of it than this.";
        full.page.notes.push(note.to_owned());
        return None;
    }
    full.document = document;
    full.set_extent(certainty);
    full.page.paging = FetchPaging::Nowhere;
    full.page.extracted_by = Some("browser".to_owned());
    Some(html)
}

/// Takes the page from Exa, if its user allows that, and the page is public.
fn ask_exa(full: &mut FullPage, client: &HttpClient, request: &ScrapeRequest) -> bool {
    let credentials = Credentials::from_env();
    let mut addresses = [&request.url, &full.url].into_iter();
    if !addresses.all(|url| exa_pages::is_wanted(url, &credentials)) {
        return false;
    }
    let page = match exa_pages::read(&client.for_services(), &credentials, &full.url) {
        Ok(page) => page,
        Err(error) => {
            full.page.is_transient = true;
            let note = format!("Exa has no such page: {error}");
            full.page.notes.push(note);
            return false;
        }
    };
    if page.text.trim().is_empty() {
        return false;
    }
    full.document = Document {
        title: page.title,
        markdown: page.text,
        author: page.author,
        date: page.published,
        ..Document::default()
    };
    full.page.paging = FetchPaging::Nowhere;
    full.page.extent = None;
    let way = if page.is_fresh { "crawled" } else { "cached" };
    full.page.extracted_by = Some(format!("exa:{way}"));
    true
}
