//! Metrics of a server's calls, in Prometheus' text form, version 0.0.4
//! (`prometheus.io/docs/instrumenting/exposition_formats`).
//!
//! The crates for this take more room than the executable has.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use crate::basics::mutex::lock;

/// Content type of the metrics.
pub const TEXT_FORM: &str = "text/plain; version=0.0.4";

/// The bounds of the durations that are counted together, in seconds.
const BOUNDS: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10.0, 25.0];

/// The metrics of a server.
#[derive(Debug, Default)]
pub struct ServerMetrics(Mutex<CallCounts>);

/// The counters.
#[derive(Debug, Default)]
pub struct CallCounts {
    /// Calls under way.
    pub running: u64,
    /// Lines of the log that were lost.
    pub lost: u64,
    /// Calls that have ended, by tool and outcome.
    calls: BTreeMap<(&'static str, String), u64>,
    /// Durations of calls, by tool.
    durations: BTreeMap<&'static str, DurationHistogram>,
    /// Requests that were refused, by status.
    refused: BTreeMap<u16, u64>,
}

#[derive(Debug, Default)]
struct DurationHistogram {
    /// Calls that took no longer than each bound, and longer than the one before it.
    within: [u64; BOUNDS.len()],
    count: u64,
    seconds: f64,
}

/// Values that are read when the metrics are asked for.
pub struct ServerState {
    /// Time since the server started.
    pub uptime: Duration,
    /// Connections of clients.
    pub connections: usize,
    /// True if the shared cache can be reached, or none is configured.
    pub shared_up: bool,
    /// The memory of the process, in bytes, if it is known.
    pub resident: Option<u64>,
}

impl ServerMetrics {
    /// The counters, locked for an update.
    pub fn lock(&self) -> MutexGuard<'_, CallCounts> {
        lock(&self.0)
    }

    /// All of it, in [`TEXT_FORM`].
    pub fn text(&self, now: &ServerState) -> String {
        let mut text = String::new();
        // Writing to memory does not fail.
        let _ = self.lock().write(now, &mut text);
        text
    }
}

impl CallCounts {
    /// Records that a call of `tool` has ended.
    pub fn record_end(&mut self, tool: &'static str, outcome: &str, elapsed: Duration) {
        self.running = self.running.saturating_sub(1);
        *self.calls.entry((tool, outcome.to_owned())).or_default() += 1;
        let seconds = elapsed.as_secs_f64();
        let durations = self.durations.entry(tool).or_default();
        durations.count += 1;
        durations.seconds += seconds;
        if let Some(bound) = BOUNDS.iter().position(|bound| seconds <= *bound) {
            durations.within[bound] += 1;
        }
    }

    /// Records that a request was refused with this status.
    pub fn record_refusal(&mut self, status: u16) {
        *self.refused.entry(status).or_default() += 1;
    }

    fn write(&self, now: &ServerState, out: &mut String) -> fmt::Result {
        head(
            out,
            "calls_total",
            "counter",
            "Calls that have ended, by tool and outcome.",
        )?;
        for ((tool, outcome), count) in &self.calls {
            let outcome = escaped(outcome);
            writeln!(
                out,
                "ikigai_calls_total{{outcome=\"{outcome}\",tool=\"{tool}\"}} {count}"
            )?;
        }
        head(out, "call_seconds", "histogram", "How long calls took.")?;
        for (tool, durations) in &self.durations {
            let mut so_far = 0;
            for (bound, count) in BOUNDS.iter().zip(durations.within) {
                so_far += count;
                writeln!(
                    out,
                    "ikigai_call_seconds_bucket{{tool=\"{tool}\",le=\"{bound}\"}} {so_far}"
                )?;
            }
            let DurationHistogram { count, seconds, .. } = durations;
            writeln!(
                out,
                "ikigai_call_seconds_bucket{{tool=\"{tool}\",le=\"+Inf\"}} {count}\n\
                 ikigai_call_seconds_sum{{tool=\"{tool}\"}} {seconds}\n\
                 ikigai_call_seconds_count{{tool=\"{tool}\"}} {count}"
            )?;
        }
        head(
            out,
            "refused_total",
            "counter",
            "Requests that were refused, by HTTP status.",
        )?;
        for (status, count) in &self.refused {
            writeln!(out, "ikigai_refused_total{{status=\"{status}\"}} {count}")?;
        }
        let help = "Lines for which a log that is read too slowly had no room.";
        head(out, "log_lines_lost_total", "counter", help)?;
        writeln!(out, "ikigai_log_lines_lost_total {}", self.lost)?;
        let help = "0 where a shared cache is configured and cannot be reached, else 1.";
        let connections = u64::try_from(now.connections).unwrap_or(u64::MAX);
        for (name, help, value) in [
            ("calls_running", "Calls under way.", Some(self.running)),
            ("connections", "Connections of clients.", Some(connections)),
            ("shared_cache_up", help, Some(u64::from(now.shared_up))),
            (
                "resident_bytes",
                "Memory of the server's own process.",
                now.resident,
            ),
            (
                "uptime_seconds",
                "How long the server has been there.",
                Some(now.uptime.as_secs()),
            ),
        ] {
            if let Some(value) = value {
                head(out, name, "gauge", help)?;
                writeln!(out, "ikigai_{name} {value}")?;
            }
        }
        Ok(())
    }
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) -> fmt::Result {
    writeln!(
        out,
        "# HELP ikigai_{name} {help}\n# TYPE ikigai_{name} {kind}"
    )
}

/// The value of a label, as the form wants it.
fn escaped(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_counted_up_to_each_bound() {
        let figures = ServerMetrics::default();
        for milliseconds in [1, 3, 3, 30_000] {
            let mut counted = figures.lock();
            counted.running += 1;
            counted.record_end("t", "a\"b", Duration::from_millis(milliseconds));
        }
        let text = figures.text(&ServerState {
            uptime: Duration::from_secs(7),
            connections: 2,
            shared_up: false,
            resident: None,
        });
        for line in [
            r#"ikigai_calls_total{outcome="a\"b",tool="t"} 4"#,
            r#"ikigai_call_seconds_bucket{tool="t",le="0.001"} 1"#,
            r#"ikigai_call_seconds_bucket{tool="t",le="0.0025"} 1"#,
            r#"ikigai_call_seconds_bucket{tool="t",le="0.005"} 3"#,
            r#"ikigai_call_seconds_bucket{tool="t",le="25"} 3"#,
            r#"ikigai_call_seconds_bucket{tool="t",le="+Inf"} 4"#,
            r#"ikigai_call_seconds_sum{tool="t"} 30.007"#,
            "ikigai_calls_running 0",
            "ikigai_shared_cache_up 0",
            "ikigai_uptime_seconds 7",
        ] {
            assert!(text.lines().any(|one| one == line), "{line} in {text}");
        }
        assert!(!text.contains("resident"));
        // Each name is described once, before its values.
        let described: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("# TYPE"))
            .collect();
        assert_eq!(described.len(), 8, "{text}");
    }
}
