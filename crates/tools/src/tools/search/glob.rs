//! glob: the paths that a wildcard pattern names.

use std::convert::Infallible;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::contract::call_terms::{Audience, threads};
use crate::contract::failure::{ErrorCode, Failure};
use crate::contract::notes::Notes;
use crate::contract::reply::{AnswerObject, Reply};
use crate::contract::request::Request;
use crate::contract::tool::{AccessScope, ExitCodes, FieldRole, Tool, ToolManual};
use crate::tools::search::empty_result;
use crate::tools::search::exclude::note_on_unmatched;
use crate::tools::search::grep::line_form::painted_path;
use crate::tools::search::name_search::{NameSearch, pattern_of};
use crate::tools::search::note::{self, SearchVocabulary, ShownPart};
use crate::tools::search::omission_note::note_on_left_out;
use iki_base::unseen;
use iki_search::left_out::LeftOutReason;
use iki_search::paths::WalkOutcome;
use iki_search::walk::{GlobError, PathVisitor, PatternWalk, WalkEntry};

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "glob",
    link: "glob",
    schema: include_str!("../schemas/glob.json"),
    model_schema: include_str!("../schemas/for_models/glob.json"),
    host_schema: Some(include_str!("../schemas/for_hosts/glob.json")),
    aliases: &[("head_limit", "limit")],
    title: "Find files",
    scope: AccessScope::Paths {
        directory: "path",
        pattern: "pattern",
    },
    manual: ToolManual(include_str!("../manuals/glob.txt")),
    fields: &[("output", FieldRole::Output), ("count", FieldRole::Count)],
    exit_codes: ExitCodes::SEARCH,
    how_to_get_less: "To have less, narrow `pattern` or `path`.",
    colours_output: true,
    run,
    ..Tool::PLAIN
};

const VOCABULARY: SearchVocabulary = SearchVocabulary {
    pattern_field: "pattern",
    searches_files: false,
};

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    pattern_of(request, "pattern")?;
    let pattern = request.required_text("pattern")?;
    let names = NameSearch::from_request(request, VOCABULARY, Some(pattern))?;
    let terms = request.terms();
    let limit = request.integer("limit", 1..=u64::MAX)?;
    let refused = |error| failure(error, names.pattern(), &names.path);
    let parsed = names.scope.parse(names.pattern());
    let parsed = parsed.map_err(|error| refused(error.into()))?;
    let walk = parsed.walk(&names.scope, Path::new(&names.path), terms.work_end());
    let walk = walk.map_err(refused)?;
    Ok(Reply::new(move |object| {
        let (walked, listed) = list(object, walk, limit, terms.style.is_coloured)?;
        object.field("count", &listed.count)?;
        object.note_at_both_ends(listed.note("names", "pattern or path", limit));
        let mut notes = Notes::default();
        let left_out = walked.left_out;
        notes.add(left_out.map(|what| note::omitted_paths(what, terms, VOCABULARY)));
        notes.add(note::unlisted_directories(&walked.unlisted));
        if walked.unlisted.first.is_some() {
            object.not_all_read();
        }
        let search = || names.without_result(&walked.passed_over, terms);
        if listed.count == 0 {
            object.nothing_found("no names match")?;
        }
        let pattern = names.pattern();
        let is_open = pattern
            .rfind('[')
            .is_some_and(|offset| !pattern[offset..].contains(']'));
        let is_open = is_open && listed.count == 0 && terms.reader != Audience::Host;
        notes.add(
            is_open.then(|| "`[` begins a set that no `]` ends, and stands for itself.".to_owned()),
        );
        if left_out.is_none() {
            // What `exclude` left out is told; no other pattern would find it.
            let excluded = walked.passed_over.names_for(LeftOutReason::ExcludedFile);
            notes.add(match listed.count {
                0 if !excluded.is_empty() => None,
                0 => empty_result::explain_no_names(search()),
                count => empty_result::explain_more_below(search(), count),
            });
            let excluded = names.scope.excluded.as_deref();
            notes.add(excluded.and_then(note_on_unmatched));
        }
        // This comes last, because it is not a sentence.
        let found_nothing = listed.count == 0;
        notes.add(note_on_left_out(
            &walked.passed_over,
            &search(),
            found_nothing,
            terms,
        ));
        object.note(notes);
        Ok(())
    }))
}

/// Collects the names that a walk finds.
struct NameCollector<'a> {
    /// Maximum number of bytes of names that are shown, if there is a limit.
    room: Option<usize>,
    /// True if nothing more is shown.
    full: &'a AtomicBool,
    /// True if names are shown one by one, because not all of them may be.
    is_limited: bool,
    /// True if names are coloured.
    painted: bool,
}

/// Some names, one after the other.
#[derive(Default)]
struct NameChunk {
    /// Each with a line feed before it.
    text: Vec<u8>,
    /// The offset at which each ends, if there is a limit.
    ends: Vec<usize>,
    count: u64,
}

impl NameChunk {
    /// Spells unseen characters. Most names have none, and are looked at many at a time.
    fn spell(&mut self) {
        if self.text.is_ascii() {
            return;
        }
        let (mut text, mut start) = (Vec::with_capacity(self.text.len()), 0);
        let mut whole = self.text.len();
        let ends = match self.ends.as_mut_slice() {
            [] => std::slice::from_mut(&mut whole),
            ends => ends,
        };
        for end in ends {
            let name = &self.text[start..*end];
            start = *end;
            text.extend_from_slice(&unseen::spelled_name(name));
            *end = text.len();
        }
        self.text = text;
    }
}

/// Number of bytes of text that are handed on at once.
const CHUNK_BYTES: usize = 64 << 10;

impl PathVisitor for NameCollector<'_> {
    type Output = NameChunk;
    type Rest = Infallible;
    const COST: usize = 1;

    fn visit(&mut self, entry: &mut WalkEntry<'_>, made: &mut NameChunk) -> Option<Infallible> {
        made.count += 1;
        let is_of_use = |room| made.text.len() <= room && !self.full.load(Ordering::Relaxed);
        if self.room.is_none_or(is_of_use) {
            made.text.push(b'\n');
            if self.painted {
                made.text
                    .extend(painted_path(&entry.parts().concat(), true));
            } else {
                for part in entry.parts() {
                    made.text.extend_from_slice(part);
                }
            }
            if self.is_limited {
                made.ends.push(made.text.len());
            }
        }
        None
    }

    fn is_enough(&self, made: &NameChunk) -> bool {
        made.text.len() >= CHUNK_BYTES
    }

    fn size(made: &NameChunk) -> usize {
        made.text.len()
    }
}

/// Writes the names, a line each, as far as they fit, and counts the others.
fn list(
    object: &mut AnswerObject<'_>,
    walk: PatternWalk,
    limit: Option<u64>,
    painted: bool,
) -> io::Result<(WalkOutcome, ShownPart)> {
    let room = object.room();
    let is_limited = room.is_some() || limit.is_some();
    let spelled = object.terms().reader != Audience::Person;
    let mut output = object.text("output")?;
    let full = AtomicBool::new(false);
    let (mut listed, mut shown_count) = (ShownPart::default(), 0);
    let names = || NameCollector {
        room,
        full: &full,
        is_limited,
        painted,
    };
    let (walked, flow) = walk.visit(threads, names, |made: &mut NameChunk| {
        let first = usize::from(listed.count == 0);
        listed.count += made.count;
        made.count = 0;
        if spelled {
            made.spell();
        }
        let written = if is_limited {
            let mut start = 0;
            for end in made.ends.drain(..) {
                let name = &made.text[start..end];
                let name = name
                    .get(usize::from(shown_count == 0)..)
                    .unwrap_or_default();
                if limit.is_some_and(|limit| shown_count >= limit) {
                    full.store(true, Ordering::Relaxed);
                }
                if full.load(Ordering::Relaxed) {
                    break;
                }
                match output.record(name) {
                    Ok(true) => shown_count += 1,
                    Ok(false) => {
                        listed.first = (shown_count == 0).then_some(name.len());
                        full.store(true, Ordering::Relaxed);
                    }
                    Err(error) => return ControlFlow::Break(error),
                }
                start = end;
            }
            Ok(())
        } else {
            output.write_all(made.text.get(first..).unwrap_or_default())
        };
        made.text.clear();
        written.map_or_else(ControlFlow::Break, ControlFlow::Continue)
    });
    if let ControlFlow::Break(error) = flow {
        return Err(error);
    }
    output.close()?;
    listed.shown_count = (is_limited && shown_count < listed.count).then_some(shown_count);
    Ok((walked, listed))
}

fn failure(error: GlobError, pattern: &str, path: &str) -> Failure {
    match error {
        GlobError::InvalidPattern(error) => {
            let failure = Failure::new(ErrorCode::InvalidPattern, "Invalid glob pattern");
            failure.with_note(note::pattern_error(error, pattern.len(), VOCABULARY))
        }
        GlobError::ReadError(error) => {
            let why = note::errno_in_words(error);
            let path = if path.is_empty() { "." } else { path };
            let failure = Failure::new(ErrorCode::ReadError, "Read error during glob");
            failure.with_note(format!("{path} cannot be listed: {why}."))
        }
        GlobError::OutOfMemory => Failure::new(ErrorCode::OutOfMemory, "Out of memory during glob"),
    }
}
