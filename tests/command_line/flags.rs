//! The command line as people use it: flags, what a terminal shows, what a pipe gets.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::terminal::{Seen, Streams, run, run_in, start_in};
use crate::common::messages::TextRow;
use crate::common::{BINARY, directory, link, piped, tool};
use serde_json::{Value, json};

const PROGRAM: &str = BINARY;

fn at_terminal(args: &[&str]) -> Seen {
    run(Path::new(PROGRAM), args, Streams::All)
}

/// A room with two files, in which the program is called.
fn room() -> tempfile::TempDir {
    let room = directory();
    fs::write(room.path().join("a.txt"), "one\ntwo\nthree\n").unwrap();
    fs::write(room.path().join("b.txt"), "four\n").unwrap();
    room
}

fn in_room(room: &Path, args: &[&str]) -> Seen {
    run_in(room, Path::new(PROGRAM), args, Streams::All, &[])
}

/// `text` without its colours.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        plain += before;
        rest = after.split_once('m').expect("a colour").1;
    }
    plain + rest
}

#[test]
fn a_terminal_shows_the_output_itself() {
    let room = room();
    for (args, shown) in [
        (&["file-read", "a.txt"][..], "one\ntwo\nthree\n"),
        (
            &[
                "file-read",
                "--file-path",
                "a.txt",
                "--offset=2",
                "--limit",
                "1",
            ],
            "two\n",
        ),
        (
            &["grep", "t", "--glob", "*.txt"],
            "a.txt\n2: two\n3: three\n",
        ),
        (&["grep", "--pattern", "four", "--path=b.txt"], "1: four\n"),
        (&["glob", "*.txt"], "a.txt\nb.txt\n"),
        (
            &["file-edit", "b.txt", "four", "4"],
            "Replaced 1 occurrence in b.txt (line 1)\n",
        ),
        (
            &[
                "file-edit",
                "--new_string",
                "five",
                "b.txt",
                "4",
                "--replace-all",
            ],
            "Replaced 1 occurrence in b.txt (line 1)\n",
        ),
        (
            &["file-write", "c.txt", "no newline"],
            "Wrote 10 bytes to c.txt\n",
        ),
        (&["file-read", "c.txt"], "no newline\n"),
        (&["bash", "printf 'a\\nb'; exit 0"], "a\nb\n"),
        (&["bash", "true"], ""),
        (&["file_read", "b.txt"], "five\n"),
    ] {
        let seen = in_room(room.path(), args);
        let terminal = plain(&seen.terminal);
        assert_eq!((terminal.as_str(), seen.code), (shown, 0), "{args:?}");
    }
}

#[test]
fn a_link_takes_flags_too() {
    let seen = run(&link("bash"), &["echo hello"], Streams::All);
    assert_eq!((seen.terminal.as_str(), seen.code), ("hello\n", 0));
}

#[test]
fn a_call_ends_as_its_command_did_or_as_programs_of_its_kind_do() {
    let room = room();
    for (args, code) in [
        (&["bash", "exit 3"][..], 3),
        (&["bash", "kill -9 $$"], 137),
        (&["bash", "nonexistent-command"], 127),
        (&["file-read", "gone"], 1),
        (&["grep", "(unclosed"], 2),
        (&["grep", "nothing like it"], 1),
        (&["bash", "--workdir", "/nonexistent", "true"], 125),
        (&["file-edit", "a.txt", "zero", "0"], 1),
        (&["web-fetch", "ftp://127.0.0.1/"], 1),
    ] {
        assert_eq!(in_room(room.path(), args).code, code, "{args:?}");
    }
}

#[test]
fn errors_go_to_stderr_in_one_line() {
    let room = room();
    let out = |args: &[&str]| {
        let seen = run_in(room.path(), Path::new(PROGRAM), args, Streams::Out, &[]);
        (seen.terminal, seen.piped)
    };
    let (shown, error) = out(&["file-read", "gone"]);
    assert_eq!(shown, "");
    // Behind the error stands what to do about it, on a line of its own.
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(lines[0], "file-read: File not found: gone");
    assert!(
        lines.len() <= 2
            && lines[1..]
                .iter()
                .all(|line| line.starts_with("file-read: "))
    );
    assert_eq!(
        out(&["grep", "nothing like it"]),
        (String::new(), "grep: nothing found\n".to_owned())
    );
    assert_eq!(out(&["web-fetch", "ftp://127.0.0.1/"]).0, "",);
    let (shown, error) = out(&["web-fetch", "ftp://127.0.0.1/"]);
    assert!(
        shown.is_empty() && error.starts_with("web-fetch: Invalid URL: "),
        "{error}"
    );
}

#[test]
fn a_pipe_gets_the_same_text_and_the_same_exit_code_as_a_terminal() {
    let room = room();
    for (args, out, code) in [
        (&["bash", "echo x; echo y >&2; exit 3"][..], "x\ny\n", 3),
        (&["bash", "printf 'a\\nb'"], "a\nb", 0),
        (&["bash", "true"], "", 0),
        (&["bash", "kill -9 $$"], "", 137),
        (
            &["bash", "--timeout", "1", "echo begun; sleep 30"],
            "begun\n",
            124,
        ),
        (&["bash", "--workdir", "/", "pwd"], "/\n", 0),
        (&["bash", "--workdir", "/nonexistent", "pwd"], "", 125),
        (
            &["bash", ""],
            "bash: the command is empty, nothing was run",
            127,
        ),
        (&["file-read", "a.txt"], "one\ntwo\nthree\n", 0),
        (&["file-read", "--limit", "1", "a.txt"], "one\n", 0),
        (&["file-read", "gone"], "", 1),
        (&["grep", "four", "--glob", "*.txt"], "b.txt:1: four\n", 0),
        (&["grep", "zero", "--glob", "*.txt"], "", 1),
        (&["grep", "(unclosed"], "", 2),
        (&["glob", "*.txt"], "a.txt\nb.txt\n", 0),
        (&["glob", "*.rs"], "", 1),
        (&["glob", "*", "--path", "a\u{1}"], "", 2),
        (&["file-write", "c.txt", "x"], "Wrote 1 bytes to c.txt\n", 0),
        (&["file-write", "gone/", "x"], "", 1),
        (
            &["file-edit", "c.txt", "x", "y"],
            "Replaced 1 occurrence in c.txt (line 1)\n",
            0,
        ),
        (&["file-edit", "c.txt", "x", "y"], "", 1),
        (&["web-fetch", "ftp://127.0.0.1/"], "", 1),
        (&["grep", "--nonsense"], "", 2),
    ] {
        let (piped_code, piped_out, err) = piped(room.path(), args);
        assert_eq!(
            (piped_out.as_str(), piped_code),
            (out, code),
            "{args:?}: {err}"
        );
        let failed = code != 0 && out.is_empty();
        let silent = ["kill -9 $$", "zero", "*.rs", "a\u{1}"];
        let silent = args.iter().any(|arg| silent.contains(arg));
        // Notes and errors; what a search did not find may have its reason.
        if failed && !silent {
            assert!(
                err.starts_with(args[0]) || err.starts_with("error"),
                "{args:?}: {err}"
            );
        }
        if !failed && code == 0 {
            assert_eq!(err, "", "{args:?}");
        }
        if args[0] != "file-edit" {
            let seen = in_room(room.path(), args);
            assert_eq!(seen.code, code, "{args:?}");
        }
    }
    let (_, _, err) = piped(room.path(), &["file-read", "gone"]);
    assert!(
        err.starts_with("file-read: File not found: gone\n"),
        "{err}"
    );
    let (_, _, err) = piped(room.path(), &["bash", "--timeout", "1", "sleep 30"]);
    assert!(
        err.starts_with("bash: The command was ended after 0.5 seconds"),
        "{err}"
    );
}

#[test]
fn with_json_it_is_the_object_that_a_host_gets_with_its_exit_codes() {
    let room = room();
    for (name, args, request, code) in [
        (
            "bash",
            &["echo x; exit 3"][..],
            json!({"command": "echo x; exit 3"}),
            0,
        ),
        (
            "file-read",
            &["--limit", "1", "a.txt"],
            json!({"file_path": "a.txt", "limit": 1}),
            0,
        ),
        ("file-read", &["gone"], json!({"file_path": "gone"}), 0),
        (
            "glob",
            &["*.txt", "--path", "."],
            json!({"pattern": "*.txt", "path": "."}),
            0,
        ),
        (
            "web-fetch",
            &["ftp://127.0.0.1/"],
            json!({"url": "ftp://127.0.0.1/"}),
            1,
        ),
        ("web-search-brave", &["x"], json!({"query": "x"}), 1),
    ] {
        let link = if name.starts_with("web") {
            format!("{name}-tool")
        } else {
            name.to_owned()
        };
        let host = tool(&link).with(&request).in_directory(room.path()).run();
        let args = [&[name, "--json"], args].concat();
        let (piped_code, out, err) = piped(room.path(), &args);
        assert_eq!(out.as_bytes(), host.stdout, "{args:?}");
        assert_eq!(
            (piped_code, err),
            (host.code(), host.stderr.clone()),
            "{args:?}"
        );
        assert_eq!(piped_code, code, "{args:?}");
        let seen = run_in(room.path(), Path::new(PROGRAM), &args, Streams::NotOut, &[]);
        assert_eq!((seen.piped.as_bytes(), seen.code), (&host.stdout[..], code));
    }
}

#[test]
fn a_pipe_gets_every_byte_as_it_is() {
    let room = directory();
    let mut bytes: Vec<u8> = (0..=255u8).cycle().take(300_000).collect();
    bytes.extend_from_slice("\u{1b}[31m\u{202e}é".as_bytes());
    fs::write(room.path().join("f"), &bytes).unwrap();
    let out = |args: &[&str]| {
        let mut command = Command::new(PROGRAM);
        let output = command
            .args(args)
            .current_dir(room.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        output.stdout
    };
    assert!(out(&["file-read", "f"]) == bytes);
    assert!(out(&["bash", "cat f"]) == bytes);
    assert!(out(&["bash", "cat f; echo"]) == [&bytes[..], b"\n"].concat());
    fs::write(room.path().join("\u{1b}[31mname"), "a\u{7}\n").unwrap();
    assert_eq!(out(&["glob", "*name"]), "\u{1b}[31mname\n".as_bytes());
    let found = "\u{1b}[31mname:1: a\u{7}\n";
    assert_eq!(out(&["grep", "^a", "--glob", "*name"]), found.as_bytes());
}

#[test]
fn a_reader_that_has_enough_ends_the_call_quietly() {
    let room = directory();
    let line = "a line of some length\n";
    fs::write(room.path().join("f"), line.repeat(200_000)).unwrap();
    for call in ["file-read f", "grep line --path f", "bash 'yes a line'"] {
        let script = format!("{PROGRAM} {call} | head -n 1");
        let mut sh = Command::new("sh");
        let output = sh
            .args(["-c", &script])
            .current_dir(room.path())
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 1);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{call}");
    }
}

#[test]
fn a_search_is_a_condition_for_scripts() {
    let room = room();
    let script = "if ikigai grep -- '^four' --path . >/dev/null; then echo found; fi
        ikigai grep nothing-like-it --path . || echo $?
        ikigai grep '(' 2>/dev/null || echo $?
        ikigai glob '*.none' || echo $?
        lines=$(ikigai file-read a.txt | wc -l); echo $lines
        ikigai bash 'exit 7' || echo $?";
    let script = script.replace("ikigai ", &format!("{PROGRAM} "));
    let script = script.replace("-- '^four'", "'^four'");
    let mut sh = Command::new("sh");
    let output = sh
        .args(["-c", &script])
        .current_dir(room.path())
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(out, "found\n1\n2\n1\n3\n7\n");
}

#[test]
fn json_on_a_terminal_is_json_for_whoever_asks_for_it() {
    let seen = at_terminal(&["bash", "--json", "printf 'a\\033[31m\\302\\233'; exit 3"]);
    assert_eq!(seen.code, 0);
    assert!(!seen.terminal.contains(['\u{1b}', '\u{9b}']), "{seen:?}");
    let json = seen
        .terminal
        .strip_suffix("}\n")
        .expect("one newline")
        .to_owned()
        + "}";
    let answer: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(answer, json!({"output": "a\u{fffd}", "exit_code": 3}));
    let (_, out, _) = piped(Path::new("."), &["bash", "--json", "true"]);
    assert!(out.ends_with('}'), "{out}");
}

#[test]
fn input_and_stdin_work_as_for_a_host() {
    let room = room();
    fs::write(
        room.path().join("request.json"),
        r#"{"file_path":"a.txt","limit":1}"#,
    )
    .unwrap();
    let expected = r#"{"output":"one\n"}"#;
    let (code, out, _) = piped(room.path(), &["file-read", "--input", "request.json"]);
    assert_eq!((code, out.as_str()), (0, expected));
    let seen = in_room(room.path(), &["file-read", "--input=request.json"]);
    assert_eq!(seen.terminal, expected);
    for args in [
        &["bash"][..],
        &["bash", "--json"],
        &["bash", "--input", "-"],
    ] {
        let streams = Streams::NotIn(r#"{"command":"echo x; exit 3"}"#);
        let seen = run(Path::new(PROGRAM), args, streams);
        assert_eq!(seen.terminal, r#"{"output":"x","exit_code":3}"#, "{args:?}");
        assert_eq!(seen.code, 0);
    }
    let (code, out, err) = piped(room.path(), &["file-read", "--input", "gone.json"]);
    assert_eq!(code, 1);
    format!("{out}{err}").assert_row("command_line", "a request that is not there");
    let (code, out, _) = piped(room.path(), &["file-read", "--input", "x", "--limit", "1"]);
    assert_eq!((code, out.as_str()), (2, ""));
}

#[test]
fn a_tool_called_with_nothing_on_a_terminal_shows_its_help() {
    for name in ["grep", "web-search-google"] {
        for args in [&[name][..], &[name, "--json"]] {
            let seen = at_terminal(args);
            assert_eq!(seen.code, 0);
            assert!(
                seen.terminal.contains("Usage: ") && seen.terminal.contains("Example:"),
                "{seen:?}"
            );
        }
    }
    let seen = run(&link("bash"), &[], Streams::All);
    assert!(
        seen.terminal.contains("Usage: bash [OPTIONS] COMMAND"),
        "{seen:?}"
    );
    let seen = run(Path::new(PROGRAM), &["bash"], Streams::NotOut);
    assert_eq!((seen.code, seen.piped.as_str()), (2, ""));
    assert!(seen.terminal.contains("--help"), "{seen:?}");
}

#[test]
fn what_would_steer_the_terminal_is_shown_instead() {
    let room = directory();
    let hostile = "\u{1b}]0;owned\u{7}a\tb\r\u{9b}2J\u{202e}\u{8}\u{7f}é\n";
    let harmless = "\\x1b]0;owned\\x07a\tb\\x0d\\x9b2J<U+202E>\\x08\\x7fé\n";
    fs::write(room.path().join("f"), hostile).unwrap();
    fs::write(room.path().join("\u{1b}[31mname"), "").unwrap();
    let seen = in_room(room.path(), &["file-read", "f"]).terminal;
    let (shown, note) = seen.split_at(harmless.len());
    assert_eq!(shown, harmless);
    note.assert_row("file_read", "control characters at a terminal");
    let seen = plain(&in_room(room.path(), &["bash", "cat f"]).terminal);
    let is_steering = |c: char| c.is_control() && !"\n\t".contains(c) || c == '\u{202e}';
    assert!(
        seen.contains('é') && !seen.contains(is_steering),
        "{seen:?}"
    );
    let seen = plain(&in_room(room.path(), &["glob", "*name"]).terminal);
    assert!(seen.starts_with("\\x1b[31mname\n"), "{seen}");
    let seen = in_room(room.path(), &["grep", "owned", "--path", "f"]).terminal;
    let seen = plain(&seen);
    assert!(seen.starts_with(&format!("1: {harmless}")), "{seen}");
    let variables = [("NO_COLOR", OsStr::new("1"))];
    for args in [
        &["file-read", "\u{1b}[2J"][..],
        &["\u{1b}[2J"],
        &["grep", "--\u{1b}[2J"],
        &["help", "\u{9b}"],
    ] {
        let seen = run_in(
            room.path(),
            Path::new(PROGRAM),
            args,
            Streams::All,
            &variables,
        );
        assert!(!seen.terminal.contains(['\u{1b}', '\u{9b}']), "{seen:?}");
        assert_ne!(seen.code, 0);
    }
}

#[test]
fn colours_are_for_terminals_and_never_under_no_color() {
    let room = room();
    let error = |variables: &[(&str, &OsStr)]| {
        let args = ["file-read", "gone"];
        run_in(
            room.path(),
            Path::new(PROGRAM),
            &args,
            Streams::All,
            variables,
        )
        .terminal
    };
    let coloured = error(&[]);
    assert!(plain(&coloured).starts_with("file-read: File not found: gone\n"));
    assert_ne!(coloured, plain(&coloured));
    assert_eq!(error(&[("NO_COLOR", OsStr::new(""))]), coloured);
    assert_eq!(error(&[("NO_COLOR", OsStr::new("1"))]), plain(&coloured));
    assert_eq!(error(&[("TERM", OsStr::new("dumb"))]), plain(&coloured));
    let piped = run_in(
        room.path(),
        Path::new(PROGRAM),
        &["file-read", "gone"],
        Streams::Out,
        &[],
    );
    assert_eq!(piped.piped, plain(&coloured));
}

#[test]
fn a_command_s_output_is_shown_as_it_comes() {
    let started = Instant::now();
    let args = ["bash", "printf 'password: '; sleep 120"];
    let mut running = start_in(Path::new("."), Path::new(PROGRAM), &args, Streams::All, &[]);
    assert!(running.shows("password: "));
    assert!(started.elapsed() < Duration::from_secs(60));
    running.child.kill().unwrap();
    running.child.wait().unwrap();
}

#[test]
fn help_is_there_for_everything() {
    let room = room();
    for (args, said) in [
        (&["help"][..], "Other commands:"),
        (
            &["help", "grep"],
            "Usage: ikigai-tools grep [OPTIONS] PATTERN",
        ),
        (&["help", "doctor"], "Usage: ikigai-tools doctor"),
        (&["doctor", "--help"], "Usage: ikigai-tools doctor"),
        (&["list", "--help"], "Usage: ikigai-tools list"),
        (
            &["grep", "x", "--help"],
            "ikigai-tools grep '^root:' --path /etc/passwd",
        ),
        (&["grep", "x", "--schema"], "\"name\": \"grep\""),
        (&["grep", "--version"], "ikigai-tools 0."),
    ] {
        let (code, out, err) = piped(room.path(), args);
        assert_eq!((code, err.as_str()), (0, ""), "{args:?}");
        assert!(out.contains(said), "{args:?}: {out}");
    }
}

#[test]
fn the_example_in_flags_of_each_local_tool_works() {
    let room = directory();
    for name in [
        "bash",
        "file-read",
        "file-write",
        "file-edit",
        "glob",
        "grep",
    ] {
        let (_, help, _) = piped(room.path(), &[name, "--help"]);
        let (_, example) = help.split_once("Example:\n  ikigai-tools ").unwrap();
        let example = example.lines().next().unwrap().replace("/tmp/", "");
        // The written text has its newline in it, as the request has.
        let example = if name == "file-write" {
            "file-write hello.txt 'Hello, world!'".to_owned()
        } else {
            example
        };
        let example = example.replacen(name, &format!("{name} --json"), 1);
        let output = Command::new("sh")
            .args(["-c", &format!("{PROGRAM} {example}")])
            .current_dir(room.path())
            .output()
            .unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(answer.get("error").is_none(), "{name}: {answer}");
    }
}

#[test]
fn a_full_disk_is_an_error_and_a_closed_pipe_is_none() {
    for (program, args) in [
        (Path::new(PROGRAM), &["list"][..]),
        (Path::new(PROGRAM), &["schema"]),
        (Path::new(PROGRAM), &["--help"]),
        (Path::new(PROGRAM), &["--version"]),
        (Path::new(PROGRAM), &["completions", "bash"]),
        (Path::new(PROGRAM), &["mcp", "--help"]),
        (&link("grep"), &["--schema"]),
        (&link("grep"), &["--help"]),
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(program);
        let output = command.args(args).stdout(full).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {error}");
        assert!(
            error.lines().count() == 1 && error.contains("No space left"),
            "{args:?}: {error}"
        );
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(program);
        let output = command.args(args).stdout(writer).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert!(output.stderr.is_empty(), "{args:?}");
    }
    // 1 is what a search says that found nothing.
    for (args, code) in [
        (&["grep", "root", "/etc/passwd"][..], 2),
        (&["glob", "/etc/passwd"], 2),
        (&["file-read", "/etc/passwd"], 1),
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(PROGRAM);
        let output = command.args(args).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}");
    }
}

#[test]
fn a_number_is_taken_in_every_form_that_json_has_for_it() {
    let room = room();
    for (number, output) in [
        ("2", "two\nthree\n"),
        ("2.0", "two\nthree\n"),
        ("2e0", "two\nthree\n"),
        (" 2 ", "two\nthree\n"),
        ("-5", "one\ntwo\nthree\n"),
        ("-1e300", "one\ntwo\nthree\n"),
        ("99999999999999999999", ""),
        ("1e300", ""),
    ] {
        let offset = format!("--offset={number}");
        let (code, out, err) = piped(room.path(), &["file-read", "a.txt", &offset]);
        assert_eq!((code, out.as_str()), (0, output), "{number}");
        assert_eq!(err.is_empty(), !output.is_empty(), "{number}: {err}");
    }
    let args = ["file-read", "a.txt", "--offset", "-1e300"];
    assert_eq!(piped(room.path(), &args).0, 0);
}
