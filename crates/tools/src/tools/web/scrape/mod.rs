//! `scrape_page`: anything that has an address, as text, with what is known of its source.
//!
//! | module | contents |
//! |---|---|
//! | `request` | the fields of a request |
//! | `answer` | the answer |
//!
//! Pages are read by `page_reading`; a raw answer that is too large for a message is linked to
//! (`resource_link`).

mod answer;
mod request;

use crate::contract::call_terms::CallTerms;
use crate::contract::failure::Failure;
use crate::contract::reply::{META, Reply};
use crate::contract::tool::{FieldRole, Tool};
use crate::tools::web::page_reading::cached_page::{self, CacheHit};
use crate::tools::web::page_reading::page::ScrapedPage;
use crate::tools::web::page_reading::page_request::ScrapeRequest;
use crate::tools::web::research_cache::AnswerFreshness;
use crate::tools::web::research_call::{ResearchCall, research_tool};
use crate::tools::web::resource_link::{self, LargeAnswer, LinkedAnswer};
use crate::tools::web::session_record::SessionSource;
use iki_base::wording::count_noun;
use iki_web::cache::CacheStore;
use iki_web::search::display_link;

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    link: "scrape-page-tool",
    title: "Read a page or document",
    is_served_by_default: true,
    max_concurrent_calls: Some(4),
    links_artifacts: true,
    fields: FIELDS,
    ..research_tool!("scrape_page", answer)
};

/// The answer's fields as text; the others are for programs only.
const FIELDS: &[(&str, FieldRole)] = &[
    ("url", FieldRole::Aside(&[("url", "")])),
    ("content", FieldRole::Content),
    ("trust", FieldRole::Aside(&[("trust", "")])),
    (
        "citation",
        FieldRole::Aside(&[("cite as", "/formatted/apa")]),
    ),
    ("extractedBy", FieldRole::Silent),
    ("extractionQuality", FieldRole::Aside(&[("quality", "")])),
    ("extent", FieldRole::Aside(&[("extent", "")])),
    (
        "metadata",
        FieldRole::Aside(&[("title", "/title"), ("author", "/author")]),
    ),
    (
        "forumSignals",
        FieldRole::Aside(&[
            ("votes", "/upvotes"),
            ("comments", "/comments"),
            ("votes note", "/credibilityNote"),
        ]),
    ),
    ("sourceType", FieldRole::Aside(&[("source", "")])),
    ("authorityTier", FieldRole::Aside(&[("authority", "")])),
    ("detectedDoi", FieldRole::Aside(&[("doi", "")])),
    (
        "retractionStatus",
        FieldRole::Aside(&[("retraction", "/kind"), ("notice", "/noticeDoi")]),
    ),
    ("contentSizeBytes", FieldRole::Silent),
    ("resource", FieldRole::Aside(&[("resource", "")])),
    ("bytes", FieldRole::Aside(&[("bytes", "")])),
    ("mimeType", FieldRole::Silent),
    ("summary", FieldRole::Aside(&[("summary", "")])),
    ("expiresAt", FieldRole::Aside(&[("expires", "")])),
    ("linked", FieldRole::Silent),
];

fn answer<'a>(call: &mut ResearchCall<'a, '_>) -> Result<Option<Reply<'a>>, Failure> {
    let wanted = request::read(call.request)?;
    let host = wanted.url.host_str().unwrap_or_default();
    host.clone_into(&mut call.session_findings.provider);
    let store = call.context.for_answers();
    let Some(hit) = cached_page::answer(&wanted, call.context.client.clone(), store) else {
        return Ok(None);
    };
    let hit = hit?;
    call.session_findings.sources.push(source_of(&hit, &wanted));
    Ok(Some(reply(hit, call.request.terms(), store)))
}

/// Returns the page as a source of a session. It counts as named if the caller named its host.
fn source_of(hit: &CacheHit, wanted: &ScrapeRequest) -> SessionSource {
    SessionSource {
        named: display_link(&hit.page.url) == display_link(wanted.url.as_str()),
        ..hit.page.session_source()
    }
}

fn reply<'a>(hit: CacheHit, terms: &CallTerms, store: Option<&dyn CacheStore>) -> Reply<'a> {
    let linked = linked(&hit.page, terms, store);
    Reply::new(move |object| {
        match &linked {
            Some(linked) => {
                linked.write(object)?;
                object.field("contentSizeBytes", &hit.page.whole)?;
            }
            None => answer::write(object, &hit.page)?,
        }
        object.field_for_server(
            META,
            &AnswerFreshness::from_age(hit.age, cached_page::TIME_TO_LIVE),
        )
    })
}

/// Creates the link that replaces the answer of `page`; `None` if the answer stays: it is not raw,
/// not large, the client does not accept links, or there is no store.
fn linked(
    page: &ScrapedPage,
    terms: &CallTerms,
    store: Option<&dyn CacheStore>,
) -> Option<LinkedAnswer> {
    let store = store.filter(|_| page.is_raw && terms.is_served)?;
    let whole = if page.is_truncated {
        ", cut at max_length"
    } else {
        ""
    };
    let kind = match page.content_type.as_str() {
        "" => "no declared type",
        kind => kind,
    };
    let length = count_noun(page.content.len() as u64, "byte");
    let answer = LargeAnswer {
        mime_type: resource_link::JSON,
        text: resource_link::whole_object(|object| answer::write(object, page)).ok()?,
        summary: format!(
            "Raw answer of {} ({kind}, {length}{whole}): read the resource for all of it.",
            page.url,
        ),
        description: "The whole raw answer, as JSON; it can be read until it expires.",
    };
    resource_link::link(store, &answer)
}
