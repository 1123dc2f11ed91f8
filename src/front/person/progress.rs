//! A line on stderr that tells a person how far a call has come that takes its time.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use iki_base::console::sanitize;
use iki_base::console::streams::RawStdout;
use iki_base::progress_counters;
use iki_tools::contract::tool::{AccessScope, Tool};

/// The time after which a person begins to wonder.
const PROGRESS_DELAY: Duration = Duration::from_secs(1);

/// The time between two states of the line.
const STEP: Duration = Duration::from_millis(200);

/// The most characters of the line.
const MAX_WORDS: usize = 60;

/// The line, which is taken away when this is dropped.
pub struct ProgressLine {
    /// True if the call needs it no more, and the event.
    over: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl ProgressLine {
    /// The line of a call of `tool`; none if stderr is not a terminal, or nothing is counted.
    pub fn start(tool: &Tool) -> Option<Self> {
        let counts = matches!(tool.scope, AccessScope::Paths { .. } | AccessScope::Network);
        if !counts || !io::stderr().is_terminal() {
            return None;
        }
        let over = Arc::new((Mutex::new(false), Condvar::new()));
        let (name, shared) = (tool.command(), Arc::clone(&over));
        let thread = thread::Builder::new().spawn(move || show_until(&shared, name));
        let thread = Some(thread.ok()?);
        Some(Self { over, thread })
    }
}

/// Shows the line from when a person begins to wonder until the call is over.
fn show_until((over, ended): &(Mutex<bool>, Condvar), name: &str) {
    let (mut pause, mut width) = (PROGRESS_DELAY, 0);
    let mut is_over = over.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let waited = ended.wait_timeout_while(is_over, pause, |is_over| !*is_over);
        let (guard, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        is_over = guard;
        if !waited.timed_out() {
            break;
        }
        pause = STEP;
        let words = progress_counters::in_words();
        if !words.is_empty() {
            // A server's name is long at times, and a line that wraps is not taken away.
            let words: String = words.chars().take(MAX_WORDS).collect();
            let line = format!("{name}: {}", sanitize::for_line(&words));
            width = width.max(line.len());
            let _ = write!(io::stderr(), "\r{line:<width$}");
        }
    }
    if width > 0 {
        let _ = write!(io::stderr(), "\r{:width$}\r", "");
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        let (over, ended) = &*self.over;
        *over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        ended.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Stdout, before which a progress line on the same terminal is taken away.
pub struct StdoutAfterProgress {
    out: RawStdout,
    line: Option<ProgressLine>,
}

impl StdoutAfterProgress {
    /// Stdout of a call of `tool`.
    pub fn for_tool(tool: &Tool) -> Self {
        Self {
            out: RawStdout::default(),
            line: ProgressLine::start(tool),
        }
    }
}

impl Write for StdoutAfterProgress {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.line.is_some() && io::stdout().is_terminal() {
            self.line = None;
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
