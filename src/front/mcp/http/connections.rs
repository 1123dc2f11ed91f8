//! The open connections: how many there may be, how long each may be silent, and which one is
//! closed when there is no room.
//!
//! Each has a slot. A silent one costs its slot, one buffer and its task; one timer looks after
//! all.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use crate::basics::mutex::lock;

/// The most connections at a time, if as many files may be open.
pub const MOST: usize = 1000;

/// The longest time for the headers of a request, from the first byte; also for the silence of a
/// new connection, and for the handshake of TLS.
const HEADERS: Duration = Duration::from_secs(10);

/// The longest silence of a connection after an answer.
const SILENCE: Duration = Duration::from_secs(60);

/// The longest time for which a client may leave an answer unread.
const UNREAD: Duration = Duration::from_secs(30);

/// The interval at which the connections are looked after.
pub const ROUND: Duration = Duration::from_secs(1);

/// The slots of the connections that are open.
#[derive(Debug)]
pub struct ConnectionTable {
    most: usize,
    slots: Mutex<SlotTable>,
    /// Counts connections, and the times at which they fell silent.
    count: AtomicU64,
    /// The last one has gone.
    empty: Notify,
}

#[derive(Debug, Default)]
struct SlotTable {
    taken: HashMap<u64, Arc<ConnectionSlot>>,
    /// Connections that may have to make room, in this order: none of their requests was let in, or
    /// they have to send something.
    idle: BTreeSet<EvictionKey>,
}

/// The order in which connections are closed when there is no room: the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct EvictionKey {
    /// True if one of its requests has been let in.
    known: bool,
    /// True if the body of one is being read.
    reads: bool,
    /// Order of the last activity: lower is longer ago.
    time: u64,
    number: u64,
}

/// A connection as the table has it.
#[derive(Debug)]
pub struct ConnectionSlot {
    at: Mutex<SlotState>,
    told: Notify,
}

#[derive(Debug)]
struct SlotState {
    state: ConnectionState,
    since: Instant,
    turn: EvictionKey,
    /// Time since which the client has read nothing of the answer.
    unread: Option<Instant>,
    /// True if it has to end when its request is done.
    last: bool,
}

/// The state of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConnectionState {
    /// Its first request has not come completely.
    Fresh,
    /// It is silent after an answer.
    Silent,
    /// The headers of a further request have begun to come.
    Headers,
    /// A request is under way.
    Works,
    /// It listens to a stream, without a limit of time.
    Listens,
}

/// An order to end, for a connection.
#[derive(Debug, PartialEq, Eq)]
pub enum ShutdownNotice {
    /// To end now.
    End,
    /// To end after the request that is under way.
    Finish,
}

/// A slot for as long as its connection is open.
pub struct SlotGuard {
    slot: Arc<ConnectionSlot>,
    connections: Arc<ConnectionTable>,
}

/// A request under way, until this is dropped.
pub struct RequestGuard {
    slot: Arc<ConnectionSlot>,
    connections: Arc<ConnectionTable>,
}

/// A request whose body is being read, until this is dropped.
pub struct BodyReading<'a>(&'a RequestGuard);

impl ConnectionTable {
    /// A table with room for so many, and none yet.
    pub fn new(most: usize) -> Self {
        Self {
            most,
            slots: Mutex::default(),
            count: AtomicU64::new(0),
            empty: Notify::new(),
        }
    }

    /// A slot for a connection; `None` if all are taken and each has a request under way. If all
    /// are taken, the connection that was silent for longest is closed: first one whose requests
    /// were never let in, in any phase, and last one whose request has not come completely.
    pub fn claim_slot(self: &Arc<Self>) -> Option<SlotGuard> {
        let mut slots = lock(&self.slots);
        if slots.taken.len() >= self.most {
            // An answer on its way to a client that reads slowly is not cut off for others.
            let is_read = |turn: &&EvictionKey| {
                let slot = slots.taken.get(&turn.number);
                !turn.known || slot.is_none_or(|slot| slot.at().unread.is_none())
            };
            let turn = slots.idle.iter().find(is_read).copied()?;
            slots.idle.remove(&turn);
            if let Some(slot) = slots.taken.remove(&turn.number) {
                slot.told.notify_one();
            }
        }
        let number = self.next();
        let turn = EvictionKey {
            known: false,
            reads: false,
            time: number,
            number,
        };
        let slot = Arc::new(ConnectionSlot {
            at: Mutex::new(SlotState {
                state: ConnectionState::Fresh,
                since: Instant::now(),
                turn,
                unread: None,
                last: false,
            }),
            told: Notify::new(),
        });
        slots.taken.insert(number, Arc::clone(&slot));
        slots.idle.insert(turn);
        Some(SlotGuard {
            slot,
            connections: Arc::clone(self),
        })
    }

    /// Ends those whose time is over.
    pub fn look_after(&self) {
        let now = Instant::now();
        for slot in lock(&self.slots).taken.values() {
            if slot.is_overdue(now) {
                slot.told.notify_one();
            }
        }
    }

    /// Ends all idle ones now, and the others when their request is done.
    pub fn finish(&self) {
        for slot in lock(&self.slots).taken.values() {
            let mut at = slot.at();
            at.last = at.state == ConnectionState::Works || at.unread.is_some();
            slot.told.notify_one();
        }
    }

    /// Waits until all connections are gone.
    pub async fn are_gone(&self) {
        loop {
            let empty = self.empty.notified();
            if lock(&self.slots).taken.is_empty() {
                return;
            }
            empty.await;
        }
    }

    /// Number of open connections.
    pub fn count(&self) -> usize {
        lock(&self.slots).taken.len()
    }

    fn next(&self) -> u64 {
        self.count.fetch_add(1, Ordering::Relaxed)
    }
}

impl ConnectionSlot {
    fn at(&self) -> MutexGuard<'_, SlotState> {
        lock(&self.at)
    }

    fn is_overdue(&self, now: Instant) -> bool {
        let at = self.at();
        let longest = match at.state {
            ConnectionState::Fresh | ConnectionState::Headers => Some(HEADERS),
            ConnectionState::Silent => Some(SILENCE),
            ConnectionState::Works | ConnectionState::Listens => None,
        };
        let over = |since: Instant, longest| now.saturating_duration_since(since) >= longest;
        longest.is_some_and(|longest| over(at.since, longest))
            || at.unread.is_some_and(|since| over(since, UNREAD))
    }

    /// Waits for a notice to the connection.
    pub async fn notice(&self) -> ShutdownNotice {
        self.told.notified().await;
        if self.at().last && !self.is_overdue(Instant::now()) {
            return ShutdownNotice::Finish;
        }
        ShutdownNotice::End
    }

    /// Records that bytes were read.
    pub(super) fn record_received(&self) {
        let mut at = self.at();
        if at.state == ConnectionState::Silent {
            at.state = ConnectionState::Headers;
            at.since = Instant::now();
        }
    }

    /// Records that bytes were to be written, and if they were.
    pub(super) fn record_sent(&self, done: bool) {
        let mut at = self.at();
        if done {
            at.unread = None;
        } else if at.unread.is_none() {
            at.unread = Some(Instant::now());
        }
    }
}

impl SlotGuard {
    /// The slot.
    pub fn slot(&self) -> &Arc<ConnectionSlot> {
        &self.slot
    }

    /// Starts the time for the headers of a request.
    pub fn begin_request(&self) {
        self.slot.at().since = Instant::now();
    }

    /// Starts a request; one that `listens` is not waited for at the server's end.
    pub fn work(&self, listens: bool) -> RequestGuard {
        let mut slots = lock(&self.connections.slots);
        let mut at = self.slot.at();
        if at.turn.known {
            slots.idle.remove(&at.turn);
        }
        at.state = if listens {
            ConnectionState::Listens
        } else {
            ConnectionState::Works
        };
        RequestGuard {
            slot: Arc::clone(&self.slot),
            connections: Arc::clone(&self.connections),
        }
    }
}

impl Drop for SlotGuard {
    fn drop(&mut self) {
        let mut slots = lock(&self.connections.slots);
        let turn = self.slot.at().turn;
        slots.idle.remove(&turn);
        slots.taken.remove(&turn.number);
        if slots.taken.is_empty() {
            self.connections.empty.notify_waiters();
        }
    }
}

impl RequestGuard {
    /// Number of connections beside its own, and with it.
    pub fn connections(&self) -> usize {
        self.connections.count()
    }

    /// Marks the request as let in.
    pub fn mark_admitted(&self) {
        let mut slots = lock(&self.connections.slots);
        let mut at = self.slot.at();
        slots.idle.remove(&at.turn);
        at.turn.known = true;
    }

    /// Marks its body as being read, which may take its time only while there is room.
    pub fn reading(&self) -> BodyReading<'_> {
        self.waits(true);
        BodyReading(self)
    }

    /// Waits for the client to send more.
    fn waits(&self, reads: bool) {
        let mut slots = lock(&self.connections.slots);
        let mut at = self.slot.at();
        slots.idle.remove(&at.turn);
        at.turn.reads = reads;
        at.turn.time = self.connections.next();
        if reads && slots.taken.contains_key(&at.turn.number) {
            slots.idle.insert(at.turn);
        }
    }
}

impl Drop for BodyReading<'_> {
    fn drop(&mut self) {
        self.0.waits(false);
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        let mut slots = lock(&self.connections.slots);
        let mut at = self.slot.at();
        slots.idle.remove(&at.turn);
        at.state = ConnectionState::Silent;
        at.since = Instant::now();
        at.turn.time = self.connections.next();
        if slots.taken.contains_key(&at.turn.number) {
            slots.idle.insert(at.turn);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::Context;

    use super::*;

    /// True if the connection there was told to end.
    fn was_told(slot: &ConnectionSlot) -> bool {
        let mut told = std::pin::pin!(slot.told.notified());
        let waker = std::task::Waker::noop();
        told.as_mut()
            .poll(&mut Context::from_waker(waker))
            .is_ready()
    }

    fn told(taken: &[SlotGuard]) -> Vec<usize> {
        (0..taken.len())
            .filter(|at| was_told(taken[*at].slot()))
            .collect()
    }

    fn let_in(taken: &SlotGuard) -> RequestGuard {
        let work = taken.work(false);
        work.mark_admitted();
        work
    }

    #[test]
    fn where_all_seats_are_taken_the_one_that_was_silent_for_longest_goes() {
        let connections = Arc::new(ConnectionTable::new(MOST));
        let mut taken: Vec<SlotGuard> = (0..MOST)
            .map(|_| connections.claim_slot().unwrap())
            .collect();
        // The first one speaks, the second was let in once, the third works, and the fourth is
        // answered without having been let in.
        drop(taken[0].work(false));
        let known = let_in(&taken[1]);
        drop(known);
        let work = let_in(&taken[2]);
        let stranger = taken[3].work(false);
        taken[3].slot().record_sent(false);
        taken.push(connections.claim_slot().unwrap());
        taken.push(connections.claim_slot().unwrap());
        assert_eq!(told(&taken), [3, 4]);
        assert_eq!(connections.count(), MOST);
        drop((work, stranger));
        assert_eq!(connections.count(), MOST);
    }

    #[test]
    fn whoever_has_not_sent_a_whole_request_makes_room_for_a_newcomer() {
        let connections = Arc::new(ConnectionTable::new(3));
        let mut taken: Vec<SlotGuard> = (0..3).map(|_| connections.claim_slot().unwrap()).collect();
        let works: Vec<RequestGuard> = taken.iter().map(let_in).collect();
        let first = works[0].reading();
        let second = works[1].reading();
        // A connection whose body has come is not cut off any more.
        drop(first);
        taken.push(connections.claim_slot().unwrap());
        assert_eq!(told(&taken), [1]);
        drop(second);
        taken.push(connections.claim_slot().unwrap());
        assert_eq!(told(&taken), [3]);
        drop(let_in(&taken[4]));
        let last = let_in(&taken[4]);
        assert!(connections.claim_slot().is_none());
        drop(last);
    }

    #[test]
    fn where_each_has_a_request_under_way_nobody_is_let_in() {
        let connections = Arc::new(ConnectionTable::new(MOST));
        let taken: Vec<SlotGuard> = (0..MOST)
            .map(|_| connections.claim_slot().unwrap())
            .collect();
        let mut works: Vec<RequestGuard> = taken.iter().map(let_in).collect();
        assert!(connections.claim_slot().is_none());
        works.pop();
        assert!(connections.claim_slot().is_some());
        assert!(was_told(taken[MOST - 1].slot()));
    }
}
