//! The works that are measured, each with what a person would use instead and with its limits.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::corpus::{COMMON, Corpus, GIB, MB, NEEDLE, RARE};
use crate::measure::Call;
use crate::web;

/// Bytes in a mebibyte.
const MIB: u64 = 1 << 20;

/// Something that costs too little for seven runs to tell.
const SMALL: usize = 101;

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
    /// Whether both find something, of which the number of lines must agree.
    pub lines: bool,
}

/// What a person would use.
pub struct Peer {
    /// How the table names it.
    pub name: &'static str,
    /// Its calls, taken in turn.
    pub calls: Vec<Call>,
    /// The most CPU seconds that ours may take, as a ratio to its own.
    pub limit: Option<f64>,
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

    fn peer(&self, program: &str, argument: &str) -> Call {
        Call::new(&[&text(&self.peers.join(program)), argument])
    }

    fn has(&self, tool: &str) -> bool {
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
            lines: false,
        }
    }

    pub fn against(
        mut self,
        name: &'static str,
        call: Call,
        limit: impl Into<Option<f64>>,
    ) -> Self {
        let calls = vec![call];
        self.peers.push(Peer {
            name,
            calls,
            limit: limit.into(),
        });
        self
    }

    pub fn cpu(mut self, seconds: f64) -> Self {
        self.cpu = Some(seconds);
        self
    }

    fn runs(mut self, runs: usize) -> Self {
        self.runs = runs;
        self
    }

    pub fn peak(mut self, bytes: u64) -> Self {
        self.peak = Some(bytes);
        self
    }
}

/// All works, in the order of the table.
pub fn all(place: &Place<'_>) -> io::Result<Vec<Row>> {
    let mut rows = small_calls(place)?;
    rows.extend(reading(place)?);
    rows.extend(editing(place)?);
    if place.has("grep") {
        rows.extend(searching(place)?);
    }
    if place.has("glob") {
        rows.extend(finding(place)?);
    }
    rows.extend(web::rows(place)?);
    Ok(rows)
}

/// Small calls within a directory, each beside the same one without bounds.
fn confined_calls(place: &Place<'_>) -> io::Result<Vec<Row>> {
    let file = place.corpus.text("confined", MB)?;
    let root = file.parent().map(text).unwrap_or_default();
    let calls = [
        ("bash", "`true`", json!({"command": "true"})),
        (
            "file-read",
            "a line",
            json!({"file_path": text(&file), "limit": 1}),
        ),
        (
            "grep",
            "1 MB",
            json!({"pattern": RARE, "path": text(&file)}),
        ),
    ];
    let rows = calls.into_iter().filter(|(tool, ..)| place.has(tool));
    rows.map(|(tool, what, request)| {
        let free = place.tool(tool, "small", &request)?;
        let within = place
            .tool(tool, "small", &request)?
            .with("IKIGAI_ROOTS", &root);
        let row = Row::new(format!("{tool} {what}, confined"), vec![within]);
        Ok(row.against("the same without bounds", free, None))
    })
    .collect()
}

fn small_calls(place: &Place<'_>) -> io::Result<Vec<Row>> {
    let schemas = place.names.iter().map(|name| {
        let mut call = place.link(name);
        call.command.push("--schema".into());
        call
    });
    let bash = |name, command: &str| place.tool("bash", name, &json!({ "command": command }));
    let confined = confined_calls(place)?;
    let mut rows = vec![
        Row::new("any `--schema`", schemas.collect())
            .against("`/bin/true`", Call::new(&["/bin/true"]), 1.15)
            .peak(4 * MIB),
        Row::new("bash `true`", vec![bash("true", "true")?]).against(
            "`sh -c true`",
            Call::shell("true"),
            1.5,
        ),
    ];
    let mut background = Row::new(
        "bash `sleep 5 & echo x`",
        vec![bash("background", "sleep 5 & echo x")?],
    );
    background.wall = Some(0.2);
    rows.push(background.runs(HEAVY));
    rows.extend(confined);
    if !place.quick {
        let command = format!("cat {}", text(&place.corpus.text("text", GIB)?));
        rows.push(
            Row::new("bash, 1 GiB of output", vec![bash("gibibyte", &command)?])
                .against(
                    "`popen` and a copy",
                    place.peer("popen_copy", &command),
                    1.0,
                )
                .runs(HEAVY)
                .peak(10 * MIB),
        );
    }
    Ok(rows)
}

fn reading(place: &Place<'_>) -> io::Result<Vec<Row>> {
    let size = 50 * MB;
    let file = text(&place.corpus.text("text", size)?);
    let read = |name, request: Value| place.tool("file-read", name, &request);
    Ok(vec![
        Row::new(
            "file-read, 50 MB",
            vec![read("all", json!({ "file_path": file }))?],
        )
        .against("`cat`", Call::new(&["/bin/cat", &file]), 3.0)
        .runs(21)
        .peak(size * 5 / 2),
        Row::new(
            "file-read, 100 lines at line 800,000 of it",
            vec![read(
                "window",
                json!({ "file_path": file, "offset": 800_000, "limit": 100 }),
            )?],
        )
        .against(
            "`sed -n` with `q`",
            Call::new(&["/bin/sed", "-n", "800000,800099p;800099q", &file]),
            1.0,
        )
        .runs(21),
    ])
}

fn editing(place: &Place<'_>) -> io::Result<Vec<Row>> {
    let mut rows = vec![edit(place, "50 MB", 50 * MB, 21, 150 * MB)?];
    if !place.quick {
        rows.push(edit(place, "1 GiB", GIB, HEAVY, 64 * MIB)?);
    }
    let content = place.corpus.text("text", 100 * MB)?;
    let file = place.corpus.copy(&content, "written.txt")?;
    let request = place.corpus.write_request(&file, &content)?;
    let copy = format!(
        "cat {} >{}",
        text(&request),
        text(&place.corpus.copy(&content, "copied.txt")?)
    );
    rows.push(
        Row::new(
            "file-write, 100 MB",
            vec![place.link("file-write").reading(request)],
        )
        .against("`cat` of the request into a file", Call::shell(&copy), None)
        .runs(HEAVY),
    );
    Ok(rows)
}

/// One match: there and back again, so that each run finds what it looks for.
fn edit(place: &Place<'_>, label: &str, size: u64, runs: usize, peak: u64) -> io::Result<Row> {
    let other = "another-needle-in-that-haystack-is-not";
    let original = place.corpus.text("text", size)?;
    let copy = |name| place.corpus.copy(&original, &format!("{name}-{size}.txt"));
    let (ours, theirs) = (text(&copy("edited")?), text(&copy("sed")?));
    let mut row = Row::new(format!("file-edit, one match in {label}"), Vec::new());
    let mut seds = Vec::new();
    for (from, to) in [(NEEDLE, other), (other, NEEDLE)] {
        let request = json!({ "file_path": ours, "old_string": from, "new_string": to });
        row.ours
            .push(place.tool("file-edit", &format!("{label}-{from}"), &request)?);
        seds.push(Call::new(&[
            "/bin/sed",
            "-i",
            &format!("s/{from}/{to}/"),
            &theirs,
        ]));
    }
    row.peers.push(Peer {
        name: "`sed -i`",
        calls: seds,
        limit: Some(0.5),
    });
    Ok(row.runs(runs).peak(peak))
}

fn searching(place: &Place<'_>) -> io::Result<Vec<Row>> {
    let patterns = [
        ("rare literal", RARE),
        ("common literal", COMMON),
        (
            "regex",
            "(error|warning) [a-z]+ [0-9]{5}$|seen: [a-z]{7} [0-9]{3}",
        ),
        ("no match", "no such words"),
    ];
    let few = |kind| kind == "rare literal" || kind == "no match";
    let mut rows = Vec::new();
    let mut places = vec![("50,000 files", place.corpus.tree(50_000)?, 0.7)];
    if !place.quick {
        places.push(("1 GiB", place.corpus.text("text", GIB)?, 0.4));
    }
    for (label, path, limit) in places {
        for (kind, pattern) in patterns {
            let path = text(&path);
            let mut request = json!({ "pattern": pattern, "path": path });
            if label != "1 GiB" {
                request["glob"] = "**/*".into();
            }
            let ours = place.tool("grep", &format!("{label}-{kind}"), &request)?;
            let rg = ["rg", "-j1", "-n", "--no-ignore", "--hidden", pattern, &path];
            let mut row = Row::new(format!("grep, {label}, {kind}"), vec![ours])
                .against("`rg -j1`", Call::new(&rg), 1.1)
                .against(
                    "`grep -rnE`",
                    Call::new(&["grep", "-rnE", pattern, &path]),
                    limit,
                )
                .runs(HEAVY);
            if label == "1 GiB" && few(kind) {
                row = row.peak(8 * MIB);
            }
            row.lines = true;
            rows.push(row);
        }
    }
    Ok(rows)
}

fn finding(place: &Place<'_>) -> io::Result<Vec<Row>> {
    let mut rows = Vec::new();
    if !place.quick {
        let flat = text(&place.corpus.flat(500_000)?);
        let glob = place.tool("glob", "flat", &json!({ "pattern": "*.txt", "path": flat }))?;
        rows.push(
            Row::new("glob `*.txt`, 500,000 names", vec![glob])
                .against(
                    "`glob(3)`",
                    place.peer("glob3", &format!("{flat}/*.txt")),
                    1.0,
                )
                .against(
                    "`find` sorted",
                    Call::shell(&format!("find {flat} -maxdepth 1 -name '*.txt' | sort")),
                    1.0,
                )
                .against(
                    "`fd` sorted",
                    Call::shell(&format!("fdfind -j1 -I -d1 -g '*.txt' . {flat} | sort")),
                    1.0,
                ),
        );
    }
    let tree = text(&place.corpus.tree(50_000)?);
    let glob = place.tool(
        "glob",
        "tree",
        &json!({ "pattern": "**/*.c", "path": tree }),
    )?;
    rows.push(
        Row::new("glob `**/*.c`, 50,000 files", vec![glob])
            .against(
                "`find` sorted",
                Call::shell(&format!("find {tree} -name '*.c' | sort")),
                1.0,
            )
            .against(
                "`fd` sorted",
                Call::shell(&format!("fdfind -j1 -I -g '*.c' {tree} | sort")),
                1.0,
            ),
    );
    for row in &mut rows {
        row.runs = HEAVY;
        row.lines = true;
    }
    Ok(rows)
}

pub fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The programs that the table compares with, as they name themselves.
pub fn programs() -> [[&'static str; 2]; 6] {
    ["rg", "grep", "fdfind", "find", "sed", "curl"].map(|name| [name, "--version"])
}

/// The links of `binary` in `directory`, one for each name and those that an installation has only
/// when asked.
pub fn link(binary: &Path, directory: &Path, names: &[String]) -> io::Result<PathBuf> {
    if directory.exists() {
        std::fs::remove_dir_all(directory)?;
    }
    std::fs::create_dir_all(directory)?;
    let beside = ["web-search-tool", "scrape-page-tool", "ikigai-tools"];
    for name in names.iter().map(String::as_str).chain(beside) {
        std::os::unix::fs::symlink(binary, directory.join(name))?;
    }
    Ok(directory.to_owned())
}
