//! The server's side of its calls' cache: each call has a socket to its server, which holds the
//! keys and knows the entries' places. A call's turns end with its socket.

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use super::protocol::{HEAD, MessageKind, StoreMessage, length};
use super::{
    CacheQuestion, LayeredCache, PersistentChange, PersistentFault, SingleFlightGuard,
    persistent_store,
};

/// Maximum number of turns that one call has at the same time.
const MAX_TURNS: usize = 16;

/// Maximum memory that is allocated for a message before its bytes come.
const MAX_FIRST_ALLOCATION: usize = 64 * 1024;

/// Two ends of a new socket: the server's, and the one for the call's process. No other process has
/// either.
///
/// # Errors
/// The process has too many open files.
pub fn socket_pair() -> io::Result<(UnixStream, OwnedFd)> {
    let (server_end, call_end) = UnixStream::pair()?;
    let call_end = call_end.into_std()?;
    call_end.set_nonblocking(false)?;
    Ok((server_end, call_end.into()))
}

/// Answers a call of `owner` from `cache`, until its end of the socket is closed or sends no
/// message.
pub async fn serve(cache: Arc<LayeredCache>, owner: Option<String>, mut call: UnixStream) {
    let owner = owner.as_deref();
    let mut turns: HashMap<CacheQuestion, SingleFlightGuard> = HashMap::new();
    while let Some(request) = receive(&mut call).await {
        let mut reply = StoreMessage::reply(MessageKind::Done, Duration::ZERO, Vec::new());
        let StoreMessage {
            kind,
            question,
            time,
            bytes,
        } = request;
        match kind {
            MessageKind::Get => match cache.get(&question, time).await {
                Some(entry) => {
                    reply = StoreMessage::reply(MessageKind::Found, entry.age, entry.bytes);
                }
                None => reply.kind = MessageKind::Nothing,
            },
            MessageKind::Put => cache.put(&question, &bytes, time).await,
            MessageKind::Forget => cache.forget(&question).await,
            MessageKind::BeginTurn if turns.len() >= MAX_TURNS => reply.kind = MessageKind::Nothing,
            MessageKind::BeginTurn => match cache.turn(&question).await {
                Some(turn) => drop(turns.insert(question, turn)),
                None => reply.kind = MessageKind::Nothing,
            },
            MessageKind::EndTurn => drop(turns.remove(&question)),
            MessageKind::Recall => match cache.recall(owner, question, time).await {
                Ok(Some(entry)) => {
                    reply.kind = MessageKind::Found;
                    reply.bytes = persistent_store::join(Some(entry.version), &entry.bytes);
                }
                Ok(None) => reply.kind = MessageKind::Nothing,
                Err(fault) => reply = failed(fault),
            },
            MessageKind::Change => {
                let Some((before, after)) = persistent_store::split(&bytes) else {
                    return;
                };
                let change = PersistentChange {
                    before,
                    after: after.to_vec(),
                    good_for: time,
                };
                match cache.change(owner, question, change).await {
                    Ok(true) => {}
                    Ok(false) => reply.kind = MessageKind::Nothing,
                    Err(fault) => reply = failed(fault),
                }
            }
            MessageKind::Nothing | MessageKind::Done | MessageKind::Found | MessageKind::Failed => {
                return;
            }
        }
        // An entry too large for one message counts as a miss.
        let message = reply.encode().or_else(|| {
            StoreMessage::reply(MessageKind::Nothing, Duration::ZERO, Vec::new()).encode()
        });
        let Some(message) = message else {
            return;
        };
        if call.write_all(&message).await.is_err() {
            return;
        }
    }
}

/// Says why persistent entries cannot be had.
fn failed(fault: PersistentFault) -> StoreMessage {
    StoreMessage::reply(MessageKind::Failed, Duration::ZERO, vec![fault.number()])
}

/// The next request; `None` at the end. Memory is allocated as bytes come.
async fn receive(call: &mut UnixStream) -> Option<StoreMessage> {
    let mut head = [0; HEAD];
    call.read_exact(&mut head).await.ok()?;
    let length = length(head)?;
    let mut message = Vec::with_capacity(length.min(MAX_FIRST_ALLOCATION));
    let limit = u64::try_from(length).ok()?;
    call.take(limit).read_to_end(&mut message).await.ok()?;
    StoreMessage::decode(&message).filter(|_| message.len() == length)
}
