//! Advice after a search of patents without results.

use super::patent_searcher;
use super::query::{PatentSearch, PatentSearchType};
use crate::web::search::context::SearchContext;
use crate::web::search::hints::SearchHints;

/// Returns the hints for a search for which `source` found nothing.
#[must_use]
pub fn hints(search: &PatentSearch, source: &str, known: &SearchContext<'_>) -> SearchHints {
    let specific = search.search_type == PatentSearchType::Specific;
    let year = |year: Option<u16>| year.map(|year| year.to_string());
    let all = [
        ("cpc_code", search.cpc_code.clone()),
        ("inventor", search.inventor.clone()),
        ("assignee", search.assignee.clone()),
        ("year_from", year(search.year_from)),
        ("year_to", year(search.year_to)),
        ("patent_office", search.office.map(str::to_owned)),
        (
            "search_type",
            specific.then(|| search.search_type.name().to_owned()),
        ),
    ];
    let given = all.into_iter();
    let filters = given.filter_map(|(field, value)| Some((field, value?)));
    SearchHints::new(
        filters.collect(),
        patent_searcher::alternatives(known, source),
    )
}
