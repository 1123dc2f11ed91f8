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
        let result = answer(&TOOL, &request, for_model(limit));
        assert_eq!(
            (&result["output"], &result["count"]),
            (&json!(lines.join("\n\n")), &json!(6))
        );
        let files = format!("{path}/b.bin and {path}/d.bin");
        assert!(
            result["note"].as_str().unwrap().contains(&files),
            "{result}"
        );
    }
    let whole = answer(&TOOL, &request, CallTerms::default());
    assert_eq!(whole["output"].as_str().unwrap().matches("word").count(), 6);
    // The first file is a binary one.
    let request = json!({"pattern": "word", "path": path, "glob": "[bf]*"});
    let result = answer(&TOOL, &request, for_model(None));
    assert_eq!(result["output"], format!("{}\n\n{}", lines[1], lines[4]));
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
        let result = answer(&TOOL, &request, for_model(None));
        assert_eq!(result, json!({"output": "", "count": 0, "empty": words}));
        let host = answer(&TOOL, &request, CallTerms::default());
        let mut plain = json!({"output": "", "count": 0});
        if words == "no file searched" {
            plain["note"] = "Nothing was searched: no file is named \"c\".".into();
        }
        assert_eq!(host, plain);
    }
    let request = json!({"pattern": "*.none", "path": path});
    let result = answer(&glob::TOOL, &request, for_model(None));
    assert_eq!(
        result,
        json!({"output": "", "count": 0, "empty": "no names match"})
    );
}

/// The note of a pass that may take so long.
fn note_within(limit: Duration, pattern: &str, path: &Path) -> Option<String> {
    let request = json!({"path": path}).to_string().into_bytes();
    let request = Request::parse(&request)
        .ok()?
        .for_tool(&TOOL, for_model(None));
    let names = NameSearch::from_request(&request, VOCABULARY, None).ok()?;
    let target = if path.is_file() {
        SearchTarget::File
    } else {
        SearchTarget::parse(&names).unwrap_or(SearchTarget::File)
    };
    let until = Instant::now() + limit;
    let pass = AlternativeReadingsSearch::prepare(pattern, None, Some(limit), Some(until))?;
    pass.note(&names, &target, None)
}

#[test]
fn a_further_pass_that_was_cut_speaks_of_what_it_read() {
    let here = tempfile::tempdir().unwrap();
    let (tree, file) = (here.path().join("tree"), here.path().join("file"));
    for directory in 0..10 {
        let directory = tree.join(directory.to_string());
        fs::create_dir_all(&directory).unwrap();
        for file in 0..40 {
            fs::write(directory.join(file.to_string()), "index()\n").unwrap();
        }
    }
    fs::write(&file, "index()\n".repeat(1 << 20)).unwrap();
    let whole = "Ignoring case, the pattern matches: send \"ignore_case\":true.";
    for (path, noun, all) in [(tree, "file", 400), (file, "byte", 8 << 20)] {
        let mut read = Vec::new();
        // The longer it has, the more it reads, until that is all.
        for limit in (0..10).map(|doubled| Duration::from_micros(250 << doubled)) {
            let Some(note) = note_within(limit, "Index[(][)]", &path) else {
                continue;
            };
            if note == whole {
                break;
            }
            let (start, part) = note.split_once(" in the first ").unwrap();
            assert_eq!(start, "Ignoring case, the pattern matches");
            // Of one file it says how many bytes.
            let Some((number, end)) = part.split_once(&format!(" {noun}")) else {
                continue;
            };
            assert_eq!(end.trim_start_matches('s'), ": send \"ignore_case\":true.");
            read.push(number.replace(',', "").parse::<u64>().unwrap());
        }
        assert!(!read.is_empty(), "{noun}");
        assert!(read.iter().all(|read| *read <= all), "{read:?}");
    }
}

#[test]
fn a_further_pass_takes_as_long_as_the_search_within_bounds() {
    let milliseconds = |took: Option<u64>, left: Option<u64>| {
        let until = left.map(|left| Instant::now() + Duration::from_millis(left));
        let took = took.map(Duration::from_millis);
        let pass = AlternativeReadingsSearch::prepare("Index", None, took, until).unwrap();
        let (limit, max_time) = pass.limits();
        (limit.as_millis(), max_time.as_millis())
    };
    assert_eq!(milliseconds(Some(1), None), (20, 200));
    assert_eq!(milliseconds(Some(50), None), (50, 200));
    assert_eq!(milliseconds(Some(5_000), None), (200, 200));
    assert_eq!(milliseconds(None, None), (200, 200));
    let (limit, max_time) = milliseconds(Some(50), Some(10));
    assert!(limit <= 10 && max_time <= 10);
}

#[test]
fn other_readings_that_a_large_search_tries_itself_are_found_wherever_they_match() {
    let here = tempfile::tempdir().unwrap();
    let path = here.path().to_str().unwrap();
    let line = "The quick brown fox jumps over the lazy dog.\n";
    let names: Vec<String> = (0..24).map(|number| format!("{number:02}")).collect();
    for name in &names {
        fs::write(here.path().join(name), line.repeat(10_000)).unwrap();
    }
    // One that is searched in pieces.
    let large = here.path().join("30");
    fs::write(&large, line.repeat(200_000)).unwrap();
    let note = |pattern: &str| {
        let request = json!({"pattern": pattern, "path": path});
        let result = answer(&TOOL, &request, CallTerms::default());
        (result["count"].clone(), result["note"].clone())
    };
    let nothing = (json!(0), Value::Null);
    assert_eq!(note("NEEDLE"), nothing);
    for name in ["00", "11", "23", "30"] {
        let file = here.path().join(name);
        let before = fs::read(&file).unwrap();
        fs::write(&file, [&*before, b"needle\n"].concat()).unwrap();
        // The time for other readings goes by while the machine does something else.
        let result = (0..5)
            .map(|_| note("NEEDLE"))
            .find(|(_, note)| !note.is_null());
        let (count, said) = result.unwrap_or_default();
        assert_eq!(count, 0, "{name}");
        assert!(said.to_string().contains("ignore_case"), "{name}: {said}");
        assert_eq!(note("needle"), (json!(1), Value::Null), "{name}");
        fs::write(&file, before).unwrap();
    }
    // The likeliest reading is named, in whichever file it matches.
    for (plain, folded) in [("02", "23"), ("23", "02")] {
        fs::write(here.path().join(plain), "A+ B\n").unwrap();
        fs::write(here.path().join(folded), "aaa b\n").unwrap();
        let (_, note) = note("A+ B");
        assert!(note.as_str().unwrap().contains(r"`A\+ B`"), "{note}");
    }
}
