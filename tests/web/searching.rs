//! Searches at the test's own servers.

// Every test file includes this module and uses its own part of it.
#![allow(dead_code)]

use iki_web::client::proxy::ProxySettings;
use iki_web::client::{FetchError, FetchRequest, HttpClient, HttpResponse, parse_url};
use iki_web::credentials::Credentials;
use iki_web::provider::failure::ProviderFailure;
use iki_web::search::host_search::{self, HostSearch};
use iki_web::search::search_provider::SearchProvider;
use iki_web::search::{DomainFilter, SearchResult, brave, google};

use crate::common::{Answer, Call, tool};
use crate::server::{Server, reply};
use serde_json::Value;

/// A key that needs encoding in a query.
pub const SECRET: &str = "s3cret+key/=";

/// A client without proxies.
pub fn client() -> HttpClient {
    HttpClient::new().proxies(ProxySettings::default())
}

/// A filter of these domains.
pub fn filter(allowed: &[&str], blocked: &[&str]) -> DomainFilter {
    let own = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
    DomainFilter::new(&own(allowed), &own(blocked))
}

/// Searches with Brave at a server.
pub fn brave_at(server: &Server, count: usize, page: usize, domains: &DomainFilter) -> Found {
    let wanted = HostSearch {
        text: "rust & \u{fc}ber",
        count,
        first: page * count,
        domains,
        asks_by_domain: false,
    };
    search_at(&brave::PROVIDER, &server.url("/res/v1/web/search"), &wanted)
}

/// Searches with Google at a server.
pub fn google_at(server: &Server, num: usize, start: usize, domains: &DomainFilter) -> Found {
    let wanted = HostSearch {
        text: "rust",
        count: num,
        first: start - 1,
        domains,
        asks_by_domain: true,
    };
    search_at(&google::PROVIDER, &server.url("/customsearch/v1"), &wanted)
}

/// Searches at an address with the key [`SECRET`].
pub fn search_at(
    provider: &'static SearchProvider,
    address: &str,
    wanted: &HostSearch<'_>,
) -> Found {
    let var = |name: &str| {
        let value = if name.starts_with("IKIGAI_") {
            address
        } else {
            SECRET
        };
        Some(value.to_owned())
    };
    let account = provider
        .account(&Credentials::from_vars(&var, None))
        .unwrap();
    let found = host_search::search(&client(), provider, &account, wanted);
    // No answer, good or bad, holds the key in any form.
    let text = format!("{found:?}");
    assert!(!text.contains("s3cret"), "{text}");
    found.map(|found| found.results)
}

/// The outcome of a search.
pub type Found = Result<Vec<SearchResult>, ProviderFailure>;

/// A server that gives this JSON.
pub fn json(status: &str, body: &str) -> Server {
    Server::bytes(reply(
        &format!("{status}\r\nContent-Type: application/json"),
        body,
    ))
}

/// No filter.
pub fn everything() -> DomainFilter {
    DomainFilter::default()
}

/// A key of the tools' calls.
pub const KEY: &str = "k3y+of/the=test";

/// A host's call of a tool with this server as both providers, of which all keys are known.
pub fn call_at(link: &str, request: &Value, server: &Server) -> Call {
    let call = tool(link).with(request).without_settings();
    call.env("HOME", "/nonexistent")
        .env("BRAVE_API_KEY", KEY)
        .env("GOOGLE_SEARCH_API_KEY", KEY)
        .env("GOOGLE_SEARCH_ENGINE_ID", "engine")
        .env("IKIGAI_BRAVE_URL", server.url("/search"))
        .env("IKIGAI_GOOGLE_URL", server.url("/search"))
}

pub fn brave(request: &Value, server: &Server) -> Answer {
    call_at("web-search-brave-tool", request, server).run()
}

pub fn google(request: &Value, server: &Server) -> Answer {
    call_at("web-search-google-tool", request, server).run()
}

/// A page, fetched through no proxy.
pub fn get(url: &str) -> Result<HttpResponse, FetchError> {
    let url = parse_url(url).unwrap();
    client().get(&FetchRequest {
        url: &url,
        accept: "*/*",
        headers: &[],
    })
}
