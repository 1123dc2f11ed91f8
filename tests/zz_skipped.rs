//! The end of a run of `cargo test`: names each test that could not be made, and why.
//!
//! Cargo starts the test programs in the order of their names, so this is the last one. It has no
//! test harness, which would keep the lines to itself. Where cargo is told to start other programs
//! only (`--test NAME`), or stops at a failure (it does without `--no-fail-fast`), this one does
//! not run: the same lines have then been printed at once by `common::skip`.

#[path = "common/skipped.rs"]
#[allow(dead_code, reason = "the tests write, this reads")]
mod skipped;

fn main() {
    // What asks a test program for its tests (`--list`) makes no run.
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    let lines = skipped::take();
    println!("\ncould not be tested here: {}", lines.len());
    for line in lines {
        println!("{line}");
    }
}
