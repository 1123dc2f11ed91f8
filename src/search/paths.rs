//! The paths that a walk found: one arena for all names, one sort at the end.
//!
//! Half a million names as half a million small allocations would cost more than reading the
//! directory does; so the text lies in one vector, each path ended by a NUL for the system calls.

use std::collections::TryReserveError;
use std::ffi::CStr;

use rustix::fs::FileType;
use rustix::io::Errno;

pub use super::ways::LeftOut;

/// What a directory entry is, as the directory itself records it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

    /// The path as system calls take it, borrowed.
    #[must_use]
    pub fn c_path(&self) -> &'a CStr {
        CStr::from_bytes_with_nul(self.text).unwrap_or_default()
    }

    /// The entry's own type; a link is not followed.
    #[must_use]
    pub fn kind(&self) -> EntryKind {
        self.kind
    }
}

/// Where one path lies in the arena.
#[derive(Debug)]
struct Span {
    /// The eight bytes by which it is being sorted, the first being the highest.
    key: u64,
    start: usize,
    end: usize,
    kind: EntryKind,
}

/// Directories that could not be listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unlisted {
    /// How many there are.
    pub count: u64,
    /// The first of them, with the slash behind it, and why.
    pub first: Option<(Vec<u8>, Errno)>,
}

impl Unlisted {
    /// Counts the directory `path`.
    pub(super) fn add(&mut self, path: &[u8], why: Errno) {
        self.count += 1;
        self.first.get_or_insert_with(|| (path.to_vec(), why));
    }
}

/// Found paths, in the byte order of the whole path.
#[derive(Debug, Default)]
pub struct Paths {
    text: Vec<u8>,
    spans: Vec<Span>,
    /// Why some paths were left out, if any were.
    pub(super) left_out: Option<LeftOut>,
    pub(super) unlisted: Unlisted,
    /// Whether there were hidden names in the directories that were read.
    pub(super) hidden: bool,
    first: First,
}

/// Which of many paths are kept.
#[derive(Debug, Default)]
struct First {
    /// How many bytes of the first paths are of use; all, if it is not set.
    room: Option<usize>,
    /// The last path that is of use, as far as is known.
    last: Option<Vec<u8>>,
    /// How many were not kept.
    behind: u64,
}

/// How many bytes more than are of use are kept for a while, so that a walk seldom has to sort.
const SLACK: usize = 64 << 10;

impl Paths {
    /// No paths yet. With `room` only the first of them will be kept, and the others counted: the
    /// last one that is kept ends beyond `room` bytes.
    pub(super) fn within(room: Option<usize>) -> Self {
        Self {
            first: First {
                room,
                ..First::default()
            },
            ..Self::default()
        }
    }

    /// How many paths were found, kept or not.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.spans.len() as u64 + self.first.behind
    }

    /// Whether there were names that begin with a dot, other than `.git`, in the directories that
    /// were read.
    #[must_use]
    pub fn passed_hidden(&self) -> bool {
        self.hidden
    }

    /// The directories on the way that could not be listed.
    #[must_use]
    pub fn unlisted(&self) -> &Unlisted {
        &self.unlisted
    }

    /// Which paths the pattern also names, but the list does not hold.
    #[must_use]
    pub fn left_out(&self) -> Option<LeftOut> {
        self.left_out
    }

    /// How many paths there are in the list.
    #[must_use]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The bytes of all paths together: what a reply has to make room for.
    #[must_use]
    pub fn text_len(&self) -> usize {
        self.text.len() - self.spans.len()
    }

    /// The paths in byte order.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = FoundPath<'_>> + Clone {
        self.spans.iter().map(|span| FoundPath {
            text: &self.text[span.start..span.end],
            kind: span.kind,
        })
    }

    /// Adds the path whose pieces are given.
    pub(super) fn push(
        &mut self,
        pieces: [&[u8]; 3],
        kind: EntryKind,
    ) -> Result<(), TryReserveError> {
        let start = self.text.len();
        self.text
            .try_reserve(pieces.iter().map(|piece| piece.len()).sum::<usize>() + 1)?;
        self.spans.try_reserve(1)?;
        for piece in pieces {
            append(&mut self.text, piece);
        }
        self.text.push(0);
        self.spans.push(Span {
            key: 0,
            start,
            end: self.text.len(),
            kind,
        });
        if self.first.room.is_some() {
            self.keep_first(start);
        }
        Ok(())
    }

    /// Drops the path that was added last, which begins at `start`, if it is of no use; and all
    /// that are not, once they are many.
    fn keep_first(&mut self, start: usize) {
        let path = &self.text[start..self.text.len() - 1];
        if self.first.last.as_deref().is_some_and(|last| path > last) {
            self.text.truncate(start);
            self.spans.pop();
            self.first.behind += 1;
        } else if let Some(room) = self.first.room
            && self.text.len() > room.saturating_mul(2).saturating_add(SLACK)
        {
            self.sort();
            let mut text = Vec::new();
            let mut of_use = 0;
            for span in &mut self.spans {
                if text.len() > room {
                    break;
                }
                let start = text.len();
                text.extend_from_slice(&self.text[span.start..span.end]);
                (span.start, span.end) = (start, text.len());
                of_use += 1;
            }
            self.first.behind += (self.spans.len() - of_use) as u64;
            self.spans.truncate(of_use);
            self.text = text;
            let last = self
                .spans
                .last()
                .map(|span| &self.text[span.start..span.end - 1]);
            self.first.last = last.map(<[u8]>::to_vec);
        }
    }

    /// Leaves each path once. They are in order.
    pub(super) fn dedup(&mut self) {
        let text = &self.text;
        let path = |span: &Span| &text[span.start..span.end];
        self.spans.dedup_by(|one, other| path(one) == path(other));
    }

    /// Brings the paths into byte order.
    ///
    /// Half a million comparisons of text would mean as many walks through memory. So a group of
    /// paths is sorted by the eight bytes behind what they share, as numbers, and then each group
    /// that is still equal by the next eight.
    pub(super) fn sort(&mut self) {
        let text = &self.text;
        let mut groups = vec![(0, self.spans.len(), 0)];
        while let Some((first, end, depth)) = groups.pop() {
            let group = &mut self.spans[first..end];
            let depth = depth + shared(text, group, depth);
            for span in &mut *group {
                span.key = key(&text[span.start + depth..span.end]);
            }
            group.sort_unstable_by_key(|span| span.key);
            let mut at = first;
            for equal in group.chunk_by(|a, b| a.key == b.key) {
                // The NUL at the end is part of the key, so paths that end within it differ.
                if equal.len() > 1 && equal[0].end - equal[0].start > depth + 8 {
                    groups.push((at, at + equal.len(), depth + 8));
                }
                at += equal.len();
            }
        }
    }
}

/// Appends a short piece. Names are so short that musl's `memcpy` takes longer to begin than this
/// takes in all.
fn append(text: &mut Vec<u8>, mut piece: &[u8]) {
    while let Some((eight, rest)) = piece.split_first_chunk::<8>() {
        text.extend_from_slice(eight);
        piece = rest;
    }
    for byte in piece {
        text.push(*byte);
    }
}

/// How many bytes all of `group` have in common behind the first `depth`.
fn shared(text: &[u8], group: &[Span], depth: usize) -> usize {
    let rest = |span: &Span| &text[span.start + depth..span.end];
    let Some((first, others)) = group.split_first() else {
        return 0;
    };
    let first = rest(first);
    others.iter().fold(first.len(), |shared, span| {
        first[..shared]
            .iter()
            .zip(rest(span))
            .take_while(|(a, b)| a == b)
            .count()
    })
}

/// The first eight bytes as a number that sorts as they do.
fn key(text: &[u8]) -> u64 {
    if let Some(eight) = text.first_chunk() {
        return u64::from_be_bytes(*eight);
    }
    let mut eight = [0; 8];
    eight[..text.len()].copy_from_slice(text);
    u64::from_be_bytes(eight)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(paths: &[&str]) -> Vec<String> {
        let mut found = Paths::default();
        for path in paths {
            found
                .push([b"", path.as_bytes(), b""], EntryKind::Regular)
                .unwrap();
        }
        found.sort();
        found
            .iter()
            .map(|found| String::from_utf8(found.path().to_vec()).unwrap())
            .collect()
    }

    #[test]
    fn the_order_is_that_of_the_bytes_of_the_whole_path() {
        let given = [
            "d/a/x",
            "d/a-b",
            "d/a",
            "d/é",
            "d/Z",
            "d/a.c",
            "d/aaaaaaaaab",
            "d/aaaaaaaaaa",
        ];
        let mut expected: Vec<String> = given.iter().map(ToString::to_string).collect();
        expected.sort();
        assert_eq!(sorted(&given), expected);
    }

    #[test]
    fn one_path_that_begins_another_comes_first() {
        assert_eq!(sorted(&["ab", "a", "abc", ""]), ["", "a", "ab", "abc"]);
    }

    #[test]
    fn of_very_many_paths_the_first_are_kept_and_the_others_counted() {
        for room in [0, 10, 1000, 100_000] {
            let mut found = Paths::within(Some(room));
            // In no order.
            let name = |number: u64| format!("{:06}", number * 7_919 % 100_003);
            for number in 0..100_003 {
                let name = name(number);
                found
                    .push([name.as_bytes(), b"/", b"x"], EntryKind::Regular)
                    .unwrap();
                assert!(found.text.len() <= 2 * room + SLACK + 8);
            }
            found.sort();
            assert_eq!(found.count(), 100_003);
            assert!(found.len() > room / 8);
            for (number, path) in found.iter().enumerate() {
                assert_eq!(path.path(), format!("{number:06}/x").as_bytes());
            }
        }
    }

    #[test]
    fn no_paths_are_no_paths() {
        let mut none = Paths::default();
        none.sort();
        assert!(none.is_empty());
        assert_eq!(none.iter().len(), 0);
    }
}
