//! One call: this executable as a child process, the request on its stdin, the answer from its stdout.
//!
//! Should the server die, the call ends as with any host that dies: by itself, and not in the midst of a write.

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
use crate::sandbox::orphans::Calls;
use crate::sandbox::roots::Roots;

/// This very executable, even when another one has taken its place on the disk since.
const MYSELF: &str = "/proc/self/exe";

/// How many calls run at the same time; further ones wait for their turn.
const SIDE_BY_SIDE: usize = 64;

/// The tool whose calls may take much memory.
const READER: &str = "web_fetch";

/// How many calls of [`READER`] run at the same time, of 256 MiB each at most: a gibibyte in all.
const PAGES: usize = 4;

/// The longest message that is sent, in bytes. Clients drop longer ones, and then wait in vain.
const LONGEST_MESSAGE: usize = 16 * 1024 * 1024;

/// What a message holds beyond the answer, at most, in bytes.
const ENVELOPE: usize = 64 * 1024;

/// An answer stands in its message twice, as text and as an object.
const LONGEST_ANSWER: usize = (LONGEST_MESSAGE - ENVELOPE) / 2;

/// What a tool answered.
#[derive(Debug)]
pub struct Answer {
    /// The object as the tool wrote it.
    pub text: String,
    /// The object.
    pub object: Value,
    /// Whether it says that the tool could not do what it was asked to.
    pub failed: bool,
}

impl Answer {
    fn new(text: String, object: Value) -> Self {
        Self {
            failed: object["success"] == false || object["error"].is_string(),
            text,
            object,
        }
    }

    /// What is said here in the tool's place, in the form of its own errors.
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
    patience: Option<Duration>,
    secrets: Vec<(OsString, OsString)>,
    places: Semaphore,
    pages: Semaphore,
    calls: Calls,
}

impl Caller {
    /// Calls are kept within `roots` and ended after `patience`; those that ask the world get the `secrets`.
    pub fn new(
        roots: Option<Roots>,
        patience: Option<Duration>,
        secrets: Vec<(OsString, OsString)>,
    ) -> Self {
        Self {
            roots,
            patience,
            secrets,
            places: Semaphore::new(SIDE_BY_SIDE),
            pages: Semaphore::new(PAGES),
            calls: Calls::default(),
        }
    }

    /// The bounds of file work, if there are any.
    pub fn roots(&self) -> Option<&Roots> {
        self.roots.as_ref()
    }

    /// Calls `tool`. Dropped before it is done, the call is ended.
    pub async fn call(&self, tool: &'static Tool, mut request: JsonObject) -> Answer {
        if let Some(roots) = &self.roots
            && let Err(refusal) = roots.admit(tool, &mut request)
        {
            return Answer::refusal(tool, "PERMISSION_DENIED", &refusal);
        }
        let begin = Instant::now();
        // Before the place, so that pages that wait keep no other call waiting.
        let _page = if tool.name == READER {
            match self.within(begin, self.pages.acquire()).await {
                // They are never closed, and neither are the places.
                Ok(page) => page.ok(),
                Err((code, message)) => return Answer::refusal(tool, code, &message),
            }
        } else {
            None
        };
        let waited = begin.elapsed();
        let _place = self.places.acquire().await;
        let begin = Instant::now().checked_sub(waited).unwrap_or(begin);
        let answer = self.carry_out(tool, Value::Object(request).to_string());
        let answered = self.within(begin, answer).await;
        match answered.and_then(|answer| answer) {
            Ok(answer) => answer,
            Err((code, message)) => Answer::refusal(tool, code, &message),
        }
    }

    /// Waits for `what` as long as there is patience with a call that began at `begin`.
    async fn within<T>(
        &self,
        begin: Instant,
        what: impl Future<Output = T>,
    ) -> Result<T, (&'static str, String)> {
        let Some(patience) = self.patience else {
            return Ok(what.await);
        };
        let left = patience.saturating_sub(begin.elapsed());
        timeout(left, what).await.map_err(|_| {
            let seconds = patience.as_secs();
            let message = format!(
                "The call was ended after {seconds} seconds. What takes longer can be started in the background."
            );
            ("TIMEOUT", message)
        })
    }

    async fn carry_out(
        &self,
        tool: &'static Tool,
        request: String,
    ) -> Result<Answer, (&'static str, String)> {
        let failed = |error: io::Error| {
            (
                "TOOL_FAILED",
                format!("{} could not be called: {error}", tool.name),
            )
        };
        let mut child = self.command(tool).spawn().map_err(failed)?;
        let _running = Running::new(&self.calls, child.id());
        if let Some(mut stdin) = child.stdin.take() {
            // Beside the reading, since a tool may answer before it has read everything; a tool that reads no further
            // has its reasons.
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
                     Ask for less: a few lines at a time, a narrower pattern, a command that prints less.",
                ),
            ));
        }
        let status = child.wait().await.map_err(failed)?;
        let text = String::from_utf8(bytes).unwrap_or_default();
        match serde_json::from_str(&text) {
            Ok(object @ Value::Object(_)) => Ok(Answer::new(text, object)),
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
    calls: &'a Calls,
    pid: i32,
}

impl<'a> Running<'a> {
    fn new(calls: &'a Calls, pid: Option<u32>) -> Self {
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
                Answer::new(String::new(), object.clone()).failed,
                failed,
                "{object}"
            );
        }
    }

    #[test]
    fn a_refusal_has_the_form_of_the_tool_s_own_errors() {
        let tool = registry::find("grep").unwrap();
        let answer = Answer::refusal(tool, "TIMEOUT", "too long");
        assert_eq!(
            answer.text,
            r#"{"error":"too long","error_code":"TIMEOUT"}"#
        );
        assert!(answer.failed);
    }
}
