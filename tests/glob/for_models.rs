//! glob as models and people call it: names at any depth, without those that ignore files leave
//! out.

use serde_json::{Value, json};

use crate::common::tree;
use crate::grep::for_models::ask;

#[test]
fn a_pattern_without_a_slash_is_for_any_depth_and_hidden_names_are_found() {
    let here = tree(&[
        ("a.ts", ""),
        ("x/b.ts", ""),
        (".h/c.ts", ""),
        ("x/.d.ts", ""),
        ("app/[id]/[[...slug]]/page.tsx", ""),
        ("app/(group)/page.tsx", ""),
        ("i/page.tsx", ""),
    ]);
    for (pattern, expected) in [
        ("*.ts", ".h/c.ts a.ts x/.d.ts x/b.ts"),
        ("x/*.ts", "x/.d.ts x/b.ts"),
        ("app/[id]/**/*.tsx", "app/[id]/[[...slug]]/page.tsx"),
        ("[[...slug]]", "app/[id]/[[...slug]]"),
        ("app/(group)/*", "app/(group)/page.tsx"),
        ("[id]", "app/[id] i"),
        ("{a,b}.ts", "a.ts x/b.ts"),
    ] {
        let answer = ask("glob", here.path(), &json!({"pattern": pattern}));
        let expected: Vec<&str> = expected.split(' ').collect();
        assert_eq!(answer["output"], expected.join("\n"), "{pattern}");
        assert_eq!(answer["count"], expected.len(), "{pattern}");
        assert_eq!(answer["note"], Value::Null, "{pattern}");
    }
}

#[test]
fn a_limit_says_how_many_there_are_and_exclude_leaves_names_out() {
    let here = tree(&[("a.c", ""), ("b.c", ""), ("t/c.c", "")]);
    let answer = ask("glob", here.path(), &json!({"pattern": "*.c", "limit": 2}));
    assert_eq!(
        (&answer["output"], &answer["count"]),
        (&json!("a.c\nb.c"), &json!(3))
    );
    let answer = ask(
        "glob",
        here.path(),
        &json!({"pattern": "*.c", "exclude": "t/"}),
    );
    assert_eq!(answer["output"], "a.c\nb.c");
}
