//! Google Custom Search: its URL, its reply, its errors.
//!
//! Facts: Custom Search JSON API reference (`cse.list`), Google API error model.
//!
//! The API takes one `siteSearch`. Several blocked domains: the first goes there, the others into
//! the query as `-site:`. Several allowed domains: each is asked for by itself, all at once, and
//! the lists are merged round robin. `start` counts in the merged list, so that a page continues
//! where the one before ended; only where a domain ran out of results and others filled the page
//! may a result come up again.

use std::thread;

use serde_json::Value;
use url::Url;

use super::exchange::{self, Patience};
use super::provider::{self, Endpoint, Limits, Misread, Provider, Refusal, Request, Sites, Slot};
use super::query::{Ask, Safe};
use super::reply::{self, string};
use super::terms::{self, Words};
use super::{DomainFilter, Found, SearchError, SearchResult, dates, results};
use crate::web::client::{Client, Response};
use crate::web::credentials::{CredentialName, Credentials, Key};

const NAME: &str = "Google";
const ENDPOINT: &str = "https://customsearch.googleapis.com/customsearch/v1";
/// Replaces the endpoint.
const ENDPOINT_VARIABLE: &str = "IKIGAI_GOOGLE_URL";
/// How many domains are asked for one by one; each costs one search of the quota.
const MAX_ASKED: usize = 10;

/// What the model is told where no key is configured.
pub const SETUP_ERROR: &str = "Web search requires API key configuration.\n\nGoogle Custom Search \
    offers 100 free searches/day.\nGet API key: \
    https://developers.google.com/custom-search/v1/overview\nGet Search Engine ID: \
    https://programmablesearchengine.google.com/controlpanel/create\nAdd to: \
    ~/.config/ikigai/credentials.json as 'web_search.google.api_key' and \
    'web_search.google.engine_id'";

/// What the user is told where no key is configured.
pub const SETUP_NOTICE: &str = "\u{26a0} Configuration Required\n\nWeb search needs an API key and \
    Search Engine ID. Google Custom Search offers 100 free searches/day.\n\nGet API key: \
    https://developers.google.com/custom-search/v1/overview\nGet Search Engine ID: \
    https://programmablesearchengine.google.com/controlpanel/create\nAdd to: \
    ~/.config/ikigai/credentials.json\n\nExample:\n{\n  \"web_search\": {\n    \"google\": {\n      \
    \"api_key\": \"your-api-key-here\",\n      \"engine_id\": \"your-search-engine-id\"\n    }\n  \
    }\n}";

/// Key and search engine.
#[derive(Clone, Debug)]
pub struct Account {
    /// The API key.
    pub key: Key,
    /// The search engine's ID.
    pub engine: Key,
}

/// A search of the tool that knows Google alone.
#[derive(Clone, Debug)]
pub struct GoogleQuery<'a> {
    /// What to look for.
    pub text: &'a str,
    /// How many results, 1 to 10.
    pub num: u64,
    /// The first result's number, 1 to 91.
    pub start: u64,
    /// Which hosts.
    pub domains: &'a DomainFilter,
}

/// What the key is called.
pub const KEY: CredentialName = CredentialName {
    variable: "GOOGLE_SEARCH_API_KEY",
    path: &["web_search", "google", "api_key"],
};

/// What the search engine's ID is called.
pub const ENGINE: CredentialName = CredentialName {
    variable: "GOOGLE_SEARCH_ENGINE_ID",
    path: &["web_search", "google", "engine_id"],
};

/// What both are called elsewhere.
const KEY_ELSEWHERE: CredentialName = CredentialName {
    variable: "GOOGLE_CUSTOM_SEARCH_API_KEY",
    path: KEY.path,
};
const ENGINE_ELSEWHERE: [CredentialName; 2] = [
    CredentialName {
        variable: "GOOGLE_CUSTOM_SEARCH_ID",
        path: ENGINE.path,
    },
    CredentialName {
        variable: "GOOGLE_CUSTOM_SEARCH_ENGINE_ID",
        path: ENGINE.path,
    },
];

/// The provider.
pub static PROVIDER: Provider = Provider {
    name: "google",
    title: NAME,
    slots: &[
        Slot {
            names: &[KEY, KEY_ELSEWHERE],
            required: true,
        },
        Slot {
            names: &[ENGINE, ENGINE_ELSEWHERE[0], ENGINE_ELSEWHERE[1]],
            required: true,
        },
    ],
    endpoint: Endpoint::Known {
        variable: ENDPOINT_VARIABLE,
        address: ENDPOINT,
    },
    setup: "Get a key for Google Custom Search at \
        https://developers.google.com/custom-search/v1/overview and engines at \
        https://programmablesearchengine.google.com/controlpanel/create.",
    limits: Limits {
        heeded: 32,
        sites: Sites::Words(15),
        ..Limits::PLAIN
    },
    words: Words {
        exact: false,
        excluded: false,
        sites: true,
    },
    accept: "application/json",
    request,
    read,
    refusal,
};

fn request(ask: &Ask<'_>, account: &provider::Account) -> Request {
    let engine = ask.cx.unwrap_or_else(|| account.key(1));
    let start = ask.page * ask.count + 1;
    let site = match ask.sites {
        [site] if ask.cx.is_none() => Some(site.as_str()),
        _ => None,
    };
    let words = Words {
        sites: site.is_none() && ask.cx.is_none(),
        ..PROVIDER.words
    };
    let text = terms::written(ask, words);
    let search = ask.search;
    let mut url = account.endpoint.clone();
    let mut pairs = url.query_pairs_mut();
    pairs
        .append_pair("key", account.key(0))
        .append_pair("cx", engine)
        .append_pair("q", &text)
        .append_pair("num", &ask.count.clamp(1, 10).to_string())
        .append_pair("start", &start.min(91).to_string());
    if let Some(site) = site {
        pairs
            .append_pair("siteSearch", site)
            .append_pair("siteSearchFilter", "i");
    }
    if let Some(range) = search.time_range {
        pairs.append_pair("dateRestrict", &format!("{}1", range.letter()));
    }
    if let Some(safe) = search.safe {
        let level = if safe == Safe::Off { "off" } else { "active" };
        pairs.append_pair("safe", level);
    }
    if let Some(language) = &search.language {
        let language = match (language.as_str(), search.country.as_deref()) {
            ("zh", Some("TW" | "HK")) => "zh-TW",
            ("zh", _) => "zh-CN",
            ("he", _) => "iw",
            (other, _) => other,
        };
        pairs.append_pair("lr", &format!("lang_{language}"));
    }
    if let Some(country) = &search.country {
        let country = if country == "GB" { "UK" } else { country };
        pairs
            .append_pair("gl", &country.to_ascii_lowercase())
            .append_pair("cr", &format!("country{country}"));
    }
    if let Some(phrase) = terms::phrase(ask) {
        pairs.append_pair("exactTerms", &phrase);
    }
    if let Some(terms) = search.exclude_terms.as_deref().map(str::trim) {
        pairs.append_pair("excludeTerms", terms);
    }
    drop(pairs);
    Request {
        url,
        headers: Vec::new(),
        body: None,
        unheeded: Vec::new(),
    }
}

fn read(reply: &Response) -> Result<Vec<SearchResult>, Misread> {
    let body = reply::object(reply)?;
    Ok(reply::results(body.get("items"), |item| {
        let tags = item.pointer("/pagemap/metatags/0").unwrap_or(&Value::Null);
        SearchResult {
            title: results::unmarked(string(item, "title").trim()),
            url: string(item, "link").to_owned(),
            snippet: results::unmarked(
                &string(item, "snippet")
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" "),
            ),
            published_at: dates::iso(string(tags, "article:published_time")),
            ..SearchResult::default()
        }
    }))
}

/// The account, from `GOOGLE_SEARCH_API_KEY` and `GOOGLE_SEARCH_ENGINE_ID` or the credentials
/// file, each for itself.
pub fn account(credentials: &Credentials<'_>) -> Result<Account, SearchError> {
    let find = |name: CredentialName| {
        credentials
            .find(name.variable, name.path)
            .map_err(|why| super::missing(SETUP_ERROR, why))
    };
    Ok(Account {
        key: find(KEY)?,
        engine: find(ENGINE)?,
    })
}

/// Where to ask: `IKIGAI_GOOGLE_URL`, where it is set, else the provider's own endpoint.
pub fn endpoint() -> Result<Url, SearchError> {
    super::endpoint(ENDPOINT_VARIABLE, ENDPOINT)
}

/// Searches at `endpoint`, for the tool that knows Google alone.
pub fn search(
    client: &Client,
    endpoint: &Url,
    account: &Account,
    query: &GoogleQuery<'_>,
) -> Result<Found, SearchError> {
    let num = usize::try_from(query.num.clamp(1, 10)).unwrap_or(10);
    let start = usize::try_from(query.start.clamp(1, 91)).unwrap_or(91);
    let shared = provider::Account {
        endpoint: endpoint.clone(),
        keys: vec![Some(account.key.clone()), Some(account.engine.clone())],
    };
    let one = |site: Option<&str>, start: usize| {
        let request = Request {
            url: url(endpoint.clone(), account, query, site, num, start),
            headers: Vec::new(),
            body: None,
            unheeded: Vec::new(),
        };
        let mut results = exchange::results(client, &PROVIDER, &shared, &request, Patience::WHOLE)?;
        let given = results.len();
        results.retain(|result| query.domains.admits(&result.url));
        let filtered = given - results.len();
        Ok(List { results, filtered })
    };
    let alone = |site| Ok(merge(vec![one(site, start)?], num));
    match query.domains.allowed() {
        None => alone(None),
        Some([]) => Ok(Found::default()),
        Some([site]) => alone(Some(site)),
        Some(sites) => several(sites, num, start, one),
    }
}

/// One reply's results, and how many more there were that the filter took away.
#[derive(Clone, Default)]
struct List {
    results: Vec<SearchResult>,
    filtered: usize,
}

fn merge(lists: Vec<List>, num: usize) -> Found {
    Found {
        filtered: lists.iter().map(|list| list.filtered).sum(),
        results: results::shared(lists.into_iter().map(|list| list.results).collect(), num),
        ..Found::default()
    }
}

/// Asks for each domain by itself, and for more of them while there are too few results. A domain
/// that fails is named beside the results of the others; where all fail, the first failure is the
/// search's. A key that is rejected or used up is not tried on further domains.
fn several(
    sites: &[String],
    num: usize,
    start: usize,
    one: impl Fn(Option<&str>, usize) -> Result<List, SearchError> + Sync,
) -> Result<Found, SearchError> {
    let order = round_robin(sites, start);
    let (mut lists, mut failed) = (Vec::new(), Vec::new());
    let (mut found, mut asked) = (Found::default(), 0);
    for batch in order[..order.len().min(MAX_ASKED)].chunks(num) {
        let replies: Vec<_> = thread::scope(|scope| {
            let running: Vec<_> = batch
                .iter()
                .map(|(site, rank)| scope.spawn(|| one(Some(*site), (*rank).min(91))))
                .collect();
            running
                .into_iter()
                .map(thread::ScopedJoinHandle::join)
                .collect()
        });
        asked += batch.len();
        for ((site, _), reply) in batch.iter().zip(replies) {
            let lost = || SearchError::Api("Google search failed: out of threads".to_owned());
            match reply.unwrap_or_else(|_| Err(lost())) {
                Ok(answered) => lists.push(answered),
                Err(error) => failed.push(((*site).to_owned(), error)),
            }
        }
        found = merge(lists.clone(), num);
        let pointless = |(_, error): &(_, _)| {
            matches!(
                error,
                SearchError::RateLimit(_) | SearchError::AuthInvalid(_)
            )
        };
        if found.results.len() == num || failed.iter().any(pointless) {
            break;
        }
    }
    if lists.is_empty() && !failed.is_empty() {
        return Err(failed.swap_remove(0).1);
    }
    found.failed = failed;
    if found.results.len() < num {
        found.unasked = sites.len() - asked;
    }
    Ok(found)
}

/// The order of the domains from the `start`-th result on, and for each the number of its own
/// result that comes first then.
fn round_robin(sites: &[String], start: usize) -> Vec<(&str, usize)> {
    let before = start - 1;
    let all = sites.len();
    (0..all)
        .map(|at| {
            let nth = before + at;
            (sites[nth % all].as_str(), nth / all + 1)
        })
        .collect()
}

fn url(
    mut url: Url,
    account: &Account,
    query: &GoogleQuery<'_>,
    site: Option<&str>,
    num: usize,
    start: usize,
) -> Url {
    let blocked = query.domains.blocked();
    // The one `siteSearch` is the allowed domain's, if there is one.
    let (excluded, others) = match (site, blocked) {
        (None, [first, others @ ..]) => (Some(first), others),
        _ => (None, blocked),
    };
    let mut text = query.text.to_owned();
    for other in others {
        text.extend([" -site:", other]);
    }
    let mut pairs = url.query_pairs_mut();
    pairs
        .append_pair("key", account.key.expose())
        .append_pair("cx", account.engine.expose())
        .append_pair("q", &text)
        .append_pair("num", &num.to_string())
        .append_pair("start", &start.to_string());
    if let Some(site) = site {
        pairs
            .append_pair("siteSearch", site)
            .append_pair("siteSearchFilter", "i");
    } else if let Some(site) = excluded {
        pairs
            .append_pair("siteSearch", site)
            .append_pair("siteSearchFilter", "e");
    }
    drop(pairs);
    url
}

fn refusal(reply: &Response) -> Refusal {
    let message = reply::message(reply);
    // The reasons stand in `errors` or in `details`, as the service's age has it.
    let says = |any: &[&str]| any.iter().any(|reason| reply::names(reply, reason));
    let bad_key = ["API_KEY_INVALID", "keyInvalid", "keyExpired"];
    if reply.status == 401 || says(&bad_key) || message.starts_with("API key not valid") {
        return reply::rejected(NAME, reply);
    }
    let quota = says(&["dailyLimitExceeded", "quotaExceeded", "per day"]);
    let used_up = "Rate limit exceeded. You've used your free search quota (100/day).";
    match reply.status {
        403 | 429 if quota => Refusal::new(reply::QUOTA, used_up),
        429 if says(&["per minute", "per second"]) => {
            Refusal::new(reply::THROTTLED, reply::throttled(NAME, reply))
        }
        // It does not say for how long.
        429 => Refusal::new(reply::THROTTLED, used_up),
        _ => reply::upstream(NAME, reply),
    }
}

/// The search engine that is asked where no lens names one: what it finds is what its user has set
/// up. `None` for other providers, which have none.
#[must_use]
pub fn engine(provider: &Provider, account: &provider::Account) -> Option<String> {
    (*provider == PROVIDER).then(|| account.key(1).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_page_goes_on_where_the_one_before_ended() {
        let sites: Vec<String> = ["a", "b", "c"].map(str::to_owned).to_vec();
        assert_eq!(round_robin(&sites, 1), [("a", 1), ("b", 1), ("c", 1)]);
        assert_eq!(round_robin(&sites, 11), [("b", 4), ("c", 4), ("a", 5)]);
    }
}
