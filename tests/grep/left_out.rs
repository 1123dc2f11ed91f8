//! What a search passes over is said, whatever it found: behind links, by `exclude`, in another
//! encoding, in documents.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::for_models::ask;
use crate::bash::ending::has_program;
use crate::common::{directory, text, tool, tree};
use crate::mcp::session::Session;

/// The note of a search, empty if there is none.
fn note(here: &Path, name: &str, fields: &Value) -> String {
    let answer = ask(name, here, fields);
    answer["note"].as_str().unwrap_or_default().to_owned()
}

/// A work space whose application has a library by a link.
fn linked() -> tempfile::TempDir {
    let here = tree(&[
        ("packages/lib/index.ts", "export const needle = 1\n"),
        ("apps/web/src/a.ts", "x\n"),
        ("node_modules/gone/b.ts", "needle\n"),
        (".gitignore", "node_modules\n"),
        (".git/HEAD", ""),
    ]);
    symlink("../../packages/lib", here.path().join("apps/web/shared")).unwrap();
    symlink("src", here.path().join("apps/web/same")).unwrap();
    symlink(
        "../../node_modules/gone",
        here.path().join("apps/web/ignored"),
    )
    .unwrap();
    symlink("nowhere", here.path().join("apps/web/dangling")).unwrap();
    symlink("../src/a.ts", here.path().join("apps/web/src/same.ts")).unwrap();
    here
}

#[test]
fn links_to_directories_outside_are_named_and_no_others() {
    let here = linked();
    let told = "not searched, behind links, which only `path` follows: apps/web/shared";
    for fields in [
        json!({"pattern": "needle", "path": "apps"}),
        json!({"pattern": "x", "path": "apps"}),
        json!({"pattern": "x", "path": "apps", "all": true}),
    ] {
        let told = match fields["all"] {
            // The rule that leaves the target out does not count.
            Value::Bool(true) => {
                told.replace("apps/web/shared", "apps/web/ignored and apps/web/shared")
            }
            _ => told.to_owned(),
        };
        assert_eq!(note(here.path(), "grep", &fields), told, "{fields}");
    }
    let said = note(here.path(), "glob", &json!({"pattern": "apps/**/index.ts"}));
    assert!(said.ends_with("follows: apps/web/shared"), "{said}");
    // From above all is searched.
    let above = note(here.path(), "glob", &json!({"pattern": "index.ts"}));
    assert_eq!(above, "not searched, by .gitignore: node_modules");
    let found = ask(
        "grep",
        here.path(),
        &json!({"pattern": "needle", "path": "apps/web/shared"}),
    );
    assert_eq!(found["count"], 1);
    // A host's `**` follows them as little.
    let request = json!({"pattern": "needle", "path": "apps", "glob": "**/*"});
    let answer = tool("grep").with(&request).in_directory(here.path()).run();
    assert!(
        answer
            .note()
            .ends_with("apps/web/ignored and apps/web/shared"),
        "{}",
        answer.note()
    );
}

#[test]
fn a_link_is_followed_where_the_pattern_has_its_name_and_by_no_wildcard() {
    let here = tree(&[("src/a/a.ts", "needle\n"), ("away/o.ts", "needle\n")]);
    symlink("../away", here.path().join("src/l0")).unwrap();
    let not = "not searched, behind links, which only `path` follows: src/l0";
    for (pattern, names, told) in [
        ("**/l0/**", "src/l0/o.ts", ""),
        ("src/l0/*.ts", "src/l0/o.ts", ""),
        ("*/{l0,a}/*.ts", "src/a/a.ts\nsrc/l0/o.ts", ""),
        ("src/*/*.ts", "src/a/a.ts", not),
        ("src/**/*.ts", "src/a/a.ts", not),
        ("src/**/?.ts", "src/a/a.ts", not),
        ("src/l?/*.ts", "", not),
    ] {
        let answer = ask("glob", here.path(), &json!({"pattern": pattern}));
        assert_eq!(answer["output"], names, "{pattern}");
        let said = answer["note"].as_str().unwrap_or_default();
        assert!(said.ends_with(told), "{pattern}: {said}");
        assert_eq!(said.is_empty(), told.is_empty(), "{pattern}: {said}");
        let fields = json!({"pattern": "needle", "glob": pattern, "output": "files"});
        assert_eq!(
            ask("grep", here.path(), &fields)["output"],
            names,
            "{pattern}"
        );
    }
    // A host's wildcards are those of glob(3).
    let request = json!({"pattern": "src/*/*.ts"});
    let answer = tool("glob").with(&request).in_directory(here.path()).run();
    assert_eq!(answer.json()["output"], "src/a/a.ts\nsrc/l0/o.ts");
}

#[test]
fn three_links_are_named_and_how_many_more() {
    let here = directory();
    let away = tree(&[
        ("a/x", ""),
        ("b/x", ""),
        ("c/x", ""),
        ("d/x", ""),
        ("e/x", ""),
    ]);
    for name in ["a", "b", "c", "d", "e"] {
        symlink(away.path().join(name), here.path().join(name)).unwrap();
    }
    let said = note(here.path(), "glob", &json!({"pattern": "x"}));
    assert!(said.ends_with("follows: a, b, c and 2 more"), "{said}");
}

#[test]
fn links_to_files_outside_are_named_by_grep() {
    let here = tree(&[("home/.profile", "needle\n"), ("store/bashrc", "needle\n")]);
    symlink("../store/bashrc", here.path().join("home/.bashrc")).unwrap();
    symlink(".profile", here.path().join("home/.zprofile")).unwrap();
    let fields = json!({"pattern": "needle", "path": "home"});
    let told = "not searched, behind links, which only `path` follows: home/.bashrc";
    assert_eq!(note(here.path(), "grep", &fields), told);
    assert_eq!(
        note(
            here.path(),
            "glob",
            &json!({"pattern": "*", "path": "home"})
        ),
        ""
    );
    let named = json!({"pattern": "needle", "path": "home", "glob": ".zprofile"});
    let said = note(here.path(), "grep", &named);
    assert!(said.ends_with("follows: home/.zprofile"), "{said}");
}

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
    for (exclude, told) in [
        (
            "tests benches",
            "`exclude` left nothing out by tests benches. Names are separated by commas: \"exclude\":\"tests,benches\".",
        ),
        ("none,*.py", "`exclude` left nothing out by none, *.py."),
        ("tests,none", "`exclude` left nothing out by none."),
    ] {
        let fields = json!({"pattern": "word", "exclude": exclude});
        assert_eq!(note(here.path(), "grep", &fields), told, "{exclude}");
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
fn a_directory_that_was_left_out_by_name_is_told_to_a_person() {
    let here = tree(&[
        ("cmd/tool/a.go", "alpha\n"),
        ("tool", "alpha\n"),
        ("b.go", "alpha\n"),
    ]);
    let call = || {
        tool("grep")
            .arg("alpha")
            .arg("--exclude=tool")
            .in_directory(here.path())
    };
    let shown = call().run();
    let said = &shown.stderr;
    assert!(
        said.contains("not searched, by exclude: cmd/tool"),
        "{said}"
    );
    // A model asked for it, and is told only where nothing was found.
    let asks = json!({"pattern": "alpha", "exclude": "tool"});
    assert_eq!(note(here.path(), "grep", &asks), "");
    let asks = json!({"pattern": "beta", "exclude": "tool"});
    assert_eq!(
        note(here.path(), "grep", &asks),
        "not searched, by exclude: tool in 2 places"
    );
}

#[test]
fn files_that_were_all_left_out_by_name_are_told() {
    let here = tree(&[
        ("src/a.rs", "two\n"),
        ("src/b/c.rs", "two\n"),
        ("src/d.py", "two\n"),
    ]);
    let told = "not searched, by exclude: src/a.rs and src/b/c.rs";
    for (name, fields) in [
        (
            "grep",
            json!({"pattern": "two", "path": "src", "glob": "*.rs", "exclude": "*.rs"}),
        ),
        (
            "grep",
            json!({"pattern": "two", "path": "src", "type": "rust", "exclude": "*.rs,*.py"}),
        ),
        (
            "grep",
            json!({"pattern": "absent", "path": "src", "exclude": "*.rs"}),
        ),
        (
            "glob",
            json!({"pattern": "*.rs", "path": "src", "exclude": "*.rs"}),
        ),
    ] {
        assert_eq!(note(here.path(), name, &fields), told, "{fields}");
    }
    let call = tool("grep")
        .arg("two")
        .arg("--glob=*.rs")
        .arg("--exclude=*.rs");
    let shown = call.in_directory(here.path()).run();
    assert_eq!(shown.code(), 1);
    assert!(shown.stderr.contains(told), "{}", shown.stderr);
    assert!(
        !shown.stderr.contains("Nothing was searched"),
        "{}",
        shown.stderr
    );
}

#[test]
fn names_in_another_case_are_told_beside_those_found() {
    let here = tree(&[
        ("a.jpg", ""),
        ("IMG_1.JPG", ""),
        ("x/IMG_2.JPG", ""),
        ("b.txt", ""),
    ]);
    let told = "not searched, in another case: IMG_1.JPG and x/IMG_2.JPG";
    assert_eq!(
        note(here.path(), "glob", &json!({"pattern": "*.jpg"})),
        told
    );
    let all = "not searched, in another case: IMG_1.JPG, a.jpg and x/IMG_2.JPG";
    assert_eq!(note(here.path(), "glob", &json!({"pattern": "*.JpG"})), all);
    assert_eq!(note(here.path(), "glob", &json!({"pattern": "*.txt"})), "");
    assert_eq!(
        note(here.path(), "glob", &json!({"pattern": "[A-Z]*.JPG"})),
        ""
    );
    let answer = tool("glob")
        .with(&json!({"pattern": "*.jpg"}))
        .in_directory(here.path())
        .run();
    assert!(
        answer.note().contains("in another case: IMG_1.JPG"),
        "{}",
        answer.note()
    );
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

#[test]
fn a_limit_to_counts_is_one_of_files() {
    let here = tree(&[("a", "x\nx\n"), ("b", "x\nx\nx\n"), ("c", "x\n")]);
    let asks = json!({"pattern": "x", "output": "count", "limit": 2});
    let said = note(here.path(), "grep", &asks);
    assert!(said.starts_with("2 of 3 files are shown"), "{said}");
}

#[test]
fn lines_that_end_in_crlf_are_told_where_others_end_in_lf() {
    let here = tree(&[("lf.ts", "foo();\nbar\n"), ("crlf.ts", "foo();\r\nbar\r\n")]);
    let told = "More lines end in CRLF. With `\\r?` before the line end, the pattern matches those too: send `foo\\(\\);\\r?$`, in JSON \"pattern\":\"foo\\\\(\\\\);\\\\r?$\".";
    for output in ["lines", "count", "files"] {
        let asks = json!({"pattern": "foo\\(\\);$", "output": output});
        assert_eq!(note(here.path(), "grep", &asks), told);
    }
    let request = json!({"pattern": "foo\\(\\);$"});
    let answer = tool("grep").with(&request).in_directory(here.path()).run();
    assert_eq!(answer.note(), told);
    for pattern in ["foo", "foo\\(\\);\\r?$", "(ba|bar$)"] {
        assert_eq!(
            note(here.path(), "grep", &json!({"pattern": pattern})),
            "",
            "{pattern}"
        );
    }
    let asks = json!({"pattern": "FOO\\(\\);$", "ignore_case": true});
    assert!(note(here.path(), "grep", &asks).starts_with("More lines end in CRLF"));
}

#[test]
fn text_in_other_encodings_is_searched_for_what_is_not_ascii() {
    let here = tree(&[("utf8.txt", "# 修复 one\n")]);
    let gbk = b"\xd0\xde\xb8\xb4\xc8\xe7\xcf\xc2\n# \xd0\xde\xb8\xb4 two\n";
    fs::write(here.path().join("gbk.txt"), gbk).unwrap();
    fs::write(
        here.path().join("mixed.txt"),
        [gbk, "修复\n".as_bytes()].concat(),
    )
    .unwrap();
    let answer = ask("grep", here.path(), &json!({"pattern": "修复"}));
    let output = answer["output"].as_str().unwrap();
    assert!(
        output.contains("gbk.txt\n1: 修复如下\n2: # 修复 two"),
        "{output}"
    );
    let told = "not searched, but for their bytes, being neither UTF-8 nor in an encoding that is \
                known: mixed.txt";
    assert_eq!(answer["note"], told);
    assert_eq!(note(here.path(), "grep", &json!({"pattern": "two"})), "");
    let one = ask(
        "grep",
        here.path(),
        &json!({"pattern": "修复", "path": "gbk.txt"}),
    );
    assert_eq!(one["count"], 2, "{one}");
    // What hosts were promised are the bytes of files.
    let request = json!({"pattern": "修复", "path": "gbk.txt"});
    let answer = tool("grep").with(&request).in_directory(here.path()).run();
    assert_eq!(answer.json()["count"], 0);
}

#[test]
fn utf_16_without_a_mark_and_text_with_nuls_are_told_with_the_way_on() {
    let here = directory();
    let wide: Vec<u8> = "needle one\nneedle two\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    fs::write(here.path().join("wide.txt"), &wide).unwrap();
    let other: Vec<u8> = wide.chunks(2).flat_map(|two| [two[1], two[0]]).collect();
    fs::write(here.path().join("be.txt"), other).unwrap();
    let wider = "\u{FEFF}needle\n".chars();
    let wider: Vec<u8> = wider.flat_map(|one| u32::from(one).to_le_bytes()).collect();
    fs::write(here.path().join("wider.txt"), wider).unwrap();
    let log = [&[0; 4000][..], b"started\nneedle\n"].concat();
    fs::write(here.path().join("app.log"), log).unwrap();
    fs::write(here.path().join("program"), b"\x7fELF\x01\x02\0\0needle\n").unwrap();
    let mut session = Session::plain(here.path(), "someone", &[]);
    let (shown, _) = session.text_of("grep", &json!({"pattern": "needle"}));
    for part in [
        "binary file app.log matches, 1 line",
        "being UTF-16 without a mark: wide.txt (`iconv -f UTF-16LE -t UTF-8 wide.txt` shows its text)",
        "being UTF-16 without a mark: be.txt (`iconv -f UTF-16BE -t UTF-8 be.txt` shows its text)",
        "being UTF-32: wider.txt (`iconv -f UTF-32 -t UTF-8 wider.txt` shows its text)",
        "as text, for NUL characters in it: app.log (`tr -d '\\0' <app.log` shows its text)",
    ] {
        assert!(shown.contains(part), "{shown}");
    }
    assert!(!shown.contains(": program"), "{shown}");
    let (shown, _) = session.text_of("grep", &json!({"pattern": "absent", "path": "app.log"}));
    assert_eq!(shown, "[no matches in 1 file]");
}

#[test]
fn braces_in_gitignore_are_characters_to_git() {
    let here = tree(&[
        ("a.py", "word\n"),
        ("x.txt", "word\n"),
        ("{f}", "word\n"),
        (".gitignore", "*.{py,txt}\n*.py{}\n{f}\n"),
        (".git/HEAD", ""),
    ]);
    let asks = json!({"pattern": "word", "output": "files"});
    let answer = ask("grep", here.path(), &asks);
    assert_eq!(answer["output"], "a.py\nx.txt");
    assert_eq!(answer["note"], "not searched, by .gitignore: {f}");
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
