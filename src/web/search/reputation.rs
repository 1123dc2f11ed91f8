//! What is known of some hosts: a small table of our own, with the reason for each. A host that is
//! not in it is unknown, which is neither good nor bad.
//!
//! A host is looked up by its name and by its parents' names, never by a part of an address.

use url::Url;

/// How far a host is relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// It answers for what it publishes: edited, reviewed or official.
    High,
    /// Some of it is reliable and some is not.
    Mixed,
    /// It is known for what is wrong or made up.
    Low,
}

impl Tier {
    /// Its name in an answer.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Mixed => "mixed",
            Self::Low => "low",
        }
    }
}

/// What is known of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reputation {
    /// How far it is relied on.
    pub tier: Tier,
    /// The reason.
    pub basis: &'static str,
    /// What is to be kept in mind.
    pub note: Option<&'static str>,
}

/// What is known of the host of an address.
#[must_use]
pub fn of(address: &str) -> Option<Reputation> {
    let url = Url::parse(address.trim()).ok()?;
    let mut host = url.domain()?.trim_end_matches('.');
    loop {
        if let Some((_, reputation)) = HOSTS.iter().find(|(name, _)| *name == host) {
            return Some(*reputation);
        }
        host = host.split_once('.')?.1;
    }
}

const fn high(basis: &'static str) -> Reputation {
    Reputation {
        tier: Tier::High,
        basis,
        note: None,
    }
}

const fn mixed(basis: &'static str, note: &'static str) -> Reputation {
    Reputation {
        tier: Tier::Mixed,
        basis,
        note: Some(note),
    }
}

const fn low(basis: &'static str, note: Option<&'static str>) -> Reputation {
    Reputation {
        tier: Tier::Low,
        basis,
        note,
    }
}

const JOURNAL: Reputation = high("peer-reviewed journals");
const AUTHORITY: Reputation = high("public authority, on its own subject");
const AGENCY: Reputation = high("news agency with published corrections");
const NEWSROOM: Reputation = high("edited news with published corrections");
const STANDARD: Reputation = high("body that sets the standard itself");
const DEPRECATED: Reputation = low(
    "deprecated as a source by the editors of the English Wikipedia",
    None,
);
const STATE_MEDIA: Reputation = low(
    "deprecated as a source by the editors of the English Wikipedia",
    Some("state-controlled media"),
);
const SATIRE: Reputation = low("satire", Some("what it says is made up, and meant to be"));
const PREPRINTS: Reputation = mixed(
    "archive of preprints",
    "papers are screened and not peer-reviewed",
);
const BY_USERS: Reputation = mixed("written by its users", "each author answers alone");

/// Host and what is known of it.
const HOSTS: &[(&str, Reputation)] = &[
    ("nature.com", JOURNAL),
    ("science.org", JOURNAL),
    ("pnas.org", JOURNAL),
    ("cell.com", JOURNAL),
    ("plos.org", JOURNAL),
    ("nejm.org", JOURNAL),
    ("thelancet.com", JOURNAL),
    ("bmj.com", JOURNAL),
    ("jamanetwork.com", JOURNAL),
    ("royalsocietypublishing.org", JOURNAL),
    ("elifesciences.org", JOURNAL),
    ("cochranelibrary.com", high("systematic reviews")),
    (
        "pubmed.ncbi.nlm.nih.gov",
        Reputation {
            tier: Tier::High,
            basis: "index of biomedical literature",
            note: Some("what it lists differs in quality"),
        },
    ),
    ("who.int", AUTHORITY),
    ("nih.gov", AUTHORITY),
    ("cdc.gov", AUTHORITY),
    ("fda.gov", AUTHORITY),
    ("ema.europa.eu", AUTHORITY),
    ("nhs.uk", AUTHORITY),
    ("nasa.gov", AUTHORITY),
    ("noaa.gov", AUTHORITY),
    ("usgs.gov", AUTHORITY),
    ("nist.gov", AUTHORITY),
    ("sec.gov", AUTHORITY),
    ("census.gov", AUTHORITY),
    ("bls.gov", AUTHORITY),
    ("congress.gov", AUTHORITY),
    ("legislation.gov.uk", AUTHORITY),
    ("eur-lex.europa.eu", AUTHORITY),
    (
        "ipcc.ch",
        high("assessments reviewed by experts and governments"),
    ),
    ("ietf.org", STANDARD),
    ("rfc-editor.org", STANDARD),
    ("w3.org", STANDARD),
    ("whatwg.org", STANDARD),
    ("iso.org", STANDARD),
    ("unicode.org", STANDARD),
    ("apnews.com", AGENCY),
    ("reuters.com", AGENCY),
    ("afp.com", AGENCY),
    ("bbc.com", NEWSROOM),
    ("bbc.co.uk", NEWSROOM),
    ("npr.org", NEWSROOM),
    ("nytimes.com", NEWSROOM),
    ("washingtonpost.com", NEWSROOM),
    ("theguardian.com", NEWSROOM),
    ("economist.com", NEWSROOM),
    ("ft.com", NEWSROOM),
    ("bloomberg.com", NEWSROOM),
    ("britannica.com", high("encyclopedia with named editors")),
    (
        "developer.mozilla.org",
        high("documentation reviewed by its editors"),
    ),
    ("arxiv.org", PREPRINTS),
    ("biorxiv.org", PREPRINTS),
    ("medrxiv.org", PREPRINTS),
    ("ssrn.com", PREPRINTS),
    (
        "wikipedia.org",
        mixed(
            "encyclopedia written by its users",
            "follow its references for what matters",
        ),
    ),
    ("medium.com", BY_USERS),
    ("substack.com", BY_USERS),
    ("reddit.com", BY_USERS),
    ("quora.com", BY_USERS),
    ("youtube.com", BY_USERS),
    ("facebook.com", BY_USERS),
    ("x.com", BY_USERS),
    ("twitter.com", BY_USERS),
    ("tiktok.com", BY_USERS),
    (
        "stackoverflow.com",
        mixed(
            "written by its users, who vote",
            "an answer may be years out of date",
        ),
    ),
    (
        "forbes.com",
        mixed(
            "newsroom and contributors under one name",
            "contributors' articles are hardly edited",
        ),
    ),
    ("dailymail.co.uk", DEPRECATED),
    ("thesun.co.uk", DEPRECATED),
    ("infowars.com", DEPRECATED),
    ("breitbart.com", DEPRECATED),
    ("thegatewaypundit.com", DEPRECATED),
    ("theepochtimes.com", DEPRECATED),
    ("zerohedge.com", DEPRECATED),
    ("wnd.com", DEPRECATED),
    ("globalresearch.ca", DEPRECATED),
    ("naturalnews.com", DEPRECATED),
    ("occupydemocrats.com", DEPRECATED),
    ("rt.com", STATE_MEDIA),
    ("sputnikglobe.com", STATE_MEDIA),
    ("presstv.ir", STATE_MEDIA),
    ("theonion.com", SATIRE),
    ("babylonbee.com", SATIRE),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn tier(address: &str) -> Option<Tier> {
        of(address).map(|reputation| reputation.tier)
    }

    #[test]
    fn a_host_is_known_by_its_name_or_its_parents() {
        assert_eq!(tier("https://www.Nature.com/articles/x"), Some(Tier::High));
        assert_eq!(tier("https://en.wikipedia.org./wiki/X"), Some(Tier::Mixed));
        assert_eq!(tier("https://www.infowars.com:8443/"), Some(Tier::Low));
        let index = of("https://pubmed.ncbi.nlm.nih.gov/1").unwrap();
        assert!(index.basis.contains("index") && index.note.is_some());
        assert_eq!(of("https://ncbi.nlm.nih.gov/1"), Some(AUTHORITY));
    }

    #[test]
    fn a_part_of_an_address_is_no_host() {
        for address in [
            "https://notnature.com/",
            "https://nature.com.evil.example/",
            "https://evil.example/?nature.com",
            "https://evil.example/nature.com/",
            "https://nature.com@evil.example/",
            "https://com/",
            "https://127.0.0.1/",
            "nature.com",
            "",
        ] {
            assert_eq!(tier(address), None, "{address}");
        }
    }

    #[test]
    fn the_table_is_sound() {
        let mut names: Vec<&str> = HOSTS.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
        for (name, reputation) in HOSTS {
            assert!(name.contains('.') && *name == name.to_lowercase(), "{name}");
            assert!(!reputation.basis.is_empty());
        }
        for tier in [Tier::High, Tier::Mixed, Tier::Low] {
            assert!(HOSTS.iter().any(|(_, one)| one.tier == tier), "{tier:?}");
        }
    }
}
