//! The connections that are open: how many there may be, how long each may be silent, and who goes
//! when there is no room.
//!
//! Each has a seat. What it costs while it is silent is its seat, one buffer and its task; one
//! timer looks after all.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;

/// The most connections at a time, wherever so many files may be open.
pub const MOST: usize = 1000;

/// How long the headers of a request may take, from the first byte; also how long a new connection
/// may say nothing, and how long the handshake of TLS may take.
const HEADERS: Duration = Duration::from_secs(10);

/// How long a connection may be silent after an answer.
const SILENCE: Duration = Duration::from_secs(60);

/// How long an answer may not be read.
const UNREAD: Duration = Duration::from_secs(30);

/// How often the connections are looked after.
pub const ROUND: Duration = Duration::from_secs(1);

/// The seats of the connections that are open.
#[derive(Debug)]
pub struct Connections {
    most: usize,
    seats: Mutex<Seats>,
    /// Counts connections, and the times at which they fell silent.
    count: AtomicU64,
    /// The last one has gone.
    empty: Notify,
}

#[derive(Debug, Default)]
struct Seats {
    taken: HashMap<u64, Arc<Seat>>,
    /// Those that may have to make room, in this order: no request of theirs was let in, or it is
    /// their turn to send something.
    idle: BTreeSet<Turn>,
}

/// When a connection goes if there is no room: the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Turn {
    /// A request of it has been let in.
    known: bool,
    /// The body of one is being read.
    reads: bool,
    /// The lower, the longer ago it was active.
    time: u64,
    number: u64,
}

/// A connection, as the others know it.
#[derive(Debug)]
pub struct Seat {
    at: Mutex<At>,
    told: Notify,
}

#[derive(Debug)]
struct At {
    state: State,
    since: Instant,
    turn: Turn,
    /// Nobody has read of the answer since then.
    unread: Option<Instant>,
    /// It has to end when its request is done.
    last: bool,
}

/// What a connection is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It has said nothing yet, or not enough.
    Fresh,
    /// It says nothing after an answer.
    Silent,
    /// The headers of a further request have begun to come.
    Headers,
    /// A request is under way.
    Works,
    /// It listens to what comes, for as long as it likes.
    Listens,
}

/// What a connection is told to do.
#[derive(Debug, PartialEq, Eq)]
pub enum Told {
    /// To end now.
    End,
    /// To end after the request that is under way.
    Finish,
}

/// A seat for as long as its connection is open.
pub struct Taken {
    seat: Arc<Seat>,
    connections: Arc<Connections>,
}

/// A request under way, until this is dropped.
pub struct Work {
    seat: Arc<Seat>,
    connections: Arc<Connections>,
}

/// A request whose body is being read, until this is dropped.
pub struct BodyReading<'a>(&'a Work);

impl Connections {
    /// So many at a time, of which there are none yet.
    pub fn new(most: usize) -> Self {
        Self {
            most,
            seats: Mutex::default(),
            count: AtomicU64::new(0),
            empty: Notify::new(),
        }
    }

    /// A seat for a connection; `None` if there is none: each has a request under way. Where all
    /// are taken the one goes whose connection was silent for longest: first one whose requests
    /// were never let in, whatever it is at, and last one whose request has not come as a whole.
    pub fn take(self: &Arc<Self>) -> Option<Taken> {
        let mut seats = self.lock();
        if seats.taken.len() >= self.most {
            // What is on its way to somebody who reads slowly is not cut off for others.
            let is_read = |turn: &&Turn| {
                let seat = seats.taken.get(&turn.number);
                !turn.known || seat.is_none_or(|seat| seat.at().unread.is_none())
            };
            let turn = seats.idle.iter().find(is_read).copied()?;
            seats.idle.remove(&turn);
            if let Some(seat) = seats.taken.remove(&turn.number) {
                seat.told.notify_one();
            }
        }
        let number = self.next();
        let turn = Turn {
            known: false,
            reads: false,
            time: number,
            number,
        };
        let seat = Arc::new(Seat {
            at: Mutex::new(At {
                state: State::Fresh,
                since: Instant::now(),
                turn,
                unread: None,
                last: false,
            }),
            told: Notify::new(),
        });
        seats.taken.insert(number, Arc::clone(&seat));
        seats.idle.insert(turn);
        Some(Taken {
            seat,
            connections: Arc::clone(self),
        })
    }

    /// Ends those whose time is over.
    pub fn look_after(&self) {
        let now = Instant::now();
        for seat in self.lock().taken.values() {
            if seat.is_overdue(now) {
                seat.told.notify_one();
            }
        }
    }

    /// Ends all that are idle now, and the others when their request is done.
    pub fn finish(&self) {
        for seat in self.lock().taken.values() {
            let mut at = seat.at();
            at.last = at.state == State::Works || at.unread.is_some();
            seat.told.notify_one();
        }
    }

    /// Waits until there is none.
    pub async fn are_gone(&self) {
        loop {
            let empty = self.empty.notified();
            if self.lock().taken.is_empty() {
                return;
            }
            empty.await;
        }
    }

    /// How many there are.
    pub fn number(&self) -> usize {
        self.lock().taken.len()
    }

    fn next(&self) -> u64 {
        self.count.fetch_add(1, Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, Seats> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    fn at(&self) -> MutexGuard<'_, At> {
        self.at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_overdue(&self, now: Instant) -> bool {
        let at = self.at();
        let longest = match at.state {
            State::Fresh | State::Headers => Some(HEADERS),
            State::Silent => Some(SILENCE),
            State::Works | State::Listens => None,
        };
        let over = |since: Instant, longest| now.saturating_duration_since(since) >= longest;
        longest.is_some_and(|longest| over(at.since, longest))
            || at.unread.is_some_and(|since| over(since, UNREAD))
    }

    /// Waits until it is told something.
    pub async fn told(&self) -> Told {
        self.told.notified().await;
        if self.at().last && !self.is_overdue(Instant::now()) {
            return Told::Finish;
        }
        Told::End
    }

    /// Something was read.
    fn heard(&self) {
        let mut at = self.at();
        if at.state == State::Silent {
            at.state = State::Headers;
            at.since = Instant::now();
        }
    }

    /// Something was to be written, and was or not.
    fn written(&self, done: bool) {
        let mut at = self.at();
        if done {
            at.unread = None;
        } else if at.unread.is_none() {
            at.unread = Some(Instant::now());
        }
    }
}

impl Taken {
    /// The seat.
    pub fn seat(&self) -> &Arc<Seat> {
        &self.seat
    }

    /// The time for headers begins now.
    pub fn begin(&self) {
        self.seat.at().since = Instant::now();
    }

    /// A request begins; one that `listens` is not waited for at the server's end.
    pub fn work(&self, listens: bool) -> Work {
        let mut seats = self.connections.lock();
        let mut at = self.seat.at();
        if at.turn.known {
            seats.idle.remove(&at.turn);
        }
        at.state = if listens {
            State::Listens
        } else {
            State::Works
        };
        Work {
            seat: Arc::clone(&self.seat),
            connections: Arc::clone(&self.connections),
        }
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        let mut seats = self.connections.lock();
        let turn = self.seat.at().turn;
        seats.idle.remove(&turn);
        seats.taken.remove(&turn.number);
        if seats.taken.is_empty() {
            self.connections.empty.notify_waiters();
        }
    }
}

impl Work {
    /// How many connections there are beside its own, and with it.
    pub fn connections(&self) -> usize {
        self.connections.number()
    }

    /// The request is let in.
    pub fn is_known(&self) {
        let mut seats = self.connections.lock();
        let mut at = self.seat.at();
        seats.idle.remove(&at.turn);
        at.turn.known = true;
    }

    /// Its body is being read, which may take its time only where there is room.
    pub fn reading(&self) -> BodyReading<'_> {
        self.waits(true);
        BodyReading(self)
    }

    /// Whoever sent it has to send more.
    fn waits(&self, reads: bool) {
        let mut seats = self.connections.lock();
        let mut at = self.seat.at();
        seats.idle.remove(&at.turn);
        at.turn.reads = reads;
        at.turn.time = self.connections.next();
        if reads && seats.taken.contains_key(&at.turn.number) {
            seats.idle.insert(at.turn);
        }
    }
}

impl Drop for BodyReading<'_> {
    fn drop(&mut self) {
        self.0.waits(false);
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let mut seats = self.connections.lock();
        let mut at = self.seat.at();
        seats.idle.remove(&at.turn);
        at.state = State::Silent;
        at.since = Instant::now();
        at.turn.time = self.connections.next();
        if seats.taken.contains_key(&at.turn.number) {
            seats.idle.insert(at.turn);
        }
    }
}

/// A stream whose seat knows when something comes, and when nothing more can be sent.
pub struct Line<S> {
    stream: S,
    seat: Arc<Seat>,
}

impl<S> Line<S> {
    /// The `stream` of the connection that has this seat.
    pub fn new(stream: S, seat: &Arc<Seat>) -> Self {
        let seat = Arc::clone(seat);
        Self { stream, seat }
    }

    fn note<T>(&self, done: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        self.seat.written(done.is_ready());
        done
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Line<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.seat.heard();
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Line<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.note(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.note(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether whoever sits there was told something.
    fn was_told(seat: &Seat) -> bool {
        let mut told = std::pin::pin!(seat.told.notified());
        let waker = std::task::Waker::noop();
        told.as_mut()
            .poll(&mut Context::from_waker(waker))
            .is_ready()
    }

    fn told(taken: &[Taken]) -> Vec<usize> {
        (0..taken.len())
            .filter(|at| was_told(taken[*at].seat()))
            .collect()
    }

    fn let_in(taken: &Taken) -> Work {
        let work = taken.work(false);
        work.is_known();
        work
    }

    #[test]
    fn where_all_seats_are_taken_the_one_that_was_silent_for_longest_goes() {
        let connections = Arc::new(Connections::new(MOST));
        let mut taken: Vec<Taken> = (0..MOST).map(|_| connections.take().unwrap()).collect();
        // The first one speaks, the second was let in once, the third works, and the fourth is
        // answered without having been let in.
        drop(taken[0].work(false));
        let known = let_in(&taken[1]);
        drop(known);
        let work = let_in(&taken[2]);
        let stranger = taken[3].work(false);
        taken[3].seat().written(false);
        taken.push(connections.take().unwrap());
        taken.push(connections.take().unwrap());
        assert_eq!(told(&taken), [3, 4]);
        assert_eq!(connections.number(), MOST);
        drop((work, stranger));
        assert_eq!(connections.number(), MOST);
    }

    #[test]
    fn whoever_has_not_sent_a_whole_request_makes_room_for_a_newcomer() {
        let connections = Arc::new(Connections::new(3));
        let mut taken: Vec<Taken> = (0..3).map(|_| connections.take().unwrap()).collect();
        let works: Vec<Work> = taken.iter().map(let_in).collect();
        let first = works[0].reading();
        let second = works[1].reading();
        // One whose body has come is not cut off any more.
        drop(first);
        taken.push(connections.take().unwrap());
        assert_eq!(told(&taken), [1]);
        drop(second);
        taken.push(connections.take().unwrap());
        assert_eq!(told(&taken), [3]);
        drop(let_in(&taken[4]));
        let last = let_in(&taken[4]);
        assert!(connections.take().is_none());
        drop(last);
    }

    #[test]
    fn where_each_has_a_request_under_way_nobody_is_let_in() {
        let connections = Arc::new(Connections::new(MOST));
        let taken: Vec<Taken> = (0..MOST).map(|_| connections.take().unwrap()).collect();
        let mut works: Vec<Work> = taken.iter().map(let_in).collect();
        assert!(connections.take().is_none());
        works.pop();
        assert!(connections.take().is_some());
        assert!(was_told(taken[MOST - 1].seat()));
    }
}
