//! A server over HTTP, and the page that it fetches.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::load;

/// The paragraphs of the page, so that an answer has 39 KB.
const PARAGRAPHS: usize = 96;

/// A running server.
pub struct Server {
    child: Child,
    pub address: SocketAddr,
    origin: SocketAddr,
    _home: tempfile::TempDir,
}

impl Server {
    /// Starts `binary`, with its cache in a directory of its own.
    pub async fn start(binary: &Path, redis: Option<&str>, flags: &[&str]) -> Self {
        let origin = origin().await;
        let home = tempfile::tempdir().unwrap();
        let mut command = Command::new(binary);
        command
            .args(["mcp", "--http", "127.0.0.1:0", "--allow-private"])
            .args(["--calls-per-second", "1000000", "--calls-at-once", "4096"])
            .args(flags)
            .envs(
                ["XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"]
                    .map(|name| (name, home.path())),
            )
            .env("HOME", home.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        if let Some(redis) = redis {
            command.env("IKIGAI_REDIS_URL", redis);
            command.env("CACHE_ENCRYPTION_KEY", "5a".repeat(32));
        }
        let mut child = command.spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        let address = loop {
            line.clear();
            assert!(
                log.read_line(&mut line).unwrap() > 0,
                "the server has ended"
            );
            if let Some((_, rest)) = line.split_once("listening on http://") {
                break rest.trim().trim_end_matches("/mcp").parse().unwrap();
            }
        };
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        Self {
            child,
            address,
            origin,
            _home: home,
        }
    }

    /// A call of a page, the same each time.
    pub fn call(&self) -> Vec<u8> {
        self.request(&self.fetch("/page"), None)
    }

    /// A call of a page that nobody has asked for.
    pub fn fresh_call(&self, number: usize) -> Vec<u8> {
        self.request(&self.fetch(&format!("/page/{number}")), None)
    }

    /// The call of a page in a session.
    pub async fn call_in_session(&self) -> Vec<u8> {
        let session = load::session(self.address).await;
        self.request(&self.fetch("/page"), Some(&session))
    }

    fn fetch(&self, path: &str) -> Value {
        json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "scrape_page", "arguments": {"url": format!("http://{}{path}", self.origin)}},
        })
    }

    fn request(&self, message: &Value, session: Option<&str>) -> Vec<u8> {
        load::request(self.address, message, session)
    }

    /// Its memory, in KiB.
    pub fn resident(&self) -> u64 {
        self.status("VmRSS:")
    }

    /// The most memory that it had, in KiB.
    pub fn peak(&self) -> u64 {
        self.status("VmHWM:")
    }

    fn status(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A server of the page, under every path.
async fn origin() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let paragraphs = (0..PARAGRAPHS)
        .fold(String::new(), |mut all, number| {
            let _ = writeln!(
                all,
                "<p>Paragraph {number} of a page that somebody has written about the tools of agents: each of them does \
                 one thing, and says what it has done and what it has not. A reader who is in the middle of something \
                 else finds the next step in every answer, and where nothing was found it is said where it was looked \
                 for. What is kept is as old as it says, and nothing else is shown in its place.</p>"
            );
            all
        });
    let page = format!(
        "<!doctype html><html><head><title>Tools</title></head><body><main><h1>Tools</h1>{paragraphs}</main></body></html>"
    );
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{page}",
        page.len()
    );
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = answer.clone();
            tokio::spawn(async move {
                let _ = stream.read(&mut [0; 4096]).await;
                let _ = stream.write_all(answer.as_bytes()).await;
                let _ = stream.shutdown().await;
            });
        }
    });
    address
}
