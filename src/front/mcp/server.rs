//! The server: what it offers, and its lifetime from the first message to the last process.

use std::ffi::OsString;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, Implementation, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::transport::stdio_pipes;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::command_line::mcp::Options;
use crate::contract::tool::Tool;
use crate::front::mcp::call::{CallAnswer, Caller};
use crate::front::mcp::list;
use crate::front::mcp::transport::LineTransport;
use crate::registry::TOOLS;
use crate::sandbox::roots::Roots;
use crate::sandbox::{confine, reaper};
use crate::secrets;

/// Serves until the client goes away, and then ends everything that its calls started. An error is
/// a sentence for the log.
pub fn run(options: Options) -> Result<(), String> {
    if !options.roots.is_empty() && !confine::is_possible() {
        return Err(String::from(
            "--root needs a kernel with Landlock (Linux 5.13; `landlock` in \
             /sys/kernel/security/lsm); \
             without it links could lead out of the directories",
        ));
    }
    reaper::adopt_orphans();
    // SAFETY: the runtime does not run yet, and no other thread does.
    let secrets = unsafe { secrets::take(&TOOLS) };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("cannot start: {error}"))?;
    let result = runtime.block_on(serve(options, secrets));
    // A thread that still reads a terminal's stdin must not be waited for.
    runtime.shutdown_background();
    reaper::end_all();
    result
}

async fn serve(options: Options, secrets: Vec<(OsString, OsString)>) -> Result<(), String> {
    let (gone, went) = watch::channel(false);
    let (input, output) = stdio_pipes();
    let wire = LineTransport::new(input, output, gone);
    let roots = Roots::new(options.roots);
    let server = Server {
        caller: Caller::new(&options.tools, roots, options.timeout, secrets),
        tools: options.tools,
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
    gone: watch::Receiver<bool>,
}

impl Server {
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
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let about = Implementation::new("ikigai-tools", env!("CARGO_PKG_VERSION"))
            .with_title("Ikigai tools");
        let config = ServerConfig::new(capabilities).with_server_info(about);
        match self.caller.roots() {
            Some(roots) => config.with_instructions(format!(
                "File work is confined to {}. Relative paths start at the first of these \
                 directories.",
                directories(roots)
            )),
            None => config,
        }
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let entries = self.tools.iter().map(|tool| list::entry(tool));
        Ok(ListToolsResult::with_all_items(entries.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.find(&request.name)?;
        let mut gone = self.gone.clone();
        let answer = self
            .caller
            .call(tool, request.arguments.unwrap_or_default());
        tokio::select! {
            answer = answer => Ok(CallToolResponse::from(result(answer))),
            () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
            _ = gone.wait_for(|gone| *gone) => Err(ErrorData::internal_error("the client has gone", None)),
        }
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
            _ => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None),
        })
    }
}

fn result(answer: CallAnswer) -> CallToolResult {
    let content = vec![ContentBlock::text(answer.text)];
    let mut result = if answer.failed {
        CallToolResult::error(content)
    } else {
        CallToolResult::success(content)
    };
    result.structured_content = Some(answer.object);
    result
}

fn directories(roots: &Roots) -> String {
    let names: Vec<_> = roots
        .directories()
        .iter()
        .map(|root| root.to_string_lossy())
        .collect();
    names.join(", ")
}
