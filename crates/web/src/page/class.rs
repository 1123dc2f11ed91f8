//! Classification of a page: its kind of source, its authority, and its subject.
//!
//! The kind comes from the page's JSON-LD and `citation_*`, or else from the host. The authority
//! comes from the host because a page cannot vouch for itself. On a host that publishes without
//! review, and on a preprint server, the page's own statements cannot raise it above its host.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;

use super::embedded::EmbeddedData;
use super::hosts::{self, HostFacts};
use super::json_ld;

/// Kind of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceType {
    /// A scholarly article, reviewed before publication.
    PeerReviewed,
    /// Documentation by the makers of its subject, or by those who set the standard.
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
    /// The kind is not known.
    Unknown,
}

/// Degree to which a page can be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthorityTier {
    /// Its host is responsible for all it publishes: edited, reviewed or official.
    High,
    /// Some of the host's publications are reliable; or the page states that it is, and its host is
    /// unknown.
    Medium,
    /// The host publishes without review; or nothing supports the page.
    Low,
}

/// Subject of a page.
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
    /// Anything else, or an unknown subject.
    General,
}

/// Classification of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PageClass {
    /// Kind of source.
    pub source_type: SourceType,
    /// Degree to which it can be relied on.
    #[serde(rename = "authorityTier")]
    pub authority: AuthorityTier,
    /// Subject of the page.
    #[serde(rename = "domainCategory")]
    pub category: DomainCategory,
}

/// Types of schema.org for each kind of source. The first entry that matches any of the page's
/// nodes counts.
const TYPES: &[(SourceType, &str)] = &[
    (
        SourceType::PeerReviewed,
        "ScholarlyArticle MedicalScholarlyArticle",
    ),
    (SourceType::Forum, "DiscussionForumPosting QAPage"),
    (
        SourceType::NewsPublication,
        "NewsArticle AnalysisNewsArticle AskPublicNewsArticle BackgroundNewsArticle \
         OpinionNewsArticle ReportageNewsArticle ReviewNewsArticle LiveBlogPosting",
    ),
    (SourceType::Blog, "BlogPosting Blog"),
    (SourceType::SocialMedia, "SocialMediaPosting"),
    (SourceType::OfficialDocs, "TechArticle APIReference"),
    (
        SourceType::Government,
        "GovernmentOrganization GovernmentOffice GovernmentService GovernmentPermit",
    ),
    (SourceType::NewsPublication, "NewsMediaOrganization"),
];

/// Types of schema.org for each subject.
const SUBJECTS: &[(DomainCategory, &str)] = &[
    (
        DomainCategory::Medical,
        "MedicalScholarlyArticle MedicalWebPage MedicalCondition MedicalGuideline Drug",
    ),
    (
        DomainCategory::Legal,
        "Legislation LegislationObject LegalService Attorney",
    ),
    (
        DomainCategory::Financial,
        "FinancialProduct FinancialService InvestmentFund ExchangeRateSpecification",
    ),
    (
        DomainCategory::Technical,
        "TechArticle APIReference SoftwareSourceCode SoftwareApplication",
    ),
    (DomainCategory::Academic, "ScholarlyArticle Thesis"),
];

/// Words that mark a preprint server instead of a journal, in lower case.
const PREPRINT_WORDS: &str = "arxiv biorxiv medrxiv chemrxiv ssrn preprint preprints psyarxiv";

/// Classifies the page at `url`.
#[must_use]
pub fn classify(url: &Url, embedded: Option<&EmbeddedData>) -> PageClass {
    let known = hosts::find_facts(url);
    let nodes = embedded.map(EmbeddedData::nodes).unwrap_or_default();
    let claimed = stated_type(embedded, &nodes);
    let open = known.is_some_and(|known| known.is_unreviewed);
    let counts = |claimed: &SourceType| {
        !open
            || !matches!(
                claimed,
                SourceType::PeerReviewed
                    | SourceType::NewsPublication
                    | SourceType::OfficialDocs
                    | SourceType::Government
            )
    };
    let of_host = known.map_or(SourceType::Unknown, |known| known.source);
    let source_type = claimed.filter(counts).unwrap_or(of_host);
    PageClass {
        source_type,
        authority: authority(url, known, source_type),
        category: category(known, &nodes, source_type),
    }
}

/// Returns the kind of source that the page states.
fn stated_type(
    embedded: Option<&EmbeddedData>,
    nodes: &[&Map<String, Value>],
) -> Option<SourceType> {
    let cited = embedded.map_or(CitationEvidence::Nowhere, citation_evidence);
    if cited == CitationEvidence::Published {
        return Some(SourceType::PeerReviewed);
    }
    let is = |types: &str| nodes.iter().any(|node| json_ld::is_one_of(node, types));
    let row = TYPES
        .iter()
        .find(|(_, types)| is(types))
        .map(|(kind, _)| *kind);
    row.or_else(|| (cited == CitationEvidence::Scholarly).then_some(SourceType::PeerReviewed))
}

/// Level of evidence in a page's `citation_*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CitationEvidence {
    Nowhere,
    /// It has title and author, the minimum for Google Scholar.
    Scholarly,
    /// It appeared in a journal or at a conference, or has a DOI.
    Published,
}

/// Judges a page's `citation_*`. Theses, reports and preprints have them as well.
fn citation_evidence(embedded: &EmbeddedData) -> CitationEvidence {
    let has = |name: &str| embedded.meta(name).is_some();
    if has("citation_dissertation_institution")
        || has("citation_technical_report_institution")
        || has("citation_arxiv_id")
    {
        return CitationEvidence::Nowhere;
    }
    if let Some(title) = embedded.meta("citation_journal_title") {
        let title = title.to_lowercase();
        let mut words = title.split(|c: char| !c.is_alphanumeric());
        if words.any(|word| PREPRINT_WORDS.split(' ').any(|one| one == word)) {
            return CitationEvidence::Nowhere;
        }
        return CitationEvidence::Published;
    }
    if has("citation_conference_title") || has("citation_doi") || has("citation_issn") {
        return CitationEvidence::Published;
    }
    if has("citation_title") && embedded.declares("citation_author") {
        return CitationEvidence::Scholarly;
    }
    CitationEvidence::Nowhere
}

/// Returns the authority of a page: by its host, and at most medium by its own statements.
fn authority(url: &Url, known: Option<HostFacts>, source_type: SourceType) -> AuthorityTier {
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

/// Returns the subject of a page: by its host, or else by its types, or else by its kind.
fn category(
    known: Option<HostFacts>,
    nodes: &[&Map<String, Value>],
    source_type: SourceType,
) -> DomainCategory {
    let of_host = known.map(|known| known.category);
    if let Some(category) = of_host.filter(|category| *category != DomainCategory::General) {
        return category;
    }
    let is = |types: &str| nodes.iter().any(|node| json_ld::is_one_of(node, types));
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
