//! Fields of a request.
//!
//! Rules: the specification's input of `search_and_scrape`; the decisions on the host's calls (4).

use crate::contract::call_terms::CallTerms;
use crate::contract::failure::Failure;
use crate::contract::request::Request;
use crate::tools::web::page_reading::page_request::{
    DEFAULT_CONTENT_BYTES, ScrapeMode, ScrapeRequest,
};
use crate::tools::web::searching::search_fields::{self, SearchFields};
use iki_web::client;
use iki_web::credentials::Credentials;
use iki_web::search::SearchResult;

/// Default number of results.
const DEFAULT_RESULTS: usize = 3;

/// Default length of all sources together, in bytes.
const DEFAULT_TOTAL_BYTES: usize = 300_000;

/// Maximum length of a content that can be requested, in bytes.
const MAX_CONTENT_BYTES: u64 = 5_000_000;

/// A parsed request.
pub struct ReadAllFields {
    /// The search.
    pub search: SearchFields,
    /// True if the answer lists the sources with their contents.
    pub include_sources: bool,
    /// True if what an earlier source has is left out of later ones.
    pub deduplicate: bool,
    /// True if sources that have little to do with the query are left out.
    pub filter_by_query: bool,
    /// Maximum number of bytes of a source's content.
    pub per_source: usize,
    /// Maximum number of bytes of all contents in one text.
    pub total: usize,
}

/// Parses a request.
pub fn read(
    request: &Request<'_>,
    credentials: &Credentials<'_>,
) -> Result<ReadAllFields, Failure> {
    let flag = |name, usual| {
        if request.has(name) {
            request.flag(name)
        } else {
            Ok(usual)
        }
    };
    let length = |name, usual| {
        let length = request.integer(name, 1..=MAX_CONTENT_BYTES)?;
        let length = length.and_then(|length| usize::try_from(length).ok());
        Ok::<usize, Failure>(length.unwrap_or(usual))
    };
    Ok(ReadAllFields {
        search: search_fields::read(request, credentials, DEFAULT_RESULTS)?,
        include_sources: flag("include_sources", true)?,
        deduplicate: flag("deduplicate", true)?,
        filter_by_query: flag("filter_by_query", false)?,
        per_source: length("max_length_per_source", DEFAULT_CONTENT_BYTES)?,
        total: length("total_max_length", DEFAULT_TOTAL_BYTES)?,
    })
}

impl ReadAllFields {
    /// Returns the request for the page of a result. Shorter contents than usual are cut from usual
    /// ones, so that the same cached page serves them.
    pub fn page_of(&self, result: &SearchResult, terms: &CallTerms) -> Option<ScrapeRequest> {
        Some(ScrapeRequest {
            url: client::parse_url(&result.url).ok()?,
            mode: ScrapeMode::Full,
            max_length: self.per_source.max(DEFAULT_CONTENT_BYTES),
            terms: *terms,
        })
    }
}
