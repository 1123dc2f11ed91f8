//! Imports run one way, and no front end, command or workshop knows what it should not: read from
//! the sources.

use std::fs;
use std::path::{Path, PathBuf};

/// The sources under `directory`, without what is compiled for tests alone.
fn sources(directory: &str) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    let mut places = vec![root.join(directory)];
    while let Some(place) = places.pop() {
        if place.is_dir() {
            let entries = fs::read_dir(&place).unwrap();
            places.extend(entries.map(|entry| entry.unwrap().path()));
            continue;
        }
        let name = place.file_name().unwrap().to_string_lossy().into_owned();
        if place.extension().is_none_or(|kind| kind != "rs") || name.contains("tests") {
            continue;
        }
        let text = fs::read_to_string(&place).unwrap();
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap().to_owned();
        found.push((place, code));
    }
    assert!(!found.is_empty(), "{directory}");
    found
}

/// The lines of code, without comments.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
}

fn assert_free_of(directories: &[&str], what: &[&str]) {
    for directory in directories {
        for (path, text) in sources(directory) {
            for line in code(&text) {
                for one in what {
                    assert!(!line.contains(one), "{}: {line}", path.display());
                }
            }
        }
    }
}

const WORKSHOPS: [&str; 18] = [
    "access",
    "browser",
    "cache",
    "basics",
    "console",
    "conversion",
    "document",
    "files",
    "hosts",
    "page",
    "papers",
    "paths",
    "research_sessions",
    "sandbox",
    "search",
    "shell",
    "unseen.rs",
    "web",
];

#[test]
fn no_import_runs_upwards() {
    let entry = ["crate::entry"];
    let fronts = ["crate::front", "crate::commands", "crate::command_line"];
    let registry = ["crate::registry", "registry::TOOLS"];
    let tools = ["crate::tools", "tools::"];
    let contract = ["crate::contract"];
    assert_free_of(&["front", "commands", "command_line"], &entry);
    assert_free_of(
        &["front", "commands", "command_line", "entry.rs"],
        &tools[..1],
    );
    assert_free_of(&["registry.rs", "tools", "contract", "secrets.rs"], &entry);
    assert_free_of(&["registry.rs", "tools", "contract", "secrets.rs"], &fronts);
    assert_free_of(&["tools", "contract", "secrets.rs"], &registry);
    assert_free_of(&["contract", "secrets.rs"], &tools);
    for above in [&entry[..], &fronts, &registry, &tools, &contract] {
        assert_free_of(&WORKSHOPS, above);
    }
}

#[test]
fn no_two_workshops_import_each_other() {
    let imports = |room: &str, other: &str| {
        let name = format!("crate::{}::", other.trim_end_matches(".rs"));
        let imports = |text: &String| code(text).any(|line| line.contains(&name));
        sources(room).iter().any(|(_, text)| imports(text))
    };
    for (n, one) in WORKSHOPS.iter().enumerate() {
        for other in &WORKSHOPS[..n] {
            let both = imports(one, other) && imports(other, one);
            assert!(!both, "{one} and {other}");
        }
    }
}

#[test]
fn the_families_of_tools_do_not_know_each_other() {
    let families = ["bash", "file", "search", "web"];
    for own in families {
        let others = families.iter().filter(|other| **other != own);
        let others: Vec<String> = others.map(|other| format!("tools::{other}")).collect();
        let others: Vec<&str> = others.iter().map(String::as_str).collect();
        assert_free_of(&[&format!("tools/{own}")], &others);
    }
}

#[test]
fn the_front_ends_do_not_know_each_other() {
    for (own, others) in [
        ("front/host.rs", ["front::mcp", "front::person"]),
        ("front/mcp", ["front::host", "front::person"]),
        ("front/person", ["front::host", "front::mcp"]),
    ] {
        assert_free_of(&[own], &others);
    }
    assert_free_of(
        &["front/answer.rs"],
        &["front::host", "front::mcp", "front::person"],
    );
}

#[test]
fn no_front_end_and_no_command_knows_a_tool_by_name() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tools/schemas");
    let schemas = fs::read_dir(root).unwrap();
    let names: Vec<String> = schemas
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        // What these are called is also called otherwise: a shell, a command of the system.
        .filter(|name| name.contains('_'))
        .collect();
    assert!(names.len() >= 6, "{names:?}");
    for name in names {
        let link = name.replace('_', "-");
        assert_free_of(
            &[
                "front",
                "commands",
                "command_line",
                "entry.rs",
                "secrets.rs",
            ],
            &[&name, &link],
        );
    }
}

#[test]
fn nothing_changes_the_environment() {
    // Commands are started with it, and it is read without a lock.
    assert_free_of(&[""], &["env::set_var", "env::remove_var", "libc::setenv"]);
}
