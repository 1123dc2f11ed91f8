//! One call: this executable as a child process, the request on its stdin, the answer from its
//! stdout.
//!
//! If the server dies, the call ends as it does with any host that dies: by itself, and not in the
//! middle of a write. One that is cancelled is asked to end, and has the time to clear up.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::JsonObject;
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pipe::{PIPE_BUF, PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy, sink};
use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::access::TokenOwner;
use crate::cache::{self, Layers, broker};
use crate::command_line::mcp::Call;
use crate::contract::envelope;
use crate::contract::failure::{Code, Failure};
use crate::contract::reply::{LINK, META};
use crate::contract::terms::{Audience, Terms};
use crate::contract::tool::{AccessScope, Tool};
use crate::front::mcp::flights::Flights;
use crate::front::mcp::known;
use crate::front::mcp::permits::{Permit, Permits};
use crate::front::mcp::progress::Heard;
use crate::front::mcp::visible::make_visible;
use crate::sandbox::confinement::Confinement;
use crate::sandbox::ending::GRACE;
use crate::sandbox::reaper::RunningCalls;
use crate::web::guard;

/// This executable, even if another one has replaced it on the disk since.
const MYSELF: &str = "/proc/self/exe";

/// The longest message that is sent, in bytes. Clients drop longer ones, and then wait in vain.
const LONGEST_MESSAGE: usize = 16 * 1024 * 1024;

/// The most that a message holds beyond the answer, in bytes.
const ENVELOPE: usize = 64 * 1024;

/// The longest content of a message that holds it once, in bytes, as it is escaped.
pub const LONGEST_CONTENT: usize = LONGEST_MESSAGE - ENVELOPE;

/// The longest answer, in bytes. Its message holds it twice, as text and as an object.
const LONGEST_ANSWER: usize = (LONGEST_MESSAGE - ENVELOPE) / 2;

/// Most answers are no longer than this, in bytes, and are read in one go.
const PLAIN_ANSWER: usize = 4 * 1024;

/// The time beyond its limit that a server waits for a call: one that ends in time by itself says
/// what it had.
const PATIENCE: Duration = Duration::from_secs(2);

/// The time that a tool which was asked to end has beyond that of the processes it started.
const MARGIN: Duration = Duration::from_millis(500);

/// How a call is to be answered.
pub struct Wanted<'a> {
    /// For whom.
    pub reader: Audience,
    /// The most bytes that it may have, for a model.
    pub max_answer: Option<usize>,
    /// Where it is told how it goes on, if anybody wants to know.
    pub heard: Option<&'a Heard>,
    /// Who calls, where callers are told apart.
    pub holder: Option<&'a TokenOwner>,
}

/// What a tool answered.
#[derive(Clone, Debug)]
pub struct CallAnswer {
    /// The object as the tool wrote it, but for what stands beside it.
    pub text: String,
    /// The object.
    pub object: Value,
    /// What the protocol hands on beside it, for the client and not for the model.
    pub meta: Option<Value>,
    /// A resource that it links to.
    pub link: Option<Value>,
    /// Whether it says that the tool failed.
    pub failed: bool,
}

impl CallAnswer {
    /// The answer that is `object`, which the tool wrote as `text`.
    pub fn new(mut text: String, mut object: Value) -> Self {
        let mut beside = |name| object.as_object_mut()?.shift_remove(name);
        let (meta, link) = (beside(META), beside(LINK));
        if meta.is_some() || link.is_some() {
            text = object.to_string();
        }
        Self {
            failed: envelope::has_failed(&object),
            text,
            object,
            meta,
            link,
        }
    }

    /// The code of the error that it is, if it is one.
    pub fn code(&self) -> Option<&str> {
        let code = || self.object["error_code"].as_str();
        self.failed.then(|| code().unwrap_or("FAILED"))
    }

    /// An answer in the tool's place, in the form of its own errors.
    fn refusal(tool: &Tool, failure: &Failure) -> Self {
        let text = envelope::failure_text(tool.family, failure);
        let object = serde_json::from_str(&text).unwrap_or_default();
        Self::new(text, object)
    }
}

/// Makes calls.
pub struct Caller {
    confinement: Option<Confinement>,
    /// It runs commands, whose long outputs are kept in files.
    keeps_outputs: bool,
    timeout: Option<Duration>,
    secrets: Vec<(OsString, OsString)>,
    /// What the calls of this server know already, where it holds that for them.
    cache: Option<Arc<Layers>>,
    permits: Permits,
    calls: Arc<RunningCalls>,
    flights: Flights<CallAnswer>,
}

impl Caller {
    /// Calls of `tools` are confined and ended after `timeout`; those that ask the network get the
    /// `secrets`, and where there is a `cache`, those that keep answers get to ask it. The server
    /// has `many` clients, or one.
    pub fn new(
        tools: &[&'static Tool],
        confinement: Option<Confinement>,
        timeout: Option<Duration>,
        secrets: Vec<(OsString, OsString)>,
        cache: Option<Arc<Layers>>,
        many: bool,
    ) -> Self {
        Self {
            confinement,
            keeps_outputs: tools.iter().any(|tool| tool.scope == AccessScope::Machine),
            timeout,
            secrets,
            cache,
            permits: Permits::new(tools, many),
            calls: Arc::default(),
            flights: Flights::default(),
        }
    }

    /// The variables that were taken out of the environment, for those who may know them.
    pub fn secrets(&self) -> &[(OsString, OsString)] {
        &self.secrets
    }

    /// What the calls of this server know already, where it holds that for them.
    pub fn cache(&self) -> Option<&Arc<Layers>> {
        self.cache.as_ref()
    }

    /// Where calls are confined to, if anywhere.
    pub fn confinement(&self) -> Option<&Confinement> {
        self.confinement.as_ref()
    }

    /// Calls `tool`. If the future is dropped before it is done, the call is ended. Of equal calls
    /// at the same time whose answers are kept one is carried out, and all get its answer.
    pub async fn call(
        &self,
        tool: &'static Tool,
        request: JsonObject,
        wanted: &Wanted<'_>,
    ) -> CallAnswer {
        if !tool.keeps_answers() {
            let request = Value::Object(request).to_string();
            return self.call_process(tool, request, wanted).await;
        }
        // Equal requests are written equally, whatever the order of their fields.
        let request: BTreeMap<String, Value> = request.into_iter().collect();
        let request = serde_json::to_string(&request).unwrap_or_default();
        if let Some(cache) = &self.cache {
            let terms = Terms {
                served: true,
                ..Terms::within(wanted.reader, wanted.max_answer, None)
            };
            if let Some(answer) = known::answer(tool, &request, terms, cache).await {
                return answer;
            }
        }
        let key = format!(
            "{} {:?} {:?} {request}",
            tool.name, wanted.reader, wanted.max_answer
        );
        let answer = self.call_process(tool, request, wanted);
        self.flights.share(key, answer).await
    }

    /// Calls `tool` in a process of its own.
    async fn call_process(
        &self,
        tool: &'static Tool,
        request: String,
        wanted: &Wanted<'_>,
    ) -> CallAnswer {
        if let Some(root) = self.confinement.as_ref().and_then(Confinement::first)
            && !root.is_dir()
        {
            let message = format!(
                "Not confined, so not done: the directory {}, to which this server is confined, is no \
                 longer there",
                root.display()
            );
            return CallAnswer::refusal(tool, &Failure::new(Code::PermissionDenied, message));
        }
        let begin = Instant::now();
        let own = self.permits.own(tool, wanted.holder);
        let mut permit = match self.within(begin, own).await {
            Ok(permit) => permit,
            Err(failure) => return CallAnswer::refusal(tool, &failure),
        };
        let queued = begin.elapsed();
        self.permits.common(&mut permit).await;
        let begin = Instant::now().checked_sub(queued).unwrap_or(begin);
        let left = self
            .timeout
            .map(|longest| longest.saturating_sub(begin.elapsed()));
        let mut call = Call {
            tool,
            bounds: self.confinement.as_ref().map(Confinement::bounds),
            reads_outputs: self.keeps_outputs,
            public_only: tool.scope == AccessScope::Network && guard::fetches_public_alone(),
            // Only commands leave something behind, and only those who read files find it.
            holder: wanted
                .holder
                .filter(|_| tool.scope != AccessScope::Network)
                .map(|holder| holder.name().to_owned()),
            terms: Terms {
                served: true,
                ..Terms::within(wanted.reader, wanted.max_answer, left)
            },
            progress: wanted.heard.is_some(),
            store: None,
        };
        let socket = self.socket_to_the_cache(tool);
        call.store = socket.as_ref().map(AsRawFd::as_raw_fd);
        let answer = self.carry_out(&call, permit, socket, request, wanted.heard);
        let answered = self.within(begin + PATIENCE, answer).await;
        match answered.and_then(|answer| answer) {
            Ok(answer) => answer,
            Err(failure) => CallAnswer::refusal(tool, &failure),
        }
    }

    /// Waits for `what` until the timeout of a call that began at `begin`.
    async fn within<T>(&self, begin: Instant, what: impl Future<Output = T>) -> Result<T, Failure> {
        let Some(longest) = self.timeout else {
            return Ok(what.await);
        };
        let left = longest.saturating_sub(begin.elapsed());
        timeout(left, what).await.map_err(|_| {
            let seconds = longest.as_secs();
            let message = format!(
                "The call was ended after {seconds} seconds. What takes longer can be started in \
                 the background."
            );
            Failure::new(Code::Timeout, message)
        })
    }

    async fn carry_out(
        &self,
        call: &Call,
        permit: Permit,
        socket: Option<OwnedFd>,
        request: String,
        heard: Option<&Heard>,
    ) -> Result<CallAnswer, Failure> {
        let tool = call.tool;
        let failed = |error: io::Error| {
            let message = format!("{} could not be called: {error}", tool.name);
            Failure::new(Code::ToolFailed, message)
        };
        let mut command = self.command(call);
        if let Some(filled) = filled_pipe(request.as_bytes()) {
            command.stdin(filled);
        }
        // Nothing is started meanwhile that could have it as well: one thread starts processes.
        if let Some(socket) = &socket {
            fcntl_setfd(socket, FdFlags::empty()).map_err(|errno| failed(errno.into()))?;
        }
        let mut child = command.spawn().map_err(failed)?;
        drop(socket);
        let stdin = child.stdin.take();
        let mut process = CallProcess(Some(StartedCall {
            _running: Running::new(&self.calls, child.id()),
            child,
            _permit: permit,
        }));
        if let Some(mut stdin) = stdin {
            // Concurrently with the reading, since a tool may answer before it has read everything.
            // A tool may also stop reading for reasons of its own.
            tokio::spawn(async move {
                let _ = stdin.write_all(request.as_bytes()).await;
            });
        }
        let bytes = process.read_answer(heard).await.map_err(failed)?;
        let quotes = bytes.iter().filter(|byte| matches!(byte, b'"' | b'\\'));
        if bytes.len() + quotes.count() / 2 > LONGEST_ANSWER {
            return Err(Failure::new(
                Code::AnswerTooLarge,
                "The answer does not fit into a message of 16 MiB, and the call was ended. \
                 Ask for less: a few lines at a time, a narrower pattern, a command that prints less.",
            ));
        }
        let text = String::from_utf8(bytes).unwrap_or_default();
        if let Ok(mut object) = serde_json::from_str(&text) {
            let changed = make_visible(tool, &mut object);
            let object = Value::Object(object);
            let text = if changed { object.to_string() } else { text };
            // It has said all it had to say, and nobody has to wait for its end.
            tokio::spawn(async move {
                if let Ok(child) = process.child() {
                    let _ = timeout(PATIENCE, child.wait()).await;
                }
            });
            return Ok(CallAnswer::new(text, object));
        }
        let status = process
            .child()
            .map_err(failed)?
            .wait()
            .await
            .map_err(failed)?;
        Err(Failure::new(
            Code::ToolFailed,
            format!("{} ended without an answer ({status})", tool.name),
        ))
    }

    /// An end of a socket over which a call of `tool` can ask this server's cache, if it keeps
    /// answers and there is one.
    fn socket_to_the_cache(&self, tool: &Tool) -> Option<OwnedFd> {
        let cache = self.cache.as_ref().filter(|_| tool.keeps_answers())?;
        let (own, other) = broker::pair().ok()?;
        tokio::spawn(broker::serve(Arc::clone(cache), own));
        Some(other)
    }

    fn command(&self, call: &Call) -> Command {
        let mut command = std::process::Command::new(MYSELF);
        command.arg0("ikigai-tools").arg("mcp").args(call.words());
        if let Some(first) = self.confinement.as_ref().and_then(Confinement::first) {
            command.current_dir(first);
        }
        if call.tool.scope == AccessScope::Network {
            command.envs(self.secrets.iter().map(|(name, value)| (name, value)));
            // They ask the server.
            if self.cache.is_some() {
                command.env_remove(cache::KEY_VARIABLE);
                command.env_remove(cache::REDIS_VARIABLE);
            }
        }
        let mut command = Command::from(command);
        // In a group of its own, so that no signal that the kernel sends to a group reaches the
        // server or another call.
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0);
        command
    }
}

/// A pipe in which the request is already, at its end; none where it might not have room. Writing
/// to a pipe of the runtime's own takes several system calls more.
fn filled_pipe(request: &[u8]) -> Option<OwnedFd> {
    if request.len() > PIPE_BUF {
        return None;
    }
    let (filled, input) = pipe_with(PipeFlags::CLOEXEC).ok()?;
    // An empty pipe takes as much without blocking, all at once (`pipe(7)`).
    (rustix::io::write(input, request) == Ok(request.len())).then_some(filled)
}

/// A call's process. If it is dropped before its end, it is asked to end, and has the time to do so
/// with all that it started.
struct CallProcess(Option<StartedCall>);

/// A process that was started, and all that is held as long as it is there.
struct StartedCall {
    child: Child,
    _running: Running,
    _permit: Permit,
}

impl CallProcess {
    fn child(&mut self) -> io::Result<&mut Child> {
        let started = self.0.as_mut().ok_or(io::ErrorKind::NotFound)?;
        Ok(&mut started.child)
    }

    /// Reads an answer, as far as it may be long. What comes before it, a line each, tells how the
    /// call goes on.
    async fn read_answer(&mut self, heard: Option<&Heard>) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(PLAIN_ANSWER);
        let Some(stdout) = &mut self.child()?.stdout else {
            return Ok(bytes);
        };
        let mut seen = 0;
        while bytes.len() <= LONGEST_ANSWER && stdout.read_buf(&mut bytes).await? > 0 {
            while let Some(newline) = memchr::memchr(b'\n', &bytes[seen..]) {
                let line: Vec<u8> = bytes.drain(..=seen + newline).collect();
                if let Some(heard) = heard {
                    heard.take(line.trim_ascii_end());
                }
                seen = 0;
            }
            seen = bytes.len();
        }
        Ok(bytes)
    }
}

impl Drop for CallProcess {
    fn drop(&mut self) {
        let Some(mut started) = self.0.take() else {
            return;
        };
        let pid = started.child.id().and_then(|pid| i32::try_from(pid).ok());
        let Some(pid) = pid.and_then(Pid::from_raw) else {
            return;
        };
        let _ = kill_process(pid, Signal::TERM);
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        // At the server's end nobody runs this, and `reaper` ends all that is left.
        runtime.spawn(async move {
            let child = &mut started.child;
            let ended = async {
                // Were nobody to read, it would end before what it started has.
                if let Some(stdout) = &mut child.stdout {
                    let _ = copy(stdout, &mut sink()).await;
                }
                child.wait().await
            };
            if timeout(GRACE + MARGIN, ended).await.is_err() {
                let _ = child.kill().await;
            }
            drop(started);
        });
    }
}

/// A process that the runtime waits for, until this is dropped.
struct Running {
    calls: Arc<RunningCalls>,
    pid: i32,
}

impl Running {
    fn new(calls: &Arc<RunningCalls>, pid: Option<u32>) -> Self {
        let pid = pid.and_then(|pid| i32::try_from(pid).ok()).unwrap_or(0);
        calls.started(pid);
        let calls = Arc::clone(calls);
        Self { calls, pid }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.calls.ended(self.pid);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
    fn what_stands_beside_an_answer_is_no_part_of_it() {
        let plain = json!({"z": 1, "a": {"_meta": 2}});
        // As the tool wrote it, blanks and all.
        let answer = CallAnswer::new(String::from("{ }"), plain.clone());
        assert_eq!((&*answer.text, &answer.object), ("{ }", &plain));
        assert_eq!((answer.meta, answer.link), (None, None));
        let object =
            json!({"z": 1, "_meta": {"cached": true}, "_link": {"uri": "u"}, "a": {"_meta": 2}});
        let answer = CallAnswer::new(object.to_string(), object);
        assert_eq!(answer.text, r#"{"z":1,"a":{"_meta":2}}"#);
        assert_eq!(answer.object, plain);
        assert_eq!(answer.meta, Some(json!({"cached": true})));
        assert_eq!(answer.link, Some(json!({"uri": "u"})));
    }

    #[test]
    fn a_refusal_has_the_form_of_the_tool_s_own_errors() {
        let tool = registry::find("grep").unwrap();
        let answer = CallAnswer::refusal(tool, &Failure::new(Code::Timeout, "too long"));
        assert_eq!(
            answer.text,
            r#"{"error":"too long","error_code":"TIMEOUT"}"#
        );
        assert!(answer.failed);
    }
}
