//! Messages on stdin and stdout: one JSON-RPC message a line, and an answer to every malformed one.
//!
//! The SDK's own transport drops lines that it cannot parse or that are too long, without a word to
//! the client that waits for an answer; here they are answered as JSON-RPC 2.0 requires (section
//! 5.1). A batch (revision 2025-03-26) is split, and its requests are answered one by one.

use std::collections::{HashSet, VecDeque};
use std::io;
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper::body::{Buf, Bytes};
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, GetExtensions, GetMeta,
    JsonRpcMessage, ProtocolVersion, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use crate::incoming_message::{FaultKind, IncomingMessage, MessageFault, split_batch};
use iki_base::mutex::lock;

/// Maximum length of a line that is read, in bytes.
const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;

/// Maximum number of calls that wait for their answers; further ones are refused, and reading goes
/// on.
const MAX_UNANSWERED_CALLS: usize = 1024;

/// Number of further requests that may wait: they are answered at once if the client reads.
const EXTRA_REQUESTS: usize = 64;

/// Bytes of our own error replies still waiting to be written. Beyond that, reading stops
/// (back-pressure), because the client does not read either.
const MAX_UNWRITTEN_BYTES: usize = 1024 * 1024;

/// The error code for a call too many, from the range that JSON-RPC leaves to servers.
const TOO_MANY_REQUESTS: ErrorCode = ErrorCode(-32000);

/// The message for a second request with the same id while the first has no answer.
const DUPLICATE_ID_MESSAGE: &str =
    "a request with the same id has no answer yet: give each request an id of its own";

/// Time that running calls have after the end of the input, if the client still reads. Clients give
/// a server two seconds to end.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// Time between two checks that the client still reads.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// The server's end of the connection.
pub struct LineTransport<R, W> {
    input: BufReader<R>,
    line: Vec<u8>,
    /// True while a line that is too long is dropped up to its end.
    is_dropping_line: bool,
    /// The rest of a batch, still to be passed on.
    batch: VecDeque<Bytes>,
    /// True if the client has begun a session; before that, only requests mean anything.
    has_session: bool,
    /// The end of the wait for answers, once the input has ended.
    deadline: Option<Instant>,
    shared: Arc<SharedOutput<W>>,
}

struct SharedOutput<W> {
    output: tokio::sync::Mutex<W>,
    unanswered: Mutex<HashSet<RequestId>>,
    /// Messages of the server still waiting to be written.
    answering: AtomicUsize,
    /// Bytes of our own error replies still waiting to be written.
    unwritten: AtomicUsize,
    /// Notified when a request has been answered.
    answered: Notify,
    /// True if the client has gone away.
    gone: watch::Sender<bool>,
}

impl<W: AsyncWrite + Unpin> SharedOutput<W> {
    /// Number of requests without an answer that has been written.
    fn pending(&self) -> usize {
        lock(&self.unanswered).len() + self.answering.load(Ordering::Relaxed)
    }

    fn forget_request(&self, id: &RequestId) {
        lock(&self.unanswered).remove(id);
        self.answered.notify_waiters();
    }

    /// Writes a message. If that fails, the client has gone away.
    async fn write(&self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        let mut output = self.output.lock().await;
        let written = async {
            output.write_all(&line).await?;
            output.flush().await
        };
        let written = written.await;
        if written.is_err() {
            self.gone.send_replace(true);
        }
        written
    }
}

/// One line of the input, classified.
enum InputLine {
    Line,
    TooLong,
    End,
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// A connection. `gone` becomes true when the client goes away.
    pub fn new(input: R, output: W, gone: watch::Sender<bool>) -> Self {
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            is_dropping_line: false,
            batch: VecDeque::new(),
            has_session: false,
            deadline: None,
            shared: Arc::new(SharedOutput {
                output: tokio::sync::Mutex::new(output),
                unanswered: Mutex::default(),
                answering: AtomicUsize::new(0),
                unwritten: AtomicUsize::new(0),
                answered: Notify::new(),
                gone,
            }),
        }
    }

    /// Reads a line into `self.line`. If the future is dropped midway, what has been read is kept.
    async fn next(&mut self) -> InputLine {
        loop {
            let Ok(bytes) = self.input.fill_buf().await else {
                return InputLine::End;
            };
            if bytes.is_empty() {
                // A last message without a line end counts as well.
                return if self.line.is_empty() || self.is_dropping_line {
                    InputLine::End
                } else {
                    InputLine::Line
                };
            }
            let newline = memchr::memchr(b'\n', bytes);
            let count = newline.map_or(bytes.len(), |line_feed| line_feed + 1);
            self.is_dropping_line |= self.line.len() + count > MAX_LINE_BYTES;
            if self.is_dropping_line {
                self.line = Vec::new();
            } else {
                self.line.extend_from_slice(&bytes[..count]);
            }
            self.input.consume(count);
            if newline.is_some() {
                return if std::mem::take(&mut self.is_dropping_line) {
                    InputLine::TooLong
                } else {
                    InputLine::Line
                };
            }
        }
    }

    /// Parses the line that was read into a message; answers it with an error if it is not one.
    fn parse(&mut self) -> Option<ClientJsonRpcMessage> {
        let mut line = Bytes::from(std::mem::take(&mut self.line));
        // Some runtimes write a byte-order mark before their JSON; it is ignored.
        if line.starts_with(b"\xef\xbb\xbf") {
            line.advance(3);
        }
        let text = line.trim_ascii();
        if text.is_empty() {
            return None;
        }
        if !text.starts_with(b"[") {
            return self.read(&line);
        }
        match split_batch(&line) {
            Ok(messages) => self.batch = messages.into(),
            Err(fault) => self.refuse(&fault),
        }
        None
    }

    /// Reads one message; answers it with an error if it is not one.
    fn read(&mut self, bytes: &Bytes) -> Option<ClientJsonRpcMessage> {
        let read = IncomingMessage::read(bytes).and_then(|message| {
            let from_sdk = serde_json::from_slice(&message.envelope);
            let mut passed: ClientJsonRpcMessage = from_sdk.map_err(|_| message.as_malformed())?;
            if let (JsonRpcMessage::Request(request), Some(arguments)) =
                (&mut passed, message.arguments)
            {
                request.request.extensions_mut().insert(arguments);
            }
            Ok(passed)
        });
        match read {
            Ok(message) => self.admit(message),
            Err(fault) => {
                self.refuse(&fault);
                None
            }
        }
    }

    /// Answers what is not a message. A notification is never answered.
    fn refuse(&self, fault: &MessageFault) {
        let (code, prefix) = match fault.kind {
            FaultKind::Syntax => (ErrorCode::PARSE_ERROR, "Parse error: "),
            _ if fault.is_notification => return,
            FaultKind::Invalid => (ErrorCode::INVALID_REQUEST, "Invalid Request: "),
            FaultKind::NotOffered => (ErrorCode::METHOD_NOT_FOUND, ""),
        };
        self.reply_error(code, &format!("{prefix}{}", fault.reason), &fault.id);
    }

    fn reply_error(&self, code: ErrorCode, message: &str, id: &Value) {
        let error = json!({
            "jsonrpc": "2.0",
            "id": id,
            "error": {"code": code.0, "message": message},
        });
        let line = error.to_string().into_bytes();
        let count = line.len();
        let shared = Arc::clone(&self.shared);
        shared.unwritten.fetch_add(count, Ordering::Relaxed);
        // In a task of its own, because `receive` may be dropped midway, and a line must not be
        // cut.
        tokio::spawn(async move {
            let _ = shared.write(line).await;
            shared.unwritten.fetch_sub(count, Ordering::Relaxed);
            shared.answered.notify_waiters();
        });
    }

    fn admit(&mut self, message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        match &message {
            JsonRpcMessage::Request(request) => {
                if let Some((code, reason)) = self.refusal_reason(&request.id, &request.request) {
                    self.reply_error(code, &reason, &request.id.clone().into_json_value());
                    return None;
                }
                self.has_session |= begins_session(&request.request);
                lock(&self.shared.unanswered).insert(request.id.clone());
            }
            // The SDK ends the session at anything but a request at this point.
            _ if !self.has_session => return None,
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    // A cancelled request is never answered.
                    self.shared.forget_request(id);
                }
            }
            _ => {}
        }
        Some(message)
    }

    /// The reason to refuse a request here, and not pass it on.
    fn refusal_reason(
        &self,
        id: &RequestId,
        request: &ClientRequest,
    ) -> Option<(ErrorCode, String)> {
        // Their answers could not be told apart.
        if lock(&self.shared.unanswered).contains(id) {
            return Some((ErrorCode::INVALID_REQUEST, DUPLICATE_ID_MESSAGE.to_owned()));
        }
        if let ClientRequest::CustomRequest(custom) = request
            && custom.method == "initialize"
        {
            return Some((ErrorCode::INVALID_PARAMS, BAD_HANDSHAKE.to_owned()));
        }
        if !self.has_session && needs_session(request) {
            return Some((ErrorCode::INVALID_REQUEST, NO_HANDSHAKE.to_owned()));
        }
        let limit = match request {
            ClientRequest::CallToolRequest(_) => MAX_UNANSWERED_CALLS,
            _ => MAX_UNANSWERED_CALLS + EXTRA_REQUESTS,
        };
        let unanswered = self.shared.pending();
        (unanswered >= limit).then(|| {
            let reason = format!(
                "{unanswered} requests are unanswered, and this one was not begun: wait for \
                 answers or cancel some, then send it again"
            );
            (TOO_MANY_REQUESTS, reason)
        })
    }

    /// Back-pressure: waits until there is room for another reply; false if the input has ended
    /// meanwhile.
    async fn wait_for_room(&mut self) -> bool {
        while self.shared.unwritten.load(Ordering::Relaxed) >= MAX_UNWRITTEN_BYTES {
            let _ = tokio::time::timeout(CHECK_INTERVAL, self.shared.answered.notified()).await;
            if input_is_closed() {
                return false;
            }
        }
        true
    }

    /// Waits for a while until pending requests have been answered: the input may end before the
    /// client goes away.
    async fn drain(&mut self) {
        let deadline = *self
            .deadline
            .get_or_insert_with(|| Instant::now() + DRAIN_TIMEOUT);
        let has_pending =
            || self.shared.unwritten.load(Ordering::Relaxed) > 0 || self.shared.pending() > 0;
        while has_pending() && Instant::now() < deadline && output_is_read() {
            let _ = tokio::time::timeout(CHECK_INTERVAL, self.shared.answered.notified()).await;
        }
        self.shared.gone.send_replace(true);
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let shared = Arc::clone(&self.shared);
        async move {
            // A client that has read an answer may use its id again at once: it is free before
            // that.
            let answers = match &item {
                JsonRpcMessage::Response(response) => Some(&response.id),
                JsonRpcMessage::Error(error) => error.id.as_ref(),
                _ => None,
            };
            shared.answering.fetch_add(1, Ordering::Relaxed);
            if let Some(id) = answers {
                lock(&shared.unanswered).remove(id);
            }
            let written = match serde_json::to_vec(&item) {
                Ok(line) => shared.write(line).await,
                Err(error) => Err(error.into()),
            };
            shared.answering.fetch_sub(1, Ordering::Relaxed);
            shared.answered.notify_waiters();
            written
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let mut gone = self.shared.gone.subscribe();
        loop {
            if self.deadline.is_some() {
                self.drain().await;
                return None;
            }
            let next = async {
                if !self.wait_for_room().await {
                    self.batch.clear();
                    return InputLine::End;
                }
                if self.batch.is_empty() {
                    self.next().await
                } else {
                    InputLine::Line
                }
            };
            let next = tokio::select! {
                next = next => next,
                _ = gone.wait_for(|gone| *gone) => return None,
            };
            let message = match (next, self.batch.pop_front()) {
                (_, Some(message)) => self.read(&message),
                (InputLine::Line, None) => self.parse(),
                (InputLine::TooLong, None) => {
                    let limit = MAX_LINE_BYTES / (1024 * 1024);
                    let reason = format!("Invalid Request: longer than {limit} MiB");
                    self.reply_error(ErrorCode::INVALID_REQUEST, &reason, &Value::Null);
                    None
                }
                (InputLine::End, None) => {
                    self.drain().await;
                    return None;
                }
            };
            if message.is_some() {
                return message;
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.shared.gone.send_replace(true);
        Ok(())
    }
}

/// True if a request is of a session, and says nothing that a handshake says.
fn needs_session(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_)
        | ClientRequest::PingRequest(_)
        | ClientRequest::DiscoverRequest(_) => false,
        other => other.get_meta().protocol_version().is_none(),
    }
}

/// True if a request begins a session: a handshake, or a request with everything that a handshake
/// says.
fn begins_session(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        other => {
            let newest = ProtocolVersion::V_2026_07_28;
            other.get_meta().missing_required_keys(&newest).is_empty()
        }
    }
}

/// The error of a request before the handshake.
const NO_HANDSHAKE: &str = "send `initialize` first, or, in a revision without a handshake, \
                            `io.modelcontextprotocol/protocolVersion` and the like in the \
                            request's `_meta`";

/// The error of a malformed handshake.
const BAD_HANDSHAKE: &str = "initialize takes `protocolVersion`, a string, `capabilities`, an \
                             object, and `clientInfo`, an object with `name` and `version`, both \
                             strings";

/// True if stdout still has a reader.
fn output_is_read() -> bool {
    !has_hung_up(rustix::stdio::stdout())
}

/// True if stdin has no writer any more.
fn input_is_closed() -> bool {
    has_hung_up(rustix::stdio::stdin())
}

fn has_hung_up(stream: BorrowedFd<'_>) -> bool {
    let mut wanted = [PollFd::new(&stream, PollFlags::empty())];
    let at_once = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // A stream that cannot be polled is assumed to be in use.
    let _ = poll(&mut wanted, Some(&at_once));
    wanted[0]
        .revents()
        .intersects(PollFlags::ERR | PollFlags::HUP)
}
