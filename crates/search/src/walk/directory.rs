//! Reading one directory on the way of a pattern: the entries that it names, and the directories
//! that may lead to more.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::fs::{CWD, Mode, OFlags, RawDir, openat};
use rustix::io::Errno;

use super::GlobError;
use super::listing::{DirectoryListing, DirectoryVisit, EntryRange, ListingEntry};
use super::name_filter::{NotedName, leave_out};
use super::places::{AnchorDirectory, entry_kind, is_directory, starting_point, terminated};
use super::shared_walk::SharedWalk;
use crate::glob_pattern::AutomatonStep;
use crate::ignore_files::{IgnoreFilePresence, IgnoreRules};
use crate::left_out::LeftOutReason;
use crate::paths::{EntryKind, WalkOutcome};
use crate::wildcard::PatternComponent;
use iki_base::progress_counters;
use iki_process::sandbox::confinement::{self, AccessRight};

mod name_lookup;

/// Bytes of directory entries taken from the kernel at once.
const LISTING_BUFFER_BYTES: usize = 256 << 10;
/// Directories further away than this many bytes of path become a new starting point. With a
/// name (255 bytes) this stays below the 4,096 bytes that the kernel takes.
const MAX_RELATIVE_PATH_BYTES: usize = 3500;
/// Directories whose path is longer, in bytes, are not read: no call takes such a path, and in a
/// chain of a hundred thousand directories the paths would take all memory.
const MAX_PATH_BYTES: usize = 16 << 10;

/// The number of entries that are looked at between two looks at the clock.
const ENTRIES_PER_CLOCK_CHECK: usize = 1024;
/// The number of steps that cost as much to compare with an entry as one more entry.
const STEPS_PER_ENTRY_COST: usize = 8;
/// Maximum number of names in one directory that are looked up without reading it.
const MAX_NAMES_LOOKED_UP: usize = 8;

/// A directory that is to be read.
pub(super) struct PendingRead {
    pub anchor: Option<Arc<AnchorDirectory>>,
    pub follows_links: bool,
    /// True if this is the directory that the caller named.
    pub is_start: bool,
    pub is_roundabout: bool,
    /// The rules that hold above it, where they are heeded.
    pub rules: Option<IgnoreRules>,
}

/// Reads directories, one after the other.
pub(super) struct DirectoryReader<'a> {
    shared: &'a SharedWalk,
    /// The path of the directory being read, with a trailing slash.
    here: Vec<u8>,
    /// The steps that its entries may match.
    active: Vec<usize>,
    listing: DirectoryListing,
    /// Names that are passed over, and may have to be told.
    noted: Vec<NotedName>,
    scratch: Vec<u8>,
    entry_buffer: Vec<MaybeUninit<u8>>,
}

impl<'a> DirectoryReader<'a> {
    pub fn new(shared: &'a SharedWalk) -> Self {
        Self {
            shared,
            here: Vec::new(),
            active: Vec::new(),
            listing: DirectoryListing::default(),
            noted: Vec::new(),
            scratch: Vec::new(),
            entry_buffer: Vec::new(),
        }
    }

    /// Reads the directory from which the walk starts: `here`, with a trailing slash.
    pub fn start(
        &mut self,
        here: &[u8],
        ranges: &mut Vec<EntryRange>,
        walked: &mut WalkOutcome,
    ) -> Result<(), GlobError> {
        let steps = &*self.shared.steps;
        self.here.clear();
        self.here.extend_from_slice(here);
        let pending = PendingRead {
            anchor: None,
            follows_links: true,
            is_start: steps.root.is_empty(),
            is_roundabout: false,
            rules: (self.shared.scope.heeds_ignore_files).then(|| IgnoreRules::above(here)),
        };
        if !self.shared.first.is_empty() && !self.shared.is_over(walked) {
            self.active.clone_from(&self.shared.first);
            self.follow_steps(pending, ranges, walked)?;
        }
        // A pattern that is empty or only slashes: the directory that it stands in.
        if steps.has_bare_root
            && !here.is_empty()
            && is_directory(CWD, terminated(&mut self.scratch, here))
        {
            let mut itself = DirectoryListing::default();
            itself.push([here, b""], ListingEntry::Found(EntryKind::Directory))?;
            ranges.push(EntryRange::whole(itself));
        }
        Ok(())
    }

    /// Reads the directory that an entry of `listing` names. Adds what was found to `ranges`, and
    /// returns the directory, if it was opened.
    pub fn go_deeper(
        &mut self,
        listing: &DirectoryListing,
        (name, deeper): (&[u8], DirectoryVisit),
        ranges: &mut Vec<EntryRange>,
        walked: &mut WalkOutcome,
    ) -> Result<Option<OwnedFd>, GlobError> {
        self.here.clear();
        self.here.extend_from_slice(&listing.base);
        self.here.extend_from_slice(name);
        let (first, end) = deeper.states;
        self.active.clear();
        self.active
            .extend_from_slice(&listing.states[first as usize..end as usize]);
        let pending = PendingRead {
            anchor: listing.anchor.clone(),
            follows_links: deeper.follows_links,
            is_start: false,
            is_roundabout: deeper.is_roundabout,
            rules: listing.rules.clone(),
        };
        self.follow_steps(pending, ranges, walked)
    }

    fn follow_steps(
        &mut self,
        mut next: PendingRead,
        ranges: &mut Vec<EntryRange>,
        walked: &mut WalkOutcome,
    ) -> Result<Option<OwnedFd>, GlobError> {
        let steps = &*self.shared.steps;
        self.close_over_deep();
        let base = self.here.len();
        while let [state] = self.active[..]
            && let Some(name) = self.shared.name_to_look_up(state)
        {
            let step = &steps.all[state];
            self.here.extend_from_slice(name);
            self.look_up((step.is_end, step.ends_in_slash), base, &next)?;
            let Some(&first) = step.next.first() else {
                break;
            };
            next.is_roundabout |= name == b".." || self.is_link_after_wildcards(&next, step);
            self.here.extend_from_slice(&steps.all[first].slashes);
            self.active.clear();
            self.active.extend_from_slice(&step.next);
            self.close_over_deep();
            (next.follows_links, next.is_start) = (true, false);
        }
        let itself = self.take_found(base, &next);
        let mut opened = None;
        if !self.is_at_the_end() {
            let is_name = |state: &usize| self.shared.name_to_look_up(*state).is_some();
            if self.active.len() <= MAX_NAMES_LOOKED_UP && self.active.iter().all(is_name) {
                self.look_up_names(&next)?;
            } else {
                progress_counters::add(&progress_counters::DIRECTORIES, 1);
                opened = self.read_entries(&mut next, walked)?;
            }
            let below = self.take_found(self.here.len(), &next);
            ranges.extend(below.map(EntryRange::whole));
        }
        ranges.extend(itself.map(EntryRange::whole));
        Ok(opened)
    }

    /// True if the only step left was looked up, and nothing comes after it.
    fn is_at_the_end(&self) -> bool {
        let [state] = self.active[..] else {
            return false;
        };
        let is_name = self.shared.name_to_look_up(state).is_some();
        is_name && self.shared.steps.all[state].next.is_empty()
    }

    /// Takes the entries that were found so far, in order: names from `base` bytes of the path on.
    fn take_found(&mut self, base: usize, pending: &PendingRead) -> Option<DirectoryListing> {
        if self.listing.entries.is_empty() {
            return None;
        }
        let mut listing = std::mem::take(&mut self.listing);
        listing.sort();
        listing.base.extend_from_slice(&self.here[..base]);
        listing.anchor.clone_from(&pending.anchor);
        listing.rules.clone_from(&pending.rules);
        Some(listing)
    }

    /// True if the name of `step`, to which `here` leads, is a link. It matters only after a
    /// wildcard, because without one no other path leads to it.
    fn is_link_after_wildcards(&mut self, next: &PendingRead, step: &AutomatonStep) -> bool {
        if next.is_roundabout || !step.is_after_wildcard {
            return false;
        }
        let (directory, start) = starting_point(next.anchor.as_deref());
        let path = terminated(&mut self.scratch, &self.here[start..]);
        entry_kind(directory, path) == Some(EntryKind::Symlink)
    }

    /// Adds the steps after `**` to it, because `**` also matches no directory at all.
    fn close_over_deep(&mut self) {
        let mut index = 0;
        while let Some(&state) = self.active.get(index) {
            index += 1;
            let step = &self.shared.steps.all[state];
            if matches!(step.component, PatternComponent::Deep) {
                self.active.extend_from_slice(&step.next);
            }
        }
        if index > 1 {
            self.active.sort_unstable();
            self.active.dedup();
        }
    }

    /// Reads the directory `here`: adds the entries that match the last step, and the directories
    /// that may lead to more.
    fn read_entries(
        &mut self,
        next: &mut PendingRead,
        walked: &mut WalkOutcome,
    ) -> Result<Option<OwnedFd>, GlobError> {
        if self.here.len() > MAX_PATH_BYTES {
            return Ok(None);
        }
        let (base, start) = starting_point(next.anchor.as_deref());
        let relative = &self.here[start..];
        // With a trailing slash a link would be followed all the same.
        let trimmed = relative.len() - relative.iter().rev().take_while(|b| **b == b'/').count();
        let name = match relative {
            [] => c".",
            _ if trimmed == 0 => c"/",
            _ => terminated(&mut self.scratch, &relative[..trimmed]),
        };
        let mut flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        if !next.follows_links {
            flags |= OFlags::NOFOLLOW;
        }
        let opened = openat(base, name, flags, Mode::empty());
        let opened = opened.and_then(|directory| {
            let masked = confinement::masks_open(&directory, AccessRight::Read);
            (!masked).then_some(directory).ok_or(Errno::ACCESS)
        });
        let directory = match opened {
            Ok(directory) => directory,
            Err(error) => {
                self.count_unreadable(error, next.is_start, walked)?;
                self.look_up_names(next)?;
                return Ok(None);
            }
        };
        if next.is_roundabout
            && !self
                .shared
                .repeated_directories()
                .enter(&directory, &self.active)
        {
            return Ok(None);
        }
        let far = relative.len() > MAX_RELATIVE_PATH_BYTES;
        let mut entry_buffer = std::mem::take(&mut self.entry_buffer);
        entry_buffer.resize(LISTING_BUFFER_BYTES, MaybeUninit::uninit());
        let mut entries = RawDir::new(&directory, &mut entry_buffer);
        let mut listed = 0;
        let mut ignore_files = IgnoreFilePresence::default();
        while let Some(entry) = entries.next() {
            listed += 1;
            if listed % ENTRIES_PER_CLOCK_CHECK == 0 && self.shared.is_over(walked) {
                break;
            }
            match entry {
                Ok(entry) => {
                    let kind = entry.file_type().into();
                    ignore_files.note(entry.file_name().to_bytes());
                    self.match_entry(
                        directory.as_fd(),
                        (entry.file_name(), kind),
                        next.is_roundabout,
                        walked,
                    )?;
                }
                Err(error) => {
                    self.count_unreadable(error, next.is_start, walked)?;
                    break;
                }
            }
        }
        self.entry_buffer = entry_buffer;
        if let Some(rules) = &next.rules {
            let rules = rules.extended_to(&self.here);
            next.rules = Some(rules.with_own_rules(&self.here, directory.as_fd(), ignore_files));
        }
        let rules = next.rules.as_ref();
        let names = (&mut self.listing, &mut self.noted);
        leave_out(
            self.shared,
            &self.here,
            rules,
            names,
            &mut walked.passed_over,
        );
        if next.is_roundabout {
            let listed = listed * (1 + self.active.len() / STEPS_PER_ENTRY_COST);
            self.shared.repeated_directories().count_entries(listed);
        }
        if far {
            next.anchor = Some(Arc::new(AnchorDirectory {
                directory,
                length: self.here.len(),
            }));
            return Ok(None);
        }
        Ok(Some(directory))
    }

    /// Matches one entry of the directory being read.
    fn match_entry(
        &mut self,
        directory: BorrowedFd<'_>,
        (name, mut kind): (&CStr, EntryKind),
        roundabout: bool,
        walked: &mut WalkOutcome,
    ) -> Result<(), GlobError> {
        if kind == EntryKind::Unknown {
            kind = entry_kind(directory, name).unwrap_or(kind);
        }
        let bytes = name.to_bytes();
        walked.has_hidden |= bytes.starts_with(b".") && !matches!(bytes, b"." | b".." | b".git");
        let leads = matches!(kind, EntryKind::Directory | EntryKind::Symlink);
        let is_deep = self.shared.scope.is_deep;
        let deep = kind == EntryKind::Directory
            && (!bytes.starts_with(b".") || (is_deep && !matches!(bytes, b"." | b"..")));
        let (mut hit, mut hit_directory, mut deeper) = (false, false, false);
        let (mut is_passed, mut is_other_case) = (false, false);
        let is_link = kind == EntryKind::Symlink;
        let steps = &*self.shared.steps;
        let first = self.listing.states.len();
        for &active in &self.active {
            let step = &steps.all[active];
            let mut is_stopped = false;
            match &step.component {
                PatternComponent::Deep => {
                    if deep {
                        self.listing.states.push(active);
                        deeper = true;
                    }
                    is_passed |= is_link;
                    continue;
                }
                PatternComponent::Name(only) if only == bytes => {}
                PatternComponent::Wild(wild) if wild.matches_in_scope(bytes, is_deep) => {
                    is_stopped = is_link && is_deep;
                }
                _ => {
                    is_other_case |= step.matches_in_other_case(bytes);
                    continue;
                }
            }
            hit |= step.is_end;
            hit_directory |= step.ends_in_slash;
            if is_stopped {
                is_passed |= !step.next.is_empty();
            } else if leads {
                self.listing.states.extend_from_slice(&step.next);
            }
        }
        if hit {
            self.listing.push([bytes, b""], ListingEntry::Found(kind))?;
        } else if is_other_case {
            self.note(bytes, LeftOutReason::OtherCase);
        }
        // A link that the pattern names is followed.
        if is_passed && self.listing.states.len() == first {
            self.note(bytes, LeftOutReason::LinkOnTheWay);
        }
        if hit_directory && leads && (kind == EntryKind::Directory || is_directory(directory, name))
        {
            let entry = ListingEntry::Found(EntryKind::Directory);
            self.listing.push([bytes, b"/"], entry)?;
        }
        if let Some(&state) = self.listing.states.get(first) {
            let slashes = if deeper {
                b"/"
            } else {
                &*steps.all[state].slashes
            };
            let roundabout = roundabout || is_link || bytes == b"..";
            self.push_directory([bytes, slashes], first, is_link, roundabout)?;
        }
        Ok(())
    }

    /// Notes a name that is passed over, unless it is hidden from this search.
    fn note(&mut self, name: &[u8], reason: LeftOutReason) {
        if self.shared.scope.is_deep || !name.starts_with(b".") {
            self.noted.push((name.to_vec(), reason));
        }
    }

    /// Adds a directory that may lead to more, whose states are those from `first` on.
    fn push_directory(
        &mut self,
        name: [&[u8]; 2],
        first: usize,
        follows_links: bool,
        is_roundabout: bool,
    ) -> Result<(), GlobError> {
        let narrow = |index: usize| u32::try_from(index).map_err(|_| GlobError::OutOfMemory);
        let states = (narrow(first)?, narrow(self.listing.states.len())?);
        let deeper = DirectoryVisit {
            states,
            follows_links,
            is_roundabout,
        };
        Ok(self.listing.push(name, ListingEntry::Directory(deeper))?)
    }

    /// Counts the directory `here`, which cannot be read, unless that ends the search.
    fn count_unreadable(
        &mut self,
        error: Errno,
        given: bool,
        walked: &mut WalkOutcome,
    ) -> Result<(), GlobError> {
        match error {
            Errno::NOMEM => Err(GlobError::OutOfMemory),
            // There is nothing, or a link that leads nowhere.
            Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG => Ok(()),
            _ if given => Err(GlobError::ReadError(error)),
            Errno::LOOP => Ok(()),
            _ => {
                walked.unlisted.add(&self.here, error);
                Ok(())
            }
        }
    }
}
