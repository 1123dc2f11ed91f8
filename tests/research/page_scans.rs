//! Scanned documents at an address: read by OCR, and what is said and kept where time ran out.

use std::time::{Duration, Instant};

use crate::common::messages::TextRow;
use crate::common::{self, tool};
use crate::reading::{Home, serving, text};
use crate::scanned::{self, FIRST, Image, Page};
use serde_json::json;

fn sheet(name: &str) -> Page {
    Page::Image(Image::of_bits(name))
}

#[test]
fn a_scan_is_read_and_said_to_be_read_by_ocr() {
    if let Some(why) = scanned::no_ocr() {
        return common::skip(why);
    }
    let server = serving("application/pdf", scanned::pdf(&[sheet("first")]));
    let home = Home::new().set("LANG", "C");
    let page = home.page(&server.url("/scan.pdf"));
    let remark = "By OCR (tesseract, eng), which makes mistakes: page 1.";
    assert_eq!(text(&page, "content"), format!("{FIRST}\n\n[{remark}]"));
    assert!(text(&page, "note").contains(remark), "{page}");
    assert_eq!(
        (&page["extractionQuality"], &page["truncated"]),
        (&json!("complete"), &json!(false))
    );
    assert_eq!(
        home.page(&server.url("/scan.pdf"))["content"],
        page["content"]
    );
    assert_eq!(server.asked().len(), 1, "it is kept");
    let fetched = tool("web-fetch-tool")
        .env("LANG", "C")
        .without_env("IKIGAI_OCR")
        .with(&json!({"url": server.url("/scan.pdf")}))
        .run();
    assert_eq!(fetched.field("content"), page["content"]);
    assert!(fetched.note().contains(remark), "{}", fetched.note());
}

#[test]
fn pages_for_which_there_was_no_time_make_it_partial_and_are_read_anew() {
    if let Some(why) = scanned::no_landlock() {
        return common::skip(why);
    }
    let room = common::directory();
    // Who is given a picture answers, and who is given pixels never does.
    let script = "[ \"$(head -c 2)\" = II ] && exec sleep 60; echo These words were read.";
    let program = scanned::program(room.path(), script);
    let quick = Image::new("/Filter /DCTDecode", scanned::data("first.jpg"));
    let server = serving(
        "application/pdf",
        scanned::pdf(&[Page::Image(quick), sheet("first"), sheet("second")]),
    );
    let home = Home::new()
        .set("IKIGAI_OCR", &program)
        .set("IKIGAI_MAX_SECONDS", "5");
    for times in 1..=2 {
        let began = Instant::now();
        let page = home.page(&server.url("/scan.pdf"));
        assert!(
            began.elapsed() < Duration::from_secs(5),
            "{:?}",
            began.elapsed()
        );
        assert_eq!(
            text(&page, "content"),
            "These words were read.\n\n[By OCR (reader, eng), which makes mistakes: page 1. Scans \
             that were not read: pages 2, 3 (there was no time).]"
        );
        assert_eq!(
            (&page["extractionQuality"], &page["truncated"]),
            (&json!("partial"), &json!(true))
        );
        assert_eq!(server.asked().len(), times);
    }
    // Nor is the failure kept of one of which nothing was read.
    let server = serving("application/pdf", scanned::pdf(&[sheet("first")]));
    for times in 1..=2 {
        let failure = home.fails(&json!({"url": server.url("/scan.pdf")}), "CONTENT_EMPTY");
        text(&failure, "error").assert_row("scrape_page", "a scan for which there was no time");
        assert_eq!(server.asked().len(), times);
    }
}

#[test]
fn what_was_found_without_ocr_is_not_taken_once_there_is_some() {
    if let Some(why) = scanned::no_landlock() {
        return common::skip(why);
    }
    let server = serving(
        "application/pdf",
        scanned::pdf(&[Page::Text("Words are on this page."), sheet("first")]),
    );
    let home = Home::new().set("IKIGAI_OCR", "");
    for _ in 0..2 {
        let page = home.page(&server.url("/scan.pdf"));
        assert_eq!(page["extractionQuality"], "partial", "{page}");
        text(&page, "note").assert_row("scrape_page", "a scan without a program");
        assert_eq!(server.asked().len(), 1);
    }
    let program = scanned::program(home.path(), "echo These words were read.");
    let home = home.set("IKIGAI_OCR", &program);
    let page = home.page(&server.url("/scan.pdf"));
    assert!(
        text(&page, "content").contains("These words were read."),
        "{page}"
    );
}

#[test]
fn a_document_of_before_2007_is_read_by_an_installed_program_and_kept() {
    let missing = ["soffice", "antiword"]
        .into_iter()
        .find_map(|program| scanned::no_program(program, "LibreOffice or antiword is not here"));
    if let Some(why) = scanned::no_landlock().or(missing) {
        return common::skip(why);
    }
    let server = serving("application/msword", scanned::legacy_office("doc"));
    let home = Home::new().set("IKIGAI_OFFICE", "soffice");
    for _ in 0..2 {
        let page = home.page(&server.url("/boats.doc"));
        let content = text(&page, "content");
        assert!(content.starts_with("# The Harbour Office\n\n"), "{content}");
        assert!(content.ends_with("\n\n[Read by soffice.]"), "{content}");
        text(&page, "note").assert_row("scrape_page", "a document that a program read");
        assert_eq!(page["extractionQuality"], "complete");
        assert_eq!(server.asked().len(), 1);
    }
    let fetched = tool("web-fetch-tool")
        .env("IKIGAI_OFFICE", "antiword")
        .with(&json!({"url": server.url("/boats.doc")}))
        .run();
    fetched
        .note()
        .assert_row("web_fetch", "a document that a program read as text");
}

#[test]
fn a_program_that_never_answers_for_a_document_is_given_up() {
    if let Some(why) = scanned::no_landlock() {
        return common::skip(why);
    }
    let server = serving("application/msword", scanned::legacy_office("doc"));
    let home = Home::new();
    let mark = common::alone(4714);
    let office = scanned::program_called(home.path(), "office", &format!("exec sleep {mark}"));
    let home = home
        .set("IKIGAI_OFFICE", &office)
        .set("IKIGAI_MAX_SECONDS", "5");
    let began = Instant::now();
    let failure = home.fails(&json!({"url": server.url("/boats.doc")}), "PARSE_ERROR");
    assert!(began.elapsed() < Duration::from_secs(5));
    let reason = "This DOC file, of Office before 2007, is read by an installed program. office took \
         too long.";
    assert!(text(&failure, "error").contains(reason), "{failure}");
    assert!(common::eventually(
        || common::processes_with(&mark).is_empty()
    ));
}
