//! Tavily: its request, its reply, its errors.
//!
//! Facts: Tavily documentation, "Tavily Search" and "Understanding HTTP errors".

use super::query::{ProviderQuery, SafeSearch};
use super::query_terms::{self, QueryOperators};
use super::search_provider::{ProviderLimits, SearchProvider, SiteQuery};
use super::{SearchResult, result_list};
use crate::client::HttpResponse;
use crate::provider::reply;
use crate::provider::{
    Provider, ProviderAccount, ProviderEndpoint, ProviderRefusal, ProviderRequest, UnreadableReply,
    required_key,
};

/// Row of this provider.
pub static PROVIDER: SearchProvider = SearchProvider {
    service: Provider {
        name: "tavily",
        title: "Tavily",
        slots: &[required_key(
            "TAVILY_API_KEY",
            &["web_search", "tavily", "api_key"],
        )],
        endpoint: ProviderEndpoint::Known("https://api.tavily.com/search"),
        setup: "Get a key for Tavily at https://app.tavily.com/.",
        refusal,
        ..Provider::PLAIN
    },
    limits: ProviderLimits {
        characters: 400,
        sites: SiteQuery::Parameter(300),
        results: 20,
        has_second_page: false,
        ..ProviderLimits::PLAIN
    },
    words: QueryOperators {
        exact: true,
        excluded: true,
        sites: false,
    },
    request,
    read,
};

/// Names of countries as Tavily spells them.
const COUNTRIES: &str = "\
    AR argentina|AT austria|AU australia|BE belgium|BG bulgaria|BR brazil|CA canada|CH \
     switzerland|CL chile|CN china|CO colombia|CZ czech republic|DE germany|DK denmark|EE \
     estonia|EG egypt|ES spain|FI finland|FR france|GB united kingdom|GR greece|HR croatia|HU \
     hungary|ID indonesia|IE ireland|IL israel|IN india|IS iceland|IT italy|JP japan|KE kenya|KR \
     south korea|LT lithuania|LU luxembourg|LV latvia|MX mexico|MY malaysia|NG nigeria|NL \
     netherlands|NO norway|NZ new zealand|PE peru|PH philippines|PK pakistan|PL poland|PT \
     portugal|RO romania|RS serbia|RU russia|SA saudi arabia|SE sweden|SG singapore|SI \
     slovenia|SK slovakia|TH thailand|TR turkey|TW taiwan|UA ukraine|US united states|VN \
     vietnam|ZA south africa";

fn request(ask: &ProviderQuery<'_>, account: &ProviderAccount) -> ProviderRequest {
    let search = ask.search;
    let wanted = search.country.as_deref();
    let named = |entry: &'static str| entry.split_once(' ');
    let mut countries = COUNTRIES.split('|').filter_map(named);
    let country = countries.find(|(code, _)| Some(*code) == wanted);
    let range = search.time_range;
    let fields = [
        (
            "query",
            Some(query_terms::query_string(ask, PROVIDER.words).into()),
        ),
        ("max_results", Some(ask.count.into())),
        ("search_depth", Some("basic".into())),
        ("topic", Some("general".into())),
        ("exact_match", query_terms::phrase(ask).map(|_| true.into())),
        ("time_range", range.map(|range| range.name().into())),
        (
            "include_domains",
            (!ask.sites.is_empty()).then(|| ask.sites.into()),
        ),
        ("country", country.map(|(_, name)| name.into())),
    ];
    ProviderRequest::post(account, fields)
        .with("Authorization", &format!("Bearer {}", account.key(0)))
        .without("country", wanted.is_some() && country.is_none())
        .without("language", search.language.is_some())
        .without("safe", search.safe == Some(SafeSearch::High))
}

fn read(reply: &HttpResponse) -> Result<Vec<SearchResult>, UnreadableReply> {
    let body = reply::object(reply)?;
    let names = ["url", "content", "published_date"];
    result_list::plain_results(&body, "/results", &["query"], names)
}

fn refusal(title: &str, reply: &HttpResponse) -> ProviderRefusal {
    // The limit of the plan, and that of pay-as-you-go.
    if matches!(reply.status, 432 | 433) {
        return reply::quota_refusal(title, reply);
    }
    reply::by_status(title, reply)
}
