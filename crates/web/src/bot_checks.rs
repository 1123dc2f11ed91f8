//! Bot checks that answer instead of a page: one table of signs, `bot_checks.tsv`.
//!
//! Sources: the vendors' own documentation of their checks; the specification's errors of
//! `scrape_page` (a check has under 2,048 bytes and its words, or says so in `cf-mitigated`).

use super::client::HttpResponse;
use super::search::html_text;

const SIGNS: &str = include_str!("bot_checks.tsv");

/// Maximum length of a page that is taken for a check only because of its words, in bytes.
const MAX_CHECK_PAGE_BYTES: usize = 2048;

/// Maximum length of the text of such a page that comes as an answer with success, in bytes.
const MAX_CHECK_TEXT_BYTES: usize = 600;

/// Statuses of bot checks. Others concern the URL or the server, and not the client.
const STATUSES: [u16; 7] = [401, 403, 405, 406, 418, 429, 503];

/// A bot check that came instead of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BotCheck {
    /// Vendor, if known.
    pub vendor: Option<&'static str>,
    /// True if a header says so, and not words that other pages may have as well.
    pub is_certain: bool,
}

/// Row of the table: vendor, kind of sign, the sign itself.
type BotCheckSign = [&'static str; 3];

fn signs(kind: &str) -> impl Iterator<Item = BotCheckSign> {
    let rows = SIGNS.lines().filter(|line| !line.starts_with('#'));
    let rows = rows.filter_map(|line| line.split('\t').collect::<Vec<_>>().try_into().ok());
    rows.filter(move |[_, one, _]: &BotCheckSign| *one == kind)
}

/// Returns the vendor of the check that answered instead of the page, if one did.
#[must_use]
pub fn vendor_of(reply: &HttpResponse) -> Option<&'static str> {
    let has = |sign: &str| {
        let (name, part) = sign.split_once(':').unwrap_or((sign, ""));
        let mut values = reply.headers(name);
        values.any(|value| value.to_ascii_lowercase().contains(part.trim_start()))
    };
    let by_header = |kind| signs(kind).find(|[_, _, sign]| has(sign));
    let certain = by_header("header");
    if reply.status < 400 {
        // The challenges of these two vendors sometimes come with a status of success.
        let vendor = certain.map(|[vendor, ..]| vendor);
        return vendor.filter(|vendor| matches!(*vendor, "AWS WAF" | "Cloudflare"));
    }
    if certain.is_none() && !STATUSES.contains(&reply.status) {
        return None;
    }
    let page = String::from_utf8_lossy(&reply.body).to_ascii_lowercase();
    let by_page = |kind| signs(kind).find(|[_, _, sign]| page.contains(sign));
    let row = certain
        .or_else(|| by_page("page of 403").filter(|_| matches!(reply.status, 403 | 429)))
        .or_else(|| by_page("page"))
        .or_else(|| by_header("header of 403").filter(|_| reply.status == 403));
    row.map(|[vendor, ..]| vendor)
}

/// Returns the check that `reply` is, by its signs or, for a short page, by its words.
#[must_use]
pub fn bot_check(reply: &HttpResponse) -> Option<BotCheck> {
    let vendor = vendor_of(reply);
    let is_certain =
        reply.header("cf-mitigated").is_some() || (reply.status < 400 && vendor.is_some());
    let is_check = is_certain || vendor.is_some() || says_so(reply);
    is_check.then_some(BotCheck { vendor, is_certain })
}

fn says_so(reply: &HttpResponse) -> bool {
    let is_html = reply.content_type().is_none_or(|kind| {
        let kind = kind.trim_start().to_ascii_lowercase();
        kind.starts_with("text/html")
    });
    if reply.is_truncated || reply.body.len() >= MAX_CHECK_PAGE_BYTES || !is_html {
        return false;
    }
    let page = String::from_utf8_lossy(&reply.body).to_ascii_lowercase();
    if reply.status < 400 && has_content(&page) {
        return false;
    }
    let mut words = signs("short page").chain(signs("page"));
    words.any(|[_, _, sign]| page.contains(sign))
}

/// True if a page, in lower case, says or asks more than a check does: it is about them, or has a
/// form of its own.
fn has_content(page: &str) -> bool {
    let has = |parts: &[&str]| parts.iter().any(|part| page.contains(part));
    let without = |text: &str, start: &str, end: &str| -> String {
        let parts = text.split(start);
        let shown = parts.map(|part| part.split_once(end).map_or(part, |(_, shown)| shown));
        shown.collect()
    };
    let shown = without(page, "<script", "</script>");
    let shown = without(&shown, "<style", "</style>");
    has(&["<pre", "<code", "<textarea", "type=email", "type=\"email\""])
        || html_text::text(&shown).len() > MAX_CHECK_TEXT_BYTES
}

/// Returns the sentence on a check of `vendor`, if known, for a reader who wants the page.
#[must_use]
pub fn advice_on_bot_check(vendor: Option<&str>) -> String {
    let name = vendor.map(|vendor| format!(" ({vendor})"));
    format!(
        "The page is behind a bot check{}; fetching it again will not help, whatever headers are \
         sent. Use the site's API or feed, or another source.",
        name.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_a_sign() {
        let kinds = [
            "header",
            "header of 403",
            "page",
            "page of 403",
            "short page",
        ];
        let rows = SIGNS.lines().filter(|line| !line.starts_with('#'));
        let known: usize = kinds.iter().map(|kind| signs(kind).count()).sum();
        assert_eq!(rows.count(), known);
        assert!(signs("header").all(|[_, _, sign]| sign.contains(':')));
        assert!(SIGNS.is_ascii() && SIGNS.to_lowercase().matches('\t').count() == 2 * known);
    }
}
