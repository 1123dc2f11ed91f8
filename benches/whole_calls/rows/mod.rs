//! The works that are measured, each with what a person would use instead and with its limits.

mod calls;
mod research;
mod search;
mod server;
mod web;

use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::corpus::Corpus;
use crate::measure::Call;

/// Bytes in a mebibyte.
const MIB: u64 = 1 << 20;

/// Something that costs too little for seven runs to tell.
const SMALL: usize = 101;

/// What waits for a disk.
const COLD: usize = 21;

/// What needs seconds.
const HEAVY: usize = 7;

/// One of the works.
pub struct Row {
    /// What is done.
    pub work: String,
    /// Our calls, taken in turn.
    pub ours: Vec<Call>,
    /// What does the same.
    pub peers: Vec<Peer>,
    /// How often each is run.
    pub runs: usize,
    /// The most that ours may hold in memory, in bytes.
    pub peak: Option<u64>,
    /// The most CPU seconds that ours may take.
    pub cpu: Option<f64>,
    /// The most seconds that ours may take by the clock.
    pub wall: Option<f64>,
    /// Whether the executable is dropped from memory before each run.
    pub is_cold: bool,
    /// Whether both find something, of which the number of lines must agree.
    pub lines: bool,
    /// Whether it is work for several cores.
    pub scales: bool,
}

/// What a person would use, or another way to make our own call.
pub struct Peer {
    /// How the table names it.
    pub name: &'static str,
    /// Its calls, taken in turn.
    pub calls: Vec<Call>,
    /// The most CPU seconds that ours may take, as a ratio to its own.
    pub cpu: Option<f64>,
    /// The most seconds that ours may take by the clock, as a ratio to its own.
    pub wall: Option<f64>,
    /// The most seconds by the clock that ours may take more, if its own are few.
    pub wall_more: Option<f64>,
    /// Whether it is our own call, whose answer must be the same byte for byte.
    pub own: bool,
    /// Whether it uses every core.
    pub scales: bool,
}

/// Where everything is.
pub struct Place<'a> {
    /// The directory of the links, one a tool.
    pub links: &'a Path,
    /// The names of the links.
    pub names: &'a [String],
    /// The directory of the C programs.
    pub peers: &'a Path,
    /// What is worked on.
    pub corpus: &'a Corpus,
    /// Without what takes gigabytes or hundreds of thousands of files.
    pub quick: bool,
}

impl Place<'_> {
    /// The call of a tool with a request, which `name` tells from others.
    pub fn tool(&self, tool: &str, name: &str, request: &Value) -> io::Result<Call> {
        let stdin = self.corpus.request(&format!("{tool}-{name}"), request)?;
        Ok(self.link(tool).reading(stdin))
    }

    pub fn link(&self, tool: &str) -> Call {
        Call::new(&[&text(&self.links.join(tool))])
    }

    /// The newest ripgrep; Debian's is the one on the `PATH`.
    fn newest_rg(&self) -> String {
        text(&self.peers.join("ripgrep/bin/rg"))
    }

    fn peer(&self, program: &str, argument: &str) -> Call {
        Call::new(&[&text(&self.peers.join(program)), argument])
    }

    pub fn has(&self, tool: &str) -> bool {
        self.names.iter().any(|name| name == tool)
    }
}

impl Row {
    pub fn new(work: impl Into<String>, ours: Vec<Call>) -> Self {
        Self {
            work: work.into(),
            ours,
            peers: Vec::new(),
            runs: SMALL,
            peak: None,
            cpu: None,
            wall: None,
            is_cold: false,
            lines: false,
            scales: false,
        }
    }

    /// Beside `call`, of whose CPU time ours may take so much.
    pub fn against(
        mut self,
        name: &'static str,
        call: Call,
        limit: impl Into<Option<f64>>,
    ) -> Self {
        self.peers.push(Peer {
            name,
            calls: vec![call],
            cpu: limit.into(),
            wall: None,
            wall_more: None,
            own: false,
            scales: false,
        });
        self
    }

    /// Beside `call`, of whose time by the clock ours may take so much.
    fn by_clock(mut self, name: &'static str, call: Call, limit: impl Into<Option<f64>>) -> Self {
        self = self.against(name, call, None);
        if let Some(peer) = self.peers.last_mut() {
            peer.wall = limit.into();
        }
        self
    }

    /// The same beside a program that uses every core.
    fn on_all_cores(self, name: &'static str, call: Call, limit: impl Into<Option<f64>>) -> Self {
        let mut row = self.by_clock(name, call, limit);
        if let Some(peer) = row.peers.last_mut() {
            peer.scales = true;
        }
        row
    }

    /// Beside our own call with one thread: what the others cost in CPU time, and, where it is so
    /// little work that they may only cost, by the clock.
    fn on_one_thread(self, wall: impl Into<Option<f64>>) -> Self {
        let call = self.ours[0].clone().with("IKIGAI_THREADS", "1");
        let mut row = self.by_clock("ours, one thread", call, wall);
        if let Some(peer) = row.peers.last_mut() {
            (peer.cpu, peer.own) = (Some(1.15), true);
        }
        row.scales = true;
        row
    }

    fn cpu(mut self, seconds: f64) -> Self {
        self.cpu = Some(seconds);
        self
    }

    fn wall(mut self, seconds: f64) -> Self {
        self.wall = Some(seconds);
        self
    }

    /// With the executable dropped from memory before each run.
    fn cold(mut self) -> Self {
        self.is_cold = true;
        self
    }

    fn runs(mut self, runs: usize) -> Self {
        self.runs = runs;
        self
    }

    fn peak(mut self, bytes: u64) -> Self {
        self.peak = Some(bytes);
        self
    }

    /// Both find the same number of lines.
    fn lines(mut self) -> Self {
        self.lines = true;
        self
    }
}

/// All works, in the order of the table.
pub fn all(place: &Place<'_>) -> io::Result<Vec<Row>> {
    let mut rows = calls::small(place)?;
    rows.extend(calls::reading(place)?);
    rows.extend(calls::editing(place)?);
    if place.has("grep") {
        rows.extend(search::grep(place)?);
    }
    if place.has("glob") {
        rows.extend(search::glob(place)?);
    }
    rows.extend(web::rows(place)?);
    rows.extend(research::rows(place)?);
    Ok(rows)
}

pub fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The programs that the table compares with, as they name themselves.
pub fn programs(place: &Place<'_>) -> impl Iterator<Item = [String; 2]> {
    let names = ["rg", "grep", "fdfind", "find", "sed", "curl"].map(str::to_owned);
    let programs = std::iter::once(place.newest_rg()).chain(names);
    programs.map(|name| [name, "--version".to_owned()])
}

/// The links of `binary` in `directory`, one for each name and those that an installation has only
/// when asked.
pub fn link(binary: &Path, directory: &Path, names: &[String]) -> io::Result<PathBuf> {
    if directory.exists() {
        std::fs::remove_dir_all(directory)?;
    }
    std::fs::create_dir_all(directory)?;
    let beside = [
        "web-search-tool",
        "scrape-page-tool",
        "search-and-scrape-tool",
        "sequential-search-tool",
        "ikigai-tools",
    ];
    for name in names.iter().map(String::as_str).chain(beside) {
        std::os::unix::fs::symlink(binary, directory.join(name))?;
    }
    Ok(directory.to_owned())
}
