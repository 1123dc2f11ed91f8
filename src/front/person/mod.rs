//! A front end: a person's call of a tool, or a script's. Its command line becomes the very request
//! that a host would send, so that both are understood alike; the answer is text, wherever stdout
//! leads, and the exit code that of a normal program ([`Tool::exit_codes`]).

mod progress;
pub mod screen;
mod stdin;
mod typed_requests;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};

use clap::ArgMatches;
use clap::error::ErrorKind;
use clap::parser::ValueSource;

use crate::command_line::confinement;
use crate::command_line::fields::{NO_CACHE, command, ids, usage};
use crate::command_line::{
    self, extra_arguments, habitual_flags, help, lacking_flags, other_programs,
};
use iki_base::console::exit::ProgramExit;
use iki_base::console::{program_output, sanitize};
use iki_base::wording::quoted;
use iki_tools::call::{answer, confined};
use iki_tools::contract::call_context::CallContext;
use iki_tools::contract::call_terms::{Audience, CallTerms};
use iki_tools::contract::failure::{ErrorCode, Failure};
use iki_tools::contract::reply::AnswerObject;
use iki_tools::contract::request::Request;
use iki_tools::contract::schema::Schema;
use iki_tools::contract::search_style::{LineHead, SearchStyle};
use iki_tools::contract::tool::Tool;
use progress::StdoutAfterProgress;
use screen::{ScreenEnd, ScreenMode, ScreenWriter};
use typed_requests::{TypedRequest, advise, request, requests};

/// The result of reading a person's command line.
pub enum CommandLineResult {
    /// All was done.
    Done(ProgramExit),
    /// The request is on stdin, and is answered as a host's is.
    Stdin(CallFlags),
    /// The request is in this file, and is answered as a host's is.
    File(OsString, CallFlags),
}

/// The flags that are not part of a request.
#[derive(Clone, Copy, Debug, Default)]
pub struct CallFlags {
    /// An answer as it is now ([`CallTerms::skips_cache`]).
    pub skips_cache: bool,
    /// The confinement, if there is one ([`CallTerms::context`]).
    pub context: Option<&'static CallContext>,
    /// True if the request is one of several whose answers stand together.
    pub is_one_of_several: bool,
    /// The options of a search beyond its request.
    pub style: SearchStyle,
    /// The choice of colour; without one, a terminal is coloured.
    pub colour: Option<bool>,
}

impl CallFlags {
    fn from_matches(tool: &Tool, matches: &ArgMatches) -> Self {
        Self {
            skips_cache: tool.keeps_answers() && matches.get_flag(NO_CACHE),
            context: confinement::bounds(matches).map(|bounds| {
                let context = CallContext {
                    bounds: Some(bounds),
                    ..CallContext::default()
                };
                // It lasts as long as the process, which makes no other call.
                &*Box::leak(Box::new(context))
            }),
            is_one_of_several: false,
            style: SearchStyle::default(),
            colour: habitual_flags::colour(matches),
        }
    }

    /// `terms` with these flags.
    pub fn apply_to(self, terms: CallTerms) -> CallTerms {
        CallTerms {
            skips_cache: self.skips_cache,
            context: self.context,
            style: self.style,
            ..terms
        }
    }
}

/// Carries out a person's call of `tool`, reached by `invocation`.
pub fn run(tool: &Tool, invocation: &str, args: &[OsString]) -> CommandLineResult {
    let schema = Schema::for_flags(tool);
    let mut command = command(tool, &schema).bin_name(invocation);
    // Completions and manuals do without.
    command = command.args(habitual_flags::flags(tool));
    command = command.override_usage(usage(tool, invocation, &schema));
    let advice = extra_arguments::advise_on_flags_of_a_command(invocation, &schema, &command, args);
    let of_find = || other_programs::advise_on_find(args).filter(|_| tool.name == "glob");
    if let Some(advice) = advice.or_else(of_find) {
        return CommandLineResult::Done(misuse(&advice));
    }
    let options = habitual_flags::as_options(tool, &command, args);
    let words = std::iter::once(OsString::from(invocation)).chain(options);
    let parsed = command.try_get_matches_from_mut(words);
    let result = parsed.and_then(|matches| {
        if matches.get_flag("schema") {
            return Ok(CommandLineResult::Done(program_output::print(tool.schema)));
        }
        let mut flags = CallFlags::from_matches(tool, &matches);
        if let Some(file) = matches.get_one::<OsString>("input") {
            return Ok(CommandLineResult::File(file.clone(), flags));
        }
        if !gives_fields(tool, &matches, &schema) {
            return Ok(without_fields(tool, invocation, flags));
        }
        let words = args.iter().map(|word| word.to_string_lossy().into_owned());
        let words: Vec<String> = words.collect();
        if let Some(advice) = lacking_flags::advise(tool, &matches, &words) {
            return Ok(CommandLineResult::Done(misuse(&advice)));
        }
        let (mut request, places) = request(tool, &mut command, &matches, &schema)?;
        let applied = habitual_flags::apply(tool, &matches, &mut request, &mut flags.style);
        let advised = applied.and_then(|()| advise(tool, invocation, &schema, &request, &places));
        if let Err(advice) = advised {
            return Ok(CommandLineResult::Done(misuse(&advice)));
        }
        let words = typed_requests::advise_on_words(invocation, &matches, &request, &places);
        let requests = requests(tool, &schema, &matches, (request, flags), &places);
        let requests = match requests {
            Ok(requests) => requests,
            Err(reason) => return Err(command.error(ErrorKind::Io, reason)),
        };
        let json = matches.get_flag("json");
        if json && requests.len() > 1 {
            let message = "with --json a call takes one place to search";
            return Err(command.error(ErrorKind::TooManyValues, message));
        }
        let exit = call(tool, requests, flags, json);
        screen::remark(tool, &words.unwrap_or_default());
        Ok(CommandLineResult::Done(exit))
    });
    result.unwrap_or_else(|error| {
        CommandLineResult::Done(match error.kind() {
            ErrorKind::DisplayHelp => program_output::print(&help::tool(tool, invocation)),
            ErrorKind::DisplayVersion => program_output::print(&program_output::version()),
            ErrorKind::UnknownArgument => {
                let fault = (&error, &command);
                match extra_arguments::advise_on_extra_arguments(invocation, &schema, args, fault) {
                    Some(advice) => misuse(&advice),
                    None => command_line::report_misuse(error),
                }
            }
            _ => command_line::report_misuse(error),
        })
    })
}

/// Says what to type instead.
fn misuse(advice: &str) -> ProgramExit {
    program_output::report_usage(&sanitize::for_terminal(&format!(
        "error: {advice}\n\nFor more information, try '--help'."
    )))
}

/// A call without any field: the request is on stdin, unless that is a terminal, where a person
/// would not think of typing it.
pub fn without_fields(tool: &Tool, invocation: &str, flags: CallFlags) -> CommandLineResult {
    if !rustix::stdio::stdin().is_terminal() {
        return CommandLineResult::Stdin(flags);
    }
    CommandLineResult::Done(if io::stdout().is_terminal() {
        program_output::print(&help::tool(tool, invocation))
    } else {
        program_output::report_no_fields(invocation)
    })
}

/// Answers the requests: with text, or a single one with JSON if that is wanted.
fn call(
    tool: &Tool,
    mut requests: Vec<TypedRequest>,
    mut flags: CallFlags,
    json: bool,
) -> ProgramExit {
    if let Some(place) = requests.iter().find_map(|request| request.stdin) {
        stdin::announce_wait(tool.command(), place);
    }
    let [request] = &mut requests[..] else {
        return as_text(tool, &requests, flags);
    };
    if !json {
        return as_text(tool, &requests, flags);
    }
    flags.style.stdin = request.stdin;
    // JSON is for programs, and has everything that a host gets.
    let terms = flags.apply_to(CallTerms::within(Audience::Program, None, None));
    let exit = answer::to_stdout(tool, Ok(&mut request.json), terms);
    if io::stdout().is_terminal() {
        // A person's next prompt starts on a line of its own; an error of the terminal is ignored.
        program_output::print("\n");
    }
    exit
}

/// Answers the requests with text. A command's own exit code is passed on; else the tool's row says
/// how the call exits: of several answers a failure counts most, and then what was found.
fn as_text(tool: &Tool, requests: &[TypedRequest], mut flags: CallFlags) -> ProgramExit {
    flags.is_one_of_several = requests.len() > 1;
    let quiet = flags.style.is_quiet;
    let [failed, nothing] =
        [tool.exit_codes.failed, tool.exit_codes.nothing_found].map(ProgramExit::Code);
    let mut exits = Vec::new();
    for request in requests {
        let out: Box<dyn Write> = if quiet {
            Box::new(io::sink())
        } else {
            Box::new(StdoutAfterProgress::for_tool(tool))
        };
        let mode = ScreenMode::for_stream(&io::stdout(), flags.colour);
        let screen = ScreenWriter::new(tool, out, mode);
        flags.style.stdin = request.stdin;
        let coloured = mode == ScreenMode::ColourTerminal || flags.colour == Some(true);
        flags.style.is_coloured = tool.colours_output && coloured;
        let outcome = answer::catch_panic(|| show(tool, &request.json, flags, screen));
        exits.push(match outcome.and_then(|outcome| outcome) {
            Ok(Ok((out, mut end))) => {
                drop(out);
                end.nothing_found &= !flags.is_one_of_several && !quiet;
                if quiet && end.error.is_empty() {
                    end.exit
                } else {
                    end.print(tool)
                }
            }
            // A reader that closed the pipe has read all it wanted.
            Ok(Err(error)) => {
                return match answer::exit_status(tool, Err(error), ProgramExit::Success) {
                    ProgramExit::Failure => failed,
                    exit => exit,
                };
            }
            Err(failure) => {
                let is_of_place = matches!(
                    failure.code,
                    ErrorCode::FileNotFound | ErrorCode::PermissionDenied
                );
                if !(is_of_place && flags.style.is_silent_on_places) {
                    let place = request.place.as_deref().map(quoted);
                    let note = place.map(|place| failure.note.replacen("`path`", &place, 1));
                    screen::complain(tool, &failure.message);
                    screen::remark(tool, note.as_ref().unwrap_or(&failure.note));
                }
                failed
            }
        });
    }
    match exits[..] {
        [exit] => exit,
        _ if quiet && exits.contains(&ProgramExit::Success) => ProgramExit::Success,
        _ if exits.contains(&failed) => failed,
        _ if exits.contains(&ProgramExit::Success) => ProgramExit::Success,
        _ => nothing,
    }
}

/// Shows the answer to `request` on `screen`, and returns the writer and the answer's end.
pub fn show<W: Write>(
    tool: &Tool,
    request: &[u8],
    flags: CallFlags,
    mut screen: ScreenWriter<'_, W>,
) -> Result<io::Result<(W, ScreenEnd)>, Failure> {
    let terms = CallTerms {
        is_piped: screen.is_piped() || flags.is_one_of_several,
        ..flags.apply_to(CallTerms::of_person())
    };
    let mut terms = terms;
    if flags.is_one_of_several && terms.style.head == LineHead::Usual {
        terms.style.head = LineHead::Path;
    }
    if terms.style.is_coloured {
        screen = screen.with_colours_of_the_tool();
    }
    let mut request = Request::parse(request)?.for_tool(tool, terms);
    let reply = confined::run(tool, &mut request)?;
    let mut object = AnswerObject::for_viewer(&mut screen);
    let written = reply.write(&mut object).and_then(|()| object.close());
    Ok(written.and_then(|()| screen.finish()))
}

fn gives_fields(tool: &Tool, matches: &ArgMatches, schema: &Schema) -> bool {
    let mut ids = schema.fields.iter().flat_map(ids);
    ids.any(|id| matches.value_source(&id) == Some(ValueSource::CommandLine))
        || habitual_flags::are_given(tool, matches)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::fields::typed;
    use iki_tools::contract::schema::FieldKind;
    use iki_tools::registry;
    use iki_tools::registry::TOOLS;
    use serde_json::{Map, Value};

    /// Flags of every tool, flags those of its fields.
    const COMMON: [&str; 5] = ["input", "json", "schema", "help", "version"];

    fn parse(tool: &str, words: &[&str]) -> Result<Value, clap::Error> {
        let tool = registry::find_tool(tool).unwrap();
        let schema = Schema::for_flags(tool);
        let mut command = command(tool, &schema).args(habitual_flags::flags(tool));
        let words = std::iter::once("tool").chain(words.iter().copied());
        let matches = command.try_get_matches_from_mut(words)?;
        request(tool, &mut command, &matches, &schema).map(|(request, _)| Value::Object(request))
    }

    #[test]
    fn every_command_line_is_sound_and_no_field_is_called_like_a_common_flag() {
        for tool in TOOLS {
            let schema = Schema::for_flags(tool);
            let command = command(tool, &schema).args(habitual_flags::flags(tool));
            command.debug_assert();
            for field in &schema.fields {
                assert!(!COMMON.contains(&&*field.flag()), "{}", field.name);
            }
        }
    }

    #[test]
    fn every_field_of_every_tool_is_a_flag_in_both_spellings() {
        for tool in TOOLS {
            let schema = Schema::for_flags(tool);
            for snake in [false, true] {
                let mut words = Vec::new();
                let mut expected = Map::new();
                for field in &schema.fields {
                    let flag = if snake {
                        field.name.clone()
                    } else {
                        field.flag()
                    };
                    let (value, json): (&[&str], Value) = match field.kind {
                        FieldKind::Text => (&["-x y"], "-x y".into()),
                        FieldKind::Integer => (&["-7"], (-7).into()),
                        FieldKind::Flag => (&[], true.into()),
                        FieldKind::Texts | FieldKind::Objects => (&["a,b"], vec!["a", "b"].into()),
                    };
                    words.push(format!("--{flag}"));
                    words.extend(value.iter().map(|&word| word.to_owned()));
                    expected.insert(field.name.clone(), json);
                }
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                assert_eq!(parse(tool.name, &words).unwrap(), Value::Object(expected));
            }
        }
    }

    #[test]
    fn words_fill_the_required_fields_that_no_flag_gives() {
        let edit = |words: &[&str]| parse("file-edit", words).unwrap().to_string();
        let expected = r#"{"file_path":"f","old_string":"o","new_string":"n"}"#;
        assert_eq!(edit(&["f", "o", "n"]), expected);
        assert_eq!(edit(&["--old-string", "o", "f", "n"]), expected);
        assert_eq!(edit(&["o", "n", "--file-path=f"]), expected);
        assert_eq!(edit(&["f", "--", "o", "n"]), expected);
        assert_eq!(
            edit(&["f", "", "--new-string=-n", "--replace-all=false"]),
            r#"{"file_path":"f","old_string":"","new_string":"-n","replace_all":false}"#
        );
    }

    #[test]
    fn what_is_missing_or_too_much_is_named() {
        let error = |words: &[&str]| parse("file-edit", words).unwrap_err().to_string();
        assert!(
            error(&["f"]).contains("missing: --old-string OLD_STRING, --new-string NEW_STRING")
        );
        assert!(error(&["a", "b", "c", "--file-path", "f"]).contains("unexpected argument 'c'"));
        assert!(error(&["a", "b", "c", "d"]).contains("unexpected argument 'd'"));
        let error = |words: &[&str]| parse("file-read", words).unwrap_err().to_string();
        assert!(error(&["f", "--limit", "x"]).contains("invalid value 'x' for '--limit <N>'"));
        assert!(error(&["f", "--limit", "1.5"]).contains("not an integer"));
        assert!(error(&["f", "--limt", "1"]).contains("--limit"));
        assert!(error(&["f", "--input", "x"]).contains("cannot be used with"));
    }

    #[test]
    fn lists_may_be_repeated_or_separated_by_commas() {
        for tool in TOOLS {
            let schema = Schema::for_flags(tool);
            for field in schema
                .fields
                .iter()
                .filter(|field| field.kind == FieldKind::Texts)
            {
                let flag = format!("--{}", field.flag());
                let required = schema.fields.iter().filter(|field| field.is_required);
                let words = required.map(|field| match field.kind {
                    FieldKind::Integer => "1",
                    FieldKind::Flag => "true",
                    _ => "word",
                });
                let words: Vec<&str> = words.chain([&*flag, "a,b", &flag, "c"]).collect();
                let request = parse(tool.name, &words).unwrap();
                assert_eq!(request[&field.name], serde_json::json!(["a", "b", "c"]));
            }
        }
    }

    #[test]
    fn an_example_is_typed_as_it_is_sent() {
        for tool in TOOLS {
            let schema = Schema::for_flags(tool);
            let line = typed("x", &schema, tool.manual.example());
            assert!(line.starts_with("x ") && !line.contains("{\""), "{line}");
        }
        let schema = Schema::for_flags(registry::find_tool("grep").unwrap());
        assert_eq!(
            typed("grep", &schema, r#"{"path":"it's","pattern":"^a"}"#),
            r"grep '^a' --path 'it'\''s'"
        );
    }
}
