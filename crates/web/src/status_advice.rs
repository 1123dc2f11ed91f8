//! A server's answers with a status of 400 or more: when to retry, which login is required.
//!
//! Sources: RFC 9110 (`Retry-After`, `WWW-Authenticate`), RFC 6585 (429), RFC 7725 (451).

use std::time::{Duration, SystemTime};

use super::bot_checks::{advice_on_bot_check, vendor_of};
use super::client::HttpResponse;
use super::date;

/// Returns the sentences on a status of 400 or more. `login` is true if one was sent, `commands` if
/// the reader can run some.
#[must_use]
pub fn sentences(reply: &HttpResponse, login: bool, commands: bool) -> Vec<String> {
    let first = match (vendor_of(reply), retry_delay(reply)) {
        (vendor @ Some(_), _) => Some(advice_on_bot_check(vendor)),
        (None, None) => advice(reply).map(str::to_owned),
        _ => None,
    };
    let wait = retry_delay(reply).map(|wait| match wait.as_secs() {
        0 => "The server says that you may try again now.".to_owned(),
        1 => "The server says to try again in 1 second.".to_owned(),
        seconds => format!("The server says to try again in {seconds} seconds."),
    });
    let all = [first, wait, login_wanted(reply, login, commands)];
    all.into_iter().flatten().collect()
}

/// Returns the next step for a status, if the server gives no time.
fn advice(reply: &HttpResponse) -> Option<&'static str> {
    Some(match reply.status {
        // Words of nginx, and of Go's server.
        400 if [
            "plain HTTP request was sent to HTTPS port",
            "HTTP request to an HTTPS server",
        ]
        .iter()
        .any(|words| String::from_utf8_lossy(&reply.body).contains(words)) =>
        {
            "The server speaks TLS: send the same URL with https:// in place of http://."
        }
        405 => "The server does not accept GET here, and this tool sends nothing else.",
        408 | 500 | 502..=504 | 520..=527 => "The server failed; try again in a minute.",
        410 => "It is gone for good; web.archive.org may have a copy.",
        429 => "Too many requests were sent to it: wait a minute before the next one.",
        451 => "It is withheld for legal reasons; trying again will not help.",
        _ => return None,
    })
}

/// Returns the time that the server asks to wait: `Retry-After`, or the reset of a used-up limit as
/// many APIs have it.
#[must_use]
pub fn retry_delay(reply: &HttpResponse) -> Option<Duration> {
    let now = || {
        let server_time = reply.header("date").and_then(date::parse);
        server_time.unwrap_or_else(SystemTime::now)
    };
    let until = |time: SystemTime| time.duration_since(now()).unwrap_or_default();
    if let Some(value) = reply.header("retry-after") {
        let seconds = value.trim().parse().map(Duration::from_secs).ok();
        return seconds.or_else(|| date::parse(value).map(until));
    }
    let limited = |prefix: &&str| reply.header(&format!("{prefix}remaining")) == Some("0");
    let prefix = ["x-ratelimit-", "ratelimit-", "x-rate-limit-"]
        .into_iter()
        .find(|prefix| matches!(reply.status, 403 | 429) && limited(prefix))?;
    let reset: u64 = reply
        .header(&format!("{prefix}reset"))?
        .trim()
        .parse()
        .ok()?;
    // Seconds from now, or since 1970.
    Some(match Duration::from_secs(reset) {
        wait if reset < 1_000_000_000 => wait,
        since => until(SystemTime::UNIX_EPOCH.checked_add(since)?),
    })
}

/// Returns the sentence on the required login, and how to send it.
fn login_wanted(reply: &HttpResponse, sent: bool, commands: bool) -> Option<String> {
    let header = match reply.status {
        401 => "www-authenticate",
        407 => "proxy-authenticate",
        _ => return None,
    };
    let schemes = reply.headers(header).filter_map(|challenge| {
        let scheme = challenge.split_whitespace().next()?;
        let token = |c: char| c.is_ascii_alphanumeric() || c == '-';
        (scheme.len() <= 30 && scheme.chars().all(token)).then_some(scheme)
    });
    let schemes: Vec<&str> = schemes.take(5).collect();
    let named = match schemes.as_slice() {
        [] => String::new(),
        some => format!(" ({})", some.join(", ")),
    };
    if reply.status == 407 {
        return Some(format!(
            "The proxy that the environment names requires a login{named}: put the user name and \
             password into that variable's URL."
        ));
    }
    let how = if sent {
        "the one in the URL was not accepted."
    } else if schemes
        .iter()
        .any(|scheme| scheme.eq_ignore_ascii_case("basic"))
    {
        "if you were given one, send it in the URL, as in https://USER:PASSWORD@HOST/."
    } else if commands {
        "this tool sends no tokens; if you were given one, use curl with -H in a shell."
    } else {
        "this tool sends no tokens."
    };
    Some(format!("The server requires a login{named}: {how}"))
}
