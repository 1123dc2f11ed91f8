//! Going through what a pattern names, in order, on as many threads as there is work for.

use std::convert::Infallible;
use std::ffi::CStr;
use std::ops::ControlFlow;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;

use super::GlobError;
use super::directory::DirectoryReader;
use super::listing::{
    DIRECTORY_COST, DirectoryListing, DirectoryVisit, EntryRange, ListingEntry, MIN_PART_COST,
    RemainingWalk,
};
use super::places::{reopen, terminated};
use super::shared_walk::SharedWalk;
use crate::name_order::OutOfMemory;
use crate::ordered_pool::{self, OrderedJob, OrderedWorker};
use crate::paths::{EntryKind, PathList, WalkOutcome};

/// The cost of the work that is done before a second thread pays.
const COST_PER_EXTRA_THREAD: usize = 4 * MIN_PART_COST;

/// Visits each path that a walk finds. Each thread has one of its own.
pub trait PathVisitor: Send {
    /// The result for some paths, one after the other.
    type Output: Default + Send;
    /// The rest of the work on a path.
    type Rest: OrderedJob;
    /// The cost of a path: a directory that is read costs 32, and a thread takes 1,024 at once.
    const COST: usize;

    /// Visits a path. The rest that it returns is done before anything after it.
    fn visit(&mut self, entry: &mut WalkEntry<'_>, made: &mut Self::Output) -> Option<Self::Rest>;

    /// Goes on with the rest of a path, if the visitor ever leaves one.
    fn resume(&mut self, _: Self::Rest, _: &mut Self::Output) -> Option<Self::Rest> {
        None
    }

    /// True if so much was made or done that it is to be handed on.
    fn is_enough(&self, made: &Self::Output) -> bool;

    /// Returns the bytes that a result holds.
    fn size(made: &Self::Output) -> usize;

    /// True if this visitor has done so much that there is work for others.
    fn has_done_much(&self) -> bool {
        false
    }
}

/// For visitors that never leave a rest.
impl OrderedJob for Infallible {
    fn split_off(&mut self) -> Option<Self> {
        None
    }

    fn is_over(&self) -> bool {
        true
    }
}

/// A path that a walk has found.
#[derive(Debug)]
pub struct WalkEntry<'a> {
    listing: &'a Arc<DirectoryListing>,
    name: &'a CStr,
    kind: EntryKind,
    opened: &'a mut OpenedDirectory,
}

impl WalkEntry<'_> {
    /// The two parts of the path, one after the other.
    #[must_use]
    pub fn parts(&self) -> [&[u8]; 2] {
        [&self.listing.base, self.name.to_bytes()]
    }

    /// Its kind; a link is not followed.
    #[must_use]
    pub fn kind(&self) -> EntryKind {
        self.kind
    }

    /// Opens it for reading.
    ///
    /// # Errors
    /// As `openat(2)` has them.
    pub fn open(&mut self, flags: OFlags) -> Result<OwnedFd, Errno> {
        let (directory, name) = self.opened.path(self.listing, self.name);
        openat(directory, name, flags, Mode::empty())
    }
}

/// The directory of the last path, and the path in it: to name a file from there spares the kernel
/// the way from the start.
#[derive(Debug, Default)]
struct OpenedDirectory {
    directory: Option<(Arc<DirectoryListing>, OwnedFd)>,
    /// The listing of the last path, if its directory is not open.
    last: Option<Arc<DirectoryListing>>,
    scratch: Vec<u8>,
}

/// Maximum length of a path, with its NUL, that the kernel takes.
const MAX_KERNEL_PATH_BYTES: usize = 4096;

impl OpenedDirectory {
    /// The directory to open a path from, and the rest of the way.
    fn path<'s>(
        &'s mut self,
        listing: &Arc<DirectoryListing>,
        name: &'s CStr,
    ) -> (BorrowedFd<'s>, &'s CStr) {
        let same = |other: &Arc<DirectoryListing>| Arc::ptr_eq(other, listing);
        let is_open = self.directory.as_ref().is_some_and(|(open, _)| same(open));
        let again = self.last.as_ref().is_some_and(same);
        let far = listing.base.len() + name.count_bytes() >= MAX_KERNEL_PATH_BYTES;
        if !is_open && (again || far) && !listing.base.is_empty() {
            let directory = reopen(listing, &mut self.scratch).ok();
            self.directory = directory.map(|directory| (Arc::clone(listing), directory));
        }
        match &self.directory {
            Some((open, directory)) if same(open) => return (directory.as_fd(), name),
            _ => {}
        }
        if !again {
            self.last = Some(Arc::clone(listing));
        }
        let path = [&*listing.base, name.to_bytes()].concat();
        (CWD, terminated(&mut self.scratch, &path))
    }
}

/// Does parts of a walk, on one thread.
struct WalkWorker<'a, V> {
    reader: DirectoryReader<'a>,
    shared: &'a SharedWalk,
    visitor: V,
    opened: OpenedDirectory,
    /// The cost of its work so far, in the unit of [`MIN_PART_COST`].
    done: usize,
}

impl<V: PathVisitor> WalkWorker<'_, V> {
    fn read_directory(
        &mut self,
        listing: &Arc<DirectoryListing>,
        (name, deeper): (&[u8], DirectoryVisit),
        ranges: &mut Vec<EntryRange>,
        walked: &mut WalkOutcome,
    ) {
        if self.shared.is_over(walked) {
            return;
        }
        let before = ranges.len();
        let directory = match self
            .reader
            .go_deeper(listing, (name, deeper), ranges, walked)
        {
            Ok(directory) => directory,
            Err(error) => {
                let path = [&*listing.base, name].concat();
                walked.unlisted.add(&path, error.errno());
                return;
            }
        };
        // Its entries are opened from there.
        if let (Some(directory), Some(range)) = (directory, ranges.get(before)) {
            self.opened.directory = Some((Arc::clone(&range.listing), directory));
        }
    }
}

impl<V: PathVisitor> OrderedWorker for WalkWorker<'_, V> {
    type Job = RemainingWalk<V::Rest>;
    type Output = (WalkOutcome, V::Output);

    fn work(&mut self, mut part: Self::Job, made: &mut Self::Output) -> Option<Self::Job> {
        let (walked, made) = made;
        let all_before_is_done = part.waits_for_all_before();
        let mut done = 0;
        while done < MIN_PART_COST && walked.left_out.is_none() {
            if let Some(pending) = part.pending.take() {
                part.pending = self.visitor.resume(pending, made);
            } else {
                if !all_before_is_done && part.is_roundabout() {
                    break;
                }
                let Some((listing, index)) = part.next() else {
                    break;
                };
                let entry = &listing.entries[index];
                let name = listing.name(entry);
                match entry.what {
                    ListingEntry::Found(kind) => {
                        done += V::COST;
                        let mut current = WalkEntry {
                            listing: &listing,
                            name,
                            kind,
                            opened: &mut self.opened,
                        };
                        part.pending = self.visitor.visit(&mut current, made);
                    }
                    ListingEntry::Directory(deeper) => {
                        done += DIRECTORY_COST;
                        let name = (name.to_bytes(), deeper);
                        self.read_directory(&listing, name, &mut part.ranges, walked);
                    }
                }
            }
            if part.pending.is_some() || self.visitor.is_enough(made) {
                break;
            }
        }
        self.done += done;
        (!part.is_over()).then_some(part)
    }

    fn size((_, made): &Self::Output) -> usize {
        V::size(made)
    }

    fn has_done_much(&self) -> bool {
        self.done >= COST_PER_EXTRA_THREAD || self.visitor.has_done_much()
    }
}

/// A walk that has begun: the first directory has been read.
#[derive(Debug)]
pub struct PatternWalk {
    shared: SharedWalk,
    ranges: Vec<EntryRange>,
    walked: WalkOutcome,
}

impl PatternWalk {
    pub(super) fn begin(shared: SharedWalk, here: &[u8]) -> Result<Self, GlobError> {
        let (mut ranges, mut walked) = (Vec::new(), WalkOutcome::default());
        DirectoryReader::new(&shared).start(here, &mut ranges, &mut walked)?;
        Ok(Self {
            shared,
            ranges,
            walked,
        })
    }

    /// A walk over paths that are known.
    pub(super) fn over_paths(shared: SharedWalk, mut paths: PathList) -> Self {
        let walked = std::mem::take(&mut paths.walked);
        Self {
            shared,
            ranges: vec![EntryRange::whole(DirectoryListing::of_paths(paths))],
            walked,
        }
    }

    /// Visits all that the pattern names. `hand_on` gets the visitors' results, in the byte order
    /// of the paths, until it breaks off.
    ///
    /// `threads` returns the most threads, once there is work for more than one; `visitor` makes
    /// the visitor of each.
    pub fn visit<V: PathVisitor, B>(
        self,
        threads: impl FnOnce() -> usize,
        mut visitor: impl FnMut() -> V,
        mut hand_on: impl FnMut(&mut V::Output) -> ControlFlow<B>,
    ) -> (WalkOutcome, ControlFlow<B>) {
        let Self {
            shared,
            ranges,
            mut walked,
        } = self;
        let shared = &shared;
        let way = RemainingWalk {
            pending: None,
            ranges,
            cost: V::COST,
        };
        let worker = || WalkWorker {
            reader: DirectoryReader::new(shared),
            shared,
            visitor: visitor(),
            opened: OpenedDirectory::default(),
            done: 0,
        };
        let flow = if way.is_over() || walked.left_out.is_some() {
            ControlFlow::Continue(())
        } else {
            let all = &mut walked;
            let flow = ordered_pool::run(
                way,
                threads,
                worker,
                |(walked, made): &mut (WalkOutcome, V::Output)| {
                    all.append(walked);
                    if let ControlFlow::Break(broken) = hand_on(made) {
                        return ControlFlow::Break(Some(broken));
                    }
                    // The parts after one that ran out of time are dropped, to keep the order.
                    match all.left_out {
                        Some(_) => ControlFlow::Break(None),
                        None => ControlFlow::Continue(()),
                    }
                },
            );
            match flow {
                ControlFlow::Break(Some(broken)) => ControlFlow::Break(broken),
                _ => ControlFlow::Continue(()),
            }
        };
        walked.left_out = walked.left_out.or(shared.left_out());
        (walked, flow)
    }
}

/// Collects all paths.
pub(super) struct PathCollector;

/// Paths that were collected.
#[derive(Default)]
pub(super) struct CollectedPaths {
    paths: PathList,
    failed: Option<OutOfMemory>,
}

impl CollectedPaths {
    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.paths.spans.is_empty()
    }

    /// Moves them to `all`.
    pub fn add_to(&mut self, all: &mut PathList) -> Result<(), OutOfMemory> {
        let paths = std::mem::take(&mut self.paths);
        for path in paths.iter() {
            all.push([path.path(), b""], path.kind())?;
        }
        self.failed.take().map_or(Ok(()), Err)
    }
}

impl PathVisitor for PathCollector {
    type Output = CollectedPaths;
    type Rest = Infallible;
    const COST: usize = 1;

    fn visit(
        &mut self,
        entry: &mut WalkEntry<'_>,
        made: &mut CollectedPaths,
    ) -> Option<Infallible> {
        made.failed = made
            .failed
            .or(made.paths.push(entry.parts(), entry.kind).err());
        None
    }

    fn is_enough(&self, made: &CollectedPaths) -> bool {
        made.failed.is_some()
    }

    fn size(_: &CollectedPaths) -> usize {
        0
    }
}
