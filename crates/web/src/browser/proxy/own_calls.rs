//! The hosts that a browser calls by itself: updates, its maker's account, lists of bad pages,
//! statistics. Switches take most of these calls away; no version's switches take all.
//!
//! These are the hosts that Chromium and Google Chrome 156 were seen to call, and the services that
//! their sources name (`google_apis`, `components/update_client`, `components/safe_browsing`).

use crate::guard::names::is_within;

/// The hosts, each with its subdomains.
const HOSTS: &str = "accounts.google.com android.clients.google.com chrome-sync.google.com \
                     chromewebstore.googleapis.com clients.google.com clients1.google.com \
                     clients2.google.com clients2.googleusercontent.com clients3.google.com \
                     clients4.google.com clients5.google.com clients6.google.com \
                     clientservices.googleapis.com content-autofill.googleapis.com gvt1.com \
                     gvt2.com mtalk.google.com optimizationguide-pa.googleapis.com \
                     passwordsleakcheck-pa.googleapis.com safebrowsing.google.com \
                     safebrowsing.googleapis.com sb-ssl.google.com update.googleapis.com";

/// True if `name`, in lower case and without a final dot, is one of them.
pub fn is_own_call(name: &str) -> bool {
    let mut hosts = HOSTS.split(' ').chain([super::START_HOST]);
    hosts.any(|host| is_within(name, host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_browser_s_hosts_are_known_with_what_is_below_them_and_no_others() {
        for name in [
            "update.googleapis.com",
            "redirector.gvt1.com",
            "x.ikigai.invalid",
        ] {
            assert!(is_own_call(name), "{name}");
        }
        for name in [
            "fonts.googleapis.com",
            "www.google.com",
            "notgvt1.com",
            "gvt1.com.example",
        ] {
            assert!(!is_own_call(name), "{name}");
        }
    }
}
