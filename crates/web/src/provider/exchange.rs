//! One request to a provider and its answer: sent, retried once if the provider asks for that, and
//! with every key removed from the reply.

use std::borrow::Cow;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use url::Url;

use super::failure::{
    DEFAULT_WAIT_SECONDS, ProviderFailure, ProviderFailureKind, QUOTA_WAIT_SECONDS,
};
use super::reply::on_one_short_line;
use super::{Provider, ProviderRefusal, ProviderRequest, UnreadableReply};
use serde::de::IgnoredAny;

use crate::client::{FetchError, FetchRequest, HttpClient, HttpResponse, PostRequest};
use crate::credentials::{MIN_SECRET_BYTES, SecretText};
use crate::status_advice::retry_delay;
use iki_base::unseen::{self, UnseenCount};

/// Minimum wait before a retry.
const MIN_RETRY_WAIT: Duration = Duration::from_millis(250);
/// Time that must be left for a retry after its wait.
const MIN_RETRY_TIME: Duration = Duration::from_secs(3);

/// Longest wait that a provider can mean.
const MAX_STATED_WAIT: Duration = Duration::from_secs(31 * 24 * 60 * 60);

/// Maximum wait before a retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryBudget(pub Duration);

impl RetryBudget {
    /// No limit but the time of the call.
    pub const UNLIMITED: Self = Self(Duration::MAX);
    /// The wait that is worthwhile while other providers can be asked.
    pub const WHILE_OTHERS_REMAIN: Self = Self(Duration::from_millis(1500));
}

/// An item of a provider's list, such as a result or a paper.
pub trait ProviderItem {
    /// Its texts and addresses, from which keys and invisible characters are removed.
    fn texts(&mut self) -> Vec<&mut String> {
        Vec::new()
    }

    /// Takes what the answer says besides its items.
    fn learn_from(&mut self, _reply: &HttpResponse) {}

    /// Counts invisible characters that were removed.
    fn count_unseen(&mut self, _removed: UnseenCount) {}
}

/// Sends `request` and returns the items that `read` finds in the answer, as the provider gives
/// them.
pub fn ask<T: ProviderItem>(
    client: &HttpClient,
    provider: &Provider,
    request: &ProviderRequest,
    retry_budget: RetryBudget,
    read: fn(&HttpResponse) -> Result<Vec<T>, UnreadableReply>,
) -> Result<Vec<T>, ProviderFailure> {
    let keys = secrets(request);
    let mut items = Vec::new();
    let mut take = |reply: &HttpResponse| {
        items = read(reply)?;
        for item in &mut items {
            item.learn_from(reply);
        }
        Ok(items.is_empty())
    };
    exchange(client, provider, &keys, request, retry_budget, &mut take)?;
    for item in &mut items {
        let mut removed = UnseenCount::default();
        for text in item.texts() {
            clean_up(text, &keys, &mut removed);
        }
        item.count_unseen(removed);
    }
    Ok(items)
}

/// Sends `request` until there is an answer; `take` reads one and returns true if it has no items.
fn exchange(
    client: &HttpClient,
    provider: &Provider,
    keys: &[SecretText],
    request: &ProviderRequest,
    retry_budget: RetryBudget,
    take: &mut dyn FnMut(&HttpResponse) -> Result<bool, UnreadableReply>,
) -> Result<(), ProviderFailure> {
    let clean = |text: &str| {
        keys.iter()
            .fold(text.to_owned(), |text, key| key.hide_in(&text))
    };
    let mut waited = false;
    loop {
        let (refusal, told) = match send(client, provider, request) {
            Ok(reply) => match take(&reply) {
                Ok(false) => return Ok(()),
                Err(UnreadableReply::Refused(refusal)) => (refusal, retry_delay(&reply)),
                Err(UnreadableReply::Failed(kind, why)) => {
                    let text = format!(
                        "{} search failed: {}",
                        provider.title,
                        on_one_short_line(&why)
                    );
                    return Err(ProviderFailure::new(provider, kind, text).map(clean));
                }
                without_items => {
                    let reply = without(keys, reply);
                    let failure = match super::reply::complaint(&reply) {
                        None if without_items.is_err() => not_understood(provider, &reply),
                        Some(why) if !why.is_empty() => {
                            let text = format!("{} search failed: {why}", provider.title);
                            ProviderFailure::new(provider, ProviderFailureKind::Upstream, text)
                        }
                        _ => return Ok(()),
                    };
                    return Err(failure.map(clean));
                }
            },
            Err(FetchError::Status(reply)) => {
                let told = retry_delay(&reply);
                if request.absent_is_nothing && matches!(reply.status, 404 | 410) {
                    return Ok(());
                }
                let refusal = (provider.refusal)(provider.title, &without(keys, *reply));
                if refusal.means_nothing_found {
                    return Ok(());
                }
                (refusal, told)
            }
            Err(error) => return Err(unreached(provider, &error).map(clean)),
        };
        let Some(wait) = refusal.again else {
            return Err(failure(provider, refusal, told).map(clean));
        };
        let wait = wait.max(MIN_RETRY_WAIT);
        let seconds = wait
            .as_secs()
            .saturating_add(u64::from(wait.subsec_nanos() > 0));
        let kind = ProviderFailureKind::too_fast(seconds);
        let text = if waited {
            format!(
                "{}, and waiting once was not enough. Wait a few seconds and search again.",
                refusal.text
            )
        } else if wait > retry_budget.0 || wait.saturating_add(MIN_RETRY_TIME) > client.time_left()
        {
            format!("{}. Search again in {seconds} seconds.", refusal.text)
        } else {
            waited = true;
            thread::sleep(wait);
            continue;
        };
        let failure = ProviderFailure::new(provider, kind, text);
        return Err(failure
            .advising("Another provider may answer now.")
            .map(clean));
    }
}

/// Returns all that no text may show: the credentials, their encoded forms, and their parts, such
/// as the password of a login.
fn secrets(request: &ProviderRequest) -> Vec<SecretText> {
    let headers = request.headers.iter().map(|(_, value)| value);
    let sent = headers.filter(|value| value.expose().len() >= MIN_SECRET_BYTES);
    let whole: Vec<&SecretText> = request.keys.iter().chain(sent).collect();
    let parts = whole.iter().flat_map(|key| {
        let parts = key.expose().split([':', ' ']);
        parts.filter(|part| part.len() >= MIN_SECRET_BYTES && *part != key.expose())
    });
    let parts: Vec<SecretText> = parts.map(SecretText::new).collect();
    whole.into_iter().cloned().chain(parts).collect()
}

fn send(
    client: &HttpClient,
    provider: &Provider,
    request: &ProviderRequest,
) -> Result<HttpResponse, FetchError> {
    let headers: Vec<(&str, &str)> = request
        .headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.expose()))
        .collect();
    let to = FetchRequest {
        url: &request.url,
        accept: provider.accept,
        headers: &headers,
    };
    let Some(body) = &request.body else {
        return client.for_services().get(&to);
    };
    let (content_type, bytes) = match body {
        Value::String(form) => ("application/x-www-form-urlencoded", form.clone()),
        json => ("application/json", json.to_string()),
    };
    client.post(&PostRequest {
        to,
        content_type,
        body: bytes.as_bytes(),
    })
}

/// Hides the keys in a failed reply, before anything is extracted from it or cut off.
fn without(keys: &[SecretText], mut reply: HttpResponse) -> HttpResponse {
    for key in keys {
        reply.reason = key.hide_in(&reply.reason);
        let body = String::from_utf8_lossy(&reply.body);
        reply.body = key.hide_in(&body).into_bytes();
    }
    reply
}

/// Hides the secrets in a text and removes invisible characters, which an address has encoded. A
/// shorter credential, such as the name of a search engine, is not hidden because it may well be a
/// word.
fn clean_up(text: &mut String, keys: &[SecretText], removed: &mut UnseenCount) {
    for key in keys {
        if key.expose().len() >= MIN_SECRET_BYTES {
            *text = key.hide_in(text);
        }
    }
    if !text.contains(unseen::is_unseen) {
        return;
    }
    if text.starts_with("http")
        && let Ok(url) = Url::parse(text)
    {
        *text = url.into();
        return;
    }
    let (seen, taken) = unseen::remove(text);
    *removed = removed.and(taken);
    if let Cow::Owned(seen) = seen {
        *text = seen;
    }
}

fn unreached(provider: &Provider, error: &FetchError) -> ProviderFailure {
    let is_local = matches!(error, FetchError::Network(error) if error.is_local);
    let text = format!("{} search failed: {error}", provider.title);
    ProviderFailure::new(provider, ProviderFailureKind::Network { is_local }, text)
}

fn not_understood(provider: &Provider, reply: &HttpResponse) -> ProviderFailure {
    if reply.is_truncated {
        let text = format!(
            "{} answered HTTP {} with more than is read of an answer, {} bytes.",
            provider.title,
            reply.status,
            reply.body.len()
        );
        return ProviderFailure::new(provider, ProviderFailureKind::NotUnderstood, text)
            .advising("Ask for fewer results, or choose another provider.");
    }
    if let Some(lack) = lack(&reply.body) {
        let text = format!(
            "{} answered HTTP {} with {lack}.",
            provider.title, reply.status
        );
        return ProviderFailure::new(provider, ProviderFailureKind::Upstream, text);
    }
    let kind = reply.content_type().unwrap_or("no content type");
    let wanted = match super::reply::object(reply) {
        Ok(_) => "a list of results",
        Err(_) if provider.accept.contains("json") => "a JSON object",
        Err(_) => "a page of results",
    };
    ProviderFailure::new(
        provider,
        ProviderFailureKind::NotUnderstood,
        format!(
            "{} answered HTTP {} without {wanted} ({}): a proxy or a login page may have \
             intercepted the request.",
            provider.title,
            reply.status,
            on_one_short_line(kind)
        ),
    )
}

/// Returns what a body is that has not come whole; another request may bring all of it.
fn lack(body: &[u8]) -> Option<&'static str> {
    let body = body.trim_ascii();
    if body.is_empty() {
        return Some("an empty body");
    }
    if body.starts_with(b"{") {
        let json = serde_json::from_slice::<IgnoredAny>(body);
        let is_cut = json.is_err_and(|error| error.is_eof());
        return is_cut.then_some("JSON that breaks off");
    }
    is_cut_xml(&String::from_utf8_lossy(body)).then_some("XML that breaks off")
}

/// True for XML other than a page whose root is not closed.
fn is_cut_xml(text: &str) -> bool {
    let mut root = text;
    // What stands before the root: the declaration, and the address of a style sheet.
    while let Some((_, remainder)) = root.strip_prefix("<?").and_then(|one| one.split_once("?>")) {
        root = remainder.trim_start();
    }
    let tag = root.strip_prefix('<').unwrap_or_default();
    let tag = tag.split('>').next().unwrap_or_default();
    let name = tag
        .split([' ', '\n', '\t', '\r'])
        .next()
        .unwrap_or_default();
    let is_xml = text.starts_with("<?xml") || tag.contains("xmlns");
    let is_page = name.is_empty() || name.starts_with('!') || name.eq_ignore_ascii_case("html");
    is_xml && !is_page && !root.ends_with(&format!("</{name}>")) && !root.ends_with("/>")
}

/// Turns a refusal into a failure, with the waiting time that the answer gives.
fn failure(
    provider: &Provider,
    refusal: ProviderRefusal,
    told: Option<Duration>,
) -> ProviderFailure {
    let told = told.filter(|wait| *wait <= MAX_STATED_WAIT);
    let kind = match refusal.kind {
        ProviderFailureKind::RateLimited {
            seconds: 0,
            is_quota,
        } => {
            let usual = if is_quota {
                QUOTA_WAIT_SECONDS
            } else {
                DEFAULT_WAIT_SECONDS
            };
            ProviderFailureKind::RateLimited {
                seconds: told.map_or(usual, |wait| wait.as_secs().max(1)),
                is_quota,
            }
        }
        kind => kind,
    };
    ProviderFailure::new(provider, kind, refusal.text).again_in(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_has_not_come_whole_is_told_from_another_one() {
        for (body, expected) in [
            ("", Some("an empty body")),
            (" \n", Some("an empty body")),
            (
                "{\"message\":{\"items\":[{\"DOI\":\"10.1/",
                Some("JSON that breaks off"),
            ),
            ("{\"items\":[]", Some("JSON that breaks off")),
            ("{\"items\":none}", None),
            ("{}", None),
            ("<html>", None),
            ("<!doctype html><p>Log in", None),
            (
                "<?xml version='1.0'?>\n<feed xmlns='x'><entry><id>1</id>",
                Some("XML that breaks off"),
            ),
            ("<feed><entry></entry></feed>\n", None),
            ("<feed/>", None),
            (
                "<?xml version='1.0'?><?style x?>\n<a:b xmlns:a='x'></a:b>",
                None,
            ),
            ("<p>", None),
            ("Too many", None),
            ("null", None),
        ] {
            assert_eq!(lack(body.as_bytes()), expected, "{body}");
        }
    }
}
