//! The places that a call searches: one file, standard input, or the files whose names match.

use std::path::Path;
use std::time::Instant;

use super::VOCABULARY;
use crate::contract::failure::{ErrorCode, Failure};
use crate::tools::search::note;
use crate::tools::search::scope::FileScope;
use iki_search::glob_pattern::{GlobPattern, WildcardError};
use iki_search::scan::LinkPolicy;
use iki_search::walk::{self, GlobError, PatternWalk};

/// The files that are searched.
pub enum SearchTarget {
    /// The file at `path`.
    File,
    /// The content of a person's pipe, or of a file put in its place.
    StandardInput,
    /// The names of a pattern, in their scope.
    Names(GlobPattern, FileScope),
    /// No files, because the text is not a pattern.
    Nowhere(WildcardError),
}

impl SearchTarget {
    pub fn parse(glob: &str, scope: FileScope) -> Result<Self, Failure> {
        match scope.parse(glob) {
            Ok(pattern) => Ok(Self::Names(pattern, scope)),
            Err(error @ WildcardError::TooMany) => {
                let failure = Failure::new(ErrorCode::InvalidPattern, "Invalid glob pattern");
                Err(failure.with_note(note::pattern_error(error, glob.len(), VOCABULARY)))
            }
            Err(error) => Ok(Self::Nowhere(error)),
        }
    }

    /// Begins to walk over the files; `None` if the text is not a pattern.
    pub fn walk(
        &self,
        path: &str,
        until: Option<Instant>,
    ) -> Result<Option<PatternWalk>, GlobError> {
        let path = Path::new(path);
        match self {
            Self::File => Ok(Some(walk::file(path))),
            Self::Names(pattern, scope) => pattern.walk(&scope.walk, path, until).map(Some),
            Self::StandardInput | Self::Nowhere(_) => Ok(None),
        }
    }

    pub fn links(&self) -> LinkPolicy {
        match self {
            Self::File | Self::StandardInput => LinkPolicy::Follow,
            Self::Names(..) | Self::Nowhere(_) => LinkPolicy::Refuse,
        }
    }
}
