//! A client that puts a server under load.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::LocalSet;
use tokio::time::{sleep, sleep_until, timeout};

/// How fast calls are made.
#[derive(Clone, Copy)]
pub enum Pace {
    /// So many in all, each connection when its last one was answered.
    Count(usize),
    /// Likewise, for so long.
    For(Duration),
    /// So many a second, whether the last one was answered or not, for so long: a call's time runs
    /// from the moment at which it was due.
    Each(u32, Duration),
}

/// What became of the calls.
pub struct Load {
    pub answers: usize,
    pub bytes: usize,
    failures: usize,
    took: Duration,
    times: Vec<Duration>,
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = |part: f64| {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::cast_precision_loss
            )]
            let index = (self.times.len() as f64 * part) as usize;
            let time = self
                .times
                .get(index.min(self.times.len().saturating_sub(1)));
            time.copied().unwrap_or_default().as_secs_f64() * 1000.0
        };
        #[allow(clippy::cast_precision_loss)]
        let rate = self.answers as f64 / self.took.as_secs_f64();
        write!(
            f,
            "{rate:.0} a second, p50 {:.2} ms, p99 {:.2} ms, most {:.2} ms, {} failed",
            at(0.5),
            at(0.99),
            at(1.0),
            self.failures
        )
    }
}

impl Load {
    /// Makes the same `call` over so many connections.
    pub async fn run(address: SocketAddr, call: &[u8], connections: usize, pace: Pace) -> Self {
        let call: Rc<[u8]> = call.into();
        Self::drive(address, move |_| Rc::clone(&call), connections, pace).await
    }

    /// Makes another call each time, for so long.
    pub async fn fresh(
        address: SocketAddr,
        call: impl Fn(usize) -> Vec<u8>,
        connections: usize,
        time: Duration,
    ) -> Self {
        let calls: Vec<Rc<[u8]>> = (0..10_000).map(|number| call(number).into()).collect();
        let call = move |number: usize| Rc::clone(&calls[number % calls.len()]);
        Self::drive(address, call, connections, Pace::For(time)).await
    }

    async fn drive(
        address: SocketAddr,
        call: impl Fn(usize) -> Rc<[u8]> + 'static,
        connections: usize,
        pace: Pace,
    ) -> Self {
        let begin = Instant::now();
        let (next, failures, bytes) = (
            Rc::new(Cell::new(0)),
            Rc::new(Cell::new(0)),
            Rc::new(Cell::new(0)),
        );
        let times = Rc::new(RefCell::new(Vec::new()));
        let call = Rc::new(call);
        let local = LocalSet::new();
        for _ in 0..connections {
            let (next, failures, bytes) =
                (Rc::clone(&next), Rc::clone(&failures), Rc::clone(&bytes));
            let (times, call) = (Rc::clone(&times), Rc::clone(&call));
            local.spawn_local(async move {
                let mut connection = Connection::open(address).await;
                loop {
                    let number = next.get();
                    let due = match pace {
                        Pace::Count(count) if number >= count => break,
                        Pace::For(time) if begin.elapsed() >= time => break,
                        Pace::Each(rate, time) => {
                            let due = begin
                                + Duration::from_secs(1) / rate * u32::try_from(number).unwrap();
                            if due >= begin + time {
                                break;
                            }
                            next.set(number + 1);
                            sleep_until(due.into()).await;
                            due
                        }
                        _ => Instant::now(),
                    };
                    if !matches!(pace, Pace::Each(..)) {
                        next.set(number + 1);
                    }
                    if let Some(length) = connection.exchange(&call(number)).await {
                        bytes.set(bytes.get() + length);
                        times.borrow_mut().push(due.elapsed());
                    } else {
                        failures.set(failures.get() + 1);
                        connection = Connection::open(address).await;
                    }
                }
            });
        }
        local.await;
        let mut times = times.take();
        times.sort_unstable();
        Self {
            answers: times.len(),
            bytes: bytes.get(),
            failures: failures.get(),
            took: begin.elapsed(),
            times,
        }
    }
}

/// A connection that is used again and again.
struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    async fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self {
            stream,
            buffer: Vec::with_capacity(64 * 1024),
        }
    }

    /// Sends a request and reads its answer; the length of a good answer's body.
    async fn exchange(&mut self, request: &[u8]) -> Option<usize> {
        self.stream.write_all(request).await.ok()?;
        self.buffer.clear();
        let head = loop {
            if self.stream.read_buf(&mut self.buffer).await.ok()? == 0 {
                return None;
            }
            if let Some(end) = memchr::memmem::find(&self.buffer, b"\r\n\r\n") {
                break end + 4;
            }
        };
        let text = String::from_utf8_lossy(&self.buffer[..head]).to_lowercase();
        let length = text.split_once("content-length: ").map(|(_, rest)| {
            let digits = rest.split("\r\n").next().unwrap();
            digits.parse::<usize>().unwrap()
        });
        match length {
            Some(length) => {
                while self.buffer.len() < head + length {
                    if self.stream.read_buf(&mut self.buffer).await.ok()? == 0 {
                        return None;
                    }
                }
            }
            // A stream of events ends with its last chunk.
            None => {
                while !self.buffer.ends_with(b"\r\n0\r\n\r\n") {
                    if self.stream.read_buf(&mut self.buffer).await.ok()? == 0 {
                        return None;
                    }
                }
            }
        }
        let good = text.starts_with("http/1.1 200")
            && memchr::memmem::find(&self.buffer, b"Paragraph 9").is_some();
        good.then(|| self.buffer.len() - head)
    }
}

/// A request with a message.
pub fn request(address: SocketAddr, message: &Value, session: Option<&str>) -> Vec<u8> {
    let body = message.to_string();
    let session = session.map_or(String::new(), |id| format!("mcp-session-id: {id}\r\n"));
    format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-06-18\r\n{session}\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// Opens a session; its id.
pub async fn session(address: SocketAddr) -> String {
    let hello = json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        },
    });
    let head = answer_of(address, &request(address, &hello, None)).await;
    let (_, rest) = head.split_once("mcp-session-id: ").expect("a session");
    let id = rest.split("\r\n").next().unwrap().to_owned();
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    answer_of(address, &request(address, &ready, Some(&id))).await;
    id
}

/// Opens so many sessions, one after the other, which stay.
pub async fn sessions(address: SocketAddr, count: usize) -> usize {
    for _ in 0..count {
        session(address).await;
    }
    count
}

/// The beginning of an answer, in lower case.
async fn answer_of(address: SocketAddr, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request).await.unwrap();
    let mut buffer = Vec::new();
    while memchr::memmem::find(&buffer, b"\r\n\r\n").is_none() {
        assert!(stream.read_buf(&mut buffer).await.unwrap() > 0, "no answer");
    }
    String::from_utf8_lossy(&buffer).to_lowercase()
}

/// Tries to open so many connections, which send nothing more, within `time`; how many there were.
pub async fn flood(address: SocketAddr, count: usize, time: Duration) -> usize {
    let mut open = Vec::new();
    let begin = Instant::now();
    for number in 0..count {
        if let Ok(Ok(mut stream)) =
            timeout(Duration::from_secs(1), TcpStream::connect(address)).await
        {
            let _ = stream.write_all(b"POST /mcp HTTP/1.1\r\n").await;
            open.push(stream);
        }
        // As many as the machine lets one process have are kept.
        if open.len() > 4000 {
            open.drain(..1000);
        }
        let due = time.mul_f64(
            f64::from(u32::try_from(number).unwrap()) / f64::from(u32::try_from(count).unwrap()),
        );
        sleep(due.saturating_sub(begin.elapsed())).await;
    }
    count
}
