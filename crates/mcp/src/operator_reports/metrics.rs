//! Metrics of a server's calls, in Prometheus' text form, version 0.0.4
//! (`prometheus.io/docs/instrumenting/exposition_formats`).

use std::collections::BTreeMap;
use std::time::Duration;

/// Content type of the metrics.
pub const TEXT_FORM: &str = "text/plain; version=0.0.4";

/// The bounds of the durations that are counted together, in seconds.
const BOUNDS: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10.0, 25.0];

/// Each metric's name, kind and meaning, in the order in which they are shown.
const FAMILIES: &str = "\
calls_total counter Calls that have ended, by tool and outcome.
call_seconds histogram How long calls took.
refused_total counter Requests that were refused, by HTTP status.
log_lines_lost_total counter Lines for which a log that is read too slowly had no room.
calls_running gauge Calls under way.
connections gauge Connections of clients.
shared_cache_up gauge 0 where a shared cache is configured and cannot be reached, else 1.
resident_bytes gauge Memory of the server's own process.
uptime_seconds gauge How long the server has been there.";

/// The counters of a server's metrics.
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
    pub refused: BTreeMap<u16, u64>,
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
    pub is_shared_cache_up: bool,
    /// The memory of the process, in bytes, if it is known.
    pub resident: Option<u64>,
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

    /// All of them, in [`TEXT_FORM`].
    pub fn text(&self, now: &ServerState) -> String {
        let calls = self.calls.iter().map(|((tool, outcome), count)| {
            let outcome = escaped(outcome);
            format!("{{outcome=\"{outcome}\",tool=\"{tool}\"}} {count}")
        });
        let durations = self.durations.iter();
        let durations = durations.flat_map(|(tool, durations)| durations.samples(tool));
        let refused = self.refused.iter();
        let refused = refused.map(|(status, count)| format!("{{status=\"{status}\"}} {count}"));
        let one = |value: u64| vec![format!(" {value}")];
        let samples = [
            calls.collect(),
            durations.collect(),
            refused.collect(),
            one(self.lost),
            one(self.running),
            one(now.connections as u64),
            one(u64::from(now.is_shared_cache_up)),
            now.resident.map(one).unwrap_or_default(),
            one(now.uptime.as_secs()),
        ];
        let mut text = String::new();
        for (family, samples) in FAMILIES.lines().zip(samples) {
            let mut words = family.splitn(3, ' ');
            let [name, kind, help] = [(); 3].map(|()| words.next().unwrap_or_default());
            if kind == "gauge" && samples.is_empty() {
                continue;
            }
            let head = format!("# HELP ikigai_{name} {help}\n# TYPE ikigai_{name} {kind}\n");
            text.push_str(&head);
            for sample in samples {
                text.extend(["ikigai_", name, &*sample, "\n"]);
            }
        }
        text
    }
}

impl DurationHistogram {
    /// The text after the name of each of its samples.
    fn samples(&self, tool: &str) -> Vec<String> {
        let mut so_far = 0;
        let within = BOUNDS.iter().zip(self.within).map(|(bound, count)| {
            so_far += count;
            format!("_bucket{{tool=\"{tool}\",le=\"{bound}\"}} {so_far}")
        });
        let Self { count, seconds, .. } = self;
        let all = [
            format!("_bucket{{tool=\"{tool}\",le=\"+Inf\"}} {count}"),
            format!("_sum{{tool=\"{tool}\"}} {seconds}"),
            format!("_count{{tool=\"{tool}\"}} {count}"),
        ];
        within.chain(all).collect()
    }
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
        let mut figures = CallCounts::default();
        for milliseconds in [1, 3, 3, 30_000] {
            figures.running += 1;
            figures.record_end("t", "a\"b", Duration::from_millis(milliseconds));
        }
        let text = figures.text(&ServerState {
            uptime: Duration::from_secs(7),
            connections: 2,
            is_shared_cache_up: false,
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
