//! Converts documents in one process: `documents-report ENGINE OUT FILE…` writes the text of each
//! file to `OUT/NAME.ENGINE` and prints the CPU time that all of them took, in seconds. What cannot
//! be converted becomes empty, and its error goes to stderr.
//!
//! `documents-report mutants KIND COUNT` makes so many damaged documents of a kind, converts them,
//! and prints how many were read, the CPU time, and the most memory that the process has had.

mod mutants;

use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs, panic, process};

use iki_document::{DocumentError, FileKind, FileLimits, convert_file};
use rustix::time::{ClockId, clock_gettime};

/// How long one file may take.
const LONGEST: Duration = Duration::from_secs(20);

fn convert(engine: &str, bytes: &[u8]) -> Result<String, String> {
    match engine {
        "ikigai" => {
            let limits = FileLimits {
                end: Some(Instant::now() + LONGEST),
                ..FileLimits::default()
            };
            let kind = FileKind::detect(bytes).ok_or_else(|| {
                DocumentError::detect(bytes)
                    .map_or("no known kind".to_owned(), |error| error.to_string())
            })?;
            let document = convert_file(bytes, kind, &limits).map_err(|error| error.to_string())?;
            Ok(document.markdown)
        }
        "lopdf" => {
            let document = lopdf::Document::load_mem(bytes).map_err(|error| error.to_string())?;
            let pages: Vec<u32> = document.get_pages().into_keys().collect();
            document
                .extract_text(&pages)
                .map_err(|error| error.to_string())
        }
        "pdf-extract" => {
            pdf_extract::extract_text_from_mem(bytes).map_err(|error| error.to_string())
        }
        _ => Err(format!("no engine is called {engine}")),
    }
}

fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Damages `count` documents of a kind, and converts them.
fn damage(kind: &str, count: usize) {
    let number = mutants::kinds().position(|known| known == kind);
    let number = number.expect("the kind is one of those that are made");
    let original = mutants::original(kind);
    assert!(
        mutants::convert(kind, &original),
        "{kind} is read as it was made"
    );
    let mut chance = mutants::Chance(number as u64);
    let (mut read, mut longest, begin) = (0, 0.0_f64, cpu());
    for _ in 0..count {
        let mutant = mutants::mutant(&original, &mut chance);
        let begin = cpu();
        read += usize::from(mutants::convert(kind, &mutant));
        longest = longest.max(cpu() - begin);
    }
    let taken = cpu() - begin;
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM:"));
    let peak = peak.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    println!(
        "| {kind} | {count} | {read} | {taken:.1} | {longest:.2} | {} |",
        peak.map_or(0, |peak| peak / 1024)
    );
}

fn main() {
    let arguments: Vec<String> = env::args().collect();
    if let [_, command, kind, count] = arguments.as_slice()
        && command == "mutants"
    {
        damage(kind, count.parse().expect("COUNT is a number"));
        return;
    }
    let [_, engine, out, files @ ..] = arguments.as_slice() else {
        eprintln!("usage: documents-report ENGINE OUT FILE...");
        process::exit(2);
    };
    let mut total = 0.0;
    for file in files {
        let bytes = fs::read(file).expect("the file can be read");
        let begin = cpu();
        let text = panic::catch_unwind(|| convert(engine, &bytes));
        let taken = cpu() - begin;
        total += taken;
        let text = text.unwrap_or_else(|_| Err("panic".to_owned()));
        let name = Path::new(file).file_stem().unwrap_or_default();
        if let Err(error) = &text {
            eprintln!("{engine}: {}: {error}", name.display());
        }
        let name = format!("{}.{engine}", name.display());
        fs::write(Path::new(out).join(name), text.unwrap_or_default()).expect("it can be written");
    }
    println!("{total:.3}");
}
