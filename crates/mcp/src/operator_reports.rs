//! The reports of a server over HTTP to its operator: a line of JSON for each call, metrics in
//! Prometheus' text form, and its health.
//!
//! The arguments of calls are in none of them unless the operator asks for that: queries and
//! addresses are their askers' own.

mod metrics;
mod redaction;

use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Mutex;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use iki_base::console::sanitize;
use iki_base::mutex::lock;
use iki_web::cache::SharingState;
use iki_web::credentials::SecretText;
use iki_web::date;
use metrics::{CallCounts, ServerState};

pub use metrics::TEXT_FORM;

/// All that a request without a token learns of a server's health.
pub const ALIVE: &str = r#"{"status":"ok"}"#;

/// Lines that wait for a log that is read slowly; further ones are lost, and counted.
const MAX_WAITING_LINES: usize = 4096;

/// The status of a request without a token that is known.
const UNAUTHORIZED: u16 = 401;

/// The outcome of a call that answered.
const OK: &str = "ok";

/// The outcome of a call that was given up.
const CANCELLED: &str = "cancelled";

/// Minimum time between two lines on refused tokens: anybody can have tokens refused, and must not
/// fill a disk with that.
const REFUSAL_LOG_INTERVAL: Duration = Duration::from_secs(60);

/// A server's reports to its operator.
pub struct OperatorReports {
    begun: Instant,
    log: SyncSender<String>,
    /// Each call is logged.
    logs_calls: bool,
    /// The last line on a refused token, and how many were refused since.
    refused_tokens: Mutex<(Option<Instant>, u64)>,
    /// The arguments of calls are logged as well, without these keys.
    arguments: Option<Vec<SecretText>>,
    metrics: Mutex<CallCounts>,
}

/// The record of a call in the log.
#[derive(Serialize)]
struct CallRecord<'a> {
    time: String,
    token: &'a str,
    tool: &'a str,
    milliseconds: u64,
    bytes: usize,
    outcome: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a RawValue>,
}

impl OperatorReports {
    /// The reports of a server that starts now. `log` asks for a line for each call, `arguments`
    /// for the call's arguments in it as well, without these keys. An error is a sentence.
    pub fn new(log: bool, arguments: Option<Vec<SecretText>>) -> Result<Self, String> {
        if log {
            super::log_in_json();
        }
        Ok(Self {
            begun: Instant::now(),
            log: start_log().map_err(|error| format!("cannot log: {error}"))?,
            logs_calls: log,
            refused_tokens: Mutex::default(),
            arguments,
            metrics: Mutex::default(),
        })
    }

    /// A call of `tool` that begins now, by the holder of the token `token`. What is no object in
    /// `arguments` is not logged.
    pub fn begin_call<'a>(
        &'a self,
        token: &str,
        tool: &'static str,
        arguments: &[u8],
    ) -> RunningCall<'a> {
        lock(&self.metrics).running += 1;
        let logged = self.logs_calls;
        RunningCall {
            reports: self,
            begun: Instant::now(),
            token: if logged {
                token.to_owned()
            } else {
                String::new()
            },
            tool,
            arguments: self
                .arguments
                .as_deref()
                .filter(|_| logged)
                .and_then(|keys| {
                    let arguments = serde_json::from_slice(arguments).ok()?;
                    to_raw_value(&redaction::redact_arguments(&arguments, keys)).ok()
                }),
            ended: None,
        }
    }

    /// Records that a request was refused with this status.
    pub fn record_refusal(&self, status: u16) {
        *lock(&self.metrics).refused.entry(status).or_default() += 1;
        if status == UNAUTHORIZED {
            self.log_refused_token();
        }
    }

    /// Logs that the token of a request was refused, nothing of which is said.
    fn log_refused_token(&self) {
        let more = {
            let mut refused = lock(&self.refused_tokens);
            let (last, more) = *refused;
            if last.is_some_and(|last| last.elapsed() < REFUSAL_LOG_INTERVAL) {
                refused.1 += 1;
                return;
            }
            *refused = (Some(Instant::now()), 0);
            more
        };
        let mut line = String::from(
            "a request was refused, whose token is missing or not in the file of tokens",
        );
        if more > 0 {
            let _ = write!(line, "; so were {more} more since the last such line");
        }
        self.write(super::log_line(&line));
    }

    fn write(&self, line: String) {
        if self.log.try_send(line).is_err() {
            lock(&self.metrics).lost += 1;
        }
    }

    /// The server's health, for a request with a token: others only learn [`ALIVE`]. If it shares
    /// its cache with other servers, `sharing` is the state of that.
    pub fn health(&self, sharing: Option<&SharingState>) -> Value {
        let mut shared = json!("none");
        let mut well = true;
        if let Some(sharing) = sharing {
            let seconds = sharing.since.elapsed().unwrap_or_default().as_secs();
            shared = json!({
                "state": if sharing.is_up { "up" } else { "down" },
                "seconds": seconds,
            });
            if let Some(why) = sharing.why.as_ref().or(sharing.refuses.as_ref()) {
                shared["reason"] = why.as_str().into();
                well = false;
            }
        }
        json!({
            "status": if well { OK } else { "degraded" },
            "version": env!("CARGO_PKG_VERSION"),
            "uptimeSeconds": self.begun.elapsed().as_secs(),
            "sharedCache": shared,
        })
    }

    /// The metrics, in [`TEXT_FORM`], of a server that has so many `connections`.
    pub fn metrics(&self, connections: usize, sharing: Option<&SharingState>) -> String {
        lock(&self.metrics).text(&ServerState {
            uptime: self.begun.elapsed(),
            connections,
            is_shared_cache_up: sharing.is_none_or(|sharing| sharing.is_up),
            resident: resident(),
        })
    }

    fn record_end(&self, call: &RunningCall<'_>, outcome: &str, bytes: usize) {
        let took = call.begun.elapsed();
        lock(&self.metrics).record_end(call.tool, outcome, took);
        if !self.logs_calls {
            return;
        }
        let line = CallRecord {
            time: now(),
            token: &call.token,
            tool: call.tool,
            milliseconds: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            bytes,
            outcome,
            arguments: call.arguments.as_deref(),
        };
        if let Ok(line) = serde_json::to_string(&line) {
            self.write(sanitize::escape_json(&line));
        }
    }
}

/// A call under way. One that is dropped before it has ended was given up.
pub struct RunningCall<'a> {
    reports: &'a OperatorReports,
    begun: Instant,
    token: String,
    tool: &'static str,
    arguments: Option<Box<RawValue>>,
    ended: Option<(String, usize)>,
}

impl RunningCall<'_> {
    /// Records that it has answered with so many bytes; `code` is that of the error, if it is one.
    pub fn record_answer(mut self, code: Option<&str>, bytes: usize) {
        self.ended = Some((code.unwrap_or(OK).to_owned(), bytes));
    }
}

impl Drop for RunningCall<'_> {
    fn drop(&mut self) {
        let ended = self.ended.take();
        let (outcome, bytes) = ended
            .as_ref()
            .map_or((CANCELLED, 0), |(code, bytes)| (code.as_str(), *bytes));
        self.reports.record_end(self, outcome, bytes);
    }
}

/// Starts a thread that writes lines on stderr, so that no call waits for the log's reader.
fn start_log() -> io::Result<SyncSender<String>> {
    let (lines, waiting) = sync_channel::<String>(MAX_WAITING_LINES);
    let thread = thread::Builder::new()
        .name("log".to_owned())
        .stack_size(64 * 1024);
    thread.spawn(move || {
        for mut line in waiting {
            line.push('\n');
            let _ = io::stderr().write_all(line.as_bytes());
        }
    })?;
    Ok(lines)
}

/// Now, to the millisecond (RFC 3339).
pub fn now() -> String {
    let now = SystemTime::now();
    let since = now.duration_since(SystemTime::UNIX_EPOCH);
    let milliseconds = since.unwrap_or(Duration::ZERO).subsec_millis();
    let seconds = date::rfc_3339(now);
    match seconds.strip_suffix('Z') {
        Some(seconds) => format!("{seconds}.{milliseconds:03}Z"),
        None => seconds,
    }
}

/// The memory of this process that is in use, in bytes; unknown without `/proc`.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_tokens_are_at_most_one_line_a_minute() {
        let (log, lines) = sync_channel(8);
        let reports = OperatorReports {
            log,
            ..OperatorReports::new(false, None).unwrap()
        };
        let refuse = |times: usize| (0..times).for_each(|_| reports.record_refusal(UNAUTHORIZED));
        refuse(50);
        assert!(lines.try_recv().unwrap().ends_with("the file of tokens"));
        lock(&reports.refused_tokens).0 = Instant::now().checked_sub(REFUSAL_LOG_INTERVAL / 2);
        refuse(1);
        assert!(lines.try_recv().is_err());
        lock(&reports.refused_tokens).0 = Instant::now().checked_sub(REFUSAL_LOG_INTERVAL);
        refuse(2);
        let line = lines.try_recv().unwrap();
        assert!(
            line.ends_with("; so were 50 more since the last such line"),
            "{line}"
        );
        assert!(lines.try_recv().is_err());
    }
}
