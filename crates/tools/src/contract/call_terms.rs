//! The terms of a call, which its front end sets and no request can: the audience of the answer,
//! its length, and the time for it.
//!
//! Rules: agreed behaviour, see REFERENCE.md ("For hosts").

use std::env;
use std::str::FromStr;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Resource, getrlimit};
use serde::{Deserialize, Serialize};

use super::answer_limit::TextMeasure;
use super::call_context::CallContext;
use super::search_style::SearchStyle;

/// The variable that limits an answer, in bytes of the JSON object.
pub(crate) const MAX_ANSWER: &str = "IKIGAI_MAX_ANSWER";

/// The variable that limits the time of a call, in seconds, which may have a fraction.
pub(crate) const MAX_SECONDS: &str = "IKIGAI_MAX_SECONDS";

/// The variable that limits the threads of a search.
pub(crate) const THREADS: &str = "IKIGAI_THREADS";

/// Maximum number of threads of a search.
const MAX_THREADS: usize = 16;

/// Number of open files allowed for each thread of a search, with a reserve for everything else.
const FILES_PER_THREAD: usize = 8;

/// The variable that the published ikigai sets. That host drops answers of 65,536 bytes and more,
/// and does not survive a call of 30 seconds.
const IKIGAI_VARIABLE: &str = "IKIGAI_AGENT_ID";

/// Default limits for that host: bytes and seconds.
const IKIGAI_LIMITS: (usize, f64) = (65_000, 28.0);

/// Smallest limit of an answer, in bytes: below it not even an error has room.
const MIN_ANSWER_BYTES: usize = 256;

/// Time left at the end of a call for writing the answer.
const ANSWER_TIME: Duration = Duration::from_millis(300);

/// Maximum time between a request to end a command and the deadline.
const MAX_TERMINATION_TIME: Duration = Duration::from_secs(2);

/// The audience of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Audience {
    /// A host, which sent a request on stdin and hands the object on unchanged: the fields are the
    /// specification's.
    #[default]
    Host,
    /// A person or a script, calling with flags.
    Person,
    /// A model, which is shown plain text that the server of the Model Context Protocol makes from
    /// the object.
    Model,
    /// A program, which gets the object from a server of that protocol or from a call with flags
    /// that asks for JSON.
    Program,
}

impl Audience {
    /// True if what is written for it is read as words, and not as data.
    pub(crate) fn reads_words(self) -> bool {
        matches!(self, Self::Model | Self::Person)
    }
}

/// The deadline of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline {
    /// The moment by which the call has to have answered.
    pub end: Instant,
    /// The time that the call had in all, for messages about it.
    pub total: Duration,
}

impl Deadline {
    /// The deadline of a call that begins now and may take `total`.
    #[must_use]
    pub fn after(total: Duration) -> Option<Self> {
        let end = Instant::now().checked_add(total)?;
        Some(Self { end, total })
    }

    /// Time after which a running command is asked to end: two seconds before the deadline, or
    /// half-way if there are less than four seconds in all.
    #[must_use]
    pub(crate) fn ask_to_end_after(self) -> Duration {
        self.total
            .saturating_sub((self.total / 2).min(MAX_TERMINATION_TIME))
    }

    /// The moment at which a running command is asked to end.
    #[must_use]
    pub(crate) fn ask_to_end_at(self) -> Instant {
        let before = self.total.saturating_sub(self.ask_to_end_after());
        self.end.checked_sub(before).unwrap_or(self.end)
    }

    /// The moment at which work has to end, so that some tenths of a second remain for the answer.
    #[must_use]
    pub fn work_end(self) -> Instant {
        let answering = (self.total / 5).min(ANSWER_TIME);
        self.end.checked_sub(answering).unwrap_or(self.end)
    }

    /// Time that the call has left.
    #[must_use]
    pub fn time_left(self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }
}

/// The terms of one call.
#[derive(Clone, Copy, Debug, Default)]
pub struct CallTerms {
    /// The audience of the answer.
    pub reader: Audience,
    /// Maximum length of the answer in bytes: of the JSON object, or, for a model, of the text made
    /// from it. `None` sets no limit.
    pub max_answer: Option<usize>,
    /// The deadline; `None` if only the tool's own limits hold.
    pub deadline: Option<Deadline>,
    /// True if a server takes further data for its client
    /// (`AnswerObject::field_for_server`).
    pub is_served: bool,
    /// True if the cache is neither read nor written, because a person wants the present state.
    pub skips_cache: bool,
    /// True if the answer to a person goes into a pipe or a file, for other programs.
    pub is_piped: bool,
    /// The options that a person's flags set for a search.
    pub style: SearchStyle,
    /// Reports the last line that a command wrote, if the caller wants to know.
    pub progress: Option<fn(&[u8])>,
    /// Description of the call, if a server or flags gave one.
    pub context: Option<&'static CallContext>,
    /// The measure in which the answer's text keeps to `max_answer`.
    pub measure: TextMeasure,
    /// The names of the tools that the caller has; empty if they are not known.
    pub tools: &'static [String],
}

impl CallTerms {
    /// The terms of a host's call, from the environment. 0 is no limit; values that cannot be read
    /// count as not set.
    #[must_use]
    pub fn of_host() -> Self {
        let is_agent = env::var_os(IKIGAI_VARIABLE).is_some_and(|id| !id.is_empty());
        let (bytes, seconds) = IKIGAI_LIMITS;
        let (given_bytes, given_time) = limits_of_environment();
        let time = given_time.or(is_agent.then(|| Duration::from_secs_f64(seconds)));
        Self::within(
            Audience::Host,
            given_bytes
                .or(is_agent.then_some(bytes))
                .filter(|bytes| *bytes > 0),
            time.filter(|time| !time.is_zero()),
        )
    }

    /// The terms of a person's call, without limits.
    #[must_use]
    pub fn of_person() -> Self {
        Self::within(Audience::Person, None, None)
    }

    /// The terms of a call that begins now: an answer of at most `bytes` within `seconds`.
    #[must_use]
    pub fn within(reader: Audience, bytes: Option<usize>, seconds: Option<Duration>) -> Self {
        Self {
            reader,
            max_answer: bytes.map(|bytes| bytes.max(MIN_ANSWER_BYTES)),
            deadline: seconds.and_then(Deadline::after),
            measure: TextMeasure::for_audience(reader),
            ..Self::default()
        }
    }

    /// True if the caller has the tool of this name, so that a note may recommend it.
    pub(crate) fn serves(&self, tool: &str) -> bool {
        self.tools.is_empty() || self.tools.iter().any(|one| one == tool)
    }

    /// `words` that recommend `tool`, if the caller has it; else nothing.
    #[must_use]
    pub(crate) fn if_served<'w>(&self, tool: &str, words: &'w str) -> &'w str {
        if self.serves(tool) { words } else { "" }
    }

    /// [`Deadline::work_end`] of the deadline, if there is one.
    #[must_use]
    pub fn work_end(&self) -> Option<Instant> {
        self.deadline.map(Deadline::work_end)
    }

    /// Time that the call has left, at most `limit`.
    #[must_use]
    pub fn time_left(&self, limit: Duration) -> Duration {
        self.deadline
            .map_or(limit, |deadline| deadline.time_left().min(limit))
    }
}

/// Number of threads for a search: as `THREADS` says, else one for each processor that the
/// machine and this process's control group allow; at most 16, and no more than the limit on open
/// files allows. 0 and values that cannot be read count as not set.
#[must_use]
pub fn threads() -> usize {
    let wanted = read_variable(THREADS).filter(|threads| *threads > 0);
    let threads = wanted.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    let files = getrlimit(Resource::Nofile).current;
    let files = files.and_then(|files| usize::try_from(files).ok());
    let have_files = files.map_or(MAX_THREADS, |files| files / FILES_PER_THREAD);
    threads.min(MAX_THREADS).min(have_files).max(1)
}

/// The limits that the environment sets: bytes of an answer and time of a call. 0 is no limit;
/// values that cannot be read count as not set.
#[must_use]
pub fn limits_of_environment() -> (Option<usize>, Option<Duration>) {
    let seconds = read_variable(MAX_SECONDS);
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    (read_variable(MAX_ANSWER), time)
}

fn read_variable<T: FromStr>(variable: &str) -> Option<T> {
    env::var(variable).ok()?.trim().parse().ok()
}
