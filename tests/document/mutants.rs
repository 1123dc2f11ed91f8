//! Documents that chance has damaged: none may crash, hang, or take more memory than it should.

#[path = "../../benches/documents/src/mutants.rs"]
mod damaged;

use std::fs;
use std::time::{Duration, Instant};

use crate::common;
use crate::staged;
use damaged::{Chance, convert, kinds, mutant, original};

/// Number of each kind: `MUTANTS`, else 40, since the suite is run often.
fn mutants_of_a_kind() -> usize {
    std::env::var("MUTANTS").map_or(40, |number| number.parse().expect("MUTANTS is a number"))
}

/// The most memory of all, in KiB.
const MEMORY: u64 = 300 * 1024;

/// The most memory that this process has had, in KiB.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn damaged_documents_of_each_kind_crash_nothing_and_cost_little() {
    let test = "damaged_documents_of_each_kind_crash_nothing_and_cost_little";
    staged::alone(test, &[], |_| each_kind_crashes_nothing_and_costs_little());
}

fn each_kind_crashes_nothing_and_costs_little() {
    for (number, kind) in kinds().enumerate() {
        let original = original(kind);
        assert!(convert(kind, &original), "{kind} is read as it was made");
        let mut chance = Chance(number as u64);
        let begin = Instant::now();
        let mut read = 0;
        for _ in 0..mutants_of_a_kind() {
            read += usize::from(convert(kind, &mutant(&original, &mut chance)));
        }
        let taken = begin.elapsed();
        assert!(read > 0, "no {kind} was read");
        // A debug build takes its time, and others may be at work on the machine.
        assert!(taken < Duration::from_secs(120), "{kind}: {taken:?}");
    }
    match peak() {
        Some(peak) => assert!(peak <= MEMORY, "{peak} KiB"),
        None => common::skip("/proc does not say how much memory there was"),
    }
}
