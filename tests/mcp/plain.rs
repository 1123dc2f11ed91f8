//! What a model is shown: plain text within what its client lets through, instructions, progress.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::session::Session;
use crate::common::messages::TextRow;
use crate::common::{directory, text, tool};

#[test]
fn a_result_is_what_was_asked_for_and_a_last_line_in_brackets() {
    let here = directory();
    fs::write(here.path().join("f"), "one\n\"two\"\n").unwrap();
    fs::write(here.path().join("empty"), "").unwrap();
    let mut session = Session::plain(here.path(), "someone", &[]);
    let here = text(here.path());
    for (tool, arguments, expected, failed) in [
        (
            "bash",
            json!({"command": "printf 'a\\nb'"}),
            "a\nb".to_owned(),
            false,
        ),
        (
            "bash",
            json!({"command": "echo a; exit 3"}),
            "a\n[exit code 3]".to_owned(),
            false,
        ),
        (
            "file_read",
            json!({"file_path": "f"}),
            "one\n\"two\"\n".to_owned(),
            false,
        ),
        (
            "grep",
            json!({"pattern": "two", "path": "f"}),
            "2: \"two\"".to_owned(),
            false,
        ),
        (
            "glob",
            json!({"pattern": "*"}),
            "empty\nf".to_owned(),
            false,
        ),
        (
            "file_edit",
            json!({"file_path": "f", "old_string": "one", "new_string": "1"}),
            "Replaced 1 occurrence in f (line 1)".to_owned(),
            false,
        ),
        (
            "file_write",
            json!({"file_path": format!("{here}/new"), "content": "x"}),
            "Wrote 1 bytes to new".to_owned(),
            false,
        ),
    ] {
        assert_eq!(
            session.text_of(tool, &arguments),
            (expected, failed),
            "{arguments}"
        );
    }
}

#[test]
fn a_text_that_is_json_comes_with_its_object_where_the_client_looks_for_one() {
    let here = directory();
    // Gemini CLI reads the text as JSON, and a call fails there if that is no object.
    for name in ["gemini-cli-mcp-client", "node", "someone", "claude-code"] {
        let mut session = Session::plain(here.path(), name, &[]);
        for (output, is_json) in [
            ("42", true),
            ("[1, {\"a\": null}]", true),
            ("null", true),
            ("\"a\"", true),
            ("{\"a\": 1}", true),
            ("[1, 2", false),
            ("42 files", false),
        ] {
            let command = format!("printf %s '{output}'");
            let result = session.result_of("bash", &json!({"command": command}));
            assert_eq!(result["content"][0]["text"], output, "{name}");
            let object = result.get("structuredContent");
            if is_json && ["gemini-cli-mcp-client", "node"].contains(&name) {
                assert_eq!(object.unwrap()["output"], output, "{name}");
            } else {
                assert_eq!(object, None, "{name}: {output}");
            }
        }
    }
}

#[test]
fn no_result_is_empty() {
    let here = directory();
    fs::write(here.path().join("empty"), "").unwrap();
    let mut session = Session::plain(here.path(), "someone", &[]);
    for (tool, arguments) in [
        ("bash", json!({"command": "true"})),
        ("bash", json!({"command": "false"})),
        ("file_read", json!({"file_path": "empty"})),
        ("file_read", json!({"file_path": "empty", "offset": 5})),
        ("grep", json!({"pattern": "x"})),
        ("glob", json!({"pattern": "no*"})),
    ] {
        let (text, failed) = session.text_of(tool, &arguments);
        assert!(
            text.starts_with('[') && text.ends_with(']'),
            "{arguments}: {text}"
        );
        assert!(!failed);
    }
}

#[test]
fn a_missing_key_is_said_with_the_setting_of_the_client() {
    for (client, setting) in [
        ("codex-mcp-client", "config.toml"),
        ("claude-code", "claude mcp add"),
        ("qwen-cli-mcp-client-ikigai", ".qwen/settings.json"),
        ("gemini-cli-mcp-client", ".gemini/settings.json"),
        ("opencode", "opencode.json"),
        ("another", "configuration"),
    ] {
        let here = directory();
        let mut session = Session::plain(here.path(), client, &["--tools", "web"]);
        let (text, failed) = session.text_of("web_search_brave", &json!({"query": "rust"}));
        assert!(failed && text.contains("(AUTH_MISSING)"), "{text}");
        assert!(text.contains(setting), "{client}: {text}");
    }
}

#[test]
fn an_answer_keeps_to_what_its_client_lets_through() {
    let here = directory();
    let line = "a line of \"text\" that goes on and on\n";
    fs::write(here.path().join("f"), line.repeat(50_000)).unwrap();
    for (client, flags, most) in [
        ("codex-mcp-client", &[][..], 11_000),
        ("qwen-cli-mcp-client-ikigai", &[], 25_000),
        ("claude-code", &[], 40_000),
        ("another", &[], 19_000),
        ("codex-mcp-client", &["--max-answer", "3000"], 3000),
    ] {
        let mut session = Session::plain(here.path(), client, flags);
        for (tool, arguments) in [
            ("file_read", json!({"file_path": "f"})),
            ("bash", json!({"command": "cat f"})),
            ("grep", json!({"pattern": "text", "path": "f"})),
            ("bash", json!({"command": "yes '\"\"' | head -c 3000000"})),
            ("glob", json!({"pattern": "/proc/*/*"})),
        ] {
            let (text, failed) = session.text_of(tool, &arguments);
            assert!(!failed && text.len() <= most, "{} of {most}", text.len());
            if tool != "glob" {
                let is_long = text.len() > most / 2 || text.lines().count() > 800;
                assert!(is_long, "{tool}: {} of {most}", text.len());
                assert!(text.ends_with(']'), "{tool}: {text:.300}");
            }
        }
    }
    let mut session = Session::plain(here.path(), "codex", &["--max-answer", "0"]);
    let (text, _) = session.text_of("file_read", &json!({"file_path": "f"}));
    assert!(text.len() >= line.len() * 50_000);
}

#[test]
fn a_model_is_shown_what_nobody_sees_of_files_and_not_of_a_command_s_output() {
    let here = directory();
    let name = "a\u{202e}txt.sh";
    let lines = "x\u{202e}y\u{e0049} می\u{200c}شود\n";
    fs::write(here.path().join(name), lines).unwrap();
    for flags in [&[][..], &["--max-answer", "0"]] {
        let mut session = Session::plain(here.path(), "someone", flags);
        for (tool, arguments, expected) in [
            (
                "bash",
                json!({"command": "cat a*"}),
                "xy می\u{200c}شود\n[2 unseen characters (bidirectional override, tag character) were \
                 taken out of the output.]",
            ),
            (
                "bash",
                json!({"command": "ls; exit 3"}),
                "atxt.sh\n[exit code 3; 1 unseen character (bidirectional override) was taken out of \
                 the output.]",
            ),
            // Files have to be known as they are, to be edited.
            ("file_read", json!({"file_path": "a\\u{202E}txt.sh"}), lines),
            ("glob", json!({"pattern": "*"}), "a\\u{202E}txt.sh"),
            (
                "grep",
                json!({"pattern": "x"}),
                &*format!("a\\u{{202E}}txt.sh\n1: {}", lines.trim_end()),
            ),
        ] {
            assert_eq!(
                session.text_of(tool, &arguments),
                (expected.to_owned(), false)
            );
        }
    }
    // A program gets the object, and the same text in it.
    let mut session = Session::open(&[]);
    let command = json!({"command": "printf 'a\u{202e}b'"});
    let result = session.result_of("bash", &command);
    let object = result["structuredContent"].clone();
    let shown = result["content"][0]["text"].as_str().unwrap();
    assert!(!shown.contains('\u{202e}'), "{result}");
    if !object.is_null() {
        assert_eq!(object["output"], "ab");
        let note = object["note"].as_str().unwrap();
        note.assert_row("mcp", "a character that is not seen");
    }
}

#[test]
fn following_the_last_line_gives_the_whole_file() {
    let here = directory();
    let mut whole = String::new();
    for number in 0..3000 {
        whole.extend(["line ", &number.to_string(), " is \u{e9}\n"]);
    }
    fs::write(here.path().join("f"), &whole).unwrap();
    let mut session = Session::plain(here.path(), "codex", &[]);
    let (mut read, mut arguments) = (String::new(), json!({"file_path": "f"}));
    loop {
        let (text, _) = session.text_of("file_read", &arguments);
        let Some((shown, last)) = text
            .strip_suffix(']')
            .and_then(|text| text.rsplit_once('['))
        else {
            read += &text;
            break;
        };
        let (first, shown) = shown.split_once("]\n").unwrap();
        assert_eq!(first.strip_prefix('['), Some(last));
        read += shown;
        let next: u64 = last.rsplit_once("offset ").unwrap().1.parse().unwrap();
        arguments["offset"] = next.into();
    }
    assert_eq!(read, whole);
}

#[test]
fn a_command_has_a_timeout_and_a_directory_of_its_own() {
    let here = directory();
    fs::create_dir(here.path().join("below")).unwrap();
    let mut session = Session::plain(here.path(), "someone", &[]);
    let (text, _) = session.text_of("bash", &json!({"command": "pwd", "workdir": "below"}));
    assert!(text.ends_with("/below"), "{text}");
    let begin = Instant::now();
    let slow = json!({"command": "echo begun; sleep 30", "timeout": 1});
    let (text, failed) = session.text_of("bash", &slow);
    assert!(
        text.starts_with("begun\n[exit code 124") && !failed,
        "{text}"
    );
    assert!(begin.elapsed() < Duration::from_secs(15));
}

#[test]
fn a_server_s_timeout_leaves_what_a_command_had_written() {
    let here = directory();
    let mut session = Session::plain(here.path(), "someone", &["--timeout", "2"]);
    let (text, _) = session.text_of("bash", &json!({"command": "echo begun; sleep 30"}));
    assert!(text.starts_with("begun\n[exit code 124"), "{text}");
}

#[test]
fn a_client_with_a_token_hears_every_five_seconds_how_a_call_goes_on() {
    let here = directory();
    let mut session = Session::plain(here.path(), "someone", &[]);
    session.send(
        &json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
            "name": "bash",
            "arguments": {"command": "echo first; sleep 1; echo comp\u{202e}iling; sleep 5.5; echo done"},
            "_meta": {"progressToken": "t"},
        }}),
    );
    let told = session.receive();
    assert_eq!(told["method"], "notifications/progress", "{told}");
    assert_eq!(told["params"]["progressToken"], "t");
    assert!(
        told["params"]["progress"].as_f64().unwrap() >= 4.0,
        "{told}"
    );
    let message = told["params"]["message"].as_str().unwrap();
    assert!(message.contains("compiling"), "{told}");
    let answer = session.receive();
    assert_eq!(answer["id"], 7, "{answer}");
    let text = &answer["result"]["content"][0]["text"];
    let text = text.as_str().unwrap();
    assert!(
        text.starts_with("first\ncompiling\ndone\n[1 unseen"),
        "{text}"
    );
}

#[test]
fn instructions_say_what_a_model_would_not_expect() {
    let here = directory();
    let path = fs::canonicalize(here.path()).unwrap();
    for (flags, name) in [
        (&[][..], "instructions"),
        (&["--root", text(&path)], "instructions within bounds"),
        (&["--structured"], "instructions for programs"),
    ] {
        let mut session = Session::unprepared(&path, flags);
        let hello = session.shake_hands("2025-11-25");
        let instructions = hello["instructions"].as_str().unwrap();
        assert!(instructions.len() <= 1000);
        instructions.assert_row_at("mcp", name, &[(text(&path), "<here>")]);
    }
}

#[test]
fn a_client_that_discovers_reads_the_same_instructions() {
    let here = directory();
    let mut session = Session::unprepared(here.path(), &[]);
    session.send(
        &json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "codex", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        }}),
    );
    let answer = session.receive();
    let instructions = answer["result"]["instructions"].as_str().unwrap();
    let path = fs::canonicalize(here.path()).unwrap();
    let place = [(text(&path), "<here>")];
    instructions.assert_row_at("mcp", "instructions", &place);
}

#[test]
fn neither_resources_nor_prompts_are_offered_and_asking_is_answered() {
    let here = directory();
    let mut session = Session::unprepared(here.path(), &["--tools", "local,web,web-search"]);
    let hello = session.shake_hands("2025-11-25");
    let offered = hello["capabilities"].as_object().unwrap();
    assert_eq!(offered.keys().collect::<Vec<_>>(), ["tools"]);
    for method in [
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "prompts/list",
        "prompts/get",
        "completion/complete",
        "logging/setLevel",
    ] {
        let params = json!({"uri": "a:b", "name": "x", "level": "info", "arguments": {},
            "ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": "b"}});
        session.send(&json!({"jsonrpc": "2.0", "id": 5, "method": method, "params": params}));
        let answer: Value = session.receive();
        assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
    }
}

#[test]
fn a_command_s_output_is_shown_as_a_terminal_shows_it_in_the_end() {
    let here = directory();
    let mut session = Session::plain(here.path(), "someone", &[]);
    let command = r"printf '\033[32mok\033[0m\n10%%\r50%%\r100%%\nlast \033[1mline'";
    let shown = session.text_of("bash", &json!({"command": command}));
    assert_eq!(shown, ("ok\n100%\nlast line".to_owned(), false));
    // A host gets what was written.
    let host = tool("bash").with(&json!({"command": command})).run().json();
    assert!(
        host["output"].as_str().unwrap().contains("\u{1b}[32mok"),
        "{host}"
    );
}

#[test]
fn the_list_of_tools_is_at_most_twelve_kilobytes() {
    let here = directory();
    let mut session = Session::plain(here.path(), "someone", &[]);
    session.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "tools/list"}));
    let list = session.receive()["result"].to_string();
    assert!(list.len() <= 12_000, "{}", list.len());
    for words in ["\"timeout\"", "\"workdir\"", "**/*"] {
        assert!(list.contains(words), "{words}");
    }
    assert!(!list.contains("libxml2"));
}
