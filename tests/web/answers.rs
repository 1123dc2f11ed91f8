//! The notes of web-fetch beside a page or a failure, and its answers to odd servers. A model reads
//! the notes, and does as they say.

use std::io::Write;
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate::common::{Answer, directory, skip, tool};
use crate::server::{Authority, Server, page, redirect, reply};
use serde_json::{Value, json};

/// A call with these fields, through no proxy.
fn call(request: &Value) -> crate::common::Call {
    tool("web-fetch-tool").with(request).without_settings()
}

fn fetch(url: &str) -> Answer {
    call(&json!({"url": url})).run()
}

/// The note of a fetch of `url` that fails with this code.
#[track_caller]
fn note(url: &str, code: &str) -> String {
    let answer = fetch(url);
    let json = answer.json();
    assert_eq!(json["error_code"], code, "{url}: {json}");
    assert_eq!(json["success"], false);
    assert_eq!(answer.code(), 1);
    let note = json["note"].as_str().unwrap_or_default().to_owned();
    assert!(!note.chars().any(char::is_control), "{note:?}");
    assert!(note.chars().count() < 1200, "{note}");
    note
}

/// The note of an answer of these bytes that is an error.
#[track_caller]
fn status_note(head: &str, body: &str) -> String {
    let server = Server::bytes(reply(head, body));
    note(&server.url("/page"), "HTTP_ERROR")
}

#[test]
fn a_date_in_retry_after_is_told_in_seconds() {
    let date = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(90));
    let note = status_note(&format!("429 x\r\nRetry-After: {date}"), "");
    let number = note.split(' ').find_map(|word| word.parse().ok());
    assert!(
        number.is_some_and(|seconds| (85..=90).contains(&seconds)),
        "{note}"
    );
}

#[test]
fn what_a_server_says_is_quoted_up_to_500_characters() {
    let note = status_note("400 x\r\nContent-Type: text/plain", &"word ".repeat(10_000));
    let quoted = note.split('"').nth(1).unwrap();
    assert_eq!(quoted.chars().count(), 501);
    assert!(quoted.ends_with('…'));
}

#[test]
fn the_url_that_a_note_has_in_place_of_another_is_there() {
    let server = Server::start(|asked, conn| {
        conn.write_all(&match asked.target.as_str() {
            "/page" | "/wiki/Rust_(language)" | "/a%2Fb?q=b%26c" => page("found"),
            _ => reply("404 Not Found", ""),
        })
    });
    for end in [")", ".", "),", ">", "%3E", "'", "**", ").", "%22)."] {
        for path in ["/page", "/wiki/Rust_(language)", "/a%2Fb?q=b%26c"] {
            let said = note(&server.url(&format!("{path}{end}")), "HTTP_ERROR");
            let meant = said.rsplit_once("send ").unwrap().1;
            assert_eq!(
                fetch(meant).json()["content"],
                "found",
                "{path}{end}: {said}"
            );
        }
    }
}

#[test]
fn a_redirect_s_cookies_are_sent_on_to_its_host_alone() {
    let other = Server::bytes(page("other"));
    let away = other.url_as("localhost", "/");
    let server = Server::start(move |asked, conn| {
        let cookie = asked.header("cookie").unwrap_or("none").to_owned();
        conn.write_all(&match asked.target.as_str() {
            "/in" => reply(
                "302 Found\r\nSet-Cookie: session=abc; Path=/; HttpOnly\r\nSet-Cookie: deep=1; Path=/in/side\r\n\
                 Set-Cookie: tls=1; Secure; Path=/\r\nSet-Cookie: foreign=1; Domain=example.com\r\nLocation: /check",
                "",
            ),
            "/check" => reply("302 Found\r\nSet-Cookie: session=; Max-Age=0; Path=/\r\nSet-Cookie: b=2\r\nLocation: /show", &cookie),
            "/away" => reply(&format!("302 Found\r\nSet-Cookie: s=1; Path=/\r\nLocation: {away}"), ""),
            "/login" => reply("302 Found\r\nSet-Cookie: ok=yes; Path=/\r\nLocation: /private", ""),
            "/private" if cookie == "ok=yes" => page("welcome"),
            "/private" => redirect("/login"),
            _ => page(cookie),
        })
    });
    assert_eq!(fetch(&server.url("/in")).json()["content"], "b=2");
    let asked: Vec<_> = server
        .asked()
        .iter()
        .map(|one| one.header("cookie").map(str::to_owned))
        .collect();
    assert_eq!(
        asked,
        [None, Some("session=abc".to_owned()), Some("b=2".to_owned())]
    );
    assert_eq!(fetch(&server.url("/private")).json()["content"], "welcome");
    assert_eq!(fetch(&server.url("/away")).json()["content"], "other");
    assert_eq!(other.asked()[0].header("cookie"), None);
    // No call knows of another's.
    assert_eq!(fetch(&server.url("/show")).json()["content"], "none");
}

#[test]
fn odd_header_lines_do_not_cost_the_page() {
    for head in [
        "Content-Type: text/plain;\r\n charset=windows-1251",
        "Broken Header: x\r\nContent-Type: text/plain; charset=windows-1251",
        "no colon at all\r\nContent-Type : text/plain; charset=windows-1251",
        ": empty\r\nX-Ctl: a\u{1}b\r\nContent-Type:text/plain;charset=windows-1251",
        " folded at once\r\nContent-Type: text/plain; charset=windows-1251\r\nB\u{e9}: c",
    ] {
        let mut bytes =
            format!("HTTP/1.1  200  OK\r\n{head}\r\nContent-Length: 3\r\n\r\n").into_bytes();
        bytes.extend_from_slice(b"\xcc\xe8\xf0");
        let json = fetch(&Server::bytes(bytes).url("/")).json();
        assert_eq!(json["content"], "Мир", "{head}");
        assert!(json.get("note").is_none());
    }
    let folded = Server::start(|asked, conn| {
        conn.write_all(&match asked.target.as_str() {
            "/" => reply(
                "302 Found\r\nSet-Cookie: a=\u{1}\r\nSet-Cookie: b=2\r\nLocation:\r\n /there",
                "",
            ),
            _ => page(asked.header("cookie").unwrap_or("none")),
        })
    });
    assert_eq!(fetch(&folded.url("/")).json()["content"], "b=2");
    let many = "X-Filler: y\r\n".repeat(300);
    let server = Server::bytes(reply(
        &format!("200 OK\r\n{many}Content-Type: text/plain"),
        "<p>plain",
    ));
    assert_eq!(fetch(&server.url("/")).json()["content"], "<p>plain");
}

#[test]
fn a_compressed_body_that_breaks_off_is_quoted_as_far_as_it_came() {
    let text: Vec<String> = (0..9999).map(|n| format!("line {n}\n")).collect();
    let text = text.concat();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(text.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    let cut = &gzip[..gzip.len() / 2];
    let server = Server::bytes(reply(
        "200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip",
        cut,
    ));
    let said = note(&server.url("/"), "NETWORK_ERROR");
    assert!(said.contains("\"line 0 line 1 line 2"), "{said}");
}

#[test]
fn what_is_no_coding_is_ignored_and_what_is_unknown_refused() {
    for coding in [
        "none", "utf-8", "UTF-8", "binary", "identity", "", " , none",
    ] {
        let server = Server::bytes(reply(
            &format!("200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: {coding}"),
            "text",
        ));
        assert_eq!(
            fetch(&server.url("/")).json()["content"],
            "text",
            "{coding}"
        );
    }
    for coding in ["zstd", "latin-1", "none, zstd"] {
        let server = Server::bytes(reply(
            &format!("200 OK\r\nContent-Encoding: {coding}"),
            "text",
        ));
        let answer = fetch(&server.url("/"));
        assert_eq!(answer.json()["error_code"], "NETWORK_ERROR", "{coding}");
    }
}

#[test]
fn octets_that_are_text_and_marked_json_come_as_text() {
    for kind in ["application/octet-stream", "binary/octet-stream"] {
        let server = Server::bytes(reply(
            &format!("200 OK\r\nContent-Type: {kind}"),
            "#!/bin/sh\necho \u{fc}\n",
        ));
        assert_eq!(
            fetch(&server.url("/x.sh")).json()["content"],
            "#!/bin/sh\necho \u{fc}\n"
        );
    }
    let server = Server::bytes(reply(
        "200 OK\r\nContent-Type: application/json",
        "\u{feff}{\"a\":1}",
    ));
    assert_eq!(fetch(&server.url("/")).json()["content"], "{\"a\":1}");
}

#[test]
fn the_command_that_downloads_a_file_works() {
    let server = Server::start(|asked, conn| {
        let kind = match asked.target.rsplit('.').next().unwrap() {
            "pdf" => "application/pdf",
            "png" => "image/png",
            _ => "application/octet-stream",
        };
        conn.write_all(&reply(
            &format!("200 OK\r\nContent-Type: {kind}"),
            b"PK\x03\x04\0\0data",
        ))
    });
    let has_curl = Command::new("curl").arg("--version").output().is_ok();
    if !has_curl {
        skip("there is no curl to run the commands with");
    }
    for (path, name) in [
        ("/docs/paper.pdf", "paper.pdf"),
        (
            "/o'clock%20%24(id).pdf?a=1&b='x'#page=2",
            "o_clock___id_.pdf",
        ),
        ("/[x]/{a,b}.png", "a_b_.png"),
        ("/", "download.zip"),
        ("/-rf", "rf.zip"),
        ("/.bashrc", "bashrc.zip"),
        ("/%2e%2e%2fetc%2fpasswd", "etc_passwd.zip"),
        ("/1706.03762", "1706.03762.zip"),
    ] {
        let directory = directory();
        let url = server.url(path);
        let answer = call(&json!({"url": url}))
            .in_directory(directory.path())
            .run();
        let json = answer.json();
        assert_eq!(json["error_code"], "PARSE_ERROR", "{json}");
        let note = json["note"].as_str().unwrap();
        let command = &note[note.find("curl -fsSL ").unwrap()..];
        if !has_curl {
            continue;
        }
        let run = || {
            Command::new("sh")
                .arg("-c")
                .arg(command)
                .current_dir(directory.path())
                .output()
                .unwrap()
        };
        let done = run();
        assert!(done.status.success(), "{command}: {done:?}");
        assert_eq!(
            std::fs::read(directory.path().join(name)).unwrap(),
            b"PK\x03\x04\0\0data",
            "{command}"
        );
        assert_eq!(crate::common::names_in(directory.path()), [name]);
        // The next one does not write over it.
        let again = call(&json!({"url": url}))
            .in_directory(directory.path())
            .run();
        assert!(
            again.field("note").contains(&format!(" -o 2-{name} ")),
            "{}",
            again.field("note")
        );
    }
}

#[test]
fn an_unknown_authority_leads_to_curl_without_one() {
    let authority = Authority::new();
    let tls = Server::start_tls(authority.server(&["localhost"], (2020, 2100)), |_, conn| {
        conn.write_all(&page("x"))
    });
    let said = note(&tls.url_as("localhost", "/"), "NETWORK_ERROR");
    assert!(said.contains("curl -fsSLk"), "{said}");
}

#[test]
fn a_timeout_says_how_long_it_was_and_what_came() {
    let slow = Server::start(|_, conn| {
        conn.write_all(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 99\r\n\r\nthe begin",
        )?;
        conn.flush()?;
        std::thread::sleep(Duration::from_secs(4));
        Ok(())
    });
    let answer = call(&json!({"url": slow.url("/big.txt")}))
        .env("IKIGAI_MAX_SECONDS", "1")
        .run();
    let note = answer.field("note");
    assert!(answer.took < Duration::from_secs(2), "{:?}", answer.took);
    assert_eq!(answer.json()["error_code"], "NETWORK_ERROR");
    assert!(
        answer.field("error").contains(" 0.9 "),
        "{}",
        answer.field("error")
    );
    assert!(
        note.contains(&format!("curl -fsSL -o big.txt '{}'", slow.url("/big.txt"))),
        "{note}"
    );
    assert!(note.contains("\"the begin\""), "{note}");
}
