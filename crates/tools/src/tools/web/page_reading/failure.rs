//! Failures of `scrape_page`: by kind, in a sentence with advice, and with the fields that programs
//! need to continue by themselves.
//!
//! Rules: the specification's errors of `scrape_page`. The time for which a failure is cached is
//! defined here too because it depends on its kind.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::page_request::ScrapeRequest;
use crate::contract::call_terms::CallTerms;
use crate::contract::failure::{ErrorCode, Failure, FailureAdvice};
use crate::tools::web::page_source::{UnreadablePage, UnreadableReason, media_type};
use crate::tools::web::placeholder::Placeholder;
use crate::tools::web::{fetch_note, intended_url, research_failure};
use iki_base::wording::count_noun;
use iki_web::allowed_hosts::NotAllowed;
use iki_web::bot_checks::{BotCheck, bot_check};
use iki_web::client::{FetchError, HttpResponse, NetworkError};
use iki_web::status_advice::retry_delay;

/// Wait after a failure of a server that gives no time, in seconds.
const SERVER_WAIT_SECONDS: u64 = 60;

/// Failure of a call, and whether it may be cached.
pub struct PageError {
    /// The failure in the answer.
    pub failure: Failure,
    /// True if the failure concerns the page, and neither this machine nor the request.
    pub is_cacheable: bool,
}

impl PageError {
    /// Creates a failure of this code: what happened, and what to do.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            failure: research_failure::with_advice(code, message),
            is_cacheable: true,
        }
    }

    fn note(mut self, note: impl Into<String>) -> Self {
        self.failure.note = note.into();
        self
    }

    /// Marks the failure as not specific to the page, so that it is not cached.
    pub fn uncacheable(mut self) -> Self {
        self.is_cacheable = false;
        self
    }

    fn advise(mut self, change: impl FnOnce(&mut FailureAdvice)) -> Self {
        if let Some(advice) = &mut self.failure.advice {
            change(advice);
        }
        self
    }

    /// Adds details beyond the message.
    pub fn detail(self, detail: impl Into<String>) -> Self {
        self.advise(|advice| advice.detail = Some(detail.into()))
    }
}

impl From<Failure> for PageError {
    fn from(failure: Failure) -> Self {
        Self {
            failure,
            is_cacheable: false,
        }
    }
}

/// Converts an error of the fetch of a requested page.
pub fn of_fetch(error: FetchError, request: &ScrapeRequest) -> PageError {
    match error {
        FetchError::InvalidUrl(why) => of_no_url(&why, request.url.as_str(), &request.terms).into(),
        FetchError::Network(error) => of_network(&error, request),
        FetchError::Status(reply) => of_status(&reply, request),
    }
}

/// Creates the failure of an address that is none.
pub fn of_no_url(why: &str, address: &str, terms: &CallTerms) -> Failure {
    let message = format!("Invalid URL: {why}. Send an http or https address.");
    let note = intended_url::of_no_url(super::READER, address, terms);
    Failure::new(ErrorCode::InvalidUrl, message).with_note(note)
}

fn of_network(error: &NetworkError, request: &ScrapeRequest) -> PageError {
    if let Some(why) = &error.not_allowed {
        return of_not_allowed(why);
    }
    let note = fetch_note::of_network(error, &request.url, &request.terms);
    let what_to_do = if error.is_refused {
        "Use another address."
    } else {
        "Try again in 5 seconds."
    };
    let message = format!("{} {what_to_do}", failed_to_fetch(error));
    let mut failed = PageError::new(ErrorCode::NetworkError, message).note(note);
    if error.is_refused {
        // The same request would be refused again.
        failed = failed.advise(|advice| *advice = research_failure::advice(ErrorCode::InvalidUrl));
    }
    failed.is_cacheable = !(error.is_local || error.is_refused);
    failed
}

/// Returns the error as a sentence.
fn failed_to_fetch(error: &NetworkError) -> String {
    let mut text = format!("Failed to fetch URL: {error}");
    if !text.ends_with(['.', '?', '!']) {
        text.push('.');
    }
    text
}

/// Creates the failure of a URL that the user's list of hosts does not allow.
pub fn of_not_allowed(why: &NotAllowed) -> PageError {
    let code = match why {
        NotAllowed::Host(_) => ErrorCode::Blocked,
        NotAllowed::Unusable => ErrorCode::Config,
    };
    let message = format!("{why}. {}", why.advice());
    PageError::new(code, message).uncacheable()
}

/// Creates the failure of a status of 400 or more.
fn of_status(reply: &HttpResponse, request: &ScrapeRequest) -> PageError {
    let target = &request.url;
    let status = reply.status_text();
    // Some statuses determine the kind of failure, whatever their page says.
    let is_telling = matches!(reply.status, 401 | 404 | 407 | 410 | 429);
    let check = bot_check(reply).filter(|check| check.is_certain || !is_telling);
    let error = match check {
        Some(check) => of_bot_check(check, &status),
        None => of_plain_status(reply, &status),
    };
    let first = match (error.failure.code, reply.status) {
        (ErrorCode::NotFound, 404) => intended_url::without_punctuation(target),
        (ErrorCode::NotFound | ErrorCode::AuthRequired | ErrorCode::HttpError, _) => {
            Some(fetch_note::of_answer(reply, target, &request.terms).join(" "))
        }
        _ => None,
    };
    let elsewhere = fetch_note::elsewhere(&reply.url, target);
    let notes = [first, elsewhere, fetch_note::quoted(reply, target)].into_iter();
    let notes: Vec<String> = notes.flatten().filter(|note| !note.is_empty()).collect();
    error.note(notes.join(" ")).detail(status)
}

/// Creates the failure of a status that is not a bot check.
fn of_plain_status(reply: &HttpResponse, status: &str) -> PageError {
    let wait = retry_delay(reply).map_or(SERVER_WAIT_SECONDS, |wait| wait.as_secs());
    let host = reply.url.host_str().unwrap_or_default();
    let (code, message) = match reply.status {
        401 => (
            ErrorCode::AuthRequired,
            format!(
                "The page requires a login ({status}): ask the user for access, or use another \
                 source."
            ),
        ),
        403 | 451 => (
            ErrorCode::Blocked,
            format!(
                "The server blocks automated access to this page ({status}): fetching it again \
                 will not help. Use the site's API or feed, or another source."
            ),
        ),
        404 => (
            ErrorCode::NotFound,
            format!(
                "There is no page at this address ({status}): check the address, or search for \
                 the page."
            ),
        ),
        410 => (
            ErrorCode::NotFound,
            format!(
                "The page is gone for good ({status}): search for another source, or for a copy \
                 in an archive."
            ),
        ),
        407 => (
            ErrorCode::Config,
            format!(
                "The proxy that the environment names requires a login ({status}): put the user \
                 name and password into that variable's URL."
            ),
        ),
        429 => (
            ErrorCode::RateLimit,
            format!(
                "Too many requests were sent to {host} ({status}): try again in {}.",
                count_noun(wait, "second")
            ),
        ),
        408 | 425 | 500.. => (
            ErrorCode::UpstreamUnavailable,
            format!(
                "The server failed ({status}): try again in {}, or use another source.",
                count_noun(wait, "second")
            ),
        ),
        _ => (
            ErrorCode::HttpError,
            format!("The server refuses this request ({status}): check the address."),
        ),
    };
    let error = PageError::new(code, message);
    match code {
        ErrorCode::RateLimit | ErrorCode::UpstreamUnavailable => {
            error.advise(|advice| advice.retry_after = Some(wait))
        }
        _ => error,
    }
}

/// Creates the failure of a page behind a bot check.
pub fn of_bot_check(check: BotCheck, status: &str) -> PageError {
    let name = check
        .vendor
        .map(|name| format!(" ({name})"))
        .unwrap_or_default();
    let message = format!(
        "The page is behind a bot check{name} ({status}): fetching it again will not help, \
         whatever headers are sent. Use the site's API or feed, or another source."
    );
    PageError::new(ErrorCode::Blocked, message).detail(status)
}

/// Creates the failure of a page in whose place something else came.
pub fn of_placeholder(placeholder: Placeholder, status: &str) -> PageError {
    let code = match placeholder {
        Placeholder::Login => ErrorCode::AuthRequired,
        _ => ErrorCode::Blocked,
    };
    let message = format!("{} Mode raw gives what came.", placeholder.advice());
    PageError::new(code, message).detail(status)
}

/// Creates the failure of an empty answer.
pub fn of_nothing(what: &str, status: &str) -> PageError {
    let message = format!(
        "There is nothing to read at this address: {what} ({status}). Use another address or \
         source."
    );
    PageError::new(ErrorCode::ContentEmpty, message).detail(status)
}

/// Creates the failure of a reply that has no conversion; its note says how to download it.
pub fn of_unreadable(unreadable: &UnreadablePage, request: &ScrapeRequest) -> PageError {
    let UnreadablePage { reply, reason } = unreadable;
    let (kind, message) = match reason {
        UnreadableReason::Parser => {
            let message = format!("Failed to parse HTML: {reason}. Mode raw gives its bytes.");
            return PageError::new(ErrorCode::ParseError, message);
        }
        UnreadableReason::NotText(kind, None) => (
            kind.clone(),
            format!(
                "Failed to parse content: {kind} is not text that can be shown. Download it to \
                 look at it with another program."
            ),
        ),
        reason => {
            let declared = reply.content_type().map(media_type);
            (declared.unwrap_or_default(), reason.to_string())
        }
    };
    let failed = if reason.is_of_nothing() {
        PageError::new(ErrorCode::ContentEmpty, message)
    } else {
        let note = fetch_note::of_file(&kind, reply, &request.url, &request.terms);
        PageError::new(ErrorCode::ParseError, message).note(note)
    };
    PageError {
        is_cacheable: !reason.is_transient(),
        ..failed.detail(kind)
    }
}

/// Returns the time for which a failure of this code is cached; `None` if it is not.
pub fn good_for(code: ErrorCode) -> Option<Duration> {
    let minutes = |minutes: u64| Some(Duration::from_secs(60 * minutes));
    match code {
        ErrorCode::Blocked => minutes(30),
        ErrorCode::ContentEmpty | ErrorCode::ParseError | ErrorCode::NotFound => minutes(10),
        ErrorCode::AuthRequired | ErrorCode::NetworkError => minutes(2),
        ErrorCode::RateLimit => Some(Duration::from_secs(90)),
        _ => None,
    }
}

/// Adds to a failure that is cached for this long a note on that, if it suggests an earlier retry.
pub fn note_caching(failure: Failure, good_for: Duration) -> Failure {
    let advice = failure.advice.as_ref();
    let after = advice.and_then(|advice| advice.retry_after);
    let seconds = good_for.as_secs();
    if after.is_none_or(|after| after >= seconds) {
        return failure;
    }
    let note = format!(
        "The same call is answered with this for {}; `--no-cache` or IKIGAI_NO_CACHE=1 asks the \
         server again sooner.",
        count_noun(seconds, "second")
    );
    failure.and_note(&note)
}

/// A failure, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CachedFailure {
    code: String,
    message: String,
    note: String,
    advice: FailureAdvice,
}

impl CachedFailure {
    /// Creates the stored form of a failure.
    pub fn from_failure(failure: &Failure) -> Self {
        Self {
            code: failure.code.as_str().to_owned(),
            message: failure.message.clone(),
            note: failure.note.clone(),
            advice: failure.advice.as_deref().cloned().unwrap_or_default(),
        }
    }

    /// Returns the failure as it is answered at this age; `None` if it has expired. Until then
    /// nothing is fetched again, so an earlier retry would be useless.
    pub fn after(self, age: Duration) -> Option<Failure> {
        let code = ErrorCode::from_name(&self.code)?;
        let left = good_for(code)?.checked_sub(age)?;
        let left = left.as_secs() + u64::from(left.subsec_nanos() > 0);
        let since = age.as_secs();
        let wait = |told: u64| told.saturating_sub(since).max(left);
        let note = format!(
            "That was found out {} ago and is kept for {} more: the server was not asked again.",
            count_noun(since, "second"),
            count_noun(left, "second")
        );
        let advice = FailureAdvice {
            retry_after: self.advice.retry_after.map(wait),
            ..self.advice
        };
        let failure = Failure::new(code, self.message).with_note(self.note);
        Some(failure.and_note(&note).with_advice(advice))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_kept_for_as_long_as_its_kind_is() {
        for (code, expected) in [
            (ErrorCode::Blocked, Some(1800)),
            (ErrorCode::ContentEmpty, Some(600)),
            (ErrorCode::NotFound, Some(600)),
            (ErrorCode::AuthRequired, Some(120)),
            (ErrorCode::NetworkError, Some(120)),
            (ErrorCode::RateLimit, Some(90)),
            (ErrorCode::InvalidUrl, None),
            (ErrorCode::InvalidArg, None),
            (ErrorCode::Config, None),
            (ErrorCode::BrowserUnavailable, None),
            (ErrorCode::UpstreamUnavailable, None),
            (ErrorCode::ToolFailed, None),
        ] {
            let failure = PageError::new(code, "x").failure;
            let cached_failure = CachedFailure::from_failure(&failure);
            let just_now = cached_failure.clone().after(Duration::ZERO);
            assert_eq!(just_now.is_some(), expected.is_some(), "{code:?}");
            let Some(seconds) = expected else { continue };
            let failure = cached_failure
                .clone()
                .after(Duration::from_secs(seconds - 1))
                .unwrap();
            assert_eq!((failure.code, failure.message.as_str()), (code, "x"));
            assert!(
                cached_failure
                    .after(Duration::from_secs(seconds + 1))
                    .is_none()
            );
        }
    }

    #[test]
    fn a_kept_failure_says_when_it_is_worth_another_try() {
        let refusal =
            PageError::new(ErrorCode::RateLimit, "x").advise(|one| one.retry_after = Some(300));
        let cached_failure = CachedFailure::from_failure(&refusal.failure);
        let wait = |age| {
            let failure = cached_failure
                .clone()
                .after(Duration::from_secs(age))
                .unwrap();
            failure.advice.unwrap().retry_after
        };
        assert_eq!((wait(0), wait(80)), (Some(300), Some(220)));
        let cached_failure =
            CachedFailure::from_failure(&PageError::new(ErrorCode::NetworkError, "x").failure);
        let failure = cached_failure.after(Duration::from_secs(20)).unwrap();
        assert_eq!(failure.advice.unwrap().retry_after, Some(100));
        assert!(failure.note.contains("20 seconds ago") && failure.note.contains("100 seconds"));
    }
}
