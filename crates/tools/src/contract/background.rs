//! Commands in the background, as a server and its calls tell each other of them.
//!
//! Rules: agreed behaviour, see REFERENCE.md.

use std::fmt;
use std::path::PathBuf;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use iki_base::mutex::lock;

/// The field in which a call's process tells its server that it goes on.
pub const FIELD: &str = "_background";

/// Maximum number of commands that run in the background for a token or a client.
pub(crate) const MAX_COMMANDS: usize = 16;

/// A command in the background.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackgroundRun {
    /// The number of the process that sees to it, and ends all of it if it is asked to end.
    pub number: u32,
    /// The command, shortened.
    pub command: String,
    /// The file for its output; `None` if there is none.
    pub file: Option<PathBuf>,
}

/// Work that a call's process goes on with when its answer is written.
#[derive(Default)]
pub struct AfterAnswer(Mutex<Option<Box<dyn FnOnce() + Send>>>);

impl AfterAnswer {
    /// Sets the work.
    pub fn set(&self, work: impl FnOnce() + Send + 'static) {
        *lock(&self.0) = Some(Box::new(work));
    }

    /// Takes the work, if there is any.
    pub fn take(&self) -> Option<Box<dyn FnOnce() + Send>> {
        lock(&self.0).take()
    }
}

impl fmt::Debug for AfterAnswer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("AfterAnswer")
    }
}
