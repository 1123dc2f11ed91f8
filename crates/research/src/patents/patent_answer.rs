//! Patents that were found, with their origin; and the cache: the key of a search, and the stored
//! form of its answer.

use std::time::Duration;

use serde_json::Value;

use super::patent::Patent;
use super::query::PatentSearch;
use iki_web::cache::CacheQuestion;
use iki_web::search::search_answer::ProviderRouting;

/// Time for which an answer is valid.
pub const TIME_TO_LIVE: Duration = Duration::from_secs(24 * 60 * 60);

/// Version of the stored form.
const VERSION: u32 = 1;

/// Patents that were found, with their origin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatentAnswer {
    /// Name of the provider, or of the web search.
    pub source: &'static str,
    /// Patents, best first.
    pub patents: Vec<Patent>,
    /// Sentences on what could not be done.
    pub notes: Vec<String>,
    /// Age of a cached answer; `None` for a new one.
    pub age: Option<Duration>,
    /// Route to the provider.
    pub routed: ProviderRouting,
    /// Duration of the search.
    pub took: Duration,
}

impl PatentAnswer {
    /// Returns the stored form.
    #[must_use]
    pub(super) fn to_stored(&self) -> StoredPatents {
        let patents = self.patents.iter().cloned().map(Patent::fields);
        (patents.collect(), self.notes.clone())
    }

    /// Creates the answer of this age from its stored form.
    #[must_use]
    pub(super) fn of_stored(
        source: &'static str,
        (patents, notes): StoredPatents,
        age: Duration,
    ) -> Self {
        Self {
            source,
            patents: patents.iter().map(Patent::of_fields).collect(),
            notes,
            age: Some(age),
            ..Self::default()
        }
    }
}

/// Patents with the fields of an answer, and the notes on them, as they are stored.
pub(super) type StoredPatents = (Vec<Value>, Vec<String>);

/// Builds the cache key of a search with this provider at these addresses.
#[must_use]
pub fn question(search: &PatentSearch, provider: &str, places: &[String]) -> CacheQuestion {
    // Destructured in full, so that a new field does not compile until it is named here.
    let PatentSearch {
        query,
        count,
        search_type,
        office,
        assignee,
        inventor,
        cpc_code,
        year_from,
        year_to,
        provider: _,
    } = search;
    CacheQuestion::new("patent_search", VERSION)
        .with("provider", Some(provider))
        .with_list("places", places)
        .with("query", Some(query.trim()))
        .with("count", Some(count.to_le_bytes()))
        .with("search_type", Some(search_type.name()))
        .with("office", *office)
        .with("assignee", assignee.as_deref())
        .with("inventor", inventor.as_deref())
        .with("cpc_code", cpc_code.as_deref())
        .with("year_from", year_from.map(u16::to_le_bytes))
        .with("year_to", year_to.map(u16::to_le_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patents::query::PatentSearchType;

    /// Fields of a search that are not part of the key, each with the reason.
    const WITHOUT_EFFECT: &[(&str, &str)] =
        &[("provider", "the one that is asked is a part by itself")];

    fn cache_question(search: &PatentSearch) -> CacheQuestion {
        question(search, "epo", &["https://a.example/".to_owned()])
    }

    /// Searches that each differ from the plain one in the field that they are named for.
    fn changed() -> Vec<(&'static str, PatentSearch)> {
        let some = || Some("x".to_owned());
        let changes: [(_, fn(&mut PatentSearch)); 7] = [
            ("query", |search| search.query.push('x')),
            ("count", |search| search.count += 1),
            ("search_type", |search| {
                search.search_type = PatentSearchType::Landscape;
            }),
            ("office", |search| search.office = Some("US")),
            ("year_from", |search| search.year_from = Some(2020)),
            ("year_to", |search| search.year_to = Some(2020)),
            ("provider", |search| {
                search.provider = Some("lens".to_owned());
            }),
        ];
        let mut all: Vec<(&str, PatentSearch)> = changes
            .into_iter()
            .map(|(field, change)| {
                let mut search = PatentSearch::default();
                change(&mut search);
                (field, search)
            })
            .collect();
        let plain = PatentSearch::default;
        all.push((
            "assignee",
            PatentSearch {
                assignee: some(),
                ..plain()
            },
        ));
        all.push((
            "inventor",
            PatentSearch {
                inventor: some(),
                ..plain()
            },
        ));
        all.push((
            "cpc_code",
            PatentSearch {
                cpc_code: some(),
                ..plain()
            },
        ));
        all
    }

    #[test]
    fn every_field_is_in_the_question_or_known_to_have_no_effect() {
        let plain = PatentSearch::default();
        let written = format!("{plain:#?}");
        let fields = written
            .lines()
            .filter_map(|line| line.trim().split_once(": "));
        let fields: Vec<&str> = fields.map(|(name, _)| name).collect();
        let changed = changed();
        for field in &fields {
            let change = changed.iter().find(|(name, _)| name == field);
            let Some((_, search)) = change else {
                panic!("nobody knows whether {field} has an effect")
            };
            let without = WITHOUT_EFFECT.iter().any(|(name, _)| name == field);
            assert_eq!(
                cache_question(search) == cache_question(&plain),
                without,
                "{field}"
            );
        }
        assert_eq!(fields.len(), changed.len());
    }

    #[test]
    fn another_provider_or_address_is_another_question() {
        let plain = PatentSearch::default();
        let question_at =
            |provider, address: &str| question(&plain, provider, &[address.to_owned()]);
        let one = question_at("epo", "https://a.example/");
        assert_ne!(one, question_at("lens", "https://a.example/"));
        assert_ne!(one, question_at("epo", "https://b.example/"));
    }

    #[test]
    fn an_answer_is_kept_as_it_is() {
        let answer = PatentAnswer {
            source: "epo",
            patents: vec![Patent {
                title: "t".to_owned(),
                number: "US10165245B2".to_owned(),
                filed: "2013-07-03".to_owned(),
                ..Patent::default()
            }],
            notes: vec!["A note.".to_owned()],
            age: Some(Duration::ZERO),
            ..PatentAnswer::default()
        };
        let stored = serde_json::to_vec(&answer.to_stored()).unwrap();
        let stored = serde_json::from_slice(&stored).unwrap();
        let read = PatentAnswer::of_stored("epo", stored, Duration::ZERO);
        assert_eq!(read, answer);
        assert!(serde_json::from_slice::<StoredPatents>(b"{}").is_err());
    }
}
