//! What is known of hosts: small tables of our own, with the reason for each group.
//!
//! A host is looked up by its name and by its parents' names, the longest first, and then by the
//! suffixes that only public authorities and universities get; never by a part of an address.

use url::Url;

use super::class::{AuthorityTier, DomainCategory, SourceType};
use groups::GROUPS;
use suffixes::{GOVERNMENTS, UNIVERSITIES};

mod groups;
mod suffixes;

/// What is known of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// What kind of source its pages are, unless they say better.
    pub source: SourceType,
    /// How far it is relied on. The table of reputations goes before it.
    pub authority: AuthorityTier,
    /// What it is about.
    pub category: DomainCategory,
    /// Whether what appears there is not reviewed before, so that a page's word does not make it
    /// more than the host is.
    pub open: bool,
    /// Whether its pages are scholarly works, which have DOIs.
    pub scholarly: bool,
}

/// What is known of the host of an address.
pub fn of(url: &Url) -> Option<Known> {
    let host = url.domain()?.trim_end_matches('.');
    let mut name = host;
    loop {
        let group = GROUPS.iter().find(|group| group.hosts.contains(&name));
        if let Some(group) = group {
            return Some(group.known);
        }
        match name.split_once('.') {
            Some((_, parent)) => name = parent,
            None => break,
        }
    }
    let known = |source, category| Known {
        source,
        authority: AuthorityTier::High,
        category,
        open: false,
        scholarly: false,
    };
    let mut labels = host.rsplit('.');
    let (top, second) = (labels.next()?, labels.next());
    match (top, second) {
        // `int` is for what states found by a treaty.
        ("gov" | "mil" | "int", Some(_)) => {
            return Some(known(SourceType::Government, DomainCategory::General));
        }
        ("edu", Some(_)) => return Some(known(SourceType::Unknown, DomainCategory::Academic)),
        _ => {}
    }
    let has = |table: &[(&str, &[&str])]| {
        let countries = table.iter().find(|(label, _)| Some(*label) == second);
        countries.is_some_and(|(_, countries)| countries.contains(&top))
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

    fn known(host: &str) -> Option<Known> {
        of(&Url::parse(&format!("https://{host}/")).unwrap())
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
            assert_eq!(of(&Url::parse(address).unwrap()), None, "{address}");
        }
    }

    #[test]
    fn the_tables_are_sound() {
        let mut names: Vec<&str> = GROUPS
            .iter()
            .flat_map(|group| group.hosts)
            .copied()
            .collect();
        for name in &names {
            assert!(name.contains('.') && *name == name.to_lowercase(), "{name}");
        }
        names.sort_unstable();
        for pair in names.windows(2) {
            assert_ne!(pair[0], pair[1]);
        }
        for (label, countries) in GOVERNMENTS.iter().chain(UNIVERSITIES) {
            assert!(countries.is_sorted_by(|a, b| a < b), "{label}");
            assert!(
                countries.iter().all(|country| country.len() == 2),
                "{label}"
            );
        }
    }
}
