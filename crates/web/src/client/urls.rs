//! URLs: the caller's, those of redirects, and the form in which the HTTP library takes them.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use ureq::http::Uri;
use url::Url;

use super::{FetchError, tunnel};
use crate::guard::{self, HopTarget};

/// Characters that a URL may hold and the HTTP library rejects.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// Parses a URL as browsers do, and requires http or https and a host.
pub fn parse_url(text: &str) -> Result<Url, FetchError> {
    let url = Url::parse(text.trim()).map_err(|error| {
        FetchError::InvalidUrl(match error {
            url::ParseError::RelativeUrlWithoutBase => {
                "no scheme; write the whole URL, such as https://example.com/page".to_owned()
            }
            url::ParseError::EmptyHost => "no host".to_owned(),
            other => other.to_string(),
        })
    })?;
    // Browsers read `http:///page` as the host `page`, but here the host is missing.
    let behind = text.trim().split_once(':').map_or("", |(_, behind)| behind);
    if url.has_host() && (!behind.starts_with("//") || behind[2..].starts_with(['/', '\\'])) {
        return Err(FetchError::InvalidUrl("no host".to_owned()));
    }
    accept(url)
}

/// Requires http or https and a host, which is rewritten in the guard's form.
pub fn accept(mut url: Url) -> Result<Url, FetchError> {
    if !matches!(url.scheme(), "http" | "https") {
        let scheme = url.scheme();
        return Err(FetchError::InvalidUrl(format!(
            "only http and https are fetched, not {scheme}"
        )));
    }
    guard::normalize_host(&mut url).map_err(|why| FetchError::InvalidUrl(why.to_string()))?;
    Ok(url)
}

/// Returns the value of `Authorization` for the user and password in a URL.
pub fn login_of(url: &Url) -> Option<String> {
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    let decode = |part: &str| percent_decode_str(part).collect::<Vec<u8>>();
    Some(tunnel::basic(
        &decode(url.username()),
        &decode(url.password().unwrap_or_default()),
    ))
}

/// Returns the URL without user and password.
#[must_use]
pub fn without_login(url: &Url) -> Url {
    let mut url = url.clone();
    // Fails only for URLs that cannot hold a login; then there is nothing to remove.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}

/// Decodes a URL in a header. Bytes that are not UTF-8 stand for the characters of the same number,
/// as in browsers.
pub fn of_header(bytes: &[u8]) -> String {
    bytes.utf8_chunks().fold(String::new(), |address, chunk| {
        let escaped_bytes = chunk.invalid().iter().map(|byte| format!("%{byte:02X}"));
        address + chunk.valid() + &escaped_bytes.collect::<String>()
    })
}

/// Resolves the target of a redirect; it inherits the fragment, as in browsers.
pub fn follow(from: &Url, location: &str) -> Result<Url, FetchError> {
    let host = from.host_str().unwrap_or_default();
    let mut next = from.join(location).map_err(|error| {
        FetchError::network(format!("{host} redirects to an invalid URL: {error}"))
    })?;
    if !matches!(next.scheme(), "http" | "https") {
        let scheme = next.scheme();
        return Err(FetchError::network(format!(
            "Refused: {host} redirects to a {scheme}: URL; only http and https are followed"
        )));
    }
    guard::normalize_host(&mut next).map_err(|why| {
        FetchError::network(format!(
            "Refused: {host} redirects to a URL that can't be followed: {why}"
        ))
    })?;
    if next.fragment().is_none() {
        next.set_fragment(from.fragment());
    }
    Ok(next)
}

/// Converts a target to the HTTP library's form: of the URL, only path and query are used.
pub fn to_uri(target: &HopTarget, url: &Url) -> Result<Uri, FetchError> {
    let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let text = target.origin() + path;
    if let Ok(uri) = text.parse() {
        return Ok(uri);
    }
    utf8_percent_encode(&text, ESCAPED)
        .to_string()
        .parse()
        .map_err(|error| FetchError::InvalidUrl(format!("the URL can't be requested: {error}")))
}
