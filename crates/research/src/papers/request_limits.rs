//! The number of requests that a provider lets one make, as its answers say.
//!
//! Facts: Crossref, "Access and authentication": `X-Rate-Limit-Limit` requests in
//! `X-Rate-Limit-Interval`, of which `X-Concurrency-Limit` run at once.

use std::time::Duration;

use iki_web::client::HttpResponse;

/// Requests that a provider lets one make; `None` if it does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestLimits {
    /// Minimum time between the beginnings of two requests.
    pub interval: Option<Duration>,
    /// Number of requests at once.
    pub at_once: Option<usize>,
}

impl RequestLimits {
    /// Reads the headers of an answer.
    #[must_use]
    pub fn from_reply(reply: &HttpResponse) -> Self {
        let number = |name: &str| {
            let text = reply.header(name)?.trim();
            text.trim_end_matches('s')
                .parse::<u32>()
                .ok()
                .filter(|number| *number > 0)
        };
        let interval = number("x-rate-limit-limit").map(|limit| {
            let seconds = number("x-rate-limit-interval").unwrap_or(1).min(60);
            Duration::from_secs(seconds.into()) / limit
        });
        let at_once = number("x-concurrency-limit");
        Self {
            interval,
            at_once: at_once.and_then(|number| usize::try_from(number).ok()),
        }
    }
}
