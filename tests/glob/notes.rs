//! The notes of glob and grep: what could not be read, and that a pattern which a note recommends
//! finds what it claims. What they say stands in `tests/messages`.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::common::messages::TextRow;
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
    /// Whether there may be more: there was no time to count all.
    at_least: bool,
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
            at_least: behind
                .trim_start()
                .split_once(' ')
                .is_some_and(|(_, number)| number.starts_with("at least")),
        });
    }
}

/// Does what the note says, by this call of glob: each pattern finds as many names, or files, as it
/// is said to.
pub fn follow(
    here: &Path,
    name: &str,
    request: &Value,
    note: &str,
    glob: impl Fn(&Value) -> Value,
) -> usize {
    let field = if name == "grep" { "glob" } else { "pattern" };
    let mut claims = 0;
    for advice in advice(note, field) {
        let mut again = json!({"pattern": advice.pattern});
        if let Some(path) = advice.path.as_deref().or(request["path"].as_str()) {
            again["path"] = path.into();
        }
        let answer = glob(&again);
        let found = answer["output"].as_str().unwrap();
        let regular = |path: &&str| {
            name == "glob" || fs::symlink_metadata(here.join(path)).is_ok_and(|one| one.is_file())
        };
        let found = found.lines().filter(regular).count();
        if let Some(count) = advice.count {
            let counted = found == count || advice.at_least && found > count;
            assert!(counted, "{found}: {note}: {again}");
            claims += 1;
        }
        assert!(found > 0 || advice.count.is_none(), "{note}: {again}");
    }
    claims
}

#[test]
fn the_length_of_a_pattern_that_cannot_be_expanded_is_said() {
    let request = json!({"pattern": "a".repeat(9000)});
    let answer = tool("glob").with(&request).run();
    assert_eq!(answer.json()["error_code"], "INVALID_PATTERN");
    answer
        .note()
        .assert_row("glob", "a pattern that is too long");
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
    let top = [(text(here.path()), "<here>")];
    for (pattern, count) in [("x", 2), ("none", 0)] {
        let answer = call(
            "grep",
            json!({"pattern": pattern, "glob": "**/*", "path": ""}),
        );
        assert_eq!(answer.json()["count"], count);
        let note = answer.note();
        note.assert_row_at("grep", "files and directories that are closed", &top);
    }
    let answer = call("grep", json!({"pattern": "x", "path": "/a/shut"}));
    answer
        .note()
        .assert_row_at("grep", "a file that is closed", &top);
    let answer = call("glob", json!({"pattern": "**/*", "path": ""}));
    assert_eq!(answer.json()["count"], 7);
    answer
        .note()
        .assert_row_at("glob", "a directory below that is closed", &top);
    let answer = call("glob", json!({"pattern": "*", "path": "/closed"}));
    assert_eq!(answer.json()["error_code"], "READ_ERROR");
    answer
        .note()
        .assert_row_at("glob", "a directory that is closed", &top);
    let answer = call("grep", json!({"pattern": "x", "path": "/closed"}));
    assert_eq!(answer.json()["count"], 0);
    answer
        .note()
        .assert_row_at("grep", "a directory that is closed", &top);
    shut("closed", 0o755);
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
    answer
        .note()
        .assert_row("glob", "many names that lie deeper");
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
