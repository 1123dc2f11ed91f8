//! The web search that takes the place of the providers of papers if none of them answers: on hosts
//! of scholarly works only.

use url::Url;

use super::paper::Paper;
use super::paper_search::{PaperSearch, PaperSource};
use crate::hosts;
use crate::page;
use crate::search::SearchResult;
use crate::search::query::{MAX_RESULTS, SafeSearch, WebSearch};

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
    let mut paper = Paper::default();
    if hosts::find(&url, |row| row.is_marked("open")).is_some() {
        paper.set("openAccess", true);
        if url.path().to_ascii_lowercase().ends_with("pdf") {
            paper.set("pdfUrl", url.as_str());
        }
    }
    let class = page::classify(&url, None);
    paper.set("doi", page::doi::detected(&url, None, "", &class));
    paper.set("title", result.title);
    paper.set("url", result.url);
    paper.set("abstract", result.snippet);
    paper.set("date", result.published_at);
    paper.sources.push(source.name);
    paper.tidied(NAME)
}
