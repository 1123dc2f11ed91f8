//! Sites that are read by another way than their pages: Hacker News by its API, `YouTube` by its
//! captions. What they say is told as a document, like any page.
//!
//! Rules: the decisions on `scrape_page`'s ways.

use std::fmt;
use std::time::{Duration, Instant, UNIX_EPOCH};

use serde_json::Value;
use url::{Host, Url};

use super::client::{self, Client, FetchError, FetchRequest, Response};
use super::credentials::Credentials;
use super::quote::on_one_line;
use super::search::dates;
use crate::document::{self, Document};

mod hacker_news;
mod youtube;

/// The longest text of one person that is told, in bytes.
const LONGEST_TEXT: usize = 64 * 1024;

/// The longest piece of HTML that is converted, in bytes.
const LONGEST_PIECE: usize = 512 * 1024;

/// The longest address, in bytes.
const LONGEST_ADDRESS: usize = 2000;

/// The longest title or name, in characters.
const LONGEST_NAME: usize = 300;

/// A page that its site has another way to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NativeRoute {
    /// Something of Hacker News.
    HackerNews(hacker_news::HnRoute),
    /// A video.
    YouTube(youtube::YoutubeVideo),
}

/// A page that was read that way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NativePage {
    /// Its kind: `hn` or `youtube`.
    pub kind: &'static str,
    /// Its title and text, who wrote or showed it, and when.
    pub document: Document,
    /// True if a part of it is missing, which the document says.
    pub partial: bool,
}

/// The reason why nothing was read. Each text is a sentence or two, and says what to do.
#[derive(Debug)]
pub enum NativeError {
    /// Whoever was asked could not be reached, or refused.
    Fetch(FetchError),
    /// There is no such thing.
    NotFound(String),
    /// It wants to see a human, or refuses programs.
    Blocked(String),
    /// It wants a login.
    AuthRequired(String),
    /// There is nothing in it to be read.
    Empty(String),
    /// The answer is not as documented.
    NotUnderstood(String),
}

impl fmt::Display for NativeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fetch(error) => error.fmt(f),
            Self::NotFound(text)
            | Self::Blocked(text)
            | Self::AuthRequired(text)
            | Self::Empty(text)
            | Self::NotUnderstood(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for NativeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Fetch(error) => Some(error),
            _ => None,
        }
    }
}

impl From<FetchError> for NativeError {
    fn from(error: FetchError) -> Self {
        Self::Fetch(error)
    }
}

/// The other way to what is at `url`, if there is one. Nothing is asked.
#[must_use]
pub fn route(url: &Url) -> Option<NativeRoute> {
    let plain = matches!(url.scheme(), "http" | "https")
        && url.port().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    let Some(Host::Domain(host)) = url.host().filter(|_| plain) else {
        return None;
    };
    let host = host.trim_end_matches('.');
    hacker_news::HnRoute::at(host, url)
        .map(NativeRoute::HackerNews)
        .or_else(|| youtube::YoutubeVideo::at(host, url).map(NativeRoute::YouTube))
}

impl NativeRoute {
    /// Reads it, within the time of `client` and until `end`.
    pub fn read(&self, client: &Client, end: Instant) -> Result<NativePage, NativeError> {
        self.read_with(client, &Credentials::from_env(), end)
    }

    /// The same with the variables of an environment of the caller's own.
    pub fn read_with(
        &self,
        client: &Client,
        variables: &Credentials<'_>,
        end: Instant,
    ) -> Result<NativePage, NativeError> {
        let client = client.for_at_most(end.saturating_duration_since(Instant::now()));
        match self {
            Self::HackerNews(place) => place.read(&client, variables, end),
            Self::YouTube(video) => video.read(&client, variables, end),
        }
    }

    /// Its name for a cache: the same for every address that leads to it.
    #[must_use]
    #[cfg(feature = "internals")]
    pub fn name(&self) -> String {
        match self {
            Self::HackerNews(place) => format!("hn {place:?}"),
            Self::YouTube(video) => format!("youtube {video:?}"),
        }
    }
}

/// The address that a variable has in place of `usual`.
fn base(variables: &Credentials<'_>, variable: &str, usual: &str) -> Result<Url, FetchError> {
    let set = variables.variable(variable);
    client::parse_url(set.as_deref().unwrap_or(usual))
        .map_err(|error| FetchError::InvalidUrl(format!("{variable} is not an address: {error}")))
}

/// Fetches.
fn get(client: &Client, url: &Url, accept: &str) -> Result<Response, FetchError> {
    client.get(&FetchRequest {
        url,
        accept,
        headers: &[],
    })
}

/// A string of an object, in one line that is seen, and not too long; `None` for an empty one.
fn name_of(object: &Value, field: &str) -> Option<String> {
    let text = object.get(field)?.as_str()?;
    let text = seen(text);
    (!text.is_empty()).then_some(text)
}

/// A text in one line, without what only steers a terminal or is not seen at all.
fn seen(text: &str) -> String {
    on_one_line(text).chars().take(LONGEST_NAME).collect()
}

/// A number of an object that is one.
fn number(object: &Value, field: &str) -> Option<u64> {
    object.get(field)?.as_u64()
}

/// The day and the minute of a time, in seconds since 1970; `None` beyond the year 9999.
fn moment(seconds: u64) -> Option<(String, String)> {
    const LAST: u64 = 253_402_300_799;
    let time = UNIX_EPOCH + Duration::from_secs(seconds.min(LAST));
    let minutes = seconds / 60 % (24 * 60);
    let day = dates::days_before(time, 0);
    let minute = format!("{day} {:02}:{:02} UTC", minutes / 60, minutes % 60);
    (seconds <= LAST).then_some((day, minute))
}

/// The first `most` bytes of a text, or some fewer, so that no character is cut.
fn beginning(text: &str, most: usize) -> &str {
    &text[..document::boundary(text, most)]
}

/// An address of an object that is one of the web.
fn address_of(object: &Value) -> Option<&str> {
    let url = object.get("url")?.as_str()?;
    let sound = url.starts_with("https://") || url.starts_with("http://");
    (sound && url.len() <= LONGEST_ADDRESS).then_some(url)
}

/// Plain text as HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

/// The Markdown of a piece of HTML, as much as there is time for. A piece is a document of its own,
/// so that nothing in it has an effect on the others.
fn markdown(html: &str, base: &Url, end: Instant) -> String {
    let piece = beginning(html, LONGEST_PIECE);
    // The parser is not ours: where it panics, the piece is shown as it is.
    match document::guarded(|| document::convert_until(piece, base, false, end)) {
        Ok(document) if document.cuts.are_of_content() => document.markdown,
        Ok(document) => document.own().to_owned(),
        Err(_) => seen(piece),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_with_another_way_is_told_from_others() {
        let routed = |url: &str| route(&Url::parse(url).unwrap()).map(|native| native.name());
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
        let told = moment(1_175_714_200).unwrap();
        assert_eq!(
            told,
            ("2007-04-04".to_owned(), "2007-04-04 19:16 UTC".to_owned())
        );
        assert_eq!(moment(u64::MAX), None);
    }
}
