//! grep on one file, and the numbers of the lines that it finds.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::common::{Answer, directory, tool};

/// grep's answer for a pattern on one file.
pub fn search(here: &Path, pattern: &str, file: &str) -> Answer {
    let request = json!({"pattern": pattern, "path": file});
    tool("grep").with(&request).in_directory(here).run()
}

/// The numbers of the lines that a pattern finds in a file.
pub fn numbers(here: &Path, pattern: &str, file: &str) -> Vec<usize> {
    let answer = search(here, pattern, file).json();
    let Some(output) = answer["output"].as_str() else {
        panic!("{pattern}: {answer}")
    };
    let number = |line: &str| line.split(':').nth(1).unwrap().parse().unwrap();
    output.lines().map(number).collect()
}

/// A directory with the file `f`.
pub fn with_file(content: impl AsRef<[u8]>) -> tempfile::TempDir {
    let here = directory();
    fs::write(here.path().join("f"), content).unwrap();
    here
}
