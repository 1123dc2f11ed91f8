//! What web-fetch says beyond its answers and failures: what the server said, how a file is
//! downloaded, which URL was meant.
//!
//! What a note recommends can be done as it is written; a URL in it holds no login.

use std::time::{Duration, Instant};

use percent_encoding::percent_decode_str;
use url::Url;

use crate::basics::signature;
use crate::basics::words::{beginning, on_one_line, plural};
use crate::document::Certainty;
use crate::sort::Sort;
use crate::tools::web_download::{MAX_URL, command, download, plain};
use crate::tools::web_meant::{bare_host, without_punctuation};
use crate::tools::web_page;
use crate::web::charset::{self, BodyKind};
use crate::web::client::{NetworkError, Response};
use crate::web::{quote, refusal};

/// How long a page may take that is quoted only.
const QUOTED_WITHIN: Duration = Duration::from_millis(200);

/// How much of a page is converted that is quoted only, in bytes.
const QUOTED_FROM: usize = 64 * 1024;

/// How much of a page's Markdown is looked at for a quotation, in bytes.
const MARKDOWN: usize = 8 * 1024;

/// The note of an answer with a status of 400 or more, to a request for `asked`.
pub fn of_status(reply: &Response, asked: &Url) -> String {
    let login = !asked.username().is_empty() || asked.password().is_some();
    let mut said = refusal::said(reply, login);
    if reply.status == 404 {
        said.extend(without_punctuation(asked));
    }
    said.extend(elsewhere(&reply.url, asked));
    said.extend(quoted(reply, asked));
    said.join(" ")
}

/// Quotes what the server says in an answer to a request for `asked`.
pub fn quoted(reply: &Response, asked: &Url) -> Option<String> {
    let text = words(
        &reply.body,
        reply.content_type(),
        &reply.url,
        reply.truncated,
    );
    let quoted = quote::quoted(&hidden(&text?, asked))?;
    Some(format!("The server says: {quoted}"))
}

/// Says where redirects led, whose query may hold what is nobody's business.
pub fn elsewhere(end: &Url, asked: &Url) -> Option<String> {
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
    } else if let (None, Some(host)) = (&error.not_allowed, bare_host(asked)) {
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
    let known = signature::body_type(body).unwrap_or(kind);
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
    let plural = plural(lines as u64);
    format!("offset {offset} is behind the end: there are {lines} line{plural}.")
}

/// The note of a line that is longer than the answer may be.
pub fn long_line(number: u64, length: usize, shown: usize) -> String {
    format!("Line {number} has {length} bytes, of which the first {shown} are shown.")
}

/// What a body says: the message of JSON, the title and text of a page, any other text as it is.
fn words(body: &[u8], content_type: Option<&str>, url: &Url, truncated: bool) -> Option<String> {
    let host = url.host_str().unwrap_or_default();
    let text = charset::read(body, content_type, host, truncated).ok()?;
    if text.kind == BodyKind::Text {
        return Some(message(&text.text).unwrap_or(text.text));
    }
    let page = web_page::convert(
        beginning(&text.text, QUOTED_FROM),
        url,
        false,
        Instant::now() + QUOTED_WITHIN,
    );
    let page = page?;
    let shown = shown(page.own());
    let begins = on_one_line(&shown).starts_with(&page.title);
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
    let mut out = String::new();
    let mut open = Vec::new();
    let mut rest = beginning(markdown, MARKDOWN).chars();
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
    secrets.arrange_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets
        .iter()
        .fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
}
