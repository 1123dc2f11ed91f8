//! The server: its tools and resources, and its answers, over either transport.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use hyper::header::USER_AGENT;
use hyper::http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    ContentBlock, CustomRequest, CustomResult, ErrorCode, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ResourcesCapability,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::watch;

use crate::access::TokenOwner;
use crate::call::{AnswerSpec, ToolCaller};
use crate::call_answer::CallAnswer;
use crate::clients::{self, ClientProfile};
use crate::incoming_message::{CallArguments, NO_ARGUMENTS};
use crate::operator_reports::OperatorReports;
use crate::options::McpOptions;
use crate::progress::{self, LatestProgress};
use crate::temporary_directories::TemporaryDirectories;
use crate::{instructions, resources, structured_answer, text_answer, tool_listing};
use iki_process::sandbox::confinement::{Confinement, Sensitivity};
use iki_tools::contract::answer_limit::TextMeasure;
use iki_tools::contract::call_terms::Audience;
use iki_tools::contract::tool::{AccessScope, Tool};
use iki_tools::registry::TOOLS;
use iki_web::cache::{LayeredCache, SharingState};

/// Time for which a list of tools holds, in milliseconds: a server's never changes, but over HTTP
/// another server may be started in its place.
const LIST_TIME_MS: u64 = 3_600_000;

/// The part of a server that all its clients share.
pub struct ServerSetup {
    tools: Vec<&'static Tool>,
    caller: ToolCaller,
    /// True if answers are objects, and not text.
    structured: bool,
    /// Maximum length of a text in bytes, 0 for no limit; `None` for the client's own limit.
    max_answer: Option<usize>,
    /// The operator's record of calls, if there is one.
    reports: Option<Arc<OperatorReports>>,
}

impl ServerSetup {
    /// Sets up what `options` ask for. The `secrets` are the variables that were taken out of the
    /// environment; the `cache` is the one that the server holds for its calls, if it does;
    /// `reports` record each call; `temporary` are the directories for commands.
    pub fn new(
        options: McpOptions,
        confinement: Option<Confinement>,
        secrets: Vec<(OsString, OsString)>,
        cache: Option<Arc<LayeredCache>>,
        reports: Option<Arc<OperatorReports>>,
        temporary: Arc<TemporaryDirectories>,
    ) -> Self {
        let has_many_clients = reports.is_some();
        let (tools, timeout) = (&options.tools, options.timeout);
        Self {
            caller: ToolCaller::new(
                tools,
                confinement,
                timeout,
                secrets,
                cache,
                has_many_clients,
                temporary,
            ),
            tools: options.tools,
            structured: options.structured,
            max_answer: options.max_answer,
            reports,
        }
    }

    /// The reason why a file of the server's own must not lie at `path`: the rest of a sentence.
    pub fn exposes(&self, path: &Path, sensitivity: Sensitivity) -> Option<String> {
        let mut tools = self.tools.iter();
        let commands = tools.any(|tool| tool.scope == AccessScope::Machine);
        let confinement = self.caller.confinement()?;
        confinement.exposure_of_server_file(path, sensitivity, commands)
    }

    /// Reaps the processes that calls have left behind as soon as they end.
    pub async fn reap_orphans(self: Arc<Self>) {
        self.caller.reap_orphans().await;
    }

    /// State of the cache that the server shares with others; `None` if it shares nothing.
    pub fn sharing(&self) -> Option<SharingState> {
        self.caller.cache()?.state()
    }
}

/// The state from which the protocol's requests of one client are answered.
pub struct ToolServer {
    setup: Arc<ServerSetup>,
    /// Becomes true when the client goes away.
    gone: watch::Receiver<bool>,
}

impl ToolServer {
    /// The server of one client; `gone` becomes true when the client goes away.
    pub fn new(setup: Arc<ServerSetup>, gone: watch::Receiver<bool>) -> Self {
        Self { setup, gone }
    }

    /// The form of the answer to a call of `client`.
    fn answer_spec<'h>(
        &self,
        client: &ClientProfile,
        progress: Option<&'h LatestProgress>,
        owner: Option<&'h TokenOwner>,
    ) -> AnswerSpec<'h> {
        let (reader, max_answer) = match (self.setup.structured, self.setup.max_answer) {
            (true, _) => (Audience::Program, None),
            (false, Some(0)) => (Audience::Model, None),
            (false, Some(bytes)) => (Audience::Model, Some(bytes)),
            (false, None) => (Audience::Model, Some(client.longest_answer)),
        };
        let silent = progress.is_none();
        AnswerSpec {
            reader,
            max_answer,
            progress,
            owner,
            measure: match max_answer {
                Some(bytes) => client.measure(bytes),
                None => TextMeasure::for_audience(reader),
            },
            goes_on_after: client.goes_on_after().filter(|_| silent),
            may_wait: client.may_wait,
            max_image: client.max_image,
        }
    }

    /// The refusal of a method that this server has not offered.
    fn not_offered(&self, method: &str) -> ErrorData {
        let has = if resources::are_served(&self.setup.tools) {
            "tools and resources, and no prompts"
        } else {
            "tools, and neither resources nor prompts"
        };
        ErrorData::new(
            ErrorCode::METHOD_NOT_FOUND,
            format!("{method}: this server has {has}"),
            None,
        )
    }

    fn find_tool(&self, name: &str) -> Result<&'static Tool, ErrorData> {
        let served = &self.setup.tools;
        let tool = TOOLS.find_tool(name);
        let tool = tool.filter(|tool| served.iter().any(|one| one.name == tool.name));
        tool.ok_or_else(|| {
            let names: Vec<&str> = served.iter().map(|tool| tool.name).collect();
            let name = name.escape_debug();
            ErrorData::invalid_params(
                format!("No tool `{name}` here. There are: {}", names.join(", ")),
                None,
            )
        })
    }
}

impl ServerHandler for ToolServer {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder().enable_tools().build();
        let has_resources = resources::are_served(&self.setup.tools);
        capabilities.resources = has_resources.then(ResourcesCapability::default);
        let about = Implementation::new("ikigai-tools", env!("CARGO_PKG_VERSION"))
            .with_title("Ikigai tools");
        let confinement = self.setup.caller.confinement();
        let text = instructions::compose(&self.setup.tools, confinement, !self.setup.structured);
        let mut config = ServerConfig::new(capabilities).with_server_info(about);
        config.instructions = Some(text).filter(|text| !text.is_empty());
        config
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let entries = self.setup.tools.iter();
        let (tools, structured) = (&self.setup.tools, self.setup.structured);
        let confinement = self.setup.caller.confinement();
        let entries = entries.map(|tool| tool_listing::entry(tool, tools, structured, confinement));
        let listed = ListToolsResult::with_all_items(entries.collect());
        Ok(listed.with_ttl_ms(LIST_TIME_MS))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.find_tool(&request.name)?;
        let mut gone = self.gone.clone();
        let client = clients::find_client(&name_of_client(&context));
        let http = context.extensions.get::<Parts>();
        let owner = http.and_then(|http| http.extensions.get::<TokenOwner>());
        let latest = LatestProgress::default();
        let token = context.meta.get_progress_token();
        let beside = match http {
            Some(http) => http.extensions.get::<CallArguments>(),
            None => context.extensions.get::<CallArguments>(),
        };
        let arguments = beside.map_or(Ok(NO_ARGUMENTS), CallArguments::take);
        let wanted = self.answer_spec(client, token.is_some().then_some(&latest), owner);
        let report = async {
            match token {
                Some(token) => progress::report(&context.peer, token, &latest).await,
                None => std::future::pending().await,
            }
        };
        let name = owner.map_or("", TokenOwner::name);
        let logged = arguments.as_deref().unwrap_or_default();
        let reports = self.setup.reports.as_ref();
        let running = reports.map(|reports| reports.begin_call(name, tool.name, logged));
        let answer = async {
            match arguments {
                Ok(arguments) => self.setup.caller.call(tool, arguments, &wanted).await,
                Err(failure) => CallAnswer::refusal(tool, &failure),
            }
        };
        tokio::select! {
            mut answer = answer => {
                if let Some(running) = running {
                    running.record_answer(answer.code(), answer.text.len());
                }
                let beside = (answer.meta.take(), answer.link.take());
                let result = match wanted.reader {
                    Audience::Program => structured_answer::result(tool, answer),
                    _ => plain(tool, &answer, client, &wanted),
                };
                Ok(CallToolResponse::from(with_beside(result, beside)))
            }
            () = report => Err(ErrorData::internal_error("the report ended", None)),
            () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
            () = wait_for_departure(&mut gone) => {
                Err(ErrorData::internal_error("the client has gone", None))
            }
        }
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        if !resources::are_served(&self.setup.tools) {
            return Err(self.not_offered("resources/list"));
        }
        Ok(ListResourcesResult::with_all_items(Vec::new()))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        if !resources::are_served(&self.setup.tools) {
            return Err(self.not_offered("resources/templates/list"));
        }
        let templates = vec![resources::template()];
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if !resources::are_served(&self.setup.tools) {
            return Err(self.not_offered("resources/read"));
        }
        let read = resources::read(&request.uri, &self.setup.caller).await;
        read.map(ReadResourceResponse::from)
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(self.not_offered("prompts/list"))
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(self.not_offered("completion/complete"))
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // A known method comes here if its parameters are malformed.
        Err(match request.method.as_str() {
            "tools/call" => ErrorData::invalid_params(
                "tools/call takes `name`, a string, and `arguments`, an object",
                None,
            ),
            "resources/read" if resources::are_served(&self.setup.tools) => {
                ErrorData::invalid_params("resources/read takes `uri`, a string", None)
            }
            other => self.not_offered(other),
        })
    }
}

/// The client's name: from its handshake or the request, else, if neither has one over HTTP, the
/// name of the program that sent the request.
fn name_of_client(context: &RequestContext<RoleServer>) -> String {
    // The SDK puts its own name if the client has not given one.
    let client_info = context.client_info();
    let client_info = client_info.filter(|client| *client != Implementation::default());
    if let Some(client) = client_info {
        return client.name;
    }
    let http = context.extensions.get::<Parts>();
    let program = http.and_then(|http| http.headers.get(USER_AGENT));
    let program = program.and_then(|program| program.to_str().ok());
    program.unwrap_or_default().to_owned()
}

/// Waits until the client goes away.
async fn wait_for_departure(gone: &mut watch::Receiver<bool>) {
    if gone.wait_for(|gone| *gone).await.is_err() {
        // No signal of its end can come.
        std::future::pending::<()>().await;
    }
}

/// `result` with the fields that the tool has passed on with its answer.
fn with_beside(
    mut result: CallToolResult,
    (meta, link): (Option<Value>, Option<Value>),
) -> CallToolResult {
    if let Some(Value::Object(meta)) = meta {
        result.meta = Some(MetaObject(meta));
    }
    let link = link.as_ref().and_then(resources::link);
    result.content.extend(link.map(ContentBlock::resource_link));
    result
}

/// An answer as a model reads it.
fn plain(
    tool: &Tool,
    answer: &CallAnswer,
    client: &ClientProfile,
    wanted: &AnswerSpec<'_>,
) -> CallToolResult {
    let bound = (wanted.max_answer, wanted.measure);
    let content = text_answer::content(tool, &answer.object, client, bound);
    let text = content.first().and_then(ContentBlock::as_text);
    let is_json = client.reads_json
        && text.is_some_and(|text| serde_json::from_str::<Value>(&text.text).is_ok());
    let mut result = CallToolResult::success(content);
    result.is_error = Some(answer.has_failed);
    // An object that is there already is not read from the text.
    result.structured_content = is_json.then(|| answer.object.clone());
    result
}
