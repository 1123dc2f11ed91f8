//! Sites that are read by an API instead of their pages: Hacker News, and `YouTube` by its
//! captions. The result is a document, as for any page.
//!
//! Rules: the decisions on `scrape_page`'s ways.

use std::time::{Duration, Instant, UNIX_EPOCH};

use serde_json::Value;
use url::{Host, Url};

use super::client::{self, FetchError, FetchRequest, HttpClient, HttpResponse};
use super::credentials::Credentials;
use crate::partial_date::PartialDate;
use iki_base::wording::{beginning, on_one_line};
use iki_document::{self as document, Document};

mod hacker_news;
mod youtube;

/// Longest text shown of one user, in bytes.
const MAX_TEXT_BYTES: usize = 64 * 1024;

/// Maximum length of a piece of HTML that is converted, in bytes.
const MAX_PIECE_BYTES: usize = 512 * 1024;

/// Maximum length of a URL, in bytes.
const MAX_ADDRESS_BYTES: usize = 2000;

/// Longest title or name, in characters.
const MAX_NAME_CHARS: usize = 300;

/// A page that can be read without its HTML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteApi {
    /// An item, a list or a user of Hacker News.
    HackerNews(hacker_news::HnRoute),
    /// A video.
    YouTube(youtube::YoutubeVideo),
}

/// A page that was read by its site's API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteApiPage {
    /// Its kind: `hn` or `youtube`.
    pub kind: &'static str,
    /// Title and text, author, and date.
    pub document: Document,
    /// True if a part is missing; the document says so.
    pub is_partial: bool,
}

/// Reason why nothing was read. Each text is a sentence or two, and says what to do.
#[derive(Debug, thiserror::Error)]
pub enum SiteApiError {
    /// The site could not be reached, or answered with an error.
    #[error(transparent)]
    Fetch(FetchError),
    /// The site has no such item.
    #[error("{0}")]
    NotFound(String),
    /// The site demands a check for humans, or refuses programs.
    #[error("{0}")]
    Blocked(String),
    /// The page requires a login.
    #[error("{0}")]
    AuthRequired(String),
    /// The item has no text.
    #[error("{0}")]
    Empty(String),
    /// The reply does not have the documented form.
    #[error("{0}")]
    NotUnderstood(String),
}

impl From<FetchError> for SiteApiError {
    fn from(error: FetchError) -> Self {
        Self::Fetch(error)
    }
}

/// Returns the API that reads the page at `url`, if there is one, without any request.
#[must_use]
pub fn route(url: &Url) -> Option<SiteApi> {
    let plain = matches!(url.scheme(), "http" | "https")
        && url.port().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    let Some(Host::Domain(host)) = url.host().filter(|_| plain) else {
        return None;
    };
    let host = host.trim_end_matches('.');
    hacker_news::HnRoute::for_url(host, url)
        .map(SiteApi::HackerNews)
        .or_else(|| youtube::YoutubeVideo::for_url(host, url).map(SiteApi::YouTube))
}

impl SiteApi {
    /// Reads the page, within the time of `client` and until `end`.
    pub fn read(&self, client: &HttpClient, end: Instant) -> Result<SiteApiPage, SiteApiError> {
        self.read_with(client, &Credentials::from_env(), end)
    }

    /// Like [`read`](Self::read), with the caller's own environment variables.
    pub fn read_with(
        &self,
        client: &HttpClient,
        variables: &Credentials<'_>,
        end: Instant,
    ) -> Result<SiteApiPage, SiteApiError> {
        let client = client.for_at_most(end.saturating_duration_since(Instant::now()));
        match self {
            Self::HackerNews(place) => place.read(&client, variables, end),
            Self::YouTube(video) => video.read(&client, variables, end),
        }
    }

    /// Returns a name for the cache: the same for every URL that leads to the same page.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::HackerNews(place) => format!("hn {place:?}"),
            Self::YouTube(video) => format!("youtube {video:?}"),
        }
    }
}

/// Returns the base URL that a variable sets, or else `usual`.
fn base(variables: &Credentials<'_>, variable: &str, usual: &str) -> Result<Url, FetchError> {
    let set = variables.variable(variable);
    client::parse_url(set.as_deref().unwrap_or(usual))
        .map_err(|error| FetchError::InvalidUrl(format!("{variable} is not an address: {error}")))
}

/// Fetches a URL with this `Accept`.
fn get(client: &HttpClient, url: &Url, accept: &str) -> Result<HttpResponse, FetchError> {
    client.get(&FetchRequest {
        url,
        accept,
        headers: &[],
    })
}

/// Returns a string of an object on one line, shortened; `None` for an empty one.
fn name_of(object: &Value, field: &str) -> Option<String> {
    let text = object.get(field)?.as_str()?;
    let text = single_line(text);
    (!text.is_empty()).then_some(text)
}

/// Puts a text on one line, without control characters and invisible ones.
fn single_line(text: &str) -> String {
    on_one_line(text).chars().take(MAX_NAME_CHARS).collect()
}

/// Returns a non-negative number of an object.
fn number(object: &Value, field: &str) -> Option<u64> {
    object.get(field)?.as_u64()
}

/// Returns day and minute of a Unix time in seconds; `None` beyond the year 9999.
fn day_and_minute(seconds: u64) -> Option<(String, String)> {
    const LAST_SECOND: u64 = 253_402_300_799;
    let time = UNIX_EPOCH + Duration::from_secs(seconds.min(LAST_SECOND));
    let minutes = seconds / 60 % (24 * 60);
    let day = PartialDate::from_time(time);
    let minute = format!("{day} {:02}:{:02} UTC", minutes / 60, minutes % 60);
    (seconds <= LAST_SECOND).then_some((day.to_string(), minute))
}

/// Returns a URL of an object, if it is http or https.
fn address_of(object: &Value) -> Option<&str> {
    let url = object.get("url")?.as_str()?;
    let sound = url.starts_with("https://") || url.starts_with("http://");
    (sound && url.len() <= MAX_ADDRESS_BYTES).then_some(url)
}

/// Escapes plain text as HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

/// Converts a piece of HTML to Markdown, as much as there is time for. Each piece is parsed as a
/// document of its own, so that its markup cannot affect the others.
fn markdown(html: &str, base: &Url, end: Instant) -> String {
    let piece = beginning(html, MAX_PIECE_BYTES);
    // If the parser panics, the piece is shown as it is.
    match document::catch_reader_panic(|| document::convert_until(piece, base, false, end)) {
        Ok(document) if document.cuts.are_of_content() => document.markdown,
        Ok(document) => document.own_text().to_owned(),
        Err(_) => single_line(piece),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_with_another_way_is_told_from_others() {
        let routed = |url: &str| route(&Url::parse(url).unwrap()).map(|api| api.name());
        for (url, same) in [
            (
                "https://news.ycombinator.com/item?id=8863",
                "http://news.ycombinator.com/item?x=1&id=8863#c",
            ),
            (
                "https://news.ycombinator.com",
                "https://news.ycombinator.com/news",
            ),
            (
                "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
                "https://youtu.be/dQw4w9WgXcQ?t=5",
            ),
            (
                "https://m.youtube.com/shorts/dQw4w9WgXcQ",
                "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ",
            ),
            (
                "https://youtube.com/live/dQw4w9WgXcQ?feature=x",
                "https://music.youtube.com/watch?list=y&v=dQw4w9WgXcQ",
            ),
        ] {
            assert!(routed(url).is_some(), "{url}");
            assert_eq!(routed(url), routed(same), "{url} {same}");
        }
        for url in [
            "https://news.ycombinator.com/item?id=x",
            "https://news.ycombinator.com/item",
            "https://news.ycombinator.com/item?id=99999999999999999999",
            "https://news.ycombinator.com/user?id=",
            "https://news.ycombinator.com/user?id=../x",
            "https://news.ycombinator.com/submit",
            "https://news.ycombinator.com:8443/item?id=1",
            "https://me@news.ycombinator.com/item?id=1",
            "https://news.ycombinator.com.evil.example/item?id=1",
            "https://www.youtube.com/@channel",
            "https://www.youtube.com/watch?v=short",
            "https://www.youtube.com/watch?v=dQw4w9WgXc%2F",
            "https://youtu.be/",
            "https://notyoutube.com/watch?v=dQw4w9WgXcQ",
            "https://www.youtube.com/playlist?list=x",
            "ftp://youtu.be/dQw4w9WgXcQ",
            "https://127.0.0.1/item?id=1",
        ] {
            assert_eq!(routed(url), None, "{url}");
        }
    }

    #[test]
    fn a_moment_is_a_day_and_a_minute_and_none_beyond_all_calendars() {
        let told = day_and_minute(1_175_714_200).unwrap();
        assert_eq!(
            told,
            ("2007-04-04".to_owned(), "2007-04-04 19:16 UTC".to_owned())
        );
        assert_eq!(day_and_minute(u64::MAX), None);
    }
}
