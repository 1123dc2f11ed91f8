//! Fields of a request, parsed and validated.

use crate::contract::failure::Failure;
use crate::contract::request::Request;
use crate::tools::web::searching::search_fields::{count, invalid_request, one_of, query, years};
use iki_web::papers::paper_provider::PROVIDERS;
use iki_web::papers::paper_search::{PaperSearch, SOURCES};

/// Default number of papers.
const DEFAULT_PAPERS: usize = 5;

/// A parsed request.
pub struct PaperFields {
    /// The search.
    pub search: PaperSearch,
    /// Requested number of papers, if it is out of range.
    pub requested: Option<i64>,
}

/// Parses a request.
pub fn read(request: &Request<'_>) -> Result<PaperFields, Failure> {
    let query = query(request)?;
    // Without words, providers answer with any papers.
    if !query.contains(char::is_alphanumeric) {
        return Err(invalid_request(
            "query must have 1 to 500 characters, some of them letters or digits",
            "Say in query what to search for.",
        ));
    }
    let (count, requested) = count(request, DEFAULT_PAPERS)?;
    let [year_from, year_to] = years(request, 1000..=9999)?;
    let sources = SOURCES.map(|source| (source.name, source));
    let orders = [("relevance", false), ("date", true)];
    let providers = PROVIDERS.map(|provider| (provider.name, provider.name));
    let search = PaperSearch {
        query,
        count,
        year_from,
        year_to,
        source: one_of(request, "source", sources)?.unwrap_or(SOURCES[0]),
        pdf_only: request.flag("pdf_only")?,
        open_access: request.flag("open_access")?,
        by_date: one_of(request, "sort_by", orders)?.unwrap_or_default(),
        provider: one_of(request, "provider", providers)?,
    };
    Ok(PaperFields { search, requested })
}
