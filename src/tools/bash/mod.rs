//! bash: a shell command, its output and its exit code.

use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use rustix::io::Errno;

use crate::contract::failure::{Code, Failure};
use crate::contract::reply::{Object, Reply};
use crate::contract::request::Request;
use crate::contract::terms::{Deadline, Terms};
use crate::contract::tool::{
    AccessScope, ExitCodes, Family, FieldRole, SampleCall, Tool, ToolHints, ToolManual, ToolSet,
};
use crate::sandbox::confinement::audit::{DenialListener, KernelDenial};
use crate::sandbox::confinement::{self, AccessRight, Confinement};
use crate::sandbox::roots;
use crate::shell::output_claims::claims_in;
use crate::shell::{
    CommandOutcome, CommandSettings, CommandShell, OutputCollector, StillRunning, TimeLimit,
};
use crate::tools::bash_output;
use crate::tools::bash_refusals::ConfinedCall;
use crate::{secrets, shell};

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "bash",
    link: "bash",
    family: Family::Local,
    set: ToolSet::Local,
    offered: true,
    schema: include_str!("schemas/bash.json"),
    model_schema: include_str!("schemas/for_models/bash.json"),
    output_schema: None,
    own_limit: None,
    artifacts: false,
    title: "Run a shell command",
    hints: ToolHints {
        read_only: false,
        destructive: true,
        idempotent: false,
        open_world: true,
    },
    scope: AccessScope::Machine,
    at_once: None,
    manual: ToolManual {
        text: "\
Runs a command with `/bin/sh -c` and answers with what it wrote to both streams, in the order
written, without its last newline, and with its exit code: 127 if it could not be run, 128 + N if
signal N ended it. The command's stdin is empty. The call ends when the shell does; what it left
in the background goes on, unless the tool itself is killed: then all that it started goes too.
Two seconds before the end of `timeout`, or at half of less than four, the command and all that it
started get SIGTERM, and then SIGKILL, with exit code 124; the note names what was still running.
Where a caller has set a limit, output beyond it is kept in a file, which the answer's note names.
IKIGAI_SHELL names another shell. The keys of the web searches are taken out of the command's
environment, unless IKIGAI_PASS_KEYS=1.",
        example: r#"{"command":"uname -s && false"}"#,
        environment: &[
            ("IKIGAI_SHELL", "another shell than /bin/sh"),
            (
                "XDG_STATE_HOME",
                "where output that an answer has no room for is kept for a day, in ikigai-tools/output",
            ),
            (
                "IKIGAI_PASS_KEYS",
                "if 1, keys stay in the command's environment",
            ),
        ],
    },
    account: None,
    fields: &[
        ("output", FieldRole::Content),
        ("exit_code", FieldRole::ExitCode),
    ],
    exits: ExitCodes::RUNS,
    less: "To have less, print less: pipe the command into `head`, `tail` or `grep`, or send its output to a file and read parts of that.",
    sample: Some(SampleCall {
        file: None,
        request: r#"{"command":"echo hello"}"#,
        answer: r#""exit_code":0"#,
    }),
    run,
    from_cache: None,
};

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let command = request.required_text("command")?;
    let mut time = Time::of(request.terms());
    let (mut directory, mut workdir) = (None, None);
    if request.terms().reader.may_send_more() {
        if let Some(seconds) = request.integer("timeout", 1..=u64::MAX)? {
            time.limit(Duration::from_secs(seconds));
        }
        workdir = request.text("workdir")?;
        directory = workdir.map(enter).transpose()?;
    }
    Ok(Reply::new(move |object| {
        let shell = CommandShell::from_env(secrets::withheld());
        let confinement = confinement::current();
        let listener = confinement.and_then(|_| DenialListener::open(confinement::abi()));
        let conditions = CommandSettings {
            shell: &shell,
            directory,
            confinement,
            mark: listener.as_ref().map(DenialListener::mark),
            limit: time.deadline.map(limit_by),
            progress: object.terms().progress,
        };
        let call = Call {
            command,
            conditions,
        };
        let outcome = match object.room() {
            None => call.stream(object)?,
            Some(room) => call.show_ends(object, room)?,
        };
        if outcome.is_empty {
            object.nothing_found("no output")?;
        }
        let ended = outcome.ended;
        object.field("exit_code", &ended.code)?;
        let refused = confinement.and_then(|confinement| {
            let mut denials = listener.map(DenialListener::denials).unwrap_or_default();
            if ended.code == NOT_RUN {
                denials.extend(refusal_of_shell(&shell, confinement));
            }
            let here = std::env::current_dir().unwrap_or_default();
            let directory = here.join(workdir.unwrap_or_default());
            let call = ConfinedCall {
                confinement,
                command,
                code: ended.code,
            };
            call.note(&denials, &claims_in(&outcome.end, &directory, confinement))
        });
        if let Some(running) = &ended.timed_out {
            object.note(time.note(running));
        } else if shell.is_system_s_own() && refused.is_none() {
            object.note(shell::advise_on_failure(command, &outcome.end));
        }
        object.note(refused);
        object.note(outcome.note);
        Ok(())
    }))
}

/// The exit code of a command that was not run.
const NOT_RUN: i32 = 127;

/// The refusal of the shell itself, known without the kernel: then nothing was run.
fn refusal_of_shell(shell: &CommandShell, confinement: &Confinement) -> Option<KernelDenial> {
    let path = roots::follow(Path::new(&shell.program()), |_| {})?;
    let is_refused = path.is_absolute() && !confinement.grants(&path, AccessRight::Execute);
    is_refused.then_some(KernelDenial::File {
        path,
        right: AccessRight::Execute,
        name: false,
    })
}

/// The length of the end of the output that is looked at for complaints, in bytes.
const END: usize = 16 * 1024;

/// The whole lines at the end of an output, of which more came before if it `is_cut`.
fn last_lines(end: &[u8], is_cut: bool) -> Vec<u8> {
    let last = &end[end.len().saturating_sub(END)..];
    let begins = match memchr::memchr(b'\n', last) {
        _ if !is_cut && end.len() < END => 0,
        Some(newline) => newline + 1,
        None => last.len(),
    };
    last[begins..].to_vec()
}

/// A command that is about to be run.
struct Call<'a> {
    command: &'a str,
    conditions: CommandSettings<'a>,
}

/// What became of a command.
struct Outcome {
    ended: CommandOutcome,
    /// The last lines of its output.
    end: Vec<u8>,
    /// Nothing was shown of its output.
    is_empty: bool,
    /// Where the output is of which only the ends are shown.
    note: Option<String>,
}

/// The room for notes, in bytes: what two of them take.
const NOTES: usize = 700;

impl Call<'_> {
    /// Writes the output as it comes.
    fn stream(self, object: &mut Object<'_>) -> io::Result<Outcome> {
        let keeps_newline = object.is_shown();
        let mut output = WithoutLastNewline {
            text: object.text("output")?,
            newline: false,
            passed_on: false,
            end: Vec::new(),
        };
        let ended = shell::run_command(self.command, self.conditions, &mut output)?;
        if keeps_newline && output.newline {
            output.text.write_all(b"\n")?;
        }
        output.text.close()?;
        Ok(Outcome {
            ended,
            end: last_lines(&output.end, false),
            is_empty: !output.passed_on,
            note: None,
        })
    }

    /// Writes both ends of the output, as far as there is room.
    fn show_ends(self, object: &mut Object<'_>, room: usize) -> io::Result<Outcome> {
        const NAME: &str = "output";
        let room = room.saturating_sub(NAME.len());
        let mut output = OutputCollector::new(room);
        let ended = shell::run_command(self.command, self.conditions, &mut output)?;
        let output = output.finish();
        let mut shown = bash_output::shown(&output, object.measure(), room);
        if shown.cut {
            // A quarter of the limit is kept free for notes.
            let free = object.terms().max_answer.map_or(NOTES, |limit| limit / 4);
            let less = NOTES.saturating_sub(free).min(room / 2);
            shown = bash_output::shown(&output, object.measure(), room - less);
        }
        object.whole_text(NAME, &shown.text)?;
        let end = output.tail.as_ref().unwrap_or(&output.head);
        let end = last_lines(end, output.tail.is_some());
        Ok(Outcome {
            ended,
            end,
            is_empty: shown.text.is_empty(),
            note: shown.cut.then(|| bash_output::note(output, room)),
        })
    }
}

/// How long a command may take.
struct Time {
    /// By then it has to be answered.
    deadline: Option<Deadline>,
    /// The caller has said so, and may say otherwise.
    asked_for: bool,
}

impl Time {
    /// The time that the call's terms leave.
    fn of(terms: &Terms) -> Self {
        Self {
            deadline: terms.deadline,
            asked_for: false,
        }
    }

    /// Limits it to `whole` from now.
    fn limit(&mut self, whole: Duration) {
        if let Some(deadline) = Deadline::after(whole)
            && self.deadline.is_none_or(|other| deadline.end < other.end)
        {
            self.deadline = Some(deadline);
            self.asked_for = true;
        }
    }

    /// The note on a command that was ended at the end of its time, when these were `running`.
    fn note(&self, running: &[StillRunning]) -> Option<String> {
        let deadline = self.deadline?;
        let (after, whole) = (
            seconds(deadline.ask_to_end_after()),
            seconds(deadline.whole),
        );
        let (limit, longer) = if self.asked_for {
            (
                format!("its `timeout` is {whole}"),
                "give a longer `timeout`, or ",
            )
        } else {
            (format!("a call may take {whole} here at most"), "")
        };
        let named = running.iter().map(|StillRunning { line, killed }| {
            let killed = if *killed {
                " (killed, since it did not heed SIGTERM)"
            } else {
                ""
            };
            format!("`{line}`{killed}")
        });
        let running = match named.collect::<Vec<_>>() {
            none if none.is_empty() => String::new(),
            some => format!(" Still running: {}.", some.join(", ")),
        };
        Some(format!(
            "The command was ended after {after}, with all that it had started: {limit}.{running} \
             If all it needs is time, {longer}run it in the background with its output in a file \
             (COMMAND >FILE 2>&1 &)."
        ))
    }
}

/// The moments at which a command is ended whose answer is due at `deadline`. A process that cannot
/// be interrupted must not keep the answer waiting.
fn limit_by(deadline: Deadline) -> TimeLimit {
    let kills = deadline.until();
    TimeLimit {
        ask_at: deadline.ask_to_end_at(),
        kill_at: kills,
        end: kills + deadline.end.saturating_duration_since(kills) / 2,
    }
}

/// A time in words: in whole seconds, and below ten of them in tenths.
fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let seconds = if seconds < 10.0 {
        (seconds * 10.0).round() / 10.0
    } else {
        seconds.round()
    };
    let plural = if time.as_millis().abs_diff(1000) < 50 {
        ""
    } else {
        "s"
    };
    format!("{seconds} second{plural}")
}

/// Opens the directory in which a command is to start.
fn enter(path: &str) -> Result<OwnedFd, Failure> {
    let failed = |errno| {
        let (code, message) = match errno {
            Errno::NOENT => (Code::FileNotFound, format!("Directory not found: {path}")),
            Errno::NOTDIR => (Code::InvalidArg, format!("Not a directory: {path}")),
            Errno::ACCESS | Errno::PERM => {
                (Code::PermissionDenied, format!("Permission denied: {path}"))
            }
            errno => {
                let reason = io::Error::from(errno);
                (Code::OpenFailed, format!("Cannot open {path}: {reason}"))
            }
        };
        Failure::new(code, message).with_note(about_directory(path))
    };
    if path.contains('\0') {
        return Err(failed(Errno::NOENT));
    }
    shell::open_directory(Path::new(path)).map_err(failed)
}

/// What to send instead of a `workdir` that cannot be entered.
fn about_directory(path: &str) -> String {
    let here = std::env::current_dir().ok();
    let here = here.map_or_else(String::new, |here| format!(" ({})", here.display()));
    let home = dirs::home_dir().filter(|_| path == "~" || path.starts_with("~/"));
    let instead = match home {
        Some(home) => format!(
            " `~` is not expanded in `workdir`: write {}.",
            home.join(path.trim_start_matches(['~', '/'])).display()
        ),
        None if Path::new(path).is_relative() => {
            format!(" A relative `workdir` starts at the working directory{here}.")
        }
        None => format!(" Without `workdir` the command starts in the working directory{here}."),
    };
    format!("The command was not run.{instead}")
}

/// Passes on what is written, but for a newline at the very end.
struct WithoutLastNewline<W> {
    text: W,
    newline: bool,
    /// Something was passed on.
    passed_on: bool,
    /// The end of what came.
    end: Vec<u8>,
}

impl<W: Write> Write for WithoutLastNewline<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some((last, before)) = bytes.split_last() else {
            return Ok(0);
        };
        if std::mem::take(&mut self.newline) {
            self.text.write_all(b"\n")?;
            self.passed_on = true;
        }
        self.newline = *last == b'\n';
        let passed_on = if self.newline { before } else { bytes };
        self.passed_on |= !passed_on.is_empty();
        self.text.write_all(passed_on)?;
        self.keep_end(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.text.flush()
    }
}

impl<W> WithoutLastNewline<W> {
    fn keep_end(&mut self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(END)..];
        let surplus = (self.end.len() + bytes.len()).saturating_sub(END);
        self.end.drain(..surplus);
        self.end.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use serde_json::{Value, json};

    use super::*;
    use crate::contract::terms::Audience;

    /// What this reader gets.
    fn answer(request: &Value, terms: Terms) -> Value {
        let request = request.to_string();
        let request = Request::parse(request.as_bytes()).unwrap().on(terms);
        let mut out = Vec::new();
        let mut object = Object::open_on(&mut out, terms, TOOL.less).unwrap();
        match TOOL.run(&request) {
            Ok(reply) => reply.write(&mut object).unwrap(),
            Err(failure) => object.fail(TOOL.family, &failure).unwrap(),
        }
        object.close().unwrap();
        serde_json::from_slice(&out).unwrap()
    }

    #[test]
    fn a_model_is_told_that_there_is_no_output_and_no_other_reader() {
        for bytes in [None, Some(2_000)] {
            for command in ["true", "echo"] {
                let answer = |reader| {
                    let request = json!({ "command": command });
                    answer(&request, Terms::within(reader, bytes, None))
                };
                let told = json!({"output": "", "empty": "no output", "exit_code": 0});
                assert_eq!(answer(Audience::Model), told);
                for reader in [Audience::Host, Audience::Person, Audience::Program] {
                    assert_eq!(answer(reader), json!({"output": "", "exit_code": 0}));
                }
            }
            let terms = Terms::within(Audience::Model, bytes, None);
            let shown = answer(&json!({"command": "echo x"}), terms);
            assert_eq!(shown, json!({"output": "x", "exit_code": 0}));
        }
    }

    #[test]
    fn a_model_s_own_timeout_and_the_caller_s_are_told_apart() {
        let time = Some(Duration::from_secs(1));
        let terms = Terms::within(Audience::Model, None, time);
        let late = answer(&json!({"command": "sleep 30", "timeout": 9}), terms);
        assert_eq!(late["exit_code"], 124);
        let note = late["note"].as_str().unwrap();
        assert!(note.contains("may take 1 second here at most"), "{note}");
        let terms = Terms::within(Audience::Model, None, None);
        let late = answer(&json!({"command": "sleep 30", "timeout": 1}), terms);
        let note = late["note"].as_str().unwrap();
        assert!(note.contains("give a longer `timeout`"), "{note}");
    }

    #[test]
    fn times_are_readable() {
        for (milliseconds, words) in [
            (997, "1 second"),
            (1_000, "1 second"),
            (500, "0.5 seconds"),
            (2_000, "2 seconds"),
            (27_999, "28 seconds"),
            (600_000, "600 seconds"),
        ] {
            assert_eq!(seconds(Duration::from_millis(milliseconds)), words);
        }
    }

    #[test]
    fn whoever_waits_is_told_the_last_line_and_not_more_often_than_each_second() {
        static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());
        let terms = Terms {
            progress: Some(|line| {
                let line = String::from_utf8(line.to_vec()).unwrap();
                TOLD.lock().unwrap().push(line);
            }),
            ..Terms::default()
        };
        let command = "echo one; sleep 0.2; for n in 1 2 3 4; do echo $n; done; printf ab; \
                       sleep 1.2; echo c; sleep 1.2";
        let answer = answer(&json!({ "command": command }), terms);
        assert_eq!(answer["output"], "one\n1\n2\n3\n4\nabc");
        assert_eq!(*TOLD.lock().unwrap(), ["one", "4", "abc"]);
    }

    #[test]
    fn only_the_very_last_newline_is_left_out() {
        for (pieces, expected) in [
            (vec!["a\n", "\n", "b\n"], "a\n\nb"),
            (vec!["\n"], ""),
            (vec!["\n", "\n"], "\n"),
            (vec!["a", "\r\n"], "a\r"),
            (vec![], ""),
        ] {
            let mut output = WithoutLastNewline {
                text: Vec::new(),
                newline: false,
                passed_on: false,
                end: Vec::new(),
            };
            for piece in pieces {
                output.write_all(piece.as_bytes()).unwrap();
            }
            assert_eq!(output.text, expected.as_bytes());
            assert_eq!(output.passed_on, !expected.is_empty());
        }
    }
}
