//! grep: patterns that cost more than a host waits for. The answer comes in time and says what it
//! leaves out.

use std::fs::{self, File};
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::messages::TextRow;
use crate::common::{Answer, directory, tool};

/// How long a host waits, in seconds.
const PATIENCE: u64 = 30;

/// grep's answer in a directory with the given files; it comes in time.
fn answer(files: &[(&str, &str)], request: &Value) -> Answer {
    answer_within(PATIENCE, files, request)
}

/// The same where the caller says how long it waits, in seconds.
fn answer_within(patience: u64, files: &[(&str, &str)], request: &Value) -> Answer {
    let here = directory();
    for (name, content) in files {
        fs::write(here.path().join(name), content).unwrap();
    }
    let mut call = tool("grep").with(request).in_directory(here.path());
    if patience < PATIENCE {
        call = call.env("IKIGAI_MAX_SECONDS", patience.to_string());
    }
    let answer = call.run();
    assert!(answer.took.as_secs() < PATIENCE, "{:?}", answer.took);
    assert_eq!(answer.code(), 0);
    answer
}

#[test]
fn a_count_of_a_hundred_thousand_is_decided_on_a_long_line() {
    let (short, long) = ("a".repeat(124_999), "a".repeat(200_000));
    let content = format!("{short}\nb{long}b\n");
    let request = json!({"pattern": "((a{50}){50}){50}", "path": "f"});
    let answer = answer(&[("f", &content)], &request);
    // The note says how long that is.
    assert!(answer.field("output") == format!("f:2: b{long}b"));
    assert_eq!(answer.json()["count"], 1);
}

#[test]
fn a_line_that_takes_too_long_is_named_and_the_others_are_searched() {
    let costly = "a".repeat(200_000);
    let content = format!("first\n{costly}\nlast {}b\n", "a".repeat(125_000));
    let request = json!({"pattern": "((a{50}){50}){50}b|^first", "path": "f"});
    let answer = answer_within(3, &[("f", &content)], &request);
    let json = answer.json();
    let output = json["output"].as_str().unwrap();
    assert!(output.starts_with("f:1: first"), "{output:.100}");
    let note = answer.field("note");
    note.assert_row("grep", "a line that takes too long");
}

#[test]
fn a_search_that_takes_too_long_says_where_it_ended() {
    // No automaton of reasonable size knows the last thirty letters.
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut line = || -> String {
        (0..20_000)
            .map(|_| {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                if random & 1 == 0 { 'a' } else { 'b' }
            })
            .collect()
    };
    let lines = (0..50).map(|_| line() + "\n").collect::<String>();
    let content = lines.repeat(30);
    let files = [("a", "xyz\n"), ("b", &*content), ("c", "xyz\n")];
    let request = json!({"pattern": "(a|b)*a((a|b)(a|b)){500}c|xyz"});
    let answer = answer_within(2, &files, &request);
    assert!(answer.took < Duration::from_secs(4), "{:?}", answer.took);
    let json = answer.json();
    assert_eq!(json["output"], "./a:1: xyz");
    let note = answer.field("note");
    note.assert_row("grep", "a file in which the time was over");
}

#[test]
fn a_back_reference_with_counts_ends_in_time() {
    let content = format!("{}\nx\n", "ab".repeat(50_000));
    for pattern in [
        "((a?b?){500})c\\1",
        "((a|ab|b)*)*\\2{3}c",
        "(a{1,300}b{1,300}){1,50}\\1c",
        "^((a|b){40}){30,}\\2\\2c$",
    ] {
        let request = json!({"pattern": pattern, "path": "f"});
        let answer = answer(&[("f", &content)], &request);
        assert_eq!(answer.json()["count"], 0, "{pattern}");
    }
}

#[test]
fn patterns_that_are_large_once_written_out_end_in_time() {
    let content = format!("{}\n{}\n", "a".repeat(200_000), "aB1 é".repeat(15_000));
    for pattern in [
        "(.*){1000}x",
        "(a?){5000}a{5000}x",
        r"(\w{1000}|[[:alpha:]]{900})é{7}x",
        r"(?i)([[:upper:]é]{300}){3}\b7",
        r"(((a{100}){100}){100})",
        r"(\w+\s*){500}x$",
        "(a|b|c|d|e|aa|bb|cc|ab|ac){2000}x",
    ] {
        let request = json!({"pattern": pattern, "path": "f"});
        let answer = answer(&[("f", &content)], &request);
        let json = answer.json();
        // Refused, decided, or said to be undecided.
        assert!(
            json["error_code"] == "INVALID_PATTERN" || json["count"] == 0,
            "{json:.300}"
        );
    }
}

#[test]
fn one_long_line_takes_no_longer_than_the_call_may() {
    let here = directory();
    let file = File::create(here.path().join("one")).unwrap();
    file.set_len(6 << 30).unwrap();
    let answer = tool("grep")
        .with(&json!({"pattern": "zqzq", "path": "one"}))
        .in_directory(here.path())
        .env("IKIGAI_MAX_SECONDS", "1")
        .run();
    // Where a gigabyte is read in less than that, it is the line that is too long.
    let note = answer.note();
    let ended = ["for lack of time", "a line of more than 1 GiB"];
    assert!(ended.iter().any(|words| note.contains(words)), "{note}");
    assert!(answer.took < Duration::from_secs(4), "{:?}", answer.took);
}
