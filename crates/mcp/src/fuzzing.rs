//! Doors for the fuzzers of `fuzz/` into modules that are private: only a build with `--cfg
//! fuzzing` has them, which `cargo fuzz` makes.

use std::sync::Arc;

use rmcp::ServiceExt;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;

use crate::options::McpOptions;
use crate::server::{ServerSetup, ToolServer};
use crate::stdio_transport::LineTransport;

/// Serves one client of the Model Context Protocol, who is offered no tool at all: a call would be
/// a process.
pub async fn serve_nothing<R, W>(input: R, output: W)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let options = McpOptions {
        tools: Vec::new(),
        bounds: None,
        timeout: None,
        structured: false,
        max_answer: None,
        http: None,
    };
    let setup = Arc::new(ServerSetup::new(
        options,
        None,
        Vec::new(),
        None,
        None,
        Arc::default(),
    ));
    let (gone, went) = watch::channel(false);
    let wire = LineTransport::new(input, output, gone);
    if let Ok(running) = ToolServer::new(setup, went).serve(wire).await {
        // However it ended, what was written is judged.
        let _ = running.waiting().await;
    }
}
