//! The web-fetch tool, called as a host calls it. What the client refuses, follows and bounds is
//! tested with the client; what becomes of a page, with the conversion.

use std::time::Duration;

use crate::common::messages::TextRow;
use crate::common::{Answer, tool};
use crate::reading::pdf;
use crate::server::{Asked, Server, page, redirect, reply};
use iki_web::client::TOTAL_TIMEOUT;
use serde_json::{Value, json};

/// A call with these fields, through no proxy but its own.
fn call(request: &Value) -> crate::common::Call {
    tool("web-fetch-tool").with(request).without_settings()
}

fn fetch(url: &str) -> Answer {
    call(&json!({"url": url})).run()
}

/// The tool's answer to a reply of these bytes.
fn fetched(bytes: Vec<u8>) -> Value {
    let server = Server::bytes(bytes);
    fetch(&server.url("/")).json()
}

#[track_caller]
fn fails(answer: &Answer, code: &str) -> String {
    let json = answer.json();
    assert_eq!(json["success"], false, "{json}");
    assert_eq!(json["error_code"], code, "{json}");
    assert_eq!(answer.code(), 1);
    assert_eq!(answer.stderr, "");
    json["error"].as_str().unwrap().to_owned()
}

fn html(body: &str) -> Vec<u8> {
    reply("200 OK\r\nContent-Type: text/html; charset=utf-8", body)
}

#[test]
fn json_that_is_called_html_comes_as_it_is() {
    let json = "{\"a\": \"*b* <b>c</b> [d](e)\",\n  \"f\": [1, 2]}\n";
    assert_eq!(fetched(html(json))["content"], json);
    assert_eq!(fetched(html("[a] <b>c</b>"))["content"], "[a] **c**");
}

#[test]
fn what_nobody_sees_of_a_page_is_taken_out_and_said() {
    let page = "<title>Out\u{202e}er</title><p>Read\u{e0049}\u{e0067} می\u{200c}خوانم</p>";
    let shown = fetched(html(page));
    assert_eq!(shown["title"], "Outer");
    assert_eq!(shown["content"], "Read می\u{200c}خوانم");
    assert_eq!(
        shown["note"],
        "3 unseen characters (bidirectional override, tag characters) were taken out of the page."
    );
    // Text that is not converted is promised as it is.
    let text = "a\u{202e}b";
    let plain = reply("200 OK\r\nContent-Type: text/plain; charset=utf-8", text);
    assert_eq!(fetched(plain)["content"], text);
}

#[test]
fn a_page_comes_as_markdown_with_its_title_and_address() {
    let server = Server::bytes(html(
        "<!doctype html><title> A  page </title><nav>menu</nav><h1>Hello</h1><p>One <b>bold</b> word, \
         <a href='/x'>a link</a>.</p><script>never()</script><p hidden>secret</p>",
    ));
    let answer = fetch(&server.url("/dir/"));
    let expected = json!({
        "success": true,
        "url": server.url("/dir/"),
        "title": "A page",
        "content": format!("# Hello\n\nOne **bold** word, [a link]({}).", server.url("/x")),
    });
    assert_eq!(answer.json(), expected);
    assert!(answer.stdout.starts_with(br#"{"success":true,"url":""#));
    assert_eq!((answer.code(), answer.stderr.as_str()), (0, ""));
}

#[test]
fn a_feed_comes_as_a_list_of_linked_titles() {
    let feed = "<?xml version='1.0'?><rss><channel><title>News</title>\
        <item><title>One</title><link>/1</link></item></channel></rss>";
    for kind in ["application/rss+xml", "text/xml", "text/html"] {
        let server = Server::bytes(reply(&format!("200 OK\r\nContent-Type: {kind}"), feed));
        let answer = fetch(&server.url("/")).json();
        assert_eq!(answer["title"], "News", "{kind}");
        assert_eq!(
            answer["content"],
            format!("- [One]({})", server.url("/1")),
            "{kind}"
        );
    }
}

#[test]
fn the_request_says_what_is_wanted_and_by_whom() {
    let server = Server::bytes(page("x"));
    fetch(&server.url("/"));
    let asked: Vec<Asked> = server.asked();
    let agent = format!("ikigai-tools/{}", env!("CARGO_PKG_VERSION"));
    assert_eq!(asked[0].header("user-agent"), Some(agent.as_str()));
    assert!(
        asked[0]
            .header("accept")
            .unwrap()
            .starts_with("text/markdown")
    );
}

#[test]
fn a_window_counts_lines_of_the_markdown() {
    let server = Server::bytes(html("<h1>1</h1><p>3</p><p>5</p>"));
    for (window, expected) in [
        (json!({}), "# 1\n\n3\n\n5"),
        (json!({"offset": 3}), "3\n\n5"),
        (json!({"offset": 3, "limit": 1}), "3\n"),
        (json!({"limit": 2}), "# 1\n\n"),
        (json!({"offset": 9}), ""),
        (json!({"offset": 0, "limit": null}), "# 1\n\n3\n\n5"),
        (json!({"offset": "5", "limit": 1.0}), "5"),
        (json!({"offset": -3, "limit": -1}), "# 1\n"),
    ] {
        let mut request = window.clone();
        request["url"] = server.url("/").into();
        assert_eq!(call(&request).run().json()["content"], expected, "{window}");
    }
}

#[test]
fn text_of_any_kind_comes_as_it_is() {
    for kind in [
        "text/plain",
        "text/markdown",
        "application/json",
        "application/xml",
        "text/csv",
        "application/ld+json",
        "image/svg+xml",
    ] {
        let json = fetched(reply(
            &format!("200 OK\r\nContent-Type: {kind}"),
            "<p>*as* it\r\nis</p>\n",
        ));
        assert_eq!(json["content"], "<p>*as* it\r\nis</p>\n", "{kind}");
        assert_eq!(json["title"], "");
    }
}

#[test]
fn what_is_no_text_is_a_parse_error_that_names_the_type() {
    for kind in ["image/png", "application/pdf", "application/octet-stream"] {
        let server = Server::bytes(reply(
            &format!("200 OK\r\nContent-Type: {kind}"),
            b"\x89PNG\0\0",
        ));
        let error = fails(&fetch(&server.url("/")), "PARSE_ERROR");
        assert!(error.contains(kind), "{error}");
    }
}

#[test]
fn documents_come_as_markdown_and_by_their_lines() {
    let file = pdf(&["First words.", "Second words."].map(|words| vec![words.to_owned()]));
    for kind in ["application/pdf", "application/octet-stream", "text/plain"] {
        let server = Server::bytes(reply(&format!("200 OK\r\nContent-Type: {kind}"), &file));
        let json = fetch(&server.url("/")).json();
        assert_eq!(json["content"], "First words.\n\nSecond words.", "{json}");
        let window = json!({"url": server.url("/"), "offset": 3, "limit": 1});
        assert_eq!(call(&window).run().json()["content"], "Second words.");
    }
    let server = Server::bytes(reply(
        "200 OK\r\nContent-Type: application/pdf",
        pdf(&[Vec::new()]),
    ));
    let answer = fetch(&server.url("/"));
    fails(&answer, "PARSE_ERROR");
    assert_eq!(answer.json().get("note"), None, "{}", answer.json());
}

#[test]
fn a_host_gets_the_whole_page_whatever_part_its_address_names() {
    let server = Server::bytes(page("<h1>A</h1><p>Text.</p><h2 id=b>B</h2><p>More.</p>"));
    let whole = fetch(&server.url("/")).json()["content"].clone();
    for part in ["b", "nowhere"] {
        let json = fetch(&server.url(&format!("/#{part}"))).json();
        assert_eq!(json["content"], whole, "{json}");
        assert_eq!(json.get("note"), None, "{json}");
    }
}

#[test]
fn a_page_served_as_xhtml_is_read_as_xml() {
    let page = "<?xml version=\"1.0\"?><html xmlns=\"http://www.w3.org/1999/xhtml\"><head><script src=\"a.js\"/>\
                <title>T</title></head><body><div/><h1>Head</h1><p>Body <![CDATA[a < b]]></p></body></html>";
    for (kind, content) in [
        ("application/xhtml+xml", "# Head\n\nBody a < b"),
        // The same for whoever reads it as HTML: a script that does not end.
        (
            "text/html",
            "[This page shows no text without JavaScript, which was not run.]",
        ),
    ] {
        let json = fetched(reply(&format!("200 OK\r\nContent-Type: {kind}"), page));
        assert_eq!(json["content"], content, "{kind}");
    }
}

#[test]
fn a_missing_or_odd_content_type_is_made_out() {
    assert_eq!(
        fetched(reply("200 OK", "<!doctype html><h1>x</h1>"))["content"],
        "# x"
    );
    assert_eq!(
        fetched(reply("200 OK", "just text"))["content"],
        "just text"
    );
    let server = Server::bytes(reply("200 OK", b"\0\x01\x02\xff"));
    fails(&fetch(&server.url("/")), "PARSE_ERROR");
    assert_eq!(
        fetched(reply("204 No Content", ""))["content"],
        "[HTTP 204: No Content. The body of this answer is empty.]"
    );
}

#[test]
fn charsets_are_read_as_browsers_do() {
    let in_header = |charset: &str, body: &[u8]| {
        fetched(reply(
            &format!("200 OK\r\nContent-Type: text/html; charset={charset}"),
            body,
        ))
    };
    assert_eq!(
        in_header("windows-1252", b"<p>caf\xe9 \x80</p>")["content"],
        "café €"
    );
    assert_eq!(
        in_header("shift_jis", b"<p>\x93\xfa\x96\x7b</p>")["content"],
        "日本"
    );
    assert_eq!(in_header("gb18030", b"<p>\xc4\xe3</p>")["content"], "你");
    let utf16: Vec<u8> = "\u{feff}<p>né</p>"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(in_header("utf-8", &utf16)["content"], "né");
    let in_meta = b"<meta charset=windows-1251><p>\xcc\xe8\xf0</p>";
    assert_eq!(
        fetched(reply("200 OK\r\nContent-Type: text/html", in_meta))["content"],
        "Мир"
    );
}

#[test]
fn redirects_are_followed_to_the_final_address() {
    let server = Server::start(|asked, conn| {
        let to = match asked.target.as_str() {
            "/start" => redirect("/middle"),
            "/middle" => redirect("end?x=1#part"),
            _ => page("arrived"),
        };
        conn.write_all(&to)
    });
    let json = fetch(&server.url("/start")).json();
    assert_eq!(json["content"], "arrived");
    assert!(
        json["url"]
            .as_str()
            .unwrap()
            .starts_with(&server.url("/end?x=1"))
    );
}

#[test]
fn more_than_ten_mebibytes_are_cut_and_that_is_said() {
    let server = Server::bytes(page("line\n".repeat(3_000_000)));
    let mut request = json!({"url": server.url("/")});
    let json = call(&request).run().json();
    let content = json["content"].as_str().unwrap();
    request["offset"] = 9_000_000.into();
    let past = call(&request).run().json();
    let note = "offset 9000000 is past what was read of the page: 2,097,155 lines, the last of \
                which says why there are no more.";
    assert_eq!(past["note"], note);
    assert!(content.ends_with("\n\n[Cut off: only the first 10 MiB were read.]"));
    assert!((10 << 20..(10 << 20) + 100).contains(&content.len()));
}

#[test]
fn a_server_without_end_costs_no_more_than_the_call_may_take() {
    assert!(TOTAL_TIMEOUT < Duration::from_secs(25));
    let server = Server::start(|_, conn| {
        conn.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")?;
        loop {
            conn.write_all(b".")?;
            conn.flush()?;
            std::thread::sleep(Duration::from_millis(500));
        }
    });
    let answer = call(&json!({"url": server.url("/")})).env("IKIGAI_MAX_SECONDS", "3");
    let error = fails(&answer.run(), "NETWORK_ERROR");
    error.assert_row("web_fetch", "a page that comes for too long");
}

#[test]
fn the_environment_s_proxy_is_used_and_no_proxy_heeded() {
    let proxy = Server::bytes(page("from the proxy"));
    let request = json!({"url": "http://example.com/page"});
    let answer = call(&request).env("http_proxy", proxy.url("")).run();
    assert_eq!(answer.json()["content"], "from the proxy");
    let direct = Server::bytes(page("direct"));
    let request = json!({"url": direct.url("/")});
    let answer = call(&request)
        .env("http_proxy", proxy.url(""))
        .env("no_proxy", "127.0.0.1")
        .run();
    assert_eq!(answer.json()["content"], "direct");
}

#[test]
fn a_login_in_the_url_is_used_and_never_shown() {
    let server = Server::start(|asked, conn| match asked.header("authorization") {
        Some("Basic dXNlcjpwYXNz") => conn.write_all(&page("welcome")),
        _ => conn.write_all(&reply("401 Unauthorized", "")),
    });
    let answer = fetch(&server.url("/").replace("http://", "http://user:pass@"));
    assert_eq!(answer.json()["content"], "welcome");
    assert!(!String::from_utf8_lossy(&answer.stdout).contains("pass"));
}

#[test]
fn a_hostile_page_costs_little_and_keeps_its_text() {
    for page in [
        format!("{}deep{}", "<div>".repeat(20_000), "</div>".repeat(20_000)),
        format!("{}deep", "<p><b id=i>".repeat(6_000)),
        format!("{}deep", "<table><tr><td>".repeat(5_000)),
    ] {
        let server = Server::bytes(html(&page));
        let answer = fetch(&server.url("/"));
        assert!(answer.json()["content"].as_str().unwrap().contains("deep"));
        assert!(
            answer.took < Duration::from_secs(10),
            "took {:?}",
            answer.took
        );
    }
}
