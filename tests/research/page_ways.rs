//! The ways of `scrape_page` to what a page says, and what is known of it beside that: documents,
//! sites with a way of their own, browsers, Exa, citations, sources, retractions.

use std::fs;
use std::io::{Cursor, Write};
use std::os::unix::fs::PermissionsExt;

use crate::common::messages::TextRow;
use crate::reading::{Home, article, serving, text};
use crate::server::{Server, redirect, reply};
use serde_json::{Value, json};
use zip::write::SimpleFileOptions;

/// A server that answers for every public host, as a proxy.
fn world(content_type: &'static str, body: String) -> Server {
    Server::start(move |_, conn| {
        conn.write_all(&reply(
            &format!("200 OK\r\nContent-Type: {content_type}"),
            &body,
        ))
    })
}

/// A home whose calls reach that server and no other host but this machine.
fn behind(world: &Server) -> Home {
    Home::new()
        .set("http_proxy", &world.url(""))
        .set("no_proxy", "127.0.0.1,localhost")
}

/// A document of one page.
fn pdf(words: &str) -> Vec<u8> {
    crate::reading::pdf(&[vec![words.to_owned()]])
}

fn docx(words: &str) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
    let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let package = "http://schemas.openxmlformats.org/package/2006";
    for (name, part) in [
        (
            "[Content_Types].xml",
            format!(
                "<Types xmlns='{package}/content-types'><Default Extension='xml' \
                 ContentType='application/xml'/><Default Extension='rels' \
                 ContentType='application/vnd.openxmlformats-package.relationships+xml'/>\
                 <Override PartName='/word/document.xml' ContentType='application/vnd.\
                 openxmlformats-officedocument.wordprocessingml.document.main+xml'/></Types>"
            ),
        ),
        (
            "_rels/.rels",
            format!(
                "<Relationships xmlns='{package}/relationships'><Relationship Id='r1' \
                 Type='{office}/officeDocument' Target='word/document.xml'/></Relationships>"
            ),
        ),
        (
            "word/document.xml",
            format!(
                "<w:document xmlns:w='{word}'><w:body><w:p><w:r><w:t>{words}</w:t></w:r></w:p>\
                 </w:body></w:document>"
            ),
        ),
    ] {
        archive
            .start_file(name, SimpleFileOptions::default())
            .unwrap();
        archive.write_all(part.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn documents_are_told_by_their_bytes() {
    let home = Home::new();
    for (content_type, file, expected) in [
        ("application/pdf", pdf("Words of a document."), "pdf"),
        ("text/html", pdf("Words of a document."), "pdf"),
        (
            "application/octet-stream",
            docx("Words of a document."),
            "docx",
        ),
        ("application/zip", docx("Words of a document."), "docx"),
        (
            "text/plain",
            b"{\\rtf1 Words of a {\\v hidden }document.\\par}".to_vec(),
            "rtf",
        ),
    ] {
        let server = serving(content_type, file);
        let page = home.page(&server.url("/file"));
        assert_eq!(page["contentType"], expected, "{content_type}");
        assert_eq!(page["content"], "Words of a document.", "{content_type}");
        assert_eq!(page["extractionQuality"], "complete");
        assert_eq!(page.get("extractedBy"), None);
        assert_eq!(server.asked().len(), 1);
    }
    // A page is a page, whatever a server calls it, and whatever it speaks of.
    for content_type in ["application/pdf", "text/html"] {
        let body = "<!doctype html><title>T</title><p>A PDF file begins with %PDF-1.4.</p>";
        let page = home.page(&serving(content_type, body).url("/file.pdf"));
        assert_eq!(page["contentType"], "html", "{content_type}");
        assert_eq!(page["content"], "A PDF file begins with %PDF-1.4.");
    }
}

#[test]
fn a_notebook_is_a_document_whatever_a_server_calls_it() {
    let notebook = r##"{"cells": [{"cell_type": "markdown", "source": "# Title"},
        {"cell_type": "code", "source": "1 + 1"}], "nbformat": 4}"##;
    for content_type in ["text/plain", "application/x-ipynb+json", "application/json"] {
        let page = Home::new().page(&serving(content_type, notebook).url("/file"));
        assert_eq!(page["contentType"], "ipynb", "{content_type}");
        let shown = "[cell 1: markdown]\n# Title\n\n[cell 2: code]\n```\n1 + 1\n```";
        assert_eq!(page["content"], shown, "{content_type}");
    }
}

#[test]
fn a_message_is_mail_unless_a_server_calls_it_text() {
    let message = "Message-ID: <1@example.com>\nFrom: ann@example.com\n\nHello";
    for (content_type, kind, shown) in [
        (
            "message/rfc822",
            "eml",
            "**From:** ann@example.com\n\nHello",
        ),
        ("text/plain", "text", message),
    ] {
        let page = Home::new().page(&serving(content_type, message).url("/file"));
        assert_eq!(page["contentType"], kind, "{content_type}");
        assert_eq!(page["content"], shown, "{content_type}");
    }
}

#[test]
fn a_document_that_cannot_be_read_says_why() {
    let home = Home::new();
    let server = serving("application/pdf", b"%PDF-1.4\nnothing");
    home.fails(&json!({"url": server.url("/")}), "PARSE_ERROR");
    let torn = b"words of metadata, then \x03\x1f what was compressed, \xe9\x8d\x02".as_slice();
    let server = serving("application/pdf", torn);
    home.fails(&json!({"url": server.url("/")}), "PARSE_ERROR");
    let server = serving("application/pdf", pdf(""));
    home.fails(&json!({"url": server.url("/")}), "CONTENT_EMPTY");
    let raw = home.reads(&json!({"url": server.url("/"), "mode": "raw"}));
    assert_eq!(raw["contentType"], "application/pdf");
}

#[test]
fn what_a_page_declares_is_cited_and_handed_on_as_it_is() {
    let head = "<script type=\"application/ld+json\">{\"@type\":\"NewsArticle\",\"price\":1.50,\
        \"author\":{\"@type\":\"Person\",\"name\":\"Jane Doe\"},\"datePublished\":\"2024-05-17\"}</script>\
        <script type=\"application/ld+json\">{broken</script>\
        <meta property=\"og:site_name\" content=\"The Village Herald\">\
        <meta property=\"og:title\" content=\"Under the mill\">";
    let server = serving(
        "text/html",
        article(12).replace("</head>", &format!("{head}</head>")),
    );
    let home = Home::new();
    let request = json!({"url": server.url("/story")});
    let answer = home.ask(&request);
    let page = answer.json();
    assert_eq!(page["citation"]["url"], server.url("/story"));
    let metadata = &page["citation"]["metadata"];
    assert_eq!(metadata["author"], "Jane Doe", "{page}");
    assert_eq!(metadata["date"], "2024-05-17");
    assert_eq!(metadata["site"], "The Village Herald");
    for style in ["apa", "mla", "bibtex"] {
        let cited = text(&page["citation"]["formatted"], style);
        assert!(
            cited.contains("Doe") && cited.contains("2024"),
            "{style}: {cited}"
        );
    }
    assert_eq!(page["metadata"]["author"], "Jane Doe");
    assert_eq!(
        page["structuredData"]["jsonLd"].as_array().unwrap().len(),
        1
    );
    assert_eq!(
        page["structuredData"]["openGraph"]["og:title"],
        "Under the mill"
    );
    let shown = String::from_utf8(answer.stdout.clone()).unwrap();
    assert!(shown.contains("\"price\":1.50"), "verbatim");
    assert_eq!(page["sourceType"], "news_publication");
    assert_eq!(
        home.ask(&request).stdout,
        answer.stdout,
        "so it is from the cache"
    );
    let raw = home.reads(&json!({"url": server.url("/story"), "mode": "raw"}));
    assert_eq!(raw["citation"]["url"], server.url("/story"));
    assert!(
        raw["sourceType"].is_string() && raw["authorityTier"].is_string(),
        "{raw}"
    );
}

#[test]
fn of_a_scholarly_work_its_doi_is_told_and_whether_it_was_retracted() {
    let crossref = Server::start(|asked, conn| {
        let updates = json!({"message": {"DOI": "10.1234/ab", "updated-by": [{
            "DOI": "10.1234/notice", "type": "retraction", "label": "Retraction",
            "source": "retraction-watch", "updated": {"date-parts": [[2023, 4, 5]]},
        }]}});
        assert!(
            asked.target.to_lowercase().contains("10.1234"),
            "{}",
            asked.target
        );
        conn.write_all(&reply(
            "200 OK\r\nContent-Type: application/json",
            updates.to_string(),
        ))
    });
    let head = "<meta name=\"citation_doi\" content=\"10.1234/AB\">\
        <meta name=\"citation_journal_title\" content=\"Journal of Mills\">";
    let server = serving(
        "text/html",
        article(12).replace("</head>", &format!("{head}</head>")),
    );
    let home = Home::new().set("IKIGAI_CROSSREF_URL", &crossref.url("/works"));
    let page = home.page(&server.url("/"));
    assert_eq!(page["sourceType"], "peer_reviewed", "{page}");
    assert_eq!(page["detectedDoi"], "10.1234/ab");
    let status = &page["retractionStatus"];
    assert_eq!(
        (&status["retracted"], &status["kind"]),
        (&json!(true), &json!("retraction"))
    );
    assert_eq!(status["date"], "2023-04-05");
    home.page(&server.url("/"));
    assert_eq!(crossref.asked().len(), 1, "it is kept with the page");
    // A page that is no scholarly work tells nobody.
    let home = Home::new().set("IKIGAI_CROSSREF_URL", &crossref.url("/works"));
    let page = home.page(&serving("text/html", article(12)).url("/10.1234/ab"));
    assert_eq!((page.get("detectedDoi"), crossref.asked().len()), (None, 1));
}

#[test]
fn votes_of_a_forum_are_told() {
    let post = json!({"@context": "https://schema.org", "@type": "DiscussionForumPosting",
        "author": {"@type": "Person", "name": "miller"}, "datePublished": "2024-05-17T10:00:00Z",
        "commentCount": 3, "interactionStatistic": [
            {"@type": "InteractionCounter", "interactionType": "https://schema.org/LikeAction", "userInteractionCount": 12},
            {"@type": "InteractionCounter", "interactionType": "https://schema.org/CommentAction", "userInteractionCount": 3}]});
    let head = format!("<script type=\"application/ld+json\">{post}</script></head>");
    let world = world("text/html", article(12).replace("</head>", &head));
    let page = behind(&world).page("http://www.reddit.com/r/mills/comments/1/under_the_mill/");
    let signals = &page["forumSignals"];
    assert_eq!(
        (&signals["platform"], &signals["upvotes"]),
        (&json!("reddit"), &json!(12)),
        "{page}"
    );
    assert!(signals["credibilityNote"].is_string());
    assert_eq!(page["sourceType"], "forum");
}

#[test]
fn hacker_news_is_read_by_its_api() {
    let api = Server::start(|asked, conn| {
        let item = match asked.target.as_str() {
            "/v0/item/1.json" => {
                json!({"id": 1, "type": "story", "by": "pg", "time": 1_160_418_111,
                "title": "Under the mill", "score": 57, "url": "http://a.example/", "kids": [2], "descendants": 1})
            }
            "/v0/item/2.json" => json!({"id": 2, "type": "comment", "by": "sama", "parent": 1,
                "time": 1_160_418_112, "text": "A comment."}),
            _ => Value::Null,
        };
        conn.write_all(&reply(
            "200 OK\r\nContent-Type: application/json",
            item.to_string(),
        ))
    });
    let home = Home::new().set("IKIGAI_HN_URL", &api.url(""));
    let page = home.page("https://news.ycombinator.com/item?id=1");
    assert_eq!(page["contentType"], "hn", "{page}");
    for words in ["Under the mill", "A comment.", "sama"] {
        assert!(text(&page, "content").contains(words), "{page}");
    }
    assert_eq!(
        (page.get("extractedBy"), &page["metadata"]["author"]),
        (None, &json!("pg"))
    );
    home.fails(
        &json!({"url": "https://news.ycombinator.com/item?id=404"}),
        "NOT_FOUND",
    );
    let home = home.set("ALLOWED_DOMAINS", "example.com");
    home.fails(
        &json!({"url": "https://news.ycombinator.com/item?id=1"}),
        "BLOCKED",
    );
}

#[test]
fn the_user_s_list_of_hosts_is_asked_for_every_page_redirect_and_kept_answer() {
    let end = serving("text/plain", "the end");
    let to = end.url_as("localhost", "/end");
    let server = Server::start(move |_, conn| conn.write_all(&redirect(&to)));
    let request = json!({"url": server.url("/begin")});
    let home = Home::new();
    home.reads(&request);
    home.reads(&request);
    assert_eq!(end.asked().len(), 1);
    let home = home.set("ALLOWED_DOMAINS", "127.0.0.1");
    let failure = home.fails(&request, "BLOCKED");
    assert_eq!(failure["retryable"], false);
    let home = home.set("ALLOWED_DOMAINS", "127.0.0.1, localhost");
    assert_eq!(home.reads(&request)["content"], "the end");
    let home = home.set("ALLOWED_DOMAINS", ",");
    home.fails(&request, "CONFIG");
}

const SHELL: &str =
    "<!doctype html><title>App</title><div id=\"root\"></div><script src=\"/app.js\"></script>";

/// A program that stands for a browser, which prints this page.
fn browser(home: &Home, page: &str) -> String {
    let program = home.path().join("browser");
    fs::write(home.path().join("page.html"), page).unwrap();
    let printed = home.path().join("page.html");
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *--version*) echo 'Chromium 156.0.0.0'; exit;; esac\ncat '{}'\n",
        printed.display()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program.to_str().unwrap().to_owned()
}

#[test]
fn a_page_that_a_script_puts_together_is_shown_by_a_browser() {
    let server = serving("text/html", SHELL);
    let home = Home::new();
    let program = browser(&home, &article(12));
    let home = home
        .set("IKIGAI_BROWSER", &program)
        .set("IKIGAI_BROWSER_FLAGS", "--no-sandbox");
    let page = home.page(&server.url("/"));
    assert_eq!(page["extractedBy"], "browser", "{page}");
    assert_eq!(page["extractionQuality"], "complete");
    assert!(text(&page, "content").contains("Paragraph 12 "), "{page}");
    let title = text(&page["citation"]["metadata"], "title");
    assert_eq!(title, "What lay under the mill – The Village Herald");
    // A page that shows its text needs none.
    let plain = home.page(&serving("text/html", article(3)).url("/"));
    assert_eq!(plain["extractedBy"], "html");
    // A page without a browser is another answer.
    let home = home.set("IKIGAI_BROWSER", "");
    assert_eq!(home.page(&server.url("/"))["extractionQuality"], "partial");
    // A browser that fails leaves what there is, and the next call tries again.
    let home = home.set("IKIGAI_BROWSER", "/bin/false");
    for _ in 0..2 {
        let page = home.page(&server.url("/"));
        assert_eq!(page["extractionQuality"], "partial", "{page}");
        text(&page, "note").assert_row("scrape_page", "a browser that fails");
    }
}

#[test]
fn exa_is_asked_for_a_public_page_where_its_user_wants_that() {
    let exa = Server::start(|asked, conn| {
        let wanted: Value = serde_json::from_slice(&asked.body).unwrap();
        let answer = json!({"results": [{"url": wanted["urls"][0], "id": wanted["urls"][0],
            "title": "The app", "text": "What the app says. ".repeat(40)}],
            "statuses": [{"id": wanted["urls"][0], "status": "success", "source": "cached"}]});
        conn.write_all(&reply(
            "200 OK\r\nContent-Type: application/json",
            answer.to_string(),
        ))
    });
    let world = world("text/html", SHELL.to_owned());
    let with_key = || {
        behind(&world)
            .set("EXA_API_KEY", "s3cret")
            .set("IKIGAI_EXA_URL", &exa.url("/search"))
    };
    let page = with_key().page("http://app.example.org/");
    assert_eq!(
        (&page["extractionQuality"], exa.asked().len()),
        (&json!("partial"), 0)
    );
    let home = with_key().set("IKIGAI_EXA_PAGES", "1");
    let page = home.page("http://app.example.org/");
    assert_eq!(page["extractedBy"], "exa:cached", "{page}");
    assert_eq!(page["extractionQuality"], "complete");
    assert!(text(&page, "content").starts_with("What the app says."));
    assert!(!page.to_string().contains("s3cret"));
    // Exa is never told of a page of this machine, a login, a port.
    let local = serving("text/html", SHELL);
    home.page(&local.url("/"));
    home.page("http://user:pw@app.example.org/");
    home.page("http://app.example.org:8080/");
    assert_eq!(exa.asked().len(), 1);
}

/// A server of empty pages that lead on: `/0` to `/1` by its head, `/1` to `/2` by its header.
fn leading_on() -> Server {
    Server::start(|asked, conn| {
        let head = |more: &str| format!("200 OK\r\nContent-Type: text/html{more}");
        let (head, body) = match asked.target.as_str() {
            "/0" => (
                head(""),
                "<meta http-equiv=refresh content='5; url=/1'>".to_owned(),
            ),
            "/1" => (head("\r\nRefresh: 0; url=/2"), String::new()),
            "/soon" => {
                let page = "<meta http-equiv=refresh content='0; url=/2'><p>Redirecting";
                (head(""), page.to_owned())
            }
            "/metadata" => {
                let page = "<meta http-equiv=refresh content='0; url=http://169.254.169.254/'>";
                (head(""), page.to_owned())
            }
            "/private" => {
                let page = "<meta http-equiv=refresh content='0; url=http://10.0.0.1/'>";
                (head(""), page.to_owned())
            }
            _ => (head(""), article(5)),
        };
        conn.write_all(&reply(&head, body))
    })
}

#[test]
fn one_refresh_of_an_empty_page_is_followed_within_the_guard() {
    let home = Home::new();
    let server = leading_on();
    let origin = server.url("");
    for path in ["/1", "/soon"] {
        let page = home.page(&server.url(path));
        assert_eq!(page["url"], server.url("/2"), "{page}");
        text(&page, "note").assert_row_at(
            "scrape_page",
            "a refresh that was followed",
            &[(&origin, "<server>")],
        );
    }
    let request = json!({"url": server.url("/0")});
    let failure = home.fails(&request, "CONTENT_EMPTY");
    assert!(
        text(&failure, "error").contains(&server.url("/2")),
        "{failure}"
    );
    for path in ["/metadata", "/private"] {
        let failure = home.fails(&json!({"url": server.url(path)}), "NETWORK_ERROR");
        text(&failure, "error").assert_row("scrape_page", "a refresh that is not followed");
    }
}

#[test]
fn a_page_whose_text_stands_only_in_its_data_is_read_and_partial() {
    let text_of_page = "The bridge was closed for repairs on Monday, and opened again. ".repeat(9);
    let data = format!(
        "<title>T</title><div id=__next></div><script>run()</script>\
         <script id=__NEXT_DATA__ type=application/json>{{\"a\":\"{text_of_page}\"}}</script>"
    );
    let page = Home::new().page(&serving("text/html", data).url("/"));
    let rest = text(&page, "content").strip_prefix(text_of_page.trim());
    rest.unwrap()
        .assert_row("scrape_page", "a text in the data of a script");
    assert_eq!(page["extractionQuality"], "partial");
}

#[test]
fn json_that_is_served_as_html_stays_json() {
    let json = "{\"a\": [\"<b>one</b>\", 2]}\n";
    let page = Home::new().page(&serving("text/html; charset=utf-8", json).url("/"));
    assert_eq!(
        (text(&page, "content"), text(&page, "contentType")),
        (json, "json")
    );
    let marked = serving("text/html", format!("\u{feff}{json}"));
    assert_eq!(Home::new().page(&marked.url("/"))["contentType"], "json");
    let html = serving("text/html", format!("[a note] {}", article(3)));
    assert_eq!(Home::new().page(&html.url("/"))["contentType"], "html");
}
