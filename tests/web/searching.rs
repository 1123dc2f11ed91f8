//! Searches at the test's own servers.

// Every test file includes this module and uses its own part of it.
#![allow(dead_code)]

use ikigai_tools::web::client::proxy::Proxies;
use ikigai_tools::web::client::{Client, parse_url};
use ikigai_tools::web::credentials::{Credentials, Key};
use ikigai_tools::web::search::{self, DomainFilter, SearchError, SearchResult, brave, google};

use crate::server::{Server, reply};

/// A key that needs encoding in a query.
pub const SECRET: &str = "s3cret+key/=";

/// A client without proxies.
pub fn client() -> Client {
    Client::new().proxies(Proxies::default())
}

/// The key [`SECRET`].
pub fn secret() -> Key {
    let var = |name: &str| (name == "KEY").then(|| SECRET.to_owned());
    Credentials::from_vars(&var, None).find("KEY", &[]).unwrap()
}

/// A filter of these domains.
pub fn filter(allowed: &[&str], blocked: &[&str]) -> DomainFilter {
    let own = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
    DomainFilter::new(&own(allowed), &own(blocked))
}

/// Searches with Brave at a server.
pub fn brave_at(server: &Server, count: u64, page: u64, domains: &DomainFilter) -> Found {
    let endpoint = parse_url(&server.url("/res/v1/web/search")).unwrap();
    let query = brave::BraveQuery {
        text: "rust & \u{fc}ber",
        count,
        page,
        domains,
    };
    shown(brave::search(&client(), &endpoint, &secret(), &query))
}

/// Searches with Google at a server.
pub fn google_at(server: &Server, num: u64, start: u64, domains: &DomainFilter) -> Found {
    let endpoint = parse_url(&server.url("/customsearch/v1")).unwrap();
    let account = google::Account {
        key: secret(),
        engine: secret(),
    };
    let query = google::GoogleQuery {
        text: "rust",
        num,
        start,
        domains,
    };
    shown(google::search(&client(), &endpoint, &account, &query))
}

/// What a search gives.
pub type Found = Result<Vec<SearchResult>, SearchError>;

/// No answer, good or bad, holds the key in any form.
pub fn shown(found: Result<search::Found, SearchError>) -> Found {
    let text = format!("{found:?}");
    assert!(!text.contains("s3cret"), "{text}");
    found.map(|found| found.results)
}

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
