//! What a model is shown of names: from the working directory on, and with the pattern that reaches
//! what it looks for.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::files::documents;
use super::session::Session;
use crate::common::{directory, eventually, text, tree};

fn session(here: &Path) -> Session {
    Session::plain(here, "someone", &[])
}

#[test]
fn answers_name_files_from_the_working_directory_on() {
    let here = tree(&[("src/a.rs", "word\n"), ("src/deep/b.rs", "word\n")]);
    let away = tree(&[("c.rs", "word\n")]);
    let mut session = session(here.path());
    let whole = text(here.path());
    for (tool, fields, shown) in [
        (
            "grep",
            json!({"pattern": "word", "path": whole, "output": "files"}),
            "src/a.rs\nsrc/deep/b.rs",
        ),
        (
            "grep",
            json!({"pattern": "word", "path": format!("{whole}/"), "output": "files"}),
            "src/a.rs\nsrc/deep/b.rs",
        ),
        (
            "grep",
            json!({"pattern": "word", "path": format!("{whole}/src"), "output": "files"}),
            "src/a.rs\nsrc/deep/b.rs",
        ),
        (
            "grep",
            json!({"pattern": "word", "glob": format!("{whole}/src/deep/*.rs"), "output": "files"}),
            "src/deep/b.rs",
        ),
        (
            "grep",
            json!({"pattern": "word", "path": format!("{whole}/src/a.rs")}),
            "1: word",
        ),
        (
            "glob",
            json!({"pattern": "*.rs", "path": format!("{whole}/src")}),
            "src/a.rs\nsrc/deep/b.rs",
        ),
        (
            "glob",
            json!({"pattern": format!("{whole}/src/**/*.rs")}),
            "src/a.rs\nsrc/deep/b.rs",
        ),
    ] {
        let (answer, _) = session.text_of(tool, &fields);
        assert_eq!(answer, shown, "{fields}");
    }
    let outside = format!("{}/c.rs", text(away.path()));
    let (answer, _) = session.text_of(
        "glob",
        &json!({"pattern": "*.rs", "path": text(away.path())}),
    );
    assert_eq!(answer, outside);
    // A name that only begins like the directory's lies outside.
    let (answer, _) = session.text_of(
        "grep",
        &json!({"pattern": "word", "path": format!("{whole}x")}),
    );
    assert!(
        answer.contains(&format!("{whole}x")) || answer.contains("does not exist"),
        "{answer}"
    );
}

/// The whole answer, once there was time to find out why.
fn answer_of(session: &mut Session, tool: &str, fields: &Value, part: &str) {
    let mut shown = String::new();
    let has_part = eventually(|| {
        shown = session.text_of(tool, fields).0;
        shown.contains(part)
    });
    assert!(has_part, "{tool} {fields}: {shown}");
}

#[test]
fn a_pattern_with_a_slash_is_told_what_lies_deeper() {
    let here = tree(&[
        ("src/main.rs", "fn main\n"),
        ("src/a/b.rs", "fn main\n"),
        ("src/a/target/c.rs", "fn main\n"),
        ("src/a/.gitignore", "target\n"),
        (".git/HEAD", ""),
        ("benches/x/run.py", "the\n"),
        ("s1/t.py", "the\n"),
        ("s1/x/t.py", "the\n"),
        ("s2/x/t.py", "the\n"),
        ("pkg/core/session/state.go", "func Load\n"),
    ]);
    let mut session = session(here.path());
    for (tool, fields, part) in [
        (
            "grep",
            json!({"pattern": "fn main", "glob": "src/*.rs"}),
            "Only 1 file directly in src was searched; subdirectories have more (1 file). \"glob\":\"src/**/*.rs\" searches 2 files.",
        ),
        (
            "grep",
            json!({"pattern": "absent", "glob": "src/*.rs"}),
            "\"glob\":\"src/**/*.rs\" searches 2 files.",
        ),
        (
            "grep",
            json!({"pattern": "the", "glob": "benches/*.py"}),
            "[no file searched; `glob` with a slash is matched from `path` on, and nothing is there: \"glob\":\"benches/**/*.py\" searches 1 file.]",
        ),
        (
            "glob",
            json!({"pattern": "benches/*.py"}),
            "\"pattern\":\"benches/**/*.py\" matches 1 name.",
        ),
        (
            "glob",
            json!({"pattern": "./*.go"}),
            "\"pattern\":\"**/*.go\" matches 1 name.",
        ),
        (
            "glob",
            json!({"pattern": "s*/*.py"}),
            "Only names directly in s* are listed; subdirectories have more (2 names). \"pattern\":\"s*/**/*.py\" matches 3 names.",
        ),
        (
            "grep",
            json!({"pattern": "the", "glob": "{s1,s2}/*.py"}),
            "\"glob\":\"{s1,s2}/**/*.py\" searches 3 files.",
        ),
        (
            "grep",
            json!({"pattern": "func Load", "glob": "session/state.go"}),
            "\"glob\":\"**/session/state.go\" searches 1 file.",
        ),
        (
            "glob",
            json!({"pattern": "session/state.go"}),
            "\"pattern\":\"**/session/state.go\" matches 1 name.",
        ),
        (
            "grep",
            json!({"pattern": "the", "glob": "*t*.py\""}),
            "nothing matches it as written: \"glob\":\"*t*.py\" searches 3 files.",
        ),
    ] {
        answer_of(&mut session, tool, &fields, part);
    }
    for fields in [
        json!({"pattern": "src/*"}),
        json!({"pattern": "benches/**/*.py"}),
        json!({"pattern": "s1/x/*.py"}),
    ] {
        let (shown, _) = session.text_of("glob", &fields);
        assert!(!shown.contains('['), "{fields}: {shown}");
    }
}

#[test]
fn a_path_that_is_several_is_told_the_pattern_for_all() {
    let here = tree(&[
        ("src/a.py", "word\n"),
        ("src/x/b.py", "word\n"),
        ("tests/c.py", "word\n"),
    ]);
    let mut session = session(here.path());
    for (tool, fields, part) in [
        (
            "glob",
            json!({"pattern": "*.py", "path": "{src,tests}"}),
            "\"pattern\":\"{src,tests}/**/*.py\" matches 3 names",
        ),
        (
            "grep",
            json!({"pattern": "word", "path": "{src,tests}"}),
            "\"glob\":\"{src,tests}/**\" searches 3 files",
        ),
        (
            "grep",
            json!({"pattern": "word", "path": "src,tests"}),
            "\"glob\":\"{src,tests}/**\" searches 3 files",
        ),
        (
            "grep",
            json!({"pattern": "word", "path": "src tests"}),
            "\"glob\":\"{src,tests}/**\" searches 3 files",
        ),
        (
            "grep",
            json!({"pattern": "word", "path": ["src", "tests"]}),
            "\"glob\":\"{src,tests}/**\", or one call for each",
        ),
    ] {
        answer_of(&mut session, tool, &fields, part);
    }
}

#[test]
fn dots_are_no_names_at_any_depth() {
    let here = tree(&[("a/.x", ""), (".y", "")]);
    let (shown, _) = session(here.path()).text_of("glob", &json!({"pattern": ".*"}));
    assert_eq!(shown, ".y\na/.x");
}

#[test]
fn what_is_odd_about_a_pattern_is_told() {
    let here = tree(&[
        ("f.js", "a || b\ni++\nx\nrepo_path: x\ndef foo(\n"),
        ("n.md", "plain\n"),
    ]);
    let mut session = session(here.path());
    for (pattern, part) in [
        (
            "a || b",
            "An empty alternative beside `|` matches every line. As plain text, the pattern matches: send `a \\|\\| b`",
        ),
        (
            "i++",
            "Here a repetition is repeated. As plain text, the pattern matches: send `i\\+\\+`",
        ),
        (
            "plain|",
            "An empty alternative beside `|` matches every line. Perhaps send `plain`.",
        ),
        (
            "q*",
            "The pattern matches the empty string, and so every line. Perhaps send `q+`.",
        ),
        ("\\s*", "Perhaps send `\\s+`"),
        (
            "results:\\n|repo_path",
            "`results:\\n` matches no line: lines are searched one by one; `results:$` does.",
        ),
        (
            "bar(",
            "For these characters themselves send `bar\\(`, in JSON",
        ),
        (
            "(?|a|b)",
            "the branch reset `(?|…)` is not supported: write `(?:…)`",
        ),
        (
            "[[:word:]]",
            "the class `[:word:]` is not supported: write `\\w`",
        ),
        (
            "PLAIN",
            "Ignoring case, the pattern matches: send \"ignore_case\":true.",
        ),
    ] {
        answer_of(&mut session, "grep", &json!({"pattern": pattern}), part);
    }
    for pattern in [".*", "^", "x|plain", "a.*b"] {
        let (shown, _) = session.text_of("grep", &json!({"pattern": pattern}));
        assert!(!shown.contains("send"), "{pattern}: {shown}");
    }
}

#[test]
fn a_document_s_text_is_searched_where_path_names_it_and_else_it_is_counted() {
    let here = directory();
    for kind in ["pdf", "docx", "epub"] {
        let file = here.path().join(format!("d/r.{kind}"));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, documents::original(kind)).unwrap();
    }
    fs::write(here.path().join("d/a.txt"), "A heading\n").unwrap();
    fs::write(here.path().join("d/lib.zip"), b"PK\x03\x04\0\0\0").unwrap();
    let mut session = session(here.path());
    for (kind, pattern) in [
        ("pdf", "A heading"),
        ("docx", "A heading"),
        ("epub", "A chapter"),
    ] {
        let path = format!("d/r.{kind}");
        let (shown, _) = session.text_of("grep", &json!({"pattern": pattern, "path": path}));
        let note = format!(
            "[The {}'s text was searched, as Markdown.]",
            kind.to_uppercase()
        );
        assert!(shown.contains(pattern) && shown.ends_with(&note), "{shown}");
        let (shown, _) = session.text_of(
            "grep",
            &json!({"pattern": "a HEADING|CHAPTER", "path": path}),
        );
        assert!(shown.contains("\"ignore_case\":true"), "{shown}");
    }
    let (shown, _) = session.text_of("grep", &json!({"pattern": "A heading"}));
    let note = "[not searched, as documents, but for their bytes: d/r.docx, d/r.epub and d/r.pdf (`path` to one searches its text)]";
    assert!(
        shown.starts_with("d/a.txt\n1: A heading\n") && shown.ends_with(note),
        "{shown}"
    );
}
