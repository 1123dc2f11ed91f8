//! Guesses which URL was meant by one that cannot be fetched, or which other tool is needed.

use std::path::Path;

use percent_encoding::percent_decode_str;
use url::{Host, Url};

use super::download_command::{MAX_URL_BYTES, plain};
use crate::contract::call_terms::{Audience, CallTerms};
use iki_base::wording::on_one_line;
use iki_process::sandbox::confinement;
use iki_web::client;
use iki_web::guard::names;

/// Characters that belong to the text around a URL rather than to it.
const PUNCTUATION: &str = ".,;:!?)]}>\"'`*";

/// Such characters as they are encoded in URLs.
const ENCODED_PUNCTUATION: [&str; 5] = ["%22", "%27", "%3E", "%60", "%7D"];

/// Removes such characters from the end of `text`, except a bracket that closes one in the text.
fn trim_punctuation(text: &str) -> &str {
    let mut text = text;
    loop {
        let around = |c: char| PUNCTUATION.contains(c) || c.is_whitespace();
        let shorter = ENCODED_PUNCTUATION
            .iter()
            .find_map(|end| text.strip_suffix(end));
        let shorter = shorter.or_else(|| text.strip_suffix(around));
        let closes = text.ends_with(')') && text.matches('(').count() >= text.matches(')').count();
        match shorter {
            Some(shorter) if !closes => text = shorter,
            _ => return text,
        }
    }
}

/// Suggests the URL without the surrounding text's characters at its end.
pub fn without_punctuation(url: &Url) -> Option<String> {
    let whole = plain(url);
    let meant = trim_punctuation(&whole);
    let removed = percent_decode_str(&whole[meant.len()..]).decode_utf8_lossy();
    if removed.is_empty() {
        return None;
    }
    let meant = sendable(meant)?;
    Some(format!(
        "The URL ends in `{removed}`, which may belong to the text around it: send {meant}"
    ))
}

/// Returns the URL without surrounding characters that became part of its host:
/// `https://example.com)`.
pub fn bare_host(url: &Url) -> Option<String> {
    let Some(Host::Domain(name)) = url.host() else {
        return None;
    };
    let bare = name.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
    let alone = url.path() == "/" && url.query().is_none();
    if bare.is_empty() || name.trim_end_matches('.') == bare || !alone {
        return None;
    }
    sendable(&format!("{}://{bare}/", url.scheme()))
}

/// Returns a URL that can be fetched, without login.
fn sendable(text: &str) -> Option<String> {
    let url = client::parse_url(text).ok()?;
    let text = plain(&url);
    (text.len() <= MAX_URL_BYTES).then_some(text)
}

/// Advises on a `text` given to `tool` that is not a URL to fetch: the URL that was meant, or
/// another tool.
pub fn of_no_url(tool: &str, text: &str, terms: &CallTerms) -> String {
    let text = text.trim();
    if let Ok(url) = Url::parse(text)
        && url.scheme() == "file"
    {
        let path = url.to_file_path().ok();
        return local(
            tool,
            path.as_deref().and_then(Path::to_str).unwrap_or_default(),
            terms,
        );
    }
    // A person who types a file's name stands beside it.
    let is_file = terms.reader == Audience::Person && Path::new(text).is_file();
    if is_file {
        return local(tool, text, terms);
    }
    if let Some(url) = guess_url(text) {
        return format!("Send {url}");
    }
    let path = text.split([' ', '\n']).next().unwrap_or_default();
    if path.starts_with(['/', '~', '.']) && !path.starts_with("//") && path.len() > 1 {
        return local(tool, path, terms);
    }
    String::new()
}

fn local(tool: &str, path: &str, terms: &CallTerms) -> String {
    if !terms.serves("file_read") || !confinement::is_within_reach(Path::new(path)) {
        return format!("{tool} cannot read local files.");
    }
    let path = on_one_line(path);
    if path.is_empty() || path.len() > MAX_URL_BYTES {
        return format!("{tool} cannot read local files: use file_read.");
    }
    let path = serde_json::Value::from(path);
    format!("{tool} cannot read local files: use file_read with \"file_path\":{path}")
}

/// Guesses the URL that was meant by `text`: in Markdown or quotation marks, without its scheme or
/// with a broken one, with other words after it.
fn guess_url(text: &str) -> Option<String> {
    // `[text](url)`, `![text](url)`.
    let target = text.split_once("](").map_or(text, |(_, target)| {
        target.split([')', ' ']).next().unwrap_or_default()
    });
    let opening = |c: char| c.is_whitespace() || "<\"'`([{*_".contains(c);
    let bare = target
        .trim_start_matches(opening)
        .split_whitespace()
        .next()?;
    let bare = trim_punctuation(bare);
    // `https//example.com`, `http:/example.com`, `//example.com`, `example.com/x`.
    let lower = bare.to_ascii_lowercase();
    let begins = |scheme: &&str| {
        let remainder = lower.strip_prefix(scheme);
        remainder.is_some_and(|remainder| remainder.starts_with([':', '/']))
    };
    let scheme = ["https", "http"].into_iter().find(begins);
    let behind = bare[scheme.map_or(0, str::len)..].trim_start_matches([':', '/']);
    if bare.starts_with('/') && !bare.starts_with("//") {
        return None;
    }
    let url = client::parse_url(&format!("https://{behind}")).ok()?;
    let host = url.host()?;
    let is_local = match &host {
        Host::Domain(name) => names::is_loopback(name),
        Host::Ipv4(_) | Host::Ipv6(_) => true,
    };
    // A single word is not a host.
    if !is_local && !host.to_string().contains('.') {
        return None;
    }
    // This machine and bare addresses seldom use TLS.
    let scheme = scheme.unwrap_or(if is_local { "http" } else { "https" });
    sendable(&format!("{scheme}://{behind}"))
}
