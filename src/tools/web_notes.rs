//! What web-fetch says beyond its answers and failures: what the server said, how a file is
//! downloaded, which URL was meant.
//!
//! What a note recommends can be done as it is written; a URL in it holds no login.

use std::path::Path;
use std::time::{Duration, Instant};

use percent_encoding::percent_decode_str;
use url::{Host, Url};

use crate::document::Certainty;
use crate::tools::web_page;
use crate::web::charset::{self, BodyKind, signature};
use crate::web::client::{self, NetworkError, Response};
use crate::web::{quote, refusal};

/// How long a page may take that is quoted only.
const QUOTED_WITHIN: Duration = Duration::from_millis(200);

/// How much of a page is converted that is quoted only, in bytes.
const QUOTED_FROM: usize = 64 * 1024;

/// How much of a page's Markdown is looked at for a quotation, in bytes.
const MARKDOWN: usize = 8 * 1024;

/// The longest URL that a note holds, in bytes.
const MAX_URL: usize = 2000;

/// The note of an answer with a status of 400 or more, to a request for `asked`.
pub fn of_status(reply: &Response, asked: &Url) -> String {
    let login = !asked.username().is_empty() || asked.password().is_some();
    let mut said = refusal::said(reply, login);
    if reply.status == 404 {
        said.extend(without_punctuation(asked));
    }
    said.extend(elsewhere(&reply.url, asked));
    let text = words(
        &reply.body,
        reply.content_type(),
        &reply.url,
        reply.truncated,
    );
    let quoted = text.and_then(|text| quote::quoted(&hidden(&text, asked)));
    said.extend(quoted.map(|quoted| format!("The server says: {quoted}")));
    said.join(" ")
}

/// Says where redirects led, whose query may hold what is nobody's business.
fn elsewhere(end: &Url, asked: &Url) -> Option<String> {
    let bare = |url: &Url| {
        let mut url = url.clone();
        url.set_query(None);
        plain(&url)
    };
    let end = bare(end);
    (end != bare(asked) && end.len() <= MAX_URL).then(|| format!("Redirects led to {end}"))
}

/// The note of a fetch of `asked` that failed on its way.
pub fn of_network(error: &NetworkError, asked: &Url) -> String {
    let mut said = vec![error.advice.clone()];
    if let Some(received) = &error.received {
        let kind = received.content_type.as_deref();
        let text = words(&received.bytes, kind, asked, true);
        let quoted = text.and_then(|text| quote::quoted(&hidden(&text, asked)));
        said.extend(quoted.map(|quoted| format!("What came begins with {quoted}")));
    } else if let Some(host) = bare_host(asked) {
        said = vec![format!("Send {host}")];
    }
    if error.timed_out {
        // Last, since a command ends where its line does.
        let command = download(asked, "");
        said.push(format!("What is large or slow comes in a shell: {command}"));
    }
    said.retain(|one| !one.is_empty());
    said.join(" ")
}

/// The note of an answer from `url` that is no text but of the media type `kind`.
pub fn of_file(kind: &str, url: &Url, asked: &Url, body: &[u8]) -> String {
    let known = signature::of(body).map_or(kind, |found| found.media_type);
    let login = if asked.username().is_empty() && asked.password().is_none() {
        ""
    } else {
        ", with -u USER:PASSWORD for the login"
    };
    let reader = match known {
        "application/pdf" => {
            " – then `pdftotext -layout NAME -` shows its text, where that is installed"
        }
        _ => "",
    };
    let (command, name) = command(url, signature::ending(known));
    let reader = reader.replace("NAME", &name);
    format!("To download it, run in a shell{login}: {command}{reader}")
}

/// What stands in place of the content of an answer without any.
pub fn empty(reply: &Response) -> String {
    format!(
        "[{}. The body of this answer is empty.]",
        reply.status_text()
    )
}

/// The note of a page that has no text, though there is something of it.
pub fn of_no_text(page: &str) -> String {
    let script = page
        .as_bytes()
        .windows(7)
        .any(|tag| tag.eq_ignore_ascii_case(b"<script"));
    let why = if script {
        "it is most likely put together by JavaScript, which is not run here; look for an API, a \
         feed or another source"
    } else {
        "all that there is has no text"
    };
    format!(
        "The page came, {} bytes of HTML, but it shows no text: {why}.",
        page.len()
    )
}

/// The note of a page of which the main content was wanted.
pub fn of_main_content(certainty: Certainty) -> Option<String> {
    let note = match certainty {
        Certainty::Complete => return None,
        Certainty::Partial => {
            "It is not sure that this is all of the page's main content: if something is missing, \
             fetch the page without `main_only`."
        }
        Certainty::Whole => {
            "No part of this page stands out as its main content: this is the whole page."
        }
    };
    Some(note.to_owned())
}

/// The note of a window that begins behind the last line.
pub fn behind_the_end(offset: u64, lines: usize) -> String {
    let plural = if lines == 1 { "" } else { "s" };
    format!("offset {offset} is behind the end: there are {lines} line{plural}.")
}

/// The note of a line that is longer than the answer may be.
pub fn long_line(number: u64, length: usize, shown: usize) -> String {
    format!("Line {number} has {length} bytes, of which the first {shown} are shown.")
}

/// The command that downloads `url`.
fn download(url: &Url, ending: &str) -> String {
    command(url, ending).0
}

/// The command that downloads `url`, and the name of the file that it makes: one that is not there
/// yet.
fn command(url: &Url, ending: &str) -> (String, String) {
    let name = free(&name(url, ending), |name| {
        Path::new(name).symlink_metadata().is_ok()
    });
    let url = plain(url);
    // curl takes these for patterns of several URLs.
    let globs = if url.contains(['[', ']', '{', '}']) {
        "-g "
    } else {
        ""
    };
    let quoted = if url.len() > MAX_URL {
        "URL".to_owned()
    } else {
        format!("'{}'", url.replace('\'', r"'\''"))
    };
    (format!("curl -fsSL {globs}-o {name} {quoted}"), name)
}

/// The URL without login and fragment.
fn plain(url: &Url) -> String {
    let mut url = url.clone();
    url.set_fragment(None);
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.into()
}

/// A name for the file at `url`, of characters that a shell takes as they are.
fn name(url: &Url, ending: &str) -> String {
    let mut segments = url.path_segments().into_iter().flatten();
    let last = segments.rfind(|part| !part.is_empty());
    let decoded = percent_decode_str(last.unwrap_or_default()).decode_utf8_lossy();
    let safe = |c: char| {
        if c.is_ascii_alphanumeric() || "._-".contains(c) {
            c
        } else {
            '_'
        }
    };
    let mut name: String = decoded.chars().map(safe).take(80).collect();
    name = name.trim_start_matches(['.', '-', '_']).to_owned();
    if name.is_empty() {
        "download".clone_into(&mut name);
    }
    let has_ending = name.rsplit_once('.').is_some_and(|(_, ending)| {
        (1..=5).contains(&ending.len()) && ending.contains(|c: char| c.is_ascii_alphabetic())
    });
    if !ending.is_empty() && !has_ending {
        name.extend([".", ending]);
    }
    name
}

/// `name`, or one like it that is not `taken`.
fn free(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let others = (2..1000).map(|n| format!("{n}-{name}"));
    let mut all = std::iter::once(name.to_owned()).chain(others);
    all.find(|name| !taken(name))
        .unwrap_or_else(|| name.to_owned())
}

/// What a body says: the message of JSON, the title and text of a page, any other text as it is.
fn words(body: &[u8], content_type: Option<&str>, url: &Url, truncated: bool) -> Option<String> {
    let host = url.host_str().unwrap_or_default();
    let text = charset::read(body, content_type, host, truncated).ok()?;
    if text.kind == BodyKind::Text {
        return Some(message(&text.text).unwrap_or(text.text));
    }
    let mut end = text.text.len().min(QUOTED_FROM);
    while !text.text.is_char_boundary(end) {
        end -= 1;
    }
    let page = web_page::convert(
        &text.text[..end],
        url,
        false,
        Instant::now() + QUOTED_WITHIN,
    );
    let page = page?;
    let shown = shown(page.own());
    let begins = quote::on_one_line(&shown).starts_with(&page.title);
    match (page.title.is_empty() || begins, shown.trim().is_empty()) {
        (false, false) => Some(format!("{} – {shown}", page.title)),
        (false, true) => Some(page.title),
        (true, false) => Some(shown),
        (true, true) => None,
    }
}

/// The message in an error's JSON, as APIs have it (RFC 9457 among them).
fn message(json: &str) -> Option<String> {
    let json: serde_json::Value = serde_json::from_str(json.trim()).ok()?;
    let at = |pointer: &str| {
        let text = json.pointer(pointer)?.as_str()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let messages = [
        "/message",
        "/error/message",
        "/error_description",
        "/detail",
        "/errors/0/message",
        "/errors/0/detail",
        "/detail/0/msg",
        "/detail/message",
        "/errors/0",
        "/0/message",
        "/error_message",
        "/msg",
        "/reason",
        "/description",
    ];
    let title = [
        "/title",
        "/error",
        "/errors/0/title",
        "/error/type",
        "/code",
    ];
    let message = messages.iter().find_map(|pointer| at(pointer));
    let title = title.iter().find_map(|pointer| at(pointer));
    match (title, message) {
        (Some(title), Some(message)) if !message.contains(&title) => {
            Some(format!("{title}: {message}"))
        }
        (title, message) => message.or(title),
    }
}

/// What Markdown shows: no targets of links, no escapes.
fn shown(markdown: &str) -> String {
    let mut end = markdown.len().min(MARKDOWN);
    while !markdown.is_char_boundary(end) {
        end -= 1;
    }
    let mut out = String::new();
    let mut open = Vec::new();
    let mut rest = markdown[..end].chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => out.extend(rest.next()),
            '[' => {
                open.push(out.len());
                out.push(c);
            }
            ']' => match (open.pop(), rest.as_str().strip_prefix('(')) {
                (Some(at), Some(target)) => {
                    let image = out[..at].ends_with('!');
                    out.replace_range(at - usize::from(image)..=at, "");
                    rest = target[closing(target)..].chars();
                }
                _ => out.push(c),
            },
            _ => out.push(c),
        }
    }
    let headings = out
        .lines()
        .map(|line| line.trim_start_matches('#').trim_start());
    headings.collect::<Vec<_>>().join("\n")
}

/// Where the target of a link is over.
fn closing(target: &str) -> usize {
    let mut depth = 0;
    for (at, c) in target.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return at + 1,
            ')' => depth -= 1,
            _ => {}
        }
    }
    target.len()
}

/// `text` without the secrets of the request that a server may repeat.
fn hidden(text: &str, asked: &Url) -> String {
    let decoded = |part: &str| percent_decode_str(part).decode_utf8_lossy().into_owned();
    let mut secrets: Vec<String> = asked.password().map(decoded).into_iter().collect();
    secrets.extend(asked.password().map(str::to_owned));
    let telling = ["key", "token", "secret", "passw", "pwd", "auth", "sig"];
    for (name, value) in asked.query_pairs() {
        let name = name.to_ascii_lowercase();
        if telling.iter().any(|part| name.contains(part)) {
            secrets.push(value.into_owned());
        }
    }
    secrets.retain(|secret| secret.len() >= 4);
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets
        .iter()
        .fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
}

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
fn without_punctuation(asked: &Url) -> Option<String> {
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
fn bare_host(asked: &Url) -> Option<String> {
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

/// The note for a text that is no URL to fetch: what was meant, or what does it.
pub fn of_no_url(text: &str) -> String {
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
                Some(path) => local(path),
                None => "web_fetch reads no files: use file_read.".to_owned(),
            };
        }
        Some("ftp" | "ftps" | "sftp" | "scp") => {
            return match Url::parse(text) {
                Ok(url) => format!("To download it, run in a shell: {}", download(&url, "")),
                Err(_) => String::new(),
            };
        }
        Some("ssh" | "git") => {
            return "web_fetch reads no repositories: run `git clone` in a shell.".to_owned();
        }
        _ => {}
    }
    if let Some(url) = meant(text) {
        return format!("Send {url}");
    }
    let path = text.split([' ', '\n']).next().unwrap_or_default();
    if path.starts_with(['/', '~', '.']) && !path.starts_with("//") && path.len() > 1 {
        return local(path);
    }
    String::new()
}

fn local(path: &str) -> String {
    let path = quote::on_one_line(path);
    if path.len() > MAX_URL {
        return "web_fetch reads no files: use file_read.".to_owned();
    }
    let path = serde_json::Value::from(path);
    format!("web_fetch reads no files: use file_read with \"file_path\":{path}")
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
