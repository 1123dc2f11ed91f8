//! Limits of the calls that run at the same time, each a process: of all calls, of those of a tool
//! that may take much memory, and of those of one token, which has to leave room for the others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::access::TokenOwner;
use iki_base::mutex::lock;
use iki_tools::contract::tool::Tool;

/// Calls that run at the same time; further ones wait for a permit. A tool whose calls may take
/// much memory allows fewer of its own (`Tool::max_concurrent_calls`).
const CALLS: usize = 64;

/// Factor by which a server for many clients runs more calls of such a tool.
const TEAM_FACTOR: usize = 4;

/// The part of all permits that one holder may have, as a divisor.
const SHARE: usize = 2;

/// The permits of a server.
pub struct CallPermits {
    common: Arc<Semaphore>,
    /// Permits of tools that run fewer calls at the same time, by the tools' names.
    tool_permits: HashMap<&'static str, (Arc<Semaphore>, usize)>,
    /// Shares of holders, for each tool that has some of its own and for the others together.
    shares: Mutex<HashMap<(TokenOwner, &'static str), Arc<Semaphore>>>,
}

/// The permits that a call holds until it has ended.
#[derive(Default)]
pub struct CallPermit(Vec<OwnedSemaphorePermit>);

impl CallPermits {
    /// The permits of a server of `tools`, for many clients or for one.
    pub fn new(tools: &[&'static Tool], has_many_clients: bool) -> Self {
        let tool_permits = tools.iter().filter_map(|tool| {
            let count = tool.max_concurrent_calls? * if has_many_clients { TEAM_FACTOR } else { 1 };
            Some((tool.name, (Arc::new(Semaphore::new(count)), count)))
        });
        Self {
            common: Arc::new(Semaphore::new(CALLS)),
            tool_permits: tool_permits.collect(),
            shares: Mutex::default(),
        }
    }

    /// Waits for all permits of a call of `tool` but the common one. The scarce permits are taken
    /// first: a call that waits for one must not hold a common permit.
    pub async fn acquire(&self, tool: &'static Tool, holder: Option<&TokenOwner>) -> CallPermit {
        let tool_permits = self.tool_permits.get(tool.name);
        let mut permit = CallPermit::default();
        if let Some(holder) = holder {
            let (name, count) = tool_permits.map_or(("", CALLS), |(_, count)| (tool.name, *count));
            permit.take(self.share(holder, name, count)).await;
        }
        if let Some((tool_permits, _)) = tool_permits {
            permit.take(Arc::clone(tool_permits)).await;
        }
        permit
    }

    /// Waits for a common permit, after the others.
    pub async fn acquire_common(&self, permit: &mut CallPermit) {
        permit.take(Arc::clone(&self.common)).await;
    }

    fn share(&self, holder: &TokenOwner, name: &'static str, count: usize) -> Arc<Semaphore> {
        let mut shares = lock(&self.shares);
        // A share that only the table holds has no permit in use.
        shares.retain(|_, share| Arc::strong_count(share) > 1);
        let share = shares.entry((holder.clone(), name));
        Arc::clone(share.or_insert_with(|| Arc::new(Semaphore::new((count / SHARE).max(1)))))
    }
}

impl CallPermit {
    async fn take(&mut self, semaphore: Arc<Semaphore>) {
        // They are never closed.
        self.0.extend(semaphore.acquire_owned().await);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;
    use iki_tools::tools::web::scrape::TOOL;

    async fn has(permits: &CallPermits, holder: &TokenOwner) -> Option<CallPermit> {
        let permit = permits.acquire(&TOOL, Some(holder));
        timeout(Duration::from_millis(20), permit).await.ok()
    }

    #[tokio::test]
    async fn one_holder_leaves_room_for_another() {
        let permits = CallPermits::new(&[&TOOL], true);
        let (ada, bob) = (TokenOwner::new("ada"), TokenOwner::new("bob"));
        let all = TOOL.max_concurrent_calls.unwrap() * TEAM_FACTOR;
        let mut of_ada = Vec::new();
        while let Some(permit) = has(&permits, &ada).await {
            of_ada.push(permit);
        }
        assert_eq!(of_ada.len(), all / SHARE);
        let of_bob = has(&permits, &bob).await;
        assert!(of_bob.is_some());
        of_ada.pop();
        assert!(has(&permits, &ada).await.is_some());
        drop((of_ada, of_bob));
        assert!(has(&permits, &bob).await.is_some());
        assert_eq!(permits.shares.lock().unwrap().len(), 1);
    }
}
