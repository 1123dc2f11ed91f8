//! Counts of a session's sources, and queries that follow from what is missing. Nothing is judged:
//! each number is counted as its field says.

use serde::Serialize;
use serde_json::{Map, Value};
use url::Url;

use super::session::{ResearchSession, SessionSource};
use crate::page::{self, SourceType};
use crate::search::display_link;
use iki_base::wording::{floor_boundary, on_one_line};

/// Maximum number of queries, and the longest part of a query that is taken from a text, in bytes.
const MAX_QUERIES: usize = 5;
const MAX_PART_CHARS: usize = 150;

/// Counts of the sources that a session has found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceCoverage {
    /// Number of sources.
    pub source_count: usize,
    /// Number of their hosts, without `www.`
    pub unique_domains: usize,
    /// Hosts for each source, 0 to 1: 1 if no two sources are of the same host, 0 without sources.
    pub domain_spread: f64,
    /// The host of more than half of the sources, if there are three or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dominant_domain: Option<String>,
    /// Number of sources of each kind that their hosts tell.
    pub source_types: Map<String, Value>,
    /// Kinds of sources that are missing altogether, in words.
    pub gaps: Vec<&'static str>,
}

impl SourceCoverage {
    /// Counts the sources of a session.
    #[must_use]
    pub fn of(session: &ResearchSession) -> Self {
        let sources = &session.sources;
        let mut domains: Vec<(String, usize)> = Vec::new();
        let mut source_types = Map::new();
        let mut is_vouched_for = false;
        for source in sources {
            let domain = domain(source);
            match domains.iter_mut().find(|(one, _)| *one == domain) {
                Some((_, count)) => *count += 1,
                None => domains.push((domain, 1)),
            }
            let Ok(url) = Url::parse(&source.url) else {
                continue;
            };
            let kind = page::classify(&url, None).source_type;
            is_vouched_for |= matches!(
                kind,
                SourceType::PeerReviewed | SourceType::OfficialDocs | SourceType::Government
            );
            if let Ok(Value::String(kind)) = serde_json::to_value(kind) {
                let count = source_types.get(&kind).and_then(Value::as_u64);
                source_types.insert(kind, (count.unwrap_or(0) + 1).into());
            }
        }
        let count = sources.len();
        let dominant = domains.iter().find(|(_, of)| count > 2 && of * 2 > count);
        let missing = [
            (count == 0, "no sources yet"),
            (
                count > 0 && !sources.iter().any(|source| source.read),
                "no source was read, all were only found",
            ),
            (
                count > 1 && domains.len() == 1,
                "all sources are of one domain",
            ),
            (
                count > 0 && !is_vouched_for,
                "no peer-reviewed, official or government source",
            ),
            (
                count > 0 && sources.iter().all(|source| source.date.is_empty()),
                "no source has a date",
            ),
        ];
        let gaps = missing.into_iter().filter(|(is, _)| *is);
        Self {
            source_count: count,
            unique_domains: domains.len(),
            domain_spread: share(domains.len(), count),
            dominant_domain: dominant.map(|(domain, _)| domain.clone()),
            source_types,
            gaps: gaps.map(|(_, words)| words).collect(),
        }
    }
}

/// Returns a share of `all`, to two decimal places.
fn share(part: usize, all: usize) -> f64 {
    let hundredths = (part * 100 + all / 2).checked_div(all).unwrap_or(0);
    f64::from(u32::try_from(hundredths).unwrap_or(100)) / 100.0
}

fn domain(source: &SessionSource) -> String {
    let host = display_link(&source.url);
    host.strip_prefix("www.").unwrap_or(&host).to_owned()
}

/// Queries for what is missing, in this order: the two last gaps that steps have named, the goal
/// outside of the dominant domain, the goal at sources that vouch for what they say, the goal's
/// critics.
#[must_use]
pub fn refinement_queries(session: &ResearchSession, coverage: &SourceCoverage) -> Vec<String> {
    let goal = query_part(&session.research_goal);
    let mut queries: Vec<String> = Vec::new();
    for gap in session.gaps().iter().rev().take(2) {
        queries.push(query_part(gap));
    }
    if !goal.is_empty() {
        if let Some(domain) = &coverage.dominant_domain {
            queries.push(format!("{goal} -site:{domain}"));
        }
        queries.push(format!("{goal} research paper"));
        queries.push(format!("{goal} criticism"));
    }
    queries.retain(|query| !query.is_empty());
    queries.dedup();
    queries.truncate(MAX_QUERIES);
    queries
}

/// Returns the whole words at the beginning of a text.
fn query_part(text: &str) -> String {
    let mut text = on_one_line(text);
    if text.len() > MAX_PART_CHARS {
        text.truncate(floor_boundary(&text, MAX_PART_CHARS));
        if let Some(end) = text.rfind(' ') {
            text.truncate(end);
        }
    }
    text.trim_end_matches(['.', '?', '!', ' ']).to_owned()
}
