//! A client of a server over HTTP, which says the same with each request: its token, its session,
//! its revision. What it sends and what comes is raw HTTP, each request on a connection of its own.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rustls::ClientConfig;
use serde_json::{Value, json};

use super::{Answer, Connection, Event, Events, HEADERS, HttpServer, token_of};

/// A client, and what it says with each request.
#[derive(Clone)]
pub struct Client {
    address: SocketAddr,
    tls: Option<Arc<ClientConfig>>,
    headers: Vec<(String, String)>,
}

/// An answer, whose body is still on its way.
pub struct Reply {
    pub status: u16,
    head: Answer,
    connection: Connection,
    stream: Events,
}

/// An id that no other request has, and none that a test gives.
fn new_id() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1000);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl HttpServer {
    /// A client of this server that has said nothing yet.
    pub fn client(&self) -> Client {
        Client {
            address: self.address,
            tls: self.tls.clone(),
            headers: Vec::new(),
        }
    }
}

impl Client {
    /// The same client with one more header.
    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut client = self.clone();
        client.headers.push((name.to_owned(), value.to_owned()));
        client
    }

    /// The same client with the token of this holder.
    pub fn holding(&self, holder: &str) -> Self {
        self.with("Authorization", &format!("Bearer {}", token_of(holder)))
    }

    /// Sends a request of any kind, and waits for nothing.
    pub fn begin(&self, method: &str, body: &str) -> Connection {
        let mut connection = Connection::open(self.address, self.tls.as_ref()).unwrap();
        let own = self.headers.iter();
        let own = own.map(|(name, value)| (name.as_str(), value.as_str()));
        let headers: Vec<(&str, &str)> = HEADERS.into_iter().chain(own).collect();
        let line = format!("{method} /mcp");
        connection.send(&line, &headers, body.as_bytes()).unwrap();
        connection
    }

    /// Sends a request of any kind, and reads the head of its answer.
    pub fn send(&self, method: &str, body: &str) -> Reply {
        let mut connection = self.begin(method, body);
        let head = connection.head().unwrap();
        Reply {
            status: head.status,
            head,
            connection,
            stream: Events::default(),
        }
    }

    /// Sends a message.
    pub fn post(&self, message: &Value) -> Reply {
        self.send("POST", &message.to_string())
    }

    /// Opens the stream on which a session tells what nobody has asked for.
    pub fn listen(&self) -> Reply {
        let stream = self.send("GET", "");
        assert!(stream.status == 200 && stream.is_stream());
        stream
    }

    /// Goes on reading the stream behind this event.
    pub fn resume(&self, last: &str) -> Reply {
        self.with("Last-Event-ID", last).send("GET", "")
    }

    /// Asks for something, and returns the answer's message, however it came.
    pub fn ask(&self, method: &str, params: &Value) -> Value {
        let message = json!({"jsonrpc": "2.0", "id": new_id(), "method": method, "params": params});
        self.post(&message).message()
    }

    /// The status of the answer to a request without parameters.
    pub fn status_of(&self, method: &str) -> u16 {
        let message = json!({"jsonrpc": "2.0", "id": new_id(), "method": method});
        self.post(&message).status
    }

    /// Asks for a call, without waiting for its answer's body.
    pub fn call(&self, id: u32, tool: &str, arguments: &Value) -> Reply {
        self.post(
            &json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
                "name": tool, "arguments": arguments,
            }}),
        )
    }

    /// Asks for a session, with the id 0.
    pub fn initialize(&self, revision: &str) -> Reply {
        self.post(
            &json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": revision,
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            }}),
        )
    }

    /// Begins a session, or what stands for it where there are none. Returns the client as it goes
    /// on, and what the server said.
    pub fn initialized(&self, revision: &str) -> (Self, Value) {
        let reply = self.initialize(revision);
        assert_eq!(reply.status, 200);
        let session = reply.header("mcp-session-id").map(str::to_owned);
        let hello = reply.message()["result"].clone();
        let mut client = self.clone();
        if let Some(session) = session {
            client = client.with("Mcp-Session-Id", &session);
        }
        if revision >= "2025-06-18" {
            client = client.with("MCP-Protocol-Version", revision);
        }
        let told = client.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        assert_eq!(told.status, 202);
        (client, hello)
    }

    /// The session that it has.
    pub fn session(&self) -> &str {
        let mut headers = self.headers.iter();
        let session = headers.find(|(name, _)| name == "Mcp-Session-Id");
        &session.expect("no session").1
    }
}

impl Reply {
    /// The header of this name, which is lower-case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.header(name)
    }

    /// Whether it is a stream of events.
    pub fn is_stream(&self) -> bool {
        self.header("content-type") == Some("text/event-stream")
    }

    /// The whole answer.
    pub fn whole(mut self) -> Answer {
        self.connection.body(&mut self.head).unwrap();
        self.head
    }

    /// The next event; none where the stream has ended.
    pub fn event(&mut self) -> Option<Event> {
        self.try_event().unwrap()
    }

    /// The same, if the stream does not break off.
    pub fn try_event(&mut self) -> std::io::Result<Option<Event>> {
        assert!(self.is_stream(), "{:?}", self.head);
        self.connection.event(&mut self.stream)
    }

    /// The rest of the events.
    pub fn events(mut self) -> Vec<Event> {
        std::iter::from_fn(|| self.event()).collect()
    }

    /// The message that answers, as JSON or as the last event.
    pub fn message(self) -> Value {
        if self.is_stream() {
            return self.events().pop().expect("no event").json();
        }
        self.whole().json()
    }
}
