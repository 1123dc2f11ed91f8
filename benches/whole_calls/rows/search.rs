//! Searching, on every core and on one, in trees of every size and in one large file.

use std::io;

use serde_json::json;

use super::{HEAVY, MIB, Place, Row, SMALL, text};
use crate::corpus::{COMMON, GIB, RARE};
use crate::measure::Call;

/// What is searched for.
struct Wanted {
    kind: &'static str,
    pattern: &'static str,
    /// Whether there is much of it, so that writing it down counts as well.
    common: bool,
}

const WANTED: [Wanted; 5] = [
    Wanted {
        kind: "rare literal",
        pattern: RARE,
        common: false,
    },
    Wanted {
        kind: "common literal",
        pattern: COMMON,
        common: true,
    },
    Wanted {
        kind: "rare regex",
        pattern: "(error|warning) [a-z]+ [0-9]{5}$|seen: [a-z]{7} [0-9]{3}",
        common: false,
    },
    Wanted {
        kind: "common regex",
        pattern: "[a-z]+ request [0-9]{2,5}$",
        common: true,
    },
    Wanted {
        kind: "no match",
        pattern: "no such words",
        common: false,
    },
];

/// The most clock time, as a ratio to `rg` on every core.
fn limit_beside_rg(wanted: &Wanted) -> Option<f64> {
    limit(wanted, if wanted.common { 0.75 } else { 0.9 })
}

/// The limit beside a peer. A pattern that matches nothing has none: it is read in other ways as
/// well, for 0.2 s at most.
fn limit(wanted: &Wanted, ratio: f64) -> Option<f64> {
    (wanted.kind != "no match").then_some(ratio)
}

/// How a person searches `path` without leaving anything out, with these switches beside.
fn rg(switches: &[&str], pattern: &str, path: &str) -> Call {
    let mut command = vec!["rg", "-n", "--no-heading", "--no-ignore", "--hidden"];
    command.extend(switches);
    command.extend([pattern, path]);
    Call::new(&command)
}

pub fn grep(place: &Place<'_>) -> io::Result<Vec<Row>> {
    let mut rows = Vec::new();
    let tree = text(&place.corpus.tree(50_000)?);
    for wanted in &WANTED {
        let Wanted { kind, pattern, .. } = wanted;
        rows.push(
            in_tree(place, &format!("50,000 files, {kind}"), wanted, &tree)?
                .on_all_cores("`rg`", rg(&[], pattern, &tree), limit_beside_rg(wanted))
                .by_clock(
                    "`rg --sort path`",
                    rg(&["--sort", "path"], pattern, &tree),
                    None,
                )
                .against("`rg -j1`", rg(&["-j1"], pattern, &tree), limit(wanted, 1.1))
                .against(
                    "`grep -rnE`",
                    Call::new(&["grep", "-rnE", pattern, &tree]),
                    limit(wanted, 0.7),
                )
                .on_one_thread(None)
                .runs(HEAVY),
        );
    }
    let tree = text(&place.corpus.work_tree(50_000)?);
    for wanted in &WANTED {
        let Wanted { kind, pattern, .. } = wanted;
        let grep = text(&place.links.join("grep"));
        let ours = Call::new(&[&*grep, "--pattern", *pattern, "--path", &*tree]);
        let heeding = |switches: &[&str]| {
            let mut command = vec!["rg", "-n", "--no-heading", "--hidden", "-g", "!.git"];
            command.extend(switches);
            command.extend([*pattern, &*tree]);
            Call::new(&command)
        };
        rows.push(
            Row::new(
                format!("grep by flags, 50,000 files of a work tree, {kind}"),
                vec![ours],
            )
            .on_all_cores("`rg`", heeding(&[]), limit_beside_rg(wanted))
            .by_clock("`rg --sort path`", heeding(&["--sort", "path"]), None)
            .runs(HEAVY)
            .lines(),
        );
    }
    for count in [10, 200, 2_000] {
        let (wanted, tree) = (&WANTED[1], text(&place.corpus.tree(count)?));
        let label = format!("{count} files, {}", wanted.kind);
        rows.push(
            in_tree(place, &label, wanted, &tree)?
                .by_clock("`rg`", rg(&[], wanted.pattern, &tree), None)
                .on_one_thread(1.05)
                .runs(SMALL),
        );
    }
    if !place.quick {
        let file = text(&place.corpus.text("text", GIB)?);
        for wanted in &WANTED {
            rows.push(in_file(place, wanted, &file)?);
        }
    }
    Ok(rows)
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
    let work = format!("grep, 1 GiB, {kind}");
    let mut row = Row::new(work, vec![ours])
        .by_clock("`rg`", rg(&[], pattern, file), limit(wanted, 0.6))
        .against(
            "`rg --no-mmap`",
            rg(&["--no-mmap"], pattern, file),
            limit(wanted, 1.1),
        )
        .against(
            "`grep -rnE`",
            Call::new(&["grep", "-rnE", pattern, file]),
            limit(wanted, 0.4),
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
