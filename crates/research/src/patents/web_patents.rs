//! Patents by a web search of Google Patents, whose addresses give their numbers.

use super::patent::Patent;
use super::query::{PatentSearch, plain_words};
use iki_web::search::SearchResult;
use iki_web::search::query::{MAX_RESULTS, SafeSearch, WebSearch};
use iki_web::work::patent_number::GOOGLE_PATENTS;
use iki_web::work::patent_number::PatentNumber;

/// Returns the web search for a search of patents.
#[must_use]
pub fn web_search(search: &PatentSearch) -> WebSearch {
    let quoted = |text: &String| format!("\"{text}\"");
    let number = search.number().map(|number| number.to_string());
    let title = search.title().as_ref().map(quoted);
    let query = number.or(title).or(Some(search.query.clone()));
    let (assignee, inventor) = (search.assignee.as_ref(), search.inventor.as_ref());
    let code = search.cpc_code.clone();
    let parts = [query, assignee.map(quoted), inventor.map(quoted), code];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    WebSearch {
        query: parts.join(" ").trim().to_owned(),
        count: MAX_RESULTS,
        safe: Some(SafeSearch::Medium),
        sites: vec![GOOGLE_PATENTS.to_owned()],
        ..WebSearch::default()
    }
}

/// Returns the patent that a result is the page of.
#[must_use]
pub fn patent_of(result: SearchResult) -> Option<Patent> {
    let number = PatentNumber::in_address(&result.url)?;
    Some(Patent {
        title: title(&result.title, &number),
        number: number.to_string(),
        summary: result.snippet,
        taken: result.taken,
        ..Patent::default()
    })
}

/// Returns the title in that of a page: `US10165245B2 - Video delivery - Google Patents`.
fn title(page: &str, number: &PatentNumber) -> String {
    let page = page.trim_end_matches('\u{2026}').trim_end_matches("...");
    let page = page.trim();
    let page = page.strip_suffix("Google Patents").unwrap_or(page);
    let page = page.trim_end_matches([' ', '-', '|', '\u{2013}']);
    let parts = page.split_once(" - ").filter(|(first, _)| {
        let first = PatentNumber::parse(first);
        first.is_some_and(|first| first.meets(number))
    });
    let title = parts.map_or(page, |(_, title)| title).trim();
    if plain_words(title).is_empty() || PatentNumber::parse(title).is_some() {
        return String::new();
    }
    title.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_s_title_holds_the_patent_s() {
        let number = PatentNumber::parse("US10165245B2").unwrap();
        for (page, expected) in [
            (
                "US10165245B2 - Pre-fetching video - Google Patents",
                "Pre-fetching video",
            ),
            (
                "US10165245B2 - Pre-fetching - of video",
                "Pre-fetching - of video",
            ),
            ("Pre-fetching video - Google Patents", "Pre-fetching video"),
            (
                "US10165245B2 - Pre-fetching video ...",
                "Pre-fetching video",
            ),
            ("US10165245B2 - Google Patents", ""),
            ("", ""),
        ] {
            assert_eq!(title(page, &number), expected, "{page}");
        }
    }
}
