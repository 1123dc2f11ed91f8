//! The answers of bash to each of its readers.

use std::sync::Mutex;

use serde_json::{Value, json};

use super::*;
use crate::contract::call_terms::{Audience, CallTerms};

/// The answer to a reader.
fn answer(request: &Value, terms: CallTerms) -> Value {
    let request = request.to_string();
    let request = Request::parse(request.as_bytes())
        .unwrap()
        .for_tool(&TOOL, terms);
    let mut out = Vec::new();
    let mut object = AnswerObject::open_on(&mut out, terms, TOOL.how_to_get_less).unwrap();
    match TOOL.run(&request) {
        Ok(reply) => reply.write(&mut object).unwrap(),
        Err(failure) => object.fail(TOOL.family, &failure).unwrap(),
    }
    object.close().unwrap();
    serde_json::from_slice(&out).unwrap()
}

#[test]
fn a_model_is_told_that_there_is_no_output_and_no_other_reader() {
    for bytes in [None, Some(2_000)] {
        for command in ["true", "echo"] {
            let answer = |reader| {
                let request = json!({ "command": command });
                answer(&request, CallTerms::within(reader, bytes, None))
            };
            let told = json!({"output": "", "empty": "no output", "exit_code": 0});
            assert_eq!(answer(Audience::Model), told);
            for reader in [Audience::Host, Audience::Person, Audience::Program] {
                assert_eq!(answer(reader), json!({"output": "", "exit_code": 0}));
            }
        }
        let terms = CallTerms::within(Audience::Model, bytes, None);
        let result = answer(&json!({"command": "echo x"}), terms);
        assert_eq!(result, json!({"output": "x", "exit_code": 0}));
    }
}

#[test]
fn a_model_s_own_timeout_and_the_caller_s_are_told_apart() {
    let time = Some(Duration::from_secs(1));
    let terms = CallTerms::within(Audience::Model, None, time);
    let late = answer(&json!({"command": "sleep 30", "timeout": 9}), terms);
    assert_eq!(late["exit_code"], 124);
    let note = late["note"].as_str().unwrap();
    assert!(
        note.contains("calls are limited to 1 second here"),
        "{note}"
    );
    let terms = CallTerms::within(Audience::Model, None, None);
    let late = answer(&json!({"command": "sleep 30", "timeout": 1}), terms);
    let note = late["note"].as_str().unwrap();
    assert!(note.contains("give a longer `timeout`"), "{note}");
}

#[test]
fn whoever_waits_is_told_the_last_line_and_not_more_often_than_each_second() {
    static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let terms = CallTerms {
        progress: Some(|line| {
            let line = String::from_utf8(line.to_vec()).unwrap();
            TOLD.lock().unwrap().push(line);
        }),
        ..CallTerms::default()
    };
    let command = "echo one; sleep 0.2; for n in 1 2 3 4; do echo $n; done; printf ab; sleep 1.2; \
                   echo c; sleep 1.2";
    let answer = answer(&json!({ "command": command }), terms);
    assert_eq!(answer["output"], "one\n1\n2\n3\n4\nabc");
    assert_eq!(*TOLD.lock().unwrap(), ["one", "4", "abc"]);
}
