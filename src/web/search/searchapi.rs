//! `SearchApi`: Google's results through a third party's API.
//!
//! Facts: `SearchApi` documentation, "Google Search Engine Results API".

use serde_json::Value;

use super::query::ProviderQuery;
use super::search_provider::{ProviderLimits, SearchProvider, SiteQuery};
use super::terms::{self, QueryOperators};
use super::{SearchResult, result_list};
use crate::web::client::HttpResponse;
use crate::web::credentials::CredentialName;
use crate::web::provider::failure::ProviderFailureKind;
use crate::web::provider::reply::{self, string};
use crate::web::provider::{
    CredentialSlot, Provider, ProviderAccount, ProviderEndpoint, ProviderRefusal, ProviderRequest,
    UnreadableReply,
};

const NAME: &str = "SearchApi";

/// Row of this provider.
pub static PROVIDER: SearchProvider = SearchProvider {
    service: Provider {
        name: "searchapi",
        title: NAME,
        slots: &[CredentialSlot {
            names: &[CredentialName {
                variable: "SEARCHAPI_API_KEY",
                path: &["web_search", "searchapi", "api_key"],
            }],
            required: true,
        }],
        endpoint: ProviderEndpoint::Known {
            variable: "IKIGAI_SEARCHAPI_URL",
            address: "https://www.searchapi.io/api/v1/search",
        },
        setup: "Get a key for SearchApi at https://www.searchapi.io/.",
        accept: "application/json",
        refusal,
    },
    limits: ProviderLimits {
        heeded: 32,
        sites: SiteQuery::Words(15),
        ..ProviderLimits::PLAIN
    },
    words: QueryOperators::ALL,
    request,
    read,
};

fn request(ask: &ProviderQuery<'_>, account: &ProviderAccount) -> ProviderRequest {
    let search = ask.search;
    let country = search.country.as_deref();
    let range = search.time_range;
    let fields = [
        ("engine", Some("google".into())),
        ("q", Some(terms::query_string(ask, PROVIDER.words).into())),
        ("num", Some(ask.count.into())),
        ("page", Some((ask.page() + 1).into())),
        (
            "time_period",
            range.map(|range| format!("last_{}", range.name()).into()),
        ),
        ("safe", search.safe.map(|safe| safe.at_google().into())),
        ("gl", country.map(|code| code.to_ascii_lowercase().into())),
        ("hl", search.language.as_deref().map(Value::from)),
    ];
    ProviderRequest::get(account, fields)
        .with("Authorization", &format!("Bearer {}", account.key(0)))
}

fn read(reply: &HttpResponse) -> Result<Vec<SearchResult>, UnreadableReply> {
    let body = reply::object(reply)?;
    let list = body.get("organic_results");
    let error = string(&body, "error");
    // A search without results is reported as an error as well.
    let nothing = error.to_lowercase().contains("any results");
    if list.is_none_or(Value::is_null) && !error.is_empty() && !nothing {
        let text = format!("{NAME} search failed: {}", reply::tidy(error));
        return Err(UnreadableReply::Refused(ProviderRefusal::new(
            ProviderFailureKind::Upstream,
            text,
        )));
    }
    Ok(result_list::plain_results(
        list,
        ["link", "snippet", "date"],
    ))
}

fn refusal(reply: &HttpResponse) -> ProviderRefusal {
    let used_up = [
        "used all of the searches",
        "run out of searches",
        "exceeded your plan",
    ];
    if reply.status == 429 && reply::says(reply, &used_up) {
        return ProviderRefusal::new(reply::QUOTA, reply::quota(NAME, reply));
    }
    reply::by_status(NAME, reply)
}
