//! glob and grep within the limits that a caller sets: bytes of the answer, and seconds.

use std::fs;
use std::path::Path;

use crate::common::messages::TextRow;
use crate::common::{self, Answer, directory, tool};
use proptest::prelude::*;
use serde_json::{Value, json};

fn within(bytes: usize, here: &Path, name: &str, request: &Value) -> Answer {
    let call = tool(name).with(request).in_directory(here);
    call.env("IKIGAI_MAX_ANSWER", bytes.to_string()).run()
}

/// `1,234` as a number.
fn number(text: &str) -> u64 {
    text.replace(',', "").parse().unwrap()
}

/// The answer within `bytes` shows a beginning of `whole`, in whole lines, and counts all.
fn is_a_beginning(answer: &Answer, bytes: usize, whole: &Value, what: &str) {
    assert!(
        answer.stdout.len() <= bytes,
        "{} of {bytes}",
        answer.stdout.len()
    );
    let (json, note) = (answer.json(), answer.note());
    assert_eq!(json["count"], whole["count"], "{note}");
    let shown = json["output"].as_str().unwrap();
    let all = whole["output"].as_str().unwrap();
    if shown == all {
        assert_eq!(json.get("note"), whole.get("note"));
        return;
    }
    assert!(all.starts_with(shown), "{shown}");
    let count = whole["count"].as_u64().unwrap();
    if let Some(rest) = note.strip_prefix("The first line") {
        let first = all.lines().next().unwrap();
        assert!(
            first.starts_with(shown) && shown.len() < first.len(),
            "{note}"
        );
        let length = rest
            .split_whitespace()
            .skip_while(|word| *word != "has")
            .nth(1);
        assert_eq!(number(length.unwrap()), first.len() as u64, "{note}");
    } else {
        assert!(all[shown.len()..].starts_with('\n'), "{shown}");
        let (number_shown, rest) = note.split_once(" of ").unwrap();
        let (total, rest) = rest.split_once(' ').unwrap();
        assert_eq!(number(total), count);
        assert_eq!(number(number_shown), shown.lines().count() as u64, "{note}");
        assert!(
            rest.starts_with(&format!("{what} are shown; narrow ")),
            "{note}"
        );
    }
}

#[test]
fn a_bounded_answer_says_how_much_of_it_is_shown() {
    let here = directory();
    let lines: Vec<String> = (0..20_000).map(|n| format!("line {n}")).collect();
    fs::write(here.path().join("f"), lines.join("\n")).unwrap();
    let request = json!({"pattern": "line", "path": "f"});
    let answer = within(10_000, here.path(), "grep", &request);
    let shown = answer.field("output").lines().count();
    let note = format!("{shown} of 20,000 matches are shown; narrow pattern, glob or path.");
    assert_eq!(answer.note(), note);
    assert_eq!(answer.json()["count"], 20_000);
    assert!(answer.stdout.len() > 7_000, "{}", answer.stdout.len());
    // Long lines, of which the surroundings of the match are shown.
    let long = "é".repeat(50_000);
    fs::write(here.path().join("g"), format!("{long}\n{long}\n")).unwrap();
    let request = json!({"pattern": "é", "path": "g"});
    let answer = within(1000, here.path(), "grep", &request);
    let note = "1 of 2 matches are shown; narrow pattern, glob or path.";
    assert_eq!(answer.note(), note);
    assert!(answer.field("output").starts_with("g:1: éé"));
    assert!(!answer.field("output").contains('\u{FFFD}'));
}

#[test]
fn as_many_names_are_shown_in_order_as_there_is_room_for() {
    let here = directory();
    let end = "n".repeat(200);
    let names = (0..3000).map(|n| format!("{n:04}-{end}"));
    common::add_names(here.path(), names);
    for pattern in ["*", "{1*,*}", "**/*", "{0,1,2}*"] {
        let request = json!({"pattern": pattern});
        let whole = tool("glob")
            .with(&request)
            .in_directory(here.path())
            .run()
            .json();
        for bytes in [300, 1000, 20_000, 200_000] {
            let answer = within(bytes, here.path(), "glob", &request);
            is_a_beginning(&answer, bytes, &whole, "names");
            answer
                .note()
                .assert_row("glob", "names of which a part is shown");
        }
    }
}

#[test]
fn an_agent_s_own_limits_hold() {
    let here = directory();
    fs::write(here.path().join("f"), "a line\n".repeat(50_000)).unwrap();
    let call = tool("grep")
        .with(&json!({"pattern": "a"}))
        .in_directory(here.path());
    let answer = call.env("IKIGAI_AGENT_ID", "x").run();
    assert!(answer.stdout.len() <= 65_000);
    answer
        .note()
        .assert_row("grep", "matches of which a part is shown");
}

proptest! {
    #[test]
    fn bounded_answers_are_beginnings_of_the_whole(
        contents in prop::collection::vec(r#"[a-c"\\\x01é\n ]{0,120}"#, 1..6),
        bytes in 256..3000_usize,
        pattern in "[abé.]",
    ) {
        let here = directory();
        for (at, content) in contents.iter().enumerate() {
            fs::write(here.path().join(format!("\"file{at}")), content).unwrap();
        }
        for (name, request, what) in [
            ("grep", json!({"pattern": pattern}), "matches"),
            ("glob", json!({"pattern": "{*,**/*}"}), "names"),
        ] {
            let whole = tool(name).with(&request).in_directory(here.path()).run().json();
            let answer = within(bytes, here.path(), name, &request);
            is_a_beginning(&answer, bytes, &whole, what);
        }
    }
}

fn in_seconds(seconds: &str, here: &Path, name: &str, request: &Value) -> Answer {
    let call = tool(name).with(request).in_directory(here);
    call.env("IKIGAI_MAX_SECONDS", seconds).run()
}

#[test]
fn a_search_ends_with_the_time_of_the_call_and_says_where() {
    let here = directory();
    let first = here.path().join("0000");
    fs::write(&first, "some words in a line\n".repeat(1 << 21)).unwrap();
    for n in 1..400 {
        fs::hard_link(&first, here.path().join(format!("{n:04}"))).unwrap();
    }
    for pattern in ["needle", "(n|m)eed+le", "some"] {
        let call = tool("grep")
            .with(&json!({"pattern": pattern}))
            .in_directory(here.path());
        let call = call.env("IKIGAI_MAX_ANSWER", "5000");
        let answer = call.env("IKIGAI_MAX_SECONDS", "1").run();
        let note = answer.note();
        assert!(answer.took.as_millis() < 2500, "{:?}", answer.took);
        note.assert_row("grep", "a search that ends with its time");
        assert!(answer.json()["error"].is_null());
        assert_eq!(answer.json()["count"] == 0, pattern != "some");
    }
}

#[test]
fn a_list_of_names_ends_with_the_time_of_the_call() {
    let here = directory();
    for n in 0..1000 {
        let directory = here.path().join(format!("d{}/e{n}", n % 10));
        fs::create_dir_all(directory.join("up")).unwrap();
    }
    let list: Vec<String> = (0..1000).map(|n| format!("?*{n}?*e{n}")).collect();
    for pattern in [
        "*/*/../../".repeat(30),
        format!("{}{{{}}}", "**/../".repeat(5), list.join(",")),
    ] {
        let answer = in_seconds("0.5", here.path(), "glob", &json!({"pattern": pattern}));
        assert!(answer.took.as_millis() < 2500, "{:?}", answer.took);
        let note = answer.note();
        note.assert_row("glob", "a pattern for which there was no time");
        let answer = in_seconds(
            "0.5",
            here.path(),
            "grep",
            &json!({"pattern": "x", "glob": pattern}),
        );
        assert!(answer.took.as_millis() < 2500, "{:?}", answer.took);
        answer
            .note()
            .assert_row("grep", "files for which there was no time");
    }
}
