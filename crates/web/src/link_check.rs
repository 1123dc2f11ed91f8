//! Checks of links: each address is asked once, and for those that are dead, the archive for its
//! copy.
//!
//! Facts: "Wayback Availability JSON API" of the Internet Archive. The archive is told the address
//! of a dead link, and never one that is not public.

use std::time::Duration;

use serde_json::Value;
use url::Url;

use super::client::{
    ACCEPT_PAGES, AddressOrigin, BodyLimit, FetchError, FetchRequest, HttpClient, parse_url,
};
use super::exa_pages;
use iki_base::parallel::map_in_parallel;

/// Variable that replaces the address of the archive.
pub(crate) const ARCHIVE_VARIABLE: &str = "IKIGAI_WAYBACK_URL";

/// Address of the archive.
const ARCHIVE: &str = "https://archive.org/wayback/available";

/// Maximum number of links that are checked at the same time.
const MAX_CONCURRENT_LINKS: usize = 8;

/// Maximum time for one link, and for the archive.
const LINK_TIMEOUT: Duration = Duration::from_secs(10);

/// Minimum time that is worth another request.
const MIN_REQUEST_TIME: Duration = Duration::from_millis(500);

/// Maximum length of a page that is read, in bytes: its status is enough.
const MAX_PAGE_BYTES: usize = 1024;

/// State of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkState {
    /// It leads to a page.
    Alive,
    /// Its server answers, but does not let this program read it: 401, 403, 429 and the like.
    Restricted,
    /// There is nothing: 404, 410, no such host, nobody listens.
    Dead,
    /// Its server fails or does not answer; it may later.
    Unreachable,
    /// It was not asked: there was no time, or it must not be.
    #[default]
    Unchecked,
}

impl LinkState {
    /// Its name in answers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Alive => "ok",
            Self::Restricted => "restricted",
            Self::Dead => "dead",
            Self::Unreachable => "unreachable",
            Self::Unchecked => "unchecked",
        }
    }
}

/// A link to check.
#[derive(Clone, Copy, Debug)]
pub struct LinkToCheck<'a> {
    /// Its address.
    pub address: &'a str,
    /// True if the caller has named the address.
    pub is_named: bool,
}

/// A link that was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckedLink {
    /// Its state.
    pub state: LinkState,
    /// The status of the answer, if there was one.
    pub status: Option<u16>,
    /// The archive's copy of a dead one.
    pub archived: Option<String>,
}

/// Checks links within the time of `client`, each of them once. One that the caller has not named
/// is asked at a private address only on a host that it has named with another.
#[must_use]
pub fn check_links(links: &[LinkToCheck<'_>], client: &HttpClient) -> Vec<CheckedLink> {
    let named = links.iter().filter(|link| link.is_named);
    let named: Vec<Url> = named
        .filter_map(|link| parse_url(link.address).ok())
        .collect();
    map_in_parallel(links, MAX_CONCURRENT_LINKS, |link| {
        let Ok(url) = parse_url(link.address) else {
            return CheckedLink::default();
        };
        let on_host = named.iter().find(|one| one.host() == url.host());
        let origin = on_host.map_or(AddressOrigin::Unknown, |one| {
            AddressOrigin::Page(one.clone())
        });
        check(&url, &client.clone().for_addresses_of(origin))
    })
}

fn check(url: &Url, client: &HttpClient) -> CheckedLink {
    let mut link = CheckedLink::default();
    if client.time_left() < MIN_REQUEST_TIME {
        return link;
    }
    let reply = client
        .for_at_most(LINK_TIMEOUT)
        .with_body_limit(BodyLimit::new(MAX_PAGE_BYTES))
        .get(&FetchRequest {
            url,
            accept: ACCEPT_PAGES,
            headers: &[],
        });
    (link.state, link.status) = match reply {
        Ok(reply) => (LinkState::Alive, Some(reply.status)),
        Err(FetchError::Status(reply)) => (state_of(reply.status), Some(reply.status)),
        Err(FetchError::Network(error)) if error.is_absent => (LinkState::Dead, None),
        Err(FetchError::Network(error))
            if !(error.is_local || error.is_refused || error.not_allowed.is_some()) =>
        {
            (LinkState::Unreachable, None)
        }
        Err(_) => (LinkState::Unchecked, None),
    };
    if link.state == LinkState::Dead
        && client.time_left() >= MIN_REQUEST_TIME
        && exa_pages::is_public(url)
        && !client.leads_to_private(url)
    {
        link.archived = archived(url, client);
    }
    link
}

fn state_of(status: u16) -> LinkState {
    match status {
        404 | 410 => LinkState::Dead,
        408 | 425 | 500.. => LinkState::Unreachable,
        _ => LinkState::Restricted,
    }
}

/// Returns the archive's copy of a page, if it has one.
fn archived(url: &Url, client: &HttpClient) -> Option<String> {
    let set = std::env::var(ARCHIVE_VARIABLE).ok();
    let set = set.as_deref().map(str::trim);
    let set = set.filter(|address| !address.is_empty());
    let mut archive = parse_url(set.unwrap_or(ARCHIVE)).ok()?;
    archive.query_pairs_mut().append_pair("url", url.as_str());
    let reply = client
        .for_services()
        .for_at_most(LINK_TIMEOUT)
        .get(&FetchRequest {
            url: &archive,
            accept: "application/json",
            headers: &[],
        });
    let reply: Value = serde_json::from_slice(&reply.ok()?.body).ok()?;
    let copy = &reply["archived_snapshots"]["closest"];
    let is_there = copy["available"].as_bool().unwrap_or(false);
    let address = copy["url"].as_str().filter(|_| is_there)?;
    let copy = Url::parse(address).ok()?;
    matches!(copy.scheme(), "http" | "https").then(|| copy.into())
}
