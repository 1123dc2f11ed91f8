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

use crate::basics::mutex::lock;

/// Limits of the messages that are kept.
#[derive(Clone, Copy, Debug)]
pub struct EventLimits {
    /// Time that a message is kept.
    pub lifetime: Duration,
    /// The most that all messages have together, in bytes.
    pub bytes: usize,
    /// The most messages.
    pub messages: usize,
    /// The largest message that is kept, in bytes.
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

/// Messages that wait for a client that does not read. A client that lets more come has to resume.
const UNREAD: usize = 64;

/// Time after which a client whose connection broke should come back.
const RETRY: Duration = Duration::from_secs(1);

/// The streams of all sessions.
#[derive(Debug)]
pub struct EventStreams {
    bounds: EventLimits,
    kept: Mutex<EventStore>,
}

#[derive(Debug, Default)]
struct EventStore {
    streams: HashMap<u64, EventStream>,
    /// The messages that are kept, the oldest first: their times and their streams. Some of the
    /// streams may have gone.
    order: VecDeque<(Instant, u64)>,
    /// The streams that have ended, and of which a connection has taken everything.
    taken: VecDeque<u64>,
    /// Number of messages kept.
    messages: usize,
    bytes: usize,
    /// The number of the next stream.
    next: u64,
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
    ended: bool,
    /// True if it is among those of which everything was taken.
    taken: bool,
}

#[derive(Debug)]
struct StoredMessage {
    number: u64,
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
            kept: Mutex::default(),
        })
    }

    /// A new stream of `session`, and its first follower. A follower that is `primed` is told at
    /// once how to resume, by an event without content.
    pub fn open(self: &Arc<Self>, session: &SessionId, primed: bool) -> (EventWriter, EventFeed) {
        let (sender, receiver) = mpsc::channel(UNREAD);
        let (attended, watched) = watch::channel(FollowerPresence::Yes);
        let mut kept = lock(&self.kept);
        let stream = kept.next;
        kept.next += 1;
        let log = EventStream {
            session: Arc::clone(session),
            messages: VecDeque::new(),
            next: u64::from(primed),
            follower: Some(sender),
            followers: 1,
            attended,
            ended: false,
            taken: false,
        };
        kept.streams.insert(stream, log);
        drop(kept);
        let priming = primed.then(|| ServerSseMessage::priming(event_id(stream, 0), RETRY));
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
        let (sender, new) = mpsc::channel(UNREAD);
        let mut kept = lock(&self.kept);
        kept.forget_old(&self.bounds);
        let log = kept.streams.get_mut(&stream)?;
        if log.session != *session || last >= log.next {
            return None;
        }
        let missed = log.messages.iter().filter(|one| one.number > last);
        let again = missed.map(|one| event(stream, one.number, &one.content));
        let again = again.collect();
        log.followers += 1;
        if !log.ended {
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
        let mut kept = lock(&self.kept);
        let kept = &mut *kept;
        kept.streams.retain(|_, log| log.session != *session);
        let logs = kept.streams.values();
        let messages = logs.flat_map(|log| &log.messages);
        (kept.messages, kept.bytes) =
            messages.fold((0, 0), |(count, bytes), one| (count + 1, bytes + one.bytes));
        kept.forget_names();
    }
}

impl EventStore {
    /// Removes messages that are too old or exceed the limits.
    fn forget_old(&mut self, bounds: &EventLimits) {
        while self.messages > bounds.messages || self.bytes > bounds.bytes {
            let Some(stream) = self.taken.pop_front() else {
                break;
            };
            self.forget(stream);
        }
        let now = Instant::now();
        while let Some((came, stream)) = self.order.front() {
            let fits = self.messages <= bounds.messages && self.bytes <= bounds.bytes;
            if fits && now.duration_since(*came) < bounds.lifetime {
                break;
            }
            let stream = *stream;
            self.order.pop_front();
            let Some(log) = self.streams.get_mut(&stream) else {
                continue;
            };
            if let Some(gone) = log.messages.pop_front() {
                self.messages -= 1;
                self.bytes -= gone.bytes;
            }
            if log.ended && log.messages.is_empty() {
                self.streams.remove(&stream);
            }
        }
        if self.order.len() + self.taken.len() > 4 * (bounds.messages + self.messages) {
            self.forget_names();
        }
    }

    fn forget(&mut self, stream: u64) {
        if let Some(log) = self.streams.remove(&stream) {
            self.messages -= log.messages.len();
            self.bytes -= log.messages.iter().map(|one| one.bytes).sum::<usize>();
        }
    }

    /// Removes the numbers of streams that are gone.
    fn forget_names(&mut self) {
        let streams = &self.streams;
        self.order
            .retain(|(_, stream)| streams.contains_key(stream));
        self.taken.retain(|stream| streams.contains_key(stream));
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
        let mut kept = lock(&self.events.kept);
        let now = Instant::now();
        let Some(log) = kept.streams.get_mut(&self.stream) else {
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
            content,
            bytes,
        });
        kept.order.push_back((now, self.stream));
        kept.messages += 1;
        kept.bytes += bytes;
        kept.forget_old(bounds);
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
        let mut kept = lock(&self.events.kept);
        if let Some(log) = kept.streams.get_mut(&self.stream) {
            log.ended = true;
            log.follower = None;
            if log.messages.is_empty() {
                kept.streams.remove(&self.stream);
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
            let mut kept = lock(&self.events.kept);
            if let Some(log) = kept.streams.get_mut(&self.stream)
                && log.ended
                && log.followers == self.follower
                && !log.taken
            {
                log.taken = true;
                kept.taken.push_back(self.stream);
            }
        }
        next
    }
}

impl Drop for EventFeed {
    fn drop(&mut self) {
        let mut kept = lock(&self.events.kept);
        let Some(log) = kept.streams.get_mut(&self.stream) else {
            return;
        };
        if log.ended || log.followers != self.follower {
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

/// The id of an event, behind which a client resumes.
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
    let text = "The answer was too large to be kept for a connection that broke. Make the call again, and \
                ask for less at a time.";
    ServerJsonRpcMessage::error(ErrorData::internal_error(text, None), id)
}

/// Length of a message as it is sent, in bytes.
fn encoded_length(message: &ServerJsonRpcMessage) -> usize {
    // A message that cannot be written cannot be sent either.
    serde_json::to_vec(message).map_or(0, |bytes| bytes.len())
}

#[cfg(test)]
mod tests;
