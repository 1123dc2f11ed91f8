//! The listener: accepts connections one by one until a signal ends it.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::Method;
use hyper::StatusCode;
use hyper::body::Incoming;
use hyper::http::Request;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::yield_now;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use crate::http::HttpSite;
use crate::http::connections::{
    CHECK_INTERVAL, ConnectionTable, MAX_CONNECTIONS, ShutdownNotice, SlotGuard,
};
use crate::http::refusal::HttpRefusal;
use crate::http::watched_stream::WatchedStream;
use crate::log;
use crate::server_signals::{ServerSignal, ServerSignals};

/// Maximum length of a request's headers in bytes; also the size of a connection's buffer.
const MAX_HEADER_BYTES: usize = 16 * 1024;

/// Pause after a connection could not be accepted: most likely the process has as many open files
/// as it may have.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Connections that the kernel queues until they are accepted; further ones try again a second
/// later.
const BACKLOG: u32 = 4096;

/// Connections that are accepted before the open ones have their turn.
const MAX_ACCEPTS_PER_TURN: u32 = 16;

/// The header by which a client resumes a stream.
const LAST_EVENT: &str = "last-event-id";

/// Time that the calls under way have when the server ends.
const LAST_CALLS: Duration = Duration::from_secs(25);

/// The files that the processes of calls and the server itself have open apart from the
/// connections.
const FILES_OF_CALLS: u64 = 256;

/// The files that a full server has open, twice over, because more are to come.
const FILES: u64 = 2 * (MAX_CONNECTIONS as u64 + FILES_OF_CALLS);

/// Time that a client that is turned away has to read that, and the number of such clients at a
/// time.
const REFUSAL_TIMEOUT: Duration = Duration::from_millis(500);
static REFUSALS: Semaphore = Semaphore::const_new(32);

/// Listens on `address`.
///
/// # Errors
/// The system's own.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    // A server that was just ended must not keep the next one from its port.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Accepts connections, `limit` at a time, until a signal ends it, and then answers the requests
/// under way.
pub async fn accept_connections(
    listener: TcpListener,
    site: Arc<HttpSite>,
    mut signals: ServerSignals,
    limit: usize,
) {
    let connections = Arc::new(ConnectionTable::new(limit));
    let mut taken: u32 = 0;
    let mut rounds = interval(CHECK_INTERVAL);
    rounds.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            signal = signals.next() => match signal {
                ServerSignal::Terminate => break,
                ServerSignal::HangUp => site.gate.reload_keys(&site.setup),
            },
            _ = rounds.tick() => connections.close_overdue(),
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    come_in(stream, &connections, &site);
                    // Many that come at once must not keep the open ones waiting.
                    taken += 1;
                    if taken.is_multiple_of(MAX_ACCEPTS_PER_TURN) {
                        yield_now().await;
                    }
                }
                Err(_) => sleep(ACCEPT_RETRY_DELAY).await,
            },
        }
    }
    drop(listener);
    connections.finish();
    let ended = async {
        loop {
            tokio::select! {
                () = connections.wait_until_closed() => return,
                _ = rounds.tick() => connections.close_overdue(),
            }
        }
    };
    let terminated = async { while signals.next().await != ServerSignal::Terminate {} };
    tokio::select! {
        _ = timeout(LAST_CALLS, ended) => {}
        () = terminated => {}
    }
    let left = connections.count();
    if left > 0 {
        log(&format!(
            "ended {left} connections whose calls were still under way"
        ));
    }
}

/// Number of connections there may be, after the kernel has been asked to let this process open as
/// many files as a full server needs. Commands that its calls run inherit that limit, as they do
/// from any server.
pub fn most_connections() -> usize {
    let mut limits = getrlimit(Resource::Nofile);
    let limit = limits.maximum.map_or(FILES, |limit| limit.min(FILES));
    if limits.current.is_some_and(|current| current < limit) {
        limits.current = Some(limit);
        // If it is refused, there are fewer connections.
        let _ = setrlimit(Resource::Nofile, limits);
    }
    let files = getrlimit(Resource::Nofile).current.unwrap_or(FILES);
    let connections = files - FILES_OF_CALLS.min(files / 2);
    usize::try_from(connections)
        .unwrap_or(MAX_CONNECTIONS)
        .min(MAX_CONNECTIONS)
}

fn come_in(stream: TcpStream, connections: &Arc<ConnectionTable>, site: &Arc<HttpSite>) {
    let Some(taken) = connections.claim_slot() else {
        if site.gate.tls().is_none()
            && let Ok(permit) = REFUSALS.try_acquire()
        {
            tokio::spawn(async move {
                let _ = timeout(REFUSAL_TIMEOUT, turn_away(stream)).await;
                drop(permit);
            });
        }
        return;
    };
    let _ = stream.set_nodelay(true);
    let line = WatchedStream::new(stream, taken.slot());
    let site = Arc::clone(site);
    // A handshake takes more room than a plain connection, so it has a task of its own.
    match site.gate.tls() {
        None => drop(tokio::spawn(serve_connection(Box::new(line), taken, site))),
        Some(acceptor) => drop(tokio::spawn(async move {
            let shaken = tokio::select! {
                biased;
                _ = taken.slot().notice() => return,
                shaken = acceptor.accept(line) => shaken,
            };
            if let Ok(line) = shaken {
                taken.begin_request();
                serve_connection(Box::new(line), taken, site).await;
            }
        })),
    }
}

/// Answers that there is no room. What has come already is read, because the answer is lost
/// otherwise.
async fn turn_away(mut stream: TcpStream) {
    let refusal = HttpRefusal::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "this server has as many requests under way as it can: try again in a second",
    );
    let _ = stream.write_all(&refusal.into_bytes()).await;
    let _ = stream.shutdown().await;
    let mut buffer = [0; 1024];
    while stream.read(&mut buffer).await.is_ok_and(|read| read > 0) {}
}

/// A byte stream beneath HTTP: one type for TCP and TLS, because the HTTP code is compiled once for
/// each type.
trait ByteStream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> ByteStream for S {}

/// Speaks HTTP/1.1 until either side ends the connection.
async fn serve_connection(stream: Box<dyn ByteStream>, taken: SlotGuard, site: Arc<HttpSite>) {
    let service = service_fn(|request: Request<Incoming>| {
        let work = taken.work(only_listens(&request));
        let site = Arc::clone(&site);
        // In a box, so that a connection takes no room for a request that it does not have.
        async move { Ok::<_, Infallible>(Box::pin(site.answer(request, work)).await) }
    });
    let connection = http1::Builder::new()
        // One timer of the table serves all connections.
        .header_read_timeout(None)
        .max_buf_size(MAX_HEADER_BYTES)
        .max_header_size(MAX_HEADER_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    loop {
        tokio::select! {
            biased;
            told = taken.slot().notice() => match told {
                ShutdownNotice::End => return,
                ShutdownNotice::Finish => connection.as_mut().graceful_shutdown(),
            },
            _ = connection.as_mut() => return,
        }
    }
}

/// True if a request opens a stream that only listens. One that resumes a call's stream waits for
/// that call, as the request did that began it.
fn only_listens<B>(request: &Request<B>) -> bool {
    request.method() == Method::GET && !request.headers().contains_key(LAST_EVENT)
}
