//! The server's side of its calls' cache: each call has a socket to its server, which holds the
//! keys and knows where entries are. A call's turns end with its socket.

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use super::layers::{Layers, Lease};
use super::wire::{HEAD, Reply, Request, length};
use super::{Entry, Question};

/// The most turns that one call has at the same time.
const TURNS: usize = 16;

/// How much of a message is read at once, in bytes.
const PIECE: usize = 64 * 1024;

/// Two ends of a new socket: the server's, and the one for the call's process. No other process has
/// either.
///
/// # Errors
/// Where there can be no more files.
pub fn pair() -> io::Result<(UnixStream, OwnedFd)> {
    let (own, other) = UnixStream::pair()?;
    let other = other.into_std()?;
    other.set_nonblocking(false)?;
    Ok((own, other.into()))
}

/// Answers a call from `layers`, until its end of the socket is closed or says what nobody
/// understands.
pub async fn serve(layers: Arc<Layers>, mut call: UnixStream) {
    let mut turns: HashMap<Question, Lease> = HashMap::new();
    while let Some(request) = next(&mut call).await {
        let reply = match request {
            Request::Get(question, longest) => found(layers.get(&question, longest).await),
            Request::Put(question, good_for, bytes) => {
                layers.put(&question, &bytes, good_for).await;
                Reply::Done
            }
            Request::Forget(question) => {
                layers.forget(&question).await;
                Reply::Done
            }
            Request::Turn(_) if turns.len() >= TURNS => Reply::Nothing,
            Request::Turn(question) => match layers.turn(&question).await {
                Some(lease) => {
                    turns.insert(question, lease);
                    Reply::Done
                }
                None => Reply::Nothing,
            },
            Request::Over(question) => {
                turns.remove(&question);
                Reply::Done
            }
        };
        // What is too long to be said is not there.
        let message = reply.message().or_else(|| Reply::Nothing.message());
        let Some(message) = message else {
            return;
        };
        if call.write_all(&message).await.is_err() {
            return;
        }
    }
}

fn found(entry: Option<Entry>) -> Reply {
    entry.map_or(Reply::Nothing, Reply::Found)
}

/// The next request; `None` where there is none any more. Memory is taken as bytes come.
async fn next(call: &mut UnixStream) -> Option<Request<Vec<u8>>> {
    let mut head = [0; HEAD];
    call.read_exact(&mut head).await.ok()?;
    let length = length(head)?;
    let mut message = Vec::with_capacity(length.min(PIECE));
    let most = u64::try_from(length).ok()?;
    call.take(most).read_to_end(&mut message).await.ok()?;
    if message.len() < length {
        return None;
    }
    Request::read(&message)
}
