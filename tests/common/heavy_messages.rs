//! Messages of 4.1 MB that would take far more memory if all their values were built.

#![allow(dead_code, reason = "each test program uses its own part")]

/// What they are long, in bytes.
const LENGTH: usize = 4_100_000;

/// A value that takes the most memory for its length.
pub const SMALL_OBJECTS: &str = r#"{"":1}"#;

/// An array of as many of these as fit into a message.
fn array(of: &str) -> String {
    let count = LENGTH / (of.len() + 1);
    format!("[{}]", vec![of; count].join(","))
}

fn message(fields: &str) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0",{fields}}}"#).into_bytes()
}

/// A call of `tool` whose one argument is an array of these.
pub fn call_with(tool: &str, value: &str) -> Vec<u8> {
    call_of(tool, &format!(r#"{{"a":{}}}"#, array(value)))
}

fn call_of(tool: &str, arguments: &str) -> Vec<u8> {
    message(&format!(
        r#""id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}"#
    ))
}

/// The messages, each with what it is. Those that are calls are calls of `tool`.
pub fn heavy_messages(tool: &str) -> Vec<(&'static str, Vec<u8>)> {
    let objects = array(SMALL_OBJECTS);
    let with = |fields: &str| message(&fields.replace("OBJECTS", &objects));
    let keys: Vec<String> = (0..LENGTH / 12)
        .map(|key| format!(r#""{key:07}":0"#))
        .collect();
    let long = "x".repeat(LENGTH);
    vec![
        ("objects", call_with(tool, SMALL_OBJECTS)),
        ("arrays", call_with(tool, "[]")),
        ("numbers", call_with(tool, "1")),
        ("strings", call_with(tool, r#""""#)),
        ("keys", call_of(tool, &format!("{{{}}}", keys.join(",")))),
        (
            "depth",
            call_of(
                tool,
                &format!(
                    r#"{{"a":{}{}}}"#,
                    "[".repeat(LENGTH / 2),
                    "]".repeat(LENGTH / 2)
                ),
            ),
        ),
        (
            "a long string",
            call_of(tool, &format!(r#"{{"url":"{long}"}}"#)),
        ),
        (
            "another field of a call",
            with(
                r#""id":1,"method":"tools/call","params":{"name":"x","inputResponses":{"a":OBJECTS}}"#,
            ),
        ),
        (
            "arguments that are none",
            with(r#""id":1,"method":"tools/call","params":{"name":"x","arguments":OBJECTS}"#),
        ),
        (
            "_meta",
            with(r#""id":1,"method":"ping","params":{"_meta":{"a":OBJECTS}}"#),
        ),
        (
            "an unknown method",
            with(r#""id":1,"method":"x","params":{"a":OBJECTS}"#),
        ),
        (
            "a long method",
            message(&format!(r#""id":1,"method":"{long}""#)),
        ),
        (
            "a notification",
            with(r#""method":"notifications/x","params":{"a":OBJECTS}"#),
        ),
        ("an answer", with(r#""id":1,"result":{"a":OBJECTS}"#)),
        (
            "an error",
            with(r#""id":1,"error":{"code":1,"message":"","data":OBJECTS}"#),
        ),
        ("an id", with(r#""id":OBJECTS,"method":"ping""#)),
        (
            "a field that no message has",
            with(r#""id":1,"method":"ping","x":OBJECTS"#),
        ),
        ("an array of objects", objects.clone().into_bytes()),
        ("an array of arrays", array("[]").into_bytes()),
    ]
}
