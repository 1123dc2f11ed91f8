//! Going through what a pattern names, in order, on as many threads as there is work for.

use std::convert::Infallible;
use std::ffi::CStr;
use std::ops::ControlFlow;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;

use super::GlobError;
use super::directory::Reader;
use super::listing::{DIRECTORY, Deeper, Entry, EntryRange, Listing, RemainingWalk, TURN};
use super::places::{reopen, terminated};
use super::trip::Trip;
use crate::search::order::OutOfMemory;
use crate::search::ordered_pool::{self, Job, Worker};
use crate::search::paths::{EntryKind, Paths, Walked};

/// What was done before there is work for more than one thread.
const MUCH: usize = 4 * TURN;

/// What is done with each path that a walk finds. Each thread has one of its own.
pub trait Visitor: Send {
    /// What is made of some paths, one after the other.
    type Output: Default + Send;
    /// What is left to be done with a path.
    type Rest: Job;
    /// What a path costs: a directory that is read costs 32, and a thread takes 1,024 at once.
    const COST: usize;

    /// Does what is to be done with a path. What is left of it is done before anything behind it.
    fn visit(&mut self, found: &mut WalkEntry<'_>, made: &mut Self::Output) -> Option<Self::Rest>;

    /// Goes on with what was left.
    fn resume(&mut self, rest: Self::Rest, made: &mut Self::Output) -> Option<Self::Rest>;

    /// Says whether so much was made or done that it is to be handed on.
    fn is_enough(&self, made: &Self::Output) -> bool;

    /// How many bytes it holds.
    fn size(made: &Self::Output) -> usize;

    /// Says whether this visitor has done so much that there is work for others.
    fn has_done_much(&self) -> bool {
        false
    }
}

/// Nothing is ever left to be done.
impl Job for Infallible {
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
    listing: &'a Arc<Listing>,
    name: &'a CStr,
    kind: EntryKind,
    opened: &'a mut OpenedDirectory,
}

impl WalkEntry<'_> {
    /// The two parts of the path, one behind the other.
    #[must_use]
    pub fn parts(&self) -> [&[u8]; 2] {
        [&self.listing.base, self.name.to_bytes()]
    }

    /// The path.
    #[must_use]
    pub fn path(&self) -> Vec<u8> {
        self.parts().concat()
    }

    /// What it is; a link is not followed.
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
    directory: Option<(Arc<Listing>, OwnedFd)>,
    /// The listing of the last path, if its directory is not open.
    last: Option<Arc<Listing>>,
    scratch: Vec<u8>,
}

/// The longest path in bytes, with its NUL, that the kernel takes.
const LONGEST_PATH: usize = 4096;

impl OpenedDirectory {
    /// The directory to open a path from, and the rest of the way.
    fn path<'s>(
        &'s mut self,
        listing: &Arc<Listing>,
        name: &'s CStr,
    ) -> (BorrowedFd<'s>, &'s CStr) {
        let same = |other: &Arc<Listing>| Arc::ptr_eq(other, listing);
        let is_open = self.directory.as_ref().is_some_and(|(open, _)| same(open));
        let again = self.last.as_ref().is_some_and(same);
        let far = listing.base.len() + name.count_bytes() >= LONGEST_PATH;
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

/// Goes through a part of the way.
struct Walker<'a, V> {
    reader: Reader<'a>,
    trip: &'a Trip,
    visitor: V,
    opened: OpenedDirectory,
    /// What this walker has done, in the unit of [`TURN`].
    done: usize,
}

impl<V: Visitor> Walker<'_, V> {
    fn read(
        &mut self,
        listing: &Arc<Listing>,
        (name, deeper): (&[u8], Deeper),
        ranges: &mut Vec<EntryRange>,
        walked: &mut Walked,
    ) {
        if self.trip.is_over(walked) {
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
        // What is in it is opened from there.
        if let (Some(directory), Some(range)) = (directory, ranges.get(before)) {
            self.opened.directory = Some((Arc::clone(&range.listing), directory));
        }
    }
}

impl<V: Visitor> Worker for Walker<'_, V> {
    type Job = RemainingWalk<V::Rest>;
    type Output = (Walked, V::Output);

    fn work(&mut self, mut part: Self::Job, made: &mut Self::Output) -> Option<Self::Job> {
        let (walked, made) = made;
        let all_before_is_done = part.waits_for_all_before();
        let mut done = 0;
        while done < TURN && walked.left_out.is_none() {
            if let Some(rest) = part.rest.take() {
                part.rest = self.visitor.resume(rest, made);
            } else {
                if !all_before_is_done && part.is_roundabout() {
                    break;
                }
                let Some((listing, at)) = part.next() else {
                    break;
                };
                let entry = &listing.entries[at];
                let name = listing.name(entry);
                match entry.what {
                    Entry::Found(kind) => {
                        done += V::COST;
                        let mut found = WalkEntry {
                            listing: &listing,
                            name,
                            kind,
                            opened: &mut self.opened,
                        };
                        part.rest = self.visitor.visit(&mut found, made);
                    }
                    Entry::Directory(deeper) => {
                        done += DIRECTORY;
                        let name = (name.to_bytes(), deeper);
                        self.read(&listing, name, &mut part.ranges, walked);
                    }
                }
            }
            if part.rest.is_some() || self.visitor.is_enough(made) {
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
        self.done >= MUCH || self.visitor.has_done_much()
    }
}

/// A walk that has begun: the first directory has been read.
#[derive(Debug)]
pub struct Walk {
    trip: Trip,
    ranges: Vec<EntryRange>,
    walked: Walked,
}

impl Walk {
    pub(super) fn begin(trip: Trip, here: &[u8]) -> Result<Self, GlobError> {
        let (mut ranges, mut walked) = (Vec::new(), Walked::default());
        Reader::new(&trip).start(here, &mut ranges, &mut walked)?;
        Ok(Self {
            trip,
            ranges,
            walked,
        })
    }

    /// A walk over paths that are known.
    pub(super) fn over(trip: Trip, mut paths: Paths) -> Self {
        let walked = std::mem::take(&mut paths.walked);
        Self {
            trip,
            ranges: vec![EntryRange::whole(Listing::of_paths(paths))],
            walked,
        }
    }

    /// Visits all that the pattern names. `hand_on` gets what the visitors have made, in the byte
    /// order of the paths, until it breaks off.
    ///
    /// `threads` is asked how many there may be, once there is work for more than one; `visitor`
    /// makes one for each.
    pub fn visit<V: Visitor, B>(
        self,
        threads: impl FnOnce() -> usize,
        mut visitor: impl FnMut() -> V,
        mut hand_on: impl FnMut(&mut V::Output) -> ControlFlow<B>,
    ) -> (Walked, ControlFlow<B>) {
        let Self {
            trip,
            ranges,
            mut walked,
        } = self;
        let trip = &trip;
        let way = RemainingWalk {
            rest: None,
            ranges,
            cost: V::COST,
        };
        let worker = || Walker {
            reader: Reader::new(trip),
            trip,
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
                |(walked, made): &mut (Walked, V::Output)| {
                    all.append(walked);
                    if let ControlFlow::Break(broken) = hand_on(made) {
                        return ControlFlow::Break(Some(broken));
                    }
                    // What is behind that for which there was no time is not to be known either.
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
        walked.left_out = walked.left_out.or(trip.left_out());
        (walked, flow)
    }
}

/// Collects all paths.
pub(super) struct PathCollector;

/// What it has collected.
#[derive(Default)]
pub(super) struct CollectedPaths {
    paths: Paths,
    failed: Option<OutOfMemory>,
}

impl CollectedPaths {
    /// Adds it to `all`; nothing is left.
    pub fn add_to(&mut self, all: &mut Paths) -> Result<(), OutOfMemory> {
        let paths = std::mem::take(&mut self.paths);
        for found in paths.iter() {
            all.push([found.path(), b""], found.kind())?;
        }
        self.failed.take().map_or(Ok(()), Err)
    }
}

impl Visitor for PathCollector {
    type Output = CollectedPaths;
    type Rest = Infallible;
    const COST: usize = 1;

    fn visit(
        &mut self,
        found: &mut WalkEntry<'_>,
        made: &mut CollectedPaths,
    ) -> Option<Infallible> {
        made.failed = made
            .failed
            .or(made.paths.push(found.parts(), found.kind).err());
        None
    }

    fn resume(&mut self, rest: Infallible, _: &mut CollectedPaths) -> Option<Infallible> {
        match rest {}
    }

    fn is_enough(&self, made: &CollectedPaths) -> bool {
        made.failed.is_some()
    }

    fn size(_: &CollectedPaths) -> usize {
        0
    }
}
