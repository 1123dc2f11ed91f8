//! What kind of source a page is, how far it is relied on, and what it is about.
//!
//! The kind is what the page's JSON-LD and `citation_*` say, or else what is known of the host. How
//! far it is relied on is told by the host: nobody is an authority by saying so. Where anybody may
//! publish, and on a preprint server, the page's word does not make it more than its host is.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;

use super::embedded::Embedded;
use super::hosts::{self, Known};
use super::json_ld;

/// What kind of source a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceType {
    /// A scholarly article that was reviewed before it appeared.
    PeerReviewed,
    /// Documentation by those who make what it describes, or who set the standard.
    OfficialDocs,
    /// A public authority.
    Government,
    /// A newspaper, an agency, a broadcaster.
    NewsPublication,
    /// A blog.
    Blog,
    /// Questions and answers, or a discussion.
    Forum,
    /// Written by its readers.
    Wiki,
    /// A social network.
    SocialMedia,
    /// None that could be told.
    Unknown,
}

/// How far a page is relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthorityTier {
    /// Its host answers for what it publishes: edited, reviewed or official.
    High,
    /// Some of what its host publishes is reliable; or the page says that it is, and nothing is
    /// known of its host.
    Medium,
    /// Anybody may publish there; or nothing speaks for it.
    Low,
}

/// What a page is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DomainCategory {
    /// Research and teaching.
    Academic,
    /// Law.
    Legal,
    /// Health.
    Medical,
    /// Money.
    Financial,
    /// Software, machines, standards.
    Technical,
    /// Anything else, or none that could be told.
    General,
}

/// What a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Class {
    /// What kind of source it is.
    pub source_type: SourceType,
    /// How far it is relied on.
    #[serde(rename = "authorityTier")]
    pub authority: AuthorityTier,
    /// What it is about.
    #[serde(rename = "domainCategory")]
    pub category: DomainCategory,
}

/// Types of schema.org, and what kind of source a page is that is one. The first of them that any
/// of the page's nodes is counts.
const TYPES: &[(SourceType, &[&str])] = &[
    (
        SourceType::PeerReviewed,
        &["ScholarlyArticle", "MedicalScholarlyArticle"],
    ),
    (SourceType::Forum, &["DiscussionForumPosting", "QAPage"]),
    (
        SourceType::NewsPublication,
        &[
            "NewsArticle",
            "AnalysisNewsArticle",
            "AskPublicNewsArticle",
            "BackgroundNewsArticle",
            "OpinionNewsArticle",
            "ReportageNewsArticle",
            "ReviewNewsArticle",
            "LiveBlogPosting",
        ],
    ),
    (SourceType::Blog, &["BlogPosting", "Blog"]),
    (SourceType::SocialMedia, &["SocialMediaPosting"]),
    (SourceType::OfficialDocs, &["TechArticle", "APIReference"]),
];

/// Types of schema.org, and what a page is about that is one.
const SUBJECTS: &[(DomainCategory, &[&str])] = &[
    (
        DomainCategory::Medical,
        &[
            "MedicalScholarlyArticle",
            "MedicalWebPage",
            "MedicalCondition",
            "MedicalGuideline",
            "Drug",
        ],
    ),
    (
        DomainCategory::Legal,
        &[
            "Legislation",
            "LegislationObject",
            "LegalService",
            "Attorney",
        ],
    ),
    (
        DomainCategory::Financial,
        &[
            "FinancialProduct",
            "FinancialService",
            "InvestmentFund",
            "ExchangeRateSpecification",
        ],
    ),
    (
        DomainCategory::Technical,
        &[
            "TechArticle",
            "APIReference",
            "SoftwareSourceCode",
            "SoftwareApplication",
        ],
    ),
    (DomainCategory::Academic, &["ScholarlyArticle", "Thesis"]),
];

/// Words of a preprint server in the place of a journal's title, in lower case.
const PREPRINTS: &[&str] = &[
    "arxiv",
    "biorxiv",
    "medrxiv",
    "chemrxiv",
    "ssrn",
    "preprint",
    "preprints",
    "psyarxiv",
];

/// Tells what the page at `url` is.
#[must_use]
pub fn classify(url: &Url, embedded: Option<&Embedded>) -> Class {
    let known = hosts::of(url);
    let nodes = embedded.map(Embedded::nodes).unwrap_or_default();
    let claimed = claimed(embedded, &nodes);
    let open = known.is_some_and(|known| known.open);
    let counts = |claimed: &SourceType| {
        !open
            || !matches!(
                claimed,
                SourceType::PeerReviewed | SourceType::NewsPublication | SourceType::OfficialDocs
            )
    };
    let of_host = known.map_or(SourceType::Unknown, |known| known.source);
    let source_type = claimed.filter(counts).unwrap_or(of_host);
    Class {
        source_type,
        authority: authority(url, known, source_type),
        category: category(known, &nodes, source_type),
    }
}

/// What kind of source the page says that it is.
fn claimed(embedded: Option<&Embedded>, nodes: &[&Map<String, Value>]) -> Option<SourceType> {
    let cited = embedded.map_or(Cited::Nowhere, cited);
    if cited == Cited::Published {
        return Some(SourceType::PeerReviewed);
    }
    let is = |types: &[&str]| nodes.iter().any(|node| json_ld::is_any(node, types));
    let found = TYPES
        .iter()
        .find(|(_, types)| is(types))
        .map(|(kind, _)| *kind);
    found.or_else(|| (cited == Cited::Scholarly).then_some(SourceType::PeerReviewed))
}

/// What a page's `citation_*` make of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cited {
    Nowhere,
    /// It has title and author, the least that Google Scholar asks for.
    Scholarly,
    /// It appeared in a journal or at a conference, or has a DOI.
    Published,
}

/// What a page's `citation_*` make of it. Theses, reports and preprints have them as well.
fn cited(embedded: &Embedded) -> Cited {
    let has = |name: &str| embedded.meta(&[name]).is_some();
    if has("citation_dissertation_institution")
        || has("citation_technical_report_institution")
        || has("citation_arxiv_id")
    {
        return Cited::Nowhere;
    }
    if let Some(title) = embedded.meta(&["citation_journal_title"]) {
        let title = title.to_lowercase();
        let mut words = title.split(|c: char| !c.is_alphanumeric());
        if words.any(|word| PREPRINTS.contains(&word)) {
            return Cited::Nowhere;
        }
        return Cited::Published;
    }
    if has("citation_conference_title") || has("citation_doi") || has("citation_issn") {
        return Cited::Published;
    }
    if has("citation_title") && embedded.declares("citation_author") {
        return Cited::Scholarly;
    }
    Cited::Nowhere
}

/// How far a page is relied on: by its host, and by what it says of itself only as far as that is
/// no more than medium.
fn authority(url: &Url, known: Option<Known>, source_type: SourceType) -> AuthorityTier {
    let reputation = hosts::reputation(url.as_str());
    if let Some(tier) = reputation.and_then(|reputation| hosts::tier(reputation.tier)) {
        return tier;
    }
    if let Some(known) = known {
        return known.authority;
    }
    match source_type {
        SourceType::PeerReviewed
        | SourceType::NewsPublication
        | SourceType::OfficialDocs
        | SourceType::Government
        | SourceType::Wiki => AuthorityTier::Medium,
        SourceType::Blog | SourceType::Forum | SourceType::SocialMedia | SourceType::Unknown => {
            AuthorityTier::Low
        }
    }
}

/// What a page is about: as its host is, or else as its types say, or else as its kind is.
fn category(
    known: Option<Known>,
    nodes: &[&Map<String, Value>],
    source_type: SourceType,
) -> DomainCategory {
    let of_host = known.map(|known| known.category);
    if let Some(category) = of_host.filter(|category| *category != DomainCategory::General) {
        return category;
    }
    let is = |types: &[&str]| nodes.iter().any(|node| json_ld::is_any(node, types));
    if let Some((category, _)) = SUBJECTS.iter().find(|(_, types)| is(types)) {
        return *category;
    }
    match source_type {
        SourceType::PeerReviewed => DomainCategory::Academic,
        SourceType::OfficialDocs => DomainCategory::Technical,
        _ => DomainCategory::General,
    }
}

#[cfg(test)]
mod tests;
