//! The commands that go on in the background when their calls are answered: each is a call's
//! process that has not ended, and ends with the server.

use std::sync::{Arc, Mutex};

use serde_json::{Map, Value};

use crate::access::TokenOwner;
use crate::call_process::CallProcess;
use iki_base::mutex::lock;
use iki_tools::contract::background::{BackgroundRun, FIELD};

/// A running command, with the owner of its caller's token.
type OwnedRun = (Option<TokenOwner>, BackgroundRun);

/// The running commands.
#[derive(Default)]
pub struct BackgroundCalls(Arc<Mutex<Vec<OwnedRun>>>);

impl BackgroundCalls {
    /// The commands that run for this caller.
    pub fn of_caller(&self, owner: Option<&TokenOwner>) -> Vec<BackgroundRun> {
        let running = lock(&self.0);
        let commands = running.iter().filter(|(of, _)| of.as_ref() == owner);
        commands.map(|(_, run)| run.clone()).collect()
    }

    /// Lets `process`, whose `answer` is here, go on if the answer says that it does, else end.
    pub fn register_background(
        &self,
        owner: Option<&TokenOwner>,
        answer: &mut Map<String, Value>,
        process: CallProcess,
    ) -> bool {
        let Some(run) = answer.shift_remove(FIELD) else {
            process.release();
            return false;
        };
        let Ok(run) = serde_json::from_value::<BackgroundRun>(run) else {
            return true;
        };
        let number = run.number;
        let running = Arc::clone(&self.0);
        let mut all = lock(&running);
        all.push((owner.cloned(), run));
        drop(all);
        tokio::spawn(async move {
            process.wait_for_end().await;
            let mut running = lock(&running);
            running.retain(|(_, run)| run.number != number);
        });
        true
    }
}
