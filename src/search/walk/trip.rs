//! What the threads of one walk share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::sandbox::confinement;
use crate::search::paths::{LeftOut, Walked};
use crate::search::steps::Steps;
use crate::search::ways::Ways;
use crate::search::wildcard::Component;

/// What the threads of one walk share.
#[derive(Debug)]
pub(super) struct Trip {
    pub steps: Arc<Steps>,
    pub until: Option<Instant>,
    /// Names behind a wildcard are found by listing the directory alone: the kernel keeps a
    /// confined process from listing what lies outside, and not from asking for names there.
    lists_only: bool,
    ways: Mutex<Ways>,
}

impl Trip {
    pub fn new(steps: Arc<Steps>, until: Option<Instant>) -> Self {
        Self {
            steps,
            until,
            lists_only: confinement::confines_own_files(),
            ways: Mutex::new(Ways::new()),
        }
    }

    /// The name that `state` stands for, if it is one that may be looked up without listing.
    pub fn name_to_look_up(&self, state: usize) -> Option<&[u8]> {
        let step = &self.steps.all[state];
        match &step.component {
            Component::Name(name) if !(self.lists_only && step.behind_wildcard) => Some(name),
            _ => None,
        }
    }

    /// What was left out for the many ways that lead to it.
    pub fn left_out(&self) -> Option<LeftOut> {
        self.ways().left_out
    }

    /// What has been reached by way of `..` and links.
    pub fn ways(&self) -> MutexGuard<'_, Ways> {
        self.ways.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says whether the time of the walk is over. Then something is left out.
    pub fn is_over(&self, walked: &mut Walked) -> bool {
        let over = self.until.is_some_and(|until| Instant::now() >= until);
        if over {
            walked.left_out = Some(LeftOut::NotReached);
        }
        over
    }
}
