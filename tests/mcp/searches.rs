//! What a model is shown of names: from the working directory on.

use std::path::Path;

use serde_json::json;

use super::session::Session;
use crate::common::{text, tree};

fn session(here: &Path) -> Session {
    Session::plain(here, "someone", &[])
}

#[test]
fn answers_name_files_from_the_working_directory_on() {
    let here = tree(&[("src/a.rs", "word\n"), ("src/deep/b.rs", "word\n")]);
    let away = tree(&[("c.rs", "word\n")]);
    let mut session = session(here.path());
    let whole = text(here.path());
    for (tool, fields, shown) in [
        (
            "grep",
            json!({"pattern": "word", "path": whole, "output": "files"}),
            "src/a.rs\nsrc/deep/b.rs",
        ),
        (
            "grep",
            json!({"pattern": "word", "path": format!("{whole}/"), "output": "files"}),
            "src/a.rs\nsrc/deep/b.rs",
        ),
        (
            "grep",
            json!({"pattern": "word", "path": format!("{whole}/src"), "output": "files"}),
            "src/a.rs\nsrc/deep/b.rs",
        ),
        (
            "grep",
            json!({"pattern": "word", "glob": format!("{whole}/src/deep/*.rs"), "output": "files"}),
            "src/deep/b.rs",
        ),
        (
            "grep",
            json!({"pattern": "word", "path": format!("{whole}/src/a.rs")}),
            "1: word",
        ),
        (
            "glob",
            json!({"pattern": "*.rs", "path": format!("{whole}/src")}),
            "src/a.rs\nsrc/deep/b.rs",
        ),
        (
            "glob",
            json!({"pattern": format!("{whole}/src/**/*.rs")}),
            "src/a.rs\nsrc/deep/b.rs",
        ),
    ] {
        let (answer, _) = session.text_of(tool, &fields);
        assert_eq!(answer, shown, "{fields}");
    }
    let outside = format!("{}/c.rs", text(away.path()));
    let (answer, _) = session.text_of(
        "glob",
        &json!({"pattern": "*.rs", "path": text(away.path())}),
    );
    assert_eq!(answer, outside);
    // A name that only begins like the directory's lies outside.
    let (answer, _) = session.text_of(
        "grep",
        &json!({"pattern": "word", "path": format!("{whole}x")}),
    );
    assert!(
        answer.contains(&format!("{whole}x")) || answer.contains("does not exist"),
        "{answer}"
    );
}

#[test]
fn dots_are_no_names_at_any_depth() {
    let here = tree(&[("a/.x", ""), (".y", "")]);
    let (shown, _) = session(here.path()).text_of("glob", &json!({"pattern": ".*"}));
    assert_eq!(shown, ".y\na/.x");
}
