//! Scores of a source, each from 0 to 1, from what is known of it. They order the sources of one
//! answer; they say nothing of the truth of what a source says.

use serde_json::{Value, json};

use crate::tools::web::page_reading::page::{PageExtent, ScrapedPage};
use iki_web::page::PartialDate;
use iki_web::search::claim::ClaimTerms;

/// Age in days at which a page has no freshness left: five years.
const ZERO_FRESHNESS_DAYS: f64 = 5.0 * 365.25;

/// Freshness of a page without a date, like that of one that is three and a half years old.
const UNDATED_FRESHNESS: f64 = 0.3;

/// Number of words of a page whose length says no more of its quality.
const ENOUGH_WORDS: f64 = 500.0;

/// Sources of less relevance are left out if the request filters by its query.
pub const MIN_RELEVANCE: f64 = 0.3;

/// Scores of a source, rounded to three digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SourceScores {
    /// See [`relevance`].
    pub relevance: f64,
    /// See [`freshness`].
    pub freshness: f64,
    /// See [`authority`].
    pub authority: f64,
    /// See [`content_quality`].
    pub content_quality: f64,
}

impl SourceScores {
    /// Returns the overall score: .35 of relevance, .20 of freshness, .25 of authority, .20 of the
    /// content's quality.
    pub fn overall(&self) -> f64 {
        let parts = 0.35 * self.relevance + 0.20 * self.freshness;
        rounded(parts + 0.25 * self.authority + 0.20 * self.content_quality)
    }

    /// Returns the scores as answers have them.
    pub fn in_answer(&self) -> Value {
        json!({
            "overall": self.overall(),
            "relevance": self.relevance,
            "freshness": self.freshness,
            "authority": self.authority,
            "contentQuality": self.content_quality,
        })
    }
}

/// Returns the relevance: the share of the query's words and numbers (without stop words, numbers
/// twice as heavy) that title and text have, for .7; and the share that the title has, for .3. It
/// is 0 where none occurs, and 1 where the title has all, or the query has no such words.
pub fn relevance(query: &ClaimTerms, title: &str, text: &str) -> f64 {
    let in_title = query.share_in(title);
    // The title is mostly the text's first heading as well.
    let anywhere = if in_title < 1.0 {
        query.share_in(&format!("{title}\n{text}"))
    } else {
        in_title
    };
    rounded(0.7 * anywhere + 0.3 * in_title)
}

/// Returns the freshness: 1 for a page of today or the future, falling evenly to 0 for one of five
/// years or older; .3 without a date. A year or a month counts as a day in its middle.
pub fn freshness(date: Option<PartialDate>, today: PartialDate) -> f64 {
    let Some(date) = date else {
        return UNDATED_FRESHNESS;
    };
    let days = today.day_number() - date.day_number();
    let days = i32::try_from(days).map_or(f64::INFINITY, f64::from);
    rounded((1.0 - days / ZERO_FRESHNESS_DAYS).clamp(0.0, 1.0))
}

/// Returns the authority of a page by its tier: high 1, medium .6, low .2; 0 if its work was
/// retracted.
pub fn authority(tier: &str, is_retracted: bool) -> f64 {
    match tier {
        _ if is_retracted => 0.0,
        "high" => 1.0,
        "medium" => 0.6,
        _ => 0.2,
    }
}

/// Returns the quality of the content: .6 for 500 words and more, less for fewer by their number;
/// .2 if nothing of it is known to be missing; .2 if it is a page's main content, or a document.
pub fn content_quality(page: &ScrapedPage) -> f64 {
    let words = u32::try_from(page.words).map_or(ENOUGH_WORDS, f64::from);
    let length = 0.6 * (words / ENOUGH_WORDS).min(1.0);
    let whole = if page.is_partial { 0.0 } else { 0.2 };
    let main = if page.extent == Some(PageExtent::Page) {
        0.0
    } else {
        0.2
    };
    rounded(length + whole + main)
}

fn rounded(score: f64) -> f64 {
    (score * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn same(one: f64, other: f64) {
        assert!((one - other).abs() < 1e-9, "{one} {other}");
    }

    #[test]
    fn the_overall_score_weighs_the_four() {
        for (scores, overall) in [
            ([1.0, 0.0, 0.0, 0.0], 0.35),
            ([0.0, 1.0, 0.0, 0.0], 0.2),
            ([0.0, 0.0, 1.0, 0.0], 0.25),
            ([0.0, 0.0, 0.0, 1.0], 0.2),
            ([1.0; 4], 1.0),
            ([0.0; 4], 0.0),
        ] {
            let [relevance, freshness, authority, content_quality] = scores;
            let scores = SourceScores {
                relevance,
                freshness,
                authority,
                content_quality,
            };
            same(scores.overall(), overall);
        }
    }

    #[test]
    fn relevance_is_by_the_words_of_the_query_and_more_so_in_the_title() {
        let query = ClaimTerms::new("tidal power plants");
        for (title, text, expected) in [
            ("Tidal power plant", "", 1.0),
            ("A page", "Of tidal power, and its plants.", 0.7),
            ("Tides", "Of power.", 0.233),
            ("Power", "Tidal plants.", 0.8),
            ("A page", "Of the sea.", 0.0),
        ] {
            same(relevance(&query, title, text), expected);
        }
        same(relevance(&ClaimTerms::new("to be or not"), "", ""), 1.0);
    }

    #[test]
    fn freshness_falls_evenly_for_five_years() {
        let date = |text| PartialDate::parse(text).unwrap();
        let today = date("2026-07-01");
        for (published, expected) in [
            ("2026-07-01", 1.0),
            ("2027-01-01", 1.0),
            ("2026", 1.0),
            ("2025-07-01", 0.8),
            ("2024-01", 0.508),
            ("2021-07-01", 0.0),
            ("1999", 0.0),
        ] {
            same(freshness(Some(date(published)), today), expected);
        }
        same(freshness(None, today), 0.3);
    }

    #[test]
    fn authority_is_by_tier_and_none_is_left_to_a_retracted_work() {
        for (tier, is_retracted, expected) in [
            ("high", false, 1.0),
            ("medium", false, 0.6),
            ("low", false, 0.2),
            ("high", true, 0.0),
        ] {
            same(authority(tier, is_retracted), expected);
        }
    }

    #[test]
    fn quality_is_by_length_and_by_how_the_content_was_found() {
        let page = |words, is_partial, extent| ScrapedPage {
            words,
            is_partial,
            extent,
            ..ScrapedPage::default()
        };
        for (page, expected) in [
            (page(900, false, Some(PageExtent::Main)), 1.0),
            (page(500, false, None), 1.0),
            (page(500, false, Some(PageExtent::Page)), 0.8),
            (page(250, true, Some(PageExtent::Main)), 0.5),
            (page(0, true, Some(PageExtent::Page)), 0.0),
        ] {
            same(content_quality(&page), expected);
        }
    }
}
