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

fn project() -> tempfile::TempDir {
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
fn follow(here: &Path, name: &str, request: &Value, note: &str) -> usize {
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

/// What `case` comes to; one that fails is counted, and the others are tried all the same.
fn tried(case: impl FnOnce() -> usize + std::panic::UnwindSafe, failed: &mut usize) -> usize {
    std::panic::catch_unwind(case).unwrap_or_else(|_| {
        *failed += 1;
        0
    })
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn grep_says_what_it_did_not_look_at() {
    let here = project();
    let here = here.path();
    let home = std::env::var("HOME").unwrap_or_default();
    let source = format!("send \"path\":\"{}/src\"", text(here));
    let source = ["Variables are not expanded", &source];
    let none = "zzz";
    let (mut claims, mut failed) = (0, 0);
    let cases: Vec<(Value, &[&str], &[&str])> = vec![
        // Only the files directly in the directory.
        (
            json!({}),
            &[
                "Only 3 files directly in . were searched",
                "**/*",
                "Not counted: target (3)",
            ],
            &[],
        ),
        (json!({"path": "."}), &["Only 3 files directly in ."], &[]),
        (
            json!({"path": "src"}),
            &[
                "Only 2 files directly in src",
                r#""glob":"**/*.rs" searches 4"#,
                r#""glob":"**/*" searches 8 in all"#,
            ],
            &["Not counted"],
        ),
        (
            json!({"path": "src/ui/.."}),
            &["Only 2 files directly in"],
            &[],
        ),
        (
            json!({"path": text(&here.join("src"))}),
            &["Only 2 files directly in", r#""glob":"**/*.rs" searches 4"#],
            &[],
        ),
        (
            json!({"path": "src", "glob": "*.rs"}),
            &[
                "Only 2 files directly in src",
                r#""glob":"**/*.rs" searches 4"#,
            ],
            &["in all"],
        ),
        (
            json!({"glob": "*.rs"}),
            &[
                "Nothing was searched",
                "no file directly in . matches",
                r"{src,tests}/**/*.rs",
                "searches 5",
            ],
            &[],
        ),
        (
            json!({"glob": "src/*.rs"}),
            &[
                "Only 2 files directly in src",
                r#""glob":"src/**/*.rs" searches 4"#,
            ],
            &[],
        ),
        (json!({"glob": "src/*/*.tsx"}), &[], &[]),
        (
            json!({"path": "tests"}),
            &["Only 1 file directly in tests was searched", "**/*.txt"],
            &[],
        ),
        (json!({"path": "src/search"}), &[], &[]),
        // Names of files and directories in `glob`.
        (
            json!({"glob": "main.rs"}),
            &["**/main.rs", "searches 1 file"],
            &[],
        ),
        (
            json!({"glob": "src"}),
            &["src is a directory", r#""glob":"src/**/*" searches 8"#],
            &[],
        ),
        (
            json!({"glob": "src/"}),
            &["src is a directory", r#""glob":"src/**/*""#],
            &[],
        ),
        (
            json!({"glob": "src/search"}),
            &[r#""glob":"src/search/**/*" searches 2"#],
            &[],
        ),
        (
            json!({"glob": "\\*.toml"}),
            &[r#""glob":"*.toml" searches 1"#],
            &[r#""/"#],
        ),
        (
            json!({"glob": "s*"}),
            &[
                "What matches are 2 directories",
                r#""glob":"s*/**/*" searches 10"#,
            ],
            &[],
        ),
        (
            json!({"glob": "{src,tests}"}),
            &["2 directories", r#""glob":"{src,tests}/**/*" searches"#],
            &[],
        ),
        (
            json!({"glob": "*/search"}),
            &["a directory", r#""glob":"*/search/**/*" searches 2"#],
            &[],
        ),
        (
            json!({"path": "src", "glob": "s*/"}),
            &[
                "What matches is a directory",
                r#""glob":"s*/**/*" searches 2"#,
            ],
            &[],
        ),
        (json!({"glob": "src/mian.rs"}), &["src has main.rs"], &[]),
        (
            json!({"glob": "scr/*.rs"}),
            &["scr does not exist", "src"],
            &[],
        ),
        (
            json!({"path": "src", "glob": "src/*.rs"}),
            &["starts from `path` already", r#""glob":"*.rs" searches 2"#],
            &[],
        ),
        (
            json!({"path": text(&here.join("src")), "glob": "src/**/*.rs"}),
            &[
                "starts from `path` already",
                r#""glob":"**/*.rs" searches 4"#,
            ],
            &[],
        ),
        (
            json!({"glob": "/src/*.rs"}),
            &["begins with `/`", r#""glob":"src/*.rs" searches 2"#],
            &[],
        ),
        (
            json!({"glob": "/src/**/*.rs"}),
            &["begins with `/`", r#""glob":"src/**/*.rs" searches 4"#],
            &[],
        ),
        // Other languages of patterns.
        (
            json!({"glob": r".*\.rs"}),
            &["no regular expression", "/**/*.rs", "searches 5"],
            &[],
        ),
        (
            json!({"glob": r"^src/.*\.rs$"}),
            &["no regular expression", r#""glob":"src/*.rs""#],
            &[],
        ),
        (
            json!({"glob": r".*\.(ts|tsx)$"}),
            &["no regular expression", "*.{ts,tsx}", "searches 3"],
            &[],
        ),
        (
            json!({"glob": "*.ts,*.tsx"}),
            &["in braces", "*.{ts,tsx}", "searches 3"],
            &[],
        ),
        (
            json!({"glob": "*.ts, *.tsx"}),
            &["in braces", "*.{ts,tsx}"],
            &[],
        ),
        (
            json!({"glob": "*.ts *.tsx"}),
            &["in braces", "*.{ts,tsx}"],
            &[],
        ),
        (
            json!({"glob": "*.ts|*.tsx"}),
            &["in braces", "*.{ts,tsx}"],
            &[],
        ),
        (json!({"glob": "*.toml,*.md"}), &["*.{toml,md}"], &[]),
        (
            json!({"glob": "src/*.{ts, rs}"}),
            &["blanks", "src/*.{ts,rs}", "searches 2"],
            &[],
        ),
        (
            json!({"glob": "src/ui/*.@(ts|tsx)"}),
            &["in braces", "src/ui/*.{ts,tsx}", "searches 3"],
            &[],
        ),
        (
            json!({"glob": "**/*.{rs}"}),
            &["without a comma", "**/*.rs", "searches 5"],
            &[],
        ),
        (
            json!({"glob": "src/*.{ts,rs"}),
            &["not closed", "src/*.{ts,rs}", "searches 2"],
            &[],
        ),
        (json!({"glob": "rs"}), &["no extension", "**/*.rs"], &[]),
        (json!({"glob": ".tsx"}), &["no extension", "**/*.tsx"], &[]),
        (
            json!({"glob": "\"src/*.rs\""}),
            &["quotes", r#""glob":"src/*.rs" searches 2"#],
            &[],
        ),
        (
            json!({"glob": "!*.md"}),
            &["`!`", "no pattern leaves names out"],
            &[],
        ),
        (
            json!({"glob": r"src\ui\*.ts"}),
            &["`/` between directories", "src/ui/*.ts"],
            &[],
        ),
        (
            json!({"glob": "src/main.rs:12"}),
            &["not lines", r#""glob":"src/main.rs" searches 1"#],
            &[],
        ),
        (
            json!({"glob": "*.RS"}),
            &["Upper and lower case", "src/main.rs"],
            &[],
        ),
        (
            json!({"glob": "a".repeat(9000)}),
            &["9,000 bytes", "8,192"],
            &["aaaa"],
        ),
        // Paths.
        (
            json!({"path": "scr"}),
            &["`path` does not exist", "src"],
            &[],
        ),
        (
            json!({"path": "src/nothing/here"}),
            &[
                "`path` does not exist",
                "nearest directory that does is src",
            ],
            &[],
        ),
        (
            json!({"path": "src/serach/walk.rs"}),
            &["`path` does not exist", "src, which has search"],
            &[],
        ),
        (
            json!({"path": "src/*.rs"}),
            &[
                "wildcards belong in `glob`",
                r#""path":"src","glob":"*.rs" searches 2"#,
            ],
            &[],
        ),
        (
            json!({"path": "src/**", "glob": "*.rs"}),
            &[
                "wildcards belong in `glob`",
                r#""path":"src","glob":"**/*.rs""#,
            ],
            &[],
        ),
        (
            json!({"path": "**/*.rs"}),
            &[
                "wildcards belong in `glob`",
                r#""path":".","glob":"{src,tests}/**/*.rs" searches 5"#,
            ],
            &[],
        ),
        (
            json!({"path": "src/*.rs", "glob": "*.rs"}),
            &[r#""path":"src","glob":"*.rs" searches 2"#],
            &[],
        ),
        (
            json!({"path": "src/main.rs:12"}),
            &["line number", r#""path":"src/main.rs""#],
            &[],
        ),
        (
            json!({"path": "src/main.rs:12:5"}),
            &["line number", r#""path":"src/main.rs""#],
            &[],
        ),
        (
            json!({"path": "src/main.rs#L12-L20"}),
            &["line number", r#""path":"src/main.rs""#],
            &[],
        ),
        (json!({"path": "~/nothing"}), &["~ is not expanded"], &[]),
        (
            json!({"path": "$HOME/nothing"}),
            &["Variables are not expanded"],
            &[],
        ),
        (json!({"path": "$PWD/src"}), &source, &[]),
        (
            json!({"path": "$SRC/lib"}),
            &["Variables are not expanded", "send the path itself"],
            &[],
        ),
        (
            json!({"path": format!("file://{}/src/main.rs", text(here))}),
            &["not a URL", "/src/main.rs\""],
            &[],
        ),
        (
            json!({"path": "@src/main.rs"}),
            &[r#""path":"src/main.rs""#],
            &[],
        ),
        (
            json!({"path": "'src'"}),
            &["quotes", r#""path":"src""#],
            &[],
        ),
        (
            json!({"path": "src/main.rs "}),
            &["blanks", r#""path":"src/main.rs""#],
            &[],
        ),
        (
            json!({"path": "/src"}),
            &["below the working directory", r#""path":"src""#],
            &[],
        ),
        (
            json!({"path": "/home/user/project/src/main.rs"}),
            &[r#""path":"src/main.rs""#],
            &[],
        ),
        (json!({"path": "project/src"}), &[r#""path":"src""#], &[]),
        (
            json!({"path": r"src\main.rs"}),
            &["separated by /", r#""path":"src/main.rs""#],
            &[],
        ),
        (
            json!({"path": "src/main.rs/"}),
            &["What ends in / is a directory", r#""path":"src/main.rs""#],
            &[],
        ),
        (
            json!({"path": "src/main.rs/x"}),
            &["src/main.rs is a file"],
            &[],
        ),
        (
            json!({"path": "src tests"}),
            &["one path", r#""glob":"{src/**/*,tests/**/*}""#],
            &[],
        ),
        (
            json!({"path": "src/main.rs,src/lib.rs"}),
            &["one path", r#""glob":"{src/main.rs,src/lib.rs}""#],
            &[],
        ),
        (json!({"path": "a\0b"}), &["NUL"], &[]),
        (
            json!({"path": "/dev/null"}),
            &["Nothing was searched", "a device"],
            &[],
        ),
        (
            json!({"path": "src/main.rs", "glob": "*.c"}),
            &["`glob` counts only where `path` is a directory"],
            &[],
        ),
        // What is hidden, and what links lead to.
        (
            json!({"glob": "**/*.yml"}),
            &[r#""glob":".github/**/*.yml" searches 2"#],
            &[],
        ),
        (
            json!({"glob": "*.yml"}),
            &[r#""glob":".github/**/*.yml" searches 2"#],
            &[],
        ),
        (
            json!({"path": "empty"}),
            &["hidden", r#""glob":"**/.[!.]*" searches 1"#],
            &[],
        ),
        (
            json!({"path": "links"}),
            &["1 symbolic link was not searched"],
            &[],
        ),
        (json!({"glob": "**/*.rlib"}), &[], &[]),
        (
            json!({"glob": "*.rlib"}),
            &["built or fetched: target (1)"],
            &["\"glob\""],
        ),
        // Searched to the end.
        (json!({"glob": "**/*.rs"}), &[], &[]),
        (json!({"glob": "src/**/*"}), &[], &[]),
        (
            json!({"path": "src", "glob": "**/*.{rs,ts,tsx,css}"}),
            &[],
            &[],
        ),
        (json!({"path": "src/main.rs"}), &[], &[]),
        (json!({"path": "src/main.rs", "glob": null}), &[], &[]),
        (json!({"glob": "Cargo.toml"}), &[], &[]),
        (json!({"glob": "src/main.rs"}), &[], &[]),
        (json!({"glob": "{src,tests}/**/*.rs"}), &[], &[]),
        (
            json!({"glob": "*.none"}),
            &["no file is named \"*.none\""],
            &[],
        ),
        (json!({"glob": "**/*.none"}), &["no file is named"], &[]),
        (
            json!({"path": "src", "glob": "*.none"}),
            &["Nothing was searched"],
            &[],
        ),
    ];
    for (mut request, says, says_not) in cases {
        request["pattern"] = none.into();
        let mut not = says_not.to_vec();
        if home.len() > 3 {
            not.push(&home);
        }
        if request["path"] == "src/ui/.." {
            // The directory is named as it was given.
            let answer = tool("grep").with(&request).in_directory(here).run();
            assert!(answer.note().contains(says[0]), "{}", answer.note());
            continue;
        }
        claims += tried(|| notes(here, "grep", &request, says, &not), &mut failed);
    }
    assert_eq!(failed, 0);
    assert!(claims > 35, "{claims}");
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn glob_says_what_it_did_not_look_at() {
    let here = project();
    let here = here.path();
    let sources = format!("\"pattern\":\"{}/src/*.rs\"", text(here));
    let (mut claims, mut failed) = (0, 0);
    let cases: [(Value, &[&str], &[&str]); 47] = [
        (
            json!({"pattern": "*.rs"}),
            &[
                "Nothing directly in .",
                "{docs,links,src,tests}/**/*.rs",
                "Not counted: target (2), .git (1)",
            ],
            &[],
        ),
        (
            json!({"pattern": "*.tsx"}),
            &[r#""pattern":"**/*.tsx" matches 2 names"#],
            &["target"],
        ),
        (
            json!({"pattern": "*.rs", "path": text(here)}),
            &["{docs,links,src,tests}/**/*.rs"],
            &[],
        ),
        (
            json!({"pattern": "*.{ts,tsx}"}),
            &["src/**/*.{ts,tsx}", "matches 3"],
            &[],
        ),
        (
            json!({"pattern": "src/*.tsx"}),
            &[
                "Nothing directly in src",
                r#""pattern":"src/**/*.tsx" matches 2"#,
            ],
            &[],
        ),
        (
            json!({"pattern": "*.tsx", "path": "src"}),
            &["directly in src", r#""pattern":"**/*.tsx" matches 2"#],
            &[],
        ),
        (
            json!({"pattern": "walk.rs"}),
            &["**/walk.rs", "matches 1 name"],
            &[],
        ),
        (
            json!({"pattern": "search/walk.rs"}),
            &["search does not exist", "**/walk.rs"],
            &[],
        ),
        (
            json!({"pattern": "src/walk.rs"}),
            &[r#""pattern":"src/**/walk.rs" matches 1"#],
            &[],
        ),
        (json!({"pattern": "src/mian.rs"}), &["src has main.rs"], &[]),
        (json!({"pattern": "src/main.ts"}), &["src has main.rs"], &[]),
        (
            json!({"pattern": "scr/**/*.rs"}),
            &["scr does not exist", "which has src"],
            &[],
        ),
        (
            json!({"pattern": "src/serach/*.rs"}),
            &["src/serach does not exist", "which has search"],
            &[],
        ),
        (
            json!({"pattern": "src/main.rs/*"}),
            &["src/main.rs is a file"],
            &[],
        ),
        (
            json!({"pattern": "**/*.yml"}),
            &["hidden", r#""pattern":".github/**/*.yml" matches 2"#],
            &[],
        ),
        (
            json!({"pattern": "ci.yml"}),
            &[r#""pattern":".github/**/ci.yml" matches 1"#],
            &[],
        ),
        (
            json!({"pattern": "*", "path": "empty"}),
            &["hidden", r#""pattern":"**/.[!.]*" matches 1"#],
            &[],
        ),
        (
            json!({"pattern": "*ignore"}),
            &["hidden", r#""pattern":"**/.*ignore" matches 1"#],
            &[],
        ),
        (
            json!({"pattern": "readme.md"}),
            &["Upper and lower case", "README.md"],
            &[],
        ),
        (json!({"pattern": "*.RLIB"}), &[], &[]),
        (
            json!({"pattern": "*.rlib"}),
            &["built or fetched: target (1)"],
            &["\"pattern\""],
        ),
        (
            json!({"pattern": "/src/*.rs"}),
            &["begins with `/`", r#""pattern":"src/*.rs" matches 2"#],
            &[],
        ),
        (
            json!({"pattern": "/home/me/project/src/main.rs"}),
            &["begins with `/`", r#""pattern":"src/main.rs" matches 1"#],
            &[],
        ),
        (
            json!({"pattern": "src/*.rs", "path": "src"}),
            &[
                "starts from `path` already",
                r#""pattern":"*.rs" matches 2"#,
            ],
            &[],
        ),
        (
            json!({"pattern": r".*\.tsx$"}),
            &["no regular expression", r#""pattern":"**/*.tsx" matches 2"#],
            &[],
        ),
        (
            json!({"pattern": r"src/.*\.rs"}),
            &["no regular expression", r#""pattern":"src/*.rs" matches 2"#],
            &[],
        ),
        (
            json!({"pattern": "*.js,*.tsx"}),
            &["in braces", "*.{js,tsx}"],
            &[],
        ),
        (
            json!({"pattern": "src/*.rs,tests/*.rs"}),
            &["in braces", "{src/*.rs,tests/*.rs}", "matches 3"],
            &[],
        ),
        (
            json!({"pattern": "tests/data/part{1..2}.txt"}),
            &["no sequences", "part{1,2}.txt", "matches 2"],
            &[],
        ),
        (
            json!({"pattern": "src/main.rs/"}),
            &["directories only", r#""pattern":"src/main.rs" matches 1"#],
            &[],
        ),
        (
            json!({"pattern": r"src\main.rs"}),
            &[
                "`/` between directories",
                r#""pattern":"src/main.rs" matches 1"#,
            ],
            &[],
        ),
        (
            json!({"pattern": "`src/*.rs`"}),
            &["quotes", r#""pattern":"src/*.rs" matches 2"#],
            &[],
        ),
        (
            json!({"pattern": "~/x/*.rs"}),
            &["only a shell expands"],
            &[],
        ),
        (
            json!({"pattern": "${PWD}/src/*.rs"}),
            &["only a shell expands", &sources],
            &[],
        ),
        (json!({"pattern": "!src"}), &["`!`"], &[]),
        (json!({"pattern": ""}), &["`pattern` is empty"], &[]),
        (
            json!({"pattern": "*", "path": "scr"}),
            &["`path` does not exist", "which has src"],
            &[],
        ),
        (
            json!({"pattern": "*", "path": "src/main.rs"}),
            &["`path` is a file, not a directory"],
            &[],
        ),
        (
            json!({"pattern": "*.rs", "path": "src/*"}),
            &[
                "wildcards belong in `pattern`",
                r#""path":"src","pattern":"*/*.rs" matches 2"#,
            ],
            &[],
        ),
        (
            json!({"pattern": "*.rs", "path": "src:"}),
            &["A colon is no part of the name", r#""path":"src""#],
            &[],
        ),
        (
            json!({"pattern": "*", "path": "/src"}),
            &[r#""path":"src""#],
            &[],
        ),
        (
            json!({"pattern": "*", "path": "/dev/null"}),
            &["a device"],
            &[],
        ),
        (json!({"pattern": "**/*.none"}), &[], &[]),
        (json!({"pattern": "*.none"}), &[], &[]),
        (json!({"pattern": "src/**/*.none"}), &[], &[]),
        (json!({"pattern": "{x,y}.none"}), &[], &[]),
        (json!({"pattern": "none", "path": "src/search"}), &[], &[]),
    ];
    for (request, says, says_not) in cases {
        claims += tried(
            || notes(here, "glob", &request, says, says_not),
            &mut failed,
        );
    }
    assert_eq!(failed, 0);
    assert!(claims > 20, "{claims}");
}

#[test]
fn a_link_to_a_file_beside_it_is_not_passed_over_in_silence() {
    let here = directory();
    fs::write(here.path().join("CLAUDE.md"), "make\n").unwrap();
    symlink("CLAUDE.md", here.path().join("AGENTS.md")).unwrap();
    for glob in ["AGENTS.md", "A*.md"] {
        let request = json!({"pattern": "make", "glob": glob});
        let said = ["1 symbolic link was not searched"];
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
        &["belong in `glob`", "missing does not exist"],
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
        assert!(answer.note().contains("a FIFO"), "{}", answer.note());
        assert!(answer.took.as_secs() < 5);
    }
}

#[test]
fn finding_out_why_takes_no_time() {
    let here = directory();
    for n in 0..20_000 {
        let directory = here.path().join(format!("d{}", n % 200));
        if n < 200 {
            fs::create_dir(&directory).unwrap();
        }
        fs::write(directory.join(format!("{n}.txt")), "").unwrap();
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
