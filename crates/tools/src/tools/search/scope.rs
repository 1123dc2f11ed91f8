//! The files and names that a search of glob or grep takes, which depends on the caller.
//!
//! A host's search takes what the specification says, unless it sends `all` or `exclude`.

use std::fs;
use std::sync::Arc;

use crate::contract::call_terms::Audience;
use crate::contract::failure::{ErrorCode, Failure};
use crate::contract::request::Request;
use crate::tools::search::empty_result::{self, EmptySearch};
use crate::tools::search::note::error_in_words;
use iki_search::ignore_files;
use iki_search::steps::{GlobPattern, WildcardError};
use iki_search::walk::WalkScope;

/// The scope of one search.
#[derive(Clone, Debug, Default)]
pub struct FileScope {
    /// True if names are searched for at any depth, hidden ones too.
    pub is_deep: bool,
    /// The names that a walk takes.
    pub walk: WalkScope,
}

/// Fails if a person searches in a path that does not exist, as grep(1) does, or that is neither a
/// directory nor a regular file; other callers get the note on an empty answer. `pattern` was
/// sought there, if given.
///
/// # Errors
/// The place, and what is near it.
pub fn check_place(
    request: &Request<'_>,
    search: EmptySearch<'_>,
    pattern: Option<&str>,
) -> Result<(), Failure> {
    let path = search.path;
    if request.terms().reader != Audience::Person || path.is_empty() {
        return Ok(());
    }
    match fs::metadata(path) {
        Err(error) => {
            let message = format!("{path}: {}", error_in_words(&error));
            let failure = Failure::new(ErrorCode::FileNotFound, message);
            let note = empty_result::explain_path(search, pattern);
            Err(failure.with_note(note.unwrap_or_default()))
        }
        Ok(place) if !place.is_dir() && !place.is_file() => {
            let message = format!("{path}: neither a directory nor a regular file, not searched");
            Err(Failure::new(ErrorCode::ReadError, message))
        }
        Ok(_) => Ok(()),
    }
}

impl FileScope {
    /// Reads `all` and `exclude`; `not` is a pattern whose names are left out as well.
    pub fn of(request: &Request<'_>, not: Option<&str>) -> Result<Self, Failure> {
        let all = request.flag("all")?;
        let is_deep = all || request.terms().reader != Audience::Host;
        let excluded = request.texts("exclude")?;
        let excluded = excluded
            .iter()
            .map(|one| one.strip_prefix('!').unwrap_or(one));
        let excluded: Vec<&str> = excluded.chain(not).collect();
        let rules = (!excluded.is_empty()).then(|| ignore_files::parse_exclusions(excluded));
        let rules = rules.transpose().map_err(|reason| {
            let message = format!("Invalid pattern in exclude: {reason}");
            Failure::new(ErrorCode::InvalidPattern, message)
        })?;
        Ok(Self {
            is_deep,
            walk: WalkScope {
                hidden: is_deep,
                heeds_ignore_files: is_deep && !all,
                excluded: rules.map(Arc::new),
            },
        })
    }

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
