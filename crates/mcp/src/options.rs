//! The choices of whoever starts a server: its tools, their directories, their time; its address,
//! its users, and their limits.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use iki_process::sandbox::confinement::ConfinementBounds;
use iki_tools::contract::tool::{AccessScope, Tool, ToolSet};

/// The command's name, with which its log lines begin.
pub const NAME: &str = "ikigai-tools mcp";

/// The word by which a server calls itself, once a call; the name of a tool follows.
pub const CALL: &str = "--call";

/// The flags of the server.
pub struct McpOptions {
    /// These tools, in the registry's order.
    pub tools: Vec<&'static Tool>,
    /// The confinement of their calls, if there is one.
    pub bounds: Option<ConfinementBounds>,
    /// Maximum time of a call; `None` for no limit.
    pub timeout: Option<Duration>,
    /// True if answers are objects for programs, and not text for models.
    pub structured: bool,
    /// Maximum length of an answer for a model in bytes, 0 for no limit; `None` for the limit of
    /// the client.
    pub max_answer: Option<usize>,
    /// The server over HTTP, if it is not one on stdin and stdout.
    pub http: Option<HttpOptions>,
}

/// A server that is reached over HTTP.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line's"
)]
pub struct HttpOptions {
    /// The address on which it listens.
    pub address: SocketAddr,
    /// True if clients may have sessions.
    pub offers_sessions: bool,
    /// The file of tokens; without one, everybody on this machine may call.
    pub tokens: Option<PathBuf>,
    /// Further names by which it may be called, apart from those of this machine, each a host or
    /// `host:port`.
    pub allowed_hosts: Vec<String>,
    /// The certificate chain and its key, in PEM.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// True if a proxy speaks TLS in front of it.
    pub behind_proxy: bool,
    /// Calls that a token may make in a second.
    pub calls_per_second: NonZeroU32,
    /// Calls that a token may have running at once.
    pub calls_at_once: NonZeroU32,
    /// True if private and loopback addresses may be fetched.
    pub allows_private: bool,
    /// True if each call is logged, as a line of JSON.
    pub logs_calls: bool,
    /// True if that line has the call's arguments.
    pub logs_arguments: bool,
}

impl HttpOptions {
    /// True if the tool is served by default.
    #[must_use]
    pub fn offers(tool: &Tool) -> bool {
        tool.set == ToolSet::Web || tool.set == ToolSet::Research && tool.is_served_by_default
    }

    /// The reason why these tools are not served, if they are not.
    ///
    /// # Errors
    /// A sentence.
    pub fn admits(&self, tools: &[&'static Tool], confined: bool) -> Result<(), String> {
        let local = tools.iter().find(|tool| tool.scope != AccessScope::Network);
        let Some(tool) = local.filter(|_| !confined || self.tokens.is_none()) else {
            return Ok(());
        };
        Err(format!(
            "{} reaches this machine's files: over HTTP it is served only with --root DIR and \
             --tokens FILE, both",
            tool.command()
        ))
    }
}
