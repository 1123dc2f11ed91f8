//! The time that a command has: the limits on it, and the note where it was too short.

use std::time::Duration;

use crate::contract::call_terms::{CallTerms, Deadline};
use crate::contract::failure::{ErrorCode, Failure};
use crate::contract::request::Request;
use iki_base::wording::format_seconds;
use iki_process::shell::{StillRunning, TimeLimit};

/// The note on a command that was ended before it had written anything.
pub const NOTHING_WRITTEN: &str = "It had written nothing yet: many programs buffer output to a \
                                   pipe and lose it when killed (`python3 -u` and `stdbuf -oL \
                                   COMMAND` do not buffer it).";

/// The shortest time in seconds that is taken for milliseconds, as other agents count it.
const LEAST_MILLISECONDS: u64 = 10_000;

/// The shortest time in seconds that may have been meant as milliseconds.
const LEAST_DOUBTFUL: u64 = 1_000;

/// The time that a request asks for.
#[derive(Clone, Copy)]
pub struct RequestedTime {
    /// The time.
    pub duration: Duration,
    /// The milliseconds for which its seconds were taken.
    milliseconds: Option<u64>,
    /// True if it is in seconds, and may have been meant as milliseconds.
    is_doubtful: bool,
}

impl RequestedTime {
    /// Reads the time that `request` asks for, if it asks for any. In the background, where a
    /// command may run for days, `timeout` is always in seconds.
    pub fn from_request(
        request: &Request<'_>,
        is_background: bool,
    ) -> Result<Option<Self>, Failure> {
        let number = |name| request.integer(name, 1..=u64::MAX);
        let exact = |whole| Self {
            duration: whole,
            milliseconds: None,
            is_doubtful: false,
        };
        let milliseconds = number("timeout_ms")?.map(Duration::from_millis);
        let seconds = number("timeout_seconds")?.map(Duration::from_secs);
        let timeout = number("timeout")?.map(|time| match time {
            LEAST_MILLISECONDS.. if !is_background => Self {
                milliseconds: Some(time),
                ..exact(Duration::from_millis(time))
            },
            _ => Self {
                is_doubtful: time >= LEAST_DOUBTFUL && !is_background,
                ..exact(Duration::from_secs(time))
            },
        });
        let others = [
            ("timeout_ms", milliseconds.map(exact)),
            ("timeout_seconds", seconds.map(exact)),
        ];
        let all = others.into_iter().chain([("timeout", timeout)]);
        let mut given = all.filter_map(|(name, time)| Some((name, time?)));
        let Some((name, first)) = given.next() else {
            return Ok(None);
        };
        match given.find(|(_, time)| time.duration != first.duration) {
            None => Ok(Some(first)),
            Some((other, _)) => Err(Failure::new(
                ErrorCode::InvalidArg,
                format!(
                    "bash cannot do \"{name}\", so nothing was run: it is {other}, which has \
                     another value"
                ),
            )),
        }
    }

    /// The note on the unit of the time; `has_ended` says that the command was ended by it.
    pub fn note(self, has_ended: bool) -> Option<String> {
        if let Some(milliseconds) = self.milliseconds {
            let whole = format_seconds(self.duration);
            return Some(format!(
                "`timeout` is in seconds: {milliseconds} was taken as {whole}."
            ));
        }
        (self.is_doubtful && has_ended).then(|| "`timeout` is in seconds.".to_owned())
    }
}

/// The time that a command may take.
#[derive(Clone, Copy)]
pub struct CommandTime {
    /// The time by which its call has to be answered.
    deadline: Option<Deadline>,
    /// True if the request asked for it, and may ask for another.
    asked_for: bool,
}

impl CommandTime {
    /// The time that the call's terms leave.
    pub fn from_terms(terms: &CallTerms) -> Self {
        Self {
            deadline: terms.deadline,
            asked_for: false,
        }
    }

    /// As much time as it takes.
    pub fn unlimited() -> Self {
        Self {
            deadline: None,
            asked_for: false,
        }
    }

    /// True if the request has set the limit.
    pub fn is_asked_for(&self) -> bool {
        self.asked_for
    }

    /// Shortens it to `whole` from now, if it is longer.
    pub fn shorten(&mut self, whole: Duration) {
        if let Some(deadline) = Deadline::after(whole)
            && self.deadline.is_none_or(|other| deadline.end < other.end)
        {
            self.deadline = Some(deadline);
            self.asked_for = true;
        }
    }

    /// The times of SIGTERM and SIGKILL, and the time at which the answer is written even if a
    /// process survives both.
    pub fn limit(&self) -> Option<TimeLimit> {
        self.deadline.map(|deadline| {
            let kills = deadline.work_end();
            TimeLimit {
                ask_at: deadline.ask_to_end_at(),
                kill_at: kills,
                end: kills + deadline.end.saturating_duration_since(kills) / 2,
            }
        })
    }

    /// The note on a command that was ended at the end of its time, when these were `running`.
    pub fn note(&self, running: &[StillRunning], is_served: bool) -> Option<String> {
        let deadline = self.deadline?;
        let (after, whole) = (
            format_seconds(deadline.ask_to_end_after()),
            format_seconds(deadline.total),
        );
        let (limit, longer) = if self.asked_for {
            (
                format!("its `timeout` is {whole}"),
                "give a longer `timeout`, or ",
            )
        } else {
            (format!("calls are limited to {whole} here"), "")
        };
        let named = running.iter().map(|StillRunning { line, was_killed }| {
            let killed = if *was_killed {
                " (killed, because it ignored SIGTERM)"
            } else {
                ""
            };
            format!("`{line}`{killed}")
        });
        let running = match named.collect::<Vec<_>>() {
            none if none.is_empty() => String::new(),
            some => format!(" Still running: {}.", some.join(", ")),
        };
        let background = if is_served {
            "run it with background true"
        } else {
            "run it in the background with its output in a file (COMMAND >FILE 2>&1 &)"
        };
        Some(format!(
            "The command was ended after {after}, with all that it had started: {limit}.{running} \
             If it only needs more time, {longer}{background}."
        ))
    }
}
