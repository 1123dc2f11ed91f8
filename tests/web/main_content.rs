//! `main_only` of web-fetch: a field that the schema for hosts has not.

use std::process::{Command, Stdio};

use crate::common::messages::TextRow;
use crate::common::tool;
use crate::reading;
use crate::server::{Server, reply};
use serde_json::{Value, json};

/// An article with all that stands around one, and a cookie banner.
fn article() -> String {
    let banner = "<div class='cookie-banner'><p>We use cookies to improve your experience.</p>\
        <button>Accept all</button></div>";
    reading::article(8).replace("<footer", &format!("{banner}<footer"))
}

fn server() -> Server {
    serving(article())
}

fn serving(page: String) -> Server {
    let head = "200 OK\r\nContent-Type: text/html; charset=utf-8";
    Server::bytes(reply(head, page))
}

fn program(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ikigai-tools"));
    command.args(args).env("NO_PROXY", "*").env("no_proxy", "*");
    command
}

#[track_caller]
fn is_the_article(text: &str) {
    for number in 1..=8 {
        assert!(text.contains(&format!("Paragraph {number} ")), "{text}");
    }
    assert!(text.contains("What lay under the mill"), "{text}");
    for other in ["Weather", "Baker wins", "cookies", "Imprint"] {
        assert!(!text.contains(other), "{other}: {text}");
    }
}

#[test]
fn a_person_asks_for_the_main_content_with_a_flag() {
    let server = server();
    let shown = program(&["web-fetch", &server.url("/"), "--main-only"])
        .output()
        .unwrap();
    let text = String::from_utf8(shown.stdout).unwrap();
    is_the_article(&text);
    assert!(shown.status.success());
    let whole = program(&["web-fetch", &server.url("/")]).output().unwrap();
    let whole = String::from_utf8(whole.stdout).unwrap();
    assert!(
        whole.contains("Weather") && whole.contains("Imprint"),
        "{whole}"
    );
}

#[test]
fn a_host_s_schema_has_no_such_field_and_its_request_may_have_it() {
    let schema = tool("web-fetch-tool").arg("--schema").run();
    assert!(
        !String::from_utf8(schema.stdout)
            .unwrap()
            .contains("main_only")
    );
    let server = server();
    let ask = |sent: Value| {
        let request = json!({"url": server.url("/"), "main_only": sent});
        let call = tool("web-fetch-tool").env("NO_PROXY", "*");
        call.with(&request).run().field("content")
    };
    is_the_article(&ask(json!(true)));
    assert!(ask(json!(false)).contains("Weather"));
}

#[test]
fn a_model_asks_for_the_main_content() {
    let server = server();
    let ask = |arguments: Value| {
        let messages = [
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"}}}),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                "params": {"name": "web_fetch", "arguments": arguments}}),
        ];
        let mut input = String::new();
        for message in &messages {
            input.push_str(&message.to_string());
            input.push('\n');
        }
        let mut server = program(&["mcp"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut server.stdin.take().unwrap(), input.as_bytes()).unwrap();
        let output = server.wait_with_output().unwrap();
        let lines = String::from_utf8(output.stdout).unwrap();
        let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
        let result = &last["result"];
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        (text, result["isError"] == true)
    };
    let url = server.url("/");
    let (text, failed) = ask(json!({"url": url, "main_only": true}));
    is_the_article(&text);
    assert!(!failed);
    let (text, _) = ask(json!({"url": url, "main_only": "true"}));
    is_the_article(&text);
    let (text, _) = ask(json!({"url": url, "main_only": false}));
    assert!(text.contains("Weather"), "{text}");
    let (text, failed) = ask(json!({"url": url, "main_only": "perhaps"}));
    assert!(failed);
    text.assert_row("web_fetch", "a main_only that is neither");
}

#[test]
fn what_is_no_page_comes_whole() {
    for (kind, body) in [
        ("application/json", r#"{"menu":"Weather"}"#),
        ("text/plain", "Weather"),
        ("text/markdown", "# Weather"),
    ] {
        let server = Server::bytes(reply(&format!("200 OK\r\nContent-Type: {kind}"), body));
        let shown = program(&["web-fetch", &server.url("/"), "--main-only"])
            .output()
            .unwrap();
        assert!(String::from_utf8(shown.stdout).unwrap().starts_with(body));
    }
}

#[test]
fn a_page_of_which_nothing_stands_out_comes_whole() {
    let server = Server::bytes(reply(
        "200 OK\r\nContent-Type: text/html",
        "<title>Menu</title><nav><a href=/a>First</a> <a href=/b>Second</a></nav><p>Short.</p>",
    ));
    let shown = program(&["web-fetch", &server.url("/"), "--main-only"])
        .output()
        .unwrap();
    let text = String::from_utf8(shown.stdout).unwrap();
    assert!(text.contains("Short."), "{text}");
}

#[test]
fn what_may_be_missing_is_counted_in_a_note() {
    let beside = "<p class=links><a href=/r>Rope walk</a>, <a href=/o>Old harbour</a></p></article>\
        </main><div><h3>Elsewhere</h3><ul><li>Rope walk<li>Old harbour</ul></div>";
    let page = article().replacen("</article></main>", beside, 1);
    let request = |server: &Server| json!({"url": server.url("/"), "main_only": true});
    let server = serving(page);
    let answer = tool("web-fetch-tool").with(&request(&server)).run();
    assert_eq!(
        answer.note(),
        "The page has 1 heading, 2 list items and 1 paragraph besides this main content: if \
         something is missing, fetch the page without `main_only`."
    );
    is_the_article(answer.json()["content"].as_str().unwrap());
}
