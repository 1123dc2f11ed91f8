//! The table of deaths, in `crates/process/src/sandbox/mod.rs`: each test that it names is there.

use std::fs;
use std::path::Path;

const TABLE: &str = include_str!("../crates/process/src/sandbox/mod.rs");

/// The text of the module of this path: of one of the programs, else of a crate.
fn module(path: &str) -> Option<String> {
    let inner = path.replace("::", "/");
    let (first, rest) = inner.split_once('/').unwrap_or((&inner, "lib"));
    let places = [
        format!("tests/{inner}.rs"),
        format!("tests/{inner}/mod.rs"),
        format!("crates/{first}/src/{rest}.rs"),
    ];
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    places
        .iter()
        .find_map(|place| fs::read_to_string(root.join(place)).ok())
}

#[test]
fn each_test_that_the_table_of_deaths_names_is_there() {
    let notes = TABLE.split("The mechanism of each row").nth(1).unwrap();
    let (mut path, mut named) = ("", 0);
    // The first one says how they are written.
    for word in notes.split('`').skip(1).step_by(2).skip(1) {
        let (before, name) = word.rsplit_once("::").unwrap_or((path, word));
        path = before;
        if name.matches('_').count() < 3 {
            continue;
        }
        let text = module(path).unwrap_or_else(|| panic!("there is no module {path}"));
        assert!(
            text.contains(&format!("fn {name}(")),
            "{path} has no {name}"
        );
        named += 1;
    }
    assert!(named > 50, "{named}");
}
