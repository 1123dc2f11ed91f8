//! The clients of the Model Context Protocol that this server knows by the names they give in their
//! handshake: the longest answer that each passes to its model, and how a key reaches a server.
//!
//! Each figure was measured with that client and a server of one tool, whose answers grew until the
//! model no longer saw all of one: Codex 0.169, Claude Code 2.1, Gemini CLI 0.61, Qwen Code 0.15,
//! opencode 1.18, and the present Kilo, Copilot CLI, Droid, fast-agent, Cline and Mistral Vibe. A
//! client keeps the part that it cuts in a file that is read by lines, or throws it away.

use std::sync::LazyLock;
use std::time::Duration;

use iki_tools::contract::answer_limit::TextMeasure;

/// Time before a client gives up a call, in which a command that goes on can be answered.
const ANSWER_TIME: Duration = Duration::from_secs(5);

/// The place for variables in the configuration of other clients.
const USUAL_KEYS: &str = "the server's `env` (or `environment`) in the client's configuration";

/// The known clients; the last one stands for all others.
static CLIENTS: LazyLock<Vec<ClientProfile>> = LazyLock::new(|| {
    include_str!("clients.tsv")
        .lines()
        .filter_map(read)
        .collect()
});

/// A client's limits, and its ways of configuring a server.
#[derive(Debug, PartialEq, Eq)]
pub struct ClientProfile {
    /// A part of the name that it gives, in lower case; after `=`, the whole name.
    name: &'static str,
    /// Length of the longest answer that its model sees uncut, in bytes.
    pub longest_answer: usize,
    /// Maximum number of lines of such an answer, if lines are limited too.
    max_lines: Option<usize>,
    /// True if it counts an answer as it is escaped in JSON.
    counts_escaped: bool,
    /// True if it takes a text that is JSON for the answer's object, and the call for failed
    /// without that object.
    pub reads_json: bool,
    /// Time after which it gives up a call of which it hears nothing, because it gives no token for
    /// progress. The call's work and output are then lost.
    gives_up_after: Option<Duration>,
    /// True if that time was not measured, but is that of many clients.
    pub may_wait: bool,
    /// Maximum size of an image in bytes, if it is less than what models take; 0 if the client
    /// makes text of images.
    pub max_image: Option<usize>,
    /// The place in its configuration for the variables that the server gets.
    pub keys: &'static str,
}

impl ClientProfile {
    /// The measure by which an answer of at most so many `bytes` is within its other limits as
    /// well.
    #[must_use]
    pub fn measure(&self, bytes: usize) -> TextMeasure {
        match self.max_lines {
            _ if self.counts_escaped => TextMeasure::Json,
            Some(lines) => TextMeasure::with_lines(bytes, lines),
            None => TextMeasure::Plain,
        }
    }

    /// Time after which a command has to go on in the background, if the client hears nothing of
    /// it.
    #[must_use]
    pub fn goes_on_after(&self) -> Option<Duration> {
        self.gives_up_after?.checked_sub(ANSWER_TIME)
    }

    fn has_name(&self, name: &str) -> bool {
        match self.name.strip_prefix('=') {
            Some(whole) => name == whole,
            None => name.contains(self.name),
        }
    }
}

/// The client that calls itself `name`.
#[must_use]
pub fn find_client(name: &str) -> &'static ClientProfile {
    let name = name.to_lowercase();
    let known_client = CLIENTS.iter().find(|client| client.has_name(&name));
    known_client.unwrap_or(&CLIENTS[CLIENTS.len() - 1])
}

/// Reads a line of the table; `None` for a comment.
fn read(line: &'static str) -> Option<ClientProfile> {
    let [name, longest_answer, lines, form, seconds, image, keys] =
        line.split('\t').collect::<Vec<_>>().try_into().ok()?;
    let perhaps = seconds.strip_suffix('?');
    Some(ClientProfile {
        name,
        longest_answer: longest_answer.parse().ok()?,
        max_lines: lines.parse().ok(),
        counts_escaped: form == "escaped",
        reads_json: form == "json",
        gives_up_after: perhaps
            .unwrap_or(seconds)
            .parse()
            .ok()
            .map(Duration::from_secs),
        may_wait: perhaps.is_some(),
        max_image: image.parse().ok(),
        keys: if keys == "-" { USUAL_KEYS } else { keys },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_known_by_the_names_that_they_give() {
        let plain = TextMeasure::Plain;
        let lines = TextMeasure::Lines;
        for (name, longest, measure) in [
            ("codex-mcp-client", 11_000, plain),
            ("qwen-cli-mcp-client-ikigai", 25_000, lines(27)),
            ("claude-code", 40_000, plain),
            ("gemini-cli-mcp-client", 40_000, plain),
            ("opencode", 40_000, lines(21)),
            ("opencode/1.18.33", 40_000, lines(21)),
            ("Kilo Code", 40_000, lines(21)),
            ("claude-code/2.1.197 (sdk-cli)", 40_000, plain),
            ("copilot-cli", 19_000, plain),
            ("fast-agent-mcp", 15_000, plain),
            ("@cline/core", 7000, TextMeasure::Json),
            ("mcp", 11_000, plain),
            ("MCP", 11_000, plain),
            ("mcp-client", 19_000, lines(20)),
            ("continue-client", 19_000, lines(20)),
            ("factory-cli", 38_000, plain),
            ("ai-sdk-mcp-client", 40_000, plain),
            ("node", 25_000, lines(27)),
            ("Visual Studio Code", 19_000, lines(20)),
            ("", 19_000, lines(20)),
        ] {
            let client = find_client(name);
            assert_eq!(client.longest_answer, longest, "{name}");
            assert_eq!(client.measure(longest), measure, "{name}");
        }
    }

    #[test]
    fn each_line_of_the_table_is_a_client_and_the_last_one_is_any() {
        let lines = include_str!("clients.tsv").lines();
        let lines = lines.filter(|line| !line.starts_with('#'));
        assert_eq!(lines.count(), CLIENTS.len());
        assert_eq!(CLIENTS[CLIENTS.len() - 1].name, "");
    }

    #[test]
    fn a_command_goes_on_before_a_client_gives_it_up() {
        for (name, seconds, may_wait) in [
            ("continue-client", Some(55), false),
            ("Cline", Some(55), false),
            ("opencode", None, false),
            ("factory-cli", None, false),
            ("someone", Some(55), true),
        ] {
            let client = find_client(name);
            let after = client.goes_on_after();
            assert_eq!(after, seconds.map(Duration::from_secs), "{name}");
            assert_eq!(client.may_wait, may_wait, "{name}");
        }
    }
}
