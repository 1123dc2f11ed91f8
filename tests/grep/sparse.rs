//! Sparse files: a search keeps to its time whatever their size, and finds what it would find if
//! their holes were written out.

use std::fs;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use serde_json::json;

use crate::common::{Answer, directory, piped, text, tool};
use crate::file::sparse::sparse;

/// Much longer than a search takes that passes over holes, even where much else goes on.
const PATIENCE: Duration = Duration::from_secs(10);

const NOTE: &str = "Not searched to the end, because of a line of more than 1 GiB: ";

#[test]
fn a_line_of_a_terabyte_is_given_up_at_once() {
    let here = directory();
    let end = "\nSECRET\n";
    let Some(file) = sparse(
        here.path(),
        1 << 40,
        &[(0, "SECRET\ntwo"), ((1 << 40) - 8, end)],
    ) else {
        return;
    };
    for number in 1..20 {
        fs::File::create(here.path().join(format!("many{number}")))
            .and_then(|file| file.set_len(1 << 40))
            .unwrap();
    }
    let run = |request: serde_json::Value, threads: &str| -> Answer {
        let answer = tool("grep")
            .with(&request)
            .env("IKIGAI_MAX_SECONDS", "25")
            .env("IKIGAI_THREADS", threads)
            .after("ulimit -v 3000000")
            .in_directory(here.path())
            .run();
        assert!(answer.took < PATIENCE, "{request}: {:?}", answer.took);
        answer
    };
    for threads in ["1", "2", "8"] {
        let answer = run(json!({"pattern": "SECRET", "path": text(&file)}), threads);
        let expected = json!({
            "output": format!("{}:1: SECRET", text(&file)),
            "count": 1,
            "note": format!("{NOTE}{}.", text(&file)),
        });
        assert_eq!(answer.json(), expected);
        let answer = run(json!({"pattern": "NOWHERE", "path": text(&file)}), threads);
        assert_eq!(answer.json()["count"], 0);
        assert!(answer.note().starts_with(NOTE), "{}", answer.note());
        let answer = run(json!({"pattern": "SECRET"}), threads);
        assert_eq!(answer.json()["output"], "./f:1: SECRET");
        assert!(
            answer.note().contains("./f, ./many1, ./many10, ./many11"),
            "{}",
            answer.note()
        );
    }
    let (code, out, err) = piped(here.path(), &["grep", "SECRET", "f"]);
    let named = "binary file f matches, 1 line\n";
    assert_eq!((code, &*out), (2, named), "{err}");
}

#[test]
fn a_line_of_a_terabyte_in_utf_16_is_given_up_at_once() {
    let here = directory();
    let utf_16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let start: Vec<u8> = utf_16("\u{feff}SECRET\n");
    let Some(file) = sparse(here.path(), 1 << 40, &[]) else {
        return;
    };
    let out = fs::File::options().write(true).open(&file).unwrap();
    out.write_all_at(&start, 0).unwrap();
    let answer = tool("grep")
        .with(&json!({"pattern": "SECRET", "path": text(&file)}))
        .env("IKIGAI_MAX_SECONDS", "25")
        .run();
    assert!(answer.took < PATIENCE, "{:?}", answer.took);
    assert_eq!(answer.json()["count"], 1);
    assert!(answer.note().starts_with(NOTE), "{}", answer.note());
}

#[test]
fn a_long_line_is_searched_until_the_time_is_over() {
    let here = directory();
    // Each line is half a GiB of hole: none is given up, and all of them take much longer.
    let parts: Vec<_> = (1..200).map(|number| (number << 29, "\n")).collect();
    let Some(file) = sparse(here.path(), 1 << 40, &parts) else {
        return;
    };
    for threads in ["1", "2"] {
        let answer = tool("grep")
            .with(&json!({"pattern": "SECRET", "path": text(&file)}))
            .env("IKIGAI_MAX_SECONDS", "1")
            .env("IKIGAI_THREADS", threads)
            .after("ulimit -v 3000000")
            .run();
        assert!(answer.took < PATIENCE, "{:?}", answer.took);
        let note = answer.note();
        assert!(
            note.starts_with("The search ended for lack of time before line "),
            "{note}"
        );
    }
}

#[test]
fn holes_are_searched_as_nuls_that_were_written() {
    let here = directory();
    let parts = [
        (0, "one\n"),
        (3_000_001, "\ntwo one\r\n"),
        (9_000_000, "three"),
        (10_500_000, "\nfour one\nfive"),
    ];
    let Some(file) = sparse(here.path(), 12 << 20, &parts) else {
        return;
    };
    let (written, holes) = (here.path().join("written"), here.path().join("holes"));
    fs::write(&written, fs::read(&file).unwrap()).unwrap();
    for pattern in ["one", "^t", "e$", "five", "nowhere", "^$", "\\x00three"] {
        for threads in ["1", "2"] {
            let run = || {
                let request = json!({"pattern": pattern, "path": text(&file)});
                let call = tool("grep").with(&request).env("IKIGAI_THREADS", threads);
                call.env("IKIGAI_MAX_ANSWER", "3000").run().json()
            };
            let sparse = run();
            fs::rename(&file, &holes).unwrap();
            fs::rename(&written, &file).unwrap();
            assert_eq!(sparse, run(), "{pattern}");
            fs::rename(&file, &written).unwrap();
            fs::rename(&holes, &file).unwrap();
        }
    }
}
