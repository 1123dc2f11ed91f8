//! Advice after a search without results: the filters that may have excluded everything, and other
//! providers to ask.

use super::context::SearchContext;
use super::provider_choice;
use super::query::WebSearch;
use super::search_provider::SearchProvider;

/// Maximum number of suggested actions.
const MAX_ACTIONS: usize = 3;

/// An action that may find something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchSuggestion {
    /// Search again without this field of the request.
    RemoveFilter(&'static str),
    /// Search again with this provider.
    TryProvider(&'static str),
    /// Search with other words.
    Rephrase,
}

/// Hints for a search without results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchHints {
    /// Likely reason: `no_match`, or `filters_too_restrictive`.
    pub reason: &'static str,
    /// Fields of the request that may have excluded results, with their values.
    pub filters_applied: Vec<(&'static str, String)>,
    /// Suggested actions, best first.
    pub suggested_actions: Vec<SearchSuggestion>,
}

impl SearchHints {
    /// Creates the hints for a search for which `provider` found nothing.
    #[must_use]
    pub fn for_search(
        search: &WebSearch,
        provider: &SearchProvider,
        context: &SearchContext<'_>,
    ) -> Self {
        let others = provider_choice::configured(context.credentials).into_iter();
        let others = others.map(|other| &other.service);
        Self::new(filters(search), context.others(others, &[provider.name]))
    }

    /// Creates the hints for a search with those of these filters that have a value, the most
    /// restrictive first, if these other providers can be asked.
    #[must_use]
    pub fn new<const N: usize>(
        filters: [(&'static str, Option<String>); N],
        others: Vec<&'static str>,
    ) -> Self {
        let given = filters.into_iter();
        let given = given.filter_map(|(field, value)| Some((field, value?)));
        let filters: Vec<(&str, String)> = given.collect();
        let reason = if filters.is_empty() {
            "no_match"
        } else {
            "filters_too_restrictive"
        };
        let mut others = others.into_iter().map(SearchSuggestion::TryProvider);
        // Another provider may find something as it is; room is kept for one.
        let other = others.next();
        let removed = filters
            .iter()
            .map(|(field, _)| SearchSuggestion::RemoveFilter(field))
            .take(MAX_ACTIONS - usize::from(other.is_some()));
        let rephrase = filters.is_empty().then_some(SearchSuggestion::Rephrase);
        let actions = removed.chain(rephrase).chain(other).chain(others);
        let suggested_actions = actions.take(MAX_ACTIONS).collect();
        Self {
            reason,
            suggested_actions,
            filters_applied: filters,
        }
    }
}

/// Returns the fields that may exclude results, the most restrictive first. `safe` and `claim`
/// are not among them.
fn filters(search: &WebSearch) -> [(&'static str, Option<String>); 7] {
    let text = |value: &Option<String>| value.clone().filter(|value| !value.trim().is_empty());
    let lens = search.lens.as_ref().map(|lens| lens.name.clone());
    let sites = lens.is_none() && !search.sites.is_empty();
    let range = search.time_range.map(|range| range.name().to_owned());
    [
        ("site", sites.then(|| search.sites.join(", "))),
        ("lens", lens),
        ("exact_terms", text(&search.exact_terms)),
        ("time_range", range),
        ("language", text(&search.language)),
        ("country", text(&search.country)),
        ("exclude_terms", text(&search.exclude_terms)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::HttpClient;
    use crate::credentials::Credentials;
    use crate::memory_store::MemoryStore;
    use crate::provider::breaker::ProviderBreakers;
    use crate::provider::failure::ProviderFailureKind;
    use crate::search::brave::PROVIDER as BRAVE;
    use crate::search::query::{SafeSearch, TimeRange};
    use crate::search::tavily::PROVIDER as TAVILY;

    fn hints_of(
        search: &WebSearch,
        var: &(dyn Fn(&str) -> Option<String> + Sync),
        store: &MemoryStore,
    ) -> SearchHints {
        let context = SearchContext {
            client: &HttpClient::offline(),
            credentials: &Credentials::from_vars(var, None),
            store: Some(store),
            keeps_answers: true,
        };
        SearchHints::for_search(search, &BRAVE, &context)
    }

    fn hints(search: &WebSearch, set: &[&str], store: &MemoryStore) -> SearchHints {
        let var = |name: &str| set.contains(&name).then(|| "x".to_owned());
        hints_of(search, &var, store)
    }

    #[test]
    fn without_filters_others_are_asked_or_in_other_words() {
        let search = WebSearch {
            safe: Some(SafeSearch::High),
            claim: Some("x".to_owned()),
            exact_terms: Some(" ".to_owned()),
            ..WebSearch::default()
        };
        let hints = hints(&search, &["BRAVE_API_KEY"], &MemoryStore::default());
        assert_eq!(hints.reason, "no_match");
        assert!(hints.filters_applied.is_empty());
        assert_eq!(
            hints.suggested_actions,
            [
                SearchSuggestion::Rephrase,
                SearchSuggestion::TryProvider("duckduckgo")
            ]
        );
    }

    #[test]
    fn filters_are_to_be_left_out_and_three_actions_are_enough() {
        let search = WebSearch {
            sites: vec!["a.example".to_owned(), "b.example".to_owned()],
            time_range: Some(TimeRange::Day),
            country: Some("DE".to_owned()),
            exclude_terms: Some("x".to_owned()),
            ..WebSearch::default()
        };
        let hints = hints(&search, &["TAVILY_API_KEY"], &MemoryStore::default());
        assert_eq!(hints.reason, "filters_too_restrictive");
        let names: Vec<&str> = hints
            .filters_applied
            .iter()
            .map(|(name, _)| *name)
            .collect();
        assert_eq!(names, ["site", "time_range", "country", "exclude_terms"]);
        assert_eq!(hints.filters_applied[0].1, "a.example, b.example");
        assert_eq!(
            hints.suggested_actions,
            [
                SearchSuggestion::RemoveFilter("site"),
                SearchSuggestion::RemoveFilter("time_range"),
                SearchSuggestion::TryProvider("duckduckgo")
            ]
        );
    }

    #[test]
    fn only_those_are_named_who_can_be_asked_and_are_well() {
        let store = MemoryStore::default();
        let breakers = ProviderBreakers::new(Some(&store));
        let limited = ProviderFailureKind::RateLimited {
            seconds: 1,
            is_quota: false,
        };
        breakers.failed(&TAVILY, limited);
        breakers.failed(
            provider_choice::find_provider("duckduckgo").unwrap(),
            limited,
        );
        let hints = hints(&WebSearch::default(), &["TAVILY_API_KEY"], &store);
        assert_eq!(hints.suggested_actions, [SearchSuggestion::Rephrase]);
        let var = |name: &str| (name == "SEARCH_PROVIDER").then(|| "none".to_owned());
        let nobody = hints_of(&WebSearch::default(), &var, &MemoryStore::default());
        assert_eq!(nobody.suggested_actions, [SearchSuggestion::Rephrase]);
    }
}
