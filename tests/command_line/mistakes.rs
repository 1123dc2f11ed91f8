//! What is said of a command line that cannot be meant as it was typed: what helps, ready to be
//! copied.

use std::path::Path;
use std::process::Command;

use super::terminal::{Streams, start_in};
use crate::common::messages::TextRow;
use crate::common::{BINARY, directory, link, piped};

fn refused(directory: &Path, args: &[&str]) -> String {
    let (code, out, err) = piped(directory, args);
    assert_eq!((code, out.as_str()), (2, ""), "{args:?}");
    err
}

#[test]
fn the_call_that_was_meant_is_said_and_works_when_it_is_copied() {
    let room = directory();
    std::fs::write(room.path().join("f"), "one\ntwo\nthree\n").unwrap();
    for (args, call, part) in [
        (&["bash", "ls", "-la"][..], "bash 'ls -la'", "total"),
        (
            &["bash", "echo", "a b", "-n"],
            r"bash 'echo '\''a b'\'' -n'",
            "a b -n",
        ),
        (
            &["bash", "-c", "echo hello", "sh"],
            "bash 'echo hello'",
            "hello",
        ),
        (&["bash", "--", "echo", "hi"], "bash 'echo hi'", "hi"),
        (
            &["bash", "echo a", "echo b"],
            "bash 'echo a'; ikigai-tools bash 'echo b'",
            "a\nb\n",
        ),
        (
            &["file-edit", "f", "two", "2", "three", "a b"],
            "file-edit f two 2; ikigai-tools file-edit f three 'a b'",
            "Replaced 1 occurrence in f (line 2)\nReplaced 1 occurrence in f (line 3)\n",
        ),
    ] {
        let said = refused(room.path(), args);
        let call = format!("ikigai-tools {call}");
        let line = said.lines().next().unwrap();
        assert!(line.ends_with(&call), "{args:?}: {said}");
        let call = call.replace("ikigai-tools", BINARY);
        let mut sh = Command::new("sh");
        let output = sh
            .args(["-c", &call])
            .current_dir(room.path())
            .output()
            .unwrap();
        let answer = String::from_utf8(output.stdout).unwrap();
        assert!(answer.contains(part), "{call}: {answer}");
        assert!(output.status.success(), "{call}");
    }
    let out = Command::new(link("bash"))
        .args(["ls", "-la"])
        .output()
        .unwrap();
    String::from_utf8_lossy(&out.stderr).assert_row("command_line", "a command in words");
}

#[test]
fn what_is_refused_steers_no_terminal() {
    let room = directory();
    for args in [
        &["grep", "\u{1b}[2J", "\u{9b}"][..],
        &["bash", "\u{1b}[2J", "x"],
    ] {
        assert!(!refused(room.path(), args).contains(['\u{1b}', '\u{9b}']));
    }
}

#[test]
fn a_server_at_a_terminal_says_what_it_waits_for_and_elsewhere_nothing() {
    let mut server = start_in(
        Path::new("."),
        Path::new(BINARY),
        &["mcp"],
        Streams::All,
        &[],
    );
    assert!(server.shows("waits for a client's messages on stdin"));
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    let (code, out, err) = piped(Path::new("."), &["mcp"]);
    assert_eq!((code, out.as_str(), err.as_str()), (0, "", ""));
}
