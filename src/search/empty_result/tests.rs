//! Readings of patterns and paths, and surveys. That notes are right is tested in
//! `tests/glob/messages.rs`.

use std::fs;

use super::names::NameMatcher;
use super::survey::NameSurvey;
use super::*;

#[test]
fn a_pattern_has_the_readings_that_it_may_have_and_no_others() {
    let first = |pattern: &str| {
        // A directory that no pattern begins with the name of: the checkout may lie in one.
        let all = readings::readings(pattern, "/");
        all.into_iter().next()
    };
    for (pattern, reading) in [
        (r".*\.rs$", "*.rs"),
        (r"^src/.*\.ts$", "src/*.ts"),
        (r".*/lib/.*\.ts$", "**/lib/*.ts"),
        (r".*\.(c|h)", "*.{c,h}"),
        (r"\.rs$", "*.rs"),
        ("*.c,*.h", "{*.c,*.h}"),
        ("a.c, b/c.h", "{a.c,b/c.h}"),
        ("*.(c|h)", "*.{c,h}"),
        ("*.{c|h}", "*.{c,h}"),
        ("*.{c, h}", "*.{c,h}"),
        ("*.{rs}", "*.rs"),
        ("*.{c,h", "*.{c,h}"),
        ("{src/*.c,src/{a,b}.h", "{src/*.c,src/{a,b}.h}"),
        ("/a/b", "a/b"),
        ("src/", "src"),
        ("\"*.rs\"", "*.rs"),
        ("rs", "*.rs"),
        ("", "*"),
    ] {
        assert_eq!(first(pattern).as_deref(), Some(reading), "{pattern}");
    }
    for pattern in [
        "*.rs",
        "**/*.rs",
        "src/**/x?.[ch]",
        "*.{c,h}",
        "my-file_name.toml",
        "*",
    ] {
        assert_eq!(first(pattern), None, "{pattern}");
    }
}

#[test]
fn a_survey_counts_what_its_patterns_reach_and_what_was_built_apart() {
    let here = tempfile::tempdir().unwrap();
    let lay = |file: &str| {
        let file = here.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "").unwrap();
    };
    for file in [
        "top.js",
        "a/b/y.js",
        "a/.y.js",
        "d/n.txt",
        "a/B.JS",
        "target/.x/x.js",
        "target/.w.js",
        "c/node_modules/q/q.js",
        "node_modules/r.js",
        "node_modules/target/r.js",
        "{x,y}/[1].js",
        ".git/hooks/u.js",
        ".g,h/dist/u.js",
        ".g,h/v.js",
        ".g,h/.i/w.js",
    ] {
        lay(file);
    }
    let until = Instant::now() + Duration::from_secs(20);
    let finds = |found: &BetterPattern| {
        let paths = GlobPattern::parse(found.pattern.as_bytes()).unwrap();
        let paths = paths.paths(here.path(), None).unwrap();
        let files = paths
            .iter()
            .filter(|path| path.kind() == EntryKind::Regular);
        assert_eq!(files.count() as u64, found.number, "{found:?}");
        assert!(!found.at_least);
        found.pattern.clone()
    };
    let sought = NameMatcher::new("*.js", true);
    let survey = NameSurvey::of(here.path(), &sought, until);
    let found = survey.names_below("").unwrap();
    assert_eq!(finds(&found), "**/*.js");
    assert_eq!((found.number, found.built), (6, 3));
    assert_eq!(found.built_in, ["node_modules"]);
    let patterns = |with_built| -> Vec<String> {
        let all = survey.hidden("", with_built);
        all.iter().map(finds).collect()
    };
    let hidden = ["**/.*.js", r".g\,h/**/*.js", r".g\,h/.i/**/*.js"];
    assert_eq!(patterns(false), hidden);
    assert_eq!(patterns(true), hidden);
    assert_eq!(survey.other_case(""), ["a/B.JS"]);
    let every = NameMatcher::new("*", true);
    let survey = NameSurvey::of(here.path(), &every, until);
    let most = survey.commonest_below("").unwrap();
    assert_eq!(finds(&most), "**/*.js");
    finds(&survey.names_below("").unwrap());
}

#[test]
fn names_in_other_cases_are_the_first_whatever_the_order_of_the_directory() {
    let here = tempfile::tempdir().unwrap();
    let sought = NameMatcher::new("*.js", true);
    let until = Instant::now() + Duration::from_secs(20);
    let names: Vec<String> = ('A'..='Z').map(|one| format!("{one}.JS")).collect();
    for (directory, is_reversed) in [("made-forwards", false), ("made-backwards", true)] {
        let directory = here.path().join(directory);
        fs::create_dir_all(directory.join("B")).unwrap();
        fs::write(directory.join("B/A.JS"), "").unwrap();
        for at in 0..names.len() {
            let at = if is_reversed {
                names.len() - 1 - at
            } else {
                at
            };
            fs::write(directory.join(&names[at]), "").unwrap();
        }
        let survey = NameSurvey::of(&directory, &sought, until);
        assert_eq!(survey.other_case(""), names[..3], "{directory:?}");
    }
}

#[test]
fn what_is_not_text_or_has_no_end_is_no_harm() {
    let here = tempfile::tempdir().unwrap();
    let path = here.path().to_str().unwrap();
    let until = Instant::now() + Duration::from_secs(5);
    for pattern in [
        "{",
        "}",
        "{a,{b",
        "[",
        "\\",
        "{a/b,c",
        "//",
        "/",
        "./",
        "**",
        "**/",
        "a//b",
        "!",
        "~",
        "$HOME/",
        "é/é",
        "a\u{0}b",
        "{..}",
        "{z..a}",
        "{0..65535}",
        "(",
        "(a|b",
        "^",
        "$",
        ".*",
        "file://",
        " ",
        "\"",
        "@",
        "../x",
        "../../*",
        "\\\\",
        "*/../*.c",
        "{,}",
    ] {
        for files_only in [false, true] {
            let search = EmptySearch {
                path,
                pattern,
                files_only,
                until,
            };
            let _ = names(search);
            let _ = lines(search, SearchedNames::default());
            let _ = misplaced(
                EmptySearch {
                    path: pattern,
                    ..search
                },
                Some(pattern),
            );
        }
    }
}
