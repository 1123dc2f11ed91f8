//! Settings of every tool that asks the network: its longest time, and the variables of
//! the environment that it heeds, as manual pages list them.

use std::time::Duration;

use crate::contract::terms::Terms;
use crate::web::allowed;
use crate::web::client::{Client, TOTAL};

/// Longest time of a call in all.
pub const CALL: Duration = Duration::from_secs(25);

/// What a call keeps of its time for its answer: so large a part, and no more than it keeps of
/// [`CALL`].
const FOR_THE_ANSWER: u32 = 10;

/// A client whose time ends before that of the call.
pub fn client(terms: &Terms) -> Client {
    let left = terms.left(CALL);
    let kept = (left / FOR_THE_ANSWER).min(CALL.saturating_sub(TOTAL));
    Client::new().within(left.saturating_sub(kept))
}

/// Through which proxy a request goes.
pub const PROXIES: (&str, &str) = (
    "http_proxy, https_proxy, all_proxy",
    "the proxy to ask through, by the scheme of the address; the names in capitals as well",
);

/// To whom a request goes without a proxy.
pub const NO_PROXY: (&str, &str) = (
    "no_proxy",
    "the hosts to be asked without a proxy, separated by commas",
);

/// Whose certificates are trusted.
pub const CERTIFICATES: (&str, &str) = (
    "SSL_CERT_FILE, SSL_CERT_DIR",
    "the certificates to trust, in place of the system's",
);

/// Which pages are fetched at all.
pub const ALLOWED_DOMAINS: (&str, &str) = (
    allowed::VARIABLE,
    "the only hosts to fetch pages from, with all below them, redirects included; separated by \
     commas",
);

/// All of them, for a tool that fetches pages.
pub const ENVIRONMENT: &[(&str, &str)] = &[PROXIES, NO_PROXY, CERTIFICATES, ALLOWED_DOMAINS];
