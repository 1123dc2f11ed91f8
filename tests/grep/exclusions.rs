//! `exclude` leaves out the name that is there as it is written, whatever it means as a pattern.

use std::path::Path;

use serde_json::{Value, json};

use super::for_models::ask;
use crate::common::tree;

/// The first letters of the directories below `app` in which something is found.
fn left(here: &Path, name: &str, fields: &Value) -> Vec<String> {
    let answer = ask(name, here, fields);
    assert_eq!(answer["note"], Value::Null, "{fields}: {answer}");
    let output = answer["output"].as_str().unwrap();
    let part = |line: &str| line.split('/').nth(1).unwrap().to_owned();
    output.lines().map(part).collect()
}

/// A directory for each of these names, below `app`.
fn application(names: &[&str]) -> tempfile::TempDir {
    let files: Vec<String> = names.iter().map(|one| format!("app/{one}/p.ts")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|one| (&**one, "needle\n")).collect();
    tree(&files)
}

#[test]
fn a_name_that_is_there_as_it_is_written_is_left_out_and_no_other() {
    let names = ["(g)", "[id]", "g", "i", "x", "{x}"];
    let here = application(&names);
    for (exclude, gone) in [
        (json!("[id]"), &["[id]"][..]),
        (json!("[id]/"), &["[id]"]),
        (json!("app/[id]"), &["[id]"]),
        (json!("/app/[id]"), &["[id]"]),
        (json!("./app/[id]/"), &["[id]"]),
        (json!("**/[id]/**"), &["[id]"]),
        (json!("app/[id]/**"), &["[id]"]),
        (json!("app/[id]/p.ts"), &["[id]"]),
        (json!("app/[i*"), &["[id]"]),
        (json!("(g)"), &["(g)"]),
        (json!("app/(g)"), &["(g)"]),
        (json!("{x}"), &["{x}"]),
        (json!("[id],(g)"), &["[id]", "(g)"]),
        (json!(r#"["[id]","(g)"]"#), &["[id]", "(g)"]),
        // No name is written so: these are patterns.
        (json!("[ix]"), &["i", "x"]),
        (json!("(x|i)"), &["x", "i"]),
        (json!("{x,i}"), &["x", "i"]),
    ] {
        let expected: Vec<&str> = names
            .into_iter()
            .filter(|one| !gone.contains(one))
            .collect();
        let fields = json!({"pattern": "needle", "output": "files", "exclude": exclude});
        assert_eq!(left(here.path(), "grep", &fields), expected, "{exclude}");
        let fields = json!({"pattern": "p.ts", "exclude": exclude});
        assert_eq!(left(here.path(), "glob", &fields), expected, "{exclude}");
    }
    let expected = ["(g)", "g", "i", "x", "{x}"];
    for glob in ["!app/[id]/**", "!**/[id]/*", "!app/[id]"] {
        let fields = json!({"pattern": "needle", "output": "files", "glob": glob});
        assert_eq!(left(here.path(), "grep", &fields), expected, "{glob}");
    }
    let fields =
        json!({"pattern": "needle", "path": "app", "output": "files", "exclude": "app/[id]"});
    let answer = ask("grep", here.path(), &fields);
    let found = "app/(g)/p.ts\napp/g/p.ts\napp/i/p.ts\napp/x/p.ts\napp/{x}/p.ts";
    assert_eq!(answer["output"], found, "{answer}");
}

#[test]
fn a_name_in_what_is_not_searched_changes_no_pattern() {
    let here = application(&["a", "b"]);
    let write = |name: &str, text: &str| {
        let path = here.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write(".gitignore", "out\n");
    write(".git/HEAD", "");
    write("out/[ax]/p.ts", "needle\n");
    let fields = json!({"pattern": "needle", "output": "files", "exclude": "[ax]"});
    assert_eq!(ask("grep", here.path(), &fields)["output"], "app/b/p.ts");
}
