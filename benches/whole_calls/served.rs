//! Calls through a server of the Model Context Protocol that stays, one after the other, beside the
//! same calls as processes of their own.

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::corpus::{MB, RARE};
use crate::measure::{Call, Figures, How, figures, median};
use crate::rows::{Place, text};
use crate::table::{Limits, line};

/// How many calls each way.
const CALLS: usize = 201;

/// How many are made before.
const BEFORE: usize = 3;

/// The most that a call through the server may take by the clock, as a ratio.
const AT_MOST: f64 = 1.3;

/// A message of the protocol; a notification, if it has no `id`.
pub fn message(id: Option<usize>, method: &str, params: &Value) -> String {
    let mut message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
    if let Some(id) = id {
        message["id"] = id.into();
    }
    message.to_string() + "\n"
}

/// What opens a session; the request in it has the number 1.
pub fn greeting() -> String {
    let client = json!({ "name": "bench", "version": "1" });
    let hello =
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    message(Some(1), "initialize", &hello) + &message(None, "notifications/initialized", &json!({}))
}

/// Prints a line for each of a few calls.
pub fn print(
    place: &Place<'_>,
    is_wanted: impl Fn(&str) -> bool,
    cores: Option<usize>,
) -> io::Result<()> {
    let file = place.corpus.text("served", MB)?;
    for (what, tool, request) in calls(&file) {
        let work = format!("`mcp`, a call: {what}");
        if !place.has(tool) || !is_wanted(&work) {
            continue;
        }
        let how = How { look: false, cores };
        let own = place.tool(tool, "served", &request)?;
        let mut call = place.link("ikigai-tools");
        call.command.push("mcp".into());
        let mut server = Server::start(call, how)?;
        let (mut through, mut apart) = (Vec::new(), Vec::new());
        for run in 0..BEFORE + CALLS {
            let wall = server.time(tool, &request)?;
            let sample = own.run(how)?;
            if run >= BEFORE {
                through.push(wall);
                apart.push(sample);
            }
        }
        let (cpu, peak) = server.end()?;
        let ours = Figures {
            cpu: cpu / f64::from(u32::try_from(BEFORE + CALLS).unwrap_or(u32::MAX)),
            wall: median(through),
            peak,
        };
        let limits = Limits {
            wall_ratio: Some(AT_MOST),
            ..Limits::default()
        };
        let beside = ("a process of its own", &figures(&apart));
        line(&work, &ours, Some(beside), limits);
    }
    Ok(())
}

/// What is called, the tool's link, and its request.
fn calls(file: &Path) -> [(&'static str, &'static str, Value); 3] {
    let file = text(file);
    [
        ("bash `true`", "bash", json!({ "command": "true" })),
        (
            "file-read, a line",
            "file-read",
            json!({ "file_path": file, "limit": 1 }),
        ),
        (
            "grep, 1 MB",
            "grep",
            json!({ "pattern": RARE, "path": file }),
        ),
    ]
}

/// A server that has been greeted.
struct Server {
    call: Call,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: usize,
}

impl Server {
    fn start(call: Call, how: How) -> io::Result<Self> {
        let mut child = call.command(how)?.stdin(Stdio::piped()).spawn()?;
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        let input = child.stdin.take().ok_or_else(gone)?;
        let output = child.stdout.take().ok_or_else(gone)?;
        let mut server = Self {
            call,
            child,
            input,
            output: BufReader::new(output),
            last: 1,
        };
        server.input.write_all(greeting().as_bytes())?;
        server.answer()?;
        Ok(server)
    }

    /// Calls a tool, and returns how many seconds it took by the clock.
    fn time(&mut self, tool: &str, request: &Value) -> io::Result<f64> {
        self.last += 1;
        let params = json!({ "name": tool.replace('-', "_"), "arguments": request });
        let message = message(Some(self.last), "tools/call", &params);
        let started = Instant::now();
        self.input.write_all(message.as_bytes())?;
        let answer = self.answer()?;
        let seconds = started.elapsed().as_secs_f64();
        let answer: Value = serde_json::from_str(&answer)?;
        if answer["result"]["content"].is_null() || answer["result"]["isError"] == true {
            return Err(io::Error::other(format!("{tool}: {answer}")));
        }
        Ok(seconds)
    }

    /// The next line that answers the last request.
    fn answer(&mut self) -> io::Result<String> {
        let mark = format!("\"id\":{}", self.last);
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if line.contains(&mark) {
                return Ok(line);
            }
        }
    }

    /// Ends it: CPU seconds and the largest resident set, its calls' included.
    fn end(self) -> io::Result<(f64, u64)> {
        drop(self.input);
        self.call.end_of(&self.child)
    }
}
