//! The query string: the words with operators of web search (`"phrase"`, `-word`, `site:`) for all
//! that the provider has no parameter for, and the grouping of hosts into queries.

use std::cmp::Reverse;

use super::query::{ProviderQuery, WebSearch};
use super::search_provider::{ProviderLimits, SiteQuery};

/// Parts of a search that go into the query as operators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is said for itself by a provider"
)]
pub struct QueryOperators {
    /// The exact phrase, in quotation marks.
    pub exact: bool,
    /// The excluded terms, each with a minus.
    pub excluded: bool,
    /// The hosts.
    pub sites: bool,
}

impl QueryOperators {
    /// All parts, for a provider without parameters for them.
    pub const ALL: Self = Self {
        exact: true,
        excluded: true,
        sites: true,
    };
}

/// Builds the query string with its operators.
#[must_use]
pub fn query_string(ask: &ProviderQuery<'_>, words: QueryOperators) -> String {
    let mut text = ask.search.query.trim().to_owned();
    if let (true, Some(phrase)) = (words.exact, phrase(ask)) {
        text.extend([" \"", &phrase, "\""]);
    }
    if words.excluded {
        for term in excluded(ask) {
            exclude(&mut text, &term);
        }
    }
    if words.sites && !ask.sites.is_empty() {
        text.push(' ');
        text.push_str(&hosts(ask.sites));
    }
    text
}

/// Adds a term that pages must not have.
pub fn exclude(text: &mut String, term: &str) {
    let mark = if term.contains(' ') { "\"" } else { "" };
    text.extend([" -", mark, term, mark]);
}

/// Builds `site:a`, or `(site:a OR site:b)`.
fn hosts(sites: &[String]) -> String {
    let all: Vec<String> = sites.iter().map(|site| format!("site:{site}")).collect();
    match all.as_slice() {
        [one] => one.clone(),
        _ => format!("({})", all.join(" OR ")),
    }
}

/// Returns the exact phrase without surrounding quotation marks; `None` for an empty one.
#[must_use]
pub fn phrase(ask: &ProviderQuery<'_>) -> Option<String> {
    let phrase = ask
        .search
        .exact_terms
        .as_deref()?
        .replace(['"', '\u{201c}', '\u{201d}'], " ");
    let phrase = phrase.split_whitespace().collect::<Vec<_>>().join(" ");
    (!phrase.is_empty()).then_some(phrase)
}

/// Returns the excluded terms: words, and phrases in quotation marks, without a leading minus.
#[must_use]
pub fn excluded(ask: &ProviderQuery<'_>) -> Vec<String> {
    let text = ask.search.exclude_terms.as_deref().unwrap_or_default();
    let mut terms = Vec::new();
    for (index, part) in text.split(['"', '\u{201c}', '\u{201d}']).enumerate() {
        if index % 2 == 1 {
            terms.push(part.split_whitespace().collect::<Vec<_>>().join(" "));
        } else {
            let words = part.split(|c: char| c.is_whitespace() || c == ',');
            terms.extend(words.map(|word| word.trim_start_matches('-').to_owned()));
        }
    }
    terms.retain(|term| !term.is_empty());
    terms
}

/// True if the query is no longer than the provider accepts.
#[must_use]
pub fn fits(text: &str, limits: &ProviderLimits) -> bool {
    text.chars().count() <= limits.characters && text.split_whitespace().count() <= limits.words
}

/// Shortens the query so that it fits with the operators and a few hosts; `None` if it fits as it
/// is, or if nothing does.
#[must_use]
pub fn shortened(
    ask: &ProviderQuery<'_>,
    words: QueryOperators,
    limits: &ProviderLimits,
) -> Option<String> {
    let mut longest = ask.sites.to_vec();
    longest.sort_by_key(|site| Reverse(site.len()));
    let room = |query: &str, sites: usize| {
        let search = WebSearch {
            query: query.to_owned(),
            ..ask.search.clone()
        };
        let part = ProviderQuery {
            search: &search,
            sites: &longest[..sites],
            ..*ask
        };
        fits(&query_string(&part, words), limits)
    };
    let query = ask.search.query.trim();
    if room(query, longest.len().min(1)) {
        return None;
    }
    for sites in [
        longest.len().min(MIN_HOSTS_PER_REQUEST),
        longest.len().min(1),
    ] {
        // Only its length decides whether a beginning fits.
        let ends: Vec<usize> = query
            .char_indices()
            .map(|(offset, _)| offset)
            .skip(1)
            .collect();
        let fitting = ends.partition_point(|end| room(&query[..*end], sites));
        let Some(end) = fitting.checked_sub(1).map(|index| ends[index]) else {
            continue;
        };
        let opening = &query[..end];
        let cut = query[end..].starts_with(char::is_whitespace);
        let whole = opening.rfind(char::is_whitespace).filter(|_| !cut);
        let mut text = opening[..whole.unwrap_or(end)].trim_end().to_owned();
        // An unclosed quotation mark would not make a phrase.
        if text.matches('"').count() % 2 == 1
            && let Some(offset) = text.rfind('"')
        {
            text.remove(offset);
        }
        return Some(text).filter(|text| !text.is_empty());
    }
    None
}

/// Minimum number of hosts in one request, even if not all words may count: otherwise a long query
/// would be sent once for every host.
const MIN_HOSTS_PER_REQUEST: usize = 5;

/// Splits the hosts of a search into groups, one for each request: as few as the provider's limits
/// allow, and of similar size. A host that fits into no request forms a group by itself.
#[must_use]
pub fn groups<'a>(
    ask: &ProviderQuery<'a>,
    words: QueryOperators,
    limits: &ProviderLimits,
) -> Vec<&'a [String]> {
    let sites = ask.sites;
    if sites.is_empty() {
        return vec![sites];
    }
    let limit = match limits.sites {
        SiteQuery::Parameter(limit) | SiteQuery::Words(limit) => limit.max(1),
    };
    let room = |part: &'a [String]| {
        let text = query_string(
            &ProviderQuery {
                sites: part,
                ..*ask
            },
            words,
        );
        let heeded =
            part.len() <= MIN_HOSTS_PER_REQUEST || text.split_whitespace().count() <= limits.heeded;
        part.len() <= 1 || (part.len() <= limit && heeded && fits(&text, limits))
    };
    let mut few: Vec<&[String]> = Vec::new();
    let mut remaining_sites = sites;
    while !remaining_sites.is_empty() {
        let mut length = 1;
        while length < remaining_sites.len() && room(&remaining_sites[..=length]) {
            length += 1;
        }
        let (group, after) = remaining_sites.split_at(length);
        few.push(group);
        remaining_sites = after;
    }
    let equal = split_evenly(sites, few.len());
    if equal.iter().all(|group| room(group)) {
        return equal;
    }
    few
}

/// Splits `sites` into this many parts of nearly the same length.
fn split_evenly(sites: &[String], parts: usize) -> Vec<&[String]> {
    let (mut all, mut remaining_sites) = (Vec::with_capacity(parts), sites);
    for left in (1..=parts).rev() {
        let (part, after) = remaining_sites.split_at(remaining_sites.len().div_ceil(left));
        all.push(part);
        remaining_sites = after;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    fn ask(search: &WebSearch) -> ProviderQuery<'_> {
        ProviderQuery {
            search,
            sites: &search.sites,
            blocked: &[],
            cx: None,
            count: 5,
            first: 0,
        }
    }

    fn search(exact: Option<&str>, excluded: Option<&str>, sites: usize) -> WebSearch {
        WebSearch {
            query: " two words ".to_owned(),
            sites: (0..sites).map(|n| format!("site-{n}.example")).collect(),
            exact_terms: exact.map(str::to_owned),
            exclude_terms: excluded.map(str::to_owned),
            ..WebSearch::default()
        }
    }

    #[test]
    fn a_query_says_by_operators_what_has_no_parameter() {
        let all = search(Some("the \"exact  phrase"), Some("-a, b \"c  d\" ,"), 2);
        assert_eq!(
            query_string(&ask(&all), QueryOperators::ALL),
            "two words \"the exact phrase\" -a -b -\"c d\" (site:site-0.example OR \
             site:site-1.example)"
        );
        assert_eq!(
            query_string(&ask(&all), QueryOperators::default()),
            "two words"
        );
        let one = search(Some(" \" "), Some(" "), 1);
        assert_eq!(
            query_string(&ask(&one), QueryOperators::ALL),
            "two words site:site-0.example"
        );
    }

    #[test]
    fn all_hosts_are_asked_for_in_as_few_equal_groups_as_the_limits_allow() {
        let search = search(None, None, 11);
        let limits = |characters, words, max_sites| ProviderLimits {
            characters,
            words,
            sites: SiteQuery::Words(max_sites),
            ..ProviderLimits::PLAIN
        };
        let lengths = |limits: ProviderLimits| {
            let groups = groups(&ask(&search), QueryOperators::ALL, &limits);
            assert_eq!(groups.concat(), search.sites);
            for group in groups.iter().filter(|group| group.len() > 1) {
                let part = ProviderQuery {
                    sites: group,
                    ..ask(&search)
                };
                assert!(fits(&query_string(&part, QueryOperators::ALL), &limits));
            }
            groups.iter().map(|group| group.len()).collect::<Vec<_>>()
        };
        assert_eq!(lengths(limits(1000, 100, 100)), [11]);
        assert_eq!(lengths(limits(1000, 100, 10)), [6, 5]);
        assert_eq!(lengths(limits(1000, 9, 10)), [4, 4, 3]);
        assert_eq!(lengths(limits(99, 100, 10)), [3, 3, 3, 2]);
        assert_eq!(lengths(limits(10, 1, 10)), [1; 11]);
        let heeding = |heeded| ProviderLimits {
            heeded,
            ..limits(1000, 100, 100)
        };
        assert_eq!(lengths(heeding(13)), [6, 5]);
        assert_eq!(lengths(heeding(1)), [4, 4, 3]);
        let none = WebSearch::default();
        assert_eq!(
            groups(&ask(&none), QueryOperators::ALL, &ProviderLimits::PLAIN),
            [&[] as &[String]]
        );
    }
}
