//! What a search passes over is said, whatever it found: behind links, by `exclude`, in another
//! encoding, in documents.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::for_models::ask;
use crate::bash::ending::has_program;
use crate::common::{directory, text, tool, tree};

#[test]
fn exclude_is_understood_as_it_is_written() {
    let here = tree(&[
        ("src/a.rs", "word\n"),
        ("tests/b.rs", "word\n"),
        ("benches/c.rs", "word\n"),
        ("src/d.test.ts", "word\n"),
        ("My Docs/e", "word\n"),
    ]);
    let absolute = format!("{}/tests", text(here.path()));
    let all = "My Docs/e benches/c.rs src/a.rs src/d.test.ts tests/b.rs";
    for (exclude, left) in [
        (json!("tests,benches"), "My Docs/e src/a.rs src/d.test.ts"),
        (
            json!("*.test.ts, tests/"),
            "My Docs/e benches/c.rs src/a.rs",
        ),
        (json!("tests|benches"), "My Docs/e src/a.rs src/d.test.ts"),
        (
            json!("[\"tests\",\"benches\"]"),
            "My Docs/e src/a.rs src/d.test.ts",
        ),
        (
            json!("./tests"),
            "My Docs/e benches/c.rs src/a.rs src/d.test.ts",
        ),
        (
            json!("tests/**"),
            "My Docs/e benches/c.rs src/a.rs src/d.test.ts",
        ),
        (
            json!(absolute),
            "My Docs/e benches/c.rs src/a.rs src/d.test.ts",
        ),
        (
            json!("My Docs"),
            "benches/c.rs src/a.rs src/d.test.ts tests/b.rs",
        ),
        (json!("!(*.rs|*.ts)"), "My Docs/e"),
        (
            json!("src/d.test.ts"),
            "My Docs/e benches/c.rs src/a.rs tests/b.rs",
        ),
    ] {
        let request = json!({"pattern": "word", "exclude": exclude, "output": "files"});
        let answer = ask("grep", here.path(), &request);
        let left: Vec<&str> = left.split(' ').collect();
        let left = left.join("\n").replace("My\nDocs", "My Docs");
        assert_eq!(answer["output"], left, "{exclude}");
        assert_eq!(answer["note"], Value::Null, "{exclude}");
    }
    let found = ask(
        "grep",
        here.path(),
        &json!({"pattern": "word", "exclude": "none", "output": "files"}),
    );
    assert_eq!(
        found["output"],
        all.replace(' ', "\n").replace("My\nDocs", "My Docs")
    );
    // A path from the working directory on is one from `path` on as well.
    let fields = json!({"pattern": "word", "path": "src", "exclude": "src/d.test.ts"});
    assert_eq!(ask("grep", here.path(), &fields)["count"], 1);
}

#[test]
fn a_pattern_may_say_what_it_does_not_mean() {
    let here = tree(&[
        ("a.go", "word\n"),
        ("a.test.go", "word\n"),
        ("x/b.md", "word\n"),
    ]);
    for (glob, files) in [
        ("!(*.md)", "a.go a.test.go"),
        ("**/!(*.test).go", "a.go"),
        ("!(*.test|b).{go,md}", "a.go"),
        ("!*.go", "x/b.md"),
        ("x/!(a)*", "x/b.md"),
    ] {
        let request = json!({"pattern": "word", "glob": glob, "output": "files"});
        let answer = ask("grep", here.path(), &request);
        assert_eq!(
            answer["output"],
            files.replace(' ', "\n"),
            "{glob}: {answer}"
        );
        let answer = ask("glob", here.path(), &json!({"pattern": glob}));
        let output = answer["output"].as_str().unwrap();
        let regular = output.lines().filter(|name| *name != "x");
        assert_eq!(regular.collect::<Vec<_>>().join(" "), files, "{glob}");
    }
}

#[test]
fn context_belongs_to_lines_alone() {
    let here = tree(&[("n.txt", "one\ntwo\nthree\nfour\ntwo\nsix\n")]);
    for (output, shown) in [("count", "n.txt:2"), ("files", "n.txt")] {
        let asks = json!({"pattern": "two", "output": output, "context": 1});
        assert_eq!(ask("grep", here.path(), &asks)["output"], shown);
        let request = json!({"pattern": "two", "glob": "n.txt", "output": output, "-C": 1});
        let answer = tool("grep").with(&request).in_directory(here.path()).run();
        assert_eq!(answer.json()["output"], format!("./{shown}"), "{output}");
    }
}

/// Names of files and directories, and lines of rules, of which trees are made.
const NAMES: [&str; 12] = [
    "a", "b", "c.py", "d.txt", "{f}", "x y", "e{1}", "a,b", "#h", "[k]", "py", "src",
];
const RULES: [&str; 36] = [
    "a",
    "b/",
    "/a",
    "*.py",
    "*.{py,txt}",
    "*.py{}",
    "{f}",
    "{a,b}",
    "src/**/*.{js,py}",
    "a\\/",
    "a/**",
    "**/b",
    "!c.py",
    "!a",
    "\\{f\\}",
    "[{]f}",
    "e{1}",
    "e\\{1}",
    "x y",
    "x\\ y",
    "a,b",
    "\\#h",
    "#h",
    "[k]",
    "\\[k\\]",
    "?",
    "*",
    "!*/",
    "a/*",
    "src/*/a",
    "**",
    "c.*",
    " a",
    "a ",
    "[a-c]*",
    "/**/a",
];

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 60, failure_persistence: None, ..Default::default() })]
    #[test]
    fn git_and_we_leave_out_the_same(
        files in proptest::collection::vec(proptest::collection::vec(0..NAMES.len(), 1..4), 1..12),
        rules in proptest::collection::vec(0..RULES.len(), 0..5),
        below in proptest::collection::vec(0..RULES.len(), 0..3),
    ) {
        if !has_program("git") {
            return Ok(());
        }
        let here = directory();
        for parts in &files {
            let names = parts.iter().map(|part| NAMES[*part]);
            let file = here.path().join(names.collect::<std::path::PathBuf>());
            if fs::create_dir_all(file.parent().unwrap()).is_ok() && !file.exists() {
                fs::write(file, "word\n").unwrap();
            }
        }
        let lines = |rules: &[usize]| -> String { rules.iter().flat_map(|at| [RULES[*at], "\n"]).collect() };
        fs::write(here.path().join(".gitignore"), lines(&rules)).unwrap();
        if here.path().join("src").is_dir() {
            fs::write(here.path().join("src/.gitignore"), lines(&below)).unwrap();
        }
        let git = |args: &[&str]| {
            let mut git = Command::new("git");
            git.args(["-c", "core.quotePath=off"]).args(args).current_dir(here.path());
            git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null").output().unwrap().stdout
        };
        git(&["init", "-q"]);
        let listed = git(&["ls-files", "-z", "-co", "--exclude-standard"]);
        let mut by_git: Vec<String> = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty())
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .filter(|name| !name.ends_with(".gitignore")).collect();
        by_git.sort();
        let answer = ask("grep", here.path(), &json!({"pattern": "^word$", "output": "files"}));
        let mut by_us: Vec<String> = answer["output"].as_str().unwrap().lines().map(str::to_owned).collect();
        by_us.sort();
        proptest::prop_assert_eq!(by_us, by_git, "{}", lines(&rules));
    }
}
