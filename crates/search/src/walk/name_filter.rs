//! Taking names out of a directory's listing: those that the caller excludes, and those that ignore
//! files leave out.

use std::collections::BTreeSet;

use super::listing::{DirectoryListing, ListingEntry};
use super::shared_walk::{SharedWalk, WalkScope};
use crate::ignore_files::IgnoreRules;
use crate::left_out::{LeftOutNames, LeftOutReason};
use crate::name_order::NameSpan;
use crate::paths::EntryKind;

/// A name that is passed over, and the reason.
pub(super) type NotedName = (Vec<u8>, LeftOutReason);

/// Takes out of `listing`, the entries of the directory `here`, what the scope of the walk and
/// these rules leave out, and adds it to `passed_over`, with those of the `noted` names that they
/// do not.
pub(super) fn leave_out(
    shared: &SharedWalk,
    here: &[u8],
    rules: Option<&IgnoreRules>,
    (listing, noted): (&mut DirectoryListing, &mut Vec<NotedName>),
    passed_over: &mut LeftOutNames,
) {
    let WalkScope {
        excluded, types, ..
    } = &shared.scope;
    if rules.is_none() && excluded.is_none() && types.is_none() && noted.is_empty() {
        return;
    }
    let from_start = here.get(shared.start..).unwrap_or_default();
    let is_excluded = |name: &[u8], is_directory| {
        excluded
            .as_deref()
            .is_some_and(|excluded| excluded.leave_out(&[from_start, name].concat(), is_directory))
    };
    let is_of_type = |name: &[u8], is_directory: bool| {
        let types = types.as_deref();
        types.is_none_or(|types| !is_directory && types.take(name))
    };
    let ignored_by = |name: &[u8], is_directory| {
        rules.and_then(|rules| rules.leaving_out(here, name, is_directory))
    };
    noted.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    for (name, reason) in noted.drain(..) {
        let is_git = rules.is_some() && name == b".git";
        if !is_git && !is_excluded(&name, false) && ignored_by(&name, false).is_none() {
            passed_over.add(reason, [here, &*name].concat(), false);
        }
    }
    let names = &listing.names;
    let (mut ignored, mut excluded_names) = (BTreeSet::new(), BTreeSet::new());
    listing.entries.retain(|entry| {
        let (name, is_directory) = name_and_kind(entry, names);
        if is_excluded(name, is_directory) {
            let is_sought = matches!(entry.what, ListingEntry::Found(_));
            if is_directory || is_sought && is_of_type(name, is_directory) {
                excluded_names.insert((name, is_directory));
            }
            return false;
        }
        if matches!(entry.what, ListingEntry::Found(_)) && !is_of_type(name, is_directory) {
            return false;
        }
        // A name that is asked for by itself is found, but not entered.
        if matches!(entry.what, ListingEntry::Found(_)) && shared.steps.asks_for(name) {
            return true;
        }
        if rules.is_some() && name == b".git" {
            passed_over.add_git([here, name].concat());
            return false;
        }
        let file = ignored_by(name, is_directory);
        ignored.extend(file.map(|file| (name, is_directory, file)));
        file.is_none()
    });
    for (name, is_directory) in excluded_names {
        let reason = if is_directory {
            LeftOutReason::Exclusion
        } else {
            LeftOutReason::ExcludedFile
        };
        passed_over.add(reason, [here, name].concat(), is_directory);
    }
    for (name, is_directory, file) in ignored {
        passed_over.add_ignored([here, name].concat(), is_directory, file);
    }
}

/// The name of an entry without trailing slashes; true for a directory that is not a link.
fn name_and_kind<'n>(entry: &NameSpan<ListingEntry>, names: &'n [u8]) -> (&'n [u8], bool) {
    let name = entry.text_in(names);
    let is_end = |byte: &u8| matches!(byte, 0 | b'/');
    let length = name.iter().position(is_end).unwrap_or(name.len());
    let is_directory = match entry.what {
        ListingEntry::Found(kind) => kind == EntryKind::Directory,
        ListingEntry::Directory(deeper) => !deeper.follows_links,
    };
    (&name[..length], is_directory)
}
