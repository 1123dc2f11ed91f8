//! The messages that were sent on the streams of sessions, kept for a while, so that a client whose
//! connection broke goes on where it was ("Resumability and Redelivery" under "Transports" in the
//! protocol's specification).
//!
//! Each stream is one call's: its messages are numbered, and its follower is sent them as they
//! come. One client at a time follows a stream; one that resumes it takes it over. A message that
//! was kept is sent again to a client that resumes, also after the call has ended. The memory for
//! this is bounded: messages that have reached their client's connection go first, then the oldest.
//! A message that is too large to be kept is replaced by an error that says so.

use std::collections::{HashMap, VecDeque};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use rmcp::ErrorData;
use rmcp::model::ServerJsonRpcMessage;
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use iki_base::mutex::lock;

/// Limits of the messages that are kept.
#[derive(Clone, Copy, Debug)]
pub struct EventLimits {
    /// Time that a message is kept.
    pub lifetime: Duration,
    /// Maximum length of all messages together, in bytes.
    pub bytes: usize,
    /// Maximum number of messages.
    pub messages: usize,
    /// Maximum length of a message that is kept, in bytes.
    pub largest: usize,
}

/// The limits of a server.
pub const KEPT: EventLimits = EventLimits {
    lifetime: Duration::from_secs(60),
    bytes: 8 * 1024 * 1024,
    messages: 4096,
    largest: 1024 * 1024,
};

/// Time that a call goes on after its client has gone, because the client could come back and
/// resume.
pub const RESUME_GRACE: Duration = Duration::from_secs(5);

/// Number of messages that wait for a client that does not read. A client that lets more come has
/// to resume.
const MAX_UNREAD_MESSAGES: usize = 64;

/// Time after which a client whose connection broke should come back.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// The streams of all sessions.
#[derive(Debug)]
pub struct EventStreams {
    bounds: EventLimits,
    store: Mutex<EventStore>,
}

#[derive(Debug, Default)]
struct EventStore {
    streams: HashMap<u64, EventStream>,
    /// The number of the next stream.
    next: u64,
    /// Counts stored messages, and streams that were taken, in the order of their times.
    clock: u64,
}

/// A stream.
#[derive(Debug)]
struct EventStream {
    session: SessionId,
    messages: VecDeque<StoredMessage>,
    /// The number of the next message.
    next: u64,
    /// The client that follows it.
    follower: Option<mpsc::Sender<ServerSseMessage>>,
    /// Number of clients that have followed it.
    followers: u64,
    /// Tells the call when its client leaves.
    attended: watch::Sender<FollowerPresence>,
    has_ended: bool,
    /// Set if it has ended and a connection has taken everything of it: the order of that event.
    taken: Option<u64>,
}

#[derive(Debug)]
struct StoredMessage {
    number: u64,
    came: Instant,
    order: u64,
    content: Arc<ServerJsonRpcMessage>,
    bytes: usize,
}

/// The presence of a client that follows a stream.
#[derive(Clone, Copy, Debug)]
enum FollowerPresence {
    Yes,
    /// The client left; a call that has no client by then is ended.
    UntilThen(Instant),
}

impl EventStreams {
    /// An empty store.
    #[must_use]
    pub fn new(bounds: EventLimits) -> Arc<Self> {
        Arc::new(Self {
            bounds,
            store: Mutex::default(),
        })
    }

    /// A new stream of `session`, and its first follower. A follower that is `primed` is told at
    /// once how to resume, by an event without content.
    pub fn open(self: &Arc<Self>, session: &SessionId, primed: bool) -> (EventWriter, EventFeed) {
        let (sender, receiver) = mpsc::channel(MAX_UNREAD_MESSAGES);
        let (attended, watched) = watch::channel(FollowerPresence::Yes);
        let mut store = lock(&self.store);
        let stream = store.next;
        store.next += 1;
        let log = EventStream {
            session: Arc::clone(session),
            messages: VecDeque::new(),
            next: u64::from(primed),
            follower: Some(sender),
            followers: 1,
            attended,
            has_ended: false,
            taken: None,
        };
        store.streams.insert(stream, log);
        drop(store);
        let priming =
            primed.then(|| ServerSseMessage::priming(event_id(stream, 0), RETRY_INTERVAL));
        let feed = EventFeed {
            again: priming.into_iter().collect(),
            new: receiver,
            events: Arc::clone(self),
            stream,
            follower: 1,
        };
        let writer = EventWriter {
            events: Arc::clone(self),
            stream,
            watched,
        };
        (writer, feed)
    }

    /// The messages of a stream of `session` after the event called `last`, and those to come;
    /// `None` if there is no such event, or it is another session's.
    pub fn resume(self: &Arc<Self>, session: &SessionId, last: &str) -> Option<EventFeed> {
        let (stream, last) = parse_event_id(last)?;
        let (sender, new) = mpsc::channel(MAX_UNREAD_MESSAGES);
        let mut store = lock(&self.store);
        store.forget_old(&self.bounds);
        let log = store.streams.get_mut(&stream)?;
        if log.session != *session || last >= log.next {
            return None;
        }
        let missed = log.messages.iter().filter(|one| one.number > last);
        let again = missed.map(|one| event(stream, one.number, &one.content));
        let again = again.collect();
        log.followers += 1;
        if !log.has_ended {
            log.follower = Some(sender);
            log.attended.send_replace(FollowerPresence::Yes);
        }
        Some(EventFeed {
            again,
            new,
            events: Arc::clone(self),
            stream,
            follower: log.followers,
        })
    }

    /// Removes everything of a session.
    pub fn forget(&self, session: &SessionId) {
        let mut store = lock(&self.store);
        store.streams.retain(|_, log| log.session != *session);
    }
}

impl EventStore {
    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    /// Removes messages that are too old or exceed the limits.
    fn forget_old(&mut self, bounds: &EventLimits) {
        let now = Instant::now();
        let (mut messages, mut bytes) = (0, 0);
        for log in self.streams.values_mut() {
            let is_old = |one: &StoredMessage| now.duration_since(one.came) >= bounds.lifetime;
            while log.messages.front().is_some_and(is_old) {
                log.messages.pop_front();
            }
            messages += log.messages.len();
            bytes += log.bytes();
        }
        while messages > bounds.messages || bytes > bounds.bytes {
            let logs = self.streams.values_mut();
            let Some((_, log)) = logs
                .filter_map(|log| Some((log.rank()?, log)))
                .min_by_key(|one| one.0)
            else {
                break;
            };
            // A stream that was taken goes as a whole.
            let count = log.taken.map_or(1, |_| log.messages.len());
            for gone in log.messages.drain(..count) {
                messages -= 1;
                bytes -= gone.bytes;
            }
        }
        self.streams
            .retain(|_, log| !log.has_ended || !log.messages.is_empty());
    }
}

impl EventStream {
    /// The order in which its messages are removed if there are too many: the least first. `None`
    /// if it has none.
    fn rank(&self) -> Option<(bool, u64)> {
        let oldest = self.messages.front()?.order;
        Some((self.taken.is_none(), self.taken.unwrap_or(oldest)))
    }

    /// Length of its messages, in bytes.
    fn bytes(&self) -> usize {
        self.messages.iter().map(|one| one.bytes).sum()
    }
}

/// The writer of a stream. When it is dropped, the stream has ended.
#[derive(Debug)]
pub struct EventWriter {
    events: Arc<EventStreams>,
    stream: u64,
    watched: watch::Receiver<FollowerPresence>,
}

impl EventWriter {
    /// Sends a message to the follower, and keeps it.
    pub fn write(&self, message: &Arc<ServerJsonRpcMessage>) {
        let bounds = &self.events.bounds;
        let size = encoded_length(message);
        let (content, bytes) = if size <= bounds.largest {
            (Arc::clone(message), size)
        } else {
            let instead = Arc::new(instead_of(message));
            let size = encoded_length(&instead);
            (instead, size)
        };
        let mut store = lock(&self.events.store);
        let order = store.tick();
        let Some(log) = store.streams.get_mut(&self.stream) else {
            return;
        };
        let number = log.next;
        log.next += 1;
        let sent = log.follower.as_ref().map(|follower| {
            let event = event(self.stream, number, message);
            follower.try_send(event).is_ok()
        });
        if sent == Some(false) {
            // It has to resume.
            log.follower = None;
        }
        log.messages.push_back(StoredMessage {
            number,
            came: Instant::now(),
            order,
            content,
            bytes,
        });
        store.forget_old(bounds);
    }

    /// Waits until the stream has no follower, and none can be expected to come back.
    pub async fn wait_until_abandoned(&mut self) {
        loop {
            let attended = *self.watched.borrow_and_update();
            let changed = self.watched.changed();
            match attended {
                FollowerPresence::Yes => {
                    if changed.await.is_err() {
                        return;
                    }
                }
                FollowerPresence::UntilThen(then) => {
                    tokio::select! {
                        () = tokio::time::sleep_until(then) => return,
                        changed = changed => {
                            if changed.is_err() {
                                return;
                            }
                        }
                    }
                }
            }
        }
    }
}

impl Drop for EventWriter {
    fn drop(&mut self) {
        let mut store = lock(&self.events.store);
        if let Some(log) = store.streams.get_mut(&self.stream) {
            log.has_ended = true;
            log.follower = None;
            if log.messages.is_empty() {
                store.streams.remove(&self.stream);
            }
        }
    }
}

/// A stream as its follower reads it.
#[derive(Debug)]
pub struct EventFeed {
    /// Messages that are sent before new ones.
    again: VecDeque<ServerSseMessage>,
    new: mpsc::Receiver<ServerSseMessage>,
    events: Arc<EventStreams>,
    stream: u64,
    follower: u64,
}

impl Stream for EventFeed {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(event) = self.again.pop_front() {
            return Poll::Ready(Some(event));
        }
        let next = self.new.poll_recv(context);
        if matches!(next, Poll::Ready(None)) {
            let mut store = lock(&self.events.store);
            let order = store.tick();
            if let Some(log) = store.streams.get_mut(&self.stream)
                && log.has_ended
                && log.followers == self.follower
            {
                log.taken.get_or_insert(order);
            }
        }
        next
    }
}

impl Drop for EventFeed {
    fn drop(&mut self) {
        let mut store = lock(&self.events.store);
        let Some(log) = store.streams.get_mut(&self.stream) else {
            return;
        };
        if log.has_ended || log.followers != self.follower {
            return;
        }
        log.follower = None;
        let now = Instant::now();
        // A client that was given no event id cannot resume.
        let then = if log.next > 0 {
            now + RESUME_GRACE
        } else {
            now
        };
        log.attended.send_replace(FollowerPresence::UntilThen(then));
    }
}

/// The id of an event, after which a client resumes.
fn event_id(stream: u64, number: u64) -> String {
    format!("{stream:x}-{number:x}")
}

/// Parses such an id.
fn parse_event_id(name: &str) -> Option<(u64, u64)> {
    let (stream, number) = name.split_once('-')?;
    let read = |text| u64::from_str_radix(text, 16).ok();
    Some((read(stream)?, read(number)?))
}

fn event(stream: u64, number: u64, message: &Arc<ServerJsonRpcMessage>) -> ServerSseMessage {
    let mut event = ServerSseMessage::default();
    event.event_id = Some(event_id(stream, number));
    event.message = Some(Arc::clone(message));
    event
}

/// The error that replaces a message that is too large.
fn instead_of(message: &ServerJsonRpcMessage) -> ServerJsonRpcMessage {
    let id = match message {
        ServerJsonRpcMessage::Response(response) => Some(response.id.clone()),
        ServerJsonRpcMessage::Error(error) => error.id.clone(),
        _ => None,
    };
    let text = "The answer was too large to be kept for a connection that broke. Make the call \
                again, and ask for less at a time.";
    ServerJsonRpcMessage::error(ErrorData::internal_error(text, None), id)
}

/// Length of a message as it is sent, in bytes.
fn encoded_length(message: &ServerJsonRpcMessage) -> usize {
    // A message that cannot be written cannot be sent either.
    serde_json::to_vec(message).map_or(0, |bytes| bytes.len())
}

#[cfg(test)]
mod tests;
