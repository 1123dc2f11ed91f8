//! Counts of a session's sources, and queries that follow from what is missing. Nothing is judged:
//! each number is counted as its field says.

use serde::Serialize;
use serde_json::{Map, Value};
use url::Url;

use super::session::ResearchSession;
use iki_base::wording::{floor_boundary, on_one_line};
use iki_web::page::{self, SourceType};
use iki_web::search::display_link;
use iki_web::work::{Work, WorkKind};

/// Maximum number of queries, and the longest part of a query that is taken from a text, in bytes.
const MAX_QUERIES: usize = 5;
const MAX_PART_CHARS: usize = 150;

/// Counts of the sources that a session has found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceCoverage {
    /// Number of sources.
    pub source_count: usize,
    /// Number of places that they are of: the journal or book of a work, or else its publisher, or
    /// the beginning of its DOI; of a page the host, without `www.`
    pub unique_domains: usize,
    /// Places for each source, 0 to 1: 1 if no two sources are of the same one, 0 without sources.
    pub domain_spread: f64,
    /// The place of more than half of the sources, if there are three or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dominant_domain: Option<String>,
    /// Number of sources of each kind, which the host tells; a work with a DOI in a journal, a book
    /// or proceedings is peer-reviewed.
    pub source_types: Map<String, Value>,
    /// Kinds of sources that are missing altogether, in words.
    pub gaps: Vec<&'static str>,
}

impl SourceCoverage {
    /// Counts the sources of a session.
    #[must_use]
    pub fn from_session(session: &ResearchSession) -> Self {
        let sources = &session.sources;
        let mut domains: Vec<(String, usize)> = Vec::new();
        let mut source_types = Map::new();
        let mut is_vouched_for = false;
        for source in sources {
            let domain = domain(&source.work);
            let is_same = |one: &str| one.to_lowercase() == domain.to_lowercase();
            match domains.iter_mut().find(|(one, _)| is_same(one)) {
                Some((_, count)) => *count += 1,
                None => domains.push((domain, 1)),
            }
            let Some(kind) = kind(&source.work) else {
                continue;
            };
            let is_vouching = matches!(
                kind,
                SourceType::PeerReviewed | SourceType::OfficialDocs | SourceType::Government
            );
            is_vouched_for |= is_vouching && !source.work.is_retracted();
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
                "all sources are of one journal, publisher or domain",
            ),
            (
                count > 0 && !is_vouched_for,
                "no peer-reviewed, official or government source",
            ),
            (
                count > 0 && sources.iter().all(|source| source.work.date.is_none()),
                "no source has a date",
            ),
            (
                sources.iter().any(|source| source.work.is_retracted()),
                "a source has been retracted",
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

/// Returns where a work is from. A host that only resolves names has published nothing.
fn domain(work: &Work) -> String {
    let host = display_link(&work.url);
    let host = host.strip_prefix("www.").unwrap_or(&host);
    let prefix = work.doi.split('/').next().unwrap_or_default();
    let is_resolver = host == "doi.org" || host == "dx.doi.org";
    let names = match (work.is_described(), is_resolver) {
        (false, false) => [host, "", ""],
        (true, false) => [work.container.as_str(), host, ""],
        (_, true) => [work.container.as_str(), &work.publisher, prefix],
    };
    let mut names = names.into_iter().filter(|name| !name.is_empty());
    names.next().unwrap_or(host).to_owned()
}

/// Returns the kind of a source, as its host tells it, or as the work's own record does.
fn kind(work: &Work) -> Option<SourceType> {
    let kind = page::classify(&Url::parse(&work.url).ok()?, None).source_type;
    let is_reviewed = !work.doi.is_empty()
        && !work.container.is_empty()
        && matches!(
            work.kind,
            // Sessions of a former version do not know the kind of a work.
            WorkKind::Unknown
                | WorkKind::Article
                | WorkKind::Chapter
                | WorkKind::Book
                | WorkKind::Proceedings
        );
    Some(match kind {
        SourceType::Unknown if is_reviewed => SourceType::PeerReviewed,
        kind => kind,
    })
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
        // A journal is no site.
        let domain = coverage.dominant_domain.as_ref();
        let is_host = |domain: &&String| domain.contains('.') && !domain.contains([' ', '/']);
        let is_prefix = |domain: &&String| domain.starts_with("10.");
        if let Some(domain) = domain.filter(is_host).filter(|one| !is_prefix(one)) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use iki_web::page::retraction::RetractionStatus;

    fn paper(number: u8, journal: &str) -> Work {
        Work {
            url: format!("https://doi.org/10.1000/{number}"),
            doi: format!("10.1000/{number}"),
            kind: WorkKind::Article,
            container: journal.to_owned(),
            ..Work::default()
        }
    }

    fn session(works: Vec<Work>) -> ResearchSession {
        let mut session = ResearchSession {
            research_goal: "Do vaccines work?".to_owned(),
            ..ResearchSession::default()
        };
        let sources: Vec<_> = works.into_iter().map(Into::into).collect();
        session.add_sources(&sources, "2026-01-01");
        session
    }

    #[test]
    fn whoever_resolves_a_doi_has_published_nothing() {
        let three = session(vec![
            paper(1, "Nature"),
            paper(2, "The Lancet"),
            paper(3, "Science"),
        ]);
        let coverage = SourceCoverage::from_session(&three);
        assert_eq!(
            (coverage.unique_domains, coverage.dominant_domain),
            (3, None)
        );
        assert_eq!(coverage.source_types["peer_reviewed"], 3);
        let expected = [
            "no source was read, all were only found",
            "no source has a date",
        ];
        assert_eq!(coverage.gaps, expected);
    }

    #[test]
    fn a_journal_may_be_dominant_and_is_no_site_to_search_without() {
        let one = session(vec![
            paper(1, "Nature"),
            paper(2, "nature"),
            paper(3, "Nature"),
        ]);
        let coverage = SourceCoverage::from_session(&one);
        assert_eq!(coverage.dominant_domain.as_deref(), Some("Nature"));
        let queries = refinement_queries(&one, &coverage);
        assert!(
            queries.iter().all(|query| !query.contains("-site:")),
            "{queries:?}"
        );
        let preprints = session(vec![
            Work {
                kind: WorkKind::Preprint,
                ..paper(1, "")
            },
            Work {
                container: String::new(),
                publisher: "House".to_owned(),
                ..paper(2, "")
            },
        ]);
        let coverage = SourceCoverage::from_session(&preprints);
        assert_eq!(coverage.unique_domains, 2);
        assert!(coverage.source_types.get("peer_reviewed").is_none());
    }

    #[test]
    fn what_has_been_retracted_vouches_for_nothing() {
        let retracted = Work {
            retraction: Some(RetractionStatus::retracted()),
            ..paper(1, "Nature")
        };
        let gaps = SourceCoverage::from_session(&session(vec![retracted])).gaps;
        let vouching = "no peer-reviewed, official or government source";
        assert!(gaps.contains(&vouching) && gaps.contains(&"a source has been retracted"));
    }
}
