//! grep: the lines of files that a regular expression matches.

mod alternative_readings_search;
mod answer;
mod chunk;
mod converted_text;
mod excerpt;
mod first_bytes;
pub mod line_form;
mod line_receiver;
mod options;
mod search;
mod search_notes;
mod search_target;
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
use crate::contract::search_style::{BinaryFiles, SearchStyle, StdinPlace};
use crate::contract::tool::{AccessScope, ExitCodes, FieldRole, Tool, ToolManual};
use crate::tools::search::empty_result::{self, EmptySearch, SearchedNames};
use crate::tools::search::exclude::note_on_unmatched;
use crate::tools::search::name_search::{NameSearch, pattern_of};
use crate::tools::search::note::{self, SearchVocabulary};
use crate::tools::search::omission_note::note_on_left_out;
use alternative_readings_search::{AlternativeReadingsSearch, send};
use answer::{GrepAnswer, SearchOutcome};
use chunk::ResultChunk;
use converted_text::ConvertedText;
use iki_base::wording::count_noun;
use iki_search::ere::oddities::{self, PatternOddity};
use iki_search::ere::{MatchExtents, PatternError, RegexMatcher, before_carriage_return};
use iki_search::left_out::{LeftOutNames, LeftOutReason};
use iki_search::paths::WalkOutcome;
use iki_search::walk::{GlobError, WalkScope};
use options::GrepOptions;
use search::FileSearcher;
use search_notes::{
    note_on_early_end, note_on_long_lines, note_on_shown_part, note_on_undecided_lines,
    note_on_unknown_types, note_on_unreadable_files,
};
use search_target::SearchTarget;
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
    colours_output: true,
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

/// Maximum length of a pattern that is written out in the place of a broken one.
const MAX_MENDED_BYTES: usize = 200;

const VOCABULARY: SearchVocabulary = SearchVocabulary {
    pattern_field: "glob",
    searches_files: true,
};

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let pattern = request.required_text("pattern")?;
    let glob = pattern_of(request, "glob")?;
    let names = NameSearch::from_request(request, VOCABULARY, glob)?;
    let until = request.terms().work_end();
    let target = if request.terms().style.stdin.is_some() {
        Ok(SearchTarget::StandardInput)
    } else if Path::new(&names.path).is_file() {
        Ok(SearchTarget::File)
    } else {
        SearchTarget::parse(&names)
    };
    let one_file = matches!(target, Ok(SearchTarget::File | SearchTarget::StandardInput));
    let options = GrepOptions::from_request(request, one_file)?;
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
            AlternativeReadingsSearch::prepare(pattern, None, None, until)?
                .note(&names, target, None)
        });
        let note = note.or_else(|| {
            // A form of another engine is not meant as it stands.
            let is_broken = !matches!(error, PatternError::Unsupported(_) | PatternError::Class);
            let (mended, is_whole) = oddities::mended(pattern)
                .filter(|(mended, _)| is_broken && mended.len() <= MAX_MENDED_BYTES)?;
            let meant = if is_whole {
                "For these characters themselves"
            } else {
                "With plain characters where it is broken,"
            };
            Some(format!("{meant} {}.", send(&mended)))
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
        .is_coloured
        .then(|| MatchExtents::compile(&written));
    let query = GrepQuery {
        pattern,
        extents: extents.flatten().map(Arc::new),
        written,
        matcher,
        names,
        target: target?,
        options,
    };
    Ok(Reply::new(move |object| query.answer(object, until)))
}

/// A call that has been understood.
struct GrepQuery<'a> {
    pattern: &'a str,
    /// The extents of matches, for colouring them.
    extents: Option<Arc<MatchExtents>>,
    /// The pattern as it was compiled.
    written: Cow<'a, str>,
    matcher: RegexMatcher,
    names: NameSearch,
    target: SearchTarget,
    options: GrepOptions,
}

impl GrepQuery<'_> {
    fn answer(&self, object: &mut AnswerObject<'_>, until: Option<Instant>) -> io::Result<()> {
        let reader = object.terms().reader;
        let links = self.target.links();
        let room = object.room();
        let extents = self.extents.clone();
        let mut shared = SharedSearch::new(
            self.pattern,
            until,
            room,
            reader,
            links,
            self.options,
            extents,
        );
        shared.look_for_crlf(&self.written);
        let mut document = Ok(None);
        if reader != Audience::Host && matches!(self.target, SearchTarget::File) {
            document = ConvertedText::of_document(&self.names.path, &self.matcher, object.terms());
        }
        let cannot_be_read = document.as_ref().err().cloned();
        shared.made = document.ok().flatten();
        let is_partial = shared.made.as_ref().is_some_and(|made| made.is_partial);
        let mut answer = GrepAnswer::new(&shared, object)?;
        let began = Instant::now();
        let walk = self.target.walk(&self.names, until);
        let mut walked = Ok(WalkOutcome::default());
        let SearchStyle {
            is_quiet, stdin, ..
        } = self.options.style;
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
                        Ok(true) if is_quiet && answer.matching_lines() > 0 => {
                            ControlFlow::Break(Ok(()))
                        }
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
                _ if is_partial => "no matches in what was read of 1 file".to_owned(),
                files => format!("no matches in {}", count_noun(files, "file")),
            })?;
        }
        // As grep(1) has it, who asks only for a match has it.
        let is_answered = is_quiet && done.count > 0;
        let is_whole = done.is_whole(&walked) && !is_partial && cannot_be_read.is_none();
        if !is_answered && !is_whole {
            object.not_all_read();
        }
        if let SearchTarget::StandardInput = self.target {
            object.note(note_on_unreadable_files(&done));
            object.note(note_on_long_lines(&done.not_to_the_end));
            object.note(note_on_undecided_lines(self.matcher.gave_up(), &done));
            let packed = done.passed_over.names_for(LeftOutReason::Document);
            if !packed.is_empty() && self.options.style.binary != BinaryFiles::Shown {
                object.note(standard_input::IS_NO_TEXT.to_owned());
                if !is_answered {
                    object.not_all_read();
                }
            }
            if done.ended.is_none() && !is_empty {
                object.note(self.note_on_pattern(&done, took, shared, object.terms()));
            }
            if is_empty && stdin == Some(StdinPlace::Implied) {
                object.note(standard_input::WAS_EMPTY.to_owned());
            }
            return Ok(());
        }
        object.note_at_both_ends(note_on_shown_part(&done, self.options));
        let searched = (took, shared, cannot_be_read);
        object.note(self.notes(&walked, &done, searched, object.terms()));
        Ok(())
    }

    fn notes(
        &self,
        walked: &Result<WalkOutcome, GlobError>,
        done: &SearchOutcome,
        (took, shared, cannot_be_read): (Duration, SharedSearch, Option<String>),
        terms: &CallTerms,
    ) -> Notes {
        let mut passed_over = done.passed_over.clone();
        if let Ok(walked) = walked {
            passed_over.append(&mut walked.passed_over.clone());
        }
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
        notes.add(shared.made.as_ref().and_then(|made| made.note.clone()));
        if let SearchTarget::File = self.target {
            // Advice to search it by its path would be what was done.
            let is_document = passed_over.remove(LeftOutReason::Document);
            let words = "Its bytes were searched, not its text: it begins as a document, and \
                         cannot be read as one.";
            notes.add(cannot_be_read.or_else(|| is_document.then(|| words.to_owned())));
        }
        if !ended && done.files > 0 {
            notes.add(self.note_on_pattern(done, took, shared, terms));
        }
        if done.count == 0 && !ended && done.unreadable == 0 {
            notes.add(self.explain_no_result(walked, done, &passed_over, terms));
        } else if done.count > 0 && !ended && matches!(&self.target, SearchTarget::Names(_)) {
            let search = self.without_result(&passed_over, terms);
            notes.add(empty_result::explain_more_below(search, done.files));
        }
        if let SearchTarget::Names(_) = &self.target
            && !ended
        {
            let WalkScope {
                excluded, types, ..
            } = &self.names.scope;
            notes.add(excluded.as_deref().and_then(note_on_unmatched));
            notes.add(types.as_deref().and_then(note_on_unknown_types));
        }
        // This comes last, because it is not a sentence.
        let found_nothing = done.count == 0;
        let search = self.without_result(&passed_over, terms);
        notes.add(note_on_left_out(
            &passed_over,
            &search,
            found_nothing,
            terms,
        ));
        notes
    }

    /// Says what is odd about the pattern, or in which other way it matches.
    fn note_on_pattern(
        &self,
        done: &SearchOutcome,
        took: Duration,
        mut shared: SharedSearch,
        terms: &CallTerms,
    ) -> Option<String> {
        if let Some((dead, meant)) = oddities::dead_alternative(self.pattern) {
            let dead = dead.replace('\n', r"\n");
            let meant = meant.map_or_else(String::new, |meant| format!("; `{meant}` does"));
            return Some(format!(
                "`{dead}` matches no line: lines are searched one by one{meant}."
            ));
        }
        if shared.misses_crlf()
            && let Some(reading) = before_carriage_return(self.pattern, r"\r?")
        {
            let (which, more) = match done.count {
                0 => ("These lines end", ""),
                _ => ("More lines end", " those too"),
            };
            return Some(format!(
                "{which} in CRLF. With `\\r?` before the line end, the pattern matches{more}: {}.",
                send(&reading)
            ));
        }
        let oddity = PatternOddity::detect(self.pattern).filter(|_| done.count > 0);
        if done.count > 0 && oddity.is_none() {
            return None;
        }
        // Another reading may match in those files alone.
        if shared.options.style.binary == BinaryFiles::LeftOut {
            return None;
        }
        let made = shared.made.take();
        let remaining_pass = shared.rest_of_readings(took);
        let pass = remaining_pass.or_else(|| {
            AlternativeReadingsSearch::prepare(self.pattern, oddity, Some(took), terms.work_end())
        });
        let note = pass.and_then(|pass| pass.note(&self.names, &self.target, made.as_ref()));
        note.or_else(|| {
            let odd = oddity.filter(|_| oddities::is_every_line(self.pattern))?;
            let narrower = oddities::narrower(self.pattern);
            let narrower = narrower.map(|meant| format!(" Perhaps {}.", send(&meant)));
            Some(format!(
                "{}{}",
                odd.sentence(),
                narrower.unwrap_or_default()
            ))
        })
    }

    /// The search for files, whose names are to be explained.
    fn without_result(&self, passed_over: &LeftOutNames, terms: &CallTerms) -> EmptySearch<'_> {
        let search = self.names.without_result(passed_over, terms);
        let path = if search.path == "." { "" } else { search.path };
        EmptySearch { path, ..search }
    }

    /// Says why no line was found; `None` if everything that was asked for was searched.
    fn explain_no_result(
        &self,
        walked: &Result<WalkOutcome, GlobError>,
        done: &SearchOutcome,
        passed_over: &LeftOutNames,
        terms: &CallTerms,
    ) -> Option<String> {
        let search = self.without_result(passed_over, terms);
        let glob = search.pattern;
        let given_glob = self.names.given_pattern.as_deref();
        let walked = match (&self.target, walked) {
            (SearchTarget::File | SearchTarget::StandardInput, _) => {
                return given_glob.map(|_| {
                    "`path` is a file, so only that was searched; `glob` counts only if `path` is \
                     a directory."
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
                    search_target::start(&self.names)
                ));
            }
            (_, Err(error)) => return Some(format!("Nothing was searched: {error}.")),
            (SearchTarget::Names(_), Ok(walked)) => walked,
        };
        let is_elsewhere = search.path.is_empty() || glob.starts_with('/');
        let misplaced = (!is_elsewhere)
            .then(|| empty_result::explain_path(search, given_glob))
            .flatten();
        let searched = SearchedNames {
            files: done.files,
            directories: done.directories,
            has_links: !passed_over.names_for(LeftOutReason::FoundLink).is_empty(),
            has_hidden: walked.has_hidden,
        };
        // What `exclude` left out is told; no other pattern would find it.
        let is_excluded = !passed_over
            .names_for(LeftOutReason::ExcludedFile)
            .is_empty();
        let reason = misplaced.or_else(|| {
            let explain = || empty_result::explain_no_lines(search, searched);
            (!is_excluded).then(explain).flatten()
        });
        let is_left_out = |reason| !passed_over.names_for(reason).is_empty();
        let reasons = [
            LeftOutReason::IgnoreFile,
            LeftOutReason::Exclusion,
            LeftOutReason::ExcludedFile,
        ];
        // The note on what was left out says why then, and a model reads this in place of lines.
        if reasons.into_iter().any(is_left_out)
            || reason.is_some()
            || done.files > 0
            || terms.reader == Audience::Model
        {
            return reason;
        }
        Some(match given_glob {
            Some(glob) => {
                let not = glob.strip_prefix('!').filter(|not| !not.is_empty());
                let exclude = not.map_or_else(String::new, |not| {
                    format!(" To leave names out send \"exclude\":{}.", Value::from(not))
                });
                format!("Nothing was searched: no file is named {glob:?}.{exclude}")
            }
            None => "Nothing was searched: there are no files to search.".to_owned(),
        })
    }
}
