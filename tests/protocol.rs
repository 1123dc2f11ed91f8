//! What all tools have in common: names, schemas, bad requests, exit codes.

use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::common::messages::TextRow;
use crate::common::{BINARY, directory, link, tool};
use serde_json::{Value, json};

/// Each tool with its required fields.
fn tools() -> Vec<(String, Vec<String>)> {
    let list = Command::new(BINARY).arg("list").output().unwrap();
    let names = String::from_utf8(list.stdout).unwrap();
    names
        .lines()
        .map(|name| (name.to_owned(), required_fields(&schema(name))))
        .collect()
}

fn schema(name: &str) -> Value {
    let output = Command::new(link(name)).arg("--schema").output().unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

fn required_fields(schema: &Value) -> Vec<String> {
    let required = schema["parameters"]["required"].as_array().unwrap();
    required
        .iter()
        .map(|name| name.as_str().unwrap().to_owned())
        .collect()
}

/// A request with each required field, so that one of them can be spoilt.
fn full_request(fields: &[String]) -> Value {
    fields
        .iter()
        .map(|name| (name.clone(), json!("x")))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn program(args: &[&str]) -> (i32, String, String) {
    let output = Command::new(BINARY).args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn every_schema_keeps_the_host_s_rules() {
    for (name, _) in tools() {
        let schema = schema(&name);
        let object = schema.as_object().unwrap();
        assert_eq!(object.len(), 3, "{name}: name, description and parameters");
        let bare = name
            .strip_suffix("-tool")
            .unwrap_or(&name)
            .replace('-', "_");
        assert_eq!(schema["name"], bare);
        assert!(schema["description"].is_string());
        let parameters = &schema["parameters"];
        assert_eq!(parameters["type"], "object");
        let properties = parameters["properties"].as_object().unwrap();
        for (field, property) in properties {
            let kind = property["type"].as_str().unwrap();
            assert!(
                ["string", "integer", "boolean", "array"].contains(&kind),
                "{name}.{field}"
            );
            assert!(property["description"].is_string(), "{name}.{field}");
        }
        for field in required_fields(&schema) {
            assert!(properties.contains_key(&field), "{name}.{field}");
        }
    }
}

#[test]
fn a_schema_is_printed_pretty_with_two_spaces_and_a_final_newline() {
    for (name, _) in tools() {
        let output = Command::new(link(&name)).arg("--schema").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.starts_with("{\n  \"name\": "), "{name}");
        assert!(text.ends_with("\n}\n") && !text.ends_with("\n\n"), "{name}");
    }
}

#[test]
fn every_bad_request_is_answered_on_both_streams() {
    for (name, fields) in tools() {
        let bad = |input: &[u8]| tool(&name).with_input(input).run();
        for (input, reason) in [
            (&b""[..], "empty input"),
            (b" \n\t", "empty input"),
            (
                b"{",
                "invalid JSON: EOF while parsing an object at line 1 column 1",
            ),
            (
                b"nonsense",
                "invalid JSON: expected ident at line 1 column 2",
            ),
            (b"[]", "invalid JSON: expected an object, found an array"),
            (b"null", "invalid JSON: expected an object, found null"),
            (
                b"{} {}",
                "invalid JSON: trailing characters at line 1 column 4",
            ),
        ] {
            let answer = bad(input);
            let error = answer.json();
            assert_eq!(error["error"], reason, "{name}");
            assert_eq!(error["error_code"], "INVALID_ARG");
            assert_eq!(answer.stderr, format!("{name}: {reason}\n"));
            assert_eq!(answer.code(), 1);
        }
        for field in &fields {
            let mut request = full_request(&fields);
            request.as_object_mut().unwrap().remove(field);
            tool(&name)
                .with(&request)
                .refuses_the_request(&format!("missing {field} field"));
            // A number or a flag may be text.
            let takes_scalars = ["command", "pattern", "query", "old_string", "new_string"]
                .contains(&field.as_str());
            let scalars = if takes_scalars {
                vec![]
            } else {
                vec![json!(1), json!(true)]
            };
            for wrong in [json!(null), json!(["x"]), json!({"x": 1})]
                .into_iter()
                .chain(scalars)
            {
                request[field] = wrong;
                tool(&name)
                    .with(&request)
                    .refuses_the_request(&format!("{field} must be a string"));
            }
        }
    }
}

#[test]
fn an_optional_field_of_the_wrong_type_is_named() {
    for (name, fields) in tools() {
        let schema = schema(&name);
        for (field, property) in schema["parameters"]["properties"].as_object().unwrap() {
            if fields.contains(field) {
                continue;
            }
            let expected = match property["type"].as_str().unwrap() {
                "integer" => "an integer",
                "boolean" => "a boolean",
                "array" => "an array of strings",
                _ => "a string",
            };
            let mut request = full_request(&fields);
            request[field] = json!({"un": "fit"});
            tool(&name)
                .with(&request)
                .refuses_the_request(&format!("{field} must be {expected}"));
        }
    }
}

#[test]
fn invalid_utf_8_and_endless_nesting_are_bad_requests() {
    for (name, _) in tools() {
        for input in [
            b"{\"x\":\"\xff\"}".to_vec(),
            b"{\"x\":".repeat(200_000),
            b"[".repeat(1 << 20),
        ] {
            let answer = tool(&name).with_input(input).run();
            assert_eq!(answer.code(), 1);
            assert!(
                answer.field("error").starts_with("invalid JSON: "),
                "{name}"
            );
        }
    }
}

#[test]
fn a_large_request_of_nothing_known_is_answered() {
    let input = format!("{{\"padding\":\"{}\"}}", "x".repeat(10_000_000));
    for (name, fields) in tools() {
        let answer = tool(&name).with_input(input.clone()).run();
        assert_eq!(
            answer.field("error"),
            format!("missing {} field", fields[0])
        );
    }
}

#[test]
fn a_reader_that_closes_the_pipe_early_is_no_crash() {
    for (name, _) in tools() {
        let mut child = Command::new(link(&name));
        let mut child = child
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        child.stdin.take().unwrap().write_all(b"{}").unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(1), "{name}");
    }
    let mut child = Command::new(BINARY)
        .arg("--help")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_host_whose_ends_do_not_block_is_waited_for() {
    let (input, mut request) = std::io::pipe().unwrap();
    let (mut answer, output) = std::io::pipe().unwrap();
    for end in [input.as_fd(), output.as_fd()] {
        rustix::io::ioctl_fionbio(end, true).unwrap();
    }
    let mut child = Command::new(link("bash"))
        .stdin(input)
        .stdout(output)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let command = json!({"command": "head -c 3000000 /dev/zero | tr '\\0' a"}).to_string();
    for part in command.as_bytes().chunks(20) {
        request.write_all(part).unwrap();
        sleep(Duration::from_millis(20));
    }
    drop(request);
    sleep(Duration::from_millis(200));
    let mut text = String::new();
    answer.read_to_string(&mut text).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["output"].as_str().unwrap().len(), 3_000_000);
    assert!(child.wait().unwrap().success());
}

#[test]
fn the_first_argument_names_a_tool_in_any_spelling() {
    for (name, _) in tools() {
        let bare = name.strip_suffix("-tool").unwrap_or(&name);
        let spellings = [
            bare.to_owned(),
            format!("{bare}-tool"),
            bare.replace('-', "_"),
        ];
        for spelling in spellings {
            let (code, stdout, _) = program(&[&spelling, "--schema"]);
            assert_eq!(code, 0);
            assert_eq!(
                serde_json::from_str::<Value>(&stdout).unwrap(),
                schema(&name)
            );
        }
    }
}

#[test]
fn a_link_of_any_spelling_names_a_tool() {
    let here = directory();
    for spelling in ["file-read", "file_read", "file-read-tool"] {
        symlink(BINARY, here.path().join(spelling)).unwrap();
        let output = Command::new(here.path().join(spelling))
            .arg("--schema")
            .output()
            .unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).contains("\"name\": \"file_read\""));
    }
    symlink(BINARY, here.path().join("toolbox")).unwrap();
    let output = Command::new(here.path().join("toolbox"))
        .args(["grep", "--schema"])
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("\"name\": \"grep\""));
}

#[test]
fn the_program_says_what_it_is() {
    let (code, help, _) = program(&["--help"]);
    assert_eq!((code, &help), (0, &program(&[]).1));
    assert_eq!(
        program(&["--version"]).1,
        format!("ikigai-tools {}\n", env!("CARGO_PKG_VERSION"))
    );
    for (name, _) in tools() {
        let bare = name.strip_suffix("-tool").unwrap_or(&name);
        assert!(help.contains(&format!("\n  {bare} ")), "{bare} in --help");
        let (code, text, _) = program(&[bare, "--help"]);
        assert_eq!(code, 0);
        for field in schema(&name)["parameters"]["properties"]
            .as_object()
            .unwrap()
            .keys()
        {
            assert!(
                text.contains(&format!("\n  --{}", field.replace('_', "-"))),
                "{bare} --help names {field}"
            );
        }
        assert!(text.contains("Example:"), "{bare}");
    }
}

#[test]
fn the_examples_of_the_local_tools_work_as_they_are_shown() {
    let here = directory();
    for name in [
        "bash",
        "file-read",
        "file-write",
        "file-edit",
        "glob",
        "grep",
    ] {
        let (_, help, _) = program(&[name, "--help"]);
        let (_, example) = help.split_once("\n  printf").unwrap();
        let (example, _) = example.split_once("\n\n").unwrap();
        let example = format!("printf{example}");
        let example = example.replace("/tmp/", "").replace("ikigai-tools", BINARY);
        let output = Command::new("sh")
            .arg("-c")
            .arg(example)
            .current_dir(here.path())
            .output()
            .unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(answer.get("error").is_none(), "{name}: {answer}");
    }
}

#[test]
fn an_unknown_name_exits_2_names_the_nearest_and_lists_all() {
    let (code, stdout, stderr) = program(&["file-raed"]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    stderr.assert_row("command_line", "an unknown name");
}

#[test]
fn an_unknown_argument_exits_2_and_says_where_the_help_is() {
    let output = Command::new(link("bash"))
        .args(["--nonsense", "true"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    String::from_utf8_lossy(&output.stderr).assert_row("command_line", "an unknown flag");
}

#[test]
fn unknown_fields_are_ignored_and_named_unless_they_are_empty() {
    let note = "\"nested\", \"why\" are not fields of this tool, so they were ignored; the fields are \
                command, timeout, workdir.";
    tool("bash")
        .with(
            &json!({"command": "echo x", "nested": {"a": [1]}, "cwds": null, "why": "w", "s": ""}),
        )
        .answers(&json!({"output": "x", "exit_code": 0, "note": note}));
}

/// Whether the program can be started at all within so much address space, in KiB.
fn starts_within(limit: u32) -> bool {
    let call = tool("bash").with(&json!({"command": ""}));
    let answer = call.after(&format!("ulimit -v {limit}")).run();
    !answer.stdout.is_empty()
}

/// A request that is too large for some limits of memory, and for all of them bad: there is an
/// error to be told whether memory runs out or not.
fn is_told_that_memory_runs_out(name: &str, success: Option<&Value>) {
    let content = "x\\n".repeat(2_000_000);
    let request = format!(r#"{{"content":"{content}","url":"{content}","nothing":1}}"#);
    let mut ran_out = 0;
    // In KiB: from too little for the request to enough for everything. How much address space the
    // program takes itself is due to how it was built.
    let least = (20_000..)
        .step_by(2_000)
        .find(|limit| starts_within(*limit));
    for limit in (least.unwrap()..).step_by(2_000).take(20) {
        let answer = tool(name)
            .with_input(request.clone())
            .after(&format!("ulimit -v {limit}"))
            .run();
        assert_eq!(answer.code(), 1, "{limit}");
        let object = answer.json();
        assert_eq!(object.get("success"), success, "{limit}");
        ran_out += usize::from(object["error_code"] == "OUT_OF_MEMORY");
        let error = answer.field("error");
        assert!(!error.is_empty(), "{limit}");
    }
    assert!((1..20).contains(&ran_out), "{ran_out} of 20");
}

#[test]
fn a_local_tool_whose_memory_runs_out_answers_with_one_object() {
    is_told_that_memory_runs_out("file-write", None);
}

#[test]
fn a_web_tool_whose_memory_runs_out_answers_with_one_object() {
    is_told_that_memory_runs_out("web-fetch-tool", Some(&json!(false)));
}

#[test]
fn a_tool_that_somebody_else_aborts_says_nothing_of_memory() {
    use std::os::unix::process::ExitStatusExt;
    let child = tool("bash")
        .with(&json!({"command": "kill -ABRT $(awk '{print $4}' /proc/$PPID/stat); sleep 1"}));
    let output = child.start().wait_with_output().unwrap();
    assert_eq!(output.status.signal(), Some(libc::SIGABRT));
    assert_eq!(output.stdout, b"");
}

#[test]
fn a_tool_whose_stack_runs_out_answers_with_one_object() {
    let calls = [
        ("bash", json!({"command": "echo ran"})),
        // Who speaks HTTP needs more of it. Nobody listens there.
        ("web-fetch-tool", json!({"url": "http://127.0.0.1:1/"})),
    ];
    let mut ran_out = 0;
    for (name, request) in &calls {
        // In KiB: the first are too small for some of them, the last is enough.
        for limit in [24, 32, 48, 1024] {
            let answer = tool(name)
                .with(request)
                .after(&format!("ulimit -s {limit}"))
                .run();
            let object = answer.json();
            if object["error_code"] == "TOOL_FAILED" {
                ran_out += 1;
                assert_eq!(answer.code(), 1, "{name}, {limit}");
                answer
                    .field("error")
                    .assert_row("bash", "a stack that is too small");
                assert!(limit < 1024, "{name}");
            } else {
                let done = object["exit_code"] == 0 || object["error_code"] == "NETWORK_ERROR";
                assert!(done, "{name}, {limit}: {object}");
            }
        }
    }
    assert!(ran_out > 0);
}
