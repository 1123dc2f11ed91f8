//! Settings of every tool that uses the network: its timeout.

use std::time::Duration;

use crate::contract::call_terms::CallTerms;
use iki_web::client::{HttpClient, TOTAL_TIMEOUT};

/// Maximum time of a call in all.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(25);

/// Fraction of a call's time that is reserved for its answer, at most that of [`CALL_TIMEOUT`].
const ANSWER_SHARE: u32 = 10;

/// Creates a client whose time ends before that of the call.
pub fn client(terms: &CallTerms) -> HttpClient {
    on_terms(HttpClient::new(), terms)
}

/// Gives a client the time of a call.
pub fn on_terms(client: HttpClient, terms: &CallTerms) -> HttpClient {
    let left = terms.time_left(CALL_TIMEOUT);
    let reserve = (left / ANSWER_SHARE).min(CALL_TIMEOUT.saturating_sub(TOTAL_TIMEOUT));
    client.within(left.saturating_sub(reserve))
}
