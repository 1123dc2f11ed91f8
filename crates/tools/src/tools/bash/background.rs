//! Commands in the background: started there, gone there, stopped.
//!
//! Rules: the decisions on MCP and the command line (7). Only a server keeps them; a host's call
//! and a person's end with their command.

use std::io;
use std::path::Path;
use std::process;

use crate::contract::background::{BackgroundRun, FIELD, MAX_COMMANDS};
use crate::contract::call_terms::CallTerms;
use crate::contract::failure::{ErrorCode, Failure};
use crate::contract::reply::{AnswerObject, Reply};
use crate::contract::request::Request;
use crate::tools::bash::output;
use iki_base::wording::{count_noun, joined_words};
use iki_process::sandbox::tree_termination;
use iki_process::shell::{BackgroundCommand, BackgroundOutput};

/// Maximum length of a command that is shown.
const MAX_SHOWN_COMMAND_CHARS: usize = 60;

/// The way to start a command in the background where no server keeps it.
const REDIRECT_ADVICE: &str = "start it with its output in a file: COMMAND >FILE 2>&1 &";

/// A request to start a background command or to stop one.
pub enum BackgroundRequest {
    /// To run it in the background.
    Start,
    /// To end the one that runs there under this number.
    Stop(u64),
}

/// Reads what a request says of the background, if anything.
///
/// # Errors
/// It cannot be done: no server would keep the command, or it runs too many already.
pub fn read_background_request(
    request: &Request<'_>,
) -> Result<Option<BackgroundRequest>, Failure> {
    let stop = request.integer("stop", 1..=u64::MAX)?;
    let starts = request.flag("background")?;
    if stop.is_none() && !starts {
        return Ok(None);
    }
    let terms = request.terms();
    if !terms.is_served {
        return Err(Failure::bad_request(format!(
            "background and stop are for clients of `ikigai-tools mcp`, whose server keeps such \
             commands; here a call ends with its command: {REDIRECT_ADVICE}, and end it with kill"
        )));
    }
    match stop {
        Some(_) if request.has("command") || starts => {
            Err(Failure::bad_request("stop stands alone, without command"))
        }
        Some(number) => Ok(Some(BackgroundRequest::Stop(number))),
        None if is_full(terms) => {
            let running = list_running(terms);
            Err(Failure::new(
                ErrorCode::InvalidArg,
                format!(
                    "{MAX_COMMANDS} commands run in the background already, so nothing was run"
                ),
            )
            .with_note(format!("End one of them with stop: {running}.")))
        }
        None => Ok(Some(BackgroundRequest::Start)),
    }
}

/// The commands of this caller that run in the background.
fn running(terms: &CallTerms) -> &'static [BackgroundRun] {
    terms.context.map_or(&[], |context| &context.background)
}

/// True if no further command may go on in the background.
pub fn is_full(terms: &CallTerms) -> bool {
    running(terms).len() >= MAX_COMMANDS
}

fn list_running(terms: &CallTerms) -> String {
    let running = running(terms).iter();
    let running = running.map(|run| format!("{} (`{}`)", run.number, run.command));
    running.collect::<Vec<_>>().join(", ")
}

/// Ends the command of this number.
///
/// # Errors
/// None of this caller's has it.
pub fn stop<'a>(number: u64, terms: &CallTerms) -> Result<Reply<'a>, Failure> {
    let mut all = running(terms).iter();
    let Some(run) = all.find(|run| u64::from(run.number) == number) else {
        let others = match list_running(terms) {
            none if none.is_empty() => String::from("No command runs in the background."),
            some => format!("Running there: {some}."),
        };
        let message = format!(
            "No command {number} runs in the background: it has ended, or it was not started here"
        );
        return Err(Failure::new(ErrorCode::NotFound, message).with_note(others));
    };
    let has_ended = tree_termination::end_process(run.number, tree_termination::GRACE * 2);
    Ok(Reply::new(move |object| {
        let BackgroundRun {
            number, command, ..
        } = run;
        let file = run
            .file
            .as_deref()
            .map(|file| format!(" All that it wrote is in {}.", file.display()));
        let done = if has_ended {
            "has ended"
        } else {
            "was asked to end and has not ended yet"
        };
        let text = format!("{number} (`{command}`) {done}.{}", file.unwrap_or_default());
        object.whole_text("output", text.as_bytes()).map(drop)
    }))
}

/// Answers for a command that was started in the background, and lets it go on.
pub fn answer_started(
    object: &mut AnswerObject<'_>,
    command: &str,
    started: BackgroundCommand,
    file: BackgroundOutput,
) -> io::Result<()> {
    let number = process::id();
    let text = format!(
        "Running in the background as {number}. {}",
        how_to_follow(number, Some(file.path()), true, object.terms())
    );
    object.whole_text("output", text.as_bytes())?;
    continue_after_answer(object, command, started, Some(file))
}

/// Lets a command go on of which the answer shows what it has written by now.
pub fn continue_in_background(
    object: &mut AnswerObject<'_>,
    command: &str,
    goes_on: BackgroundCommand,
    file: Result<BackgroundOutput, String>,
) -> io::Result<()> {
    let number = process::id();
    let which = if goes_on.is_running() {
        "The command has not ended, and goes on"
    } else {
        "What the command left running still has its output open, and goes on"
    };
    let lost = file.as_ref().err();
    let lost = lost.map(|reason| format!(" What it writes from now on is lost: {reason}."));
    let path = file.as_ref().ok().map(BackgroundOutput::path);
    let ways = how_to_follow(number, path, goes_on.is_running(), object.terms());
    let lost = lost.unwrap_or_default();
    object.note_at_both_ends(format!(
        "{which} in the background as {number}.{lost} {ways}"
    ));
    continue_after_answer(object, command, goes_on, file.ok())
}

/// The note on a process that was left running and whose output nobody reads any more.
pub fn note_on_cut_off(terms: &CallTerms) -> String {
    let why = if terms.is_served {
        format!(
            ", because {} run in the background already",
            count_noun(running(terms).len() as u64, "command")
        )
    } else {
        String::new()
    };
    format!(
        "A process that the command left running still holds its output; its next write will kill \
         it{why}: {REDIRECT_ADVICE}."
    )
}

/// Sentences on how to follow and end the command of this number.
fn how_to_follow(number: u32, file: Option<&Path>, is_running: bool, terms: &CallTerms) -> String {
    let last = if is_running {
        ", last of all its exit code"
    } else {
        ""
    };
    let reading = file.map(|file| {
        let ways = output::ways_to_read(file, None, terms);
        let ways = ways.map_or_else(String::new, |ways| format!(": {ways}"));
        format!(
            "All that it writes goes into {}{last}{ways}. ",
            file.display()
        )
    });
    let reading = reading.unwrap_or_default();
    format!("{reading}bash with stop {number} ends it.")
}

/// Has this process see to the command when the answer is written, and tells the server.
fn continue_after_answer(
    object: &mut AnswerObject<'_>,
    command: &str,
    goes_on: BackgroundCommand,
    file: Option<BackgroundOutput>,
) -> io::Result<()> {
    let words = joined_words(command);
    let excerpt: String = words.chars().take(MAX_SHOWN_COMMAND_CHARS).collect();
    let run = BackgroundRun {
        number: process::id(),
        command: excerpt,
        file: file.as_ref().map(|file| file.path().to_owned()),
    };
    object.field_for_server(FIELD, &run)?;
    if let Some(context) = object.terms().context {
        context.after_answer.set(move || goes_on.write_into(file));
    }
    Ok(())
}
