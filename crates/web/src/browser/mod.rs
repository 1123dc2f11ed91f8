//! Workshop: pages that their scripts put together, rendered by the user's own browser.
//!
//! A headless Chromium is started for one page, with a profile of its own, and prints the document
//! that the scripts have made of it. All its requests go through a proxy of ours on the loopback,
//! which admits only those that the client itself would make (see `proxy`). Its time is virtual:
//! five seconds of the page's own pass as fast as the page can use them, and stand still while an
//! answer is under way. So an answer that never comes is cut off.
//!
//! Its cost with Chromium 156 on two cores: some 0.8 s for a page that writes its text after half a
//! second, 0.35 s of that processor time, and 210 MiB in the largest of its processes (350 MiB in
//! all of them, shared memory counted once).
//!
//! Nothing of it outlives the call: a watchdog ends every process that it started and removes the
//! profile, even if this process is killed (see `sandbox`). Each process may have
//! [`process::MAX_DATA_BYTES`] bytes of memory for data, and a page's scripts
//! `switches::MAX_SCRIPT_MEBIBYTES` MiB.
//!
//! Its own sandbox is never switched off here. For root, for whom it does not start with one, and
//! where the system allows none, nothing is rendered unless `IKIGAI_BROWSER_FLAGS` switches it off.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use url::Url;

use crate::client::{NetworkError, USER_AGENT};
use crate::guard::Guard;
use crate::resolve::{NameResolver, SystemResolver};
use iki_process::sandbox::scratch::ScratchDirectory;
use iki_process::shell::{ProgramError, ProgramOutput, find_helper};

mod process;
pub(crate) mod proxy;
mod switches;

pub use process::MAX_DATA_BYTES;
pub(crate) use process::MAX_HTML;
pub use proxy::ProxyRequest;

/// The variable that names the browser, by a path or a name; empty for none.
pub const VARIABLE: &str = "IKIGAI_BROWSER";
/// The variable with further switches, separated by blanks.
pub const FLAGS: &str = "IKIGAI_BROWSER_FLAGS";

/// Names of browsers, in the order in which they are looked for on the `PATH`.
const NAMES: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// Time reserved for ending the browser and removing its profile.
const CLEAN_UP_TIME: Duration = Duration::from_millis(300);
/// Minimum time for a rendering.
const MIN_RENDER_TIME: Duration = Duration::from_millis(500);

/// Exit codes above this one are those of programs that a signal ended.
const FIRST_SIGNAL_CODE: i32 = 128;

/// Longest error code, in bytes.
const MAX_CODE_BYTES: usize = 80;

/// The browser of this machine.
pub struct Browser {
    program: PathBuf,
    flags: Vec<OsString>,
    resolver: Arc<dyn NameResolver>,
}

/// A page as its scripts have made it.
#[derive(Debug)]
pub struct RenderedPage {
    /// The document, as HTML.
    pub html: String,
    /// The requests of the page and of the browser itself.
    pub requests: Vec<ProxyRequest>,
}

/// The reason why there is no rendered page.
#[derive(Debug, thiserror::Error)]
pub enum BrowserError {
    /// This process runs as root, for whom Chromium does not run with its sandbox.
    #[error(
        "The browser does not run for root, whom its sandbox would not hold: call this as an \
         ordinary user, or set {FLAGS}=--no-sandbox if the pages can be trusted"
    )]
    Root,
    /// It could not be started.
    #[error("The browser could not be started ({0}): name one that can in {VARIABLE}")]
    NotStarted(io::Error),
    /// It ended with this exit code and printed nothing.
    #[error(
        "The browser ended with exit code {0} and no page: `chromium --headless --dump-dom \
         about:blank` in a shell says why. Where this system lets it have no sandbox, \
         {FLAGS}=--no-sandbox does without, if the pages can be trusted"
    )]
    Failed(i32),
    /// It reached the page's host but shows nothing of the page.
    #[error(
        "The browser reached the page's host but does not show the page: it may not trust the \
         certificate, or not use that port; a fetch of the address says more"
    )]
    NoDocument,
    /// It shows an error page of its own, with this code, in place of the page or of one to which
    /// the page's scripts led.
    #[error(
        "A browser shows no page but an error ({0}): the page, or an address to which its script \
         leads, could not be loaded"
    )]
    ErrorPage(String),
    /// It did not end in this time, or had shown nothing when its requests were cut off.
    #[error(
        "The browser did not finish the page within {} seconds: look for an API, a feed or \
         another source",
        .0.as_secs_f64().ceil()
    )]
    TimedOut(Duration),
    /// It printed more than `MAX_HTML` bytes.
    #[error("The page's scripts made more than {} MiB of it", MAX_HTML / (1024 * 1024))]
    TooLarge,
    /// The page itself was refused or could not be reached.
    #[error(transparent)]
    Page(Box<NetworkError>),
}

impl Browser {
    /// Returns the browser that `IKIGAI_BROWSER` names, else the first one on the `PATH`; `None` if
    /// the variable is empty or names no executable.
    #[must_use]
    pub fn locate() -> Option<Self> {
        let program = find_helper(VARIABLE, &NAMES)?;
        let flags = std::env::var_os(FLAGS).unwrap_or_default();
        let flags = flags
            .as_bytes()
            .split(u8::is_ascii_whitespace)
            // Any other argument would be taken for an address.
            .filter(|flag| flag.starts_with(b"-"))
            .map(|flag| OsStr::from_bytes(flag).to_owned());
        Some(Self {
            flags: flags.collect(),
            resolver: Arc::new(SystemResolver),
            program,
        })
    }

    /// Resolves names with `resolver` in place of the system.
    #[must_use]
    pub fn with_resolver(self, resolver: Arc<dyn NameResolver>) -> Self {
        Self { resolver, ..self }
    }

    /// Returns the program's path.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Renders the page at `url`, in `within` at most, cleaning up included. Its requests are
    /// judged by `guard`, which is the one of an earlier fetch of the page or a new one.
    ///
    /// Chromium itself crashes now and then: if a signal ends it, it is started once more.
    pub fn render(
        &self,
        url: &Url,
        guard: &Guard,
        within: Duration,
    ) -> Result<RenderedPage, BrowserError> {
        let end = Instant::now() + within;
        match self.render_once(url, guard, within) {
            Err(BrowserError::Failed(code)) if code > FIRST_SIGNAL_CODE => {
                self.render_once(url, guard, end.saturating_duration_since(Instant::now()))
            }
            done => done,
        }
    }

    fn render_once(
        &self,
        url: &Url,
        guard: &Guard,
        within: Duration,
    ) -> Result<RenderedPage, BrowserError> {
        let end = Instant::now() + within.saturating_sub(CLEAN_UP_TIME);
        if rustix::process::geteuid().is_root() && !self.has_flag(switches::NO_SANDBOX) {
            return Err(BrowserError::Root);
        }
        if within < MIN_RENDER_TIME {
            return Err(BrowserError::TimedOut(within));
        }
        let agent = self.user_agent(end);
        let resolver = Arc::clone(&self.resolver);
        // Early enough that the page is still printed after its requests were cut off.
        let cut = Instant::now() + end.saturating_duration_since(Instant::now()) * 2 / 3;
        let proxy = proxy::BrowserProxy::start(url, guard.clone(), resolver, cut)
            .map_err(BrowserError::NotStarted)?;
        let scratch = ScratchDirectory::plan().map_err(BrowserError::NotStarted)?;
        let arguments = switches::arguments_for_page(&proxy, scratch.path(), &agent);
        let arguments = self.flags.iter().cloned().chain(arguments);
        let done = process::run(&self.program, arguments, &scratch, end);
        // A browser on a busy machine may be late: its page was cut off by us, not refused.
        let was_cut_off = Instant::now() >= cut;
        let finished = proxy.finish();
        let failed = finished.1;
        let ProgramOutput { output: html, code } = done.map_err(|error| match error {
            ProgramError::TimedOut => BrowserError::TimedOut(within),
            ProgramError::TooMuch => BrowserError::TooLarge,
            ProgramError::Failed(error) => BrowserError::NotStarted(error),
        })?;
        if html.trim_ascii().is_empty() {
            return Err(match failed {
                Some(error) => BrowserError::Page(Box::new(error)),
                None if code == 0 && was_cut_off => BrowserError::TimedOut(within),
                None if code == 0 => BrowserError::NoDocument,
                None => BrowserError::Failed(code),
            });
        }
        let html = String::from_utf8_lossy(&html).into_owned();
        if let Some(code) = error_page_code(&html) {
            return Err(match failed {
                Some(error) => BrowserError::Page(Box::new(error)),
                None if was_cut_off => BrowserError::TimedOut(within),
                None => BrowserError::ErrorPage(code.to_owned()),
            });
        }
        Ok(RenderedPage {
            html,
            requests: finished.0,
        })
    }

    fn has_flag(&self, flag: &str) -> bool {
        self.flags.iter().any(|one| one == flag)
    }

    /// Returns the browser's user agent: its own, and ours.
    fn user_agent(&self, end: Instant) -> String {
        let Ok(scratch) = ScratchDirectory::plan() else {
            return switches::user_agent("", USER_AGENT);
        };
        let end = end.min(Instant::now() + switches::VERSION_TIMEOUT);
        let arguments = [OsString::from("--version")];
        let version = process::run(&self.program, arguments.into_iter(), &scratch, end);
        let version = version.map(|version| version.output).unwrap_or_default();
        switches::user_agent(&String::from_utf8_lossy(&version), USER_AGENT)
    }
}

/// Returns the error code of the browser's own error page, if `html` is one. The document's address
/// (`chrome-error://chromewebdata/`) is not printed, but the data from which the page is made is,
/// at its end. A page that imitates it is not shown.
fn error_page_code(html: &str) -> Option<&str> {
    let (page, made_from) = html.rsplit_once("<script>var loadTimeDataRaw = {")?;
    let (_, code) = made_from.split_once("\"errorCode\":\"")?;
    let (code, _) = code.split_once('"')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ' ' | '-');
    let is_own =
        page.contains("<body class=\"neterror\"") && made_from.contains("\"reloadButton\":");
    (is_own && code.len() <= MAX_CODE_BYTES && code.chars().all(plain)).then_some(code)
}
