//! grep: the lines of files that a regular expression matches.

mod alternative_readings_search;
mod answer;
mod chunk;
mod excerpt;
mod line_form;
mod line_receiver;
mod options;
mod search;
mod shared_search;
mod standard_input;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::contract::call_terms::{Audience, CallTerms};
use crate::contract::failure::{ErrorCode, Failure};
use crate::contract::notes::Notes;
use crate::contract::reply::{AnswerObject, Reply};
use crate::contract::request::Request;
use crate::contract::search_style::{SearchStyle, StdinPlace};
use crate::contract::tool::{AccessScope, ExitCodes, FieldRole, Tool, ToolManual};
use crate::tools::search::empty_result::{self, EmptySearch, SearchedNames};
use crate::tools::search::ignored_note::note_on_ignored;
use crate::tools::search::note::{self, SearchVocabulary};
use crate::tools::search::scope::{FileScope, check_place};
use alternative_readings_search::AlternativeReadingsSearch;
use answer::{GrepAnswer, SearchOutcome};
use chunk::ResultChunk;
use iki_base::wording::count_noun;
use iki_search::ere::{MatchExtents, RegexMatcher, has_empty_group};
use iki_search::paths::WalkOutcome;
use iki_search::scan::LinkPolicy;
use iki_search::steps::{GlobPattern, WildcardError};
use iki_search::walk::{self, GlobError, PatternWalk};
use options::{GrepOptions, GrepOutput};
use search::FileSearcher;
use shared_search::SharedSearch;

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "grep",
    link: "grep",
    schema: include_str!("../../schemas/grep.json"),
    model_schema: include_str!("../../schemas/for_models/grep.json"),
    host_schema: Some(include_str!("../../schemas/for_hosts/grep.json")),
    aliases: &[
        ("include", "glob"),
        ("-i", "ignore_case"),
        ("-A", "after"),
        ("-B", "before"),
        ("-C", "context"),
        ("head_limit", "limit"),
        ("output_mode", "output"),
    ],
    title: "Search in files",
    paints: true,
    scope: AccessScope::Paths {
        directory: "path",
        pattern: "glob",
    },
    manual: ToolManual(include_str!("../../manuals/grep.txt")),
    fields: &[("output", FieldRole::Output), ("count", FieldRole::Count)],
    exit_codes: ExitCodes::SEARCH,
    how_to_get_less: "To have less, narrow `pattern`, `glob` or `path`.",
    run,
    ..Tool::PLAIN
};

const VOCABULARY: SearchVocabulary = SearchVocabulary {
    pattern_field: "glob",
    searches_files: true,
};

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let pattern = request.required_text("pattern")?;
    let path = request.text("path")?;
    let until = request.terms().until();
    let is_host = request.terms().reader == Audience::Host;
    let glob = request.text("glob")?;
    let (glob, not) = match glob.and_then(|glob| glob.strip_prefix('!')) {
        Some(not) if !is_host => (None, Some(not)),
        _ => (glob, None),
    };
    let scope = FileScope::of(request, not)?;
    let is_deep = scope.is_deep;
    let wild = glob.unwrap_or("*");
    let stdin = request.terms().style.stdin.is_some();
    if !wild.starts_with('/') && !stdin {
        let place = EmptySearch::new(path.unwrap_or_default(), wild, VOCABULARY, None);
        check_place(request, place, glob)?;
    }
    let target = match path {
        _ if stdin => Ok(SearchTarget::StandardInput),
        Some(path) if Path::new(path).is_file() => Ok(SearchTarget::File),
        _ => SearchTarget::of(wild, scope),
    };
    let one_file = matches!(target, Ok(SearchTarget::File | SearchTarget::StandardInput));
    let options = GrepOptions::of(request, one_file)?;
    let path = path.unwrap_or(".");
    let written = if request.flag("ignore_case")? {
        Cow::Owned(format!("(?i){pattern}"))
    } else {
        Cow::Borrowed(pattern)
    };
    let mut matcher = RegexMatcher::compile(&written).map_err(|error| {
        let failure = Failure::new(
            ErrorCode::InvalidPattern,
            format!("Invalid pattern: {error}"),
        );
        let target = target.as_ref().ok();
        let note = target.and_then(|target| {
            AlternativeReadingsSearch::of(pattern, false, None, until)?.note(path, target)
        });
        match note {
            Some(note) => failure.with_note(note),
            None => failure,
        }
    })?;
    if let Some(until) = until {
        matcher = matcher.within(until.saturating_duration_since(Instant::now()));
    }
    let extents = options
        .style
        .painted
        .then(|| MatchExtents::compile(&written));
    let query = GrepQuery {
        pattern,
        extents: extents.flatten().map(Arc::new),
        matcher,
        path: if is_deep && path == "." { "" } else { path },
        glob,
        target: target?,
        options,
    };
    Ok(Reply::new(move |object| query.answer(object, until)))
}

/// The files that are searched.
enum SearchTarget {
    /// The file at `path`.
    File,
    /// What a person's pipe holds, or a file that a person has put in its place.
    StandardInput,
    /// The names of a pattern, in their scope.
    Names(GlobPattern, FileScope),
    /// No files, because the text is not a pattern.
    Nowhere(WildcardError),
}

impl SearchTarget {
    fn of(glob: &str, scope: FileScope) -> Result<Self, Failure> {
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
    fn walk(&self, path: &str, until: Option<Instant>) -> Result<Option<PatternWalk>, GlobError> {
        let path = Path::new(path);
        match self {
            Self::File => Ok(Some(walk::file(path))),
            Self::Names(pattern, scope) => pattern.walk(&scope.walk, path, until).map(Some),
            Self::StandardInput | Self::Nowhere(_) => Ok(None),
        }
    }

    fn links(&self) -> LinkPolicy {
        match self {
            Self::File | Self::StandardInput => LinkPolicy::Follow,
            Self::Names(..) | Self::Nowhere(_) => LinkPolicy::Refuse,
        }
    }
}

/// A call that has been understood.
struct GrepQuery<'a> {
    pattern: &'a str,
    /// The extents of matches, for colouring them.
    extents: Option<Arc<MatchExtents>>,
    matcher: RegexMatcher,
    path: &'a str,
    glob: Option<&'a str>,
    target: SearchTarget,
    options: GrepOptions,
}

impl GrepQuery<'_> {
    fn answer(&self, object: &mut AnswerObject<'_>, until: Option<Instant>) -> io::Result<()> {
        let reader = object.terms().reader;
        let links = self.target.links();
        let room = object.room();
        let extents = self.extents.clone();
        let shared = SharedSearch::new(
            self.pattern,
            until,
            room,
            reader,
            links,
            self.options,
            extents,
        );
        let mut answer = GrepAnswer::new(&shared, object)?;
        let began = Instant::now();
        let walk = self.target.walk(self.path, until);
        let mut walked = Ok(WalkOutcome::default());
        let SearchStyle { quiet, stdin, .. } = self.options.style;
        let mut is_empty = false;
        if let SearchTarget::StandardInput = self.target {
            is_empty = standard_input::search(&shared, &self.matcher, &mut answer)?;
        }
        match walk {
            Ok(Some(walk)) => {
                let searcher = || FileSearcher::new(&shared, &self.matcher);
                let (all, flow) = walk.visit(
                    || shared.threads(),
                    searcher,
                    |chunk: &mut ResultChunk| match answer.add(chunk) {
                        Ok(true) if quiet && answer.found() > 0 => ControlFlow::Break(Ok(())),
                        Ok(true) => ControlFlow::Continue(()),
                        Ok(false) => ControlFlow::Break(Ok(())),
                        Err(error) => ControlFlow::Break(Err(error)),
                    },
                );
                if let ControlFlow::Break(ended) = flow {
                    ended?;
                }
                walked = Ok(all);
            }
            Ok(None) => {}
            Err(error) => walked = Err(error),
        }
        let took = began.elapsed();
        let done = answer.finish()?;
        object.field("count", &done.count)?;
        if done.count == 0 {
            object.nothing_found(&match done.files {
                0 => "no file searched".to_owned(),
                files => format!("no matches in {}", count_noun(files, "file")),
            })?;
        }
        // As grep(1) has it, who asks only for a match has it.
        let is_answered = quiet && done.count > 0;
        if !is_answered && !is_whole(&walked, &done) {
            object.not_all_read();
        }
        if let SearchTarget::StandardInput = self.target {
            object.note(note_on_unreadable_files(&done));
            object.note(note_on_long_lines(&done.not_to_the_end));
            object.note(note_on_undecided_lines(self.matcher.gave_up(), &done));
            if is_empty && stdin == Some(StdinPlace::Implied) {
                object.note(standard_input::WAS_EMPTY.to_owned());
            }
            return Ok(());
        }
        object.note_at_both_ends(note_on_shown_part(&done, self.options));
        let notes = self.notes(&walked, &done, (took, shared), object.terms());
        object.note(notes);
        Ok(())
    }

    fn notes(
        &self,
        walked: &Result<WalkOutcome, GlobError>,
        done: &SearchOutcome,
        (took, shared): (Duration, SharedSearch),
        terms: &CallTerms,
    ) -> Notes {
        let mut notes = Notes::default();
        notes.add(note_on_undecided_lines(self.matcher.gave_up(), done));
        notes.add(note_on_early_end(done, terms));
        notes.add(note_on_long_lines(&done.not_to_the_end));
        notes.add(note_on_unreadable_files(done));
        let mut ended = done.ended.is_some();
        if let Ok(walked) = walked {
            let left_out = walked.left_out;
            ended |= left_out.is_some();
            notes.add(left_out.map(|what| note::omitted_paths(what, terms, VOCABULARY)));
            notes.add(note::unlisted_directories(&walked.unlisted));
        }
        if !ended && done.files > 0 && (done.count == 0 || has_empty_group(self.pattern)) {
            let (has_found, until) = (done.count > 0, terms.until());
            let rest = shared.rest_of_readings(took);
            let pass = rest.or_else(|| {
                AlternativeReadingsSearch::of(self.pattern, has_found, Some(took), until)
            });
            notes.add(pass.and_then(|pass| pass.note(self.path, &self.target)));
        }
        if done.count == 0 && !ended && done.unreadable == 0 {
            notes.add(self.explain_no_result(walked, done, terms));
        } else if done.count > 0
            && !ended
            && matches!(&self.target, SearchTarget::Names(_, scope) if !scope.is_deep)
        {
            notes.add(empty_result::explain_more_below(
                self.search(terms),
                done.files,
            ));
        }
        // This comes last, because it is not a sentence.
        if let Ok(walked) = walked {
            notes.add(self.note_on_ignored_names(walked, done, terms));
        }
        notes
    }

    /// Says what ignore files left out.
    fn note_on_ignored_names(
        &self,
        walked: &WalkOutcome,
        done: &SearchOutcome,
        terms: &CallTerms,
    ) -> Option<String> {
        let pattern = self.glob.unwrap_or("*");
        let count_until = (done.count == 0).then(|| self.search(terms).until);
        note_on_ignored(&walked.ignored, self.path, pattern, VOCABULARY, count_until)
    }

    /// The search for files, whose names are to be explained.
    fn search(&self, terms: &CallTerms) -> EmptySearch<'_> {
        let path = if self.path == "." { "" } else { self.path };
        let glob = self.glob.unwrap_or("*");
        EmptySearch {
            searches_all: matches!(&self.target, SearchTarget::Names(_, scope) if scope.is_deep),
            ..EmptySearch::new(path, glob, VOCABULARY, terms.deadline.map(|one| one.end))
        }
    }

    /// Says why no line was found; `None` if everything that was asked for was searched.
    fn explain_no_result(
        &self,
        walked: &Result<WalkOutcome, GlobError>,
        done: &SearchOutcome,
        terms: &CallTerms,
    ) -> Option<String> {
        let search = self.search(terms);
        let glob = self.glob.unwrap_or("*");
        let walked = match (&self.target, walked) {
            (SearchTarget::File | SearchTarget::StandardInput, _) => {
                return self.glob.map(|_| {
                    "`path` is a file, so only that was searched; `glob` counts only if `path` is a directory."
                        .to_owned()
                });
            }
            (SearchTarget::Nowhere(error), _) => {
                return Some(note::pattern_error(*error, glob.len(), VOCABULARY));
            }
            (_, Err(GlobError::ReadError(error))) => {
                let why = note::errno_in_words(*error);
                return Some(format!(
                    "Nothing was searched: {} cannot be listed ({why}).",
                    self.path
                ));
            }
            (_, Err(error)) => return Some(format!("Nothing was searched: {error}.")),
            (SearchTarget::Names(..), Ok(walked)) => walked,
        };
        let misplaced = match self.path {
            "" | "." => None,
            _ if glob.starts_with('/') => None,
            _ => empty_result::explain_path(search, self.glob),
        };
        let searched = SearchedNames {
            files: done.files,
            directories: done.directories,
            links: done.links,
            hidden: walked.hidden,
        };
        let reason = misplaced.or_else(|| empty_result::explain_no_lines(search, searched));
        // A model reads this in place of the lines.
        if reason.is_some() || done.files > 0 || terms.reader == Audience::Model {
            return reason;
        }
        Some(match self.glob {
            Some(glob) => {
                let not = glob.strip_prefix('!').filter(|not| !not.is_empty());
                let exclude = not.map_or_else(String::new, |not| {
                    format!(" To leave names out send \"exclude\":{}.", Value::from(not))
                });
                format!("Nothing was searched: no file is named {glob:?}.{exclude}")
            }
            None => "Nothing was searched: there is no file to be searched.".to_owned(),
        })
    }
}

/// True if all was opened, listed and read that the search was to look at.
fn is_whole(walked: &Result<WalkOutcome, GlobError>, done: &SearchOutcome) -> bool {
    let is_searched = done.unreadable == 0
        && done.not_to_the_end.is_empty()
        && done.undecided.is_none()
        && done.ended.is_none();
    is_searched
        && walked
            .as_ref()
            .is_ok_and(|walked| walked.unlisted.first.is_none() && walked.left_out.is_none())
}

/// Says how many matches are shown, if not all fit.
fn note_on_shown_part(done: &SearchOutcome, options: GrepOptions) -> Option<String> {
    let narrow = match options.limit {
        Some(_) => "pattern, glob or path, or send a larger limit",
        None => "pattern, glob or path",
    };
    let what = match options.output {
        GrepOutput::Files => "files",
        GrepOutput::Lines | GrepOutput::Counts => "matches",
    };
    match done.first {
        Some(length) => Some(note::first_is_cut(length, done.count, narrow)),
        None if done.bounded && done.shown < done.count => {
            Some(note::shown_part(done.shown, done.count, what, narrow))
        }
        None => None,
    }
}

fn note_on_unreadable_files(done: &SearchOutcome) -> Option<String> {
    let (file, why) = done.first_unreadable.as_ref()?;
    let why = note::errno_in_words(*why);
    Some(match done.unreadable {
        1 => format!("1 file could not be read: {file} ({why})."),
        count => format!(
            "{} could not be read, the first of them {file} ({why}).",
            count_noun(count, "file")
        ),
    })
}

fn note_on_undecided_lines(lines: u64, done: &SearchOutcome) -> Option<String> {
    let (file, line) = done.undecided.as_ref()?;
    let which = if lines == 1 { "" } else { "the first of them " };
    Some(format!(
        "{} may match ({which}{file}:{line}): the pattern is too costly to decide. \
         Make it more specific: smaller counts, fewer repetitions inside repetitions or \
         back-references, more plain text.",
        count_noun(lines, "further line")
    ))
}

/// How close to the call's deadline a pattern's own limit counts as that deadline.
const LIMIT_TOLERANCE: Duration = Duration::from_millis(100);

fn note_on_early_end(done: &SearchOutcome, terms: &CallTerms) -> Option<String> {
    let (file, line) = done.ended.as_ref()?;
    // If the call has a deadline, the pattern's own limit is the time left until then.
    let of_the_call = |until: Instant| Instant::now() + LIMIT_TOLERANCE >= until;
    let of_the_call = done.by_the_clock || terms.until().is_some_and(of_the_call);
    let why = if of_the_call {
        format!("the call had {}", note::seconds_of_call(terms))
    } else {
        "the pattern is too costly".to_owned()
    };
    let what = match (done.by_the_clock, of_the_call) {
        (true, _) => "Narrow `path` or `glob`",
        (false, true) => "Narrow `path` or `glob`, make the pattern simpler",
        (false, false) => "Make the pattern simpler",
    };
    Some(format!(
        "The search ended for lack of time before line {line} of {file}, since {why}: all before that was \
         searched ({} to the end), the rest of this file and the files after it were not. {what}, or \
         search fewer files at a time.",
        count_noun(done.files, "file")
    ))
}

fn note_on_long_lines(files: &[String]) -> Option<String> {
    (!files.is_empty()).then(|| {
        format!(
            "Not searched to the end, because of a line of more than 1 GiB: {}.",
            files.join(", ")
        )
    })
}
