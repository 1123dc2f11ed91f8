//! From a wildcard pattern to the paths that it names, as `glob(3)` finds them.
//!
//! The `glob` crate's own walk is not used: it panics on or drops names that are not UTF-8 and
//! asks for every entry's status. Here a directory is read once, whatever the pattern, with the
//! entries' types as the directory gives them; the pattern's steps are followed like the states
//! of an automaton, so that `**` lists nothing twice. Nothing recurses: directories that are
//! still to be read wait on a stack, and trees deeper than the longest path that the kernel
//! takes are read relative to directories held open on the way.
//!
//! Choices that `glob(3)` leaves open: `**` neither enters hidden directories nor follows links; at
//! the end of a pattern it matches everything below, without the directory itself. A slash at the
//! end always asks for directories (glibc also lists a dangling link for `link/`).

mod directory;
mod listing;
mod name_filter;
mod places;
pub(super) mod repeated_directories;
mod shared_walk;
mod walker;

use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use rustix::io::Errno;

use super::glob_pattern::{GlobPattern, PatternAutomaton, WildcardError};
use super::name_order::OutOfMemory;
use super::paths::{EntryKind, PathList};
use shared_walk::SharedWalk;
pub use shared_walk::WalkScope;
use walker::{CollectedPaths, PathCollector};
pub use walker::{PathVisitor, PatternWalk, WalkEntry};

/// The reason why a pattern could not be expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GlobError {
    /// The text is not a pattern.
    #[error(transparent)]
    InvalidPattern(WildcardError),
    /// The directory to search in exists but cannot be read, or the process is out of files.
    #[error("the directory cannot be read: {0}")]
    ReadError(Errno),
    /// Memory ran out for the paths.
    #[error("out of memory")]
    OutOfMemory,
}

impl GlobError {
    fn errno(self) -> Errno {
        match self {
            Self::ReadError(errno) => errno,
            Self::InvalidPattern(_) => Errno::INVAL,
            Self::OutOfMemory => Errno::NOMEM,
        }
    }
}

impl From<OutOfMemory> for GlobError {
    fn from(_: OutOfMemory) -> Self {
        Self::OutOfMemory
    }
}

impl From<WildcardError> for GlobError {
    fn from(error: WildcardError) -> Self {
        Self::InvalidPattern(error)
    }
}

impl GlobPattern {
    /// Begins to walk to what it names below the directory `path`, as far as `scope` takes it. At
    /// `until` the walk ends, which is no error: [`PathList::left_out`] says that it did.
    ///
    /// `path` is taken literally; empty, the pattern stands alone, as it does when it begins with a
    /// slash. Directories that cannot be read are passed over, but for `path` itself.
    ///
    /// # Errors
    /// The directory cannot be read, or memory runs out.
    pub fn walk(
        &self,
        scope: &WalkScope,
        path: &Path,
        until: Option<Instant>,
    ) -> Result<PatternWalk, GlobError> {
        let path = path.as_os_str().as_bytes();
        match &*self.walks {
            [steps] if !path.contains(&0) => begin(steps, path, until, scope),
            _ => {
                // Paths that two walks find are one: they are put together first.
                let mut paths = PathList::default();
                if !path.contains(&0) {
                    for steps in &self.walks {
                        gather(begin(steps, path, until, scope)?, &mut paths)?;
                    }
                    paths.merge();
                }
                Ok(PatternWalk::over_paths(
                    SharedWalk::new(Arc::default(), until, WalkScope::default(), 0),
                    paths,
                ))
            }
        }
    }

    /// Finds all that it names, as [`GlobPattern::walk`] does, in the default scope: without hidden
    /// names, whatever ignore files say.
    ///
    /// # Errors
    /// As for that.
    pub fn paths(&self, path: &Path, until: Option<Instant>) -> Result<PathList, GlobError> {
        self.paths_in(&WalkScope::default(), path, until)
    }

    /// True if it names anything below `path` in this scope, as [`GlobPattern::walk`] finds it.
    #[must_use]
    pub fn matches_any(
        &self,
        scope: &WalkScope,
        path: &Path,
        until: Option<Instant>,
        threads: impl FnOnce() -> usize,
    ) -> bool {
        let any = |found: &mut CollectedPaths| {
            if found.is_empty() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        };
        let walk = self.walk(scope, path, until);
        walk.is_ok_and(|walk| walk.visit(threads, || PathCollector, any).1.is_break())
    }

    /// Finds all that it names in this scope, as [`GlobPattern::walk`] does.
    ///
    /// # Errors
    /// As for that.
    pub fn paths_in(
        &self,
        scope: &WalkScope,
        path: &Path,
        until: Option<Instant>,
    ) -> Result<PathList, GlobError> {
        let mut paths = PathList::default();
        gather(self.walk(scope, path, until)?, &mut paths)?;
        Ok(paths)
    }

    /// Finds what it names of `directory`, which lies below `path`, and of what is in that.
    ///
    /// # Errors
    /// As for [`GlobPattern::walk`].
    pub fn paths_below(
        &self,
        scope: &WalkScope,
        path: &Path,
        directory: &[u8],
        until: Option<Instant>,
    ) -> Result<PathList, GlobError> {
        let mut paths = PathList::default();
        for steps in &self.walks {
            let from = start(steps, path.as_os_str().as_bytes());
            let Some(names) = directory.strip_prefix(&*from) else {
                continue;
            };
            let (first, is_end) = steps.steps_below(names, scope.is_deep);
            if is_end {
                paths.push([directory, b""], EntryKind::Directory)?;
            }
            let mut shared = SharedWalk::new(Arc::clone(steps), until, scope.clone(), from.len());
            shared.first = first;
            let here = [directory, b"/"].concat();
            gather(PatternWalk::begin(shared, &here)?, &mut paths)?;
        }
        paths.merge();
        Ok(paths)
    }
}

/// A walk over only the path `file`, which need not exist.
#[must_use]
pub fn file(file: &Path) -> PatternWalk {
    let mut paths = PathList::default();
    let path = file.as_os_str().as_bytes();
    if !path.contains(&0) {
        // A path of a request has room.
        let _ = paths.push([path, b""], EntryKind::Regular);
    }
    let shared = SharedWalk::new(Arc::default(), None, WalkScope::default(), 0);
    PatternWalk::over_paths(shared, paths)
}

/// Returns the path from which the walk of a pattern starts, with a trailing slash.
fn start(steps: &PatternAutomaton, path: &[u8]) -> Vec<u8> {
    let mut here = steps.root.clone();
    if here.is_empty() && !path.is_empty() {
        here.extend_from_slice(path);
        if !path.ends_with(b"/") {
            here.push(b'/');
        }
    }
    here
}

/// Begins the walk of one automaton.
fn begin(
    steps: &Arc<PatternAutomaton>,
    path: &[u8],
    until: Option<Instant>,
    scope: &WalkScope,
) -> Result<PatternWalk, GlobError> {
    let here = start(steps, path);
    let shared = SharedWalk::new(Arc::clone(steps), until, scope.clone(), here.len());
    PatternWalk::begin(shared, &here)
}

/// Adds all that a walk finds.
fn gather(walk: PatternWalk, paths: &mut PathList) -> Result<(), GlobError> {
    let all = &mut *paths;
    let (mut walked, flow) = walk.visit(
        || 1,
        || PathCollector,
        |made| match made.add_to(all) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        },
    );
    paths.walked.append(&mut walked);
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(error) => Err(error.into()),
    }
}
