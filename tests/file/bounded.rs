//! file-read within the limits that a caller sets: what is cut, and how to go on to the end.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::messages::TextRow;
use crate::common::{Answer, directory, text, tool};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Reads within `limit` bytes.
fn read(file: &Path, request: &Value, limit: usize) -> Answer {
    let mut request = request.clone();
    request["file_path"] = text(file).into();
    let answer = tool("file-read")
        .with(&request)
        .env("IKIGAI_MAX_ANSWER", limit.to_string())
        .run();
    assert_eq!(answer.code(), 0);
    assert!(
        answer.stdout.len() <= limit,
        "{} bytes of {limit}",
        answer.stdout.len()
    );
    answer
}

/// What a note says to ask for next: `"offset":840`, `"limit":161`.
fn next(note: &str) -> Option<Value> {
    let number = |name: &str| -> Option<u64> {
        let (_, rest) = note.split_once(&format!("\"{name}\":"))?;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        Some(digits.parse().unwrap())
    };
    let mut request = json!({"offset": number("offset")?});
    if let Some(limit) = number("limit") {
        request["limit"] = limit.into();
    }
    Some(request)
}

/// What the rest of a long line is, as the note's command shows it, piece by piece.
fn rest_of_line(note: &str, limit: usize, mut left: u64) -> Vec<u8> {
    let command = note.split('`').nth(1).expect("a command");
    let (from, file) = command
        .strip_prefix("tail -c +")
        .and_then(|rest| rest.split_once(' '))
        .unwrap();
    let (file, most) = file.split_once(" | head -c ").unwrap();
    let (mut from, most): (u64, u64) = (from.parse().unwrap(), most.parse().unwrap());
    let mut line = Vec::new();
    let mut piece = most;
    while left > 0 {
        let command = format!("tail -c +{from} {file} | head -c {}", piece.min(left));
        let answer = tool("bash")
            .with(&json!({"command": command}))
            .env("IKIGAI_MAX_ANSWER", limit.to_string())
            .run();
        let output = answer.field("output");
        // Behind the first piece, which is exact, somebody else has to see where characters end,
        // and what takes more room than what was before it.
        if from.to_string() != command.split(['+', ' ']).nth(3).unwrap()
            || (output.contains('\u{FFFD}') || answer.note() != "") && piece > 1
        {
            assert!(!line.is_empty(), "{command}: {output}");
            piece -= 1;
            continue;
        }
        assert_eq!(answer.note(), "", "{command}");
        from += output.len() as u64;
        left -= output.len() as u64;
        line.extend(output.as_bytes());
        piece = most;
    }
    line
}

/// Reads all that `request` asks for, going on as each note says; returns it and the number of
/// calls.
fn read_to_the_end(file: &Path, request: &Value, limit: usize) -> (Vec<u8>, usize) {
    let mut whole = Vec::new();
    let mut request = request.clone();
    for calls in 1.. {
        let answer = read(file, &request, limit);
        let (output, note) = (answer.field("output"), answer.note());
        whole.extend(output.as_bytes());
        if let Some((_, rest)) = note.split_once("bytes long") {
            let length = note.split(" bytes long").next().unwrap();
            let length = length.rsplit(' ').next().unwrap().replace(',', "");
            let left = length.parse::<u64>().unwrap() - output.len() as u64;
            if left > 0 {
                whole.extend(rest_of_line(rest, limit, left));
            }
            if note.contains("go on") || whole.len() < fs::read(file).unwrap().len() {
                whole.push(b'\n');
            }
        }
        match next(&note) {
            Some(next) => {
                assert_ne!(next, request, "{note}");
                request = next;
            }
            None => return (whole, calls),
        }
    }
    unreachable!()
}

#[test]
fn an_answer_is_cut_at_whole_lines_and_says_how_to_go_on() {
    let here = directory();
    let file = here.path().join("lines");
    let lines = (1..=2000).map(|n| format!("line number {n}\n"));
    let lines = lines.collect::<Vec<_>>().concat();
    fs::write(&file, &lines).unwrap();
    let answer = read(&file, &json!({}), 10_000);
    let output = answer.field("output");
    let shown = output.lines().count();
    assert!(output.ends_with('\n') && lines.starts_with(&output));
    assert!(shown > 350, "{shown}");
    let (whole, calls) = read_to_the_end(&file, &json!({}), 10_000);
    assert!(whole == lines.as_bytes() && calls < 7, "{calls}");
    // With the caller's own window.
    let request = json!({"offset": 11, "limit": 1000});
    let wanted: String = lines.split_inclusive('\n').skip(10).take(1000).collect();
    assert!(read_to_the_end(&file, &request, 10_000).0 == wanted.as_bytes());
}

#[test]
fn a_line_longer_than_the_limit_is_cut_at_a_character_and_the_rest_is_to_be_had() {
    let here = directory();
    let file = here.path().join("it's long.json");
    let long = "{\"grün\":\"\u{1F600}\"},".repeat(900);
    let content = format!("first\n{long}\nlast\n");
    fs::write(&file, &content).unwrap();
    let answer = read(&file, &json!({}), 5000);
    assert_eq!(answer.field("output"), "first\n");
    let answer = read(&file, &json!({"offset": 2}), 5000);
    let shown = answer.field("output");
    assert!(
        long.starts_with(&shown) && shown.len() > 2000,
        "{}",
        shown.len()
    );
    let note = answer.note();
    // The command is exact, and its answer whole.
    let command = note.split('`').nth(1).unwrap();
    let more = tool("bash")
        .with(&json!({"command": command}))
        .env("IKIGAI_MAX_ANSWER", "5000")
        .run();
    assert_eq!(more.note(), "");
    let more = more.field("output");
    assert!(more.len() > 2000 && long[shown.len()..].starts_with(&more));
    assert!(read_to_the_end(&file, &json!({}), 5000).0 == content.as_bytes());
}

#[test]
fn what_little_is_left_of_a_long_line_is_shown_by_one_command() {
    let here = directory();
    let file = here.path().join("long");
    let mut seen = 0;
    for length in (400..480).step_by(5) {
        let line = "\"é".repeat(length);
        fs::write(&file, &line).unwrap();
        let answer = read(&file, &json!({}), 2400);
        let left = line.len() - answer.field("output").len();
        if (1..60).contains(&left) {
            let note = answer.note();
            let command = format!("head -c {left}` shows the other {left}");
            assert!(note.ends_with(&command), "{note}");
            seen += 1;
        }
    }
    assert!(seen > 2, "{seen}");
}

#[test]
fn nothing_is_read_beyond_the_cut() {
    let here = directory();
    let file = here.path().join("huge");
    let lines = "a line of some length in a huge file\n".repeat(20_000);
    fs::write(&file, &lines).unwrap();
    // The rest is a hole of 3 GB: one line, which would take seconds.
    fs::File::options()
        .write(true)
        .open(&file)
        .unwrap()
        .set_len(3_000_000_000)
        .unwrap();
    let started = Instant::now();
    let answer = read(&file, &json!({}), 40_000);
    assert!(
        answer.note().starts_with("lines 1 to "),
        "{}",
        answer.note()
    );
    let answer = read(&file, &json!({"offset": 20_001}), 40_000);
    let note = answer.note();
    note.assert_row("file_read", "a line that is not read to its end");
    assert!(
        started.elapsed() < Duration::from_secs(2),
        "{:?}",
        started.elapsed()
    );
}

#[test]
fn the_limit_holds_for_notes_of_other_kinds_and_for_failures() {
    let here = directory();
    let file = here.path().join("binary");
    fs::write(&file, [0u8, 1, 2, 0x1F].repeat(50_000)).unwrap();
    let answer = read(&file, &json!({}), 3000);
    let note = answer.note();
    let place = [(text(&file), "<file>")];
    note.assert_row_at("file_read", "a binary file of one long line", &place);
    let long = "x".repeat(5000);
    let answer = read(Path::new(&format!("/tmp/{long}")), &json!({}), 1000);
    assert_eq!(answer.json()["error_code"], "OPEN_FAILED");
}

#[test]
fn a_writer_in_the_way_is_waited_for_within_the_time_of_the_call() {
    use rustix::fs::{FlockOperation, flock};
    let here = directory();
    let file = here.path().join("file");
    fs::write(&file, "old").unwrap();
    let holder = fs::File::open(&file).unwrap();
    flock(&holder, FlockOperation::LockExclusive).unwrap();
    for (name, request) in [
        ("file-write", json!({"content": "new"})),
        (
            "file-edit",
            json!({"old_string": "old", "new_string": "new"}),
        ),
    ] {
        let mut request = request;
        request["file_path"] = text(&file).into();
        let answer = tool(name)
            .with(&request)
            .env("IKIGAI_MAX_SECONDS", "0.5")
            .run();
        let object = answer.json();
        assert_eq!(object["error_code"], "TIMEOUT", "{object}");
        answer
            .note()
            .assert_row("file_write", "a write for which there was no time");
        assert!(answer.took > Duration::from_millis(400));
        assert!(answer.took < Duration::from_secs(4), "{:?}", answer.took);
        assert_eq!(fs::read(&file).unwrap(), b"old");
    }
    drop(holder);
    let request = json!({"file_path": text(&file), "content": "new"});
    let answer = tool("file-write")
        .with(&request)
        .env("IKIGAI_MAX_SECONDS", "0.5")
        .run();
    assert_eq!(answer.json()["bytes"], 3);
}

#[test]
fn a_narrow_limit_leaves_room_for_how_to_go_on() {
    let here = directory();
    let file = here.path().join("lines");
    fs::write(&file, format!("{}\n", "x".repeat(2000)).repeat(2)).unwrap();
    for limit in [256, 300, 400, 600, 900] {
        let answer = read(&file, &json!({}), limit);
        assert!(answer.field("output").len() > limit / 2, "{limit}");
        let note = answer.note();
        assert!(note.starts_with("line 1 is "), "{note}");
        assert!(note.ends_with("go on after it with \"offset\":2"), "{note}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn following_the_notes_to_the_end_gives_the_whole(
        lines in proptest::collection::vec(
            prop_oneof![
                6 => "[a-z äé€\u{1F600}\"\\\\\t\u{1}\u{7f}]{0,80}",
                2 => Just(String::new()),
                1 => "[x\"é\u{1F600}]{0,40}".prop_map(|text| text.repeat(40)),
                1 => "[\u{1}-\u{8}]{200}".prop_map(|text| text.repeat(3)),
            ],
            0..60,
        ),
        end in prop_oneof![Just("\n"), Just("\r\n")],
        unended: bool,
        limit in 1500..6000usize,
        window in prop_oneof![
            3 => Just(None),
            1 => (1..40u64, 1..40u64).prop_map(Some),
        ],
    ) {
        let here = directory();
        let file = here.path().join("the file");
        let mut content = lines.join(end) + end;
        if lines.is_empty() {
            content.clear();
        }
        if unended {
            content.truncate(content.trim_end_matches(['\r', '\n']).len());
        }
        fs::write(&file, &content).unwrap();
        let (request, wanted) = match window {
            None => (json!({}), content.clone()),
            Some((first, count)) => (
                json!({"offset": first, "limit": count}),
                content
                    .split_inclusive('\n')
                    .skip(usize::try_from(first - 1).unwrap())
                    .take(usize::try_from(count).unwrap())
                    .collect(),
            ),
        };
        let (whole, _) = read_to_the_end(&file, &request, limit);
        // A line that is cut short of its very end may be the last of a window.
        let whole = String::from_utf8(whole).unwrap();
        prop_assert!(
            whole == wanted || whole.trim_end_matches('\n') == wanted.trim_end_matches('\n'),
            "{:?}\n{:?}", whole, wanted
        );
    }
}
