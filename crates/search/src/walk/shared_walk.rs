//! The state that the threads of one walk share.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use super::repeated_directories::RepeatedDirectories;
use crate::exclusions::Exclusions;
use crate::file_types::FileTypes;
use crate::glob_pattern::{GlobPattern, PatternAutomaton, WildcardError};
use crate::paths::{OmittedPaths, WalkOutcome};
use crate::wildcard::PatternComponent;
use iki_base::mutex::lock;
use iki_process::sandbox::confinement;

/// The names that a walk takes, apart from what its pattern says.
#[derive(Clone, Debug, Default)]
pub struct WalkScope {
    /// True if a pattern is read as models mean it ([`GlobPattern::parse_anywhere`]), wildcards
    /// match a leading dot, `**` enters hidden directories, and the search goes on behind a link to
    /// a directory only where the pattern has the link's name, and not where a wildcard matches it.
    pub is_deep: bool,
    /// True if `.git` is left out, and what ignore files say.
    pub heeds_ignore_files: bool,
    /// Names to be left out.
    pub excluded: Option<Arc<Exclusions>>,
    /// The kinds of files that are found, and nothing else.
    pub types: Option<Arc<FileTypes>>,
}

impl WalkScope {
    /// Reads a wildcard pattern.
    ///
    /// # Errors
    /// The text is not a pattern.
    pub fn parse(&self, pattern: &str) -> Result<GlobPattern, WildcardError> {
        if self.is_deep {
            GlobPattern::parse_anywhere(pattern.as_bytes())
        } else {
            GlobPattern::parse(pattern.as_bytes())
        }
    }
}

/// The state that the threads of one walk share.
#[derive(Debug)]
pub(super) struct SharedWalk {
    pub steps: Arc<PatternAutomaton>,
    /// The steps that the entries of the first directory may match.
    pub first: Vec<usize>,
    pub until: Option<Instant>,
    pub scope: WalkScope,
    /// The length of the path from which the walk starts.
    pub start: usize,
    /// True if names after a wildcard are only found by listing the directory: the kernel keeps a
    /// confined process from listing directories outside, but not from asking for names there.
    lists_only: bool,
    ways: Mutex<RepeatedDirectories>,
}

impl SharedWalk {
    pub fn new(
        steps: Arc<PatternAutomaton>,
        until: Option<Instant>,
        scope: WalkScope,
        start: usize,
    ) -> Self {
        Self {
            first: steps.first.clone(),
            steps,
            until,
            scope,
            start,
            lists_only: confinement::confines_own_files(),
            ways: Mutex::new(RepeatedDirectories::new()),
        }
    }

    /// Returns the name that `state` stands for, if it may be looked up without listing.
    pub fn name_to_look_up(&self, state: usize) -> Option<&[u8]> {
        let step = &self.steps.all[state];
        match &step.component {
            PatternComponent::Name(name) if !(self.lists_only && step.is_after_wildcard) => {
                Some(name)
            }
            _ => None,
        }
    }

    /// Returns the paths that were left out because too many ways lead to them.
    pub fn left_out(&self) -> Option<OmittedPaths> {
        self.repeated_directories().left_out
    }

    /// Locks the directories that were reached by way of `..` and links.
    pub fn repeated_directories(&self) -> MutexGuard<'_, RepeatedDirectories> {
        lock(&self.ways)
    }

    /// True if the time of the walk is over, which `walked` then notes.
    pub fn is_over(&self, walked: &mut WalkOutcome) -> bool {
        let over = self.until.is_some_and(|until| Instant::now() >= until);
        if over {
            walked.left_out = Some(OmittedPaths::NotReached);
        }
        over
    }
}
