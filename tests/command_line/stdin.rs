//! Standard input in the place of a file: what grep searches and file-read reads where somebody
//! pipes into them, and where nobody does.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::terminal::{Streams, run_in};
use crate::common::messages::TextRow;
use crate::common::{BINARY, directory};

/// A directory with a file in which there is a match.
fn room() -> tempfile::TempDir {
    let room = directory();
    fs::write(room.path().join("here.txt"), "one\ntwo\n").unwrap();
    fs::write(room.path().join("left-out"), "three\n").unwrap();
    room
}

fn command(directory: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command.args(args).current_dir(directory);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn ended(child: Child) -> (i32, String, String) {
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// The answer to a call with this on its stdin, through a pipe.
fn fed(directory: &Path, args: &[&str], stdin: &[u8]) -> (i32, String, String) {
    let mut child = command(directory, args).spawn().unwrap();
    // A reader that has enough reads no further.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    ended(child)
}

fn with_stdin(directory: &Path, args: &[&str], stdin: impl Into<Stdio>) -> (i32, String, String) {
    ended(command(directory, args).stdin(stdin).spawn().unwrap())
}

#[test]
fn the_text_of_a_packed_stdin_is_not_said_to_have_been_searched() {
    let room = room();
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(b"one\ntwo\n").unwrap();
    let packed = packed.finish().unwrap();
    for (args, stdin, code) in [
        (&["two"][..], &*packed, 2),
        (&["two"], b"%PDF-1.7\n", 2),
        (&["-a", "two"], &packed, 1),
    ] {
        let (given, _, said) = fed(room.path(), &[&["grep"], args].concat(), stdin);
        assert_eq!(given, code, "{args:?}: {said}");
        let told = "`gzip -cd |` before this unpacks";
        assert_eq!(said.contains(told), code == 2, "{args:?}: {said}");
    }
}

#[test]
fn grep_searches_what_is_piped_into_it() {
    let room = room();
    for (args, stdin, code, out) in [
        (&["two"][..], "a\ntwo a\n", 0, "2: two a\n"),
        (&["two"], "nothing\n", 1, ""),
        (&["two", "-"], "two", 0, "1: two\n"),
        (&["two", "/dev/stdin"], "two\n", 0, "1: two\n"),
        (&["-i", "TWO"], "two\n", 0, "1: two\n"),
        (&["-c", "o"], "one\ntwo\nx\n", 0, "(standard input):2\n"),
        (&["-l", "o"], "one\n", 0, "(standard input)\n"),
        (&["-N", "o"], "one\n", 0, "one\n"),
        (&["-C1", "b"], "a\nb\nc\nd\n", 0, "1- a\n2: b\n3- c\n"),
        (&["-m1", "o"], "one\ntwo\n", 0, "1: one\n"),
        (&["--limit", "1", "o"], "one\ntwo\n", 0, "1: one\n"),
        (&["-q", "o"], "one\n", 0, ""),
        (
            &["two", "-", "here.txt"],
            "two\n",
            0,
            "(standard input):1: two\nhere.txt:2: two\n",
        ),
        (&["two", "here.txt"], "two a\n", 0, "here.txt:2: two\n"),
        (&["-r", "two"], "two a\n", 0, "here.txt:2: two\n"),
        (&["-R", "two"], "two a\n", 0, "here.txt:2: two\n"),
        (&["--path", ".", "two"], "two a\n", 0, "here.txt:2: two\n"),
        (&["-g", "*.txt", "two"], "two a\n", 0, "here.txt:2: two\n"),
        (&["-t", "txt", "two"], "two a\n", 0, "here.txt:2: two\n"),
        (
            &["--exclude", "left-out", "two"],
            "two a\n",
            0,
            "here.txt:2: two\n",
        ),
        (&["--all", "two"], "two a\n", 0, "here.txt:2: two\n"),
        (
            &["o"],
            "binary\0o\n",
            0,
            "binary file (standard input) matches, 1 line\n",
        ),
    ] {
        let args = [&["grep"], args].concat();
        let answer = fed(room.path(), &args, stdin.as_bytes());
        assert_eq!(
            (answer.0, answer.1.as_str(), answer.2.as_str()),
            (code, out, ""),
            "{args:?}"
        );
    }
    let (code, out, err) = fed(room.path(), &["grep", "two"], b"");
    assert_eq!((code, out.as_str(), err.lines().count()), (1, "", 1));
    let (code, out, _) = fed(room.path(), &["grep", "--json", "two"], b"a two\n");
    assert_eq!((code, out.contains("1: a two")), (0, true), "{out}");
}

#[test]
fn a_file_is_searched_as_a_pipe_and_all_other_kinds_of_stdin_are_left_alone() {
    let room = room();
    let other = room.path().join("other");
    fs::write(&other, "x\nin the file\n").unwrap();
    fs::remove_file(room.path().join("here.txt")).unwrap();
    fs::write(room.path().join("here.txt"), "the directory\n").unwrap();
    let args = ["grep", "the"];
    let file = || File::open(&other).unwrap();
    assert_eq!(with_stdin(room.path(), &args, file()).1, "2: in the file\n");
    // Nothing is left to read of it.
    let mut read = file();
    read.read_to_end(&mut Vec::new()).unwrap();
    let in_the_directory = "here.txt:1: the directory\nother:2: in the file\n";
    assert_eq!(with_stdin(room.path(), &args, read).1, in_the_directory);
    assert_eq!(
        with_stdin(room.path(), &args, Stdio::null()).1,
        in_the_directory
    );
    let (ours, theirs) = UnixStream::pair().unwrap();
    assert_eq!(
        with_stdin(room.path(), &args, OwnedFd::from(theirs)).1,
        in_the_directory
    );
    drop(ours);
    let closed = format!("exec {BINARY} grep the <&-");
    let mut sh = Command::new("sh");
    let output = sh
        .args(["-c", &closed])
        .current_dir(room.path())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), in_the_directory);
    let seen = run_in(room.path(), Path::new(BINARY), &args, Streams::NotOut, &[]);
    assert_eq!(seen.piped, in_the_directory);
    // As cron starts it, with neither a terminal nor a session of one.
    let mut setsid = Command::new("setsid");
    let setsid = setsid
        .args(["-w", BINARY, "grep", "the"])
        .current_dir(room.path());
    let output = setsid.stdin(Stdio::null()).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), in_the_directory);
}

#[test]
fn a_pipe_that_is_held_open_is_waited_for_and_its_lines_are_shown_as_they_come() {
    let room = room();
    let mut child = command(room.path(), &["grep", "two"]).spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let waiting = "grep: waiting for stdin; to search the directory, add .\n";
    let mut said = vec![0; waiting.len()];
    child
        .stderr
        .as_mut()
        .unwrap()
        .read_exact(&mut said)
        .unwrap();
    assert_eq!(String::from_utf8(said).unwrap(), waiting);
    stdin.write_all(b"one two\nthree\n").unwrap();
    let mut shown = [0; 11];
    stdout.read_exact(&mut shown).unwrap();
    assert_eq!(&shown, b"1: one two\n");
    stdin.write_all(b"two\n").unwrap();
    drop(stdin);
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!((rest.as_str(), ended(child).0), ("3: two\n", 0));
    // Who needs no more reads no more.
    for flag in ["-q", "-m1", "-l"] {
        let mut child = command(room.path(), &["grep", flag, "two"])
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"two\n").unwrap();
        let began = Instant::now();
        assert_eq!(ended(child).0, 0, "{flag}");
        assert!(began.elapsed() < Duration::from_secs(30), "{flag}");
        drop(stdin);
    }
}

#[test]
fn the_input_of_a_loop_is_left_to_it_where_a_place_is_given() {
    let room = room();
    fs::write(room.path().join("list"), "here.txt\nlist\n").unwrap();
    let script = format!("while read name; do {BINARY} grep -c e \"$name\"; done <list");
    let mut sh = Command::new("sh");
    let output = sh
        .args(["-c", &script])
        .current_dir(room.path())
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "here.txt:1\nlist:1\n"
    );
}

#[test]
fn a_long_stream_passes_through_in_little_memory() {
    let room = room();
    let script = format!(
        "ulimit -v 150000; head -c 200000000 /dev/zero | tr '\\0' '\\n' | {{ cat; echo end; }} | {BINARY} grep -c '^end$'"
    );
    let mut sh = Command::new("sh");
    let output = sh
        .args(["-c", &script])
        .current_dir(room.path())
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        out,
        "(standard input):1\n",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn file_read_reads_what_is_piped_into_it() {
    let room = room();
    for (args, stdin, out) in [
        (&["-"][..], "one\ntwo\n", "one\ntwo\n"),
        (&["-", "--offset", "2"], "one\ntwo\n", "two\n"),
        (&["-", "--offset", "-1"], "one\ntwo\n", "two\n"),
        (&["-", "--limit", "1"], "one\ntwo\n", "one\n"),
        (&["-5", "-"], "one\n", "one\n"),
        (&["-"], "", ""),
    ] {
        let args = [&["file-read"], args].concat();
        let answer = fed(room.path(), &args, stdin.as_bytes());
        assert_eq!(
            (answer.0, answer.1.as_str(), answer.2.as_str()),
            (0, out, ""),
            "{args:?}"
        );
    }
    let script = format!("yes | {BINARY} file-read - --limit 2");
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
    assert_eq!(output.stdout, b"y\ny\n");
}

#[test]
fn a_pattern_is_explained_on_a_pipe_as_in_a_file() {
    let room = room();
    for (pattern, stdin, told) in [
        ("foo..;$", "foo();\r\nbar\r\n", "CRLF on a pipe"),
        ("FOO", "foo\n", "another case on a pipe"),
        ("foo()", "bar foo() x\n", ""),
        ("foo(x)", "foo(x)\n", "plain text on a pipe"),
        ("x*", "foo\n", "an empty match on a pipe"),
        ("none", "foo\n", ""),
        ("foo", "foo\n", ""),
    ] {
        let (_, _, said) = fed(room.path(), &["grep", pattern], stdin.as_bytes());
        assert_eq!(said.is_empty(), told.is_empty(), "{pattern}: {said}");
        if !told.is_empty() {
            said.assert_row("grep", told);
        }
    }
}
