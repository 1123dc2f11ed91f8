//! What whole calls cost, beside what a person would use instead: CPU seconds, seconds by the
//! clock, memory.
//!
//! `cargo bench --bench whole_calls` measures everything; behind `--`, `--quick` leaves out what
//! takes gigabytes, and any other argument chooses the works whose name contains it. `--cores 1`
//! has all of it run on one core, and `--scaling` prints what one core and all of them give
//! instead. The executable measured is that of `IKIGAI_BIN`, or the static one that an installation
//! has, which is built first.

mod corpus;
mod measure;
mod rows;
mod scaling;
mod served;
mod table;

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use corpus::Corpus;
use rows::{Place, Row};

/// Where Cargo lets benches keep what they make.
const KEPT: &str = env!("CARGO_TARGET_TMPDIR");

const TARGET: &str = "x86_64-unknown-linux-musl";

/// What the command line asks for.
#[derive(Default)]
struct Options {
    quick: bool,
    scaling: bool,
    /// On how many cores everything runs; on all if `None`.
    cores: Option<usize>,
    /// Parts of the names of the works that are wanted; all if there are none.
    wanted: Vec<String>,
}

impl Options {
    fn read(mut arguments: impl Iterator<Item = String>) -> io::Result<Self> {
        let mut options = Self::default();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => options.quick = true,
                "--scaling" => options.scaling = true,
                "--cores" => {
                    let count = arguments.next().and_then(|count| count.parse().ok());
                    let count = count.filter(|count| *count > 0);
                    let count = count.ok_or_else(|| io::Error::other("--cores wants a number"))?;
                    options.cores = Some(count);
                }
                // Cargo's own.
                "--bench" => {}
                unknown if unknown.starts_with("--") => {
                    return Err(io::Error::other(format!("unknown: {unknown}")));
                }
                _ => options.wanted.push(argument),
            }
        }
        Ok(options)
    }

    fn wants(&self, work: &str) -> bool {
        self.wanted.is_empty() || self.wanted.iter().any(|part| work.contains(part.as_str()))
    }
}

fn main() -> io::Result<()> {
    let options = Options::read(env::args().skip(1))?;
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
        quick: options.quick,
    };
    let cores = measure::cores()?;
    let used = options.cores.map_or(cores, |count| count.min(cores));
    println!("{}\n\nOn {used} of {cores} cores.\n", machine(&place));
    let rows = rows::all(&place)?;
    let rows: Vec<&Row> = rows.iter().filter(|row| options.wants(&row.work)).collect();
    if options.scaling {
        return scaling::print(rows.into_iter(), used);
    }
    println!("{}", table::HEAD);
    for row in rows {
        table::print(row, options.cores)?;
    }
    served::print(&place, |work| options.wants(work), options.cores)
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

/// The machine and the programs, in a paragraph.
fn machine(place: &Place<'_>) -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let value = |text: &str, key: &str| {
        let line = text.lines().find(|line| line.starts_with(key));
        line.and_then(|line| line.split_once(':'))
            .map_or_else(String::new, |(_, value)| value.trim().to_owned())
    };
    let processors = read("/proc/cpuinfo");
    let versions = rows::programs(place).map(|[program, version]| {
        let output = Command::new(program).arg(version).output();
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
        versions.collect::<Vec<_>>().join(", ")
    )
}
