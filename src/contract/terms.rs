//! The terms of a call, which its front end sets and no request can: who reads the answer, how long
//! the answer may be, and how long it may take.
//!
//! Rules: the decisions on the host's calls (8, 9) and on bash.

use std::env;
use std::str::FromStr;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Resource, getrlimit};
use serde::{Deserialize, Serialize};

use super::call_context::CallContext;

/// The variable that bounds an answer, in bytes of the JSON object.
pub const MAX_ANSWER: &str = "IKIGAI_MAX_ANSWER";

/// The variable that bounds the time of a call, in seconds, which may have a fraction.
pub const MAX_SECONDS: &str = "IKIGAI_MAX_SECONDS";

/// The variable that bounds the threads of a search.
pub const THREADS: &str = "IKIGAI_THREADS";

/// That variable and what it means, for manuals.
pub const SEARCH_THREADS: (&str, &str) = (
    THREADS,
    "how many threads a search may have, 1 to 16; as many as there are processors, if it is not set",
);

/// The most threads that a search has.
const MOST_THREADS: usize = 16;

/// How many files a thread of a search has open at once, and as many again for all else.
const FILES_OF_THREAD: usize = 8;

/// The variable by which the published ikigai is known. It drops answers of 65,536 bytes and more
/// and does not survive a call of 30 seconds.
const AGENT: &str = "IKIGAI_AGENT_ID";

/// What holds for that host where nothing else is said: bytes, and seconds.
const OF_AGENT: (usize, f64) = (65_000, 28.0);

/// The least limit of an answer that can be kept, in bytes: below it not even an error has room.
const LEAST_ANSWER: usize = 256;

/// How long answering takes at most, once it is known what to answer.
const ANSWERING: Duration = Duration::from_millis(300);

/// The longest time before its deadline at which a command is asked to end.
const CLEARING_UP: Duration = Duration::from_secs(2);

/// Whoever reads the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Audience {
    /// A host, which sent a request on stdin and hands the object on as it is: the fields are the
    /// specification's.
    #[default]
    Host,
    /// A person or a script, who wrote flags.
    Person,
    /// A model, which is shown plain text: the server of the Model Context Protocol makes it from
    /// the object.
    Model,
    /// A program, which a server of that protocol gives the object, or a call made of flags that
    /// asks for JSON.
    Program,
}

impl Audience {
    /// Whether requests may have the fields that the specification's schemas do not know.
    #[must_use]
    pub fn may_send_more(self) -> bool {
        self != Self::Host
    }
}

/// When a call has to have answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline {
    /// That moment.
    pub end: Instant,
    /// How long the call had, for those who are told that it was not enough.
    pub whole: Duration,
}

impl Deadline {
    /// The deadline of a call that begins now and may take this long.
    #[must_use]
    pub fn after(whole: Duration) -> Option<Self> {
        let end = Instant::now().checked_add(whole)?;
        Some(Self { end, whole })
    }

    /// The time after which a command that still runs is asked to end: two seconds before the
    /// deadline, or half-way where there are less than four seconds in all.
    #[must_use]
    pub fn asks_after(self) -> Duration {
        self.whole.saturating_sub((self.whole / 2).min(CLEARING_UP))
    }

    /// The moment at which it is asked to end.
    #[must_use]
    pub fn asks(self) -> Instant {
        let before = self.whole.saturating_sub(self.asks_after());
        self.end.checked_sub(before).unwrap_or(self.end)
    }

    /// The end of all work: some tenths of a second are left for the answer.
    #[must_use]
    pub fn until(self) -> Instant {
        let answering = (self.whole / 5).min(ANSWERING);
        self.end.checked_sub(answering).unwrap_or(self.end)
    }

    /// How long the call still has.
    #[must_use]
    pub fn left(self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }
}

/// The terms of one call.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terms {
    /// Whoever reads the answer.
    pub reader: Audience,
    /// The most bytes that the answer may have: of the JSON object, or, for a model, of the text
    /// that is made from it. `None` sets no limit.
    pub max_answer: Option<usize>,
    /// When the call has to have answered; `None` where it may take as long as the tool lets it.
    pub deadline: Option<Deadline>,
    /// Whether a server takes what stands beside the answer
    /// ([`Object::beside`](crate::contract::reply::Object::beside)).
    pub served: bool,
    /// Whether an answer that was kept is of no use, nor is this one to be kept: a person wants it
    /// as it is now.
    pub no_cache: bool,
    /// Tells whoever waits what a command wrote last, where somebody wants to know.
    pub progress: Option<fn(&[u8])>,
    /// The description of the call, where a server or flags have given one.
    pub context: Option<&'static CallContext>,
}

impl Terms {
    /// The terms of a host's call, from the environment. 0 is no limit; what cannot be understood
    /// counts as not set.
    #[must_use]
    pub fn of_host() -> Self {
        let is_agent = env::var_os(AGENT).is_some_and(|id| !id.is_empty());
        let (bytes, seconds) = OF_AGENT;
        let bytes = number(MAX_ANSWER).or(is_agent.then_some(bytes));
        let seconds = number(MAX_SECONDS).or(is_agent.then_some(seconds));
        let seconds = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Self::within(
            Audience::Host,
            bytes.filter(|bytes| *bytes > 0),
            seconds.filter(|seconds| !seconds.is_zero()),
        )
    }

    /// The terms of a person's call, which nothing bounds.
    #[must_use]
    pub fn of_person() -> Self {
        Self::within(Audience::Person, None, None)
    }

    /// The terms of a call that begins now: an answer of at most `bytes` within `seconds`.
    #[must_use]
    pub fn within(reader: Audience, bytes: Option<usize>, seconds: Option<Duration>) -> Self {
        Self {
            reader,
            max_answer: bytes.map(|bytes| bytes.max(LEAST_ANSWER)),
            deadline: seconds.and_then(Deadline::after),
            served: false,
            no_cache: false,
            progress: None,
            context: None,
        }
    }

    /// When work has to end, so that some tenths of a second are left for the answer.
    #[must_use]
    pub fn until(&self) -> Option<Instant> {
        self.deadline.map(Deadline::until)
    }

    /// How long the call still has, at most `most`.
    #[must_use]
    pub fn left(&self, most: Duration) -> Duration {
        self.deadline
            .map_or(most, |deadline| deadline.left().min(most))
    }
}

/// How many threads a search may have: as many as the machine and the control group of this process
/// give it, or as [`THREADS`] says, at most 16, and no more than may have files open. 0, and what
/// cannot be understood, count as not set.
#[must_use]
pub fn threads() -> usize {
    let told = number(THREADS).filter(|threads| *threads > 0);
    let threads = told.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    let files = getrlimit(Resource::Nofile).current;
    let files = files.and_then(|files| usize::try_from(files).ok());
    let have_files = files.map_or(MOST_THREADS, |files| files / FILES_OF_THREAD);
    threads.min(MOST_THREADS).min(have_files).max(1)
}

fn number<T: FromStr>(variable: &str) -> Option<T> {
    env::var(variable).ok()?.trim().parse().ok()
}
