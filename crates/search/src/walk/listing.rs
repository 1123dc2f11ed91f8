//! The entries found in a directory, and the rest of a walk.
//!
//! A directory's entries and what lies below them are in the byte order of their paths when the
//! directory itself stands as its name with a trailing slash: `a-b` comes before `a/x`.

use std::ffi::CStr;
use std::sync::Arc;

use crate::ignore_files::IgnoreRules;
use crate::name_order::{self, NameSpan, OutOfMemory};
use crate::ordered_pool::OrderedJob;
use crate::paths::{EntryKind, PathList};

use super::places::AnchorDirectory;

/// The cost of a part that is worth a turn. A directory costs [`DIRECTORY_COST`], a path what its
/// visitor says.
pub(super) const MIN_PART_COST: usize = 1024;
/// The cost of reading a directory.
pub(super) const DIRECTORY_COST: usize = 32;

/// An entry, as the walk uses it. Of two with one name, the path comes before what is below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ListingEntry {
    /// A path that was found.
    Found(EntryKind),
    /// A directory to be read; its name ends in the slashes.
    Directory(DirectoryVisit),
}

/// The way in which a directory is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DirectoryVisit {
    /// The range of the listing's states that its entries start with.
    pub states: (u32, u32),
    /// True if a link may be followed here.
    pub follows_links: bool,
    /// True if the path leads through `..`, or through a link after a wildcard.
    pub is_roundabout: bool,
}

/// The entries found in one directory.
#[derive(Debug, Default)]
pub(super) struct DirectoryListing {
    /// The path of the directory, with a trailing slash.
    pub base: Vec<u8>,
    /// The names, each followed by a NUL.
    pub names: Vec<u8>,
    pub entries: Vec<NameSpan<ListingEntry>>,
    /// The steps that the entries of directories may match, range by range.
    pub states: Vec<usize>,
    /// The directory from which deep paths start.
    pub anchor: Option<Arc<AnchorDirectory>>,
    /// The ignore files' rules that hold there, where they are heeded.
    pub rules: Option<IgnoreRules>,
}

impl DirectoryListing {
    /// Makes a listing of paths that are known.
    pub fn of_paths(paths: PathList) -> Self {
        let entry = |span: &NameSpan<EntryKind>| span.with(ListingEntry::Found(span.what));
        Self {
            entries: paths.spans.iter().map(entry).collect(),
            names: paths.text,
            ..Self::default()
        }
    }

    /// Adds an entry by the pieces of its name.
    pub fn push(&mut self, pieces: [&[u8]; 2], entry: ListingEntry) -> Result<(), OutOfMemory> {
        self.entries.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.entries
            .push(NameSpan::push(&mut self.names, pieces, entry)?);
        Ok(())
    }

    pub fn sort(&mut self) {
        name_order::sort(&self.names, &mut self.entries);
    }

    /// The name of an entry.
    pub fn name(&self, entry: &NameSpan<ListingEntry>) -> &CStr {
        CStr::from_bytes_with_nul(entry.text_in(&self.names)).unwrap_or_default()
    }
}

/// A range of a listing.
#[derive(Clone, Debug)]
pub(super) struct EntryRange {
    pub listing: Arc<DirectoryListing>,
    pub next: usize,
    pub end: usize,
}

impl EntryRange {
    pub fn whole(listing: DirectoryListing) -> Self {
        let end = listing.entries.len();
        Self {
            listing: Arc::new(listing),
            next: 0,
            end,
        }
    }

    fn is_over(&self) -> bool {
        self.next >= self.end
    }

    fn entry(&self, index: usize) -> Option<ListingEntry> {
        let entries = &self.listing.entries[..self.end];
        entries.get(index).map(|span| span.what)
    }

    /// Cuts off the beginning: as many paths as are worth a turn, or all up to a directory, and
    /// that one with them.
    fn cut(&mut self, cost: usize) -> Self {
        let limit = (MIN_PART_COST / cost.max(1)).max(1);
        let mut end = self.next;
        while end < self.end && end - self.next < limit {
            match self.entry(end) {
                // It may have to wait when all before it need not.
                Some(ListingEntry::Directory(deeper))
                    if deeper.is_roundabout && end > self.next =>
                {
                    break;
                }
                Some(ListingEntry::Directory(_)) => {
                    end += 1;
                    break;
                }
                _ => end += 1,
            }
        }
        let beginning = Self {
            end,
            ..self.clone()
        };
        self.next = end;
        beginning
    }
}

/// The rest of a walk, or a part of it.
#[derive(Debug)]
pub(super) struct RemainingWalk<R> {
    /// The rest of the path that was visited last.
    pub pending: Option<R>,
    /// Listings that are not finished, the deepest last: it comes first.
    pub ranges: Vec<EntryRange>,
    /// The cost of a path for its visitor.
    pub cost: usize,
}

impl<R> RemainingWalk<R> {
    /// Takes the next entry. After the last one of a listing, the listing is dropped.
    pub fn next(&mut self) -> Option<(Arc<DirectoryListing>, usize)> {
        while self.ranges.last().is_some_and(EntryRange::is_over) {
            self.ranges.pop();
        }
        let range = self.ranges.last_mut()?;
        let index = range.next;
        range.next += 1;
        let listing = Arc::clone(&range.listing);
        if range.is_over() {
            self.ranges.pop();
        }
        Some((listing, index))
    }

    /// True if the next entry is a directory on a roundabout way.
    pub fn is_roundabout(&self) -> bool {
        let range = self.ranges.iter().rev().find(|range| !range.is_over());
        let entry = range.and_then(|range| range.entry(range.next));
        matches!(entry, Some(ListingEntry::Directory(deeper)) if deeper.is_roundabout)
    }
}

impl<R: OrderedJob> OrderedJob for RemainingWalk<R> {
    fn split_off(&mut self) -> Option<Self> {
        if let Some(pending) = &mut self.pending {
            let part = pending.split_off();
            if pending.is_over() {
                self.pending = None;
            }
            if part.is_some() {
                return Some(Self {
                    pending: part,
                    ranges: Vec::new(),
                    cost: self.cost,
                });
            }
        }
        while self.ranges.last().is_some_and(EntryRange::is_over) {
            self.ranges.pop();
        }
        let part = self.ranges.last_mut()?.cut(self.cost);
        Some(Self {
            pending: None,
            ranges: vec![part],
            cost: self.cost,
        })
    }

    fn is_over(&self) -> bool {
        self.pending.is_none() && self.ranges.iter().all(EntryRange::is_over)
    }

    fn waits_for_all_before(&self) -> bool {
        self.pending.is_none() && self.is_roundabout()
    }
}
