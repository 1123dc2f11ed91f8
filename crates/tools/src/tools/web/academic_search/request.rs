//! Fields of a request, parsed and validated.

use crate::contract::failure::Failure;
use crate::contract::request::{Request, quote_value};
use crate::tools::web::searching::search_fields::{
    count, given, invalid_request, one_of, query, within_length, years,
};
use iki_research::papers::paper_provider::{self, PROVIDERS};
use iki_research::papers::paper_search::{PaperOrder, PaperSearch, PaperTarget, SOURCES};
use iki_web::work::WorkKind;
use iki_web::work::work_id::WorkId;

/// The kinds of works that can be asked for.
const KINDS: [WorkKind; 8] = [
    WorkKind::Article,
    WorkKind::Preprint,
    WorkKind::Chapter,
    WorkKind::Book,
    WorkKind::Proceedings,
    WorkKind::Thesis,
    WorkKind::Dataset,
    WorkKind::Report,
];

/// The last page that can be asked for; no provider has more.
const MAX_PAGE: u64 = 10_000;

/// Default number of papers.
const DEFAULT_PAPERS: usize = 5;

/// Parses a request.
pub fn read(request: &Request<'_>) -> Result<PaperSearch, Failure> {
    let around = around(request)?;
    let query = match around {
        // Around a work there need not be words.
        Some(_) => given(request, "query")?.unwrap_or_default().to_owned(),
        None => query(request)?,
    };
    within_length("query", &query)?;
    let target = match around {
        Some(target) => target,
        None => WorkId::parse(&query).map_or(PaperTarget::Words, |id| PaperTarget::Works(vec![id])),
    };
    // Without words, providers answer with any papers.
    if target == PaperTarget::Words && !query.contains(char::is_alphanumeric) {
        return Err(invalid_request(
            "query must have 1 to 500 characters, some of them letters or digits",
            "Say in query what to search for.",
        ));
    }
    let count = count(request, DEFAULT_PAPERS)?;
    let [year_from, year_to] = years(request, 1000..=9999)?;
    let sources = SOURCES.map(|source| (source.name, source));
    let providers = PROVIDERS.map(|provider| (provider.name, provider.name));
    let kinds = KINDS.map(|kind| (kind.name(), kind));
    let name = |field| -> Result<Option<String>, Failure> {
        let name = given(request, field)?;
        name.map_or(Ok(()), |name| within_length(field, name))?;
        Ok(name.map(str::to_owned))
    };
    let is_one = target.work().is_some();
    let search = PaperSearch {
        query,
        target,
        count: if is_one { 1 } else { count },
        year_from,
        year_to,
        source: one_of(request, "source", sources)?.unwrap_or(SOURCES[0]),
        pdf_only: request.flag("pdf_only")?,
        open_access: request.flag("open_access")?,
        author: name("author")?,
        venue: name("venue")?,
        kind: one_of(request, "type", kinds)?,
        min_citations: request.integer("min_citations", 1..=1_000_000)?,
        order: one_of(request, "sort_by", PaperOrder::NAMES)?.unwrap_or_default(),
        page: match request.integer("page", 1..=MAX_PAGE)? {
            Some(page) if !is_one => usize::try_from(page).ok(),
            _ => None,
        },
        provider: one_of(request, "provider", providers)?,
    };
    if let Some(name) = search.provider
        && paper_provider::order(&search).is_empty()
    {
        return Err(invalid_request(
            format!("{name} cannot be asked for this"),
            "Leave provider out, or name another one.",
        ));
    }
    Ok(search)
}

/// Returns what a search around a work is for, if one is named.
fn around(request: &Request<'_>) -> Result<Option<PaperTarget>, Failure> {
    let named = |field| -> Result<Option<WorkId>, Failure> {
        let Some(text) = given(request, field)? else {
            return Ok(None);
        };
        let id = WorkId::parse(text);
        id.map(Some).ok_or_else(|| {
            invalid_request(
                format!(
                    "{field} must be a DOI, an arXiv number or a PMID, not {}",
                    quote_value(text)
                ),
                "Send one such as 10.1038/s41586-021-03819-2, arXiv:1706.03762 or PMID:34265844.",
            )
        })
    };
    match (named("citations_of")?, named("references_of")?) {
        (Some(_), Some(_)) => Err(invalid_request(
            "citations_of and references_of are two searches",
            "Send one of them, and the other in another call.",
        )),
        (Some(id), None) => Ok(Some(PaperTarget::CitationsOf(id))),
        (None, Some(id)) => Ok(Some(PaperTarget::ReferencesOf(id))),
        (None, None) => Ok(None),
    }
}
