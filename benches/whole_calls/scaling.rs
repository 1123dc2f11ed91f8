//! What more cores give: each work on one core and on all there are, and, from the share of it that
//! runs alone, what it would take with more.
//!
//! Amdahl's law: of a work that takes t(1) on one core, the share s that no other core can take a
//! part of stays, and the rest is divided, t(n) = t(1) · (s + (1 − s) / n). So two measured times
//! give s, and s gives the others. It knows nothing of memory that all cores share: what is
//! computed is the least that it can be.

use std::io;

use crate::measure::{Call, How, median};
use crate::rows::Row;

/// For how many cores the time is computed.
const COMPUTED: [usize; 2] = [8, 16];

/// Prints the table of the rows that are work for several cores; `cores` are used.
pub fn print<'a>(rows: impl Iterator<Item = &'a Row>, cores: usize) -> io::Result<()> {
    if cores < 2 {
        println!("One core: nothing to compare it with.");
        return Ok(());
    }
    let computed = COMPUTED.map(|cores| format!("{cores} cores, computed"));
    println!(
        "| by the clock, s | | 1 core | {cores} cores | ratio | runs alone | {} |",
        computed.join(" | ")
    );
    println!("|---|---|--:|--:|--:|--:|{}", "--:|".repeat(COMPUTED.len()));
    for row in rows.filter(|row| row.scales) {
        let peers = row.peers.iter().filter(|peer| peer.scales);
        let calls = std::iter::once(("ours", &row.ours[0]))
            .chain(peers.map(|peer| (peer.name, &peer.calls[0])));
        for (name, call) in calls {
            line(row, name, call, cores)?;
        }
    }
    Ok(())
}

fn line(row: &Row, name: &str, call: &Call, cores: usize) -> io::Result<()> {
    let (mut alone, mut together) = (Vec::new(), Vec::new());
    for run in 0..=row.runs {
        for (cores, times) in [(1, &mut alone), (cores, &mut together)] {
            let how = How {
                look: false,
                cores: Some(cores),
            };
            let wall = call.run(how)?.wall;
            // The first brings the files into memory.
            if run > 0 {
                times.push(wall);
            }
        }
    }
    let (one, all) = (median(alone), median(together));
    let share = share_alone(one, all, cores);
    let computed = COMPUTED.map(|cores| format!("{:.4}", time_on(one, share, cores)));
    println!(
        "| {} | {name} | {one:.4} | {all:.4} | {:.2} | {:.0} % | {} |",
        row.work,
        all / one,
        share * 100.0,
        computed.join(" | ")
    );
    Ok(())
}

/// The share that runs alone of what takes `one` on one core and `all` on `cores` of them.
fn share_alone(one: f64, all: f64, cores: usize) -> f64 {
    let cores = as_number(cores);
    ((cores * all / one - 1.0) / (cores - 1.0)).clamp(0.0, 1.0)
}

fn time_on(one: f64, share: f64, cores: usize) -> f64 {
    one * (share + (1.0 - share) / as_number(cores))
}

fn as_number(cores: usize) -> f64 {
    f64::from(u32::try_from(cores).unwrap_or(u32::MAX))
}
