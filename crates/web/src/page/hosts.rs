//! Facts about a page by its host: from the table of hosts, or else from suffixes that are reserved
//! for public authorities and universities; never from a part of a URL.

use serde::de::IntoDeserializer;
use serde::de::value::Error;
use serde::{Deserialize, Serialize};
use url::Url;

use super::class::{AuthorityTier, DomainCategory, SourceType};
use crate::hosts::{self, HostRow};
use suffixes::{GOVERNMENTS, UNIVERSITIES};

mod suffixes;

/// Reputation of a host, as search results show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct HostReputation {
    /// `high`: the host is responsible for its content. `mixed`: some of it is reliable. `low`: it
    /// is known for false or invented content.
    pub tier: &'static str,
    /// Reason for the tier.
    pub basis: &'static str,
    /// A caution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<&'static str>,
}

/// Returns the reputation of a URL's host. `None` means unknown, neither good nor bad.
#[must_use]
pub fn reputation(address: &str) -> Option<HostReputation> {
    let url = Url::parse(address.trim()).ok()?;
    let row = hosts::find_row(&url, |row| !row.basis.is_empty())?;
    Some(HostReputation {
        tier: row.tier,
        basis: row.basis,
        note: Some(row.note).filter(|note| !note.is_empty()),
    })
}

/// Facts about a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostFacts {
    /// Kind of source of its pages, unless they state a better one.
    pub source: SourceType,
    /// Authority of the host. The table of reputations takes precedence.
    pub authority: AuthorityTier,
    /// Subject of the host.
    pub category: DomainCategory,
    /// True if its pages appear without review, so that a page's own statements cannot raise it
    /// above its host.
    pub is_unreviewed: bool,
    /// True if its pages are scholarly works, which have DOIs.
    pub is_scholarly: bool,
}

impl HostFacts {
    fn of_row(row: HostRow) -> Option<Self> {
        Some(Self {
            source: named(row.source)?,
            authority: tier(row.tier)?,
            category: named(row.subject)?,
            is_unreviewed: row.is_marked("open"),
            is_scholarly: row.is_marked("scholarly"),
        })
    }
}

/// Parses the name of a value as answers spell it.
fn named<'de, T: Deserialize<'de>>(name: &'de str) -> Option<T> {
    T::deserialize(IntoDeserializer::<Error>::into_deserializer(name)).ok()
}

/// Returns the authority of a page whose host has this tier.
pub fn tier(name: &str) -> Option<AuthorityTier> {
    match name {
        "high" => Some(AuthorityTier::High),
        "mixed" => Some(AuthorityTier::Medium),
        "low" => Some(AuthorityTier::Low),
        _ => None,
    }
}

/// Returns the facts about the host of a URL.
pub fn find_facts(url: &Url) -> Option<HostFacts> {
    if let Some(row) = hosts::find_row(url, |row| !row.source.is_empty()) {
        return HostFacts::of_row(row);
    }
    let host = url.domain()?.trim_end_matches('.');
    let known = |source, category| HostFacts {
        source,
        authority: AuthorityTier::High,
        category,
        is_unreviewed: false,
        is_scholarly: false,
    };
    let mut labels = host.rsplit('.');
    let (top, second) = (labels.next()?, labels.next());
    match (top, second) {
        // `int` is reserved for organisations founded by treaty.
        ("gov" | "mil" | "int", Some(_)) => {
            return Some(known(SourceType::Government, DomainCategory::General));
        }
        ("edu", Some(_)) => return Some(known(SourceType::Unknown, DomainCategory::Academic)),
        _ => {}
    }
    let has = |table: &[(&str, &str)]| {
        let countries = table.iter().find(|(label, _)| Some(*label) == second);
        countries.is_some_and(|(_, countries)| countries.split(' ').any(|one| one == top))
    };
    if has(GOVERNMENTS) {
        return Some(known(SourceType::Government, DomainCategory::General));
    }
    has(UNIVERSITIES).then(|| known(SourceType::Unknown, DomainCategory::Academic))
}

#[cfg(test)]
mod tests {
    use DomainCategory::{Academic, General, Legal, Medical};
    use SourceType::{Forum, Government, PeerReviewed, Unknown, Wiki};

    use super::*;

    fn known(host: &str) -> Option<HostFacts> {
        find_facts(&Url::parse(&format!("https://{host}/")).unwrap())
    }

    #[test]
    fn a_host_is_known_by_its_name_its_parents_or_its_suffix() {
        for (host, source, category) in [
            ("www.nature.com", PeerReviewed, Academic),
            ("NATURE.com.", PeerReviewed, Academic),
            ("pubmed.ncbi.nlm.nih.gov", PeerReviewed, Medical),
            ("www.nih.gov", Government, Medical),
            ("www.ca.gov", Government, General),
            ("gov.uk", Government, General),
            ("www.gov.uk", Government, General),
            ("data.gouv.fr", Government, General),
            ("www.meti.go.jp", Government, General),
            ("stats.govt.nz", Government, General),
            ("www.ic.gc.ca", Government, General),
            ("www.army.mil", Government, General),
            ("www.nato.int", Government, General),
            ("mit.edu", Unknown, Academic),
            ("www.ox.ac.uk", Unknown, Academic),
            ("www.sydney.edu.au", Unknown, Academic),
            ("law.cornell.edu", Unknown, Legal),
            ("en.wikipedia.org", Wiki, General),
            ("old.reddit.com", Forum, General),
        ] {
            let known = known(host).unwrap();
            assert_eq!((known.source, known.category), (source, category), "{host}");
        }
    }

    #[test]
    fn a_part_of_an_address_is_no_host() {
        for address in [
            "https://example.org/?x=.edu",
            "https://example.org/nature.com/",
            "https://example.org/#.gov",
            "https://nature.com@example.org/",
            "https://nature.com.example.org/",
            "https://notnature.com/",
            "https://xedu.com/",
            "https://gov.example/",
            "https://mygov.uk/",
            "https://edu/",
            "https://gov/",
            "https://go.example.jp/",
            "https://go.com/",
            "http://127.0.0.1/",
            "http://[::1]/",
        ] {
            assert_eq!(find_facts(&Url::parse(address).unwrap()), None, "{address}");
        }
    }

    #[test]
    fn every_row_of_the_table_is_read() {
        for row in hosts::rows() {
            assert!(
                row.source.is_empty() || HostFacts::of_row(row).is_some(),
                "{row:?}"
            );
            assert!(tier(row.tier).is_some(), "{row:?}");
        }
    }

    #[test]
    fn the_suffixes_are_sound() {
        for (label, countries) in GOVERNMENTS.iter().chain(UNIVERSITIES) {
            let mut countries = countries.split(' ');
            assert!(countries.clone().is_sorted_by(|a, b| a < b), "{label}");
            assert!(countries.all(|country| country.len() == 2), "{label}");
        }
    }

    #[test]
    fn a_reputation_is_that_of_the_host_or_of_its_parents() {
        let tier = |address| reputation(address).map(|reputation| reputation.tier);
        assert_eq!(tier("https://www.Nature.com/articles/x"), Some("high"));
        assert_eq!(tier("https://en.wikipedia.org./wiki/X"), Some("mixed"));
        assert_eq!(tier("https://www.infowars.com:8443/"), Some("low"));
        let index = reputation("https://pubmed.ncbi.nlm.nih.gov/1").unwrap();
        assert!(index.basis.contains("index") && index.note.is_some());
        let parent = reputation("https://ncbi.nlm.nih.gov/1").unwrap();
        assert_eq!(parent.basis, "public authority, on its own subject");
        for address in ["https://evil.example/?nature.com", "nature.com", ""] {
            assert_eq!(reputation(address), None, "{address}");
        }
    }
}
