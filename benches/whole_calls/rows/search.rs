//! Searching, on every core and on one, in trees of every size and in one large file.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::json;

use super::{HEAVY, MIB, Place, Row, SMALL, text};
use crate::corpus::{COMMON, GIB, MB, RARE};
use crate::measure::Call;

/// What is searched for.
struct Wanted {
    kind: &'static str,
    pattern: &'static str,
    /// How much of it there is.
    matches: Matches,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Matches {
    /// So much that writing it down counts as well.
    Many,
    Some,
    None,
}

const WANTED: [Wanted; 6] = [
    Wanted {
        kind: "rare literal",
        pattern: RARE,
        matches: Matches::Some,
    },
    Wanted {
        kind: "common literal",
        pattern: COMMON,
        matches: Matches::Many,
    },
    Wanted {
        kind: "rare regex",
        pattern: "(error|warning) [a-z]+ [0-9]{5}$|seen: [a-z]{7} [0-9]{3}",
        matches: Matches::Some,
    },
    Wanted {
        kind: "common regex",
        pattern: "[a-z]+ request [0-9]{2,5}$",
        matches: Matches::Some,
    },
    Wanted {
        kind: "no match",
        pattern: "no such words",
        matches: Matches::None,
    },
    Wanted {
        kind: "regex without match",
        pattern: "[A-Z]+_SUSPEND",
        matches: Matches::None,
    },
];

/// The most seconds by the clock that the further readings of a pattern that matches nothing may
/// take in a small tree.
const FURTHER_READINGS: f64 = 0.03;

impl Wanted {
    /// The limits beside `rg` on every core, whose time by the clock is `usual` where something
    /// matches.
    fn beside_rg(&self, row: Row, name: &'static str, call: Call, usual: f64) -> Row {
        if self.matches != Matches::None {
            return row.on_all_cores(name, call, usual);
        }
        let mut row = row.on_all_cores(name, call, 1.5);
        if let Some(peer) = row.peers.last_mut() {
            peer.wall_more = Some(FURTHER_READINGS);
        }
        row
    }

    /// The limit `ratio` beside a peer, for a pattern that matches something.
    fn if_found(&self, ratio: f64) -> Option<f64> {
        (self.matches != Matches::None).then_some(ratio)
    }

    /// The most CPU time, as a ratio to `rg` with one thread.
    fn beside_one_thread(&self) -> Option<f64> {
        match self.matches {
            Matches::Many => Some(1.2),
            Matches::Some => Some(1.0),
            Matches::None => None,
        }
    }
}

/// The two versions of ripgrep: how the table names each, and how it is called.
fn versions(place: &Place<'_>) -> [([&'static str; 4], String); 2] {
    [
        (
            ["`rg`", "`rg --sort path`", "`rg -j1`", "`rg --no-mmap`"],
            place.newest_rg(),
        ),
        (
            [
                "Debian's `rg`",
                "Debian's `rg --sort path`",
                "Debian's `rg -j1`",
                "Debian's `rg --no-mmap`",
            ],
            "rg".into(),
        ),
    ]
}

/// How a person searches `path` without leaving anything out, with these switches beside.
fn rg(program: &str, switches: &[&str], pattern: &str, path: &str) -> Call {
    let mut command = vec![
        program,
        "-n",
        "-a",
        "--no-heading",
        "--no-ignore",
        "--hidden",
    ];
    command.extend(switches);
    command.extend([pattern, path]);
    Call::new(&command)
}

pub fn grep(place: &Place<'_>) -> io::Result<Vec<Row>> {
    let mut rows = Vec::new();
    let tree = place.corpus.tree(50_000)?;
    let (tree, data) = (text(&tree), name_data(&tree)?);
    for wanted in &WANTED {
        let Wanted { kind, pattern, .. } = wanted;
        let mut row = in_tree(place, &format!("{data}, {kind}"), wanted, &tree)?;
        for ([all, sorted, one, _], program) in versions(place) {
            let rg = |switches: &[&str]| rg(&program, switches, pattern, &tree);
            row = wanted
                .beside_rg(row, all, rg(&[]), 0.65)
                .by_clock(sorted, rg(&["--sort", "path"]), None)
                .against(one, rg(&["-j1"]), wanted.beside_one_thread());
        }
        rows.push(
            row.against(
                "`grep -rnE`",
                Call::new(&["grep", "-rnE", pattern, &tree]),
                wanted.if_found(0.7),
            )
            .on_one_thread(None)
            .runs(HEAVY),
        );
    }
    let tree = place.corpus.work_tree(50_000)?;
    let (tree, data) = (text(&tree), name_data(&tree)?);
    for wanted in &WANTED {
        let Wanted { kind, pattern, .. } = wanted;
        let grep = text(&place.links.join("grep"));
        let ours = Call::new(&[&*grep, "--pattern", *pattern, "--path", &*tree]);
        let label = format!("grep by flags, {data} of a work tree, {kind}");
        let mut row = Row::new(label, vec![ours]);
        for ([all, sorted, ..], program) in versions(place) {
            let heeding = |switches: &[&str]| {
                let mut command = vec![&*program, "-n", "-a", "--no-heading", "--hidden"];
                command.extend(["-g", "!.git"]);
                command.extend(switches);
                command.extend([*pattern, &*tree]);
                Call::new(&command)
            };
            row = wanted.beside_rg(row, all, heeding(&[]), 0.65).by_clock(
                sorted,
                heeding(&["--sort", "path"]),
                None,
            );
        }
        rows.push(row.runs(HEAVY).lines());
    }
    for (count, wanted) in [
        (10, &WANTED[1]),
        (200, &WANTED[1]),
        (2_000, &WANTED[1]),
        (2_000, &WANTED[4]),
    ] {
        let tree = place.corpus.tree(count)?;
        let (tree, data) = (text(&tree), name_data(&tree)?);
        let label = format!("{data}, {}", wanted.kind);
        let mut row = in_tree(place, &label, wanted, &tree)?;
        for ([all, ..], program) in versions(place) {
            let call = rg(&program, &[], wanted.pattern, &tree);
            row = match wanted.matches {
                Matches::None => wanted.beside_rg(row, all, call, 1.5),
                Matches::Some | Matches::Many => row.by_clock(all, call, None),
            };
        }
        rows.push(row.on_one_thread(1.05).runs(SMALL));
    }
    if !place.quick {
        let file = text(&place.corpus.text("text", GIB)?);
        for wanted in &WANTED {
            rows.push(in_file(place, wanted, &file)?);
        }
    }
    Ok(rows)
}

/// The number of files below a directory, and their bytes.
fn name_data(directory: &Path) -> io::Result<String> {
    let (mut files, mut bytes) = (0_u64, 0);
    let mut left = vec![directory.to_owned()];
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                left.push(entry.path());
            } else {
                (files, bytes) = (files + 1, bytes + entry.metadata()?.len());
            }
        }
    }
    let (thousands, rest) = (files / 1000, files % 1000);
    let files = if thousands > 0 {
        format!("{thousands},{rest:03}")
    } else {
        rest.to_string()
    };
    #[expect(clippy::cast_precision_loss, reason = "one digit is shown")]
    let megabytes = bytes as f64 / MB as f64;
    Ok(format!("{files} files of {megabytes:.1} MB"))
}

fn in_tree(place: &Place<'_>, label: &str, wanted: &Wanted, tree: &str) -> io::Result<Row> {
    let request = json!({ "pattern": wanted.pattern, "path": tree, "glob": "**/*" });
    let ours = place.tool("grep", &label.replace(' ', "-"), &request)?;
    Ok(Row::new(format!("grep, {label}"), vec![ours]).lines())
}

/// One file, which ripgrep searches with one thread, and maps where it can.
fn in_file(place: &Place<'_>, wanted: &Wanted, file: &str) -> io::Result<Row> {
    let Wanted { kind, pattern, .. } = wanted;
    let request = json!({ "pattern": pattern, "path": file });
    let ours = place.tool("grep", &format!("1-GiB-{kind}"), &request)?;
    let mut row = Row::new(format!("grep, 1 GiB, {kind}"), vec![ours]);
    for ([all, _, _, read], program) in versions(place) {
        let rg = |switches: &[&str]| rg(&program, switches, pattern, file);
        row = row.by_clock(all, rg(&[]), wanted.if_found(0.6)).against(
            read,
            rg(&["--no-mmap"]),
            wanted.if_found(1.1),
        );
    }
    let beside_grep = match (wanted.matches, *kind) {
        (Matches::None, "no match") => 0.9,
        (Matches::None, _) => 1.5,
        (Matches::Some | Matches::Many, _) => 0.4,
    };
    row = row
        .against(
            "`grep -rnE`",
            Call::new(&["grep", "-rnE", pattern, file]),
            beside_grep,
        )
        .on_one_thread(None)
        .runs(HEAVY)
        .lines();
    if matches!(*kind, "rare literal" | "no match") {
        row = row.peak(8 * MIB);
    }
    Ok(row)
}

pub fn glob(place: &Place<'_>) -> io::Result<Vec<Row>> {
    let mut rows = Vec::new();
    if !place.quick {
        let flat = text(&place.corpus.flat(500_000)?);
        let glob = place.tool("glob", "flat", &json!({ "pattern": "*.txt", "path": flat }))?;
        let find = format!("find {flat} -maxdepth 1 -name '*.txt' | sort");
        let fd = format!("fdfind -j1 -I -d1 -g '*.txt' . {flat} | sort");
        rows.push(
            Row::new("glob `*.txt`, 500,000 names", vec![glob])
                .against(
                    "`glob(3)`",
                    place.peer("glob3", &format!("{flat}/*.txt")),
                    1.0,
                )
                .against("`find` sorted", Call::shell(&find), 1.0)
                .against("`fd -j1` sorted", Call::shell(&fd), 1.0),
        );
    }
    let tree = text(&place.corpus.tree(50_000)?);
    for (kind, pattern, find, fd) in [
        ("some", "**/*.c", "-name '*.c'", "-g '*.c'"),
        ("all", "**/*", "-mindepth 1", "."),
    ] {
        let request = json!({ "pattern": pattern, "path": tree });
        let glob = place.tool("glob", &format!("tree-{kind}"), &request)?;
        let find = Call::shell(&format!("find {tree} {find} | sort"));
        let one = Call::shell(&format!("fdfind -j1 -I {fd} {tree} | sort"));
        let all = Call::shell(&format!("fdfind -I {fd} {tree} | sort"));
        rows.push(
            Row::new(format!("glob `{pattern}`, 50,000 files"), vec![glob])
                .against("`find` sorted", find, 1.0)
                .against("`fd -j1` sorted", one, 1.0)
                .on_all_cores("`fd` sorted", all, 0.75)
                .on_one_thread(None),
        );
    }
    Ok(rows
        .into_iter()
        .map(|row| row.runs(HEAVY).lines())
        .collect())
}
