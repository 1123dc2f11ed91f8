//! The cache as a call of a server has it: the server holds it, and the call asks over a socket.
//!
//! A server that is silent, gone or not understood counts as an empty cache, and is never a reason
//! to fail.

use std::io::{Read, Write};
use std::os::fd::{BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::io::{FdFlags, fcntl_setfd};

use super::protocol::{HEAD, MessageKind, StoreMessage, length};
use super::{
    CacheEntry, CacheQuestion, CacheStore, PersistentChange, PersistentEntry, PersistentFault,
    PersistentStore, SingleFlightGuard, persistent_store,
};

use iki_base::mutex::lock;

/// Maximum wait for a reply of the server, and for one about a persistent entry.
const REPLY_TIMEOUT: Duration = Duration::from_secs(1);
const PERSISTENT_REPLY_TIMEOUT: Duration = Duration::from_secs(12);

/// A cache that a server holds.
#[derive(Clone, Debug)]
pub struct RemoteStore(Arc<Mutex<Option<UnixStream>>>);

impl RemoteStore {
    /// The cache of the server at the other end of the socket `number`; `None` if there is no such
    /// socket. It is this process's own from now on, and no program that it starts has it.
    ///
    /// # Safety
    /// Nothing else in this process may use that descriptor.
    #[must_use]
    pub unsafe fn on_descriptor(number: RawFd) -> Option<Self> {
        if number <= 2 {
            return None;
        }
        // SAFETY: the only use is a check that the descriptor is open.
        let borrowed = unsafe { BorrowedFd::borrow_raw(number) };
        fcntl_setfd(borrowed, FdFlags::CLOEXEC).ok()?;
        // SAFETY: it is open, and the caller promises that nothing else owns it.
        let socket = unsafe { OwnedFd::from_raw_fd(number) };
        Some(Self::new(UnixStream::from(socket)))
    }

    fn new(socket: UnixStream) -> Self {
        let bounded = socket.set_write_timeout(Some(REPLY_TIMEOUT)).is_ok();
        Self(Arc::new(Mutex::new(bounded.then_some(socket))))
    }

    /// The reply of the server. After a failure it is not asked again, because the next message
    /// might be the reply to something else.
    fn ask(&self, request: &StoreMessage) -> Option<StoreMessage> {
        let message = request.encode()?;
        let wait = match request.kind {
            MessageKind::Recall | MessageKind::Change => PERSISTENT_REPLY_TIMEOUT,
            _ => REPLY_TIMEOUT,
        };
        let mut socket = lock(&self.0);
        let reply = exchange(socket.as_mut()?, &message, wait);
        if reply.is_none() {
            *socket = None;
        }
        reply
    }
}

fn exchange(socket: &mut UnixStream, message: &[u8], wait: Duration) -> Option<StoreMessage> {
    socket.set_read_timeout(Some(wait)).ok()?;
    socket.write_all(message).ok()?;
    let mut head = [0; HEAD];
    socket.read_exact(&mut head).ok()?;
    let mut reply = vec![0; length(head)?];
    socket.read_exact(&mut reply).ok()?;
    StoreMessage::decode(&reply)
}

impl CacheStore for RemoteStore {
    fn get(&self, question: &CacheQuestion, longest: Duration) -> Option<CacheEntry> {
        let reply = self.ask(&StoreMessage::request(MessageKind::Get, question, longest))?;
        let is_found = reply.kind == MessageKind::Found && reply.time < longest;
        is_found.then_some(CacheEntry {
            bytes: reply.bytes,
            age: reply.time,
        })
    }

    fn put(&self, question: &CacheQuestion, bytes: &[u8], good_for: Duration) {
        self.ask(&StoreMessage {
            bytes: bytes.to_vec(),
            ..StoreMessage::request(MessageKind::Put, question, good_for)
        });
    }

    fn forget(&self, question: &CacheQuestion) {
        let request = StoreMessage::request(MessageKind::Forget, question, Duration::ZERO);
        self.ask(&request);
    }

    fn turn(&self, question: &CacheQuestion) -> Option<SingleFlightGuard> {
        let request = StoreMessage::request(MessageKind::BeginTurn, question, Duration::ZERO);
        match self.ask(&request).map(|reply| reply.kind) {
            Some(MessageKind::Nothing) => None,
            Some(_) => Some(SingleFlightGuard::holding(RemoteTurn(
                self.clone(),
                question.clone(),
            ))),
            None => Some(SingleFlightGuard::default()),
        }
    }

    fn persistent(&self) -> Option<&dyn PersistentStore> {
        Some(self)
    }
}

impl PersistentStore for RemoteStore {
    fn recall(
        &self,
        name: &CacheQuestion,
        longest: Duration,
    ) -> Result<Option<PersistentEntry>, PersistentFault> {
        let reply = self.ask(&StoreMessage::request(MessageKind::Recall, name, longest));
        let reply = reply.ok_or(PersistentFault::Unreachable)?;
        match (reply.kind, persistent_store::split(&reply.bytes)) {
            (MessageKind::Nothing, _) => Ok(None),
            (MessageKind::Found, Some((Some(version), bytes))) => {
                let bytes = bytes.to_vec();
                Ok(Some(PersistentEntry { bytes, version }))
            }
            _ => Err(fault_in(&reply)),
        }
    }

    fn change(
        &self,
        name: &CacheQuestion,
        change: PersistentChange,
    ) -> Result<bool, PersistentFault> {
        let reply = self.ask(&StoreMessage {
            bytes: persistent_store::join(change.before, &change.after),
            ..StoreMessage::request(MessageKind::Change, name, change.good_for)
        });
        let reply = reply.ok_or(PersistentFault::Unreachable)?;
        match reply.kind {
            MessageKind::Done => Ok(true),
            MessageKind::Nothing => Ok(false),
            _ => Err(fault_in(&reply)),
        }
    }
}

/// The reason that a reply gives.
fn fault_in(reply: &StoreMessage) -> PersistentFault {
    let number = reply.bytes.first().copied();
    PersistentFault::of_number(number.unwrap_or(u8::MAX))
}

/// A turn that the server gave.
#[derive(Debug)]
struct RemoteTurn(RemoteStore, CacheQuestion);

impl Drop for RemoteTurn {
    fn drop(&mut self) {
        let request = StoreMessage::request(MessageKind::EndTurn, &self.1, Duration::ZERO);
        self.0.ask(&request);
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Instant;

    use super::*;
    use crate::cache::{CacheFiles, LayeredCache, store_server};

    const HOUR: Duration = Duration::from_secs(3600);

    fn ask(what: &str) -> CacheQuestion {
        CacheQuestion::new("test", 1).with("what", Some(what))
    }

    fn called(socket: UnixStream) -> RemoteStore {
        RemoteStore::new(socket)
    }

    /// Two calls of a server, with something to do in them, while the server answers.
    fn with_two_calls(calls: impl FnOnce(&RemoteStore, &RemoteStore) + Send + 'static) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let place = tempfile::tempdir().unwrap();
            let files = CacheFiles::in_directory(place.path().join("cache"), &"07".repeat(32));
            let layers = Arc::new(LayeredCache::new(files, None));
            let mut ends = Vec::new();
            for _ in 0..2 {
                let (server_end, other) = store_server::socket_pair().unwrap();
                tokio::spawn(store_server::serve(Arc::clone(&layers), None, server_end));
                ends.push(called(UnixStream::from(other)));
            }
            let done = tokio::task::spawn_blocking(move || calls(&ends[0], &ends[1]));
            done.await.unwrap();
        });
    }

    #[test]
    fn what_one_call_puts_in_the_other_finds() {
        with_two_calls(|one, other| {
            assert_eq!(one.get(&ask("a"), HOUR), None);
            let bytes = vec![7; 900_000];
            one.put(&ask("a"), &bytes, HOUR);
            assert_eq!(other.get(&ask("a"), HOUR).unwrap().bytes, bytes);
            assert_eq!(other.get(&ask("a"), Duration::ZERO), None);
            other.forget(&ask("a"));
            assert_eq!(one.get(&ask("a"), HOUR), None);
        });
    }

    #[test]
    fn one_call_has_the_turn_until_it_is_over_or_the_call_is() {
        with_two_calls(|one, other| {
            let turn = one.turn(&ask("a"));
            assert!(turn.is_some() && other.turn(&ask("a")).is_none());
            drop(turn);
            std::mem::forget(other.turn(&ask("a")).unwrap());
            assert!(one.turn(&ask("a")).is_none());
            // The process is gone.
            other.0.lock().unwrap().take();
            let start = Instant::now();
            while one.turn(&ask("a")).is_none() {
                assert!(start.elapsed() < Duration::from_secs(5));
                thread::sleep(Duration::from_millis(5));
            }
        });
    }

    #[test]
    fn what_is_too_long_is_not_kept_and_the_rest_goes_on() {
        with_two_calls(|one, other| {
            one.put(&ask("a"), &vec![7; 17 * 1024 * 1024], HOUR);
            assert_eq!(other.get(&ask("a"), HOUR), None);
            one.put(&ask("b"), b"short", HOUR);
            assert_eq!(other.get(&ask("b"), HOUR).unwrap().bytes, b"short");
        });
    }

    #[test]
    fn without_a_server_there_is_no_cache_and_nothing_fails() {
        let (socket, other) = UnixStream::pair().unwrap();
        drop(other);
        let gone = called(socket);
        gone.put(&ask("a"), b"x", HOUR);
        assert_eq!(gone.get(&ask("a"), HOUR), None);
        assert!(gone.turn(&ask("a")).is_some());
        // One that says nothing is waited for once.
        let (socket, mut other) = UnixStream::pair().unwrap();
        let silent = called(socket);
        let start = Instant::now();
        for _ in 0..5 {
            assert_eq!(silent.get(&ask("a"), HOUR), None);
        }
        assert!(start.elapsed() < 2 * REPLY_TIMEOUT);
        other.write_all(&[0; 9]).unwrap_err();
        // One that talks nonsense is not asked again.
        let (socket, mut other) = UnixStream::pair().unwrap();
        let odd = called(socket);
        other.write_all(&u32::MAX.to_le_bytes()).unwrap();
        assert_eq!(odd.get(&ask("a"), HOUR), None);
        assert!(odd.0.lock().unwrap().is_none());
    }
}
