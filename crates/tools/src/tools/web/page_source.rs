//! The steps from a URL to a text that web-fetch and `scrape_page` share: fetched, decoded in its
//! character set, and converted within the time of the call.
//!
//! Rules: the decisions on web-fetch.

use std::time::{Duration, Instant};

use memchr::memchr_iter;
use url::Url;

use super::network;
use crate::contract::call_terms::CallTerms;
use iki_document::{self as document, Document, MainContentCertainty};
use iki_web::charset::{self, BodyKind, UnsupportedBody};
use iki_web::client::{self, FetchError, FetchRequest, HttpClient, HttpResponse, MAX_BODY};
use iki_web::guard::Guard;

/// Time for the conversion after the client's, so that a page that came at the last moment is still
/// converted; the rest of the 25 seconds of a call is for the answer.
const CONVERSION_TIME: Duration = Duration::from_millis(600);

/// Returns the deadline for the conversion of a page that `client` fetched.
pub fn conversion_end(client: &HttpClient, terms: &CallTerms) -> Instant {
    Instant::now()
        + (client.left() + CONVERSION_TIME).min(terms.left(network::CALL_TIMEOUT) * 9 / 10)
}

/// Fetches a page from `url`.
pub fn fetch(client: &HttpClient, url: &Url) -> Result<HttpResponse, FetchError> {
    client.get(&request_of(url))
}

/// Fetches the page at `url` to which another one leads, which was reached under this guard.
pub fn fetch_next(
    client: &HttpClient,
    url: &Url,
    guard: Guard,
) -> Result<HttpResponse, FetchError> {
    client.get_next(&request_of(url), guard)
}

fn request_of(url: &Url) -> FetchRequest<'_> {
    FetchRequest {
        url,
        accept: client::ACCEPT_PAGES,
        headers: &[],
    }
}

/// Returns the address to which the `Refresh` header of a reply leads.
pub fn refresh_target(reply: &HttpResponse) -> Option<Url> {
    document::refresh_target(reply.header("refresh")?, &reply.url)
}

/// Maximum number of bytes read of a page, in MiB.
pub const MEBIBYTES: usize = MAX_BODY / (1024 * 1024);

/// A body that is text, with its origin.
pub struct PageSource {
    /// Decoded text.
    pub text: String,
    /// Kind of text.
    pub kind: BodyKind,
    /// Media type, in lower case; empty if the server gives none.
    pub media_type: String,
    /// Final URL.
    pub url: Url,
    /// Guard, at that URL.
    pub guard: Guard,
    /// True if the body was longer.
    pub truncated: bool,
}

impl PageSource {
    /// Decodes a reply's body.
    pub fn decode(reply: &HttpResponse) -> Result<Self, UnsupportedBody> {
        let host = reply.url.host_str().unwrap_or_default();
        let declared = reply.content_type();
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

    /// Returns the entries of a feed, if it is one.
    pub fn feed(&self) -> Option<Document> {
        document::convert_feed(&self.text, &self.url)
    }

    /// Converts the page to Markdown, as much as there is time for until `end`; `None` if the
    /// parser panics.
    pub fn convert(&self, end: Instant) -> Option<Document> {
        let (text, url) = (&self.text, &self.url);
        document::catch_reader_panic(|| document::convert_until(text, url, self.is_xhtml(), end))
            .ok()
    }

    /// Extracts its main content, and how certain that is; otherwise like [`PageSource::convert`].
    pub fn convert_main(&self, end: Instant) -> Option<(Document, MainContentCertainty)> {
        let (text, url) = (&self.text, &self.url);
        document::catch_reader_panic(|| {
            document::convert_main_until(text, url, self.is_xhtml(), Some(end))
        })
        .ok()
    }

    /// True if browsers parse it as XML, which depends only on its type.
    fn is_xhtml(&self) -> bool {
        self.media_type == "application/xhtml+xml"
    }
}

/// Returns the name of the part of a page that an address names; `None` for the whole page, and for
/// what only its script understands.
pub fn section_name(url: &Url) -> Option<&str> {
    let name = url.fragment()?.split(":~:").next()?;
    let is_name = !name.is_empty() && name != "top" && !name.starts_with(['/', '!']);
    is_name.then_some(name)
}

/// Writes the note on an answer to an address that names a part of the page, if it is there.
pub fn note_on_section(name: &str, line: Option<usize>, rest: &str) -> String {
    match line {
        Some(line) => format!("This begins at #{name}, line {}{rest}.", line + 1),
        None => format!("There is no #{name} in this text, so all of it is here."),
    }
}

/// Returns the media type of a Content-Type, in lower case.
pub fn media_type(content_type: &str) -> String {
    let kind = content_type.split(';').next().unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}

/// Returns `count` lines of `text`, or all, from line number `first` (from 1) on.
pub fn window(text: &str, first: u64, count: Option<u64>) -> &str {
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
