//! The one note on what a search passed over: names by the reason why, three of each.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use crate::contract::call_terms::{Audience, CallTerms};
use crate::tools::search::empty_result::EmptySearch;
use crate::tools::search::links;
use iki_base::wording::{count_noun, join_list, quoted_for_shell, thousands};
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
    let (not_followed, out_of_reach) = links::survey(passed_over, search);
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
        let mut excluded = names_for(LeftOutReason::Exclusion).clone();
        if found_nothing {
            excluded.append(&mut names_for(LeftOutReason::ExcludedFile).clone());
        }
        say("by exclude", &excluded, "");
    }
    say("behind links, which only `path` follows", &not_followed, "");
    say(
        "behind links that lead out of what may be read",
        &out_of_reach,
        "",
    );
    say("in another case", names_for(LeftOutReason::OtherCase), "");
    let documents = names_for(LeftOutReason::Document);
    let one = " (`path` to one searches its text)";
    say("as documents, but for their bytes", documents, one);
    let unknown = names_for(LeftOutReason::UnknownEncoding);
    say(
        "but for their bytes, being neither UTF-8 nor in an encoding that is known",
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

/// `node_modules, target and 3 more`. A name that several ignored entries share is listed once, and
/// those that are not listed count wherever they are.
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
    let listed_places = names.iter().take(MAX_NAMES_LISTED);
    let listed_places: u64 = listed_places.map(|(name, _)| places[name]).sum();
    let all = places.values().sum::<u64>() + list.further;
    let and = format!("{} and", listed.join(", "));
    match (all - listed_places, list.unread) {
        _ if listed.is_empty() && list.unread == 0 => String::new(),
        (0, 0) => join_list(&listed, "and"),
        (0, unread) if listed.is_empty() => {
            format!(
                "up to {} that there was no time to look at",
                thousands(unread)
            )
        }
        (0, _) => format!("{and} perhaps more"),
        (more, 0) => format!("{and} {} more", thousands(more)),
        (more, _) => format!("{and} at least {} more", thousands(more)),
    }
}

/// Says how many files, or names, the search's pattern matches in all ignored directories.
fn count_left_out(ignored: &LeftOutList, search: &EmptySearch<'_>) -> Option<String> {
    let (mut number, mut is_cut) = (ignored.others.len() as u64, ignored.further > 0);
    for directory in &ignored.directories {
        if Instant::now() >= search.until {
            is_cut = true;
            break;
        }
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
        ..scope.clone()
    };
    let path = Path::new(search.path);
    let Ok(paths) = pattern.paths_below(&walk, path, directory, Some(search.until)) else {
        return Some((0, false));
    };
    let counts = |kind| !search.words.searches_files || kind == EntryKind::Regular;
    let number = paths.iter().filter(|one| counts(one.kind())).count() as u64;
    Some((number, paths.left_out().is_some()))
}
