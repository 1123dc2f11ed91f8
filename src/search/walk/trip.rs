//! What the threads of one walk share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::search::paths::{LeftOut, Walked};
use crate::search::steps::Steps;
use crate::search::ways::Ways;

/// What the threads of one walk share.
#[derive(Debug)]
pub(super) struct Trip {
    pub steps: Arc<Steps>,
    pub until: Option<Instant>,
    ways: Mutex<Ways>,
}

impl Trip {
    pub fn new(steps: Arc<Steps>, until: Option<Instant>) -> Self {
        Self {
            steps,
            until,
            ways: Mutex::new(Ways::new()),
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

    /// Whether the time of the walk is over. Then something is left out.
    pub fn is_over(&self, walked: &mut Walked) -> bool {
        let over = self.until.is_some_and(|until| Instant::now() >= until);
        if over {
            walked.left_out = Some(LeftOut::NotReached);
        }
        over
    }
}
