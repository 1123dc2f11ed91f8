//! One call: this executable as a child process, the request on its stdin, the answer from its
//! stdout.
//!
//! If the server dies, the call ends as it does with any host that dies: by itself, and not in the
//! middle of a write.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rmcp::model::JsonObject;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::contract::tool::{Family, Reach, Tool};
use crate::sandbox::reaper::RunningCalls;
use crate::sandbox::roots::Roots;

/// This executable, even if another one has replaced it on the disk since.
const MYSELF: &str = "/proc/self/exe";

/// How many calls run at the same time; further ones wait for a permit.
const CALL_PERMITS: usize = 64;

/// The tool whose calls may take much memory.
const READER: &str = "web_fetch";

/// How many calls of [`READER`] run at the same time, of 256 MiB each at most: a gibibyte in all.
const READER_PERMITS: usize = 4;

/// The longest message that is sent, in bytes. Clients drop longer ones and then wait in vain.
const LONGEST_MESSAGE: usize = 16 * 1024 * 1024;

/// The most that a message holds beyond the answer, in bytes.
const ENVELOPE: usize = 64 * 1024;

/// The longest answer, in bytes. Its message holds it twice, as text and as an object.
const LONGEST_ANSWER: usize = (LONGEST_MESSAGE - ENVELOPE) / 2;

/// What a tool answered.
#[derive(Debug)]
pub struct CallAnswer {
    /// The object as the tool wrote it.
    pub text: String,
    /// The object.
    pub object: Value,
    /// Whether it says that the tool failed.
    pub failed: bool,
}

impl CallAnswer {
    fn new(text: String, object: Value) -> Self {
        Self {
            failed: object["success"] == false || object["error"].is_string(),
            text,
            object,
        }
    }

    /// An error of the server's own, in the form of the tool's errors.
    fn refusal(tool: &Tool, code: &str, message: &str) -> Self {
        let object = match tool.family {
            Family::Local => json!({"error": message, "error_code": code}),
            Family::Web => json!({"success": false, "error": message, "error_code": code}),
        };
        Self::new(object.to_string(), object)
    }
}

/// Makes calls.
pub struct Caller {
    roots: Option<Roots>,
    timeout: Option<Duration>,
    secrets: Vec<(OsString, OsString)>,
    permits: Semaphore,
    reader_permits: Semaphore,
    calls: RunningCalls,
}

impl Caller {
    /// Calls are kept within `roots` and ended after `timeout`; those that need the network get the
    /// `secrets`.
    pub fn new(
        roots: Option<Roots>,
        timeout: Option<Duration>,
        secrets: Vec<(OsString, OsString)>,
    ) -> Self {
        Self {
            roots,
            timeout,
            secrets,
            permits: Semaphore::new(CALL_PERMITS),
            reader_permits: Semaphore::new(READER_PERMITS),
            calls: RunningCalls::default(),
        }
    }

    /// The bounds of file work, if there are any.
    pub fn roots(&self) -> Option<&Roots> {
        self.roots.as_ref()
    }

    /// Calls `tool`. If the future is dropped before it is done, the call is ended.
    pub async fn call(&self, tool: &'static Tool, mut request: JsonObject) -> CallAnswer {
        if let Some(roots) = &self.roots
            && let Err(refusal) = roots.admit(tool, &mut request)
        {
            return CallAnswer::refusal(tool, "PERMISSION_DENIED", &refusal);
        }
        let begin = Instant::now();
        // Acquired first, so that waiting pages do not keep other calls waiting.
        let _reader_permit = if tool.name == READER {
            match self.within(begin, self.reader_permits.acquire()).await {
                // Neither semaphore is ever closed.
                Ok(page) => page.ok(),
                Err((code, message)) => return CallAnswer::refusal(tool, code, &message),
            }
        } else {
            None
        };
        let waited = begin.elapsed();
        let _permit = self.permits.acquire().await;
        let begin = Instant::now().checked_sub(waited).unwrap_or(begin);
        let answer = self.carry_out(tool, Value::Object(request).to_string());
        let answered = self.within(begin, answer).await;
        match answered.and_then(|answer| answer) {
            Ok(answer) => answer,
            Err((code, message)) => CallAnswer::refusal(tool, code, &message),
        }
    }

    /// Waits for `what` until the timeout of a call that began at `begin`.
    async fn within<T>(
        &self,
        begin: Instant,
        what: impl Future<Output = T>,
    ) -> Result<T, (&'static str, String)> {
        let Some(limit) = self.timeout else {
            return Ok(what.await);
        };
        let left = limit.saturating_sub(begin.elapsed());
        timeout(left, what).await.map_err(|_| {
            let seconds = limit.as_secs();
            let message = format!(
                "The call was ended after {seconds} seconds. What takes longer can be started in \
                 the background."
            );
            ("TIMEOUT", message)
        })
    }

    async fn carry_out(
        &self,
        tool: &'static Tool,
        request: String,
    ) -> Result<CallAnswer, (&'static str, String)> {
        let failed = |error: io::Error| {
            (
                "TOOL_FAILED",
                format!("{} could not be called: {error}", tool.name),
            )
        };
        let mut child = self.command(tool).spawn().map_err(failed)?;
        let _running = Running::new(&self.calls, child.id());
        if let Some(mut stdin) = child.stdin.take() {
            // Concurrently with the reading, since a tool may answer before it has read everything.
            // A tool may also stop reading for reasons of its own.
            tokio::spawn(async move {
                let _ = stdin.write_all(request.as_bytes()).await;
            });
        }
        let mut bytes = Vec::new();
        if let Some(stdout) = child.stdout.take() {
            let most = u64::try_from(LONGEST_ANSWER + 1).unwrap_or(u64::MAX);
            stdout
                .take(most)
                .read_to_end(&mut bytes)
                .await
                .map_err(failed)?;
        }
        let quotes = bytes.iter().filter(|byte| matches!(byte, b'"' | b'\\'));
        if bytes.len() + quotes.count() / 2 > LONGEST_ANSWER {
            return Err((
                "ANSWER_TOO_LARGE",
                String::from(
                    "The answer does not fit into a message of 16 MiB, and the call was ended. \
                     Ask for less: a few lines at a time, a narrower pattern, a command that \
                     prints less.",
                ),
            ));
        }
        let status = child.wait().await.map_err(failed)?;
        let text = String::from_utf8(bytes).unwrap_or_default();
        match serde_json::from_str(&text) {
            Ok(object @ Value::Object(_)) => Ok(CallAnswer::new(text, object)),
            _ => Err((
                "TOOL_FAILED",
                format!("{} ended without an answer ({status})", tool.name),
            )),
        }
    }

    fn command(&self, tool: &'static Tool) -> Command {
        let mut command = std::process::Command::new(MYSELF);
        match &self.roots {
            Some(roots) if Roots::concern(tool) => {
                command.arg0("ikigai-tools").arg("mcp");
                command.arg("--confined").arg(tool.link);
                for root in roots.directories() {
                    command.arg("--root").arg(root);
                }
                command.current_dir(roots.first());
            }
            _ => {
                command.arg0(tool.link);
            }
        }
        if tool.reach == Reach::Network {
            command.envs(self.secrets.iter().map(|(name, value)| (name, value)));
        }
        let mut command = Command::from(command);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        command
    }
}

/// A process that the runtime waits for, until this is dropped.
struct Running<'a> {
    calls: &'a RunningCalls,
    pid: i32,
}

impl<'a> Running<'a> {
    fn new(calls: &'a RunningCalls, pid: Option<u32>) -> Self {
        let pid = pid.and_then(|pid| i32::try_from(pid).ok()).unwrap_or(0);
        calls.started(pid);
        Self { calls, pid }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.calls.ended(self.pid);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    #[test]
    fn an_answer_fails_by_its_error_and_not_by_an_exit_code() {
        for (object, failed) in [
            (json!({"output": "", "exit_code": 1}), false),
            (json!({"output": "error"}), false),
            (json!({"error": "x", "error_code": "NOT_FOUND"}), true),
            (json!({"output": "x", "error": "midway"}), true),
            (json!({"success": false, "error": "x"}), true),
            (json!({"success": true, "results": []}), false),
        ] {
            assert_eq!(
                CallAnswer::new(String::new(), object.clone()).failed,
                failed,
                "{object}"
            );
        }
    }

    #[test]
    fn a_refusal_has_the_form_of_the_tool_s_own_errors() {
        let tool = registry::find("grep").unwrap();
        let answer = CallAnswer::refusal(tool, "TIMEOUT", "too long");
        assert_eq!(
            answer.text,
            r#"{"error":"too long","error_code":"TIMEOUT"}"#
        );
        assert!(answer.failed);
    }
}
