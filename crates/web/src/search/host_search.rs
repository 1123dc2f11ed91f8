//! Search for the tools of one provider: allowed and blocked domains, any offset, and a report on
//! each domain.
//!
//! Google takes one `siteSearch`. Of several blocked domains, the first goes there, the others into
//! the query as `-site:`. Several allowed domains are requested separately, all at once, and the
//! lists are merged round robin. `first` counts in the merged list, so that a page continues where
//! the one before ended; a result can come up again only if a domain ran out of results and others
//! filled the page.

use super::query::{ProviderQuery, WebSearch};
use super::search_provider::SearchProvider;
use super::{DomainFilter, SearchResult, results};
use crate::client::HttpClient;
use crate::credentials::Credentials;
use crate::provider::ProviderAccount;
use crate::provider::exchange::{self, RetryBudget};
use crate::provider::failure::{ProviderFailure, ProviderFailureKind};
use iki_base::parallel::map_in_parallel;

/// Maximum number of domains requested one by one; each costs one search of the quota.
const MAX_ASKED: usize = 10;

/// Search by a tool of one provider.
#[derive(Clone, Copy, Debug)]
pub struct HostSearch<'a> {
    /// The query.
    pub text: &'a str,
    /// Number of results wanted.
    pub count: usize,
    /// Offset of the first result, from 0.
    pub first: usize,
    /// Hosts that results may be from.
    pub domains: &'a DomainFilter,
    /// True if the provider is asked for each allowed domain; otherwise its results are only
    /// filtered.
    pub asks_by_domain: bool,
}

/// Results of a [`HostSearch`].
#[derive(Debug, Default)]
pub struct HostResults {
    /// Results, best first.
    pub results: Vec<SearchResult>,
    /// Number of results that the domain filter removed.
    pub filtered: usize,
    /// Domains that could not be searched, with the reasons.
    pub failed: Vec<(String, ProviderFailure)>,
    /// Number of domains that were not requested because there were too many.
    pub unasked: usize,
}

/// Returns the account at `provider`; if a key is missing, the error's text is `setup`.
pub fn account(
    provider: &SearchProvider,
    credentials: &Credentials<'_>,
    setup: &str,
) -> Result<ProviderAccount, ProviderFailure> {
    provider.account_or(credentials, |problem| {
        let mut text = setup.to_owned();
        if let Some(problem) = problem {
            text.extend(["\n\nThe credentials file could not be used. ", &problem]);
        }
        ProviderFailure::new(provider, ProviderFailureKind::AuthMissing, text)
    })
}

/// Searches, for further domains while there are too few results. A domain that fails is reported
/// with the results of the others; if all fail, the first failure is the search's. A key that is
/// rejected or exhausted is not tried on further domains.
pub fn search(
    client: &HttpClient,
    provider: &SearchProvider,
    account: &ProviderAccount,
    wanted: &HostSearch<'_>,
) -> Result<HostResults, ProviderFailure> {
    let count = wanted.count.max(1);
    let query = WebSearch {
        query: wanted.text.to_owned(),
        ..WebSearch::default()
    };
    let whole = ProviderQuery {
        search: &query,
        sites: &[],
        blocked: wanted.domains.blocked(),
        cx: None,
        count,
        first: wanted.first,
    };
    let allowed = wanted.domains.allowed().filter(|_| wanted.asks_by_domain);
    let asks = allowed.map_or_else(|| vec![whole], |sites| by_domain(&whole, sites));
    let one = |ask: &ProviderQuery<'_>| {
        let request = (provider.request)(ask, account);
        let retry_budget = RetryBudget::UNLIMITED;
        let mut answer = exchange::ask(client, provider, &request, retry_budget, provider.read)?;
        let given = answer.len();
        answer.retain(|result| wanted.domains.admits(&result.url));
        let filtered = given - answer.len();
        Ok((answer, filtered))
    };
    let mut answer = HostResults::default();
    let (mut lists, mut domains_searched) = (Vec::new(), 0);
    for batch in asks[..asks.len().min(MAX_ASKED)].chunks(count) {
        domains_searched += batch.len();
        for (ask, reply) in batch.iter().zip(map_in_parallel(batch, batch.len(), one)) {
            match reply {
                Ok((results, filtered)) => {
                    answer.filtered += filtered;
                    lists.push(results);
                }
                Err(failure) => answer.failed.push((ask.sites.concat(), failure)),
            }
        }
        answer.results = match lists.as_slice() {
            [one] if !wanted.asks_by_domain => one.iter().take(count).cloned().collect(),
            _ => results::interleaved(lists.clone(), count),
        };
        let pointless = |(_, failure): &(String, ProviderFailure)| {
            matches!(
                failure.kind,
                ProviderFailureKind::RateLimited { .. } | ProviderFailureKind::AuthInvalid
            )
        };
        if answer.results.len() == count || answer.failed.iter().any(pointless) {
            break;
        }
    }
    if lists.is_empty() && !answer.failed.is_empty() {
        return Err(answer.failed.swap_remove(0).1);
    }
    if answer.results.len() < count {
        answer.unasked = asks.len() - domains_searched;
    }
    Ok(answer)
}

/// Builds a request for each domain, in order from the first wanted result on, each with its own
/// offset.
fn by_domain<'a>(whole: &ProviderQuery<'a>, sites: &'a [String]) -> Vec<ProviderQuery<'a>> {
    let places = whole.first..whole.first + sites.len();
    let asks = places.map(|nth| {
        let index = nth % sites.len();
        ProviderQuery {
            sites: &sites[index..=index],
            first: nth / sites.len(),
            ..*whole
        }
    });
    asks.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_page_goes_on_where_the_one_before_ended() {
        let sites = ["a", "b", "c"].map(str::to_owned);
        let order = |first| {
            let whole = ProviderQuery {
                search: &WebSearch::default(),
                sites: &[],
                blocked: &[],
                cx: None,
                count: 10,
                first,
            };
            let asks = by_domain(&whole, &sites);
            let order = asks.iter().map(|ask| (ask.sites.concat(), ask.first));
            order.collect::<Vec<_>>()
        };
        let strings = |list: [(&str, usize); 3]| list.map(|(site, first)| (site.to_owned(), first));
        assert_eq!(order(0), strings([("a", 0), ("b", 0), ("c", 0)]));
        assert_eq!(order(10), strings([("b", 3), ("c", 3), ("a", 4)]));
    }
}
