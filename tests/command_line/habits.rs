//! The command line as people type it who know other programs: short flags, several paths, `-` for
//! stdin.

use std::fs;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};

use super::terminal::{Streams, start_in};
use crate::common::messages::TextRow;
use crate::common::{BINARY, directory, piped, skip};
use crate::server::Server;

/// A room with a file and two directories, each with a file.
fn room() -> tempfile::TempDir {
    let room = directory();
    for name in ["src", "doc"] {
        fs::create_dir(room.path().join(name)).unwrap();
        fs::write(room.path().join(name).join("a.txt"), "one\nTwo\n").unwrap();
    }
    fs::write(room.path().join("b.txt"), "one\ntwo\nthree twofold\n").unwrap();
    room
}

#[test]
fn short_flags_of_grep_do_what_they_do_elsewhere() {
    let room = room();
    for (args, found) in [
        (&["-i", "two", "src"][..], "src/a.txt:2: Two\n"),
        (
            &["-C", "1", "three", "b.txt"],
            "b.txt-2- two\nb.txt:3: three twofold\n",
        ),
        (&["-A1", "one", "b.txt"], "b.txt:1: one\nb.txt-2- two\n"),
        (
            &["-B", "1", "twofold", "b.txt"],
            "b.txt-2- two\nb.txt:3: three twofold\n",
        ),
        (&["-l", "two"], "b.txt\n"),
        (&["-c", "two"], "b.txt:2\n"),
        (&["-rn", "three", "."], "b.txt:3: three twofold\n"),
        (&["-rnr", "--hidden", "three"], "b.txt:3: three twofold\n"),
        (&["-e", "-x|three", "b.txt"], "b.txt:3: three twofold\n"),
        (
            &["-e", "three", "-e", "T", "-c", "src", "b.txt"],
            "src/a.txt:1\nb.txt:1\n",
        ),
        (
            &["-e", "(?i)TWO", "-e", "one", "src"],
            "src/a.txt:1: one\nsrc/a.txt:2: Two\n",
        ),
        (&["one", "--include", "b.*"], "b.txt:1: one\n"),
        (&["one", "-g", "*.rs", "-g", "b.{txt,md}"], "b.txt:1: one\n"),
        (
            &["one", "--exclude-dir", "src", "--exclude", "doc"],
            "b.txt:1: one\n",
        ),
        (
            &["one", "src", "doc", "b.txt"],
            "src/a.txt:1: one\ndoc/a.txt:1: one\nb.txt:1: one\n",
        ),
        (
            &["-e", "Two", "src", "doc"],
            "src/a.txt:2: Two\ndoc/a.txt:2: Two\n",
        ),
    ] {
        let (code, out, err) = piped(room.path(), &[&["grep"], args].concat());
        // Elsewhere `--exclude` leaves out no directory.
        let told = if args.contains(&"--exclude") {
            "grep: not searched, by exclude: doc and src\n"
        } else {
            ""
        };
        assert_eq!(
            (code, out.as_str(), err.as_str()),
            (0, found, told),
            "{args:?}"
        );
    }
}

#[test]
fn several_places_are_searched_and_one_that_is_missing_is_a_failure() {
    let room = room();
    let grep = |args: &[&str]| piped(room.path(), &[&["grep"], args].concat());
    let (code, out, err) = grep(&["one", "src", "gone", "doc"]);
    assert_eq!(
        (code, out.as_str()),
        (2, "src/a.txt:1: one\ndoc/a.txt:1: one\n")
    );
    assert!(
        err.starts_with("grep: gone: no such file or directory\n"),
        "{err}"
    );
    assert_eq!(grep(&["nothing", "src", "doc"]).0, 1);
    assert_eq!(grep(&["three", "src", "b.txt"]).0, 0);
    let bounds = room.path().to_str().unwrap();
    let many = ["src"; 20];
    let (code, out, err) = grep(&[&["--root", bounds, "one"], &many[..]].concat());
    assert_eq!((code, out.lines().count(), err.as_str()), (0, 20, ""));
    let (code, _, err) = grep(&["--root", bounds, "one", "src", "/"]);
    assert_eq!(code, 2);
    err.assert_row_at(
        "command_line",
        "a directory without the bounds, of several",
        &[(bounds, "<here>")],
    );
    assert_eq!(grep(&["--json", "one", "src", "doc"]).0, 2);
    assert_eq!(grep(&["one", "--path", "src", "doc"]).0, 2);
}

#[test]
fn what_a_server_alone_can_do_is_no_flag_but_its_absence_is_explained() {
    let room = room();
    for args in [
        &["bash", "--background", "true"][..],
        &["bash", "--stop", "5"],
    ] {
        let (code, out, err) = piped(room.path(), args);
        assert_eq!((code, out.as_str()), (125, ""), "{args:?}");
        err.assert_row("command_line", "what a server alone can do");
    }
    let completions = ["bash", "zsh", "fish"].map(|shell| ["completions", shell]);
    for args in [["bash", "--help"]].iter().chain(&completions) {
        let (_, out, _) = piped(room.path(), args);
        assert!(out.contains("workdir"), "{args:?}");
        assert!(!out.contains("-background"), "{args:?}: {out}");
    }
}

#[test]
fn a_dash_is_what_stdin_has() {
    let room = room();
    let write = |args: &[&str], stdin: &[u8]| {
        let mut call = Command::new(BINARY);
        call.arg("file-write").args(args).current_dir(room.path());
        call.stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = call.spawn().unwrap();
        child.stdin.take().unwrap().write_all(stdin).unwrap();
        child.wait_with_output().unwrap()
    };
    assert!(write(&["x", "-"], "é\n".as_bytes()).status.success());
    assert_eq!(fs::read_to_string(room.path().join("x")).unwrap(), "é\n");
    assert!(write(&["x", "--content", "-"], b"").status.success());
    assert_eq!(fs::read_to_string(room.path().join("x")).unwrap(), "-");
    let refused = write(&["x", "-"], b"\xff");
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8(refused.stderr).unwrap();
    said.assert_row("command_line", "a stdin that is not UTF-8");
}

#[test]
fn notes_for_people_speak_of_flags_and_those_for_programs_of_fields() {
    let room = room();
    fs::write(room.path().join("c.txt"), "f(x\n").unwrap();
    for (args, flags, fields) in [
        (
            &["grep", "x", "--path", "s*"][..],
            "put them in --glob: --path . --glob 's*",
            "put them in `glob`: \"path\":\".\",\"glob\":\"s*",
        ),
        (
            &["file-edit", "b.txt", "two", "2"],
            "or give --replace-all to",
            "or send \"replace_all\":true to",
        ),
        (
            &["grep", "f(x", "c.txt"],
            r", as --pattern 'f\(x'",
            r#", in JSON "pattern":"f\\(x""#,
        ),
    ] {
        let (_, _, err) = piped(room.path(), args);
        assert!(err.contains(flags), "{args:?}: {err}");
        let args = [&args[..1], &["--json"], &args[1..]].concat();
        let (_, out, _) = piped(room.path(), &args);
        let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
        let note = answer["note"].as_str().unwrap();
        assert!(note.contains(fields), "{args:?}: {note}");
    }
}

#[test]
fn a_call_that_takes_long_says_on_a_terminal_how_far_it_is() {
    let slow = Server::start(|_, connection| {
        connection.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")?;
        connection.write_all(&[b'x'; 5000])?;
        // A person begins to wonder after one.
        std::thread::sleep(std::time::Duration::from_secs(2));
        connection.write_all(b"\nthe end")
    });
    let url = slow.url("/");
    let args = ["web-fetch", &url];
    let mut call = start_in(Path::new("."), Path::new(BINARY), &args, Streams::All, &[]);
    assert!(call.shows(" bytes received"));
    // The line is gone before anything is shown.
    assert!(call.shows("  \rxxx"));
    assert!(call.child.wait().unwrap().success());
    let (code, _, err) = piped(Path::new("."), &args);
    assert_eq!((code, err.as_str()), (0, ""));
}

#[test]
fn a_search_that_takes_long_says_on_a_terminal_how_far_it_is() {
    let room = room();
    // A line of 256 MiB after the other, which take next to no room: no single one is given up, and
    // their search goes on until it is ended.
    let long = fs::File::create(room.path().join("src/long")).unwrap();
    for line in 1..=1024 {
        long.write_all_at(b"\n", line << 28).unwrap();
    }
    let program = Path::new(BINARY);
    let mut grep = start_in(room.path(), program, &["grep", "no"], Streams::All, &[]);
    assert!(grep.shows(" files searched"));
    grep.child.kill().unwrap();
    grep.child.wait().unwrap();
    if Command::new("strace").arg("-V").output().is_err() {
        return skip("no strace here");
    }
    // Each directory is listed as slowly as on a disk far away.
    let slowly = "-foslow -e trace=getdents64 -e inject=getdents64:delay_enter=900000";
    let mut args: Vec<&str> = slowly.split(' ').collect();
    args.extend([BINARY, "glob", "**/b*"]);
    let strace = Path::new("strace");
    let mut glob = start_in(room.path(), strace, &args, Streams::All, &[]);
    assert!(glob.shows(" directories listed"));
    assert!(glob.shows("\r\u{1b}[35mb.txt"));
    assert!(glob.child.wait().unwrap().success());
}

#[test]
fn a_server_that_lets_one_wait_is_named_on_a_terminal() {
    let slow = Server::start(|_, connection| {
        std::thread::sleep(std::time::Duration::from_secs(3));
        connection.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nthe end")
    });
    let url = slow.url("/");
    let args = ["web-fetch", &url];
    let mut call = start_in(Path::new("."), Path::new(BINARY), &args, Streams::All, &[]);
    assert!(call.shows("web-fetch: waiting for 127.0.0.1, 1 s"));
    assert!(call.shows("the end"));
    assert!(call.child.wait().unwrap().success());
    let (code, _, err) = piped(Path::new("."), &args);
    assert_eq!((code, err.as_str()), (0, ""));
}
