//! grep and glob: what a request asks for is done, or the answer says that it was not.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};

use super::for_models::ask;
use crate::common::{self, text, tool, tree};
use crate::mcp::session::Session;

/// What a model is shown.
fn shown(here: &Path, tool: &str, fields: &Value) -> String {
    Session::plain(here, "someone", &[]).text_of(tool, fields).0
}

fn note(here: &Path, name: &str, fields: &Value) -> String {
    let answer = ask(name, here, fields);
    answer["note"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn an_absolute_pattern_ignores_path_over_mcp_too() {
    let here = tree(&[("src/a.rs", "word\n"), ("docs/b.md", "word\n")]);
    let pattern = format!("{}/src/*.rs", text(here.path()));
    for path in ["docs", "src", "missing", text(here.path())] {
        let fields = json!({"pattern": pattern, "path": path});
        assert_eq!(shown(here.path(), "glob", &fields), "src/a.rs", "{path}");
        let fields = json!({"pattern": "word", "glob": pattern, "path": path});
        let found = shown(here.path(), "grep", &fields);
        assert_eq!(found, "src/a.rs\n1: word", "{path}");
    }
    let fields = json!({"pattern": text(here.path())});
    assert_eq!(shown(here.path(), "glob", &fields), ".");
}

#[test]
fn a_path_that_is_the_working_directory_by_another_name_is_shown_from_there() {
    let here = tree(&[("sub/x", "foo\n"), ("away/y", "foo\n")]);
    let elsewhere = tree(&[]);
    let link = elsewhere.path().join("link");
    symlink(here.path(), &link).unwrap();
    for path in [
        here.path().join("./sub"),
        here.path().join("away/../sub"),
        link.join("sub"),
    ] {
        let fields = json!({"pattern": "foo", "path": text(&path)});
        assert_eq!(
            shown(here.path(), "grep", &fields),
            "sub/x\n1: foo",
            "{fields}"
        );
        let fields = json!({"pattern": "*", "path": text(&path)});
        assert_eq!(shown(here.path(), "glob", &fields), "sub/x", "{fields}");
    }
    let fields = json!({"pattern": "foo", "path": text(&link)});
    assert_eq!(
        shown(here.path(), "grep", &fields),
        "away/y\n1: foo\n\nsub/x\n1: foo"
    );
    let fields = json!({"pattern": text(&link.join("sub/"))});
    assert_eq!(shown(here.path(), "glob", &fields), "sub/");
}

#[test]
fn characters_by_number_and_property_are_sought_in_other_encodings() {
    let here = tree(&[("utf8.txt", "テ\n")]);
    // "これはテストです。日本語の文章です。" in Shift_JIS.
    let japanese = b"\x82\xb1\x82\xea\x82\xcd\x83e\x83X\x83g\x82\xc5\x82\xb7\x81B\
                     \x93\xfa\x96{\x8c\xea\x82\xcc\x95\xb6\x8f\xcd\x82\xc5\x82\xb7\x81B\n";
    fs::write(here.path().join("sjis.txt"), japanese).unwrap();
    for pattern in ["テ", r"\x{30c6}", r"\u30c6", r"\p{Katakana}", r"[\x{30c6}]"] {
        let fields = json!({"pattern": pattern, "output": "files"});
        let found = ask("grep", here.path(), &fields);
        assert_eq!(found["output"], "sjis.txt\nutf8.txt", "{pattern}");
    }
    // These are bytes of every encoding.
    fs::write(here.path().join("mixed"), b"\x83e \xe3\x83\x86 A\n").unwrap();
    for pattern in [r"\x41", r"\\p{2}|A", "A"] {
        assert_eq!(note(here.path(), "grep", &json!({"pattern": pattern})), "");
    }
}

#[test]
fn a_false_that_asks_for_something_is_done_or_named() {
    let here = tree(&[
        ("a.rs", "word\n"),
        ("gen/b.rs", "word\n"),
        (".ignore", "gen\n"),
    ]);
    for (tool, fields) in [
        ("grep", json!({"pattern": "word", "output": "files"})),
        ("glob", json!({"pattern": "*.rs"})),
    ] {
        let mut fields = fields;
        for (name, all) in [("respect_git_ignore", false), ("respectGitignore", true)] {
            fields[name] = json!(all);
            let found = shown(here.path(), tool, &fields);
            let expected = if all {
                "a.rs\n[not searched, by .ignore: gen]"
            } else {
                "a.rs\ngen/b.rs"
            };
            assert_eq!(found, expected, "{tool} {name}");
            fields.as_object_mut().unwrap().remove(name);
        }
        for name in ["hidden", "include_hidden", "recursive", "-r"] {
            fields[name] = json!(false);
            let found = shown(here.path(), tool, &fields);
            let told = format!("{name:?} is not a field of this tool, so it was ignored");
            assert!(found.contains(&told), "{tool} {name}: {found}");
            fields[name] = json!(true);
            let found = shown(here.path(), tool, &fields);
            assert!(!found.contains("not a field"), "{tool} {name}: {found}");
            fields.as_object_mut().unwrap().remove(name);
        }
    }
    for name in ["regex", "use_regex", "regexp", "isRegexp"] {
        let fields = json!({"pattern": "foo(x)", name: "false"});
        let found = shown(here.path(), "grep", &fields);
        assert!(found.contains("is not a field"), "{name}: {found}");
    }
    let fields = json!({"pattern": "*.RS", "case_sensitive": false});
    let found = shown(here.path(), "glob", &fields);
    assert!(
        found.contains("\"case_sensitive\" is not a field"),
        "{found}"
    );
    let fields = json!({"pattern": "word", "-n": false, "multiline": false});
    let found = shown(here.path(), "grep", &fields);
    assert!(!found.contains("not a field"), "{found}");
}

#[test]
fn a_kind_of_files_that_there_is_not_is_called_so() {
    let here = tree(&[("a.py", "word\n"), ("b.odd", "word\n")]);
    // An extension is one without being listed.
    for kinds in ["odd", "*.odd,py", "rust", "any", "none", "default", "All"] {
        let told = note(
            here.path(),
            "grep",
            &json!({"pattern": "zzz", "type": kinds}),
        );
        assert!(!told.contains("nothing called"), "{kinds}: {told}");
    }
    for kinds in ["any", "none", "default", "All"] {
        let found = ask(
            "grep",
            here.path(),
            &json!({"pattern": "word", "type": kinds}),
        );
        assert_eq!(found["count"], 2, "{kinds}: {found}");
    }
}

#[test]
fn kinds_of_files_are_listed_in_the_ways_of_exclude() {
    let here = tree(&[("a.py", "word\n"), ("b.ts", "word\n"), ("c.md", "word\n")]);
    for kinds in [
        json!("py,ts"),
        json!("py, ts"),
        json!("py|ts"),
        json!("py;ts"),
        json!("py ts"),
        json!("{py,ts}"),
        json!("*.{py,ts}"),
        json!("(py|ts)"),
        json!(r#"["py","ts"]"#),
        json!("['py', '.ts']"),
        json!("\"py\",\"ts\""),
    ] {
        let fields = json!({"pattern": "word", "type": kinds, "output": "files"});
        let found = ask("grep", here.path(), &fields);
        assert_eq!(found["output"], "a.py\nb.ts", "{kinds}: {found}");
        assert_eq!(found["note"], Value::Null, "{kinds}");
    }
}

#[test]
fn exclude_brings_back_as_a_gitignore_does() {
    let here = tree(&[
        ("src/a.rs", "word\n"),
        ("src/b.rs", "word\n"),
        ("c.md", "word\n"),
    ]);
    for (exclude, found) in [
        (json!(["*.rs", "!a.rs"]), "c.md\nsrc/a.rs"),
        (json!("*.rs,!src/a.rs"), "c.md\nsrc/a.rs"),
        (json!("*.rs,!/src/a.rs"), "c.md\nsrc/a.rs"),
        (json!(["*", "!*.md"]), "c.md"),
        (json!("!(*.md)"), "src/a.rs\nsrc/b.rs"),
    ] {
        let request = json!({"pattern": "word", "exclude": exclude, "output": "files"});
        assert_eq!(shown(here.path(), "grep", &request), found, "{exclude}");
    }
    for exclude in ["!src", "!a.rs,*.rs"] {
        let request = json!({"pattern": "word", "exclude": exclude});
        let (told, is_error) =
            Session::plain(here.path(), "someone", &[]).text_of("grep", &request);
        assert!(is_error, "{told}");
    }
    // A pattern of names that are not meant is none that brings back.
    let request = json!({"pattern": "word", "glob": "!*.rs,!*.txt", "output": "files"});
    assert_eq!(shown(here.path(), "grep", &request), "c.md");
}

#[test]
fn an_ignored_name_that_is_asked_for_by_itself_is_found() {
    let here = tree(&[
        ("node_modules/m/i.js", "word\n"),
        ("p/node_modules/i.js", "word\n"),
        ("gen.js", "word\n"),
        (".gitignore", "node_modules\ngen.js\n"),
        (".git/HEAD", ""),
    ]);
    let both = "node_modules\np/node_modules";
    for (pattern, found) in [
        ("node_modules", both),
        ("**/node_modules", both),
        ("{node_modules,dist}", both),
        (".git", ".git"),
        ("gen.js", "gen.js"),
    ] {
        let output = ask("glob", here.path(), &json!({"pattern": pattern}));
        assert_eq!(output["output"], found, "{pattern}: {output}");
    }
    let fields = json!({"pattern": "word", "glob": "gen.js"});
    assert_eq!(ask("grep", here.path(), &fields)["count"], 1);
    // What lies in them is left out as before, and so is what a wildcard matches.
    for (pattern, number) in [
        ("i.js", "2 names"),
        ("node_*", "2 names"),
        ("*.js", "3 names"),
    ] {
        let output = ask("glob", here.path(), &json!({"pattern": pattern}));
        assert_eq!(output["count"], 0, "{pattern}: {output}");
        let told = output["note"].as_str().unwrap();
        assert!(told.contains(&format!("({number})")), "{pattern}: {told}");
    }
}

#[test]
fn a_pattern_for_these_characters_themselves_finds_them() {
    for pattern in ["**", "*needle*", "+x+", "(a.b", "++", "foo+(", "def f("] {
        let here = tree(&[("f", &format!("{pattern}\nneedle acb xx\n"))]);
        let failed = ask(
            "grep",
            here.path(),
            &json!({"pattern": pattern, "path": "f"}),
        );
        let told = failed["note"].as_str().unwrap();
        let send = told.split('`').nth(1).unwrap();
        let found = ask("grep", here.path(), &json!({"pattern": send, "path": "f"}));
        assert_eq!(found["output"], format!("1: {pattern}"), "{told}");
    }
}

#[test]
fn a_larger_limit_is_advised_only_where_the_limit_is_the_bound() {
    let lines = "word and so on, for a while, until the line is long enough\n".repeat(3000);
    let here = tree(&[("a.txt", &lines)]);
    fs::create_dir(here.path().join("n")).unwrap();
    let names = (0..3000).map(|n| format!("n/some-long-name-{n}"));
    common::add_names(here.path(), names);
    for (name, fields) in [
        ("grep", json!({"pattern": "word", "glob": "*.txt"})),
        ("glob", json!({"pattern": "**/some*"})),
    ] {
        for (limit, is_advised) in [(10, true), (100_000, false)] {
            let mut fields = fields.clone();
            fields["limit"] = json!(limit);
            let call = tool(name).with(&fields).in_directory(here.path());
            let answer = call.env("IKIGAI_MAX_ANSWER", "20000").run();
            let told = answer.note();
            let advised = told.contains("send a larger limit");
            assert!(told.contains("are shown"), "{name} {limit}: {told}");
            assert_eq!(advised, is_advised, "{name} {limit}: {told}");
        }
    }
}

#[test]
fn a_link_out_of_what_the_server_may_read_is_named() {
    let here = tree(&[("in/a", "foo\n"), ("out/b", "foo\n")]);
    symlink("../out", here.path().join("in/out")).unwrap();
    symlink("../nowhere", here.path().join("in/gone")).unwrap();
    let root = here.path().join("in");
    let mut session = Session::plain(&root, "someone", &["--root", "."]);
    for (tool, pattern, found) in [("grep", "foo", "a\n1: foo"), ("glob", "a", "a")] {
        let (told, _) = session.text_of(tool, &json!({"pattern": pattern}));
        // What is not there outside is not told from what is.
        let out = "[not searched, behind links that lead out of what may be read: gone and out]";
        assert_eq!(told, format!("{found}\n{out}"));
    }
}
