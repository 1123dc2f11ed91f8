//! SECURITY.md: every test that it names is there, and every way that is open is named.

use std::fs;
use std::path::Path;

const PAGE: &str = include_str!("../../SECURITY.md");

#[test]
fn every_test_that_the_page_names_is_there() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/confinement");
    let names: Vec<&str> = PAGE
        .split('`')
        .filter_map(|text| text.strip_prefix("confinement::"))
        .collect();
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        let (module, test) = name.split_once("::").unwrap_or_else(|| panic!("{name}"));
        let source = fs::read_to_string(directory.join(format!("{module}.rs")));
        let source = source.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(
            source.contains(&format!("#[test]\nfn {test}() {{")),
            "{name}"
        );
    }
}

/// A line of a table: its cells.
fn lines(heading: &str) -> Vec<Vec<&'static str>> {
    let (_, part) = PAGE.split_once(&format!("\n## {heading}\n")).unwrap();
    let part = part.split("\n## ").next().unwrap();
    let lines = part.lines().filter(|line| line.starts_with('|'));
    let cells = |line: &'static str| line.trim_matches('|').split('|').map(str::trim).collect();
    lines.skip(2).map(cells).collect()
}

#[test]
fn every_line_of_a_table_names_its_test() {
    for heading in ["What is closed", "What is still open"] {
        let lines = lines(heading);
        assert!(lines.len() > 10, "{heading}");
        for line in lines {
            let test = line.last().unwrap();
            assert!(test.starts_with("`confinement::"), "{line:?}");
        }
    }
}

/// Whoever finds that something is open, or open on some kernels, says so on the page.
#[test]
fn every_test_that_finds_something_open_is_on_the_page() {
    let (_, open) = PAGE.split_once("\n## What is still open\n").unwrap();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/confinement");
    let mut found = 0;
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let module = path.file_stem().unwrap().to_str().unwrap();
        let source = fs::read_to_string(&path).unwrap();
        // This file has the words that are looked for.
        if module == "security" {
            continue;
        }
        for test in source.split("#[test]\nfn ").skip(1) {
            let (name, body) = test.split_once("() {").unwrap();
            let body = body.split("\n}\n").next().unwrap();
            if body.contains("    open(&[") || body.contains("    closed_from(") {
                found += 1;
                let name = format!("`confinement::{module}::{name}`");
                assert!(open.contains(&name), "{name} is not on the page");
            }
        }
    }
    assert!(found > 10, "{found}");
}
