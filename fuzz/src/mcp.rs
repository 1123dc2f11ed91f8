//! A line in: one answer with the same id to each request, none to a notification, an error with no
//! id to what is no message; each a line of JSON by itself. The server has no tools, since a call
//! would be a process.

use std::collections::HashMap;

use iki_mcp::fuzzing::serve_nothing;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// What a client says first.
const HANDSHAKE: &str = concat!(
    r#"{"jsonrpc":"2.0","id":"handshake","method":"initialize","params":{"protocolVersion":"2025-06-18","#,
    r#""capabilities":{},"clientInfo":{"name":"f","version":"0"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n"
);

pub fn check(data: &[u8]) {
    let (kind, lines) = data.split_first().unwrap_or((&0, b""));
    let begun = kind & 3 != 0;
    let mut input = if begun {
        HANDSHAKE.as_bytes().to_vec()
    } else {
        Vec::new()
    };
    input.extend_from_slice(lines);
    input.push(b'\n');
    let output = served(&input);
    let answers = answers(&output);
    judge(&input, begun, &answers);
}

fn served(input: &[u8]) -> Vec<u8> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let (mut to, their_input) = tokio::io::duplex(1 << 16);
        let (their_output, mut from) = tokio::io::duplex(1 << 16);
        let write = async move {
            let _ = to.write_all(input).await;
        };
        let mut output = Vec::new();
        let read = async {
            from.read_to_end(&mut output).await.unwrap();
        };
        tokio::join!(write, read, serve_nothing(their_input, their_output));
        output
    })
}

fn answers(output: &[u8]) -> Vec<Value> {
    assert!(output.is_empty() || output.ends_with(b"\n"), "half a line");
    let lines = output.split(|byte| *byte == b'\n');
    let lines = lines.filter(|line| !line.is_empty());
    let read = |line: &[u8]| {
        let answer: Value = serde_json::from_slice(line).unwrap_or_else(|error| {
            panic!("no JSON: {error} in {:?}", String::from_utf8_lossy(line))
        });
        assert_eq!(answer["jsonrpc"], "2.0", "{answer}");
        answer
    };
    lines.map(read).collect()
}

/// What a message wants.
#[derive(Debug, PartialEq)]
enum Wanted {
    /// An answer with this id.
    Answer(String),
    /// An error, with no id or with its own.
    Error,
    /// It is for the SDK to say whether it wants one.
    Perhaps,
    /// Nothing.
    Nothing,
}

fn wanted(message: &Value) -> Wanted {
    let Value::Object(fields) = message else {
        return Wanted::Error;
    };
    let is_message = message["jsonrpc"] == "2.0";
    let id = fields.get("id");
    match (id, message["method"].as_str()) {
        (None, Some(_)) => Wanted::Nothing,
        (Some(id), Some(_)) => {
            let good = id.is_string() || id.is_i64();
            let shape = fields.get("params").is_none_or(Value::is_object);
            let alone = !fields.contains_key("result") && !fields.contains_key("error");
            if is_message && good && shape && alone {
                Wanted::Answer(id.to_string())
            } else {
                Wanted::Perhaps
            }
        }
        (_, None) => Wanted::Perhaps,
    }
}

fn judge(input: &[u8], begun: bool, answers: &[Value]) {
    let mut all = Vec::new();
    let mut broken = 0;
    for line in input.split(|byte| *byte == b'\n') {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        if line.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_slice(line) {
            Ok(Value::Array(messages)) if !messages.is_empty() => all.extend(messages),
            Ok(message) => all.push(message),
            Err(_) => broken += 1,
        }
    }
    let cancelled = all
        .iter()
        .any(|message| message["method"] == "notifications/cancelled");
    let mut asked: HashMap<String, usize> = HashMap::new();
    let mut errors = (broken, broken);
    for message in &all {
        match wanted(message) {
            Wanted::Answer(id) => *asked.entry(id).or_default() += 1,
            Wanted::Error => errors = (errors.0 + 1, errors.1 + 1),
            Wanted::Perhaps => errors.1 += 1,
            Wanted::Nothing => {}
        }
    }
    let mut given: HashMap<String, usize> = HashMap::new();
    let mut nameless = 0;
    for answer in answers {
        if answer["method"].is_string() {
            // The server's own notification, or request.
            continue;
        }
        assert!(
            answer.get("result").is_some() != answer.get("error").is_some(),
            "{answer}"
        );
        match &answer["id"] {
            Value::Null => {
                assert!(answer["error"]["code"].is_i64(), "{answer}");
                nameless += 1;
            }
            id => *given.entry(id.to_string()).or_default() += 1,
        }
    }
    let shown = || String::from_utf8_lossy(input).into_owned();
    let mut own = 0;
    for (id, count) in &given {
        let most = asked.get(id).copied().unwrap_or(0);
        // What is no message may have an id all the same.
        own += count.saturating_sub(most);
    }
    assert!(
        nameless + own <= errors.1,
        "{nameless} and {own} errors for {errors:?} in {}",
        shown()
    );
    if !begun {
        return;
    }
    assert!(
        nameless + own >= errors.0,
        "{nameless} and {own} errors for {errors:?} in {}",
        shown()
    );
    for (id, count) in &asked {
        let got = given.get(id).copied().unwrap_or(0);
        // Of an id that is used again before it is answered, one answer is all that can be told.
        assert!(
            got >= (*count).min(1) || cancelled,
            "{got} of {count} answers to {id} in {}",
            shown()
        );
    }
}
