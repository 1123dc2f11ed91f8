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
        let all = wildcard_guesses::wildcard_guesses(pattern, "/");
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
    let finds = |better_pattern: &BetterPattern| {
        let paths = GlobPattern::parse(better_pattern.pattern.as_bytes()).unwrap();
        let paths = paths.paths(here.path(), None).unwrap();
        let files = paths
            .iter()
            .filter(|path| path.kind() == EntryKind::Regular);
        assert_eq!(
            files.count() as u64,
            better_pattern.number,
            "{better_pattern:?}"
        );
        assert!(!better_pattern.at_least);
        better_pattern.pattern.clone()
    };
    let sought = NameMatcher::new("*.js", true);
    let survey = NameSurvey::survey_directory(here.path(), &sought, until);
    let better_pattern = survey.names_below("").unwrap();
    assert_eq!(finds(&better_pattern), "**/*.js");
    assert_eq!((better_pattern.number, better_pattern.generated), (6, 3));
    assert_eq!(better_pattern.generated_in, ["node_modules"]);
    let patterns = |with_built| -> Vec<String> {
        let all = survey.hidden("", with_built);
        all.iter().map(finds).collect()
    };
    let hidden = ["**/.*.js", r".g\,h/**/*.js", r".g\,h/.i/**/*.js"];
    assert_eq!(patterns(false), hidden);
    assert_eq!(patterns(true), hidden);
    assert_eq!(survey.other_case(""), ["a/B.JS"]);
    let every = NameMatcher::new("*", true);
    let survey = NameSurvey::survey_directory(here.path(), &every, until);
    let commonest = survey.commonest_below("").unwrap();
    assert_eq!(finds(&commonest), "**/*.js");
    finds(&survey.names_below("").unwrap());
}

const GREP: SearchVocabulary = SearchVocabulary {
    pattern_field: "glob",
    searches_files: true,
};

/// Names of directories and files of which trees are made: ordinary, built, hidden, and such as
/// patterns have to escape.
const NAMES: [&str; 12] = [
    "a",
    "b",
    "src",
    "packages",
    "node_modules",
    "target",
    ".git",
    ".h",
    "{x,y}",
    "x.ts",
    "y.ts",
    "z.js",
];

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]
    #[test]
    fn a_pattern_finds_as_many_names_as_it_is_said_to(
        files in proptest::collection::vec(proptest::collection::vec(0..NAMES.len(), 1..5), 0..14),
        links in proptest::collection::vec(proptest::collection::vec(0..NAMES.len(), 1..4), 0..3),
    ) {
        let here = tempfile::tempdir().unwrap();
        let path = |parts: &[usize]| -> std::path::PathBuf {
            let names = parts.iter().map(|part| NAMES[*part]);
            here.path().join(names.collect::<std::path::PathBuf>())
        };
        // A file may stand where another needs a directory: that one is left out.
        for file in files.iter().map(|parts| path(parts)) {
            if fs::create_dir_all(file.parent().unwrap()).is_ok() && !file.exists() {
                fs::write(file, "").unwrap();
            }
        }
        for link in links.iter().map(|parts| path(parts)) {
            if fs::create_dir_all(link.parent().unwrap()).is_ok() {
                let _ = std::os::unix::fs::symlink(here.path().join("a"), link);
            }
        }
        let until = Instant::now() + Duration::from_secs(20);
        for sought in ["*", "*.ts", "x.ts", "*.{ts,js}", ".*", "[xy]*"] {
            let names = NameMatcher::new(sought, true);
            let survey = NameSurvey::survey_directory(here.path(), &names, until);
            let all = survey.names_below("").into_iter().chain(survey.commonest_below(""));
            for better_pattern in all.chain(survey.hidden("", true)) {
                let paths = GlobPattern::parse(better_pattern.pattern.as_bytes()).unwrap();
                let paths = paths.paths(here.path(), None).unwrap();
                let paths = paths.iter().filter(|path| path.kind() == EntryKind::Regular);
                let count = paths.count() as u64;
                let is_true = count == better_pattern.number
                    || better_pattern.at_least && count > better_pattern.number;
                proptest::prop_assert!(is_true, "{}: {:?}", count, better_pattern);
            }
        }
    }
}

#[test]
fn a_pattern_that_reaches_what_was_built_says_so() {
    let found_in = |directories: &[&str]| {
        let here = tempfile::tempdir().unwrap();
        for directory in directories {
            fs::create_dir_all(here.path().join(directory)).unwrap();
            fs::write(here.path().join(directory).join("x.ts"), "").unwrap();
        }
        let names = NameMatcher::new("*", true);
        let until = Instant::now() + Duration::from_secs(20);
        let survey = NameSurvey::survey_directory(here.path(), &names, until);
        let better_pattern = survey.names_below("").unwrap();
        (
            better_pattern.pattern,
            better_pattern.number,
            better_pattern.generated,
            better_pattern.generated_in,
        )
    };
    let pattern = || "**/*".to_owned();
    let plain = ["packages/a/src", "packages/b/src/deep"];
    assert_eq!(found_in(&plain), (pattern(), 2, 0, Vec::new()));
    let mixed = ["a/src", "b/lib", "target/x"];
    let target = vec!["target".to_owned()];
    assert_eq!(found_in(&mixed), (pattern(), 3, 1, target));
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
        for index in 0..names.len() {
            let index = if is_reversed {
                names.len() - 1 - index
            } else {
                index
            };
            fs::write(directory.join(&names[index]), "").unwrap();
        }
        let survey = NameSurvey::survey_directory(&directory, &sought, until);
        assert_eq!(survey.other_case(""), names[..3], "{directory:?}");
    }
}

#[test]
fn a_search_of_all_that_lies_below_is_told_of_nothing_deeper_or_hidden() {
    let here = tempfile::tempdir().unwrap();
    for directory in ["a/b", ".h"] {
        fs::create_dir_all(here.path().join(directory)).unwrap();
    }
    for file in ["top.rs", "a/b/x.rs", "a/b/Y.ts", ".h/z.yml"] {
        fs::write(here.path().join(file), "").unwrap();
    }
    let path = here.path().to_str().unwrap();
    let deep = WalkScope {
        is_deep: true,
        ..WalkScope::default()
    };
    let search = |pattern, searches_all: bool| EmptySearch {
        path,
        pattern,
        words: GREP,
        scope: searches_all.then_some(&deep),
        knows_other_case: false,
        until: Instant::now() + EXPLANATION_TIMEOUT,
    };
    assert!(explain_more_below(search("*.rs", false), 1).is_some());
    assert!(explain_more_below(search("*.rs", true), 1).is_none());
    assert!(explain_no_names(search("*.yml", false)).is_some());
    assert!(explain_no_names(search("*.yml", true)).is_none());
    let searched = SearchedNames {
        files: 1,
        hidden: true,
        ..SearchedNames::default()
    };
    assert!(explain_no_lines(search("*", false), searched).is_some());
    assert!(explain_no_lines(search("*", true), searched).is_none());
    // A pattern without a slash is sought at any depth; what it counts there is not known here.
    let explanation = explain_no_names(search(r".*\.rs$", true));
    assert!(
        explanation
            .unwrap()
            .ends_with(": \"glob\":\"*.rs\" searches 2 files.")
    );
    assert!(explain_no_names(search("*.TS", true)).is_none());
}

#[test]
fn what_is_not_text_or_has_no_end_is_no_harm() {
    let here = tempfile::tempdir().unwrap();
    let path = here.path().to_str().unwrap();
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
        let scope = WalkScope::default();
        for searches in [false, true] {
            // Some lead through the whole machine.
            let until = Instant::now() + Duration::from_millis(50);
            let search = EmptySearch {
                path,
                pattern,
                words: SearchVocabulary {
                    pattern_field: "glob",
                    searches_files: searches,
                },
                scope: searches.then_some(&scope),
                knows_other_case: false,
                until,
            };
            let _ = explain_no_names(search);
            let _ = explain_no_lines(search, SearchedNames::default());
            let _ = explain_path(
                EmptySearch {
                    path: pattern,
                    ..search
                },
                Some(pattern),
            );
        }
    }
}
