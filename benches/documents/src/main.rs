//! Converts PDF files in one process: `documents-report ENGINE OUT FILE…` writes the text of each
//! file to `OUT/NAME.ENGINE` and prints the CPU time that all of them took, in seconds. What cannot
//! be converted becomes empty, and its error goes to stderr.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs, panic, process};

use ikigai_tools::document::{PdfLimits, convert_pdf};
use rustix::time::{ClockId, clock_gettime};

/// How long one file may take.
const LONGEST: Duration = Duration::from_secs(20);

fn convert(engine: &str, bytes: &[u8]) -> Result<String, String> {
    match engine {
        "ikigai" => {
            let limits = PdfLimits {
                end: Some(Instant::now() + LONGEST),
                ..PdfLimits::default()
            };
            let document = convert_pdf(bytes, &limits).map_err(|error| error.to_string())?;
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

fn main() {
    let arguments: Vec<String> = env::args().collect();
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
