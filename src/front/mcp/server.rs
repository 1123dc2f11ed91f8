//! The server: what it offers, and its lifetime from the first message to the last process.

use std::ffi::OsString;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    ContentBlock, CustomRequest, CustomResult, ErrorCode, Implementation, JsonObject,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    MetaObject, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::transport::stdio_pipes;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::Value;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::command_line::mcp::Options;
use crate::contract::terms::Reader;
use crate::contract::tool::Tool;
use crate::front::mcp::call::{CallAnswer, Caller, Wanted};
use crate::front::mcp::clients::{self, Client};
use crate::front::mcp::progress::{self, Heard};
use crate::front::mcp::transport::LineTransport;
use crate::front::mcp::{instructions, list, resources, structured, text};
use crate::registry::TOOLS;
use crate::sandbox::confinement::{self, Confinement};
use crate::sandbox::reaper;
use crate::secrets;

/// Serves until the client goes away, and then ends everything that its calls started. An error is
/// a sentence for the log.
pub fn run(options: Options) -> Result<(), String> {
    let confinement = options.bounds.as_ref().map(Confinement::resolve);
    let confinement = confinement.transpose()?;
    let bounded = confinement
        .as_ref()
        .is_some_and(Confinement::confines_files);
    if bounded && !confinement::is_possible() {
        return Err(confinement::IMPOSSIBLE.to_owned());
    }
    reaper::adopt_orphans();
    // SAFETY: the runtime does not run yet, and no other thread does.
    let secrets = unsafe { secrets::take(&TOOLS) };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("cannot start: {error}"))?;
    let result = runtime.block_on(serve(options, confinement, secrets));
    // A thread that still reads a terminal's stdin must not be waited for.
    runtime.shutdown_background();
    reaper::end_all();
    result
}

async fn serve(
    options: Options,
    confinement: Option<Confinement>,
    secrets: Vec<(OsString, OsString)>,
) -> Result<(), String> {
    let (gone, went) = watch::channel(false);
    let (input, output) = stdio_pipes();
    let wire = LineTransport::new(input, output, gone);
    let server = Server {
        caller: Caller::new(&options.tools, confinement, options.timeout, secrets),
        tools: options.tools,
        structured: options.structured,
        max_answer: options.max_answer,
        gone: went,
    };
    let session = async {
        match server.serve(wire).await {
            Ok(running) => match running.waiting().await {
                Ok(_) => Ok(()),
                Err(error) => Err(error.to_string()),
            },
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    };
    tokio::select! {
        ended = session => ended,
        () = termination_signal() => Ok(()),
    }
}

/// Waits for one of the signals that ask a process to end.
async fn termination_signal() {
    let listen = |kind| signal(kind);
    let (Ok(mut terminate), Ok(mut interrupt), Ok(mut hang_up)) = (
        listen(SignalKind::terminate()),
        listen(SignalKind::interrupt()),
        listen(SignalKind::hangup()),
    ) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        _ = hang_up.recv() => {}
    }
}

/// The state from which the protocol's requests are answered.
struct Server {
    tools: Vec<&'static Tool>,
    caller: Caller,
    /// Answers are objects, and not text.
    structured: bool,
    /// The longest text, in bytes, 0 for no limit; none where the client's own holds.
    max_answer: Option<usize>,
    gone: watch::Receiver<bool>,
}

impl Server {
    /// How a call of `client` is to be answered, which says itself how long that may be or not.
    fn wanted<'h>(
        &self,
        client: &Client,
        limits_itself: bool,
        heard: Option<&'h Heard>,
    ) -> Wanted<'h> {
        let (reader, max_answer) = match (self.structured, self.max_answer) {
            (true, _) => (Reader::Program, None),
            (false, Some(0)) => (Reader::Model, None),
            (false, Some(bytes)) => (Reader::Model, Some(bytes)),
            (false, None) if limits_itself => (Reader::Model, None),
            (false, None) => (Reader::Model, Some(client.longest_answer)),
        };
        Wanted {
            reader,
            max_answer,
            heard,
        }
    }

    /// The refusal of what this server has not said it can do.
    fn not_offered(&self, method: &str) -> ErrorData {
        let has = if resources::are_served(&self.tools) {
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
            .filter(|tool| self.tools.iter().any(|served| served.name == tool.name))
            .ok_or_else(|| {
                let names: Vec<&str> = self.tools.iter().map(|tool| tool.name).collect();
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
        let capabilities = if resources::are_served(&self.tools) {
            capabilities.enable_resources().build()
        } else {
            capabilities.build()
        };
        let about = Implementation::new("ikigai-tools", env!("CARGO_PKG_VERSION"))
            .with_title("Ikigai tools");
        let confinement = self.caller.confinement();
        let text = instructions::of(&self.tools, confinement, !self.structured);
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
        let entries = self.tools.iter();
        let entries = entries.map(|tool| list::entry(tool, self.structured));
        Ok(ListToolsResult::with_all_items(entries.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.find(&request.name)?;
        let mut gone = self.gone.clone();
        let client = context.client_info();
        let client = clients::find(client.as_ref().map_or("", |client| &client.name));
        let heard = Heard::default();
        let token = context.meta.get_progress_token();
        let arguments = request.arguments.unwrap_or_default();
        let wanted = self.wanted(
            client,
            limits_itself(tool, &arguments),
            token.is_some().then_some(&heard),
        );
        let report = async {
            match token {
                Some(token) => progress::report(&context.peer, token, &heard).await,
                None => std::future::pending().await,
            }
        };
        let answer = self.caller.call(tool, arguments, &wanted);
        tokio::select! {
            mut answer = answer => {
                let beside = (answer.meta.take(), answer.link.take());
                let result = match wanted.reader {
                    Reader::Program => structured::result(tool, answer),
                    _ => plain(tool, &answer, client, wanted.max_answer),
                };
                Ok(CallToolResponse::from(with_beside(result, beside)))
            }
            () = report => Err(ErrorData::internal_error("the report ended", None)),
            () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
            _ = gone.wait_for(|gone| *gone) => Err(ErrorData::internal_error("the client has gone", None)),
        }
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        if !resources::are_served(&self.tools) {
            return Err(self.not_offered("resources/list"));
        }
        Ok(ListResourcesResult::with_all_items(Vec::new()))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        if !resources::are_served(&self.tools) {
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
        if !resources::are_served(&self.tools) {
            return Err(self.not_offered("resources/read"));
        }
        resources::read(&request.uri, self.caller.secrets()).map(ReadResourceResponse::from)
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
            "resources/read" if resources::are_served(&self.tools) => {
                ErrorData::invalid_params("resources/read takes `uri`, a string", None)
            }
            _ => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None),
        })
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
