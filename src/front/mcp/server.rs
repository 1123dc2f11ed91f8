//! The server: what it offers, and how it answers, whatever its messages come over.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use hyper::header::USER_AGENT;
use hyper::http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    ContentBlock, CustomRequest, CustomResult, ErrorCode, Implementation, JsonObject,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    MetaObject, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::watch;

use crate::access::TokenOwner;
use crate::cache::{LayeredCache, SharingState};
use crate::command_line::mcp::Options;
use crate::contract::terms::Audience;
use crate::contract::tool::{AccessScope, Tool};
use crate::front::mcp::call::{AnswerSpec, ToolCaller};
use crate::front::mcp::call_answer::CallAnswer;
use crate::front::mcp::clients::{self, Client};
use crate::front::mcp::operation::Operation;
use crate::front::mcp::progress::{self, LatestProgress};
use crate::front::mcp::{instructions, list, resources, structured, text};
use crate::registry::TOOLS;
use crate::sandbox::confinement::{Confinement, Sensitivity};

/// What all clients of a server have in common.
pub struct ServerSetup {
    tools: Vec<&'static Tool>,
    caller: ToolCaller,
    /// Answers are objects, and not text.
    structured: bool,
    /// The longest text, in bytes, 0 for no limit; none where the client's own holds.
    max_answer: Option<usize>,
    /// What is told of calls to whoever runs the server, where anybody is told.
    operation: Option<Arc<Operation>>,
}

impl ServerSetup {
    /// What `options` ask for. The `secrets` are the variables that were taken out of the
    /// environment; the `cache` is what the server holds for its calls, if it does; `operation` is
    /// told of each call.
    pub fn new(
        options: Options,
        confinement: Option<Confinement>,
        secrets: Vec<(OsString, OsString)>,
        cache: Option<Arc<LayeredCache>>,
        operation: Option<Arc<Operation>>,
    ) -> Self {
        let many = operation.is_some();
        let tools = &options.tools;
        Self {
            caller: ToolCaller::new(tools, confinement, options.timeout, secrets, cache, many),
            tools: options.tools,
            structured: options.structured,
            max_answer: options.max_answer,
            operation,
        }
    }

    /// The reason why a file of the server's own must not lie at `path`: the rest of a sentence.
    pub fn exposes(&self, path: &Path, sensitivity: Sensitivity) -> Option<String> {
        let commands = self
            .tools
            .iter()
            .any(|tool| tool.scope == AccessScope::Machine);
        let confinement = self.caller.confinement()?;
        confinement.exposes(path, sensitivity, commands)
    }

    /// How it stands with what the server shares with others; `None` where it shares nothing.
    pub fn sharing(&self) -> Option<SharingState> {
        self.caller.cache()?.state()
    }
}

/// The state from which the protocol's requests of one client are answered.
pub struct Server {
    offer: Arc<ServerSetup>,
    /// Becomes true when the client goes away.
    gone: watch::Receiver<bool>,
}

impl Server {
    /// The server of a client, of whom `gone` tells when it goes away.
    pub fn new(offer: Arc<ServerSetup>, gone: watch::Receiver<bool>) -> Self {
        Self { offer, gone }
    }

    /// How a call of `client` is to be answered, which says itself how long that may be or not.
    fn wanted<'h>(
        &self,
        client: &Client,
        limits_itself: bool,
        progress: Option<&'h LatestProgress>,
        owner: Option<&'h TokenOwner>,
    ) -> AnswerSpec<'h> {
        let (reader, max_answer) = match (self.offer.structured, self.offer.max_answer) {
            (true, _) => (Audience::Program, None),
            (false, Some(0)) => (Audience::Model, None),
            (false, Some(bytes)) => (Audience::Model, Some(bytes)),
            (false, None) if limits_itself => (Audience::Model, None),
            (false, None) => (Audience::Model, Some(client.longest_answer)),
        };
        AnswerSpec {
            reader,
            max_answer,
            progress,
            owner,
        }
    }

    /// The refusal of what this server has not said it can do.
    fn not_offered(&self, method: &str) -> ErrorData {
        let has = if resources::are_served(&self.offer.tools) {
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

    fn find(&self, name: &str) -> Result<&'static Tool, ErrorData> {
        TOOLS
            .find(name)
            .filter(|tool| {
                self.offer
                    .tools
                    .iter()
                    .any(|served| served.name == tool.name)
            })
            .ok_or_else(|| {
                let names: Vec<&str> = self.offer.tools.iter().map(|tool| tool.name).collect();
                let name = name.escape_debug();
                ErrorData::invalid_params(
                    format!("No tool `{name}` here. There are: {}", names.join(", ")),
                    None,
                )
            })
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools();
        let capabilities = if resources::are_served(&self.offer.tools) {
            capabilities.enable_resources().build()
        } else {
            capabilities.build()
        };
        let about = Implementation::new("ikigai-tools", env!("CARGO_PKG_VERSION"))
            .with_title("Ikigai tools");
        let confinement = self.offer.caller.confinement();
        let text = instructions::of(&self.offer.tools, confinement, !self.offer.structured);
        let config = ServerConfig::new(capabilities).with_server_info(about);
        if text.is_empty() {
            return config;
        }
        config.with_instructions(text)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let entries = self.offer.tools.iter();
        let entries = entries.map(|tool| list::entry(tool, self.offer.structured));
        Ok(ListToolsResult::with_all_items(entries.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.find(&request.name)?;
        let mut gone = self.gone.clone();
        let client = clients::find(&name_of_client(&context));
        let http = context.extensions.get::<Parts>();
        let owner = http.and_then(|http| http.extensions.get::<TokenOwner>());
        let latest = LatestProgress::default();
        let token = context.meta.get_progress_token();
        let arguments = request.arguments.unwrap_or_default();
        let wanted = self.wanted(
            client,
            limits_itself(tool, &arguments),
            token.is_some().then_some(&latest),
            owner,
        );
        let report = async {
            match token {
                Some(token) => progress::report(&context.peer, token, &latest).await,
                None => std::future::pending().await,
            }
        };
        let operation = self.offer.operation.as_ref();
        let name = owner.map_or("", TokenOwner::name);
        let running = operation.map(|operation| operation.call(name, tool.name, &arguments));
        let answer = self.offer.caller.call(tool, arguments, &wanted);
        tokio::select! {
            mut answer = answer => {
                if let Some(running) = running {
                    running.answered(answer.code(), answer.text.len());
                }
                let beside = (answer.meta.take(), answer.link.take());
                let result = match wanted.reader {
                    Audience::Program => structured::result(tool, answer),
                    _ => plain(tool, &answer, client, wanted.max_answer),
                };
                Ok(CallToolResponse::from(with_beside(result, beside)))
            }
            () = report => Err(ErrorData::internal_error("the report ended", None)),
            () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
            () = leaves(&mut gone) => Err(ErrorData::internal_error("the client has gone", None)),
        }
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        if !resources::are_served(&self.offer.tools) {
            return Err(self.not_offered("resources/list"));
        }
        Ok(ListResourcesResult::with_all_items(Vec::new()))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        if !resources::are_served(&self.offer.tools) {
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
        if !resources::are_served(&self.offer.tools) {
            return Err(self.not_offered("resources/read"));
        }
        let read = resources::read(&request.uri, &self.offer.caller).await;
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
            "resources/read" if resources::are_served(&self.offer.tools) => {
                ErrorData::invalid_params("resources/read takes `uri`, a string", None)
            }
            _ => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None),
        })
    }
}

/// How the client calls itself: in its handshake or in the request, else, where there is neither
/// over HTTP, as the program that sent the request.
fn name_of_client(context: &RequestContext<RoleServer>) -> String {
    // Where no client has said its name, the SDK puts its own.
    let said = context.client_info();
    let said = said.filter(|client| *client != Implementation::default());
    if let Some(client) = said {
        return client.name;
    }
    let http = context.extensions.get::<Parts>();
    let program = http.and_then(|http| http.headers.get(USER_AGENT));
    let program = program.and_then(|program| program.to_str().ok());
    program.unwrap_or_default().to_owned()
}

/// Waits until the client goes away.
async fn leaves(gone: &mut watch::Receiver<bool>) {
    if gone.wait_for(|gone| *gone).await.is_err() {
        // Nobody will tell.
        std::future::pending::<()>().await;
    }
}

/// `result` with what the tool handed on beside its answer.
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
    client: &Client,
    longest: Option<usize>,
) -> CallToolResult {
    let content = text::content(tool, &answer.object, client, longest);
    if answer.failed {
        CallToolResult::error(content)
    } else {
        CallToolResult::success(content)
    }
}

/// Whether a request for `tool` says itself how long its answer may be.
fn limits_itself(tool: &Tool, arguments: &JsonObject) -> bool {
    let limit = tool.own_limit.and_then(|field| arguments.get(field));
    match limit {
        // As requests are read: these are as good as not given.
        None | Some(Value::Null) => false,
        Some(Value::String(text)) => !matches!(text.trim(), "" | "0"),
        Some(limit) => limit.as_u64() != Some(0),
    }
}
