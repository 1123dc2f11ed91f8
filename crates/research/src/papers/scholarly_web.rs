//! The web search that takes the place of the providers of papers if none of them answers: on hosts
//! of scholarly works only.

use url::Url;

use super::paper::Paper;
use super::paper_search::{PaperSearch, PaperSource};
use iki_web::hosts;
use iki_web::page::{self, PartialDate};
use iki_web::search::SearchResult;
use iki_web::search::query::{MAX_RESULTS, SafeSearch, WebSearch};
use iki_web::work::Work;

/// Name of the provider of what a web search has found.
pub const NAME: &str = "web_search";

/// Returns the web search for papers.
#[must_use]
pub fn search_of(search: &PaperSearch) -> WebSearch {
    let mut sites = search.source.hosts.to_vec();
    if sites.is_empty() {
        let scholarly = hosts::rows().filter(|row| row.is_marked("scholarly"));
        sites.extend(scholarly.map(|row| row.name));
    }
    WebSearch {
        query: search.query.clone(),
        count: MAX_RESULTS,
        safe: Some(SafeSearch::Medium),
        sites: sites.into_iter().map(str::to_owned).collect(),
        ..WebSearch::default()
    }
}

/// Returns a result as a paper, with what its address tells. Only hosts of `source` were searched.
#[must_use]
pub fn paper(result: SearchResult, source: PaperSource) -> Option<Paper> {
    let url = Url::parse(&result.url).ok()?;
    let mut work = Work::default();
    if hosts::find_row(&url, |row| row.is_marked("open")).is_some() {
        work.open_access = Some(true);
        if url.path().to_ascii_lowercase().ends_with("pdf") {
            url.as_str().clone_into(&mut work.pdf_url);
        }
    }
    let class = page::classify(&url, None);
    work.doi = page::doi::detected(&url, None, "", &class).unwrap_or_default();
    work.title = result.title;
    work.url = result.url;
    work.date = result.published_at.as_deref().and_then(PartialDate::parse);
    let paper = Paper {
        work,
        summary: result.snippet,
        sources: vec![source.name],
        ..Paper::default()
    };
    paper.tidied(NAME)
}
