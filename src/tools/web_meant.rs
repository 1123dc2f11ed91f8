//! Which URL was meant by one that cannot be fetched, or what does what was meant.

use std::path::Path;

use percent_encoding::percent_decode_str;
use url::{Host, Url};

use crate::basics::words::on_one_line;
use crate::tools::web_download::{MAX_URL, download, plain};
use crate::web::client;

/// Characters that belong to the text around a URL rather than to it.
const AROUND: [char; 14] = [
    '.', ',', ';', ':', '!', '?', ')', ']', '}', '>', '"', '\'', '`', '*',
];

/// `text` without such characters at its end, written as they are or percent-encoded; a bracket
/// that closes one in the text stays.
fn trimmed(text: &str) -> &str {
    let balanced = |text: &str, open: char, close: char| {
        let text = percent_decode_str(text).decode_utf8_lossy();
        text.matches(open).count() >= text.matches(close).count()
    };
    let mut text = text;
    while let Some((last, length)) = last_of(text) {
        let own = match last {
            ')' => balanced(text, '(', ')'),
            ']' => balanced(text, '[', ']'),
            '}' => balanced(text, '{', '}'),
            other => !AROUND.contains(&other) && !other.is_whitespace(),
        };
        if own {
            break;
        }
        text = &text[..text.len() - length];
    }
    text
}

/// The last character of `text` and how many bytes it takes, percent-encoded or not.
fn last_of(text: &str) -> Option<(char, usize)> {
    let encoded = text.len().checked_sub(3).and_then(|at| text.get(at..));
    let byte = encoded
        .and_then(|code| code.strip_prefix('%'))
        .and_then(|digits| u8::from_str_radix(digits, 16).ok());
    if let Some(byte) = byte.filter(u8::is_ascii) {
        return Some((char::from(byte), 3));
    }
    let last = text.chars().next_back()?;
    Some((last, last.len_utf8()))
}

/// Says which URL was meant by one that ends in what belongs to the text around it.
pub fn without_punctuation(asked: &Url) -> Option<String> {
    let mut url = asked.clone();
    url.set_fragment(None);
    let whole = plain(&url);
    let meant = trimmed(&whole);
    let removed = percent_decode_str(&whole[meant.len()..]).decode_utf8_lossy();
    if removed.is_empty() {
        return None;
    }
    let meant = sendable(meant)?;
    Some(format!(
        "The URL ends in `{removed}`, which may belong to the text around it: send {meant}"
    ))
}

/// The URL whose host was read with what belongs to the text around it: `https://example.com)`.
pub fn bare_host(asked: &Url) -> Option<String> {
    let Some(Host::Domain(name)) = asked.host() else {
        return None;
    };
    let bare = name.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
    let alone = asked.path() == "/" && asked.query().is_none();
    if bare.is_empty() || name.trim_end_matches('.') == bare || !alone {
        return None;
    }
    sendable(&format!("{}://{bare}/", asked.scheme()))
}

/// A URL that can be fetched, without login.
fn sendable(text: &str) -> Option<String> {
    let url = client::parse_url(text).ok()?;
    let text = plain(&url);
    (text.len() <= MAX_URL).then_some(text)
}

/// What `tool` says of a text that is no URL to fetch: what was meant, or what does it.
pub fn of_no_url(tool: &str, text: &str) -> String {
    let text = text.trim();
    let scheme = text
        .split_once(':')
        .map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme.as_deref() {
        Some("file") => {
            let path = Url::parse(text)
                .ok()
                .and_then(|url| url.to_file_path().ok());
            return match path.as_deref().and_then(Path::to_str) {
                Some(path) => local(tool, path),
                None => format!("{tool} reads no files: use file_read."),
            };
        }
        Some("ftp" | "ftps" | "sftp" | "scp") => {
            return match Url::parse(text) {
                Ok(url) => format!("To download it, run in a shell: {}", download(&url, "")),
                Err(_) => String::new(),
            };
        }
        Some("ssh" | "git") => {
            return format!("{tool} reads no repositories: run `git clone` in a shell.");
        }
        _ => {}
    }
    if let Some(url) = meant(text) {
        return format!("Send {url}");
    }
    let path = text.split([' ', '\n']).next().unwrap_or_default();
    if path.starts_with(['/', '~', '.']) && !path.starts_with("//") && path.len() > 1 {
        return local(tool, path);
    }
    String::new()
}

fn local(tool: &str, path: &str) -> String {
    let path = on_one_line(path);
    if path.len() > MAX_URL {
        return format!("{tool} reads no files: use file_read.");
    }
    let path = serde_json::Value::from(path);
    format!("{tool} reads no files: use file_read with \"file_path\":{path}")
}

/// The URL that somebody meant who wrote `text`: in Markdown or quotation marks, without its
/// scheme, with a blank in it, with others behind it.
fn meant(text: &str) -> Option<String> {
    let fetched = |text: &str| sendable(text).filter(|_| begins_as_url(text));
    // `[text](url)`, `![text](url)`.
    if let Some((_, target)) = text.split_once("](") {
        let target = target.split([')', ' ']).next().unwrap_or_default();
        if let Some(url) = fetched(target) {
            return Some(url);
        }
    }
    let opening = |c: char| c.is_whitespace() || "<\"'`([{*_".contains(c);
    let bare = trimmed(text.trim_start_matches(opening));
    let bare = bare.strip_prefix("view-source:").unwrap_or(bare);
    if let Some(url) = fetched(bare) {
        return Some(url);
    }
    // `https: //example.com`, or two of them.
    if let Some(url) = bare.split_whitespace().next().and_then(fetched) {
        return Some(url);
    }
    let joined: String = bare.split_whitespace().collect();
    if let Some(url) = fetched(&joined) {
        return Some(url);
    }
    // `https//example.com`, `http:/example.com`, `//example.com`, `example.com/x`.
    let lower = joined.to_ascii_lowercase();
    let scheme = ["https", "http"].into_iter().find(|scheme| {
        lower
            .strip_prefix(scheme)
            .is_some_and(|rest| rest.starts_with([':', '/']))
    });
    let behind = &joined[scheme.map_or(0, str::len)..];
    let behind = behind.trim_start_matches([':', '/']);
    let slashes = joined.starts_with("//") || !joined.starts_with('/');
    if !slashes || !is_host(behind) || bare.contains(char::is_whitespace) {
        return None;
    }
    let scheme = scheme.unwrap_or_else(|| if is_local(behind) { "http" } else { "https" });
    sendable(&format!("{scheme}://{behind}"))
}

fn begins_as_url(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let behind = ["https://", "http://"]
        .iter()
        .find_map(|scheme| lower.strip_prefix(scheme));
    behind.is_some_and(is_host)
}

/// The host that `text`, a URL behind its scheme, begins with.
fn host_of(text: &str) -> &str {
    let authority = text.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    match host.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => host,
    }
}

/// Whether `text` begins with what can be a host: a name with a dot in it, an address, `localhost`.
fn is_host(text: &str) -> bool {
    let host = host_of(text);
    let of_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    let dotted = host.contains('.') && !host.starts_with('.') && !host.contains("..");
    (dotted && host.chars().all(of_name)) || host == "localhost" || host.starts_with('[')
}

/// Whether `text` begins with a host that hardly speaks TLS: this machine, its network, an address.
fn is_local(text: &str) -> bool {
    let host = host_of(text);
    host == "localhost"
        || host.ends_with(".localhost")
        || host.starts_with('[')
        || host.parse::<std::net::Ipv4Addr>().is_ok()
}
