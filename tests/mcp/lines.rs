//! What is on the wire: revisions, the list, results, and lines that are no messages.

use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

use super::session::Session;
use crate::common::messages::TextRow;
use crate::common::{directory, text};

const WITH_HANDSHAKE: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// What a request of the revision without a handshake says of its client.
fn introduction() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[test]
fn each_revision_with_a_handshake_is_spoken_as_asked_for() {
    for revision in WITH_HANDSHAKE {
        let mut session = Session::start(&[]);
        let hello = session.shake_hands(revision);
        assert_eq!(hello["protocolVersion"], revision);
        assert_eq!(hello["serverInfo"]["name"], "ikigai-tools");
        assert!(hello["capabilities"]["tools"].is_object());
        let result = session.result_of("bash", &json!({"command": "echo hi"}));
        assert_eq!(result["structuredContent"]["output"], "hi", "{revision}");
        assert_eq!(result.get("resultType"), None);
    }
}

#[test]
fn an_unknown_revision_is_answered_with_the_newest_that_has_a_handshake() {
    for revision in ["1999-12-31", "2026-07-28", "tomorrow"] {
        let hello = Session::start(&[]).shake_hands(revision);
        assert_eq!(hello["protocolVersion"], "2025-11-25");
    }
}

#[test]
fn the_revision_without_a_handshake_is_spoken_too() {
    let mut session = Session::start(&[]);
    let params = json!({"_meta": introduction()});
    session
        .send(&json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": params}));
    let versions = session.receive()["result"]["supportedVersions"].clone();
    assert!(versions.as_array().unwrap().contains(&json!("2026-07-28")));
    session.send(
        &json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "_meta": introduction(), "name": "bash", "arguments": {"command": "echo hi"},
        }}),
    );
    let result = session.receive()["result"].clone();
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["structuredContent"]["output"], "hi");
}

#[test]
fn the_list_fits_into_its_bounds_and_into_every_provider_s_subset() {
    for (set, most) in [("local", 9 * 1024), ("web", 3 * 1024)] {
        let mut session = Session::open(&["--tools", set]);
        session.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
        let length = session.receive().to_string().len();
        assert!(length < most, "{set}: {length} bytes");
    }
    // What models get where no set is chosen.
    let mut session = Session::plain(Path::new("."), "someone", &[]);
    session.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
    let length = session.receive().to_string().len();
    assert!(length <= 11_800, "{length} bytes");
    let mut session = Session::open(&["--tools", "all"]);
    session.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
    let answer = session.receive();
    let known = ["type", "description", "items", "enum"];
    for tool in answer["result"]["tools"].as_array().unwrap() {
        let name = &tool["name"];
        assert!(
            tool["title"].is_string() && tool["description"].is_string(),
            "{name}"
        );
        for hint in [
            "readOnlyHint",
            "destructiveHint",
            "idempotentHint",
            "openWorldHint",
        ] {
            assert!(tool["annotations"][hint].is_boolean(), "{name}: {hint}");
        }
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object");
        let properties = schema["properties"].as_object().unwrap();
        for required in schema["required"].as_array().unwrap() {
            assert!(
                properties.contains_key(required.as_str().unwrap()),
                "{name}"
            );
        }
        for (field, property) in properties {
            for word in property.as_object().unwrap().keys() {
                assert!(known.contains(&word.as_str()), "{name}.{field}: {word}");
            }
        }
    }
}

/// Many clients show their models no instructions.
#[test]
fn each_description_says_where_its_tool_works() {
    let here = directory();
    let root = text(here.path());
    let start = format!("Relative paths start at {root}.");
    let confined = format!("{start} File work is confined to {root}.");
    for (args, expected) in [
        (&[][..], &start),
        (&["--root", root, "--tools", "+bash"], &confined),
    ] {
        if !args.is_empty() && !super::bounds::confines() {
            continue;
        }
        let mut session = Session::plain(here.path(), "someone", args);
        session.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
        let answer = session.receive();
        let tools = answer["result"]["tools"].as_array().unwrap();
        for tool in tools {
            let (name, said) = (tool["name"].as_str(), tool["description"].as_str().unwrap());
            let is_local = !["web_fetch", "web_search", "scrape_page"].contains(&name.unwrap());
            assert_eq!(said.contains(expected), is_local, "{name:?}: {said}");
            let is_bash = name == Some("bash") && !args.is_empty();
            assert_eq!(said.contains("Commands too"), is_bash, "{name:?}: {said}");
        }
        assert_eq!(tools.len(), 9);
    }
}

#[test]
fn the_list_holds_for_an_hour_and_a_method_that_is_gone_is_refused_in_words() {
    let mut session = Session::start(&[]);
    let params = json!({"_meta": introduction()});
    session.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params}));
    assert_eq!(session.receive()["result"]["ttlMs"], 3_600_000);
    session.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "ping", "params": params}));
    let error = session.receive()["error"].clone();
    assert_eq!(error["code"], -32601, "{error}");
    let said = error["message"].as_str().unwrap();
    said.assert_row("mcp", "a method that is gone");
}

#[test]
fn a_result_is_the_same_object_as_text_and_as_structure() {
    let mut session = Session::open(&[]);
    let result = session.result_of("bash", &json!({"command": "printf '\"ü\\\\'; exit 3"}));
    // A command that ends with an error has been run: that is an answer.
    assert_eq!(result["isError"], false);
    assert_eq!(
        result["structuredContent"],
        json!({"output": "\"ü\\", "exit_code": 3})
    );
    let content = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(content, r#"{"output":"\"ü\\","exit_code":3}"#);
}

#[test]
fn a_tool_that_fails_says_so() {
    let mut session = Session::open(&[]);
    for (arguments, code) in [
        (json!({"file_path": "/nowhere/at/all"}), "FILE_NOT_FOUND"),
        (json!({"files": "/etc/passwd"}), "INVALID_ARG"),
        (json!({"file_path": ["/etc/passwd"]}), "INVALID_ARG"),
    ] {
        let result = session.result_of("file_read", &arguments);
        assert_eq!(result["isError"], true);
        assert_eq!(result["structuredContent"]["error_code"], code);
    }
}

#[test]
fn a_tool_answers_to_each_spelling_of_its_name() {
    let mut session = Session::open(&[]);
    for name in ["file_read", "file-read", "file-read-tool"] {
        let result = session.result_of(name, &json!({"file_path": "/proc/self/comm"}));
        assert_eq!(result["isError"], false, "{name}");
    }
}

#[test]
fn what_is_no_call_is_an_error_of_the_protocol() {
    let mut session = Session::open(&[]);
    for (method, params, code) in [
        (
            "tools/call",
            json!({"name": "gerp", "arguments": {}}),
            -32602,
        ),
        ("tools/call", json!({}), -32602),
        (
            "tools/call",
            json!({"name": "bash", "arguments": []}),
            -32602,
        ),
        ("tools/shout", json!({}), -32601),
    ] {
        session.send(&json!({"jsonrpc": "2.0", "id": 5, "method": method, "params": params}));
        let answer = session.receive();
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&json!(5), &json!(code))
        );
    }
}

#[test]
fn a_handshake_that_is_none_is_told_what_it_takes() {
    let mut session = Session::start(&[]);
    let client = json!({"name": "test", "version": "1"});
    for params in [
        json!({"protocolVersion": "2025-06-18", "capabilities": {}}),
        json!({"capabilities": {}, "clientInfo": client}),
        json!({"protocolVersion": 3, "capabilities": {}, "clientInfo": client}),
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x"}}),
        Value::Null,
    ] {
        let mut request = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize"});
        if !params.is_null() {
            request["params"] = params;
        }
        session.send(&request);
        let answer = session.receive();
        assert_eq!(answer["id"], 1);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let reason = answer["error"]["message"].as_str().unwrap();
        assert!(reason.starts_with("initialize takes "), "{reason}");
    }
    assert_eq!(
        session.shake_hands("2025-06-18")["protocolVersion"],
        "2025-06-18"
    );
}

#[test]
fn a_bad_line_is_answered_and_the_server_lives_on() {
    let mut session = Session::start(&[]);
    for round in 0..2 {
        for (line, code, id) in [
            (&b"{\"jsonrpc\": "[..], -32700, Value::Null),
            (b"hello", -32700, Value::Null),
            (b"{\"a\":\"\xff\"}", -32700, Value::Null),
            (b"\0", -32700, Value::Null),
            // Half of a pair of UTF-16: JSON, which its sender waits to be answered.
            (
                br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"\ud800"}}"#,
                -32700,
                json!(7),
            ),
            (br#"{"id":[1],"method":"\ud800"}"#, -32700, Value::Null),
            (b"42", -32600, Value::Null),
            (b"[]", -32600, Value::Null),
            (br#"{"jsonrpc":"2.0","id":7}"#, -32600, json!(7)),
            (
                br#"{"jsonrpc":"1.0","id":"x","method":"ping"}"#,
                -32600,
                json!("x"),
            ),
            (
                br#"{"jsonrpc":"2.0","id":18446744073709551615,"method":"ping"}"#,
                -32600,
                json!(u64::MAX),
            ),
            (
                br#"{"jsonrpc":"2.0","id":1e30,"method":"ping"}"#,
                -32600,
                json!(1e30),
            ),
        ] {
            session.send_line(line);
            let answer = session.receive();
            assert_eq!(answer["error"]["code"], code, "{answer}");
            assert_eq!(answer["id"], id, "{answer}");
        }
        session.send_line(&b"[".repeat(1_000_000));
        assert_eq!(session.receive()["error"]["code"], -32700);
        // Neither is answered.
        session.send_line(b" \r");
        session.send(&json!({"jsonrpc": "2.0", "method": "notifications/of/something/else"}));
        if round == 0 {
            session.shake_hands("2025-06-18");
        }
    }
    assert!(session.tools().contains(&String::from("bash")));
}

#[test]
fn a_line_beyond_all_bounds_is_refused_without_being_kept() {
    let mut session = Session::open(&[]);
    let megabyte = vec![b'x'; 1 << 20];
    session.send_line(
        &[
            br#"{"jsonrpc":"2.0","id":1,"x":""#,
            &megabyte.repeat(65)[..],
            b"\"}",
        ]
        .concat(),
    );
    let answer = session.receive();
    assert_eq!(answer["error"]["code"], -32600);
    let message = answer["error"]["message"].as_str().unwrap();
    message.assert_row("mcp", "a line that is too long");
    assert!(!session.tools().is_empty());
    let status = std::fs::read_to_string(format!("/proc/{}/status", session.server.id())).unwrap();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kilobytes < 200 * 1024, "{kilobytes} kB");
}

#[test]
fn a_large_file_is_written_and_an_answer_too_large_is_refused() {
    let room = directory();
    let path = room.path().join("large");
    let mut session = Session::open(&[]);
    let content = "0123456789abcdef\n".repeat(1 << 20);
    let request = json!({"file_path": text(&path), "content": content});
    let written = session.result_of("file_write", &request);
    assert_eq!(written["structuredContent"]["bytes"], content.len());
    assert!(std::fs::read_to_string(&path).unwrap() == content);

    let read = session.result_of("file_read", &json!({"file_path": text(&path)}));
    assert_eq!(read["structuredContent"]["error_code"], "ANSWER_TOO_LARGE");
    let endless = session.result_of("bash", &json!({"command": "yes"}));
    assert_eq!(
        endless["structuredContent"]["error_code"],
        "ANSWER_TOO_LARGE"
    );
    let request = json!({"file_path": text(&path), "offset": 5, "limit": 300_000});
    let read = session.result_of("file_read", &request);
    assert_eq!(read["structuredContent"]["output"], content[..300_000 * 17]);
}

#[test]
fn a_last_message_without_a_line_end_is_answered_too() {
    let mut session = Session::open(&[]);
    let mut input = session.take_input();
    input
        .write_all(br#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#)
        .unwrap();
    drop(input);
    assert_eq!(session.receive()["id"], "last");
    assert!(session.leave().success());
}

#[test]
fn a_batch_is_answered_message_by_message() {
    let mut session = Session::start(&[]);
    session.shake_hands("2025-03-26");
    session.send(&json!([
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"id": 2},
        {"jsonrpc": "2.0", "id": 3, "method": "ping"},
    ]));
    let mut answers: Vec<(u64, bool)> = (0..3)
        .map(|_| session.receive())
        .map(|answer| (answer["id"].as_u64().unwrap(), answer["result"].is_object()))
        .collect();
    answers.sort_unstable();
    assert_eq!(answers, [(1, true), (2, false), (3, true)]);
}
