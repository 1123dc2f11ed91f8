//! The only hosts that pages may be fetched from, if the environment names some.
//!
//! `ALLOWED_DOMAINS` lists hosts, separated by commas or blanks. A host stands for itself and its
//! subdomains, on any port. The list restricts every page that a caller or a page itself asks for;
//! it does not restrict the services that a tool asks at an address of its own (a search provider,
//! a register).

use std::ffi::OsString;
use std::net::IpAddr;

use url::Url;

use super::search::domains::{DomainFilter, named_hosts};

/// Name of the variable.
pub const VARIABLE: &str = "ALLOWED_DOMAINS";

/// The allowed hosts; without a list, all hosts are allowed.
#[derive(Clone, Debug, Default)]
pub struct AllowedHosts(Option<DomainFilter>);

impl AllowedHosts {
    /// Reads the process's environment.
    #[must_use]
    pub fn from_env() -> Self {
        Self::parse(std::env::var_os(VARIABLE))
    }

    /// Parses a value of the variable. An empty or blank value means no list.
    #[must_use]
    pub fn parse(value: Option<OsString>) -> Self {
        let Some(value) = value else {
            return Self(None);
        };
        // One that cannot be read names no host: nothing is allowed.
        let text = value.to_str().unwrap_or(",");
        if text.trim().is_empty() {
            return Self(None);
        }
        let entries = text.split(|c: char| c == ',' || c.is_whitespace());
        Self(Some(DomainFilter::only(
            &entries.filter_map(host).collect::<Vec<_>>(),
        )))
    }

    /// True if a page of this URL may be fetched.
    #[must_use]
    pub fn admits(&self, url: &Url) -> bool {
        self.check(url).is_ok()
    }

    /// As [`admits`](Self::admits), with the reason.
    pub fn check(&self, url: &Url) -> Result<(), NotAllowed> {
        match &self.0 {
            None => Ok(()),
            Some(hosts) if hosts.allowed().is_some_and(<[_]>::is_empty) => {
                Err(NotAllowed::Unusable)
            }
            Some(hosts) if hosts.admits(url.as_str()) => Ok(()),
            Some(_) => Err(NotAllowed::Host(
                url.host_str().unwrap_or_default().to_owned(),
            )),
        }
    }
}

/// Returns the host that an entry names, in the form in which a URL has it.
fn host(entry: &str) -> Option<String> {
    let entry = entry.trim();
    if let Ok(IpAddr::V6(ip)) = entry.parse() {
        return Some(format!("[{ip}]"));
    }
    // Removes the port after an address in brackets; one after a name is removed elsewhere.
    let entry = match entry.rsplit_once("]:") {
        Some((ip, port)) if port.bytes().all(|b| b.is_ascii_digit()) => &entry[..=ip.len()],
        _ => entry,
    };
    named_hosts(&[entry.to_owned()]).ok()?.pop()
}

/// Reason why a page may not be fetched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAllowed {
    /// The list does not name this host.
    #[error("Refused: ALLOWED_DOMAINS does not list {0}")]
    Host(String),
    /// The list names no host at all.
    #[error("Refused: ALLOWED_DOMAINS is set but names no host, so nothing is fetched")]
    Unusable,
}

impl NotAllowed {
    /// Returns the sentence on what to do.
    #[must_use]
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Host(_) => {
                "Only what ALLOWED_DOMAINS lists is fetched here, each redirect included. Use a \
                 page of a listed host, or ask whoever set the variable to add this one."
            }
            Self::Unusable => {
                "Ask whoever set it to list host names, separated by commas, such as \
                 example.com,docs.example.org; without the variable every public host is fetched."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStringExt;

    fn allowed(value: &str) -> AllowedHosts {
        AllowedHosts::parse(Some(value.into()))
    }

    fn admits(value: &str, url: &str) -> bool {
        allowed(value).admits(&Url::parse(url).unwrap())
    }

    #[test]
    fn a_listed_host_counts_with_what_is_below_it_on_any_port_and_no_look_alike_does() {
        for list in [
            "example.com",
            "other.example, example.com",
            "other.example example.com",
            "a.example,,\texample.com\n",
            "*.example.com",
            "EXAMPLE.com.",
            "https://example.com/docs",
            "example.com:8080",
        ] {
            assert!(admits(list, "https://example.com/"), "{list}");
            assert!(admits(list, "http://Docs.Example.COM.:81/x"), "{list}");
            assert!(!admits(list, "https://notexample.com/"), "{list}");
            assert!(!admits(list, "https://example.com.evil.net/"), "{list}");
            assert!(!admits(list, "https://evil.net/example.com"), "{list}");
            assert!(!admits(list, "https://example.com@evil.net/"), "{list}");
        }
    }

    #[test]
    fn addresses_are_hosts_like_names() {
        assert!(admits("127.0.0.1", "http://127.0.0.1:8080/"));
        assert!(admits("127.0.0.1:80", "http://0x7f.1/"));
        assert!(!admits("127.0.0.1", "http://127.0.0.2/"));
        for list in ["::1", "[::1]", "[::1]:80", "0:0::1"] {
            assert!(admits(list, "http://[::1]:99/"), "{list}");
            assert!(!admits(list, "http://[::2]/"), "{list}");
        }
    }

    #[test]
    fn no_list_allows_all_and_one_without_a_host_nothing() {
        let url = Url::parse("https://example.com/").unwrap();
        assert!(AllowedHosts::parse(None).admits(&url));
        assert!(admits("", "https://example.com/"));
        assert!(admits(" \t", "https://example.com/"));
        for list in [",", "*", "not_a host!,", "http://", "."] {
            let refused = allowed(list).check(&url);
            let expected = if list.starts_with("not") {
                // A host with an underscore is accepted.
                NotAllowed::Host("example.com".to_owned())
            } else {
                NotAllowed::Unusable
            };
            assert_eq!(refused, Err(expected), "{list}");
        }
        let broken = OsString::from_vec(b"example.com\xff".to_vec());
        assert!(!AllowedHosts::parse(Some(broken)).admits(&url));
    }
}
