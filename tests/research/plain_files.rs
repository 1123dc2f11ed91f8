//! Texts under any media type, packed files and mail, at both doors to the web: `scrape_page` and
//! web-fetch tell them by their bytes alike.

use std::io::{Cursor, Write};

use crate::common::tool;
use crate::reading::{Home, serving, text};
use crate::server::{Server, reply};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use zip::write::SimpleFileOptions;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn zip_of(names: impl Iterator<Item = String>) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for name in names {
        archive
            .start_file(name, SimpleFileOptions::default())
            .unwrap();
        archive.write_all(b"12345").unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// The answers of both doors for a body at this path.
fn at_both_doors(server: &Server, path: &str) -> [Value; 2] {
    let request = json!({"url": server.url(path)});
    let fetched = tool("web-fetch-tool").with(&request).run().json();
    [Home::new().ask(&request).json(), fetched]
}

#[track_caller]
fn shows(content_type: &str, body: impl AsRef<[u8]>, path: &str, wanted: &str) {
    for answer in at_both_doors(&serving(content_type, body), path) {
        let content = answer["content"].as_str().unwrap_or_default();
        assert_eq!(
            content.trim_end(),
            wanted,
            "{content_type} {path}: {answer}"
        );
    }
}

#[track_caller]
fn refuses(content_type: &str, body: impl AsRef<[u8]>, path: &str, named: &str) {
    for answer in at_both_doors(&serving(content_type, body), path) {
        assert_eq!(answer["error_code"], "PARSE_ERROR", "{answer}");
        let error = answer["error"].as_str().unwrap();
        assert!(error.contains(named), "{content_type}: {answer}");
    }
}

#[test]
fn text_is_text_whatever_its_type_is_called() {
    for content_type in [
        "application/x-bibtex",
        "application/csv",
        "application/pgp-keys",
        "application/vnd.apple.mpegurl",
        "application/x-www-form-urlencoded",
        "application/postscript",
        "chemical/x-pdb",
        "application/never-heard-of",
        "application/pdf",
        "application/msword",
        "application/rtf",
        "application/vnd.ms-excel",
        "application/zip",
        "audio/x-mpegurl",
        "video/mp2t",
        "image/svg+xml",
        "text/plain",
    ] {
        shows(
            content_type,
            "key = {words}, \u{e9}\n",
            "/a",
            "key = {words}, \u{e9}",
        );
    }
    let late = [&b"x\n".repeat(4000)[..], b"\x01\0\x02"].concat();
    for content_type in [
        "application/x-bibtex",
        "video/mp2t",
        "application/octet-stream",
    ] {
        refuses(content_type, &late, "/a", content_type);
    }
    for content_type in ["image/png", "audio/mpeg", "video/mp4", "font/woff2"] {
        refuses(content_type, "words", "/a", content_type);
    }
    // The page of an error in place of a file is a page, and the source of a program is none.
    let page = "<!DOCTYPE html><html><body><p>The file is gone.</p></body></html>";
    shows("application/pdf", page, "/a.pdf", "The file is gone.");
    shows("application/x-httpd-php", page, "/a", page);
    // Where neither bytes nor type tell, the name does.
    let part = "<section><p>A part of a page.</p></section>";
    shows(
        "application/octet-stream",
        part,
        "/a.html",
        "A part of a page.",
    );
    shows("application/octet-stream", part, "/a", part);
}

#[test]
fn what_is_packed_in_a_gzip_file_is_shown() {
    let words = "All that changed.\n".repeat(3);
    let shown = words.trim_end();
    for content_type in ["application/gzip", "application/octet-stream", "text/plain"] {
        shows(content_type, gzip(words.as_bytes()), "/changelog.gz", shown);
    }
    let page = gzip(b"<html><body><p>A page.</p></body></html>");
    shows("application/x-gzip", page, "/a.html.gz", "A page.");
    let two = [gzip(b"one\n"), gzip(b"two\n")].concat();
    shows("application/gzip", two, "/a.gz", "one\ntwo");
    let mail = gzip(b"From a Mon Jan  1 10:00:00 2024\nFrom: ann\nDate: now\n\nHello.\n");
    shows(
        "application/gzip",
        mail,
        "/2024.txt.gz",
        "**From:** ann  \n**Date:** now\n\nHello.",
    );
    let archive = [&[b'a'; 100][..], &[0; 157], b"ustar\x0000", &[0; 512]].concat();
    refuses("application/gzip", gzip(&archive), "/a.tar.gz", "x-tar");
    let within = gzip(&gzip(b"words"));
    refuses("application/gzip", within, "/a.gz.gz", "gzip");
    let torn = gzip(words.as_bytes());
    refuses("application/gzip", &torn[..torn.len() / 2], "/a.gz", "gzip");
}

#[test]
fn a_gzip_file_is_unpacked_no_further_than_other_pages_are_read() {
    let bomb = gzip(&b"0123456789abcde\n".repeat(4 << 20));
    for answer in at_both_doors(&serving("application/gzip", bomb), "/a.gz") {
        let all = answer.to_string();
        assert!(
            all.contains("nly the first 10 MiB"),
            "{:.900}",
            answer["note"]
        );
        assert!(all.len() < 12 << 20);
    }
}

#[test]
fn the_names_in_a_zip_file_are_listed() {
    let names = ["README.md", "docs/", "docs/inner.zip", "a\nb`"];
    let file = zip_of(names.iter().map(ToString::to_string));
    for answer in at_both_doors(&serving("application/zip", file), "/a.zip") {
        let content = answer["content"].as_str().unwrap();
        for line in [
            "README.md (5 bytes)\n",
            "docs/\n",
            "docs/inner.zip (5 bytes)\n",
            "a\u{fffd}b` (5 bytes)\n",
        ] {
            assert!(content.contains(line), "{content}");
        }
    }
    let many = zip_of((0..1234).map(|number| format!("{number}.txt")));
    for answer in at_both_doors(&serving("application/octet-stream", many), "/a") {
        let content = answer["content"].as_str().unwrap();
        assert!(content.contains("1,234 entries") && content.contains("… and 1,034 more"));
        assert_eq!(content.matches(".txt (").count(), 200);
    }
    let too_many = zip_of((0..30_000).map(|number| format!("{number}.txt")));
    for answer in at_both_doors(&serving("application/zip", too_many), "/a.zip") {
        let content = answer["content"].as_str().unwrap();
        assert!(content.contains("30,000 entries") && content.contains("… and 29,800 more"));
    }
    refuses("application/zip", b"PK\x03\x04broken", "/a.zip", "");
}

#[test]
fn what_is_declared_or_named_as_mail_is_mail() {
    let mail = "From: Ann\nSubject: Meeting\nContent-Transfer-Encoding: base64\n\nVGh1cnNkYXk=\n";
    let shown = "# Meeting\n\n**From:** Ann\n\nThursday";
    for (content_type, path) in [
        ("message/rfc822", "/1"),
        ("application/mbox", "/archive"),
        ("application/octet-stream", "/a.eml"),
        ("text/plain", "/A.EML"),
    ] {
        shows(content_type, mail, path, shown);
    }
    shows("text/plain", mail, "/a.txt", mail.trim_end());
    shows("message/rfc822", "No mail at all.", "/1", "No mail at all.");
}

#[test]
fn a_page_that_only_leads_elsewhere_says_so_at_both_doors() {
    let frames = "<frameset cols='1,*'><frame src=menu.html><frame src=main.html></frameset>";
    for answer in at_both_doors(&serving("text/html", frames), "/") {
        let content = text(&answer, "content");
        assert!(
            content.contains("/menu.html>") && content.contains("/main.html>"),
            "{answer}"
        );
    }
    let server = Server::start(|asked, conn| {
        let (more, body) = match asked.target.as_str() {
            "/header" => ("\r\nRefresh: 0; url=/goal", ""),
            "/script" => (
                "",
                "<html><head><script>location.replace('/goal');</script></head><body></body></html>",
            ),
            "/href" => ("", "<script>\nwindow.location.href = \"/goal\"\n</script>"),
            _ => (
                "",
                "<p>This is the page that all of them lead to, and it has words.</p>",
            ),
        };
        conn.write_all(&reply(
            &format!("200 OK\r\nContent-Type: text/html{more}"),
            body,
        ))
    });
    for path in ["/header", "/script", "/href"] {
        let [scraped, fetched] = at_both_doors(&server, path);
        assert_eq!(scraped["url"], server.url("/goal"), "{scraped}");
        let named = format!("<{}>", server.url("/goal"));
        assert!(text(&fetched, "content").contains(&named), "{fetched}");
    }
    for script in [
        "if (mobile) location.replace('/goal')",
        "location.replace(target)",
        "let a = location.href == 'x'",
    ] {
        let page = format!("<html><script>{script}</script><body></body></html>");
        let [scraped, fetched] = at_both_doors(&serving("text/html", page), "/");
        assert_eq!(
            scraped["extractionQuality"], "partial",
            "{script}: {scraped}"
        );
        assert!(!fetched.to_string().contains("leads to"), "{fetched}");
    }
}
