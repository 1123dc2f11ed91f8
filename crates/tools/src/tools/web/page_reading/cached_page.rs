//! The cache of pages and failures: their keys, their lifetimes, and the checks before one is
//! shown.
//!
//! Rules: the specification's cache of `scrape_page`. The key contains all parts of the request and
//! the environment that the answer depends on.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use url::Url;

use super::browser_render;
use super::failure::{self, CachedFailure, PageError};
use super::page::ScrapedPage;
use super::page_request::ScrapeRequest;
use super::reader;
use crate::contract::call_terms::Audience;
use crate::contract::failure::{ErrorCode, Failure};
use crate::tools::web::page_source;
use iki_conversion::{find_ocr_program, find_office_programs};
use iki_document::FileKind;
use iki_web::allowed_hosts::{self, AllowedHosts};
use iki_web::cache::{self, CacheQuestion, CacheStore};
use iki_web::client::HttpClient;
use iki_web::guard::{self, Guard};

/// Time for which a page is valid.
pub const TIME_TO_LIVE: Duration = Duration::from_secs(60 * 60);

/// Maximum wait for another call with the same request, before this one fetches by itself.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// A shorter call that fails to reach a server does not count against the server.
const MIN_FAIR_TIME: Duration = Duration::from_secs(15);

/// Version of the stored form: incremented whenever [`CachedReply`] changes.
const VERSION: u32 = 5;

/// A page or a failure, as it is stored.
#[derive(Debug, Serialize, Deserialize)]
enum CachedReply<P> {
    Page(P),
    /// The flag is true if its note may recommend commands.
    Failure(CachedFailure, bool),
}

/// A page, with its age if it comes from the cache.
pub struct CacheHit {
    /// The page.
    pub page: ScrapedPage,
    /// Age of a cached page.
    pub age: Option<Duration>,
}

/// Answers a request: from the cache, or else by fetching, within the time of `client`, to which
/// the wait for another call belongs. `None` if it would have to be fetched by an offline client.
pub fn answer(
    request: &ScrapeRequest,
    client: HttpClient,
    store: Option<&dyn CacheStore>,
) -> Option<Result<CacheHit, Failure>> {
    if client.is_offline() {
        return cached_answer(request, store?);
    }
    Some(cached_or_fetched(request, client, store))
}

fn cached_or_fetched(
    request: &ScrapeRequest,
    client: HttpClient,
    store: Option<&dyn CacheStore>,
) -> Result<CacheHit, Failure> {
    let Some(store) = store.filter(|_| may_be_shown(request, &request.url)) else {
        let answer = reader::page(request, client);
        return answer.map(new).map_err(|refusal| refusal.failure);
    };
    let question = question(request);
    let wait = MAX_WAIT.min(client.time_left() / 3);
    let look = || read_cached(store, &question, request);
    // Of many equal calls, only one fetches.
    let _turn = match cache::get_or_wait(store, &question, wait, look) {
        Ok(answer) => return answer,
        Err(turn) => turn,
    };
    let is_patient = client.time_left() >= MIN_FAIR_TIME;
    match reader::page(request, client) {
        Ok(page) => {
            if !page.is_transient {
                store_reply(store, &question, &CachedReply::Page(&page), TIME_TO_LIVE);
            }
            Ok(new(page))
        }
        Err(PageError {
            failure,
            is_cacheable,
        }) => {
            let of_the_page = is_patient || failure.code != ErrorCode::NetworkError;
            if is_cacheable
                && of_the_page
                && let Some(good_for) = failure::good_for(failure.code)
            {
                let entry = CachedFailure::from_failure(&failure);
                store_reply(
                    store,
                    &question,
                    &CachedReply::<&ScrapedPage>::Failure(entry, request.terms.serves("bash")),
                    good_for,
                );
                return Err(failure::note_caching(failure, good_for));
            }
            Err(failure)
        }
    }
}

/// Returns the cached answer to a request, if it may be shown.
pub fn cached_answer(
    request: &ScrapeRequest,
    store: &dyn CacheStore,
) -> Option<Result<CacheHit, Failure>> {
    if !may_be_shown(request, &request.url) {
        return None;
    }
    read_cached(store, &question(request), request)
}

fn new(page: ScrapedPage) -> CacheHit {
    CacheHit { page, age: None }
}

fn store_reply(
    store: &dyn CacheStore,
    question: &CacheQuestion,
    cached_reply: &CachedReply<&ScrapedPage>,
    good_for: Duration,
) {
    if let Ok(bytes) = serde_json::to_vec(cached_reply) {
        store.put(question, &bytes, good_for);
    }
}

/// Returns the cached answer under this key, if it may be shown.
fn read_cached(
    store: &dyn CacheStore,
    question: &CacheQuestion,
    request: &ScrapeRequest,
) -> Option<Result<CacheHit, Failure>> {
    let entry = store.get(question, TIME_TO_LIVE)?;
    match serde_json::from_slice(&entry.bytes).ok()? {
        CachedReply::<ScrapedPage>::Page(page) => {
            let url = Url::parse(&page.url).ok()?;
            let age = Some(entry.age);
            may_be_shown(request, &url).then_some(Ok(CacheHit { page, age }))
        }
        // It recommends no commands to whoever has none.
        CachedReply::Failure(_, true) if !request.terms.serves("bash") => None,
        CachedReply::Failure(failure, _) => failure.after(entry.age).map(Err),
    }
}

/// True if a page from `url` may be shown for this request, as far as that is known without a
/// look-up.
fn may_be_shown(request: &ScrapeRequest, url: &Url) -> bool {
    let is_allowed = Guard::new(&request.url).is_some_and(|guard| guard.check_url(url).is_ok());
    is_allowed && AllowedHosts::from_env().admits(url)
}

/// Builds the cache key of a request.
pub fn question(request: &ScrapeRequest) -> CacheQuestion {
    // Destructured in full, so that a new field does not compile until it is named here.
    let ScrapeRequest {
        url,
        mode,
        max_length,
        terms,
    } = request;
    // Hosts get the whole page, whatever part the URL names.
    let section = page_source::section_name(url).filter(|_| terms.reader != Audience::Host);
    let services = SERVICES
        .split(' ')
        .map(|name| variable(name).unwrap_or_default());
    let services: Vec<Vec<u8>> = services.collect();
    // The fragment is included because scripts may depend on it.
    CacheQuestion::new(super::READER, VERSION)
        .with("url", Some(url.as_str()))
        .with("mode", Some(mode.name()))
        .with("max_length", Some(max_length.to_string()))
        .with("section", section.map(|_| "1"))
        .with("allowed", variable(allowed_hosts::VARIABLE))
        .with(
            "addresses",
            guard::is_restricted_to_public().then_some("public"),
        )
        .with("ways", Some(browser_render::ways(url)))
        .with(
            "ocr",
            find_ocr_program().map(|path| path.into_os_string().into_encoded_bytes()),
        )
        .with_list(
            "office",
            &FileKind::LEGACY_OFFICE.map(|kind| {
                let first = find_office_programs(kind).into_iter().next();
                first
                    .unwrap_or_default()
                    .into_os_string()
                    .into_encoded_bytes()
            }),
        )
        .with_list("services", &services)
}

/// Variables that replace the addresses of services, with blanks between them.
const SERVICES: &str = "IKIGAI_CROSSREF_URL IKIGAI_EXA_URL IKIGAI_HN_URL IKIGAI_YOUTUBE_URL";

/// Returns a variable of the environment that affects answers.
fn variable(name: &str) -> Option<Vec<u8>> {
    let value = std::env::var_os(name)?;
    (!value.is_empty()).then(|| value.as_encoded_bytes().to_vec())
}
