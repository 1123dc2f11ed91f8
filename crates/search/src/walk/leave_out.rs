//! Taking names out of a directory's listing: those that the caller excludes, and those that ignore
//! files leave out.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::listing::{DirectoryListing, ListingEntry};
use super::shared_walk::SharedWalk;
use crate::ignore_files::IgnoreRules;
use crate::order::NameSpan;
use crate::paths::{EntryKind, IgnoredNames};

/// Takes out of `found`, the entries of the directory `here`, what the scope of the walk and these
/// rules leave out, and adds the latter to `ignored`.
pub(super) fn leave_out(
    shared: &SharedWalk,
    here: &[u8],
    found: &mut DirectoryListing,
    (rules, ignored): (Option<&IgnoreRules>, &mut IgnoredNames),
) {
    let excluded = shared.scope.excluded.as_deref();
    if rules.is_none() && excluded.is_none() {
        return;
    }
    let from_start = here.get(shared.start..).unwrap_or_default();
    let is_excluded = |name: &[u8], is_directory| {
        excluded.is_some_and(|excluded| {
            let path = [from_start, name].concat();
            let path = Path::new(OsStr::from_bytes(&path));
            excluded.matched(path, is_directory).is_ignore()
        })
    };
    let names = &found.names;
    let mut left_out = BTreeSet::new();
    found.entries.retain(|entry| {
        let (name, is_directory) = name_and_kind(entry, names);
        if is_excluded(name, is_directory) {
            return false;
        }
        let Some(rules) = rules else {
            return true;
        };
        if name == b".git" {
            ignored.git = true;
            return false;
        }
        let file = rules.leaving_out(here, name, is_directory);
        left_out.extend(file.map(|file| (name.to_vec(), is_directory, file)));
        file.is_none()
    });
    for (name, is_directory, file) in left_out {
        ignored.add([here, &*name].concat(), is_directory, file);
    }
}

/// The name of an entry without trailing slashes; true for a directory that is not a link.
fn name_and_kind<'n>(entry: &NameSpan<ListingEntry>, names: &'n [u8]) -> (&'n [u8], bool) {
    let name = entry.of(names);
    let is_end = |byte: &u8| matches!(byte, 0 | b'/');
    let length = name.iter().position(is_end).unwrap_or(name.len());
    let is_directory = match entry.what {
        ListingEntry::Found(kind) => kind == EntryKind::Directory,
        ListingEntry::Directory(deeper) => !deeper.links,
    };
    (&name[..length], is_directory)
}
