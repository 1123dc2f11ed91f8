//! The browser's command line: one page, through one proxy, without anything of the user's.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use super::proxy::BrowserProxy;

/// The switch that disables the browser's own sandbox. It is never among ours.
pub const NO_SANDBOX: &str = "--no-sandbox";

/// Virtual time that passes before the page is printed, in milliseconds.
const VIRTUAL_TIME_MILLISECONDS: u32 = 5000;
/// Maximum memory for the objects of a page's scripts, in MiB.
const MAX_SCRIPT_MEBIBYTES: u32 = 512;
/// Maximum wait for the browser's version.
pub const VERSION_TIMEOUT: Duration = Duration::from_secs(2);

/// Switches for every page.
static PAGE_SWITCHES: &str = include_str!("switches.txt");

fn page_switches() -> impl Iterator<Item = &'static str> {
    PAGE_SWITCHES.lines().filter(|line| !line.starts_with('#'))
}

/// Returns the arguments for one page, to which the proxy redirects.
pub fn arguments_for_page(proxy: &BrowserProxy, scratch: &Path, agent: &str) -> Vec<OsString> {
    let mut all: Vec<String> = page_switches().map(str::to_owned).collect();
    all.push(format!("--virtual-time-budget={VIRTUAL_TIME_MILLISECONDS}"));
    all.push(format!(
        "--js-flags=--max-old-space-size={MAX_SCRIPT_MEBIBYTES}"
    ));
    let scratch = scratch.display();
    all.push(format!("--user-data-dir={scratch}/profile"));
    all.push(format!("--disk-cache-dir={scratch}/cache"));
    all.push(format!("--proxy-server=http://{}", proxy.address()));
    all.push(format!("--user-agent={agent}"));
    // No switches follow. The page's own address, which may contain a login or a key, is not on the
    // command line, because all users can list this machine's processes: the proxy redirects there.
    all.push("--".to_owned());
    all.push(proxy.start_url());
    all.into_iter().map(OsString::from).collect()
}

/// Returns the value of `User-Agent` for a browser that prints `version` as its version, used by
/// `user`. Sites look for a version in it, of which browsers show the first number.
pub fn user_agent(version: &str, user: &str) -> String {
    let words = version.split_ascii_whitespace();
    let mut versions = words.filter_map(|word| word.split('.').next()?.parse::<u16>().ok());
    let version = versions.next().unwrap_or_default();
    let machine = std::env::consts::ARCH;
    format!(
        "Mozilla/5.0 (X11; Linux {machine}) AppleWebKit/537.36 (KHTML, like Gecko) \
         HeadlessChrome/{version}.0.0.0 Safari/537.36 {user}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sandbox_stays_and_nothing_bypasses_the_proxy() {
        assert!(page_switches().all(|switch| switch != NO_SANDBOX));
        assert!(page_switches().all(|switch| switch.starts_with("--")));
        assert!(page_switches().any(|switch| switch == "--proxy-bypass-list=<-loopback>"));
    }

    #[test]
    fn the_user_agent_names_the_browser_with_its_version_and_us() {
        for version_text in [
            "Chromium 156.0.8078.79 built on Debian GNU/Linux 12 (bookworm)\n",
            "Google Chrome 156.0.1.2 \n",
        ] {
            let agent = user_agent(version_text, "ikigai-tools/1");
            assert!(agent.contains(" HeadlessChrome/156.0.0.0 "), "{agent}");
            assert!(agent.ends_with(" ikigai-tools/1"), "{agent}");
        }
        assert!(user_agent("", "x").contains("HeadlessChrome/0.0.0.0"));
    }
}
