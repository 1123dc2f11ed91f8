//! README.md and REFERENCE.md, word for word: every call in them is made, and must answer as the
//! page says.
//!
//! A fence says what it holds, and so who runs it:
//!
//! | fence | who runs it |
//! |---|---|
//! | `console` | this test: a line `$ command`, lines `> …` that go on with it, then all that it prints on both streams; `...` stands for any text |
//! | `sh` | `.ci/run`: each line is a command that must succeed in the source directory |
//! | `json`, `toml`, `rust`, `text` | nobody: no commands |
//!
//! All commands of a page run one after the other in one fresh HOME, in which `./install.sh` has
//! laid the tools, after the line that it prints for this shell's PATH.
//! `http://example.com/` and the search server `http://search.example.com` are answered by this
//! test, so that no packet leaves the machine.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

/// The pages, by name.
const PAGES: [(&str, &str); 2] = [
    ("README.md", include_str!("../README.md")),
    ("REFERENCE.md", include_str!("../REFERENCE.md")),
];
const SOURCE: &str = env!("CARGO_MANIFEST_DIR");
const PROGRAM: &str = env!("CARGO_BIN_EXE_ikigai-tools");

/// A fenced block: its language, its lines, and the line of the page at which it begins.
#[derive(Debug)]
struct Fence<'a> {
    language: &'a str,
    lines: Vec<&'a str>,
    at: usize,
}

fn fences(page: &str) -> Vec<Fence<'_>> {
    let mut fences = Vec::new();
    let mut open: Option<Fence<'_>> = None;
    for (number, line) in page.lines().enumerate() {
        match (line.trim_start().strip_prefix("```"), &mut open) {
            (Some(language), None) => {
                open = Some(Fence {
                    language: language.trim(),
                    lines: Vec::new(),
                    at: number + 1,
                });
            }
            (Some(_), Some(_)) => fences.extend(open.take()),
            (None, Some(fence)) => fence.lines.push(line),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a fence is not closed: {open:?}");
    fences
}

/// The commands of a `console` fence, each with what it must print.
fn calls(fence: &Fence<'_>) -> Vec<(String, String)> {
    let mut calls: Vec<(String, String)> = Vec::new();
    let mut in_command = false;
    for line in &fence.lines {
        if let Some(command) = line.strip_prefix("$ ") {
            calls.push((command.to_owned(), String::new()));
            in_command = true;
            continue;
        }
        let (command, answer) = calls
            .last_mut()
            .unwrap_or_else(|| panic!("line {}: a `console` fence begins with `$ `", fence.at));
        match line.strip_prefix("> ") {
            Some(more) if in_command => {
                command.push('\n');
                command.push_str(more);
            }
            _ => {
                in_command = false;
                answer.push_str(line);
                answer.push('\n');
            }
        }
    }
    calls
}

/// Whether `text` is `pattern`, in which `...` stands for any text.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split("...");
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let mut last = None;
    for part in parts {
        if let Some(middle) = last.replace(part) {
            match rest.split_once(middle) {
                Some((_, after)) => rest = after,
                None => return false,
            }
        }
    }
    last.map_or(rest.is_empty(), |last| rest.ends_with(last))
}

/// `script` in `home`, by a person's shell: nothing that is not installed for everybody is on the
/// PATH.
fn shell(script: &str, home: &Path, proxy: &str) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("exec 2>&1\n{script}")])
        .current_dir(home)
        .env_clear()
        .env("HOME", home)
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("LC_ALL", "C.UTF-8")
        .env("http_proxy", proxy)
        .stdin(Stdio::null());
    command
}

/// What the search server finds.
const FOUND: &str = r#"{"results":[
{"title":"Rust","url":"https://www.rust-lang.org/","content":"A language empowering everyone to build reliable and efficient software."},
{"title":"US10165245B2 - Pre-fetching video content - Google Patents","url":"https://patents.google.com/patent/US10165245B2/en","content":"A video is fetched before it is shown."}
]}"#;

/// The same of a search for the one page that there is.
const FOUND_PAGE: &str =
    r#"{"results":[{"title":"Example Domain","url":"http://example.com/","content":"A page."}]}"#;

/// A paper that a server of papers finds.
const PAPER: &str = r#"{"message":{"total-results":1,"items":[{"title":["Highly accurate protein structure prediction"],"DOI":"10.1038/s41586-021-03819-2","container-title":["Nature"],"author":[{"given":"John","family":"Jumper"},{"given":"Demis","family":"Hassabis"}],"published":{"date-parts":[[2021,7,15]]},"is-referenced-by-count":20000,"abstract":"<jats:p>Proteins are essential to life.</jats:p>"}]}}"#;

/// A proxy on the loopback that knows one page, one search server and one server of papers. Returns
/// its address.
fn proxy() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || serve(&stream));
        }
    });
    address
}

fn serve(stream: &TcpStream) {
    let mut requests = BufReader::new(stream);
    loop {
        let mut lines = requests.by_ref().lines().map_while(Result::ok);
        let Some(request) = lines.next() else { return };
        lines.take_while(|line| !line.is_empty()).for_each(drop);
        let mut out = stream;
        let _ = if request.starts_with("CONNECT ") {
            write!(out, "HTTP/1.1 200 OK\r\n\r\n")
        } else {
            let page =
                "<!doctype html><title>Example Domain</title><h1>Example Domain</h1><p>A page.</p>";
            let target = request.split(' ').nth(1).unwrap_or_default();
            let (status, kind, body) = match target {
                "/" | "http://example.com/" => ("200 OK", "text/html", page),
                _ if target.contains("/search?q=example") => {
                    ("200 OK", "application/json", FOUND_PAGE)
                }
                _ if target.contains("/search?") => ("200 OK", "application/json", FOUND),
                _ if target.contains("/works?") => ("200 OK", "application/json", PAPER),
                _ => ("404 Not Found", "text/html", page),
            };
            write!(
                out,
                "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            )
        };
    }
}

#[test]
fn every_call_answers_as_readme_says() {
    every_call_answers_as_it_says(PAGES[0]);
}

#[test]
fn every_call_answers_as_the_reference_says() {
    every_call_answers_as_it_says(PAGES[1]);
}

fn every_call_answers_as_it_says((name, page): (&str, &str)) {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    let proxy = proxy();
    let installed = shell(r#"sh "$0/install.sh" --binary "$1""#, &home, &proxy)
        .args([SOURCE, PROGRAM])
        .output()
        .unwrap();
    assert!(installed.status.success(), "{installed:?}");
    let said = String::from_utf8(installed.stdout).unwrap();
    let on_path = said.lines().find(|line| line.starts_with("  export PATH="));
    let on_path = on_path.unwrap_or_else(|| panic!("no line for the PATH: {said}"));

    // Where nothing can be hidden, no command is run in a home with this program's own files.
    let project = home.join("project");
    std::fs::create_dir(&project).unwrap();
    let mut made = 0;
    let mut wrong = String::new();
    for fence in fences(page)
        .iter()
        .filter(|fence| fence.language == "console")
    {
        for (command, expected) in calls(fence) {
            let script = format!("{on_path}\n{command}");
            let mut shell = shell(&script, &home, &proxy);
            let output = shell.current_dir(&project).output().unwrap();
            let answer = String::from_utf8(output.stdout).unwrap();
            if !matches(expected.trim_end(), answer.trim_end()) {
                let _ = write!(
                    wrong,
                    "{name}, fence at line {}\n$ {command}\n{answer}\ninstead of\n{expected}\n",
                    fence.at
                );
            }
            made += 1;
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(made > 0, "{name} shows no call");
}

#[test]
fn every_fence_says_what_it_holds() {
    for (name, page) in PAGES {
        for fence in fences(page) {
            assert!(
                ["console", "sh", "json", "toml", "rust", "text"].contains(&fence.language),
                "{name}, line {}: a fence of `{}`",
                fence.at,
                fence.language
            );
            if !["console", "sh"].contains(&fence.language) {
                let prompt = fence.lines.iter().find(|line| line.starts_with("$ "));
                assert_eq!(prompt, None, "{name}, line {}: a command in it", fence.at);
            }
        }
    }
}

#[test]
fn the_test_that_contributing_shows_is_one_of_the_suite() {
    let page = include_str!("../CONTRIBUTING.md");
    let fences = fences(page);
    let shown = fences.iter().find(|fence| fence.language == "rust");
    let shown = shown.expect("a test").lines.join("\n");
    assert!(include_str!("file/edit.rs").contains(&shown), "{shown}");
}

/// What it means, and whether to try again.
#[test]
fn every_error_code_is_in_the_reference() {
    let page = include_str!("../REFERENCE.md");
    let (_, table) = page.split_once("\n### Error codes\n").unwrap();
    let (table, _) = table.split_once("\n## ").unwrap();
    let source = include_str!("../crates/tools/src/contract/failure.rs");
    let quoted = source.split('"').skip(1).step_by(2);
    let is_code =
        |word: &&str| word.len() > 3 && word.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
    let codes: Vec<&str> = quoted.filter(is_code).collect();
    assert!(codes.len() > 25, "{codes:?}");
    for code in codes {
        assert!(table.contains(&format!("`{code}`")), "{code}");
    }
}

/// Every file and every heading that a page of the source's own leads to is there.
#[test]
fn every_link_leads_somewhere() {
    let pages = [
        "README.md",
        "REFERENCE.md",
        "CONTRIBUTING.md",
        "ARCHITECTURE.md",
        "SECURITY.md",
        "RELEASING.md",
        "CHANGELOG.md",
        "benches/README.md",
        "fuzz/README.md",
        "packaging/README.md",
    ];
    let source = Path::new(SOURCE);
    let mut links = 0;
    for page in pages {
        let text = std::fs::read_to_string(source.join(page)).unwrap();
        let directory = source.join(page).parent().unwrap().to_owned();
        for target in link_targets(&text) {
            if target.contains("://") {
                continue;
            }
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() {
                source.join(page)
            } else {
                directory.join(file)
            };
            assert!(file.exists(), "{page}: {target}");
            let there = heading.is_empty() || {
                let text = std::fs::read_to_string(&file).unwrap();
                let mut headings = text.lines().filter(|line| line.starts_with('#'));
                headings.any(|line| anchor(line) == heading)
            };
            assert!(there, "{page}: {target}");
            links += 1;
        }
    }
    assert!(links > 20, "{links}");
}

/// Where the links of a page lead to that is Markdown.
fn link_targets(text: &str) -> impl Iterator<Item = &str> {
    let outside_fences = text.split("```").step_by(2);
    outside_fences.flat_map(|part| {
        let after = part.split("](").skip(1);
        after.filter_map(|rest| rest.split_once(')').map(|(target, _)| target))
    })
}

/// By what a heading is linked to.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn the_page_s_pattern_matches_what_it_should() {
    for (pattern, text) in [
        ("a", "a"),
        ("a...", "abc"),
        ("...c", "abc"),
        ("a...c...e", "abcde"),
        ("...", ""),
    ] {
        assert!(matches(pattern, text), "{pattern} {text}");
    }
    for (pattern, text) in [
        ("a", "ab"),
        ("a...", "b"),
        ("a...c", "ab"),
        ("a...b...", "acc"),
    ] {
        assert!(!matches(pattern, text), "{pattern} {text}");
    }
}

#[test]
fn the_page_s_own_example_com_answers_directly_and_through_a_tunnel() {
    let address = proxy();
    for opening in ["", "CONNECT example.com:80 HTTP/1.1\r\n\r\n"] {
        #[allow(
            clippy::disallowed_methods,
            reason = "that rule is for the program, not for its tests"
        )]
        let mut stream = TcpStream::connect(address.trim_start_matches("http://")).unwrap();
        write!(stream, "{opening}GET http://example.com/ HTTP/1.1\r\n\r\n").unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.ends_with("<p>A page.</p>"), "{answer}");
    }
}
