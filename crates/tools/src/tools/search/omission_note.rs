//! The one note on what a search passed over: names by the reason why, three of each.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::contract::call_terms::{Audience, CallTerms};
use crate::tools::search::empty_result::EmptySearch;
use iki_base::wording::{count_noun, join_list, quoted_for_shell, thousands};
use iki_process::sandbox::confinement;
use iki_search::ignore_files::IgnoreRules;
use iki_search::left_out::{LeftOutList, LeftOutNames, LeftOutReason};
use iki_search::paths::EntryKind;
use iki_search::walk::WalkScope;

/// Maximum number of names that are listed for one reason.
const MAX_NAMES_LISTED: usize = 3;

/// Says what `search` passed over; `None` if that is nothing. Where it found nothing, the ignored
/// files that its pattern matches are counted too.
pub fn note_on_left_out(
    passed_over: &LeftOutNames,
    search: &EmptySearch<'_>,
    found_nothing: bool,
    terms: &CallTerms,
) -> Option<String> {
    let mut parts = Vec::new();
    let mut say = |why: &str, list: &LeftOutList, behind: &str| {
        let names = list_names(list);
        if !names.is_empty() {
            parts.push(format!("{why}: {names}{behind}"));
        }
    };
    let names_for = |reason| passed_over.names_for(reason);
    let ignored = names_for(LeftOutReason::IgnoreFile);
    let number = found_nothing.then(|| count_left_out(ignored, search));
    let files: Vec<&str> = passed_over.files.iter().map(|file| file.name()).collect();
    let by = format!("by {}", files.join(" and "));
    say(&by, ignored, &number.flatten().unwrap_or_default());
    if found_nothing || terms.reader == Audience::Person {
        say("by exclude", names_for(LeftOutReason::Exclusion), "");
    }
    say(
        "behind links, which only `path` follows",
        &links_not_followed(passed_over, search),
        "",
    );
    say(
        "behind links that lead out of what may be read",
        &links_out_of_reach(passed_over, search),
        "",
    );
    say("in another case", names_for(LeftOutReason::OtherCase), "");
    let documents = names_for(LeftOutReason::Document);
    let one = " (`path` to one searches its text)";
    say("as documents, but for their bytes", documents, one);
    let unknown = names_for(LeftOutReason::UnknownEncoding);
    say(
        "being neither UTF-8 nor in an encoding that is known",
        unknown,
        "",
    );
    for encoding in ["UTF-16LE", "UTF-16BE", "UTF-32"] {
        let wide = names_for(LeftOutReason::Wide(encoding));
        let command = format!("iconv -f {encoding} -t UTF-8");
        let first = wide.others.first();
        let first = first.map(|path| as_text_command(path, &command, terms));
        let why = match encoding {
            "UTF-32" => "being UTF-32",
            _ => "being UTF-16 without a mark",
        };
        say(why, wide, &first.unwrap_or_default());
    }
    let with_nul = names_for(LeftOutReason::Nul);
    let first = with_nul
        .others
        .first()
        .map(|path| as_text_command(path, r"tr -d '\0' <", terms));
    say(
        "as text, for NUL characters in it",
        with_nul,
        &first.unwrap_or_default(),
    );
    if let Some(git) = &passed_over.git
        && found_nothing
        && let Some(number) = count_in_git(git, search)
    {
        parts.push(format!("in .git: {number}"));
    }
    (!parts.is_empty()).then(|| format!("not searched, {}", parts.join("; ")))
}

/// The command that shows a file as text: ` (iconv -f UTF-16LE -t UTF-8 log.txt)`; nothing
/// where there are no commands.
fn as_text_command(path: &[u8], command: &str, terms: &CallTerms) -> String {
    if !terms.serves("bash") {
        return String::new();
    }
    let file = quoted_for_shell(&String::from_utf8_lossy(path));
    format!(" (`{command} {file}` shows its text)").replace("< ", "<")
}

/// `node_modules, target and 3 more`. A name that several ignored entries share is listed once.
fn list_names(list: &LeftOutList) -> String {
    let mut places = BTreeMap::<&[u8], u64>::new();
    let mut names: Vec<(&[u8], &[u8])> = Vec::new();
    for path in list.directories.iter().chain(&list.others) {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let number = places.entry(name).or_default();
        *number += 1;
        if *number == 1 {
            names.push((name, path));
        }
    }
    let listed = names.iter().take(MAX_NAMES_LISTED).map(|(name, whole)| {
        let number = places[name];
        let whole = whole.strip_prefix(b"./").unwrap_or(whole);
        match number {
            1 => String::from_utf8_lossy(whole).into_owned(),
            _ => format!(
                "{} in {}",
                String::from_utf8_lossy(name),
                count_noun(number, "place")
            ),
        }
    });
    let listed: Vec<String> = listed.collect();
    let further = names.len().saturating_sub(MAX_NAMES_LISTED) as u64 + list.further;
    match further {
        0 => join_list(&listed, "and"),
        more => format!("{} and {} more", listed.join(", "), thousands(more)),
    }
}

/// Says how many files, or names, the search's pattern matches in all ignored directories.
fn count_left_out(ignored: &LeftOutList, search: &EmptySearch<'_>) -> Option<String> {
    let (mut number, mut is_cut) = (ignored.others.len() as u64, ignored.further > 0);
    for directory in &ignored.directories {
        let (count, cut) = count_in(directory, search)?;
        number += count;
        is_cut |= cut;
    }
    let what = search.noun();
    Some(match (number, is_cut) {
        (0, true) => return None,
        (0, false) => format!(" (no such {what} there)"),
        (_, true) => format!(" (at least {})", count_noun(number, what)),
        (_, false) => format!(" ({})", count_noun(number, what)),
    })
}

/// Says how many names in `.git` match, where it is not every name that is sought.
fn count_in_git(git: &[u8], search: &EmptySearch<'_>) -> Option<String> {
    let (number, _) =
        count_in(git, search).filter(|_| search.pattern.contains(char::is_alphanumeric))?;
    (number > 0).then(|| count_noun(number, search.noun()))
}

/// Counts what the search would find in `directory` if no rule left that out; true if there was no
/// time for all.
fn count_in(directory: &[u8], search: &EmptySearch<'_>) -> Option<(u64, bool)> {
    let scope = search.scope?;
    let pattern = scope.parse(search.pattern).ok()?;
    let walk = WalkScope {
        heeds_ignore_files: false,
        ..scope.walk.clone()
    };
    let path = Path::new(search.path);
    let Ok(paths) = pattern.paths_below(&walk, path, directory, Some(search.until)) else {
        return Some((0, false));
    };
    let counts = |kind| !search.words.searches_files || kind == EntryKind::Regular;
    let number = paths.iter().filter(|one| counts(one.kind())).count() as u64;
    Some((number, paths.left_out().is_some()))
}

/// The links to what lies outside of what was searched, and is left out by no rule.
fn links_not_followed(passed_over: &LeftOutNames, search: &EmptySearch<'_>) -> LeftOutList {
    let on_the_way = passed_over.names_for(LeftOutReason::LinkOnTheWay);
    let passed_links = passed_over.names_for(LeftOutReason::FoundLink);
    let mut list = LeftOutList::default();
    if on_the_way.is_empty() && passed_links.is_empty() {
        return list;
    }
    let searched = fs::canonicalize(search.base()).unwrap_or_default();
    let is_followed = |target: &Path, is_directory: bool| {
        let Ok(below) = target.strip_prefix(&searched) else {
            return false;
        };
        search.reaches(below, is_directory)
    };
    let heeds_ignore_files = search.heeds_ignore_files();
    let is_told = |link: &Path, is_directory: bool| {
        let target: PathBuf = fs::canonicalize(link).ok()?;
        let kind = fs::metadata(&target).ok()?;
        let is_kind = if is_directory {
            kind.is_dir()
        } else {
            kind.is_file()
        };
        let is_told = is_kind
            && confinement::is_within_reach(&target)
            && !is_followed(&target, is_directory)
            && !(heeds_ignore_files && IgnoreRules::leave_out(&target));
        is_told.then_some(())
    };
    for (links, is_directory) in [(on_the_way, true), (passed_links, false)] {
        if !is_directory && !search.words.searches_files {
            continue;
        }
        for link in &links.others {
            if Instant::now() >= search.until {
                list.further += 1;
            } else if is_told(Path::new(OsStr::from_bytes(link)), is_directory).is_some() {
                let names = if is_directory {
                    &mut list.directories
                } else {
                    &mut list.others
                };
                names.push(link.clone());
            }
        }
    }
    list
}

/// The links to what a confined call may not read. It may not ask either if that exists, or what
/// it is.
fn links_out_of_reach(passed_over: &LeftOutNames, search: &EmptySearch<'_>) -> LeftOutList {
    let mut links = BTreeSet::new();
    for reason in [LeftOutReason::LinkOnTheWay, LeftOutReason::FoundLink] {
        if reason == LeftOutReason::LinkOnTheWay || search.words.searches_files {
            links.extend(&passed_over.names_for(reason).others);
        }
    }
    let in_time = links
        .into_iter()
        .take_while(|_| Instant::now() < search.until);
    let is_out =
        |link: &&Vec<u8>| !confinement::is_within_reach(Path::new(OsStr::from_bytes(link)));
    LeftOutList {
        others: in_time.filter(is_out).cloned().collect(),
        ..LeftOutList::default()
    }
}
