//! What whole calls cost, beside what a person would use instead: CPU seconds, seconds by the
//! clock, memory.
//!
//! `cargo bench` measures everything, `cargo bench -- --quick` leaves out what takes gigabytes, and
//! any other argument chooses the works whose name contains it. The executable measured is that of
//! `IKIGAI_BIN`, or the static one that an installation has, which is built first.

mod corpus;
mod measure;
mod rows;
mod web;

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use corpus::Corpus;
use measure::{Call, Sample, median};
use rows::{Place, Row};

/// Where Cargo lets benches keep what they make.
const KEPT: &str = env!("CARGO_TARGET_TMPDIR");

const TARGET: &str = "x86_64-unknown-linux-musl";

fn main() -> io::Result<()> {
    let (options, wanted): (Vec<_>, Vec<_>) = env::args()
        .skip(1)
        .partition(|argument| argument.starts_with("--"));
    let quick = options.iter().any(|option| option == "--quick");
    let kept = Path::new(KEPT).join("whole-calls");
    let corpus = Corpus::new(&kept)?;
    let peers = kept.join("peers");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers.sh");
    if !Command::new(script).arg(&peers).status()?.success() {
        return Err(io::Error::other(
            "not all programs to compare with are there",
        ));
    }
    let binary = binary()?;
    let list = Command::new(&binary).arg("list").output()?.stdout;
    let names: Vec<String> = String::from_utf8_lossy(&list)
        .lines()
        .map(str::to_owned)
        .collect();
    let place = Place {
        links: &rows::link(&binary, &kept.join("links"), &names)?,
        names: &names,
        peers: &peers,
        corpus: &corpus,
        quick,
    };
    println!("{}\n", machine());
    println!(
        "| work | beside | CPU s | its CPU s | ratio | at most | by the clock | peak MiB | at most |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|--:|--:|");
    for row in rows::all(&place)? {
        if wanted.is_empty() || wanted.iter().any(|part| row.work.contains(part.as_str())) {
            print(&row)?;
        }
    }
    Ok(())
}

/// The executable as it is installed.
fn binary() -> io::Result<PathBuf> {
    if let Some(path) = env::var_os("IKIGAI_BIN") {
        return fs::canonicalize(path);
    }
    let built = Path::new(KEPT).join("static");
    let done = Command::new(
        env::var_os("CARGO")
            .as_deref()
            .unwrap_or(OsStr::new("cargo")),
    )
    .args([
        "build",
        "--release",
        "--quiet",
        "--bin",
        "ikigai-tools",
        "--target",
        TARGET,
    ])
    .arg("--target-dir")
    .arg(&built)
    .env(
        "RUSTFLAGS",
        "-C relocation-model=static -C target-feature=+crt-static",
    )
    .current_dir(env!("CARGO_MANIFEST_DIR"))
    .status()?;
    if !done.success() {
        return Err(io::Error::other(
            "the static executable cannot be built; set IKIGAI_BIN",
        ));
    }
    Ok(built.join(TARGET).join("release/ikigai-tools"))
}

/// Measures a row, ours and each peer in turn, and prints a line for each peer.
fn print(row: &Row) -> io::Result<()> {
    check(row)?;
    let mut ours = Vec::new();
    let mut theirs: Vec<Vec<Sample>> = row.peers.iter().map(|_| Vec::new()).collect();
    // The check has been a run already: what is done and undone in turn goes on with the next.
    for run in 1..=row.runs {
        ours.push(in_turn(&row.ours, run).run(false)?);
        for (peer, samples) in row.peers.iter().zip(&mut theirs) {
            samples.push(in_turn(&peer.calls, run).run(false)?);
        }
    }
    let (cpu, wall) = medians(&ours);
    let peak = ours.iter().map(|sample| sample.peak).max().unwrap_or(0);
    let memory = format!(
        "{} | {}",
        mebibytes(peak, row.peak),
        row.peak.map_or("–".into(), |most| mebibytes(most, None))
    );
    let most_cpu = row.cpu.map_or("–".into(), |most| format!("{most} s"));
    let over = if row.cpu.is_some_and(|most| cpu > most) {
        " (over)"
    } else {
        ""
    };
    if row.peers.is_empty() {
        let most = row
            .wall
            .map_or(most_cpu.clone(), |most| format!("{most} s by the clock"));
        println!(
            "| {} | – | {cpu:.4}{over} | – | – | {most} | {wall:.3} s | {memory} |",
            row.work
        );
    }
    for (peer, samples) in row.peers.iter().zip(&theirs) {
        let (its_cpu, its_wall) = medians(samples);
        let ratio = cpu / its_cpu;
        let most = peer
            .limit
            .map_or(most_cpu.clone(), |limit| format!("{limit}"));
        let beyond = if peer.limit.is_some_and(|limit| ratio > limit) {
            " (over)"
        } else {
            ""
        };
        println!(
            "| {} | {} | {cpu:.4}{over} | {its_cpu:.4} | {ratio:.2}{beyond} | {most} | {:.2} | {memory} |",
            row.work,
            peer.name,
            wall / its_wall,
        );
    }
    Ok(())
}

/// A run of each that is not measured: the files are in memory then, and the answers are known to
/// be right.
fn check(row: &Row) -> io::Result<()> {
    let ours = row.ours[0].run(row.lines)?;
    let answer = String::from_utf8_lossy(&ours.head);
    if answer.starts_with("{\"error\"") || answer.starts_with("{\"success\":false") {
        return Err(io::Error::other(format!("{}: {answer}", row.work)));
    }
    for peer in &row.peers {
        let its = peer.calls[0].run(row.lines)?;
        let end = format!("\"count\":{}}}", its.lines);
        if row.lines && !ours.tail.ends_with(end.as_bytes()) {
            let found = String::from_utf8_lossy(&ours.tail).into_owned();
            return Err(io::Error::other(format!(
                "{}: {} has {end}, not {found}",
                row.work, peer.name
            )));
        }
    }
    Ok(())
}

fn in_turn(calls: &[Call], run: usize) -> &Call {
    &calls[run % calls.len()]
}

fn medians(samples: &[Sample]) -> (f64, f64) {
    (
        median(samples.iter().map(|sample| sample.cpu).collect()),
        median(samples.iter().map(|sample| sample.wall).collect()),
    )
}

fn mebibytes(bytes: u64, limit: Option<u64>) -> String {
    #[expect(clippy::cast_precision_loss, reason = "one digit is shown")]
    let mebibytes = bytes as f64 / f64::from(1 << 20);
    let over = if limit.is_some_and(|limit| bytes > limit) {
        " (over)"
    } else {
        ""
    };
    format!("{mebibytes:.1}{over}")
}

/// The machine and the programs, in a paragraph.
fn machine() -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let value = |text: &str, key: &str| {
        let line = text.lines().find(|line| line.starts_with(key));
        line.and_then(|line| line.split_once(':'))
            .map_or_else(String::new, |(_, value)| value.trim().to_owned())
    };
    let processors = read("/proc/cpuinfo");
    let versions = rows::programs().map(|command| {
        let output = Command::new(command[0]).args(&command[1..]).output();
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        text.unwrap_or_default()
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned()
    });
    format!(
        "{}, {} processors, {} of memory, Linux {}; {}.",
        value(&processors, "model name"),
        processors
            .lines()
            .filter(|line| line.starts_with("processor"))
            .count(),
        value(&read("/proc/meminfo"), "MemTotal"),
        read("/proc/sys/kernel/osrelease").trim(),
        versions.join(", ")
    )
}
