//! The open connections: how many there may be, how long each may be silent, and which one is
//! closed when there is no room.
//!
//! Each connection has a slot. An idle one costs its slot, a buffer and a task; one timer closes
//! overdue ones.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use iki_base::mutex::lock;

/// Maximum number of open connections, if as many files may be open.
pub const MAX_CONNECTIONS: usize = 1000;

/// Maximum time for the headers of a request, from the first byte; also for the silence of a new
/// connection, and for the handshake of TLS.
const HEADERS_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum silence of a connection after an answer.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// Maximum time for which a client may leave an answer unread.
const UNREAD_TIMEOUT: Duration = Duration::from_secs(30);

/// Interval at which overdue connections are looked for.
pub const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The slots of the open connections.
#[derive(Debug)]
pub struct ConnectionTable {
    max_connections: usize,
    slots: Mutex<HashMap<u64, Arc<ConnectionSlot>>>,
    /// Numbers connections and their last activities.
    count: AtomicU64,
    /// Told when the last connection is gone.
    empty: Notify,
}

/// A connection in the table.
#[derive(Debug)]
pub struct ConnectionSlot {
    state: Mutex<SlotState>,
    told: Notify,
}

#[derive(Debug)]
struct SlotState {
    state: ConnectionState,
    since: Instant,
    /// True if the connection may have to make room: none of its requests was let in, or its client
    /// has to send something.
    may_be_closed: bool,
    /// Order in which such connections are closed.
    rank: EvictionRank,
    /// Time since which the client has read nothing of the answer.
    unread: Option<Instant>,
    /// True if it has to end when its request is done.
    ends_after_request: bool,
}

/// The order in which connections are closed when there is no room: the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct EvictionRank {
    /// True if one of its requests has been let in.
    has_admitted: bool,
    /// True if the body of one is being read.
    is_reading_body: bool,
    /// Order of the last activity: lower is longer ago.
    active: u64,
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
    number: u64,
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
    /// An empty table with room for so many.
    pub fn new(max_connections: usize) -> Self {
        Self {
            max_connections,
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
        if slots.len() >= self.max_connections {
            let ranks = slots.iter();
            let ranks = ranks.filter_map(|(number, slot)| Some((slot.eviction_rank()?, *number)));
            let (_, number) = ranks.min()?;
            if let Some(slot) = slots.remove(&number) {
                slot.told.notify_one();
            }
        }
        let number = self.next();
        let slot = Arc::new(ConnectionSlot {
            state: Mutex::new(SlotState {
                state: ConnectionState::Fresh,
                since: Instant::now(),
                may_be_closed: true,
                rank: EvictionRank {
                    has_admitted: false,
                    is_reading_body: false,
                    active: number,
                },
                unread: None,
                ends_after_request: false,
            }),
            told: Notify::new(),
        });
        slots.insert(number, Arc::clone(&slot));
        Some(SlotGuard {
            number,
            slot,
            connections: Arc::clone(self),
        })
    }

    /// Ends the connections whose time is over.
    pub fn close_overdue(&self) {
        let now = Instant::now();
        for slot in lock(&self.slots).values() {
            if slot.is_overdue(now) {
                slot.told.notify_one();
            }
        }
    }

    /// Ends all idle connections now, and the others when their request is done.
    pub fn finish(&self) {
        for slot in lock(&self.slots).values() {
            let mut state = slot.lock_state();
            state.ends_after_request =
                state.state == ConnectionState::Works || state.unread.is_some();
            slot.told.notify_one();
        }
    }

    /// Waits until all connections are closed.
    pub async fn wait_until_closed(&self) {
        loop {
            let empty = self.empty.notified();
            if lock(&self.slots).is_empty() {
                return;
            }
            empty.await;
        }
    }

    /// Number of open connections.
    pub fn count(&self) -> usize {
        lock(&self.slots).len()
    }

    fn next(&self) -> u64 {
        self.count.fetch_add(1, Ordering::Relaxed)
    }
}

impl ConnectionSlot {
    fn lock_state(&self) -> MutexGuard<'_, SlotState> {
        lock(&self.state)
    }

    /// The rank of a connection that may be closed to make room.
    fn eviction_rank(&self) -> Option<EvictionRank> {
        let state = self.lock_state();
        // An answer on its way to a client that reads slowly is not cut off for others.
        let is_read = !state.rank.has_admitted || state.unread.is_none();
        (state.may_be_closed && is_read).then_some(state.rank)
    }

    fn is_overdue(&self, now: Instant) -> bool {
        let state = self.lock_state();
        let longest = match state.state {
            ConnectionState::Fresh | ConnectionState::Headers => Some(HEADERS_TIMEOUT),
            ConnectionState::Silent => Some(IDLE_TIMEOUT),
            ConnectionState::Works | ConnectionState::Listens => None,
        };
        let over = |since: Instant, longest| now.saturating_duration_since(since) >= longest;
        longest.is_some_and(|longest| over(state.since, longest))
            || state
                .unread
                .is_some_and(|since| over(since, UNREAD_TIMEOUT))
    }

    /// Waits for a notice to the connection.
    pub async fn notice(&self) -> ShutdownNotice {
        self.told.notified().await;
        if self.lock_state().ends_after_request && !self.is_overdue(Instant::now()) {
            return ShutdownNotice::Finish;
        }
        ShutdownNotice::End
    }

    /// Records that bytes were read.
    pub(super) fn record_received(&self) {
        let mut state = self.lock_state();
        if state.state == ConnectionState::Silent {
            state.state = ConnectionState::Headers;
            state.since = Instant::now();
        }
    }

    /// Records that bytes were to be written, and if they were.
    pub(super) fn record_sent(&self, done: bool) {
        let mut state = self.lock_state();
        if done {
            state.unread = None;
        } else if state.unread.is_none() {
            state.unread = Some(Instant::now());
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
        self.slot.lock_state().since = Instant::now();
    }

    /// Starts a request; one that `listens` is not waited for at the server's end.
    pub fn work(&self, listens: bool) -> RequestGuard {
        let mut state = self.slot.lock_state();
        state.may_be_closed &= !state.rank.has_admitted;
        state.state = if listens {
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
        slots.remove(&self.number);
        if slots.is_empty() {
            self.connections.empty.notify_waiters();
        }
    }
}

impl RequestGuard {
    /// Number of open connections, its own included.
    pub fn connections(&self) -> usize {
        self.connections.count()
    }

    /// Marks the request as let in.
    pub fn mark_admitted(&self) {
        let mut state = self.slot.lock_state();
        state.may_be_closed = false;
        state.rank.has_admitted = true;
    }

    /// Marks its body as being read, which may take its time only while there is room.
    pub fn reading(&self) -> BodyReading<'_> {
        self.set_reading(true);
        BodyReading(self)
    }

    fn set_reading(&self, reads: bool) {
        let mut state = self.slot.lock_state();
        state.may_be_closed = reads;
        state.rank.is_reading_body = reads;
        state.rank.active = self.connections.next();
    }
}

impl Drop for BodyReading<'_> {
    fn drop(&mut self) {
        self.0.set_reading(false);
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        let mut state = self.slot.lock_state();
        state.may_be_closed = true;
        state.state = ConnectionState::Silent;
        state.since = Instant::now();
        state.rank.active = self.connections.next();
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
            .filter(|index| was_told(taken[*index].slot()))
            .collect()
    }

    fn let_in(taken: &SlotGuard) -> RequestGuard {
        let work = taken.work(false);
        work.mark_admitted();
        work
    }

    #[test]
    fn a_connection_is_silent_for_ten_seconds_at_first_and_for_sixty_after_an_answer() {
        let connections = Arc::new(ConnectionTable::new(1));
        let taken = connections.claim_slot().unwrap();
        let lasts = |seconds: u64| {
            let overdue = |seconds| {
                let now = Instant::now() + Duration::from_secs(seconds);
                taken.slot().is_overdue(now)
            };
            !overdue(seconds - 1) && overdue(seconds + 1)
        };
        assert!(lasts(10));
        let work = let_in(&taken);
        assert!(
            !taken
                .slot()
                .is_overdue(Instant::now() + Duration::from_secs(3600))
        );
        taken.slot().record_sent(false);
        assert!(lasts(30));
        taken.slot().record_sent(true);
        drop(work);
        assert!(lasts(60));
        taken.slot().record_received();
        assert!(lasts(10));
    }

    #[test]
    fn where_all_seats_are_taken_the_one_that_was_silent_for_longest_goes() {
        let connections = Arc::new(ConnectionTable::new(MAX_CONNECTIONS));
        let mut taken: Vec<SlotGuard> = (0..MAX_CONNECTIONS)
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
        assert_eq!(connections.count(), MAX_CONNECTIONS);
        drop((work, stranger));
        assert_eq!(connections.count(), MAX_CONNECTIONS);
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
        let connections = Arc::new(ConnectionTable::new(MAX_CONNECTIONS));
        let taken: Vec<SlotGuard> = (0..MAX_CONNECTIONS)
            .map(|_| connections.claim_slot().unwrap())
            .collect();
        let mut works: Vec<RequestGuard> = taken.iter().map(let_in).collect();
        assert!(connections.claim_slot().is_none());
        works.pop();
        assert!(connections.claim_slot().is_some());
        assert!(was_told(taken[MAX_CONNECTIONS - 1].slot()));
    }
}
