//! The way from an address to a text, which web-fetch and `scrape_page` share: fetched, decoded in
//! its character set, and converted within the time of the call.
//!
//! Rules: the decisions on web-fetch.

use std::time::{Duration, Instant};

use url::Url;

use super::network;
use crate::contract::terms::Terms;
use crate::document::{self, Document, MainContentCertainty};
use crate::web::charset::{self, BodyKind, Unsupported};
use crate::web::client::{self, Client, FetchError, FetchRequest, MAX_BODY, Response};
use crate::web::guard::Guard;

/// Time of a conversion beyond the client's, so that a page that came at the last moment is
/// converted all the same; the rest of the 25 seconds of a call is for the answer.
const CONVERSION: Duration = Duration::from_millis(600);

/// By when a page that `client` fetched has to be converted.
pub fn conversion_end(client: &Client, terms: &Terms) -> Instant {
    Instant::now() + (client.left() + CONVERSION).min(terms.left(network::CALL) * 9 / 10)
}

/// Fetches what is at `url`.
pub fn fetch(client: &Client, url: &Url) -> Result<Response, FetchError> {
    client.get(&FetchRequest {
        url,
        accept: client::ACCEPT_PAGES,
        headers: &[],
    })
}

/// The most that is read of a page, in MiB.
pub const MEBIBYTES: usize = MAX_BODY / (1024 * 1024);

/// A body that is text, and where it came from.
pub struct PageSource {
    /// The text.
    pub text: String,
    /// Its kind.
    pub kind: BodyKind,
    /// Its media type, in lower case; empty where the server gives none.
    pub media_type: String,
    /// Its final address.
    pub url: Url,
    /// The guard, which knows that address.
    pub guard: Guard,
    /// True if there was more of it.
    pub truncated: bool,
}

impl PageSource {
    /// The text of a reply's body, whose Content-Type is taken to be `declared`.
    pub fn decode(reply: &Response, declared: Option<&str>) -> Result<Self, Unsupported> {
        let host = reply.url.host_str().unwrap_or_default();
        let decoded = charset::read(&reply.body, declared, host, reply.truncated)?;
        Ok(Self {
            text: decoded.text,
            kind: decoded.kind,
            media_type: reply.content_type().map(media_type).unwrap_or_default(),
            url: reply.url.clone(),
            guard: reply.guard.clone(),
            truncated: reply.truncated,
        })
    }

    /// The list of a feed, if it is one.
    pub fn feed(&self) -> Option<Document> {
        document::convert_feed(&self.text, &self.url)
    }

    /// The page as Markdown, as much of it as there is time for until `end`; `None` if the parser,
    /// which is not ours, panics on it.
    pub fn convert(&self, end: Instant) -> Option<Document> {
        let (text, url) = (&self.text, &self.url);
        document::guarded(|| document::convert_until(text, url, self.is_xhtml(), end)).ok()
    }

    /// Its main content, and how sure that is; otherwise like [`PageSource::convert`].
    pub fn convert_main(&self, end: Instant) -> Option<(Document, MainContentCertainty)> {
        let (text, url) = (&self.text, &self.url);
        document::guarded(|| document::convert_main_until(text, url, self.is_xhtml(), Some(end)))
            .ok()
    }

    /// True if browsers read it as XML, which its type alone decides.
    fn is_xhtml(&self) -> bool {
        self.media_type == "application/xhtml+xml"
    }
}

/// The media type of a Content-Type, in lower case.
pub fn media_type(content_type: &str) -> String {
    let kind = content_type.split(';').next().unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}
