//! The way from an address to a text that `web_fetch` and the readers of pages share: a reply is
//! fetched, told by its bytes, decoded in its character set, and converted within the time of the
//! call.
//!
//! Rules: the decisions on web-fetch. The kind of a body depends on its bytes, then on its
//! Content-Type, then on the extension in its URL.

use std::time::{Duration, Instant};

use url::Url;

use super::content_type::TextForm;
use super::{conversion_lock, network};
use crate::contract::call_terms::CallTerms;
use iki_conversion::{self as conversion, ConversionError, HelperPrograms};
use iki_document::{
    self as document, Document, DocumentError, FileKind, MAX_FILE, MainContentCertainty,
};
use iki_web::body_text::{self, UnsupportedBody};
use iki_web::client::{
    self, BodyLimit, FetchError, FetchRequest, HttpClient, HttpResponse, MAX_BODY,
};
use iki_web::guard::Guard;

/// Time for the conversion after the client's, so that a page that came at the last moment is still
/// converted; the rest of the 25 seconds of a call is for the answer.
const CONVERSION_TIME: Duration = Duration::from_millis(600);

/// Returns the deadline for the conversion of a page that `client` fetched.
pub fn conversion_end(client: &HttpClient, terms: &CallTerms) -> Instant {
    Instant::now()
        + (client.time_left() + CONVERSION_TIME)
            .min(terms.time_left(network::CALL_TIMEOUT) * 9 / 10)
}

/// Maximum number of bytes read of a page, in MiB.
pub const MEBIBYTES: usize = MAX_BODY / (1024 * 1024);

/// Limit for bodies of which documents may have more than others.
pub const BODY_LIMIT: BodyLimit = BodyLimit {
    bytes: MAX_BODY,
    larger: Some((is_large_document, MAX_FILE)),
};

/// True if a body begins as documents do. A notebook is JSON, of which no more is read than of any
/// other text.
fn is_large_document(body: &[u8]) -> bool {
    let is_json = body.trim_ascii_start().starts_with(b"{") && !body.starts_with(b"{\\rtf");
    !is_json && FileKind::may_begin_with(body)
}

/// Fetches a page from `url`, to which another one leads that was reached under this guard, if
/// there is one.
pub fn fetch(
    client: &HttpClient,
    url: &Url,
    guard: Option<Guard>,
) -> Result<HttpResponse, FetchError> {
    let request = FetchRequest {
        url,
        accept: client::ACCEPT_PAGES,
        headers: &[],
    };
    match guard {
        Some(guard) => client.get_next(&request, guard),
        None => client.get(&request),
    }
}

/// The part of an HTML page that is converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PagePart {
    /// The whole page.
    Whole,
    /// Its main content, however sure that is.
    Main,
    /// Its main content, if that is sure and has the part that the address names.
    SureMain,
}

/// The form of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyForm {
    /// There is nothing in it.
    Empty,
    /// A file with a reader of its own.
    Document(FileKind),
    /// A feed.
    Feed,
    /// An HTML page; the text is the main content with this certainty.
    Html(MainContentCertainty),
    /// Any other text, as it came.
    Text(TextForm),
}

/// A reply that was converted.
pub struct ConvertedReply {
    /// Form of its body.
    pub form: BodyForm,
    /// Title and text.
    pub document: Document,
    /// Its HTML, if it is an HTML page.
    pub html: String,
    /// Final URL.
    pub url: Url,
    /// Guard, at that URL.
    pub guard: Guard,
    /// Status, as [`HttpResponse::status_text`] words it.
    pub status: String,
    /// Address to which the `Refresh` header leads.
    pub refresh: Option<Url>,
    /// True if the body was longer.
    pub is_truncated: bool,
}

/// Reason why a body has no conversion.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableReason {
    /// The document cannot be read.
    #[error("{1}")]
    Document(FileKind, ConversionError),
    /// The document is longer than what is read of one.
    #[error("This {} file has more than {mebibytes} MiB, which is the most that is read of one.",
        .kind.name()
    )]
    TooLong {
        /// Kind of document.
        kind: FileKind,
        /// Length of what was read.
        mebibytes: usize,
    },
    /// The body is not text but of this media type; its bytes may tell why.
    #[error("{}", .1.map(|why| why.to_string()).unwrap_or_default())]
    NotText(String, Option<DocumentError>),
    /// The parser panics on the page.
    #[error("the parser gave up on this page")]
    Parser,
}

impl UnreadableReason {
    /// True if the document is intact, but has no text.
    pub fn is_of_nothing(&self) -> bool {
        use DocumentError::{NoText, Pdf};
        matches!(self, Self::Document(_, error) if matches!(error.error, NoText(_) | Pdf(_)))
    }

    /// True if a later attempt may read it.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Document(_, error) if error.is_transient)
    }
}

/// A page whose reply has no conversion.
pub struct UnreadablePage {
    /// The reply.
    pub reply: HttpResponse,
    /// The reason.
    pub reason: UnreadableReason,
}

/// Converts a reply, as much of it as there is time for until `end`; of an HTML page `part`. A gzip
/// file counts as what is packed in it.
pub fn convert(
    mut reply: HttpResponse,
    part: PagePart,
    end: Instant,
) -> Result<ConvertedReply, Box<UnreadablePage>> {
    reply.unpack();
    let turn = conversion_lock::acquire_for_body(&reply.body);
    let end = match &turn {
        Some(_) => conversion_lock::deadline_among_others(end),
        None => end,
    };
    match convert_body(&mut reply, part, end) {
        Ok((form, document, html)) => Ok(ConvertedReply {
            form,
            document,
            html,
            status: reply.status_text(),
            refresh: refresh_target(&reply),
            url: reply.url,
            guard: reply.guard,
            is_truncated: reply.is_truncated,
        }),
        Err(reason) => Err(Box::new(UnreadablePage { reply, reason })),
    }
}

/// Converts the body of a reply; the text behind the document is the HTML of an HTML page.
fn convert_body(
    reply: &mut HttpResponse,
    part: PagePart,
    end: Instant,
) -> Result<(BodyForm, Document, String), UnreadableReason> {
    let declared = reply.content_type().map(media_type).unwrap_or_default();
    if let Some(kind) = kind_of(reply, &declared) {
        if reply.is_truncated {
            let mebibytes = reply.body.len() >> 20;
            return Err(UnreadableReason::TooLong { kind, mebibytes });
        }
        // A tool of the network starts programs though calls are confined.
        let programs = HelperPrograms::Installed;
        let converted = conversion::convert_file(&reply.body, kind, end, programs);
        let document = converted.map_err(|error| UnreadableReason::Document(kind, error))?;
        return Ok((BodyForm::Document(kind), document, String::new()));
    }
    if reply.body.trim_ascii().is_empty() {
        return Ok((BodyForm::Empty, Document::default(), String::new()));
    }
    let host = reply.url.host_str().unwrap_or_default();
    let decoded = body_text::read(&reply.body, reply.content_type(), host, reply.is_truncated);
    let decoded = decoded.map_err(|UnsupportedBody(kind)| {
        UnreadableReason::NotText(kind, DocumentError::detect(&reply.body))
    })?;
    // Frees the bytes because the conversion needs the memory.
    reply.body = Vec::new();
    let (text, url) = (decoded.text, &reply.url);
    if let Some(feed) = document::convert_feed(&text, url) {
        return Ok((BodyForm::Feed, feed, String::new()));
    }
    let form = TextForm::for_body(decoded.kind, reply.content_type(), url);
    if form != TextForm::Html {
        let document = Document {
            markdown: text,
            ..Document::default()
        };
        return Ok((BodyForm::Text(form), document, String::new()));
    }
    // Browsers parse it as XML by its type alone.
    let is_xhtml = declared == "application/xhtml+xml";
    let converted = convert_html(&text, url, is_xhtml, part, end);
    let (document, certainty) = converted.ok_or(UnreadableReason::Parser)?;
    Ok((BodyForm::Html(certainty), document, text))
}

/// Converts a part of an HTML page at `url`, and says how sure it is that the result is its main
/// content; `None` if the parser panics.
pub fn convert_html(
    html: &str,
    url: &Url,
    is_xhtml: bool,
    part: PagePart,
    end: Instant,
) -> Option<(Document, MainContentCertainty)> {
    use MainContentCertainty::{Complete, Partial, Whole};
    let whole = || document::convert_until(html, url, is_xhtml, end);
    let main = |end| document::convert_main_until(html, url, is_xhtml, Some(end));
    let convert = || match part {
        PagePart::Whole => (whole(), Whole),
        PagePart::Main => main(end),
        PagePart::SureMain => {
            let now = Instant::now();
            let (document, certainty) = main(now + end.saturating_duration_since(now) / 2);
            // The part that is named may lie outside of the main content.
            let is_elsewhere = section_name(url).is_some() && document.section.is_none();
            match certainty {
                Partial => (whole(), Whole),
                Complete if is_elsewhere => Some(whole())
                    .filter(|whole| whole.section.is_some())
                    .map_or((document, Complete), |whole| (whole, Whole)),
                certainty => (document, certainty),
            }
        }
    };
    document::catch_reader_panic(convert).ok()
}

/// Returns the kind of document that a reply of this media type is, if it is one. A page may merely
/// mention the mark of PDF files, and mail that is served as text is to be read as that, unless its
/// name is that of mail.
fn kind_of(reply: &HttpResponse, declared: &str) -> Option<FileKind> {
    let path = reply.url.path().to_ascii_lowercase();
    let is_named = MAIL_ENDINGS.iter().any(|ending| path.ends_with(ending));
    let is_mail = is_named || FileKind::Eml.media_types().contains(&declared);
    if let Some(kind) = is_mail.then(|| FileKind::of_mail(&reply.body)).flatten() {
        return Some(kind);
    }
    let kind = FileKind::detect(&reply.body)?;
    let body = reply.body.trim_ascii_start();
    let is_text = declared.starts_with("text/") || body.starts_with(b"<");
    let is_told_by_text = matches!(kind, FileKind::Pdf | FileKind::Eml);
    (!is_told_by_text || body.starts_with(b"%PDF") || !is_text).then_some(kind)
}

/// Endings of the names of mail, and of mail in a gzip file.
const MAIL_ENDINGS: [&str; 4] = [".eml", ".mbox", ".eml.gz", ".mbox.gz"];

/// Returns the address to which the `Refresh` header of a reply leads.
fn refresh_target(reply: &HttpResponse) -> Option<Url> {
    document::refresh_target(reply.header("refresh")?, &reply.url)
}

/// Returns the name of the part of a page that an address names; `None` for the whole page, and for
/// what only its script understands.
pub fn section_name(url: &Url) -> Option<&str> {
    let name = url.fragment()?.split(":~:").next()?;
    let is_name = !name.is_empty() && name != "top" && !name.starts_with(['/', '!']);
    is_name.then_some(name)
}

/// Writes the note on an answer to an address that names a part of the page, if it is there.
pub fn note_on_section(name: &str, line: Option<usize>, remainder: &str) -> String {
    match line {
        Some(line) => format!("This begins at #{name}, line {}{remainder}.", line + 1),
        None => format!("There is no #{name} in this text, so all of it is here."),
    }
}

/// Returns the media type of a Content-Type, in lower case.
pub fn media_type(content_type: &str) -> String {
    let kind = content_type.split(';').next().unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}
