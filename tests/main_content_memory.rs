//! What finding the main content of a hostile page takes of memory, in a process of its own.

mod common;

use ikigai_tools::document::{ALLOWANCE, convert_main_until};
use url::Url;

/// The most memory that this process has had, in KiB; `None` where the system does not say.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[test]
fn no_page_takes_more_memory_than_a_conversion_may() {
    if peak().is_none() {
        return common::skip("the system does not say what memory a process has had");
    }
    let base = Url::parse("https://example.com/").unwrap();
    let most = 10 * 1024 * 1024;
    for (start, piece) in [
        ("", "<i class=a>x</i>"),
        ("", "<p class=a>x"),
        (
            "",
            "<p class=a id=b role=c itemprop=d itemtype=e>some words here",
        ),
        ("", "<li hidden>x"),
        ("", "<pre>x</pre>"),
        ("<table>", "<tr><td>x"),
        ("", "x<br>"),
    ] {
        let page = start.to_owned() + &piece.repeat(most / piece.len());
        let (document, _) = convert_main_until(&page, &base, false, None);
        let limit = 2 * page.len() + ALLOWANCE;
        assert!(document.markdown.len() <= limit, "{piece}");
        let peak = peak().unwrap();
        assert!(peak < 256 * 1024, "{start}{piece}: {peak} KiB");
    }
}
