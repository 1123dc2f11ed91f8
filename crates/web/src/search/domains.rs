//! The filter of hosts that results may come from.

use std::collections::HashSet;

use crate::guard::names::is_within;

use url::{Host, Url};

/// Allowed and blocked domains, each with its subdomains.
#[derive(Clone, Debug, Default)]
pub struct DomainFilter {
    allowed: Option<Vec<String>>,
    blocked: Vec<String>,
}

impl DomainFilter {
    /// Creates a filter from the caller's entries: `example.com`, `*.Example.com.`,
    /// `https://example.com/x`, `example.com:8080`. Blank entries and empty lists do not filter. An
    /// entry that is not a host matches nothing.
    #[must_use]
    pub fn new(allowed: &[String], blocked: &[String]) -> Self {
        let given = allowed.iter().any(|entry| !entry.trim().is_empty());
        Self {
            allowed: given.then(|| hosts(allowed)),
            blocked: hosts(blocked),
        }
    }

    /// Creates a filter that allows these entries alone; none of them if there are none.
    pub(crate) fn only(allowed: &[String]) -> Self {
        Self {
            allowed: Some(hosts(allowed)),
            blocked: Vec::new(),
        }
    }

    /// Returns the allowed domains, in lower case and without duplicates; `None` if all are
    /// allowed.
    #[must_use]
    pub fn allowed(&self) -> Option<&[String]> {
        self.allowed.as_deref()
    }

    /// Returns the blocked domains, likewise.
    #[must_use]
    pub fn blocked(&self) -> &[String] {
        &self.blocked
    }

    /// True if a result with this URL may be shown.
    #[must_use]
    pub fn admits(&self, url: &str) -> bool {
        let host = Url::parse(url)
            .ok()
            .and_then(|url| url.host_str().map(normal));
        let Some(host) = host else {
            return self.allowed.is_none();
        };
        let inside = |zones: &[String]| zones.iter().any(|zone| is_within(&host, zone));
        self.allowed.as_deref().is_none_or(inside) && !inside(&self.blocked)
    }
}

fn normal(host: &str) -> String {
    host.trim_end_matches('.').to_ascii_lowercase()
}

fn hosts(entries: &[String]) -> Vec<String> {
    let mut seen = HashSet::new();
    let hosts = entries.iter().filter_map(|entry| host(entry));
    hosts.filter(|host| seen.insert(host.clone())).collect()
}

/// Returns the hosts of the caller's entries, each once; the error is the first entry that is not a
/// host.
pub fn named_hosts(entries: &[String]) -> Result<Vec<String>, String> {
    let given = || entries.iter().filter(|entry| !entry.trim().is_empty());
    match given().find(|entry| host(entry).is_none()) {
        Some(wrong) => Err(wrong.clone()),
        None => Ok(hosts(entries)),
    }
}

/// Returns the host that an entry names.
fn host(entry: &str) -> Option<String> {
    let entry = entry.trim();
    let bare = entry
        .split_once("://")
        .map_or(entry, |(_, remainder)| remainder);
    let bare = bare.split(['/', '?', '#']).next().unwrap_or_default();
    let bare = bare.rsplit('@').next().unwrap_or_default();
    let bare = match bare.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => host,
        _ => bare,
    };
    let bare = bare.trim_start_matches('*').trim_matches('.');
    Host::parse(bare).ok().map(|host| normal(&host.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use iki_base::cpu_clock::CpuInstant;

    fn filter(allowed: &[&str], blocked: &[&str]) -> DomainFilter {
        let strings = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        DomainFilter::new(&strings(allowed), &strings(blocked))
    }

    #[test]
    fn a_domain_is_itself_and_what_is_below_it_and_no_look_alike() {
        for spelling in [
            "example.com",
            "EXAMPLE.com",
            " example.com. ",
            ".example.com",
            "*.example.com",
            "https://example.com/path?q",
            "example.com:443",
            "http://u@example.com:80",
        ] {
            let filter = filter(&[spelling], &[]);
            for url in [
                "https://example.com/",
                "http://WWW.Example.COM:8080/x",
                "https://a.b.example.com./",
            ] {
                assert!(filter.admits(url), "{spelling} {url}");
            }
            for url in [
                "https://notexample.com/",
                "https://example.com.evil.net/",
                "https://example.org/",
                "https://evil.net/?example.com",
                "https://example.com@evil.net/",
                "nonsense",
                "",
            ] {
                assert!(!filter.admits(url), "{spelling} {url}");
            }
        }
    }

    #[test]
    fn blocked_domains_go_even_below_allowed_ones() {
        let filter = filter(&["example.com"], &["ads.example.com"]);
        assert!(filter.admits("https://example.com/"));
        assert!(!filter.admits("https://x.ads.example.com/"));
    }

    #[test]
    fn blanks_are_no_filter_and_nonsense_admits_nothing() {
        assert!(filter(&["", "  "], &[""]).admits("https://a.example/"));
        assert!(filter(&[], &[]).admits("anything"));
        assert!(!filter(&["not a host!"], &[]).admits("https://a.example/"));
        assert!(filter(&[], &["not a host!"]).admits("https://a.example/"));
    }

    #[test]
    fn international_and_numeric_hosts_compare_as_urls_do() {
        assert!(filter(&["b\u{fc}cher.example"], &[]).admits("https://www.xn--bcher-kva.example/"));
        assert!(filter(&["127.0.0.1"], &[]).admits("http://0x7f.1/"));
        assert!(filter(&["[::1]"], &[]).admits("http://[0:0::1]:80/"));
    }

    #[test]
    fn hosts_are_named_as_addresses_or_by_themselves() {
        let strings = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        let entries = strings(&["https://A.example/x", " ", "a.example", "*.b.example"]);
        assert_eq!(named_hosts(&entries).unwrap(), ["a.example", "b.example"]);
        let wrong = named_hosts(&strings(&["a.example", "not a host!"]));
        assert_eq!(wrong.unwrap_err(), "not a host!");
    }

    #[test]
    fn duplicates_are_one() {
        let filter = filter(&["a.example", "A.example.", "b.example"], &[]);
        assert_eq!(filter.allowed().unwrap(), ["a.example", "b.example"]);
    }

    #[test]
    fn many_domains_cost_time_in_proportion() {
        let time = |count: u32| {
            let list: Vec<String> = (0..count).map(|n| format!("site-{n}.example")).collect();
            let start = CpuInstant::now();
            let filter = DomainFilter::new(&list, &list);
            assert_eq!(filter.blocked().len(), list.len());
            assert!(!filter.admits("https://a.site-1.example/"));
            start.elapsed().as_secs_f64()
        };
        let (few, many) = (time(4_000), time(64_000));
        assert!(many < few * 16.0 * 4.0, "{few} s and {many} s");
    }
}
