//! Directories that a walk reaches by more than one path: through `..`, or through links.
//!
//! `**/../**/..` names every directory by way of every other, and each further `**/..` multiplies
//! that again. Up to a limit every path is followed, as `glob(3)` does. Beyond it, a directory that
//! has been read for the same steps of the pattern is not read again under another name.

use std::collections::HashSet;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::fs::fstat;

/// Above this number of entries reached through `..` or links, each directory is listed once.
const MAX_UNDEDUPLICATED_ENTRIES: usize = 1 << 18;
/// The timeout for such paths beyond that: with thousands of `..` in a pattern even one path to
/// each directory is too many.
const REPEATED_TIMEOUT: Duration = Duration::from_secs(20);

/// The directories that were reached by way of `..` and links.
#[derive(Debug)]
pub(super) struct RepeatedDirectories {
    /// Deadline for listing directories under further names.
    end: Instant,
    /// The number of entries that were listed there.
    entries: usize,
    /// Device and inode of each directory read, and the steps for which it was.
    seen: HashSet<(u64, u64, Box<[usize]>)>,
    /// The directories that were left out, if any were.
    pub left_out: Option<OmittedPaths>,
}

/// Paths that were left out of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OmittedPaths {
    /// Directories that were already listed under another name.
    OtherNames,
    /// Paths through still more `..` or links, because time ran out.
    FurtherWays,
    /// Paths that were not reached before the walk's deadline.
    NotReached,
}

impl RepeatedDirectories {
    /// Nothing has been reached yet.
    pub fn new() -> Self {
        Self {
            end: Instant::now() + REPEATED_TIMEOUT,
            entries: 0,
            seen: HashSet::new(),
            left_out: None,
        }
    }

    /// True if the directory, reached by way of `..` or a link, is to be read for these steps.
    pub fn enter(&mut self, directory: impl AsFd, steps: &[usize]) -> bool {
        let beyond = self.entries > MAX_UNDEDUPLICATED_ENTRIES;
        let Ok(status) = fstat(directory) else {
            return !beyond;
        };
        let new = self
            .seen
            .insert((status.st_dev, status.st_ino, steps.into()));
        if !beyond {
            return true;
        }
        if !new {
            self.left_out.get_or_insert(OmittedPaths::OtherNames);
        } else if Instant::now() > self.end {
            self.left_out = Some(OmittedPaths::FurtherWays);
            return false;
        }
        new
    }

    /// Adds the number of entries that were listed.
    pub fn count_entries(&mut self, entries: usize) {
        self.entries += entries;
    }
}
