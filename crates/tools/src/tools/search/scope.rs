//! The files and names that a search of glob or grep takes, which depends on the caller.
//!
//! A host's search takes what the specification says, unless it sends `all` or `exclude`.

use std::borrow::Cow;
use std::env;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use crate::contract::call_terms::Audience;
use crate::contract::failure::{ErrorCode, Failure};
use crate::contract::request::Request;
use crate::tools::search::empty_result::{self, EmptySearch};
use crate::tools::search::exclude;
use crate::tools::search::note::{SearchVocabulary, error_in_words};
use iki_search::exclusions::Exclusions;
use iki_search::file_types::FileTypes;
use iki_search::glob_pattern::{GlobPattern, WildcardError};
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

/// The field `path`, in which `pattern` is sought.
///
/// # Errors
/// It is no text; if it is a list, what to send for all of it.
pub fn path_of<'r>(
    request: &'r Request<'_>,
    words: SearchVocabulary,
    pattern: Option<&str>,
) -> Result<Option<&'r str>, Failure> {
    request.text("path").map_err(|failure| {
        let field = words.pattern_field;
        let below = pattern.map_or(String::new(), |pattern| format!("/{pattern}"));
        match &*request.texts("path").unwrap_or_default() {
            [] => failure,
            [path] => failure.with_note(format!("Send \"path\":\"{path}\".")),
            paths => failure.with_note(format!(
                "`path` is one directory: send \"{field}\":\"{{{}}}/**{below}\", or one call for each.",
                paths.join(",")
            )),
        }
    })
}

/// The wildcard pattern in the field `name`.
///
/// # Errors
/// It is no text; if it is a list, what to send for all of it.
pub fn pattern_of<'r>(request: &'r Request<'_>, name: &str) -> Result<Option<&'r str>, Failure> {
    request.text(name).map_err(|failure| {
        let meant = match &*request.texts(name).unwrap_or_default() {
            [] => return failure,
            [pattern] => (*pattern).to_owned(),
            patterns => format!("{{{}}}", patterns.join(",")),
        };
        let meant = Value::from(meant);
        failure.with_note(format!("Send \"{name}\":{meant}."))
    })
}

/// `path` or a pattern as a client of the protocol is shown what is found there: from the working
/// directory on, where it lies below that.
fn from_working_directory<'p>(request: &Request<'_>, path: &'p str) -> Cow<'p, str> {
    if !request.terms().served || !path.starts_with('/') {
        return path.into();
    }
    let Some(here) = env::current_dir()
        .ok()
        .filter(|here| here != Path::new("/"))
    else {
        return path.into();
    };
    let below_here = |path: &Path| path.strip_prefix(&here).map(Path::to_owned).ok();
    // By its words it may lie elsewhere: a link to here, or with `..`.
    let leads_up = path.split('/').any(|part| part == "..");
    let below = below_here(Path::new(path)).filter(|_| !leads_up);
    let below = below.or_else(|| fs::canonicalize(path).ok().as_deref().and_then(below_here));
    let Some(below) = below.and_then(|below| below.into_os_string().into_string().ok()) else {
        return path.into();
    };
    // In a pattern it says that directories are meant.
    let is_marked = path.ends_with('/') && !below.is_empty() && !below.ends_with('/');
    format!("{below}{}", if is_marked { "/" } else { "" }).into()
}

/// `path` and the pattern of a search from the working directory on. An absolute pattern ignores
/// `path`, and so does one that was absolute.
pub fn both_from_working_directory<'p>(
    request: &Request<'_>,
    path: Option<&'p str>,
    pattern: &'p str,
) -> (Option<Cow<'p, str>>, Cow<'p, str>) {
    let path = path.map(|path| from_working_directory(request, path));
    let below = from_working_directory(request, pattern);
    if below.len() == pattern.len()
        || path
            .as_deref()
            .is_some_and(|path| Path::new(path).is_file())
    {
        return (path, below);
    }
    (None, if below.is_empty() { ".".into() } else { below })
}

/// Parts a pattern that says which names are not meant: `!*.md`, `!(a|b)`, `src/!(*.test).go`. The
/// first part matches all that it may, the second what it does not.
pub fn split_negation(pattern: &str) -> Option<(Cow<'_, str>, String)> {
    let (directory, name) = pattern
        .rsplit_once('/')
        .map_or(("", pattern), |(directory, name)| {
            (&pattern[..=directory.len()], name)
        });
    if let Some((before, remainder)) = name.split_once("!(")
        && let Some((inner, behind)) = remainder.split_once(')')
    {
        let not = inner.split('|').map(|one| match directory {
            "" | "**/" => format!("{before}{one}{behind}"),
            directory => format!("{directory}{before}{one}{behind}"),
        });
        let not = not.collect::<Vec<_>>().join("|");
        return Some((Cow::Owned(format!("{directory}{before}*{behind}")), not));
    }
    let not = pattern.strip_prefix('!').filter(|not| !not.is_empty())?;
    Some((Cow::Borrowed("*"), not.to_owned()))
}

impl FileScope {
    /// Reads `all` and `exclude` for a search in `path`; `not` is a pattern whose names are left
    /// out as well.
    pub fn from_request(
        request: &Request<'_>,
        path: &str,
        not: Option<&str>,
    ) -> Result<Self, Failure> {
        let all = request.flag("all")?;
        let is_deep = all || request.terms().reader != Audience::Host;
        let excluded = exclude::parse(&request.texts("exclude")?, not, path)?;
        Ok(Self {
            is_deep,
            walk: WalkScope {
                hidden: is_deep,
                heeds_ignore_files: is_deep && !all,
                excluded: excluded.map(Arc::new),
                types: None,
                is_kept_from_links: is_deep,
            },
        })
    }

    /// This scope with no files but those of the kinds that `type` names.
    pub fn of_types(mut self, request: &Request<'_>) -> Result<Self, Failure> {
        let names = request.texts("type")?;
        if !names.is_empty() {
            let types = FileTypes::parse(names.iter().flat_map(|names| names.split(',')));
            let types = types.map_err(|why| Failure::bad_request(format!("in type, {why}")))?;
            self.walk.types = Some(Arc::new(types));
        }
        Ok(self)
    }

    /// The patterns of names that are left out.
    pub fn excluded(&self) -> Option<&Exclusions> {
        self.walk.excluded.as_deref()
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
