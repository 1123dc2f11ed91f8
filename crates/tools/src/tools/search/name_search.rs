//! The files and names that a search of glob or grep takes, which depends on the caller.
//!
//! A host's search takes what the specification says, unless it sends `all` or `exclude`.

use std::borrow::Cow;
use std::env;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

use crate::contract::call_terms::{Audience, CallTerms, threads};
use crate::contract::failure::{ErrorCode, Failure};
use crate::contract::request::Request;
use crate::tools::search::empty_result::{self, EXPLANATION_TIMEOUT, EmptySearch};
use crate::tools::search::exclude;
use crate::tools::search::note::{SearchVocabulary, error_in_words};
use iki_search::file_types::FileTypes;
use iki_search::glob_pattern::GlobPattern;
use iki_search::left_out::{LeftOutNames, LeftOutReason};
use iki_search::walk::WalkScope;

/// The pattern for every name.
const EVERY_NAME: &str = "*";

/// The names that a call of glob or grep looks for.
pub struct NameSearch {
    words: SearchVocabulary,
    /// The directory to start from; empty if none was given.
    pub path: String,
    /// The wildcard pattern, if one was given.
    pub given_pattern: Option<String>,
    /// The names that the walk takes.
    pub scope: WalkScope,
}

impl NameSearch {
    /// Reads the fields next to the wildcard pattern, if one was given.
    ///
    /// # Errors
    /// A field makes no sense. A person searches in a path that does not exist, which fails as with
    /// grep(1), or that is neither a directory nor a regular file; other callers get the note on an
    /// empty answer.
    pub fn from_request(
        request: &Request<'_>,
        words: SearchVocabulary,
        pattern: Option<&str>,
    ) -> Result<Self, Failure> {
        let path = path_of(request, words, pattern)?;
        let (path, below) =
            both_from_working_directory(request, path, pattern.unwrap_or(EVERY_NAME));
        let path = path.unwrap_or_default().into_owned();
        let is_host = request.terms().reader == Audience::Host;
        let (below, not) = match split_negation(&below).filter(|_| !is_host) {
            Some((pattern, not)) => (pattern.into_owned(), Some(not)),
            None => (below.into_owned(), None),
        };
        let mut scope = scope(request, &path, not.as_deref())?;
        if words.searches_files {
            scope.types = types(request)?;
        }
        let search = Self {
            words,
            path,
            given_pattern: pattern.map(|_| below),
            scope,
        };
        search.check_place(request.terms())?;
        Ok(search)
    }

    fn check_place(&self, terms: &CallTerms) -> Result<(), Failure> {
        let path = &*self.path;
        let is_elsewhere = self.pattern().starts_with('/') || terms.style.stdin.is_some();
        if terms.reader != Audience::Person || path.is_empty() || is_elsewhere {
            return Ok(());
        }
        match fs::metadata(path) {
            Err(error) => {
                let message = format!("{path}: {}", error_in_words(&error));
                let failure = Failure::new(ErrorCode::FileNotFound, message);
                let search = self.without_result(&LeftOutNames::default(), terms);
                let note = empty_result::explain_path(search, self.given_pattern.as_deref());
                Err(failure.with_note(note.unwrap_or_default()))
            }
            Ok(place) if !place.is_dir() && !place.is_file() => {
                let message =
                    format!("{path}: neither a directory nor a regular file, not searched");
                Err(Failure::new(ErrorCode::ReadError, message))
            }
            Ok(_) => Ok(()),
        }
    }

    /// The wildcard pattern; where none was given, that for every name.
    pub fn pattern(&self) -> &str {
        self.given_pattern.as_deref().unwrap_or(EVERY_NAME)
    }

    /// This search, which found nothing but what it passed over, to find out why. Each search for a
    /// reason has a time limit of its own.
    pub fn without_result(&self, passed_over: &LeftOutNames, terms: &CallTerms) -> EmptySearch<'_> {
        let until = Instant::now() + EXPLANATION_TIMEOUT;
        EmptySearch {
            path: &self.path,
            pattern: self.pattern(),
            words: self.words,
            scope: self.scope.is_deep.then_some(&self.scope),
            knows_other_case: !passed_over.names_for(LeftOutReason::OtherCase).is_empty(),
            until: terms
                .deadline
                .map_or(until, |deadline| deadline.end.min(until)),
        }
    }
}

/// The field `path`, in which `pattern` is sought.
///
/// # Errors
/// It is no text; if it is a list, what to send for all of it.
fn path_of<'r>(
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
                "`path` is one directory: send \"{field}\":\"{{{}}}/**{below}\", or one call for \
                 each.",
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
    if !request.terms().is_served || !path.starts_with('/') {
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
fn both_from_working_directory<'p>(
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
fn split_negation(pattern: &str) -> Option<(Cow<'_, str>, String)> {
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

/// Reads `all` and `exclude` for a search in `path`; `not` is a pattern whose names are left out as
/// well.
fn scope(request: &Request<'_>, path: &str, not: Option<&str>) -> Result<WalkScope, Failure> {
    let all = request.flag("all")?;
    let is_deep = all || request.terms().reader != Audience::Host;
    let mut scope = WalkScope {
        is_deep,
        heeds_ignore_files: is_deep && !all,
        ..WalkScope::default()
    };
    let exists = |pattern: &str| {
        let until = request.terms().work_end();
        let parsed = GlobPattern::parse(pattern.as_bytes());
        parsed.is_ok_and(|one| one.matches_any(&scope, Path::new(path), until, threads))
    };
    let excluded = exclude::parse(&request.texts("exclude")?, not, path, exists)?;
    scope.excluded = excluded.map(Arc::new);
    Ok(scope)
}

/// The kinds of files that `type` names, if it names any.
fn types(request: &Request<'_>) -> Result<Option<Arc<FileTypes>>, Failure> {
    let mut names = Vec::new();
    for text in request.texts("type")? {
        exclude::split(text, &|_| false, &mut names);
    }
    let is_between = |char: char| char.is_whitespace() || "{,}".contains(char);
    let names = names.iter().flat_map(|names| names.split(is_between));
    let mut names = names
        .filter(|name| !name.trim_matches(['*', '.']).is_empty())
        .peekable();
    if names.peek().is_none() {
        return Ok(None);
    }
    let types = FileTypes::parse(names);
    let types = types.map_err(|why| Failure::bad_request(format!("in type, {why}")))?;
    Ok(Some(Arc::new(types)))
}
