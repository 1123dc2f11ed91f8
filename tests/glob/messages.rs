//! The notes and errors of glob and grep, as text: `messages.txt` has each request and what the
//! answer says beside what it found. `UPDATE_MESSAGES=1` writes the file anew.

#![expect(clippy::format_collect, reason = "a text is put together line by line")]

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::notes::{follow, project};
use crate::common::{Answer, directory, text, tool, tree};

/// Sources in which patterns are looked for that were written for other tools.
const CODE: [(&str, &str); 4] = [
    (
        "src/m.py",
        "def foo(a):\n    return Index(a)\nx += 1\nargs = (*args, 1)\nclass Q(Base):\n    pass\n",
    ),
    (
        "src/deep.go",
        "package b\nfunc (s *Store) GetSession() {}\nfunc Top() {}\nfunc Other() { Index() }\nvar IndexOf = 1\n",
    ),
    ("lines", LINES),
    ("names", "cafe\u{301} au lait\ncaf\u{e9} noir\n"),
];

/// Lines of many kinds.
const LINES: &str = "alpha;\nbeta\n\nfoo(x, y)\n$this->foo = 1\nx12y aaa\nTODO one\nFIXME two\n\
                     ${HOME}/x\narr[0] = y\nC++ code\nin path\\to\\file\na || b\n";

/// The lines behind `request` in the file.
fn expected(messages: &str, request: &str) -> String {
    let (_, behind) = messages.split_once(&format!("{request}\n")).unwrap();
    let lines = behind.lines().take_while(|line| line.starts_with("    "));
    lines.map(|line| format!("{line}\n")).collect()
}

/// The answer's error, and its note; a dash where it has neither.
fn message(answer: &Value, here: &Path) -> String {
    let mut message = String::new();
    for field in ["error", "note"] {
        if let Some(sentence) = answer[field].as_str() {
            let sentence = sentence.replace(text(here), "<here>");
            let _ = writeln!(message, "    {field}: {sentence}");
        }
    }
    if message.is_empty() {
        message.push_str("    -\n");
    }
    message
}

/// Pattern and path of what a note says to send in place of a regular expression: it matches.
fn search_again(here: &Path, request: &Value, note: &str) {
    let Some((_, rest)) = note.split_once("the pattern matches: send ") else {
        return;
    };
    let mut again = request.clone();
    if rest.starts_with("\"ignore_case\":true") {
        again["ignore_case"] = true.into();
    } else {
        let sent = rest[1..].rsplit_once('`').unwrap().0;
        let sent = sent.split_once("`, in JSON ").map_or(sent, |both| both.0);
        again["pattern"] = sent.into();
    }
    let answer = tool("grep").with(&again).in_directory(here).run();
    assert!(answer.json()["count"].as_u64() > Some(0), "{note}");
}

#[test]
fn each_request_is_answered_with_its_message() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/glob/messages.txt");
    let wanted = fs::read_to_string(&file).unwrap();
    let mut found = String::new();
    let mut here = directory();
    let mut claims = 0;
    for line in wanted.lines() {
        if let Some(section) = line.strip_prefix("== ") {
            here = match section {
                "project" => project(),
                "code" => tree(&CODE),
                "crlf" => tree(&[("f", &*LINES.replace('\n', "\r\n"))]),
                "accents" => tree(&[("cafe\u{301}/re\u{301}sume\u{301}.txt", "one\n")]),
                other => panic!("{other}"),
            };
        }
        if line.starts_with("    ") {
            continue;
        }
        found.push_str(line);
        found.push('\n');
        let Some((name @ ("glob" | "grep"), request)) = line.split_once(' ') else {
            continue;
        };
        let place = text(here.path());
        let expected = expected(&wanted, line);
        let request = request.replace("<here>", place);
        let request: Value = serde_json::from_str(&request).unwrap();
        let call = || tool(name).with(&request).in_directory(here.path()).run();
        // Where a machine is busy, there was no time to find out why.
        let mut answers = std::iter::repeat_with(call).take(5);
        let as_expected = |answer: &Answer| message(&answer.json(), here.path()) == expected;
        let answer = answers.find(as_expected).unwrap_or_else(call);
        let note = answer.note();
        assert!(note.len() < 500, "{note}");
        assert!(!note.contains("  "), "{note}");
        claims += follow(here.path(), name, &request, &note);
        search_again(here.path(), &request, &note);
        found.push_str(&message(&answer.json(), here.path()));
    }
    if std::env::var_os("UPDATE_MESSAGES").is_some() {
        fs::write(&file, found).unwrap();
        return;
    }
    assert!(claims > 40, "{claims}");
    let differs = found
        .lines()
        .zip(wanted.lines())
        .find(|(found, wanted)| found != wanted);
    assert_eq!(differs, None, "UPDATE_MESSAGES=1 writes the file anew");
    assert_eq!(found.len(), wanted.len());
}
