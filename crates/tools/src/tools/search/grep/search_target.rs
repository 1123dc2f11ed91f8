//! The places that a call searches: one file, standard input, or the files whose names match.

use std::path::Path;
use std::time::Instant;

use super::VOCABULARY;
use crate::contract::failure::{ErrorCode, Failure};
use crate::tools::search::name_search::NameSearch;
use crate::tools::search::note;
use iki_search::glob_pattern::{GlobPattern, WildcardError};
use iki_search::scan::LinkPolicy;
use iki_search::walk::{self, GlobError, PatternWalk};

/// The files that are searched.
pub enum SearchTarget {
    /// The file at `path`.
    File,
    /// The content of a person's pipe, or of a file put in its place.
    StandardInput,
    /// The names of a pattern.
    Names(GlobPattern),
    /// No files, because the text is not a pattern.
    Nowhere(WildcardError),
}

impl SearchTarget {
    pub fn parse(names: &NameSearch) -> Result<Self, Failure> {
        let glob = names.pattern();
        match names.scope.parse(glob) {
            Ok(pattern) => Ok(Self::Names(pattern)),
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
        names: &NameSearch,
        until: Option<Instant>,
    ) -> Result<Option<PatternWalk>, GlobError> {
        let path = Path::new(start(names));
        match self {
            Self::File => Ok(Some(walk::file(path))),
            Self::Names(pattern) => pattern.walk(&names.scope, path, until).map(Some),
            Self::StandardInput | Self::Nowhere(_) => Ok(None),
        }
    }

    pub fn links(&self) -> LinkPolicy {
        match self {
            Self::File | Self::StandardInput => LinkPolicy::Follow,
            Self::Names(_) | Self::Nowhere(_) => LinkPolicy::Refuse,
        }
    }
}

/// The path from which a search starts; paths of what it finds begin with it.
pub fn start(names: &NameSearch) -> &str {
    match &*names.path {
        "" if !names.scope.is_deep => ".",
        "." if names.scope.is_deep => "",
        path => path,
    }
}
