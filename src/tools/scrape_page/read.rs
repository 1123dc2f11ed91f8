//! The ways to a page: what is asked for is fetched, and whatever came is read.
//!
//! Rules: the specification's ways of `scrape_page`; the decisions on web-fetch. What a body is is
//! told by its bytes, then by its Content-Type, then by the ending of its address.

use std::time::{Duration, Instant};

use url::Url;

use super::asked::{Asked, Mode};
use super::facts::{self, Source};
use super::failure::{self, Refusal};
use super::files;
use super::form::{self, Form};
use super::natively;
use super::page::{Page, Paging};
use super::scripted;
use super::walls;
use crate::basics::signature;
use crate::contract::terms::Terms;
use crate::document::{self, Certainty, Cuts, Document};
use crate::page::Embedded;
use crate::tools::{network, web_notes, web_page};
use crate::unseen;
use crate::web::charset::{self, BodyText, Unsupported};
use crate::web::client::{self, Client, FetchRequest, MAX_BODY, Most, Response};
use crate::web::guard::Guard;

/// The most that is read of a document, in bytes.
const MAX_DOCUMENT: usize = 50 * 1024 * 1024;

/// What a conversion has beyond the client's time, so that a page that came at the last moment is
/// converted all the same; what is left of the 25 seconds of a call is for the answer.
const CONVERSION: Duration = Duration::from_millis(600);

/// The longest title that is shown, in characters.
const LONGEST_TITLE: usize = 500;

/// Reads what is asked for, within the time of `client`.
pub fn page(asked: &Asked, terms: &Terms, client: Client) -> Result<Page, Refusal> {
    if asked.mode == Mode::Raw {
        return raw(asked, client);
    }
    let client = client.keeping(Most {
        bytes: MAX_BODY,
        larger: Some((files::begins_as_one, MAX_DOCUMENT)),
    });
    let end =
        || Instant::now() + (client.left() + CONVERSION).min(terms.left(network::CALL) * 9 / 10);
    if let Some(page) = natively::page(asked, &client, end())? {
        return Ok(page);
    }
    let reply = get(asked, &client)?;
    if let Some(check) = walls::bot_check(&reply) {
        return Err(failure::of_bot_check(&check, &reply.status_text()));
    }
    let end = end();
    if let Some(page) = files::page(&reply, asked, end, &client)? {
        return Ok(page);
    }
    text(reply, asked, end, &client)
}

fn get(asked: &Asked, client: &Client) -> Result<Response, Refusal> {
    let request = FetchRequest {
        url: &asked.url,
        accept: client::ACCEPT_PAGES,
        headers: &[],
    };
    let reply = client.get(&request);
    reply.map_err(|error| failure::of_fetch(error, asked))
}

/// The bytes, as they came.
fn raw(asked: &Asked, client: Client) -> Result<Page, Refusal> {
    let client = client.keeping(Most::of(asked.max_length));
    let reply = get(asked, &client)?;
    let mut page = Page {
        url: shown(&reply.url),
        content_type: reply.content_type().unwrap_or_default().to_owned(),
        ..Page::default()
    };
    page.fill_raw(&reply.body, reply.truncated, asked.max_length);
    facts::add(&mut page, &Source::at(&reply.url), "", None);
    Ok(page)
}

/// A page's address, as it is shown: the client has taken its login out.
pub fn shown(url: &Url) -> String {
    url.as_str().to_owned()
}

/// A body that is text, or is nothing to be read.
fn text(reply: Response, asked: &Asked, end: Instant, client: &Client) -> Result<Page, Refusal> {
    let status = reply.status_text();
    if reply.body.trim_ascii().is_empty() {
        return Err(failure::of_nothing("the answer's body is empty", &status));
    }
    let text = decode(&reply, asked)?;
    let mut page = Page {
        url: shown(&reply.url),
        truncated: reply.truncated,
        ..Page::default()
    };
    if reply.truncated {
        let mebibytes = MAX_BODY / (1024 * 1024);
        let note = format!("Only the first {mebibytes} MiB of the page were read.");
        page.notes.push(note);
    }
    if let Some(feed) = document::convert_feed(&text.text, &reply.url) {
        "feed".clone_into(&mut page.content_type);
        page.markdown = true;
        page.paging = Paging::Whole;
        page.title = titled(&feed.title);
        note_what_is_missing(&mut page, feed.cuts);
        if feed.cuts.items > 0 {
            page.truncated = true;
            let note = "The feed has more items than are listed; mode raw gives it whole.";
            page.notes.push(note.to_owned());
        }
        facts::add(&mut page, &Source::at(&reply.url), feed.own(), Some(client));
        page.fill(&feed.markdown, asked);
        return Ok(page);
    }
    let form = Form::of(text.kind, reply.content_type(), &reply.url);
    form.name().clone_into(&mut page.content_type);
    if form == Form::Html {
        let xhtml = reply
            .content_type()
            .is_some_and(|kind| form::essence(kind) == "application/xhtml+xml");
        let (url, guard) = (reply.url.clone(), reply.guard.clone());
        // The bytes have been read, and take room that the conversion needs.
        drop(reply);
        let from = Html {
            source: &text.text,
            url: &url,
            xhtml,
            end,
            guard: &guard,
        };
        return from.read(page, asked, &status, client);
    }
    if form == Form::Markdown {
        page.markdown = true;
        page.extracted_by = Some("markdown".to_owned());
        page.title = form::title_of_markdown(&text.text);
    }
    page.paging = Paging::Whole;
    facts::add(&mut page, &Source::at(&reply.url), &text.text, Some(client));
    page.fill(&text.text, asked);
    if page.words == 0 {
        return Err(failure::of_nothing("the text has no words", &status));
    }
    Ok(page)
}

/// A body as text, in its character set.
fn decode(reply: &Response, asked: &Asked) -> Result<BodyText, Refusal> {
    let host = reply.url.host_str().unwrap_or_default();
    let read = |kind| charset::read(&reply.body, kind, host, reply.truncated);
    let Unsupported(kind) = match read(reply.content_type()) {
        Ok(text) => return Ok(text),
        Err(unsupported) => unsupported,
    };
    // A server may say that of its error's page, or of a text, which is a document at other times.
    if files::is_document(&form::essence(&kind))
        && signature::body_type(&reply.body).is_none()
        && let Ok(text) = read(None)
        && is_written(&text.text)
    {
        return Ok(text);
    }
    let note = web_notes::of_file(&kind, &reply.url, &asked.url, &reply.body);
    Err(failure::of_file(&kind, note))
}

/// Whether a text has none of the characters that only other files have.
fn is_written(text: &str) -> bool {
    let other = |char: char| char.is_control() && !char.is_ascii_whitespace();
    !text.contains(other) && !text.contains(char::REPLACEMENT_CHARACTER)
}

/// A title, if there is one.
pub fn titled(title: &str) -> Option<String> {
    let title = unseen::visible(title.trim());
    let title: String = title
        .chars()
        .filter(|char| !char.is_control())
        .take(LONGEST_TITLE)
        .collect();
    (!title.is_empty()).then_some(title)
}

/// A page of HTML.
pub struct Html<'a> {
    /// Its text.
    pub source: &'a str,
    /// Its final address.
    pub url: &'a Url,
    /// Whether it was served as XML.
    pub xhtml: bool,
    /// By when it has to be converted.
    pub end: Instant,
    /// What is known of where it came from.
    pub guard: &'a Guard,
}

impl Html<'_> {
    fn read(
        &self,
        mut page: Page,
        asked: &Asked,
        status: &str,
        client: &Client,
    ) -> Result<Page, Refusal> {
        page.markdown = true;
        let mut found = self.convert().ok_or_else(failure::of_parser)?;
        // Of a page that was cut nobody knows what else it shows.
        let is_whole = !found.document.cuts.are_of_content();
        if is_whole && walls::is_shell(self.source, found.document.own()) {
            match scripted::page(self, client, asked, &mut page) {
                Some(better) => found = better,
                None => page.partial = true,
            }
        }
        let document = &found.document;
        let html = found.html.as_deref().unwrap_or(self.source);
        if walls::is_login(html, &document.title, document.own()) {
            return Err(failure::of_login_page(status));
        }
        if !page.partial && !document.has_text() {
            let what = "the page has no text";
            return Err(failure::of_nothing(what, status));
        }
        page.extracted_by = Some(found.by.to_owned());
        page.paging = found.paging;
        page.title = titled(&document.title);
        note_what_is_missing(&mut page, document.cuts);
        let embedded = Embedded::read(html, self.url);
        let source = Source {
            embedded: Some(&embedded),
            author: document.author.as_deref(),
            date: document.date.as_deref(),
            ..Source::at(self.url)
        };
        facts::add(&mut page, &source, document.own(), Some(client));
        page.fill(&document.markdown, asked);
        Ok(page)
    }

    /// The main content; the whole page, where it is not sure that this is all of it.
    pub fn convert(&self) -> Option<Found> {
        let begin = Instant::now();
        let half = begin + self.end.saturating_duration_since(begin) / 2;
        let (main, certainty) = web_page::convert_main(self.source, self.url, self.xhtml, half)?;
        let (document, paging) = match certainty {
            Certainty::Complete => (main, Paging::Main),
            Certainty::Whole => (main, Paging::Whole),
            Certainty::Partial => {
                let whole = web_page::convert(self.source, self.url, self.xhtml, self.end)?;
                (whole, Paging::Whole)
            }
        };
        Some(Found {
            document,
            paging,
            by: "html",
            html: None,
        })
    }
}

/// What was found of a page of HTML.
pub struct Found {
    /// The text.
    pub document: Document,
    /// How `web_fetch` shows the same.
    pub paging: Paging,
    /// Which way it was found.
    pub by: &'static str,
    /// The HTML that it is made from, if that is another one than the server's.
    pub html: Option<String>,
}

/// Says of `page` what is missing from it.
pub fn note_what_is_missing(page: &mut Page, cuts: Cuts) {
    if cuts.are_of_content() {
        page.truncated = true;
        page.partial = true;
    }
    // Another time there may be more of it.
    page.of_the_moment |= cuts.time;
}
