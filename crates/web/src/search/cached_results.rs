//! Searches in the cache: the key of a search, and the stored form of its answer.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::query::{SafeSearch, TimeRange, WebSearch};
use super::search_provider::SearchProvider;
use super::{SearchResult, google};
use crate::cache::CacheQuestion;
use crate::provider::ProviderAccount;

/// Time for which an answer is valid.
pub const TIME_TO_LIVE: Duration = Duration::from_secs(30 * 60);

/// Returns the freshness of an answer of this age, as responses name it.
#[must_use]
pub fn freshness(age: Duration, good_for: Duration) -> &'static str {
    if age < good_for / 2 {
        "fresh"
    } else if age < good_for * 4 / 5 {
        "aging"
    } else {
        "expiring"
    }
}

/// Version of the stored form: incremented whenever [`CachedResults`] changes.
const VERSION: u32 = 3;

/// Search results as they are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CachedResults {
    /// Results, best first.
    pub results: Vec<SearchResult>,
    /// Fields of the search that the provider ignored.
    pub unheeded: Vec<String>,
    /// Query that was sent instead, if the provider takes only a shorter one.
    pub shortened: Option<String>,
}

/// Builds the cache key of a search with this provider at this address.
#[must_use]
pub fn question(
    search: &WebSearch,
    provider: &SearchProvider,
    account: &ProviderAccount,
) -> CacheQuestion {
    // Destructured in full, so that a new field does not compile until it is named here.
    let WebSearch {
        query,
        count,
        time_range,
        safe,
        language,
        country,
        sites,
        exact_terms,
        exclude_terms,
        lens,
        provider: _,
        claim: _,
    } = search;
    let question = CacheQuestion::new("web_search", VERSION)
        .with("provider", Some(provider.name))
        .with("endpoint", Some(account.place()))
        .with("engine", google::engine(provider, account))
        .with("query", Some(query.trim()))
        .with("count", Some(count.to_le_bytes()))
        .with("time_range", time_range.map(TimeRange::name))
        .with("safe", safe.map(SafeSearch::name))
        .with("language", language.as_deref())
        .with("country", country.as_deref())
        .with_list("sites", sites)
        .with("exact_terms", exact_terms.as_deref())
        .with("exclude_terms", exclude_terms.as_deref());
    match lens {
        None => question.with("lens", None::<&str>),
        Some(lens) => question
            .with("lens", Some("content"))
            .with_list("domains", &lens.domains)
            .with("cx", lens.cx.as_deref()),
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;
    use crate::credentials::SecretText;
    use crate::search::brave::PROVIDER as BRAVE;
    use crate::search::exa::PROVIDER as EXA;
    use crate::search::lenses::Lens;
    use iki_base::unseen;

    /// Fields of a search that are not part of the key, each with the reason.
    const WITHOUT_EFFECT: &[(&str, &str)] = &[
        ("provider", "the one that is asked is a part by itself"),
        ("claim", "results are marked with it after they are kept"),
        ("lens.name", "what is searched is the lens' content"),
        ("lens.description", "it is shown to nobody who searches"),
    ];

    fn account(address: &str) -> ProviderAccount {
        ProviderAccount {
            endpoint: Url::parse(address).unwrap(),
            keys: Vec::new(),
        }
    }

    fn cache_question(search: &WebSearch) -> CacheQuestion {
        question(search, &BRAVE, &account("https://a.example/search"))
    }

    fn some(text: &str) -> Option<String> {
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Searches that each differ from the plain one in the field that they are named for.
    fn changed() -> Vec<(&'static str, WebSearch)> {
        let change = |field, change: fn(&mut WebSearch)| {
            let mut search = plain();
            change(&mut search);
            (field, search)
        };
        let lens = |search: &mut WebSearch, change: fn(&mut Lens)| {
            change(search.lens.as_mut().unwrap());
        };
        let mut all = vec![
            change("query", |search| search.query.push('x')),
            change("count", |search| search.count += 1),
            change("time_range", |search| {
                search.time_range = Some(TimeRange::Day);
            }),
            change("safe", |search| search.safe = Some(SafeSearch::High)),
            change("language", |search| search.language = some("de")),
            change("country", |search| search.country = some("DE")),
            change("sites", |search| {
                search.sites = vec!["b.example".to_owned()];
            }),
            change("exact_terms", |search| search.exact_terms = some("a b")),
            change("exclude_terms", |search| search.exclude_terms = some("a b")),
            change("provider", |search| search.provider = some("exa")),
            change("claim", |search| search.claim = some("a b")),
            change("lens", |search| search.lens = None),
        ];
        let parts: [(_, fn(&mut Lens)); 4] = [
            ("lens.name", |lens| lens.name.push('x')),
            ("lens.description", |lens| lens.description.push('x')),
            ("lens.domains", |lens| {
                lens.domains.push("x.example".to_owned());
            }),
            ("lens.cx", |lens| lens.cx = some("x")),
        ];
        for (field, part) in parts {
            let mut search = plain();
            lens(&mut search, part);
            all.push((field, search));
        }
        all
    }

    fn plain() -> WebSearch {
        WebSearch {
            query: "words".to_owned(),
            count: 5,
            sites: vec!["a.example".to_owned()],
            lens: Some(Lens {
                name: "l".to_owned(),
                domains: vec!["d.example".to_owned()],
                ..Lens::default()
            }),
            ..WebSearch::default()
        }
    }

    /// Returns the names of the fields, those of the lens after its own.
    fn fields() -> Vec<String> {
        let written = format!("{:#?}", plain());
        let mut names = Vec::new();
        for line in written.lines() {
            let name = line.trim_start();
            let depth = (line.len() - name.len()) / 4;
            let Some((name, _)) = name.split_once(": ") else {
                continue;
            };
            match depth {
                1 => names.push(name.to_owned()),
                3 => names.push(format!("lens.{name}")),
                _ => {}
            }
        }
        names
    }

    #[test]
    fn every_field_is_in_the_question_or_known_to_have_no_effect() {
        let changed = changed();
        let fields = fields();
        assert!(fields.len() >= 16, "{fields:?}");
        for field in &fields {
            let change = changed.iter().find(|(name, _)| name == field);
            let Some((_, search)) = change else {
                panic!("nobody knows whether {field} has an effect")
            };
            let without = WITHOUT_EFFECT.iter().any(|(name, _)| name == field);
            assert_eq!(
                cache_question(search) == cache_question(&plain()),
                without,
                "{field}"
            );
        }
        assert_eq!(fields.len(), changed.len());
    }

    #[test]
    fn another_provider_or_address_is_another_question() {
        let question_at = |address: &str, provider| question(&plain(), provider, &account(address));
        let one = question_at("https://a.example/search", &BRAVE);
        assert_ne!(one, question_at("https://b.example/search", &BRAVE));
        assert_ne!(one, question_at("https://a.example/search", &EXA));
        assert_eq!(
            one,
            question_at("https://user:secret@a.example/search", &BRAVE)
        );
        let engine = |id: &str, provider| {
            let keys = ["key", id].map(|key| Some(SecretText::new(key)));
            let account = ProviderAccount {
                keys: keys.into(),
                ..account("https://a.example/search")
            };
            question(&plain(), provider, &account)
        };
        assert_ne!(
            engine("a", &google::PROVIDER),
            engine("b", &google::PROVIDER)
        );
        assert_eq!(engine("a", &BRAVE), engine("b", &BRAVE));
    }

    #[test]
    fn an_answer_is_fresh_for_half_of_its_time() {
        let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
        for (age, expected) in [
            (0, "fresh"),
            (14, "fresh"),
            (15, "aging"),
            (23, "aging"),
            (24, "expiring"),
            (30, "expiring"),
        ] {
            assert_eq!(freshness(minutes(age), TIME_TO_LIVE), expected, "{age}");
        }
    }

    #[test]
    fn an_answer_is_kept_as_it_is() {
        let results = CachedResults {
            results: vec![SearchResult {
                title: "t".to_owned(),
                url: "https://a.example/".to_owned(),
                snippet: "s".to_owned(),
                published_at: some("2024-05-01"),
                extra_snippets: vec!["x".to_owned()],
                taken: unseen::remove("\u{202e}").1,
            }],
            unheeded: vec!["language".to_owned()],
            shortened: some("q"),
        };
        let bytes = serde_json::to_vec(&results).unwrap();
        assert_eq!(
            serde_json::from_slice::<CachedResults>(&bytes).unwrap(),
            results
        );
    }
}
