//! Parts of what is on the web: a long document read to its end by what the answers say, and the
//! section that an address names.

use std::path::Path;

use serde_json::{Value, json};

use super::session::Session;
use crate::common::messages::TextRow;
use crate::reading::{Home, pdf, serving};

const PAGES: usize = 50;

const LINES: usize = 18;

/// The bounds of the clients that are known, and the least of all.
const BOUNDS: [&str; 7] = ["7000", "11000", "15000", "19000", "25000", "40000", "0"];

/// A mark that no other line of the document has.
fn mark(page: usize, line: usize) -> String {
    format!("Mark{page:03}x{line:02}")
}

/// Pages of paragraphs of five lines.
fn long_document() -> Vec<u8> {
    let words = "of a report that has many pages and says on each of them a little";
    let line = |page: usize, line: usize| match line % 6 {
        5 => String::new(),
        4 => format!("{} {words}.", mark(page, line)),
        _ => format!("{} {words}", mark(page, line)),
    };
    let page = |page| (0..LINES).map(|at| line(page, at)).collect();
    pdf(&(0..PAGES).map(page).collect::<Vec<Vec<String>>>())
}

/// The marks of the whole document, in order.
fn all_marks() -> Vec<String> {
    let lines = (0..LINES).filter(|line| line % 6 != 5);
    let lines: Vec<usize> = lines.collect();
    (0..PAGES)
        .flat_map(|page| lines.iter().map(move |line| mark(page, *line)))
        .collect()
}

fn marks(text: &str) -> impl Iterator<Item = String> {
    let starts = text.match_indices("Mark").map(|(at, _)| at);
    starts.map(|at| text[at..].chars().take(10).collect())
}

/// The number behind `words` in the last line.
fn next_offset(text: &str, words: &str) -> Option<u64> {
    let note = text.rsplit('\n').next()?;
    let (_, rest) = note.split_once(words)?;
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    rest[..end].parse().ok()
}

fn session(home: &Home, args: &[&str]) -> Session {
    let mut session = Session::unprepared_with(Path::new("."), args, &home.environment());
    session.shake_hands("2025-11-25");
    session
}

#[test]
fn a_document_of_fifty_pages_is_read_to_its_end_by_the_notes_alone() {
    let server = serving("application/pdf", long_document());
    let url = server.url("/report.pdf");
    for bound in BOUNDS {
        for first in ["scrape_page", "web_fetch"] {
            let home = Home::new();
            let mut session = session(&home, &["--max-answer", bound]);
            let mut read: Vec<String> = Vec::new();
            let (mut text, failed) = session.text_of(first, &json!({"url": url}));
            let mut calls = 1;
            assert!(!failed, "{text}");
            let mut go_on = if first == "scrape_page" {
                "go on with web_fetch, offset "
            } else {
                "go on with offset "
            };
            loop {
                assert!(bound == "0" || text.len() <= bound.parse().unwrap());
                for mark in marks(&text) {
                    if read.last().is_none_or(|last| *last < mark) {
                        read.push(mark);
                    }
                }
                let Some(offset) = next_offset(&text, go_on) else {
                    break;
                };
                go_on = "go on with offset ";
                let request = json!({"url": url, "offset": offset});
                text = session.text_of("web_fetch", &request).0;
                calls += 1;
            }
            assert!(
                read == all_marks(),
                "{first}, {bound}: {} of {} after {calls} calls: {text:.300}",
                read.len(),
                all_marks().len()
            );
        }
    }
}

#[test]
fn where_there_is_no_web_fetch_none_is_recommended() {
    let server = serving("application/pdf", long_document());
    let home = Home::new();
    let mut session = session(&home, &["--tools", "research", "--max-answer", "11000"]);
    // The second answer comes from the cache.
    for _ in 0..2 {
        let (text, _) = session.text_of("scrape_page", &json!({"url": server.url("/")}));
        let note = text.rsplit('\n').next().unwrap();
        note.assert_row("mcp", "a part of a document, without web_fetch");
    }
}

/// A page with parts of every kind.
const PAGE: &str = "<!doctype html><title>Guide</title><body><main><h1>Guide</h1>\
    <p>An introduction of some length, so that there is something before the parts.</p>\
    <h2 id=\"install\">Install it</h2><p>Run the installer, and wait for its end.</p>\
    <section id=\"use\"><h2>Use it</h2><ul><li>first</li><li id=\"item\">second point</li></ul></section>\
    <h2>Old <a name=\"old way\"></a>names</h2><p>They still work, each as it did before.</p>\
    <p>Text right before<h2><a id=\"user-content-faq\" href=\"#faq\"></a>Questions</h2><p>None so far.</p>\
    <table><tr><th>a</th></tr><tr><td>1</td></tr><tr id=\"row\"><td>2</td></tr></table>\
    <pre id=\"code\">let x = 1;</pre><blockquote><p id=\"said\">Said and done.</p></blockquote></main>";

#[test]
fn a_page_begins_at_the_part_that_its_address_names() {
    let server = serving("text/html", PAGE);
    let home = Home::new();
    let mut session = session(&home, &[]);
    let whole = session
        .text_of("web_fetch", &json!({"url": server.url("/")}))
        .0;
    assert!(whole.starts_with("# Guide\n"), "{whole}");
    for (part, begin) in [
        ("install", "## Install it"),
        ("use", "## Use it"),
        ("item", "- second point"),
        ("old%20way", "## Old names"),
        ("faq", "## Questions"),
        ("row", "| 2 |"),
        ("code", "```\nlet x"),
        ("said", "> Said and done."),
    ] {
        let url = server.url(&format!("/#{part}"));
        let (text, failed) = session.text_of("web_fetch", &json!({"url": url}));
        let (text, note) = text.rsplit_once('\n').unwrap();
        assert!(!failed && text.starts_with(begin), "{part}: {text}");
        assert!(whole.ends_with(text), "{part}: {text}");
        let line = whole[..whole.len() - text.len()].lines().count() + 1;
        let said = format!("[This begins at #{part}, line {line}; with offset 1, all comes.]");
        assert_eq!(note, said);
        let words = format!("{url}:~:text=Some%20words");
        let (shown, _) = session.text_of("web_fetch", &json!({"url": words}));
        assert_eq!(shown, format!("{text}\n{note}"), "{part}");
        // That line has the same number as without the part.
        for request in [
            json!({"url": url, "offset": line}),
            json!({"url": server.url("/"), "offset": line}),
        ] {
            assert_eq!(session.text_of("web_fetch", &request).0, text, "{part}");
        }
        let (scraped, _) = session.text_of("scrape_page", &json!({"url": url}));
        assert!(scraped.starts_with(begin), "{part}: {scraped}");
    }
    for part in ["nowhere", "Install"] {
        let url = server.url(&format!("/#{part}"));
        let said = format!("There is no #{part} in this text, so all of it is here.");
        for tool in ["web_fetch", "scrape_page"] {
            let (text, _) = session.text_of(tool, &json!({"url": url}));
            assert!(
                text.starts_with("# Guide\n") && text.contains(&said),
                "{text}"
            );
        }
    }
    for part in ["", "top", "/route", "!route"] {
        let url = server.url(&format!("/#{part}"));
        let text = session.text_of("web_fetch", &json!({"url": url})).0;
        assert_eq!(text, whole, "{part}");
    }
}

#[test]
fn a_part_that_is_long_is_read_on_with_offsets_of_the_whole() {
    let paragraph = "<p>A sentence of this part, which has many of them and goes on.</p>";
    let page = format!(
        "<!doctype html><main><h1>Long</h1>{paragraph}<h2 id=part>Part</h2>{}<p>The end.</p></main>",
        paragraph.repeat(400)
    );
    let server = serving("text/html", page);
    let home = Home::new();
    let mut session = session(&home, &["--max-answer", "11000"]);
    for first in ["web_fetch", "scrape_page"] {
        let url = server.url("/#part");
        let mut text = session.text_of(first, &json!({"url": url})).0;
        let mut go_on = ["go on with offset ", "go on with web_fetch, offset "]
            [usize::from(first == "scrape_page")];
        let (how_to_go_on, begin) = text.split_once('\n').unwrap();
        assert!(
            how_to_go_on.contains(go_on) && begin.starts_with("## Part\n"),
            "{text:.100}"
        );
        let mut found = 0;
        loop {
            found += text.matches("A sentence of this part").count();
            let Some(offset) = next_offset(&text, go_on) else {
                break;
            };
            go_on = "go on with offset ";
            text = session
                .text_of("web_fetch", &json!({"url": url, "offset": offset}))
                .0;
        }
        assert_eq!(found, 400, "{first}: {text:.300}");
        assert!(text.contains("The end."), "{text}");
    }
}

#[test]
fn no_part_of_a_document_is_named() {
    let server = serving("application/pdf", pdf(&[vec!["Some words.".to_owned()]]));
    let home = Home::new();
    let mut session = session(&home, &[]);
    let url = server.url("/a.pdf#page=3");
    let text = session.text_of("web_fetch", &json!({"url": url})).0;
    assert!(
        text.starts_with("Some words.\n[There is no #page=3 "),
        "{text}"
    );
}

/// The words of what a server with one tool says when calls fail or are cut.
fn said(home: &Home, tool: &str, request: &Value, args: &[&str]) -> String {
    let args = [&["--tools", tool], args].concat();
    session(home, &args).text_of(tool, request).0
}

#[test]
fn a_server_recommends_no_tool_that_it_has_not() {
    let home = Home::new();
    let at = |name: &str| home.path().join(name).display().to_string();
    std::fs::create_dir(home.path().join("directory")).unwrap();
    std::fs::write(at("wide.txt"), b"k\0e\0y\0=\0v\0\n\0").unwrap();
    std::fs::write(at("latin.txt"), b"gr\xfc\xdfe und k\xfcsse aus M\xfcnchen").unwrap();
    std::fs::write(at("long.txt"), "x".repeat(50_000)).unwrap();
    std::fs::write(at("empty.txt"), "").unwrap();
    std::fs::write(at("large.png"), {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x20\0\0\0\x20\0\x08\x02\0\0\0".to_vec();
        png.resize(5_000_000, 0);
        png
    })
    .unwrap();
    let png = serving("image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let broken = serving("application/pdf", b"%PDF-1.7\nnothing");
    let locked = crate::reading::refusing("401 Unauthorized\r\nWWW-Authenticate: Bearer", "no");
    let edit = |name: &str| json!({"file_path": at(name), "old_string": "q", "new_string": "r"});
    let read = |name: &str| json!({"file_path": at(name)});
    let cases = [
        ("file_read", read("wide.txt")),
        ("file_read", read("latin.txt")),
        ("file_read", read("long.txt")),
        ("file_read", read("large.png")),
        ("file_read", read("gone.txt")),
        ("file_edit", edit("wide.txt")),
        ("file_edit", edit("latin.txt")),
        ("file_edit", edit("long.txt")),
        ("file_edit", edit("empty.txt")),
        ("file_edit", edit("directory")),
        ("file_edit", edit("long.txt:5")),
        (
            "file_edit",
            json!({"file_path": at("long.txt"), "old_string": "", "new_string": "r"}),
        ),
        (
            "file_write",
            json!({"file_path": at("directory"), "content": ""}),
        ),
        (
            "file_write",
            json!({"file_path": at("long.txt/a"), "content": ""}),
        ),
        ("grep", json!({"pattern": "q", "path": at("gone")})),
        ("web_fetch", json!({"url": png.url("/")})),
        ("web_fetch", json!({"url": broken.url("/")})),
        ("web_fetch", json!({"url": locked.url("/")})),
        ("web_fetch", json!({"url": "http://127.0.0.1:9/"})),
        ("web_fetch", json!({"url": "file:///etc/passwd"})),
        ("scrape_page", json!({"url": png.url("/")})),
        ("scrape_page", json!({"url": broken.url("/")})),
        ("scrape_page", json!({"url": locked.url("/")})),
        ("scrape_page", json!({"url": "file:///etc/passwd"})),
    ];
    let others = [
        "bash",
        "file_read",
        "file_write",
        "file_edit",
        "glob",
        "grep",
        "web_fetch",
        "scrape_page",
        "web_search",
        "curl",
        "iconv",
        "mkdir",
        "in a shell",
        "tail -c",
        "python3",
    ];
    for (tool, request) in cases {
        let text = said(&home, tool, &request, &["--max-answer", "7000"]);
        for other in others.iter().filter(|other| **other != tool) {
            assert!(!text.contains(other), "{tool} {request}: {other}: {text}");
        }
    }
    // With all of them, they are.
    for (tool, request, other) in [
        ("file_read", read("wide.txt"), "iconv"),
        ("file_read", read("large.png"), "with bash"),
        ("web_fetch", json!({"url": png.url("/")}), "curl"),
        (
            "web_fetch",
            json!({"url": "file:///etc/passwd"}),
            "file_read",
        ),
    ] {
        let text = session(&home, &[]).text_of(tool, &request).0;
        assert!(text.contains(other), "{tool}: {text}");
    }
}

#[test]
fn a_failure_in_the_cache_recommends_commands_only_where_there_are_some() {
    let home = Home::new();
    let png = serving("image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let request = json!({"url": png.url("/")});
    let origin = png.url("");
    let place = [(&*origin, "<server>")];
    let (text, _) = session(&home, &[]).text_of("scrape_page", &request);
    text.assert_row_at("mcp", "a picture, where there are commands", &place);
    let names = [
        "a picture, where there are none",
        "a picture, where there are none, from the cache",
    ];
    for name in names {
        let text = said(&home, "scrape_page", &request, &[]);
        text.assert_row_at("mcp", name, &place);
    }
    assert_eq!(png.asked().len(), 2);
}

#[test]
fn what_the_confinement_refuses_is_not_recommended() {
    if !super::bounds::confines() {
        return;
    }
    let home = Home::new();
    let root = home.path().join("root");
    std::fs::create_dir(&root).unwrap();
    std::fs::write(root.join("here.txt"), "x").unwrap();
    let root = root.display().to_string();
    let mut session = session(
        &home,
        &[
            "--root",
            &root,
            "--tools",
            "bash,file_read,grep,web_fetch,scrape_page",
            "--max-answer",
            "7000",
        ],
    );
    let within = format!("{root}/here.txt");
    for (path, name) in [
        ("/etc/passwd", "a local file without the bounds"),
        (&within, "a local file within the bounds"),
    ] {
        for tool in ["web_fetch", "scrape_page"] {
            let (text, _) = session.text_of(tool, &json!({"url": format!("file://{path}")}));
            text.assert_row_at("mcp", name, &[(tool, "<tool>"), (&root, "<root>")]);
        }
    }
    // What the server keeps of an output is for its tools, and not for confined commands.
    for (command, name) in [
        ("yes a long line | head -n 3000", "an output of many lines"),
        (
            "head -c 60000 /dev/zero | tr '\\0' x",
            "an output of one line",
        ),
    ] {
        let (text, _) = session.text_of("bash", &json!({"command": command}));
        let note = text.rsplit('\n').next().unwrap();
        note.assert_row("mcp", name);
    }
}

#[test]
fn a_local_document_leads_round_in_no_circle() {
    let home = Home::new();
    let path = home.path().join("broken.pdf");
    std::fs::write(&path, b"%PDF-1.7\n%\xE2\xE3\nnothing").unwrap();
    let mut session = session(&home, &[]);
    let shown = path.display().to_string();
    let url = format!("file://{shown}");
    for tool in ["web_fetch", "scrape_page"] {
        let (text, _) = session.text_of(tool, &json!({"url": url}));
        let placeholders = [(tool, "<tool>"), (&*shown, "<file>")];
        text.assert_row_at("mcp", "a local document", &placeholders);
    }
    let (text, failed) = session.text_of("file_read", &json!({"file_path": shown}));
    assert!(failed);
    text.assert_row_at("mcp", "a damaged PDF", &[(&shown, "<file>")]);
}
