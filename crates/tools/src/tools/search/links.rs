//! The links that a search met and did not follow: those that lead to what it did not search.
//!
//! To know where a link leads takes calls of the kernel, and there may be thousands: so each
//! directory that they lead to, and each target, is looked at once, and the time has an end.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::fs::{self, FileType};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::tools::search::empty_result::EmptySearch;
use iki_process::sandbox::confinement;
use iki_search::ignore_files::IgnoreRules;
use iki_search::left_out::{LeftOutList, LeftOutNames, LeftOutReason};

/// The number of links that are looked at between two looks at the clock, whatever it says.
const LINKS_PER_CLOCK_CHECK: usize = 64;

/// Returns the links to what lies outside of what was searched, and is left out by no rule; and
/// those to what a confined call may not read, which may not be asked either what it is.
pub fn survey(passed_over: &LeftOutNames, search: &EmptySearch<'_>) -> (LeftOutList, LeftOutList) {
    let (mut not_followed, mut out_of_reach) = (LeftOutList::default(), LeftOutList::default());
    // For each, if a directory behind it would have been searched, and a file.
    let mut links = BTreeMap::<&[u8], (bool, bool)>::new();
    let on_the_way = passed_over.names_for(LeftOutReason::LinkOnTheWay);
    for link in &on_the_way.others {
        links.entry(link).or_default().0 = true;
    }
    not_followed.unread = on_the_way.further;
    if search.words.searches_files {
        let passed_links = passed_over.names_for(LeftOutReason::FoundLink);
        for link in &passed_links.others {
            links.entry(link).or_default().1 = true;
        }
        not_followed.unread += passed_links.further;
    }
    if links.is_empty() {
        return (not_followed, out_of_reach);
    }
    let mut targets = LinkTargets::new(search);
    for (index, (link, sought)) in links.iter().enumerate() {
        let is_checked = index % LINKS_PER_CLOCK_CHECK == LINKS_PER_CLOCK_CHECK - 1;
        if is_checked && Instant::now() >= search.until {
            not_followed.unread += (links.len() - index) as u64;
            break;
        }
        let path = Path::new(OsStr::from_bytes(link));
        if !confinement::is_within_reach(path) {
            out_of_reach.others.push(link.to_vec());
            continue;
        }
        let Some((target, kind)) = targets.resolve(path) else {
            continue;
        };
        let names = match (*sought, kind.is_dir(), kind.is_file()) {
            ((true, _), true, _) => &mut not_followed.directories,
            ((_, true), _, true) => &mut not_followed.others,
            _ => continue,
        };
        if targets.is_outside(target, kind.is_dir()) {
            names.push(link.to_vec());
        }
    }
    (not_followed, out_of_reach)
}

/// Finds out where links lead.
struct LinkTargets<'s> {
    search: &'s EmptySearch<'s>,
    /// The directory that was searched, without links.
    searched: PathBuf,
    /// The directories that links lead to, by how they are written.
    directories: HashMap<PathBuf, Option<PathBuf>>,
    /// The targets that were asked for, true for those outside.
    outside: HashMap<PathBuf, bool>,
}

impl<'s> LinkTargets<'s> {
    fn new(search: &'s EmptySearch<'s>) -> Self {
        Self {
            search,
            searched: fs::canonicalize(search.base()).unwrap_or_default(),
            directories: HashMap::new(),
            outside: HashMap::new(),
        }
    }

    /// Returns what `link` leads to in the end, and its kind; `None` if there is nothing.
    fn resolve(&mut self, link: &Path) -> Option<(PathBuf, FileType)> {
        let written = link.parent()?.join(fs::read_link(link).ok()?);
        let mut target = match (written.parent(), written.file_name()) {
            (Some(directory), Some(name)) => {
                let real = if let Some(real) = self.directories.get(directory) {
                    real.clone()
                } else {
                    let here = Path::new(".").join(directory);
                    let real = fs::canonicalize(here).ok();
                    self.directories.insert(directory.to_owned(), real.clone());
                    real
                };
                real?.join(name)
            }
            _ => fs::canonicalize(&written).ok()?,
        };
        let mut kind = fs::symlink_metadata(&target).ok()?.file_type();
        if kind.is_symlink() {
            target = fs::canonicalize(target).ok()?;
            kind = fs::symlink_metadata(&target).ok()?.file_type();
        }
        Some((target, kind))
    }

    /// True if the search neither reaches `target` nor leaves it out.
    fn is_outside(&mut self, target: PathBuf, is_directory: bool) -> bool {
        if let Some(known) = self.outside.get(&target) {
            return *known;
        }
        let below = target.strip_prefix(&self.searched);
        let is_searched = below.is_ok_and(|below| self.search.reaches(below, is_directory));
        let is_outside = !is_searched
            && confinement::is_within_reach(&target)
            && !(self.search.heeds_ignore_files() && IgnoreRules::leave_out(&target));
        self.outside.insert(target, is_outside);
        is_outside
    }
}
