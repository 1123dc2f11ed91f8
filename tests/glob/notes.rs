//! glob and grep that find nothing, as models call them: what their note says and what it does not
//! say, and that what it recommends finds what it claims.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use crate::common::{self, directory, text, tool};
use serde_json::{Value, json};

/// A project as there are many: sources, tests, hidden files, and what was built and fetched.
const PROJECT: [&str; 33] = [
    "Cargo.toml",
    "README.md",
    "package.json",
    "src/main.rs",
    "src/lib.rs",
    "src/search/walk.rs",
    "src/search/scan.rs",
    "src/ui/app.tsx",
    "src/ui/app.test.tsx",
    "src/ui/index.ts",
    "src/ui/style.css",
    "tests/glob.rs",
    "tests/data/part1.txt",
    "tests/data/part2.txt",
    "tests/data/{a,b}.txt",
    "docs/guide.md",
    ".github/workflows/ci.yml",
    ".github/workflows/release.yml",
    ".gitignore",
    ".env",
    ".git/config",
    ".git/hooks/pre-commit.rs",
    ".config/settings.json",
    "target/debug/build.rs",
    "target/debug/out/gen.rs",
    "target/only.rlib",
    "node_modules/x/index.js",
    "node_modules/x/index.d.ts",
    "web/node_modules/y/z.js",
    "web/main.js",
    "scripts/my-tool.sh",
    "scripts/deploy",
    "empty/.keep",
];

pub fn project() -> tempfile::TempDir {
    let here = directory();
    for file in PROJECT {
        let file = here.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "one\ntwo\n").unwrap();
    }
    symlink("../src/lib.rs", here.path().join("docs/lib.rs")).unwrap();
    fs::create_dir_all(here.path().join("links")).unwrap();
    symlink("../src/lib.rs", here.path().join("links/lib.rs")).unwrap();
    here
}

/// A recommendation in a note: `"path":"src","glob":"**/*.rs" searches 3 files`.
#[derive(Debug)]
struct Advice {
    path: Option<String>,
    pattern: String,
    count: Option<usize>,
}

/// The JSON string at the beginning of `rest`, and what is behind it.
fn string(rest: &str) -> (String, &str) {
    let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<String>();
    let text = stream.next().unwrap().unwrap();
    let end = stream.byte_offset();
    (text, &rest[end..])
}

fn advice(note: &str, field: &str) -> Vec<Advice> {
    let mut all = Vec::new();
    let mut rest = note;
    let (field, path_field) = (format!("\"{field}\":"), "\"path\":");
    let mut path = None;
    loop {
        let at = [rest.find(&field), rest.find(path_field)];
        let Some(at) = at.into_iter().flatten().min() else {
            return all;
        };
        rest = &rest[at..];
        if let Some(behind) = rest.strip_prefix(path_field) {
            let (text, behind) = string(behind);
            (path, rest) = (Some(text), behind);
            continue;
        }
        let (pattern, behind) = string(rest.strip_prefix(&field).unwrap());
        rest = behind;
        let mut words = behind.split_whitespace();
        let claims = matches!(words.next(), Some("matches" | "searches"));
        let mut words = words.filter(|word| !matches!(*word, "at" | "least" | "all"));
        let number = words.next().unwrap_or_default().replace([',', '.'], "");
        all.push(Advice {
            path: path.take(),
            pattern,
            count: claims.then(|| number.parse().unwrap()),
        });
    }
}

/// Does what the note says: each pattern finds as many names, or files, as it is said to.
#[track_caller]
pub fn follow(here: &Path, name: &str, request: &Value, note: &str) -> usize {
    let field = if name == "grep" { "glob" } else { "pattern" };
    let mut claims = 0;
    for advice in advice(note, field) {
        let mut again = json!({"pattern": advice.pattern});
        if let Some(path) = advice.path.as_deref().or(request["path"].as_str()) {
            again["path"] = path.into();
        }
        let answer = tool("glob").with(&again).in_directory(here).run();
        let found = answer.field("output");
        let regular = |path: &&str| {
            name == "glob" || fs::symlink_metadata(here.join(path)).is_ok_and(|one| one.is_file())
        };
        let found = found.lines().filter(regular).count();
        if let Some(count) = advice.count {
            assert_eq!(found, count, "{note}: {again}");
            claims += 1;
        }
        assert!(found > 0 || advice.count.is_none(), "{note}: {again}");
    }
    claims
}

/// Calls `name`, which finds nothing; the note has all of `says` and nothing of `says_not`. With
/// nothing to say, there is no note.
#[track_caller]
fn notes(here: &Path, name: &str, request: &Value, says: &[&str], says_not: &[&str]) -> usize {
    let answer = tool(name).with(request).in_directory(here).run();
    let (json, note) = (answer.json(), answer.note());
    assert_eq!(
        (&json["output"], &json["count"]),
        (&json!(""), &json!(0)),
        "{request}"
    );
    for part in says {
        assert!(
            note.contains(part),
            "{request}: {part:?} is not in {note:?}"
        );
    }
    for part in says_not
        .iter()
        .chain(&["target/", "node_modules/", ".git/", "  ", ".."])
    {
        assert!(!note.contains(part), "{request}: {part:?} is in {note:?}");
    }
    if says.is_empty() {
        assert_eq!(json.get("note"), None, "{request}: {note}");
    }
    assert!(note.len() < 500, "{note}");
    follow(here, name, request, &note)
}

#[test]
fn a_link_to_a_file_beside_it_is_not_passed_over_in_silence() {
    let here = directory();
    fs::write(here.path().join("CLAUDE.md"), "make\n").unwrap();
    symlink("CLAUDE.md", here.path().join("AGENTS.md")).unwrap();
    for glob in ["AGENTS.md", "A*.md"] {
        let request = json!({"pattern": "make", "glob": glob});
        let said = ["not searched, behind links, which only `path` follows: AGENTS.md"];
        notes(here.path(), "grep", &request, &said, &["no such name"]);
    }
    let request = json!({"pattern": "make", "glob": "*.md"});
    let found = tool("grep").with(&request).in_directory(here.path()).run();
    assert_eq!(
        found.json(),
        json!({"output": "./CLAUDE.md:1: make", "count": 1})
    );
    // Where no file has such a name, none was searched.
    let request = json!({"pattern": "make", "glob": "*.py"});
    notes(
        here.path(),
        "grep",
        &request,
        &["Nothing was searched", "*.py"],
        &[],
    );
}

#[test]
fn a_link_that_leads_nowhere_is_said_to() {
    let here = directory();
    symlink("gone.md", here.path().join("README.md")).unwrap();
    let said = ["README.md is a symbolic link to gone.md, which does not exist"];
    let request = json!({"pattern": "make", "glob": "README.md"});
    notes(here.path(), "grep", &request, &said, &[]);
    let said = ["`path` is a symbolic link to gone.md, which does not exist"];
    for tool in ["glob", "grep"] {
        let request = json!({"pattern": "make", "path": "README.md"});
        notes(here.path(), tool, &request, &said, &[]);
    }
}

#[test]
fn wildcards_in_a_path_are_put_where_they_find_something() {
    let here = project();
    let at = |request| {
        notes(
            here.path(),
            "grep",
            &request,
            &["\"path\":\"src\",\"glob\":\"u*/*\" searches"],
            &[],
        )
    };
    at(json!({"pattern": "zzz", "path": "src/u*"}));
    let request = json!({"pattern": "zzz", "path": "missing/*"});
    notes(
        here.path(),
        "grep",
        &request,
        &["missing does not exist"],
        &[],
    );
}

#[test]
fn a_pattern_that_cannot_be_expanded_says_why() {
    let here = project();
    for (name, request, part) in [
        ("glob", json!({"pattern": "a".repeat(9000)}), "9,000 bytes"),
        (
            "glob",
            json!({"pattern": "{a,b}".repeat(11)}),
            "more than 1,024",
        ),
        (
            "grep",
            json!({"pattern": "x", "glob": "{a,b}".repeat(11)}),
            "more than 1,024",
        ),
        ("glob", json!({"pattern": "a\0"}), "NUL"),
    ] {
        let answer = tool(name).with(&request).in_directory(here.path()).run();
        assert_eq!(answer.json()["error"], "Invalid glob pattern");
        assert_eq!(answer.json()["error_code"], "INVALID_PATTERN");
        assert!(answer.note().contains(part), "{}", answer.note());
    }
}

#[test]
fn braces_are_understood_by_both() {
    let here = project();
    let finds = |name: &str, request: Value, lines: &[&str]| {
        let answer = json!({"output": lines.join("\n"), "count": lines.len()});
        tool(name)
            .with(&request)
            .in_directory(here.path())
            .answers(&answer);
    };
    let ui = ["src/ui/app.test.tsx", "src/ui/app.tsx", "src/ui/index.ts"];
    finds("glob", json!({"pattern": "src/**/*.{ts,tsx}"}), &ui);
    finds(
        "glob",
        json!({"pattern": "tests/data/{a,b}.txt"}),
        &["tests/data/{a,b}.txt"],
    );
    finds(
        "glob",
        json!({"pattern": r"tests/data/\{a,b}.txt"}),
        &["tests/data/{a,b}.txt"],
    );
    finds(
        "grep",
        json!({"pattern": "two", "glob": "{src/main,tests/glob}.rs"}),
        &["./src/main.rs:2: two", "./tests/glob.rs:2: two"],
    );
}

#[test]
fn what_could_not_be_read_is_counted_whatever_was_found() {
    let here = common::public_directory();
    for name in ["a/open", "a/shut", "a/tight", "closed/x", "b/y"] {
        let file = here.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "x\n").unwrap();
    }
    let shut = |name: &str, mode| {
        fs::set_permissions(here.path().join(name), Permissions::from_mode(mode)).unwrap();
    };
    for name in ["a", "b", "a/open", "b/y"] {
        shut(name, 0o755);
    }
    shut("a/shut", 0);
    shut("a/tight", 0);
    shut("closed", 0);
    let call = |name: &str, request: Value| {
        let mut request = request;
        request["path"] =
            format!("{}{}", text(here.path()), request["path"].as_str().unwrap()).into();
        tool(name).with(&request).unprivileged().run()
    };
    for (pattern, count) in [("x", 2), ("none", 0)] {
        let answer = call(
            "grep",
            json!({"pattern": pattern, "glob": "**/*", "path": ""}),
        );
        assert_eq!(answer.json()["count"], count);
        let note = answer.note();
        assert!(
            note.contains("2 files could not be read, the first of them"),
            "{note}"
        );
        assert!(note.contains("a/shut (permission denied)"), "{note}");
        assert!(note.contains("1 directory could not be listed"), "{note}");
    }
    let answer = call("grep", json!({"pattern": "x", "path": "/a/shut"}));
    assert!(
        answer.note().contains("1 file could not be read"),
        "{}",
        answer.note()
    );
    let answer = call("glob", json!({"pattern": "**/*", "path": ""}));
    assert_eq!(answer.json()["count"], 7);
    assert!(
        answer.note().contains("could not be listed"),
        "{}",
        answer.note()
    );
    let answer = call("glob", json!({"pattern": "*", "path": "/closed"}));
    assert_eq!(answer.json()["error_code"], "READ_ERROR");
    assert!(
        answer.note().contains("permission denied"),
        "{}",
        answer.note()
    );
    let answer = call("grep", json!({"pattern": "x", "path": "/closed"}));
    assert_eq!(answer.json()["count"], 0);
    assert!(
        answer.note().contains("Nothing was searched"),
        "{}",
        answer.note()
    );
    shut("closed", 0o755);
}

#[test]
fn a_fifo_is_named_and_not_waited_for() {
    let here = directory();
    let fifo = here.path().join("fifo");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    for (name, request) in [
        ("grep", json!({"pattern": "x", "path": "fifo"})),
        ("grep", json!({"pattern": "x", "glob": "fifo"})),
        ("glob", json!({"pattern": "*", "path": "fifo"})),
    ] {
        let answer = tool(name).with(&request).in_directory(here.path()).run();
        assert!(
            answer
                .note()
                .contains("neither a directory nor a regular file"),
            "{}",
            answer.note()
        );
        assert!(answer.took.as_secs() < 5);
    }
}

#[test]
fn an_answer_from_one_directory_says_what_lies_below_it() {
    let here = common::tree(&[
        ("src/top.go", "func Top() {}\n"),
        ("src/sub/deep.go", "func Top() {}\n"),
        ("src/sub/more_test.go", "func TestTop() {}\n"),
        ("src/vendor/x/y.go", "func Top() {}\n"),
        ("flat/a.go", "func Top() {}\n"),
        ("flat/b/notes.txt", "Top\n"),
    ]);
    let says = |name: &str, request: Value, parts: &[&str]| {
        let call = || tool(name).with(&request).in_directory(here.path()).run();
        // Where a machine is busy, there was no time to count all.
        let mut answers = std::iter::repeat_with(call).take(5);
        let is_whole =
            |answer: &common::Answer| parts.iter().all(|part| answer.note().contains(part));
        let answer = answers.find(is_whole).unwrap_or_else(call);
        assert_eq!(answer.json()["count"], 1, "{request}");
        let note = answer.note();
        for part in parts {
            assert!(
                note.contains(part),
                "{request}: {part:?} is not in {note:?}"
            );
        }
        assert_eq!(parts.is_empty(), note.is_empty(), "{request}: {note}");
        follow(here.path(), name, &request, &note)
    };
    let grep = |glob: Option<&str>, path: &str, parts: &[&str]| {
        says(
            "grep",
            json!({"pattern": "Top", "path": path, "glob": glob}),
            parts,
        )
    };
    let only = "Only 1 file directly in src was searched; subdirectories have more (3 files).";
    let all = "**/*.go\" searches 4 files, 1 of them in vendor";
    let mut claims = grep(None, "src", &[only, "\"**/*\" searches 4 files"]);
    claims += grep(Some("*.go"), "src", &[only, all]);
    claims += grep(Some("src/*.go"), ".", &[only, "\"src/**/*.go\""]);
    let glob = |pattern: &str, path: &str, parts: &[&str]| {
        says("glob", json!({"pattern": pattern, "path": path}), parts)
    };
    let only = "Only names directly in src are listed; subdirectories have more (3 names).";
    claims += glob(
        "*.go",
        "src",
        &[only, "**/*.go\" matches 4 names, 1 of them in vendor"],
    );
    claims += glob("src/*.go", "", &[only, "\"src/**/*.go\""]);
    assert_eq!(claims, 5);
    // Below, nothing is like it, or the one name is found that was asked for.
    grep(Some("*.go"), "flat", &[]);
    grep(Some("top.go"), "src", &[]);
    grep(None, "src/top.go", &[]);
    glob("*.go", "flat", &[]);
    glob("top.go", "src", &[]);
    // A list of a directory names those in it.
    glob("*/", "flat", &[]);
    glob("*", "flat/b", &[]);
    glob("*", "src/vendor", &[]);
}

#[test]
fn finding_out_why_takes_no_time() {
    let here = directory();
    let file = here.path().join("file");
    fs::write(&file, "").unwrap();
    for n in 0..20_000 {
        let directory = here.path().join(format!("d{}", n % 200));
        if n < 200 {
            fs::create_dir(&directory).unwrap();
        }
        fs::hard_link(&file, directory.join(format!("{n}.txt"))).unwrap();
    }
    let request = json!({"pattern": "*.txt"});
    let answer = tool("glob").with(&request).in_directory(here.path()).run();
    assert!(answer.note().contains("**/*.txt"), "{}", answer.note());
    let quick = |request: &Value| {
        let took = |_| {
            let answer = tool("glob").with(request).in_directory(here.path()).run();
            answer.took
        };
        (0..5).map(took).min().unwrap()
    };
    let nothing = quick(&json!({"pattern": "*.none"}));
    let something = quick(&json!({"pattern": "d1"}));
    assert!(
        nothing < something + std::time::Duration::from_millis(150),
        "{nothing:?}, {something:?}"
    );
}
