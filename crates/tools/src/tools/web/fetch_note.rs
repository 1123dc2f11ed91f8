//! Notes of web-fetch: the server's message, the download of a file, the URL that was probably
//! meant.
//!
//! The advice of a note can be followed as written; a URL in it holds no login.

use std::cmp::Reverse;
use std::time::{Duration, Instant};

use percent_encoding::percent_decode_str;
use url::Url;

use super::download_command::{MAX_URL_BYTES, download, plain};
use super::intended_url::{bare_host, without_punctuation};
use crate::contract::call_terms::CallTerms;
use iki_base::signature;
use iki_base::wording::{count_noun, floor_boundary, join_list, on_one_line};
use iki_document::{self as document, MainContentCertainty, OmittedBlocks};
use iki_web::body_text::{self, BodyKind};
use iki_web::client::{HttpResponse, NetworkError};
use iki_web::provider::reply::first_text;
use iki_web::{quote, status_advice};

/// Maximum conversion of a page that is only quoted.
const QUOTE_TIMEOUT: Duration = Duration::from_millis(200);

/// Bytes converted of a page that is only quoted.
const MAX_QUOTED_PAGE_BYTES: usize = 64 * 1024;

/// Writes the note on an answer with a status of 400 or more, to a request for `target`.
pub fn of_status(reply: &HttpResponse, target: &Url, terms: &CallTerms) -> String {
    let mut sentences = of_answer(reply, target, terms);
    if reply.status == 404 {
        sentences.extend(without_punctuation(target));
    }
    sentences.extend(elsewhere(&reply.url, target));
    sentences.extend(quoted(reply, target));
    sentences.join(" ")
}

/// Returns the sentences on such an answer by its status and its headers.
pub fn of_answer(reply: &HttpResponse, target: &Url, terms: &CallTerms) -> Vec<String> {
    let login = !target.username().is_empty() || target.password().is_some();
    status_advice::sentences(reply, login, terms.serves("bash"))
}

/// Quotes the server's message in an answer to a request for `target`.
pub fn quoted(reply: &HttpResponse, target: &Url) -> Option<String> {
    let text = words(
        &reply.body,
        reply.content_type(),
        &reply.url,
        reply.is_truncated,
    );
    let quoted = quote::quoted(&hide_secrets(&text?, target))?;
    Some(format!("The server says: {quoted}"))
}

/// Names the target of redirects, whose query may hold a secret.
pub fn elsewhere(end: &Url, target: &Url) -> Option<String> {
    let bare = |url: &Url| {
        let mut url = url.clone();
        url.set_query(None);
        plain(&url)
    };
    let end = bare(end);
    (end != bare(target) && end.len() <= MAX_URL_BYTES).then(|| format!("Redirects led to {end}"))
}

/// Writes the note on a fetch of `target` that failed on its way.
pub fn of_network(error: &NetworkError, target: &Url, terms: &CallTerms) -> String {
    let mut sentences = vec![error.advice.clone()];
    if let Some(received) = &error.received {
        let kind = received.content_type.as_deref();
        let text = words(&received.bytes, kind, target, true);
        let quoted = text.and_then(|text| quote::quoted(&hide_secrets(&text, target)));
        sentences.extend(quoted.map(|quoted| format!("What came begins with {quoted}")));
    } else if let (None, Some(host)) = (&error.not_allowed, bare_host(target)) {
        sentences = vec![format!("Send {host}")];
    }
    let commands = terms.serves("bash");
    if error.is_private_certificate && commands {
        sentences.push(
            "A page of a server of your own can be fetched all the same with `curl -fsSLk` in a \
             shell, which does not look at certificates."
                .to_owned(),
        );
    }
    if error.is_timeout && commands {
        // The command comes last because it ends with its line.
        let (command, _) = download(target, "");
        sentences.push(format!("What is large or slow comes in a shell: {command}"));
    }
    sentences.retain(|one| !one.is_empty());
    sentences.join(" ")
}

/// Writes the note on an answer to a request for `target` that is not text but of the media type
/// `kind`.
pub fn of_file(kind: &str, reply: &HttpResponse, target: &Url, terms: &CallTerms) -> String {
    if !terms.serves("bash") {
        return String::new();
    }
    let login = if target.username().is_empty() && target.password().is_none() {
        ""
    } else {
        ", with -u USER:PASSWORD for the login"
    };
    let ending = signature::ending(signature::body_type(&reply.body).unwrap_or(kind));
    let (command, name) = download(&reply.url, ending);
    let reader = if ending == "pdf" {
        format!(" – then `pdftotext -layout {name} -` shows its text, where that is installed")
    } else {
        String::new()
    };
    format!("To download it, run in a shell{login}: {command}{reader}")
}

/// Writes the content of a page whose body is empty, and whose header may lead elsewhere.
pub fn empty(status: &str, refresh: Option<&Url>) -> String {
    let leads = refresh.map(of_refresh).unwrap_or_default();
    format!("[{status}. The body of this answer is empty.]{leads}")
}

/// Writes the line on a page without text whose header leads elsewhere.
pub fn of_refresh(next: &Url) -> String {
    format!("\n\n[Its `Refresh` header leads to <{next}>.]")
}

/// Writes the note on a page without any text, although it is not empty.
pub fn of_no_text(page: &str) -> String {
    let script = page
        .as_bytes()
        .windows(7)
        .any(|tag| tag.eq_ignore_ascii_case(b"<script"));
    let why = if script {
        "it is most likely built by JavaScript, which is not run here; look for an API, a feed or \
         another source"
    } else {
        "it has images or other elements, but no text"
    };
    format!(
        "The page came, {} bytes of HTML, but it shows no text: {why}.",
        page.len()
    )
}

/// Writes the note on a page whose main content was wanted.
pub fn of_main_content(certainty: MainContentCertainty, omitted: OmittedBlocks) -> Option<String> {
    let note = match certainty {
        MainContentCertainty::Complete => {
            return of_omitted(omitted, "fetch the page without `main_only`");
        }
        MainContentCertainty::Partial => {
            "It is not sure that this is all of the page's main content: if something is missing, \
             fetch the page without `main_only`."
        }
        MainContentCertainty::Whole => {
            "No part of this page stands out as its main content: this is the whole page."
        }
    };
    Some(note.to_owned())
}

/// Writes the note on what may be missing from a main content; `how` says how to get it.
pub fn of_omitted(omitted: OmittedBlocks, how: &str) -> Option<String> {
    let counts = [
        (omitted.headings, "heading"),
        (omitted.items, "list item"),
        (omitted.paragraphs, "paragraph"),
        (omitted.fields, "form field"),
    ];
    let counts = counts.iter().filter(|(number, _)| *number > 0);
    let counts: Vec<String> = counts
        .map(|(number, noun)| count_noun(u64::from(*number), noun))
        .collect();
    (!counts.is_empty()).then(|| {
        format!(
            "The page has {} besides this main content: if something is missing, {how}.",
            join_list(&counts, "and")
        )
    })
}

/// Writes the note on a window that begins after the last line.
pub fn past_the_end(offset: u64, lines: usize, is_whole: bool) -> String {
    let lines = count_noun(lines as u64, "line");
    if !is_whole {
        return format!(
            "offset {offset} is past what was read of the page: {lines}, the last of which says \
             why there are no more."
        );
    }
    format!("offset {offset} is past the end: the page has {lines}.")
}

/// Writes the note on a line that is longer than the answer may be.
pub fn long_line(number: u64, length: usize, bytes_shown: usize) -> String {
    format!("Line {number} has {length} bytes, of which the first {bytes_shown} are shown.")
}

/// Extracts the message of a body: that of JSON, the title and text of a page, any other text
/// unchanged.
fn words(body: &[u8], content_type: Option<&str>, url: &Url, truncated: bool) -> Option<String> {
    let host = url.host_str().unwrap_or_default();
    let text = body_text::read(body, content_type, host, truncated).ok()?;
    if text.kind == BodyKind::Text {
        return Some(message(&text.text).unwrap_or(text.text));
    }
    let end = Instant::now() + QUOTE_TIMEOUT;
    let excerpt = &text.text[..floor_boundary(&text.text, MAX_QUOTED_PAGE_BYTES)];
    let plain = || document::plain_beginning(excerpt, url, 2 * quote::MAX_QUOTED_CHARS, end);
    let (title, text) = document::catch_reader_panic(plain).ok()?;
    let text = on_one_line(&text);
    match (
        title.is_empty() || text.starts_with(&title),
        text.is_empty(),
    ) {
        (false, false) => Some(format!("{title} – {text}")),
        (false, true) => Some(title),
        (true, false) => Some(text),
        (true, true) => None,
    }
}

/// Paths of the message in an error's JSON, as APIs use them (RFC 9457 among them).
const MESSAGES: &str = "/message /error/message /error_description /detail /errors/0/message \
                        /errors/0/detail /detail/0/msg /detail/message /errors/0 /error_message \
                        /msg /description";

/// Paths of the error's title.
const TITLES: &str = "/title /error /errors/0/title /error/type /code";

/// Extracts the message of an error's JSON.
fn message(json: &str) -> Option<String> {
    let json: serde_json::Value = serde_json::from_str(json.trim()).ok()?;
    match (first_text(&json, TITLES), first_text(&json, MESSAGES)) {
        (Some(title), Some(message)) if !message.contains(title) => {
            Some(format!("{title}: {message}"))
        }
        (title, message) => message.or(title).map(str::to_owned),
    }
}

/// Removes the secrets of the request, which a server may repeat, from `text`.
fn hide_secrets(text: &str, target: &Url) -> String {
    let decoded = |part: &str| percent_decode_str(part).decode_utf8_lossy().into_owned();
    let mut secrets: Vec<String> = target.password().map(decoded).into_iter().collect();
    secrets.extend(target.password().map(str::to_owned));
    let telling = ["key", "token", "secret", "passw", "pwd", "auth", "sig"];
    for (name, value) in target.query_pairs() {
        let name = name.to_ascii_lowercase();
        if telling.iter().any(|part| name.contains(part)) {
            secrets.push(value.into_owned());
        }
    }
    secrets.retain(|secret| secret.len() >= 4);
    secrets.sort_by_key(|secret| Reverse(secret.len()));
    secrets
        .iter()
        .fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
}
