//! Paths and the kinds of their entries, in one arena for all names.
//!
//! Half a million names as half a million small allocations would cost more than reading the
//! directory does; so the text lies in one vector, each path ended by a NUL for the system calls.

use rustix::fs::FileType;
use rustix::io::Errno;

use super::left_out::LeftOutNames;
use super::name_order::{self, NameSpan, OutOfMemory};
pub use super::walk::repeated_directories::OmittedPaths;

/// The kind of a directory entry, as the directory itself records it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    /// A regular file.
    Regular,
    /// A directory.
    Directory,
    /// A symbolic link, wherever it leads.
    Symlink,
    /// A FIFO, a socket or a device.
    Other,
    /// The file system does not record it.
    Unknown,
}

impl From<FileType> for EntryKind {
    fn from(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::Regular,
            FileType::Directory => Self::Directory,
            FileType::Symlink => Self::Symlink,
            FileType::Unknown => Self::Unknown,
            _ => Self::Other,
        }
    }
}

/// One found path.
#[derive(Clone, Copy, Debug)]
pub struct FoundPath<'a> {
    text: &'a [u8],
    kind: EntryKind,
}

impl<'a> FoundPath<'a> {
    /// The path's bytes, without a NUL.
    #[must_use]
    pub fn path(&self) -> &'a [u8] {
        self.text.split_last().map_or(&[], |(_, path)| path)
    }

    /// The entry's own type; a link is not followed.
    #[must_use]
    pub fn kind(&self) -> EntryKind {
        self.kind
    }
}

/// Directories that could not be listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnlistedDirectories {
    /// The number of them.
    pub count: u64,
    /// The first of them, with a trailing slash, and the reason.
    pub first: Option<(Vec<u8>, Errno)>,
}

impl UnlistedDirectories {
    /// Counts the directory `path`.
    pub(super) fn add(&mut self, path: &[u8], why: Errno) {
        self.count += 1;
        self.first.get_or_insert_with(|| (path.to_vec(), why));
    }

    /// Adds those of the next part of the walk.
    fn append(&mut self, other: &mut Self) {
        self.count += std::mem::take(&mut other.count);
        let first = other.first.take();
        if self.first.is_none() {
            self.first = first;
        }
    }
}

/// The facts that a walk met, apart from the paths that it found.
#[derive(Debug, Default)]
pub struct WalkOutcome {
    /// Paths that the pattern names, too, but the walk did not find.
    pub left_out: Option<OmittedPaths>,
    /// The directories on the way that could not be listed.
    pub unlisted: UnlistedDirectories,
    /// True if there were names that begin with a dot, other than `.git`, in the directories that
    /// were read.
    pub has_hidden: bool,
    /// The names that were passed over.
    pub passed_over: LeftOutNames,
}

impl WalkOutcome {
    /// Adds the facts about the next part of the walk, and empties them.
    pub fn append(&mut self, next: &mut Self) {
        self.left_out = self.left_out.or(next.left_out.take());
        self.unlisted.append(&mut next.unlisted);
        self.has_hidden |= std::mem::take(&mut next.has_hidden);
        self.passed_over.append(&mut next.passed_over);
    }
}

/// Found paths, in the byte order of the whole path.
#[derive(Debug, Default)]
pub struct PathList {
    pub(super) text: Vec<u8>,
    pub(super) spans: Vec<NameSpan<EntryKind>>,
    /// The facts that the walk met apart from them.
    pub walked: WalkOutcome,
}

impl PathList {
    /// Returns the paths that the pattern names, too, but the list does not hold.
    #[must_use]
    pub fn left_out(&self) -> Option<OmittedPaths> {
        self.walked.left_out
    }

    /// The paths in byte order.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = FoundPath<'_>> + Clone {
        self.spans.iter().map(|span| FoundPath {
            text: span.text_in(&self.text),
            kind: span.what,
        })
    }

    /// Adds the path whose pieces are given.
    pub(super) fn push(&mut self, pieces: [&[u8]; 2], kind: EntryKind) -> Result<(), OutOfMemory> {
        self.spans.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.spans
            .push(NameSpan::push(&mut self.text, pieces, kind)?);
        Ok(())
    }

    /// Brings all into order, and leaves each path once.
    pub(super) fn merge(&mut self) {
        name_order::sort(&self.text, &mut self.spans);
        let text = &self.text;
        self.spans
            .dedup_by(|one, other| one.text_in(text) == other.text_in(text));
    }
}
