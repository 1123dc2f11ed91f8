//! A command that goes on when its call has been answered: all that it writes goes into a file,
//! last of all its exit code.
//!
//! Rules: the decisions on MCP and the command line (7).

use std::io::{self, Write};
use std::time::Instant;

use crate::sandbox::confinement;
use crate::sandbox::lifeline;
use crate::sandbox::tree_termination::GRACE;
use crate::sandbox::watchdog::{CommandEnd, Watchdog};
use crate::shell::background_output::BackgroundOutput;
use crate::shell::command::{TIMED_OUT, TimeLimit, code_of, end_in_time};
use crate::shell::command_shell::CommandShell;
use crate::shell::output_pipe::{OutputPipe, PassedOn, pass_on};
use crate::shell::terminal_text::TerminalText;

/// A command that goes on. If it is dropped, all of it is ended.
pub struct BackgroundCommand {
    pipe: OutputPipe,
    watchdog: Watchdog,
    limit: Option<TimeLimit>,
    /// The shell, while it has not ended.
    shell: Option<CommandShell>,
}

impl BackgroundCommand {
    pub(super) fn from_running(
        (pipe, watchdog): (OutputPipe, Watchdog),
        limit: Option<TimeLimit>,
        shell: CommandShell,
    ) -> Self {
        Self {
            pipe,
            watchdog,
            limit,
            shell: Some(shell),
        }
    }

    pub(super) fn from_leftovers(pipe: OutputPipe, watchdog: Watchdog) -> Self {
        Self {
            pipe,
            watchdog,
            limit: None,
            shell: None,
        }
    }

    /// True if the shell itself has not ended.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.shell.is_some()
    }

    /// Takes its time limit away.
    #[must_use]
    pub fn without_limit(self) -> Self {
        Self {
            limit: None,
            ..self
        }
    }

    /// Writes what comes of it into `file`, if there is one, until it has ended. If this process is
    /// asked to end, all of it is ended first.
    pub fn write_into(self, file: Option<BackgroundOutput>) {
        if let Some(file) = file {
            let mut text = LiveText(TerminalText::new(file));
            let last = self.pass_on_all(&mut text);
            if let (Ok(last), Ok(mut file)) = (last, text.0.finish()) {
                file.end_with(&last);
            }
        } else {
            // Without an outlet it could not go on.
            let _ = self.pass_on_all(&mut io::sink());
        }
        lifeline::die_if_asked();
    }

    /// Passes on all that comes of it; returns the line that follows it.
    fn pass_on_all(self, sink: &mut dyn Write) -> io::Result<String> {
        let (mut pipe, mut watchdog) = (self.pipe, self.watchdog);
        let mut last = String::from("[ended]");
        let mut has_left = true;
        if let Some(shell) = &self.shell {
            let until = self.limit.map(|limit| limit.ask_at);
            let passed_on = pass_on(&mut pipe, &watchdog, sink, until, None)?;
            if let (PassedOn::UntilTimeout, Some(limit)) = (passed_on, self.limit) {
                end_in_time(&mut pipe, watchdog, sink, limit)?;
                return Ok(format!("[exit code {TIMED_OUT}: its `timeout` was over]"));
            }
            if !lifeline::is_asked_to_end() {
                let end = watchdog.end();
                let code = code_of(end, shell, confinement::current()).or_else(|reason| {
                    write!(sink, "bash: {reason}")?;
                    Ok::<_, io::Error>(crate::shell::NOT_RUN)
                })?;
                last = format!("[exit code {code}]");
                has_left = matches!(end, CommandEnd::Code(_)) && watchdog.has_left_processes();
            }
        }
        // The processes that the shell has left may write on.
        while has_left && pipe.is_open() {
            let (has_ended, _) = pipe.wait(&watchdog)?;
            pipe.drain(sink)?;
            if has_ended {
                break;
            }
        }
        pipe.drain(sink)?;
        if lifeline::is_asked_to_end() {
            watchdog.stop(Instant::now() + GRACE);
            pipe.drain(sink)?;
            return Ok(String::from("[stopped]"));
        }
        watchdog.release(None);
        Ok(last)
    }
}

/// Text whose last lines are seen, though they may be written over.
struct LiveText(TerminalText<BackgroundOutput>);

impl Write for LiveText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        let (lines, file) = self.0.held();
        file.show_held_lines(&lines);
        Ok(())
    }
}
