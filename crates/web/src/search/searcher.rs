//! One search from start to end: from the cache if possible, or else by as many requests as its
//! hosts need, at the next provider if the first one fails.

use std::time::{Duration, Instant};

use super::cached_results::{self, TIME_TO_LIVE};
use super::context::SearchContext;
use super::provider_choice::{self, NoProvider, ProviderChoice};
use super::provider_results::{ProviderResults, search_provider};
use super::provider_route::{PROVIDER_TIMEOUT, ProviderRoute};
use super::query::WebSearch;
use super::search_answer::{SearchAnswer, SearchFailure};
use super::search_provider::SearchProvider;
use crate::provider::ProviderAccount;
use crate::provider::failure::{ProviderFailure, ProviderFailureKind};

/// A shorter search that fails to reach a provider does not count against the provider.
const MIN_FAIR_TIME: Duration = Duration::from_secs(5);

/// Runs a search.
pub fn search(
    context: &SearchContext<'_>,
    search: &WebSearch,
) -> Result<SearchAnswer, SearchFailure> {
    let start = Instant::now();
    let choice = provider_choice::choose(search, context.credentials);
    let choice = choice.map_err(SearchFailure::NoProvider)?;
    let is_only = matches!(choice, ProviderChoice::One(_));
    let providers = choice.providers();
    let mut route = ProviderRoute::new(*context, is_only);
    for (index, provider) in providers.iter().enumerate() {
        let is_last = index + 1 == providers.len();
        let longest = if is_last {
            Duration::MAX
        } else {
            PROVIDER_TIMEOUT
        };
        let answer = route.ask(
            provider,
            longest,
            |account| {
                let question = cached_results::question(search, provider, account);
                context.cached_or_turn(&question, || {
                    let (results, age) = context.cached(&question, TIME_TO_LIVE)?;
                    Some(SearchAnswer {
                        age: Some(age),
                        ..SearchAnswer::new(provider, results)
                    })
                })
            },
            |context, account| ask(context, search, provider, account),
        )?;
        if let Some(answer) = answer {
            return Ok(SearchAnswer {
                routed: (!is_only).then_some(route.routing),
                took: start.elapsed(),
                ..answer
            });
        }
    }
    // There always is a provider, and so a failure.
    let failure = route.last_failure();
    let failure = failure.ok_or(SearchFailure::NoProvider(NoProvider::Off))?;
    let configured = provider_choice::configured(context.credentials).into_iter();
    Err(route.failed(failure, configured.map(|one| &one.service)))
}

/// Asks a provider, and caches its answer.
fn ask(
    context: &SearchContext<'_>,
    search: &WebSearch,
    provider: &'static SearchProvider,
    account: &ProviderAccount,
) -> Result<SearchAnswer, ProviderFailure> {
    let is_fair = context.client.time_left() >= MIN_FAIR_TIME;
    // A call with little time says nothing about the provider.
    let failed = |failure: &ProviderFailure| {
        if is_fair || !matches!(failure.kind, ProviderFailureKind::Network { .. }) {
            context.breakers().failed(provider, failure.kind);
        }
    };
    let results = search_provider(context.client, search, provider, account);
    let ProviderResults {
        cached_results: kept,
        unsearched,
        broken_off,
    } = results.inspect_err(failed)?;
    let failures = unsearched.iter().map(|(_, failure)| failure);
    match failures.chain(&broken_off).next() {
        Some(failure) => failed(failure),
        None => context.breakers().succeeded(provider),
    }
    // A partial answer is not cached.
    if unsearched.is_empty() && broken_off.is_none() {
        let question = cached_results::question(search, provider, account);
        context.cache(&question, &kept, TIME_TO_LIVE);
    }
    Ok(SearchAnswer {
        unsearched,
        ..SearchAnswer::new(provider, kept)
    })
}
