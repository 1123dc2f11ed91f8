//! Pages that a script puts together, which their server's HTML does not show: the user's browser
//! runs the script, else Exa may have the page.

use std::time::Duration;

use url::Url;

use super::page::{Page, Paging};
use super::placeholder;
use super::reader::{Found, Html};
use super::request::Asked;
use crate::browser::Browser;
use crate::document::Document;
use crate::web::client::Client;
use crate::web::credentials::Credentials;
use crate::web::exa_pages;

/// The most time that a browser has for a page.
const RENDERING: Duration = Duration::from_secs(15);

/// What is kept of a call's time for what comes behind the browser.
const AFTERWARDS: Duration = Duration::from_secs(2);

/// Which ways there are to such a page at `url`, as far as answers depend on it.
pub fn ways(url: &Url) -> Vec<u8> {
    let browser = Browser::find();
    let program = browser.as_ref().map(|one| one.program().as_os_str());
    let mut ways = program.unwrap_or_default().as_encoded_bytes().to_vec();
    if exa_pages::is_wanted(url, &Credentials::from_env()) {
        ways.extend_from_slice(b"\0exa");
    }
    ways
}

/// The page by another way; what is to be said of it is said of `page`. `None` where there is no
/// way, or none that leads to more.
pub fn page(html: &Html<'_>, client: &Client, asked: &Asked, page: &mut Page) -> Option<Found> {
    if let Some(found) = rendered(html, client, page) {
        return Some(found);
    }
    if let Some(found) = of_exa(html, client, asked, page) {
        return Some(found);
    }
    page.notes.push(
        "This page is put together by a script: what is here is what it shows without. Look for \
         an API, a feed or another source."
            .to_owned(),
    );
    None
}

/// The page as a browser shows it.
fn rendered(html: &Html<'_>, client: &Client, page: &mut Page) -> Option<Found> {
    let Some(browser) = Browser::find() else {
        page.notes.push(
            "There is no browser to run the page's script: IKIGAI_BROWSER names one.".to_owned(),
        );
        return None;
    };
    let within = client.left().saturating_sub(AFTERWARDS).min(RENDERING);
    let rendered = match browser.render(html.url, html.guard, within) {
        Ok(rendered) => rendered,
        Err(error) => {
            // Another time it may do better.
            page.of_the_moment = true;
            page.notes.push(format!("{error}."));
            return None;
        }
    };
    let shown = Html {
        source: &rendered.html,
        xhtml: false,
        ..*html
    };
    let found = shown.convert()?;
    if placeholder::is_shell(&rendered.html, found.document.own()) && !found.document.has_text() {
        page.notes
            .push("A browser shows no more of it than this.".to_owned());
        return None;
    }
    Some(Found {
        paging: Paging::Nowhere,
        by: "browser",
        html: Some(rendered.html),
        ..found
    })
}

/// The page as Exa has it, if its user lets Exa be asked, and everybody can reach the page.
fn of_exa(html: &Html<'_>, client: &Client, asked: &Asked, page: &mut Page) -> Option<Found> {
    let credentials = Credentials::from_env();
    let mut addresses = [&asked.url, html.url].into_iter();
    if !addresses.all(|url| exa_pages::is_wanted(url, &credentials)) {
        return None;
    }
    let found = match exa_pages::read(&client.for_services(), &credentials, html.url) {
        Ok(found) => found,
        Err(error) => {
            page.of_the_moment = true;
            page.notes.push(format!("Exa has no such page: {error}"));
            return None;
        }
    };
    if found.text.trim().is_empty() {
        return None;
    }
    Some(Found {
        document: Document {
            title: found.title,
            markdown: found.text,
            author: found.author,
            date: found.published,
            ..Document::default()
        },
        paging: Paging::Nowhere,
        by: if found.crawled {
            "exa:crawled"
        } else {
            "exa:cached"
        },
        html: None,
    })
}
