//! Cookies within one call: a cookie set by a redirect is sent back to the host that set it, and to
//! no other (RFC 6265, sections 5.1.4 to 5.4).
//!
//! This is stricter than in browsers: every cookie belongs only to its host, because only a list
//! could tell an owner's domain from a registry's (`co.uk`); `Domain` can merely forbid. `Secure`
//! follows RFC 6265bis: such a cookie is neither accepted from nor sent to a plain connection, nor
//! replaced from one.

use std::cmp::Reverse;
use std::time::{Duration, SystemTime};

use ureq::http::{HeaderMap, HeaderValue, header};
use url::{Host, Url};

use crate::date;
use crate::guard::names::is_within;

/// Maximum number of cookies.
const MAX_COOKIES: usize = 64;
/// Maximum length of a cookie, name and value, in bytes (RFC 6265, section 6.1).
const MAX_COOKIE_BYTES: usize = 4096;
/// Longest `Cookie` header, in bytes.
const MAX_HEADER_BYTES: usize = 16 * 1024;

/// Cookies of one call.
#[derive(Debug, Default)]
pub struct CookieJar(Vec<Cookie>);

#[derive(Debug)]
struct Cookie {
    host: Host<String>,
    name: Vec<u8>,
    value: Vec<u8>,
    path: String,
    is_secure: bool,
    /// Expiry time; `None` for the end of the call.
    ends: Option<SystemTime>,
}

impl CookieJar {
    /// Stores the cookies that an answer from `host` at `url` sets, and removes those that it
    /// expires.
    pub fn store(&mut self, headers: &HeaderMap, host: &Host<String>, url: &Url) {
        let now = SystemTime::now();
        for value in headers.get_all(header::SET_COOKIE) {
            let Some(cookie) = Cookie::read(value.as_bytes(), host, url, now) else {
                continue;
            };
            let same = |other: &Cookie| {
                (&other.host, &other.name, &other.path) == (host, &cookie.name, &cookie.path)
            };
            if url.scheme() != "https" && self.0.iter().any(|other| same(other) && other.is_secure)
            {
                continue;
            }
            self.0.retain(|other| !same(other));
            if !cookie.has_ended(now) && self.0.len() < MAX_COOKIES {
                self.0.push(cookie);
            }
        }
    }

    /// Builds the value of `Cookie` for a request to `host` at `url`: longer paths first, then
    /// older cookies.
    pub fn header(&self, host: &Host<String>, url: &Url) -> Option<HeaderValue> {
        let now = SystemTime::now();
        let mut sent: Vec<&Cookie> = self
            .0
            .iter()
            .filter(|cookie| cookie.host == *host && (!cookie.is_secure || url.scheme() == "https"))
            .filter(|cookie| covers(&cookie.path, url.path()) && !cookie.has_ended(now))
            .collect();
        sent.sort_by_key(|cookie| Reverse(cookie.path.len()));
        let mut text = Vec::new();
        for cookie in sent {
            let separator: &[u8] = if text.is_empty() { b"" } else { b"; " };
            let pair = [separator, &cookie.name, b"=", &cookie.value].concat();
            if text.len() + pair.len() > MAX_HEADER_BYTES {
                break;
            }
            text.extend_from_slice(&pair);
        }
        let value = HeaderValue::from_bytes(&text).ok();
        value.filter(|value| !value.is_empty())
    }
}

impl Cookie {
    /// Parses a `Set-Cookie` (section 5.2); `None` for one that must be ignored.
    fn read(line: &[u8], host: &Host<String>, url: &Url, now: SystemTime) -> Option<Self> {
        let mut parts = line.split(|byte| *byte == b';');
        let (name, value) = split(parts.next()?)?;
        if name.is_empty() || name.len() + value.len() > MAX_COOKIE_BYTES {
            return None;
        }
        let mut cookie = Self {
            host: host.clone(),
            name: name.to_owned(),
            value: value.to_owned(),
            path: default_path(url.path()).to_owned(),
            is_secure: false,
            ends: None,
        };
        let (mut domain, mut path, mut age) = (None, None, None);
        for part in parts {
            let (attribute, value) = split(part).unwrap_or((part.trim_ascii(), b""));
            let value = String::from_utf8_lossy(value);
            match attribute.to_ascii_lowercase().as_slice() {
                b"secure" => cookie.is_secure = true,
                b"domain" => domain = Some(value.trim_start_matches('.').to_ascii_lowercase()),
                b"path" => path = Some(value.into_owned()),
                b"max-age" => age = max_age(&value).or(age),
                b"expires" => cookie.ends = date::parse(&value).or(cookie.ends),
                _ => {}
            }
        }
        if let Some(path) = path.filter(|path| path.starts_with('/')) {
            cookie.path = path;
        }
        if let Some(age) = age {
            // On overflow the cookie does not expire during the call.
            cookie.ends = now.checked_add(age);
        }
        let is_allowed = domain.is_none_or(|domain| domain.is_empty() || within(host, &domain));
        let allowed = is_allowed && (!cookie.is_secure || url.scheme() == "https");
        allowed.then_some(cookie)
    }

    fn has_ended(&self, now: SystemTime) -> bool {
        self.ends.is_some_and(|ends| ends <= now)
    }
}

/// Splits name and value at the first `=`.
fn split(part: &[u8]) -> Option<(&[u8], &[u8])> {
    let offset = part.iter().position(|byte| *byte == b'=')?;
    Some((part[..offset].trim_ascii(), part[offset + 1..].trim_ascii()))
}

/// Returns the lifetime that a `Max-Age` gives: zero for a value of zero or below.
fn max_age(value: &str) -> Option<Duration> {
    let digits = value.strip_prefix('-').unwrap_or(value);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let seconds = if value.starts_with('-') {
        0
    } else {
        digits.parse().unwrap_or(u64::MAX)
    };
    Some(Duration::from_secs(seconds))
}

/// Returns the path of a cookie that names none (section 5.1.4).
fn default_path(path: &str) -> &str {
    match path.rfind('/') {
        None | Some(0) => "/",
        Some(offset) => &path[..offset],
    }
}

/// True if a cookie with path `cookie` is sent with a request for `path` (section 5.1.4).
fn covers(cookie: &str, path: &str) -> bool {
    path.strip_prefix(cookie).is_some_and(|remainder| {
        remainder.is_empty() || cookie.ends_with('/') || remainder.starts_with('/')
    })
}

/// True if `host` is `domain` or below it (section 5.1.3).
fn within(host: &Host<String>, domain: &str) -> bool {
    match host {
        Host::Domain(name) => is_within(name, domain),
        address => address.to_string() == domain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the header sent to `to` after an answer from `from` with these cookies.
    fn sent(from: &str, lines: &[&str], to: &str) -> Option<String> {
        let mut jar = CookieJar::default();
        set(&mut jar, from, lines);
        told(&jar, to)
    }

    fn set(jar: &mut CookieJar, from: &str, lines: &[&str]) {
        let url = Url::parse(from).unwrap();
        let mut headers = HeaderMap::new();
        for line in lines {
            let value = HeaderValue::from_bytes(line.as_bytes()).unwrap();
            headers.append(header::SET_COOKIE, value);
        }
        jar.store(&headers, &url.host().unwrap().to_owned(), &url);
    }

    fn told(jar: &CookieJar, to: &str) -> Option<String> {
        let url = Url::parse(to).unwrap();
        let value = jar.header(&url.host().unwrap().to_owned(), &url)?;
        Some(value.to_str().unwrap().to_owned())
    }

    #[test]
    fn a_cookie_goes_back_to_its_host_and_to_no_other() {
        let from = "http://a.example/x/y";
        let lines = &["s=1; Path=/; HttpOnly; SameSite=Lax"];
        for to in [
            "http://a.example/",
            "http://a.example:8080/z",
            "https://a.example/z?q",
        ] {
            assert_eq!(sent(from, lines, to).as_deref(), Some("s=1"), "{to}");
        }
        for to in [
            "http://b.a.example/",
            "http://example/",
            "http://127.0.0.1/",
            "http://xa.example/",
        ] {
            assert_eq!(sent(from, lines, to), None, "{to}");
        }
        // A cookie for a whole domain goes to its host only, and one for another domain nowhere.
        let wide = &["s=1; Domain=.EXAMPLE; Path=/"];
        assert_eq!(
            sent(from, wide, "http://a.example/").as_deref(),
            Some("s=1")
        );
        assert_eq!(sent(from, wide, "http://b.example/"), None);
        for domain in ["b.example", "b.a.example", "ample"] {
            let line = format!("s=1; Path=/; Domain={domain}");
            assert_eq!(sent(from, &[&line], "http://a.example/"), None, "{domain}");
            let there = format!("http://{domain}/");
            assert_eq!(sent(from, &[&line], &there), None, "{domain}");
        }
    }

    #[test]
    fn a_path_limits_a_cookie_and_longer_ones_come_first() {
        let from = "http://h/dir/page";
        for (line, to, goes) in [
            ("a=1", "/dir", true),
            ("a=1", "/dir/", true),
            ("a=1", "/dir/x/y", true),
            ("a=1", "/directory", false),
            ("a=1", "/", false),
            ("a=1; path=/", "/x", true),
            ("a=1; Path=/x/", "/x/y", true),
            ("a=1; Path=/x/", "/x", false),
            ("a=1; Path=x", "/dir/z", true),
            ("a=1; Path=", "/dir/z", true),
        ] {
            let to = format!("http://h{to}");
            assert_eq!(sent(from, &[line], &to).is_some(), goes, "{line} {to}");
        }
        let lines = &["a=1; Path=/", "b=2; Path=/dir/x", "c=3; Path=/dir"];
        assert_eq!(
            sent(from, lines, "http://h/dir/x").as_deref(),
            Some("b=2; c=3; a=1")
        );
    }

    #[test]
    fn secure_cookies_are_taken_from_and_sent_to_tls_alone() {
        let line = &["a=1; Secure; Path=/"];
        assert_eq!(
            sent("https://h/", line, "https://h/").as_deref(),
            Some("a=1")
        );
        assert_eq!(sent("https://h/", line, "http://h/"), None);
        assert_eq!(sent("http://h/", line, "https://h/"), None);
        let mut jar = CookieJar::default();
        set(&mut jar, "https://h/", line);
        set(&mut jar, "http://h/", &["a=2; Path=/"]);
        assert_eq!(told(&jar, "https://h/").as_deref(), Some("a=1"));
    }

    #[test]
    fn what_has_ended_is_forgotten() {
        let mut jar = CookieJar::default();
        set(&mut jar, "http://h/", &["a=1", "b=2", "c=3", "d=4", "a=5"]);
        assert_eq!(
            told(&jar, "http://h/").as_deref(),
            Some("b=2; c=3; d=4; a=5")
        );
        let past = "Thu, 01 Jan 1970 00:00:10 GMT";
        let future = "Fri, 31-Dec-9999 23:59:59 GMT";
        let lines = [
            "a=; Max-Age=0".to_owned(),
            format!("b=; Expires={past}"),
            format!("c=6; Expires={past}; Max-Age=100"),
            format!("d=; Expires={future}; Max-Age=-5"),
            format!("e=7; Expires={future}"),
            "f=8; Max-Age=99999999999999999999999".to_owned(),
            "g=9; Max-Age=soon; Expires=never".to_owned(),
        ];
        set(&mut jar, "http://h/", &lines.each_ref().map(String::as_str));
        assert_eq!(
            told(&jar, "http://h/").as_deref(),
            Some("c=6; e=7; f=8; g=9")
        );
    }

    #[test]
    fn what_is_no_cookie_is_ignored_and_the_rest_is_bounded() {
        let long = format!("l={}", "x".repeat(MAX_COOKIE_BYTES));
        let lines = &["", "novalue", "=1", ";", "a=", "b=1=2; weird; =; ;", &long];
        assert_eq!(
            sent("http://h/", lines, "http://h/").as_deref(),
            Some("a=; b=1=2")
        );
        let many: Vec<String> = (0..500)
            .map(|n| format!("c{n}={}", "x".repeat(1000)))
            .collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let text = sent("http://h/", &many, "http://h/").unwrap();
        assert!((MAX_HEADER_BYTES - 2000..=MAX_HEADER_BYTES).contains(&text.len()));
    }
}
