//! Links that a search does not follow: those that lead out of it are named, and counted exactly.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::for_models::ask;
use crate::common::{eventually, tree};

/// The number of links, more than are looked at when nothing is done about it.
const MANY: usize = 2500;

fn note(here: &Path, name: &str, fields: &Value) -> String {
    let answer = ask(name, here, fields);
    answer["note"].as_str().unwrap_or_default().to_owned()
}

/// Links to `target`, all of them one that has these names: it is made faster than many.
fn symlinks(target: &str, mut names: impl Iterator<Item = PathBuf>) {
    let first = names.next().unwrap();
    symlink(target, &first).unwrap();
    for name in names {
        fs::hard_link(&first, name).unwrap();
    }
}

/// Many links below `links` to `target`, as seen from there.
fn add_links(here: &Path, target: &str) {
    fs::create_dir_all(here.join("links")).unwrap();
    let names = (0..MANY).map(|number| here.join(format!("links/l{number:04}")));
    symlinks(target, names);
}

#[test]
fn many_links_to_what_is_searched_or_nowhere_are_not_told() {
    let here = tree(&[("in/a.txt", "needle\n")]);
    add_links(here.path(), "../in");
    fs::create_dir(here.path().join("lost")).unwrap();
    let names = (0..MANY).map(|number| here.path().join(format!("lost/l{number}")));
    symlinks("nowhere", names);
    for (name, fields) in [
        ("grep", json!({"pattern": "needle"})),
        ("glob", json!({"pattern": "*.txt"})),
    ] {
        // They are looked at for 50 ms at most, in which a busy machine may not come to all.
        let mut said = String::new();
        let is_silent = eventually(|| {
            said = note(here.path(), name, &fields);
            assert!(!said.contains("follows:  "), "{said}");
            said.is_empty()
        });
        assert!(is_silent, "{name}: {said}");
    }
}

#[test]
fn many_links_to_what_is_not_searched_are_counted_or_said_to_be_at_least_so_many() {
    let here = tree(&[("src/a.txt", "x\n"), ("away/b.txt", "needle\n")]);
    add_links(&here.path().join("src"), "../../away/b.txt");
    for path in ["src", "src/links"] {
        let fields = json!({"pattern": "needle", "path": path});
        let mut said = String::new();
        let is_counted = eventually(|| {
            said = note(here.path(), "grep", &fields);
            let behind = said.split_once("l0000, src/links/l0001, src/links/l0002 and ");
            behind.is_some_and(|(_, told)| told == "2,497 more" || told.starts_with("at least "))
        });
        assert!(is_counted, "{said}");
    }
}
