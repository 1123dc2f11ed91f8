//! A server's lifetime, from its start to the end of the last process that its calls started.

use std::ffi::OsString;
use std::sync::Arc;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;
use tokio::sync::watch;

use crate::operator_reports::OperatorReports;
use crate::options::McpOptions;
use crate::server::{ServerSetup, ToolServer};
use crate::server_signals::ServerSignals;
use crate::stdio_transport::LineTransport;
use crate::temporary_directories::TemporaryDirectories;
use crate::{cache, http};
use iki_process::sandbox::confinement::{self, Confinement};
use iki_process::sandbox::{reaper, step_register};
use iki_tools::registry::TOOLS;
use iki_tools::secrets;
use iki_web::{credentials, guard};

/// Serves until the client goes away, and then ends everything that its calls started. An error is
/// a sentence for the log.
pub fn run(options: McpOptions) -> Result<(), String> {
    let confinement = options.bounds.as_ref().map(Confinement::resolve);
    let confinement = confinement.transpose()?;
    let bounded = confinement
        .as_ref()
        .is_some_and(Confinement::confines_files);
    if bounded && !confinement::is_supported() {
        return Err(confinement::UNSUPPORTED.to_owned());
    }
    reaper::adopt_orphans();
    step_register::make();
    secrets::hide_memory();
    // SAFETY: the runtime does not run yet, and no other thread does.
    let secrets = unsafe { secrets::take(&TOOLS) };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("cannot start: {error}"))?;
    let temporary = Arc::new(TemporaryDirectories::default());
    let served = serve(options, confinement, secrets, Arc::clone(&temporary));
    let result = runtime.block_on(served);
    // A thread that still reads a terminal's stdin must not be waited for.
    runtime.shutdown_background();
    temporary.dismiss_guard();
    reaper::end_all();
    temporary.remove();
    result
}

async fn serve(
    mut options: McpOptions,
    confinement: Option<Confinement>,
    secrets: Vec<(OsString, OsString)>,
    temporary: Arc<TemporaryDirectories>,
) -> Result<(), String> {
    let http = options.http.take();
    if http.as_ref().is_some_and(|http| !http.allows_private) {
        // Its callers are not those whose network this is.
        guard::restrict_to_public_addresses();
    }
    let cache = if options.tools.iter().any(|tool| tool.uses_cache()) {
        cache::open(http.is_some(), confinement.as_ref(), &secrets).await?
    } else {
        None
    };
    credentials::store_taken_variables(&secrets);
    let reports = http.as_ref().map(|http| {
        let keys = http
            .logs_arguments
            .then(|| credentials::secrets_in_use(&secrets));
        OperatorReports::new(http.logs_calls, keys).map(Arc::new)
    });
    let reports = reports.transpose()?;
    let shared = reports.clone();
    let setup = ServerSetup::new(options, confinement, secrets, cache, shared, temporary);
    let setup = Arc::new(setup);
    tokio::spawn(Arc::clone(&setup).reap_orphans());
    if let (Some(http), Some(reports)) = (http, reports) {
        return http::serve(http, setup, reports).await;
    }
    let signalled = async {
        match ServerSignals::listen() {
            Ok(mut signals) => signals.next().await,
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        ended = on_stdio(setup) => ended,
        _ = signalled => Ok(()),
    }
}

/// Serves the one client on stdin and stdout.
async fn on_stdio(setup: Arc<ServerSetup>) -> Result<(), String> {
    let (gone, went) = watch::channel(false);
    let (input, output) = stdio_pipes();
    let wire = LineTransport::new(input, output, gone);
    match Box::pin(ToolServer::new(setup, went).serve(wire)).await {
        Ok(running) => match running.waiting().await {
            Ok(_) => Ok(()),
            Err(error) => Err(error.to_string()),
        },
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}
