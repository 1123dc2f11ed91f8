//! Names that a search passed over, by the reason why, so that it can be said.

use std::collections::BTreeSet;

use crate::ignore_files::IgnoreFile;

/// Maximum number of names that are remembered for one reason.
const MAX_REMEMBERED_NAMES: usize = 10_000;

/// The reason why a search passed over a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOutReason {
    /// A rule of an ignore file.
    IgnoreFile,
    /// A pattern of the caller's; it is a directory.
    Exclusion,
    /// A pattern of the caller's; it is another name, which the search would have found.
    ExcludedFile,
    /// It is a symbolic link below which the search would have gone on, were it a directory.
    LinkOnTheWay,
    /// It is a symbolic link that the pattern names.
    FoundLink,
    /// The pattern names it but for upper and lower case.
    OtherCase,
    /// It is a document, whose text is not in its bytes.
    Document,
    /// It is text in an encoding that is not known.
    UnknownEncoding,
    /// It is text in this encoding, which is UTF-16 without a mark, or UTF-32.
    Wide(&'static str),
    /// It is text with NUL characters in it.
    Nul,
}

/// Names that were passed over for one reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOutList {
    /// The paths of directories, in order.
    pub directories: Vec<Vec<u8>>,
    /// The paths of other names, in order.
    pub others: Vec<Vec<u8>>,
    /// The number of further ones, which are not remembered.
    pub further: u64,
    /// The number of those of which it is not known if they belong here.
    pub unread: u64,
}

impl LeftOutList {
    /// True if nothing was passed over.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.directories.is_empty() && self.others.is_empty()
    }

    /// Adds those of the next part of the search, and empties them.
    pub fn append(&mut self, next: &mut Self) {
        for (names, next) in [
            (&mut self.directories, &mut next.directories),
            (&mut self.others, &mut next.others),
        ] {
            let room = MAX_REMEMBERED_NAMES.saturating_sub(names.len());
            self.further += next.len().saturating_sub(room) as u64;
            names.extend(next.drain(..).take(room));
        }
        self.further += std::mem::take(&mut next.further);
        self.unread += std::mem::take(&mut next.unread);
    }
}

/// All that a search passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOutNames {
    /// A list for each reason that there is.
    lists: Vec<(LeftOutReason, LeftOutList)>,
    /// The ignore files whose rules left names out.
    pub files: BTreeSet<IgnoreFile>,
    /// The path of the first `.git` that was passed over.
    pub git: Option<Vec<u8>>,
}

/// The list for a reason that there is not.
static NOTHING: LeftOutList = LeftOutList {
    directories: Vec::new(),
    others: Vec::new(),
    further: 0,
    unread: 0,
};

impl LeftOutNames {
    /// The names that were passed over for this reason.
    #[must_use]
    pub fn names_for(&self, reason: LeftOutReason) -> &LeftOutList {
        let mut lists = self.lists.iter();
        let list = lists.find(|(one, _)| *one == reason);
        list.map_or(&NOTHING, |(_, list)| list)
    }

    fn list_mut(&mut self, reason: LeftOutReason) -> &mut LeftOutList {
        let known = self.lists.iter().position(|(one, _)| *one == reason);
        let index = known.unwrap_or_else(|| {
            self.lists.push((reason, LeftOutList::default()));
            self.lists.len() - 1
        });
        &mut self.lists[index].1
    }

    /// Forgets the names for this reason; true if there were any.
    pub fn remove(&mut self, reason: LeftOutReason) -> bool {
        let before = self.lists.len();
        self.lists.retain(|(one, _)| *one != reason);
        self.lists.len() < before
    }

    /// Adds a path.
    pub fn add(&mut self, reason: LeftOutReason, path: Vec<u8>, is_directory: bool) {
        let list = self.list_mut(reason);
        let names = if is_directory {
            &mut list.directories
        } else {
            &mut list.others
        };
        if names.len() < MAX_REMEMBERED_NAMES {
            names.push(path);
        } else {
            list.further += 1;
        }
    }

    /// Adds a path that this ignore file leaves out.
    pub(super) fn add_ignored(&mut self, path: Vec<u8>, is_directory: bool, file: IgnoreFile) {
        self.files.insert(file);
        self.add(LeftOutReason::IgnoreFile, path, is_directory);
    }

    /// Notes that a `.git` was passed over.
    pub(super) fn add_git(&mut self, path: Vec<u8>) {
        self.git.get_or_insert(path);
    }

    /// Adds those of the next part of the search, and empties them.
    pub fn append(&mut self, next: &mut Self) {
        for (reason, mut list) in next.lists.drain(..) {
            self.list_mut(reason).append(&mut list);
        }
        self.files.append(&mut next.files);
        self.git = self.git.take().or(next.git.take());
    }
}
