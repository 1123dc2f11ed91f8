//! The table: each work measured beside each of its peers in turn, a line for each.

use std::io;

use crate::measure::{Call, Figures, How, Sample, figures};
use crate::rows::Row;

/// The table's head.
pub const HEAD: &str = "\
| work | beside | CPU s | its CPU s | ratio | at most | clock s | its clock s | ratio | at most | peak MiB | at most |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|";

/// Below this time of a peer's by the clock, a limit may be one of seconds and not of a ratio.
const SHORT_SECONDS: f64 = 0.1;

/// The most that a call may take. What is absolute is in seconds and bytes.
#[derive(Clone, Copy, Default)]
pub struct Limits {
    pub cpu: Option<f64>,
    pub wall: Option<f64>,
    pub cpu_ratio: Option<f64>,
    pub wall_ratio: Option<f64>,
    /// The seconds by the clock that ours may take more than a peer that takes less than
    /// [`SHORT_SECONDS`], in place of the ratio.
    pub wall_more: Option<f64>,
    pub peak: Option<u64>,
}

/// Measures a row, ours and each peer in turn, and prints a line for each peer.
pub fn print(row: &Row, cores: Option<usize>) -> io::Result<()> {
    check(row, cores)?;
    let how = How { look: false, cores };
    let mut ours = Vec::new();
    let mut theirs: Vec<Vec<Sample>> = row.peers.iter().map(|_| Vec::new()).collect();
    // The check has been a run already: what is done and undone in turn goes on with the next.
    let run = |call: &Call| {
        if row.is_cold {
            call.drop_executable_from_memory()?;
        }
        call.run(how)
    };
    for turn in 1..=row.runs {
        ours.push(run(in_turn(&row.ours, turn))?);
        for (peer, samples) in row.peers.iter().zip(&mut theirs) {
            samples.push(run(in_turn(&peer.calls, turn))?);
        }
    }
    let ours = figures(&ours);
    let limits = Limits {
        cpu: row.cpu,
        wall: row.wall,
        peak: row.peak,
        ..Limits::default()
    };
    if row.peers.is_empty() {
        line(&row.work, &ours, None, limits);
    }
    for (peer, samples) in row.peers.iter().zip(&theirs) {
        let limits = Limits {
            cpu_ratio: peer.cpu,
            wall_ratio: peer.wall,
            wall_more: peer.wall_more,
            ..limits
        };
        line(
            &row.work,
            &ours,
            Some((peer.name, &figures(samples))),
            limits,
        );
    }
    Ok(())
}

/// Prints a line: what ours took, and its peer.
pub fn line(work: &str, ours: &Figures, peer: Option<(&str, &Figures)>, limits: Limits) {
    let name = peer.map_or("–", |(name, _)| name);
    let cpu = columns(
        ours.cpu,
        peer.map(|(_, its)| its.cpu),
        limits.cpu,
        limits.cpu_ratio,
        None,
    );
    let wall = columns(
        ours.wall,
        peer.map(|(_, its)| its.wall),
        limits.wall,
        limits.wall_ratio,
        limits.wall_more,
    );
    let over = over(limits.peak.is_some_and(|most| ours.peak > most));
    let most = limits.peak.map_or("–".into(), mebibytes);
    let peak = mebibytes(ours.peak);
    println!("| {work} | {name} | {cpu} | {wall} | {peak}{over} | {most} |");
}

/// What ours took, what its peer took, the ratio of both, and the most that it may be; of a short
/// peer's time, so many seconds `more`.
fn columns(
    ours: f64,
    its: Option<f64>,
    most: Option<f64>,
    most_of_its: Option<f64>,
    more: Option<f64>,
) -> String {
    let mark = over(most.is_some_and(|most| ours > most));
    let most = most.map(|most| format!("{most} s"));
    let Some(its) = its else {
        let most = most.unwrap_or("–".into());
        return format!("{ours:.4}{mark} | – | – | {most}");
    };
    let ratio = ours / its;
    let (is_beyond, most_of_its) = match more.filter(|_| its < SHORT_SECONDS) {
        Some(more) => (ours > its + more, Some(format!("{more} s more"))),
        None => (
            most_of_its.is_some_and(|most| ratio > most),
            most_of_its.map(|most| most.to_string()),
        ),
    };
    let beyond = over(is_beyond);
    let most = most_of_its.or(most).unwrap_or("–".into());
    format!("{ours:.4}{mark} | {its:.4} | {ratio:.2}{beyond} | {most}")
}

fn over(is_over: bool) -> &'static str {
    if is_over { " (over)" } else { "" }
}

/// A run of each that is not measured: the files are in memory then, and the answers are known to
/// be right.
fn check(row: &Row, cores: Option<usize>) -> io::Result<()> {
    let how = How {
        look: row.lines,
        cores,
    };
    let ours = row.ours[0].run(how)?;
    let answer = String::from_utf8_lossy(&ours.head);
    if answer.starts_with("{\"error\"") || answer.starts_with("{\"success\":false") {
        return Err(io::Error::other(format!("{}: {answer}", row.work)));
    }
    for peer in &row.peers {
        let its = peer.calls[0].run(how)?;
        if peer.own && its.digest != ours.digest {
            let what = format!("{}: {} answers otherwise", row.work, peer.name);
            return Err(io::Error::other(what));
        }
        if row.lines && !peer.own {
            let found = found_by(&ours);
            if found != Some(its.lines) {
                return Err(io::Error::other(format!(
                    "{}: {} has {}, not {found:?}",
                    row.work, peer.name, its.lines
                )));
            }
        }
    }
    Ok(())
}

/// The number of what was found: the lines of an answer to flags, or the field in the end of a
/// host's, behind which a note may stand.
fn found_by(ours: &Sample) -> Option<u64> {
    if !ours.head.starts_with(b"{") {
        return Some(ours.lines);
    }
    let tail = String::from_utf8_lossy(&ours.tail);
    let (_, count) = tail.rsplit_once("\"count\":")?;
    let end = count.find(|digit: char| !digit.is_ascii_digit())?;
    count[..end].parse().ok()
}

fn in_turn(calls: &[Call], run: usize) -> &Call {
    &calls[run % calls.len()]
}

fn mebibytes(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "one digit is shown")]
    let mebibytes = bytes as f64 / f64::from(1 << 20);
    format!("{mebibytes:.1}")
}
