//! Commands run, files read, changed and written.

use std::io;

use serde_json::{Value, json};

use super::{COLD, HEAVY, MIB, Peer, Place, Row, text};
use crate::corpus::{GIB, MB, NEEDLE, RARE};
use crate::measure::Call;

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

/// The first call after a long time: the executable has to be read from the disk.
fn cold_start(place: &Place<'_>) -> Row {
    let mut schema = place.link("bash");
    schema.command.push("--schema".into());
    let version = Call::new(&[&place.newest_rg(), "--version"]);
    Row::new("`--schema`, executable not in memory", vec![schema])
        .by_clock("`rg --version`, likewise", version, 1.5)
        .cold()
        .runs(COLD)
}

/// Calls that do hardly anything, and one that hands a gibibyte on.
pub fn small(place: &Place<'_>) -> io::Result<Vec<Row>> {
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
        cold_start(place),
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

/// Reading a large file, or a little of it.
pub fn reading(place: &Place<'_>) -> io::Result<Vec<Row>> {
    let size = 50 * MB;
    let file = text(&place.corpus.text("text", size)?);
    let read = |name, request: Value| place.tool("file-read", name, &request);
    Ok(vec![
        Row::new(
            "file-read, 50 MB",
            vec![read("all", json!({ "file_path": file }))?],
        )
        .against("`cat`", Call::new(&["/bin/cat", &file]), 1.6)
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

/// Changing files, and writing them.
pub fn editing(place: &Place<'_>) -> io::Result<Vec<Row>> {
    let mut rows = vec![edit(place, "50 MB", 50 * MB, 21, 150 * MB)?];
    if !place.quick {
        rows.push(edit(place, "1 GiB", GIB, HEAVY, 64 * MIB)?);
    }
    rows.push(write(place, "100 MB", 100 * MB)?);
    if !place.quick {
        rows.push(write(place, "200 MB", 200 * MB)?);
    }
    Ok(rows)
}

/// A request to write a text, which may take three tenths more memory than it has bytes.
fn write(place: &Place<'_>, label: &str, size: u64) -> io::Result<Row> {
    let content = place.corpus.text("text", size)?;
    let file = place
        .corpus
        .copy(&content, &format!("written-{size}.txt"))?;
    let request = place.corpus.write_request(&file, &content, size)?;
    let bytes = request.metadata()?.len();
    let copied = place.corpus.copy(&content, &format!("copied-{size}.txt"))?;
    let copy = Call::shell(&format!("cat {} >{}", text(&request), text(&copied)));
    let ours = place.link("file-write").reading(request);
    Ok(Row::new(format!("file-write, {label}"), vec![ours])
        .against("`cat` of the request into a file", copy, None)
        .runs(HEAVY)
        .peak(bytes / 10 * 13))
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
        cpu: Some(0.5),
        wall: None,
        wall_more: None,
        own: false,
        scales: false,
    });
    Ok(row.runs(runs).peak(peak))
}
