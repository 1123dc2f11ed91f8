//! glob as models and people call it: names at any depth, without those that ignore files leave
//! out.

use serde_json::{Value, json};

use crate::common::{eventually, tree};
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
fn ignored_names_are_told_and_found_on_demand() {
    let here = tree(&[
        ("a.js", ""),
        ("node_modules/m/b.js", ""),
        ("p/node_modules/c.js", ""),
        (".gitignore", "node_modules\n"),
        (".git/hooks/d.js", ""),
    ]);
    let here = here.path();
    let answer = ask("glob", here, &json!({"pattern": "*.js"}));
    assert_eq!(
        (&answer["output"], &answer["count"]),
        (&json!("a.js"), &json!(1))
    );
    assert_eq!(
        answer["note"],
        "not searched, by .gitignore: node_modules in 2 places"
    );
    let answer = ask("glob", here, &json!({"pattern": "*.js", "all": true}));
    assert_eq!(answer["count"], 4);
    let answer = ask("glob", here, &json!({"pattern": "node_modules/*/b.js"}));
    assert_eq!(answer["output"], "node_modules/m/b.js");
    // Counting takes 50 ms at most, in which a busy machine may not come to it.
    let told = "not searched, by .gitignore: node_modules in 2 places (1 name)";
    assert!(eventually(|| {
        let answer = ask("glob", here, &json!({"pattern": "c.js"}));
        answer["note"].as_str().unwrap().contains(told)
    }));
    for (pattern, number) in [
        ("**/nosuch/**", " in 2 places (no such name there)"),
        ("**/node_modules/c.*", " in 2 places (1 name)"),
        ("**/node_module?", " in 2 places (2 names)"),
        ("*/m/*", " (1 name)"),
    ] {
        let told = format!("not searched, by .gitignore: node_modules{number}");
        assert!(eventually(|| {
            let answer = ask("glob", here, &json!({"pattern": pattern}));
            answer["note"].as_str().unwrap().ends_with(&told)
        }));
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
    assert!(
        answer["note"]
            .as_str()
            .unwrap()
            .starts_with("2 of 3 names are shown"),
        "{answer}"
    );
    let answer = ask(
        "glob",
        here.path(),
        &json!({"pattern": "*.c", "exclude": "t/"}),
    );
    assert_eq!(answer["output"], "a.c\nb.c");
}

#[test]
fn what_lies_deeper_is_told_for_stars_within_a_name_as_well() {
    let here = tree(&[
        ("src/a.ts", "word\n"),
        ("src/sub/b.ts", "word\n"),
        ("x", ""),
    ]);
    for pattern in [
        "src**/*.ts",
        "s**/*.ts",
        "**c/*.ts",
        "src*/*.ts",
        "src/**.ts",
    ] {
        for (name, fields) in [
            ("glob", json!({"pattern": pattern})),
            ("grep", json!({"pattern": "word", "glob": pattern})),
        ] {
            // It is counted for 50 ms at most.
            assert!(
                eventually(|| {
                    let answer = ask(name, here.path(), &fields);
                    assert_eq!(answer["count"], 1, "{answer}");
                    let note = answer["note"].as_str().unwrap_or_default();
                    note.contains("subdirectories have more (1 ") && note.contains("/**/")
                }),
                "{name} {pattern}"
            );
        }
    }
}

#[test]
fn the_directory_itself_leads_to_all_below_it_once() {
    let here = tree(&[("a.ts", "word\n"), ("src/sub/b.ts", "word\n")]);
    for pattern in [".", "./", "././", ".//"] {
        let fields = json!({"pattern": "word", "glob": pattern});
        assert!(
            eventually(|| {
                let answer = ask("grep", here.path(), &fields);
                let note = answer["note"].as_str().unwrap_or_default();
                note.contains("\"glob\":\"**/*\" searches 2 files")
            }),
            "{pattern}: {}",
            ask("grep", here.path(), &fields)
        );
    }
}

#[test]
fn lists_of_other_shells_are_told_as_braces() {
    let here = tree(&[("b.ts", ""), ("ab.ts", ""), ("c.tsx", ""), ("d12.js", "")]);
    for (pattern, meant, count) in [
        ("?(a)b.ts", "{,a}b.ts", 2),
        ("*.?(m|c)ts", "*.{,m,c}ts", 2),
        ("+(a|b).ts", "{a,b}.ts", 1),
        ("*.+(ts|tsx)", "*.{ts,tsx}", 3),
        ("*.@(ts|tsx)", "*.{ts,tsx}", 3),
    ] {
        let send = format!("\"pattern\":\"{meant}\" matches {count} name");
        assert!(
            eventually(|| {
                let answer = ask("glob", here.path(), &json!({"pattern": pattern}));
                answer["note"].as_str().unwrap_or_default().contains(&send)
            }),
            "{pattern}: {}",
            ask("glob", here.path(), &json!({"pattern": pattern}))
        );
    }
}
