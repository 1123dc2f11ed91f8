//! What a server says of its refusal, beyond the status: whether a bot check or a login stands
//! before the page, when to try again, what it takes instead.
//!
//! Sources: RFC 9110 (`Retry-After`, `WWW-Authenticate`, `Allow`), RFC 6585 (429), RFC 7725 (451),
//! the providers' own documentation for what their bot checks look like.

use std::time::{Duration, SystemTime};

use url::Url;

use super::client::Response;
use super::date;

/// What stands before pages to keep programs out, and how it is known.
struct BotCheck {
    name: &'static str,
    /// A header's name, and what its value holds in lower case, wherever it is found.
    headers: &'static [(&'static str, &'static str)],
    /// A header that stands on every page behind it, and so says something of a 403 alone.
    on_403: &'static [(&'static str, &'static str)],
    /// What the page of a check has in it, in lower case.
    page: &'static [&'static str],
}

const BOT_CHECKS: &[BotCheck] = &[
    BotCheck {
        name: "Cloudflare",
        headers: &[("cf-mitigated", "")],
        on_403: &[],
        page: &[
            "<title>just a moment...</title>",
            "_cf_chl_opt",
            "cf-chl-",
            "attention required! | cloudflare",
            "error code: 1010",
            "error code: 1020",
        ],
    },
    BotCheck {
        name: "DataDome",
        headers: &[],
        on_403: &[
            ("x-datadome", ""),
            ("x-dd-b", ""),
            ("server", "datadome"),
            ("set-cookie", "datadome="),
        ],
        page: &["captcha-delivery.com"],
    },
    BotCheck {
        name: "PerimeterX",
        headers: &[],
        on_403: &[("set-cookie", "_px"), ("x-px-blocked", "")],
        page: &["px-captcha", "_pxappid", "perimeterx"],
    },
    BotCheck {
        name: "Akamai",
        headers: &[],
        on_403: &[("server", "akamaighost"), ("set-cookie", "_abck=")],
        page: &["sec-if-cpt-container", "bm-verify="],
    },
    BotCheck {
        name: "Incapsula",
        headers: &[],
        on_403: &[
            ("x-iinfo", ""),
            ("x-cdn", "incapsula"),
            ("x-cdn", "imperva"),
        ],
        page: &["_incapsula_resource", "incapsula incident id"],
    },
    BotCheck {
        name: "AWS WAF",
        headers: &[("x-amzn-waf-action", "")],
        on_403: &[],
        page: &["awswafintegration", "token.awswaf.com", "aws-waf-token"],
    },
    BotCheck {
        name: "Kasada",
        headers: &[("x-kpsdk-ct", "")],
        on_403: &[],
        page: &["window.kpsdk", "kpsdk."],
    },
    BotCheck {
        name: "Sucuri",
        headers: &[("x-sucuri-block", "")],
        on_403: &[("server", "sucuri")],
        page: &["sucuri website firewall"],
    },
    BotCheck {
        name: "Vercel",
        headers: &[("x-vercel-mitigated", "")],
        on_403: &[],
        page: &["vercel security checkpoint"],
    },
    BotCheck {
        name: "DDoS-Guard",
        headers: &[],
        on_403: &[("server", "ddos-guard")],
        page: &["/.well-known/ddos-guard/"],
    },
    BotCheck {
        name: "Anubis",
        headers: &[],
        on_403: &[],
        page: &["anubis_challenge", "/.within.website/x/cmd/anubis"],
    },
    BotCheck {
        name: "Google",
        headers: &[],
        on_403: &[],
        page: &["unusual traffic from your computer network"],
    },
    BotCheck {
        name: "a CAPTCHA",
        headers: &[],
        on_403: &[],
        page: &["g-recaptcha", "h-captcha", "cf-turnstile", "captcha"],
    },
];

/// On the pages by which Akamai refuses somebody, and on those of other failures.
const AKAMAI_REFERENCE: &str = "errors.edgesuite.net";

/// The statuses that such checks come with. Others say something of the address or of the server,
/// and not of who asks.
const STATUSES: [u16; 7] = [401, 403, 405, 406, 418, 429, 503];

/// The name of the bot check that answered in place of the page, if one did. Whether a page came
/// all the same is for `reply`'s status to say.
#[must_use]
pub fn bot_check(reply: &Response) -> Option<&'static str> {
    let has = |(name, part): &(&str, &str)| {
        let mut values = reply.headers(name);
        values.any(|value| value.to_ascii_lowercase().contains(part))
    };
    let by_header = BOT_CHECKS
        .iter()
        .find(|check| check.headers.iter().any(has));
    if reply.status < 400 {
        // The challenges of these two come with a status of success now and then.
        let named = by_header.map(|check| check.name);
        return named.filter(|name| matches!(*name, "AWS WAF" | "Cloudflare"));
    }
    if by_header.is_none() && !STATUSES.contains(&reply.status) {
        return None;
    }
    let page = String::from_utf8_lossy(&reply.body).to_ascii_lowercase();
    let by_page = || {
        let mut checks = BOT_CHECKS.iter();
        checks.find(|check| check.page.iter().any(|part| page.contains(part)))
    };
    let of_403 = || {
        let mut checks = BOT_CHECKS.iter();
        checks.find(|check| reply.status == 403 && check.on_403.iter().any(has))
    };
    if matches!(reply.status, 403 | 429) && page.contains(AKAMAI_REFERENCE) {
        return Some("Akamai");
    }
    let found = by_header.or_else(by_page).or_else(of_403);
    found.map(|check| check.name)
}

/// What a bot check means for whoever wants the page.
#[must_use]
pub fn about_bot_check(name: &str) -> String {
    format!(
        "A bot check ({name}) stands before it: fetching it again will not help, whatever is sent. \
         Use the site's API or feed, or another source."
    )
}

/// What the server says of a status of 400 or more, in sentences. `login` is whether one was sent.
#[must_use]
pub fn said(reply: &Response, login: bool) -> Vec<String> {
    let mut said = Vec::new();
    if let Some(name) = bot_check(reply) {
        said.push(about_bot_check(name));
    }
    if let Some(wait) = wait(reply) {
        said.push(match wait.as_secs() {
            0 => "The server says that it may be tried again now.".to_owned(),
            1 => "The server says to try again in 1 second.".to_owned(),
            seconds => format!(
                "The server says to try again in {seconds} seconds{}.",
                about(wait)
            ),
        });
    } else if said.is_empty() {
        said.extend(advice(reply).map(str::to_owned));
    }
    said.extend(login_wanted(reply, login));
    said.extend(other_methods(reply));
    if reply.status == 410 {
        said.push(archived(&reply.url));
    }
    said
}

/// What a status means for the next step, where the server gives no time.
fn advice(reply: &Response) -> Option<&'static str> {
    let tls = [
        "plain HTTP request was sent to HTTPS port",
        "speaking plain HTTP to an SSL-enabled server port",
        "Client sent an HTTP request to an HTTPS server",
    ];
    let page = String::from_utf8_lossy(&reply.body);
    if reply.status == 400 && tls.iter().any(|words| page.contains(words)) {
        return Some("The server speaks TLS: send the same URL with https:// in place of http://.");
    }
    Some(match reply.status {
        429 => "Too many requests were made of it: wait a minute before the next one.",
        451 => "It is withheld for legal reasons, which trying again does not change.",
        408 | 500 | 502..=504 | 520..=527 => {
            "The failure is the server's: once more in a minute may help."
        }
        _ => return None,
    })
}

/// How long the server asks to wait: `Retry-After`, or the reset of a used-up limit as many APIs
/// have it.
#[must_use]
pub fn wait(reply: &Response) -> Option<Duration> {
    let now = || {
        let own = reply.header("date").and_then(date::parse);
        own.unwrap_or_else(SystemTime::now)
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

/// A long time in a unit that says more.
fn about(wait: Duration) -> String {
    match wait.as_secs() {
        0..=119 => String::new(),
        seconds @ 120..=7199 => format!(" (about {} minutes)", (seconds + 30) / 60),
        seconds @ 7200..=172_799 => format!(" (about {} hours)", (seconds + 1800) / 3600),
        seconds => format!(
            " (about {} days)",
            (seconds.saturating_add(43_200)) / 86_400
        ),
    }
}

/// What login is wanted, and how to give it.
fn login_wanted(reply: &Response, sent: bool) -> Option<String> {
    let (header, by_proxy) = match reply.status {
        401 => ("www-authenticate", false),
        407 => ("proxy-authenticate", true),
        _ => return None,
    };
    let schemes = schemes(reply.headers(header));
    let named = match schemes.as_slice() {
        [] => String::new(),
        some => format!(" ({})", some.join(", ")),
    };
    if by_proxy {
        return Some(format!(
            "The proxy that the environment names wants a login{named}: user and password belong \
             into its variable."
        ));
    }
    let basic = schemes
        .iter()
        .any(|scheme| scheme.eq_ignore_ascii_case("basic"));
    let how = if sent {
        "the one in the URL was not accepted."
    } else if basic {
        "if you were given one, send it in the URL, as in https://USER:PASSWORD@HOST/."
    } else {
        "this tool sends no tokens; if you were given one, use curl with -H in a shell."
    };
    Some(format!("The server wants a login{named}: {how}"))
}

/// The names of the schemes in challenges (RFC 9110, section 11.6.1), each once.
fn schemes<'a>(values: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for value in values {
        let mut quoted = false;
        let parts = value.split(|c: char| {
            quoted ^= c == '"';
            c == ',' && !quoted
        });
        for part in parts {
            let word = part.split_whitespace().next().unwrap_or_default();
            let token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            let new = !found.iter().any(|one| one.eq_ignore_ascii_case(word));
            if !word.is_empty() && word.len() <= 30 && word.chars().all(token) && new {
                found.push(word.to_owned());
            }
        }
    }
    found.truncate(5);
    found
}

/// Which methods the address takes, where GET is none of them.
fn other_methods(reply: &Response) -> Option<String> {
    let allowed = reply.header("allow").filter(|_| reply.status == 405)?;
    let methods: Vec<&str> = allowed
        .split(',')
        .map(str::trim)
        .filter(|name| {
            (1..=10).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_uppercase())
        })
        .take(8)
        .collect();
    if methods.is_empty() || methods.contains(&"GET") {
        return None;
    }
    Some(format!(
        "It takes {} and no GET, which is all that this tool sends.",
        methods.join(", ")
    ))
}

fn archived(url: &Url) -> String {
    let mut url = url.clone();
    url.set_fragment(None);
    format!("It is gone for good. An archive may have a copy: https://web.archive.org/web/{url}")
}
