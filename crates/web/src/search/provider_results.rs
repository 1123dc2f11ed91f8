//! The results of one provider: by one request, or one for each group of hosts, each with a second
//! page if too much of the first one was dropped.

use std::time::Duration;

use super::cached_results::CachedResults;
use super::query::{MAX_RESULTS, ProviderQuery, WebSearch};
use super::search_provider::SearchProvider;
use super::{DomainFilter, SearchResult, google, query_terms, results};
use crate::client::HttpClient;
use crate::provider::ProviderAccount;
use crate::provider::exchange::{self, RetryBudget};
use crate::provider::failure::{ProviderFailure, ProviderFailureKind};
use iki_base::parallel::map_in_parallel;

/// Extra results requested, to make up for those that are dropped.
const SPARE_RESULTS: usize = 5;

/// Minimum time left for a second page.
const MIN_PAGE_TIME: Duration = Duration::from_secs(3);

/// Maximum number of concurrent requests to a provider.
const MAX_CONCURRENT_REQUESTS: usize = 6;

/// Results of one provider.
#[derive(Debug, Default)]
pub(super) struct ProviderResults {
    /// The part that the cache keeps.
    pub cached_results: CachedResults,
    /// Hosts that could not be searched, with the reasons.
    pub unsearched: Vec<(Vec<String>, ProviderFailure)>,
    /// Failure of a second page, if one was requested.
    pub broken_off: Option<ProviderFailure>,
}

/// Searches with a provider, by as many requests as it needs.
pub(super) fn search_provider(
    client: &HttpClient,
    search: &WebSearch,
    provider: &'static SearchProvider,
    account: &ProviderAccount,
) -> Result<ProviderResults, ProviderFailure> {
    let wanted = search.count.clamp(1, MAX_RESULTS);
    let lens = search.lens.as_ref();
    let cx = lens
        .and_then(|lens| lens.cx.as_deref())
        .filter(|_| *provider == google::PROVIDER);
    let hosts = if cx.is_some() { &[] } else { search.hosts() };
    if cx.is_none() && lens.is_some() && hosts.is_empty() {
        let name = lens.map_or("", |lens| &lens.name);
        let text = format!(
            "The lens \"{name}\" has no domains and a search engine of Google's alone, which {} \
             does not have.",
            provider.title
        );
        return Err(
            ProviderFailure::new(provider, ProviderFailureKind::Config, text)
                .advising("Configure Google, or give the lens a list of domains."),
        );
    }
    let whole = ProviderQuery {
        search,
        sites: hosts,
        blocked: &[],
        cx,
        count: wanted,
        first: 0,
    };
    let shortened = query_terms::shortened(&whole, provider.words, &provider.limits);
    let short = shortened.clone().map(|query| WebSearch {
        query,
        ..search.clone()
    });
    let ask = ProviderQuery {
        search: short.as_ref().unwrap_or(search),
        count: (wanted + SPARE_RESULTS).min(provider.limits.results),
        ..whole
    };
    let groups = query_terms::groups(&ask, provider.words, &provider.limits);
    let parts: Vec<ProviderQuery<'_>> = groups
        .iter()
        .map(|sites| ProviderQuery { sites, ..ask })
        .collect();
    for part in &parts {
        too_long(provider, part)?;
    }
    let filter = DomainFilter::new(hosts, &[]);
    let one =
        |part: &ProviderQuery<'_>| search_part(client, provider, account, *part, &filter, wanted);
    let replies = ask_all(provider, &parts, one);
    let mut gathered = ProviderResults::default();
    gathered.cached_results.shortened = shortened;
    let mut lists = Vec::with_capacity(parts.len());
    for (part, reply) in parts.iter().zip(replies) {
        match reply {
            Ok((results, unheeded, broken_off)) => {
                lists.push(results);
                gathered.broken_off = gathered.broken_off.or(broken_off);
                for field in unheeded {
                    if !gathered
                        .cached_results
                        .unheeded
                        .iter()
                        .any(|one| one == field)
                    {
                        gathered.cached_results.unheeded.push(field.to_owned());
                    }
                }
            }
            Err(failure) => gathered.unsearched.push((part.sites.to_vec(), failure)),
        }
    }
    if lists.is_empty() && !gathered.unsearched.is_empty() {
        return Err(gathered.unsearched.swap_remove(0).1);
    }
    gathered.cached_results.results = results::interleaved(lists, wanted);
    Ok(gathered)
}

/// Requests all parts: concurrently if the provider allows that, or else one after the other until
/// one is refused.
fn ask_all<T: Send>(
    provider: &SearchProvider,
    asks: &[ProviderQuery<'_>],
    one: impl Fn(&ProviderQuery<'_>) -> Result<T, ProviderFailure> + Sync,
) -> Vec<Result<T, ProviderFailure>> {
    let mut replies: Vec<Result<T, ProviderFailure>> = Vec::with_capacity(asks.len());
    let limit = if provider.limits.allows_concurrency {
        MAX_CONCURRENT_REQUESTS
    } else {
        1
    };
    for batch in asks.chunks(limit) {
        let earlier = replies
            .iter()
            .filter_map(|reply| reply.as_ref().err())
            .next_back();
        let pointless = earlier.filter(|failure| {
            matches!(
                failure.kind,
                ProviderFailureKind::RateLimited { .. }
                    | ProviderFailureKind::AuthInvalid
                    | ProviderFailureKind::Network { .. }
            )
        });
        if let Some(failure) = pointless.cloned() {
            replies.extend(batch.iter().map(|_| Err(failure.clone())));
            continue;
        }
        replies.extend(map_in_parallel(batch, limit, &one));
    }
    replies
}

/// Results of a part, the fields that were ignored, and the reason why there was no second page.
type PartFound = (
    Vec<SearchResult>,
    Vec<&'static str>,
    Option<ProviderFailure>,
);

/// Searches one part: a first page, and a second one if too much of the first was dropped.
fn search_part(
    client: &HttpClient,
    provider: &SearchProvider,
    account: &ProviderAccount,
    part: ProviderQuery<'_>,
    filter: &DomainFilter,
    wanted: usize,
) -> Result<PartFound, ProviderFailure> {
    let retry_budget = RetryBudget::WHILE_OTHERS_REMAIN;
    let request = (provider.request)(&part, account);
    let given = exchange::ask(client, provider, &request, retry_budget, provider.read)?;
    let all = given.len();
    let mut matching = results::cleaned(given.clone(), filter);
    let mut broken_off = None;
    let short = matching.len() < wanted && matching.len() < all && all >= part.count.min(wanted);
    if short && provider.limits.has_second_page && client.time_left() > MIN_PAGE_TIME {
        let second = ProviderQuery {
            first: part.first + part.count,
            ..part
        };
        let request = (provider.request)(&second, account);
        // A failed second page does not lose the first one.
        match exchange::ask(client, provider, &request, retry_budget, provider.read) {
            Ok(more) => matching = results::cleaned([given, more].concat(), filter),
            Err(failure) => broken_off = Some(failure),
        }
    }
    Ok((matching, request.unheeded, broken_off))
}

/// Refuses a query that the provider would refuse.
fn too_long(provider: &SearchProvider, part: &ProviderQuery<'_>) -> Result<(), ProviderFailure> {
    let text = query_terms::query_string(part, provider.words);
    if query_terms::fits(&text, &provider.limits) {
        return Ok(());
    }
    let limits = &provider.limits;
    let text = format!(
        "{} takes searches of at most {} characters and {} words, and this one has {} and {}.",
        provider.title,
        limits.characters,
        limits.words,
        text.chars().count(),
        text.split_whitespace().count()
    );
    Err(ProviderFailure::new(
        provider,
        ProviderFailureKind::TooLong,
        text,
    ))
}
