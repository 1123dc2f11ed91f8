//! Office documents of before 2007, as installed programs read them. Those in `tests/data/older`
//! were made by `LibreOffice`.

use std::fs;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use crate::common::{self, Answer, Call, directory, eventually, tool};
use crate::scanned::{self, program_called as program};

/// A call for the one of this kind, as a person makes it, with these programs.
fn call(here: &Path, kind: &str, program: &str) -> Call {
    let file = here.join(format!("boats.{kind}"));
    fs::write(&file, scanned::legacy_office(kind)).unwrap();
    tool("file-read").arg(file).env("IKIGAI_OFFICE", program)
}

#[track_caller]
fn text(answer: &Answer) -> String {
    assert_eq!(answer.code(), 0, "{}", answer.stderr);
    String::from_utf8(answer.stdout.clone()).unwrap()
}

#[test]
fn libreoffice_keeps_headings_tables_lists_and_notes() {
    let missing = scanned::no_program("soffice", "no LibreOffice is here");
    if let Some(why) = scanned::no_landlock().or(missing) {
        return common::skip(why);
    }
    let here = directory();
    for (kind, expected) in [
        (
            "doc",
            "# The Harbour Office\n\nThe harbour office received the payment for the boat.[^1]\n\n\
             | Boat | Paid |\n| --- | --- |\n| Seagull | 40 £ |\n\nThe papers were returned.\n\n\
             [^1]: On Monday, in cash.\n\n[Read by soffice.]",
        ),
        (
            "ppt",
            "## Slide 1\n\nThe Harbour Office\n\n- The boat was paid for\n\n[Read by soffice.]",
        ),
    ] {
        let answer = call(here.path(), kind, "soffice").run();
        assert_eq!(text(&answer).trim_end(), expected, "{kind}");
    }
}

#[test]
fn workbooks_are_read_without_a_program() {
    let here = directory();
    assert_eq!(
        text(&call(here.path(), "xls", "").run()).trim_end(),
        "## Boats\n\n| Boat | Paid |\n| --- | --- |\n| The \"Seagull\", blue | 40 |\n\n\
         ## Sailors\n\n| Name |\n| --- |\n| Jörg |"
    );
}

#[test]
fn smaller_programs_give_the_text() {
    let missing = ["antiword", "catdoc"]
        .into_iter()
        .find_map(|program| scanned::no_program(program, "antiword or catdoc is not here"));
    if let Some(why) = scanned::no_landlock().or(missing) {
        return common::skip(why);
    }
    let here = directory();
    for (kind, program, expected) in [
        ("doc", "antiword", "|Seagull |40 £ |"),
        ("doc", "catdoc", "The papers were returned."),
    ] {
        let shown = text(&call(here.path(), kind, program).run());
        assert!(shown.contains(expected), "{program}: {shown}");
        let last = format!("[Read by {program}, as plain text.]");
        assert!(shown.trim_end().ends_with(&last), "{shown}");
    }
    let slides = program(here.path(), "catppt", "[ -s \"$5\" ] && echo A slide");
    let shown = text(&call(here.path(), "ppt", &slides).run());
    assert_eq!(
        shown.trim_end(),
        "A slide\n\n[Read by catppt, as plain text.]"
    );
}

#[test]
fn what_is_missing_is_named() {
    let here = directory();
    for (kind, program, note) in [
        ("doc", "", "IKIGAI_OFFICE names no program that can be run."),
        ("ppt", "/no/such/program", "IKIGAI_OFFICE names no program"),
    ] {
        let answer = call(here.path(), kind, program).run();
        assert_eq!(answer.code(), 1);
        assert!(answer.stderr.contains(note), "{}", answer.stderr);
    }
    let unset = call(here.path(), "doc", "").without_env("IKIGAI_OFFICE");
    let unset = unset.env("PATH", "/nonexistent").run();
    assert!(
        unset.stderr.contains(
            "This DOC file, of Office before 2007, is read by an installed program. None is here: \
             install LibreOffice (`soffice`), or `antiword` or `catdoc`; or find the file as DOCX or \
             PDF."
        ),
        "{}",
        unset.stderr
    );
    if scanned::no_landlock().is_none() {
        let confined = call(here.path(), "doc", "soffice");
        let confined = confined.arg("--root").arg(here.path()).run();
        let note = "this call is confined, and starts no program.";
        assert!(confined.stderr.contains(note), "{}", confined.stderr);
    }
}

#[test]
fn what_needs_a_password_is_told_from_what_is_damaged() {
    let here = directory();
    for (kind, mark, at, locked) in [
        // The flags of a document, the mark of a presentation, the second record of a workbook.
        ("doc", &b"\xec\xa5"[..], 11, &b"\x01"[..]),
        ("ppt", b"\x5f\xc0\x91\xe3", 0, b"\xdf\xc4\xd1\xf3"),
        ("xls", b"\x09\x08\x10\0\0\x06\x05\0", 20, b"\x2f\0"),
    ] {
        let mut bytes = scanned::legacy_office(kind);
        let found = bytes.windows(mark.len()).position(|part| part == mark);
        let at = found.unwrap() + at;
        bytes[at..at + locked.len()].copy_from_slice(locked);
        for program in ["", "antiword"] {
            let answer = call(here.path(), kind, program);
            fs::write(here.path().join(format!("boats.{kind}")), &bytes).unwrap();
            let answer = answer.run();
            assert_eq!(answer.code(), 1);
            let said = "This file needs a password: ask for a copy without one.";
            assert!(answer.stderr.contains(said), "{kind}: {}", answer.stderr);
        }
    }
}

#[test]
fn whatever_the_program_does_is_one_refusal() {
    if let Some(why) = scanned::no_landlock() {
        return common::skip(why);
    }
    let here = directory();
    for (name, script, note) in [
        ("office", "exit 3", "office failed: the file may be damaged"),
        ("office", "kill -9 $$", "office failed"),
        ("office", "true", "office failed"),
        (
            "office",
            "mkdir made && echo no >made/file.docx",
            "office failed",
        ),
        (
            "office",
            "mkdir made && head -c 1000000000 /dev/zero >made/file.docx",
            "office failed",
        ),
        ("office", "kill -9 $PPID", "office failed"),
        ("catdoc", "cat /dev/zero", "catdoc wrote too much."),
        ("catdoc", "true", "This DOC file has no text"),
    ] {
        let office = program(here.path(), name, script);
        let answer = call(here.path(), "doc", &office).run();
        assert_eq!(answer.code(), 1, "{script}");
        assert!(answer.stderr.contains(note), "{script}: {}", answer.stderr);
    }
}

#[test]
fn where_one_program_fails_the_next_is_asked_and_both_are_named() {
    if let Some(why) = scanned::no_landlock() {
        return common::skip(why);
    }
    let here = directory();
    program(here.path(), "soffice", "exit 1");
    program(here.path(), "catdoc", "echo Words");
    let path = format!("{}:/usr/bin:/bin", here.path().display());
    let hidden = program(here.path(), "antiword", "exit 1");
    let call = call(here.path(), "doc", &hidden).without_env("IKIGAI_OFFICE");
    assert_eq!(
        text(&call.env("PATH", path).run()).trim_end(),
        "Words\n\n[soffice failed: the file may be damaged, or need a password. Read by catdoc, as \
         plain text.]"
    );
}

#[test]
fn the_program_is_confined_to_a_directory_that_goes_with_it() {
    let missing = scanned::no_program("python3", "no Python is here");
    if let Some(why) = scanned::no_landlock().or(missing) {
        return common::skip(why);
    }
    let (here, other) = (directory(), common::public_directory());
    fs::write(other.path().join("secret"), "a secret").unwrap();
    let socket = other.path().join("socket");
    let _local = UnixListener::bind(&socket).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let script = format!(
        "cat {0}/secret; touch {0}/written /tmp/written-by-it && echo written\n\
         bash -c 'exec 3<>/dev/tcp/127.0.0.1/{1}' && echo network\n\
         python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"{2}\")' && echo local\n\
         python3 -c 'import socket; socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)' && echo datagrams\n\
         python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"{0}/bound\")' && echo mute\n\
         touch \"$HOME/x\" && env | cut -d= -f1 | sort | tr '\\n' ' '; ulimit -d; echo \"$HOME\"",
        other.path().display(),
        listener.local_addr().unwrap().port(),
        socket.display()
    );
    let office = program(here.path(), "catdoc", &script);
    let answer = call(here.path(), "doc", &office)
        .env("LANG", "C")
        .env("BRAVE_API_KEY", "4711")
        .without_env("LD_LIBRARY_PATH")
        .without_env("TESSDATA_PREFIX");
    let shown = text(&answer.run());
    let lines: Vec<&str> = shown.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines[0], "mute", "{shown}");
    let names = lines[1].split_whitespace();
    let names: Vec<&str> = names.filter(|name| !name.starts_with("LC\\_")).collect();
    assert_eq!(
        names.join(" ").replace('\\', ""),
        "HOME LANG OMP_THREAD_LIMIT PATH PWD TMPDIR 1048576"
    );
    assert!(
        lines[2].contains("/ikigai-") && !Path::new(lines[2]).exists(),
        "{shown}"
    );
    assert!(!other.path().join("bound").exists() && !other.path().join("written").exists());
}

#[test]
fn a_call_that_is_killed_leaves_no_program_and_no_directory() {
    if let Some(why) = scanned::no_landlock() {
        return common::skip(why);
    }
    let here = directory();
    let mark = common::alone(4713);
    let office = program(
        here.path(),
        "office",
        &format!("touch \"$HOME/x\"; exec sleep {mark}"),
    );
    for signal in ["KILL", "TERM"] {
        let mut child = call(here.path(), "doc", &office).start();
        assert!(eventually(|| common::processes_with(&mark).len() == 1));
        let pid = common::processes_with(&mark)[0];
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap();
        let environment = String::from_utf8_lossy(&environment);
        let home = environment
            .split('\0')
            .find_map(|one| one.strip_prefix("HOME="));
        let home = PathBuf::from(home.unwrap());
        assert!(home.join("x").exists());
        let kill = format!("kill -{signal} {}", child.id());
        let done = std::process::Command::new("sh")
            .args(["-c", &kill])
            .status();
        assert!(done.unwrap().success());
        child.wait().unwrap();
        let is_gone = || common::processes_with(&mark).is_empty() && !home.exists();
        assert!(eventually(is_gone), "{signal}");
    }
}
