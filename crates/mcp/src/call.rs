//! Calls of a server: waiting for permits and limits, answering from the cache, else in a process
//! of the call's own.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::body::Bytes;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::process::Command;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::timeout;

use crate::access::TokenOwner;
use crate::background_calls::BackgroundCalls;
use crate::cached_answer;
use crate::call_answer::CallAnswer;
use crate::call_process::CallProcess;
use crate::coalesced_calls::CoalescedCalls;
use crate::options::CALL;
use crate::permits::{CallPermit, CallPermits};
use crate::progress::LatestProgress;
use crate::seen_files::SeenFiles;
use crate::temporary_directories::TemporaryDirectories;
use crate::unseen_characters::make_visible;
use iki_process::sandbox::confinement::Confinement;
use iki_process::sandbox::reaper::RunningCalls;
use iki_process::sandbox::step_register;
use iki_tools::contract::answer_limit::TextMeasure;
use iki_tools::contract::call_context::CallContext;
use iki_tools::contract::call_terms::{Audience, CallTerms};
use iki_tools::contract::failure::{ErrorCode, Failure};
use iki_tools::contract::tool::{AccessScope, Tool};
use iki_web::cache::{self, LayeredCache, store_server};
use iki_web::guard;

/// This executable, even if another one has replaced it on the disk since.
const MYSELF: &str = "/proc/self/exe";

/// Maximum length of a message in bytes. Clients drop longer ones, and then wait in vain.
const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;

/// Maximum length of a message apart from the answer, in bytes.
const MESSAGE_ENVELOPE_BYTES: usize = 64 * 1024;

/// Maximum length of content that a message holds once, in bytes after escaping.
pub const MAX_CONTENT_BYTES: usize = MAX_MESSAGE_BYTES - MESSAGE_ENVELOPE_BYTES;

/// Maximum length of an answer, in bytes. Its message holds it twice, as text and as an object.
const MAX_ANSWER_BYTES: usize = (MAX_MESSAGE_BYTES - MESSAGE_ENVELOPE_BYTES) / 2;

/// The time beyond its limit that a server waits for a call: one that ends in time by itself says
/// what it had.
const SERVER_MARGIN: Duration = Duration::from_secs(2);

/// Maximum length of a request whose answer may be an equal one's, in bytes.
const MAX_SHARED_REQUEST_BYTES: usize = 64 * 1024;

/// The field that names a research session, and its other name.
const SESSION: [&str; 2] = ["sessionId", "session_id"];

/// The form of a call's answer, and its reader.
pub struct AnswerSpec<'a> {
    /// The reader.
    pub reader: Audience,
    /// Maximum length of an answer for a model, in bytes.
    pub max_answer: Option<usize>,
    /// Receives the call's progress messages, if the client wants them.
    pub progress: Option<&'a LatestProgress>,
    /// The owner of the caller's token, if callers have tokens.
    pub owner: Option<&'a TokenOwner>,
    /// The measure in which an answer keeps to `max_answer`.
    pub measure: TextMeasure,
    /// The time after which a command goes on in the background.
    pub goes_on_after: Option<Duration>,
    /// True if the client may wait longer than that.
    pub may_wait: bool,
    /// Maximum size of an image in bytes, if the client has one of its own.
    pub max_image: Option<usize>,
}

/// Makes calls.
pub struct ToolCaller {
    confinement: Option<Confinement>,
    /// The names of the tools, in memory that lasts as long as this process.
    tools: &'static [String],
    /// True if one of the tools runs commands, whose long outputs are kept in files.
    keeps_outputs: bool,
    timeout: Option<Duration>,
    secrets: Vec<(OsString, OsString)>,
    /// The cache that this server holds for its calls, if it has one.
    cache: Option<Arc<LayeredCache>>,
    permits: CallPermits,
    calls: Arc<RunningCalls>,
    equal_calls: CoalescedCalls<CallAnswer>,
    seen: SeenFiles,
    background: BackgroundCalls,
    temporary: Arc<TemporaryDirectories>,
}

impl ToolCaller {
    /// Calls of `tools` are confined and ended after `timeout`; those that ask the network get the
    /// `secrets`, and if there is a `cache`, those that keep answers may ask it. The server has
    /// many clients, or one.
    pub fn new(
        tools: &[&'static Tool],
        confinement: Option<Confinement>,
        timeout: Option<Duration>,
        secrets: Vec<(OsString, OsString)>,
        cache: Option<Arc<LayeredCache>>,
        has_many_clients: bool,
        temporary: Arc<TemporaryDirectories>,
    ) -> Self {
        Self {
            confinement,
            tools: tools
                .iter()
                .map(|tool| tool.name.to_owned())
                .collect::<Vec<_>>()
                .leak(),
            keeps_outputs: tools.iter().any(|tool| tool.scope == AccessScope::Machine),
            timeout,
            secrets,
            cache,
            permits: CallPermits::new(tools, has_many_clients),
            calls: Arc::default(),
            equal_calls: CoalescedCalls::default(),
            seen: SeenFiles::default(),
            background: BackgroundCalls::default(),
            temporary,
        }
    }

    /// The variables that were taken out of the environment, for calls of tools that may have them.
    pub fn secrets(&self) -> &[(OsString, OsString)] {
        &self.secrets
    }

    /// The cache that this server holds for its calls, if it has one.
    pub fn cache(&self) -> Option<&Arc<LayeredCache>> {
        self.cache.as_ref()
    }

    /// Reaps the processes that calls have left behind as soon as they end, for ever.
    pub async fn reap_orphans(&self) {
        let Ok(mut ended) = signal(SignalKind::child()) else {
            return;
        };
        while ended.recv().await.is_some() {
            self.calls.reap_orphans();
        }
    }

    /// The confinement of the calls, if there is one.
    pub fn confinement(&self) -> Option<&Confinement> {
        self.confinement.as_ref()
    }

    /// Calls `tool`. If the future is dropped before it is done, the call is ended. Of equal calls
    /// at the same time whose answers are cached, one is carried out, and all get its answer.
    pub async fn call(
        &self,
        tool: &'static Tool,
        request: Bytes,
        spec: &AnswerSpec<'_>,
    ) -> CallAnswer {
        // Equal requests are written equally, in any order of their fields.
        let is_shared = tool.keeps_answers() && request.len() <= MAX_SHARED_REQUEST_BYTES;
        let fields = is_shared.then(|| serde_json::from_slice(&request).ok());
        let fields: Option<BTreeMap<String, &RawValue>> = fields.flatten();
        let Some(fields) = fields else {
            return self.call_process(tool, request, spec).await;
        };
        let names_session = fields.keys().any(|name| SESSION.contains(&name.as_str()));
        let request = serde_json::to_string(&fields).unwrap_or_default();
        if let Some(cache) = &self.cache {
            let terms = CallTerms {
                is_served: true,
                measure: spec.measure,
                tools: self.tools,
                ..CallTerms::within(spec.reader, spec.max_answer, None)
            };
            let cached = cached_answer::find_answer(tool, &request, terms, spec.owner, cache).await;
            if let Some(answer) = cached {
                return answer;
            }
        }
        // A session belongs to its owner; the same name means another one for others.
        let owner = spec.owner.filter(|_| names_session);
        let key = format!(
            "{} {:?} {:?} {:?} {owner:?} {request}",
            tool.name, spec.reader, spec.max_answer, spec.measure
        );
        let answer = self.call_process(tool, request.into(), spec);
        self.equal_calls.share(key, answer).await
    }

    /// Calls `tool` in a process of its own.
    async fn call_process(
        &self,
        tool: &'static Tool,
        request: Bytes,
        spec: &AnswerSpec<'_>,
    ) -> CallAnswer {
        if let Some(root) = self
            .confinement
            .as_ref()
            .and_then(Confinement::start_directory)
            && !root.is_dir()
        {
            let message = format!(
                "The call was not run, because it could not be confined: the directory {}, to \
                 which this server is confined, no longer exists",
                root.display()
            );
            return CallAnswer::refusal(tool, &Failure::new(ErrorCode::PermissionDenied, message));
        }
        let start = Instant::now();
        let permit_of_tool = self.permits.acquire(tool, spec.owner);
        let mut permit = match self.run_within(tool, start, permit_of_tool).await {
            Ok(permit) => permit,
            Err(failure) => return CallAnswer::refusal(tool, &failure),
        };
        let queued = start.elapsed();
        self.permits.acquire_common(&mut permit).await;
        let start = Instant::now().checked_sub(queued).unwrap_or(start);
        let answer = self.run_in_process(tool, permit, request, spec, start.elapsed());
        let answered = self.run_within(tool, start + SERVER_MARGIN, answer).await;
        match answered.and_then(|answer| answer) {
            Ok(answer) => answer,
            Err(failure) => CallAnswer::refusal(tool, &failure),
        }
    }

    /// Waits for `what` until the timeout of a call of `tool` that began at `start`.
    async fn run_within<T>(
        &self,
        tool: &Tool,
        start: Instant,
        what: impl Future<Output = T>,
    ) -> Result<T, Failure> {
        let Some(longest) = self.timeout else {
            return Ok(what.await);
        };
        let left = longest.saturating_sub(start.elapsed());
        timeout(left, what).await.map_err(|_| {
            let seconds = longest.as_secs();
            let longer = match tool.scope {
                AccessScope::Machine => " Start longer commands in the background.",
                _ => "",
            };
            let message = format!("The call was ended after {seconds} seconds.{longer}");
            Failure::new(ErrorCode::Timeout, message)
        })
    }

    /// Carries out a call that has already waited for its turn for that long.
    async fn run_in_process(
        &self,
        tool: &'static Tool,
        permit: CallPermit,
        request: Bytes,
        spec: &AnswerSpec<'_>,
        waited: Duration,
    ) -> Result<CallAnswer, Failure> {
        let failed = |error: io::Error| {
            let message = format!("{} could not be called: {error}", tool.name);
            Failure::new(ErrorCode::ToolFailed, message)
        };
        let socket = self.socket_to_cache(tool, spec);
        let mut context = self.context(tool, spec, waited);
        context.cache_socket = socket.as_ref().map(AsRawFd::as_raw_fd);
        // A command could have any process enter itself there.
        let register = step_register::handed_down().filter(|_| tool.scope != AccessScope::Machine);
        context.step_register = register.as_ref().map(AsRawFd::as_raw_fd);
        let inherited: Vec<_> = socket.iter().map(AsFd::as_fd).chain(register).collect();
        let line = context
            .line()
            .ok_or_else(|| failed(io::ErrorKind::InvalidData.into()))?;
        let input = [line.into(), request];
        let command = self.command(tool);
        let process = CallProcess::start(command, input, &inherited, permit, &self.calls);
        // Only the server's end is left open here, so that it sees the end of the process.
        drop(socket);
        let mut process = process.map_err(failed)?;
        let bytes = process.read_answer(spec.progress, MAX_ANSWER_BYTES).await;
        let bytes = bytes.map_err(failed)?;
        let quotes = bytes.iter().filter(|byte| matches!(byte, b'"' | b'\\'));
        if bytes.len() + quotes.count() / 2 > MAX_ANSWER_BYTES {
            let message = format!(
                "The answer does not fit into a message of 16 MiB, and the call was ended. {}",
                tool.how_to_get_less
            );
            return Err(Failure::new(ErrorCode::AnswerTooLarge, message.trim_end()));
        }
        let text = String::from_utf8(bytes).unwrap_or_default();
        if let Ok(mut object) = serde_json::from_str(&text) {
            let changed = make_visible(tool, &mut object)
                | self.seen.note_foreign_change(tool, spec.owner, &mut object)
                | self
                    .background
                    .register_background(spec.owner, &mut object, process);
            let object = Value::Object(object);
            let text = if changed { object.to_string() } else { text };
            return Ok(CallAnswer::new(text, object));
        }
        let child = process.child().map_err(failed)?;
        let status = child.wait().await.map_err(failed)?;
        Err(Failure::new(
            ErrorCode::ToolFailed,
            format!("{} ended without an answer ({status})", tool.name),
        ))
    }

    /// The description of a call that has already waited for that long.
    fn context(&self, tool: &Tool, spec: &AnswerSpec<'_>, waited: Duration) -> CallContext {
        let left = |whole: Duration| {
            let left = whole.saturating_sub(waited).as_millis().max(1);
            u64::try_from(left).unwrap_or(u64::MAX)
        };
        // Only commands leave files behind, only tools that read files find them, and a session is
        // its owner's.
        let is_owned = tool.scope != AccessScope::Network || tool.uses_cache();
        let owner = spec.owner.filter(|_| is_owned);
        let commands = tool.scope == AccessScope::Machine;
        let confinement = self.confinement.as_ref();
        let has_temporary = self.keeps_outputs && tool.scope != AccessScope::Network;
        let confinement = confinement.filter(|one| has_temporary && one.confines_files());
        CallContext {
            background: if commands {
                self.background.of_caller(spec.owner)
            } else {
                Vec::new()
            },
            temporary: confinement.and_then(|one| self.temporary.of_caller(one, spec.owner)),
            bounds: self.confinement.as_ref().map(Confinement::bounds),
            reads_outputs: self.keeps_outputs,
            is_public_only: tool.scope == AccessScope::Network && guard::is_restricted_to_public(),
            owner: owner.map(|owner| owner.name().to_owned()),
            reader: spec.reader,
            max_answer: spec.max_answer,
            milliseconds: self.timeout.map(left),
            wants_progress: spec.progress.is_some(),
            measure: spec.measure,
            goes_on_after: spec.goes_on_after.map(left),
            may_wait: spec.may_wait,
            max_image: spec.max_image,
            tools: self.tools.to_vec(),
            ..CallContext::default()
        }
    }

    /// An end of a socket over which a call of `tool` can ask this server's cache, if it keeps
    /// anything there and there is one.
    fn socket_to_cache(&self, tool: &Tool, spec: &AnswerSpec<'_>) -> Option<OwnedFd> {
        let cache = self.cache.as_ref().filter(|_| tool.uses_cache())?;
        let (server_end, call_end) = store_server::socket_pair().ok()?;
        let owner = spec.owner.map(|owner| owner.name().to_owned());
        tokio::spawn(store_server::serve(Arc::clone(cache), owner, server_end));
        Some(call_end)
    }

    fn command(&self, tool: &Tool) -> Command {
        let mut command = std::process::Command::new(MYSELF);
        command.arg0("ikigai-tools").args(["mcp", CALL, tool.link]);
        if let Some(first) = self
            .confinement
            .as_ref()
            .and_then(Confinement::start_directory)
        {
            command.current_dir(first);
        }
        if tool.scope == AccessScope::Network {
            command.envs(self.secrets.iter().map(|(name, value)| (name, value)));
            // Such calls ask the server's cache.
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
