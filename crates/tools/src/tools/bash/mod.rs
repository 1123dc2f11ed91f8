//! bash: a shell command, its output and its exit code.

mod background;
mod binary_output;
mod last_newline;
mod output;
mod refusal_note;
mod shell_exit_note;
mod time_limit;
mod workdir;

use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::contract::call_terms::Audience;
use crate::contract::failure::{ErrorCode, Failure};
use crate::contract::reply::{AnswerObject, Reply};
use crate::contract::request::Request;
use crate::contract::tool::{AccessScope, ExitCodes, FieldRole, Tool, ToolHints, ToolManual};
use crate::secrets;
use background::BackgroundRequest;
use binary_output::TextOrBytes;
use iki_base::wording::count_noun;
use iki_process::sandbox::confinement::audit::{DenialListener, KernelDenial};
use iki_process::sandbox::confinement::{self, AccessRight, Confinement};
use iki_process::sandbox::roots;
use iki_process::shell;
use iki_process::shell::refusal_messages::find_refusal_messages;
use iki_process::shell::{
    BackgroundOutput, CollectedOutput, CommandOutcome, CommandSettings, CommandShell, NOT_RUN,
    TerminalText,
};
use last_newline::WithoutLastNewline;
use refusal_note::ConfinedCall;
use time_limit::{CommandTime, RequestedTime};

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "bash",
    link: "bash",
    schema: include_str!("../schemas/bash.json"),
    model_schema: include_str!("../schemas/for_models/bash.json"),
    host_schema: Some(include_str!("../schemas/for_hosts/bash.json")),
    served_fields: &["background", "stop"],
    title: "Run a shell command",
    hints: ToolHints {
        read_only: false,
        destructive: true,
        idempotent: false,
        open_world: true,
    },
    scope: AccessScope::Machine,
    manual: ToolManual(include_str!("../manuals/bash.txt")),
    fields: &[
        ("output", FieldRole::Content),
        ("exit_code", FieldRole::ExitCode),
    ],
    exit_codes: ExitCodes::RUNS,
    how_to_get_less: "To have less, print less: pipe the command into `head`, `tail` or `grep`, \
                      or send its output to a file and read parts of that.",
    run,
    ..Tool::PLAIN
};

/// The longest `timeout`, in seconds, that says nothing of how long the client waits: many wait no
/// longer for a call of which they hear nothing.
const SILENT_SECONDS: u64 = 60;

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let terms = request.terms();
    let background_request = background::read_background_request(request)?;
    if let Some(BackgroundRequest::Stop(number)) = background_request {
        return background::stop(number, terms);
    }
    let command = request.required_text("command")?;
    let mut time = match background_request {
        None => CommandTime::from_terms(terms),
        Some(_) => CommandTime::unlimited(),
    };
    let requested_time = RequestedTime::from_request(request, background_request.is_some())?;
    if let Some(requested) = requested_time {
        time.shorten(requested.duration);
    }
    let workdir = request.text("workdir")?;
    let directory = workdir.map(workdir::open).transpose()?;
    let may_go_on = terms.is_served && !background::is_full(terms);
    let goes_on_after = terms.context.and_then(|context| {
        let silent = Duration::from_secs(SILENT_SECONDS);
        let waits = requested_time.is_some_and(|requested| requested.duration > silent)
            || !terms.serves("file_read");
        context
            .goes_on_after
            .filter(|_| !(context.may_wait && waits))
    });
    let hand_over_at = goes_on_after.map(|after| Instant::now() + Duration::from_millis(after));
    let shell = CommandShell::from_env(terms.reader != Audience::Host, secrets::withheld());
    let settings = CommandSettings {
        directory,
        confinement: confinement::current(),
        mark: None,
        limit: time.limit(),
        progress: terms.progress,
        temporary: terms.context.and_then(|context| context.temporary.clone()),
        hands_over_output: may_go_on,
        hand_over_at: hand_over_at.filter(|_| may_go_on),
        shell,
    };
    if background_request.is_some() {
        return start_in_background(command, settings);
    }
    let call = CommandCall {
        command,
        settings,
        time,
        requested_time,
        workdir,
        is_passed_on: terms.reader == Audience::Host
            || terms.reader == Audience::Person && terms.is_piped,
    };
    Ok(Reply::new(move |object| call.answer(object)))
}

/// Starts a command in the background, once there is a file for its output.
fn start_in_background(command: &str, settings: CommandSettings) -> Result<Reply<'_>, Failure> {
    let not_run = |code, reason: &str| Failure::new(code, format!("Nothing was run: {reason}"));
    let file = BackgroundOutput::start().map_err(|reason| {
        not_run(
            ErrorCode::WriteFailed,
            &format!("there is no file for its output ({reason})"),
        )
    })?;
    let started = shell::start_in_background(command, settings);
    let started = started.map_err(|reason| not_run(ErrorCode::InvalidArg, &reason))?;
    Ok(Reply::new(move |object| {
        background::answer_started(object, command, started, file)
    }))
}

/// The denial of running the shell itself. The bounds decide it, so no audit is needed.
fn refusal_of_shell(shell: &CommandShell, confinement: &Confinement) -> Option<KernelDenial> {
    let path = roots::follow(Path::new(&shell.program()), |_| {})?;
    let is_refused = path.is_absolute() && !confinement.grants(&path, AccessRight::Execute);
    is_refused.then_some(KernelDenial::File {
        path,
        right: AccessRight::Execute,
        concerns_name: false,
    })
}

/// Maximum length of the end of the output that is searched for error messages.
const MAX_EXAMINED_BYTES: usize = 16 * 1024;

/// The complete lines in the last [`MAX_EXAMINED_BYTES`] of output; `is_cut` says that `end` does
/// not begin it.
fn last_whole_lines(end: &[u8], is_cut: bool) -> Vec<u8> {
    let last = &end[end.len().saturating_sub(MAX_EXAMINED_BYTES)..];
    if !is_cut && end.len() < MAX_EXAMINED_BYTES {
        return last.to_vec();
    }
    let begins = memchr::memchr(b'\n', last).map_or(last.len(), |newline| newline + 1);
    last[begins..].to_vec()
}

/// A command that is about to be run.
struct CommandCall<'a> {
    command: &'a str,
    settings: CommandSettings,
    time: CommandTime,
    /// The time that the request asks for.
    requested_time: Option<RequestedTime>,
    workdir: Option<&'a str>,
    /// True if the output is passed on as it is: to hosts, and to other programs.
    is_passed_on: bool,
}

/// The outcome of a command whose output is in the answer.
struct WrittenOutput {
    ended: CommandOutcome,
    /// The last lines of its output.
    end: Vec<u8>,
    /// True if nothing was shown of its output.
    is_empty: bool,
    /// The note on output of which only the ends are shown.
    note: Option<String>,
    /// The file for what goes on, with all that came before if that was bounded.
    file: Option<Result<BackgroundOutput, String>>,
}

/// The room for notes: what two of them take.
const NOTES_BYTES: usize = 700;

impl CommandCall<'_> {
    /// Runs the command and writes the answer.
    fn answer(mut self, object: &mut AnswerObject<'_>) -> io::Result<()> {
        object.mark_as_command_s();
        let (command, time, workdir) = (self.command, self.time, self.workdir);
        let requested_time = self.requested_time;
        let shell = self.settings.shell.clone();
        let confinement = self.settings.confinement;
        let listener = confinement.and_then(|_| DenialListener::open(confinement::abi()));
        self.settings.mark = listener.as_ref().map(DenialListener::mark);
        let outcome = match object.room() {
            None => self.stream(object)?,
            Some(room) => self.show_ends(object, room)?,
        };
        if outcome.is_empty {
            object.nothing_found("no output")?;
        }
        let ended = outcome.ended;
        if let Some(code) = ended.code {
            object.field("exit_code", &code)?;
        }
        let code = ended.code.unwrap_or_default();
        let refused = confinement.and_then(|confinement| {
            let mut denials = listener.map(DenialListener::denials).unwrap_or_default();
            if code == NOT_RUN {
                denials.extend(refusal_of_shell(&shell, confinement));
            }
            let here = std::env::current_dir().unwrap_or_default();
            let directory = here.join(workdir.unwrap_or_default());
            let call = ConfinedCall {
                confinement,
                command,
                code,
            };
            call.note(
                &denials,
                &find_refusal_messages(&outcome.end, &directory, confinement),
            )
        });
        if let Some(running) = &ended.timed_out {
            let is_served = object.terms().is_served;
            object.note(time.note(running, is_served));
            let nothing = outcome.is_empty.then_some(time_limit::NOTHING_WRITTEN);
            object.note(nothing.map(String::from));
        } else if shell.is_system_s_own() && refused.is_none() {
            object.note(shell::advise_on_failure(command, &outcome.end));
        }
        object.note(refused);
        let is_timed_out = ended.timed_out.is_some();
        object.note(requested_time.and_then(|requested| requested.note(is_timed_out)));
        if !is_timed_out {
            object.note(shell_exit_note::note(command, code));
        }
        object.note_at_both_ends(outcome.note);
        if ended.is_cut_off {
            object.note(background::note_on_cut_off(object.terms()));
        }
        match (ended.background, outcome.file) {
            (Some(goes_on), Some(file)) => {
                let goes_on = if time.is_asked_for() {
                    goes_on
                } else {
                    goes_on.without_limit()
                };
                background::continue_in_background(object, command, goes_on, file)
            }
            _ => Ok(()),
        }
    }

    /// Runs the command, and writes its output to `out` as it is.
    fn run<W: Write>(self, mut out: W) -> io::Result<(CommandOutcome, W)> {
        let ended = shell::run_command(self.command, self.settings, &mut out)?;
        Ok((ended, out))
    }

    /// Writes the output as it comes.
    fn stream(self, object: &mut AnswerObject<'_>) -> io::Result<WrittenOutput> {
        let keeps_newline = object.is_shown();
        let is_passed_on = self.is_passed_on;
        let is_watched = object.terms().reader == Audience::Person;
        let output = WithoutLastNewline::new(object.text("output")?);
        let (ended, mut output) = if is_passed_on {
            self.run(output)?
        } else {
            let (ended, text) = self.run(if is_watched {
                TerminalText::line_by_line(output)
            } else {
                TerminalText::new(output)
            })?;
            (ended, text.finish()?)
        };
        if keeps_newline && output.holds_newline {
            output.text.write_all(b"\n")?;
        }
        output.text.close()?;
        Ok(WrittenOutput {
            file: ended.background.as_ref().map(|_| BackgroundOutput::start()),
            ended,
            end: last_whole_lines(&output.end, false),
            is_empty: !output.has_text,
            note: None,
        })
    }

    /// Writes both ends of the output, as far as there is room.
    fn show_ends(self, object: &mut AnswerObject<'_>, room: usize) -> io::Result<WrittenOutput> {
        const NAME: &str = "output";
        let room = room.saturating_sub(NAME.len());
        let output = CollectedOutput::new(room + 1);
        let (ended, (mut output, nature)) = if self.is_passed_on {
            let (ended, output) = self.run(output)?;
            (ended, (output, None))
        } else {
            let (ended, sink) = self.run(TextOrBytes::new(output))?;
            (ended, sink.finish()?)
        };
        let file = ended.background.as_ref().map(|_| output.save_and_go_on());
        if let Some(nature) = nature
            && file.is_none()
        {
            let size = count_noun(output.bytes, "byte");
            let saved = output::saved_in(output.save_whole());
            object.whole_text(NAME, b"")?;
            object.nothing_found(&format!("binary output, {size}{nature}{saved}"))?;
            return Ok(WrittenOutput {
                ended,
                end: Vec::new(),
                is_empty: false,
                note: None,
                file: None,
            });
        }
        let mut excerpt = output::show_ends(&output, object.measure(), room);
        if excerpt.is_cut {
            // A quarter of the limit is kept free for notes.
            let free = object
                .terms()
                .max_answer
                .map_or(NOTES_BYTES, |limit| limit / 4);
            let less = NOTES_BYTES.saturating_sub(free).min(room / 2);
            excerpt = output::show_ends(&output, object.measure(), room - less);
        }
        object.whole_text(NAME, &excerpt.text)?;
        let end = last_whole_lines(output.last_bytes(), output.whole().is_none());
        Ok(WrittenOutput {
            ended,
            end,
            is_empty: excerpt.text.is_empty(),
            note: (excerpt.is_cut && file.is_none())
                .then(|| output::note_on_cut(output, room, excerpt.is_shortened, object.terms())),
            file,
        })
    }
}

#[cfg(test)]
mod tests;
