//! The note on names that ignore files left out of a search.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Instant;

use crate::tools::search::note::SearchVocabulary;
use iki_base::wording::{count_noun, join_list, thousands};
use iki_search::paths::{EntryKind, IgnoredNames};
use iki_search::steps::GlobPattern;
use iki_search::walk::WalkScope;

/// Maximum number of names that are listed.
const MAX_NAMES_LISTED: usize = 3;

/// Names the ignored entries below `path`, directories first; `None` if there are none. With
/// `count_until`, also counts the ignored files that `pattern` matches.
pub fn note_on_ignored(
    ignored: &IgnoredNames,
    path: &str,
    pattern: &str,
    words: SearchVocabulary,
    count_until: Option<Instant>,
) -> Option<String> {
    let listed = list_names(ignored, path);
    let git = (ignored.git && count_until.is_some()).then_some(".git");
    if listed.is_empty() {
        return git.map(|git| format!("not searched: {git}"));
    }
    let files: Vec<&str> = ignored.files.iter().map(|file| file.name()).collect();
    let number = count_until.and_then(|until| count_left_out(ignored, pattern, words, until));
    let number = number.map_or_else(String::new, |number| format!(" ({number})"));
    let git = git.map_or_else(String::new, |git| {
        format!("; {git} was not searched either")
    });
    let by = files.join(" and ");
    Some(format!("not searched, by {by}: {listed}{number}{git}"))
}

/// `node_modules, target and 3 more`. A name that several share is listed once.
fn list_names(ignored: &IgnoredNames, path: &str) -> String {
    let mut places = BTreeMap::<&[u8], u64>::new();
    let mut names: Vec<(&[u8], &[u8])> = Vec::new();
    for path in ignored.directories.iter().chain(&ignored.others) {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let number = places.entry(name).or_default();
        *number += 1;
        if *number == 1 {
            names.push((name, path));
        }
    }
    let listed = names.iter().take(MAX_NAMES_LISTED).map(|(name, whole)| {
        let number = places[name];
        let below = whole.strip_prefix(path.as_bytes()).unwrap_or(whole);
        let below = below.strip_prefix(b"/").unwrap_or(below);
        match number {
            1 => String::from_utf8_lossy(below).into_owned(),
            _ => format!(
                "{} in {}",
                String::from_utf8_lossy(name),
                count_noun(number, "place")
            ),
        }
    });
    let listed: Vec<String> = listed.collect();
    let further = names.len().saturating_sub(MAX_NAMES_LISTED) as u64 + ignored.further;
    match further {
        0 => join_list(&listed, "and"),
        more => format!("{} and {} more", listed.join(", "), thousands(more)),
    }
}

/// The number of files, or of names, that `pattern` matches in all ignored directories.
fn count_left_out(
    ignored: &IgnoredNames,
    pattern: &str,
    words: SearchVocabulary,
    until: Instant,
) -> Option<String> {
    let name = pattern.rsplit('/').next().filter(|name| !name.is_empty())?;
    let pattern = GlobPattern::parse_anywhere(name.as_bytes()).ok()?;
    let scope = WalkScope {
        hidden: true,
        ..WalkScope::default()
    };
    let (mut number, mut is_cut) = (ignored.others.len() as u64, ignored.further > 0);
    for directory in &ignored.directories {
        let directory = Path::new(OsStr::from_bytes(directory));
        let Ok(found) = pattern.paths_in(&scope, directory, Some(until)) else {
            continue;
        };
        let counts = |kind| !words.searches_files || kind == EntryKind::Regular;
        number += found.iter().filter(|one| counts(one.kind())).count() as u64;
        is_cut |= found.left_out().is_some();
    }
    let what = if words.searches_files { "file" } else { "name" };
    Some(match (number, is_cut) {
        (0, true) => return None,
        (0, false) => format!("no such {what} there"),
        (_, true) => format!("at least {}", count_noun(number, what)),
        (_, false) => count_noun(number, what),
    })
}
