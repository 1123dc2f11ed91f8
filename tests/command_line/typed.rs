//! Lines that people type who know other programs: understood as they are meant, or answered with
//! the line to type instead. No answer is that of a parser that knows only its own flags.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::terminal::{Streams, run_in};
use crate::common::messages::TextRow;
use crate::common::{BINARY, directory};

/// A directory like those in which people type.
pub fn room() -> tempfile::TempDir {
    let room = directory();
    let write = |name: &str, text: &str| fs::write(room.path().join(name), text).unwrap();
    fs::create_dir(room.path().join("src")).unwrap();
    write("notes.txt", "one\nTwo\ntwo\na.b\nafter\n");
    write("src/lib.rs", "// two\nfn two() {}\n");
    write("src/main.rs", "fn main() {}\n");
    write("x.md", "# two\n");
    write("bin.dat", "two\0two\n");
    write("script.sh", "echo from script\n");
    room
}

/// What `line` answers on both streams, one behind the other, and its exit code.
pub fn typed(directory: &Path, line: &str) -> (i32, String) {
    let (code, out, err) = typed_apart(directory, line);
    (code, out + &err)
}

/// The exit code of `line`, with `it` as this program, and what it answers on each stream.
pub fn typed_apart(directory: &Path, line: &str) -> (i32, String, String) {
    let mut sh = Command::new("sh");
    let line = format!("it() {{ {BINARY} \"$@\"; }}; {line}");
    let output = sh
        .args(["-c", &line])
        .current_dir(directory)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().unwrap();
    (code, text(&output.stdout), text(&output.stderr))
}

#[test]
fn lists_and_long_help_have_what_is_asked_for() {
    let room = room();
    for (line, words) in [
        ("it grep -h", "Usage: "),
        ("it -v", "ikigai-tools "),
        ("it list --all", "web-search-tool\n"),
        ("it man grep", "PATTERN"),
    ] {
        let (code, said) = typed(room.path(), line);
        assert_eq!(code, 0, "{line}: {said}");
        assert!(said.contains(words), "{line}: {said}");
    }
}

#[test]
fn a_long_pattern_that_is_broken_is_not_written_out_again() {
    let room = room();
    let line = format!("it grep '{}' notes.txt", "(".repeat(300));
    let (code, said) = typed(room.path(), &line);
    assert!(code == 2 && said.len() < 600, "{said}");
}

#[test]
fn paragraphs_of_help_are_not_broken_midway() {
    let room = room();
    for tool in ["bash", "file-edit", "file-write", "grep", "web-fetch"] {
        let (_, help) = typed(room.path(), &format!("it {tool} --help"));
        let text = help.split("\nUsage:").next().unwrap();
        for paragraph in text.split("\n\n").filter(|one| !one.contains("\n-")) {
            let lines: Vec<&str> = paragraph.lines().collect();
            let (_, full) = lines.split_last().unwrap();
            assert!(full.iter().all(|line| line.len() > 70), "{paragraph}");
        }
    }
}

#[test]
fn a_terminal_shows_a_command_s_output_as_a_model_reads_it() {
    let room = room();
    let script = r"printf '\033[31mred\033[0m\n1 of 3\r2 of 3\r3 of 3\n'";
    let bash = |args: &[&str], streams| run_in(room.path(), Path::new(BINARY), args, streams, &[]);
    let shown = bash(&["bash", script], Streams::Out).terminal;
    assert_eq!(shown, "red\n3 of 3\n");
    let piped = bash(&["bash", script], Streams::NotOut).piped;
    assert_eq!(piped, "\u{1b}[31mred\u{1b}[0m\n1 of 3\r2 of 3\r3 of 3\n");
    let text = bash(&["file-read"], Streams::NotIn("plain text\n")).terminal;
    text.assert_row("command_line", "text where a request is expected");
}

#[test]
fn what_could_not_be_read_decides_the_exit_code() {
    let room = room();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        room.path().join("fifo"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    std::os::unix::fs::symlink("gone", room.path().join("dangling")).unwrap();
    for (line, code, fragment) in [
        (
            "it grep two fifo",
            2,
            "fifo: neither a directory nor a regular file",
        ),
        ("it grep two /dev/null", 2, "/dev/null: neither a directory"),
        ("it grep two gone notes.txt", 2, "notes.txt:3: two"),
        ("it grep two", 0, "notes.txt:3: two"),
        ("it grep -s two gone", 2, "gone"),
        ("it grep zzz", 1, ""),
        ("it glob '*.rs' gone", 2, "gone"),
        // Nobody can read this, root neither.
        ("it grep two /proc/self/mem", 2, "could not be read"),
        ("it grep -q two /proc/self/mem", 2, ""),
        (
            "it grep Name /proc/self/status /proc/self/mem",
            2,
            "/proc/self/status:1: Name",
        ),
    ] {
        let (ended, said) = typed(room.path(), line);
        assert_eq!(ended, code, "{line}: {said}");
        assert!(said.contains(fragment), "{line}: {said}");
    }
}

#[test]
fn a_terminal_shows_matches_in_colour_and_nothing_of_a_file_steers_it() {
    let room = room();
    fs::write(room.path().join("odd"), "\u{1b}[2Jtwo\u{1b}[1;31m\r two\n").unwrap();
    let grep = |args: &[&str], variables: &[(&str, &std::ffi::OsStr)]| {
        let args = [&["grep"], args].concat();
        run_in(
            room.path(),
            Path::new(BINARY),
            &args,
            Streams::All,
            variables,
        )
        .terminal
    };
    assert_eq!(
        grep(&["two", "-g", "*.md"], &[]),
        "\u{1b}[35mx.md\u{1b}[0m\n\u{1b}[32m1\u{1b}[0m: # \u{1b}[1;31mtwo\u{1b}[0m\n"
    );
    let odd = grep(&["two", "odd"], &[]);
    assert!(odd.starts_with(
        "\u{1b}[32m1\u{1b}[0m: \\x1b[2J\u{1b}[1;31mtwo\u{1b}[0m\\x1b[1;31m\\x0d \u{1b}[1;31mtwo\u{1b}[0m\n"
    ));
    let note = odd.lines().last().unwrap();
    note.assert_row("command_line", "control characters in matches");
    let plain = "x.md\n1: # two\n";
    for (name, value) in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        assert_eq!(
            grep(&["two", "-g", "*.md"], &[(name, value.as_ref())]),
            plain,
            "{name}"
        );
    }
    assert_eq!(grep(&["two", "-g", "*.md", "--color=never"], &[]), plain);
    let coloured = grep(
        &["two", "x.md", "--color=always"],
        &[("NO_COLOR", "1".as_ref())],
    );
    assert!(coloured.contains("\u{1b}[1;31mtwo"), "{coloured}");
    let names = run_in(
        room.path(),
        Path::new(BINARY),
        &["glob", "*.md"],
        Streams::All,
        &[],
    );
    assert_eq!(names.terminal, "\u{1b}[35mx.md\u{1b}[0m\n");
    // A note is no error.
    assert!(!grep(&["zzz"], &[]).contains("\u{1b}[1;31m"));
    assert!(grep(&["("], &[]).contains("\u{1b}[1;31mgrep:"));
}

#[test]
fn no_line_of_help_is_longer_than_a_terminal_s() {
    let room = directory();
    let help = |args: &[&str]| crate::common::piped(room.path(), args).1;
    let (_, tools, _) = crate::common::piped(room.path(), &["list", "--research"]);
    let tools = tools.lines().map(|tool| tool.trim_end_matches("-tool"));
    let commands = [
        "schema",
        "mcp",
        "token",
        "doctor",
        "link",
        "completions",
        "man",
        "list",
    ];
    for name in tools.chain(commands) {
        for text in [help(&[name, "--help"]), help(&["help", name])] {
            let long = text.lines().find(|line| line.chars().count() > 100);
            assert_eq!(long, None, "{name}");
        }
    }
    assert!(help(&[]).lines().all(|line| line.chars().count() <= 100));
    assert!(help(&["grep", "--help"]).starts_with("grep: "));
}

#[test]
fn a_page_is_shown_and_nothing_is_written_unless_a_directory_is_named() {
    let room = directory();
    let (code, out, err) = crate::common::piped(room.path(), &["man", "grep"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("--ignore-case"), "{out}");
    assert_eq!(fs::read_dir(room.path()).unwrap().count(), 0);
    let (code, _, _) = crate::common::piped(room.path(), &["man", "--out", "pages"]);
    assert_eq!(code, 0);
    assert!(room.path().join("pages/ikigai-tools-grep.1").is_file());
}
