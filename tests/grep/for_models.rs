//! grep as models and people call it: everything below is searched except what ignore files leave
//! out, and the caller chooses what is shown.

use std::fs;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use crate::common::{tool, tree};

/// The answer of a tool called by flags, one for each field.
pub fn ask(name: &str, here: &Path, fields: &Value) -> Value {
    let mut call = tool(name).arg("--json").in_directory(here);
    for (field, value) in fields.as_object().unwrap() {
        let flag = format!("--{}", field.replace('_', "-"));
        call = match value {
            Value::Bool(true) => call.arg(flag),
            Value::String(text) => call.arg(flag).arg(text),
            value => call.arg(flag).arg(value.to_string()),
        };
    }
    let answer = call.run();
    serde_json::from_slice(&answer.stdout).unwrap()
}

fn grep(here: &Path, fields: &Value) -> Value {
    ask("grep", here, fields)
}

/// The files in which lines are found.
fn files(here: &Path, fields: &Value) -> Vec<String> {
    let mut fields = fields.clone();
    fields["output"] = "files".into();
    let answer = grep(here, &fields);
    let output = answer["output"]
        .as_str()
        .unwrap_or_else(|| panic!("{answer}"));
    output.lines().map(str::to_owned).collect()
}

/// A tree in which each of these files holds the word.
fn with_words(files: &[&str]) -> tempfile::TempDir {
    let files: Vec<_> = files.iter().map(|name| (*name, "word\n")).collect();
    tree(&files)
}

fn write(here: &Path, name: &str, content: &str) {
    fs::create_dir_all(here.join(name).parent().unwrap()).unwrap();
    fs::write(here.join(name), content).unwrap();
}

#[test]
fn all_below_is_searched_and_each_path_stands_once_above_its_lines() {
    let here = tree(&[
        (".github/ci.yml", "a word\n"),
        ("src/deep/b.rs", "one\nword 1\nword 2\n"),
        ("top.md", "word\n"),
    ]);
    assert_eq!(
        grep(here.path(), &json!({"pattern": "word"})),
        json!({
            "output": ".github/ci.yml\n1: a word\n\nsrc/deep/b.rs\n2: word 1\n3: word 2\n\ntop.md\n1: word",
            "count": 4,
        })
    );
    let one = grep(
        here.path(),
        &json!({"pattern": "word", "path": "src/deep/b.rs"}),
    );
    assert_eq!(one["output"], "2: word 1\n3: word 2");
}

#[test]
fn in_a_pipe_each_line_has_its_path() {
    let here = tree(&[("src/b.rs", "one\nword\n"), ("top.md", "word\n")]);
    let call = tool("grep").arg("word").arg("--context").arg("1");
    let shown = call.in_directory(here.path()).run();
    let lines = "src/b.rs-1- one\nsrc/b.rs:2: word\ntop.md:1: word\n";
    assert_eq!(String::from_utf8_lossy(&shown.stdout), lines);
}

#[test]
fn a_glob_without_a_slash_is_for_any_depth_and_one_with_a_slash_from_the_path_on() {
    let here = with_words(&[
        "a.go",
        "x/b.go",
        "x/y/c.go",
        "x/y/d.ts",
        ".h/e.go",
        "x/[id]/f.go",
    ]);
    let here = here.path();
    for (fields, expected) in [
        (
            json!({"glob": "*.go"}),
            "a.go x/b.go x/y/c.go .h/e.go x/[id]/f.go",
        ),
        (
            json!({"glob": "*.{go,ts}", "path": "x/y"}),
            "x/y/c.go x/y/d.ts",
        ),
        (json!({"glob": "x/*.go"}), "x/b.go"),
        (json!({"glob": "x/[id]/*"}), "x/[id]/f.go"),
        (json!({"glob": "!*.go"}), "x/y/d.ts"),
        (json!({"exclude": "*.go"}), "x/y/d.ts"),
        (
            json!({"exclude": "y/", "glob": "*.go"}),
            "a.go x/b.go .h/e.go x/[id]/f.go",
        ),
        (json!({"exclude": "x/y"}), "a.go x/b.go .h/e.go x/[id]/f.go"),
        (json!({"exclude": "{.h,y}"}), "a.go x/b.go x/[id]/f.go"),
    ] {
        let mut request = fields.clone();
        request["pattern"] = "word".into();
        let mut expected: Vec<&str> = expected.split(' ').collect();
        expected.sort_unstable();
        assert_eq!(files(here, &request), expected, "{fields}");
    }
}

#[test]
fn an_exclusion_that_is_no_pattern_is_refused() {
    let here = with_words(&["a.c", "#b.c"]);
    let answer = grep(here.path(), &json!({"pattern": "word", "exclude": "[z-a]"}));
    assert_eq!(answer["error_code"], "INVALID_PATTERN", "{answer}");
    let found = files(here.path(), &json!({"pattern": "word", "exclude": "#b.c"}));
    assert_eq!(found, ["a.c"]);
}

#[test]
fn ignored_names_are_not_searched_and_told_unless_all_is_wanted() {
    let here = with_words(&[
        "src/a.c",
        "target/b.c",
        "web/dist/c.js",
        "x.log",
        "y.log",
        ".git/HEAD",
    ]);
    write(here.path(), ".gitignore", "target/\n/web/dist\n*.log\n");
    let answer = grep(here.path(), &json!({"pattern": "word"}));
    assert_eq!(answer["output"], "src/a.c\n1: word");
    let all = files(here.path(), &json!({"pattern": "word", "all": true}));
    assert_eq!(all.len(), 6, "{all:?}");
    for path in ["target", "web/dist", "x.log"] {
        let found = grep(here.path(), &json!({"pattern": "word", "path": path}));
        assert_eq!(
            (&found["count"], &found["note"]),
            (&json!(1), &Value::Null),
            "{path}"
        );
    }
    // What begins with the name of such a directory names it.
    let found = files(
        here.path(),
        &json!({"pattern": "word", "glob": "target/**/*.c"}),
    );
    assert_eq!(found, ["target/b.c"]);
}

#[test]
fn ignore_files_count_as_for_git() {
    // Files beside the words, then the words found, and those that are not.
    for (files_of_rules, found, left_out) in [
        // Outside a work tree .gitignore says nothing, and .ignore does.
        (&[(".gitignore", "a.c")][..], "a.c b.c", ""),
        (&[(".ignore", "a.c")], "b.c", "a.c"),
        (&[(".git/x", ""), (".gitignore", "a.c")], "b.c", "a.c"),
        // A linked work tree's `.git` is a file.
        (
            &[(".git", "gitdir: away"), (".gitignore", "a.c")],
            "b.c",
            "a.c",
        ),
        (
            &[
                (".git", "gitdir: main/worktrees/w"),
                ("main/worktrees/w/commondir", "../..\n"),
                ("main/info/exclude", "a.c"),
            ],
            "b.c",
            "a.c",
        ),
        (&[(".git/info/exclude", "a.c")], "b.c", "a.c"),
        (&[(".git/x", ""), (".gitignore", "*.c\n!b.c")], "b.c", "a.c"),
        (
            &[(".git/x", ""), (".gitignore", "# no rule\n\na.c  \r\n")],
            "b.c",
            "a.c",
        ),
        (
            &[(".git/x", ""), (".gitignore", "\u{feff}a.c")],
            "b.c",
            "a.c",
        ),
        // .ignore comes before .gitignore, and a closer file before one above.
        (
            &[(".git/x", ""), (".gitignore", "a.c"), (".ignore", "!a.c")],
            "a.c b.c",
            "",
        ),
        (
            &[
                (".git/x", ""),
                (".gitignore", "s/*.c"),
                ("s/.gitignore", "!e.c"),
                ("s/e.c", "word"),
            ],
            "a.c b.c s/e.c",
            "",
        ),
        // Rules of git end at the top of a tree within the tree.
        (
            &[
                (".git/x", ""),
                (".gitignore", "e.c"),
                ("s/.git", ""),
                ("s/e.c", "word"),
            ],
            "a.c b.c s/e.c",
            "",
        ),
        (
            &[
                (".git/x", ""),
                (".ignore", "e.c"),
                ("s/.git", ""),
                ("s/e.c", "word"),
            ],
            "a.c b.c",
            "s/e.c",
        ),
    ] {
        let here = with_words(&["a.c", "b.c"]);
        for (name, content) in files_of_rules {
            write(here.path(), name, content);
        }
        let answer = grep(here.path(), &json!({"pattern": "word", "output": "files"}));
        let expected: Vec<&str> = found.split(' ').collect();
        assert_eq!(answer["output"], expected.join("\n"), "{files_of_rules:?}");
        let note = answer["note"].as_str().unwrap_or_default();
        assert_eq!(
            note.rsplit(": ").next().unwrap(),
            left_out,
            "{files_of_rules:?}"
        );
    }
}

#[test]
fn rules_above_the_path_count_up_to_the_top_of_the_work_tree() {
    let here = with_words(&[
        "tree/.git/HEAD",
        "tree/a/b/x.log",
        "tree/a/b/x.c",
        "tree/a/b/y.c",
    ]);
    write(here.path(), ".gitignore", "*.c\n");
    write(here.path(), "tree/.gitignore", "/a/b/x.c\n");
    write(here.path(), "tree/a/.gitignore", "*.log\n");
    for (directory, path) in [("tree", "a/b"), ("tree/a/b", "."), ("tree", "a/b/../b")] {
        let found = files(
            &here.path().join(directory),
            &json!({"pattern": "word", "path": path}),
        );
        assert_eq!(found.len(), 1, "{path}: {found:?}");
        assert!(found[0].ends_with("y.c"), "{path}: {found:?}");
    }
    // The same by a pattern that leads there.
    let found = files(
        &here.path().join("tree"),
        &json!({"pattern": "word", "glob": "a/b/*"}),
    );
    assert_eq!(found, ["a/b/y.c"]);
}

#[test]
fn files_of_rules_that_are_no_files_hold_nothing_up() {
    let here = with_words(&["a.c", "s/b.c", ".git/HEAD"]);
    mknodat(
        CWD,
        here.path().join(".gitignore"),
        FileType::Fifo,
        Mode::RUSR,
        0,
    )
    .unwrap();
    fs::create_dir(here.path().join("s/.ignore")).unwrap();
    write(here.path(), ".ignore", &"[z-a]\n**/*{\n".repeat(1000));
    assert_eq!(
        files(here.path(), &json!({"pattern": "word"})),
        ["a.c", "s/b.c"]
    );
}

#[test]
fn lines_around_a_match_are_shown_once_and_groups_are_apart() {
    let lines: Vec<String> = (1..=20).map(|n| format!("line {n}\n")).collect();
    let content = lines.concat();
    let here = tree(&[("f.txt", &*content)]);
    let shown = |mut fields: Value| {
        fields["path"] = "f.txt".into();
        let output = grep(here.path(), &fields)["output"]
            .as_str()
            .unwrap()
            .to_owned();
        output.replace("line ", "").replace('\n', " ")
    };
    let pattern = "line (5|7|12|20)$";
    for (fields, expected) in [
        (
            json!({"context": 1}),
            "4- 4 5: 5 6- 6 7: 7 8- 8 -- 11- 11 12: 12 13- 13 -- 19- 19 20: 20",
        ),
        (
            json!({"before": 2}),
            "3- 3 4- 4 5: 5 6- 6 7: 7 -- 10- 10 11- 11 12: 12 -- 18- 18 19- 19 20: 20",
        ),
        (
            json!({"after": 1}),
            "5: 5 6- 6 7: 7 8- 8 -- 12: 12 13- 13 -- 20: 20",
        ),
        (json!({"context": 1, "limit": 1}), "4- 4 5: 5 6- 6"),
        (
            json!({"after": 3, "limit": 2}),
            "5: 5 6- 6 7: 7 8- 8 9- 9 10- 10",
        ),
        (
            json!({"context": 9, "before": 1, "limit": 1}),
            "4- 4 5: 5 6- 6",
        ),
    ] {
        let mut request = fields.clone();
        request["pattern"] = pattern.into();
        assert_eq!(shown(request), expected, "{fields}");
    }
}

#[test]
fn files_and_counts_are_shown_alone_and_a_limit_says_how_many_there_are() {
    let here = tree(&[
        ("a", "word\nword\n"),
        ("b", "none\n"),
        ("c", "word\n"),
        ("d", "word\n"),
    ]);
    let here = here.path();
    let answer = grep(here, &json!({"pattern": "word", "output": "files"}));
    assert_eq!(answer, json!({"output": "a\nc\nd", "count": 3}));
    let answer = grep(here, &json!({"pattern": "word", "output": "count"}));
    assert_eq!(answer, json!({"output": "a:2\nc:1\nd:1", "count": 4}));
    let answer = grep(
        here,
        &json!({"pattern": "word", "output": "files", "limit": 2}),
    );
    assert_eq!(
        (&answer["output"], &answer["count"]),
        (&json!("a\nc"), &json!(3))
    );
    let answer = grep(
        here,
        &json!({"pattern": "WORD", "ignore_case": true, "limit": 3}),
    );
    assert_eq!(answer["output"], "a\n1: word\n2: word\n\nc\n1: word");
}

#[test]
fn a_long_line_is_shown_around_its_match_and_the_search_goes_on() {
    let long = format!("{}needle {}", "a".repeat(216_020), "b".repeat(13));
    let here = tree(&[("f.txt", &*format!("needle 1\n{long}\nneedle 2\n"))]);
    let answer = grep(here.path(), &json!({"pattern": "needle", "path": "f.txt"}));
    let output = answer["output"].as_str().unwrap();
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!((lines[0], lines[2]), ("1: needle 1", "3: needle 2"));
    assert!(
        lines[1].ends_with("needle bbbbbbbbbbbbb [216,040 bytes, match at 216,021]"),
        "{output}"
    );
    assert!(
        lines[1].starts_with("2: …aaa") && lines[1].len() < 600,
        "{output}"
    );
    // Lines around a match are cut as well.
    let answer = grep(here.path(), &json!({"pattern": "needle 2", "context": 1}));
    assert!(answer["output"].as_str().unwrap().len() < 700, "{answer}");
}

#[test]
fn a_host_keeps_its_defaults_and_gets_what_it_asks_for() {
    let here = tree(&[
        ("a.txt", "one\nword\n"),
        ("b/c.txt", "word\n"),
        ("x.log", "word\n"),
        (".gitignore", "*.log\n"),
        (".git/HEAD", ""),
    ]);
    let ask = |request: Value| {
        tool("grep")
            .with(&request)
            .in_directory(here.path())
            .run()
            .json()
    };
    let plain = ask(json!({"pattern": "word"}));
    assert_eq!(plain["output"], "./a.txt:2: word\n./x.log:1: word");
    let around = ask(json!({"pattern": "word", "-B": 1, "exclude": "*.log"}));
    assert_eq!(around["output"], "./a.txt\n1- one\n2: word");
    let files = ask(json!({"pattern": "word", "output_mode": "files_with_matches", "all": true}));
    assert_eq!(files["output"], "a.txt\nb/c.txt\nx.log");
    assert_eq!(files["count"], 3);
    let not = ask(json!({"pattern": "word", "glob": "!*.log"}));
    assert!(
        not["note"]
            .as_str()
            .unwrap()
            .contains(r#""exclude":"*.log""#),
        "{not}"
    );
    let wrong = ask(json!({"pattern": "word", "output": "lists"}));
    assert_eq!(wrong["error_code"], "INVALID_ARG", "{wrong}");
}

#[test]
fn long_lines_are_cut_to_the_room_and_their_neighbours_are_whole() {
    let long = format!("word {}", "x".repeat(40_000));
    let lines: Vec<String> = (1..=30).map(|n| format!("word {n}\n")).collect();
    let content = format!("word first\n{long}\n{}", lines.concat());
    let here = tree(&[("f.txt", &*content)]);
    let ask = |limit: &str| {
        let request = json!({"pattern": "word", "path": "f.txt"});
        let call = tool("grep").with(&request).env("IKIGAI_MAX_ANSWER", limit);
        call.in_directory(here.path()).run().json()
    };
    let answer = ask("8000");
    let output = answer["output"].as_str().unwrap();
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines.len(), 32, "{output}");
    assert_eq!(lines[0], "f.txt:1: word first");
    assert!(
        lines[1].ends_with("… [40,005 bytes, match at 1]"),
        "{output}"
    );
    assert_eq!(lines[31], "f.txt:32: word 30");
    assert_eq!(answer["note"], Value::Null);
    // What has room is not cut.
    let whole = ask("65000");
    assert!(whole["output"].as_str().unwrap().contains(&long));
}
