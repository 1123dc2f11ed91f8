//! The keys of the web searches: no command and no file shows them.

use crate::common::messages::TextRow;
use crate::common::{self, directory, text, tool};
use serde_json::{Value, json};

const SECRETS: [&str; 14] = [
    "BRAVE_API_KEY",
    "GOOGLE_SEARCH_API_KEY",
    "GOOGLE_SEARCH_ENGINE_ID",
    "GOOGLE_CUSTOM_SEARCH_API_KEY",
    "GOOGLE_CUSTOM_SEARCH_ID",
    "SERPER_API_KEY",
    "TAVILY_API_KEY",
    "EXA_API_KEY",
    "SEARCHAPI_API_KEY",
    "CACHE_ENCRYPTION_KEY",
    "SEARXNG_URL",
    "SEARXNG_BASIC_AUTH",
    "SEARXNG_HEADERS",
    "IKIGAI_REDIS_URL",
];

/// What each of them is set to.
const VALUE: &str = "s3cr3t-v4lu3";

fn with_secrets(name: &str, request: &Value) -> common::Call {
    let call = tool(name).with(request).env("PLAIN", "plain-value");
    SECRETS
        .iter()
        .fold(call, |call, name| call.env(name, format!("{VALUE}-{name}")))
}

#[test]
fn a_command_gets_no_key_and_all_else() {
    let answer = with_secrets("bash", &json!({"command": "env; export"})).run();
    let output = answer.field("output");
    assert!(!output.contains(VALUE), "{output}");
    assert!(output.contains("PLAIN=plain-value"), "{output}");
    assert!(!output.contains("IKIGAI_CALL"), "{output}");
}

#[test]
fn neither_the_tool_nor_its_watchdog_shows_a_key() {
    let script = "tool=$(awk '{print $4}' /proc/$PPID/stat); \
                  for pid in self $PPID $tool; do tr '\\0' '\\n' </proc/$pid/environ; done; \
                  cat /proc/$PPID/task/*/environ /proc/$tool/task/*/environ; readlink /proc/$tool/exe";
    let answer = with_secrets("bash", &json!({ "command": script })).run();
    let output = answer.field("output");
    assert!(!output.contains(VALUE), "{output}");
    assert!(output.matches("PLAIN=plain-value").count() >= 5, "{output}");
    assert!(
        output.ends_with("ikigai-tools"),
        "the right process was asked: {output}"
    );
}

#[test]
fn who_wants_the_keys_passed_on_has_them_passed_on() {
    for (value, passed) in [("1", true), ("0", false), ("", false), ("yes", false)] {
        let answer = with_secrets("bash", &json!({"command": "env"}))
            .env("IKIGAI_PASS_KEYS", value)
            .run();
        let output = answer.field("output");
        let count = SECRETS
            .iter()
            .filter(|name| output.contains(&format!("{name}={VALUE}-{name}")))
            .count();
        assert_eq!(count, if passed { SECRETS.len() } else { 0 }, "{value:?}");
    }
}

#[test]
fn flags_hide_the_keys_as_requests_do() {
    let answer = with_secrets("bash", &json!({}))
        .arg("--command")
        .arg("cat /proc/$PPID/environ; env")
        .run();
    let output = String::from_utf8(answer.stdout).unwrap();
    assert!(output.contains("PATH=") && !output.contains(VALUE));
}

#[test]
fn no_spelling_of_its_own_environment_is_read() {
    if !std::path::Path::new("/proc/self/environ").exists() {
        return common::skip("there is no /proc here");
    }
    let here = directory();
    let link = here.path().join("link");
    std::os::unix::fs::symlink("/proc/self/environ", &link).unwrap();
    for path in [
        "/proc/self/environ",
        "/proc/thread-self/environ",
        "/proc/self/task/../environ",
        "/proc/self/root/proc/self/environ",
        "/proc/./self/../self/environ",
        text(&link),
    ] {
        for request in [
            json!({ "file_path": path }),
            json!({"file_path": path, "offset": 2, "limit": 1}),
        ] {
            let answer = with_secrets("file-read", &request).run();
            assert_eq!(answer.json()["error_code"], "PERMISSION_DENIED", "{path}");
            let error = answer.field("error");
            error.assert_row_at("file_read", "an environment", &[(path, "<path>")]);
            assert_eq!(answer.code(), 0);
        }
    }
    // The process's own number, which is known before it becomes the tool.
    for place in ["$$", "$$/task/$$"] {
        let script = format!(
            "printf '%s' \"{{\\\"file_path\\\":\\\"/proc/{place}/environ\\\"}}\" >request; exec <request"
        );
        let answer = with_secrets("file-read", &json!({}))
            .after(&script)
            .in_directory(here.path())
            .run();
        assert_eq!(answer.json()["error_code"], "PERMISSION_DENIED", "{place}");
    }
}

#[test]
fn the_environment_of_another_process_is_read_as_ever() {
    let mut other = std::process::Command::new("sleep")
        .arg("60")
        .env_clear()
        .env("OTHER", "other-value")
        .spawn()
        .unwrap();
    let path = format!("/proc/{}/environ", other.id());
    let answer = with_secrets("file-read", &json!({ "file_path": path })).run();
    other.kill().unwrap();
    other.wait().unwrap();
    assert_eq!(answer.field("output"), "OTHER=other-value\0");
}

#[test]
fn a_search_in_its_own_environment_finds_no_key() {
    for path in ["/proc/self/environ", "/proc/thread-self/environ"] {
        let request = json!({"pattern": VALUE, "path": path});
        let answer = with_secrets("grep", &request).run();
        assert!(
            !String::from_utf8_lossy(&answer.stdout).contains(VALUE),
            "{path}"
        );
        assert_ne!(answer.json()["count"], 1, "{path}");
    }
    let request = json!({"file_path": "/proc/self/environ", "old_string": VALUE, "new_string": ""});
    let answer = with_secrets("file-edit", &request).run();
    assert!(!String::from_utf8_lossy(&answer.stdout).contains(VALUE));
}

#[test]
fn a_web_search_has_its_key_still() {
    let answer = with_secrets("web-search-brave-tool", &json!({"query": "rust"}))
        .env("IKIGAI_BRAVE_URL", "http://127.0.0.1:9/")
        .run();
    assert_eq!(
        answer.json()["error_code"],
        "NETWORK_ERROR",
        "{}",
        answer.json()
    );
}

#[test]
fn a_server_shows_no_key_to_a_command_and_passes_them_to_a_search() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};
    let mut server = Command::new(common::BINARY)
        .args(["mcp", "--tools", "local,web"])
        .envs(SECRETS.map(|name| (name, format!("{VALUE}-{name}"))))
        .env("IKIGAI_BRAVE_URL", "http://127.0.0.1:9/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let mut ask = |message: Value, answered: bool| {
        writeln!(input, "{message}").unwrap();
        answered.then(|| lines.next().unwrap().unwrap())
    };
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
                       "clientInfo": {"name": "test", "version": "1"}});
    ask(
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        true,
    );
    ask(
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        false,
    );
    let script = format!(
        "env; cat /proc/{}/environ /proc/$PPID/environ; echo asked",
        server.id()
    );
    let mut call = |name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments});
        ask(
            json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}),
            true,
        )
        .unwrap()
    };
    let shown = call("bash", json!({ "command": script }));
    let read = call(
        "file_read",
        json!({"file_path": format!("/proc/{}/environ", server.id())}),
    );
    let searched = call("web_search_brave", json!({"query": "rust"}));
    drop(input);
    server.wait().unwrap();
    assert!(shown.contains("asked") && !shown.contains(VALUE), "{shown}");
    assert!(!read.contains(VALUE), "{read}");
    assert!(searched.contains("NETWORK_ERROR"), "{searched}");
}

/// Starts `program` with these arguments and a key, without root's powers, and asks another process
/// of its user for its environment once `ready` says so. Whatever it dumps when it is aborted lies
/// in its directory.
fn is_private(arguments: &[&str], request: &str) {
    use std::io::Write;
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};
    let here = common::public_directory();
    let program = here.path().join("ikigai-tools");
    common::copy_program(std::path::Path::new(common::BINARY), &program);
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    let start = |program: &str| {
        let mut command = Command::new(program);
        command.current_dir(here.path()).env("HOME", here.path());
        if rustix::process::geteuid().is_root() {
            command.uid(65534).gid(65534);
        }
        command
    };
    let mut process = start("sh")
        .args(["-c", "ulimit -c unlimited; exec \"$@\"", "sh"])
        .arg(&program)
        .args(arguments)
        .envs(SECRETS.map(|name| (name, format!("{VALUE}-{name}"))))
        .env_remove("CACHE_ENCRYPTION_KEY")
        .env_remove("IKIGAI_REDIS_URL")
        .env("IKIGAI_BRAVE_URL", url)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = process.stdin.take().unwrap();
    input.write_all(request.as_bytes()).unwrap();
    // A server's stays open.
    let _open = arguments
        .first()
        .is_some_and(|first| *first == "mcp")
        .then_some(input);
    let of = |file: &str| format!("/proc/{}/{file}", process.id());
    let read = |file: &str| start("cat").arg(of(file)).output().unwrap();
    // It is the program, whose files are root's then.
    let begun = common::eventually(|| {
        let name = std::fs::read_to_string(of("comm")).unwrap_or_default();
        name.starts_with("ikigai-tools") && !read("environ").status.success()
    });
    assert!(begun, "{arguments:?} shows its environment");
    assert!(!read("maps").status.success(), "{arguments:?}");
    // SAFETY: a number and a number; the process is this one's child, and not waited for yet.
    unsafe { libc::kill(process.id().cast_signed(), libc::SIGABRT) };
    process.wait().unwrap();
    for name in common::names_in(here.path()) {
        let file = here.path().join(&name);
        if name != "ikigai-tools" && file.is_file() {
            let bytes = std::fs::read(file).unwrap();
            let found = bytes
                .windows(VALUE.len())
                .any(|part| part == VALUE.as_bytes());
            assert!(!found, "{name}");
        }
    }
}

#[test]
fn a_process_that_has_keys_shows_its_memory_to_nobody() {
    if !std::path::Path::new("/proc/self/environ").exists() {
        return common::skip("there is no /proc here");
    }
    is_private(&["web-search-brave-tool"], r#"{"query":"rust"}"#);
    is_private(&["web-search-brave-tool", "rust"], "");
    is_private(&["mcp"], "");
    is_private(&["mcp", "--http", "127.0.0.1:0"], "");
}
