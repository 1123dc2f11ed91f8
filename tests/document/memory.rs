//! Memory for finding the main content of a hostile page, each in a process of its own.

use std::env;
use std::process::{Command, Stdio};

use crate::common;
use iki_document::{ALLOWANCE, convert_main_until};
use url::Url;

/// The most memory that this process has had, in KiB; `None` where the system does not say.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// The beginning of each page, and the text that the rest of it repeats.
const PAGES: [(&str, &str); 7] = [
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
];

/// Which of the pages a process of the test is to convert.
const PAGE: &str = "IKIGAI_TEST_PAGE";

fn assert_takes_no_more_than_it_may((start, piece): (&str, &str)) {
    let base = Url::parse("https://example.com/").unwrap();
    let most = 10 * 1024 * 1024;
    let page = start.to_owned() + &piece.repeat(most / piece.len());
    let (document, _) = convert_main_until(&page, &base, false, None);
    let limit = 2 * page.len() + ALLOWANCE;
    assert!(document.markdown.len() <= limit, "{piece}");
    let peak = peak().unwrap();
    assert!(peak < 256 * 1024, "{start}{piece}: {peak} KiB");
    // Less, and nothing was converted.
    assert!(peak > 10 * 1024, "{start}{piece}: {peak} KiB");
}

#[test]
fn no_page_takes_more_memory_than_a_conversion_may() {
    if let Ok(number) = env::var(PAGE) {
        return assert_takes_no_more_than_it_may(PAGES[number.parse::<usize>().unwrap()]);
    }
    if peak().is_none() {
        return common::skip("the system does not say what memory a process has had");
    }
    let convert = |number: &usize| {
        let mut again = Command::new(env::current_exe().unwrap());
        again.arg("no_page_takes_more_memory_than_a_conversion_may");
        again.env(PAGE, number.to_string()).stdout(Stdio::piped());
        again.spawn().unwrap()
    };
    let numbers: Vec<usize> = (0..PAGES.len()).collect();
    for pair in numbers.chunks(2) {
        let both: Vec<_> = pair.iter().map(convert).collect();
        for one in both {
            let output = one.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{said}");
            assert!(said.contains("ok. 1 passed"), "{said}");
        }
    }
}
