//! Answers as a model is shown them, and as a host is.

use std::fs;

use serde_json::{Value, json};

use super::*;
use crate::contract::call_terms::Audience;
use crate::tools::search::glob;

/// The answer of `tool` on these terms.
fn answer(tool: &Tool, request: &Value, terms: CallTerms) -> Value {
    let bytes = request.to_string().into_bytes();
    let request = Request::parse(&bytes).unwrap().for_tool(&TOOL, terms);
    let mut out = Vec::new();
    let mut object = AnswerObject::open_on(&mut out, terms, tool.how_to_get_less).unwrap();
    let reply = tool.run(&request).map_err(|failure| failure.message);
    reply.unwrap().write(&mut object).unwrap();
    object.close().unwrap();
    serde_json::from_slice(&out).unwrap()
}

fn for_model(limit: Option<usize>) -> CallTerms {
    CallTerms::within(Audience::Model, limit, None)
}

#[test]
fn a_model_is_told_which_binary_files_match_and_not_shown_their_bytes() {
    let here = tempfile::tempdir().unwrap();
    let path = here.path().to_str().unwrap();
    let long = "y".repeat(9000);
    for (name, content) in [
        ("a.txt", "word\n"),
        ("b.bin", "\0word\nnothing\nword\n"),
        ("c.txt", &*format!("{long}\nword\n\0\n")),
        ("d.bin", "word \0\n"),
        ("e.bin", "nothing\0\n"),
        ("f.txt", "word\n"),
    ] {
        fs::write(here.path().join(name), content).unwrap();
    }
    let request = json!({"pattern": "word", "path": path});
    let lines = [
        format!("{path}/a.txt\n1: word"),
        format!("binary file {path}/b.bin matches, 2 lines"),
        format!("{path}/c.txt\n2: word"),
        format!("binary file {path}/d.bin matches, 1 line"),
        format!("{path}/f.txt\n1: word"),
    ];
    for limit in [None, Some(10_000)] {
        let shown = answer(&TOOL, &request, for_model(limit));
        assert_eq!(shown, json!({"output": lines.join("\n\n"), "count": 6}));
    }
    let whole = answer(&TOOL, &request, CallTerms::default());
    assert_eq!(whole["output"].as_str().unwrap().matches("word").count(), 6);
    // The first file is a binary one.
    let request = json!({"pattern": "word", "path": path, "glob": "[bf]*"});
    let shown = answer(&TOOL, &request, for_model(None));
    assert_eq!(shown["output"], format!("{}\n\n{}", lines[1], lines[4]));
}

#[test]
fn a_model_is_told_what_was_searched_where_nothing_is_found() {
    let here = tempfile::tempdir().unwrap();
    let path = here.path().to_str().unwrap();
    for name in ["a", "b"] {
        fs::write(here.path().join(name), "x\n").unwrap();
    }
    for (request, words) in [
        (
            json!({"pattern": "word", "path": path}),
            "no matches in 2 files",
        ),
        (
            json!({"pattern": "word", "path": path, "glob": "a"}),
            "no matches in 1 file",
        ),
        (
            json!({"pattern": "word", "path": path, "glob": "c"}),
            "no file searched",
        ),
    ] {
        let shown = answer(&TOOL, &request, for_model(None));
        assert_eq!(shown, json!({"output": "", "count": 0, "empty": words}));
        let host = answer(&TOOL, &request, CallTerms::default());
        let mut plain = json!({"output": "", "count": 0});
        if words == "no file searched" {
            plain["note"] = "Nothing was searched: no file is named \"c\".".into();
        }
        assert_eq!(host, plain);
    }
    let request = json!({"pattern": "*.none", "path": path});
    let shown = answer(&glob::TOOL, &request, for_model(None));
    assert_eq!(
        shown,
        json!({"output": "", "count": 0, "empty": "no names match"})
    );
}

#[test]
fn a_second_pass_that_was_cut_claims_nothing() {
    let here = tempfile::tempdir().unwrap();
    fs::write(here.path().join("f"), "Index()\n").unwrap();
    let path = here.path().to_str().unwrap();
    let target = SearchTarget::of("*", FileScope::default()).unwrap_or(SearchTarget::File);
    for pattern in ["index()", "index"] {
        let note = |until| AlternativeReadingsSearch::of(pattern, false, until).note(path, &target);
        assert!(note(None).unwrap().contains("(?i)"), "{pattern}");
        assert_eq!(note(Some(Instant::now())), None, "{pattern}");
    }
}
