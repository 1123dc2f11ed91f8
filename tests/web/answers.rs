//! The notes of web-fetch beside a page or a failure, and its answers to odd servers. A model reads
//! the notes, and does as they say.

use std::io::{Read, Write};
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate::common::{Answer, directory, skip, tool};
use crate::server::{Authority, Server, page, redirect, reply};
use serde_json::{Value, json};

/// A call with these fields, through no proxy.
fn call(request: &Value) -> crate::common::Call {
    let mut call = tool("web-fetch-tool").with(request);
    for name in ["http_proxy", "https_proxy", "all_proxy"] {
        call = call.without_env(name).without_env(&name.to_uppercase());
    }
    call
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
fn an_error_says_when_to_try_again() {
    let wait =
        |seconds: u64| httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(seconds));
    let after = |value: &str| {
        status_note(
            &format!("429 Too Many Requests\r\nRetry-After: {value}"),
            "",
        )
    };
    assert_eq!(after("120"), "The server says to try again in 120 seconds.");
    assert_eq!(after("1"), "The server says to try again in 1 second.");
    assert_eq!(after("0"), "The server says that you may try again now.");
    let dated = after(&wait(90));
    assert!(
        (85..=90).any(|n| dated.contains(&format!("try again in {n} seconds"))),
        "{dated}"
    );
    assert_eq!(
        after(&wait(0)),
        "The server says that you may try again now."
    );
    let by_server = status_note(
        "503 x\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nRetry-After: Sun, 06 Nov 1994 08:50:07 GMT",
        "",
    );
    assert_eq!(by_server, "The server says to try again in 30 seconds.");
    // An invalid time is ignored, and the status speaks for itself.
    assert!(after("soon").contains("wait a minute"));
    let limit = "403 Forbidden\r\nX-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: 45";
    assert!(status_note(limit, "").contains("try again in 45 seconds"));
    let left = "403 Forbidden\r\nX-RateLimit-Remaining: 7\r\nX-RateLimit-Reset: 45";
    assert_eq!(status_note(left, ""), "");
}

#[test]
fn an_error_says_which_login_is_wanted() {
    let basic = status_note(
        "401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"a, b\", charset=\"UTF-8\"",
        "",
    );
    assert!(
        basic.contains("The server requires a login (Basic):"),
        "{basic}"
    );
    assert!(basic.contains("https://USER:PASSWORD@HOST/"), "{basic}");
    let several = status_note(
        "401 x\r\nWWW-Authenticate: Negotiate\r\nWWW-Authenticate: Bearer realm=x",
        "",
    );
    assert!(several.contains("a login (Negotiate, Bearer)"), "{several}");
    assert!(status_note("401 x", "").contains("The server requires a login:"));
    let server = Server::bytes(reply(
        "401 x\r\nWWW-Authenticate: Basic",
        "Not you, me@home, with s3cret-word!",
    ));
    let tried = note(
        &server.url_as("me%40home:s3cret-word@127.0.0.1", "/"),
        "HTTP_ERROR",
    );
    assert!(
        tried.contains("the one in the URL was not accepted"),
        "{tried}"
    );
    assert!(
        !tried.contains("s3cret") && tried.contains("Not you"),
        "{tried}"
    );
    let server = Server::bytes(reply("403 x", "The key topsecret99 has no right to this."));
    let keyed = note(&server.url("/?api_key=topsecret99&q=right"), "HTTP_ERROR");
    assert_eq!(
        keyed,
        "The server says: \"The key *** has no right to this.\""
    );
}

#[test]
fn an_error_says_that_a_bot_check_stands_before_the_page() {
    let html = "Content-Type: text/html";
    for (name, head, body) in [
        ("Cloudflare", "403 Forbidden\r\ncf-mitigated: challenge", ""),
        (
            "Cloudflare",
            "503 x",
            "<!doctype html><title>Just a moment...</title><h1>Wait</h1>",
        ),
        (
            "Cloudflare",
            "403 x",
            "<title>Attention Required! | Cloudflare</title>",
        ),
        ("Cloudflare", "403 x", "error code: 1020"),
        ("DataDome", "403 x\r\nX-DataDome: protected", ""),
        (
            "DataDome",
            "403 x",
            "<script src='https://ct.captcha-delivery.com/c.js'></script>",
        ),
        ("PerimeterX", "403 x", "<div id='px-captcha'></div>"),
        (
            "Akamai",
            "403 x\r\nServer: AkamaiGHost",
            "<h1>Access Denied</h1>",
        ),
        (
            "Akamai",
            "429 x",
            "Reference https://errors.edgesuite.net/18.2",
        ),
        (
            "Incapsula",
            "403 x",
            "<iframe src='/_Incapsula_Resource?x'>",
        ),
        ("AWS WAF", "405 x\r\nx-amzn-waf-action: captcha", ""),
        ("Kasada", "429 x\r\nx-kpsdk-ct: 0", ""),
        ("Vercel", "429 x\r\nX-Vercel-Mitigated: challenge", ""),
        ("a CAPTCHA", "403 x", "<div class='g-recaptcha'></div>"),
    ] {
        let said = status_note(&format!("{head}\r\n{html}"), body);
        let expected =
            format!("The page is behind a bot check ({name}); fetching it again will not help");
        assert!(said.contains(&expected), "{head}: {said}");
    }
    // Ordinary errors of sites behind them are ordinary errors.
    for (head, body) in [
        (
            "404 Not Found\r\nServer: cloudflare",
            "<h1>No such page</h1><script src=/cdn-cgi/challenge-platform/x.js>",
        ),
        ("500 Oops\r\nServer: AkamaiGHost", "<h1>Oops</h1>"),
        (
            "403 Forbidden\r\nServer: cloudflare",
            "<h1>Members only</h1>",
        ),
    ] {
        let said = status_note(&format!("{head}\r\n{html}"), body);
        assert!(!said.contains("bot check"), "{head}: {said}");
    }
    // The challenge that comes as a success is said too.
    let server = Server::bytes(reply("202 Accepted\r\nx-amzn-waf-action: challenge", ""));
    let json = fetch(&server.url("/")).json();
    assert_eq!(json["success"], true);
    assert!(
        json["note"]
            .as_str()
            .unwrap()
            .contains("a bot check (AWS WAF)")
    );
}

#[test]
fn an_error_quotes_what_the_server_says() {
    let quote = |kind: &str, body: &str| {
        let said = status_note(&format!("400 Bad Request\r\nContent-Type: {kind}"), body);
        let quoted = said
            .strip_prefix("The server says: \"")
            .and_then(|rest| rest.strip_suffix('"'));
        quoted.unwrap_or(&said).to_owned()
    };
    for (json, message) in [
        (
            r#"{"message":"No \"such\" user","status":400}"#,
            "No 'such' user",
        ),
        (r#"{"error":"Bad date"}"#, "Bad date"),
        (
            r#"{"error":{"code":400,"message":"Bad month"}}"#,
            "Bad month",
        ),
        (
            r#"{"error":"invalid_grant","error_description":"Expired"}"#,
            "invalid_grant: Expired",
        ),
        (
            r#"{"title":"Not allowed","detail":"Ask first","type":"x"}"#,
            "Not allowed: Ask first",
        ),
        (
            r#"{"detail":[{"loc":["q"],"msg":"field required"}]}"#,
            "field required",
        ),
        (
            r#"{"errors":[{"message":"Unknown field"}]}"#,
            "Unknown field",
        ),
        (r#"{"title":"Gone"}"#, "Gone"),
        ("\u{feff}{\"message\":\"marked\"}", "marked"),
        (r#"{"nothing":1}"#, "{'nothing':1}"),
        ("no json", "no json"),
    ] {
        assert_eq!(quote("application/json", json), message);
    }
    assert_eq!(
        quote("text/plain", "two\r\n  lines \u{1b}[1mbold\u{202e}\0"),
        "two lines [1mbold"
    );
    let html = "<html><head><title>Bad Request</title><style>p{}</style></head><body><nav>menu</nav>\
        <h1>Sorry</h1><p>See <a href='/help(1)'>the [help]</a>, <img src=x alt=pic>. a_b</p><script>x()</script><p hidden>do this</p>";
    assert_eq!(
        quote("text/html", html),
        "Bad Request – Sorry See the [help], pic. a_b"
    );
    assert_eq!(
        quote("text/html", "<title>Only a title</title>"),
        "Only a title"
    );
    let long = quote("text/plain", &"word ".repeat(10_000));
    assert_eq!(long.chars().count(), 501);
    assert!(long.ends_with('…'));
    for (kind, body) in [
        ("text/plain", ""),
        ("text/html", "<script>x()</script>"),
        ("image/png", "\u{1}"),
    ] {
        assert_eq!(quote(kind, body), "", "{kind}");
    }
    let cyrillic = b"\xcf\xf0\xe8\xe2\xe5\xf2, \xf1\xf2\xf0\xe0\xed\xe8\xf6\xe0 \xed\xe5 \xed\xe0\xe9\xe4\xe5\xed\xe0".to_vec();
    let server = Server::bytes(reply("404 x\r\nContent-Type: text/plain", cyrillic));
    assert_eq!(
        note(&server.url("/"), "HTTP_ERROR"),
        "The server says: \"Привет, страница не найдена\""
    );
    // An error's body that breaks off is quoted as far as it came.
    let server = Server::bytes(
        "HTTP/1.1 500 x\r\nContent-Type: text/plain\r\nContent-Length: 99\r\n\r\nhalf a",
    );
    assert!(note(&server.url("/"), "HTTP_ERROR").ends_with("The server says: \"half a\""));
}

#[test]
fn an_error_names_what_leads_on() {
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
    for path in ["/other", "/other(x)", "/v1.2/x", "/"] {
        assert_eq!(note(&server.url(path), "HTTP_ERROR"), "", "{path}");
    }
    let server = Server::bytes(reply("410 Gone", ""));
    let said = note(&server.url_as("u:pw@127.0.0.1", "/a?b#c"), "HTTP_ERROR");
    assert!(said.contains("web.archive.org"), "{said}");
    let end = server.url("/end?token=s3cret#x");
    let front = Server::start(move |_, conn| conn.write_all(&redirect(&end)));
    let said = note(&front.url("/"), "HTTP_ERROR");
    assert!(
        said.contains(&format!("Redirects led to {}", server.url("/end"))),
        "{said}"
    );
    assert!(status_note("451 x", "").contains("legal reasons"));
    assert!(status_note("405 x\r\nAllow: POST, PUT", "").contains("does not accept GET"));
    assert!(status_note("502 x", "").contains("try again in a minute"));
    let tls = "<center>The plain HTTP request was sent to HTTPS port</center>";
    assert!(
        status_note("400 x\r\nContent-Type: text/html", tls)
            .contains("with https:// in place of http://")
    );
    assert_eq!(status_note("404 Not Found", ""), "");
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
fn a_body_that_breaks_off_is_quoted_as_far_as_it_came() {
    for reply in [
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nonly\nthis",
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nonly\nthis\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n<h1>only</h1><p>this",
    ] {
        let said = note(&Server::bytes(reply).url("/"), "NETWORK_ERROR");
        assert_eq!(said, "What came begins with \"only this\"", "{reply}");
    }
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
    assert!(
        said.starts_with("What came begins with \"line 0 line 1 line 2"),
        "{said}"
    );
    let binary =
        "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 100\r\n\r\n\u{1}\u{2}";
    assert_eq!(note(&Server::bytes(binary).url("/"), "NETWORK_ERROR"), "");
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
fn a_file_comes_with_the_command_that_downloads_it_and_that_works() {
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
        assert!(
            json["error"]
                .as_str()
                .unwrap()
                .ends_with(" is not text that can be shown"),
            "{json}"
        );
        let note = json["note"].as_str().unwrap();
        // That the file is damaged as well is said before it.
        let (_, command) = note.split_once("To download it, run in a shell: ").unwrap();
        assert!(command.starts_with("curl -fsSL "), "{command}");
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
    let front = server.url("/b.pdf");
    let redirecting = Server::start(move |_, conn| conn.write_all(&redirect(&front)));
    let said = note(
        &redirecting.url_as("me:s3cret@127.0.0.1", "/a"),
        "PARSE_ERROR",
    );
    assert!(
        said.contains(&format!("'{}'", server.url("/b.pdf"))),
        "{said}"
    );
    assert!(
        !said.contains("s3cret") && said.contains("-u USER:PASSWORD"),
        "{said}"
    );
}

#[test]
fn a_broken_pdf_that_calls_itself_text_is_no_text() {
    let server = Server::bytes(reply(
        "200 OK\r\nContent-Type: text/plain",
        b"%PDF-1.7\n\xff\xfe\0",
    ));
    let answer = fetch(&server.url("/x"));
    assert_eq!(
        answer.json()["error"],
        "Failed to parse content: This file is damaged: get it again, or find another copy."
    );
    assert!(answer.field("note").contains("curl -fsSL -o x.pdf "));
    assert!(answer.field("note").contains("`pdftotext -layout x.pdf -`"));
}

#[test]
fn an_empty_answer_says_why() {
    for (head, content) in [
        (
            "204 No Content",
            "[HTTP 204: No Content. The body of this answer is empty.]",
        ),
        (
            "200 OK\r\nContent-Type: text/html",
            "[HTTP 200: OK. The body of this answer is empty.]",
        ),
        (
            "200 OK\r\nContent-Type: image/png",
            "[HTTP 200: OK. The body of this answer is empty.]",
        ),
    ] {
        let server = Server::bytes(reply(head, ""));
        let json = fetch(&server.url("/")).json();
        assert_eq!(json["content"], content);
        assert_eq!(json["success"], true);
    }
    let app = "<!doctype html><title>App</title><div id=root></div><script src=/app.js></script>";
    let server = Server::bytes(reply("200 OK\r\nContent-Type: text/html", app));
    let json = fetch(&server.url("/")).json();
    assert!(
        json["note"]
            .as_str()
            .unwrap()
            .contains("built by JavaScript"),
        "{json}"
    );
}

#[test]
fn an_offset_behind_the_end_says_where_the_end_is() {
    let server = Server::bytes(page("1\n2\n3\n"));
    let at = |offset: u64| {
        call(&json!({"url": server.url("/"), "offset": offset}))
            .run()
            .json()
    };
    assert_eq!(at(3)["content"], "3\n");
    assert!(at(3).get("note").is_none());
    for offset in [4, 1_000_000] {
        let json = at(offset);
        assert_eq!(json["content"], "");
        assert_eq!(
            json["note"],
            format!("offset {offset} is past the end: the page has 3 lines.")
        );
    }
}

#[test]
fn a_failure_of_the_network_leads_on() {
    let unused = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    for host in ["127.0.0.1", "localhost", "[::1]"] {
        let said = note(&format!("http://{host}:{unused}/"), "NETWORK_ERROR");
        assert!(
            said.contains(&format!("does it listen on port {unused}?")),
            "{said}"
        );
    }
    let said = note("http://no-such-name.invalid/", "NETWORK_ERROR");
    assert!(said.contains("no network"), "{said}");
    let said = note("http://example.invalid)", "NETWORK_ERROR");
    assert_eq!(said, "Send http://example.invalid/");
    let said = note("http://169.254.169.254/", "NETWORK_ERROR");
    assert!(said.contains("however it is spelled"), "{said}");
    let plain = Server::raw(|mut stream| {
        // A client that is gone is not this server's failure.
        let _ = stream.read(&mut [0; 4096]);
        let _ = stream.write_all(&reply("400 Bad Request", ""));
    });
    let said = note(&plain.url("/").replace("http:", "https:"), "NETWORK_ERROR");
    assert!(said.contains("with http:// in place of https://"), "{said}");
    let authority = Authority::new();
    let tls = Server::start_tls(authority.server(&["localhost"], (2020, 2100)), |_, conn| {
        conn.write_all(&page("x"))
    });
    // As a server that speaks TLS answers whoever does not: an alert.
    let alert = Server::bytes(&b"\x15\x03\x01\0\x02\x02\x46"[..]);
    let said = note(&alert.url("/"), "NETWORK_ERROR");
    assert!(said.contains("with https:// in place of http://"), "{said}");
    let said = note(&tls.url_as("localhost", "/"), "NETWORK_ERROR");
    assert!(said.contains("curl -fsSLk"), "{said}");
    let ssh = Server::bytes("SSH-2.0-OpenSSH_9\r\n");
    assert_eq!(
        note(&ssh.url("/"), "NETWORK_ERROR"),
        "The answer begins with \"SSH-2.0-OpenSSH_9\"."
    );
    let looping = Server::start(|_, conn| conn.write_all(&redirect("/again")));
    assert!(note(&looping.url("/"), "NETWORK_ERROR").contains("will end the same way"));
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
    assert_eq!(
        answer.json()["error"],
        "Failed to fetch URL: Timeout: 127.0.0.1 did not answer in full within 0.9 seconds"
    );
    assert!(
        note.contains(&format!("curl -fsSL -o big.txt '{}'", slow.url("/big.txt"))),
        "{note}"
    );
    assert!(
        note.starts_with("What came begins with \"the begin\""),
        "{note}"
    );
}

#[test]
fn what_is_no_url_says_which_was_meant() {
    for (sent, meant) in [
        ("example.com/x", "https://example.com/x"),
        ("www.example.com", "https://www.example.com/"),
        ("//example.com/x?y", "https://example.com/x?y"),
        ("localhost:3000/x", "http://localhost:3000/x"),
        ("127.0.0.1:8080", "http://127.0.0.1:8080/"),
        ("example.com:8443/x", "https://example.com:8443/x"),
        ("<https://example.com/a>", "https://example.com/a"),
        ("[the page](https://example.com/a)", "https://example.com/a"),
        (
            "![x](http://example.com/a.svg \"t\")",
            "http://example.com/a.svg",
        ),
        ("\"https://example.com/a\"", "https://example.com/a"),
        ("`https://example.com/a`.", "https://example.com/a"),
        ("(https://example.com/a)", "https://example.com/a"),
        ("https://exam ple.com/a", "https://exam/"),
        (
            "https://example.com https://example.org",
            "https://example.com/",
        ),
        ("https//example.com/a", "https://example.com/a"),
        ("http:/example.com/a", "http://example.com/a"),
        ("http:///example.com/a", "http://example.com/a"),
        ("https:example.com/a", "https://example.com/a"),
        ("me:s3cret@example.com/a", "https://example.com/a"),
    ] {
        let said = note(sent, "INVALID_URL");
        if sent.contains("exam ple") {
            assert!(
                !said.contains("ple.com") || said == "Send https://example.com/a",
                "{said}"
            );
            continue;
        }
        assert_eq!(said, format!("Send {meant}"), "{sent}");
    }
    for (sent, words) in [
        (
            "file:///etc/hosts",
            "use file_read with \"file_path\":\"/etc/hosts\"",
        ),
        ("file:///a%20b", "\"/a b\""),
        ("/etc/hosts", "\"/etc/hosts\""),
        ("./src/main.rs", "\"./src/main.rs\""),
    ] {
        let said = note(sent, "INVALID_URL");
        assert!(said.contains(words), "{sent}: {said}");
    }
    for sent in [
        "",
        "x",
        "a b c",
        "javascript:1",
        "https://",
        "data:text/html,x",
        "http://[::1",
        "src/main",
    ] {
        assert_eq!(note(sent, "INVALID_URL"), "", "{sent}");
    }
}
