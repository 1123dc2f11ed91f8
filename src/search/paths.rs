//! The paths that a walk found: one arena for all names, one sort at the end.
//!
//! Half a million names as half a million small allocations would cost more than reading the
//! directory does; so the text lies in one vector, each path ended by a NUL for the system calls.

use std::collections::TryReserveError;
use std::ffi::CStr;

use rustix::fs::FileType;

/// What a directory entry is, as far as the directory itself tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    Regular,
    /// A directory.
    Directory,
    /// A symbolic link, wherever it leads.
    Symlink,
    /// A FIFO, a socket or a device.
    Other,
    /// The file system does not say.
    Unknown,
}

impl From<FileType> for Kind {
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
pub struct Found<'a> {
    text: &'a [u8],
    kind: Kind,
}

impl<'a> Found<'a> {
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
    pub fn kind(&self) -> Kind {
        self.kind
    }
}

/// Where one path lies in the arena.
#[derive(Debug)]
struct Span {
    /// The eight bytes that follow what all paths begin with: most comparisons end here.
    key: u64,
    start: usize,
    end: usize,
    kind: Kind,
}

/// Found paths, in the byte order of the whole path.
#[derive(Debug, Default)]
pub struct Paths {
    text: Vec<u8>,
    spans: Vec<Span>,
}

impl Paths {
    /// How many paths there are.
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
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Found<'_>> {
        self.spans.iter().map(|span| Found {
            text: &self.text[span.start..span.end],
            kind: span.kind,
        })
    }

    /// Adds the path whose pieces are given.
    pub(super) fn push(&mut self, pieces: [&[u8]; 3], kind: Kind) -> Result<(), TryReserveError> {
        let start = self.text.len();
        self.text
            .try_reserve(pieces.iter().map(|piece| piece.len()).sum::<usize>() + 1)?;
        self.spans.try_reserve(1)?;
        for piece in pieces {
            self.text.extend_from_slice(piece);
        }
        self.text.push(0);
        self.spans.push(Span {
            key: 0,
            start,
            end: self.text.len(),
            kind,
        });
        Ok(())
    }

    /// Brings the paths into byte order.
    pub(super) fn sort(&mut self) {
        let text = &self.text;
        let Some(first) = self.spans.first().map(|span| &text[span.start..span.end]) else {
            return;
        };
        let shared = self.spans.iter().fold(first.len(), |shared, span| {
            let other = &text[span.start..span.end];
            if other.get(..shared) == Some(&first[..shared]) {
                return shared;
            }
            first
                .iter()
                .zip(other)
                .take(shared)
                .take_while(|(a, b)| a == b)
                .count()
        });
        for span in &mut self.spans {
            span.key = key(&text[span.start + shared..span.end]);
        }
        self.spans.sort_unstable_by(|a, b| {
            a.key
                .cmp(&b.key)
                .then_with(|| text[a.start + shared..a.end].cmp(&text[b.start + shared..b.end]))
        });
    }
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
                .push([b"", path.as_bytes(), b""], Kind::Regular)
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
    fn no_paths_are_no_paths() {
        let mut none = Paths::default();
        none.sort();
        assert!(none.is_empty());
        assert_eq!(none.iter().len(), 0);
    }
}
